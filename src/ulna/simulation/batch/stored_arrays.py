"""Arrays that stay in a Zarr folder: only the parts that are used are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ulna.errors import shown
from ulna.simulation.batch.statuses import CODES
from ulna.simulation.outcome import Floats
from ulna.simulation.run import read_only
from ulna.zarr_stores import Store, open_store

FORMAT, WHAT = "batch 2", "a folder that holds a batch"


class BatchFolder:
    """The folder of a batch, open for reading; a copy opens it anew.

    Attributes
    ----------
    store : Store
        Its arrays.
    has_run : ndarray of bool, shape (B,)
        Whether each arm has run: of those that have not, there need not be any histories.
    """

    def __init__(self, path: Path) -> None:
        self.store: Store = open_store(path, FORMAT, WHAT)
        self.has_run: NDArray[np.bool_] = self.store.read_unfinished("status") != CODES["not run"]

    def __reduce__(self) -> tuple[Any, ...]:
        return BatchFolder, (self.store.path,)

    def read(self, name: str, rows: NDArray[np.intp], box: tuple[slice, slice]) -> Floats:
        """Read some rows of a history, chunk by chunk; NaN where an arm has not run."""
        return self.store.read_finished(name, [rows], self.has_run, box)


class StoredArray:
    """An array (B, S, n) in a folder, or the chosen rows of one.

    It takes the keys of a NumPy array and gives NumPy arrays: `array[3]`, `array[10:20, -1]`,
    `array[mask]`; `numpy.asarray(array)` reads all of it.
    """

    dtype = np.dtype(np.float64)
    ndim = 3

    def __init__(
        self, folder: BatchFolder, name: str, rows: NDArray[np.intp] | None = None
    ) -> None:
        full = folder.store.arrays[name].shape
        self.folder, self.name = folder, name
        self.rows: NDArray[np.intp] = np.arange(full[0]) if rows is None else rows
        self.shape: tuple[int, int, int] = (len(self.rows), *full[1:])

    @property
    def nbytes(self) -> int:
        """The memory that all of it would take [bytes]."""
        return self.dtype.itemsize * self.shape[0] * self.shape[1] * self.shape[2]

    def chosen(self, key: Any) -> StoredArray:
        """Return the chosen rows, unread: for a slice, a mask or numbers."""
        return StoredArray(self.folder, self.name, self.rows[key])

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        values = self[...]
        return values if dtype is None else values.astype(dtype, copy=False)

    def __repr__(self) -> str:
        return f"<{self.name} {self.shape} {self.dtype} in '{self.folder.store.path}'>"

    def __getitem__(self, key: Any) -> Floats:
        first, *others = _whole_key(key)
        (samples, second), (joints, third) = map(_cut, self.shape[1:], others)
        rows: Any = self.rows[first]
        if not isinstance(first, slice):
            rows, places = np.unique(rows, return_inverse=True)
            first = places.reshape(np.shape(self.rows[first]))
        else:
            first = slice(None)
        values = self.folder.read(self.name, rows, (samples, joints))
        found: Floats = values[first, second, third]
        # A part is copied, so that it does not keep alive all that was read for its sake.
        part = found.copy() if found.size < values.size else found
        return read_only(part) if part.ndim else part


def _whole_key(key: Any) -> list[Any]:
    """Return a key for each axis."""
    keys = list(key) if isinstance(key, tuple) else [key]
    dots = [k for k, one in enumerate(keys) if one is Ellipsis] or [len(keys)]
    missing = StoredArray.ndim - len(keys) + (dots[0] < len(keys))
    if missing < 0 or len(dots) > 1:
        raise IndexError(f"key {shown(key)} has more than {StoredArray.ndim} axes")
    keys[dots[0] : dots[0] + 1] = [slice(None)] * missing
    return keys


def _cut(size: int, key: Any) -> tuple[slice, Any]:
    """Return the part of an axis that holds what a key asks for, and the key within that part."""
    numbers = np.arange(size)[key]
    if not numbers.size:
        return slice(0), key if isinstance(key, slice) else numbers
    low = int(numbers.min())
    part = slice(low, int(numbers.max()) + 1)
    return part, slice(None, None, key.step) if isinstance(key, slice) else numbers - low
