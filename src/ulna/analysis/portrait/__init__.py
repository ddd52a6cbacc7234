"""Phase portraits: all that one joint can do, on a page; and sections of arms with more joints."""

from ulna.analysis.portrait.asking import portrait
from ulna.analysis.portrait.basins import Basins
from ulna.analysis.portrait.critical import Border, CriticalTorques
from ulna.analysis.portrait.fates import Fate, Fates
from ulna.analysis.portrait.flow import Course
from ulna.analysis.portrait.portrait import Orbit, Portrait
from ulna.analysis.portrait.rests import Rest
from ulna.analysis.portrait.running import Running
from ulna.analysis.portrait.separatrices import Separatrix

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
