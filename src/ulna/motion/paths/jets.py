"""Numbers that carry their derivatives: a curve written once is differentiated exactly.

A jet holds f, f' and f'' at many places at once. Sums, products, quotients and the functions below
follow the rules of calculus, so that what comes out is exact to rounding. Values may be complex,
which is how curves in the plane are written here: z = x + i y.

The polynomial of fifth degree between two ends whose first two derivatives are known.

Cubic pieces between knots, each evaluated by the formula of the piece that is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ulna.arrays import Array

Number: TypeAlias = "Jet | complex"


@dataclass(frozen=True, eq=False)
class Jet:
    """A function's value, first and second derivative, arrays of one shape."""

    value: Array
    first: Array
    second: Array

    @classmethod
    def variable(cls, at: Array) -> Jet:
        """Return the variable itself: its derivative is one."""
        return cls(at, np.ones_like(at), np.zeros_like(at))

    def __neg__(self) -> Jet:
        return Jet(-self.value, -self.first, -self.second)

    def __add__(self, other: Number) -> Jet:
        if not isinstance(other, Jet):
            return Jet(self.value + other, self.first, self.second)
        return Jet(self.value + other.value, self.first + other.first, self.second + other.second)

    def __sub__(self, other: Number) -> Jet:
        return self + (-other)

    def __mul__(self, other: Number) -> Jet:
        if not isinstance(other, Jet):
            return Jet(self.value * other, self.first * other, self.second * other)
        return Jet(
            self.value * other.value,
            self.first * other.value + self.value * other.first,
            self.second * other.value + 2.0 * self.first * other.first + self.value * other.second,
        )

    def __truediv__(self, other: Number) -> Jet:
        if not isinstance(other, Jet):
            return self * (1.0 / other)
        value = self.value / other.value
        first = (self.first - value * other.first) / other.value
        second = (self.second - 2.0 * first * other.first - value * other.second) / other.value
        return Jet(value, first, second)

    def __radd__(self, other: complex) -> Jet:
        return self + other

    def __rsub__(self, other: complex) -> Jet:
        return -self + other

    def __rmul__(self, other: complex) -> Jet:
        return self * other

    def through(self, value: Array, first: Array, second: Array) -> Jet:
        """Return g(f) for a function g with these derivatives at f: the chain rule."""
        return Jet(value, first * self.first, second * self.first**2 + first * self.second)

    @property
    def points(self) -> Array:
        """A curve z = x + i y as value and derivatives (3, …, 2)."""
        rows = np.empty((3, *np.shape(self.value)), dtype=np.complex128)
        rows[0], rows[1], rows[2] = self.value, self.first, self.second
        # A complex number lies in memory as its two parts.
        return rows.view(np.float64).reshape(*rows.shape, 2)


def sin(x: Jet) -> Jet:
    """Return the sine."""
    value = np.sin(x.value)
    return x.through(value, np.cos(x.value), -value)


def cos(x: Jet) -> Jet:
    """Return the cosine."""
    value = np.cos(x.value)
    return x.through(value, -np.sin(x.value), -value)


def unit(angle: Array) -> Array:
    """Return e^{i angle} of plain angles, quicker than a complex exponential."""
    value = np.empty(np.shape(angle), dtype=np.complex128)
    value.real, value.imag = np.cos(angle), np.sin(angle)
    return value


def as_complex(points: Array) -> Array:
    """Return points (…, 2) as x + i y."""
    return np.ascontiguousarray(points).view(np.complex128)[..., 0]


def quintic(start: Array, end: Array, width: Array, place: Array) -> Array:
    """Return value and derivatives (3, …, d) at places from 0 to 1 of pieces that are `width` wide.

    `start` and `end` (3, …, d) are value, first and second derivative at the ends. All
    derivatives are with respect to the same variable, of which a piece covers `width` (…).
    """
    x = Jet.variable(place)
    back = 1.0 - x
    cube, other = x * x * x, back * back * back
    # Value, slope and bend at the near end; by symmetry at the far one.
    near = (other * (1.0 + 3.0 * x + 6.0 * x * x), other * x * (1.0 + 3.0 * x), 0.5 * other * x * x)
    far = (
        cube * (1.0 + 3.0 * back + 6.0 * back * back),
        -(cube * back * (1.0 + 3.0 * back)),
        0.5 * cube * back * back,
    )
    rows = np.zeros(np.broadcast_shapes(start.shape, end.shape))
    for order in range(3):
        for basis, given in ((near[order], start), (far[order], end)):
            for row, part in enumerate((basis.value, basis.first, basis.second)):
                rows[row] += (part * width ** (order - row))[..., None] * given[order]
    return rows


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
