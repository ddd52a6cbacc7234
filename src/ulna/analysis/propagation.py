"""How small errors travel along a motion: a chain of maps, multiplied up without overflow.

    δẋ = A(t) δx        Φ̇ = A Φ,  Φ(0) = 1        δx(t) = Φ(t) δx(0)

Products are kept as a matrix of moderate size and the logarithm of what was divided out. Exponents
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

from ulna.analysis.error_maps import in_pieces
from ulna.arrays import Array
from ulna.control.loop_stability import balance

SAMPLE = 64  # maps that units are chosen by
RANGE = 100.0  # ln of how far products may grow or fall until they are scaled again
SQUARINGS = (3, 3)  # of a Gram matrix, until its largest eigenvalue is looked for, and again
CERTAIN = 1e-13  # in ln of an eigenvalue
LARGEST_POWER = 1000  # of two, to be divided out at once
ROUNDS = 50  # of factorisations there and back at most; one or two suffice
SPREAD = 10.0  # how far apart ln σ of a map may be for its neighbours to be multiplied first
COUPLING = 1e-12  # in ln σ: what couples blocks may change
BLOCK_SPREAD = 300.0  # how far apart ln of the diagonal of a block may be: squares are numbers
LARGEST = 1e3  # entry of N for a block to be well conditioned


class Scaled(NamedTuple):
    """Matrices (k, d, d) too large or too small for numbers: exp(log) times the mantissa."""

    mantissa: Array
    log: Array  # (k,)


def running_products(maps: Array) -> Scaled:
    """Return 1, M₁, M₂M₁, … (k+1, d, d) of maps (k, d, d)."""
    mantissa, log = np.empty((len(maps) + 1, *maps.shape[1:])), np.zeros(len(maps) + 1)
    mantissa[0] = now = np.eye(maps.shape[-1])
    range_of_one = math.log(maps.shape[-1]) + float(np.abs(np.log(_sizes(maps))).max())
    unchecked = max(1, int(RANGE / range_of_one))
    for k, matrix in enumerate(maps):
        now = np.matmul(matrix, now, out=mantissa[k + 1])
        if k % unchecked == 0:
            ((now,), (past,)) = _scaled(now[None], log[k : k + 1])
            mantissa[k + 1], log[k + 1 :] = now, past
    return Scaled(mantissa, log)


def log_norms(scaled: Scaled) -> Array:
    """Return ln of the 2-norms (k,)."""
    found = np.empty(len(scaled.log))

    def some(rows: slice) -> None:
        found[rows] = scaled.log[rows] + np.log(_norms(scaled.mantissa[rows]))

    in_pieces(some, len(found), 4 * scaled.mantissa[0].size)
    return found


def _norms(matrices: Array) -> Array:
    """Return the largest singular values (k,) of matrices (k, p, d) that are neither huge nor tiny.

    The trace of a power G^p of the Gram matrix is Σ λ^p, no less than that of the largest alone. A
    column of it turns towards the vector of that one, and its Rayleigh quotient is no more than it.
    Where the two do not meet after some squarings, the two largest are close.
    """
    wide = matrices if matrices.shape[-2] < matrices.shape[-1] else matrices.swapaxes(-1, -2)
    gram = wide @ wide.swapaxes(-1, -2)
    found, unsure = np.empty(len(gram)), np.arange(len(gram))
    power, exponent = Scaled(gram, np.zeros(len(gram))), 1
    for squarings in SQUARINGS:
        mantissa, log = _scaled(*power)
        for _ in range(squarings):
            mantissa, log = mantissa @ mantissa, 2.0 * log
        power, exponent = Scaled(mantissa, log), exponent * 2**squarings
        sure, value = _largest_eigenvalues(gram, power, exponent)
        found[unsure[sure]] = np.sqrt(value[sure])
        unsure, gram, power = unsure[~sure], gram[~sure], Scaled(*(part[~sure] for part in power))
        if not len(unsure):
            return found
    found[unsure] = np.linalg.svd(matrices[unsure], compute_uv=False)[:, 0]
    return found


def _largest_eigenvalues(gram: Array, power: Scaled, exponent: int) -> tuple[Array, Array]:
    """Return where a power of a Gram matrix tells its largest eigenvalue (k,), and that."""
    diagonal = np.einsum("kii->ki", power.mantissa)
    column = power.mantissa[np.arange(len(gram)), :, np.argmax(diagonal, axis=-1)]
    turned = (gram @ column[..., None])[..., 0]
    value = np.einsum("ki,ki->k", column, turned) / np.einsum("ki,ki->k", column, column)
    most = (power.log + np.log(diagonal.sum(axis=-1))) / exponent
    return np.abs(most - np.log(value)) <= CERTAIN, value


def log_singular_values(maps: Array, states: int | None = None) -> Array:
    """Return ln σ of the product of maps, all of it or what it does to the states among its rows.

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
    size = maps.shape[-1] if states is None else states
    units = balance(np.abs(maps[:: -(-len(maps) // SAMPLE)]).max(axis=0))
    maps, log = _grouped(maps, units)
    total = float(log.sum())
    if len(maps) == 1:
        whole = (maps[0] * (units[:, None] / units))[:size, :size]
        if _spreads(whole[None])[0] <= SPREAD:
            return total + _logs(np.linalg.svd(whole, compute_uv=False))
    chain = [np.diag(1.0 / units)[:, :size], *maps, np.diag(units)[:size]]
    return total + _chain_values(chain, size)


def _chain_values(chain: Sequence[Array], size: int) -> Array:
    """Return ln σ (size,) of a product that is no single matrix, the largest first."""
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
    """Carry a frame through maps; return it at the end, and the triangles on the way."""
    from scipy.linalg.lapack import dgeqrf, dorgqr  # NumPy takes as long again to ask for it

    size = frame.shape[-1]
    triangles, upper = np.empty((len(maps), size, size)), np.triu(np.ones((size, size)))
    for k, matrix in enumerate(maps):
        packed, reflections, *_ = dgeqrf(matrix @ frame)
        sign = np.where(np.diagonal(packed) < 0.0, -1.0, 1.0)
        np.multiply(packed[:size], upper * sign[:, None], out=triangles[k])
        frame = dorgqr(packed, reflections, overwrite_a=True)[0] * sign
    return frame, triangles


def _diagonal_and_unit(triangles: Array) -> tuple[Array, Array]:
    """Return ln D (d,) and N (d, d) of the product of triangles, the first of which acts first."""
    size = triangles.shape[-1]
    unit, before = np.eye(size), np.zeros(size)
    above = np.triu(np.ones((size, size), dtype=bool), 1)
    with np.errstate(all="ignore"):  # what is too large for a number is no block either
        logs = np.cumsum(np.log(np.einsum("kii->ki", triangles)), axis=0)
        for triangle, after in zip(triangles, logs, strict=True):
            factor = triangle * np.exp(before - after[:, None])
            factor = np.where(above & (triangle != 0.0), factor, 0.0)
            unit, before = unit + factor @ unit, after
    return before, unit


def _blocks(diagonal: Array, unit: Array) -> list[slice]:
    """Return the blocks that nothing couples to one another."""
    size = len(diagonal)
    apart = [k for k in range(1, size) if _coupling(diagonal, unit, k) <= COUPLING]
    return [slice(*pair) for pair in pairwise([0, *apart, size])]


def _coupling(diagonal: Array, unit: Array, edge: int) -> float:
    """Return by how much at most ln σ changes if the rows from an edge on are taken apart."""
    if np.isneginf(diagonal[edge:]).all() and np.isfinite(diagonal[:edge]).all():
        return 0.0  # without an inverse there is nothing to be moved
    first, across = unit[:edge, :edge], unit[:edge, edge:]
    if not (np.isfinite(first).all() and np.isfinite(across).all()):
        return math.inf
    return float(np.linalg.norm(np.linalg.solve(first, across)))


def _is_tame(diagonal: Array, unit: Array) -> bool:
    """Return whether the singular values of a block are numbers, and well conditioned."""
    if len(diagonal) == 1:
        return True
    return bool(np.ptp(diagonal) <= BLOCK_SPREAD and np.abs(unit).max() <= LARGEST)


def _block_values(diagonal: Array, unit: Array) -> Array:
    """Return ln σ of a block D N, each to full relative accuracy however small it is."""
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


def _grouped(maps: Array, units: Array) -> Scaled:
    """Multiply neighbours while that costs no digits: factorisations take their time.

    The maps are counted in units (d,). First those of a piece are multiplied with one another.
    """
    pieces: dict[int, tuple[Scaled, Array]] = {}

    def some(rows: slice) -> None:
        counted = maps[rows] * (units / units[:, None])
        scaled = _scaled(counted, np.zeros(len(counted)))
        pieces[rows.start] = _multiplied(scaled, _bounded_spreads(counted))

    in_pieces(some, len(maps), units.size**2)
    parts = [pieces[first] for first in sorted(pieces)]
    mantissa, log = (np.concatenate([scaled[k] for scaled, _ in parts]) for k in range(2))
    return _multiplied(Scaled(mantissa, log), np.concatenate([spreads for _, spreads in parts]))[0]


def _multiplied(found: Scaled, spreads: Array) -> tuple[Scaled, Array]:
    """Multiply neighbours of bounded spreads while that costs no digits; return bounds as well."""
    while len(found.log) > 1:
        even = len(found.log) // 2 * 2
        mantissa = np.concatenate([found.mantissa[1:even:2] @ found.mantissa[:even:2],
                                   found.mantissa[even:]])  # fmt: skip
        log = np.append(found.log[1:even:2] + found.log[:even:2], found.log[even:])
        after = _scaled(mantissa, log)
        # Those of a product are no farther apart than those of its factors together.
        bounds = np.append(spreads[1:even:2] + spreads[:even:2], spreads[even:])
        unsure = np.flatnonzero(~(bounds <= SPREAD))
        bounds[unsure] = _spreads(after.mantissa[unsure])
        if not (bounds <= SPREAD).all():
            return found, spreads
        found, spreads = after, bounds
    return found, spreads


def _scaled(maps: Array, log: Array) -> Scaled:
    """Divide maps by powers of two near their sizes, so that products of a few are numbers."""
    power = np.clip(np.frexp(_sizes(maps))[1], -LARGEST_POWER, LARGEST_POWER)
    return Scaled(maps * np.exp2(-power)[:, None, None], log + math.log(2.0) * power)


def _sizes(maps: Array) -> Array:
    """Return the largest entries of maps (k,); one of those that are zero."""
    size = np.abs(maps).max(axis=(-2, -1))
    return np.where(size > 0.0, size, 1.0)


def _bounded_spreads(maps: Array) -> Array:
    """Return bounds (k,) of how far apart ln σ of maps that are close to 1 are; inf of others."""
    beside = np.abs(maps - np.eye(maps.shape[-1]))
    off = np.sqrt(beside.sum(axis=-1).max(axis=-1) * beside.sum(axis=-2).max(axis=-1))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(off < 1.0, np.log((1.0 + off) / (1.0 - off)), math.inf)


def _spreads(maps: Array) -> Array:
    """Return how far apart ln σ of maps are (k,)."""
    found = np.empty(len(maps))

    def some(rows: slice) -> None:
        values = np.linalg.svd(maps[rows], compute_uv=False)
        found[rows] = np.log(values[:, 0]) - np.log(values[:, -1])

    in_pieces(some, len(maps), maps.shape[-1] ** 2)
    return found
