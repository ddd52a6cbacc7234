"""WHAT it means: how well a run did what was asked, how errors grow, how a controller answers."""

from ulna.analysis.effort import Effort, effort
from ulna.analysis.stability import Stability, stability
from ulna.analysis.step import StepResponse, step_response
from ulna.analysis.tracking import Tracking, Worst, tracking

__all__ = [
    "Effort",
    "Stability",
    "StepResponse",
    "Tracking",
    "Worst",
    "effort",
    "stability",
    "step_response",
    "tracking",
]
