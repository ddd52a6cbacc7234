"""Small algebra over batches: from links to joints and back, products, solutions, a 2×2 inverse."""

from __future__ import annotations

import math
from typing import Any

from ulna.arrays import Array, tail_sum


def to_joints(xp: Any, forces: Array) -> Array:
    """Turn generalised forces of link angles into joint torques, τ = Tᵀ Q: τ_i = Q_i + … + Q_n."""
    return tail_sum(xp, forces)


def to_links(xp: Any, tau: Array) -> Array:
    """Turn joint torques into generalised forces of link angles: Q_i = τ_i − τ_{i+1}."""
    return xp.concat([tau[..., :-1] - tau[..., 1:], tau[..., -1:]], axis=-1)


def to_joint_matrix(xp: Any, matrix: Array) -> Array:
    """Return Tᵀ X T (…, n, n) of a matrix X in link angles."""
    rows = tail_sum(xp, matrix)
    return xp.matrix_transpose(tail_sum(xp, xp.matrix_transpose(rows)))


def times(xp: Any, matrix: Array, vector: Array) -> Array:
    """Return the product (…, n) of matrices (…, n, n) and vectors (…, n)."""
    return xp.matmul(matrix, vector[..., None])[..., 0]


def solve(xp: Any, matrix: Array, vector: Array) -> Array:
    """Solve matrices (…, n, n) for vectors (…, n)."""
    return xp.linalg.solve(matrix, vector[..., None])[..., 0]


def inverse_of_mobility(xp: Any, mobility: Array) -> Array:
    """Invert symmetric 2×2 matrices (…, 2, 2), the lesser eigenvalue kept off zero."""
    a, b, d = mobility[..., 0, 0], mobility[..., 0, 1], mobility[..., 1, 1]
    eps = float(xp.finfo(mobility.dtype).eps)
    middle = 0.5 * (a + d)
    # The last term keeps the root's derivative finite where the mobility is the same all round.
    spread = xp.sqrt((0.5 * (a - d)) ** 2 + b * b + (eps * middle) ** 2)
    most, least = middle + spread, middle - spread
    lift = xp.maximum(math.sqrt(eps) * most - least, xp.zeros_like(least)) / (2.0 * spread)
    # Lifts the eigenvalue in the stuck direction and leaves the other alone.
    a, b, d = a + lift * (most - a), b - lift * b, d + lift * (most - d)
    inverse = xp.stack([xp.stack([d, -b], axis=-1), xp.stack([-b, a], axis=-1)], axis=-2)
    return inverse / (a * d - b * b)[..., None, None]


def outer(rows: Array, columns: Array) -> Array:
    """Return the products (…, n, n) of every row with every column."""
    return rows[..., :, None] * columns[..., None, :]
