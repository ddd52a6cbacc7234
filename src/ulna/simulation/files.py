"""Files of runs: .nc (netCDF) holds a whole run and is read back, the others are tables."""

from __future__ import annotations

import importlib
import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_args

import numpy as np

from ulna.arm import Arm
from ulna.arm.robot_files import parse
from ulna.errors import InputError, Problem, Problems
from ulna.simulation.formats import (
    check_array,
    check_ordinary,
    from_json,
    package,
    read_settings,
    reading,
    texts_of,
    versions,
    warn_of_no_digest,
    write_variable,
)
from ulna.simulation.hdf5 import check_undamaged
from ulna.simulation.run import FORMAT, Run, signal_shapes
from ulna.simulation.status import (
    Contact,
    Event,
    Floats,
    Reason,
    Saturation,
    Side,
    Status,
    What,
)
from ulna.simulation.tables import (
    TIP_DISTURBANCE,
    TIP_DISTURBANCE_MOMENT,
    attributes,
    coordinates,
    quantities,
    write_csv,
    write_parquet,
)
from ulna.storage import append_trailer, whole_file
from ulna.typing import PathLike

ENDINGS = (".nc", ".csv", ".parquet")
TEXTS = ("arm", "settings", "status", "versions", "events", "contacts")
PACKED: Mapping[str, Any] = {"compression": "gzip", "shuffle": True, "fletcher32": True}


def save_run(run: Run, file: PathLike, *, overwrite: bool = True) -> None:
    """Write a run to a file of the kind that its name ends in."""
    write = _writer(Path(file))
    with whole_file(file, overwrite=overwrite) as part:
        write(run, part)


def open_run(file: PathLike) -> Run:
    """Read a run from a .nc file: the same arrays to the last bit, the same arm and settings.

    A file that was damaged since it was written is refused by its digest. One that carries none is
    parsed by a process of its own first, and opened with a warning. Settings that older versions
    named otherwise get the names that they have here.

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
    if path.suffix.lower() in ENDINGS[1:]:
        need = "a .nc file: only that holds a whole run"
        raise InputError(Problem("file", f"'{path}'", need, "save the run as .nc"))
    hdf5 = package("h5py", "h5py", "a .nc file")
    with reading(path):
        check_ordinary(path)
        with path.open("rb") as stream:
            trailer = check_undamaged(path, stream, "a run that was saved as .nc")
            with hdf5.File(stream, "r") as content:
                run = _run(content)
    if trailer is None:
        warn_of_no_digest(path)
    return run


def _writer(path: Path) -> Callable[[Run, Path], None]:
    ending = path.suffix.lower()
    if ending == ".nc":
        text = package("h5py", "h5py", "a .nc file").string_dtype()
        netcdf = package("h5netcdf", "h5netcdf", "a .nc file")
        return lambda run, part: _write_netcdf(run, part, netcdf, text)
    if ending == ".csv":
        return write_csv
    if ending == ".parquet":
        package("pyarrow.parquet", "'ulna[tables]'", "a .parquet file")
        pyarrow = importlib.import_module("pyarrow")
        return lambda run, part: write_parquet(run, part, pyarrow)
    raise InputError(Problem("file", f"'{path}'", "a name that ends in " + ", ".join(ENDINGS)))


def _write_netcdf(run: Run, part: Path, netcdf: Any, text: Any) -> None:
    # Through memory: where the disk is full, HDF5 takes the whole process down with it.
    memory = io.BytesIO()
    with netcdf.File(memory, "w") as content:
        axes = coordinates(run)
        content.dimensions = {name: len(axis.values) for name, axis in axes.items()}
        for name, quantity in (axes | quantities(run)).items():
            write_variable(content, name, quantity, text, **PACKED)
        content.attrs.update(attributes(run))
    append_trailer(memory)
    part.write_bytes(memory.getbuffer())


def _run(content: Any) -> Run:
    texts = texts_of(content.attrs, str(FORMAT), TEXTS)
    # Files from before there was any say nothing of it.
    texts["saturation"] = str(content.attrs.get("saturation", "[]"))
    arm, _ = parse(texts["arm"], "arm")
    arrays = _arrays(content, arm)
    checks = Problems()
    parts = {
        "status": from_json(checks, "status", texts, _status),
        "settings": from_json(checks, "settings", texts, read_settings),
        "versions": from_json(checks, "versions", texts, versions),
        "events": from_json(checks, "events", texts, lambda all_of: _events(all_of, arm.n)),
        "contacts": from_json(checks, "contacts", texts, _contacts),
        "saturation": from_json(checks, "saturation", texts, _saturation),
    }
    checks.raise_if_any()
    return Run(arm, **arrays, **parts)  # type: ignore[arg-type]


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
    # What a run need not have, a file need not either.
    signals = {
        **signal_shapes(samples, arm.n),
        TIP_DISTURBANCE: per_axis,
        TIP_DISTURBANCE_MOMENT: per_sample,
    }
    wanted |= {name: shape for name, shape in signals.items() if name in content}
    for name, shape in wanted.items():
        check_array(checks, name, content.get(name), shape)
    if (TIP_DISTURBANCE in wanted) != (TIP_DISTURBANCE_MOMENT in wanted):
        checks.add(TIP_DISTURBANCE, "a force without its moment, or the other way round", "both")
    checks.raise_if_any()
    arrays = {name: content[name][...] for name in wanted}
    arrays["t"] = arrays.pop("time")
    arrays["tip_force"] = np.column_stack([arrays["tip_force"], arrays.pop("tip_moment")])
    if TIP_DISTURBANCE in wanted:
        arrays[TIP_DISTURBANCE] = np.column_stack(
            [arrays[TIP_DISTURBANCE], arrays.pop(TIP_DISTURBANCE_MOMENT)]
        )
    return arrays


def _status(plain: Any) -> Status:
    return Status(bool(plain["ok"]), _one_of(Reason, plain["reason"]), str(plain["text"]))


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


def _saturation(plain: Any) -> tuple[Saturation, ...]:
    return tuple(
        Saturation(
            int(one["joint"]), int(one["episodes"]), float(one["seconds"]), float(one["first"])
        )
        for one in plain
    )


def _one_of(known: Any, word: Any) -> Any:
    if word not in get_args(known):
        raise ValueError(word)
    return word
