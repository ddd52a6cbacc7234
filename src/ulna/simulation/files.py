"""Files of runs: .nc (netCDF) holds a whole run and is read back, the others are tables."""

from __future__ import annotations

import importlib
import io
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar, get_args

import numpy as np

from ulna.arm import Arm
from ulna.arm.checks import Problems
from ulna.arm.files import parse
from ulna.errors import FileError, InputError, MissingExtraError, Problem, UlnaError, shown
from ulna.simulation.run import FORMAT, Run
from ulna.simulation.status import Contact, Event, Floats, Reason, Side, Status, What
from ulna.simulation.tables import (
    Quantity,
    attributes,
    coordinates,
    quantities,
    write_csv,
    write_parquet,
)
from ulna.storage import whole_file

ENDINGS = (".nc", ".csv", ".parquet")
HDF5 = b"\x89HDF\r\n\x1a\n"  # what every netCDF 4 file begins with
LONGEST_TROUBLE = 200  # letters: HDF5 tells long stories

T = TypeVar("T")


def save_run(run: Run, file: str | os.PathLike[str], *, force: bool = True) -> None:
    """Write a run to a file of the kind that its name ends in."""
    write = _writer(Path(file))
    with whole_file(file, force=force) as part:
        write(run, part)


def open_run(file: str | os.PathLike[str]) -> Run:
    """Read a run from a .nc file: the same arrays to the last bit, the same arm and settings.

    Raises FileError where the file cannot be read or is damaged, and InputError where it is
    no run.
    """
    path = Path(file)
    if path.suffix.lower() in ENDINGS[1:]:
        need = "a .nc file: only that holds a whole run"
        raise InputError(Problem("file", f"'{path}'", need, "save the run as .nc"))
    hdf5 = _package("h5py", "h5py", "a .nc file")
    try:
        if path.exists() and not path.is_file():
            raise FileError(f"{path}: cannot be read: it is no ordinary file")
        with path.open("rb") as stream:
            _check_kind(stream.read(len(HDF5)))
            with hdf5.File(stream, "r") as content:
                return _run(content)
    except InputError as error:
        raise InputError([_placed(problem, path) for problem in error.problems]) from None
    except UlnaError:
        raise
    except Exception as error:
        # A damaged file may surprise HDF5 anywhere, and it has no exception of its own for that.
        raise FileError(f"{path}: cannot be read: {_trouble(error)}") from error


def _writer(path: Path) -> Callable[[Run, Path], None]:
    ending = path.suffix.lower()
    if ending == ".nc":
        text = _package("h5py", "h5py", "a .nc file").string_dtype()
        netcdf = _package("h5netcdf", "h5netcdf", "a .nc file")
        return lambda run, part: _write_netcdf(run, part, netcdf, text)
    if ending == ".csv":
        return write_csv
    if ending == ".parquet":
        _package("pyarrow.parquet", "'ulna[tables]'", "a .parquet file")
        pyarrow = importlib.import_module("pyarrow")
        return lambda run, part: write_parquet(run, part, pyarrow)
    raise InputError(Problem("file", f"'{path}'", "a name that ends in " + ", ".join(ENDINGS)))


def _package(name: str, install: str, purpose: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        way = f"pip install {install}"
        raise MissingExtraError(f"{purpose} needs {package}, which is missing: {way}") from error


def _write_netcdf(run: Run, part: Path, netcdf: Any, text: Any) -> None:
    # Through memory: where the disk is full, HDF5 takes the whole process down with it.
    memory = io.BytesIO()
    with netcdf.File(memory, "w") as content:
        axes = coordinates(run)
        content.dimensions = {name: len(axis.values) for name, axis in axes.items()}
        for name, quantity in (axes | quantities(run)).items():
            _write_variable(content, name, quantity, text)
        content.attrs.update(attributes(run))
    part.write_bytes(memory.getbuffer())


def _write_variable(content: Any, name: str, quantity: Quantity, text: Any) -> None:
    values = quantity.values
    if values.dtype.kind == "U":
        variable = content.create_variable(name, quantity.axes, data=values.astype(text))
    else:
        packed: dict[str, Any] = {"compression": "gzip", "shuffle": True, "fletcher32": True}
        variable = content.create_variable(name, quantity.axes, data=values, **packed)
    variable.attrs.update(quantity.attributes)


def _check_kind(head: bytes) -> None:
    if head != HDF5:
        raise InputError(Problem("file", "something else", "a run that was saved as .nc"))


def _run(content: Any) -> Run:
    texts = _texts(content.attrs)
    arm, _ = parse(texts["arm"], "arm")
    arrays = _arrays(content, arm)
    checks = Problems()
    parts = {
        "status": _part(checks, "status", texts, _status),
        "settings": _part(checks, "settings", texts, dict),
        "versions": _part(checks, "versions", texts, _versions),
        "events": _part(checks, "events", texts, lambda all_of: _events(all_of, arm.n)),
        "contacts": _part(checks, "contacts", texts, _contacts),
    }
    checks.raise_if_any()
    return Run(arm, **arrays, **parts)  # type: ignore[arg-type]


def _texts(found: Mapping[str, Any]) -> dict[str, str]:
    """Take the provenance, as text; the format first, which says what else there is."""
    version = found.get("format")
    if version != str(FORMAT):
        got = "nothing" if version is None else shown(version)
        hint = "" if version is None else "is it from a later ulna?"
        raise InputError(Problem("format", got, f"'{FORMAT}', the format of a saved run", hint))
    checks = Problems()
    names = ("arm", "settings", "status", "versions", "events", "contacts")
    for name in names:
        if not isinstance(found.get(name), str):
            checks.add(name, shown(found.get(name)), "text in the attribute of this name")
    checks.raise_if_any()
    return {name: found[name] for name in names}


def _arrays(content: Any, arm: Arm) -> dict[str, Floats]:
    checks = Problems()
    time = content.get("time")
    samples = time.shape[0] if getattr(time, "shape", ()) else 1
    per_joint, per_axis, per_sample = (samples, arm.n), (samples, 2), (samples,)
    wanted: dict[str, tuple[int, ...]] = {
        "time": per_sample,
        **dict.fromkeys(("q", "qd", "qdd", "tau"), per_joint),
        "tip_force": per_axis,
        **dict.fromkeys(("tip_moment", "injected", "dissipated"), per_sample),
    }
    for name, shape in wanted.items():
        _check_array(checks, name, content.get(name), shape)
    checks.raise_if_any()
    arrays = {name: content[name][...] for name in wanted}
    arrays["t"] = arrays.pop("time")
    arrays["tip_force"] = np.column_stack([arrays["tip_force"], arrays.pop("tip_moment")])
    return arrays


def _check_array(checks: Problems, name: str, found: Any, shape: tuple[int, ...]) -> None:
    kind, size = getattr(found, "dtype", None), getattr(found, "shape", None)
    if kind != np.float64 or size != shape:
        got = "nothing" if kind is None else f"{kind} of shape {size}"
        checks.add(name, got, f"float64 of shape {shape}")


def _part(
    checks: Problems, name: str, texts: Mapping[str, str], build: Callable[[Any], T]
) -> T | None:
    try:
        return build(json.loads(texts[name]))
    except (ValueError, TypeError, KeyError, RecursionError):
        checks.add(name, shown(texts[name]), f"the {name} of a run as JSON")
        return None


def _status(plain: Any) -> Status:
    return Status(bool(plain["ok"]), _one_of(Reason, plain["reason"]), str(plain["text"]))


def _versions(plain: Any) -> dict[str, str]:
    return {str(name): str(version) for name, version in dict(plain).items()}


def _events(plain: Any, n: int) -> tuple[Event, ...]:
    def state(values: Any) -> Floats:
        return np.asarray(values, dtype=np.float64).reshape(n)

    return tuple(
        Event(str(one["name"]), float(one["t"]), state(one["q"]), state(one["qd"])) for one in plain
    )


def _contacts(plain: Any) -> tuple[Contact, ...]:
    return tuple(
        Contact(
            float(one["t"]),
            int(one["joint"]),
            _one_of(Side, one["side"]),
            _one_of(What, one["what"]),
            float(one["speed"]),
        )
        for one in plain
    )


def _one_of(known: Any, word: Any) -> Any:
    if word not in get_args(known):
        raise ValueError(word)
    return word


def _placed(problem: Problem, path: Path) -> Problem:
    return problem.at(f"{path}, {problem.place}" if problem.place else str(path))


def _trouble(error: Exception) -> str:
    told = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(told.split())[:LONGEST_TROUBLE]
