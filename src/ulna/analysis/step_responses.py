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
from typing import Any

import numpy as np

from ulna.analysis.sampled_loops import given_loop
from ulna.arm import Actuators, Arm, Sensors
from ulna.arrays import Array, freeze, number, plain, positive, whole
from ulna.concurrency import interruptible
from ulna.control import Controller
from ulna.errors import InputError, Problem, UlnaWarning, shown
from ulna.namespaces import suggest_keywords
from ulna.progress import card
from ulna.simulation import Run, simulate
from ulna.simulation.build import check_kinds
from ulna.simulation.options import joint_values
from ulna.typing import StateLike

DURATIONS = (2.0, 4.0, 8.0, 16.0)  # [s] that are tried until it comes to rest
MOST_SAMPLES = 20_000
MOST_TOLERANCE = 0.1  # or what is called settled has not risen yet
LAST = 0.1  # of the run, in which it has to be at rest
STILL = 0.01  # of the tolerance, by which it may still move after that
NO_SIZE = "0: where measurements or torques are rounded, responses go with the size of the step"
SMALLEST = 1e-6  # of the step: what overshoots by less does not


@dataclass(frozen=True, eq=False, repr=False)
class StepResponse:
    """How one joint answered a step; None for what there is not, above all if it never settles.

    Attributes
    ----------
    run : Run
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

    run: Run
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

    def __repr__(self) -> str:
        return "\n".join(["StepResponse", *(f"  {line}" for line in self._lines())])

    def _repr_html_(self) -> str:
        return card("Step response", self._lines())


@interruptible
@suggest_keywords(amplitude="size", step="size")
def step_response(
    arm: Arm,
    controller: Controller,
    *,
    joint: int = 1,
    size: float = 0.1,
    q0: StateLike | None = None,
    duration: float | None = None,
    rate: float | None = None,
    tolerance: float = 0.02,
    sensors: Sensors | None = None,
    actuators: Actuators | None = None,
) -> StepResponse:
    """Simulate and measure the step response of one joint.

    Parameters
    ----------
    arm : Arm
        The arm; it starts at rest.
    controller : Controller
        What closes the loop.
    joint : int, optional
        Whose set-point jumps, counted from 1.
    size : float, optional
        Of the step [rad].
    q0 : array_like, shape (n,), optional
        Where the arm starts [rad]; unless given, hanging stretched along gravity, where it needs
        no torque, or stretched along x if it lies flat, moved into the joints' ranges.
    duration : float, optional
        How long the joint is watched [s]; until it comes to rest unless given, 16 s at most.
    rate : float, optional
        The control rate [Hz]; 1,000 unless given here or by the arm's loop.
    tolerance : float, optional
        Within which part of the final value it has settled.
    sensors : Sensors, optional
        What the controller measures with; those of the arm's loop unless given.
    actuators : Actuators, optional
        What becomes of its commands; those of the arm's loop unless given.

    Returns
    -------
    StepResponse
        Relative to where the joint comes to rest, which `steady_error` compares with where it
        should.

    Raises
    ------
    InputError
        If an argument is not one of its kind; for resolutions, which round.

    Examples
    --------
    >>> import ulna
    >>> arm = ulna.Arm.rods([1.0], [3.0], gravity=(0.0, 0.0))
    >>> found = step_response(arm, ulna.control.PD(25.0, 5.0))
    >>> round(found.overshoot, 3), found.settles
    (0.163, True)
    """
    check_kinds(arm, controller, sensors, ())
    if controller is None:
        raise InputError(Problem("controller", "None", "a controller, such as ulna.control.PD()"))
    place = whole("joint", joint, 1)
    if place > arm.n:
        raise InputError(Problem("joint", shown(joint), f"a joint from 1 to {arm.n}"))
    if number("size", size) == 0.0:
        raise InputError(Problem("size", shown(size), "a step [rad] that is not 0"))
    start = rest_posture(arm) if q0 is None else joint_values(arm, "q0", q0, "rad")
    goal = start.copy()
    goal[place - 1] += size
    if not positive("tolerance", tolerance, "") <= MOST_TOLERANCE:
        need = f"a part of the step, {MOST_TOLERANCE:g} at most"
        raise InputError(Problem("tolerance", shown(tolerance), need))
    loop = given_loop(arm, rate, sensors, actuators, need=NO_SIZE)
    durations = DURATIONS if duration is None else (positive("duration", duration, "s"),)
    for length in durations:
        samples = min(math.ceil(length * loop.rate), MOST_SAMPLES) + 1
        with warnings.catch_warnings():
            if length > durations[0]:
                warnings.simplefilter("ignore", UlnaWarning)  # it has been said
            run = simulate(
                arm, q0=start, duration=length, controller=controller, reference=goal,
                rate=loop.rate, sensors=loop.sensors, actuators=loop.actuators, samples=samples,
                progress=False,
            )  # fmt: skip
        found = _judged(run, place, float(size), float(tolerance), float(start[place - 1]))
        if (found.settles and _at_rest(found)) or not run.status.ok:
            break
    return found


def _at_rest(found: StepResponse) -> bool:
    """Return whether it has settled so well that watching on would change nothing."""
    end = found.response[_last(found.run.t)]
    return bool(np.ptp(end) <= STILL * found.tolerance * abs(float(end[-1])))


def _last(t: Array) -> Array:
    return np.asarray(t >= t[0] + (1.0 - LAST) * (t[-1] - t[0]))


def rest_posture(arm: Arm) -> Array:
    """Return the posture (n,) [rad] in which the arm hangs stretched, within its joints' ranges."""
    q = np.zeros(arm.n)
    gravity = np.asarray(arm.parameters.gravity)
    if np.any(gravity):
        q[0] = math.atan2(gravity[1], gravity[0])
    return np.clip(q, arm.parameters.lower, arm.parameters.upper)


def _judged(run: Run, joint: int, size: float, tolerance: float, start: float) -> StepResponse:
    t, y = run.t, (run.q[:, joint - 1] - start) / size
    freeze(y)
    given, end = (run, joint, size, tolerance, y), y[_last(t)]
    final = float(np.mean(end)) if run.status.ok else 0.0
    if final == 0.0 or np.any(np.abs(end - final) > tolerance * abs(final)):
        return StepResponse(*given, *(None,) * 6)
    part = y / final
    peak_time, peak = _peak(t, part)
    # A peak at the very end is that of a response which creeps up to its final value.
    over = peak - 1.0 > SMALLEST and peak_time < t[_last(t)][0]
    return StepResponse(
        *given,
        final=final,
        rise_time=_first_above(t, part, 0.9) - _first_above(t, part, 0.1),
        overshoot=peak - 1.0 if over else 0.0,
        peak_time=peak_time if over else None,
        settling_time=_settled(t, part, tolerance),
        steady_error=size * (1.0 - final),
    )


def _first_above(t: Array, part: Array, level: float) -> float:
    return _crossing(t, part, int(np.argmax(part >= level)), level)


def _settled(t: Array, part: Array, tolerance: float) -> float:
    k = int(np.flatnonzero(np.abs(part - 1.0) > tolerance)[-1])
    return _crossing(t, part, k + 1, 1.0 + math.copysign(tolerance, part[k] - 1.0))


def _crossing(t: Array, part: Array, k: int, level: float) -> float:
    """Return when the response, which starts at 0, passes a level between samples k−1 and k."""
    share = (level - part[k - 1]) / (part[k] - part[k - 1])
    return float(t[k - 1] + share * (t[k] - t[k - 1]))


def _peak(t: Array, part: Array) -> tuple[float, float]:
    """Return time and height of the peak, by a parabola through the three highest samples."""
    k = int(np.argmax(part))
    if not 0 < k < len(t) - 1:
        return float(t[k]), float(part[k])
    before, here, after = part[k - 1 : k + 2]
    bend = before - 2.0 * here + after
    shift = 0.5 * (before - after) / bend if bend < 0.0 else 0.0
    return float(t[k] + shift * (t[k + 1] - t[k])), float(here - 0.25 * (before - after) * shift)
