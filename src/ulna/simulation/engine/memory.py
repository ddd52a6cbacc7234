"""All that the compiled engine works on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ulna.arrays import Array
from ulna.control import CompiledLaw
from ulna.dynamics.packed import CONSTANTS
from ulna.simulation.engine import places as at

LOG_ROWS = 1000


class Memory(NamedTuple):
    """The engine's memory; `places` says what is where."""

    vectors: Array  # (rows, n+1) states, slopes
    links: Array  # (n+1, columns) the arm, and what acts on it
    turns: Array  # (3, n+1) how the links stand
    tableau: Array  # (17, 17) of an explicit method
    real: Array  # numbers, and longer pieces after them
    whole: Array  # counters, switches and places, and longer pieces after them


class Record(NamedTuple):
    """What is kept: samples (t, y, accelerations, torques, force) and what happened."""

    samples: Array  # (s, 4n+6)
    log: Array  # (m, 4+2n)


class Control(NamedTuple):
    """What a controller reads and writes at its ticks; the last axis is for many arms at once."""

    q: Array  # (n, 1) as measured
    qd: Array
    references: Array  # (ticks, 3, n, 1) angles, rates, accelerations
    params: Array  # (p, 1)
    state: Array  # (s, 1), and room to work in behind it
    tau: Array  # (n, 1)


class Heap:
    """Collects pieces of different lengths in one array, and says where each begins."""

    def __init__(self, room: int, kind: Any) -> None:
        self.kind = kind
        self.pieces = [np.zeros(room, dtype=kind)]
        self.length = room

    def put(self, values: Any) -> int:
        """Add a piece; gives where it begins."""
        piece = np.ravel(np.asarray(values, dtype=self.kind))
        start = self.length
        self.pieces.append(piece)
        self.length += len(piece)
        return start

    def array(self) -> Array:
        """Give the one array."""
        return np.concatenate(self.pieces)


def new_vectors(n: int) -> Array:
    """Give room for states and slopes of an arm of n links."""
    return np.zeros((at.VECTORS, n + 1))


def new_links(constants: Array) -> Array:
    """Give the table of an arm, with room to work in."""
    links = np.zeros((len(constants), at.COLUMNS))
    links[:, :CONSTANTS] = constants
    links[:, at.LAST_HIT] = -np.inf
    return links


def new_record(times: Array, n: int) -> Record:
    """Make room for samples at given times, and for a log."""
    samples = np.zeros((len(times), 4 * n + 6))
    samples[:, 0] = times
    return Record(samples, np.zeros((LOG_ROWS, at.LOG_STATE + 2 * n)))


def new_control(n: int, law: CompiledLaw | None) -> Control:
    """Make room for a controller."""
    q, qd, tau = np.zeros((3, n, 1))
    params = state = np.zeros((0, 1))
    if law is not None:
        params, state = law.params, np.concatenate([law.state, np.zeros((law.room, 1))])
    return Control(q, qd, np.zeros((0, 3, n, 1)), params, state, tau)


def carried_over(old: Memory, new: Memory) -> Memory:
    """Give the new memory with the state, the counters and the measurements of the old."""
    new.vectors[:], new.links[:] = old.vectors, old.links
    new.real[: at.REALS] = old.real[: at.REALS]
    new.whole[: at.TABLES] = old.whole[: at.TABLES]
    new.whole[at.OPEN] = 0
    # The past is the last piece of all.
    past = len(old.real) - int(old.whole[at.PAST])
    new.real[len(new.real) - past :] = old.real[len(old.real) - past :]
    return new
