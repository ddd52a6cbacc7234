"""`ulna simulate`: outside numbers, files that appear whole, and what goes wrong on the way."""

import csv
import json
import math
import os
import re
import signal
import sys

import numpy as np
import pytest

import ulna
from ulna.cli import main
from ulna.cli import simulate as command
from ulna.errors import FileError

G = 9.81
SWING = ["bechard-1", "--q0", "0", "--duration", "0.2 s"]
UNIT = ["unit", "--q0", "0, 0", "--duration", "0.1 s"]


@pytest.fixture(scope="module", autouse=True)
def _compiled():
    """Have the engine compiled before a test counts what is printed."""
    for name in ("bechard-1", "unit"):
        arm = ulna.preset(name)
        ulna.simulate(arm, q0=np.zeros(arm.n), duration=0.0)


@pytest.fixture
def ask(ask):
    """Return what runs this command in an empty folder: (*words) -> exit code, answer, notes."""
    return lambda *words: ask("simulate", *words)


@pytest.fixture
def facts(ask):
    """Run the command; gives its JSON."""

    def run(*words):
        code, out, err = ask(*words, "--json")
        assert (code, err) == (0, "")
        return json.loads(out)

    return run


def files(folder):
    return sorted(path.name for path in folder.iterdir())


# --------------------------------------------------------------------------------- the answer


def test_paper_001_is_printed_to_its_last_digit(ask):
    code, out, err = ask("bechard-1", "--q0", "0", "--torque", "10 N*m", "--duration", "20 s")
    assert (code, err) == (0, "")
    assert out.startswith("bechard-1: 20 s with dop853, 20,001 samples\n")
    (row,) = (line.split() for line in out.splitlines() if re.match(r"\s*1 ", line))
    assert row == ["1", "0.0000", "36918.2614", "644.3452", "48.6266", "10"]
    assert "pointing at -161.7386°" in out
    assert re.search(r"ran to t = 20 s; computed at [\d,.]+ times real time\n$", out)


def test_a_rod_falls_as_it_should(facts):
    # Flat and unpushed it turns on at its speed; upright it stays.
    for speed in ("90 deg/s, 0", "15 rpm, 0 rpm", "pi/2, 0"):
        found = facts(*UNIT, "--no-gravity", "--qd0", speed, "--samples", "2")
        assert found["scenario"]["qd0"] == pytest.approx([math.pi / 2, 0.0])
    still = facts("unit", "--q0", "90 deg, 0", "--duration", "100 ms")
    assert still["q"] == pytest.approx([math.pi / 2, 0.0], abs=1e-12)
    assert still["t"] == pytest.approx(0.1)


def test_a_payload_and_a_tip_force_that_carries_it_cancel(facts):
    alone = facts(*UNIT)["q"]
    loaded = facts(*UNIT, "--payload", "2 kg")["q"]
    assert loaded != pytest.approx(alone, rel=1e-3)
    # A force that grows as the falling masses gain weight leaves the hanging arm alone.
    words = ["unit", "--q0", "-90 deg, 0", "--duration", "0.1 s", "--payload", "2 kg"]
    held = facts(*words, "--tip-force", f"0 N, {2.0 * G} N")
    assert held["q"] == pytest.approx([-math.pi / 2, 0.0], abs=1e-12)


def test_units_belong_to_numbers_and_formulas_are_si(facts):
    def torques(text):
        return facts(*UNIT, "--torque", text)["scenario"]["torque"]

    assert torques("10, 20 kg*cm") == pytest.approx([0.980665, 1.96133])
    assert torques("3 N*m, 5") == [3.0, 5.0]
    mixed = torques("5*sin(2*pi*t) if t < 3 else 0, 20 kg*cm")
    assert mixed == ["5*sin(2*pi*t) if t < 3 else 0", pytest.approx(1.96133)]
    assert torques("-5 if q1 < 0.1 else 0, min(t, 1)") == ["-5 if q1 < 0.1 else 0", "min(t, 1)"]
    force = facts(*UNIT, "--tip-force", "0, -5 if t > 1 else 0, 2 N*m")["scenario"]["tip_force"]
    assert force == [0.0, "-5 if t > 1 else 0", 2.0]


def test_until_ends_the_run(ask):
    code, out, _ = ask("bechard-1", "--q0", "0", "--duration", "20 s", "--until", "y < -0.5")
    assert code == 0
    assert re.search(r"stopped at t = 0\.\d+ s, as asked", out)
    assert "-0.500000) m" in out
    assert "event" not in out


def test_what_no_motor_could_do_is_told(ask, tmp_path):
    # Only controllers are held to the limits; what is given acts.
    joints = [ulna.Joint(max_torque=2.0, max_velocity=0.1), ulna.Joint(max_velocity=0.1)]
    ulna.save(ulna.Arm.rods([1.0, 1.0], [1.0, 1.0], joints=joints), tmp_path / "weak.toml")
    words = ["weak.toml", "--q0", "0, 0", "--duration", "0.1 s", "--torque"]
    _, out, _ = ask(*words, "3, 0")
    assert "\nabove the torque limit: joint 1\nabove the speed limit: joints 1 and 2\n" in out
    assert "torque limit" not in ask(*words, "2, 0")[1]


def limited(tmp_path):
    joints = [ulna.Joint(lower=-1.0, upper=1.0)]
    ulna.save(ulna.Arm.rods([1.0], [1.0], joints=joints), tmp_path / "stop.toml")
    return ["stop.toml", "--q0", "0", "--duration", "2 s"]


def test_stops_hold_bounce_or_are_passed(ask, facts, tmp_path):
    words = limited(tmp_path)
    code, out, _ = ask(*words)
    assert code == 0
    assert "joint 1 hit its lower stop once, at t = 0.3" in out
    assert facts(*words)["q"] == [-1.0]
    assert "times, first at" in ask(*words, "--restitution", "0.8")[1]
    free = facts(*words, "--no-stops", "--until", "q1 < -1.5")
    assert free["contacts"] == []
    assert free["q"] == pytest.approx([-1.5])
    _, _, err = ask("stop.toml", "--q0", "2", "--duration", "1 s")
    assert err.startswith("--q0, joint 1: got 2 rad")
    assert "or add --no-stops" in err


def test_where_joints_stick_is_told(ask, facts, tmp_path):
    """A rod let go level comes to rest where friction, 3 N·m, carries its weight of 9.81 N·m."""
    joint = ulna.Joint(friction=ulna.Friction(3.0))
    ulna.save(ulna.Arm.rods([1.0], [2.0], joints=[joint]), tmp_path / "dry.toml")
    words = ("dry.toml", "--q0", "0", "--duration", "5 s")
    code, out, err = ask(*words)
    assert (code, err.count("warning")) == (0, 0)
    assert "peak friction [N·m]" in out
    told = facts(*words)
    (stuck,) = told["sticking"]
    assert stuck["joint"] == 1
    assert told["peak_friction"] == [pytest.approx(3.0)]
    (angle,) = told["q"]
    assert told["qd"] == [0.0]
    assert abs(math.cos(angle)) <= 3.0 / 9.81
    line = f"joint 1 stuck first at t = {stuck['first']:.6g} s"
    assert f"{line}, at {math.degrees(angle):.2f}°, and is stuck at the end\n" in out
    assert stuck["seconds"] == pytest.approx(5.0 - stuck["first"])


def test_nothing_is_said_of_friction_where_there_is_none(ask, facts):
    words = ("unit", "--q0", "0, 0", "--duration", "0.1 s")
    assert not re.search("friction|stuck", ask(*words)[1])
    assert not {"sticking", "peak_friction"} & facts(*words).keys()


def test_the_sequential_model_and_its_friction(ask, facts):
    words = [
        "bechard-skater",
        "--q0",
        "0.4, 0.9",
        "--duration",
        "0.1 s",
        "--dynamics",
        "sequential",
    ]
    _, out, _ = ask(*words)
    assert "sequential model" in out.splitlines()[0]
    assert "which the sequential model does not keep" in out
    rough = facts(*words, "--sequential-damping", "1.2, 2")
    assert rough["scenario"]["sequential_damping"] == [1.2, 2.0]


def test_methods_are_listed_for_programs(capsys):
    assert main(["list", "methods", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["methods"]
    assert [entry["name"] for entry in listed] == ["dop853", "rk4", "semi-implicit", "gauss4"]


# ---------------------------------------------------------------------------------- the files


def test_files_are_written_whole_and_nothing_else(ask, tmp_path):
    words = [*SWING, "--out", "swing.nc", "--csv", "--plot", "swing.png", "--film", "swing.gif"]
    code, out, err = ask(*words)
    assert (code, err) == (0, "")
    assert out.endswith("written: swing.nc, swing.csv, swing.png, swing.gif\n")
    assert files(tmp_path) == ["swing.csv", "swing.gif", "swing.nc", "swing.png"]
    run = ulna.open_run(tmp_path / "swing.nc")
    with (tmp_path / "swing.csv").open(encoding="utf-8") as stream:
        rows = list(csv.reader(stream))
    assert len(rows) == len(run) + 1 == 202
    assert float(rows[-1][1]) == run.q[-1, 0]
    assert (tmp_path / "swing.gif").read_bytes()[:6] == b"GIF89a"
    assert (tmp_path / "swing.png").read_bytes()[:4] == b"\x89PNG"


def test_a_table_needs_no_name(ask, tmp_path):
    assert ask(*SWING, "--csv")[1].endswith("written: run.csv\n")
    assert ask(*SWING, "--out", "only.csv", "--csv")[1].endswith("written: only.csv\n")
    assert ask(*SWING, "--out", "swing.parquet")[0] == 0
    assert files(tmp_path) == ["only.csv", "run.csv", "swing.parquet"]


def test_existing_files_are_refused_before_any_work(ask, tmp_path, monkeypatch):
    for name in ("a.nc", "a.csv", "a.png", "a.mp4"):
        (tmp_path / name).write_text("mine")
    words = [*SWING, "--out", "a.nc", "--csv", "--plot", "a.png", "--film", "a.mp4"]
    with monkeypatch.context() as patch:
        patch.setattr(command, "simulated", None)
        code, out, err = ask(*words)
    assert (code, out) == (2, "")
    assert [line.split(":")[0] for line in err.splitlines()] == [
        "--out",
        "--csv",
        "--plot",
        "--film",
    ]
    assert err.count("--overwrite") == 4
    assert {(tmp_path / name).read_text() for name in files(tmp_path)} == {"mine"}
    assert ask(*words, "--overwrite")[0] == 0
    assert ulna.open_run(tmp_path / "a.nc").status


def test_places_that_cannot_be_written_are_found_before_any_work(ask, tmp_path, monkeypatch):
    monkeypatch.setattr(command, "simulated", None)
    (tmp_path / "folder.nc").mkdir()
    for name, trouble in (("nowhere/x.nc", "no folder nowhere"), ("folder.nc", "it is a folder")):
        code, out, err = ask(*SWING, "--out", name)
        assert (code, out) == (74, "")
        assert err.startswith(f"{name}: cannot be written: ")
        assert trouble in err


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_a_folder_that_is_closed_is_found_before_any_work(ask, tmp_path):
    (tmp_path / "closed").mkdir(mode=0o500)
    assert ask(*SWING, "--out", "closed/x.nc")[0] == 74


def test_a_missing_package_is_found_before_any_work(ask, monkeypatch):
    monkeypatch.setattr(command, "simulated", None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    code, _, err = ask(*SWING, "--out", "x.parquet")
    assert code == 2
    assert "pip install 'ulna[tables]'" in err


def test_one_file_in_trouble_does_not_keep_back_the_others(ask, tmp_path, monkeypatch):
    real = ulna.Run.save

    def save(run, file, **options):
        if str(file).endswith(".nc"):
            raise FileError(f"{file}: cannot be written: No space left on device")
        real(run, file, **options)

    monkeypatch.setattr(ulna.Run, "save", save)
    code, out, err = ask(*SWING, "--out", "x.nc", "--csv", "--plot", "x.svg")
    assert code == 74
    assert "ran to t = 0.2 s" in out
    assert out.endswith("written: x.csv, x.svg\n")
    assert err.startswith("x.nc: ")
    assert "No space left on device" in err
    assert files(tmp_path) == ["x.csv", "x.svg"]


def test_a_film_that_would_never_end_is_refused(ask, monkeypatch):
    monkeypatch.setattr(command, "simulated", None)
    long = ["bechard-1", "--q0", "0", "--duration", "2 h", "--film", "x.mp4"]
    code, _, err = ask(*long)
    assert code == 2
    assert err.endswith("add --film-speed 11\n")
    assert ask(*long, "--film-speed", "0")[0] == 2


# --------------------------------------------------------------------------- torques in files


def test_a_run_can_be_driven_by_the_torques_of_another(facts, tmp_path):
    words = ["unit", "--q0", "0, 0", "--duration", "0.5 s"]
    first = facts(*words, "--torque", "20*cos(3*t), 5", "--csv")
    again = facts(*words, "--torque", "run.csv", "--between", "linear")
    assert again["q"] == pytest.approx(first["q"], abs=1e-5)
    assert len(again["scenario"]["torque"]["rows"]) == 501


@pytest.mark.parametrize(
    "text",
    ["0, 1\n0.1, 1\n", "\ufefft,torque\r\n 0 , 1\r\n\r\n0.1,1\r\n", "tau1 [N·m],t [s],q\n1,0,7\n"],
)
def test_tables_may_have_names_spaces_and_any_line_ends(facts, tmp_path, text):
    (tmp_path / "torque.csv").write_text(text, encoding="utf-8", newline="")
    steady = facts(*SWING, "--torque", "1")["q"]
    assert facts(*SWING, "--torque", "torque.csv")["q"] == pytest.approx(steady, rel=1e-9)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "torque.csv: table: got no rows"),
        ("t,tau1\n", "torque.csv: table: got no rows"),
        (
            "0; 1\n1; 2\n",
            "torque.csv:1: separator: got semicolons between the columns, need commas",
        ),
        ("0\n1\n", "got 1 column, need 2: time [s], and the torque [N·m] of every joint"),
        ("0, 1, 2\n", "got 3 columns, need 2"),
        ("0, 1\n1, x\n", "torque.csv:2: column 2: got 'x', need a finite number"),
        ("0, 1\n1\n", "torque.csv:2: column 2: got nothing"),
        ("0, nan\n", "torque.csv:1: column 2: got 'nan'"),
        ("0, 1\n0, 2\n", "torque.csv:2: time: got 0 s after 0 s, need times that increase"),
        ("0, x\n" * 30, "torque.csv:10: column 2"),
    ],
)
def test_what_is_wrong_with_a_table_is_told_by_line_and_column(ask, tmp_path, text, says):
    (tmp_path / "torque.csv").write_text(text)
    code, out, err = ask(*SWING, "--torque", "torque.csv")
    assert (code, out) == (2, "")
    assert says in err
    assert len(err.splitlines()) <= 10


def test_a_table_that_is_not_there_is_exit_74(ask):
    assert ask(*SWING, "--torque", "nowhere.csv")[0] == 74


# -------------------------------------------------------------------------------- wrong words


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["unit", "--duration", "1 s"], "--q0"),
        (["unit", "--q0", "0, 0"], "--duration"),
        (["unti", "--q0", "0, 0", "--duration", "1 s"], "did you mean 'unit'?"),
        (["unit", "--q0", "0", "--duration", "1 s"], "--q0: got 1 angle, need 2"),
        (["unit", "--q0", "0, 0", "--duration", "1 kg"], "--duration: got '1 kg', need a time"),
        (
            ["unit", "--q0", "0, 0", "--duration", "-1 s"],
            "--duration: got -1.0, need a number of seconds, at least 0",
        ),
        ([*UNIT, "--qd0", "1"], "--qd0: got 1 speed, need 2"),
        ([*UNIT, "--qd0", "1 m, 0"], "--qd0.1: got '1 m', need a speed"),
        ([*UNIT, "--torque", "1"], "--torque: got 1 torque, need 2, one a joint"),
        ([*UNIT, "--torque", "1, 2 kg"], "--torque.2: got '2 kg'"),
        ([*UNIT, "--torque", "100*t N*m, 0"], 'a formula in N·m without one; write "100*t"'),
        ([*UNIT, "--torque", "t, 3 dog"], "--torque.2: got '3 dog', need a torque in N*m"),
        ([*UNIT, "--torque", "1/0, 2"], "finite"),
        ([*UNIT, "--tip-force", "1"], "--tip-force: got 1 value"),
        ([*UNIT, "--tip-force", "t"], "--tip-force: got 1 value"),
        ([*UNIT, "--tip-force", "t, 5 kg"], "--tip-force.2: got '5 kg', need a force"),
        ([*UNIT, "--until", "y < "], "--until"),
        ([*UNIT, "--method", "rk5"], "--method: got 'rk5', need one of rk4, dop853"),
        ([*UNIT, "--dt", "0 s"], "--dt: got 0.0, need a number in s above 0"),
        ([*UNIT, "--dt", "1 m"], "--dt: got '1 m', need a time"),
        ([*UNIT, "--rtol", "2"], "--rtol: got 2.0"),
        ([*UNIT, "--rtol", "tight"], "--rtol"),
        ([*UNIT, "--samples", "0"], "--samples: got 0, need at least 1"),
        ([*UNIT, "--samples", "1000000000000"], "half of this machine's memory; such as --samples"),
        ([*UNIT, "--restitution", "1.5"], "--restitution: got 1.5"),
        ([*UNIT, "--dynamics", "fast"], "--dynamics: got 'fast', need one of"),
        (
            [*UNIT, "--sequential-damping", "1, 1"],
            "--sequential-damping: got [1.0, 1.0], need --dynamics sequential",
        ),
        ([*UNIT, "--between", "cubic"], "--between: got 'cubic', need 'hold' or 'linear'"),
        ([*UNIT, "--payload", "-1"], "--payload: got '-1', need a mass of at least 0 kg"),
        ([*UNIT, "--out", "x.txt"], "--out: got 'x.txt', need a name that ends in .nc"),
        ([*UNIT, "--plot", "x.doc"], "--plot: got 'x.doc', need a name that ends in .png"),
        ([*UNIT, "--film", "x.avi"], "--film: got 'x.avi', need a name that ends in .mp4"),
    ],
)
def test_bad_words_get_a_sentence_and_exit_2(ask, tmp_path, words, says):
    code, out, err = ask(*words)
    assert (code, out) == (2, "")
    assert says in err
    assert files(tmp_path) == []


def test_a_caret_stands_under_the_fault(ask):
    code, _, err = ask(*UNIT, "--torque", "100*tt, sin(t")
    assert code == 2
    first, text, caret, *rest = err.splitlines()
    assert first.startswith("--torque.1: unknown name 'tt', need one of t, x, y, q1, q2, qd1, qd2")
    assert text[caret.index("^") : caret.rindex("^") + 1] == "tt"
    assert rest[0].startswith("--torque.2: '(' was never closed")
    _, _, err = ask(*UNIT, "--until", "y < zz")
    _, text, caret = err.splitlines()
    assert text[caret.index("^") :] == "zz"


def test_all_wrong_options_are_told_at_once(ask):
    _, _, err = ask("unit", "--q0", "0", "--duration", "1 kg", "--torque", "1", "--qd0", "a, b")
    told = [line.split(":")[0] for line in err.splitlines() if line.startswith("--")]
    assert told[:2] == ["--q0", "--duration"]
    assert {"--torque", "--qd0"} <= {name.split(".")[0] for name in told}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--method", "rk4", "--dt", "1e-19 s"], "--dt: got 1e-19 s, or 1e+18 steps in 0.1 s"),
        (["--qd0", "1e300 rad/s, 0"], "--qd0, joint 1: got 1e+300 rad/s, need at most 1e+09 rad/s"),
    ],
)
def test_steps_and_starts_beyond_all_bounds_are_exit_2(ask, words, says):
    code, _, err = ask(*UNIT, *words)
    assert code == 2
    assert says in err
    assert "torque" not in err


def test_steps_that_are_too_long_are_told(ask):
    code, out, err = ask(*UNIT[:3], "--duration", "1 s", "--method", "rk4", "--dt", "10 s")
    assert code == 0
    assert "steps of dt = 10 s are too long" in out
    assert "warning: steps of dt = 10 s are too long" in err


def test_large_bare_angles_are_doubted(ask):
    code, _, err = ask("unit", "--q0", "40, -60", "--duration", "0 s")
    assert code == 0
    assert "did you mean 40 deg?" in err


# ------------------------------------------------------------------------------- what goes wrong


def test_a_run_that_diverges_is_exit_3_and_is_kept(ask, tmp_path):
    words = ["bechard-1", "--q0", "0", "--torque", "1e5*qd1 + 1", "--duration", "10 s"]
    words += ["--method", "rk4", "--dt", "0.1 s", "--out", "wild.nc", "--csv", "--plot", "wild.png"]
    code, out, err = ask(*words)
    assert code == 3
    assert err.startswith("diverged at t = ")
    assert "try a smaller dt, or --method semi-implicit" in err
    assert err.endswith("; all until then is in wild.nc, wild.csv, wild.png\n")
    assert out.endswith("written: wild.nc, wild.csv, wild.png\n")
    run = ulna.open_run(tmp_path / "wild.nc")
    assert run.status.reason == "diverged"
    assert np.isfinite(run.q).all()
    assert files(tmp_path) == ["wild.csv", "wild.nc", "wild.png"]


def test_a_torque_without_a_value_is_exit_3_naming_the_time(ask):
    words = ["bechard-1", "--q0", "0", "--torque", "sqrt(1 - t)", "--duration", "2 s"]
    code, out, err = ask(*words, "--method", "rk4", "--json")
    assert code == 3
    assert err.startswith("torque 1 is nan at t = 1.0")
    assert json.loads(out)["status"]["reason"] == "bad torque"


def interrupted(monkeypatch):
    """Let Ctrl-C come in the middle of the run that counts."""
    real = ulna.Simulation.advance_to

    def advance_to(simulation, t, report=None):
        if t == 0.0:
            return real(simulation, t, report)
        real(simulation, 0.5 * t, report)
        raise KeyboardInterrupt

    monkeypatch.setattr(ulna.Simulation, "advance_to", advance_to)


def test_ctrl_c_writes_what_there_is(ask, tmp_path, monkeypatch):
    interrupted(monkeypatch)
    code, out, err = ask(*SWING, "--out", "half.nc", "--plot", "half.svg")
    assert code == 130
    first, last = err.splitlines()
    assert first.startswith("interrupted")
    assert "Ctrl-C again" in first
    assert last.startswith("interrupted at t = 0.1 s")
    assert last.endswith("half.interrupted.nc, half.interrupted.svg")
    assert out.startswith("bechard-1: 0.1 s with dop853, 101 samples")
    run = ulna.open_run(tmp_path / "half.interrupted.nc")
    assert (run.status.reason, len(run)) == ("interrupted", 101)


def test_ctrl_c_leaves_a_finished_run_as_it_was(ask, tmp_path, monkeypatch):
    assert ask(*SWING, "--out", "whole.nc")[0] == 0
    before = (tmp_path / "whole.nc").read_bytes()
    interrupted(monkeypatch)
    for _ in range(2):
        assert ask(*SWING, "--out", "whole.nc", "--overwrite")[0] == 130
    assert (tmp_path / "whole.nc").read_bytes() == before
    kept = ["whole.interrupted-2.nc", "whole.interrupted.nc", "whole.nc"]
    assert files(tmp_path) == kept


def test_ctrl_c_without_files_says_so_too(ask, monkeypatch):
    interrupted(monkeypatch)
    code, out, err = ask(*SWING)
    assert (code, err) == (130, "interrupted at t = 0.1 s\n")
    assert "0.1 s with dop853" in out


def test_ctrl_c_while_the_engine_loads_stops(ask, tmp_path, monkeypatch):
    def advance_to(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(ulna.Simulation, "advance_to", advance_to)
    assert ask(*SWING, "--out", "x.nc") == (130, "", "stopped\n")
    assert files(tmp_path) == []


@pytest.mark.skipif(sys.platform == "win32", reason="no signals of that kind")
def test_ctrl_c_in_the_midst_of_a_file_keeps_those_before_it(ask, tmp_path, monkeypatch):
    real = ulna.Run.save

    def save(run, file, **options):
        if file.endswith(".csv"):
            signal.raise_signal(signal.SIGINT)
        real(run, file, **options)

    monkeypatch.setattr(ulna.Run, "save", save)
    code, out, err = ask(*SWING, "--out", "x.nc", "--csv", "--film", "x.mp4")
    assert code == 130
    assert err == "stopped; not written: x.csv, x.mp4\n"
    assert out.endswith("written: x.nc\n")
    assert files(tmp_path) == ["x.nc"]
    assert ulna.open_run(tmp_path / "x.nc").status


def test_a_step_that_is_too_long_is_told_in_the_words_of_the_command_line(ask):
    words = ("--q0", "0", "--duration", "1 s", "--dt", "10", "--method", "rk4")
    _, out, err = ask("bechard-1", *words)
    for told in (out, err):
        assert "are too long" in told
        assert "method='" not in told
