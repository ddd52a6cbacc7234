"""A file that takes a batch slab by slab while the arms run, for more than memory holds."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from ulna.arm import Parameters
from ulna.errors import InputError, Problem, Problems
from ulna.interrupts import deferred
from ulna.simulation.batch.layout import BatchLayout, Writer, layout_of
from ulna.simulation.batch.netcdf_store import netcdf_writer
from ulna.simulation.batch.run import fixed_parameters, provenance_of
from ulna.simulation.batch.status import CODES, Codes, Statuses
from ulna.simulation.batch.tables import endings
from ulna.simulation.batch.zarr_store import MARKS, zarr_writer
from ulna.simulation.formats import check_array
from ulna.simulation.immutable import as_json, immutable_array
from ulna.simulation.run import versions_here
from ulna.simulation.status import Floats
from ulna.storage import check_space, set_aside, whole_file, whole_folder

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
) -> BatchStore:
    """Begin the file of a batch, .nc or .zarr: `members` arms, with samples at t (S,) [s].

    Without `overwrite` a file that exists is not replaced. Raises FileError where the disk has no
    room for all of it.
    """
    place, make = _format(Path(file), overwrite=overwrite)
    checks = Problems()
    if members < 1:
        checks.add("arms", str(members), "at least one")
    times = immutable_array(checks, "t", t, np.shape(t)[:1])
    arms = fixed_parameters(checks, parameters, parameters.n, members)
    checks.raise_if_any()
    provenance = provenance_of(as_json(settings), versions_here() if versions is None else versions)
    layout = layout_of(arms, times, members, keep_tau, provenance)
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
        # A library's own threads would go on writing after an interrupt.
        with self._guarded(), deferred():
            check_space(path, layout.size)
            self._writer = make(self._part, layout)

    @property
    def is_open(self) -> bool:
        """Whether it takes more: it was neither finished nor abandoned."""
        return self._writer is not None

    def write(self, first: int, q: Any, qd: Any, tau: Any, t_end: Any, codes: Any) -> None:
        """Write what the arms from number `first` on did: (k, S, n) each, `t_end` and codes (k,).

        Ctrl-C waits until that is done; a second one abandons the store. So does what keeps the
        file from being written, such as a full disk: it raises FileError.
        """
        writer = self._opened()
        ended = Statuses(codes, t_end)
        histories = self._histories(first, len(ended), {"q": q, "qd": qd, "tau": tau})
        with deferred(), self._guarded():
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
        with deferred():
            self._close()
            self._place.__exit__(None, None, None)

    def set_aside(self) -> Path:
        """Keep what was written so far under another name, and return that; see `storage`."""
        with deferred():
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
