"""Files of batches: saved slab by slab, and read back without being loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ulna.arm import Parameters
from ulna.errors import Problems
from ulna.simulation.batch.arrays import BatchSource, StoredArray
from ulna.simulation.batch.memory import planned
from ulna.simulation.batch.netcdf_store import open_netcdf
from ulna.simulation.batch.run import FORMAT, BatchRun
from ulna.simulation.batch.status import Statuses
from ulna.simulation.batch.store import BatchStore, create
from ulna.simulation.batch.tables import HISTORIES, PLANE
from ulna.simulation.batch.zarr_store import open_zarr
from ulna.simulation.formats import (
    check_array,
    from_json,
    read_settings,
    reading,
    texts_of,
    versions,
    warn_of_no_digest,
)
from ulna.typing import PathLike

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
    _check_arrays(checks, source)
    checks.raise_if_any()
    t_end = source.read("t_end")
    kept = {name: StoredArray(source, name) for name in HISTORIES if name in source.arrays}
    return BatchRun(
        parameters=Parameters(*(source.read(name) for name in Parameters._fields)),
        t=source.read("time"),
        **({"tau": None} | kept),
        t_end=t_end,
        status=Statuses(source.read("status"), t_end),
        settings=settings or {},
        versions=made_with or {},
    )


def _check_arrays(checks: Problems, source: BatchSource) -> None:
    """Note every array that is missing, or has another shape or type than it should."""
    found = source.arrays
    members, samples, n = _shape(found.get("q"))
    check_array(checks, "time", found.get("time"), (samples,))
    check_array(checks, "t_end", found.get("t_end"), (members,))
    check_array(checks, "status", found.get("status"), (members,), np.int8)
    for name in ("q", "qd", *(("tau",) if "tau" in found else ())):
        check_array(checks, name, found.get(name), (members, samples, n))
    for name in Parameters._fields:
        size = 2 if name in PLANE else n
        several = len(_shape_of(found.get(name))) > 1
        check_array(checks, name, found.get(name), (members, size) if several else (size,))


def _shape_of(array: Any) -> tuple[int, ...]:
    return getattr(array, "shape", ())


def _shape(q: Any) -> tuple[int, ...]:
    return (*_shape_of(q), 1, 1, 1)[:3]
