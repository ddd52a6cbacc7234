"""Ctrl-C: real signals, sent to real processes."""

import _thread
import os
import re
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import xarray

import ulna
from ulna import Interrupted
from ulna.concurrency import interruptible, return_partial

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no signals to send")


def press():
    signal.raise_signal(signal.SIGINT)


def test_the_partial_result_of_a_function_is_attached():
    @interruptible
    def work(on_interrupt):
        try:
            press()
        except KeyboardInterrupt:
            return return_partial("half", on_interrupt, "half of it")

    assert work("return") == "half"
    with pytest.raises(Interrupted, match="half of it") as caught:
        work("raise")
    assert caught.value.result == "half"
    # The partial result of a part is not one of the whole.
    with pytest.raises(Interrupted) as caught:
        interruptible(lambda: work("raise"))()
    assert caught.value.result is None


def test_it_leaves_a_file_that_is_being_replaced(tmp_path, monkeypatch):
    """Callbacks of the garbage collector, of which h5py has many, would lose it."""
    run = ulna.simulate(ulna.preset("unit"), q0=[0.0, 0.0], duration=0.1)
    run.save(tmp_path / "run.nc")
    before, write = (tmp_path / "run.nc").read_bytes(), xarray.Dataset.to_netcdf

    def pressed(*arguments, **options):
        _thread.interrupt_main()
        raised.wait(10.0)
        return write(*arguments, **options)

    raised = threading.Event()
    monkeypatch.setattr(xarray.Dataset, "to_netcdf", pressed)
    with pytest.raises(KeyboardInterrupt):
        run.save(tmp_path / "run.nc")
    raised.set()
    assert [file.name for file in tmp_path.iterdir()] == ["run.nc"]
    assert (tmp_path / "run.nc").read_bytes() == before


def test_a_handler_of_somebody_else_stays_in_charge():
    heard = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append("theirs"))
    try:
        run = ulna.simulate(ulna.preset("bechard-1"), q0=[0.0], torque=_pressing(), duration=0.01)
    finally:
        signal.signal(signal.SIGINT, before)
    assert run.status
    assert heard == ["theirs"]


def _pressing():
    pressed = []

    def torque(t):
        if not pressed:
            pressed.append(t)
            press()
        return [0.0]

    return torque


def test_it_is_raised_on_the_way_into_functions_that_the_engine_calls():
    # Sent while compiled code works, it is raised by the first instruction of Python.
    arm, stopped = ulna.preset("bechard-1"), 0
    for wait in np.linspace(0.01, 0.03, 9):
        pressing = [threading.Timer(wait, os.kill, (os.getpid(), signal.SIGINT))]

        def torque(t, pressing=pressing):
            if t > 0.0 and pressing:
                pressing.pop().start()
            return [0.0]

        swing = ulna.Simulation(ulna.Scenario(arm=arm, q0=[0.0], torque=torque, dt=1e-5))
        with pytest.raises(Interrupted):
            swing.advance(1e3)
        stopped += 1
        before = swing.t
        assert swing.advance(0.001)  # and goes on
        assert swing.t > before
    assert stopped == 9


@pytest.mark.parametrize("torque", [None, lambda t: [0.0]], ids=["compiled", "python"])
def test_a_run_hears_it_within_half_a_second(torque):
    # Of its own work: what others do on the machine meanwhile is not its fault.
    pressed = []

    def press_later():
        pressed.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    arm = ulna.Arm.rods([1.0], [1.0])  # which never comes to rest
    options = {"q0": [0.0], "torque": torque, "samples": 10}
    ulna.simulate(arm, **options, duration=0.01)
    timer = threading.Timer(0.3, press_later)
    timer.start()
    run = ulna.simulate(arm, **options, duration=1e6, on_interrupt="return")
    assert time.process_time() - pressed[0] < 0.5
    assert run.status.reason == "interrupted"
    assert 0.0 < run.t[-1] < 1e6
    timer.join()


# --------------------------------------------------------------------------------- child processes

ENDLESS = {
    "simulate": "ulna.simulate(two, q0=[0.1, 0.2], samples=10, method='rk4', dt=1e-5, duration={})",
    "torque": "ulna.simulate(two, q0=[0.1, 0.2], samples=10, torque=lambda t: [0, 0], duration={})",
    "simulate_batch": "ulna.simulate_batch(two, q0=[[0.1, 0.2]] * 400, threads=2, duration={})",
    "sweep": "ulna.sweep(arm='kehl', path='loops()', duration='{} s', controller='PD(9.0, 9.0)',"
    " keep=keep, vary={{'payload': [0.0, 1.0]}})",
}
SCRIPT = """
import ulna
two, keep = ulna.Arm.rods([1.0, 1.0], [1.0, 1.0]), {{"scalars": ["torque.peak"]}}
{short}
print("begun", flush=True)
try:
    {endless}
except ulna.Interrupted as stopped:
    print(type(stopped.result).__name__, getattr(stopped.result, "status", None), flush=True)
"""
RESULTS = {
    "simulate": r"Run interrupted at t = .*",
    "torque": r"Run interrupted at t = .*",
    "simulate_batch": r"BatchRun .*(interrupted|not run).*",
    "sweep": r"Sweep 2 not computed",
}


@pytest.mark.parametrize("name", ENDLESS)
def test_long_work_ends_with_what_it_has(name):
    short, endless = (ENDLESS[name].format(duration) for duration in (0.02, 9_000))
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(short=short, endless=endless)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "begun\n", process.stderr.read()
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        try:
            out, err = process.communicate(timeout=20.0)
        finally:
            process.kill()
    assert re.fullmatch(RESULTS[name], out.strip()), (out, err)
    assert (process.returncode, err) == (0, "")


# ------------------------------------------------------------------------------------ command line

# What happens when a module is looked for is no matter of luck, as a moment in time would be.
COMMAND = """
import signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            {what}
sys.meta_path.insert(0, Finder())
sys.argv[1:] = {words!r}
from ulna.cli import main
sys.exit(main())
"""
SIMULATE = ["simulate", "bechard-1", "--q0", "0", "--duration", "0.01 s"]
PORTRAIT = ["portrait", "bechard-1", "--torque", "4 N*m", "--basins", "2000", "--out", "p.png"]
MODULES = ["ulna.cli.app", "numpy", "llvmlite"]


@pytest.mark.parametrize("name", MODULES)
def test_the_command_line_hears_it_while_it_imports(name):
    what = "signal.raise_signal(signal.SIGINT)"
    done = subprocess.run(
        [sys.executable, "-c", COMMAND.format(name=name, what=what, words=SIMULATE)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (130, "stopped\n")


def test_it_ends_a_command_that_python_shuts_down():
    what = "import atexit; atexit.register(signal.raise_signal, signal.SIGINT)"
    done = subprocess.run(
        [sys.executable, "-c", COMMAND.format(name="ulna.cli.app", what=what, words=SIMULATE)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")
    assert "ran to t = 0.01 s" in done.stdout


def test_nothing_of_others_is_imported_before_it_is_heard():
    code = "import sys, ulna.cli; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert "ulna" in loaded
    assert loaded.isdisjoint({"numpy", "typer", "rich", "click", "numba", "scipy"})


def check_command(words, place, wait, presses=1, after="typer"):
    """Stop a command some time after an import, and return what it says."""
    code = COMMAND.format(name=after, what="print('begun', flush=True)", words=words)
    with subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=place,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "begun\n"
        for _ in range(presses):
            time.sleep(wait)
            process.send_signal(signal.SIGINT)
        try:
            _, err = process.communicate(timeout=60.0)
        finally:
            process.kill()
    assert process.returncode == 130
    assert "Traceback" not in err
    return err


@pytest.mark.parametrize(
    ("wait", "presses"),
    [
        (0.2, 2),
        (2.0, 1),
        *(pytest.param(*one, marks=pytest.mark.slow) for one in [(0.2, 1), (2, 2)]),
    ],
)
def test_a_portrait_hears_it(tmp_path, wait, presses):
    assert "stopped" in check_command(PORTRAIT, tmp_path, wait, presses)
    assert not list(tmp_path.iterdir())


def test_a_stopped_run_leaves_the_finished_one(tmp_path):
    words = [*SIMULATE, "--out", "run.nc"]
    arm = ulna.preset("bechard-1")
    ulna.simulate(arm, q0=[0.0], duration=0.01).save(tmp_path / "run.nc")
    before = (tmp_path / "run.nc").read_bytes()
    words[words.index("0.01 s")] = "1e6 s"
    words += ["--overwrite", "--samples", "11", "--method", "rk4"]
    err = check_command(words, tmp_path, 1.0, after="ulna.kernels.code")
    assert re.search(r"interrupted at t = \S+ s; all until then is in run.interrupted.nc", err)
    assert (tmp_path / "run.nc").read_bytes() == before
    run = ulna.open_run(tmp_path / "run.interrupted.nc")
    assert run.status.reason == "interrupted"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["run.interrupted.nc", "run.nc"]


def test_of_two_commands_for_one_file_one_gets_it(tmp_path):
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "ulna", *SIMULATE, "--out", "same.nc"],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    said = [process.communicate()[1] for process in processes]
    assert sorted(process.returncode for process in processes) == [0, 2], said
    assert [file.name for file in tmp_path.iterdir()] == ["same.nc"]
    assert ulna.open_run(tmp_path / "same.nc").status
