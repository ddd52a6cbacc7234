"""A sampled loop near rest as a linear system: its states, gain, margins and sensitivity.

Opened where commands leave the controller, with z = exp(2πi f T) and negative feedback,

    x⁺ = A x + B v,   w = C x + D v        L(z) = C (z − A)⁻¹ B + D,   v = −w closes it

and the closed loop is stable where all eigenvalues of A − B (1 + D)⁻¹ C lie within the unit
circle. The loop of one joint, with those of all others closed, is L_i = 1/S_ii − 1 with the
sensitivity S = (1 + L)⁻¹. Its margins are what it takes for L_i to pass through −1:

    gain margin    g with g L_i = −1           phase margin    φ with exp(−iφ) L_i = −1
    delay margin   the delay of its commands   sensitivity     max |S_ii|, ‖S‖ over all f

A delay of whole ticks k is a factor z^−k. One of a part of a tick changes what is held between
ticks, and so L itself: the margin is found with the exact L of the loop with that delay in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from ulna.analysis.linearised_controllers import set_point_gains
from ulna.analysis.loop_margins import (
    Bode,
    LoopMargins,
    by_size,
    crossings,
    delay_at_limit,
    each_closed,
    largest_value,
    log_size,
)
from ulna.analysis.sampled_loops import LinearLoop, given_loop
from ulna.arm import Arm
from ulna.arm.control_loop import Actuators, Sensors
from ulna.arm.parameters import warn_motors_left_out
from ulna.arrays import Array, float_array, freeze, plain
from ulna.control import Controller
from ulna.dynamics import gravity_torque, linearise
from ulna.errors import InputError, Problem, rewording, shown
from ulna.progress import Described
from ulna.scenario.checks import check_kinds
from ulna.scenario.options import joint_values
from ulna.typing import ArrayLike, StateLike

SAFE = 1e-12  # below 1, of eigenvalues that are surely within the circle
A_DECADE = 100  # frequencies
BELOW = 0.01  # of the slowest motion, where frequencies begin
SLOWEST = 1e-9  # of the rate, that counts as a motion
AROUND = np.linspace(-6.0, 6.0, 24)  # widths of a resonance, at which it is looked at
THINNEST = 1e-4  # of its frequency, that a resonance counts as wide
REAL = 1e-6  # of a gain, that a real one may have beside
SHARP = 0.5  # damping ratio, below which there is a resonance
LARGE = 1e9  # gain, beyond which there is no telling from infinity


@dataclass(frozen=True, eq=False, repr=False)
class LoopDynamics(Described):
    """A sampled loop near rest as a linear system, opened where commands leave the controller.

    Attributes
    ----------
    arm : Arm
        The arm.
    q : ndarray, shape (n,)
        The set-point [rad].
    controller : Controller
        What closes the loop.
    rate : float
        The control rate [Hz].
    sensors : Sensors
        What it measures with.
    actuators : Actuators
        What becomes of its commands.
    A, B, C, D : ndarray, shapes (d, d), (d, n), (n, d), (n, n)
        From commands [N·m] to what the controller takes back of them, from tick to tick.
    states : tuple of str
        What the states are: angles, rates, torques that lag, what the controller remembers,
        samples and commands on their way.
    """

    arm: Arm
    q: Array
    controller: Controller
    rate: float
    sensors: Sensors
    actuators: Actuators
    A: Array
    B: Array
    C: Array
    D: Array
    states: tuple[str, ...]
    _linear: LinearLoop = field(compare=False)

    @cached_property
    def eigenvalues(self) -> Array:
        """Of the closed loop over a tick (d,), the largest first."""
        n = len(self.D)
        closed = self.A - self.B @ np.linalg.solve(np.eye(n) + self.D, self.C)
        found = np.linalg.eigvals(closed)
        found = found[np.argsort(-np.abs(found), kind="stable")]
        freeze(found)
        return found

    @property
    def stable(self) -> bool:
        """Whether errors decay."""
        return bool(abs(self.eigenvalues[0]) < 1.0 - SAFE)

    @property
    def growth_rate(self) -> float:
        """The rate [1/s] at which errors grow in the long run; negative: decay."""
        with np.errstate(divide="ignore"):
            return float(self.rate * np.log(np.abs(self.eigenvalues[0])))

    def gain(self, frequencies: ArrayLike) -> Array:
        """Return the loop gain L.

        Parameters
        ----------
        frequencies : array_like, shape (k,)
            Frequencies [Hz], half the control rate at most.

        Returns
        -------
        ndarray, shape (k, n, n)
            Complex: what comes back at joint i of a command to joint j.

        Raises
        ------
        InputError
            Frequencies that are negative or above half the control rate.
        """
        found = np.atleast_1d(float_array(frequencies, "frequencies"))
        if found.ndim != 1 or not ((found >= 0.0) & (found <= 0.5 * self.rate * (1 + SAFE))).all():
            need = f"from 0 to {0.5 * self.rate:g} Hz, half the control rate, in a row"
            raise InputError(Problem("frequencies", shown(frequencies), need))
        return self._response(found)

    @cached_property
    def _schur(self) -> tuple[Array, Array, Array]:
        from scipy.linalg import schur

        triangle, turned = schur(self.A, output="complex")
        return triangle, turned.conj().T @ self.B, self.C @ turned

    def _response(self, frequencies: Array) -> Array:
        """Return L (k, n, n), by substitution in the triangle that is similar to A."""
        triangle, inputs, outputs = self._schur
        z = np.exp((2j * math.pi / self.rate) * frequencies)
        rows = np.zeros((len(triangle), len(z), len(self.D)), dtype=complex)
        with np.errstate(all="ignore"):  # at a pole on the circle, such as at 0 Hz
            for k in range(len(triangle) - 1, -1, -1):
                behind = np.tensordot(triangle[k, k + 1 :], rows[k + 1 :], axes=1)
                rows[k] = (inputs[k] + behind) / (z - triangle[k, k])[:, None]
            return np.moveaxis(np.tensordot(outputs, rows, axes=1), 0, 1) + self.D

    def bode(self, frequencies: ArrayLike | None = None) -> Bode:
        """Return gain and phase of every joint's loop, those of the others closed.

        Parameters
        ----------
        frequencies : array_like, shape (k,), optional
            Frequencies [Hz] in rising order; unless given, as many as a picture needs.

        Returns
        -------
        Bode
            Frequencies, magnitudes and phases.

        Raises
        ------
        InputError
            Frequencies that are negative or above half the control rate.
        """
        if frequencies is None:
            at = self._grid
        else:
            self.gain(frequencies)
            at = np.atleast_1d(float_array(frequencies, "frequencies"))
        found = each_closed(self._response(at))
        phase = np.unwrap(np.angle(found), axis=0)
        phase -= 2.0 * math.pi * (phase[0] > SAFE)  # it begins as a lag
        made = Bode(at, np.abs(found), phase)
        freeze(*made[1:])
        return made

    @cached_property
    def margins(self) -> tuple[LoopMargins, ...]:
        """Of each joint, with the loops of the others closed; NaN where the loop is unstable."""
        return tuple(self._margins(joint) for joint in range(self.arm.n))

    def _margins(self, joint: int) -> LoopMargins:
        def of_joint(frequencies: Array) -> Array:
            return each_closed(self._response(frequencies))[:, joint]

        grid, values = self._grid, each_closed(self._on_grid)[:, joint]
        gains = crossings(lambda f: log_size(of_joint(f)), grid, log_size(values))
        turns = crossings(lambda f: of_joint(f).imag, grid, values.imag)
        real = of_joint(turns)
        # Where a motion without damping has a pole on the circle signs change as well.
        turns = turns[(real.real < 0.0) & (np.abs(real.imag) <= REAL * np.abs(real))]
        peak = largest_value(
            lambda f: np.abs(1.0 / (1.0 + of_joint(f))), grid, np.abs(1.0 / (1.0 + values))
        )
        found = tuple(gains.tolist()), tuple(turns.tolist()), peak
        if not self.stable:
            return LoopMargins(*(math.nan,) * 4, *found)
        # At both ends L is real: 0 Hz, and half the rate.
        ends = of_joint(np.array([0.0, 0.5 * self.rate]))
        real = np.concatenate([of_joint(turns), ends]).real
        factors = -1.0 / real[np.isfinite(real) & (real < 0.0) & (real > -LARGE)]
        phases = np.abs(np.angle(-of_joint(gains)))

        def beside(delay: float, frequency: float) -> complex:
            later = np.where(np.arange(self.arm.n) == joint, delay, 0.0)
            return complex(each_closed(self._delayed(later, frequency)[None])[0, joint])

        return LoopMargins(
            float(np.min(factors[factors > 1.0], initial=math.inf)),
            float(np.max(factors[factors < 1.0], initial=0.0)),
            float(np.min(phases, initial=math.inf)),
            self._largest_delay(gains, of_joint(gains), beside),
            *found,
        )

    @cached_property
    def delay_margin(self) -> float:
        """The delay [s] that commands or samples of all joints may have besides; inf if any."""
        if not self.stable:
            return math.nan

        def loci(frequencies: Array) -> Array:
            return by_size(np.linalg.eigvals(self._response(frequencies)))

        sizes = log_size(by_size(np.linalg.eigvals(self._on_grid)))

        def locus(k: int, frequencies: Array) -> Array:
            return log_size(loci(frequencies)[:, k])

        found = []
        for k in range(self.arm.n):
            places = crossings(partial(locus, k), self._grid, sizes[:, k])
            found.append((places, loci(places)[:, k]))

        def nearest(delay: float, frequency: float) -> complex:
            each = np.linalg.eigvals(self._delayed(np.full(self.arm.n, delay), frequency))
            return complex(each[np.argmin(np.abs(each + 1.0))])

        places, values = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return self._largest_delay(places, values, nearest)

    def _largest_delay(
        self, frequencies: Array, values: Array, exact: Callable[[float, float], complex]
    ) -> float:
        """Return the least delay [s] with which loops that have a gain of 1 somewhere are −1 there.

        By whole ticks their phases fall in proportion to the frequency, which is where the search
        for `exact`(delay, frequency) = −1 begins.
        """
        if not len(frequencies):
            return math.inf
        guesses = np.mod(math.pi + np.angle(values), 2.0 * math.pi) / (2.0 * math.pi * frequencies)
        found = [
            delay_at_limit(exact, *pair)
            for pair in zip(guesses.tolist(), frequencies.tolist(), strict=True)
        ]
        return min(found)

    def _delayed(self, later: Array, frequency: float) -> Array:
        """Return L (n, n) at a frequency, with commands later by (n,) [s]."""
        ticks = np.floor(later * self.rate + SAFE)
        A, B, C, D, _ = self._linear.opened(np.maximum(later - ticks / self.rate, 0.0))
        z = np.exp(2j * math.pi * frequency / self.rate)
        return np.asarray((C @ np.linalg.solve(z * np.eye(len(A)) - A, B) + D) * z**-ticks)

    @cached_property
    def sensitivity_peak(self) -> float:
        """The largest gain Ms of S = (1 + L)⁻¹, over all frequencies and directions."""
        unit = np.eye(self.arm.n)

        def largest(loops: Array) -> Array:
            # The largest singular value of an inverse is one by the smallest.
            return np.asarray(1.0 / np.linalg.svd(unit + loops, compute_uv=False)[:, -1])

        return largest_value(
            lambda f: largest(self._response(f)), self._grid, largest(self._on_grid)
        )

    @cached_property
    def _grid(self) -> Array:
        """Frequencies (k,) [Hz] that miss no resonance, up to half the rate."""
        poles = np.concatenate([np.linalg.eigvals(self.A), self.eigenvalues]).astype(complex)
        own = np.log(poles[poles != 0.0]) / (2.0 * math.pi) * self.rate
        sizes, last = np.abs(own), 0.5 * self.rate
        moving = sizes > SLOWEST * self.rate
        first = BELOW * float(np.min(sizes[moving], initial=last))
        count = math.ceil(A_DECADE * math.log10(last / first))
        sharp = own[moving & (own.imag > 0.0) & (np.abs(own.real) < SHARP * sizes)]
        widths = np.maximum(np.abs(sharp.real), THINNEST * sharp.imag)
        resonances = sharp.imag[:, None] + widths[:, None] * AROUND
        every = np.concatenate([
            np.geomspace(first, last, count), np.linspace(0.1 * last, last, A_DECADE),
            resonances.ravel(),
        ])  # fmt: skip
        found = np.unique(every[(every >= first) & (every <= last)])
        freeze(found)
        return found

    @cached_property
    def _on_grid(self) -> Array:
        return self._response(self._grid)

    def facts(self) -> dict[str, Any]:
        """Return what was found as plain values that JSON takes.

        Returns
        -------
        dict
            By names, in SI units, frequencies in Hz; None for what is not finite.
        """
        return plain(
            {
                "q": self.q,
                "rate_hz": self.rate,
                "states": self.states,
                "stable": self.stable,
                "growth_rate": self.growth_rate,
                "spectral_radius": abs(self.eigenvalues[0]),
                "delay_margin": self.delay_margin,
                "sensitivity_peak": self.sensitivity_peak,
                "joints": [margin._asdict() for margin in self.margins],
            }
        )

    def _lines(self) -> list[str]:
        where = ", ".join(f"{angle:.3g}" for angle in self.q)
        head = f"near q = ({where}) rad at {self.rate:g} Hz, {len(self.A)} states"
        if not self.stable:
            return [head, f"unstable: errors grow at {self.growth_rate:.3g} per second"]
        lines = [
            head,
            f"stable: errors decay at {-self.growth_rate:.3g} per second; Ms = "
            f"{self.sensitivity_peak:.3g}, {1e3 * self.delay_margin:.3g} ms of delay to spare",
        ]
        for number, one in enumerate(self.margins, start=1):
            down = f", to {one.gain_reduction:.3g}" if one.gain_reduction else ""
            lines.append(
                f"joint {number}: gain × {one.gain_margin:.3g}{down}, phase "
                f"{math.degrees(one.phase_margin):.3g}°, delay {1e3 * one.delay_margin:.3g} ms, "
                f"crossover {', '.join(f'{f:.3g}' for f in one.gain_crossovers) or 'none'} Hz"
            )
        return lines

    def _title(self) -> str:
        return f"Loop of {self.controller}"


def loop(
    arm: Arm,
    q: StateLike,
    controller: Controller,
    *,
    rate: float | None = None,
    sensors: Sensors | None = None,
    actuators: Actuators | None = None,
) -> LoopDynamics:
    """Linearise a sampled loop near rest at a set-point: A, B, C, D, gain, margins, Bode data.

    Parameters
    ----------
    arm : Arm
        The arm. What rate, sensors and actuators are not given are those of its loop.
    q : array_like, shape (n,)
        The set-point [rad], where the arm is at rest under the torques that hold it.
    controller : Controller
        What closes the loop, any object with `start` and `torque`.
    rate : float, optional
        The control rate [Hz]; 1,000 unless given here or by the arm.
    sensors : Sensors, optional
        Delay of what is measured, where rates come from, a sample rate of their own. Bias and noise
        change no gain.
    actuators : Actuators, optional
        Delay and lag of what is commanded. Small errors do not reach limits of torque and its rate.

    Returns
    -------
    LoopDynamics
        The loop, opened where commands leave the controller, and what that tells of it closed.

    Raises
    ------
    InputError
        If an argument is not one of its kind; for a joint with dry friction, which has no
        derivative at rest; for resolutions, which round; and for sensors that are slower than the
        controller.

    Notes
    -----
    Delays need not be whole control periods: what is held between ticks is integrated exactly. Of
    motors gears and rotors count; their torques are commands behind the lag of `actuators`.

    Examples
    --------
    >>> import ulna
    >>> arm = ulna.Arm.rods([1.0], [3.0], gravity=(0.0, 0.0))  # 1 kg·m² about its joint
    >>> late = ulna.Sensors(delay=0.002)
    >>> found = loop(arm, [0.0], ulna.control.PD(100.0, 20.0), rate=250.0, sensors=late)
    >>> found.stable, found.states
    (True, ('q1', 'qd1', 'sample 1 of q1', 'sample 1 of qd1'))
    >>> round(found.margins[0].gain_margin, 2), round(1e3 * found.delay_margin, 1)
    (24.62, 60.8)
    """
    check_kinds(arm, controller, sensors, ())
    if controller is None:
        raise InputError(Problem("controller", "None", "a controller, such as ulna.control.PD()"))
    warn_motors_left_out([arm], "a linear loop has their torques as commanded, late by actuators=")
    given = given_loop(arm, rate, sensors, actuators)
    if given.sensors.rate is not None and given.sensors.rate < given.rate * (1.0 - SAFE):
        got = f"{given.sensors.rate:g} Hz at a control rate of {given.rate:g} Hz"
        need = "a whole multiple of the control rate: a loop that repeats after several ticks has "
        need += "no gain at a frequency"
        hint = f"give rate={given.sensors.rate:g}, or ask analysis.stability(plan, controller)"
        raise InputError(Problem("sensors.rate", got, need, hint))
    posture = joint_values(arm.n, "q", q, "rad")
    with rewording(_with_loop_hint):
        A, B = linearise(arm, posture, np.zeros(arm.n), gravity_torque(arm, posture))
    gains = set_point_gains(arm, posture, controller, given.timing(arm.n))
    linear = LinearLoop(np.asarray(A), np.asarray(B), gains, *given)
    A, B, C, D, states = linear.opened()
    freeze(posture, A, B, C, D)
    return LoopDynamics(arm, posture, controller, *given, A, B, C, D, states, linear)


def _with_loop_hint(problem: Problem) -> Problem:
    hint = "judge the smooth part of the arm: analysis.loop(arm.without_friction(), ...)"
    return replace(problem, hint=hint)
