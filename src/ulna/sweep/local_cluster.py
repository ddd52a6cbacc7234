"""A Dask cluster of this machine's own: ``python -m ulna.sweep.local_cluster WORKERS FOLDER``.

It runs in a process of its own, which prints the scheduler's address and ends, with its workers,
when its standard input does: with whoever started it, whatever becomes of that process. It removes
the folder of its temporary files then. What workers print goes nowhere.
"""

from __future__ import annotations

import logging
import os
import shutil
import sys

import dask
import distributed

# What workers did beside their tasks took a third of a task's time. A task frees and asks for the
# same arrays again and again: Dask has its workers return such memory to the system each time, of
# which glibc is dissuaded here. Nobody looks at profiles.
CONFIGURATION = {
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 2**28,  # [bytes]
    "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": 2**25,  # [bytes]
    "distributed.worker.profile.enabled": False,
    # Tasks wait in the scheduler, so that a worker that dies discredits only the one that it ran.
    "distributed.scheduler.worker-saturation": 1.0,
    "distributed.scheduler.no-workers-timeout": "60 s",
    # A worker that dies is started again, however often that happens.
    "distributed.deploy.lost-worker-timeout": "365 days",
}


def main() -> None:
    """Run a cluster until the standard input ends."""
    workers = int(sys.argv[1])
    with os.fdopen(os.dup(1), "w") as answer:
        os.dup2(2, 1)
        dask.config.set(CONFIGURATION)
        try:
            cluster = distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
                local_directory=sys.argv[2],
            )
        except Exception as error:
            print(error, file=answer)
            return
        print(cluster.scheduler_address, file=answer)
    sys.stdin.read()
    shutil.rmtree(sys.argv[2], ignore_errors=True)
    os._exit(0)  # which workers notice; Dask itself would wait for what they compute


if __name__ == "__main__":
    main()
