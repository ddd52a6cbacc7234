"""Arrays that stay in a file: what is asked of them is read, and nothing else."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ulna.errors import FileError, shown
from ulna.simulation.files import reading
from ulna.simulation.outcome import Floats
from ulna.simulation.run import read_only

Rows: TypeAlias = range | NDArray[np.intp]


class BatchSource:
    """An open file, with its arrays and its attributes.

    It is closed by `close`, or with the last array that belongs to it. A copy is opened anew by
    `opener`, which takes the path. Where the pieces of arrays carry digests, `check` takes the name
    of an array and the first indices of pieces, and raises where one is not as it was written;
    it is asked once for each. Without digests it is None.
    """

    def __init__(
        self,
        path: Path,
        arrays: Mapping[str, Any],
        attributes: Mapping[str, Any],
        close: Callable[[], None],
        opener: Callable[[Path], BatchSource],
        check: Callable[[str, Iterable[tuple[int, ...]]], None] | None,
    ) -> None:
        self.path, self.arrays, self.attributes = path, arrays, attributes
        self._close, self._opener, self._check = close, opener, check
        self._checked: set[tuple[str, tuple[int, ...]]] = set()

    @property
    def has_digests(self) -> bool:
        """Whether damage to its numbers is seen."""
        return self._check is not None

    def __reduce__(self) -> tuple[Any, ...]:
        return self._opener, (self.path,)

    def close(self) -> None:
        """Close the file; its arrays cannot be read any more."""
        self.arrays = {}
        self._close()

    def read(self, name: str, box: tuple[Any, ...] = ()) -> NDArray[Any]:
        """Read an array, or a box out of it."""
        if name not in self.arrays:
            raise FileError(f"{self.path}: cannot be read: it was closed; open it again")
        with reading(self.path):
            if box and self._check is not None:
                self._check_pieces(name, box)
            return np.asarray(self.arrays[name][box])

    def _check_pieces(self, name: str, box: tuple[slice, ...]) -> None:
        array = self.arrays[name]
        touched = {(name, origin) for origin in chunk_origins(array.shape, array.chunks, box)}
        unchecked = sorted(touched - self._checked)
        if unchecked and self._check is not None:
            self._check(name, [origin for _, origin in unchecked])
            self._checked.update(unchecked)


def chunk_origins(
    shape: tuple[int, ...], chunks: tuple[int, ...], box: tuple[slice, ...]
) -> Iterator[tuple[int, ...]]:
    """Return the first indices of the pieces that a box, a slice for each axis, lies in.

    >>> list(chunk_origins((5, 4), (2, 4), (slice(1, 4), slice(None))))
    [(0, 0), (2, 0)]
    """
    ranges = (range(*part.indices(size)) for part, size in zip(box, shape, strict=True))
    axes = (_firsts(some, size) for some, size in zip(ranges, chunks, strict=True))
    return itertools.product(*axes)


def _firsts(numbers: range, size: int) -> range:
    if not numbers:
        return range(0)
    return range(numbers[0] // size * size, numbers[-1] + 1, size)


class Cut(NamedTuple):
    """The part of an axis that is read, and which of that part are wanted."""

    part: slice
    wanted: Any


class StoredArray:
    """An array (B, S, n) in a file, or the chosen rows of one.

    It takes the keys of a NumPy array and gives NumPy arrays: `array[3]`, `array[10:20, -1]`,
    `array[mask]`; `numpy.asarray(array)` reads all of it.
    """

    dtype = np.dtype(np.float64)
    ndim = 3

    def __init__(self, source: BatchSource, name: str, rows: Rows | None = None) -> None:
        full = source.arrays[name].shape
        self.source, self.name = source, name
        self.block = source.arrays[name].chunks[0]  # rows that the file keeps together
        self.rows: Rows = range(full[0]) if rows is None else rows
        self.shape: tuple[int, int, int] = (len(self.rows), *full[1:])

    @property
    def nbytes(self) -> int:
        """The memory that all of it would take [bytes]."""
        return self.dtype.itemsize * self.shape[0] * self.shape[1] * self.shape[2]

    def chosen(self, key: Any) -> StoredArray:
        """Return the chosen rows, unread: for a slice, a mask or numbers."""
        return StoredArray(self.source, self.name, _chosen(self.rows, key))

    def close(self) -> None:
        """Close the file; none of its arrays can be read any more."""
        self.source.close()

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        values = self[...]
        return values if dtype is None else values.astype(dtype, copy=False)

    def __repr__(self) -> str:
        return f"<{self.name} {self.shape} {self.dtype} in '{self.source.path}'>"

    def __getitem__(self, key: Any) -> Floats:
        first, *others = _whole_key(key)
        axes = zip(others, self.shape[1:], strict=True)
        cuts = [_cut(_chosen(range(size), one)) for one, size in axes]
        values, wanted = self._read(_chosen(self.rows, first), [cut.part for cut in cuts])
        found = values[(wanted, *(cut.wanted for cut in cuts))]
        # A part is copied, so that it does not keep alive all that was read for its sake.
        part = found.copy() if found.size < values.size else found
        return read_only(part) if part.ndim else part

    def _read(self, rows: int | Rows, box: list[slice]) -> tuple[Floats, Any]:
        if isinstance(rows, np.ndarray):
            several, inverse = np.unique(rows, return_inverse=True)
            return self._gather(several, box), inverse.reshape(rows.shape)
        part, wanted = _cut(rows)
        return self.source.read(self.name, (part, *box)), wanted

    def _gather(self, rows: NDArray[np.intp], box: list[slice]) -> Floats:
        """Read rows, in their order, by blocks of neighbours that the file holds together."""
        breaks = np.flatnonzero(np.diff(rows // self.block)) + 1
        parts = []
        for some in np.split(rows, breaks):
            low, high = (int(some[0]), int(some[-1]) + 1) if len(some) else (0, 0)
            parts.append(self.source.read(self.name, (slice(low, high), *box))[some - low])
        return np.concatenate(parts)


def _whole_key(key: Any) -> list[Any]:
    """Return a key for each axis."""
    keys = list(key) if isinstance(key, tuple) else [key]
    dots = [k for k, one in enumerate(keys) if one is Ellipsis]
    if not dots:
        dots = [len(keys)]
        keys.append(Ellipsis)
    missing = StoredArray.ndim - len(keys) + 1
    if missing < 0 or len(dots) > 1:
        raise IndexError(f"key {shown(key)} has more than {StoredArray.ndim} axes")
    keys[dots[0] : dots[0] + 1] = [slice(None)] * missing
    return keys


def _chosen(rows: Rows, key: Any) -> Any:
    """Return the numbers that a key chooses: one, a range of them, or an array."""
    if isinstance(key, slice):
        return rows[key]
    numbers = np.asarray(key)
    if numbers.dtype == bool and numbers.shape == (len(rows),):
        numbers = np.flatnonzero(numbers)
    if numbers.size and numbers.dtype.kind not in "iu":
        raise IndexError(f"key {shown(key)}: not a number, a slice, a mask or a list of numbers")
    if np.any((numbers < -len(rows)) | (numbers >= len(rows))):
        raise IndexError(f"key {shown(key)} is out of bounds for an axis of {len(rows)}")
    if not numbers.ndim:
        return int(rows[int(numbers)])
    return np.asarray(rows)[numbers.astype(np.intp)]


def _cut(numbers: Any) -> Cut:
    """Return the smallest part of an axis with these numbers in it, and where they are in there."""
    if isinstance(numbers, int):
        return Cut(slice(numbers, numbers + 1), 0)
    if isinstance(numbers, range):
        ends = sorted((numbers[0], numbers[-1])) if numbers else (0, -1)
        # Files are read forwards only.
        order = slice(None, None, 1 if numbers.step > 0 else -1)
        return Cut(slice(ends[0], ends[1] + 1, abs(numbers.step)), order)
    low, high = (int(numbers.min()), int(numbers.max()) + 1) if numbers.size else (0, 0)
    return Cut(slice(low, high), numbers - low)
