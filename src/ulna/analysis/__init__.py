"""WHAT it means: how well a run did, how errors grow, all that a joint can do."""

from ulna.analysis.effort import Effort, effort
from ulna.analysis.portrait import Portrait, portrait
from ulna.analysis.section import Section, poincare
from ulna.analysis.stability import Stability, stability
from ulna.analysis.step import StepResponse, step_response
from ulna.analysis.tracking import Tracking, Worst, tracking
from ulna.analysis.verdict import FollowingVerdict, default_tolerance, verdict

__all__ = [
    "Effort",
    "FollowingVerdict",
    "Portrait",
    "Section",
    "Stability",
    "StepResponse",
    "Tracking",
    "Worst",
    "default_tolerance",
    "effort",
    "poincare",
    "portrait",
    "stability",
    "step_response",
    "tracking",
    "verdict",
]
