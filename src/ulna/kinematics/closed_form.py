"""Postures in closed form: one link, two links, and any chain bent at two joints.

Lengths are (…, m) and goals (…, 2), relative to the base and inside the ring of the chain (the
caller moves them there). Results are (…, k, m) joint angles, not yet wrapped.
"""

from __future__ import annotations

import numpy as np

from ulna.kinematics.ring import Floats

SIGNS = np.array([1.0, -1.0])


def triangle(first: Floats, second: Floats, distance: Floats) -> tuple[Floats, Floats]:
    """Solve the triangle of two links and the line to the goal.

    Returns the turn of the second link against the first, in [0, π], and the angle between the
    first link and the line to the goal. With A = (l1+l2)² − r² and B = r² − (l1−l2)² the turn is
    2 atan2(√A, √B): no arccos, and exact where the arm is straight or folded.
    """
    reach, fold = first + second, first - second
    a = np.maximum((reach + distance) * (reach - distance), 0.0)
    b = np.maximum((distance + fold) * (distance - fold), 0.0)
    turn = 2.0 * np.arctan2(np.sqrt(a), np.sqrt(b))
    # From the turn itself, so that the two agree: where one link is tiny, both are ill-conditioned
    # but the direction that they give to the goal is not.
    lean = np.arctan2(second * np.sin(turn), first + second * np.cos(turn))
    return turn, lean


def one_link(length: Floats, goal: Floats) -> Floats:
    """Point the one link at the goal: (…, 1, 1)."""
    angle = np.arctan2(goal[..., 1], goal[..., 0]) + 0.0 * length[..., 0]
    return np.asarray(angle[..., None, None])


def two_links(length: Floats, goal: Floats) -> Floats:
    """Return both postures of a two-link chain, (…, 2, 2): sin q_2 ≥ 0 first, then ≤ 0."""
    first, second = length[..., 0], length[..., 1]
    x, y = goal[..., 0], goal[..., 1]
    turn, lean = triangle(first, second, np.hypot(x, y))
    bearing = np.arctan2(y, x)[..., None] - SIGNS * lean[..., None]
    return np.stack([bearing, SIGNS * turn[..., None]], axis=-1)


def two_bends(length: Floats, goal: Floats) -> Floats:
    """Return four postures (…, 4, m) of a chain that is straight but for at most two joints.

    Three straight pieces reach all that the chain reaches if the middle piece is the link at
    half the chain's length: then no other piece is longer than half. The end of the middle
    piece is put midway between the nearest and the farthest place that it can take; each of
    the two triangles has two signs.
    """
    m = length.shape[-1]
    middle, pieces = _three_pieces(length)
    first, second, third = (pieces[..., k] for k in range(3))
    x, y = goal[..., 0], goal[..., 1]
    radius = np.hypot(x, y)
    near = np.maximum(np.abs(first - second), np.abs(radius - third))
    far = np.minimum(first + second, radius + third)
    waypoint = 0.5 * (near + np.maximum(near, far))
    inner_turn, inner_lean = triangle(first, second, waypoint)
    outer_turn, outer_lean = triangle(waypoint, third, radius)
    sign_in, sign_out = np.repeat(SIGNS, 2), np.tile(SIGNS, 2)

    bearing = np.arctan2(y, x)[..., None] - sign_out * outer_lean[..., None]
    start = bearing - sign_in * inner_lean[..., None]
    bend = sign_in * inner_turn[..., None]
    last = bearing + sign_out * outer_turn[..., None]
    headings = np.stack([start, start + bend, last], axis=-1)  # absolute, of the pieces

    piece_of_link = np.sign(np.arange(m) - middle[..., None]).astype(int) + 1
    piece_of_link = np.broadcast_to(piece_of_link[..., None, :], (*headings.shape[:-1], m))
    phi = np.take_along_axis(headings, piece_of_link, axis=-1)
    return np.diff(phi, axis=-1, prepend=0.0)


def _three_pieces(length: Floats) -> tuple[np.ndarray, Floats]:
    """Return the link in which half the chain's length falls, and the lengths (…, 3) around it."""
    along = np.cumsum(length, axis=-1)
    total = along[..., -1:]
    middle = np.argmax(along >= 0.5 * total, axis=-1)[..., None]
    up_to = np.take_along_axis(along, middle, axis=-1)
    own = np.take_along_axis(length, middle, axis=-1)
    return middle[..., 0], np.concatenate([up_to - own, own, total - up_to], axis=-1)
