"""Which points a sweep computes: every combination of values, or a design of so many points.

A grid has an axis for every parameter, and its points are numbered with the last axis fastest. A
design has one axis, `point`: a random one, a Latin hypercube or a Sobol sequence, scrambled, from
`scipy.stats.qmc`. It fills the unit cube by its seed, always the same, and every coordinate u goes
to

    from + u (to − from)        exp(ln from + u (ln to − ln from))        mean + std Φ⁻¹(u)

on a linear and a logarithmic scale, and for a normal distribution.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ulna.arrays import Array
from ulna.errors import InputError, Problem

MOST_POINTS = 100_000_000  # of a grid
MOST_VALUES = 10_000_000  # of one parameter, all of which are in memory
MOST_DRAWN = 10_000_000  # points of a design, likewise
MOST_COORDINATES = 100_000_000  # numbers of a design
DESIGNS = ("grid", "random", "latin-hypercube", "sobol")
POINT = "point"  # the axis of what is no grid
EDGE = 2.0**-54  # from 0 and 1, so that a normal deviate is finite


@dataclass(frozen=True, eq=False)
class Axis:
    """A parameter of a grid, and its values.

    Attributes
    ----------
    name : str
        Of the parameter.
    values : ndarray, shape (count,), or tuple
        Numbers in SI units, or text.
    scale : {"linear", "log"} or None
        What is even from the first to the last value, as `spaced` makes them; None of a list.
    """

    name: str
    values: Any
    scale: str | None = None

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True)
class Distribution:
    """A parameter of a design, and how it is distributed.

    Attributes
    ----------
    name : str
        Of the parameter.
    low, high : float
        Between which it is, in SI units; for a normal distribution mean and standard deviation.
    scale : {"linear", "log", "normal"}
        What is even between the two.
    """

    name: str
    low: float
    high: float
    scale: str = "linear"

    def at(self, u: Array) -> Array:
        """Return values of coordinates from 0 to 1.

        Parameters
        ----------
        u : ndarray
            The coordinates.

        Returns
        -------
        ndarray
            The values, in SI units.
        """
        if self.scale == "normal":
            from scipy.special import ndtri

            return np.asarray(self.low + self.high * ndtri(np.clip(u, EDGE, 1.0 - EDGE)))
        if self.scale == "log":
            low, high = math.log(self.low), math.log(self.high)
            return np.clip(np.exp(low + u * (high - low)), self.low, self.high)
        return np.asarray(self.low + u * (self.high - self.low))


@dataclass(frozen=True, eq=False)
class Design:
    """Points of a sweep, numbered from 0.

    Attributes
    ----------
    kind : {"grid", "random", "latin-hypercube", "sobol"}
        How they are chosen.
    axes : tuple of Axis or Distribution
        What is varied.
    count : int
        How many points.
    seed : int
        Of what is random.
    """

    kind: str
    axes: tuple[Axis | Distribution, ...]
    count: int
    seed: int = 0

    def __len__(self) -> int:
        return self.count

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters."""
        return tuple(axis.name for axis in self.axes)

    @property
    def dims(self) -> tuple[str, ...]:
        """The names of the axes of results: the parameters of a grid, else "point"."""
        return self.names if self.kind == "grid" and self.axes else (POINT,)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many points there are along each of `dims`."""
        if self.dims == (POINT,):
            return (self.count,)
        return tuple(len(axis) for axis in self._grid_axes)

    @property
    def _grid_axes(self) -> tuple[Axis, ...]:
        return tuple(axis for axis in self.axes if isinstance(axis, Axis))

    def columns(self, numbers: Array) -> dict[str, Any]:
        """Return the values of some points.

        Parameters
        ----------
        numbers : ndarray of int, shape (k,)
            Of the points.

        Returns
        -------
        dict of str to ndarray, shape (k,)
            The values of each parameter, numbers in SI units or text.
        """
        numbers = np.asarray(numbers, dtype=np.int64)
        if self.kind != "grid":
            rows = self._coordinates[numbers]
            return {axis.name: spread(axis, rows[:, k]) for k, axis in enumerate(self.axes)}
        if not self.axes:
            return {}
        places = np.unravel_index(numbers, self.shape)
        pairs = zip(self._grid_axes, places, strict=True)
        return {axis.name: _chosen(axis.values, place) for axis, place in pairs}

    def point(self, number: int) -> dict[str, Any]:
        """Return the values of one point.

        Parameters
        ----------
        number : int
            Of the point.

        Returns
        -------
        dict of str to float or str
            By the parameters' names, in SI units.
        """
        if not 0 <= number < self.count:
            need = f"a point from 0 to {self.count - 1:,}"
            raise InputError(Problem("point", str(number), need))
        return {
            name: plain_value(values[0])
            for name, values in self.columns(np.array([number])).items()
        }

    @cached_property
    def _coordinates(self) -> Array:
        return unit_cube(self.kind, self.count, len(self.axes), self.seed)

    def __getstate__(self) -> dict[str, Any]:
        # What can be computed again does not travel.
        return {name: value for name, value in vars(self).items() if name != "_coordinates"}


def spread(axis: Axis | Distribution, u: Array) -> Any:
    """Return the values of a parameter at coordinates from 0 to 1."""
    if isinstance(axis, Distribution):
        return axis.at(np.ascontiguousarray(u))
    # Of a list every value has the same share.
    place = np.minimum((u * len(axis)).astype(np.int64), len(axis) - 1)
    return _chosen(axis.values, place)


def _chosen(values: Any, places: Array) -> Any:
    if isinstance(values, np.ndarray):
        return values[places]
    found = np.empty(len(places), dtype=object)
    found[:] = [values[place] for place in places]
    return found


def plain_value(value: Any) -> Any:
    """Return a value of a column as plain Python has it: a number, text or a choice."""
    return value.item() if isinstance(value, np.generic) else value


def unit_cube(kind: str, count: int, dimensions: int, seed: int) -> Array:
    """Return the points of a design in the unit cube.

    Parameters
    ----------
    kind : {"random", "latin-hypercube", "sobol"}
        How they are chosen. A Sobol sequence is even for a power of two of points.
    count : int
        How many.
    dimensions : int
        How many coordinates each has.
    seed : int
        Of what is random: which points, or how they are scrambled.

    Returns
    -------
    ndarray, shape (count, dimensions)
        From 0 to 1.

    Examples
    --------
    >>> quarters = unit_cube("sobol", 4, 1, seed=7)[:, 0] * 4
    >>> sorted(quarters.astype(int).tolist())
    [0, 1, 2, 3]
    """
    from scipy.stats import qmc

    numbers = np.random.Generator(np.random.PCG64(seed))
    if kind == "random":
        return numbers.random((count, dimensions))
    if kind == "latin-hypercube":
        return np.asarray(qmc.LatinHypercube(dimensions, seed=numbers).random(count))
    power = max(count - 1, 0).bit_length()
    sequence = qmc.Sobol(dimensions, scramble=True, seed=numbers)
    return np.asarray(sequence.random_base2(power)[:count])


def grid(axes: Sequence[Axis]) -> Design:
    """Return every combination of values.

    Parameters
    ----------
    axes : sequence of Axis
        The parameters; none for a sweep of one point.

    Returns
    -------
    Design
        Its points.

    Raises
    ------
    InputError
        If there are too many.

    Examples
    --------
    >>> masses, seeds = np.array([0.0, 0.1]), np.array([1.0, 2.0, 3.0])
    >>> made = grid([Axis("payload", masses), Axis("seed", seeds)])
    >>> len(made), made.point(4)
    (6, {'payload': 0.1, 'seed': 2.0})
    """
    count = math.prod(len(axis) for axis in axes)
    if count > MOST_POINTS:
        got = " × ".join(f"{len(axis):,}" for axis in axes) + f" = {count:,} points"
        hint = "take fewer values, or a design such as design = 'sobol' of so many points"
        raise InputError(Problem("vary", got, f"at most {MOST_POINTS:,}", hint))
    return Design("grid", tuple(axes), count)


def spaced(low: float, high: float, count: int, scale: str) -> Array:
    """Return so many values from one to another.

    Parameters
    ----------
    low, high : float
        The first value and the last.
    count : int
        How many.
    scale : {"linear", "log"}
        Whether differences or ratios are the same.

    Returns
    -------
    ndarray, shape (count,)
        The values; the ends are exact.
    """
    if scale == "linear":
        return np.linspace(low, high, count)
    values = np.exp(np.linspace(math.log(low), math.log(high), count))
    values[0], values[-1] = low, high if count > 1 else low
    return np.asarray(values)
