"""Phase portraits: all that one joint can do, on a page; and sections of arms with more joints."""

from ulna.analysis.portraits.api import portrait
from ulna.analysis.portraits.basin_boundaries import Border, CriticalTorques
from ulna.analysis.portraits.basins import Basins
from ulna.analysis.portraits.fates import Fate, Fates
from ulna.analysis.portraits.flow import Course
from ulna.analysis.portraits.phase_equilibria import Rest
from ulna.analysis.portraits.phase_portrait import Orbit, Portrait
from ulna.analysis.portraits.running_solutions import Running
from ulna.analysis.portraits.separatrices import Separatrix

__all__ = [
    "Basins",
    "Border",
    "Course",
    "CriticalTorques",
    "Fate",
    "Fates",
    "Orbit",
    "Portrait",
    "Rest",
    "Running",
    "Separatrix",
    "portrait",
]
