"""Phase portraits: all that one joint can do, on a page; and sections of arms with more joints."""

from ulna.analysis.portraits.basins import BasinBoundary, Basins, CriticalTorques
from ulna.analysis.portraits.fates import Fate, Fates
from ulna.analysis.portraits.flow import OrbitSegment
from ulna.analysis.portraits.invariant_sets import RunningSolution, Separatrix
from ulna.analysis.portraits.phase_equilibria import PhaseEquilibrium, StickingInterval
from ulna.analysis.portraits.phase_portrait import Orbit, Portrait, portrait

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
    "StickingInterval",
    "portrait",
]
