"""Steps: counted before a run begins, watched while it runs, and checked when it is over.

**Counted.** The steps of dt, a controller's ticks and the draws of noise are known beforehand: more
than MOST_STEPS of any are refused, with their number and what to use instead. How many steps an
explicit method needs for stiff damping is known as well: where a joint of damping b turns an
inertia of at most I, the method is stable for steps of about 6 I / b only.

**Watched.** An adaptive run whose steps collapse is ended where what is left would take more steps
than anybody waits for. Where a good part of the steps is refused, a torque switches faster than any
step can follow (a sign() that holds the arm on its switching line), and the limit is low.

**Checked.** Of equal steps the first ones, and then one in 64, are taken once more in two halves.
What the two differ by is the error of a step; each speaks for those up to the next, and the error
of a rate for the angle that it goes on to turn the joint by. The sum estimates the error of the
angles, as long as neighbouring motions neither part (chaos) nor come together.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from ulna.arm import Arm
from ulna.arrays import Array
from ulna.errors import InputError, Problem, warn
from ulna.simulation.disturbances import Disturbance
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.options import SimulationOptions
from ulna.simulation.per_arm import PerArm

if TYPE_CHECKING:
    from ulna.simulation.simulation import Simulation

MOST_STEPS = 10**10  # of one kind in one run: an hour or so of a small arm
MANY_STEPS = 10**7  # through stiff damping, from which on a run is announced
STABLE = 6.0  # the step of dop853 in units of the time in which damping stops a joint
WORK = {"rk4": 0.15e-6, "semi-implicit": 0.08e-6, "gauss4": 0.5e-6, "dop853": 0.6e-6}  # [s] a link

WATCHED = 50_000  # tries of a step between two checks for a stall
REFUSED_SHARE = 0.1  # of them that are refused where something switches
HOPELESS, ENDLESS = 1e9, 1e13  # steps to go where something switches, and anywhere

ROUGH, ROUGH_SEMI_IMPLICIT = 1e-2, 0.3  # [rad] of error that is warned of
ORDERS = {"rk4": 4, "dop853": 8, "semi-implicit": 1, "gauss4": 4}

LEAST_WINDOWS = 256  # of a run, in each of which events are looked at eight times
RESOLUTION = 2e-7  # of a run, the shortest time in which events are told apart


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
    if _is_too_short(step, span, end):
        name = "max_step" if options.adaptive else "dt"
        problems.append(_too_short(name, step, span, end, WORK[options.method] * n))
    if controlled and span * options.rate > MOST_STEPS:
        problems.append(_too_often("rate", options.rate, span))
    for one in disturbances:
        first, last = max(one.start, start), min(one.stop, end)
        # Draws are counted from where the noise begins, which may be long ago.
        if one.rate and (last - first > 0.0) and (last - one.start) * one.rate > MOST_STEPS:
            problems.append(_too_often("noise.rate", one.rate, last - one.start))
    if problems:
        raise InputError(problems)


def _is_too_short(step: float, span: float, end: float) -> bool:
    return span > 0.0 and (span > MOST_STEPS * step or end + step == end)


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
        f"{_time_text(steps * WORK['dop853'] * arm.n)} of work"
    )
    need = "a damping that the steps can follow"
    hint = "try method='semi-implicit', which any damping suits"
    problem = Problem(f"joint {joint + 1}, damping", got, need, hint)
    if steps > MOST_STEPS:
        raise InputError(problem)
    warn(str(problem))
    return True


@PerArm
def _most_damped(arm: Arm) -> tuple[int, float]:
    """Return the joint that its damping stops fastest, and at which rate [1/s] at least."""
    rates = arm.parameters.damping / _most_inertia(arm)
    joint = int(np.argmax(rates))
    return joint, float(rates[joint])


def _most_inertia(arm: Arm) -> Array:
    """Return what every joint turns at most [kg·m²], or more: all beyond it, stretched out."""
    p = arm.parameters

    def beyond(values: Array) -> Array:
        return np.cumsum(values[::-1])[::-1]

    far = np.maximum(p.length, np.hypot(p.com, p.com_offset))
    rotors = p.rotor_inertia * np.maximum(p.gear_ratio**2, 1.0)
    inertia = beyond(p.inertia + rotors) + beyond(p.mass + p.tip_mass) * beyond(far) ** 2
    return np.asarray(inertia, dtype=float)


class StallWatch:
    """Find out whether an adaptive run makes progress."""

    def __init__(self) -> None:
        self.tries, self.refused, self.t = 0, 0, 0.0
        self.pace = self.share = 0.0  # [s] a try, and how many of them are refused
        self.to_go = 0.0  # steps

    def is_stalled(self, simulation: Simulation) -> bool:
        """Return whether what is left takes more steps than anybody waits for."""
        if not simulation.options.adaptive:
            return False
        ints, t = simulation.memory.ints, simulation.t
        refused = int(ints[at.REJECTED])
        tries = int(ints[at.STEPS]) + refused
        if tries - self.tries < WATCHED:
            return False
        self.pace = (t - self.t) / (tries - self.tries)
        self.share = (refused - self.refused) / (tries - self.tries)
        self.tries, self.refused, self.t = tries, refused, t
        left = float(simulation.memory.floats[at.TARGET]) - t
        self.to_go = left / self.pace if self.pace > 0.0 else math.inf
        limit = HOPELESS if self.share > REFUSED_SHARE else ENDLESS
        return self.to_go > limit


def most_error(options: SimulationOptions) -> float:
    """Return the error of the angles [rad] from which on steps count as too long."""
    return ROUGH_SEMI_IMPLICIT if options.method == "semi-implicit" else ROUGH


def _longest(options: SimulationOptions, span: float, *, controlled: bool) -> float:
    """Return how long the steps are at most [s]."""
    return min(options.dt, max(span, 1e-300), 1.0 / options.rate if controlled else math.inf)


def prepare_steps(simulation: Simulation, span: float) -> None:
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


def accuracy_warnings(simulation: Simulation) -> list[str]:
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


def _too_long(simulation: Simulation, error: float) -> str:
    off = f"some {error:.1g} rad" if error < math.inf else "any amount"
    better = _shorter(simulation, error)
    return f"{_steps_text(simulation)}: the angles are off by {off}; {better}"


def _steps_text(simulation: Simulation) -> str:
    return f"steps of dt = {simulation.options.dt:g} s are too long"


def _shorter(simulation: Simulation, error: float) -> str:
    options = simulation.options
    longest = _longest(options, simulation.t, controlled=simulation.controller is not None)
    excess = min(error / (0.1 * most_error(options)), 1e8) if error < math.inf else 1e8
    better = _round_down(longest * max(excess, 2.0) ** (-1.0 / ORDERS[options.method]))
    text = f"try a dt of {better:g} s"
    # A formula or function may switch, which equal steps go over and chosen ones do not.
    plain = simulation.controller is None and simulation.memory.ints[at.INPUTS] == at.STEADY
    if not plain or _is_stiff(simulation):
        return text
    return text + ", or method='dop853', which chooses its steps"


def _is_stiff(simulation: Simulation) -> bool:
    """Return whether a step of dt would be beyond what an explicit method is stable for."""
    from ulna.simulation.stiffness import damping_rate

    return damping_rate(simulation, at.STEADY) * simulation.options.dt > STABLE
