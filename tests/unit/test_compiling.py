"""The wait for compiling is shown: by a bar where one is seen, else by one line."""

import time
from contextlib import contextmanager

import pytest

from ulna.kernels import compiling, inner
from ulna.kernels.functions import Kernel


@inner
def _square(x):
    return x * x


@inner
def _cube(x):
    return x * _square(x)


def _both(x):
    return _square(x) + _cube(x)


@pytest.fixture
def shown(monkeypatch):
    """Give what a bar is called and shows, at every look."""
    seen = []

    @contextmanager
    def progress(what):
        seen.append(what)
        yield seen.append

    monkeypatch.setattr(compiling, "progress", progress)
    monkeypatch.setattr(compiling, "INTERVAL", 1e-3)
    monkeypatch.setattr(compiling, "_announced", False)
    monkeypatch.setattr(compiling, "_spent", 0.0)
    return seen


def test_the_bar_moves_with_every_function_and_never_back(shown):
    with compiling.show_progress(Kernel(_both), 2) as bar:
        bar.begin_typing()
        for name in ("_square", "_cube", "_both"):
            bar.typed(name)
            time.sleep(0.02)
        bar.begin_code()
        time.sleep(0.05)
    what, *parts = shown
    assert what == "compiling, once for this version: _both, 2 joints"
    assert parts == sorted(parts)
    assert {0.25, 0.5, 0.75} <= set(parts)
    assert 0.75 < parts[-1] < 1.0


def test_where_no_bar_is_seen_one_line_says_so_once(shown, monkeypatch):
    said = []
    monkeypatch.setattr(compiling, "announce", said.append)
    monkeypatch.setattr(compiling, "PATIENCE", 0.0)
    monkeypatch.setattr(compiling, "is_seen", lambda: False)
    for _ in range(2):
        with compiling.show_progress(Kernel(_both), 2):
            time.sleep(0.02)
    assert said == [compiling.WHAT]
    assert "ulna compile" in said[0]


def test_several_short_waits_are_a_long_one(shown, monkeypatch):
    said = []
    monkeypatch.setattr(compiling, "announce", said.append)
    monkeypatch.setattr(compiling, "PATIENCE", 0.1)
    monkeypatch.setattr(compiling, "is_seen", lambda: False)
    told = []
    for _ in range(5):
        with compiling.show_progress(Kernel(_both), 2):
            time.sleep(0.03)
        told.append(len(said))
    assert told[0] == 0
    assert told[-1] == 1


def test_nothing_is_said_of_a_short_wait_or_beside_a_bar(shown, monkeypatch):
    said = []
    monkeypatch.setattr(compiling, "announce", said.append)
    with compiling.show_progress(Kernel(_both), 2):
        time.sleep(0.02)
    monkeypatch.setattr(compiling, "PATIENCE", 0.0)
    monkeypatch.setattr(compiling, "is_seen", lambda: True)
    with compiling.show_progress(Kernel(_both), 2):
        time.sleep(0.02)
    assert said == []
