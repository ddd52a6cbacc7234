"""A sweep that is killed anywhere, as often as you like, ends with the bits of one that was not."""

import os
import random
import signal
import subprocess
import sys
import time
import warnings
from contextlib import suppress

import numpy as np
import pytest

import ulna
from ulna.errors import UlnaWarning
from ulna.sweep import read_spec
from ulna.sweep.compute import compute

psutil = pytest.importorskip("psutil")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no signals to send")

SPEC = """
format = 1
arm = "kehl"
path = "circle(center=(0.4, 0.3), radius='20 cm')"
duration = "{duration}"
samples = 21
controller = "ComputedTorque()"
sensors = {{ angle_noise = "0.001 rad" }}

[vary]
"payload" = {{ from = "0 kg", to = "1 kg", count = 8 }}
"link.2.mass" = {{ from = "0.5 kg", to = "2 kg", count = {count} }}

[keep]
scalars = ["torque.peak", "tip_error.rms"]
curves = ["torque", "q"]
curve_points = 21
"""
# Carries out a sweep in chunks of 16 points, and dies after so many arrays of chunks are written,
# either before the next one or in the middle of its file.
DYING = """
import os, signal, sys
import ulna
from ulna.sweep import chunks
from ulna.zarr_stores import Store
from zarr.storage import _local

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def write_half(path, value, exclusive=False):
    path.parent.mkdir(parents=True, exist_ok=True)
    with _local._atomic_write(path, "wb", exclusive=exclusive) as file:
        file.write(value.to_bytes()[: len(value) // 2])
        file.flush()
        die()

def write(self, box, values, call=Store.write):
    for name, part in values.items():
        if box and not left:
            if sys.argv[4] == "before":
                die()
            _local._put = write_half
        call(self, box, {name: part})
        if box:
            left.pop()

left = [None] * int(sys.argv[3])
Store.write = write
chunks.FEWEST = chunks.MOST = 16
ulna.sweep(sys.argv[1], sys.argv[2])
"""
COMMAND = "import sys; from ulna.cli import main; print('begun', flush=True); sys.exit(main())"


def write_spec(folder, duration="0.1 s", count=16):
    (folder / "spec.toml").write_text(SPEC.format(duration=duration, count=count))
    return folder / "spec.toml"


def outputs(spec):
    found = compute(read_spec(spec), range(len(read_spec(spec))))
    return {name: found[name] for name in ("torque.peak", "tip_error.rms", "torque", "q", "t_end")}


def assert_same(store, expected):
    found = ulna.open_sweep(store)
    assert found.is_complete
    for name, values in expected.items():
        kept = found.dataset[name].values
        assert kept.reshape(values.shape).tobytes() == values.tobytes(), name


def finished(store):
    """Return which points are finished; those have numbers, and nothing else has any."""
    if not store.exists():
        return set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UlnaWarning)  # that some are not computed
        found = ulna.open_sweep(store)
    known = np.isfinite(found.dataset["torque.peak"].values.reshape(len(found), 2)).all(axis=1)
    there = set(np.flatnonzero(known).tolist())
    assert there == set(range(len(found))) - set(found.not_computed)
    return there


def die(spec, store, after, where):
    words = [spec, store, str(after), where]
    done = subprocess.run([sys.executable, "-c", DYING, *words], check=False)
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize("after", [[5, 0, 19], pytest.param([17], marks=pytest.mark.slow)])
def test_a_sweep_killed_between_or_within_files_goes_on(tmp_path, after):
    spec, store = write_spec(tmp_path), tmp_path / "s.zarr"
    before = set()
    for count in after:
        die(spec, store, count, "within" if count else "before")
        assert len(finished(store) - before) == 16 * (count // 6)  # arrays of a chunk
        before |= finished(store)
    ulna.sweep(spec, store)
    assert_same(store, outputs(spec))


def started(spec, store, *words):
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, "sweep", spec, "--out", store, *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert process.stdout.readline() == "begun\n"
    return process


def ended(process):
    """Return how a command ended, none of whose processes is left."""
    _, err = process.communicate(timeout=120.0)
    assert "Traceback" not in err
    return process.returncode


@pytest.mark.slow
@pytest.mark.parametrize("words", [(), ("--overwrite",)], ids=["again", "overwriting"])
@pytest.mark.parametrize("word", ["SIGINT", "SIGKILL"])
@pytest.mark.parametrize("wait", [0.1, 0.5, 1.0])
def test_a_finished_store_survives(tmp_path, words, word, wait):
    spec, store = write_spec(tmp_path), tmp_path / "s.zarr"
    ulna.sweep(spec, store)
    process = started(spec, store, *words)
    time.sleep(wait)
    os.killpg(process.pid, getattr(signal, word))
    ended(process)
    assert_same(store, outputs(spec))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_twelve_kills_of_driver_workers_and_scheduler_give_the_same_bits(tmp_path, seed):
    spec, store = write_spec(tmp_path, "4 s", 160), tmp_path / "s.zarr"
    chance, kills, known, seen = random.Random(seed), 0, set(), 0
    while kills < 12:
        process = started(spec, store, "--workers", "2")
        while kills < 12 and process.poll() is None:
            time.sleep(chance.uniform(0.5, 4.0))
            with suppress(psutil.NoSuchProcess):
                tree = [psutil.Process(process.pid)]
                tree += tree[0].children(recursive=True)
                known |= set(tree)
                chance.choice(tree).kill()
                kills += 1
        ended(process)
        before, seen = seen, len(finished(store))
        assert seen >= before
    ulna.sweep(spec, store)
    _, alive = psutil.wait_procs(known, timeout=5.0)
    assert alive == []
    assert_same(store, outputs(spec))
