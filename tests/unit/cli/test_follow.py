"""`ulna follow`: outside numbers, a folder that holds them, and what goes wrong on the way."""

import os
import re
import signal
import struct
import sys

import numpy as np
import pytest

import ulna
from ulna.cli import follow
from ulna.control import ComputedTorque

CIRCLE = "circle(center=(0.5, 0.1), radius='5 cm')"
SHORT = ["kehl", CIRCLE, "--duration", "0.2 s"]
FILES = [
    "error.png", "motion.png", "plan.csv", "report.html", "run.nc", "summary.json", "torques.png",
]  # fmt: skip


@pytest.fixture(scope="module")
def made(run_in, tmp_path_factory):
    """Follow what the command follows by itself."""
    return run_in(tmp_path_factory.mktemp("follow"), "follow")


@pytest.fixture
def ask(run_in, tmp_path, unpainted):
    """Run the command in an empty folder, and leave out the pictures."""
    return lambda *words: run_in(tmp_path, "follow", *words)


@pytest.fixture
def unsimulated(monkeypatch):
    """Fail where a run is begun that should not be."""
    monkeypatch.setattr(follow, "simulate", None)


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def png_size(file):
    head = file.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", head[16:])


# --------------------------------------------------------------------------------- what it gives


def test_paper_000_is_followed_by_default(made):
    assert made.code == 0
    assert "warning" not in made.err  # of steps too long for an arm that fell off its path
    verdict, title = made.out.splitlines()[:2]
    assert verdict == "follows within 23.7 µm, tolerance 10 mm"
    assert title == "kehl along loops(radius=0.79, loop_radius=0.2, loops=13), 60 s"
    rows = [line.split() for line in made.out.splitlines() if re.match(r" {4}[12] ", line)]
    assert [row[1:5] for row in rows] == [
        ["78.847", "78.849", "45.221", "none"],
        ["25.469", "25.469", "17.351", "none"],
    ]
    for told in (
        "planned peak [N·m] run's peak [N·m] RMS [N·m] limit",
        "peak speed [rad/s] peak power [W] energy [J]",
        "at least 10 mm inside the edge of the reach",
        "elbow positive (sin q2 > 0)",
        "condition number of the Jacobian up to 17.6",
        "from q = (36.16, 107.69)° to q = (396.16, 107.69)°",
        "60.49 W at most in a joint",
        "812.3 J put in, 812.3 J taken back",
        "the tip was 1 cm off after 1.05 s, 10 cm off after 1.46 s",
        "torques held for 1 ms each",
        "ComputedTorque() at 1000 Hz: tip error 9.05 µm RMS",
        "errors fall by half every 0.038 s",
        "no joint has a limit",
    ):
        assert told in made.flat
    # All of it is on one screen.
    assert len(made.out.splitlines()) <= 24


def test_the_lines_about_the_open_loop_agree(ask):
    # Held torques take the tip off its path in a second, in which rounding alone would not.
    found = ask("kehl", CIRCLE, "--duration", "1 s", "--rate", "100 Hz", "--tolerance", "5 cm")
    facts = found.facts("follow")["open_loop"]
    assert facts["first_exit"]["1 cm"] is not None
    run, growth = found.flat.split("open loop ")[1].split("closed loop ")[0].split(" Open loop ")
    assert re.match(r"in this run the tip was 1 cm off after 0\.\d+ s", run)
    assert run.endswith("torques held for 10 ms each are off by far more than rounding")
    assert growth.endswith(
        "One as small as rounding, 1e-16 at the start, alone would leave the tip less than 1 cm "
        "off to the end; larger ones need not. "
    )


def test_the_numbers_are_those_of_the_papers_tests(made):
    facts = made.facts("follow")
    assert facts["torque"]["peak"] == pytest.approx([78.847, 25.469], abs=5e-4)
    assert facts["torque"]["rms"] == pytest.approx([45.2, 17.35], rel=5e-4)
    run = ulna.open_run(made.place / "follow" / "run.nc")
    assert facts["torque"]["run_peak"] == pytest.approx(np.abs(run.tau).max(axis=0))
    assert facts["open_loop"]["first_exit"] == pytest.approx(
        {"1 cm": 1.05, "10 cm": 1.46}, abs=6e-3
    )
    assert facts["closed_loop"]["rms"] == pytest.approx(9.05e-6, rel=1e-3)
    assert facts["closed_loop"]["first_exit"] == {"1 cm": None, "10 cm": None}
    assert facts["open_loop"]["stability"]["growth_rate"] > 0.0
    assert facts["closed_loop"]["stability"]["growth_rate"] < 0.0
    assert (facts["controller"], facts["rate"]) == ("ComputedTorque()", 1000.0)
    # Along a closed path what is put in comes back: here no friction keeps any.
    energy = facts["closed_loop"]["energy"]
    assert sum(energy) == pytest.approx(0.0, abs=1e-2 * sum(facts["closed_loop"]["energy_spent"]))


def test_the_folder_holds_what_is_told(made):
    folder = made.place / "follow"
    assert files(made.place) == ["follow"]
    assert files(folder) == FILES
    assert sorted(made.flat.split("files in follow: ")[1].split(", ")) == FILES
    for name in ("motion.png", "torques.png", "error.png"):
        width, height = png_size(folder / name)
        assert 400 < width < 5000
        assert 300 < height < 5000
        assert (folder / name).stat().st_size > 20_000


def test_the_run_is_the_closed_loop(made):
    run = ulna.open_run(made.place / "follow" / "run.nc")
    assert run.status
    assert run.t[[0, -1]] == pytest.approx([0.0, 60.0])
    plan = ulna.plan(ulna.preset("kehl"), ulna.paths.loops(), duration=60.0)
    asked = plan.path(run.t / 60.0)
    gap = np.hypot(*(run.tip[:, :2] - asked).T)
    assert np.sqrt(np.mean(gap**2)) == pytest.approx(9.05e-6, rel=1e-2)
    assert ulna.open_run(made.place / "follow" / "run.nc").arm == ulna.preset("kehl")


def test_the_table_is_the_plans(made):
    table = ulna.paths.csv(made.place / "follow" / "plan.csv")
    assert table.duration == pytest.approx(60.0)
    assert table(0.0) == pytest.approx(ulna.paths.loops()(0.0), abs=1e-9)


def test_the_arm_can_be_made_again_from_the_summary(made, tmp_path):
    (tmp_path / "again.toml").write_text(made.facts("follow")["robot_file"], "utf-8")
    assert ulna.load(tmp_path / "again.toml") == ulna.preset("kehl")
    assert made.facts("follow")["versions"]["ulna"] == ulna.__version__


def test_json_is_the_summary_and_the_files(ask):
    found = ask(*SHORT, "--json")
    assert found.code == 0
    told = found.json
    assert sorted(told.pop("files")) == [f"follow/{name}" for name in FILES]
    assert told == found.facts("follow")


def test_a_film_shows_both(ask, tmp_path):
    found = ask(*SHORT, "--film", "--film-speed", "0.5")
    assert found.code == 0
    assert files(tmp_path / "follow") == sorted([*FILES, "follow.mp4"])
    film = (tmp_path / "follow" / "follow.mp4").read_bytes()
    assert film[4:8] == b"ftyp"
    assert len(film) > 5_000


# ----------------------------------------------------------------------------------- its options


def error(answer):
    assert answer.code == 0
    return answer.json["closed_loop"]["rms"]


def test_starting_at_rest_costs_an_error_that_is_made_good(ask):
    words = ["kehl", CIRCLE, "--duration", "1 s", "--tolerance", "1 cm", "--json"]
    moving = error(ask(*words))
    rest = ask(*words, "--start", "rest", "--out", "rest")
    assert error(rest) > 10 * moving
    assert ulna.open_run(rest.place / "rest" / "run.nc").qd[0] == pytest.approx([0.0, 0.0])
    quintic = ask(*words, "--timing", "quintic", "--start", "rest", "--out", "quintic")
    assert error(quintic) < error(rest) / 10


def test_a_model_that_is_wrong_is_felt(ask):
    words = ["kehl", CIRCLE, "--duration", "0.5 s", "--payload", "2 kg", "--json"]
    words += ["--tolerance", "2 cm"]
    known = ask(*words)
    guessed = ask(*words, "--controller-model", "kehl", "--out", "guessed")
    assert error(guessed) > 30 * error(known)
    cause = "payload: 0 kg in the controller's model, 2 kg on the arm"
    assert guessed.json["verdict"]["model_mismatch"] == [cause]
    strict = ask(*words[:-3], "--controller-model", "kehl", "--out", "strict")
    assert first_line(strict).endswith(f"; the controller's model is another arm ({cause})")
    assert f"model {cause}" in strict.flat
    assert "tell the controller of the arm as it is" in strict.err
    # Both loops believe in it: torques for less mass let the arm fall.
    assert guessed.json["open_loop"]["max"] > 10 * known.json["open_loop"]["max"]


def test_friction_and_sticking_are_told(ask, tmp_path):
    joints = [ulna.Joint(friction=ulna.Friction(1.0, 1.5)), ulna.Joint(friction=ulna.Friction(0.5))]
    arm = ulna.Arm.rods([0.5, 0.5], [1.0, 1.0], joints=joints)
    ulna.save(arm, tmp_path / "dry.toml")
    found = ask("dry.toml", CIRCLE, "--duration", "2 s")
    assert found.code == 0
    assert (
        "friction takes up to 1.5 N·m of joint 1, 0.5 N·m of joint 2 in closed loop" in found.flat
    )
    facts = found.facts("follow")
    assert facts["terms"]["friction"]["peak"] == pytest.approx([1.5, 0.5])
    stuck = facts["closed_loop"]["sticking"]
    assert {one["joint"] for one in stuck} <= {1, 2}
    for one in stuck:
        assert f"joint {one['joint']} stuck " in found.flat
    # The controller knows of it: its torques are the plan's, friction and all.
    assert facts["torque"]["run_peak"] == pytest.approx(facts["torque"]["peak"], rel=0.01)
    assert "friction" not in ask("kehl", CIRCLE, "--duration", "1 s", "--out", "kehl").flat


def test_options_of_the_plan_are_the_plans(ask):
    words = [CIRCLE, "--elbow", "up", "--no-gravity", "--payload", "500 g", "--max-speed", "1 m/s"]
    facts = ask(*words, "--max-acceleration", "20 m/s^2", "--timing", "s-curve", "--json").json
    assert facts["arm"] == "kehl"
    assert facts["timing"].startswith("s-curve")
    assert facts["terms"]["gravity"]["peak"] == [0.0, 0.0]
    made = ulna.plan(
        ulna.preset("kehl").with_payload(0.5).replace(gravity=(0.0, 0.0)),
        ulna.paths.circle(center=(0.5, 0.1), radius=0.05),
        elbow="up",
        max_speed=1.0,
        max_acceleration=20.0,
        timing="s-curve",
    )
    assert facts["duration"] == pytest.approx(made.duration)
    assert facts["torque"]["peak"] == pytest.approx(made.peaks.torque)


# ------------------------------------------------------------------------------ what cannot be done


def test_out_of_reach_is_exit_5_and_nothing_is_simulated(ask, tmp_path, unsimulated):
    found = ask("kehl", "line((0.9, 0), (1.4, 0))", "--duration", "2 s")
    assert found.code == 5
    last = found.err.splitlines()[-1]
    assert last.startswith("the path cannot be followed: out of reach from t = 0.4")
    assert "by up to 400 mm at t = 2 s, at (1.4, 0) m, nearest (1, 0) m" in last
    assert files(tmp_path / "follow") == ["motion.png", "report.html", "summary.json"]
    assert found.out.startswith("the plan is infeasible: out of reach from t = 0.4")
    assert found.facts("follow")["feasible"] is False
    again = ask("kehl", "line((0.9, 0), (1.4, 0))", "--json", "--out", "again")
    assert (again.code, again.json["ok"]) == (5, False)
    told = again.json["verdict"]
    assert (told["follows"], told["reason"]) == (False, "infeasible")
    assert again.facts("again")["verdict"] == told


def test_torques_beyond_a_limit_are_exit_5_after_all_is_written(ask, tmp_path):
    joints = [ulna.Joint(max_torque=20.0), ulna.Joint(max_torque=500.0)]
    ulna.save(ulna.Arm.rods([0.5, 0.5], [1.0, 10.0], joints=joints), tmp_path / "weak.toml")
    found = ask("weak.toml", CIRCLE, "--duration", "0.1 s")
    assert found.code == 5
    assert files(tmp_path / "follow") == FILES
    assert re.search(r"the arm cannot do it: .*joint 1.*20 N·m", found.err)
    assert found.out.startswith("the plan is infeasible: torque limit of joint 1 ")
    assert (
        "simulated all the same, it does not follow: torque limits were met (joint 1, "
        in (found.out.splitlines()[0])
    )
    assert found.facts("follow")["verdict"]["reason"] == "infeasible"
    assert ulna.open_run(tmp_path / "follow" / "run.nc").tau[:, 0].max() <= 20.0


def test_gains_beyond_reason_are_exit_3_and_all_is_kept(ask, tmp_path):
    found = ask(*SHORT, "--controller", "ComputedTorque(natural_frequency=1e5)")
    assert found.code == 3
    last = found.err.splitlines()[-1]
    assert last.startswith("does not follow: diverged at t = 0.00")
    assert "; all until then is in follow/plan.csv, follow/run.nc, " in last
    assert files(tmp_path / "follow") == FILES
    run = ulna.open_run(tmp_path / "follow" / "run.nc")
    assert run.status.reason == "diverged"
    assert np.isfinite(run.q).all()
    assert "in this run the tip stayed within" in found.flat


# ------------------------------------------------------------------------------------ the verdict


def first_line(answer):
    return answer.out.splitlines()[0]


def test_an_unstable_loop_is_not_called_fine(ask, tmp_path):
    circle = "circle(center=(0.2, 0.1), radius='4 cm')"
    law = ("--controller", "PD(kp=8, kd=0.3)", "--rate", "50 Hz")
    found = ask("so-101", circle, "--motor", "ideal", *law)
    assert found.code == 3
    assert re.match(
        r"does not follow: unstable at 50 Hz, errors grow 10\^\d{2,}-fold; "
        r"off by \d+ mm at t = .* s; "
        r"torque limits were met \(joint 1, [\d,]+ times, [\d.]+ s; joint 2, ",
        first_line(found),
    )
    plan = "limits the plan: all angles, speeds and torques are within the joints' limits "
    assert f"{plan}the closed path ends in another posture" in found.flat
    assert "the run: joint 1 met its torque limit " in found.flat
    last = found.err.splitlines()[-1]
    assert last.startswith(first_line(found))
    assert "; try a higher --rate, or other gains; all of it is in follow/plan.csv" in last
    assert files(tmp_path / "follow") == FILES
    facts = found.facts("follow")
    told = facts["verdict"]
    assert (told["follows"], told["reason"]) == (False, "unstable")
    assert told["text"] == first_line(found)
    assert told["peak_error"] == facts["closed_loop"]["max"] > 0.1
    # Motors that are at their limits do what these say, and more than was planned.
    assert facts["torque"]["run_peak"] == pytest.approx([2.942] * 3)
    assert max(facts["torque"]["peak"]) < 1.0
    run = ulna.open_run(tmp_path / "follow" / "run.nc")
    for joint in told["saturation"]:
        # Episodes of some ticks each, not a count of ticks; both fit into the run.
        assert 0.02 * joint["episodes"] <= joint["seconds"] * (1 + 1e-9) <= run.t[-1]
        assert joint["episodes"] * 2 - 1 <= run.t[-1] / 0.02


def test_a_spring_that_sags_does_not_follow(ask):
    words = ["kehl", CIRCLE, "--duration", "1 s", "--controller", "PD()"]
    found = ask(*words)
    assert found.code == 3
    assert re.fullmatch(
        r"does not follow: off by [\d.]+ mm at t = [\d.]+ s, more than 2 mm", first_line(found)
    )
    assert "or a larger --tolerance" in found.err
    wide = ask(*words, "--tolerance", "10 cm", "--out", "wide", "--json")
    assert wide.code == 0
    assert wide.json["verdict"]["follows"] is True
    assert wide.json["verdict"]["tolerance"] == pytest.approx(0.1)


def test_the_open_loop_is_judged_where_it_is_asked_for(ask):
    words = ["kehl", CIRCLE, "--controller", "OpenLoop()"]
    found = ask(*words, "--duration", "4 s")
    assert found.code == 3
    assert first_line(found).startswith("does not follow: unstable without feedback, errors grow ")
    assert "take a --controller with feedback" in found.err
    short = ask(*words, "--duration", "0.5 s", "--tolerance", "1 cm", "--out", "short")
    assert short.code == 0
    assert first_line(short).startswith("follows within ")


def test_an_infeasible_plan_is_exit_5_however_its_run_ends(ask, tmp_path):
    joints = [ulna.Joint(max_torque=20.0), ulna.Joint(max_torque=500.0)]
    ulna.save(ulna.Arm.rods([0.5, 0.5], [1.0, 10.0], joints=joints), tmp_path / "weak.toml")
    found = ask("weak.toml", CIRCLE, "--duration", "4 s", "--controller", "OpenLoop()")
    assert found.code == 5


def test_gains_that_leave_no_numbers_are_told_without_noise(ask, capfd):
    found = ask(*SHORT, "--controller", "ComputedTorque(natural_frequency=1e140)")
    assert found.code == 3
    assert first_line(found).startswith("does not follow: diverged at t = 0.001 s")
    # LAPACK would write past Python.
    assert capfd.readouterr() == ("", "")


def test_what_exists_is_kept(ask, tmp_path, unsimulated):
    folder = tmp_path / "follow"
    folder.mkdir()
    for name in ("run.nc", "error.png", "follow.mp4"):
        (folder / name).write_text("mine")
    for words, named in (([], "run.nc, error.png"), (["--film"], "run.nc, error.png, follow.mp4")):
        found = ask(*SHORT, *words)
        assert (found.code, found.out) == (2, "")
        assert found.err.startswith(f"--out: got follow, which holds {named}, need a folder")
        assert "add --overwrite to replace them, or give another folder" in found.err
        assert "planned" not in found.err
    assert {path.read_text() for path in folder.iterdir()} == {"mine"}


def test_overwrite_replaces_only_what_it_writes(ask, tmp_path):
    folder = tmp_path / "follow"
    folder.mkdir()
    for name in ("run.nc", "follow.mp4", "mine.txt"):
        (folder / name).write_text("mine")
    assert ask(*SHORT, "--overwrite").code == 0
    assert ulna.open_run(folder / "run.nc").status
    assert (folder / "follow.mp4").read_text() == (folder / "mine.txt").read_text() == "mine"


def test_nothing_of_an_earlier_run_stays_beside_a_new_one(ask, tmp_path):
    folder = tmp_path / "follow"
    assert ask(*SHORT).code == 0
    (folder / "follow.mp4").write_text("the film of that run")
    (folder / "mine.txt").write_text("mine")
    # The summary shows that the film was made by this command, with another run.
    assert ask(*SHORT, "--overwrite").code == 0
    assert files(folder) == sorted([*FILES, "mine.txt"])
    assert (folder / "mine.txt").read_text() == "mine"
    assert files(tmp_path) == ["follow"]


def test_a_file_is_no_folder(ask, tmp_path, unsimulated):
    (tmp_path / "follow").write_text("mine")
    found = ask(*SHORT)
    assert (found.code, found.out) == (74, "")
    assert found.err.startswith("follow: ")
    assert "is a file" in found.err
    assert (tmp_path / "follow").read_text() == "mine"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_a_folder_that_is_closed_is_found_before_any_work(ask, tmp_path, unsimulated):
    (tmp_path / "closed").mkdir(mode=0o500)
    assert ask(*SHORT, "--out", "closed/follow").code == 74


def test_a_full_disk_costs_one_file_and_not_the_others(ask, tmp_path, monkeypatch):
    def save(_run, file, **_):
        raise ulna.FileError(f"{file}: cannot be written: No space left on device")

    monkeypatch.setattr(ulna.Run, "save", save)
    found = ask(*SHORT)
    assert found.code == 74
    assert found.err.endswith("follow/run.nc: cannot be written: No space left on device\n")
    kept = [name for name in FILES if name != "run.nc"]
    assert files(tmp_path / "follow.interrupted") == kept
    assert files(tmp_path) == ["follow.interrupted"]
    assert "tip error" in found.flat


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["kehll"], 2, "ARM: got 'kehll', need a preset or a robot file; did you mean 'kehl'?"),
        (["nowhere.svg"], 74, "nowhere.svg: cannot be read"),
        (
            [*SHORT, "--controller-model", "kehll"],
            2,
            "--controller-model: got 'kehll', need a preset",
        ),
        ([*SHORT, "--controller-model", "nowhere.toml"], 74, "nowhere.toml: cannot be read"),
        ([*SHORT, "--rate", "1 s"], 2, "--rate: got '1 s', need a frequency such as '50 Hz'"),
        ([*SHORT, "--controller", ""], 2, "--controller: empty text"),
        ([*SHORT, "--controller", "PIDD()"], 2, "did you mean 'PID'?"),
        (
            [*SHORT, "--controller", "ComputedTorque(natural_frequency='5 kg')"],
            2,
            "--controller.natural_frequency: got '5 kg', need a frequency",
        ),
        ([*SHORT, "--start", "fast"], 2, "--start: got 'fast', need exact or rest"),
        ([*SHORT, "--film", "--film-speed", "0"], 2, "--film-speed: got 0.0, need a number above"),
        (["--duration", "1e4 s", "--film"], 2, "got 300,000 pictures, need at most 20,000; add"),
        ([CIRCLE, "--max-speed", "0"], 2, "--max-speed: got '0', need a number above 0"),
        ([CIRCLE, "--max-acceleration", "1 m"], 2, "--max-acceleration: got '1 m', need an acc"),
        ([CIRCLE, "--payload", "-1"], 2, "--payload: got '-1', need a mass of at least 0 kg"),
        ([CIRCLE, "--elbow", "left"], 2, "--elbow: got 'left', need up, down, positive or"),
    ],
)
def test_bad_words_get_a_sentence_and_leave_no_folder(
    ask, tmp_path, unsimulated, words, code, says
):
    found = ask(*words)
    assert (found.code, found.out) == (code, "")
    assert says in found.err
    assert files(tmp_path) == []


# ------------------------------------------------------------------------------------------ Ctrl-C


def interrupt(monkeypatch, which):
    """Let Ctrl-C come in the middle of the first or second run that counts."""
    real = ulna.Simulation.advance_to
    begun = []

    def advance_to(simulation, t, report=None):
        if t == 0.0:
            return real(simulation, t, report)
        begun.append(t)
        if len(begun) < which:
            return real(simulation, t, report)
        real(simulation, 0.5 * t, report)
        raise KeyboardInterrupt

    monkeypatch.setattr(ulna.Simulation, "advance_to", advance_to)


def test_ctrl_c_under_the_controller_keeps_what_there_is(ask, tmp_path, monkeypatch):
    interrupt(monkeypatch, which=2)
    found = ask(*SHORT)
    assert found.code == 130
    kept = r"interrupted at t = 0\.1 s; all until then is in follow\.interrupted/plan\.csv"
    assert re.search(kept, found.err)
    assert files(tmp_path / "follow.interrupted") == FILES
    assert files(tmp_path) == ["follow.interrupted"]
    run = ulna.open_run(tmp_path / "follow.interrupted" / "run.nc")
    assert run.status.reason == "interrupted"
    assert run.t[-1] == pytest.approx(0.1)


def test_ctrl_c_before_that_stops(ask, monkeypatch):
    interrupt(monkeypatch, which=1)
    found = ask(*SHORT)
    assert (found.code, found.out) == (130, "")
    names = ("plan.csv", "motion.png", "torques.png")
    kept = ", ".join(f"follow.interrupted/{name}" for name in names)
    assert found.err.endswith(f"stopped; the plan is in {kept}\n")
    assert files(found.place / "follow.interrupted") == sorted(names)


@pytest.mark.skipif(sys.platform == "win32", reason="no signals of that kind")
def test_ctrl_c_in_the_midst_of_a_file_keeps_those_before_it(ask, tmp_path, monkeypatch):
    real = ulna.Run.save

    def save(run, file, **options):
        real(run, file, **options)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(ulna.Run, "save", save)
    found = ask(*SHORT)
    assert found.code == 130
    names = ("run.nc", "error.png", "motion.png", "torques.png", "summary.json", "report.html")
    missing = ", ".join(f"follow/{name}" for name in names)
    assert found.err.endswith(f"stopped; not written: {missing}\n")
    assert files(tmp_path / "follow.interrupted") == ["plan.csv", "run.nc"]
    assert ulna.open_run(tmp_path / "follow.interrupted" / "run.nc").status


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([CIRCLE, "--duration", "-3 s"], "--duration: got '-3 s', need a number above 0 [s]"),
        (["kehl", "joints([(0, 0, 0), (1, 1, 1)])"], "PATH: got postures of 3 joints, need 2"),
        (["", CIRCLE], "ARM: got ''"),
        ([*SHORT, "--out", ""], "--out: got ''"),
        ([CIRCLE, "--max-speed", "1e-300"], "--max-speed: got 1e-300"),
        ([*SHORT, "--payload", "1e300 kg"], "--payload: got '1e300 kg'"),
        ([*SHORT, "--rate", "0"], "--rate: got "),
        ([*SHORT, "--rate", "1 Hz"], "--rate: got "),
        ([*SHORT, "--tolerance", "0 mm"], "--tolerance: got '0 mm', need a length above 0"),
        ([*SHORT, "--rate", "1e300 Hz"], "--duration: got 0.2 s at 1e+300 Hz"),
        (["--duration", "1e9 s"], "--duration: got "),
        ([*SHORT, "--controller", "PID(kp=-1)"], "--controller: "),
        (
            [*SHORT, "--controller-model", "bechard-4"],
            "--controller-model: got an arm with 4 joints, need 2",
        ),
        ([*SHORT, "--controller-model", "kehl", "--controller", "PD()"], "--controller: got PD()"),
    ],
)
def test_bad_values_are_found_by_their_names_before_any_work(
    ask, tmp_path, unsimulated, words, says
):
    found = ask(*words)
    assert found.code == 2
    assert any(line.startswith(says) for line in found.err.splitlines())
    assert files(tmp_path) == []


@pytest.mark.parametrize("name", ["bechard-1", "bechard-1-driven"])
def test_an_arm_of_one_link_has_a_path_by_default(ask, name):
    assert ask(name, "--json").code == 0


@pytest.mark.skipif(sys.platform == "win32", reason="no signals of that kind")
def test_ctrl_c_ends_a_film_at_once(ask, tmp_path, monkeypatch):
    def animate(*_, **__):
        signal.raise_signal(signal.SIGINT)
        pytest.fail("the film goes on")

    monkeypatch.setattr(ulna.viewer, "animate_following", animate)
    found = ask(*SHORT, "--film")
    assert found.code == 130
    assert found.err.endswith("stopped; not written: follow/follow.mp4\n")
    assert files(tmp_path / "follow.interrupted") == FILES


def test_ctrl_c_while_the_engine_loads_stops(ask, monkeypatch):
    def connect(simulation):
        raise KeyboardInterrupt

    monkeypatch.setattr(ulna.Simulation, "_connect", connect)
    found = ask(*SHORT)
    assert found.code == 130
    assert found.err.endswith("stopped\n")


WEAK = """
format = 1
gravity = [0.0, 0.0]
[[link]]
length = 0.4
mass = 0.5
[link.joint.motor]
kind = "torque-speed"
name = "tiny"
stall_torque = 0.3
no_load_speed = 3.0
"""
SERVO = """
format = 1
gravity = [0.0, 0.0]
[[link]]
length = 0.4
mass = 0.5
[link.joint.motor]
kind = "servo"
stall_torque = 3.0
no_load_speed = 5.0
stiffness = 40.0
damping = 2.0
"""
SWING = ("joints(((0,), (1,)))", "--timing", "cubic")


def test_a_motor_that_is_too_weak_is_named_with_how_long_and_where(ask, tmp_path):
    (tmp_path / "arm.toml").write_text(WEAK, "utf-8")
    told = ask("arm.toml", *SWING, "--duration", "0.6 s", "--json")
    assert told.code == 5  # the plan says so before
    facts = told.json
    assert facts["verdict"]["reason"] == "infeasible"
    assert "motor limit of joint 1 (tiny)" in facts["verdict"]["text"]
    (use,) = facts["closed_loop"]["motors"]
    assert use["limited_seconds"] > 0.05
    said = ask("arm.toml", *SWING, "--duration", "0.6 s", "--overwrite")
    assert "the motor of joint 1 (tiny) was at its limits" in said.out
    assert "the tip then at (" in said.out


def test_servos_are_commanded_the_planned_angles(ask, tmp_path):
    (tmp_path / "arm.toml").write_text(SERVO, "utf-8")
    said = ask("arm.toml", *SWING, "--duration", "1 s", "--tolerance", "5 cm", "--json")
    facts = said.json
    assert said.code == 0
    assert (facts["judged"], facts["controller"]) == ("position commands", None)
    assert not {"open_loop", "closed_loop"} & set(facts)
    # Behind by damping · q̇ / stiffness and half a period of 50 Hz, at 1.5 rad/s.
    behind = 0.4 * 1.5 * (2.0 / 40.0 + 0.5 / 50.0)
    assert facts["verdict"]["peak_error"] == pytest.approx(behind, rel=0.2)
    assert facts["position_commands"]["max"] == facts["verdict"]["peak_error"]
    # As in Python, from rest: the arm lies flat, and nothing sags.
    arm = ulna.load(tmp_path / "arm.toml")
    plan = ulna.plan(arm, ulna.paths.joints([[0], [1]]), duration=1.0, timing="cubic")
    run = ulna.simulate(plan.arm, reference=plan)
    error = ulna.analysis.tracking(run, plan).max
    assert facts["verdict"]["peak_error"] == pytest.approx(error, rel=1e-6)


def test_what_is_said_of_servos_is_what_they_do(ask, tmp_path):
    (tmp_path / "arm.toml").write_text(SERVO, "utf-8")
    found = ask("arm.toml", *SWING, "--duration", "1 s", "--tolerance", "1 mm")
    assert found.code == 3
    assert first_line(found).startswith("does not follow: off by ")
    assert "joint 1 was up to" in first_line(found)
    assert "positions the planned angles at 50 Hz: tip error" in found.flat
    assert "errors" not in found.flat.replace("tip errors", "")
    assert "stiffer servos" in found.err


def test_servos_begin_where_they_hold_their_load(ask, tmp_path):
    (tmp_path / "arm.toml").write_text(SERVO.replace("gravity = [0.0, 0.0]\n", ""), "utf-8")
    slow = ("joints(((0,), (0.001,)))", "--timing", "cubic", "--duration", "1 s")
    rest = ask("arm.toml", *slow, "--json")
    # A spring of 40 N·m/rad gives way to the weight of a rod.
    sag = 0.4 * (0.5 * 9.81 * 0.2) / 40.0
    assert rest.json["verdict"]["peak_error"] == pytest.approx(sag, rel=0.01)
    exact = ask("arm.toml", *slow, "--start", "exact", "--out", "exact", "--json")
    run = ulna.open_run(exact.place / "exact" / "run.nc")
    assert run.q[0] == pytest.approx([0.0])


def test_servos_that_do_better_by_themselves_are_told(ask, tmp_path):
    # They read their commands 50 times a second, too seldom for torques of a controller.
    joint = ulna.Joint(motor="tower-pro-mg996r")
    arm = ulna.Arm.rods([0.16, 0.14], [0.06, 0.04], joints=[joint] * 2, gravity=(0.0, 0.0))
    ulna.save(arm, tmp_path / "arm.toml")
    words = ("arm.toml", "circle((0.2, 0), '3 cm')", "--duration", "4 s")
    found = ask(*words, "--controller", "ComputedTorque()")
    assert found.code == 3
    assert first_line(found).startswith("does not follow: off by ")
    alone = found.facts("follow")["position_commands"]["max"]
    assert alone < 0.005
    told = f"commanded the planned angles, its motors keep within {alone * 1e3:.3g} mm"
    assert f"leave out --controller: {told}" in found.err
    assert "open loop" not in found.out
    assert "motors that take positions, of joint 1, 2: its torques become angles" in found.err
    by_default = ask(*words, "--out", "alone")
    assert by_default.code == 0
    assert by_default.facts("alone")["verdict"]["peak_error"] == alone


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--rate", "200 Hz"], "--rate says nothing without --controller: servos read"),
        (["--controller-model", "kehl"], "--controller-model: got 'kehl', need --controller as we"),
    ],
)
def test_options_of_a_controller_say_nothing_to_servos(ask, tmp_path, words, says):
    (tmp_path / "arm.toml").write_text(SERVO, "utf-8")
    found = ask("arm.toml", *SWING, "--duration", "1 s", *words)
    assert (found.code == 2) == ("--controller-model" in words)
    assert says in found.err


@pytest.mark.slow
@pytest.mark.parametrize("name", ulna.presets())
def test_every_preset_follows_by_default(ask, name):
    found = ask(name, "--json")
    assert found.code == 0
    verdict = found.json["verdict"]
    assert verdict["follows"]
    assert verdict["peak_error"] == found.json[found.json["judged"].replace(" ", "_")]["max"]


LOOP = """\
format = 1

[[link]]
length = "50 cm"
mass = "1.2 kg"

[[link]]
length = "40 cm"
mass = "0.8 kg"

[loop]
rate = "250 Hz"

[sensors]
angle_resolution = "0.088 deg"
delay = "2 ms"

[actuators]
time_constant = "5 ms"
"""
ROUND = ("circle(center=(0.5, 0.2), radius='10 cm')", "--duration", "1 s")


def test_the_loop_of_a_robot_file_is_judged_without_its_rounding(ask, tmp_path):
    (tmp_path / "arm.toml").write_text(LOOP, "utf-8")
    stiff = "ComputedTorque(natural_frequency=20)"
    found = ask("arm.toml", *ROUND, "--controller", stiff)
    assert found.code == 0
    assert (
        "the loop: 250 Hz; sensors with angle resolution 0.00153588974 rad, delay 0.002 s; "
        "actuators with time constant 0.005 s" in found.err
    )
    facts = found.facts("follow")["closed_loop"]["stability"]
    arm = ulna.load(tmp_path / "arm.toml")
    smooth = {"sensors": ulna.Sensors(delay=0.002), "actuators": arm.loop.actuators}
    plan = ulna.plan(arm, ulna.paths.circle((0.5, 0.2), 0.1), duration=1.0)
    told = ulna.analysis.stability(plan, ComputedTorque(natural_frequency=20.0), **smooth)
    assert facts["growth_rate"] == told.growth_rate() < 0.0
    clause = "Without the rounding of sensors, closed loop at 250 Hz errors fall"
    assert clause in found.flat
    assert facts["sentence"].startswith(clause)


@pytest.mark.filterwarnings("ignore:ComputedTorque on an arm")
def test_a_loop_that_rounds_can_be_unstable_all_the_same(ask, tmp_path):
    (tmp_path / "arm.toml").write_text(LOOP, "utf-8")
    found = ask("arm.toml", *ROUND, "--controller", "ComputedTorque(natural_frequency=150)")
    assert found.code == 3
    assert "unstable at 250 Hz, errors grow 10^" in first_line(found)
