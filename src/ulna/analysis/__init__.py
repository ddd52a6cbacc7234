"""WHAT it means: how well a run did, how errors grow, all that a joint can do."""

from typing import TYPE_CHECKING

from ulna.analysis.error_growth import Stability, stability
from ulna.analysis.following_verdict import FollowingVerdict, default_tolerance, verdict
from ulna.analysis.poincare_sections import Section, poincare
from ulna.analysis.portraits import Portrait, portrait
from ulna.analysis.step_responses import StepResponse, step_response
from ulna.analysis.tracking_errors import Effort, Tracking, Worst, effort, tracking
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
            "error errors tracking_error tracking_errors rms rmse rms_error max_error mse"
        ),
        "analysis.step_response(arm, controller, ...) runs and measures a step": (
            "step step_info stepinfo settling_time overshoot rise_time"
        ),
        "analysis.poincare(arm, ...) gives the section of a motion": (
            "poincare_section poincare_map Poincare"
        ),
        "analysis.portrait(arm, ...) gives the phase portrait of one joint": (
            "phase_portrait phase_plane basins basin separatrices"
        ),
        "analysis.stability(plan, controller) gives how fast errors grow along a plan": (
            "lyapunov lyapunov_exponents floquet eigenvalues poles"
        ),
        "ulna.plot(thing) draws runs, plans, tracking errors, portraits": "plot show draw figure",
        "dynamics.linearise(arm, q, qd, tau) gives A and B, for python-control or scipy.signal": (
            "bode nyquist transfer_function ss root_locus margin"
        ),
        "kinematics.workspace(arm), in ulna.kinematics": "workspace reach",
        "analysis.effort(run) gives torques, power and energy of a run": "energy power torques",
    }
    __getattr__, __dir__ = namespace(__name__, _guesses)
