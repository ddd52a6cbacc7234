"""WHAT it means: how well a run did, how errors grow, all that a joint can do."""

from typing import TYPE_CHECKING

from ulna.analysis.batch_step_responses import BatchStepResponse
from ulna.analysis.batch_tracking import BatchTracking, BatchWorst
from ulna.analysis.error_growth import Stability, stability
from ulna.analysis.following_verdict import FollowingVerdict, default_tolerance, verdict
from ulna.analysis.joint_effort import Effort, effort
from ulna.analysis.loop_dynamics import LoopDynamics, loop
from ulna.analysis.loop_margins import Bode, LoopMargins
from ulna.analysis.poincare_sections import Section, poincare
from ulna.analysis.portraits import Portrait, portrait
from ulna.analysis.position_commands import servo_tracking
from ulna.analysis.step_responses import StepResponse, step_response
from ulna.analysis.tracking_errors import Tracking, Worst, tracking
from ulna.analysis.verification import Agreement, Verification, verify
from ulna.namespaces import namespace

__all__ = [
    "Agreement",
    "BatchStepResponse",
    "BatchTracking",
    "BatchWorst",
    "Bode",
    "Effort",
    "FollowingVerdict",
    "LoopDynamics",
    "LoopMargins",
    "Portrait",
    "Section",
    "Stability",
    "StepResponse",
    "Tracking",
    "Verification",
    "Worst",
    "default_tolerance",
    "effort",
    "loop",
    "poincare",
    "portrait",
    "servo_tracking",
    "stability",
    "step_response",
    "tracking",
    "verdict",
    "verify",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = namespace(__name__)
