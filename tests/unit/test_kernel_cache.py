"""Compiled kernels on disk: whatever becomes of their files, answers are right and they heal."""

import errno
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from ulna import kernels
from ulna.digests import DamagedError, sealed, unsealed
from ulna.errors import UlnaWarning
from ulna.kernel_cache import KernelCache
from ulna.kernel_sources import PACKAGE

posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX")

# For every folder it is given: the answers of a kernel that is kept there, how many of its two
# forms were loaded and how many compiled, and the warnings.
PROGRAM = """
import json, pathlib, sys, warnings, numba
from ulna.kernel_cache import KernelCache
from ulna.kernels import OPTIONS, inner

@inner
def square(x):
    return x * x

def half(x):
    return 0.5 * square(x)

def used(folder):
    made = numba.njit(**OPTIONS)(half)
    made._cache = KernelCache(half, pathlib.Path(folder))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        answers = [made(3.0), made(4)]
    counts = made.stats.cache_hits.total(), made.stats.cache_misses.total()
    return answers, *counts, [str(one.message) for one in told]

print(json.dumps([used(folder) for folder in json.loads(sys.argv[1])]))
"""
RIGHT = [4.5, 8.0]
ALL_LOADED, ALL_COMPILED = [RIGHT, 2, 0, []], [RIGHT, 0, 2, []]
HALF_LOADED = [RIGHT, 1, 1, []]


def started(program, folders, before=""):
    place = os.pathsep.join([str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": place}
    environment.pop("NUMBA_DISABLE_JIT", None)
    run = f"{before}import runpy\nrunpy.run_path({str(program)!r})"
    words = [sys.executable, "-c", run, json.dumps([str(folder) for folder in folders])]
    pipe = subprocess.PIPE
    return subprocess.Popen(words, env=environment, stdout=pipe, stderr=pipe, text=True)


def finished(child):
    out, err = child.communicate(timeout=120)
    assert child.returncode == 0, err
    return json.loads(out)


def entries(folder):
    return sorted(Path(folder).glob("*.kernel"))


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """Give a file with a kernel that takes floats and integers."""
    file = tmp_path_factory.mktemp("program") / "program.py"
    file.write_text(PROGRAM, encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def kept(program, tmp_path_factory):
    """Give what two processes keep that compile the same at once: bytes by their names."""
    folder = tmp_path_factory.mktemp("kept")
    both = [started(program, [folder]) for _ in range(2)]
    answers = [finished(child)[0] for child in both]
    assert [answer[0] for answer in answers] == [RIGHT, RIGHT]
    assert ALL_COMPILED in answers
    assert len(entries(folder)) == len(list(folder.iterdir())) == 2
    return {file.name: file.read_bytes() for file in entries(folder)}


def flipped(raw, place):
    changed = bytearray(raw)
    changed[int(place * len(raw))] ^= 0x10
    return bytes(changed)


DAMAGES = {
    "emptied": lambda raw: b"",
    "cut to its head": lambda raw: raw[:20],
    "cut off": lambda raw: raw[: len(raw) // 2],
    "flipped at its beginning": lambda raw: flipped(raw, 0.0),
    "flipped in its middle": lambda raw: flipped(raw, 0.5),
    "flipped at its end": lambda raw: flipped(raw, 0.9999),
    "longer": lambda raw: raw + b"\0",
    "zeros": lambda raw: bytes(len(raw)),
    "text": lambda raw: b"no kernel\n",
    "no pickle": lambda raw: sealed(b"no pickle"),
    "another pickle": lambda raw: sealed(pickle.dumps("no kernel")),
}


def test_damaged_entries_are_compiled_again_and_heal(tmp_path, program, kept):
    places = {tmp_path / name: damage for name, damage in DAMAGES.items()}
    for folder, damage in places.items():
        folder.mkdir()
        for name, raw in kept.items():
            (folder / name).write_bytes(raw)
        first = entries(folder)[0]
        first.write_bytes(damage(first.read_bytes()))
    whole, swapped, covered = (tmp_path / name for name in ("whole", "swapped", "covered"))
    first, second = kept
    for folder, names in ((whole, kept), (swapped, (second, first)), (covered, kept)):
        folder.mkdir()
        for name, raw in zip(names, kept.values(), strict=True):
            (folder / name).write_bytes(raw)
    (covered / first).unlink()
    (covered / first).mkdir()
    (covered / first / "something").write_bytes(b"else")
    others = [whole, swapped, covered]
    expected = [HALF_LOADED] * len(places) + [ALL_LOADED, ALL_COMPILED, HALF_LOADED]
    assert finished(started(program, [*places, *others])) == expected
    # The next process compiles nothing, and no file is left over.
    assert finished(started(program, [*places, *others])) == [ALL_LOADED] * len(expected)
    assert all(len(list(folder.iterdir())) == 2 for folder in [*places, *others])


def test_where_nothing_can_be_kept_it_compiles_and_says_so_once(tmp_path, program):
    (tmp_path / "file").write_bytes(b"")
    folder = tmp_path / "file" / "below"
    first, again = finished(started(program, [folder, folder]))
    assert first[:3] == ALL_COMPILED[:3]
    (told,) = first[3]
    assert "cannot be kept" in told
    assert "ULNA_CACHE" in told
    assert again == ALL_COMPILED


@posix
def test_a_full_disk_costs_no_answer_and_leaves_no_part(tmp_path, program):
    small = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
    (found,) = finished(started(program, [tmp_path / "kept"], small))
    assert found[:3] == ALL_COMPILED[:3]
    assert [os.strerror(errno.EFBIG) in told for told in found[3]] == [True]
    assert list((tmp_path / "kept").iterdir()) == []


def _third(x):
    return x / 3.0


def test_a_cache_can_be_turned_off_and_emptied(tmp_path):
    made = numba.njit(**kernels.OPTIONS)(_third)
    made._cache = KernelCache(_third, tmp_path)
    made._cache.disable()
    assert made(3.0) == 1.0
    assert entries(tmp_path) == []
    made._cache.enable()
    assert made(6) == 2.0
    assert len(entries(tmp_path)) == 1
    made._cache.flush()
    assert entries(tmp_path) == []


def test_trouble_is_a_warning_of_ours(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    made = numba.njit(**kernels.OPTIONS)(_third)
    made._cache = KernelCache(_third, tmp_path / "file")
    with pytest.warns(UlnaWarning, match="cannot be kept"):
        assert made(3.0) == 1.0


def test_what_was_sealed_comes_back_and_nothing_else():
    raw = sealed(b"content")
    assert unsealed(raw) == b"content"
    for place in range(len(raw)):
        with pytest.raises(DamagedError):
            unsealed(flipped(raw, (place + 0.5) / len(raw)))
        with pytest.raises(DamagedError):
            unsealed(raw[:place])
