"""Where the results of a sweep are kept: in memory, or on disk as a Zarr folder.

Arrays of a folder have the parameters as axes, and are cut into the chunks that tasks compute. A
chunk is finished when its statuses are there, which are written after its other outputs; what is
not finished reads as not computed. Chunks do not depend on who computes them, so that a sweep can
go on with any number of workers, and two processes that carry out the same one write the same
bytes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ulna.errors import FileError, InputError, Problem, UlnaError
from ulna.storage import empty_folder, exists, growing_place, replace_folder
from ulna.sweep.chunks import Coordinate, SweepLayout, Variable
from ulna.sweep.sweep_outputs import NOT_COMPUTED, STATUS_CODES, STATUSES
from ulna.zarr_stores import MARKS, Store, lazy_array, new_store, open_store

Arrays: TypeAlias = Mapping[str, NDArray[Any]]

STATUS = "status"
STATUS_VARIABLE = Variable(
    STATUS,
    dtype="|i1",
    fill=STATUS_CODES[NOT_COMPUTED],
    attributes={
        "flag_values": list(range(len(STATUSES))),
        "flag_meanings": " ".join(word.replace(" ", "_") for word in STATUSES),
    },
)
FORM, WHAT = "sweep 2", "a folder that `ulna sweep` has made"
AGAIN = "run the sweep again to compute these points anew"
ABOUT = ("spec", "spec_hash", "versions")  # attributes of a dataset
MOST_DIFFERENCES = 12  # in a message


class SweepMemory:
    """Results that no file holds.

    Attributes
    ----------
    layout : SweepLayout
        What they are.
    attributes : dict
        What the dataset says of itself.
    status : ndarray
        How each point ended, as codes.
    """

    path: Path | None

    def __init__(self, layout: SweepLayout) -> None:
        self.path, self.layout, self.attributes = None, layout, _attributes(layout)
        points = tuple(layout.axes.values())
        self._arrays = {
            one.name: np.full((*points, *one.shape), one.fill, one.dtype)
            for one in layout.variables
        }
        self.status = self._arrays[STATUS]

    def is_finished(self, number: int) -> bool:
        """Return whether a chunk is computed."""
        codes = self.status[self.layout.chunks.box_of(number)]
        return not (codes == STATUS_CODES[NOT_COMPUTED]).any()

    def write(self, number: int, arrays: Arrays) -> None:
        """Keep a finished chunk."""
        for name, block in self._blocks(number, arrays).items():
            self._arrays[name][self.layout.chunks.box_of(number)] = block

    def values(self, variable: Variable) -> Any:
        """Return an output of all points, as an array that xarray takes."""
        return self._arrays[variable.name]

    def _blocks(self, number: int, arrays: Arrays) -> dict[str, NDArray[Any]]:
        extent = self.layout.chunks.extent(number)
        return {
            one.name: np.asarray(arrays[one.name], one.dtype).reshape(*extent, *one.shape)
            for one in self.layout.variables
        }


class SweepStore(SweepMemory):
    """A folder with the results of a sweep, as far as they are there.

    Parameters
    ----------
    store : Store
        The folder.
    layout : SweepLayout
        What it holds.
    """

    def __init__(self, store: Store, layout: SweepLayout) -> None:
        self.path: Path = store.path
        self.layout, self._store = layout, store
        self.attributes = {name: store.attributes[name] for name in ABOUT}
        self.status = store.read_unfinished(STATUS, f"; delete it and {AGAIN}")
        self._folder = store.path.stat()

    def write(self, number: int, arrays: Arrays) -> None:
        """Keep a finished chunk; its statuses are written last, as the layout has them."""
        if not os.path.samestat(self._folder, self.path.stat()):
            raise FileError(f"{self.path}: cannot be written: another process has replaced it")
        blocks, box = self._blocks(number, arrays), self.layout.chunks.box_of(number)
        self._store.write(box, blocks)
        self.status[box] = blocks[STATUS]

    def values(self, variable: Variable) -> Any:
        """Return an output of all points, as an array that xarray reads part by part."""
        shape = (*self.status.shape, *variable.shape)
        return lazy_array(shape, variable.dtype, partial(self.read, variable))

    def read(self, variable: Variable, key: tuple[Any, ...]) -> NDArray[Any]:
        """Read a part of an output: an index, a slice or indices for each axis."""
        count = self.status.ndim
        keys = zip(key[:count], self.status.shape, strict=True)
        points = [np.asarray(np.arange(size)[one]) for one, size in keys]
        computed = self.status != STATUS_CODES[NOT_COMPUTED]
        places = [np.atleast_1d(one) for one in points]
        found = self._store.read_finished(variable.name, places, computed, advice=self._advice)
        shape = [size for one in points for size in one.shape]  # without the axes of numbers
        return found.reshape(*shape, *variable.shape)[(..., *key[count:])]

    def _advice(self, chunk: tuple[int, ...]) -> str:
        status = Path(self.path, STATUS, "c", *map(str, chunk))
        return f"; delete {status} and {AGAIN}"


def create_store(path: Path, layout: SweepLayout, *, overwrite: bool) -> SweepStore:
    """Return the store of a sweep, made if it is not there.

    One that is to replace another grows beside it, and goes on where an earlier one of the same
    spec was stopped; `finish_store` moves it into its place. Raises InputError where the folder
    belongs to another spec, with the difference, unless it is to be overwritten.
    """
    place = path
    if overwrite:
        is_own = partial(_is_of, layout)
        place = growing_place(path, MARKS, overwrite=True, is_own=is_own)
    if not exists(place) or empty_folder(place):
        further = [one.name for one in layout.coordinates if one.dims != (one.name,)]
        names = {
            "outputs": " ".join(one.name for one in layout.variables),
            "coordinates": " ".join(further),  # as other readers look for them
        }
        with new_store(place, FORM, {**_attributes(layout), **names}, overwrite=False) as store:
            _add_arrays(store, layout)
    store = open_store(place, FORM, WHAT, writable=True)
    kept = _layout_of(store)
    if kept.spec_hash != layout.spec_hash:
        hint = "give another folder, or add --overwrite to replace it"
        told = f"another sweep, its own against this one: {_difference(kept, layout)}"
        raise InputError(Problem("store", told, "those of this sweep", hint, str(path)))
    return SweepStore(store, kept)


def _is_of(layout: SweepLayout, place: Path) -> bool:
    """Return whether a folder holds the sweep of a layout."""
    try:
        return _layout_of(open_store(place, FORM, WHAT)).spec_hash == layout.spec_hash
    except UlnaError:
        return False


def finish_store(place: Path, path: Path) -> SweepStore:
    """Move a finished store into the place of the one that it replaces, and open it."""
    replace_folder(place, path)
    return read_store(path)


def read_store(path: Path) -> SweepStore:
    """Open the store of a sweep to read it."""
    store = open_store(path, FORM, WHAT)
    return SweepStore(store, _layout_of(store))


def _attributes(layout: SweepLayout) -> dict[str, Any]:
    from ulna.simulation.run import versions_here

    values = json.dumps(layout.content), layout.spec_hash, json.dumps(versions_here())
    return dict(zip(ABOUT, values, strict=True))


def _add_arrays(store: Store, layout: SweepLayout) -> None:
    for one in layout.coordinates:
        store.add(one.name, one.dims, one.values, {"units": one.unit} if one.unit else {})
    axes, points, box = tuple(layout.axes), tuple(layout.axes.values()), layout.chunks.box
    for output in layout.variables:
        store.add_empty(
            output.name,
            (*axes, *output.dims),
            (*points, *output.shape),
            {**output.attributes, **({"units": output.unit} if output.unit else {})},
            dtype=output.dtype,
            chunks=[max(n, 1) for n in (*box, *output.shape)],
            fill=output.fill,
        )


def _layout_of(store: Store) -> SweepLayout:
    """Return what a store holds, by its arrays."""
    try:
        about, status = store.attributes, store.arrays[STATUS]
        dims = {name: one.metadata.dimension_names for name, one in store.arrays.items()}
        count, sizes = status.ndim, dict[str, int]()
        for name, array in store.arrays.items():
            for dim, size in zip(dims[name], array.shape, strict=True):
                if sizes.setdefault(dim, size) != size:
                    raise ValueError(f"{dim} has two sizes")
        axes = {dim: sizes[dim] for dim in dims[STATUS]}
        variables = []
        for name in about["outputs"].split():
            array, further = store.arrays[name], dict(store.arrays[name].attrs)
            unit, fill, dtype = further.pop("units", ""), array.fill_value.item(), array.dtype.str
            shape = array.shape[count:]
            variables.append(Variable(name, unit, dims[name][count:], shape, dtype, fill, further))
        names = dict.fromkeys([*axes, *about["coordinates"].split(), *sizes])
        coordinates = [
            Coordinate(
                name, dims[name], store.read(name), store.arrays[name].attrs.get("units", "")
            )
            for name in names
            if name in store.arrays
        ]
        content = json.loads(about["spec"])
        layout = SweepLayout(content, axes, coordinates, variables, status.chunks)
        # The format changes with the statuses.
        if dict(status.attrs) != STATUS_VARIABLE.attributes:
            raise ValueError("it has other statuses")
        if layout.spec_hash != about["spec_hash"]:
            raise ValueError("it has another spec")
        return layout
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise FileError(f"{store.path}: cannot be read: its metadata is damaged") from error


def _difference(kept: SweepLayout, given: SweepLayout) -> str:
    from ulna.sweep.sweep_spec import differences

    told = differences(kept.content, json.loads(json.dumps(given.content)))
    return "; ".join(told[:MOST_DIFFERENCES]) + " ..." * (len(told) > MOST_DIFFERENCES)
