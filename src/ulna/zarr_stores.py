"""Zarr stores of batches and sweeps: folders of arrays that grow while their values are computed.

Arrays are of Zarr's format 3, and every chunk carries a checksum (crc32c). A store appears under
its name with all of its arrays at once; chunks are written later, each whole or not at all. What
marks a chunk of values as finished, a status, is written after them. So whatever kills a process,
a store is readable, and what is marked as finished is there.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ulna.concurrency import call_in_thread
from ulna.errors import FileError, InputError, Problem, UlnaError, import_extra, shown
from ulna.storage import whole_folder, writing

Box: TypeAlias = Sequence[slice]  # of the leading axes; the others are whole

METADATA = "zarr.json"
METADATA_2 = ".zgroup"  # of Zarr's format 2
MARKS = (METADATA, METADATA_2)  # one of them is in every folder that is a Zarr group
CONFIGURATION = {"write_empty_chunks": True}  # a chunk that is missing never was all NaN
READERS = "ulna.open_batch reads batches, ulna.open_sweep and `ulna show` read sweeps"
FORMAT = "format"  # the attribute that says what a store holds: "batch 1"


class Store:
    """An open store.

    Attributes
    ----------
    path : Path
        Its folder.
    attributes : dict
        What it says of itself.
    arrays : dict
        Its Zarr arrays, by name.
    """

    def __init__(self, path: Path, group: Any) -> None:
        self.path, self._group = path, group
        self.attributes: dict[str, Any] = dict(group.attrs)
        self.arrays: dict[str, Any] = {
            name: array.with_config(CONFIGURATION) for name, array in group.arrays()
        }

    def add(
        self, name: str, dims: Sequence[str], values: Any, attributes: Mapping[str, Any]
    ) -> None:
        """Add an array with its values, numbers or text, as one chunk.

        Parameters
        ----------
        name : str
            Its name.
        dims : sequence of str
            Its axes.
        values : array_like
            Its values.
        attributes : mapping
            What it says of itself, such as units.
        """
        found = np.asarray(values)
        text = found.dtype.kind == "U"
        dtype, fill = (str, "") if text else (found.dtype, found.dtype.type(0))
        chunks = [max(size, 1) for size in found.shape]
        self.add_empty(name, dims, found.shape, attributes, dtype=dtype, chunks=chunks, fill=fill)
        self.write((), {name: found})

    def add_empty(
        self,
        name: str,
        dims: Sequence[str],
        shape: Sequence[int],
        attributes: Mapping[str, Any],
        *,
        dtype: Any = np.float64,
        chunks: Sequence[int],
        fill: Any = np.nan,
    ) -> None:
        """Add an array to write to later.

        Parameters
        ----------
        name, dims, attributes
            As for `add`.
        shape : sequence of int
            Lengths of the axes.
        dtype : dtype
            The type of its values.
        chunks : sequence of int
            Lengths of a chunk.
        fill : scalar
            What other readers read where nothing was written.
        """
        with writing(self.path):
            self.arrays[name] = call_in_thread(
                self._group.create_array,
                name,
                shape=tuple(shape),
                dtype=dtype,
                chunks=tuple(chunks),
                fill_value=fill,
                dimension_names=tuple(dims),
                attributes=dict(attributes),
                compressors=import_extra("zarr.codecs", "cluster", "a store").Crc32cCodec(),
                config=CONFIGURATION,
            )

    def write(self, box: Box, values: Mapping[str, Any]) -> None:
        """Write the same part of several arrays, in their order; a status comes last.

        Parameters
        ----------
        box : sequence of slice
            The part, by the leading axes: whole chunks, unless one process alone writes.
        values : mapping of str to array_like
            By the names of arrays.

        Raises
        ------
        FileError
            The disk is full, or the folder cannot be written to.
        """
        with writing(self.path):
            for name, part in values.items():
                key = (*box, Ellipsis)
                call_in_thread(self.arrays[name].__setitem__, key, np.asarray(part))

    def read(self, name: str, box: Box = ()) -> NDArray[Any]:
        """Read a part of an array, all of which was written.

        Parameters
        ----------
        name : str
            Of the array.
        box : sequence of slice
            The part, by the leading axes.

        Returns
        -------
        ndarray
            Its values.

        Raises
        ------
        FileError
            A chunk is missing, damaged, or cannot be read.
        """
        with _reading(self.path, name):
            array = self._array(name)
            # Zarr fills in for a missing chunk without a word.
            for key in _chunk_keys(array, box):
                if not (self.path / name / key).is_file():
                    raise FileNotFoundError(f"its chunk {key} is missing")
            found = np.asarray(array[(*box, Ellipsis)])
        return np.array(found.tolist(), str) if found.dtype.kind == "T" else found

    def read_finished(
        self,
        name: str,
        places: Sequence[NDArray[np.intp]],
        finished: NDArray[np.bool_],
        box: Box = (),
        advice: Callable[[tuple[int, ...]], str] = lambda chunk: "",
    ) -> NDArray[Any]:
        """Read what is finished of an array, and its fill value elsewhere.

        Parameters
        ----------
        name : str
            Of the array.
        places : sequence of ndarray
            Indices along each of the axes of `finished`, the leading ones.
        finished : ndarray of bool
            What is written; a chunk counts if any of it is.
        box : sequence of slice
            The part, by the axes that follow.
        advice : callable, optional
            Returns what the message of a damaged chunk ends with, by the chunk's place.

        Returns
        -------
        ndarray
            Its values.

        Raises
        ------
        FileError
            A chunk is missing, damaged, or cannot be read.
        """
        array = self.arrays[name]
        sizes = array.chunks[: finished.ndim]
        further = array.shape[finished.ndim :]
        box = box or [slice(0, size) for size in further]
        shape = [len(range(*one.indices(size))) for one, size in zip(box, further, strict=True)]
        found = np.full([*map(len, places), *shape], array.fill_value, array.dtype)
        chunks = [one // size for one, size in zip(places, sizes, strict=True)]
        for chunk in itertools.product(*(np.unique(one).tolist() for one in chunks)):
            parts = [slice(k * size, (k + 1) * size) for k, size in zip(chunk, sizes, strict=True)]
            if not finished[tuple(parts)].any():
                continue
            inside = [np.flatnonzero(one == k) for one, k in zip(chunks, chunk, strict=True)]
            some = [one[own] for one, own in zip(places, inside, strict=True)]
            spans = [slice(int(one.min()), int(one.max()) + 1) for one in some]
            try:
                block = self.read(name, (*spans, *box))
            except FileError as error:
                raise FileError(f"{error}{advice(chunk)}") from error
            own = (one - span.start for one, span in zip(some, spans, strict=True))
            found[np.ix_(*inside)] = block[np.ix_(*own)]
        return found

    def read_unfinished(self, name: str, advice: str = "") -> NDArray[Any]:
        """Read all of an array, such as a status, with its fill value where nothing was written.

        Parameters
        ----------
        name : str
            Of the array.
        advice : str
            What the message of a damaged chunk ends with.

        Returns
        -------
        ndarray
            Its values.

        Raises
        ------
        FileError
            A chunk is damaged, or cannot be read.
        """
        with _reading(self.path, name):
            array = self._array(name)
            found = np.full(array.shape, array.fill_value, array.dtype)
        # One at a time, so that a damaged one has a name.
        for chunk in itertools.product(*map(range, array.cdata_shape)):
            file = self.path / name / array.metadata.encode_chunk_key(chunk)
            sides = zip(chunk, array.chunks, strict=True)
            box = tuple(slice(place * size, (place + 1) * size) for place, size in sides)
            with _reading(self.path, str(file.relative_to(self.path)), advice):
                found[box] = array[box]
        return found

    def _array(self, name: str) -> Any:
        if name not in self.arrays:
            raise FileNotFoundError("it is missing")
        return self.arrays[name]


@contextmanager
def new_store(
    path: Path, form: str, attributes: Mapping[str, Any], *, overwrite: bool
) -> Iterator[Store]:
    """Return a store to add arrays to, which appears under its name at the end of the block.

    Where one of that name is to be overwritten, it stays until then; where the block fails, it
    stays for good.

    Parameters
    ----------
    path : Path
        The folder.
    form : str
        What it holds, with a version: "batch 1".
    attributes : mapping
        What else it says of itself.
    overwrite : bool
        Whether it may replace a Zarr folder that is there.

    Yields
    ------
    Store
        To add arrays to, and to write to within the block.
    """
    zarr = import_extra("zarr", "cluster", "a .zarr folder")
    with whole_folder(path, MARKS, overwrite=overwrite) as part:
        told = {FORMAT: form, **attributes}
        storage = zarr.storage.LocalStore(part)
        group = call_in_thread(zarr.create_group, storage, attributes=told, zarr_format=3)
        yield Store(path, group)
        call_in_thread(_consolidate, zarr, group)


def _consolidate(zarr: Any, group: Any) -> None:
    """Write the metadata of all arrays in one place; other readers may ignore it, xarray not."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Consolidated metadata is currently not part")
        zarr.consolidate_metadata(group.store)


def open_store(path: Path, form: str, what: str, *, writable: bool = False) -> Store:
    """Open a store.

    Parameters
    ----------
    path : Path
        Its folder.
    form : str
        What it should hold, with a version: "batch 1".
    what : str
        The same for people: "a saved batch".
    writable : bool
        Whether its arrays are written to.

    Returns
    -------
    Store
        With all of its arrays.

    Raises
    ------
    InputError
        The folder holds something else, or was written by a version with another format.
    FileError
        It is not there, or damaged.
    """
    if path.exists() and not (path / METADATA).is_file():
        old = (path / METADATA_2).is_file()
        told = "a folder of something else" if path.is_dir() else "a file"
        got = "Zarr's format 2, as older versions wrote it" if old else told
        raise InputError(Problem("store", got, what, "", str(path)))
    with _reading(path, METADATA):
        (path / METADATA).stat()
    zarr = import_extra("zarr", "cluster", "a .zarr folder")
    with _reading(path, METADATA):
        storage = zarr.storage.LocalStore(path, read_only=not writable)
        store = Store(path, zarr.open_group(storage, mode="r+" if writable else "r", zarr_format=3))
    found = store.attributes.get(FORMAT)
    if found != form:
        got, hint = "a Zarr folder of another kind", ""
        if isinstance(found, str):
            same = found.partition(" ")[0] == form.partition(" ")[0]
            hint = "it takes another version of ulna to read it" if same else READERS
            got = f"format {shown(found)}"
        raise InputError(Problem("store", got, f"{what}, format '{form}'", hint, str(path)))
    return store


def lazy_array(shape: Sequence[int], dtype: Any, read: Callable[[Any], Any]) -> Any:
    """Return an array that xarray reads part by part, by keys with at most one array of indices."""
    from xarray.backends import BackendArray
    from xarray.core import indexing

    class Backend(BackendArray):
        def __init__(self) -> None:
            self.shape, self.dtype = tuple(shape), np.dtype(dtype)

        def __getitem__(self, key: Any) -> Any:
            support = indexing.IndexingSupport.OUTER_1VECTOR
            return indexing.explicit_indexing_adapter(key, self.shape, support, read)

    return indexing.LazilyIndexedArray(Backend())


def _chunk_keys(array: Any, box: Box) -> Iterator[str]:
    """Return the names of the chunks that a box lies in."""
    slices = itertools.chain(box, itertools.repeat(slice(None)))
    places = []
    for size, chunk, part in zip(array.shape, array.chunks, slices, strict=False):
        indices = range(*part.indices(size))
        last = indices[-1] // chunk + 1 if indices else 0
        places.append(range(indices.start // chunk, last))
    for place in itertools.product(*places):
        yield array.metadata.encode_chunk_key(place)


@contextmanager
def _reading(path: Path, name: str, advice: str = "") -> Iterator[None]:
    """Raise FileError for whatever keeps a part of a store from being read."""
    try:
        yield
    except UlnaError:
        raise
    except Exception as error:
        # Zarr has no exception of its own for damage, which may surprise it anywhere.
        told = " ".join((getattr(error, "strerror", None) or str(error)).split())[:200]
        told = "its checksum does not match" if "checksum" in told else told
        raise FileError(f"{path}: {name} cannot be read: {told}{advice}") from error
