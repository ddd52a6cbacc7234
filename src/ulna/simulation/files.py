"""Files of runs: .nc (netCDF) holds a whole run and is read back, the others are tables.

Files of batches share the checks: what is wrong with a file is told with its name, and names of
older versions are read as those that they have here.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, get_args

import numpy as np

from ulna.arm import Arm
from ulna.arm.robot_files import parse
from ulna.errors import (
    FileError,
    InputError,
    Problem,
    Problems,
    UlnaError,
    import_extra,
    rewording,
    shown,
    warn,
)
from ulna.simulation.hdf5 import check_undamaged
from ulna.simulation.motor_use import MotorUse
from ulna.simulation.outcome import (
    Contact,
    Event,
    Floats,
    Reason,
    Saturation,
    Side,
    Status,
    Sticking,
    What,
)
from ulna.simulation.run import FORMAT, Run, signal_shapes
from ulna.simulation.tables import (
    FLOWS,
    TIP_DISTURBANCE,
    TIP_DISTURBANCE_MOMENT,
    Quantity,
    attributes,
    coordinates,
    quantities,
    write_csv,
    write_parquet,
)
from ulna.storage import DamagedError, append_trailer, whole_file
from ulna.typing import PathLike

ENDINGS = (".nc", ".csv", ".parquet")
Episodes = TypeVar("Episodes", Saturation, Sticking)
TEXTS = ("arm", "settings", "status", "versions", "events", "contacts")
PACKED: Mapping[str, Any] = {"compression": "gzip", "shuffle": True, "fletcher32": True}
# Older files name these settings otherwise, and gains in what they say of controllers.
_OLDER_SETTINGS = {"model": "dynamics", "friction": "sequential_damping"}
_OLDER_GAINS = {
    "stiffness": "kp", "damping": "kd", "integral": "ki", "frequency": "natural_frequency",
}  # fmt: skip
_OLDER_KEYWORDS = {
    **dict.fromkeys(("PD", "PID", "GravityPD", "FeedforwardPID"), _OLDER_GAINS),
    "ComputedTorque": {"frequency": "natural_frequency", "damping": "damping_ratio"},
    "Adaptive": {"frequency": "bandwidth", "damping": "kd"},
}
# A controller up to the text of an arm, which begins with "<"; gains may be tuples.
_OLDER_CONTROLLER = re.compile(rf"\b({'|'.join(_OLDER_KEYWORDS)})\(((?:[^()<]|\([^()<]*\))*)")

LONGEST_TROUBLE = 200  # letters: messages of HDF5 are long

T = TypeVar("T")


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
    import h5py

    with reading(path):
        check_ordinary(path)
        with path.open("rb") as stream:
            trailer = check_undamaged(path, stream, "a run that was saved as .nc")
            with h5py.File(stream, "r") as content:
                run = _run(content)
    if trailer is None:
        warn_of_no_digest(path)
    return run


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
    import h5netcdf as netcdf
    import h5py

    text = h5py.string_dtype()
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
    # Files from before there were any say nothing of them.
    for name in ("saturation", "sticking", "motors"):
        texts[name] = str(content.attrs.get(name, "[]"))
    arm, _ = parse(texts["arm"], "arm")
    arrays = _arrays(content, arm)
    checks = Problems()
    parts = {
        "status": from_json(checks, "status", texts, _status),
        "settings": from_json(checks, "settings", texts, read_settings),
        "versions": from_json(checks, "versions", texts, versions),
        "events": from_json(checks, "events", texts, lambda all_of: _events(all_of, arm.n)),
        "contacts": from_json(checks, "contacts", texts, _contacts),
        "saturation": from_json(checks, "saturation", texts, partial(_episodes, Saturation)),
        "sticking": from_json(checks, "sticking", texts, partial(_episodes, Sticking)),
        "motors": from_json(checks, "motors", texts, _motors),
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
    signals |= dict.fromkeys(FLOWS, per_sample)
    wanted |= {name: shape for name, shape in signals.items() if name in content}
    for name, shape in wanted.items():
        check_array(checks, name, content.get(name), shape)
    if 0 < len(FLOWS.keys() & wanted.keys()) < len(FLOWS):
        checks.add(next(iter(FLOWS)), "a part of the energies of motors", "all, or none")
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
    if set(FLOWS) <= set(wanted):
        arrays["energy_flows"] = np.column_stack([arrays.pop(name) for name in FLOWS])
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


def _episodes(kind: type[Episodes], plain: Any) -> tuple[Episodes, ...]:
    return tuple(
        kind(int(one["joint"]), int(one["episodes"]), float(one["seconds"]), float(one["first"]))
        for one in plain
    )


def _motors(plain: Any) -> tuple[MotorUse, ...]:
    counts = ("joint", "episodes", "lost_steps")

    def read(name: str, value: Any) -> Any:
        return value if value is None else int(value) if name in counts else float(value)

    return tuple(
        MotorUse(**{name: read(name, one[name]) for name in MotorUse._fields}) for one in plain
    )


def _one_of(known: Any, word: Any) -> Any:
    if word not in get_args(known):
        raise ValueError(word)
    return word


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Name the file in whatever goes wrong with it inside the block."""
    try:
        with rewording(lambda problem: _placed(problem, path)):
            yield
    except DamagedError as error:
        raise FileError(f"{path}: cannot be read: {trouble(error)}") from error
    except UlnaError:
        raise
    except Exception as error:
        # A damaged file may surprise HDF5 anywhere, and it has no exception of its own for that.
        raise FileError(f"{path}: cannot be read: {trouble(error)}") from error


def trouble(error: BaseException) -> str:
    """Return what went wrong in one line."""
    told = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(told.split())[:LONGEST_TROUBLE]


def warn_of_no_digest(path: Path) -> None:
    """Warn that a file was opened whose damage could not be seen."""
    told = (
        f"{path}: it carries no digest, so that damage to its numbers would go unseen: it was "
        "written by an older ulna or changed by other software; save it again to give it one"
    )
    warn(told)


def check_ordinary(path: Path) -> None:
    """Raise FileError for a pipe, which would be waited for, and the like."""
    if path.exists() and not path.is_file():
        raise FileError(f"{path}: cannot be read: it is no ordinary file")


def check_array(
    checks: Problems, name: str, found: Any, shape: tuple[int, ...], kind: Any = np.float64
) -> None:
    """Add a problem unless there is an array of that kind and shape."""
    dtype, size = getattr(found, "dtype", None), getattr(found, "shape", None)
    if dtype != kind or size != shape:
        got = "nothing" if dtype is None else f"{dtype} of shape {size}"
        checks.add(name, got, f"{np.dtype(kind)} of shape {shape}")


def from_json(
    checks: Problems, name: str, texts: Mapping[str, str], build: Callable[[Any], T]
) -> T | None:
    """Build what a text says, noting where it says no such thing."""
    try:
        return build(json.loads(texts[name]))
    except (ValueError, TypeError, KeyError, RecursionError):
        checks.add(name, shown(texts[name]), f"the {name} of a run as JSON")
        return None


def versions(plain: Any) -> dict[str, str]:
    """Read the versions that something was computed with."""
    return {str(name): str(version) for name, version in dict(plain).items()}


def texts_of(found: Mapping[str, Any], form: str, names: tuple[str, ...]) -> dict[str, str]:
    """Read attributes that are text; the format first, which says what else there is."""
    version = found.get("format")
    if version != form:
        got = "nothing" if version is None else shown(version)
        need = f"'{form}', the format of a saved {_thing(form)}"
        raise InputError(Problem("format", got, need, _hint(form, version)))
    checks = Problems()
    for name in names:
        if not isinstance(found.get(name), str):
            checks.add(name, shown(found.get(name)), "text in the attribute of this name")
    checks.raise_if_any()
    return {name: found[name] for name in names}


def _thing(form: Any) -> str:
    return "batch" if str(form).startswith("batch") else "run"


def _hint(form: str, version: Any) -> str:
    if version is None:
        return ""
    if _thing(version) != _thing(form):
        return f"it holds a {_thing(version)}: read it with open_{_thing(version)}"
    return "is it from a later ulna?"


def write_variable(content: Any, name: str, quantity: Quantity, text: Any, **packed: Any) -> None:
    """Write an array and what it says of itself to a netCDF file; text as HDF5 has it."""
    values = quantity.values
    if values.dtype.kind == "U":
        variable = content.create_variable(name, quantity.axes, data=values.astype(text))
    else:
        variable = content.create_variable(name, quantity.axes, data=values, **packed)
    variable.attrs.update(quantity.attributes)


def _placed(problem: Problem, path: Path) -> Problem:
    return problem.at(f"{path}, {problem.place}" if problem.place else str(path))


def read_settings(plain: Any) -> dict[str, Any]:
    """Return the settings of a file by the names that they have here; older files have others."""
    settings = dict(plain)
    if "model" not in settings:
        return settings
    settings = {_OLDER_SETTINGS.get(name, name): value for name, value in settings.items()}
    if settings["dynamics"] == "true":
        settings["dynamics"] = "full"
    if isinstance(settings.get("controller"), str):
        settings["controller"] = _OLDER_CONTROLLER.sub(_renamed_gains, settings["controller"])
    return settings


def _renamed_gains(controller: re.Match[str]) -> str:
    name, arguments = controller.groups()
    for old, new in _OLDER_KEYWORDS[name].items():
        arguments = re.sub(rf"\b{old}=", f"{new}=", arguments)
    return f"{name}({arguments}"
