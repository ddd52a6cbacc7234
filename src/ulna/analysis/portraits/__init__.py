"""Phase portraits: all that one joint can do, on a page; and sections of arms with more joints."""

from ulna.analysis.portraits.api import portrait
from ulna.analysis.portraits.basin_boundaries import BasinBoundary, CriticalTorques
from ulna.analysis.portraits.basins import Basins
from ulna.analysis.portraits.fates import Fate, Fates
from ulna.analysis.portraits.flow import OrbitSegment
from ulna.analysis.portraits.phase_equilibria import PhaseEquilibrium
from ulna.analysis.portraits.phase_portrait import Orbit, Portrait
from ulna.analysis.portraits.running_solutions import RunningSolution
from ulna.analysis.portraits.separatrices import Separatrix

__all__ = [
    "BasinBoundary",
    "Basins",
    "CriticalTorques",
    "Fate",
    "Fates",
    "Orbit",
    "OrbitSegment",
    "PhaseEquilibrium",
    "Portrait",
    "RunningSolution",
    "Separatrix",
    "portrait",
]
