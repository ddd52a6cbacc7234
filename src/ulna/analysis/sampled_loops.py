"""One period of a loop as it is: samples, ticks and commands in their order, as linear maps.

Sensors sample at t_k − d_s for the tick t_k, or at times of their own; the controller is called
every T, and its command reaches the joint d_a later, where the torque follows it as a first-order
lag of time constant θ. Between two of these events nothing jumps, and over a time h

    | δx |         | A  B   0  |    | δx |
    | δτ |  = exp( | 0 −1/θ 1/θ| h) | δτ |        δx = (δq, δq̇),  δu the commands that have arrived
    | δu |         | 0  0   0  |    | δu |

exactly, however the delays divide the period. At the events, with Δ the time between two samples:

    sample     y = (δq, δq̇), or rates of angles: (δq − δq⁻)/Δ, and f⁺ = f + (1 − exp(−ω Δ)) (… − f)
    tick       δu = K y + L s,  s⁺ = P y + S s        y the latest sample that has arrived

What was sampled and has not arrived, and commands on their way, are states too. Where sensors have
a rate of their own, everything repeats after the least common multiple of the two periods.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ulna.arm import Arm
from ulna.arm.control_loop import DIFFERENCE, FILTERED, MEASURED, NO_LOOP, Actuators, Sensors
from ulna.arrays import Array, positive
from ulna.control.loop_stability import exponential
from ulna.errors import InputError, Problem, shown
from ulna.scenario.loops import GivenLoop, check_loop, loop_of

SAME = 1e-9  # of a control period, by which two times count as one
MOST_TICKS = 64  # after which sensors with a rate of their own and the controller meet again
MOST_STATES = 400  # of a loop

# Resolutions that round, by the arguments that they are fields of.
RESOLUTIONS = {
    "sensors": ("angle_resolution", "rate_resolution"),
    "actuators": ("torque_resolution",),
}


NO_DERIVATIVE = "0 in a linear analysis: what rounds has no derivative"


def given_loop(
    arm: Arm,
    rate: float | None,
    sensors: Sensors | None,
    actuators: Actuators | None,
    *,
    need: str = NO_DERIVATIVE,
) -> GivenLoop:
    """Return what was given of a loop, and of the rest what the arm has.

    What rounds is refused, with what is needed instead.
    """
    check_loop(sensors, actuators)
    loop = loop_of(arm, None if rate is None else positive("rate", rate, "Hz"), sensors, actuators)
    for owner, given in (("sensors", loop.sensors), ("actuators", loop.actuators)):
        for name in RESOLUTIONS[owner]:
            if np.any(getattr(given, name)):
                got = shown(getattr(given, name))
                hint = f"simulate it, or give {owner}= without {name}"
                raise InputError(Problem(f"{owner}.{name}", got, need, hint))
    return loop


def without_rounding(arm: Arm) -> Arm:
    """Return an arm whose own loop has no resolutions, the arm itself where it has none."""
    loop = arm.loop or NO_LOOP
    smooth: dict[str, Any] = {}
    for owner, names in RESOLUTIONS.items():
        part = getattr(loop, owner)
        rounded = [name for name in names if np.any(getattr(part, name, 0.0))]
        if rounded:
            smooth[owner] = replace(part, **dict.fromkeys(rounded, 0.0))
    return arm.replace(loop=replace(loop, **smooth)) if smooth else arm


class Hold(NamedTuple):
    """Time that passes without an event, commands held."""

    start: float  # [s] from the start of the period
    end: float
    ages: tuple[int, ...]  # how many ticks ago what acts on each joint was commanded


class SampleEvent(NamedTuple):
    """The sensors sample."""


class TickEvent(NamedTuple):
    """The controller is called, with a sample so many before the newest."""

    place: int


@dataclass(frozen=True)
class Schedule:
    """When a loop samples, is called and commands, over the period after which all repeats."""

    n: int  # joints
    memory: int  # numbers that the controller remembers
    period: float  # [s]
    ticks: int  # in it
    steps: tuple[Hold | SampleEvent | TickEvent, ...]
    lags: tuple[float, ...]  # [s], 0 for none
    sample_period: float  # [s]
    blend: float | None  # how far a filter of rates moves at a sample, 1 without; None: measured

    @cached_property
    def flows(self) -> tuple[Hold, ...]:
        """The intervals between events."""
        return tuple(step for step in self.steps if isinstance(step, Hold))

    @cached_property
    def lagging(self) -> tuple[int, ...]:
        """The joints whose torques lag."""
        return tuple(joint for joint, lag in enumerate(self.lags) if lag > 0.0)

    @property
    def moving(self) -> int:
        """How many states change between events: angles, rates and torques that lag."""
        return 2 * self.n + len(self.lagging)

    @cached_property
    def samples(self) -> int:
        """How many samples are kept."""
        return 1 + max(step.place for step in self.steps if isinstance(step, TickEvent))

    @cached_property
    def commands(self) -> tuple[int, ...]:
        """How many commands are kept for each joint."""
        return tuple(1 + max(ages) for ages in zip(*(f.ages for f in self.flows), strict=True))

    @property
    def first_sample(self) -> int:
        """The place of the newest sample among the states."""
        return self.moving + self.memory

    @property
    def first_command(self) -> int:
        """The place of the newest command to the first joint."""
        return self.first_sample + 2 * self.n * self.samples

    @property
    def size(self) -> int:
        """How many states there are, whether or not they are read again."""
        return self.first_command + sum(self.commands)

    def command_places(self, ages: Sequence[int]) -> list[int]:
        """Return the places of commands to all joints of given ages."""
        first = self.first_command + np.cumsum([0, *self.commands[:-1]])
        return [int(place) + age for place, age in zip(first, ages, strict=True)]

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """What the states are."""
        joints = range(1, self.n + 1)
        named = [f"q{i}" for i in joints] + [f"qd{i}" for i in joints]
        found = [*named, *(f"tau{i + 1}" for i in self.lagging)]
        found += [f"memory {k}" for k in range(1, self.memory + 1)]
        found += [f"sample {k + 1} of {name}" for k in range(self.samples) for name in named]
        for joint, kept in zip(joints, self.commands, strict=True):
            found += [f"command {k + 1} of tau{joint}" for k in range(kept)]
        return tuple(found)

    def generators(self, rows: Array) -> Array:
        """Return derivatives (…, r, d) by moving states and commands, of those by x and torques."""
        n, found = self.n, np.zeros((*rows.shape[:-1], self.moving + self.n))
        found[..., : 2 * n] = rows[..., : 2 * n]
        places = [self.moving + joint for joint in range(n)]
        for k, joint in enumerate(self.lagging):
            places[joint] = 2 * n + k
        found[..., places] = rows[..., 2 * n :]
        return found

    @cached_property
    def lag_rows(self) -> Array:
        """The rows (l, d) of the generator for torques that lag."""
        found = np.zeros((len(self.lagging), self.moving + self.n))
        for k, joint in enumerate(self.lagging):
            found[k, 2 * self.n + k] = -1.0 / self.lags[joint]
            found[k, self.moving + joint] = 1.0 / self.lags[joint]
        return found

    def compose(self, flows: Sequence[Array], gains: Array) -> Array:
        """Return the maps (…, d, d) over a period of the closed loop.

        Parameters
        ----------
        flows : sequence of (…, m, m) arrays
            What each of the flows makes of moving states and commands.
        gains : (…, n + s, 2n + s) array
            K, L over P, S.
        """
        rows, _ = self._composed(flows, gains, opened=False)
        return rows

    def opened(self, flows: Sequence[Array], gains: Array) -> tuple[Array, Array, Array, Array]:
        """Return A, B, C, D of the loop opened where commands leave the controller.

        From commands to what the controller would command, with the sign of negative feedback.
        """
        rows, answer = self._composed(flows, gains, opened=True)
        size = self.size
        return (rows[:, :size], rows[:, size:], -answer[:, :size], -answer[:, size:])

    def _composed(
        self, flows: Sequence[Array], gains: Array, *, opened: bool
    ) -> tuple[Array, Array]:
        size, n, lead = self.size, self.n, gains.shape[:-2]
        rows = np.zeros((*lead, size, size + n * opened))
        rows[..., :size] = np.eye(size)
        remaining, answer = iter(flows), np.zeros((*lead, n, rows.shape[-1]))
        for step in self.steps:
            if isinstance(step, Hold):
                self._flow(rows, step, next(remaining))
            elif isinstance(step, SampleEvent):
                self._sample(rows)
            else:
                answer = self._answer(rows, step.place, gains)
                command = np.eye(n, rows.shape[-1], size) if opened else answer
                for joint, newest in enumerate(self.command_places([0] * n)):
                    end = newest + self.commands[joint]
                    rows[..., newest + 1 : end, :] = rows[..., newest : end - 1, :].copy()
                    rows[..., newest, :] = command[..., joint, :]
        return rows, answer

    def _flow(self, rows: Array, flow: Hold, moved: Array) -> None:
        moving = self.moving
        after = moved[..., :moving, :moving] @ rows[..., :moving, :]
        after += moved[..., :moving, moving:] @ rows[..., self.command_places(flow.ages), :]
        rows[..., :moving, :] = after

    def _sample(self, rows: Array) -> None:
        n, newest, end = self.n, self.first_sample, self.first_command
        fresh = rows[..., : 2 * n, :].copy()
        if self.blend is not None:
            last, rate = (
                rows[..., newest : newest + n, :],
                rows[..., newest + n : newest + 2 * n, :],
            )
            difference = (fresh[..., :n, :] - last) / self.sample_period
            fresh[..., n:, :] = rate + self.blend * (difference - rate)
        rows[..., newest + 2 * n : end, :] = rows[..., newest : end - 2 * n, :].copy()
        rows[..., newest : newest + 2 * n, :] = fresh

    def _answer(self, rows: Array, place: int, gains: Array) -> Array:
        """Let the controller remember, and return its commands (…, n, d)."""
        n, moving = self.n, self.moving
        first = self.first_sample + 2 * n * place
        memory = slice(moving, moving + self.memory)
        known = np.concatenate([rows[..., first : first + 2 * n, :], rows[..., memory, :]], axis=-2)
        answer = gains @ known
        rows[..., memory, :] = answer[..., n:, :]
        return np.asarray(answer[..., :n, :])

    def read(self, gains: Array) -> Array:
        """Return the places of states that the loop reads again, for gains (…, n + s, 2n + s)."""
        generator = np.random.default_rng(0)
        size = self.moving + self.n
        flows = [generator.uniform(1.0, 2.0, (size, size)) for _ in self.flows]
        links = np.any(gains != 0.0, axis=tuple(range(gains.ndim - 2))).astype(float)
        rows, answer = self._composed(flows, links, opened=False)
        found = (np.concatenate([rows, answer]) != 0.0) & ~np.eye(
            self.size + self.n, self.size, dtype=bool
        )
        kept = np.ones(self.size, dtype=bool)
        while True:
            reading = np.append(kept, np.ones(self.n, dtype=bool))
            after = kept & found[reading].any(axis=0)
            after[: 2 * self.n] = True
            if (after == kept).all():
                return np.flatnonzero(kept)
            kept = after

    def beside_start(self, maps: Array, kept: Array) -> Array:
        """Return maps (…, d, d) with samples as differences from the state.

        Before the start the arm was as it is at the start, and so were samples of it: an error of
        its state is one of them as well, but none of their differences.
        """
        n, count = self.n, 2 * self.n
        turned = np.eye(len(kept))
        for row, place in enumerate(kept.tolist()):
            part = (place - self.first_sample) % count
            is_sample = self.first_sample <= place < self.first_command
            if is_sample and (part < n or self.blend is None):
                turned[row, part] = -1.0
        back = 2.0 * np.eye(len(kept)) - turned
        return np.asarray(turned @ maps @ back)


def schedule(
    n: int,
    memory: int,
    rate: float,
    sensors: Sensors,
    actuators: Actuators,
    *,
    later: Sequence[float] | None = None,
) -> Schedule:
    """Return when a loop samples, is called and commands; commands `later` (n,) [s] than they do.

    Times are counted in control periods.
    """
    ticks, spacing, first, late = _sampling(rate, sensors)
    added = np.zeros(n) if later is None else np.asarray(later)
    delays = rate * (actuators.delay + added)
    events = [float(k) for k in range(ticks)]
    samples = [first + k * spacing for k in range(round(ticks / spacing))]
    arrivals = [k + delay % 1.0 for k in range(ticks) for delay in delays]
    times = _distinct([*events, *samples, *(t for t in arrivals if t < ticks - SAME)])
    steps: list[Hold | SampleEvent | TickEvent] = []
    for start, end in zip(times, [*times[1:], float(ticks)], strict=True):
        if any(abs(start - t) <= SAME for t in samples):
            steps.append(SampleEvent())
        if abs(start - round(start)) <= SAME:
            taken = math.floor((start + (late if sensors.rate is None else 0.0)) / spacing + SAME)
            arrived = math.floor((start - (0.0 if sensors.rate is None else late)) / spacing + SAME)
            steps.append(TickEvent(taken - arrived))
        now = math.floor(start + SAME)
        ages = tuple(now - math.floor(start - delay + SAME) for delay in delays.tolist())
        steps.append(Hold(start / rate, end / rate, ages))
    made = Schedule(
        n, memory, ticks / rate, ticks, tuple(steps), tuple(actuators.layout(n)[:, 0].tolist()),
        spacing / rate, _blend(sensors, spacing / rate),
    )  # fmt: skip
    if made.size > MOST_STATES:
        late = max(made.samples, *made.commands)
        got = f"delays of {late} control periods of {1.0 / rate:g} s: {made.size} states"
        hint = "give a lower rate=, or simulate it"
        raise InputError(Problem("delay", got, f"at most {MOST_STATES}", hint))
    return made


def _sampling(rate: float, sensors: Sensors) -> tuple[int, float, float, float]:
    """Return ticks in a period, time between samples, the first, and their delay, in ticks."""
    late = rate * sensors.delay
    if sensors.rate is None:
        return 1, 1.0, math.ceil(late - SAME) - late, late
    ratio = Fraction(rate / sensors.rate).limit_denominator(MOST_TICKS)
    if ratio == 0 or abs(float(ratio) * sensors.rate / rate - 1.0) > SAME or ratio > MOST_TICKS:
        got = f"{sensors.rate:g} Hz at a control rate of {rate:g} Hz"
        need = f"a rate that meets the control rate again within {MOST_TICKS} ticks and samples"
        hint = f"try {rate:g} Hz, or a whole part or multiple of it; or simulate it"
        raise InputError(Problem("sensors.rate", got, need, hint))
    return ratio.numerator, float(ratio), 0.0, late


def _distinct(times: list[float]) -> list[float]:
    found: list[float] = []
    for t in sorted(times):
        if not found or t - found[-1] > SAME:
            found.append(t)
    return found


def _blend(sensors: Sensors, period: float) -> float | None:
    if sensors.rate_from == MEASURED:
        return None
    if sensors.rate_from == DIFFERENCE:
        return 1.0
    assert sensors.rate_from == FILTERED
    return -math.expm1(-2.0 * math.pi * float(sensors.rate_bandwidth or math.inf) * period)


class LinearLoop(NamedTuple):
    """An arm near rest and its controller, as numbers that do not depend on when they meet."""

    A: Array  # (2n, 2n) of the arm
    B: Array  # (2n, n)
    gains: Array  # (n + s, 2n + s): K, L over P, S
    rate: float  # [Hz]
    sensors: Sensors
    actuators: Actuators

    def schedule(self, later: Any = None) -> Schedule:
        """Return when things happen, with commands so much `later` (n,) [s]."""
        n = self.B.shape[1]
        memory = len(self.gains) - n
        return schedule(n, memory, self.rate, self.sensors, self.actuators, later=later)

    def opened(self, later: Any = None) -> tuple[Array, Array, Array, Array, tuple[str, ...]]:
        """Return A, B, C, D of the loop that is opened at the commands, and what its states are."""
        made = self.schedule(later)
        flows, kept = self._flows(made), made.read(self.gains)
        A, B, C, D = made.opened(flows, self.gains)
        labels = tuple(made.labels[k] for k in kept)
        return A[np.ix_(kept, kept)], B[kept], C[:, kept], D, labels

    def _flows(self, made: Schedule) -> list[Array]:
        size = made.moving + made.n
        generator = np.zeros((size, size))
        generator[: 2 * made.n] = made.generators(np.concatenate([self.A, self.B], axis=1))
        generator[2 * made.n : made.moving] = made.lag_rows
        return [exponential((flow.end - flow.start) * generator) for flow in made.flows]
