"""Results of a sweep on disk: a Zarr folder, and beside its data a record of every finished chunk.

    STORE/.zgroup .zattrs .zmetadata    the dataset: dims by parameter, units, spec, versions
    STORE/NAME/0.1.0                    a chunk of an array: consecutive points, uncompressed
    STORE/progress/7                    the record of a finished chunk, with the digests of its data

A chunk is a block of consecutive point numbers. Its files are written and brought onto the disk
first, each whole or not at all; then its record, which is bound to the hash of the spec. What has
no valid record is not there: it reads as NaN, and is computed when the sweep goes on. Chunks
do not depend on who computes them, so that a sweep can go on with any number of workers.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ulna.errors import FileError, InputError, Problem
from ulna.storage import (
    MISMATCH,
    DamagedError,
    digest,
    empty_folder,
    exists,
    read_text,
    sealed,
    unsealed,
    whole_folder,
    write_whole,
)
from ulna.sweep.chunks import ChunkGrid, Coordinate, SweepLayout, Variable

Arrays: TypeAlias = Mapping[str, NDArray[Any]]

FORMAT = 1
DESCRIPTION, PROGRESS, LOCK = "sweep.json", "progress", ".lock"
MESSAGE = "message"  # the output that is text, and kept in the records
MARKS = (DESCRIPTION,)
MOST_DIFFERENCES = 12  # in a message
METADATA = {"zarr_format": 2}


class ChunkRecord(NamedTuple):
    """What is known of a finished chunk."""

    digests: Mapping[str, str]  # of its data, by the names of the outputs
    machine: Mapping[str, str]  # what computed it: versions, and features of the processor
    set_aside: Sequence[int] = ()  # points that could not be computed
    messages: Mapping[str, str] = {}  # what there is to say of points, by their numbers

    def to_bytes(self, spec_hash: str, number: int) -> bytes:
        """Write it, bound to a spec and to its number."""
        content = {"spec": spec_hash, "chunk": number, **self._asdict()}
        return sealed(json.dumps(content).encode())

    @classmethod
    def from_bytes(cls, raw: bytes, spec_hash: str, number: int) -> ChunkRecord | None:
        """Read it; None of one that is damaged, or bound to something else."""
        try:
            content = json.loads(unsealed(raw))
        except DamagedError:
            return None
        if (content.pop("spec"), content.pop("chunk")) != (spec_hash, number):
            return None
        return cls(**content)


@cache
def machine() -> Mapping[str, str]:
    """Return what this process computes with: versions, and features of the processor."""
    from ulna.kernels.code import processor
    from ulna.simulation.run import versions_here

    _, name, features = processor()
    own = sorted(one for one in features.split(",") if one.startswith("+"))
    return {**versions_here(), "cpu": name, "cpu_features": ",".join(own)}


class SweepStore:
    """A folder with the results of a sweep, as far as they are there.

    Parameters
    ----------
    path : Path
        The folder, which `create_store` has made.
    layout : SweepLayout
        What it holds.
    """

    def __init__(self, path: Path, layout: SweepLayout) -> None:
        self.path, self.layout, self.chunks = path, layout, layout.chunks
        self._records: dict[int, ChunkRecord] | None = None
        self._machines: dict[str, Mapping[str, str]] = {}

    @property
    def records(self) -> dict[int, ChunkRecord]:
        """The records of all finished chunks, by their numbers."""
        if self._records is None:
            found = ((n, self._read_record(n)) for n in self._recorded())
            self._records = {n: self._sharing(one) for n, one in sorted(found) if one is not None}
        return self._records

    def forget(self, numbers: Sequence[int]) -> None:
        """Take chunks for unfinished."""
        for number in numbers:
            self.records.pop(number, None)
            _record_file(self.path, number).unlink(missing_ok=True)

    def damaged(self) -> list[int]:
        """Return the finished chunks whose data is not as it was written."""
        return [number for number in self.records if not self._is_intact(number)]

    def record(self, number: int, record: ChunkRecord) -> None:
        """Note that a chunk is finished, all of whose data is on the disk."""
        file = _record_file(self.path, number)
        write_whole(file, record.to_bytes(self.layout.spec_hash, number))
        _sync_folder(file.parent)
        self.records[number] = self._sharing(record)

    def read(self, name: str, number: int) -> NDArray[Any] | None:
        """Return an output of a finished chunk, in a box; None of one that is not finished."""
        record = self.records.get(number)
        if record is None:
            return None
        variable = next(one for one in self.layout.variables if one.name == name)
        raw = _read_data(self.path, self.chunks, name, number, len(variable.shape))
        if digest([raw]).hex() != record.digests.get(name):
            points = self.chunks.points(number)
            told = f"points {points[0]} to {points[-1]}: {MISMATCH}"
            hint = "run the sweep again with --verify to compute them anew"
            raise FileError(f"{self.path}: {name}: cannot be read: {told}; {hint}")
        whole = np.frombuffer(raw, variable.dtype).reshape(*self.chunks.box, *variable.shape)
        return whole[tuple(slice(n) for n in self.chunks.extent(number))]

    def write_attributes(self, attributes: Mapping[str, Any]) -> None:
        """Set what the dataset says of itself."""
        metadata = _metadata(self.layout, self.chunks, attributes)
        write_whole(self.path / ".zmetadata", _json({"zarr_consolidated_format": 1, **metadata}))
        write_whole(self.path / ".zattrs", _json(metadata["metadata"][".zattrs"]))

    def remove_parts(self) -> None:
        """Remove what a process that was killed has left half written."""
        for pattern in (".*.part", "*/.*.part"):
            for part in self.path.glob(pattern):
                part.unlink(missing_ok=True)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from writing to the store; the system ends it with this process."""
        with (self.path / PROGRESS / LOCK).open("a+b") as stream:
            if not _lock(stream.fileno()):
                need = "a store that nobody writes to"
                hint = "wait for the other sweep, or give another folder"
                got = "a store that another process is writing"
                raise InputError(Problem("store", got, need, hint, str(self.path)))
            yield

    def _sharing(self, record: ChunkRecord) -> ChunkRecord:
        """Return a record that holds a machine once with all others: there may be many records."""
        text = json.dumps(record.machine, sort_keys=True)
        return record._replace(machine=self._machines.setdefault(text, record.machine))

    def _recorded(self) -> Iterator[int]:
        for file in (self.path / PROGRESS).iterdir():
            if file.name.isdecimal() and int(file.name) < len(self.chunks):
                yield int(file.name)

    def _read_record(self, number: int) -> ChunkRecord | None:
        raw = _record_file(self.path, number).read_bytes()
        record = ChunkRecord.from_bytes(raw, self.layout.spec_hash, number)
        return record if record is not None and self.has_data(number) else None

    def has_data(self, number: int) -> bool:
        """Return whether all files of a chunk are there in their sizes."""
        for one in self.layout.variables:
            file = _data_file(self.path, self.chunks, one.name, number, len(one.shape))
            size = math.prod(self.chunks.box) * one.bytes_per_point
            if not file.is_file() or file.stat().st_size != size:
                return False
        return True

    def _is_intact(self, number: int) -> bool:
        try:
            return all(self.read(one.name, number) is not None for one in self.layout.variables)
        except FileError:
            return False


def write_chunk(path: Path, layout: SweepLayout, number: int, arrays: Arrays) -> Mapping[str, str]:
    """Write the data of a chunk onto the disk; return the digests that its record has."""
    chunks, digests = layout.chunks, {}
    for one in layout.variables:
        found = np.asarray(arrays[one.name], one.dtype)
        extent = chunks.extent(number)
        whole = np.full((*chunks.box, *one.shape), one.fill, one.dtype)
        whole[tuple(slice(n) for n in extent)] = found.reshape(*extent, *one.shape)
        raw = whole.tobytes()
        write_whole(_data_file(path, chunks, one.name, number, len(one.shape)), raw)
        _sync_folder(path / one.name)
        digests[one.name] = digest([raw]).hex()
    return digests


def messages_of(points: range, arrays: Arrays) -> dict[str, str]:
    """Return what there is to say of points: of most there is nothing."""
    texts = arrays.get(MESSAGE)
    if texts is None:
        return {}
    return {str(points[k]): str(texts[k]) for k in np.flatnonzero(texts != "")}


def create_store(
    path: Path, layout: SweepLayout, attributes: Mapping[str, Any], *, overwrite: bool
) -> SweepStore:
    """Return the store of a sweep, made if it is not there.

    Raises InputError where the folder belongs to another spec, with the difference, unless it is to
    be overwritten.
    """
    if overwrite or not exists(path) or empty_folder(path):
        if (path / DESCRIPTION).is_file():
            with SweepStore(path, layout).locked():
                pass
        metadata = _metadata(layout, layout.chunks, attributes)
        with whole_folder(path, MARKS, overwrite=overwrite) as part:
            _write_empty(part, layout, metadata)
        return SweepStore(path, layout)
    kept = read_layout(path)
    if kept.spec_hash != layout.spec_hash:
        hint = "give another folder, or add --overwrite to replace it"
        told = f"another sweep, its own against this one: {_difference(kept, layout)}"
        raise InputError(Problem("store", told, "those of this sweep", hint, str(path)))
    return SweepStore(path, kept)


def read_layout(path: Path) -> SweepLayout:
    """Return what a store holds; raise where the folder is none, or damaged."""
    if not (path / DESCRIPTION).is_file():
        folder = "a folder of something else" if path.is_dir() else "a file"
        got = folder if exists(path) else "nothing"
        need = "a folder that `ulna sweep` has made"
        raise InputError(Problem("store", got, need, "", str(path)))
    text = read_text(path / DESCRIPTION)
    try:
        content = json.loads(text)
        if content["format"] != FORMAT:
            got, need = f"format {content['format']}", f"format {FORMAT}"
            hint = "it takes another version of ulna to read it"
            raise InputError(Problem("store", got, need, hint, str(path)))
        expected = content.pop("digest")
        if digest([json.dumps(content).encode()]).hex() != expected:
            raise DamagedError(MISMATCH)
        return _layout_from(path, content)
    except (DamagedError, ValueError, KeyError, TypeError, RecursionError, OSError) as error:
        if isinstance(error, InputError):
            raise
        told = error if isinstance(error, DamagedError | OSError) else MISMATCH
        raise FileError(f"{path / DESCRIPTION}: cannot be read: {told}") from error


def _description(layout: SweepLayout) -> dict[str, Any]:
    """Return a layout as plain data; the values of coordinates are in arrays of their own."""
    coordinates = [
        {
            **one._asdict(),
            "values": {
                "dtype": _stored(one.values).dtype.str,
                "shape": one.values.shape,
                "digest": digest([_stored(one.values).tobytes()]).hex(),
            },
        }
        for one in layout.coordinates
    ]
    variables = [
        {**one._asdict(), "fill": None if math.isnan(one.fill) else one.fill}
        for one in layout.variables
    ]
    plain = {"format": FORMAT, **layout._asdict()}
    plain |= {
        "box": layout.chunks.box,
        "axes": dict(layout.axes),
        "coordinates": coordinates,
        "variables": variables,
    }
    content = json.loads(json.dumps(plain))
    return {**content, "digest": digest([json.dumps(content).encode()]).hex()}


def _layout_from(path: Path, content: dict[str, Any]) -> SweepLayout:
    coordinates = []
    for one in content["coordinates"]:
        about = one["values"]
        raw = (path / one["name"] / _first(len(about["shape"]))).read_bytes()
        if digest([raw]).hex() != about["digest"]:
            raise DamagedError(f"{one['name']}: {MISMATCH}")
        values = np.frombuffer(raw, about["dtype"]).reshape(about["shape"])
        coordinates.append(Coordinate(one["name"], tuple(one["dims"]), values, one["unit"]))
    # Sizes are those of the coordinates, which are there to be counted.
    sizes = {
        dim: size
        for one in coordinates
        for dim, size in zip(one.dims, one.values.shape, strict=True)
    }
    axes, box = {name: sizes[name] for name in content["axes"]}, tuple(content["box"])
    is_box = len(box) == len(axes) > 0 and all(type(n) is int and n > 0 for n in box)
    if axes != content["axes"] or not is_box:
        raise DamagedError(MISMATCH)
    variables = [
        Variable(
            **{
                **one,
                "dims": tuple(one["dims"]),
                "shape": tuple(sizes[dim] for dim in one["dims"]),
                "dtype": np.dtype(one["dtype"]).str,
                "fill": math.nan if one["fill"] is None else one["fill"],
            }
        )
        for one in content["variables"]
    ]
    return SweepLayout(
        content["spec_hash"], content["content"], content["text"], axes, coordinates, variables, box
    )


def _first(axes: int) -> str:
    return ".".join("0" * axes)


def _difference(kept: SweepLayout, given: SweepLayout) -> str:
    from ulna.sweep.sweep_spec import differences

    told = differences(kept.content, json.loads(json.dumps(given.content)))
    return "; ".join(told[:MOST_DIFFERENCES]) + " ..." * (len(told) > MOST_DIFFERENCES)


def _write_empty(part: Path, layout: SweepLayout, metadata: Mapping[str, Any]) -> None:
    for key, content in metadata["metadata"].items():
        file = part / key
        file.parent.mkdir(exist_ok=True)
        file.write_text(_json(content), "utf-8")
    (part / ".zmetadata").write_text(_json({"zarr_consolidated_format": 1, **metadata}), "utf-8")
    for one in layout.coordinates:
        (part / one.name / _first(one.values.ndim)).write_bytes(_stored(one.values).tobytes())
    (part / PROGRESS).mkdir()
    (part / DESCRIPTION).write_text(_json(_description(layout)), "utf-8")


def _metadata(
    layout: SweepLayout, chunks: ChunkGrid, attributes: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the metadata of all arrays in version 2 of Zarr's format, which all readers know."""
    found: dict[str, Any] = {".zgroup": METADATA}
    names = " ".join(one.name for one in layout.coordinates if one.dims != (one.name,))
    found[".zattrs"] = {**attributes, **({"coordinates": names} if names else {})}
    for coordinate in layout.coordinates:
        values = _stored(coordinate.values)
        found[f"{coordinate.name}/.zarray"] = _array(
            values.shape, values.shape, values.dtype.str, None
        )
        found[f"{coordinate.name}/.zattrs"] = _attributes(coordinate.dims, coordinate.unit)
    axes, shape = tuple(layout.axes), tuple(layout.axes.values())
    for one in layout.variables:
        fill = "NaN" if math.isnan(one.fill) else int(one.fill)
        found[f"{one.name}/.zarray"] = _array(
            (*shape, *one.shape), (*chunks.box, *one.shape), one.dtype, fill
        )
        about = _attributes((*axes, *one.dims), one.unit)
        found[f"{one.name}/.zattrs"] = {**about, **one.attributes}
    return {"metadata": found}


def _array(
    shape: tuple[int, ...], box: tuple[int, ...], dtype: str, fill: str | int | None
) -> dict[str, Any]:
    return {
        **METADATA,
        "shape": shape,
        "chunks": [max(size, 1) for size in box],
        "dtype": dtype,
        "fill_value": fill,
        "order": "C",
        "compressor": None,
        "filters": None,
    }


def _attributes(dims: tuple[str, ...], unit: str) -> dict[str, Any]:
    return {"_ARRAY_DIMENSIONS": dims, **({"units": unit} if unit else {})}


def _stored(values: NDArray[Any]) -> NDArray[Any]:
    kept = np.asarray(values)
    return kept.astype(kept.dtype.newbyteorder("<"))


def _json(content: Any) -> str:
    return json.dumps(content, indent=1) + "\n"


def _data_file(path: Path, chunks: ChunkGrid, name: str, number: int, further: int) -> Path:
    return path / name / ".".join(map(str, (*chunks.place(number), *[0] * further)))


def _read_data(path: Path, chunks: ChunkGrid, name: str, number: int, further: int) -> bytes:
    file = _data_file(path, chunks, name, number, further)
    try:
        return file.read_bytes()
    except OSError as error:
        raise FileError(f"{file}: cannot be read: {error.strerror}") from error


def _record_file(path: Path, number: int) -> Path:
    return path / PROGRESS / str(number)


def _sync_folder(folder: Path) -> None:
    """Bring the names of a folder's files onto the disk, where the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _lock(handle: int) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows, where a file that is open cannot be removed either
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a disk without locks
        return True
    return True
