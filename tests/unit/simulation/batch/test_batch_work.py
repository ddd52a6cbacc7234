"""Many arms at work: threads, stores, Ctrl-C and the line of progress."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import ulna
import ulna.progress
from ulna import (
    Actuators,
    Arm,
    ControlLoop,
    Interrupted,
    Sensors,
    concurrency,
    simulate,
    simulate_batch,
)  # fmt: skip
from ulna.control import PD
from ulna.errors import FileError, InputError
from ulna.scenario import disturbances
from ulna.simulation import open_batch
from ulna.simulation.batch import batch_files
from ulna.simulation.made_with import batch_scenario

TWO = Arm.rods([1.0, 1.0], [1.0, 1.0])
START = {"q0": [0.1, 0.5], "duration": 0.01}


def some_arms(random, members):
    """Give arms of two links of which no two are alike."""
    sizes = random.uniform(0.5, 1.5, (members, 2, 2))
    return ulna.stack([Arm.rods(lengths, masses) for lengths, masses in sizes])


def test_a_store_holds_what_memory_would(tmp_path, monkeypatch):
    from ulna.simulation.batch import buckets

    random = np.random.default_rng(10)
    arms, q0 = some_arms(random, 50), random.uniform(-1.0, 1.0, (50, 2))
    q0[7] = np.nan
    options = {"q0": q0, "duration": 0.05, "samples": 5, "torque": "t, q1", "keep_torques": True}
    inside = simulate_batch(arms, **options)
    monkeypatch.setattr(buckets, "SLAB", 20 * 5 * 2 * 24)  # bytes: slabs of 16 arms
    file = tmp_path / "runs.zarr"
    stored = simulate_batch(arms, store=file, **options)
    for name in ("q", "qd", "tau", "t_end"):
        ours, theirs = np.asarray(getattr(stored, name)), getattr(inside, name)
        assert np.array_equal(ours, theirs, equal_nan=True)
    assert stored.status.reason.tolist() == inside.status.reason.tolist()
    assert stored.settings == inside.settings
    assert np.array_equal(open_batch(file).q[7:9], inside.q[7:9], equal_nan=True)
    with pytest.raises(InputError, match="which exists, need a new name; add overwrite=True"):
        simulate_batch(arms, store=file, **options)
    replaced = simulate_batch(arms, store=file, overwrite=True, **options | {"samples": 1})
    assert len(replaced.t) == 1
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_a_store_that_cannot_be_written_raises_before_any_work(tmp_path):
    with pytest.raises(FileError, match="cannot be written"):
        simulate_batch(TWO, q0=[0.0, 0.0], duration=1e6, store=tmp_path / "nowhere" / "runs.zarr")
    assert not list(tmp_path.iterdir())


# Ctrl-C

HOURS = {"q0": np.linspace(-1.0, 1.0, 16_000).reshape(-1, 2), "samples": 51, "duration": 10.0}


@pytest.fixture
def pressed(monkeypatch):
    """Give what presses Ctrl-C when a part of the work is done."""

    def press(part):
        def report(line, done):
            if done >= part:
                signal.raise_signal(signal.SIGINT)

        monkeypatch.setattr(ulna.progress.ProgressLine, "__call__", report)

    return press


@pytest.mark.parametrize("name", [None, "runs.zarr"])
def test_ctrl_c_gives_what_is_finished(tmp_path, pressed, name):
    pressed(0.01)
    store = None if name is None else tmp_path / name
    run = simulate_batch(TWO, **HOURS, store=store, threads=2, on_interrupt="return")
    counts = run.status.counts()
    assert set(counts) <= {"done", "interrupted", "not run"}
    assert counts["not run"] > 1000
    reason, q = run.status.reason, np.asarray(run.q)
    assert np.isnan(q[reason == "not run"]).all()
    assert np.isnan(run.t_end[reason == "not run"]).all()
    broken = reason == "interrupted"
    assert 0 < broken.sum() <= 32
    # What there is of an arm reaches to where it was, and is what it would have been.
    reached = run.t[None, :] < run.t_end[broken, None] - 1e-9
    assert np.array_equal(np.isfinite(q[broken]).all(axis=-1), reached)
    some = np.flatnonzero(reason == "done")[:16]
    pressed(2.0)  # never again
    whole = simulate_batch(TWO, **HOURS | {"q0": HOURS["q0"][some]}, progress=False)
    assert q[some].tolist() == whole.q.tolist()


def test_ctrl_c_leaves_a_finished_store_as_it_was(tmp_path, pressed):
    store = tmp_path / "runs.zarr"
    finished = np.asarray(simulate_batch(TWO, **START, store=store).q).tolist()
    pressed(0.01)
    names = ["runs.zarr"]
    for name in ("runs.interrupted.zarr", "runs.interrupted-2.zarr"):
        with pytest.raises(Interrupted, match=rf"they are in .*{name}$") as caught:
            simulate_batch(TWO, **HOURS, store=store, overwrite=True, threads=2)
        assert caught.value.result.status.counts()["not run"] > 1000
        names.append(name)
        assert np.asarray(open_batch(store).q).tolist() == finished
        assert len(open_batch(tmp_path / name)) == len(HOURS["q0"])
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted(names)


@pytest.mark.parametrize(("step", "is_there"), [("_add_arrays", False), ("open_store", True)])
def test_ctrl_c_while_a_store_is_created_says_whether_it_is_there(
    tmp_path, monkeypatch, step, is_there
):
    def pressed(*_, **__):
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(batch_files, step, pressed)
    with pytest.raises(Interrupted) as caught:
        simulate_batch(TWO, **START, store=tmp_path / "runs.zarr")
    assert (caught.value.result is not None) == is_there
    assert (tmp_path / "runs.zarr").exists() == is_there
    assert not is_there or caught.value.result.status.counts() == {"not run": 1}


KILLED = """
import os, signal, sys, numpy as np, ulna, ulna.progress
from ulna.simulation.batch import buckets

def report(line, done):
    if done > 0.5:
        os.kill(os.getpid(), signal.SIGKILL)

ulna.progress.ProgressLine.__call__ = report
buckets.SLAB = 16 * 51 * 2 * 16  # slabs of 16 arms
q0 = np.linspace(-1.0, 1.0, 400).reshape(-1, 2)
two = ulna.Arm.rods([1.0, 1.0], [1.0, 1.0])
ulna.simulate_batch(two, q0=q0, samples=51, duration=1.0, store=sys.argv[1], overwrite=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="POSIX signals")
def test_kill_leaves_a_finished_store_and_what_had_run(tmp_path):
    store = tmp_path / "runs.zarr"
    finished = np.asarray(simulate_batch(TWO, **START, store=store).q).tolist()
    place = {**os.environ, "PYTHONPATH": str(Path(ulna.__file__).parent.parent)}
    done = subprocess.run([sys.executable, "-c", KILLED, str(store)], env=place, check=False)
    assert done.returncode == -signal.SIGKILL
    assert np.asarray(open_batch(store).q).tolist() == finished
    part = open_batch(tmp_path / "runs.interrupted.zarr")
    counts = part.status.counts()
    assert set(counts) == {"done", "not run"}
    assert counts["done"] % 16 == 0
    q0 = np.linspace(-1.0, 1.0, 400).reshape(-1, 2)
    whole = simulate_batch(TWO, q0=q0, samples=51, duration=1.0)
    ran = part.status.ok
    assert np.array_equal(part.q[ran], whole.q[ran])
    assert np.isnan(part.q[~ran]).all()


def test_nobody_writes_to_what_was_handed_out(monkeypatch):
    # The wait for threads is what is interrupted here, some time after they have begun.
    pressing = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))

    def report(line, done):
        if pressing.ident is None:
            pressing.start()

    monkeypatch.setattr(ulna.progress.ProgressLine, "__call__", report)
    with pytest.raises(Interrupted, match="not run") as caught:
        simulate_batch(TWO, **HOURS, threads=2)
    run = caught.value.result
    pressing.join()
    first, ends = run.q.copy(), run.t_end.copy()
    time.sleep(0.1)
    assert run.status.counts()["not run"] > 0
    assert np.array_equal(first, run.q, equal_nan=True)
    assert np.array_equal(ends, run.t_end, equal_nan=True)
    assert np.isnan(first[run.status.reason == "not run"]).all()


@pytest.mark.parametrize("members", [2, 64])
def test_ctrl_c_does_not_wait_for_functions_that_never_come_back(monkeypatch, members):
    # Of few arms in the thread that waits for the result, of many in another as well.
    busy, released = threading.Event(), threading.Event()

    def slow(t):
        busy.set()
        released.wait(20.0)
        return [0.0, 0.0]

    def press():
        busy.wait(20.0)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(concurrency, "PATIENCE", 0.1)
    pressing = threading.Thread(target=press)
    options = {"q0": np.zeros((members, 2)), "duration": 1.0, "controller": PD(1.0, 1.0)}
    pressing.start()
    with pytest.raises(KeyboardInterrupt):
        simulate_batch(TWO, **options, reference=[slow] * members, threads=2)
    assert not released.is_set()
    released.set()
    pressing.join()


def test_an_error_in_a_reference_is_handed_on_from_any_thread():
    def late(t):
        if t > 0.05:
            raise ZeroDivisionError("mine")
        return [0.0, t]

    options = {"q0": np.zeros((40, 2)), "duration": 10.0, "controller": PD(1.0, 1.0)}
    for reference in (late, [late] * 40):
        with pytest.raises(ZeroDivisionError, match="mine"):
            simulate_batch(TWO, reference=reference, **options)


@pytest.mark.parametrize("buckets", [1, 40])
def test_the_line_of_progress_never_goes_back_nor_beyond_all(monkeypatch, buckets):
    seen = []
    monkeypatch.setattr(concurrency, "INTERVAL", 1e-3)
    monkeypatch.setattr(
        ulna.progress.ProgressLine, "__call__", lambda line, done: seen.append(done)
    )
    applied = [[disturbances.noise([1.0, 1.0], rate=10.0, seed=k % buckets)] for k in range(80)]
    simulate_batch(TWO, q0=np.zeros((80, 2)), duration=10.0, disturbances=applied, progress=True)
    assert seen == sorted(seen)
    assert 0.0 <= seen[0] <= seen[-1] <= 1.0 + 1e-9


def test_settings_hold_sensors_and_actuators_as_those_of_a_run_do(tmp_path):
    options = {"q0": [0.0, 0.0], "controller": PD(2.0, 1.0), "duration": 0.01}
    loop = {"sensors": Sensors(delay=0.002), "actuators": Actuators(time_constant=(0.005, 0.01))}
    alone = simulate(TWO, **options, **loop).scenario
    assert {name: getattr(alone, name) for name in loop} == loop
    of_arm = simulate_batch(TWO.replace(loop=ControlLoop(**loop)), **options)
    for run in (simulate_batch(TWO, **options, **loop), of_arm):
        run.save(tmp_path / "runs.zarr", overwrite=True)
        for settings in (run.settings, open_batch(tmp_path / "runs.zarr").settings):
            common = batch_scenario(settings)
            assert {name: getattr(common, name) for name in loop} == loop
    each = simulate_batch([TWO, TWO], **options, sensors=[Sensors(), loop["sensors"]])
    assert each.settings["sensors"].startswith("[Sensors(angle_noise=0.0")
    assert each.settings["actuators"] == "of the arms' loops"
    assert "sensors" not in simulate_batch(TWO, q0=[0.0, 0.0], duration=0.01).settings
