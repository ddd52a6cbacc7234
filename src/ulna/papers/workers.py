"""Execution of the tasks: in this process, or in several worker processes at once.

Workers are spawned, never forked. They ignore Ctrl-C, which would leave a simulation half done
and a row with its numbers; the process that started them handles it and terminates them.
"""

from __future__ import annotations

import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, TypeAlias, cast

from ulna.papers.tasks import PaperTask, PaperTasks, execute

OnDone: TypeAlias = Callable[[PaperTask, PaperTasks], None]  # of a task that is done


class WorkerProcessError(RuntimeError):
    """What went wrong in another process, with the traceback from there."""


def run_here(tasks: PaperTasks, folder: Path, on_done: OnDone) -> None:
    """Execute all tasks in this process, one after the other."""
    known = set(tasks.numbers)
    while (task := tasks.take(known)) is not None:
        tasks.finish(task, execute(task, folder))
        on_done(task, tasks)


def run_in_processes(tasks: PaperTasks, folder: Path, on_done: OnDone, count: int) -> None:
    """Execute all tasks in `count` worker processes."""
    with _processes(count, folder) as workers:
        idle, busy = list(workers), {}
        while True:
            for worker in list(idle):
                task = tasks.take(workers[worker])
                if task is not None:
                    idle.remove(worker)
                    busy[worker] = task
                    workers[worker].add(task.number)
                    worker.send(task)
            if not busy:
                return
            for worker in cast(list[Connection], wait(list(busy))):
                task = busy.pop(worker)
                idle.append(worker)
                tasks.finish(task, _result(worker, task))
                on_done(task, tasks)


def _result(worker: Connection, task: PaperTask) -> Any:
    try:
        done, result = worker.recv()
    except EOFError:
        raise WorkerProcessError(f"{task.description}: the process that did it ended") from None
    if not done:
        raise WorkerProcessError(f"{task.description}: {result}")
    return result


@contextmanager
def _processes(count: int, folder: Path) -> Iterator[dict[Connection, set[str]]]:
    """Return connections to worker processes, and the papers that each has judged."""
    processes, connections = get_context("spawn"), []
    started = []
    try:
        for _ in range(count):
            here, there = processes.Pipe()
            worker = processes.Process(target=_work, args=(there, folder), daemon=True)
            with _ignoring_interrupts():
                worker.start()
            there.close()
            connections.append(here)
            started.append(worker)
        yield {connection: set() for connection in connections}
    finally:
        for connection in connections:
            connection.close()
        for worker in started:
            worker.terminate()
        for worker in started:
            worker.join()


@contextmanager
def _ignoring_interrupts() -> Iterator[None]:
    """Block Ctrl-C for processes that start inside, where that is possible."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # It has a process of its own, whose start would unblock the signal.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(connection: Connection, folder: Path) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        connection.send(_outcome(task, folder))


def _outcome(task: PaperTask, folder: Path) -> tuple[bool, Any]:
    try:
        return True, execute(task, folder)
    except Exception:
        return False, traceback.format_exc()
