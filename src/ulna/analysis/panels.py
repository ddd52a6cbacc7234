"""Maps along a smooth motion: made at some steps of a panel, by polynomials at the others.

Over a panel of 32 steps a motion that has no corner there is a polynomial as far as sixteen digits
can tell, and so are the maps over its steps. They are made at twelve steps, which lie close to
where Chebyshev would have them. Where the polynomial through these misses the motion at any step,
or the maps at two more steps, those of all steps are made.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ulna.arrays import Array
from ulna.control.sampled import balance

PANEL, NODES = 32, 12
MOTION_ERROR = 1e-12  # of an angle, a rate, an acceleration, or of one where they are small
MAP_ERROR = 1e-13  # of the largest entry, in units that make rows and columns of like sizes


def _chebyshev() -> Array:
    """Give the steps of a panel that are nearest to the points of Chebyshev and Lobatto."""
    turn = np.pi * np.arange(NODES) / (NODES - 1)
    return np.round(0.5 * (PANEL - 1) * (1.0 - np.cos(turn))).astype(int)


def _lagrange(nodes: Array) -> Array:
    """Give the matrix (PANEL, NODES) that leads from values at nodes to those at all steps."""
    ratios = [
        [(np.arange(PANEL) - other) / (node - other) for other in nodes if other != node]
        for node in nodes
    ]
    return np.prod(ratios, axis=1).T


AT = _chebyshev()
BETWEEN = _lagrange(AT)
TESTED = np.array([7, 16])  # where a polynomial through the nodes is least to be trusted
MADE = np.append(AT, TESTED)


def maps_along(make: Callable[[Array], Array], motion: Array, rows: slice) -> Array:
    """Give the maps (k, d, d) over the steps of some rows of a motion.

    Parameters
    ----------
    make : callable
        Gives the maps (m, d, d) over steps with these numbers (m,).
    motion : (steps, c) array
        All that the maps depend on.
    rows : slice
        Which steps; whole panels of them from its start on, and what is left over, are looked at.
    """
    steps = np.arange(rows.start, rows.stop)
    panels = steps[: len(steps) // PANEL * PANEL].reshape(-1, PANEL)
    smooth = panels[_is_smooth(motion[panels])]
    if not len(smooth):
        return make(steps)
    made = make(smooth[:, MADE].ravel())
    made = made.reshape(len(smooth), len(MADE), *made.shape[1:])
    maps = BETWEEN @ made[:, :NODES].reshape(len(smooth), NODES, -1)
    maps = maps.reshape(len(smooth), PANEL, *made.shape[2:])
    right = _is_right(maps[:, TESTED], made[:, NODES:])
    found = np.empty((len(steps), *made.shape[2:]))
    found[smooth[right] - rows.start] = maps[right]
    left = np.setdiff1d(steps, smooth[right], assume_unique=True)
    if len(left):
        found[left - rows.start] = make(left)
    return found


def _is_smooth(motion: Array) -> Array:
    """Say of which panels (k, PANEL, c) of a motion the polynomial through the nodes gives all."""
    missed = np.abs(BETWEEN @ motion[:, AT] - motion).max(axis=1, initial=0.0)
    size = np.abs(motion).max(axis=1, initial=1.0)
    return np.asarray((missed <= MOTION_ERROR * size).all(axis=-1))


def _is_right(found: Array, exact: Array) -> Array:
    """Say in which panels maps (k, 2, d, d) are as they should be."""
    units = balance(np.abs(exact).max(axis=(0, 1)))
    ratio = units / units[:, None]
    missed = (np.abs(found - exact) * ratio).max(axis=(1, 2, 3))
    return np.asarray(missed <= MAP_ERROR * (np.abs(exact) * ratio).max(axis=(1, 2, 3)))
