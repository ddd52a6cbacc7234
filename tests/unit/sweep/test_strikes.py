"""A sweep that is killed anywhere, as often as you like, ends with the bits of one that was not.

A few strikes in `make test`, two hundred in `make test-slow`: at named places of the code, and at
random moments.
"""

import hashlib
import json
import random
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import sweep_strikes
import ulna
from ulna.errors import UlnaWarning

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no signals to send")

SPEC = """
format = 1
arm = "kehl"
path = "circle(center=(0.4, 0.3), radius='20 cm')"
duration = "0.1 s"
samples = 21
controller = "ComputedTorque()"
sensors = { angle_noise = "0.001 rad" }

[vary]
"payload" = { from = "0 kg", to = "1 kg", count = 8 }
"link.2.mass" = { from = "0.5 kg", to = "2 kg", count = 16 }

[keep]
scalars = ["torque.peak", "tip_error.rms"]
curves = ["torque", "q"]
curve_points = 21
"""
CHUNK = 16  # points: eight chunks


class Strikes:
    """The process that runs sweeps and is killed."""

    def __init__(self, folder):
        self.file = folder / "spec.toml"
        self.file.write_text(SPEC)
        self.process = subprocess.Popen(
            [sys.executable, sweep_strikes.__file__, str(self.file), str(CHUNK)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout.readline() == "ready\n"

    def run(self, store, **told):
        """Run the sweep in a child, and return its exit code."""
        self.process.stdin.write(json.dumps({"store": str(store), **told}) + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture(scope="module")
def strikes(tmp_path_factory):
    made = Strikes(tmp_path_factory.mktemp("strikes"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def undisturbed(strikes, tmp_path_factory):
    """Return the hashes of arrays, and how long the sweep takes [s]."""
    store = tmp_path_factory.mktemp("undisturbed") / "s.zarr"
    start = time.perf_counter()
    assert strikes.run(store) == 0
    return hashes(store), time.perf_counter() - start


def hashes(store):
    found = ulna.open_sweep(store)
    assert found.is_complete
    return {
        name: hashlib.sha256(values.values.tobytes()).hexdigest()
        for name, values in found.dataset.data_vars.items()
    }


def finished(store):
    """Return the records of a store; what they cover has numbers, and nothing else has any."""
    if not store.exists():
        return {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UlnaWarning)  # that some are not computed
        found = ulna.open_sweep(store)
    numbers = found.dataset["torque.peak"].values.reshape(128, 2)
    known = np.flatnonzero(np.isfinite(numbers).all(axis=1)).tolist()
    covered = [point for n in found.records for point in range(CHUNK * n, CHUNK * (n + 1))]
    assert known == covered
    assert np.isnan(np.delete(numbers, covered, axis=0)).all()
    return dict(found.records)


def check_strike(strikes, store, undisturbed, **told):
    """Strike once or more, go on, and compare; finished chunks stay as they are on the way."""
    records = {}
    for _ in range(told.pop("times", 1)):
        code = strikes.run(store, **told)
        if code == 0:
            break
        assert code == -signal.SIGKILL
        before, records = records, finished(store)
        assert {number: records[number] for number in before} == before
    assert strikes.run(store) == 0
    assert hashes(store) == undisturbed[0]
    assert not list(Path(store).rglob("*.part"))


@pytest.mark.parametrize("place", ["in data", "after data", "torn record"])
def test_a_sweep_killed_at_a_place_goes_on(strikes, undisturbed, tmp_path, place):
    check_strike(strikes, tmp_path / "s.zarr", undisturbed, place=place, count=3)


@pytest.mark.parametrize("part", [0.2, 0.7])
def test_a_sweep_killed_at_a_moment_goes_on(strikes, undisturbed, tmp_path, part):
    delay = part * undisturbed[1]
    check_strike(strikes, tmp_path / "s.zarr", undisturbed, delay=delay, times=2)


def test_a_sweep_that_is_told_to_end_leaves_no_part(strikes, undisturbed, tmp_path):
    told = {"place": "told to end", "count": 3, "command": True}
    assert strikes.run(tmp_path / "s.zarr", **told) == 128 + signal.SIGTERM
    assert not list(tmp_path.rglob("*.part"))
    assert len(finished(tmp_path / "s.zarr")) == 3


@pytest.mark.parametrize("place", ["told to end", sweep_strikes.TEXTS])
def test_what_a_script_leaves_half_written_is_gone_with_the_next(
    strikes, undisturbed, tmp_path, place
):
    store, count = tmp_path / "s.zarr", 0 if place == sweep_strikes.TEXTS else 3
    assert strikes.run(store, place=place, count=count) in (-signal.SIGTERM, -signal.SIGKILL)
    assert len(list(store.rglob("*.part"))) == 1
    finished(store)  # which it does not disturb
    assert strikes.run(store) == 0
    assert hashes(store) == undisturbed[0]
    assert not list(store.rglob("*.part"))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200))
def test_two_hundred_strikes(strikes, undisturbed, tmp_path, seed):
    chance = random.Random(seed)
    if seed % 2:
        place = sweep_strikes.PLACES[seed // 2 % len(sweep_strikes.PLACES)]
        told = {"place": place, "count": chance.randrange(8)}
    else:
        told = {"delay": chance.uniform(0.0, 1.1 * undisturbed[1])}
    check_strike(strikes, tmp_path / "s.zarr", undisturbed, times=chance.randint(1, 3), **told)
