"""The controllers' laws, compiled; the kind of function that they are."""

from __future__ import annotations

from numba import types

from ulna.arrays import Array
from ulna.kernels import Hook, kernel

_MATRIX = types.Array(types.float64, 2, "C")
_CUBE = types.Array(types.float64, 3, "C")
# law(t, q, qd, reference, params, state, tau)
LAW = Hook(types.void, types.float64, _MATRIX, _MATRIX, _CUBE, _MATRIX, _MATRIX, _MATRIX)
law_at = LAW.at


@kernel
def pd_law(
    t: float, q: Array, qd: Array, reference: Array, params: Array, state: Array, tau: Array
) -> None:
    """A spring and a damper at every joint; params are all stiffnesses, then all dampings."""
    n = len(q)
    for i in range(n):
        for w in range(q.shape[1]):
            ahead, faster = reference[0, i, w] - q[i, w], reference[1, i, w] - qd[i, w]
            tau[i, w] = params[i, w] * ahead + params[n + i, w] * faster
