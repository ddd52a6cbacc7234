"""What a sweep has found: a labelled dataset, read chunk by chunk, and how its points ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ulna.errors import InputError, Problem, shown, size_text, warn
from ulna.progress import card
from ulna.sweep.store import STATUS, SweepMemory, read_store
from ulna.sweep.sweep_outputs import NOT_COMPUTED, OK_STATUSES, STATUSES

if TYPE_CHECKING:
    import xarray

    from ulna.simulation import BatchRun
    from ulna.sweep.sweep_spec import SweepSpec

WORDS = np.array(STATUSES)  # by the codes of points
MOST_NAMED = 10  # ranges of points in a sentence


class Estimate(NamedTuple):
    """What a sweep takes, by a few points that were timed.

    Attributes
    ----------
    points : int
        How many there are.
    finished : int
        How many of them are in the store.
    seconds : float
        What the others take [s].
    memory : float
        What the processes take beside what they have when nothing is computed [bytes].
    disk : float
        What the store takes when all is finished [bytes].
    timed : int
        How many points were timed.
    """

    points: int
    finished: int
    seconds: float
    memory: float
    disk: float
    timed: int

    def __str__(self) -> str:
        left = f", {self.finished:,} of them finished" if self.finished else ""
        return (
            f"{self.points:,} points{left}; {duration_text(self.seconds)} by {self.timed} that were"
            f" timed, {size_text(self.memory)} of memory, {size_text(self.disk)} of disk"
        )


def duration_text(seconds: float) -> str:
    """Write how long something takes.

    >>> duration_text(4.2), duration_text(600), duration_text(9000)
    ('about 4.2 s', 'about 10 min', 'about 2.5 h')
    """
    for unit, name in ((3600.0, "h"), (60.0, "min")):
        if seconds >= 2.0 * unit:
            return f"about {seconds / unit:.2g} {name}"
    return f"about {seconds:.2g} s"


class Sweep:
    """The results of a sweep, as far as they are there.

    Parameters
    ----------
    results : SweepMemory
        Where they are.
    spec : SweepSpec, optional
        What was asked for; read from the results unless given.

    Examples
    --------
    >>> import ulna
    >>> plans = {"arm": "kehl", "path": "loops()", "simulate": False, "vary": {"payload": [0, 1]}}
    >>> found = ulna.sweep({**plans, "keep": ["torque.peak"]})
    >>> found.status, found.point(1)
    ('2 done', {'payload': 1.0})
    """

    def __init__(self, results: SweepMemory, spec: SweepSpec | None = None) -> None:
        self._results, self._spec = results, spec

    @property
    def path(self) -> Path | None:
        """The folder of the results; None of results in memory."""
        return self._results.path

    @cached_property
    def spec(self) -> SweepSpec:
        """What was asked for."""
        from ulna.sweep.sweep_spec import read_spec

        return self._spec or read_spec(self._results.layout.content)

    def __len__(self) -> int:
        return self._results.layout.points

    def __repr__(self) -> str:
        where = f" in {self.path}" if self.path else ""
        return f"<Sweep of {len(self):,} points{where}: {self.status}>"

    def _repr_html_(self) -> str:
        axes = self._results.layout.axes
        return card("Sweep", [" × ".join(f"{n} {name}" for name, n in axes.items()), self.status])

    @property
    def axes(self) -> Mapping[str, int]:
        """The axes of the points, and how many values each has."""
        return self._results.layout.axes

    @property
    def finished(self) -> int:
        """How many points are computed."""
        return int(np.count_nonzero((WORDS != NOT_COMPUTED)[self._results.status]))

    @property
    def is_complete(self) -> bool:
        """Whether all points are computed."""
        return self.finished == len(self)

    @property
    def counts(self) -> dict[str, int]:
        """How many points ended in which way, the most frequent first."""
        codes, counts = np.unique(self._results.status, return_counts=True)
        pairs = zip(WORDS[codes].tolist(), counts.tolist(), strict=True)
        return dict(Counter(dict(pairs)).most_common())

    @property
    def status(self) -> str:
        """How many points ended in which way, in words."""
        return ", ".join(f"{number:,} {word}" for word, number in self.counts.items())

    @property
    def failed(self) -> tuple[int, ...]:
        """The numbers of computed points that did not run to their end."""
        return self._points_of(~np.isin(WORDS, [*OK_STATUSES, NOT_COMPUTED]))

    @property
    def not_computed(self) -> tuple[int, ...]:
        """The numbers of points that are not computed."""
        return self._points_of(WORDS == NOT_COMPUTED)

    def why(self, point: int) -> str:
        """Return how a point ended, and why if there is something to say.

        Parameters
        ----------
        point : int
            Its number.

        Returns
        -------
        str
            Words.
        """
        from ulna.sweep.compute import compute

        word = str(WORDS[self._results.status.ravel()[self._checked(point)]])
        if word in ("done", NOT_COMPUTED):
            return word
        try:
            told = compute(self.spec, [point])["message"].item()
        except InputError:  # a spec that was made in Python, and no text makes again
            told = ""
        return f"{word}: {told}" if told else word

    @cached_property
    def dataset(self) -> xarray.Dataset:
        """All outputs, labelled, with units; what is not computed is NaN.

        Numbers are read when they are asked for.
        """
        import xarray

        layout = self._results.layout
        outputs: dict[str, Any] = {}
        for one in layout.variables:
            dims, units = (*layout.axes, *one.dims), {"units": one.unit} if one.unit else {}
            outputs[one.name] = (dims, self._results.values(one), {**one.attributes, **units})
        outputs[STATUS] = (tuple(layout.axes), WORDS[self._results.status])
        coordinates = {
            one.name: (one.dims, one.values, {"units": one.unit} if one.unit else {})
            for one in layout.coordinates
        }
        return xarray.Dataset(outputs, coordinates, self._results.attributes)

    def point(self, number: int) -> dict[str, Any]:
        """Return the parameters of a point.

        Parameters
        ----------
        number : int
            Of the point, in the order of the dataset's axes, the last one fastest.

        Returns
        -------
        dict of str to float or str
            By name, in SI units.
        """
        return dict(self.spec.design.point(self._checked(number)))

    def run(self, point: int) -> BatchRun:
        """Simulate a point again, bit for bit as in the sweep, with all of its samples.

        Parameters
        ----------
        point : int
            Its number.

        Returns
        -------
        BatchRun
            A batch of one arm.
        """
        number = self._checked(point)
        return self.spec.case(number).simulate(self.spec.grid, number)

    def estimate(self, workers: int | None = None) -> Estimate:
        """Time a few points, and say what the sweep takes.

        Parameters
        ----------
        workers : int, optional
            Processes to compute in; one, with a thread for every core, unless given.

        Returns
        -------
        Estimate
            Time, memory and disk.
        """
        from ulna.sweep.execute import estimate

        return estimate(self.spec, self._results.layout, self.finished, workers)

    def _checked(self, number: Any) -> int:
        if not isinstance(number, int | np.integer) or not 0 <= number < len(self):
            need = f"a whole number from 0 to {len(self) - 1:,}"
            raise InputError(Problem("point", shown(number), need))
        return int(number)

    def _points_of(self, codes: NDArray[np.bool_]) -> tuple[int, ...]:
        return tuple(np.flatnonzero(codes[self._results.status]).tolist())


def open_sweep(store: str | Path) -> Sweep:
    """Open the results of a sweep, also of one that is not finished.

    Parameters
    ----------
    store : str or Path
        The folder that `ulna.sweep` or ``ulna sweep`` wrote.

    Returns
    -------
    Sweep
        Its results; numbers are read when they are asked for.

    Raises
    ------
    InputError
        If the folder holds no sweep.
    FileError
        If it is not there, or cannot be read.

    Examples
    --------
    >>> import ulna
    >>> ulna.open_sweep("nowhere.zarr")
    Traceback (most recent call last):
    ulna.errors.FileError: nowhere.zarr: zarr.json cannot be read: No such file or directory
    """
    found = Sweep(read_store(Path(store)))
    if not found.is_complete:
        warn(f"{store}: {not_computed_text(found)}, and NaN")
    return found


def not_computed_text(found: Sweep) -> str:
    """Name the points of a sweep that are not computed."""
    missing = np.array(found.not_computed)
    ends = np.flatnonzero(np.diff(missing) > 1)
    firsts, lasts = missing[[0, *(ends + 1)]].tolist(), missing[[*ends, -1]].tolist()
    pairs = zip(firsts[:MOST_NAMED], lasts, strict=False)
    named = [str(one) if one == other else f"{one} to {other}" for one, other in pairs]
    more = " ..." * (len(firsts) > MOST_NAMED)
    return f"{len(missing):,} of {len(found):,} points are not computed: {', '.join(named)}{more}"
