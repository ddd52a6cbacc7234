"""Maps along a smooth motion: made at some steps of a panel, by polynomials at the others.

Over a panel of 64 or 32 steps a motion that has no corner there is a polynomial as far as sixteen
digits can tell, and so are the maps over its steps. They are made at a few steps, which lie close
to where Chebyshev would have them. Where the polynomial through these misses the motion at any
step, or the maps at two more steps, shorter panels are tried, and then all maps are made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ulna.arrays import Array
from ulna.control.loop_stability import balance

MOTION_ERROR = 1e-12  # of an angle, a rate, an acceleration, or of one where they are small
MAP_ERROR = 1e-13  # of the largest entry, in units that make rows and columns of like sizes


class InterpolationPanel(NamedTuple):
    """So many steps in a row, and how a polynomial runs through them."""

    size: int
    nodes: Array  # (m,) steps that it runs through
    tested: Array  # (2,) steps at which it is seen whether it is right
    between: Array  # (size, m) leads from values at nodes to those at all steps

    @classmethod
    def of(cls, size: int, count: int) -> InterpolationPanel:
        """Return the panel whose nodes are nearest to the points of Chebyshev and Lobatto."""
        steps, turn = np.arange(size), np.pi * np.arange(count) / (count - 1)
        nodes = np.round(0.5 * (size - 1) * (1.0 - np.cos(turn))).astype(int)
        between = np.empty((size, count))
        for k, node in enumerate(nodes):
            others = np.delete(nodes, k)
            between[:, k] = np.prod((steps[:, None] - others) / (node - others), axis=1)
        # Where it is least to be trusted, in the first half and at the beginning of the last.
        far, half = np.abs(np.prod((steps[:, None] - nodes) / size, axis=1)), size // 2
        tested = [int(np.argmax(far[: half - 2])), half]
        return cls(size, nodes, np.array(tested), between)

    def is_smooth(self, motion: Array) -> Array:
        """Return in which panels (k, size, c) of a motion the polynomial gives all of it."""
        missed = np.abs(self.between @ motion[:, self.nodes] - motion).max(axis=1, initial=0.0)
        size = np.abs(motion).max(axis=1, initial=1.0)
        return np.asarray((missed <= MOTION_ERROR * size).all(axis=-1))

    def maps(self, make: Callable[[Array], Array], steps: Array) -> tuple[Array, Array]:
        """Return maps (k, size, d, d) over the steps (k, size) of panels, and which are right."""
        made = make(steps[:, np.append(self.nodes, self.tested)].ravel())
        made = made.reshape(len(steps), -1, *made.shape[1:])
        at_nodes, exact = made[:, : len(self.nodes)], made[:, len(self.nodes) :]
        # A row of the maps at a time: products are small, for which no library wakes threads.
        found = (self.between @ at_nodes.swapaxes(1, 2)).swapaxes(1, 2)
        units = balance(np.abs(exact).max(axis=(0, 1)))
        ratio = units / units[:, None]
        missed = (np.abs(found[:, self.tested] - exact) * ratio).max(axis=(1, 2, 3))
        return found, missed <= MAP_ERROR * (np.abs(exact) * ratio).max(axis=(1, 2, 3))


PANELS = (InterpolationPanel.of(64, 14), InterpolationPanel.of(32, 12))
LONGEST = PANELS[0].size


def maps_along(make: Callable[[Array], Array], motion: Array, rows: slice) -> Array:
    """Return the maps (k, d, d) over the steps of some rows of a motion.

    Parameters
    ----------
    make : callable
        Returns the maps (m, d, d) over steps with these numbers (m,).
    motion : (steps, c) array
        All that the maps depend on.
    rows : slice
        Which steps; panels are laid from its start on.
    """
    left, known = np.arange(rows.start, rows.stop), []
    for panel in PANELS:
        # What longer panels leave over are whole ones of these, and less than one at the end.
        laid = left[: len(left) // panel.size * panel.size].reshape(-1, panel.size)
        steps = laid[panel.is_smooth(motion[laid])]
        if len(steps):
            maps, right = panel.maps(make, steps)
            known.append((steps[right].ravel(), maps[right].reshape(-1, *maps.shape[2:])))
            left = np.setdiff1d(left, known[-1][0], assume_unique=True)
    if len(left):
        known.append((left, make(left)))
    found = np.empty((rows.stop - rows.start, *known[0][1].shape[1:]))
    for which, maps in known:
        found[which - rows.start] = maps
    return found
