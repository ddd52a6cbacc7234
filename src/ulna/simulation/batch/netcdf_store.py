"""A batch in a netCDF file: written slab by slab, and left there until it is asked for."""

from __future__ import annotations

import io
import os
from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from ulna.simulation.batch.batch_run import HISTORIES, HISTORY
from ulna.simulation.batch.stored_arrays import BatchSource, chunk_origins
from ulna.simulation.files import check_ordinary, package, write_variable
from ulna.simulation.hdf5 import check_undamaged
from ulna.simulation.outcome import Floats
from ulna.simulation.tables import Quantity
from ulna.storage import DigestedPart, append_trailer, digest, piece_digest

if TYPE_CHECKING:
    from ulna.simulation.batch.batch_files import BatchLayout

CACHE = 2**25  # [bytes] in which HDF5 puts pieces together before it writes them
LARGE = 2**16  # [bytes] from which on a piece is digested as it is written, not read again


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
    """Return what makes a writer, or say which package it lacks."""
    hdf5 = package("h5py", "h5py", "a .nc file")
    netcdf = package("h5netcdf", "h5netcdf", "a .nc file")
    return lambda part, layout: NetcdfWriter(part, layout, netcdf, hdf5)


def open_netcdf(path: Path) -> BatchSource:
    """Open a netCDF file to read from."""
    hdf5 = package("h5py", "h5py", "a .nc file")
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
