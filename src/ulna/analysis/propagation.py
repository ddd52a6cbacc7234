"""How small errors travel along a motion: a chain of maps, multiplied up without overflow.

    δẋ = A(t) δx        Φ̇ = A Φ,  Φ(0) = 1        δx(t) = Φ(t) δx(0)

A step of length h from t takes A at the two Gauss points t + (1/2 ∓ √3/6) h, and is of order four:

    Ω = h/2 (A₁ + A₂) + √3/12 h² (A₂ A₁ − A₁ A₂)        Φ(t + h) = exp(Ω) Φ(t)

Products are kept as a matrix of size one and the logarithm of what was divided out. Exponents
are the logarithms of the singular values of Φ(T), by T. Far apart as these are, they are found
with QR factorisations on the way, from both ends in turn:

    M_k Q_k−1 = Q_k R_k        ln σ_i = Σ_k ln |R_k,ii|
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ulna.arrays import Array

GAUSS = np.array([0.5 - math.sqrt(3.0) / 6.0, 0.5 + math.sqrt(3.0) / 6.0])
TERMS = 13  # of the series of exp, which is exact to rounding for matrices up to size 1/2
ROUNDS = 3  # of factorisations there and back; two suffice where exponents differ
SPREAD = 20.0  # how far apart ln σ of a map may be for its neighbours to be multiplied first
SETTLED = 1e-4  # in ln σ, from one round to the next


class Scaled(NamedTuple):
    """Matrices (k, d, d) too large or too small for numbers: exp(log) times the mantissa."""

    mantissa: Array
    log: Array  # (k,)


def magnus_maps(first: Array, second: Array, step: float) -> Array:
    """Give the maps (k, d, d) over steps whose generators at the Gauss points are given."""
    middle = 0.5 * step * (first + second)
    turn = math.sqrt(3.0) / 12.0 * step**2 * (second @ first - first @ second)
    return exponential(middle + turn)


def exponential(matrices: Array) -> Array:
    """Give exp of matrices (k, d, d): its series for a fraction of them, squared up again."""
    size = float(np.max(np.sum(np.abs(matrices), axis=-2), initial=0.0))
    squarings = max(0, math.ceil(math.log2(2.0 * size))) if size > 0.0 else 0
    part, unit = matrices / 2.0**squarings, np.eye(matrices.shape[-1])
    result = np.broadcast_to(unit, matrices.shape)
    for term in range(TERMS, 0, -1):
        result = unit + part @ result / term
    for _ in range(squarings):
        result = result @ result
    return result


def running_products(maps: Array) -> Scaled:
    """Give 1, M₁, M₂M₁, … (k+1, d, d) of maps (k, d, d)."""
    mantissa, log = np.empty((len(maps) + 1, *maps.shape[1:])), np.zeros(len(maps) + 1)
    mantissa[0] = np.eye(maps.shape[-1])
    for k, matrix in enumerate(maps):
        product = matrix @ mantissa[k]
        size = float(np.abs(product).max())
        size = size if size > 0.0 else 1.0
        mantissa[k + 1], log[k + 1] = product / size, log[k] + math.log(size)
    return Scaled(mantissa, log)


def log_norms(scaled: Scaled) -> Array:
    """Give ln of the 2-norms (k,)."""
    with np.errstate(divide="ignore"):
        return scaled.log + np.log(np.linalg.norm(scaled.mantissa, 2, axis=(-2, -1)))


def log_singular_values(maps: Array) -> Array:
    """Give ln σ (d,) of the product of maps (k, d, d), the largest first."""
    maps = _grouped(maps)
    back = np.swapaxes(maps, -2, -1)[::-1]
    frame, before = np.eye(maps.shape[-1]), np.full(maps.shape[-1], np.nan)
    for _ in range(ROUNDS):
        frame, _ = _swept(back, frame)
        frame, found = _swept(maps, frame)
        if np.allclose(found, before, rtol=0.0, atol=SETTLED):
            break
        before = found
    return np.sort(found)[::-1]


def _swept(maps: Array, frame: Array) -> tuple[Array, Array]:
    """Carry a frame through maps; gives it at the end, and how its axes grew (ln)."""
    diagonals = np.empty(maps.shape[:2])
    for k, matrix in enumerate(maps):
        frame, triangle = np.linalg.qr(matrix @ frame)
        diagonals[k] = np.diagonal(triangle)
    with np.errstate(divide="ignore"):
        return frame, np.sum(np.log(np.abs(diagonals)), axis=0)


def _grouped(maps: Array) -> Array:
    """Multiply neighbours while that costs no digits: factorisations take their time."""
    while len(maps) > 1:
        pairs = maps[1::2] @ maps[: len(maps) // 2 * 2 : 2]
        pairs = np.concatenate([pairs, maps[-1:]]) if len(maps) % 2 else pairs
        if not _spread(pairs) <= SPREAD:
            break
        maps = pairs
    return maps


def _spread(maps: Array) -> float:
    """Give how far apart ln σ of any of the maps are."""
    values = np.linalg.svd(maps, compute_uv=False)
    with np.errstate(divide="ignore"):
        return float(np.max(np.log(values[:, 0]) - np.log(values[:, -1])))
