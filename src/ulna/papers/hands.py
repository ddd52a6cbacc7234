"""Hands that do the tasks: this process, or several others at once.

Others are spawned, never forked. They do not hear Ctrl-C, which would leave a simulation half done
and a row with its numbers; whoever hired them hears it and sends them home.
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

from ulna.papers.tasks import Task, Tasks, perform

Tell: TypeAlias = Callable[[Task, Tasks], None]  # of a task that is done


class HandError(RuntimeError):
    """What went wrong in another process, with the traceback from there."""


def do_here(tasks: Tasks, folder: Path, tell: Tell) -> None:
    """Do all tasks in this process, one after the other."""
    known = set(tasks.numbers)
    while (task := tasks.take(known)) is not None:
        tasks.finish(task, perform(task, folder))
        tell(task, tasks)


def do_together(tasks: Tasks, folder: Path, tell: Tell, count: int) -> None:
    """Do all tasks in so many processes."""
    with _hired(count, folder) as hands:
        idle, busy = list(hands), {}
        while True:
            for hand in list(idle):
                task = tasks.take(hands[hand])
                if task is not None:
                    idle.remove(hand)
                    busy[hand] = task
                    hands[hand].add(task.number)
                    hand.send(task)
            if not busy:
                return
            for hand in cast(list[Connection], wait(list(busy))):
                task = busy.pop(hand)
                idle.append(hand)
                tasks.finish(task, _answer(hand, task))
                tell(task, tasks)


def _answer(hand: Connection, task: Task) -> Any:
    try:
        done, result = hand.recv()
    except EOFError:
        raise HandError(f"{task.words}: the process that did it ended") from None
    if not done:
        raise HandError(f"{task.words}: {result}")
    return result


@contextmanager
def _hired(count: int, folder: Path) -> Iterator[dict[Connection, set[str]]]:
    """Return the ways to processes that wait for tasks, and the papers that each knows."""
    processes, ways = get_context("spawn"), []
    hired = []
    try:
        for _ in range(count):
            here, there = processes.Pipe()
            hand = processes.Process(target=_serve, args=(there, folder), daemon=True)
            with _silence():
                hand.start()
            there.close()
            ways.append(here)
            hired.append(hand)
        yield {way: set() for way in ways}
    finally:
        for way in ways:
            way.close()
        for hand in hired:
            hand.terminate()
        for hand in hired:
            hand.join()


@contextmanager
def _silence() -> Iterator[None]:
    """Let processes be deaf to Ctrl-C from their first instant, where that is possible."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # It has a process of its own, whose start would end the silence.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(way: Connection, folder: Path) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            task = way.recv()
        except EOFError:
            return
        way.send(_tried(task, folder))


def _tried(task: Task, folder: Path) -> tuple[bool, Any]:
    try:
        return True, perform(task, folder)
    except Exception:
        return False, traceback.format_exc()
