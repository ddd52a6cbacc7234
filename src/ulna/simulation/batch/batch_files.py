"""Batches as Zarr folders: written slab by slab while the arms run, and read as far as asked for.

A chunk of arms is finished when their statuses are there, which are written after their histories.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ulna.arm import Parameters
from ulna.errors import InputError, Problem
from ulna.simulation.batch.batch_call import BatchCall, read_call
from ulna.simulation.batch.batch_run import (
    HISTORIES,
    HISTORY,
    BatchRun,
    coordinates,
    endings,
    parameter_quantities,
    provenance_of,
)
from ulna.simulation.batch.buckets import LANES, NUMBER, planned
from ulna.simulation.batch.statuses import CODES, Statuses
from ulna.simulation.batch.stored_arrays import FORMAT, WHAT, BatchFolder, StoredArray
from ulna.simulation.files import reading
from ulna.simulation.outcome import Floats
from ulna.simulation.run import versions_here
from ulna.simulation.tables import attributes
from ulna.storage import check_space, growing_place, replace_folder
from ulna.typing import PathLike
from ulna.zarr_stores import MARKS, Store, new_store, open_store

ENDING = ".zarr"
TEXTS = ("settings", "versions", "call")
CHUNK = 2**21  # [bytes] that are read together
MOST_ARMS = 2**16  # in a chunk
MOST_TOGETHER = 128  # samples of an arm that lie together, so that the last ones are read quickly


class BatchLayout(NamedTuple):
    """What the folder of a batch holds."""

    parameters: Parameters
    t: Floats  # (S,) [s]
    members: int
    keep_tau: bool
    attributes: Mapping[str, str]

    @property
    def histories(self) -> list[str]:
        """The names of its histories (B, S, n)."""
        return [name for name in HISTORIES if self.keep_tau or name != "tau"]

    @property
    def shape(self) -> tuple[int, int, int]:
        """The shape (B, S, n) of each."""
        return self.members, len(self.t), self.parameters.n

    @property
    def size(self) -> int:
        """What they take [bytes]."""
        return NUMBER * len(self.histories) * math.prod(self.shape)

    @property
    def chunks(self) -> tuple[int, int, int]:
        """The shape of a chunk: its arms are a power of two, so that slabs are whole chunks."""
        members, samples, n = self.shape
        slab = min(planned(*self.shape, self.keep_tau, store=True), MOST_ARMS)
        row = NUMBER * n  # [bytes] of one sample of one arm
        together = max(1, min(samples, MOST_TOGETHER, CHUNK // (LANES * row)))
        arms = LANES
        while 2 * arms <= slab and 2 * arms * together * row <= CHUNK:
            arms *= 2
        together = max(together, min(samples, CHUNK // (arms * row)))
        return min(arms, members), together, n


class BatchStore:
    """The folder of a batch while the arms run.

    It grows in place. Where it is to replace another, it grows beside that until it is finished.
    `create` makes it.
    """

    def __init__(self, path: Path, layout: BatchLayout, *, overwrite: bool) -> None:
        self.path, self._layout = path, layout
        self.place = growing_place(path, MARKS, overwrite=overwrite)
        check_space(path, layout.size)

    def create(self) -> None:
        """Create the folder; none of the arms has run."""
        with new_store(self.place, FORMAT, self._layout.attributes, overwrite=False) as store:
            _add_arrays(store, self._layout)
        self._store = open_store(self.place, FORMAT, WHAT, writable=True)

    def write(self, first: int, q: Any, qd: Any, tau: Any, t_end: Any, codes: Any) -> None:
        """Write what k arms from number `first` on did, (k, S, n) each, and how they ended (k,)."""
        _write(self._store, first, q, qd, tau, t_end, codes)

    def finish(self) -> BatchRun:
        """Move the folder to its name, and open it."""
        if self.place != self.path:
            replace_folder(self.place, self.path)
        return open_batch(self.path)


def layout_of(
    parameters: Parameters,
    t: Any,
    *,
    members: int,
    settings: Mapping[str, Any],
    keep_tau: bool,
    versions: Mapping[str, str] | None = None,
    call: BatchCall | None = None,
) -> BatchLayout:
    """Return what the folder of a batch is to hold."""
    made = provenance_of(
        json.loads(json.dumps(settings)), versions_here() if versions is None else versions
    )
    made |= {"call": None if call is None else call.stored}
    return BatchLayout(parameters, t, members, keep_tau, attributes(made))


def checked_path(file: PathLike) -> Path:
    """Return the path of a folder for a batch, whose name has the right ending."""
    path = Path(file)
    if path.suffix.lower() != ENDING:
        hint = "single runs are saved as .nc: batch[0].save('run.nc')"
        raise InputError(Problem("store", f"'{file}'", f"a name that ends in {ENDING}", hint))
    return path


def save_batch(run: BatchRun, file: PathLike, *, overwrite: bool = True) -> None:
    """Write a batch to a .zarr folder, which appears whole or not at all."""
    path = checked_path(file)
    if not len(run):
        raise InputError(Problem("arms", "0", "at least one"))
    layout = layout_of(
        run.parameters, run.t, members=len(run), settings=run.settings,
        keep_tau=run.tau is not None, versions=run.versions, call=run.call,
    )  # fmt: skip
    check_space(path, layout.size)
    size = planned(*layout.shape, layout.keep_tau, store=True)
    with new_store(path, FORMAT, layout.attributes, overwrite=overwrite) as store:
        _add_arrays(store, layout)
        for first in range(0, len(run), size):
            some = slice(first, first + size)
            tau = None if run.tau is None else run.tau[some]
            ends = run.t_end[some], run.status.codes[some]
            _write(store, first, run.q[some], run.qd[some], tau, *ends)


def _add_arrays(store: Store, layout: BatchLayout) -> None:
    """Add all arrays; what is known before the arms have run is written."""
    members, _, n = layout.shape
    known = coordinates(layout.t, n, members) | parameter_quantities(layout.parameters)
    for name, one in known.items():
        store.add(name, one.axes, one.values, one.attributes)
    chunks = layout.chunks
    for name in layout.histories:
        words = dict(zip(("units", "long_name"), HISTORIES[name], strict=True))
        store.add_empty(name, HISTORY, layout.shape, words, chunks=chunks)
    unknown = np.full(members, np.nan), np.full(members, CODES["not run"], dtype=np.int8)
    for name, one in endings(*unknown).items():
        told = {key: np.asarray(value).tolist() for key, value in one.attributes.items()}
        store.add_empty(
            name, one.axes, one.values.shape, told,
            dtype=one.values.dtype, chunks=chunks[:1], fill=one.values[0],
        )  # fmt: skip


def _write(store: Store, first: int, q: Any, qd: Any, tau: Any, t_end: Any, codes: Any) -> None:
    values = {"q": q, "qd": qd, **({} if tau is None else {"tau": tau})}
    box = (slice(first, first + len(codes)),)
    store.write(box, {**values, "t_end": t_end, "status": codes})


def open_batch(file: PathLike) -> BatchRun:
    """Open a batch in a .zarr folder.

    Its histories stay in there: `run.q[3]` or `run.q[:, -1]` reads just that, and
    `numpy.asarray(run.q)` all. Checksums tell what was damaged, of each chunk when it is read.

    Parameters
    ----------
    file : str or path
        A .zarr folder that `BatchRun.save` or `simulate_batch` wrote.

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
    ...     ulna.simulate_batch(arms, q0=[0.0], duration=0.1).save(f"{folder}/batch.zarr")
    ...     run = open_batch(f"{folder}/batch.zarr")
    ...     len(run), run.q[2].shape
    (3, (1, 1))
    """
    path = Path(file)
    with reading(path):
        folder = BatchFolder(path)
        store = folder.store
        told = {name: json.loads(store.attributes[name]) for name in TEXTS}
        stored = {name: StoredArray(folder, name) for name in HISTORIES if name in store.arrays}
        t_end = store.read_unfinished("t_end")
        return BatchRun(
            parameters=Parameters(*(store.read(name) for name in Parameters._fields)),
            t=store.read("time"),
            **({"tau": None} | stored),
            t_end=t_end,
            status=Statuses(store.read_unfinished("status"), t_end),
            settings=told["settings"],
            versions=told["versions"],
            call=read_call(told["call"]),
        )
