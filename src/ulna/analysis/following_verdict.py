"""Whether a run followed its plan, and if not why: one sentence, and the numbers behind it.

A run follows its plan if all of this holds:

    the plan        the arm can do it: all in reach, and no limit passed
    the run         it came to the end of the plan
    the tip         max |p(t) − p*(t)| ≤ tolerance
    the loop        max ‖J(t) Φ_q(t)‖ · 10⁻⁶ ≤ tolerance

The last asks whether the loop holds the arm, or the arm only happens to be there: an error of
10⁻⁶ (rad, rad/s) at the start, less than any sensor sees, must not grow until the tip is out of
tolerance. Φ_q are the rows of the transition matrix that lead to the angles, J the Jacobian of the
tip. A short motion may so be followed without any feedback, and a loop whose errors grow a little
before they fall is not called unstable.

Dry friction lets joints rest beside where they should be, and drags behind those that move. With K
the stiffness of the loop, the controller's and gravity's, errors up to |K⁻¹| f_s are its doing: the
friction band. Where the tip is out of tolerance by no more than that, the verdict says so.

Motors that take positions are commanded the planned angles where no controller is named. Such a
servo carries a torque τ only by giving way, by τ/K, and lags by D/K times its speed: the default
tolerance of such a run is wider.

Motors that were at their limits, stalled or lost steps before the tip was off are told as the
cause. A winding that got too hot ends all following, wherever the tip was.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from ulna.analysis.error_growth import Stability
from ulna.analysis.tracking_errors import Tracking, tracking
from ulna.arm.model_mismatch import model_mismatch
from ulna.arrays import plain, positive
from ulna.control import Controller, ControlTiming, OpenLoop
from ulna.control.controller_text import without_model
from ulna.control.loop_stability import friction_error_band, is_judged
from ulna.errors import InputError, Problem, shown
from ulna.kinematics import jacobian
from ulna.motion import Plan
from ulna.progress import card
from ulna.scenario.loops import loop_of
from ulna.scenario.scenario import Scenario, Unwritten
from ulna.simulation import Run, Saturation
from ulna.simulation.motor_use import MotorUse, motor_troubles
from ulna.units import length_text

OF_REACH, OF_PATH = 0.01, 0.02  # of the arm's reach, of the path's extent: the default tolerance
BY_POSITIONS = 0.1  # of both, of motors that are commanded the planned angles
POSITIONS = "position commands"  # what such a run is called
EXIT_RADII = {"1 cm": 0.01, "10 cm": 0.1}  # [m] that a run without feedback leaves
STILL = 1e-9  # of the reach: a path of less extent is a point
UNSEEN = 1e-6  # [rad, rad/s] an error at the start that no sensor sees
EARLY = 1e-6  # of the duration, by which a run may end before its plan
MOST_JOINTS = 3  # at their limits, that a sentence tells of
MOST_SAMPLES = 500  # out of tolerance, that are looked at for friction

VerdictReason: TypeAlias = Literal[
    "follows",
    "infeasible",  # the plan itself cannot be done
    "interrupted",  # by Ctrl-C
    "unfinished",  # the run ended before its plan: it diverged, stalled, was stopped
    "unstable",  # errors grow
    "saturated",  # torque limits were met, and from then on the tip was off
    "motor",  # a motor was at its limits, stalled or lost steps, and from then on the tip was off
    "overheated",  # the winding of a motor got too hot
    "friction",  # the tip was out of tolerance, by no more than dry friction explains
    "off",  # none of these, and yet the tip was out of tolerance
]


@dataclass(frozen=True, eq=False, repr=False)
class FollowingVerdict:
    """Whether a run followed its plan; it is true where it did.

    Attributes
    ----------
    reason : str
        "follows", "infeasible", "interrupted", "unfinished", "unstable", "saturated", "motor",
        "overheated", "friction" or "off".
    text : str
        A sentence: "follows within 0.4 mm", "does not follow: ...".
    tolerance : float
        How far off the tip might be [m]; NaN where there was nothing to judge.
    peak_error : float
        The largest error of the tip [m]; NaN without a finite sample.
    peak_error_t : float
        When that was [s].
    growth : float or None
        Logarithm of how much an error of the state grows at most, if that is known.
    saturation : tuple of Saturation
        Joints that were at their torque limits.
    motors : tuple of MotorUse
        What motors did.
    mismatch : tuple of str
        Differences between the controller's model and the arm, one sentence each.
    """

    reason: VerdictReason
    text: str
    tolerance: float
    peak_error: float
    peak_error_t: float
    growth: float | None
    saturation: tuple[Saturation, ...]
    motors: tuple[MotorUse, ...] = ()
    mismatch: tuple[str, ...] = ()

    @property
    def follows(self) -> bool:
        """Whether the run followed its plan."""
        return self.reason == "follows"

    def __bool__(self) -> bool:
        return self.follows

    def __str__(self) -> str:
        return self.text

    def facts(self) -> dict[str, Any]:
        """Return what was found as plain values that JSON takes.

        Returns
        -------
        dict
            By names, in SI units; None for what is not finite.
        """
        return plain(
            {
                "follows": self.follows,
                "reason": self.reason,
                "text": self.text,
                "tolerance": self.tolerance,
                "peak_error": self.peak_error,
                "peak_error_t": self.peak_error_t,
                "largest_growth": self.growth,
                "saturation": [one._asdict() for one in self.saturation],
                "motors": [one._asdict() for one in self.motors],
                "model_mismatch": list(self.mismatch),
            }
        )

    def __repr__(self) -> str:
        return f"FollowingVerdict: {self.text}"

    def _repr_html_(self) -> str:
        return card("Verdict", [self.text])


def default_tolerance(plan: Plan, *, positions: bool = False) -> float:
    """Return how far the tip may be off a plan where nothing else is said.

    Parameters
    ----------
    plan : Plan
        What is to be followed.
    positions : bool, optional
        Whether motors that take positions follow it without a controller.

    Returns
    -------
    float
        1 % of the arm's reach or 2 % of the path's extent, whichever is less; for a path that is
        a point, 1 % of the reach [m]. With `positions`, 10 % of both.

    Examples
    --------
    >>> import ulna
    >>> plan = ulna.plan(ulna.preset("kehl"), ulna.paths.circle((0.5, 0.2), 0.1), duration=2.0)
    >>> round(default_tolerance(plan), 6)  # of a reach of 1 m and a circle 0.2 m across
    0.004
    """
    reach = plan.arm.reach
    places = plan.tip[np.isfinite(plan.tip).all(axis=-1), :2]
    extent = float(np.ptp(places, axis=0).max()) if len(places) else 0.0
    of_reach, of_path = (BY_POSITIONS, BY_POSITIONS) if positions else (OF_REACH, OF_PATH)
    return of_reach * reach if extent <= STILL * reach else min(of_reach * reach, of_path * extent)


def follows_by_positions(run: Run) -> bool:
    """Return whether the motors of a run followed commanded positions, without a controller."""
    return run.scenario.commands_positions


def verdict(
    run: Run | None,
    plan: Plan,
    *,
    tolerance: float | None = None,
    stability: Stability | None = None,
) -> FollowingVerdict:
    """Return whether a run followed its plan, and if not why.

    Parameters
    ----------
    run : Run or None
        What was simulated, from the plan's start on; None for a plan without a motion, which
        leaves nothing to simulate.
    plan : Plan
        What it was to follow.
    tolerance : float, optional
        How far off the tip may be [m]; `default_tolerance` unless given, which is wider for
        motors that follow commanded positions.
    stability : Stability, optional
        How errors grow along the plan under the run's controller, made with
        `ulna.analysis.stability`. Without it an unstable loop is found out only by where the
        tip went.

    Returns
    -------
    FollowingVerdict
        True where it follows, with a sentence, its reason and the numbers behind it.

    Raises
    ------
    InputError
        If run, plan or stability is none, or the tolerance is not a number above 0.

    Examples
    --------
    >>> import ulna
    >>> from ulna.analysis import stability, verdict
    >>> from ulna.control import ComputedTorque
    >>> plan = ulna.plan(ulna.preset("kehl"), ulna.paths.circle((0.5, 0.2), 0.1), duration=2.0)
    >>> law = ComputedTorque(natural_frequency=20.0)
    >>> run = ulna.simulate(plan.arm, controller=law, reference=plan)
    >>> print(verdict(run, plan, stability=stability(plan, law)))
    follows within 18 µm, tolerance 4 mm
    """
    if stability is not None and not isinstance(stability, Stability):
        need = "a Stability, made with ulna.analysis.stability"
        raise InputError(Problem("stability", shown(stability), need))
    if run is None and isinstance(plan, Plan) and not plan.feasible:
        return FollowingVerdict(
            "infeasible", _infeasible(plan), math.nan, math.nan, math.nan, None, ()
        )
    found = tracking(run, plan)  # type: ignore[arg-type]  # which refuses None
    if tolerance is None:
        allowed = default_tolerance(plan, positions=follows_by_positions(found.run))
    else:
        allowed = positive("tolerance", tolerance)
    reason, text = _judged(found, allowed, stability)
    model = getattr(found.run.scenario.controller, "model", None)
    mismatch = () if model is None else model_mismatch(model, found.run.arm)
    if mismatch and reason != "follows":
        more = f"; and {len(mismatch) - 1} more" * (len(mismatch) > 1)
        text += f"; the controller's model is another arm ({mismatch[0]}{more})"
    if not plan.ok:
        reason, text = "infeasible", f"{_infeasible(plan)}; simulated all the same, it {text}"
    worst = found.worst
    return FollowingVerdict(
        reason=reason,
        text=text,
        tolerance=allowed,
        peak_error=found.max,
        peak_error_t=math.nan if worst is None else worst.t,
        growth=None if stability is None else float(np.max(stability.growth)),
        saturation=found.run.saturation,
        motors=found.run.motors,
        mismatch=mismatch,
    )


def _judged(
    found: Tracking, tolerance: float, stability: Stability | None
) -> tuple[VerdictReason, str]:
    """Return the reason and the sentence for a plan that can be done."""
    run = found.run
    troubles = motor_troubles(run.arm, run.motors) if run.motors else []
    limits = "; ".join(filter(None, [_limits(run.saturation), *troubles]))
    grows = _instability(stability, tolerance)
    ended = _early_end(found)
    if ended is not None:
        causes = [cause for cause in (grows, limits) if cause]
        text = f"does not follow: {'; '.join([ended, *causes])}"
        return "interrupted" if run.status.reason == "interrupted" else "unfinished", text
    off = f"off by {length_text(found.max)} at t = {found.worst.t:.4g} s" if found.worst else ""
    more = f"more than {length_text(tolerance)}"
    if grows:
        return "unstable", f"does not follow: {grows}; {off}{_also(limits)}"
    if any(one.overheated is not None for one in run.motors):
        return "overheated", f"does not follow: {limits}; {off}"
    if found.max <= tolerance:
        within = f"follows within {length_text(found.max)}, tolerance {length_text(tolerance)}"
        return "follows", f"{within}{_also(limits)}"
    exit_time = found.first_exit(tolerance)
    cause = _first_limit(run, math.inf if exit_time is None else exit_time)
    if cause is not None:
        return cause, f"does not follow: {limits}; {off}, {more}"
    band = _friction_band(found, tolerance, stability)
    if band:
        return "friction", f"does not follow: {off}, {more}, {band}{_also(limits)}"
    told = _also(limits), _also(_gears(run)), _also(_servos(found))
    return "off", f"does not follow: {off}, {more}{''.join(told)}"


def _gears(run: Run) -> str:
    """Return which gear took the most torque, if any did: no law of control makes up for it."""
    lost = []
    for joint, tau, qd in zip(run.arm.joints, run.tau.T, run.qd.T, strict=True):
        forth = getattr(joint.motor, "efficiency", 1.0)
        back = getattr(joint.motor, "backdriving_efficiency", 1.0)
        part = np.where(tau * qd < 0.0, 1.0 / back - 1.0, 1.0 - forth)
        lost.append(float(np.fmax.reduce(part * np.abs(tau), initial=0.0)))
    most = int(np.argmax(lost))
    if not lost[most] > 0.0:
        return ""
    return f"the gear of joint {most + 1} took up to {lost[most]:.3g} N·m"


def _servos(found: Tracking) -> str:
    """Return which joint was farthest from its command, if motors followed positions."""
    if not follows_by_positions(found.run):
        return ""
    behind = np.nanmax(np.abs(found.joint_error), axis=0)
    joint = int(np.argmax(behind))
    return f"joint {joint + 1} was up to {np.degrees(behind[joint]):.2g}° off its command"


def _first_limit(run: Run, exit_time: float) -> VerdictReason | None:
    """Return which limit was met first, of torques or of motors, before the tip was off [s]."""
    at = [(one.first, "saturated") for one in run.saturation]
    for motor in run.motors:
        if motor.first_limited is not None:
            at.append((motor.first_limited, "motor"))
        if motor.lost_steps:
            at.append((0.0, "motor"))  # when, is not known
    first, cause = min(at, default=(math.inf, ""))
    if not at or first > exit_time:
        return None
    return "motor" if cause == "motor" else "saturated"


def _early_end(found: Tracking) -> str | None:
    """Return how a run ended before its plan, if it did."""
    run, duration = found.run, found.plan.duration
    if not run.status:
        return run.status.text.partition(";")[0]  # what to try depends on who asks
    if run.t[-1] < duration * (1.0 - EARLY):
        return f"it ended at t = {run.t[-1]:.4g} s of {duration:.4g} s"
    return None if found.worst is not None else "no sample is finite"


def _instability(stability: Stability | None, tolerance: float) -> str:
    """Return that errors grow out of tolerance, if they do."""
    if stability is None or stability.predicted_exit(tolerance, UNSEEN) is None:
        return ""
    # By size: an error may be back by the end.
    fold = f"10^{float(np.max(stability.growth)) / math.log(10.0):.0f}-fold"
    if stability.controller is None or isinstance(stability.controller, OpenLoop):
        return f"unstable without feedback, errors grow {fold}"
    return f"unstable at {stability.rate:g} Hz, errors grow {fold}"


def _friction_band(found: Tracking, tolerance: float, stability: Stability | None) -> str:
    """Return that friction explains why the tip is out of tolerance, if it does at all times."""
    run, static = found.run, found.run.arm.parameters.static
    controller = _controller_of(run.scenario) if stability is None else stability.controller
    out = np.flatnonzero(found.size > tolerance)
    if not (static.any() and len(out) and is_judged(controller)):
        return ""
    out = np.append(out[:: -(-len(out) // MOST_SAMPLES)], np.nanargmax(found.size))
    error, q = found.joint_error[out], run.q[out]
    band = friction_error_band(controller, run.arm, q, _timing_of(run))
    levers, within = jacobian(run.arm, q)[:, :2], np.clip(error, -band, band)
    rest = (levers @ (error - within)[..., None])[..., 0]
    if (np.hypot(rest[:, 0], rest[:, 1]) > tolerance).any():
        return ""
    moved = np.hypot(*levers[-1]) * np.abs(within[-1])  # of the tip, where it is off the most
    joint = int(np.argmax(np.where(static > 0.0, moved, -1.0)))
    wide = math.degrees(float(band[-1, joint]))
    return f"within the friction band of joint {joint + 1}, ±{static[joint]:.3g} N·m: ±{wide:.2g}°"


def _controller_of(scenario: Scenario) -> Controller | None:
    """Return the controller of a run without its model; None of one that no file holds."""
    controller = scenario.controller
    if controller is None or isinstance(controller, Unwritten):
        return None
    return without_model(controller)


def _timing_of(run: Run) -> ControlTiming:
    """Return what the controller of a run was told."""
    asked = run.scenario
    loop = loop_of(run.arm, asked.rate, asked.sensors, asked.actuators)
    return loop.timing(run.arm.n)


def _limits(saturation: Sequence[Saturation]) -> str:
    """Return which joints met their torque limits, how often and for how long, if any did."""
    if not saturation:
        return ""
    told = [
        f"joint {one.joint}, {_times(one.episodes)}, {one.seconds:.3g} s"
        for one in saturation[:MOST_JOINTS]
    ]
    more = len(saturation) - MOST_JOINTS
    told += [f"and {more} more"] if more > 0 else []
    return f"torque limits were met ({'; '.join(told)})"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _also(told: str) -> str:
    return f"; {told}" if told else ""


def _infeasible(plan: Plan) -> str:
    told = [one.text for one in plan.problems if one.blocks or one.exceeds]
    more = f", and {len(told) - 1} more" * (len(told) > 1)
    return f"the plan is infeasible: {told[0]}{more}"
