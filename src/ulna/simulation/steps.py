"""Steps: counted before a run begins, watched while it runs, and checked when it is over.

**Counted.** The steps of dt, a controller's ticks and the draws of noise are known beforehand: more
than MOST_STEPS of any are refused, with their number and what to use instead. How many steps an
explicit method needs for stiff damping is known as well: where damping stops a joint at a rate λ,
the method is stable for steps of about 6 / λ only.

**Watched.** An adaptive run whose steps collapse is ended where what is left would take more steps
than anybody waits for. Where a good part of the steps is refused, a torque switches faster than any
step can follow (a sign() that holds the arm on its switching line), and the limit is low.

**Checked.** Of equal steps the first ones, and then one in 64, are taken once more in two halves.
What the two differ by is the error of a step; each speaks for those up to the next, and the error
of a rate for the angle that it goes on to turn the joint by. The sum estimates the error of the
angles, as long as neighbouring motions neither part (chaos) nor come together.

Whether damping, and not accuracy, keeps the steps of an adaptive run short.

An explicit method is stable only for steps h of some six times 1/λ, where λ is the fastest rate at
which damping slows any motion of the joints. Where the steps that a run takes come near that, it is
stiff: no tolerance lets it go any faster, and a method that takes damping implicitly would. λ is
the largest eigenvalue of −∂q̈/∂q̇, found by power iteration on what the engine itself computes.

Checks come after so many steps, and not after so much time, so that a run warns alike on every
machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.arm import Arm
from ulna.arrays import Array
from ulna.errors import InputError, Problem, warn
from ulna.scenario.disturbances import Disturbance
from ulna.scenario.methods import METHODS
from ulna.scenario.options import SimulationOptions, per_arm
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.motor_rows import fastest_rate

if TYPE_CHECKING:
    from ulna.simulation.core import SimulationCore


MOST_STEPS = 10**10  # of one kind in one run: an hour or so of a small arm
# Through stiff damping, from which on a run is announced, and refused.
MANY_STEPS, MOST_STIFF_STEPS = 10**7, 10**9
STABLE = 6.0  # the step of dop853 in units of the time in which damping stops a joint

WATCHED = 50_000  # tries of a step between two checks for a stall
REFUSED_SHARE = 0.1  # of them that are refused where something switches
HOPELESS, ENDLESS = 1e9, 1e10  # steps to go where something switches, and anywhere


LEAST_WINDOWS = 256  # of a run, in each of which events are looked at eight times
RESOLUTION = 2e-7  # of a run, the shortest time in which events are told apart

WORTH = (
    0.25  # [s] of work before the first check for stiffness; what is over by then needs no advice
)
MUCH_WORK = 60.0  # [s] that is left, from which on a run is announced
NEAR = 2.5  # h λ from which on stability counts as what holds the steps, of 6 where it fails
GAIN = 5.0  # times as fast as it must be what is advised
ITERATIONS = 30


def check_steps(
    options: SimulationOptions,
    start: float,
    end: float,
    n: int,
    *,
    controlled: bool,
    disturbances: Iterable[Disturbance] = (),
) -> None:
    """Raise InputError for a run that would take too many steps, ticks or draws."""
    span = end - start
    problems = []
    step = options.max_step if options.adaptive else options.dt
    if span > 0.0 and (span > MOST_STEPS * step or end + step == end):
        name = "max_step" if options.adaptive else "dt"
        problems.append(_too_short(name, step, span, end, METHODS[options.method].work * n))
    if controlled and span * options.rate > MOST_STEPS:
        problems.append(_too_often("rate", options.rate, span))
    for one in disturbances:
        first, last = max(one.start, start), min(one.stop, end)
        # Draws are counted from where the noise begins, which may be long ago.
        if one.rate and (last - first > 0.0) and (last - one.start) * one.rate > MOST_STEPS:
            problems.append(_too_often("noise.rate", one.rate, last - one.start))
    if problems:
        raise InputError(problems)


def _too_short(name: str, step: float, span: float, end: float, cost: float) -> Problem:
    steps = span / step if step > 0.0 else math.inf
    least = max(span / MOST_STEPS, 4.0 * math.ulp(end))
    got = f"{step:g} s, or {steps:.2g} steps in {span:g} s, {_time_text(steps * cost)} of work"
    hint = f"try {name}={_round_up(max(least, 1e-4 * span)):g}"
    if name == "dt":
        hint += ", or method='dop853', which chooses its steps"
    return Problem(name, got, f"at least {_round_up(least):g} s, for {MOST_STEPS:,} steps", hint)


def _too_often(name: str, rate: float, span: float) -> Problem:
    got = f"{rate:g} Hz, or {rate * span:.2g} times in {span:g} s"
    return Problem(name, got, f"at most {MOST_STEPS:,} times", "try a lower rate, or less time")


def _round_up(value: float) -> float:
    """Return a number of one digit that is not below a value."""
    unit = 10.0 ** math.floor(math.log10(value))
    return float(f"{math.ceil(value / unit * (1.0 - 1e-12)) * unit:.0e}")


def _round_down(value: float) -> float:
    """Return a number of one digit that is not above a value."""
    unit = 10.0 ** math.floor(math.log10(value))
    return float(f"{max(math.floor(value / unit), 1) * unit:.0e}")


def _time_text(seconds: float) -> str:
    for unit, name in ((31557600.0, "years"), (86400.0, "days"), (3600.0, "hours")):
        if seconds >= unit:
            return f"some {seconds / unit:,.2g} {name}"
    return f"some {max(seconds, 1.0):,.2g} s"


def check_stiffness(arm: Arm, options: SimulationOptions, span: float) -> bool:
    """Warn of, or refuse, a run for which damping makes an adaptive method take very many steps.

    Returns whether it warned.
    """
    if not options.adaptive or options.dynamics != "full":
        return False
    joint, rate = _most_damped(arm)
    steps = rate * span / STABLE
    if steps < MANY_STEPS:
        return False
    got = (
        f"{arm.parameters.damping[joint]:g} N·m·s/rad, "
        f"which stops the joint within {1.0 / rate:.2g} s; "
        f"for it dop853 needs {steps:.2g} steps in {span:g} s, "
        f"{_time_text(steps * METHODS['dop853'].work * arm.n)} of work"
    )
    need = "a damping that the steps can follow"
    hint = "try method='semi-implicit', which any damping suits"
    problem = Problem(f"joint {joint + 1}, damping", got, need, hint)
    if steps > MOST_STIFF_STEPS:
        raise InputError(problem)
    warn(str(problem))
    return True


@per_arm
def _most_damped(arm: Arm) -> tuple[int, float]:
    """Return the most damped joint, and the fastest rate [1/s] at which damping stops a motion."""
    damping = arm.parameters.damping
    rate = fastest_rate(arm, damping, np.zeros(arm.n)) if damping.any() else 0.0
    return int(np.argmax(damping)), rate


class StallWatch:
    """Find out whether an adaptive run makes progress."""

    def __init__(self) -> None:
        self.tries, self.refused, self.t = 0, 0, 0.0
        self.pace = self.share = 0.0  # [s] a try, and how many of them are refused
        self.to_go = 0.0  # steps

    @property
    def is_refused(self) -> bool:
        """Whether a good part of the steps is refused, as where something switches."""
        return self.share > REFUSED_SHARE

    def is_stalled(self, simulation: SimulationCore) -> bool:
        """Return whether what is left takes more steps than anybody waits for."""
        if not simulation.options.adaptive:
            return False
        tries, t = _tries(simulation), simulation.t
        refused = simulation.memory.ints.item(at.REJECTED)
        if tries - self.tries < WATCHED:
            return False
        self.pace = (t - self.t) / (tries - self.tries)
        self.share = (refused - self.refused) / (tries - self.tries)
        self.tries, self.refused, self.t = tries, refused, t
        left = float(simulation.memory.floats[at.TARGET]) - t
        self.to_go = left / self.pace if self.pace > 0.0 else math.inf
        return self.to_go > (HOPELESS if self.is_refused else ENDLESS)


def most_error(options: SimulationOptions) -> float:
    """Return the error of the angles [rad] from which on steps count as too long."""
    return METHODS[options.method].rough


def prepare_steps(simulation: SimulationCore, span: float) -> None:
    """Set which steps are checked for their error, and how finely events are located."""
    floats, ints = simulation.memory.floats, simulation.memory.ints
    begun = ints.item(at.STEPS) > 0
    if not begun:
        ints[at.UNCHECKED] = ints[at.CHECK_INTERVAL] = 1
    finest = max(RESOLUTION * span, 1.6e-11 * max(1.0, simulation.t + span))
    floats[at.FINEST] = finest
    floats[at.LONGEST] = max(span / LEAST_WINDOWS, finest)
    if not begun:
        floats[at.WINDOW] = 4.0 * finest


def accuracy_warnings(simulation: SimulationCore) -> list[str]:
    """Return warnings about the accuracy of a run that came to its end."""
    found = []
    ints, error = simulation.memory.ints, simulation.memory.links.item(-1, at.ERROR)
    if not simulation.options.adaptive and not error <= most_error(simulation.options):
        found.append(_too_long(simulation, error))
    if ints.item(at.ALIASED):
        name = simulation.signals[int(ints[at.ALIASED]) - 1].name
        found.append(
            f"event '{name}' changes its sign faster than every "
            f"{simulation.memory.floats[at.FINEST]:.1g} s, the finest that a run of this length "
            "tells apart, and most of its changes are missed; try a shorter run or a slower event"
        )
    elif ints.item(at.SKIPPED):
        name = simulation.signals[int(ints[at.SKIPPED]) - 1].name
        found.append(
            f"event '{name}' changes its sign in bursts, of which the first may be missed; "
            f"try a max_step of {_round_down(float(simulation.memory.floats[at.WINDOW])):g} s"
        )
    return found


def _too_long(simulation: SimulationCore, error: float) -> str:
    options = simulation.options
    off = f"some {error:.1g} rad" if error < math.inf else "any amount"
    period = math.inf if simulation.controller is None else 1.0 / options.rate
    substep = float(simulation.memory.floats[at.SUBSTEP])
    longest = min(substep, max(simulation.t, 1e-300), period)  # step [s]
    excess = min(error / (0.1 * most_error(options)), 1e8) if error < math.inf else 1e8
    better = _round_down(longest * max(excess, 2.0) ** (-1.0 / METHODS[options.method].order))
    steps = f"steps of dt = {options.dt:g} s are too long"
    return f"{steps}: the angles are off by {off}; try a dt of {better:g} s"


class StiffnessWatch:
    """Check a run after some steps, and again after twice as many, until it has warned."""

    def __init__(self, n: int) -> None:
        self.warned = False
        self._due = int(WORTH / (METHODS["dop853"].work * n)) + 1  # tries of a step
        self._tries, self._t = 0, 0.0  # at the last check

    def until_check(self, simulation: SimulationCore, budget: int) -> int:
        """Return as many steps as may be taken until the next check."""
        if self.warned:
            return budget
        left = self._due - _tries(simulation)
        return budget if left >= budget else max(left, 1)

    def check(self, simulation: SimulationCore) -> None:
        """Warn of a run that is stiff, once."""
        tries = _tries(simulation)
        if self.warned or tries < self._due or not simulation.options.adaptive:
            return
        step = (simulation.t - self._t) / (tries - self._tries)
        self._due, self._tries, self._t = 2 * tries, tries, simulation.t
        work, other = METHODS["dop853"].work / max(step, 1e-300), METHODS["semi-implicit"].work
        left = work * simulation.arm.n * (float(simulation.memory.floats[at.TARGET]) - simulation.t)
        rate = 0.0
        if simulation.options.dynamics == "full" and work >= GAIN * other / simulation.options.dt:
            rate = damping_rate(simulation, at.TEXT)
        if rate * step > NEAR:
            self.warned = True
            own = damping_rate(simulation, at.STEADY)
            warn(_text(simulation, step, rate, of_joints=own * step > NEAR))
        elif left >= MUCH_WORK:
            self.warned = True
            warn(
                f"slow at t = {simulation.t:.3g} s: the motion takes steps of {step:.1g} s, which "
                f"leaves {_time_text(left)} of work; try a larger rtol, less time, or slower joints"
            )


def _tries(simulation: SimulationCore) -> int:
    ints = simulation.memory.ints
    return int(ints.item(at.STEPS) + ints.item(at.REJECTED))


def damping_rate(simulation: SimulationCore, inputs: int) -> float:
    """Return the fastest rate [1/s] at which damping slows any motion of the joints now.

    `inputs` says whether formulas take part. Functions of users, which may count their calls, are
    left alone.
    """
    from ulna.dynamics.packed import QDD
    from ulna.simulation.engine.loop import evaluate

    memory, n = simulation.memory, simulation.arm.n
    kept, evaluations = memory.ints.item(at.INPUTS), memory.ints.item(at.EVALUATIONS)
    state, stage = memory.vectors[at.STATE : at.STATE + 2], memory.vectors[at.STAGE : at.STAGE + 2]
    size = 1e-3 * max(1.0, float(np.abs(state[1, :-1]).max()))  # of a change of the rates

    def qdd(change: Any) -> Array:
        stage[:] = state
        stage[1, :-1] += change
        evaluate(simulation.size, memory, simulation.control, simulation.t)
        return memory.links[:n, QDD].copy()

    memory.ints[at.INPUTS] = kept & inputs
    # Neighbours that move against one another are what damping slows fastest.
    direction, rate = (-1.0) ** np.arange(n) / np.sqrt(n), 0.0
    with np.errstate(all="ignore"):
        here = qdd(0.0)
        for _ in range(ITERATIONS):
            change = (qdd(size * direction) - here) / size
            length = float(np.linalg.norm(change))
            rate = -float(direction @ change)
            if not 0.0 < length < np.inf:
                break
            direction = change / length
    memory.ints[at.INPUTS], memory.ints[at.EVALUATIONS] = kept, evaluations
    return rate if np.isfinite(rate) else 0.0


def _text(simulation: SimulationCore, step: float, rate: float, *, of_joints: bool) -> str:
    n, dt = simulation.arm.n, simulation.options.dt
    faster = METHODS["dop853"].work / step / (METHODS["semi-implicit"].work / dt)
    text = (
        f"stiff at t = {simulation.t:.3g} s: damping slows the fastest motion of the joints within "
        f"{1.0 / rate:.1g} s, which keeps steps of dop853 at {step:.1g} s whatever rtol allows, "
        f"some {METHODS['dop853'].work * n / step:.1g} s of work for each second; "
    )
    if of_joints:
        return f"{text}try method='semi-implicit', some {faster:.0f} times as fast at dt = {dt:g} s"
    return f"{text}try a formula with less of it, or damping of the joints and 'semi-implicit'"
