"""How files of runs are opened in tests."""

import sys

import pytest


@pytest.fixture
def parsed_here(monkeypatch):
    """Parse files without a digest in this process, as where there is no Python to start.

    By themselves they are parsed by a process of its own first, which tests/unit/simulation/
    test_damaged_files.py is about.
    """
    monkeypatch.setattr(sys, "executable", "")
