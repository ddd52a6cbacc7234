"""Dask clusters: that of a scheduler's address, and one of this machine's own."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from ulna.arrays import whole
from ulna.concurrency import cores
from ulna.errors import InputError, Problem, Problems, UlnaError, import_extra, shown

PATIENCE = 10.0  # [s] to wait for an answer of a scheduler
MAX_WORKERS = 4096
ADDRESS = re.compile(r"(?:(tcp|tls)://)?[^\s/]+:([0-9]{1,5})")
TLS_FILES = ("ca_file", "cert", "key")


class ClusterError(UlnaError):
    """A cluster that is gone; what was finished is kept."""

    exit_code = 4


class Connection(NamedTuple):
    """A cluster, and how many threads each of its tasks may use; None where workers know."""

    client: Any
    threads: int | None


def check_cluster(
    workers: int | None, scheduler: str | None, tls: Mapping[str, str] | None
) -> None:
    """Raise InputError for what names no cluster."""
    checks = Problems()
    if workers is not None and scheduler is not None:
        hint = "leave out one of them"
        checks.add("workers", f"{workers} and a scheduler", "one of the two", hint)
    if workers is not None:
        with checks.gather():
            whole("workers", workers, 1, MAX_WORKERS)
    found = ADDRESS.fullmatch(scheduler) if isinstance(scheduler, str) else None
    if scheduler is not None and not (found and 0 < int(found[2]) < 2**16):
        hint = "start one by `dask scheduler`, which prints its address"
        checks.add("scheduler", shown(scheduler), "an address, such as 'tcp://10.0.0.1:8786'", hint)
    if (tls is not None) != bool(found and found[1] == "tls"):
        got = f"{shown(scheduler)} with {'no ' * (tls is None)}files for TLS"
        checks.add("tls", got, f"the files {', '.join(TLS_FILES)} and an address at tls://")
    if tls is not None and set(tls) != set(TLS_FILES):
        checks.add("tls", shown(sorted(tls)), f"the files {', '.join(TLS_FILES)}")
    checks.raise_if_any()


@contextmanager
def connected(
    workers: int | None, scheduler: str | None, tls: Mapping[str, str] | None
) -> Iterator[Connection]:
    """Yield a cluster: that of a scheduler, or else one of this machine's own."""
    distributed = import_extra("distributed", "cluster", "a sweep on workers")
    with distributed.utils.silence_logging_cmgr(logging.CRITICAL), ExitStack() as stack:
        if scheduler is None:
            count = workers or 1
            address, threads = stack.enter_context(_local_cluster(count)), max(cores() // count, 1)
        else:
            address, threads = scheduler, None
        security = None if tls is None else _security(distributed, tls)
        try:
            client = distributed.Client(
                address, security=security, timeout=PATIENCE, set_as_default=False
            )
        except Exception as error:
            told = (str(error) or type(error).__name__).splitlines()[0]
            hint = "start one by `dask scheduler`; one at tls:// takes the files of certificates"
            need = "the address of a Dask scheduler that answers"
            raise InputError(Problem("scheduler", f"'{address}': {told}", need, hint)) from error
        yield Connection(stack.enter_context(client), threads)


def _security(distributed: Any, tls: Mapping[str, str]) -> Any:
    """Return what a client needs to connect to a scheduler at tls://."""
    found = distributed.Security(
        tls_ca_file=tls["ca_file"],
        tls_client_cert=tls["cert"],
        tls_client_key=tls["key"],
        require_encryption=True,
    )
    try:
        found.get_connection_args("client")
    except (OSError, ValueError) as error:
        files = ", ".join(tls.values())
        need = "a certificate authority, a certificate it has signed, and the key of that one"
        raise InputError(Problem("tls", f"{files}: {error}", need)) from error
    return found


@contextmanager
def _local_cluster(workers: int) -> Iterator[str]:
    """Start a scheduler and workers; yield the scheduler's address, and kill them afterwards.

    Nobody waits for what they still compute. They are in a session of their own, so that Ctrl-C in
    a terminal does not reach them.
    """
    with TemporaryDirectory(prefix="ulna-", ignore_cleanup_errors=True) as folder:
        command = [sys.executable, "-m", "ulna.sweep.local_cluster", str(workers), folder]
        with subprocess.Popen(
            command,
            stdin=subprocess.PIPE,  # which ends with this process, and the cluster with it
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # Workers are killed, and leave their temporary files.
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": folder},
            text=True,
            start_new_session=True,
        ) as process:
            try:
                assert process.stdout is not None
                address = process.stdout.readline().strip()
                if not ADDRESS.fullmatch(address):
                    raise ClusterError(f"workers: {workers} cannot be started: {address}")
                yield address
            finally:
                process.kill()
