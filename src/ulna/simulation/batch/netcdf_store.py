"""A batch in a netCDF file: written slab by slab, and left there until it is asked for."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ulna.simulation.batch.arrays import Source
from ulna.simulation.batch.layout import Layout
from ulna.simulation.batch.tables import HISTORIES, HISTORY
from ulna.simulation.formats import HDF5, check_kind, check_ordinary, package, write_variable
from ulna.simulation.status import Floats
from ulna.simulation.tables import Quantity

CACHE = 2**25  # [bytes] in which HDF5 puts pieces together before it writes them


class Sheltered(io.FileIO):
    """A file that never tells of trouble, and keeps it in `trouble`.

    Where a write fails, as on a full disk, HDF5 cannot close the file and takes the whole process
    down with it. So it learns of nothing, and after the first failure nothing is written.
    """

    trouble: BaseException | None = None
    _place = _end = 0  # where HDF5 is, and where it believes that the file ends

    def __del__(self) -> None:
        self.close()  # without a word: a store that is forgotten leaves nothing

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place, or to where the end would be."""
        self._place = offset + (self._end if whence == os.SEEK_END else 0)
        return self._place

    def write(self, data: Any) -> int:
        """Write all of it, or note why not."""
        whole = memoryview(data).cast("B")
        self._attempt(self._write, whole)
        self._place += len(whole)
        self._end = max(self._end, self._place)
        return len(whole)

    def readinto(self, buffer: Any) -> int:
        """Read what was written; what could not be is zero."""
        whole = memoryview(buffer).cast("B")
        whole[:] = bytes(len(whole))
        self._attempt(self._read, whole)
        return len(whole)

    def truncate(self, size: int | None = None) -> int:
        """Set the size, or note why not."""
        self._end = self._place if size is None else size
        self._attempt(super().truncate, self._end)
        return self._end

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

    def __init__(self, part: Path, layout: Layout, netcdf: Any, text: Any) -> None:
        self._shelter, self._text = Sheltered(part, "r+"), text
        self._content = netcdf.File(self._shelter, "w", rdcc_nbytes=CACHE)
        try:
            with self._told():
                self._begin(layout)
        except BaseException:
            self.abandon()
            raise

    def _begin(self, layout: Layout) -> None:
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

    def abandon(self) -> None:
        """Close what nobody will read."""
        self._shelter.trouble = self._shelter.trouble or EOFError("abandoned")
        try:
            self._content.close()
        finally:
            self._shelter.close()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Tell of the first trouble, and not of what HDF5 made of it."""
        try:
            yield
        finally:
            if self._shelter.trouble is not None:
                raise self._shelter.trouble


def netcdf_writer() -> Callable[[Path, Layout], NetcdfWriter]:
    """Give what makes a writer, or say which package it lacks."""
    text = package("h5py", "h5py", "a .nc file").string_dtype()
    netcdf = package("h5netcdf", "h5netcdf", "a .nc file")
    return lambda part, layout: NetcdfWriter(part, layout, netcdf, text)


def open_netcdf(path: Path) -> Source:
    """Open a netCDF file to read from."""
    hdf5 = package("h5py", "h5py", "a .nc file")
    check_ordinary(path)
    with path.open("rb") as stream:
        check_kind(stream.read(len(HDF5)), "a batch that was saved as .nc or .zarr")
    content = hdf5.File(path, "r")
    arrays = {name: part for name, part in content.items() if isinstance(part, hdf5.Dataset)}
    return Source(path, arrays, dict(content.attrs), content.close, open_netcdf)
