"""Dask clusters: those that a scheduler's address names, and one of this machine's own.

Its scheduler and workers run in processes beside the driver. They are killed when the sweep ends,
for whatever reason: nobody waits for what they compute, and finished results are kept by then.
"""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from multiprocessing import active_children, get_context, resource_tracker, util
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, NamedTuple

from ulna.concurrency import cores, held, listening
from ulna.errors import InputError, Problem, Problems, UlnaError, import_extra, shown

INTERVAL = 0.1  # [s] between two looks at Ctrl-C
PATIENCE = 10.0  # [s] to wait for an answer of a scheduler, or for processes to end
MISSING = "a sweep on workers"
# What processes of a cluster of our own do beside their tasks took a third of a task's time. A task
# frees and asks for the same arrays again and again: Dask has its workers return such memory to the
# system each time, of which glibc is dissuaded here. Nobody looks at profiles, and no results stay
# in workers. A nanny still ends a worker that takes too much memory.
ENVIRONMENT = "distributed.nanny.pre-spawn-environ"
CONFIGURATION = {
    "distributed.worker.multiprocessing-method": "spawn",
    f"{ENVIRONMENT}.MALLOC_TRIM_THRESHOLD_": 2**28,  # [bytes]
    f"{ENVIRONMENT}.MALLOC_MMAP_THRESHOLD_": 2**25,  # [bytes]
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
    # So long after a worker has died its place is given up if it is empty just then, though another
    # has been there in between: a chunk that kills one after the other would lose them all.
    "distributed.deploy.lost-worker-timeout": "365 days",
}


class ClusterError(UlnaError):
    """A cluster that is gone; what was finished is kept."""

    exit_code = 4


class Connection(NamedTuple):
    """A cluster, and how many threads each of its tasks may use; None where workers know."""

    client: Any
    address: str
    threads: int | None


@contextmanager
def connected(
    workers: int | None, scheduler: str | None, tls: Mapping[str, str] | None
) -> Iterator[Connection]:
    """Yield a cluster: one of this machine's own, or that of a scheduler."""
    distributed = import_extra("distributed", "cluster", MISSING)
    with distributed.utils.silence_logging_cmgr(logging.CRITICAL):
        if scheduler is None:
            with _local_cluster(workers or 1) as address, _client(distributed, address) as client:
                yield Connection(client, address, max(cores() // (workers or 1), 1))
            return
        security = _security(distributed, scheduler, tls)
        with _client(distributed, scheduler, security) as client:
            yield Connection(client, scheduler, None)


@contextmanager
def _client(distributed: Any, address: str, security: Any = None) -> Iterator[Any]:
    """Yield a client that is connected to a scheduler."""

    class Client(distributed.Client):  # type: ignore[misc]
        def __del__(self) -> None:
            """Leave a client alone that never started: Dask's would wait 20 s for it to end."""

    with _explained(address):
        client = Client(address, security=security, timeout=PATIENCE, set_as_default=False)
    try:
        yield client
    finally:
        with suppress(Exception):
            client.close(timeout=PATIENCE)


def _security(distributed: Any, address: str, tls: Mapping[str, str] | None) -> Any:
    """Return what a client needs to connect to an address, which is checked first."""
    checks = Problems()
    scheme, separator, place = address.rpartition("://")
    host, _, port = place.rpartition(":")
    known = scheme in ("tcp", "tls") if separator else bool(host)
    if not (known and host and port.isascii() and port.isdigit() and 0 < int(port[:6]) < 2**16):
        hint = "start one by `dask scheduler`, which prints its address"
        checks.add("scheduler", shown(address), "an address, such as 'tcp://127.0.0.1:8786'", hint)
    elif (scheme == "tls") != (tls is not None):
        need = "the files of its certificate" if tls is None else "an address at tls://"
        checks.add("scheduler", f"{address!r} with {'no ' * (tls is None)}files for tls", need)
    for name, file in (tls or {}).items():
        if not Path(file).is_file():
            checks.add(f"tls.{name}", shown(file), "a file")
    checks.raise_if_any()
    if tls is None:
        return None
    security = distributed.Security(
        tls_ca_file=tls["ca_file"],
        tls_client_cert=tls["cert"],
        tls_client_key=tls["key"],
        require_encryption=True,
    )
    try:
        security.get_connection_args("client")
    except (OSError, ValueError) as error:
        files = ", ".join(tls.values())
        need = "a certificate authority, a certificate it has signed, and the key of that one"
        raise InputError(Problem("tls", f"{files}: {error}", need)) from error
    return security


@contextmanager
def _explained(address: str) -> Iterator[None]:
    """Explain why a scheduler cannot be reached."""
    try:
        yield
    except Exception as error:
        told = str(error).splitlines()[0] if str(error) else type(error).__name__
        hint = "start one by `dask scheduler`; one at tls:// takes the files of its certificates"
        need = "the address of a Dask scheduler that answers"
        raise InputError(Problem("scheduler", f"'{address}': {told}", need, hint)) from error


@contextmanager
def _local_cluster(workers: int) -> Iterator[str]:
    """Start a scheduler and workers; yield the scheduler's address, and kill them afterwards."""
    dask = import_extra("dask", "cluster", MISSING)
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    with TemporaryDirectory(prefix="ulna-", ignore_cleanup_errors=True) as folder:
        arguments = (theirs, workers, folder, dask.config.config)
        process = context.Process(target=_serve, args=arguments, name="ulna-cluster")
        is_ready = False  # to end with the connection
        try:
            with held(), _interrupts_blocked():
                process.start()
            theirs.close()
            _receive(ours)
            is_ready = True
            yield _receive(ours)
        finally:
            with held():
                ours.close()
                if process.pid is not None:
                    process.join(PATIENCE if is_ready else 0.0)
                    process.kill()


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Block Ctrl-C in processes that the block starts: a terminal sends it to all of them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # which unblocks it when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _receive(connection: Pipe) -> str:
    """Wait for what the cluster sends, with an ear for Ctrl-C; raise it if it is an error."""
    listener = listening()
    while not connection.poll(INTERVAL):
        listener.check()
    try:
        found: str | ClusterError = connection.recv()
    except EOFError:
        hint = "in a script, put what calls them under if __name__ == '__main__':"
        found = ClusterError(f"workers: got processes that ended while they started; {hint}")
    if isinstance(found, ClusterError):
        raise found
    return found


def _serve(connection: Pipe, workers: int, folder: str, configuration: Mapping[str, Any]) -> None:
    """Run a cluster until the driver closes its end of the connection, or is gone itself."""
    import dask
    import distributed

    end = Thread(target=_end_with, args=(connection,))
    end.start()
    connection.send("ready")
    dask.config.update(dask.config.config, configuration)
    dask.config.set(CONFIGURATION)  # some of which is read whenever a worker dies
    try:
        cluster = distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",  # a port that is free: others may have theirs
            silence_logs=logging.CRITICAL,
            local_directory=folder,
            # One death is enough: the driver finds out which chunk was the cause.
            scheduler_kwargs={"allowed_failures": 0},
        )
        connection.send(cluster.scheduler_address)
    except Exception as error:
        with suppress(OSError):
            connection.send(ClusterError(f"workers: {workers} cannot be started: {error}"))
    end.join()


def _end_with(connection: Pipe) -> None:
    """End this process and all workers with a connection."""
    with suppress(EOFError, OSError):
        connection.recv()
    for worker in active_children():
        worker.kill()
    # Releases what queues hold in the system, of which Python would warn otherwise.
    util._exit_function()  # type: ignore[attr-defined]
    os._exit(0)
