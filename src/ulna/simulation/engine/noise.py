"""Random numbers that depend on nothing but their place: seed, source, arm, tick and channel.

A generator with a memory would give other numbers to an arm that stands elsewhere in a batch, or
is stepped by another thread. Here a number is a hash of where it is used. A source is named by
its kind and its index among its kind, so that two of them share no number, whatever their seeds.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ulna.kernels import inner
from ulna.lanes import numbers
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.memory import Memory
from ulna.sincos import sincos

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1, MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
SHIFT_30, SHIFT_27, SHIFT_31, SHIFT_11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
UNIT = 2.0**-53


@inner
def scramble(key: np.uint64) -> np.uint64:
    """Turn a key into 64 pseudo-random bits (the finaliser of SplitMix64)."""
    key = (key ^ (key >> SHIFT_30)) * MIX_1
    key = (key ^ (key >> SHIFT_27)) * MIX_2
    return key ^ (key >> SHIFT_31)


@inner
def key_of(seed: int, kind: int, index: int, arm: int, tick: int) -> np.uint64:
    """Return the key that all channels of a source have in common at a tick."""
    key = scramble(np.uint64(seed) + GOLDEN)
    key = scramble(key ^ (np.uint64(kind) + GOLDEN))
    key = scramble(key ^ (np.uint64(index) + GOLDEN))
    key = scramble(key ^ (np.uint64(arm) + GOLDEN))
    return scramble(key ^ (np.uint64(tick) + GOLDEN))


@inner
def uniform(key: np.uint64, channel: int) -> float:
    """Return a number from the open interval (0, 1)."""
    bits = scramble(key ^ (np.uint64(channel) + GOLDEN))
    return (float(bits >> SHIFT_11) + 0.5) * UNIT


@inner
def normal(key: np.uint64, channel: int) -> float:
    """Return a number from the normal distribution of mean 0 and deviation 1 (Box and Muller)."""
    radius = math.sqrt(-2.0 * math.log(uniform(key, 2 * channel)))
    _, cosine = sincos(2.0 * math.pi * uniform(key, 2 * channel + 1))
    return radius * cosine


@inner
def draw_normal(m: Memory, seed: int, kind: int, index: int, tick: int, channel: int) -> Any:
    """Draw such a number for every arm, each from its own stream."""
    drawn = numbers(m.per_arm)
    place = m.ints[at.DRAWN]
    for w in range(drawn.shape[1]):
        drawn[place, w] = normal(key_of(seed, kind, index, m.keys[w], tick), channel)
    return m.per_arm[place]
