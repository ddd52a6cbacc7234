"""Sweeps on a Dask cluster: workers compute chunks, and the driver alone writes them.

Dask computes a chunk again whose worker died. One that goes on killing workers is given up: its
points stay as they are, not computed, and the next run tries them again.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from ulna.concurrency import cores
from ulna.errors import InputError, Problem
from ulna.sweep.compute import compute
from ulna.sweep.dask_clusters import ClusterError, Connection

if TYPE_CHECKING:
    from ulna.sweep.execute import SweepJob
    from ulna.sweep.store import Arrays
    from ulna.sweep.sweep_spec import SweepSpec

RETRIES = 2  # of a task that raises
PATIENCE = 60.0  # [s] to wait for a first worker
GONE = "the scheduler is gone"


def run_task(points: range, content: bytes, threads: int | None) -> Arrays:
    """Compute points in a worker."""
    arrays = compute(_unpacked(content), points, threads=threads or _own_threads())
    del arrays["message"]  # long, and not kept
    return arrays


@lru_cache(maxsize=4)
def _unpacked(content: bytes) -> SweepSpec:
    """Return a spec, made once: the values of all points are in it."""
    spec: SweepSpec = pickle.loads(content)
    return spec


def _own_threads() -> int:
    """Return how many threads a task may use where others run beside it."""
    from distributed import get_worker

    return max(cores() // int(get_worker().state.nthreads), 1)


def run_on(cluster: Connection, job: SweepJob) -> None:
    """Compute what is missing of a sweep on a cluster."""
    from distributed import as_completed

    client, missing, group = cluster.client, iter(job.missing), f"ulna-{os.urandom(8).hex()}"
    content = pickle.dumps(job.spec)
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError as error:
        raise ClusterError(f"the scheduler has had no workers for {PATIENCE:.0f} s") from error

    def submit(count: int) -> Sequence[Any]:
        numbers = list(islice(missing, max(count, 0)))
        points = [job.chunks.points(number) for number in numbers]
        keys = [(group, number) for number in numbers]
        how = {"content": content, "threads": cluster.threads, "key": keys, "retries": RETRIES}
        return client.map(run_task, points, **how) if points else []

    running = as_completed(submit(_room(client, job)), loop=client.loop)
    for batch in running.batches():
        for future in batch:
            arrays = _result(future)
            if arrays is not None:
                job.finish(future.key[1], arrays)
        running.update(submit(_room(client, job) - running.count()))


def _room(client: Any, job: SweepJob) -> int:
    """Return how many tasks to have submitted, so that no worker waits and all results fit.

    Of more than two per thread, Dask keeps those in the scheduler that wait for one. Fewer would
    wait in workers, and be blamed for a worker's death as well, so that there is one per thread.
    """
    try:
        threads: int = sum(client.nthreads().values())
    except OSError as error:
        raise ClusterError(GONE) from error
    return threads if len(job.missing) <= 2 * threads else 2 * threads + 1


def _result(future: Any) -> Arrays | None:
    """Return what a task has computed; None if it kept killing workers."""
    from distributed import CancelledError, KilledWorker
    from distributed.comm import CommClosedError

    try:
        found: Arrays = future.result()
        return found
    except KilledWorker:
        return None
    except (CancelledError, CommClosedError, TimeoutError) as error:
        raise ClusterError(GONE) from error
    except ModuleNotFoundError as error:
        told, need = f"workers that lack {error.name}", "workers with the same packages installed"
        raise InputError(Problem("scheduler", told, need)) from error
