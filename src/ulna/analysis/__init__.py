"""WHAT it means: how well a run did, how errors grow, all that a joint can do."""

from ulna.analysis.effort import Effort, effort
from ulna.analysis.portrait import Portrait, portrait
from ulna.analysis.section import Section, poincare
from ulna.analysis.stability import Stability, stability
from ulna.analysis.step import StepResponse, step_response
from ulna.analysis.tracking import Tracking, Worst, tracking

__all__ = [
    "Effort",
    "Portrait",
    "Section",
    "Stability",
    "StepResponse",
    "Tracking",
    "Worst",
    "effort",
    "poincare",
    "portrait",
    "stability",
    "step_response",
    "tracking",
]
