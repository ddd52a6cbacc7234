"""The kind of function that a compiled control law is."""

from __future__ import annotations

from numba import types

from ulna.kernels import Hook

_MATRIX = types.Array(types.float64, 2, "C")
_CUBE = types.Array(types.float64, 3, "C")
# law(t, q, qd, reference, params, state, tau)
LAW = Hook(types.void, types.float64, _MATRIX, _MATRIX, _CUBE, _MATRIX, _MATRIX, _MATRIX)
law_at = LAW.at
