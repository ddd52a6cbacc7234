"""Files of runs: .nc (netCDF) holds a whole run and is read back, the others are tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ulna.concurrency import call_in_thread
from ulna.errors import FileError, InputError, Problem, UlnaError, import_extra, rewording, shown
from ulna.scenario.codec import read_stored
from ulna.simulation.motor_use import MotorUse
from ulna.simulation.outcome import Contact, Event, Floats, Saturation, Status, Sticking
from ulna.simulation.run import FORMAT, Run, signal_shapes
from ulna.simulation.tables import (
    FLOWS,
    TIP_DISTURBANCE,
    TIP_DISTURBANCE_MOMENT,
    dataset,
    write_csv,
    write_parquet,
)
from ulna.storage import whole_file
from ulna.typing import PathLike

ENDINGS = (".nc", ".csv", ".parquet")
SIGNATURE = b"\x89HDF\r\n\x1a\n"  # what every netCDF 4 file begins with
# HDF5 checks these sums when it reads.
CHECKED: Mapping[str, Any] = {"compression": "gzip", "shuffle": True, "fletcher32": True}
RECORDED = ("time", "q", "qd", "qdd", "tau", "injected", "dissipated")
LONGEST_TROUBLE = 200  # letters: messages of HDF5 are long


def save_run(run: Run, file: PathLike, *, overwrite: bool = True) -> None:
    """Write a run to a file of the kind that its name ends in."""
    write = _writer(Path(file))
    with whole_file(file, overwrite=overwrite) as part:
        write(run, part)


def open_run(file: PathLike) -> Run:
    """Read a run from a .nc file: the same arrays to the last bit, and the same scenario.

    Parameters
    ----------
    file : str or path
        The name of a .nc file that `Run.save` wrote.

    Returns
    -------
    Run
        The run.

    Raises
    ------
    FileError
        The file cannot be read, or is damaged.
    InputError
        It holds no run.

    Examples
    --------
    >>> import tempfile, ulna
    >>> run = ulna.simulate(ulna.preset("unit"), q0=[0.0, 0.0], duration=0.1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run.save(f"{folder}/run.nc")
    ...     same = open_run(f"{folder}/run.nc")
    >>> same.status.reason, bool((same.q == run.q).all())
    ('done', True)
    """
    path = Path(file)
    with reading(path):
        _check_kind(path)
        return _run(call_in_thread(_read_netcdf, path))


def _read_netcdf(path: Path) -> dict[str, Any]:
    """Return the arrays and texts of a file."""
    # By HDF5 alone: attributes and dimensions, which readers of netCDF follow, have no checksums.
    import h5py

    with h5py.File(path) as content:
        # A list: iterators of h5py hold its lock for as long as they are not at their end.
        names = list(content)
        need = f"'{FORMAT}', a saved run"
        found = shown(_values(content["format"])) if "format" in names else "nothing"
        if found != repr(FORMAT):
            hint = "if ulna wrote it, another version did, which reads it"
            raise InputError(Problem("format", found, need, hint))
        return {name: _values(content[name]) for name in names}


def _values(variable: Any) -> Any:
    values = variable[()]
    return values.tobytes().decode("utf-8") if values.dtype.kind == "S" else values


def _check_kind(path: Path) -> None:
    """Raise InputError for what is no netCDF file."""
    if path.suffix.lower() in ENDINGS[1:]:
        need = "a .nc file: only that holds a whole run"
        raise InputError(Problem("file", f"'{path.name}'", need, "save the run as .nc"))
    if path.is_dir():
        hint = "ulna.open_batch and ulna.open_sweep read folders"
        raise InputError(Problem("file", "a folder", "a run that was saved as .nc", hint))
    if path.exists() and not path.is_file():  # a pipe would be waited for
        raise OSError("it is no ordinary file")
    with path.open("rb") as stream:
        if stream.read(len(SIGNATURE)) != SIGNATURE:
            raise InputError(Problem("file", "something else", "a run that was saved as .nc"))


def _writer(path: Path) -> Callable[[Run, Path], None]:
    ending = path.suffix.lower()
    if ending == ".nc":
        return _write_netcdf
    if ending == ".csv":
        return write_csv
    if ending == ".parquet":
        import_extra("pyarrow.parquet", "tables", "a .parquet file")
        return write_parquet
    raise InputError(Problem("file", f"'{path}'", "a name that ends in " + ", ".join(ENDINGS)))


def _write_netcdf(run: Run, part: Path) -> None:
    content = dataset(run)
    # As arrays of characters, since HDF5 has no checksum for attributes.
    texts = {name: ((), text) for name, text in content.attrs.items()}
    content = content.assign(texts).drop_attrs(deep=False)
    encoding = {
        name: {**CHECKED, **({"dtype": "S1"} if one.dtype.kind == "U" else {"_FillValue": None})}
        for name, one in content.variables.items()
    }
    # Through memory: where the disk is full, HDF5 takes the whole process down with it.
    part.write_bytes(call_in_thread(content.to_netcdf, engine="h5netcdf", encoding=encoding))


def _run(found: Mapping[str, Any]) -> Run:
    """Return the run whose arrays and texts a file holds."""

    def plain(name: str) -> Any:
        return json.loads(found[name])

    scenario = read_stored(plain("scenario"))
    arrays = {name: found[name] for name in (*RECORDED, *signal_shapes(1, 1)) if name in found}
    arrays["tip_force"] = _columns(found, "tip_force", "tip_moment")
    if TIP_DISTURBANCE in found:
        arrays[TIP_DISTURBANCE] = _columns(found, TIP_DISTURBANCE, TIP_DISTURBANCE_MOMENT)
    if set(FLOWS) <= set(found):
        arrays["energy_flows"] = _columns(found, *FLOWS)
    return Run(
        scenario.arm,
        arrays.pop("time"),
        **arrays,
        status=Status(**plain("status")),
        scenario=scenario,
        versions=plain("versions"),
        events=tuple(_event(**one) for one in plain("events")),
        contacts=tuple(Contact(**one) for one in plain("contacts")),
        saturation=tuple(Saturation(**one) for one in plain("saturation")),
        sticking=tuple(Sticking(**one) for one in plain("sticking")),
        motors=tuple(MotorUse(**one) for one in plain("motors")),
    )


def _columns(found: Mapping[str, Any], *names: str) -> Floats:
    return np.column_stack([found[name] for name in names])


def _event(name: str, t: float, q: Iterable[float], qd: Iterable[float]) -> Event:
    return Event(name, t, np.array(q, float), np.array(qd, float))


def _place(problem: Problem, path: Path) -> Problem:
    """Return a problem with the name of the file, if it has none."""
    inside = problem.place
    if inside.startswith(str(path)):
        return problem
    return problem.at(f"{path}, {inside}" if inside else str(path))


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Name the file in whatever goes wrong with it inside the block."""
    try:
        with rewording(lambda problem: _place(problem, path)):
            yield
    except UlnaError:
        raise
    except Exception as error:
        # A damaged file may surprise HDF5 anywhere, and it has no exception of its own for that.
        told = getattr(error, "strerror", None) or str(error) or type(error).__name__
        told = " ".join(told.split())[:LONGEST_TROUBLE]
        told = "its data are damaged" if "filter returned failure" in told else told
        raise FileError(f"{path}: cannot be read: {told}") from error
