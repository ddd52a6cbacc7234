"""A batch in a Zarr folder: written slab by slab, and left there until it is asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ulna.errors import FileError, InputError, Problem
from ulna.simulation.batch.arrays import Source
from ulna.simulation.batch.layout import Layout
from ulna.simulation.batch.tables import HISTORIES, HISTORY
from ulna.simulation.formats import package
from ulna.simulation.status import Floats
from ulna.simulation.tables import Quantity

MARKS = (".zgroup", "zarr.json")  # one of them is in every folder that is a Zarr group
PIECES = "pieces"  # the attribute that says how many of them each history has


class ZarrWriter:
    """A Zarr folder while it is written, in version 2 of the format, which all readers know."""

    def __init__(self, part: Path, layout: Layout, zarr: Any) -> None:
        self._zarr, self._part, self._layout = zarr, part, layout
        self._store = zarr.storage.LocalStore(part)
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


def zarr_writer() -> Callable[[Path, Layout], ZarrWriter]:
    """Give what makes a writer, or say which package it lacks."""
    zarr = _zarr()
    return lambda part, layout: ZarrWriter(part, layout, zarr)


def open_zarr(path: Path) -> Source:
    """Open a Zarr folder to read from."""
    zarr = _zarr()
    if not any((path / mark).is_file() for mark in MARKS):
        need = "a batch that was saved as .zarr"
        raise InputError(Problem("file", "a folder of something else", need))
    group = zarr.open_group(zarr.storage.LocalStore(path, read_only=True), mode="r")
    attributes = dict(group.attrs)
    _check_pieces(path, attributes.pop(PIECES, "{}"))
    return Source(path, dict(group.arrays()), attributes, lambda: None, open_zarr)


def _zarr() -> Any:
    return package("zarr", "'ulna[zarr]'", "a .zarr folder")


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
