"""Batches in netCDF files and Zarr folders: written slab by slab, and left there until asked for.

Each of both has a writer, and a function that opens what it wrote; their libraries are loaded when
one is needed.
"""

from __future__ import annotations

import io
import json
import os
from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from ulna.errors import FileError, InputError, Problem, import_extra
from ulna.simulation.batch.batch_run import HISTORIES, HISTORY
from ulna.simulation.batch.stored_arrays import BatchSource, chunk_origins
from ulna.simulation.files import check_ordinary, write_variable
from ulna.simulation.hdf5 import check_undamaged
from ulna.simulation.outcome import Floats
from ulna.simulation.tables import Quantity
from ulna.storage import (
    MISMATCH,
    DamagedError,
    DigestedPart,
    append_trailer,
    digest,
    piece_digest,
    sealed,
    unsealed,
)

if TYPE_CHECKING:
    from ulna.simulation.batch.batch_files import BatchLayout

CACHE = 2**25  # [bytes] in which HDF5 puts pieces together before it writes them
LARGE = 2**16  # [bytes] from which on a piece is digested as it is written, not read again
MARKS = (".zgroup", "zarr.json")  # one of them is in every folder that is a Zarr group
PIECES = "pieces"  # the attribute that says how many of them each history has
# The digest of every other file, under a name that readers of Zarr do not come upon.
DIGESTS = "q/.digests"


class Sheltered(io.FileIO):
    """A file that never tells of trouble, and keeps it in `trouble`.

    Where a write fails, as on a full disk, HDF5 cannot close the file and takes the whole process
    down with it. So it learns of nothing, and after the first failure nothing is written.
    """

    trouble: BaseException | None = None
    _place = _end = 0  # where HDF5 is, and where it believes that the file ends

    def __init__(self, file: Path, mode: str) -> None:
        super().__init__(file, mode)
        self._starts: list[int] = []  # of the pieces below, in order
        self._written: dict[int, DigestedPart] = {}

    def __del__(self) -> None:
        self.close()  # without a word: a store that is forgotten leaves nothing

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place, or to where the end would be."""
        self._place = offset + (self._end if whence == os.SEEK_END else 0)
        return self._place

    def write(self, data: Any) -> int:
        """Write all of it, or note why not."""
        view = memoryview(data).cast("B")
        self._attempt(self._write, view)
        self._note(view)
        self._place += len(view)
        self._end = max(self._end, self._place)
        return len(view)

    def readinto(self, buffer: Any) -> int:
        """Read what was written; what could not be is zero."""
        view = memoryview(buffer).cast("B")
        view[:] = bytes(len(view))
        self._attempt(self._read, view)
        return len(view)

    def truncate(self, size: int | None = None) -> int:
        """Set the size, or note why not."""
        self._end = self._place if size is None else size
        self._attempt(super().truncate, self._end)
        return self._end

    def piece(self, offset: int, size: int) -> DigestedPart | None:
        """Return a large piece that was written at once and not touched again, digested."""
        found = self._written.get(offset)
        return found if found is not None and found.size == size else None

    def _note(self, data: memoryview) -> None:
        """Digest a large piece, and forget those that it overwrites."""
        start, stop = self._place, self._place + len(data)
        first = bisect_left(self._starts, start)
        if first and start < sum(self._written[self._starts[first - 1]][:2]):
            first -= 1
        last = bisect_left(self._starts, stop)
        for place in self._starts[first:last]:
            del self._written[place]
        del self._starts[first:last]
        if len(data) >= LARGE:
            insort(self._starts, start)
            self._written[start] = DigestedPart(start, len(data), digest([data]))

    def _attempt(self, action: Callable[[Any], object], value: Any) -> None:
        try:
            if self.trouble is None:
                action(value)
        except BaseException as error:
            self.trouble = error

    def _write(self, left: memoryview) -> None:
        super().seek(self._place)
        while len(left):
            left = left[super().write(left) :]

    def _read(self, left: memoryview) -> None:
        super().seek(self._place)
        super().readinto(left)


class NetcdfWriter:
    """A netCDF file while it is written."""

    def __init__(self, part: Path, layout: BatchLayout, netcdf: Any, hdf5: Any) -> None:
        self._shelter, self._text = Sheltered(part, "r+"), hdf5.string_dtype()
        self._part, self._hdf5, self._histories = part, hdf5, layout.histories
        self._content = netcdf.File(self._shelter, "w", rdcc_nbytes=CACHE)
        try:
            with self._told():
                self._begin(layout)
        except BaseException:
            self.abandon()
            raise

    def _begin(self, layout: BatchLayout) -> None:
        self._content.dimensions = layout.axes
        for name, quantity in layout.known.items():
            write_variable(self._content, name, quantity, self._text)
        for name in layout.histories:
            units, words = HISTORIES[name]
            # What is never written reads as NaN and takes no room.
            variable = self._content.create_variable(
                name, HISTORY, np.float64, chunks=layout.chunks, fillvalue=np.nan
            )
            variable.attrs.update({"units": units, "long_name": words})
        self._content.attrs.update(layout.attributes)

    def write(self, name: str, first: int, values: Floats) -> None:
        """Write the history of consecutive arms."""
        with self._told():
            self._content[name][first : first + len(values)] = values

    def finish(self, endings: Mapping[str, Quantity]) -> None:
        """Write how the arms ended, and close what is now whole."""
        with self._told():
            for name, quantity in endings.items():
                write_variable(self._content, name, quantity, self._text)
            self._content.close()
            self._shelter.close()
        with self._part.open("rb+") as stream:
            append_trailer(stream, self._pieces(stream))

    def _pieces(self, stream: BinaryIO) -> list[DigestedPart]:
        with self._hdf5.File(self._part, "r") as content:
            found = [place for name in self._histories for place in _stored(content[name])]
        return [self._shelter.piece(*place) or _read_again(stream, *place) for place in found]

    def abandon(self) -> None:
        """Close what nobody will read."""
        self._shelter.trouble = self._shelter.trouble or EOFError("abandoned")
        try:
            self._content.close()
        finally:
            self._shelter.close()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Raise the first error, not what HDF5 made of it."""
        try:
            yield
        finally:
            if self._shelter.trouble is not None:
                raise self._shelter.trouble


def netcdf_writer() -> Callable[[Path, BatchLayout], NetcdfWriter]:
    """Return what makes a writer."""
    import h5netcdf as netcdf
    import h5py as hdf5

    return lambda part, layout: NetcdfWriter(part, layout, netcdf, hdf5)


def open_netcdf(path: Path) -> BatchSource:
    """Open a netCDF file to read from."""
    import h5py as hdf5

    check_ordinary(path)
    with path.open("rb") as stream:
        trailer = check_undamaged(path, stream, "a batch that was saved as .nc or .zarr")
    content = hdf5.File(path, "r")
    arrays = {name: part for name, part in content.items() if isinstance(part, hdf5.Dataset)}

    def check(name: str, origins: Iterable[tuple[int, ...]]) -> None:
        with path.open("rb") as stream:
            for place in origins:
                piece = arrays[name].id.get_chunk_info_by_coord(place)
                if trailer is not None and piece.byte_offset is not None:
                    trailer.check_piece(stream, piece.byte_offset, piece.size)

    checked = None if trailer is None else check
    return BatchSource(path, arrays, dict(content.attrs), content.close, open_netcdf, checked)


def _stored(array: Any) -> Iterator[tuple[int, int]]:
    """Return where the pieces of an array lie in the file, and their sizes."""
    for place in chunk_origins(array.shape, array.chunks, (slice(None),) * array.ndim):
        piece = array.id.get_chunk_info_by_coord(place)
        if piece.byte_offset is not None:
            yield piece.byte_offset, piece.size


def _read_again(stream: BinaryIO, offset: int, size: int) -> DigestedPart:
    found = DigestedPart(offset, size, b"")
    return found._replace(digest=piece_digest(stream, found))


class ZarrWriter:
    """A Zarr folder while it is written, in version 2 of the format, which all readers know."""

    def __init__(self, part: Path, layout: BatchLayout, zarr: Any) -> None:
        self._zarr, self._part, self._layout = zarr, part, layout
        self._digests: dict[str, str] = {}
        self._store = _noting(zarr, part, self._digests)
        self._group = zarr.create_group(self._store, zarr_format=2)
        for name, quantity in layout.known.items():
            self._put(name, quantity)
        for name in layout.histories:
            quantity = Quantity(HISTORY, np.nan, *HISTORIES[name])
            # A piece is written though it be all NaN, so that one that is lost is missed.
            self._create(
                name,
                quantity,
                shape=layout.shape,
                chunks=layout.chunks,
                dtype=np.float64,
                fill_value=np.nan,
                config={"write_empty_chunks": True},
            )

    def write(self, name: str, first: int, values: Floats) -> None:
        """Write the history of consecutive arms."""
        self._group[name][first : first + len(values)] = values

    def finish(self, endings: Mapping[str, Quantity]) -> None:
        """Write how the arms ended, and close what is now whole."""
        for name, quantity in endings.items():
            self._put(name, quantity)
        pieces = {name: _pieces(self._part, name) for name in self._layout.histories}
        self._group.attrs.update({**self._layout.attributes, PIECES: json.dumps(pieces)})
        self._zarr.consolidate_metadata(self._store)
        names = sorted(_files(self._part))
        kept = {name: self._digests.get(name) or _digest_of(self._part / name) for name in names}
        (self._part / DIGESTS).write_bytes(sealed(json.dumps(kept).encode()))

    def abandon(self) -> None:
        """Do nothing: a folder is not held open."""

    def _put(self, name: str, quantity: Quantity) -> None:
        values = quantity.values
        made = self._create(name, quantity, shape=values.shape, dtype=values.dtype, fill_value=None)
        made[...] = values

    def _create(self, name: str, quantity: Quantity, **options: Any) -> Any:
        words = {key: _plain(value) for key, value in quantity.attributes.items()}
        words["_ARRAY_DIMENSIONS"] = list(quantity.axes)
        return self._group.create_array(name, compressors=None, attributes=words, **options)


def zarr_writer() -> Callable[[Path, BatchLayout], ZarrWriter]:
    """Return what makes a writer, or say which package it lacks."""
    zarr = _zarr()
    return lambda part, layout: ZarrWriter(part, layout, zarr)


def open_zarr(path: Path) -> BatchSource:
    """Open a Zarr folder to read from."""
    zarr = _zarr()
    if not any((path / mark).is_file() for mark in MARKS):
        need = "a batch that was saved as .zarr"
        raise InputError(Problem("file", "a folder of something else", need))
    digests = _digests(path)
    if digests is not None:
        _check_small(path, digests)
    group = zarr.open_group(zarr.storage.LocalStore(path, read_only=True), mode="r")
    attributes = dict(group.attrs)
    _check_pieces(path, attributes.pop(PIECES, "{}"))
    arrays = dict(group.arrays())

    def check(name: str, origins: Iterable[tuple[int, ...]]) -> None:
        for origin in origins:
            steps = zip(origin, arrays[name].chunks, strict=True)
            piece = f"{name}/" + ".".join(str(first // size) for first, size in steps)
            _check_file(path, piece, digests or {})

    checked = None if digests is None else check
    return BatchSource(path, arrays, attributes, lambda: None, open_zarr, checked)


def _zarr() -> Any:
    return import_extra("zarr", "cluster", "a .zarr folder")


def _noting(zarr: Any, part: Path, digests: dict[str, str]) -> Any:
    """Return a store in a folder that notes the digest of whatever it writes."""

    class Noting(zarr.storage.LocalStore):  # type: ignore[misc]
        async def set(self, key: str, value: Any) -> None:
            digests[key] = digest([value.as_numpy_array().tobytes()]).hex()
            await super().set(key, value)

    return Noting(part)


def _digests(path: Path) -> dict[str, str] | None:
    """Return the digests of a folder's files, or None where it has none."""
    file = path / DIGESTS
    if not file.exists():
        return None
    return {str(name): str(one) for name, one in json.loads(unsealed(file.read_bytes())).items()}


def _check_small(path: Path, digests: Mapping[str, str]) -> None:
    """Check all files but the pieces of histories, which are checked when they are read."""
    for name in digests:
        folder, _, piece = name.rpartition("/")
        if folder not in HISTORIES or piece.startswith("."):
            _check_file(path, name, digests)


def _check_file(path: Path, name: str, digests: Mapping[str, str]) -> None:
    if name not in digests and not (path / name).exists():
        return  # a piece that was never written
    if digests.get(name) != _digest_of(path / name):
        raise DamagedError(f"{name}: {MISMATCH}")


def _digest_of(file: Path) -> str:
    return digest([file.read_bytes()]).hex()


def _files(folder: Path) -> Iterator[str]:
    for file in folder.rglob("*"):
        if file.is_file():
            yield file.relative_to(folder).as_posix()


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def _pieces(folder: Path, name: str) -> int:
    return sum(not file.name.startswith(".") for file in (folder / name).iterdir())


def _check_pieces(path: Path, text: Any) -> None:
    """Miss what got lost on the way, as from a copy that was broken off: it would read as NaN."""
    for name, number in json.loads(text).items():
        found = _pieces(path, name)
        if found != number:
            told = f"{found:,} of the {number:,} pieces of {name} are there"
            raise FileError(f"{path}: cannot be read: {told}; copy it again")
