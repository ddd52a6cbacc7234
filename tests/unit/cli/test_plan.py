"""`ulna plan`: a folder of numbers and pictures, and every way in which it cannot be done."""

import csv
import os
import re
import signal
import struct
import subprocess
import sys

import numpy as np
import pytest

import ulna

CIRCLE = "circle(center=(0.5, 0.1), radius='10 cm')"
FILES = ["motion.png", "plan.csv", "report.html", "summary.json", "torques.png"]


@pytest.fixture(scope="module")
def made(run_in, tmp_path_factory):
    """Plan what the command plans by itself."""
    return run_in(tmp_path_factory.mktemp("plan"), "plan")


@pytest.fixture
def ask(run_in, tmp_path, unpainted):
    """Run the command in an empty folder, and leave out the pictures."""
    return lambda *words: run_in(tmp_path, "plan", *words)


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def png_size(file):
    head = file.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", head[16:])


def columns(file):
    """Read a table by another way than ours."""
    with file.open(encoding="utf-8", newline="") as stream:
        names, *rows = csv.reader(stream)
    values = np.array(rows, float)
    return {name.split(" ")[0]: values[:, i] for i, name in enumerate(names)}


# --------------------------------------------------------------------------------- what it gives


def test_paper_000_is_planned_by_default(made):
    assert made.code == 0
    assert made.out.startswith("kehl along loops(radius=0.79, loop_radius=0.2, loops=13), 60 s\n")
    rows = [line.split() for line in made.out.splitlines() if re.match(r"\s*[12] ", line)]
    assert [row[1:4] for row in rows] == [
        ["78.847", "45.221", "none"],
        ["25.469", "17.351", "none"],
    ]
    inside = (
        "reachable yes, at least 10 mm inside the edge of the reach; elbow positive (sin q2 > 0)"
    )
    assert inside in made.flat
    assert "limits no joint has a limit of angle, speed or torque" in made.flat
    assert "limited by" not in made.flat
    assert made.err.endswith("for kehl: 60 s (as the path has it), 2,000 samples\n")


def test_the_folder_holds_what_is_told(made):
    folder = made.place / "plan"
    assert files(made.place) == ["plan"]
    assert files(folder) == FILES
    assert sorted(made.flat.split("files in plan: ")[1].split(", ")) == FILES
    for name in ("motion.png", "torques.png"):
        width, height = png_size(folder / name)
        assert 400 < width < 5000
        assert 300 < height < 5000
        assert (folder / name).stat().st_size > 20_000


def test_the_table_reads_back_to_the_plan(made):
    table = columns(made.place / "plan" / "plan.csv")
    plan = ulna.plan(ulna.preset("kehl"), ulna.paths.loops(), duration=60.0)
    assert np.array_equal(table["t"], plan.t)
    for name, values in (("q", plan.q), ("qd", plan.qd), ("qdd", plan.qdd), ("tau", plan.tau)):
        for joint in (0, 1):
            assert np.array_equal(table[f"{name}{joint + 1}"], values[:, joint])
    spent = ("inertia", "coriolis", "gravity", "damping", "rotor", "tip_force")
    total = sum(table[f"{name}_1"] for name in spent)
    assert total == pytest.approx(table["tau1"], abs=1e-12)
    # Where the tip is follows from the angles by school geometry.
    q1, q2 = table["q1"], table["q2"]
    assert table["x"] == pytest.approx(0.5 * np.cos(q1) + 0.5 * np.cos(q1 + q2), abs=1e-12)
    again = ulna.paths.csv(made.place / "plan" / "plan.csv")
    assert again.duration == pytest.approx(60.0)


def test_the_numbers_are_kept_in_si(made):
    facts = made.facts("plan")
    assert facts["torque"]["peak"] == pytest.approx([78.847, 25.469], abs=5e-4)
    assert facts["torque"]["rms"] == pytest.approx([45.2, 17.35], rel=5e-4)
    assert facts["reach_margin"] == pytest.approx(0.01, abs=1e-6)
    assert (facts["duration"], facts["samples"], facts["timing"]) == (60.0, 2000, "uniform")
    assert (facts["feasible"], facts["ok"], facts["problems"]) == (True, True, [])


def test_json_is_the_summary_and_the_files(ask):
    found = ask("kehl", CIRCLE, "--json")
    assert found.code == 0
    told = found.json
    assert sorted(told.pop("files")) == [f"plan/{name}" for name in FILES]
    assert told == found.facts("plan")


def test_the_report_tells_the_plan_and_the_command(ask, tmp_path):
    assert ask("kehl", CIRCLE, "--duration", "2 s").code == 0
    page = (tmp_path / "plan" / "report.html").read_text("utf-8")
    assert "the path is in reach, and no joint has a limit" in page
    assert "--duration '2 s'" in page
    assert "ulna.plan(arm, ulna.motion.read_path(" in page


def test_a_page_goes_where_it_is_asked_for(ask, tmp_path):
    found = ask("kehl", CIRCLE, "--html", "circle.html", "--json")
    assert found.code == 0
    assert found.json["files"][-1] == "circle.html"
    page = (tmp_path / "circle.html").read_text("utf-8")
    assert "--html circle.html" in page
    beside = ("kehl", CIRCLE, "--html", "circle.html", "--out", "again")
    found = ask(*beside)
    assert (found.code, found.out) == (2, "")
    assert "--html: got 'circle.html', which exists" in " ".join(found.err.split())
    assert files(tmp_path) == ["circle.html", "plan"]
    assert (tmp_path / "circle.html").read_text("utf-8") == page
    assert "circle.html" in ask(*beside, "--overwrite").flat


@pytest.mark.parametrize(
    ("page", "code", "sentence"),
    [
        ("circle.pdf", 2, "--html: got 'circle.pdf', need a name that ends in .html"),
        ("nowhere/circle.html", 74, "there is no folder nowhere"),
    ],
)
def test_a_page_that_cannot_be_written_is_refused_before_the_work(
    ask, tmp_path, page, code, sentence
):
    found = ask("kehl", CIRCLE, "--html", page)
    assert (found.code, found.out) == (code, "")
    assert sentence in " ".join(found.err.split())
    assert files(tmp_path) == []


# ----------------------------------------------------------------------------------- its options


def test_a_path_may_be_the_only_argument(ask):
    facts = ask(CIRCLE, "--json").json
    assert facts["arm"] == "kehl"
    assert facts["path"].startswith("circle(center=(0.5, 0.1), radius=0.1")


def test_limits_of_the_tip_set_the_time(ask):
    # 0.6 m at 0.5 m/s, and 0.25 s more for ramps of 2 m/s².
    words = ["line((0.4, -0.2), (0.4, 0.4))", "--timing", "trapezoid"]
    limits = ["--max-speed", "50 cm/s", "--max-acceleration", "2 m/s^2"]
    assert ask(*words, *limits, "--json").json["duration"] == pytest.approx(1.45)
    late = ask(*words, *limits, "--duration", "1 s", "--out", "late")
    assert late.code == 5
    assert "0.5 m/s" in late.err
    assert files(late.place / "late") == FILES


@pytest.mark.parametrize(
    ("side", "sign"), [("up", -1), ("down", 1), ("positive", 1), ("negative", -1)]
)
def test_the_elbow_is_where_it_is_wanted(ask, tmp_path, side, sign):
    # To the right of the base a positive second angle is an elbow below the line to the tip.
    assert ask("kehl", CIRCLE, "--elbow", side).code == 0
    assert (np.sign(columns(tmp_path / "plan" / "plan.csv")["q2"]) == sign).all()


def test_an_arm_that_lies_flat_carries_nothing(ask):
    facts = ask("kehl", CIRCLE, "--no-gravity", "--json").json
    assert facts["terms"]["gravity"]["peak"] == [0.0, 0.0]
    assert facts["torque"]["peak"][0] > 0.0


def test_friction_has_a_column_and_a_term_of_its_own(ask, tmp_path):
    joints = [ulna.Joint(friction=ulna.Friction(3.0)), ulna.Joint()]
    arm = ulna.Arm.rods([0.5, 0.5], [1.0, 1.0], joints=joints)
    ulna.save(arm, tmp_path / "dry.toml")
    ulna.save(arm.replace(joints=[ulna.Joint()] * 2), tmp_path / "ideal.toml")
    words = (CIRCLE, "--duration", "2 s")
    dry = ask("dry.toml", *words)
    assert (dry.code, dry.err.count("warning")) == (0, 0)
    assert "peak friction [N·m]" in dry.out
    facts = ask("dry.toml", *words, "--json", "--out", "two").json
    ideal = ask("ideal.toml", *words, "--json", "--out", "three").json
    assert facts["terms"]["friction"]["peak"] == [pytest.approx(3.0), 0.0]
    assert "friction" not in ideal["terms"]
    assert facts["torque"]["peak"][0] == pytest.approx(ideal["torque"]["peak"][0] + 3.0, rel=0.02)
    table = columns(tmp_path / "plan" / "plan.csv")
    assert np.abs(table["friction_1"]).max() == 3.0
    assert not table["friction_2"].any()
    assert "friction_1" not in columns(tmp_path / "three" / "plan.csv")


def test_the_table_has_the_rate_that_is_asked_for(ask, tmp_path):
    assert ask("kehl", CIRCLE, "--duration", "2 s", "--rate", "50 Hz").code == 0
    assert columns(tmp_path / "plan" / "plan.csv")["t"] == pytest.approx(np.arange(101) / 50.0)


def test_points_and_drawings_are_followed(ask, tmp_path):
    (tmp_path / "p.csv").write_text("\ufefft,x [mm],y [mm]\r\n0,400,0\r\n1,500,100\r\n3,600,0\r\n")
    assert ask("kehl", "p.csv", "--json").json["duration"] == 3.0
    (tmp_path / "p.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg"><path d="M 10 90 V 50 L 40 20 Z"/></svg>'
    )
    drawn = ask("p.svg", "--out", "drawn", "--json")
    assert drawn.code == 0
    assert any("fitted into reach" in note for note in drawn.json["notes"])
    assert "the drawing was fitted into reach: 1 unit is " in drawn.err


# ------------------------------------------------------------------------------ what cannot be done


def test_out_of_reach_is_exit_5_and_drawn(run_in, tmp_path):
    found = run_in(tmp_path, "plan", "kehl", "line((0.9, 0), (1.4, 0))", "--duration", "2 s")
    assert found.code == 5
    last = found.err.splitlines()[-1]
    assert last.startswith("the path cannot be followed: out of reach from t = 0.4")
    assert "by up to 400 mm at t = 2 s, at (1.4, 0) m, nearest (1, 0) m" in last
    # There are no torques to show, but there is where it fails.
    assert files(tmp_path / "plan") == ["motion.png", "report.html", "summary.json"]
    assert png_size(tmp_path / "plan" / "motion.png")[0] > 400
    facts = found.facts("plan")
    assert (facts["feasible"], facts["ok"]) == (False, False)
    assert facts["problems"][0]["kind"] == "out of reach"
    assert facts["problems"][0]["worst"] == pytest.approx(0.4)


def test_torques_beyond_a_limit_are_exit_5_after_all_is_written(ask, tmp_path):
    joints = [ulna.Joint(max_torque=20.0), ulna.Joint(max_torque=500.0)]
    ulna.save(ulna.Arm.rods([0.5, 0.5], [1.0, 10.0], joints=joints), tmp_path / "weak.toml")
    found = ask("weak.toml", CIRCLE)
    assert found.code == 5
    assert files(tmp_path / "plan") == FILES
    assert re.search(r"the arm cannot do it: .*joint 1.*20 N·m", found.err)
    assert "joint 2" not in found.err
    (row, *_) = (line.split() for line in found.out.splitlines() if re.match(r"\s*1 ", line))
    assert row[3] == "20"
    assert found.facts("plan")["ok"] is False


def test_what_exists_is_kept(ask, tmp_path):
    folder = tmp_path / "plan"
    folder.mkdir()
    for name in ("plan.csv", "motion.png", "mine.txt"):
        (folder / name).write_text("mine")
    found = ask("kehl", CIRCLE)
    assert (found.code, found.out) == (2, "")
    for fact in ("--out: got plan", "plan.csv, motion.png", "--overwrite", "another folder"):
        assert fact in found.err
    assert files(folder) == ["mine.txt", "motion.png", "plan.csv"]
    assert {path.read_text() for path in folder.iterdir()} == {"mine"}
    assert ask("kehl", CIRCLE, "--overwrite").code == 0
    assert files(folder) == sorted([*FILES, "mine.txt"])
    assert (folder / "mine.txt").read_text() == "mine"


def test_a_folder_beside_other_files_needs_no_overwrite(ask, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    assert ask("kehl", CIRCLE, "--out", ".").code == 0
    assert files(tmp_path) == sorted([*FILES, "mine.txt"])


@pytest.mark.parametrize("out", ["file", "file/folder"])
def test_a_file_is_no_folder(ask, tmp_path, out):
    (tmp_path / "file").write_text("mine")
    found = ask("kehl", CIRCLE, "--out", out)
    assert (found.code, found.out) == (74, "")
    assert found.err.startswith(f"{out}: cannot be a folder: ")
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_a_folder_that_is_closed_is_found_before_any_work(ask, tmp_path):
    (tmp_path / "closed").mkdir(mode=0o500)
    found = ask("kehl", CIRCLE, "--out", "closed/plan")
    assert found.code == 74
    assert "planned" not in found.err


def test_a_folder_in_the_place_of_a_file_is_found_before_any_work(ask, tmp_path):
    (tmp_path / "plan" / "plan.csv").mkdir(parents=True)
    found = ask("kehl", CIRCLE, "--overwrite")
    assert (found.code, found.out) == (74, "")
    assert found.err == "plan/plan.csv: cannot be written: it is a folder\n"
    assert files(tmp_path / "plan") == ["plan.csv"]


def test_a_plan_takes_the_place_of_all_of_the_one_before(ask, tmp_path):
    assert ask("kehl", CIRCLE).code == 0
    assert ask("kehl", "line((0.9, 0), (1.4, 0))", "--overwrite").code == 5
    # The torques of the circle are not those of a line that has none.
    assert files(tmp_path / "plan") == ["motion.png", "report.html", "summary.json"]


def test_ctrl_c_among_the_files_leaves_the_plan_of_before(ask, tmp_path, monkeypatch):
    assert ask("kehl", CIRCLE).code == 0
    before = {file.name: file.read_bytes() for file in (tmp_path / "plan").iterdir()}
    real = ulna.Plan.save

    def save(plan, file, **options):
        real(plan, file, **options)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(ulna.Plan, "save", save)
    found = ask("kehl", "line((0.5, 0), (0.6, 0.1))", "--overwrite")
    assert found.code == 130
    assert {file.name: file.read_bytes() for file in (tmp_path / "plan").iterdir()} == before
    assert "stopped; not written: plan/plan.csv, " in found.err
    assert files(tmp_path) == ["plan"]


def test_of_two_plans_for_one_folder_one_gets_it(ask, tmp_path, monkeypatch):
    real = ulna.Plan.save

    def save(plan, file, **options):
        # Another command is quicker.
        real(plan, file, **options)
        (tmp_path / "plan" / "motion.png").write_text("theirs")

    monkeypatch.setattr(ulna.Plan, "save", save)
    found = ask("kehl", CIRCLE)
    assert found.code == 2
    assert "which exists" in found.err
    assert files(tmp_path / "plan") == ["motion.png"]
    assert (tmp_path / "plan" / "motion.png").read_text() == "theirs"


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["kehll"], 2, "ARM: got 'kehll', need a preset or a robot file; did you mean 'kehl'?"),
        (["nowhere.toml"], 74, "nowhere.toml: cannot be read"),
        (["nowhere.csv"], 74, "nowhere.csv: cannot be read"),
        (["kehl", "."], 2, "PATH: "),
        (["kehl", ""], 2, "PATH: empty text"),
        (["kehl", "cirlce()"], 2, "did you mean 'circle'?"),
        (["kehl", "circle(radius='5 kg')"], 2, "PATH.radius: got '5 kg', need a length"),
        (["kehl", "circle(radius=1e999)"], 2, "need a finite number"),
        (["kehl", "line((0.5, 0), (0.5, 0))"], 2, "PATH.end: got (0.5, 0.0), need another point"),
        (["kehl", "joints([(0, 0), (1, 1, 1)])"], 2, "PATH.through: "),
        (["kehl", "__import__('os')"], 2, "PATH: "),
        (["kehl", "(" * 3000], 2, "too many nested"),
        ([CIRCLE, "--duration", "5 kg"], 2, "--duration: got '5 kg', need a time such as '4 s'"),
        ([CIRCLE, "--duration", "nan"], 2, "--duration: got 'nan', need a finite number"),
        ([CIRCLE, "--max-speed", "5 N"], 2, "--max-speed: got '5 N', need a velocity"),
        ([CIRCLE, "--max-speed", "-1 m/s"], 2, "--max-speed: got '-1 m/s', need a number above 0"),
        ([CIRCLE, "--max-acceleration", "0"], 2, "--max-acceleration: got '0', need a number"),
        ([CIRCLE, "--timing", "fast"], 2, "--timing: got 'fast', need one of uniform, constant"),
        ([CIRCLE, "--elbow", "left"], 2, "--elbow: got 'left', need up, down, positive or"),
        ([CIRCLE, "--payload", "-1 kg"], 2, "--payload: got '-1 kg', need a mass of at least 0"),
        ([CIRCLE, "--payload", "5 m"], 2, "--payload: got '5 m', need a mass"),
        ([CIRCLE, "--nope"], 2, "No such option: --nope"),
        (["kehl", CIRCLE, "more"], 2, "more"),
    ],
)
def test_bad_words_get_a_sentence_and_leave_no_folder(ask, tmp_path, words, code, says):
    found = ask(*words)
    assert (found.code, found.out) == (code, "")
    assert says in found.err
    assert files(tmp_path) == []


def test_all_wrong_options_are_told_at_once(ask):
    err = ask(CIRCLE, "--duration", "1 kg", "--max-speed", "a", "--max-acceleration", "1 N").err
    told = [line.split(":")[0] for line in err.splitlines() if line.startswith("--")]
    assert told == ["--duration", "--max-speed", "--max-acceleration"]


def test_a_reader_that_goes_away_costs_no_file(tmp_path):
    words = [sys.executable, "-m", "ulna", "plan", "kehl", CIRCLE]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    ) as going:
        going.stdout.close()
        err = going.stderr.read()
    assert going.returncode == 0
    assert b"Traceback" not in err
    assert b"Exception" not in err
    assert files(tmp_path / "plan") == FILES


MOTORS = """
format = 1
gravity = [0.0, 0.0]
[[link]]
length = 0.4
mass = 0.5
[link.joint.motor]
name = "small"
voltage = 12.0
resistance = 2.0
torque_constant = 0.02
gear_ratio = 20.0
"""
SWING = "joints(((0,), (1,)))"


@pytest.mark.parametrize(("duration", "code"), [("1 s", 0), ("0.2 s", 5)])
def test_motors_are_asked_whether_they_have_the_torque_left(
    run_in, tmp_path, unpainted, duration, code
):
    (tmp_path / "arm.toml").write_text(MOTORS, "utf-8")
    timed = ("--timing", "cubic", "--duration", duration)
    said = run_in(tmp_path, "plan", "arm.toml", SWING, *timed)
    assert said.code == code
    # J q̈ = m l²/3 · 6/T² of what is left at rest, V/R Kt N.
    seconds = float(duration.split()[0])
    use = 0.5 * 0.4**2 / 3.0 * 6.0 / seconds**2 / (12.0 / 2.0 * 0.02 * 20.0)
    assert f"{use:.0%} of the torque left at its speed is asked of joint 1 (small)" in said.out
    assert ("the supply gives " in said.out) == (code == 0)
    assert ("motor limit of joint 1 (small)" in said.err) == (code == 5)
    fits = "within the limits of joints and motors" in " ".join(said.out.split())
    assert fits == (code == 0)
