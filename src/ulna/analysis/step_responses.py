"""How a controller answers a step: the set-point of one joint jumps, at once and from rest.

With y the part of the way that the joint has gone and y∞ where it comes to rest:

    rise time     from 10 % to 90 % of y∞            overshoot    (y_max − y∞) / y∞
    settling      until y stays within ±2 % of y∞    steady error    what is left to go

A joint with inertia M, K = M ω² and D = 2 ζ M ω overshoots by exp(−π ζ/√(1−ζ²)), at
t = π/(ω √(1−ζ²)).
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any, Generic, overload

import numpy as np

from ulna.analysis.batch_step_responses import (
    BatchStepResponse,
    batch_step_response,
    set_points,
)
from ulna.analysis.sampled_loops import given_loop
from ulna.analysis.step_measures import first_of_last, measured
from ulna.analysis.tracking_errors import Judged
from ulna.arm import Arm
from ulna.arrays import Array, freeze, number, plain, positive, whole
from ulna.errors import InputError, Problem, UlnaWarning, shown
from ulna.progress import Described
from ulna.scenario import Scenario
from ulna.simulation import BatchRun, Run, simulate
from ulna.simulation.batch.member import Member
from ulna.typing import StateLike

DURATIONS = (2.0, 4.0, 8.0, 16.0)  # [s] that are tried until it comes to rest
MOST_SAMPLES = 20_000
SIZE = 0.1  # [rad] of a step, unless given
MOST_TOLERANCE = 0.1  # or what is called settled has not risen yet
STILL = 0.01  # of the tolerance, by which it may still move after that
NO_SIZE = "0: where measurements or torques are rounded, responses go with the size of the step"


@dataclass(frozen=True, eq=False, repr=False)
class StepResponse(Described, Generic[Judged]):
    """How one joint answered a step; None for what there is not, above all if it never settles.

    Attributes
    ----------
    run : Run, or a member of a BatchRun
        What was simulated.
    joint : int
        Which joint, counted from 1.
    size : float
        Of the step [rad].
    tolerance : float
        Within which part of the final value it has settled.
    response : ndarray, shape (S,)
        The part of the step that is done, sample by sample.
    final : float or None
        The part of the step where the joint comes to rest.
    rise_time : float or None
        From 10 % to 90 % of the final value [s].
    overshoot : float or None
        Beyond the final value, as a fraction of it.
    peak_time : float or None
        When that is [s]; None without overshoot.
    settling_time : float or None
        After which the joint stays within the tolerance [s].
    steady_error : float or None
        What is missing at the end [rad]; negative beyond.
    """

    run: Judged
    joint: int
    size: float
    tolerance: float
    response: Array
    final: float | None
    rise_time: float | None
    overshoot: float | None
    peak_time: float | None
    settling_time: float | None
    steady_error: float | None

    @property
    def settles(self) -> bool:
        """Whether it comes to rest within the run."""
        return self.settling_time is not None

    def facts(self) -> dict[str, Any]:
        """Return what was found as plain values that JSON takes.

        Returns
        -------
        dict
            By names, in SI units; None for what is not finite.
        """
        left_out = ("run", "response")
        found = {name: value for name, value in vars(self).items() if name not in left_out}
        return plain({"status": self.run.status.text, "settles": self.settles, **found})

    def _lines(self) -> list[str]:
        head = f"joint {self.joint}, {self.size:g} rad, {self.run.t[-1]:g} s"
        if not self.settles:
            why = "" if self.run.status.ok else f": {self.run.status}"
            return [head, f"does not settle within {self.tolerance:.3g} of the step{why}"]
        peak = "" if self.peak_time is None else f" at {self.peak_time:.3g} s"
        return [
            head,
            f"rises in {self.rise_time:.3g} s, overshoots by {self.overshoot:.3g} of it{peak}",
            f"settles to ±{self.tolerance:g} in {self.settling_time:.3g} s, "
            f"{self.steady_error:.3g} rad off",
        ]

    def _title(self) -> str:
        return "StepResponse"


@overload
def step_response(
    scenario: Scenario, *, joint: int | None = None, size: float = 0.1, tolerance: float = 0.02
) -> StepResponse: ...


@overload
def step_response(
    scenario: Run,
    *,
    joint: int | None = None,
    tolerance: float = 0.02,
    reference: StateLike | None = None,
) -> StepResponse: ...


@overload
def step_response(
    scenario: Member, *, joint: int | None = None, tolerance: float = 0.02, reference: StateLike
) -> StepResponse[Member]: ...


@overload
def step_response(
    scenario: BatchRun, *, tolerance: float = 0.02, reference: StateLike | None = None
) -> BatchStepResponse: ...


def step_response(
    scenario: Scenario | Run | Member | BatchRun,
    *,
    joint: int | None = None,
    size: float | None = None,
    tolerance: float = 0.02,
    reference: StateLike | None = None,
) -> StepResponse[Any] | BatchStepResponse:
    """Simulate and measure the step response of one joint, or measure those of runs.

    Parameters
    ----------
    scenario : Scenario, Run, BatchRun, or a member of one
        An arm with a controller and no reference, which starts at rest. Default of `q0`: hanging
        stretched along gravity, where it needs no torque, or stretched along x if it lies flat,
        moved into the joints' ranges; of `duration`: until the joint comes to rest, 16 s at most.
        Or runs towards a constant set-point: of them only `joint`, `tolerance` and `reference` can
        be given.
    joint : int, optional
        The joint whose set-point jumps, counted from 1. Default: the first; of a run the only one
        that does. Of a batch all joints are measured.
    size : float, optional
        The step [rad]; default: 0.1.
    tolerance : float, optional
        Within which part of the final value it has settled.
    reference : array_like, shape (n,) or (B, n), optional
        The set-points of runs [rad]. Default: those that they were simulated with. A member of a
        batch does not know its own.

    Returns
    -------
    StepResponse or BatchStepResponse
        Relative to where the joint comes to rest, which `steady_error` compares with where it
        should; of a batch arrays (B, n).

    Raises
    ------
    InputError
        If an argument is not one of its kind; for resolutions, which round; if a run has no
        constant set-point.

    Examples
    --------
    >>> import ulna
    >>> arm = ulna.Arm.rods([1.0], [3.0], gravity=(0.0, 0.0))
    >>> found = step_response(ulna.Scenario(arm=arm, controller=ulna.control.PD(25.0, 5.0)))
    >>> round(found.overshoot, 3), found.settles
    (0.163, True)

    Four gains at once:

    >>> gains = [ulna.control.PD(25.0, kd) for kd in (2.0, 4.0, 6.0, 8.0)]
    >>> batch = ulna.simulate_batch(
    ...     arm, q0=[0.0], reference=[0.1], controller=gains, duration=8.0, samples=8001
    ... )
    >>> step_response(batch).overshoot[:, 0].round(2).tolist()
    [0.53, 0.25, 0.09, 0.02]
    """
    if not positive("tolerance", tolerance, "") <= MOST_TOLERANCE:
        need = f"a part of the step, {MOST_TOLERANCE:g} at most"
        raise InputError(Problem("tolerance", shown(tolerance), need))
    if isinstance(scenario, Run | Member | BatchRun):
        return _of_runs(scenario, joint, float(tolerance), reference, {"size": size})
    if not isinstance(scenario, Scenario):
        hint = "pass ulna.Scenario(arm=..., controller=...)"
        raise InputError(Problem("scenario", shown(scenario), "a Scenario, or runs", hint))
    for given in (reference, scenario.reference):
        if given is not None:
            need = "nothing: of a scenario, joint and size say where its set-point jumps to"
            raise InputError(Problem("reference", shown(given), need))
    return _simulated(scenario, joint, size, float(tolerance))


def _of_runs(
    run: Run | Member | BatchRun,
    joint: int | None,
    tolerance: float,
    reference: Any,
    unused: dict[str, Any],
) -> StepResponse[Any] | BatchStepResponse:
    """Measure runs that have been made, of which nothing else can be chosen."""
    if isinstance(run, BatchRun):
        unused = {"joint": joint, **unused}
    for name, given in unused.items():
        if given is not None:
            need = "nothing, for a run that has been made"
            raise InputError(Problem(name, shown(given), need))
    goal = set_points(run, reference)
    if isinstance(run, BatchRun):
        return batch_step_response(run, goal, tolerance)
    sizes = goal - run.q[0]
    place = _stepping(sizes) if joint is None else whole("joint", joint, 1, len(sizes))
    size = float(sizes[place - 1])
    if size == 0.0:
        need = "a joint whose set-point is not where it started"
        raise InputError(Problem("joint", shown(place), need))
    return _judged(run, place, size, tolerance, float(run.q[0, place - 1]))


def _stepping(sizes: Array) -> int:
    """Return the joint, counted from 1, that alone has a step."""
    found = np.flatnonzero(sizes) + 1
    if len(found) != 1:
        told = ", ".join(map(str, found)) or "none"
        raise InputError(Problem("joint", f"steps of joints: {told}", "one of them: joint=..."))
    return int(found[0])


def _simulated(
    scenario: Scenario, joint: int | None, size: float | None, tolerance: float
) -> StepResponse:
    arm = scenario.arm
    if scenario.controller is None:
        raise InputError(Problem("controller", "None", "a controller, such as ulna.control.PD()"))
    place = whole("joint", 1 if joint is None else joint, 1, arm.n)
    size = SIZE if size is None else size
    if number("size", size) == 0.0:
        raise InputError(Problem("size", shown(size), "a step [rad] that is not 0"))
    start = rest_posture(arm) if scenario.q0 is None else np.array(scenario.q0)
    goal = start.copy()
    goal[place - 1] += size
    loop = given_loop(arm, scenario.rate, scenario.sensors, scenario.actuators, need=NO_SIZE)
    durations = DURATIONS if scenario.duration is None else (scenario.duration,)
    positive("duration", durations[0], "s")
    for length in durations:
        samples = min(math.ceil(length * loop.rate), MOST_SAMPLES) + 1
        stepped = scenario.replace(
            q0=start, duration=length, reference=goal,
            samples=samples if scenario.samples is None else scenario.samples,
        )  # fmt: skip
        with warnings.catch_warnings():
            if length > durations[0]:
                warnings.simplefilter("ignore", UlnaWarning)  # it has been said
            run = simulate(stepped, progress=False)
        found = _judged(run, place, float(size), tolerance, float(start[place - 1]))
        if (found.settles and _at_rest(found)) or not run.status.ok:
            break
    return found


def _at_rest(found: StepResponse) -> bool:
    """Return whether it has settled so well that watching on would change nothing."""
    end = found.response[first_of_last(found.run.t) :]
    return bool(np.ptp(end) <= STILL * found.tolerance * abs(float(end[-1])))


def rest_posture(arm: Arm) -> Array:
    """Return the posture (n,) [rad] in which the arm hangs stretched, within its joints' ranges."""
    q = np.zeros(arm.n)
    gravity = np.asarray(arm.parameters.gravity)
    if np.any(gravity):
        q[0] = math.atan2(gravity[1], gravity[0])
    return np.clip(q, arm.parameters.lower, arm.parameters.upper)


def _judged(
    run: Judged, joint: int, size: float, tolerance: float, start: float
) -> StepResponse[Judged]:
    y = (run.q[:, joint - 1] - start) / size
    freeze(y)
    found = measured(run.t, y, np.asarray(run.status.ok), tolerance)
    final, rise, overshoot, peak, settling = (
        None if np.isnan(value) else float(value) for value in found
    )
    steady = None if final is None else size * (1.0 - final)
    return StepResponse(
        run, joint, size, tolerance, y, final, rise, overshoot, peak, settling, steady
    )
