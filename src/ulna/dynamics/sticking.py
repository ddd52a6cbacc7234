"""Joints at rest under dry friction, compiled: which of them hold, and which way the others go.

A joint at rest is held by any torque λ from LEAST to MOST: ± the static friction f_s, without a
bound where it rests at a stop that it is pressed against. The accelerations of the joints at rest
are the unique minimum of

    ½ q̈ᵀ M q̈ − q̈ᵀ (τ − h) + Σ f_s,i |q̈_i|

over them, joints that slide eliminated. Its conditions are that a joint either holds, with λ in its
range, or starts in the direction against which friction then acts in full. To find it, every joint
is taken to hold at first. Where one cannot, or one that was let go would turn back, it changes its
state, all such joints at once; as soon as that brings no fewer of them, only the first of them does
(the least-index rule, which ends for every positive definite M). To let the worst go and never look
back, one after the other, would leave joints that accelerate against their release.
"""

from __future__ import annotations

import math
from typing import Any

from ulna.arrays import Array
from ulna.dynamics.packed import (
    APPLIED,
    CARRIER,
    COULOMB,
    DIRECTION,
    DRAG,
    FRICTION,
    GEAR_BACK,
    GEAR_FORTH,
    HOLDING,
    LEAST,
    MOST,
    QDD,
    STATIC,
    STRIBECK,
    STUCK,
    TORQUE,
)
from ulna.dynamics.recursive import forward_coupled
from ulna.kernels import inlined, inner
from ulna.lanes import any_lane, numbers, select

# By how much of it a torque has to exceed static friction: a joint that is let go then accelerates
# by more than rounding errors.
EXCESS = 1e-12
MOST_CHANGES = 10_000
PATIENCE = 3  # changes of all at once that bring nothing


@inlined
def slide(size: int, links: Array, y: Array, at: int) -> None:
    """Write the FRICTION of joints that slide in their DIRECTION, at the rates y[at + 1]."""
    for i in range(size):
        rate = y[at + 1, i]
        excess = links[i, STATIC] - links[i, COULOMB]
        dry = links[i, COULOMB]
        if any_lane(excess != 0.0):
            dry = dry + excess * _bell(links, i, rate / links[i, STRIBECK])
        links[i, FRICTION] = links[i, DIRECTION] * (dry + links[i, DRAG] * rate * rate)


@inlined
def _bell(links: Array, i: int, ratio: Any) -> Any:
    """Return exp(−x²), lane by lane."""
    links[i, FRICTION] = ratio
    found = numbers(links)
    for w in range(found.shape[2]):
        found[i, FRICTION, w] = math.exp(-found[i, FRICTION, w] * found[i, FRICTION, w])
    return links[i, FRICTION]


@inlined
def _load_on_gears(size: int, links: Array) -> None:
    """Add what gears under load take to the FRICTION of joints that slide."""
    for i in range(size):
        way = links[i, DIRECTION]
        taken = select(way > 0.0, links[i, GEAR_FORTH], links[i, GEAR_BACK])
        links[i, FRICTION] += select(way == 0.0, 0.0, taken)


@inner
def forward_with_friction(
    size: int, links: Array, turns: Array, y: Array, at: int, pairs: int, geared: bool
) -> None:
    """Do as `forward_coupled` does, with the friction of joints that slide, and of gears."""
    slide(size, links, y, at)
    if geared:
        _load_on_gears(size, links)
    for i in range(size):
        links[i, APPLIED] = links[i, TORQUE]
        links[i, TORQUE] = links[i, TORQUE] - links[i, FRICTION]
    forward_coupled(size, links, turns, y, at, pairs)
    for i in range(size):
        links[i, TORQUE] = links[i, APPLIED]


@inner
def hold_by_friction(size: int, links: Array, y: Array, at: int) -> None:
    """Take joints that move to slide, and those at rest to be held by their static friction."""
    for i in range(size):
        rate, static = y[at + 1, i], links[i, STATIC]
        links[i, LEAST], links[i, MOST] = -static, static
        links[i, STUCK] = 1.0 if rate == 0.0 and static > 0.0 else 0.0
        links[i, DIRECTION] = 0.0 if rate == 0.0 else math.copysign(1.0, rate)


@inner
def hold_or_release(size: int, links: Array, turns: Array, y: Array, at: int, geared: bool) -> None:
    """Find which of the joints that are STUCK do hold; the others get a DIRECTION and are not.

    Torques, the range LEAST to MOST of joints at rest, and the directions of others are given;
    accelerations and HOLDING torques are those of the result.
    """
    fewest, patience = size + 1, PATIENCE
    for _ in range(MOST_CHANGES):
        forward_with_friction(size, links, turns, y, at, CARRIER, geared)
        wrong = 0
        for i in range(size):
            wrong += 1 if _is_wrong(links, y, at, i) else 0
        if wrong == 0:
            return
        patience = PATIENCE if wrong < fewest else patience - 1
        fewest = min(fewest, wrong)
        for i in range(size):
            if _is_wrong(links, y, at, i):
                _change(links, i)
                if patience < 0:
                    break


@inlined
def _is_wrong(links: Array, y: Array, at: int, i: int) -> bool:
    """Return whether a joint at rest is held beyond its range, or turns against its release."""
    if links[i, STUCK] != 0.0:
        return bool(hold_margin(links, i) < 0.0)
    at_rest = y[at + 1, i] == 0.0 and links[i, LEAST] != links[i, MOST]
    return bool(at_rest and links[i, QDD] * links[i, DIRECTION] < 0.0)


@inlined
def hold_margin(links: Array, i: int) -> Any:
    """Return by how much [N·m] the torque that holds a joint is within what can hold it."""
    held, more = links[i, HOLDING], 1.0 + EXCESS
    below, above = held - more * links[i, LEAST], more * links[i, MOST] - held
    return select(below < above, below, above)


@inlined
def grip(links: Array, i: int) -> Any:
    """Return how much friction, and a gear under load, hold a joint at rest: 0 if nothing does."""
    return links[i, STATIC] + links[i, GEAR_FORTH] - links[i, GEAR_BACK]


@inlined
def _change(links: Array, i: int) -> None:
    """Let a held joint go, the way that it is driven; hold one that was let go."""
    if links[i, STUCK] == 0.0:
        links[i, STUCK], links[i, DIRECTION] = 1.0, 0.0
    else:
        links[i, DIRECTION] = 1.0 if links[i, HOLDING] < links[i, LEAST] else -1.0
        links[i, STUCK] = 0.0
