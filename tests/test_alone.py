"""Every file of tests passes in a process of its own: none needs what another has left behind."""

import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
FILES = sorted(TESTS.glob("*/**/test_*.py"))
NONE_TO_RUN = 5  # pytest's exit code where all tests of a file are slow


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(TESTS).as_posix())
def test_a_file_passes_alone(file):
    options = ["-q", "-p", "no:xdist", "-p", "no:cacheprovider", "-m", "not slow"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(file)],
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, NONE_TO_RUN), done.stdout[-3000:]
