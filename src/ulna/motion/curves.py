"""Curves that know on which of their smooth pieces they are asked for.

At a break between two pieces a curve has two limits. A curve that is made of pieces gives either:
`curve.on(s, within)` is its value at s by the formula of the piece that `within` lies on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ulna.arrays import Array

# Returns point, first and second derivative (3, k, d) at parameters s (k,) from 0 to 1.
Curve: TypeAlias = Callable[[Array], Array]

BESIDE = 1e-12  # of the way: close enough to a break to see one side of it only


def on_pieces(curve: Curve, s: Array, within: Array) -> Array:
    """Evaluate a curve at parameters (k,), on the smooth pieces that `within` (k,) lies on."""
    on = getattr(curve, "on", None)
    if on is not None:
        return np.asarray(on(s, within))
    # A function from elsewhere says nothing of its pieces: the limit is taken from close by.
    return curve(np.clip(s + BESIDE * np.sign(within - s), 0.0, 1.0))


class Smooth:
    """A curve of one piece: the same from either side."""

    def __call__(self, s: Array) -> Array:
        """Return point and derivatives (3, k, d) at parameters (k,)."""
        raise NotImplementedError

    def on(self, s: Array, _within: Array) -> Array:
        """Return the same: there is one piece."""
        return self(s)


@dataclass(frozen=True, eq=False)
class Reversed:
    """A curve the other way round."""

    curve: Curve

    def __call__(self, s: Array) -> Array:
        """Return point and derivatives (3, k, d) at parameters (k,)."""
        return self.curve(1.0 - s) * _BACK

    def on(self, s: Array, within: Array) -> Array:
        """Return the same on the pieces that other parameters lie on."""
        return on_pieces(self.curve, 1.0 - s, 1.0 - within) * _BACK


_BACK = np.array([1.0, -1.0, 1.0])[:, None, None]
