"""Cubic pieces between knots, each evaluated by the formula of the piece that is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ulna.arrays import Array


@dataclass(frozen=True, eq=False)
class Cubics:
    """Polynomials of third degree (k,) between knots (k+1,), in powers of the way from a knot."""

    knots: Array  # (k+1,)
    powers: Array  # (4, k, …), the highest first

    @classmethod
    def of(cls, interpolant: Any) -> Cubics:
        """Return the pieces of one of SciPy's interpolants."""
        return cls(np.asarray(interpolant.x), np.asarray(interpolant.c))

    def __call__(self, s: Array) -> Array:
        """Return value and two derivatives (3, k, …) at parameters (k,)."""
        return self.on(s, s)

    def on(self, s: Array, within: Array) -> Array:
        """Return the same by the formula of the piece that other parameters (k,) lie on."""
        which = np.searchsorted(self.knots, within, "right") - 1
        which = np.clip(which, 0, self.powers.shape[1] - 1)
        a, b, c, d = self.powers[:, which]
        h = (s - self.knots[which]).reshape(-1, *(1,) * (d.ndim - 1))
        return np.stack(
            [((a * h + b) * h + c) * h + d, (3.0 * a * h + 2.0 * b) * h + c, 6.0 * a * h + 2.0 * b]
        )
