"""The memory of the compiled engine: of one arm, and of a bucket of arms that go in lanes together.

The first four arrays of the memory, and what controllers read and write, may hold lanes in place
of numbers: then they are many arms that move together in time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ulna.arrays import Array
from ulna.dynamics.packed import CONSTANTS
from ulna.simulation.engine import memory_layout as at

if TYPE_CHECKING:
    from ulna.control import CompiledLaw


LOG_ROWS = 1000
# Energies [J] since the start, as samples of arms with motors hold them.
ENERGY_FLOWS = ("supplied", "returned", "winding", "conversion", "gear", "teeth")
CACHE_LINE = 64  # bytes


class Memory(NamedTuple):
    """The engine's memory; `memory_layout` names its entries."""

    vectors: Array  # (rows, n+1) states and derivatives
    links: Array  # (n+1, columns) the arm, and what acts on it
    turns: Array  # (3, n+1) cosine, sine and squared rate of the links
    per_arm: Array  # what belongs to each arm: tables, numbers in formulas, measurements
    keys: Array  # (1,) the arm's stream of random numbers
    tableau: Array  # (17, 17) of an explicit method
    floats: Array  # scalars, and arrays after them
    ints: Array  # counters, switches and offsets, and arrays after them


class Record(NamedTuple):
    """What is kept: samples, with the columns that `sample_columns` names, and what happened."""

    samples: Array  # (s, 4n+6 or more)
    log: Array  # (m, 4+2n)


class ControlMemory(NamedTuple):
    """What a controller reads and writes at its ticks."""

    q: Array  # (n,) as measured
    qd: Array
    reference: Array  # (3, n) angles, rates, accelerations
    params: Array  # (p,)
    state: Array  # (s,), and scratch memory behind it
    tau: Array  # (n,)
    reference_table: Array  # (ticks, 3, n, 1) of the next ticks, or a column for each arm


class ArrayBuilder:
    """Collects arrays of different lengths in one array, and returns where each begins."""

    def __init__(self, room: int, kind: Any) -> None:
        self.kind = kind
        self.pieces = [np.zeros(room, dtype=kind)]
        self.length = room

    def put(self, values: Any) -> int:
        """Add an array; return where it begins."""
        piece = np.ravel(np.asarray(values, dtype=self.kind))
        start = self.length
        self.pieces.append(piece)
        self.length += len(piece)
        return start

    def array(self) -> Array:
        """Return the one array."""
        return np.concatenate(self.pieces)


class MemoryBuilders:
    """The builders of the arrays of a memory."""

    def __init__(self) -> None:
        self.per_arm = ArrayBuilder(0, np.float64)
        self.floats = ArrayBuilder(at.FLOATS, np.float64)
        self.ints = ArrayBuilder(at.INTS, np.int64)


def zeros_of_lanes(shape: tuple[int, ...], number: Any) -> Array:
    """Allocate zeros that begin where a line of the processor's cache does.

    Registers of lanes that reach across two lines would take an eighth more time in all.
    """
    size = math.prod(shape) * np.dtype(number).itemsize
    room = np.zeros(size + CACHE_LINE, dtype=np.uint8)
    first = -room.ctypes.data % CACHE_LINE
    return room[first : first + size].view(number).reshape(shape)


def new_vectors(n: int, *, driven: bool = False) -> Array:
    """Allocate states and derivatives of an arm of n links, and of its motors."""
    return np.zeros((at.VECTORS * (at.LAYERS if driven else 1), n + 1))


def new_links(constants: Array) -> Array:
    """Return the table of an arm, with scratch columns."""
    links = np.zeros((len(constants), at.COLUMNS))
    links[:, :CONSTANTS] = constants
    links[:-1, at.LAST_HIT] = -np.inf
    return links


@cache
def sample_columns(n: int, kept: int) -> Mapping[str, slice]:
    """Return the columns of a sample by name; `kept` says which optional ones it holds."""
    widths = {"t": 1, "q": n, "injected": 1, "qd": n, "dissipated": 1, "qdd": n, "tau": n}
    widths["tip_force"] = at.AXES
    if kept & at.KEEP_CONTROL:
        names = ("tau_commanded", "q_measured", "qd_measured", "q_ref", "qd_ref", "qdd_ref")
        widths |= dict.fromkeys(names, n)
    if kept & at.KEEP_DISTURBANCES:
        widths |= {"tau_disturbance": n, "tip_force_disturbance": at.AXES}
    if kept & at.KEEP_MOTORS:
        windings = ("current", "voltage", "temperature", "rotor_angle", "rotor_rate")
        widths |= dict.fromkeys(windings, n) | dict.fromkeys(ENERGY_FLOWS, 1)
    ends = np.cumsum(list(widths.values())).tolist()
    return {
        name: slice(end - width, end)
        for (name, width), end in zip(widths.items(), ends, strict=True)
    }


def sample_width(n: int, kept: int) -> int:
    """Return how many numbers a sample has."""
    *_, last = sample_columns(n, kept).values()
    return int(last.stop)


def new_record(times: Array, n: int, kept: int = 0, rows: int = LOG_ROWS) -> Record:
    """Allocate samples at given times, and a log of so many rows."""
    samples = np.zeros((len(times), sample_width(n, kept)))
    samples[:, 0] = times
    return Record(samples, np.zeros((rows, at.LOG_STATE + 2 * n)))


def new_control(n: int, law: CompiledLaw | None) -> ControlMemory:
    """Allocate the memory of a controller."""
    q, qd, tau = np.zeros((3, n))
    params = state = np.zeros(0)
    if law is not None:
        params, state = law.params[:, 0], np.append(law.state, np.zeros(law.scratch_rows))
    return ControlMemory(q, qd, np.zeros((3, n)), params, state, tau, np.zeros((0, 3, n, 1)))


def carried_over(old: Memory, new: Memory) -> Memory:
    """Return the new memory with the state, the counters and the measurements of the old."""
    new.vectors[:], new.links[:] = old.vectors, old.links
    new.floats[: at.FLOATS] = old.floats[: at.FLOATS]
    new.ints[: at.TABLES] = old.ints[: at.TABLES]
    for place in (at.UNCHECKED, at.CHECK_INTERVAL, at.ALIASED, at.SKIPPED):
        new.ints[place] = old.ints[place]
    new.ints[at.OPEN] = 0
    notes = at.NOTES * (old.vectors.shape[1] - 1)
    first, start = (int(one.ints[at.NOTED]) for one in (old, new))
    new.floats[start : start + notes] = old.floats[first : first + notes]
    if new.ints[at.MOTORS] and old.ints[at.MOTORS]:
        _carry_motors(old, new)
    # Samples of sensors, and commands on their way, are the last arrays of all.
    past = len(old.per_arm) - int(old.ints[at.PAST])
    new.per_arm[len(new.per_arm) - past :] = old.per_arm[len(old.per_arm) - past :]
    return new


def _carry_motors(old: Memory, new: Memory) -> None:
    """Carry over what servos were commanded, and when they read it."""
    n = old.vectors.shape[1] - 1
    for name, where, count in (
        ("per_arm", at.MOTOR_ROWS, n * at.MOTOR_COLUMNS),
        ("floats", at.LATCHES, 2 * n),
    ):
        first, start = int(old.ints[where]), int(new.ints[where])
        getattr(new, name)[start : start + count] = getattr(old, name)[first : first + count]
    # A current that a driver set is where one that a voltage sets begins.
    codes, first = int(old.ints[at.MOTOR_CODES]), int(old.ints[at.MOTOR_ROWS])
    for i in range(n):
        if old.ints[codes + i * at.CODES_OF_MOTOR + at.CURRENT_BY] < at.INTEGRATED:
            amperes = old.per_arm[first + i * at.MOTOR_COLUMNS + at.AMPERES]
            new.vectors[at.ELECTRIC + at.STATE, i] = new.vectors[at.GEARS + at.STATE, i] = amperes


class Bucket(NamedTuple):
    """Arms that share their times and the form of their inputs, so that they can go in lanes.

    A row belongs to an arm; a single row is shared by all.
    """

    members: Array  # (b,) their rows of `arms` to `keys`, and of the outcome
    arms: Array  # (1 or B, n+1, constants)
    limits: Array  # (1 or B, n) the most torque that a controller may ask for
    start: Array  # (2, B, n) angles and rates
    keys: Array  # (B,) their streams of random numbers
    per_arm: Array  # (k,) the memory of that name at the start, as it is for all
    columns: Array  # (j,) the entries of it in which arms differ
    own: Array  # (1 or b, j) what each of them has there
    params: Array  # (1 or b, p) of their controllers
    state: Array  # (1 or b, s)
    postures: Array  # (1 or b, n) set-points, or nothing
    floats: Array  # the rest of the memory at the start
    ints: Array


def layers_of(bucket: Bucket) -> int:
    """Return how many layers of rows the memory of a bucket has: more than one of motors."""
    return at.LAYERS if bucket.ints[at.MOTORS] else 1


class Outcome(NamedTuple):
    """The results of every arm; `codes` are negative until it has ended."""

    times: Array  # (S,) of the samples
    q: Array  # (B, S, n)
    qd: Array
    tau: Array  # (B, S, n), or nothing
    t_end: Array  # (B,)
    codes: Array  # (B,)
