"""Shared work: all of it, once, on whatever threads there are."""

import multiprocessing
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from ulna import concurrency


@pytest.fixture(autouse=True)
def three_cores(monkeypatch):
    monkeypatch.setattr(concurrency, "cores", lambda: 3)


def done(count, least):
    seen = []
    concurrency.parallel_for(lambda first, last: seen.append((first, last)), count, least)
    return sorted(seen)


@pytest.mark.parametrize("count", [0, 1, 9, 10, 19, 20, 21, 99, 1000, 12345])
def test_all_is_done_once(count):
    pieces = done(count, 10)
    assert [k for first, last in pieces for k in range(first, last)] == list(range(count))


def test_pieces_are_not_too_small():
    assert done(19, 10) == [(0, 19)]
    assert min(last - first for first, last in done(1000, 10)) >= 10
    assert len(done(10**6, 10)) == concurrency.PIECES * 3


def test_several_threads_take_part():
    names, meeting = set(), threading.Barrier(2, timeout=10)

    def work(first, last):
        name = threading.current_thread().name
        if name not in names:
            names.add(name)
            if len(names) <= 2:
                meeting.wait()

    concurrency.parallel_for(work, 1000, 10)
    assert len(names) >= 2


def test_work_may_ask_for_work():
    seen = []

    def work(first, last):
        concurrency.parallel_for(lambda one, other: seen.append(other - one), last - first, 1)

    concurrency.parallel_for(work, 1000, 10)
    assert sum(seen) == 1000


@pytest.mark.parametrize("where", ["first", "any"])
def test_what_goes_wrong_is_raised(where):
    def work(first, last):
        if where == "any" or first == 0:
            raise ValueError("this piece")

    with pytest.raises(ValueError, match="this piece"):
        concurrency.parallel_for(work, 1000, 10)
    assert done(1000, 10)


def test_while_python_ends_there_is_no_help_and_none_needed(monkeypatch):
    ended = ThreadPoolExecutor(1)
    ended.shutdown()
    monkeypatch.setattr(concurrency, "_pool", lambda process: ended)
    assert sum(last - first for first, last in done(1000, 10)) == 1000


CHILDREN = """
import multiprocessing, os, sys
from ulna import concurrency
concurrency.cores = lambda: 3
def done():
    pieces = []
    concurrency.parallel_for(lambda first, last: pieces.append(last - first), 1000, 10)
    return sum(pieces)
def in_a_child(queue):
    queue.put((os.getpid(), done()))
if __name__ == "__main__":
    assert done() == 1000  # by now there are threads, which the child has not
    context = multiprocessing.get_context(sys.argv[1])
    queue = context.Queue()
    child = context.Process(target=in_a_child, args=(queue,))
    child.start()
    process, count = queue.get(timeout=60)
    child.join(60)
    assert (process != os.getpid(), count, child.exitcode) == (True, 1000, 0)
"""


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_other_processes_have_threads_of_their_own(tmp_path, method):
    # In a process of its own: what else is loaded here may have something against forks.
    file = tmp_path / "children.py"
    file.write_text(CHILDREN, encoding="utf-8")
    done = subprocess.run([sys.executable, "-W", "ignore", str(file), method], timeout=120.0)
    assert done.returncode == 0


def test_cores_are_those_that_the_process_may_use(monkeypatch):
    monkeypatch.undo()
    assert 1 <= concurrency.cores() <= (os.cpu_count() or 1)
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert concurrency.cores() == (os.cpu_count() or 1)


@pytest.mark.parametrize("most", [1, 2])
def test_no_more_threads_share_work_than_may(most):
    names = set()
    concurrency.parallel_for(lambda first, last: names.add(threading.get_ident()), 1000, 10, most)
    assert 1 <= len(names) <= most


def interrupt(team, work, begun):
    """Interrupt a thread that waits for a helper, once that has begun."""
    with pytest.raises(KeyboardInterrupt), team:  # noqa: PT012
        team.call(1, work)
        assert begun.wait(20.0)
        raise KeyboardInterrupt


def test_helpers_stop_when_the_calling_thread_does():
    begun, ended = threading.Event(), threading.Event()
    team = concurrency.Team()

    def work():
        begun.set()
        while not team.stopped:
            time.sleep(1e-3)
        ended.set()

    interrupt(team, work, begun)
    assert ended.is_set()


def test_a_helper_that_does_not_return_is_left_behind(monkeypatch):
    monkeypatch.setattr(concurrency, "PATIENCE", 0.05)
    begun, released = threading.Event(), threading.Event()
    team = concurrency.Team()

    def work():
        begun.set()
        released.wait(20.0)

    interrupt(team, work, begun)
    assert not team._tasks[0].done()
    released.set()


def test_the_calling_thread_reports_while_it_waits(monkeypatch):
    monkeypatch.setattr(concurrency, "INTERVAL", 1e-3)
    reports, released = [], threading.Event()

    def report():
        reports.append(1)
        if len(reports) > 3:
            released.set()

    begun = threading.Event()
    with concurrency.Team(report) as team:
        team.call(1, lambda: (begun.set(), released.wait(20.0)))
        assert begun.wait(20.0)
    assert len(reports) > 3
