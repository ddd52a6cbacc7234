"""`ulna compile`: what it says, what it refuses, and what it leaves for nobody to wait for."""

import os
import subprocess
import sys

import pytest

from ulna.cli import main
from ulna.kernels import cache
from ulna.simulation import precompile


@pytest.fixture
def compiled(monkeypatch, tmp_path):
    """Put the cache into a folder, and a file into it in place of every kernel."""
    monkeypatch.setenv("ULNA_CACHE", str(tmp_path))
    cache._folder.cache_clear()
    asked = []

    def compile_all(workers):
        asked.append(workers)
        (tmp_path / "kernels").mkdir(exist_ok=True)
        for done in (1, 2):
            (tmp_path / "kernels" / f"{done}.object").write_bytes(b"")
            yield done / 2

    monkeypatch.setattr(precompile, "compile_all", compile_all)
    yield asked
    cache._folder.cache_clear()


def test_it_says_how_many_kernels_it_made_and_where_they_are(compiled, capsys, tmp_path):
    assert main(["compile"]) == 0
    first = capsys.readouterr().out
    assert "compiled 2 kernels" in first
    assert str(tmp_path / "kernels") in first.replace("\n", "")
    assert main(["compile", "--workers", "3"]) == 0
    assert "all kernels are there" in capsys.readouterr().out
    assert compiled == [None, 3]


@pytest.mark.parametrize("words", [["--workers", "0"], ["--workers", "many"], ["everything"]])
def test_it_refuses_what_it_does_not_understand(compiled, capsys, words):
    assert main(["compile", *words]) == 2
    assert words[-1] in capsys.readouterr().err
    assert compiled == []


def test_pieces_are_all_that_is_compiled():
    # Whoever runs them has nothing left to compile: they can be handed to other processes.
    first, rest = precompile.pieces()
    names = {work.__name__ for work, _ in first + rest}
    assert names == {name for name in vars(precompile) if name.startswith("compile_")} - {
        "compile_all"
    }
    sizes = {given[0] for work, given in first + rest if work is precompile.compile_size}
    assert sizes == {1, 2, 3, 4}


@pytest.mark.slow
def test_after_it_nothing_is_left_to_compile(tmp_path):
    environment = {**os.environ, "ULNA_CACHE": str(tmp_path)}
    words = [sys.executable, "-m", "ulna", "compile"]
    subprocess.run(words, env=environment, check=True, capture_output=True)
    again = subprocess.run(words, env=environment, check=True, capture_output=True, text=True)
    assert "all kernels are there" in again.stdout
    kept = sorted(tmp_path.rglob("*"))
    timed = """
import ulna
for n in (1, 2, 3, 4):
    joint = ulna.Joint(max_torque=50.0, friction=ulna.Friction(coulomb=0.1))
    arm = ulna.Arm.rods([0.5] * n, [1.0] * n, joints=[joint] * n, gravity=(0.0, 0.0))
    path = ulna.paths.joints([[0.1] * n, [0.5] * n])
    if n > 1:
        path = ulna.paths.line((0.3, 0.2), (0.4, 0.3))
    assert ulna.plan(arm, path, timing="fastest").ok
"""
    subprocess.run([sys.executable, "-c", timed], env=environment, check=True)
    assert sorted(tmp_path.rglob("*")) == kept
