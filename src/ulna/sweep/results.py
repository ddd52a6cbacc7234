"""What a sweep has found: a labelled dataset, read chunk by chunk, and how its points ended."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ulna.errors import InputError, Problem, UlnaError, shown, size_text, warn
from ulna.progress import card
from ulna.sweep.chunks import ChunkGrid, SweepLayout, Variable, boxes
from ulna.sweep.store import ChunkRecord, SweepStore, messages_of, read_layout
from ulna.sweep.sweep_outputs import NOT_COMPUTED, OK_STATUSES, STATUSES

if TYPE_CHECKING:
    import xarray

    from ulna.simulation import BatchRun
    from ulna.sweep.sweep_spec import SweepSpec

STATUS = "status"
SET_ASIDE = "set aside"
WORDS = (*STATUSES, SET_ASIDE)  # the place of a word is its code
STATUS_VARIABLE = Variable(
    STATUS,
    dtype="|i1",
    fill=WORDS.index(NOT_COMPUTED),
    attributes={
        "flag_values": list(range(len(WORDS))),
        "flag_meanings": " ".join(word.replace(" ", "_") for word in WORDS),
    },
)
MOST_NAMED = 10  # points in a sentence


class Chunked(Protocol):
    """Where results are: a folder, or memory."""

    layout: SweepLayout
    chunks: ChunkGrid

    @property
    def records(self) -> dict[int, ChunkRecord]: ...

    def read(self, name: str, number: int) -> NDArray[Any] | None: ...


class SweepMemory:
    """Results that no file holds."""

    def __init__(self, layout: SweepLayout) -> None:
        self.layout, self.chunks = layout, layout.chunks
        self.records: dict[int, ChunkRecord] = {}
        self._data: dict[tuple[str, int], NDArray[Any]] = {}

    def read(self, name: str, number: int) -> NDArray[Any] | None:
        """Return an output of a finished chunk, in a box; None of one that is not finished."""
        return self._data.get((name, number))

    def put(self, number: int, arrays: Mapping[str, NDArray[Any]], record: ChunkRecord) -> None:
        """Keep a finished chunk."""
        extent = self.chunks.extent(number)
        for one in self.layout.variables:
            found = np.asarray(arrays[one.name], one.dtype).reshape(*extent, *one.shape)
            self._data[one.name, number] = found
        told = messages_of(self.chunks.points(number), arrays)
        self.records[number] = record._replace(messages=told)


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
    results : Chunked
        Where they are.
    path : Path, optional
        The folder that they are in; None for memory.
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

    def __init__(
        self, results: Chunked, path: Path | None = None, spec: SweepSpec | None = None
    ) -> None:
        self.path = path
        self._results, self._spec = results, spec

    @cached_property
    def spec(self) -> SweepSpec:
        """What was asked for."""
        from ulna.sweep.sweep_spec import read_spec

        return self._spec or read_spec(self._results.layout.content)

    @property
    def records(self) -> Mapping[int, ChunkRecord]:
        """What is known of every finished chunk, by its number."""
        return self._results.records

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
        """How many points are computed, or set aside."""
        chunks = self._results.chunks
        return sum(len(chunks.points(number)) for number in self._results.records)

    @property
    def is_complete(self) -> bool:
        """Whether all points are computed, or set aside."""
        return len(self._results.records) == len(self._results.chunks)

    @property
    def set_aside(self) -> tuple[int, ...]:
        """Points that could not be computed: each killed the process that tried, three times."""
        records = self._results.records.values()
        return tuple(sorted(point for record in records for point in record.set_aside))

    @property
    def counts(self) -> dict[str, int]:
        """How many points ended in which way, the most frequent first."""
        words, counts = status_words(self._results.layout), Counter[str]()
        for codes in self._codes():
            values, numbers = np.unique(codes, return_counts=True)
            for code, number in zip(values.tolist(), numbers.tolist(), strict=True):
                counts[words[code]] += number
        left = len(self) - sum(counts.values())
        if left:
            counts[NOT_COMPUTED] += left
        return dict(counts.most_common())

    @property
    def status(self) -> str:
        """How many points ended in which way, in words."""
        return ", ".join(f"{number:,} {word}" for word, number in self.counts.items())

    @property
    def failed(self) -> tuple[int, ...]:
        """The numbers of computed points that did not run to their end, and of those set aside."""
        words = status_words(self._results.layout)
        well = [code for code, word in enumerate(words) if word in OK_STATUSES]
        found: list[int] = []
        for number, codes in zip(self.records, self._codes(), strict=True):
            points = np.array(self._results.chunks.points(number))
            found += points[~np.isin(codes.ravel(), well)].tolist()
        return tuple(sorted(found))

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
        place = np.unravel_index(self._checked(point), tuple(self.axes.values()))
        word = str(self.dataset[STATUS][tuple(map(int, place))].item())
        record = self.records.get(self._results.chunks.chunk_of(point))
        told = "" if record is None else record.messages.get(str(point), "")
        return f"{word}: {told}" if told else word

    @cached_property
    def dataset(self) -> xarray.Dataset:
        """All outputs, labelled, with units; what is not computed is NaN.

        Numbers are read when they are asked for.
        """
        return _dataset(self._results, attributes(self._results))

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

    def _codes(self) -> Iterator[NDArray[Any]]:
        for number in self._results.records:
            codes = self._results.read(STATUS, number)
            assert codes is not None
            yield codes


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
        If it cannot be read.

    Examples
    --------
    >>> import ulna
    >>> ulna.open_sweep("nowhere.zarr")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ulna.errors.InputError: nowhere.zarr: store: got nothing, need a folder ...
    """
    path = Path(store)
    found = Sweep(SweepStore(path, read_layout(path)), path)
    if not found.is_complete:
        left = len(found) - found.finished
        warn(f"{path}: {left:,} of {len(found):,} points are not computed, and NaN")
    return found


def open_finished(path: Path) -> Sweep | None:
    """Return what is finished of a sweep that cannot go on; None where there is nothing."""
    try:
        return Sweep(SweepStore(path, read_layout(path)), path)
    except UlnaError:
        return None


def status_words(layout: SweepLayout) -> list[str]:
    """Return what the codes of points mean, which a store says itself."""
    found = next(one for one in layout.variables if one.name == STATUS)
    return [word.replace("_", " ") for word in found.attributes["flag_meanings"].split()]


def attributes(results: Chunked) -> dict[str, Any]:
    """Return what a dataset says of itself: the spec, and what computed it."""
    layout, told = results.layout, machines(results.records)
    found: dict[str, Any] = {
        "spec": layout.text or json.dumps(layout.content),
        "spec_hash": layout.spec_hash,
        "machines": json.dumps(told),
    }
    if len(told) > 1:
        found["mixed"] = mixed_text(told)
    if len(results.records) < len(results.chunks):
        done = sum(len(results.chunks.points(number)) for number in results.records)
        found["incomplete"] = f"{layout.points - done:,} of {layout.points:,} points not computed"
    return found


def machines(records: Mapping[int, ChunkRecord]) -> list[dict[str, Any]]:
    """Return what computed a sweep, and how many chunks of it."""
    counts = Counter(json.dumps(record.machine, sort_keys=True) for record in records.values())
    return [{**json.loads(text), "chunks": count} for text, count in sorted(counts.items())]


def named_points(points: Sequence[int]) -> str:
    """Write the numbers of points, or of the first of them where there are many."""
    return ", ".join(map(str, points[:MOST_NAMED])) + " ..." * (len(points) > MOST_NAMED)


def mixed_text(told: list[dict[str, Any]]) -> str:
    """Say in what the machines differ that computed a sweep."""
    names = [key for key in told[0] if key != "chunks" and len({str(one[key]) for one in told}) > 1]
    ways = "; ".join(
        f"{one['chunks']} chunks by " + ", ".join(f"{key} {one[key]}" for key in names)
        for one in told
    )
    return f"computed on machines that may differ in the last bit: {ways}"


def _dataset(results: Chunked, about: Mapping[str, Any]) -> xarray.Dataset:
    import xarray
    from xarray.core.indexing import LazilyIndexedArray

    layout = results.layout
    axes = tuple(layout.axes)
    outputs = {
        one.name: xarray.Variable(
            (*axes, *one.dims),
            LazilyIndexedArray(_stored_output(results, one)),
            {**one.attributes, **({"units": one.unit} if one.unit else {})},
        )
        for one in layout.variables
    }
    coordinates = {
        one.name: (one.dims, one.values, {"units": one.unit} if one.unit else {})
        for one in layout.coordinates
    }
    return xarray.Dataset(outputs, coordinates, dict(about))


def _stored_output(results: Chunked, variable: Variable) -> Any:
    """Return an output as an array that xarray reads chunk by chunk."""
    from xarray.backends import BackendArray
    from xarray.core.indexing import IndexingSupport, explicit_indexing_adapter

    is_status = variable.name == STATUS
    words = np.array(status_words(results.layout) if is_status else [""])

    class StoredOutput(BackendArray):
        shape = (*results.layout.axes.values(), *variable.shape)
        dtype = words.dtype if is_status else np.dtype(variable.dtype)

        def __getitem__(self, key: Any) -> Any:
            return explicit_indexing_adapter(key, self.shape, IndexingSupport.OUTER, self._read)

        def _read(self, key: tuple[Any, ...]) -> NDArray[Any]:
            found = read_region(results, variable, key)
            return words[found] if is_status else found

    return StoredOutput()


def read_region(results: Chunked, variable: Variable, key: tuple[Any, ...]) -> NDArray[Any]:
    """Read a part of an output: an index, a slice or indices for every axis."""
    shape = (*results.layout.axes.values(), *variable.shape)
    wanted = [np.atleast_1d(np.arange(n)[one]) for one, n in zip(key, shape, strict=True)]
    count = len(results.layout.axes)
    found = np.full([len(one) for one in wanted], variable.fill, variable.dtype)
    for number in boxes(results.chunks, wanted[:count]):
        block = results.read(variable.name, number)
        if block is None:
            continue
        steps = zip(results.chunks.place(number), results.chunks.box, wanted, strict=False)
        local = [(one - at * size, one // size == at) for at, size, one in steps]
        there = np.ix_(*(np.flatnonzero(inside) for _, inside in local))
        here = np.ix_(*(index[inside] for index, inside in local))
        further: list[Any] = list(np.ix_(*wanted[count:])) if variable.shape else []
        whole: Any = (..., *further)
        found[there] = block[here][whole]
    return found[tuple(0 if isinstance(one, int | np.integer) else slice(None) for one in key)]
