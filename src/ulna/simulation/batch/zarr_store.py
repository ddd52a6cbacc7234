"""A batch in a Zarr folder: written slab by slab, and left there until it is asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.errors import FileError, InputError, Problem
from ulna.simulation.batch.batch_run import HISTORIES, HISTORY
from ulna.simulation.batch.stored_arrays import BatchSource
from ulna.simulation.files import package
from ulna.simulation.outcome import Floats
from ulna.simulation.tables import Quantity
from ulna.storage import MISMATCH, DamagedError, digest, sealed, unsealed

if TYPE_CHECKING:
    from ulna.simulation.batch.batch_files import BatchLayout

MARKS = (".zgroup", "zarr.json")  # one of them is in every folder that is a Zarr group
PIECES = "pieces"  # the attribute that says how many of them each history has
# The digest of every other file, under a name that readers of Zarr do not come upon.
DIGESTS = "q/.digests"


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
    return package("zarr", "'ulna[zarr]'", "a .zarr folder")


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
