"""Sweeps on a Dask cluster: a task is a chunk, and every worker can die at any moment.

A worker that sees the store's folder writes the data of its chunks there; any other returns it.
Records are written here alone. A chunk whose worker died is computed again; if that happens once
more, by itself, so that nothing else can be the cause. If it kills a worker then, it is halved
until the point that does so stands alone. After three tries that point is set aside.
"""

from __future__ import annotations

import os
import pickle
import queue
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ulna.concurrency import cores, listening
from ulna.errors import InputError, Problem, UlnaError
from ulna.storage import write_whole
from ulna.sweep.chunks import SweepLayout
from ulna.sweep.compute import compute
from ulna.sweep.dask_clusters import INTERVAL, Connection
from ulna.sweep.dask_clusters import ClusterError as ClusterError
from ulna.sweep.execute import SweepJob, blank, layout_of
from ulna.sweep.store import (
    PROGRESS,
    Arrays,
    ChunkRecord,
    SweepStore,
    machine,
    messages_of,
    write_chunk,
)

if TYPE_CHECKING:
    from ulna.sweep.sweep_spec import SweepSpec

TRIES = 3  # of a point that kills its worker
ABSENCE = 60.0  # [s] to wait for workers
REFRESH = 1.0  # [s] between two counts of the workers
AHEAD = 2  # tasks a thread that are submitted, so that none waits for the next


class TaskResult(NamedTuple):
    """What a worker returns: the record of what it wrote, or the arrays themselves."""

    made_by: Mapping[str, str]
    written: ChunkRecord | None
    arrays: Arrays | None


@dataclass(eq=False)
class Task:
    """A chunk, or a part of one, that is to be computed."""

    number: int
    points: range
    kills: int = 0
    alone: bool = False  # whether nothing else is to run beside it
    may_write: bool = True

    def halves(self) -> list[Task]:
        """Return the two halves of it."""
        middle = len(self.points) // 2
        return [
            Task(self.number, part, alone=True, may_write=False)
            for part in (self.points[:middle], self.points[middle:])
        ]


@dataclass
class Pieces:
    """The parts of a chunk that was halved, until all of them are there."""

    arrays: dict[int, Arrays] = field(default_factory=dict)  # by the first point of each
    made_by: Mapping[str, str] = field(default_factory=dict)
    set_aside: list[int] = field(default_factory=list)
    count: int = 0

    def add(self, points: range, arrays: Arrays, made_by: Mapping[str, str]) -> None:
        """Keep a part, and what computed it."""
        self.arrays[points[0]] = arrays
        self.count += len(points)
        both = [one for one in (self.made_by, made_by) if one]
        self.made_by = (
            {key: " and ".join(sorted({one[key] for one in both})) for key in both[0]}
            if both
            else {}
        )

    def joined(self) -> Arrays:
        """Return the whole chunk."""
        parts = [self.arrays[first] for first in sorted(self.arrays)]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def run_task(
    content: bytes,
    number: int,
    points: range,
    folder: str | None,
    box: tuple[int, ...],
    token: str,
    threads: int | None,
) -> TaskResult:
    """Compute points in a worker; write them if they are a chunk whose folder is seen here."""
    spec, layout = _unpacked(content)
    arrays = compute(spec, points, threads=_own_threads() if threads is None else threads)
    if folder is not None and is_shared(Path(folder), token):
        digests = write_chunk(Path(folder), layout._replace(box=box), number, arrays)
        record = ChunkRecord(digests, machine(), messages=messages_of(points, arrays))
        return TaskResult(machine(), record, None)
    return TaskResult(machine(), None, arrays)


@lru_cache(maxsize=4)
def _unpacked(content: bytes) -> tuple[SweepSpec, SweepLayout]:
    """Return a spec and its layout, made once: the values of all points are in it."""
    spec: SweepSpec = pickle.loads(content)
    return spec, layout_of(spec)


def _own_threads() -> int:
    """Return how many threads a task may use where others run beside it."""
    from distributed import get_worker

    return max(cores() // int(get_worker().state.nthreads), 1)


def is_shared(folder: Path, token: str) -> bool:
    """Return whether a folder is the one in which the driver left its token."""
    try:
        return (folder / PROGRESS / f".shared-{token}.part").read_text("utf-8") == token
    except OSError:
        return False


def run_on(connection: Connection, job: SweepJob) -> None:
    """Compute what is missing of a sweep on a cluster."""
    with _token(job.path) as token:
        ClusterRun(connection, job, token).run()


@contextmanager
def _token(path: Path | None) -> Iterator[str]:
    """Leave a word in the store, by which a worker knows that it sees the same folder."""
    token = os.urandom(8).hex()
    if path is None:
        yield token
        return
    file = path / PROGRESS / f".shared-{token}.part"
    write_whole(file, token)
    try:
        yield token
    finally:
        file.unlink(missing_ok=True)


class ClusterRun:
    """A sweep while it runs on a cluster."""

    def __init__(self, connection: Connection, job: SweepJob, token: str) -> None:
        self.client, self.address, self.threads = connection
        self.job, self.token = job, token
        self.content = pickle.dumps(job.spec)
        chunks = job.results.chunks
        self.fresh = (Task(number, chunks.points(number)) for number in job.missing())
        self.again: deque[Task] = deque()
        self.suspects: deque[Task] = deque()
        self.running: dict[Any, Task] = {}
        self.pieces: dict[int, Pieces] = {}
        self.ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.room, self.counted, self.seen = 1, 0.0, time.monotonic()
        self.submitted = 0

    def run(self) -> None:
        """Compute all that is missing."""
        while self._submit():
            self._settle(self._next())

    def _submit(self) -> bool:
        """Submit as many tasks as there is room for; return whether any is running.

        What has killed a worker comes last, so that the others are finished whatever it does.
        """
        self._count_workers()
        while len(self.running) < self.room:
            task = next(self.fresh, None) or (self.again.popleft() if self.again else None)
            if task is None:
                break
            self._start(task)
        if not self.running and self.suspects:
            self._start(self.suspects.popleft())
        return bool(self.running)

    def _start(self, task: Task) -> None:
        self.submitted += 1
        folder = None if self.job.path is None else str(self.job.path.absolute())
        future = self.client.submit(
            run_task,
            self.content,
            task.number,
            task.points,
            folder if task.may_write else None,
            self.job.results.chunks.box,
            self.token,
            self.threads,
            key=f"ulna-sweep-{self.token}-{self.submitted}",
            pure=False,
        )
        self.running[future] = task
        future.add_done_callback(self.ended.put)

    def _next(self) -> Any:
        """Wait for a task to end, with an ear for Ctrl-C and an eye on the cluster."""
        listener = listening()
        while True:
            listener.check()
            with suppress(queue.Empty):
                return self.ended.get(timeout=INTERVAL)
            self._count_workers()

    def _count_workers(self) -> None:
        now = time.monotonic()
        if now - self.counted < REFRESH:
            return
        self.counted = now
        if self.client.status != "running":
            raise self._gone()
        try:
            threads = sum(self.client.ncores().values())
        except Exception as error:
            raise self._gone() from error
        if threads:
            self.seen = now
        elif now - self.seen > ABSENCE:
            got = f"{self.address}, which has had no workers for {ABSENCE:.0f} s"
            raise ClusterError(f"scheduler: got {got}; start some by `dask worker {self.address}`")
        self.room = max(AHEAD * threads, 1)

    def _gone(self) -> ClusterError:
        done, points = self.job.done, self.job.layout.points
        told = f"the scheduler at {self.address} is gone"
        return ClusterError(f"{told}; {done:,} of {points:,} points are finished")

    def _settle(self, future: Any) -> None:
        """Keep what a task has computed, or see to it that it is computed again."""
        from distributed import KilledWorker

        task = self.running.pop(future)
        # Whatever became of it, a worker was there; one that dies at once is in no count.
        self.seen = time.monotonic()
        if future.status == "finished":
            try:
                self._keep(task, future.result())
            except (OSError, TimeoutError) as error:
                if isinstance(error, UlnaError):
                    raise
                self.again.append(task)  # its worker died before it could return it
            return
        if future.status != "error":
            self._lost(task)
            return
        cause = future.exception()
        if not isinstance(cause, KilledWorker):
            raise _of_worker(cause)
        task.kills += cause.allowed_failures + 1
        self._killed(task)

    def _lost(self, task: Task) -> None:
        """Compute a task again that the scheduler has forgotten, unless it is gone itself."""
        self.counted = 0.0
        self._count_workers()
        self.again.append(task)

    def _killed(self, task: Task) -> None:
        if not task.alone:
            task.alone = task.kills > 1
            (self.suspects if task.alone else self.again).append(task)
            task.kills = 0 if task.alone else 1
        elif len(task.points) > 1:
            self.suspects.extendleft(reversed(task.halves()))
        elif task.kills < TRIES:
            self.suspects.appendleft(task)
        else:
            self._set_aside(task)

    def _set_aside(self, task: Task) -> None:
        pieces = self.pieces.setdefault(task.number, Pieces())
        pieces.set_aside.append(task.points[0])
        self._add(task, blank(self.job.layout, 1), {}, pieces)

    def _keep(self, task: Task, found: TaskResult) -> None:
        whole = self.job.results.chunks.points(task.number)
        if found.written is not None:
            assert isinstance(self.job.results, SweepStore)
            if self.job.results.has_data(task.number):
                self.job.note_written(task.number, found.written)
            else:  # a disk that is shared, but shows what others write too late
                task.may_write = False
                self.again.append(task)
        elif task.points == whole:
            assert found.arrays is not None
            self.job.finish(task.number, found.arrays, found.made_by)
        else:
            assert found.arrays is not None
            pieces = self.pieces.setdefault(task.number, Pieces())
            self._add(task, found.arrays, found.made_by, pieces)

    def _add(self, task: Task, arrays: Arrays, made_by: Mapping[str, str], pieces: Pieces) -> None:
        pieces.add(task.points, arrays, made_by)
        if pieces.count == len(self.job.results.chunks.points(task.number)):
            del self.pieces[task.number]
            lost = tuple(sorted(pieces.set_aside))
            self.job.finish(task.number, pieces.joined(), pieces.made_by or machine(), lost)


def _of_worker(error: BaseException) -> BaseException:
    """Return the error of a worker in words, where it lacks what the driver has."""
    if isinstance(error, ModuleNotFoundError):
        told = f"workers that lack {error.name}"
        return InputError(Problem("scheduler", told, "workers with the same packages installed"))
    return error
