"""What figures, reports and tables read of a sweep: parameters, outputs, and what is missing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ulna.arrays import Array
from ulna.errors import InputError, Problem, nearest_name, shown
from ulna.simulation.batch.statuses import WELL
from ulna.sweep.store import STATUS
from ulna.viewer.web_document import evenly

if TYPE_CHECKING:
    import xarray

    from ulna.sweep.results import Sweep

TIME, SAMPLE, POINT = "time", "sample", "point"
ENDED = "t_end"  # which every sweep has, whatever was asked for
COMPONENTS = ("joint", "axis")  # what an output may have several of
MOST_TOLD = 4  # ways to fail in a sentence


class VariedParameter(NamedTuple):
    """A parameter of a sweep: its values (k,) along an axis of a grid, or at every point.

    >>> VariedParameter("payload", "kg", np.array([0.0, 0.5])).label
    'payload [kg]'
    """

    name: str
    unit: str
    values: NDArray[Any]

    @property
    def label(self) -> str:
        """The name with the unit."""
        return named(self.name, self.unit)

    @property
    def is_number(self) -> bool:
        """Whether the values are numbers."""
        return self.values.dtype.kind in "fiu"

    @property
    def texts(self) -> list[str]:
        """The values as texts."""
        return [f"{one:.6g}" if self.is_number else str(one) for one in self.values.tolist()]

    @property
    def names(self) -> list[str]:
        """The different values as texts."""
        return list(dict.fromkeys(self.texts))

    @property
    def positions(self) -> Array:
        """Where the values are on an axis: names are one apart."""
        if self.is_number:
            return np.asarray(self.values, dtype=float)
        return np.array([self.names.index(text) for text in self.texts], dtype=float)

    @property
    def is_logarithmic(self) -> bool:
        """Whether each value is so many times the one before."""
        if not self.is_number or len(self.values) < 3 or not (self.values > 0.0).all():
            return False
        steps = np.diff(np.log(np.sort(self.values)))
        return bool(np.ptp(steps) <= 1e-6 * abs(steps[0]) and steps[0] > 1e-3)

    @property
    def range_text(self) -> str:
        """The values from the first to the last, or all where they are names."""
        if not self.is_number:
            return ", ".join(self.names)
        low, high = float(np.min(self.values)), float(np.max(self.values))
        unit = f" {self.unit}" if self.unit else ""
        return f"{low:.4g}{unit}" if low == high else f"{low:.4g} to {high:.4g}{unit}"


@dataclass(frozen=True, eq=False)
class SweepContent:
    """The content of a sweep, by what it is.

    Attributes
    ----------
    dataset : xarray.Dataset
        As `Sweep.dataset` has it.
    points : int
        How many the sweep has.
    numbers : ndarray of int, shape (k,)
        Of the points that are here.
    """

    dataset: xarray.Dataset
    points: int
    numbers: Array

    @classmethod
    def of(cls, sweep: Sweep, most: int | None = None) -> SweepContent:
        """Return the content of a sweep; of more points than `most`, evenly picked ones."""
        dataset, points = sweep.dataset, len(sweep)
        dims = [str(dim) for dim in dataset[STATUS].dims]
        shape = [dataset.sizes[dim] for dim in dims]
        counts = shape.copy()
        while most is not None and int(np.prod(counts)) > most:
            longest = int(np.argmax(counts))
            counts[longest] = -(-counts[longest] // 2)
        kept = [evenly(*pair) for pair in zip(shape, counts, strict=True)]
        numbers = np.ravel_multi_index(np.meshgrid(*kept, indexing="ij"), shape).ravel()
        if counts != shape:
            dataset = dataset.isel(dict(zip(dims, kept, strict=True)))
        return cls(dataset, points, numbers)

    @property
    def dims(self) -> tuple[str, ...]:
        """The axes of the points."""
        return tuple(str(dim) for dim in self.dataset[STATUS].dims)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many points there are along each of `dims`."""
        return tuple(self.dataset[STATUS].shape)

    @cached_property
    def parameters(self) -> tuple[VariedParameter, ...]:
        """What is varied: along the axes of a grid, or of every point of a design."""
        drawn = [str(k) for k, one in self.dataset.coords.items() if one.dims == (POINT,)]
        # Where nothing is varied there is one point, whose number stands for it.
        names = self.dims if self.is_grid else [k for k in drawn if k != POINT] or [POINT]
        return tuple(
            VariedParameter(name, unit_of(self.dataset[name]), np.asarray(self.dataset[name]))
            for name in names
        )

    @property
    def is_grid(self) -> bool:
        """Whether the points are all combinations of values."""
        return self.dims != (POINT,)

    @cached_property
    def scalars(self) -> tuple[str, ...]:
        """The outputs that are one number, or one for each joint."""
        return tuple(name for name in self._outputs if not self._histories(name))

    @cached_property
    def curves(self) -> tuple[str, ...]:
        """The outputs that are functions of time."""
        return tuple(name for name in self._outputs if self._histories(name) == {TIME})

    @property
    def _outputs(self) -> list[str]:
        numbers = self.dataset.data_vars.items()
        return [str(name) for name, one in numbers if one.dtype.kind == "f" and name != ENDED]

    def _histories(self, name: str) -> set[str]:
        return {str(dim) for dim in self.dataset[name].dims} & {TIME, SAMPLE}

    def checked(self, what: Any) -> str:
        """Return the output that is asked for; the first one unless there is a name."""
        known = (*self.scalars, *self.curves)
        if what is None and known:
            return known[0]
        if what not in known:
            hint = nearest_name(what, known) if isinstance(what, str) else ""
            need = "an output of the sweep" if known else "a sweep that keeps scalars or curves"
            raise InputError(Problem("what", shown(what), need, hint))
        return str(what)

    def components(self, name: str) -> tuple[str, ...]:
        """Return what an output has several of: joints, or x and y; one empty name otherwise."""
        for dim, size in self.dataset[name].sizes.items():
            if dim == "axis":
                return ("x", "y", "angle")[:size]
            if dim in COMPONENTS:
                return tuple(f"joint {k + 1}" for k in range(size))
        return ("",)

    def values(self, name: str) -> Array:
        """Return an output (..., c), the axes of the points first, its components last."""
        one = self.dataset[name]
        order = [*self.dims, *(dim for dim in one.dims if dim not in self.dims)]
        found = np.asarray(one.transpose(*order), dtype=float)
        return found if any(dim in COMPONENTS for dim in one.dims) else found[..., None]

    def times(self, name: str) -> tuple[Array, str]:
        """Return when the samples of a curve are, and what that is called.

        Of runs that do not all take as long, they are parts of the duration.
        """
        time = self.dataset[name].coords.get(TIME)
        count = self.dataset.sizes[TIME]
        if time is None:
            return np.linspace(0.0, 1.0, count), "part of the duration"
        t = np.asarray(time, dtype=float)
        if unit_of(time) == "s":
            return t, "time [s]"
        lasts = np.unique(self._durations)
        if len(lasts) == 1:
            return t * float(lasts[0]), "time [s]"
        return t, "part of the duration"

    @property
    def _durations(self) -> Array:
        for name in ("duration", ENDED):
            if name in self.dataset:
                found = np.asarray(self.dataset[name], dtype=float).ravel()
                return found[np.isfinite(found)]
        return np.zeros(0)

    @cached_property
    def status(self) -> list[str]:
        """How each point ended, in the order of their numbers."""
        return [str(word) for word in np.asarray(self.dataset[STATUS]).ravel().tolist()]

    @property
    def missing_text(self) -> str:
        """How many points have failed or are not computed, and why; nothing where none are."""
        told = Counter(word for word in self.status if word not in WELL)
        if not told:
            return ""
        ways = [f"{count:,} {word}" for word, count in told.most_common(MOST_TOLD)]
        more = " ..." if len(told) > MOST_TOLD else ""
        return f"{told.total():,} of {len(self.status):,} points missing: {', '.join(ways)}{more}"

    def unit(self, name: str) -> str:
        """Return the unit of an output; nothing where it has none."""
        return unit_of(self.dataset[name])

    def about(self, name: str) -> str:
        """Return what an output is, where the sweep tells."""
        return str(self.dataset[name].attrs.get("long_name", ""))


def unit_of(variable: Any) -> str:
    """Return the unit of a variable of a dataset; nothing where it has none."""
    unit = str(variable.attrs.get("units", ""))
    return "" if unit == "1" else unit


def named(name: str, unit: str) -> str:
    """Return a name with its unit.

    >>> named("torque.peak", "N·m"), named("overshoot", "")
    ('torque.peak [N·m]', 'overshoot')
    """
    return f"{name} [{unit}]" if unit else name
