"""WHAT it means: how well a run did, how errors grow, all that a joint can do."""

from typing import TYPE_CHECKING

from ulna.analysis.effort import Effort, effort
from ulna.analysis.portrait import Portrait, portrait
from ulna.analysis.section import Section, poincare
from ulna.analysis.stability import Stability, stability
from ulna.analysis.step import StepResponse, step_response
from ulna.analysis.tracking import Tracking, Worst, tracking
from ulna.analysis.verdict import FollowingVerdict, default_tolerance, verdict
from ulna.namespaces import namespace

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

if not TYPE_CHECKING:
    _guesses = {
        "analysis.tracking(run, plan) gives the errors of a run against its plan": (
            "error errors tracking_error"
        ),
        "analysis.step_response(arm, controller, ...) runs and measures a step": "step step_info",
        "analysis.poincare(arm, ...) gives the section of a motion": "poincare_section",
        "analysis.portrait(arm, ...) gives the phase portrait of one joint": "phase_portrait",
    }
    __getattr__, __dir__ = namespace(__name__, _guesses)
