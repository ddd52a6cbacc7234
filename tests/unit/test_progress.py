"""Bars: late, only where somebody looks, and gone without a trace."""

import io
import subprocess
import sys
from contextlib import redirect_stderr
from types import SimpleNamespace

import pytest

from ulna import progress as module
from ulna.progress import progress


class File(io.StringIO):
    def seen(self):
        """Give what is on the line after all that was written, as a terminal shows it."""
        line = ""
        for part in self.getvalue().split("\r"):
            line = part + line[len(part) :]
        return line.rstrip()


class Terminal(File):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """Give a clock that tests move by hand."""
    made = SimpleNamespace(now=0.0)
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: made.now))
    return made


def work(clock, seconds, file, **options):
    """Work, a tenth in half a second, and give what is seen at the end."""
    with redirect_stderr(file), progress("working", **options) as report:
        for tick in range(int(2 * seconds) + 1):
            clock.now = tick / 2
            report(tick / 10)
        return file.seen()


def test_short_work_shows_nothing(clock):
    terminal = Terminal()
    work(clock, 0.5, terminal)
    assert terminal.getvalue() == ""


def test_longer_work_shows_a_bar_with_what_is_left_of_it(clock):
    # 2.5 s for half of it: as long again is left.
    told = work(clock, 2.5, Terminal())
    assert told == f"working [{15 * '#'}{15 * '.'}]  50 %, 2 s left"


def test_it_leaves_no_trace(clock):
    terminal = Terminal()
    assert work(clock, 2.0, terminal)
    assert terminal.seen() == ""


def test_it_leaves_no_trace_of_work_that_fails(clock):
    class Broken(Terminal):
        def seen(self):
            raise MemoryError(super().seen())

    terminal = Broken()
    with pytest.raises(MemoryError, match="working"):
        work(clock, 2.0, terminal)
    assert File.seen(terminal) == ""


def test_where_nobody_looks_nothing_is_shown_unless_it_is_asked_for(clock):
    file = File()
    assert work(clock, 2.0, file) == ""
    assert work(clock, 2.0, file, shown=True).startswith("working [###")
    assert work(clock, 2.0, Terminal(), shown=False) == ""


def test_tqdm_is_loaded_when_a_bar_is_due_and_starts_no_thread():
    code = """
import sys, threading
import ulna.progress
with ulna.progress.progress("working", shown=True) as report:
    report(0.1)
    report(0.2)
assert "tqdm" not in sys.modules
ulna.progress.PATIENCE = ulna.progress.INTERVAL = 0.0
with ulna.progress.progress("working", shown=True) as report:
    report(0.1)
    assert "tqdm" in sys.modules
    assert threading.active_count() == 1
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
