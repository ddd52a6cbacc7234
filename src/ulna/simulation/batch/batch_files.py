"""What a file of a batch holds: its arrays, its attributes, and the chunks of the histories.

A file that takes a batch slab by slab while the arms run, for more than memory holds.

Files of batches: saved slab by slab, and read back without being loaded.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ulna.arm import Parameters
from ulna.arm.components import FRICTION
from ulna.arm.parameters import FRICTIONLESS
from ulna.errors import InputError, Problem, Problems
from ulna.simulation.batch.batch_call import BatchCall, read_call
from ulna.simulation.batch.batch_run import (
    FORMAT,
    HISTORIES,
    PLANE,
    BatchRun,
    attributes,
    coordinates,
    endings,
    parameter_quantities,
    provenance_of,
)
from ulna.simulation.batch.batch_stores import (
    MARKS,
    netcdf_writer,
    open_netcdf,
    open_zarr,
    zarr_writer,
)
from ulna.simulation.batch.buckets import LANES, NUMBER, planned
from ulna.simulation.batch.statuses import CODES, Codes, Statuses
from ulna.simulation.batch.stored_arrays import BatchSource, StoredArray
from ulna.simulation.files import (
    check_array,
    from_json,
    read_settings,
    reading,
    texts_of,
    versions,
    warn_of_no_digest,
)
from ulna.simulation.outcome import Floats
from ulna.simulation.run import as_json, versions_here
from ulna.simulation.tables import Quantity
from ulna.storage import check_space, set_aside, whole_file, whole_folder
from ulna.typing import PathLike

CHUNK = 2**21  # [bytes] that are read together
MOST_TOGETHER = 128  # samples of an arm that lie together, so that the last ones are read quickly


@dataclass(frozen=True)
class BatchLayout:
    """A batch before it has run: all but the histories (B, S, n) and how the arms ended."""

    shape: tuple[int, int, int]
    histories: tuple[str, ...]
    known: Mapping[str, Quantity]
    attributes: Mapping[str, str]

    @property
    def axes(self) -> dict[str, int]:
        """The axes of all arrays, and their lengths."""
        members, samples, n = self.shape
        return {"arm": members, "time": samples, "joint": n, "axis": 2}

    @property
    def size(self) -> int:
        """What the file takes [bytes], less a little."""
        known = sum(quantity.values.nbytes for quantity in self.known.values())
        return len(self.histories) * NUMBER * math.prod(self.shape) + int(known)

    @property
    def chunks(self) -> tuple[int, int, int]:
        """The pieces (arms, samples, n) that histories lie in.

        A power of two of arms, 16 or more, so that the slabs that are written are whole pieces.
        """
        members, samples, n = self.shape
        row = NUMBER * n  # [bytes] of one sample of one arm
        together = max(1, min(samples, MOST_TOGETHER, int(CHUNK / (LANES * row))))
        arms = LANES
        while 2 * arms * together * row <= CHUNK:
            arms *= 2
        return min(arms, max(members, 1)), together, n


class Writer(Protocol):
    """A file of one format while it is written; whatever goes wrong raises."""

    def write(self, name: str, first: int, values: Floats) -> None:
        """Write the history of consecutive arms."""

    def finish(self, endings: Mapping[str, Quantity]) -> None:
        """Write how the arms ended, and close what is now whole."""

    def abandon(self) -> None:
        """Close what nobody will read."""


def layout_of(
    parameters: Parameters, t: Floats, members: int, keep_tau: bool, provenance: Mapping[str, Any]
) -> BatchLayout:
    """Return the layout of the file of a batch."""
    n = parameters.n
    names = tuple(name for name in HISTORIES if keep_tau or name != "tau")
    known = coordinates(t, n, members) | parameter_quantities(parameters)
    return BatchLayout((members, len(t), n), names, known, attributes(provenance))


ENDINGS = (".nc", ".zarr")


class AbandonedError(Exception):
    """A store is not wanted any more, and leaves nothing behind."""


def create(
    file: str | os.PathLike[str],
    parameters: Parameters,
    t: Any,
    *,
    members: int,
    settings: Mapping[str, Any],
    keep_tau: bool = False,
    overwrite: bool = True,
    versions: Mapping[str, str] | None = None,
    call: BatchCall | None = None,
) -> BatchStore:
    """Begin the file of a batch, .nc or .zarr: `members` arms, with samples at t (S,) [s].

    Without `overwrite` a file that exists is not replaced. Raises FileError where the disk has no
    room for all of it.
    """
    place, make = _format(Path(file), overwrite=overwrite)
    checks = Problems()
    if members < 1:
        checks.add("arms", str(members), "at least one")
    checks.raise_if_any()
    provenance = provenance_of(as_json(settings), versions_here() if versions is None else versions)
    stored = None if call is None else call.stored
    provenance |= {} if stored is None else {"call": stored}
    layout = layout_of(parameters, t, members, keep_tau, provenance)
    return BatchStore(Path(file), layout, place, make)


class BatchStore:
    """A file of a batch while the arms run; it appears under its name once it is finished.

    Arms that were never written are "not run" then, and NaN. Where a write fails, nothing is left;
    what an interrupted run has is set aside under a name of its own.
    """

    def __init__(
        self,
        path: Path,
        layout: BatchLayout,
        place: AbstractContextManager[Path],
        make: Callable[[Path, BatchLayout], Writer],
    ) -> None:
        members = layout.shape[0]
        self._codes: Codes = np.full(members, CODES["not run"], dtype=np.int8)
        self._t_end = np.full(members, np.nan)
        self._layout, self._place = layout, place
        self._writer: Writer | None = None
        self._path, self._part = path, place.__enter__()
        with self._guarded():
            check_space(path, layout.size)
            self._writer = make(self._part, layout)

    @property
    def is_open(self) -> bool:
        """Whether it takes more: it was neither finished nor abandoned."""
        return self._writer is not None

    def write(self, first: int, q: Any, qd: Any, tau: Any, t_end: Any, codes: Any) -> None:
        """Write what the arms from number `first` on did: (k, S, n) each, `t_end` and codes (k,).

        What keeps the file from being written, such as a full disk, abandons the store and raises
        FileError; Ctrl-C abandons it too.
        """
        writer = self._opened()
        ended = Statuses(codes, t_end)
        histories = self._histories(first, len(ended), {"q": q, "qd": qd, "tau": tau})
        with self._guarded():
            for name, values in histories.items():
                writer.write(name, first, values)
            self._codes[first : first + len(ended)] = ended.codes
            self._t_end[first : first + len(ended)] = ended.t_end

    @property
    def is_empty(self) -> bool:
        """Whether no arm of it has run."""
        return bool(np.all(self._codes == CODES["not run"]))

    def finish(self) -> None:
        """Move the file to its name, with what was written so far."""
        self._close()
        self._place.__exit__(None, None, None)

    def set_aside(self) -> Path:
        """Keep what was written so far under another name, and return that; see `storage`."""
        self._close()
        try:
            return set_aside(self._part, self._path)
        finally:
            self._end(AbandonedError())

    def _close(self) -> None:
        writer = self._opened()
        with self._guarded():
            writer.finish(endings(self._t_end, self._codes))
        self._writer = None

    def abandon(self) -> None:
        """Leave nothing behind; of a store that is finished, or abandoned, nothing changes."""
        if self._writer is not None:
            self._end(AbandonedError())

    def _opened(self) -> Writer:
        if self._writer is None:
            raise AbandonedError("the store was finished or abandoned, and takes no more")
        return self._writer

    def _histories(self, first: int, count: int, given: dict[str, Any]) -> dict[str, Floats]:
        members, samples, n = self._layout.shape
        checks = Problems()
        if not 0 <= first <= members - count:
            checks.add("first", f"{first} for {count} arms", f"a place within {members} arms")
        found = {name: np.asarray(given[name], np.float64) for name in self._layout.histories}
        for name, values in found.items():
            check_array(checks, name, values, (count, samples, n))
        checks.raise_if_any()
        return found

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            self._end(error)
            raise

    def _end(self, error: BaseException) -> None:
        """Remove what was begun; raises FileError where the error is trouble with a file."""
        writer, self._writer = self._writer, None
        if writer is not None:
            with suppress(Exception):
                writer.abandon()
        self._place.__exit__(type(error), error, error.__traceback__)


def _format(
    path: Path, *, overwrite: bool
) -> tuple[AbstractContextManager[Path], Callable[[Path, BatchLayout], Writer]]:
    ending = path.suffix.lower()
    if ending == ".nc":
        return whole_file(path, overwrite=overwrite), netcdf_writer()
    if ending == ".zarr":
        return whole_folder(path, MARKS, overwrite=overwrite), zarr_writer()
    raise InputError(Problem("file", f"'{path}'", "a name that ends in " + ", ".join(ENDINGS)))


__all__ = ["BatchStore", "create", "open_batch", "save_batch"]

TEXTS = ("settings", "versions")


def save_batch(run: BatchRun, file: PathLike, *, overwrite: bool = True) -> None:
    """Write a batch to a file of the kind that its name ends in, .nc or .zarr."""
    store = create(
        file,
        run.parameters,
        run.t,
        members=len(run),
        settings=run.settings,
        keep_tau=run.tau is not None,
        overwrite=overwrite,
        versions=run.versions,
        call=run.call,
    )
    try:
        size = planned(len(run), len(run.t), run.n, run.tau is not None, store=file)
        for first in range(0, len(run), size):
            some = slice(first, first + size)
            tau = None if run.tau is None else run.tau[some]
            codes = run.status.codes[some]
            store.write(first, run.q[some], run.qd[some], tau, run.t_end[some], codes)
        store.finish()
    finally:
        store.abandon()


def open_batch(file: PathLike) -> BatchRun:
    """Open a batch in a .nc file or a .zarr folder.

    Its histories stay in there: `run.q[3]` or `run.q[:, -1]` reads just that, and
    `numpy.asarray(run.q)` all. The file is closed with the last of the batch, at the end of
    `with open_batch(file) as run:`, or by `run.close()`.

    Digests tell what was damaged since it was written: of all but the histories here, and of each
    piece of those when it is read. A file that carries none is opened with a warning; a .nc is
    parsed by a process of its own first. Settings that older versions named otherwise get the
    names that they have here.

    Parameters
    ----------
    file : str or path
        A .nc file or a .zarr folder that `BatchRun.save` or `simulate_batch` wrote.

    Returns
    -------
    BatchRun
        The batch.

    Raises
    ------
    FileError
        It cannot be read, or is damaged.
    InputError
        It holds no batch.

    Examples
    --------
    >>> import tempfile, ulna
    >>> arms = ulna.stack([ulna.Arm.rods([1.0], [mass]) for mass in (1.0, 2.0, 3.0)])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ulna.simulate_batch(arms, q0=[0.0], duration=0.1).save(f"{folder}/batch.nc")
    ...     with open_batch(f"{folder}/batch.nc") as run:
    ...         len(run), run.q.shape[-1]
    (3, 1)
    """
    path = Path(file)
    with reading(path):
        source = open_zarr(path) if path.is_dir() else open_netcdf(path)
        try:
            run = _batch(source)
        except BaseException:
            source.close()
            raise
    if not source.has_digests:
        warn_of_no_digest(path)
    return run


def _batch(source: BatchSource) -> BatchRun:
    texts = texts_of(source.attributes, FORMAT, TEXTS)
    checks = Problems()
    settings = from_json(checks, "settings", texts, read_settings)
    made_with = from_json(checks, "versions", texts, versions)
    # Files from before there were any say nothing of it.
    called = {"call": str(source.attributes.get("call", "null"))}
    call = from_json(checks, "call", called, read_call)
    _check_arrays(checks, source)
    checks.raise_if_any()
    t_end, codes = source.read("t_end"), source.read("status")
    for code in codes[(codes < 0) | (codes >= len(CODES))][:1]:
        raise InputError(Problem("status", f"{code}", f"numbers from 0 to {len(CODES) - 1}"))
    kept = {name: StoredArray(source, name) for name in HISTORIES if name in source.arrays}
    return BatchRun(
        parameters=Parameters(*(_parameter(source, name) for name in Parameters._fields)),
        t=source.read("time"),
        **({"tau": None} | kept),
        t_end=t_end,
        status=Statuses(codes, t_end),
        settings=settings or {},
        versions=made_with or {},
        call=call,
    )


def _parameter(source: BatchSource, name: str) -> Floats:
    """Read a parameter of the arms; files of versions without friction have arms without it."""
    if name in source.arrays:
        return source.read(name)
    return np.full(source.arrays["q"].shape[-1:], getattr(FRICTIONLESS, name))


def _check_arrays(checks: Problems, source: BatchSource) -> None:
    """Note every array that is missing, or has another shape or type than it should."""
    found = source.arrays
    members, samples, n = _shape(found.get("q"))
    check_array(checks, "time", found.get("time"), (samples,))
    check_array(checks, "t_end", found.get("t_end"), (members,))
    check_array(checks, "status", found.get("status"), (members,), np.int8)
    for name in ("q", "qd", *(("tau",) if "tau" in found else ())):
        check_array(checks, name, found.get(name), (members, samples, n))
    rubs = any(name in found for name in FRICTION)
    for name in (name for name in Parameters._fields if rubs or name not in FRICTION):
        size = 2 if name in PLANE else n
        several = len(_shape_of(found.get(name))) > 1
        check_array(checks, name, found.get(name), (members, size) if several else (size,))


def _shape_of(array: Any) -> tuple[int, ...]:
    return getattr(array, "shape", ())


def _shape(q: Any) -> tuple[int, ...]:
    return (*_shape_of(q), 1, 1, 1)[:3]
