"""Ctrl-C: every one is heard, wherever it comes; real signals, sent to real processes."""

import os
import random
import re
import signal
import subprocess
import sys
import threading
import time

import pytest

import ulna
from ulna import Interrupted, concurrency
from ulna.concurrency import deferred, held, interruptible, listening, return_partial

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no signals to send")


def press():
    signal.raise_signal(signal.SIGINT)


@pytest.fixture(autouse=True)
def nothing_left():
    """Leave the handler as it was, and nothing noted."""
    before = signal.getsignal(signal.SIGINT)
    yield
    assert signal.getsignal(signal.SIGINT) is before
    assert not concurrency._LISTENER.pending


# ------------------------------------------------------------------------------------- one by one


class Swallows:
    """What Python cannot raise from: an exception in a destructor is printed and gone."""

    def __del__(self):
        press()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_a_destructor_swallows_is_raised_at_the_end():
    reached = []
    with pytest.raises(KeyboardInterrupt), listening():  # noqa: PT012
        Swallows()
        reached.append("the end")
    assert reached == ["the end"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_a_destructor_swallows_is_raised_at_the_next_look():
    with pytest.raises(KeyboardInterrupt), listening() as listener:  # noqa: PT012
        Swallows()
        listener.check()
        pytest.fail("nobody looked")


def test_what_other_code_swallows_is_raised_nevertheless():
    def work():
        try:
            press()
        except KeyboardInterrupt:
            return "done"

    with pytest.raises(Interrupted) as caught:
        interruptible(work)()
    assert caught.value.result == "done"


def test_another_error_does_not_hide_it():
    def work():
        try:
            press()
        except KeyboardInterrupt:
            raise ValueError("in the meantime") from None

    with pytest.raises(Interrupted):
        interruptible(work)()


def test_it_waits_for_a_write_and_a_second_does_not():
    done = []
    with pytest.raises(KeyboardInterrupt), deferred():  # noqa: PT012
        press()
        done.append(1)
    with pytest.raises(KeyboardInterrupt), deferred():  # noqa: PT012
        press()
        done.append(2)
        press()
        done.append(3)
    assert done == [1, 2]


def test_held_it_waits_until_it_is_asked_for():
    done = []
    with pytest.raises(KeyboardInterrupt), held() as listener:  # noqa: PT012
        press()
        press()
        done.append(1)
        listener.poll()
        done.append(2)
    assert done == [1]


def test_within_what_is_put_off_nothing_inside_raises():
    done = []
    with pytest.raises(KeyboardInterrupt), deferred():  # noqa: PT012
        with deferred(), listening():
            press()
        done.append("after the inner block")
    assert done == ["after the inner block"]


def test_what_a_function_has_goes_with_it():
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
    # What a part of some work has is no result of the work.
    with pytest.raises(Interrupted) as caught:
        interruptible(lambda: work("raise"))()
    assert caught.value.result is None


def test_a_handler_of_somebody_else_stays_in_charge():
    heard = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append("theirs"))
    try:
        with deferred():
            press()
            assert not heard
        assert heard == ["theirs"]
        run = ulna.simulate(ulna.preset("bechard-1"), q0=[0.0], torque=_pressing(), duration=0.01)
        assert run.status
        assert heard == ["theirs"] * 2
    finally:
        signal.signal(signal.SIGINT, before)


def _pressing():
    pressed = []

    def torque(t):
        if not pressed:
            pressed.append(t)
            press()
        return [0.0]

    return torque


def test_a_process_that_ignores_it_goes_on_doing_so():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        run = ulna.simulate(ulna.preset("bechard-1"), q0=[0.0], torque=_pressing(), duration=0.01)
        assert run.status
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_have_no_handlers():
    found = []

    def work():
        with listening(), deferred(), held() as listener:
            listener.poll()
        run = ulna.simulate(ulna.preset("bechard-1"), q0=[0.0], duration=0.01)
        found.append(run.status.reason)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == ["done"]


def test_the_compiler_is_stopped_between_its_passes():
    import numba

    @numba.njit
    def twice(x):
        return 2 * x

    @interruptible
    def compile_it():
        with held():
            press()
            twice(1.0)
            pytest.fail("it was compiled")

    with pytest.raises(Interrupted):
        compile_it()
    assert twice(2.0) == 4.0


def test_only_two_ways_to_be_interrupted():
    with pytest.raises(ulna.InputError, match="on_interrupt: got 'ignore', need 'raise' or"):
        ulna.simulate(ulna.preset("bechard-1"), q0=[0.0], duration=0.01, on_interrupt="ignore")


# --------------------------------------------------------------------------------- child processes

LOOPS = {
    "simulate": "ulna.simulate(two, q0=[0.1, 0.2], duration=0.05)",
    "torque": "ulna.simulate(two, q0=[0.1, 0.2], duration=0.01, torque=lambda t: [0, 0])",
    "simulate_batch": "ulna.simulate_batch(two, q0=[[0.1, 0.2]] * 40, duration=0.05)",
    "portrait": "ulna.portrait(one, torque=4.0, starts=[(0.0, 3.07)]).orbits",
    "basins": "ulna.portrait(one, torque=4.0).basins(20)",
    "plan": "ulna.plan(two, ulna.paths.circle(center=(1.0, 0.5), radius=0.1))",
}
SCRIPT = """
import ulna
one, two = ulna.preset("bechard-1"), ulna.Arm.rods([1.0, 1.0], [1.0, 1.0])
{work}
print("begun", flush=True)
try:
    while True:
        try:
            {work}
        except Exception:
            pass
except ulna.Interrupted:
    print("Interrupted", flush=True)
except KeyboardInterrupt:
    print("KeyboardInterrupt", flush=True)
"""


class Loop:
    """A process that does the same for ever, and stops at Ctrl-C."""

    def __init__(self, work):
        self.process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT.format(work=work)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout.readline() == "begun\n", self.process.stderr.read()

    def stop(self):
        """Press once, and give what it said."""
        self.process.send_signal(signal.SIGINT)
        try:
            out, err = self.process.communicate(timeout=20.0)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            pytest.fail("it was not heard")
        assert "Traceback" not in err
        assert "ignored" not in err
        return out.strip()


def check_loop(work, times, seed):
    """No loop survives a Ctrl-C, whenever it comes."""
    waits = random.Random(seed)
    for _ in range(times):
        loop = Loop(work)
        time.sleep(waits.uniform(0.0, 0.3))
        assert loop.stop() in ("Interrupted", "KeyboardInterrupt")


@pytest.mark.parametrize("name", ["simulate_batch", "torque"])
def test_no_loop_survives_one(name):
    check_loop(LOOPS[name], 1, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", LOOPS)
def test_no_loop_survives_any_of_many(name):
    check_loop(LOOPS[name], 12, seed=2)


@pytest.mark.parametrize("torque", [None, lambda t: [0.0]], ids=["compiled", "python"])
def test_a_run_hears_it_within_half_a_second(torque):
    # Of its own work: what others do on the machine meanwhile is not its fault.
    pressed = []

    def press_later():
        pressed.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    arm = ulna.preset("bechard-1")
    options = {"q0": [0.0], "torque": torque, "samples": 10}
    ulna.simulate(arm, **options, duration=0.01)
    timer = threading.Timer(0.3, press_later)
    timer.start()
    with pytest.raises(Interrupted):
        ulna.simulate(arm, **options, duration=1e6)
    assert time.process_time() - pressed[0] < 0.5
    timer.join()


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
MODULES = ["ulna.cli.app", "typer", "ulna.errors", "rich", "numpy", "ulna.simulation", "llvmlite"]


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


def test_nothing_of_others_is_imported_before_it_is_heard():
    code = "import sys, ulna.cli; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert "ulna" in loaded
    assert loaded.isdisjoint({"numpy", "typer", "rich", "click", "numba", "scipy"})


def check_command(words, place, wait):
    """A command that is told to stop after its first import does so, and quietly."""
    code = COMMAND.format(name="typer", what="print('begun', flush=True)", words=words)
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=place,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "begun\n"
    time.sleep(wait)
    process.send_signal(signal.SIGINT)
    try:
        _, err = process.communicate(timeout=60.0)
    finally:
        process.kill()
    assert process.returncode == 130
    assert err.endswith("stopped\n")
    assert not re.search("Traceback|ignored", err)
    assert not list(place.iterdir())


@pytest.mark.parametrize("wait", [0.2, 2.0])
def test_a_portrait_hears_it(tmp_path, wait):
    check_command(PORTRAIT, tmp_path, wait)


@pytest.mark.slow
@pytest.mark.parametrize("longest", [1.0, 6.0])
def test_a_portrait_hears_it_at_any_time(tmp_path, longest):
    waits = random.Random(3)
    for _ in range(14):
        check_command(PORTRAIT, tmp_path, waits.uniform(0.0, longest))


WRITING = """
import sys, time
from pathlib import Path
import ulna.simulation.tables as tables

def slow(file, table):
    Path(file).write_text("half")
    print("writing", flush=True)
    time.sleep(30.0)

tables.write_columns = slow
sys.argv[1:] = ["simulate", "bechard-1", "--q0", "0", "--duration", "0.01 s", "--out", "x.csv"]
from ulna.cli import main
sys.exit(main())
"""


@pytest.mark.parametrize("number", ["SIGTERM", pytest.param("SIGHUP", marks=pytest.mark.slow)])
def test_a_process_that_is_ended_leaves_no_part_of_a_file(tmp_path, number):
    # In the middle of the table, which then has no end.
    process = subprocess.Popen(
        [sys.executable, "-c", WRITING],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "writing\n", process.stderr.read()
    assert any(file.suffix == ".part" for file in tmp_path.iterdir())
    sent = getattr(signal, number)
    process.send_signal(sent)
    process.send_signal(sent)
    _, err = process.communicate(timeout=20.0)
    assert process.returncode == 128 + sent
    assert not re.search("Traceback|ignored", err)
    assert not list(tmp_path.iterdir())


def test_of_four_commands_for_one_file_one_gets_it(tmp_path):
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "ulna", *SIMULATE, "--out", "same.nc"],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    said = [process.communicate()[1] for process in processes]
    assert sorted(process.returncode for process in processes) == [0, 2, 2, 2], said
    assert [file.name for file in tmp_path.iterdir()] == ["same.nc"]
    assert ulna.open_run(tmp_path / "same.nc").status
