"""How small errors travel along a motion: a chain of maps, multiplied up without overflow.

    δẋ = A(t) δx        Φ̇ = A Φ,  Φ(0) = 1        δx(t) = Φ(t) δx(0)

A step of length h from t takes A at the two Gauss points t + (1/2 ∓ √3/6) h, and is of order four:

    Ω = h/2 (A₁ + A₂) + √3/12 h² (A₂ A₁ − A₁ A₂)        Φ(t + h) = exp(Ω) Φ(t)

Products are kept as a matrix of size one and the logarithm of what was divided out. Exponents
are the logarithms of the singular values of Φ(T), by T. Neighbours are multiplied first as long as
that costs no digits; where one matrix remains its singular values are taken. Where the values are
too far apart for that, QR factorisations on the way, from both ends in turn, leave triangles whose
product is a diagonal times a matrix N with ones on its diagonal:

    M_k Q_k−1 = Q_k R_k        R_K … R_1 = D N        D = ∏ diag R_k

Values far apart have N go to 1, and are the entries of D. Close ones do not, however often one
goes there and back: they stay in one block, of which Jacobi rotations find the singular values
to full relative accuracy, as D is a diagonal and N is well conditioned. Leaving out what couples
two blocks moves no singular value by more than a fraction ‖N₁₁⁻¹ N₁₂‖.

No arithmetic of sixteen digits knows more than the maps do: where errors grow by more than 10^16
only to be taken back, as in a loop of wild gains, the values are good to their order of magnitude.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ulna.arrays import Array
from ulna.control.sampled import exponential

GAUSS = np.array([0.5 - math.sqrt(3.0) / 6.0, 0.5 + math.sqrt(3.0) / 6.0])
ROUNDS = 50  # of factorisations there and back at most; one or two suffice
SPREAD = 10.0  # how far apart ln σ of a map may be for its neighbours to be multiplied first
COUPLING = 1e-12  # in ln σ: what couples blocks may change
BLOCK_SPREAD = 300.0  # how far apart ln of the diagonal of a block may be: squares are numbers
LARGEST = 1e3  # entry of N for a block to be well conditioned


class Scaled(NamedTuple):
    """Matrices (k, d, d) too large or too small for numbers: exp(log) times the mantissa."""

    mantissa: Array
    log: Array  # (k,)


def magnus_maps(first: Array, second: Array, step: float) -> Array:
    """Give the maps (k, d, d) over steps whose generators at the Gauss points are given."""
    middle = 0.5 * step * (first + second)
    turn = math.sqrt(3.0) / 12.0 * step**2 * (second @ first - first @ second)
    return exponential(middle + turn)


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


def log_singular_values(maps: Array, states: int | None = None) -> Array:
    """Give ln σ of the product of maps, all of it or what it does to the states among its rows.

    Parameters
    ----------
    maps : (k, d, d) array
        The first acts first.
    states : int, optional
        How many of the first rows and columns of the product count; all of them unless given.

    Returns
    -------
    (states,) array
        The largest first; −inf where the product has no inverse.
    """
    (maps, log), size = _grouped(maps), maps.shape[-1] if states is None else states
    if len(maps) == 1:
        return float(log.sum()) + _logs(np.linalg.svd(maps[0, :size, :size], compute_uv=False))
    return float(log.sum()) + _chain_values(maps, size)


def _chain_values(maps: Array, size: int) -> Array:
    """Give ln σ (size,) of a product that is no single matrix, the largest first."""
    chain = [maps[0][:, :size], *maps[1:-1], maps[-1][:size]]
    back, frame = [matrix.T for matrix in reversed(chain)], np.eye(size)
    for _ in range(ROUNDS):
        frame, _ = _swept(back, frame)
        frame, triangles = _swept(chain, frame)
        diagonal, unit = _diagonal_and_unit(triangles)
        blocks = _blocks(diagonal, unit)
        if all(_is_tame(diagonal[block], unit[block, block]) for block in blocks):
            found = [_block_values(diagonal[block], unit[block, block]) for block in blocks]
            return np.sort(np.concatenate(found))[::-1]
    return np.sort(diagonal)[::-1]


def _swept(maps: Sequence[Array], frame: Array) -> tuple[Array, Array]:
    """Carry a frame through maps; gives it at the end, and the triangles on the way."""
    triangles = np.empty((len(maps), *frame.shape))
    for k, matrix in enumerate(maps):
        frame, triangle = np.linalg.qr(matrix @ frame)
        sign = np.where(np.diagonal(triangle) < 0.0, -1.0, 1.0)
        frame, triangles[k] = frame * sign, triangle * sign[:, None]
    return frame, triangles


def _diagonal_and_unit(triangles: Array) -> tuple[Array, Array]:
    """Give ln D (d,) and N (d, d) of the product of triangles, the first of which acts first."""
    size = triangles.shape[-1]
    log, unit = np.zeros(size), np.eye(size)
    above = np.triu(np.ones((size, size), dtype=bool), 1)
    with np.errstate(all="ignore"):  # what is too large for a number is no block either
        for triangle in triangles:
            after = log + np.log(np.diagonal(triangle))
            factor = np.eye(size)
            ratio = np.exp(log[None, :] - after[:, None])
            factor[above] = np.where(triangle == 0.0, 0.0, triangle * ratio)[above]
            unit, log = factor @ unit, after
    return log, unit


def _blocks(diagonal: Array, unit: Array) -> list[slice]:
    """Give the blocks that nothing couples to one another."""
    size = len(diagonal)
    apart = [k for k in range(1, size) if _coupling(diagonal, unit, k) <= COUPLING]
    return [slice(*pair) for pair in pairwise([0, *apart, size])]


def _coupling(diagonal: Array, unit: Array, edge: int) -> float:
    """Give by how much at most ln σ changes if the rows from an edge on are taken apart."""
    if np.isneginf(diagonal[edge:]).all() and np.isfinite(diagonal[:edge]).all():
        return 0.0  # without an inverse there is nothing to be moved
    first, across = unit[:edge, :edge], unit[:edge, edge:]
    if not (np.isfinite(first).all() and np.isfinite(across).all()):
        return math.inf
    return float(np.linalg.norm(np.linalg.solve(first, across)))


def _is_tame(diagonal: Array, unit: Array) -> bool:
    """Say whether the singular values of a block are numbers, and well conditioned."""
    if len(diagonal) == 1:
        return True
    return bool(np.ptp(diagonal) <= BLOCK_SPREAD and np.abs(unit).max() <= LARGEST)


def _block_values(diagonal: Array, unit: Array) -> Array:
    """Give ln σ of a block D N, each to full relative accuracy however small it is."""
    if len(diagonal) == 1:
        return diagonal
    from scipy.linalg.lapack import dgejsv

    largest = float(diagonal.max())
    block = np.exp(diagonal - largest)[:, None] * unit
    # Its columns may be scaled at will without loss (joba=0), hence the transpose.
    values, *_, scales, _, info = dgejsv(block.T, joba=0, jobu=3, jobv=3, jobp=0)
    if info != 0:
        return diagonal
    return largest + _logs(values * (scales[0] / scales[1]))


def _logs(values: Array) -> Array:
    with np.errstate(divide="ignore"):
        return np.log(values)


def _grouped(maps: Array) -> Scaled:
    """Multiply neighbours while that costs no digits: factorisations take their time."""
    found = _scaled(maps, np.zeros(len(maps)))
    while len(found.log) > 1:
        last, even = found, len(found.log) // 2 * 2
        pairs = last.mantissa[1:even:2] @ last.mantissa[:even:2]
        log = last.log[1:even:2] + last.log[:even:2]
        found = _scaled(
            np.concatenate([pairs, last.mantissa[even:]]), np.append(log, last.log[even:])
        )
        if not _spread(found.mantissa) <= SPREAD:
            return last
    return found


def _scaled(maps: Array, log: Array) -> Scaled:
    """Divide maps by their size, so that no product of two is too large for numbers."""
    size = np.abs(maps).max(axis=(-2, -1))
    size = np.where(size > 0.0, size, 1.0)
    return Scaled(maps / size[:, None, None], log + np.log(size))


def _spread(maps: Array) -> float:
    """Give how far apart ln σ of any of the maps are."""
    values = np.linalg.svd(maps, compute_uv=False)
    with np.errstate(divide="ignore"):
        return float(np.max(np.log(values[:, 0]) - np.log(values[:, -1])))
