"""The kind of function that a compiled control law is, and how it serves one arm or many."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ulna.arrays import Array
from ulna.kernels import FLOAT, ArrayOf, Hook, inlined
from ulna.lanes import WIDTHS, lanes, squeeze, wide_lanes

MANY = WIDTHS[np.dtype(np.float64)]  # arms in a block

_MATRIX, _CUBE = ArrayOf("float64", 2), ArrayOf("float64", 3)
# law(t, q, qd, reference, params, state, tau)
LAW = Hook((FLOAT, _MATRIX, _MATRIX, _CUBE, _MATRIX, _MATRIX, _MATRIX))
call_law = LAW.call


class LawArguments(NamedTuple):
    """Arguments of a law, and where it writes: numbers for one arm, lanes for many."""

    q: Any  # (n,)
    qd: Any  # (n,)
    reference: Any  # (3, n)
    params: Any  # (p,)
    state: Any  # (s,)
    tau: Any  # (n,)


@inlined
def for_one(
    q: Array, qd: Array, reference: Array, params: Array, state: Array, tau: Array
) -> LawArguments:
    """Return what concerns the only arm."""
    return LawArguments(
        squeeze(q), squeeze(qd), squeeze(reference), squeeze(params), squeeze(state), squeeze(tau)
    )


@inlined
def for_lanes(
    q: Array, qd: Array, reference: Array, params: Array, state: Array, tau: Array
) -> LawArguments:
    """Return what concerns a block of arms in lanes."""
    return LawArguments(
        lanes(q), lanes(qd), lanes(reference), lanes(params), lanes(state), lanes(tau)
    )


@inlined
def for_wide_lanes(
    q: Array, qd: Array, reference: Array, params: Array, state: Array, tau: Array
) -> LawArguments:
    """Return what concerns a block of arms that are simulated in single precision."""
    return LawArguments(
        wide_lanes(q),
        wide_lanes(qd),
        wide_lanes(reference),
        wide_lanes(params),
        wide_lanes(state),
        wide_lanes(tau),
    )
