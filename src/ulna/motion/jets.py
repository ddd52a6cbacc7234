"""Numbers that carry their derivatives: a curve written once is differentiated exactly.

A jet holds f, f' and f'' at many places at once. Sums, products, quotients and the functions below
follow the rules of calculus, so that what comes out is exact to rounding. Values may be complex,
which is how curves in the plane are written here: z = x + i y.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

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
