"""`ulna portrait`: numbers that are known from outside, the picture, and what wrong words get."""

import math
import re
import struct
from pathlib import Path

import pytest

import ulna
from ulna.cli import portrait as command

DRIVEN = ["bechard-1", "--torque", "4 N*m"]
NARROW = ["--speed-range", "-5 rad/s, 5 rad/s"]
TWO = ["ductri", "--start", "30 deg, 20 deg, 0 rad/s, 0 rad/s", "--duration", "2 s"]


@pytest.fixture
def ask(ask):
    """Return what runs this command in an empty folder: (*words) -> exit code, answer, notes."""
    return lambda *words: ask("portrait", *words)


@pytest.fixture
def unpainted(monkeypatch):
    """Leave pictures empty, where a test looks at the numbers."""
    monkeypatch.setattr(command, "save_figure", lambda _draw, file, **_: Path(file).touch())


@pytest.fixture
def facts(facts, unpainted):
    """Return what runs this command without its picture: (*words) -> its JSON."""
    return facts


def one_line(text):
    return " ".join(text.split())


# --------------------------------------------------------------------------------- what it gives


def test_the_numbers_of_the_driven_pendulum(facts):
    starts = ["--start", "0 rad, 3.07 rad/s", "--start", "0 rad, 3.2 rad/s"]
    told = facts(*DRIVEN, *NARROW, *starts)
    kinds = {rest["kind"]: rest for rest in told["equilibria"]}
    assert kinds["stable focus"]["angle"] == pytest.approx(-1.150811, abs=5e-7)
    assert kinds["saddle"]["angle"] == pytest.approx(1.150811, abs=5e-7)
    swing = math.sqrt(9.81 * math.sin(1.15081117) - 0.01)  # of λ² + 0.2 λ + 9.81 sin = 0
    assert kinds["stable focus"]["eigenvalues"][0] == pytest.approx([-0.1, swing], abs=1e-6)
    assert told["running"]["slowest"] == pytest.approx(19.5064, abs=5e-5)
    assert told["running"]["fastest"] == pytest.approx(20.4875, abs=5e-5)
    assert told["running"]["mean"] == pytest.approx(math.tau / told["running"]["period"])
    assert told["critical_torques"]["lifting"] == pytest.approx(9.81, abs=1e-9)
    # As Melnikov has it for little friction, to the next order in b.
    near = 4.0 / math.pi * 0.2 * math.sqrt(9.81)
    assert told["critical_torques"]["running"] == pytest.approx(near, rel=2e-3)
    assert [orbit["fate"] for orbit in told["orbits"]] == ["settles at -1.151 rad", "runs on"]
    assert told["files"] == ["portrait.png"]


def test_a_controller_in_the_loop(facts):
    law = ["--controller", "PD(kp=20, kd=2)", "--set-point", "30 deg"]
    told = facts("bechard-1", *law, "--start", "10 deg, 1 rad/s", *NARROW)
    (rest,) = told["equilibria"]
    aim = math.radians(30.0)
    assert 20.0 * (aim - rest["angle"]) == pytest.approx(9.81 * math.cos(rest["angle"]))
    assert told["set_point"] == pytest.approx(aim)
    assert told["cylinder"] is False
    assert told["critical_torques"] is None
    assert told["orbits"][0]["fate"] == f"settles at {rest['angle']:.4g} rad"


def test_what_is_printed_can_be_read(ask, unpainted):
    code, out, _ = ask(*DRIVEN, "--speed-range", "0 rad/s, 5 rad/s", "--start", "0 rad, 3.2 rad/s")
    assert code == 0
    text = one_line(out)
    assert "bechard-1, driven by 4 N·m" in text
    assert re.search(r"stable focus\s+-1\.150811\s+-65\.937\s+-0\.1 ± 2\.9912i", text)
    assert re.search(r"saddle\s+1\.150811\s+65\.937\s+2\.8946 and -3\.0946", text)
    assert "runs at 19.5064 to 20.4875 rad/s" in text
    assert "from 0 rad at 3.07585809 rad/s: settles at -1.151 rad | runs on" in text
    assert "0 rad, 3.2 rad/s: runs on" in text
    assert out.endswith("written: portrait.png\n")


def test_many_borders_are_cut_short(ask, unpainted, monkeypatch):
    monkeypatch.setattr(command, "MOST_BORDERS", 1)
    code, out, _ = ask(*DRIVEN, "--speed-range", "-5 rad/s, 5 rad/s")
    assert code == 0
    assert "and 1 more" in one_line(out)


# ------------------------------------------------------------------------------------ the picture


def test_a_picture_is_written_with_basins_and_energy(ask, tmp_path):
    code, _, _ = ask(*DRIVEN, *NARROW, "--basins", "8", "--energy")
    assert code == 0
    head = (tmp_path / "portrait.png").read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", head[16:])
    assert width >= 800
    assert height >= 500
    assert [path.name for path in tmp_path.iterdir()] == ["portrait.png"]


def test_the_page_has_the_basins_of_the_picture_which_are_computed_once(ask, tmp_path, monkeypatch):
    counts, compute = [], ulna.analysis.Portrait.basins
    monkeypatch.setattr(
        ulna.analysis.Portrait,
        "basins",
        lambda portrait, count: counts.append(count) or compute(portrait, count, progress=False),
    )
    code, _, _ = ask(*DRIVEN, *NARROW, "--basins", "8", "--html", "swing.html")
    assert code == 0
    assert counts == [8]
    page = (tmp_path / "swing.html").read_text("utf-8")
    assert '"label":"basin: runs on"' in page
    assert "basins = portrait.basins((8, 8))" in page


def test_a_page_is_written_beside_the_picture(ask, tmp_path, unpainted):
    words = (*DRIVEN, *NARROW, "--html", "swing.html", "--overwrite")
    code, out, _ = ask(*words)
    assert code == 0
    assert "written: portrait.png, swing.html" in out
    page = (tmp_path / "swing.html").read_text("utf-8")
    assert "2 equilibria, 1 of them stable" in page
    assert "--html swing.html" in page
    assert "ulna.portrait(arm" in page
    (tmp_path / "portrait.png").unlink()
    code, out, err = ask(*words[:-1])
    assert (code, out) == (2, "")
    assert "--html: got 'swing.html', which exists" in one_line(err)
    assert [path.name for path in tmp_path.iterdir()] == ["swing.html"]
    code, _, err = ask(*DRIVEN, *NARROW, "--html", "nowhere/swing.html")
    assert code == 74
    assert "there is no folder nowhere" in err


def test_an_svg_is_written(ask, tmp_path):
    code, out, _ = ask(*DRIVEN, *NARROW, "--out", "drawn.svg")
    assert code == 0
    assert "written: drawn.svg" in out
    assert "<svg" in (tmp_path / "drawn.svg").read_text("utf-8")[:1000]


def test_a_picture_is_not_replaced_by_accident(ask, tmp_path, monkeypatch):
    told = []
    monkeypatch.setattr(command, "save_figure", lambda *_, overwrite: told.append(overwrite))
    there = tmp_path / "portrait.png"
    there.write_bytes(b"mine")
    code, _, err = ask(*DRIVEN, *NARROW)
    assert code == 2
    assert "which exists" in err
    assert "--overwrite" in err
    assert not told
    assert there.read_bytes() == b"mine"
    code, _, _ = ask(*DRIVEN, *NARROW, "--overwrite")
    assert code == 0
    assert told == [True]


def test_a_folder_that_is_not_there_is_trouble_of_the_disk(ask):
    code, _, err = ask(*DRIVEN, *NARROW, "--out", "nowhere/a.png")
    assert code == 74
    assert "there is no folder nowhere" in err


# ----------------------------------------------------------------------------------- more joints


def test_more_joints_have_a_section(ask, tmp_path):
    code, out, _ = ask(*TWO, "--section-angle", "-60 deg", "--out", "cut.png")
    assert code == 0
    assert "ductri: joint 1 growing through -1.0472 rad" in one_line(out)
    assert (tmp_path / "cut.png").stat().st_size > 10_000


def test_the_passages_of_a_section_are_on_it(facts):
    told = facts(*TWO[:-1], "8 s", "--section-joint", "2", "--section-angle", "10 deg")
    assert (told["joint"], told["direction"]) == (2, 1)
    (start,) = told["crossings"]
    assert start["status"] == "ran to t = 8 s"
    assert len(start["t"]) == len(start["q"]) == len(start["qd"]) > 0
    for q, qd in zip(start["q"], start["qd"], strict=True):
        assert q[1] == pytest.approx(math.radians(10.0), abs=1e-8)
        assert qd[1] > 0.0


# ----------------------------------------------------------------------------------- wrong words

ONE = {
    ("--torque", "4 kg"): "--torque.1: got '4 kg', need a torque",
    ("--torque", "nan"): "--torque.1: got 'nan', need a finite number",
    ("--torque", "1 N*m, 2 N*m"): "--torque: got 2 torques, need 1, one a joint",
    ("--start", "0 rad"): "--start: got 1 value, need an angle and a speed; such as",
    ("--start", "3 rad/s, 0 rad"): "got '3 rad/s', need an angle",
    ("--start", "0 rad, up"): "--start: unknown name 'up'",
    ("--angle-range", "1 rad, -1 rad"): "need the smaller value first",
    ("--angle-range", "1 rad, 1 rad"): "need the smaller value first",
    (
        "--angle-range",
        "180 deg",
    ): '--angle-range: got 1 value, need two; such as "-180 deg, 180 deg"',
    ("--speed-range", "1 rad, 2 rad"): "--speed-range.1: got '1 rad', need a speed",
    ("--max-torque", "0 N*m"): "--max-torque: got 0.0, need a number above 0 [N·m]",
    ("--duration", "-3 s"): "--duration: got -3.0, need a number above 0 [s]",
    ("--basins", "-3"): "--basins: got -3, need a whole number from 0 to 4,000",
    ("--duration", "1e9 s"): "--duration: got 1e+09 s, need at most",
    ("--angle-range", "0 rad, 10000 rad"): "--angle-range: got 1592 turns, need at most 20",
    ("--section-joint", "1"): "--section-joint: got one joint, need several joints",
    ("--section-angle", "7 kg"): "--section-angle: got one joint, need several joints",
    ("--set-point", "1 rad"): "--set-point: got no --controller, need one",
    ("--rate", "x"): "--rate: got no --controller, need one",
    ("--out", "a.gif"): "--out: got 'a.gif', need a name that ends in .png, .svg, .pdf",
    ("--html", "a.png"): "--html: got 'a.png', need a name that ends in .html",
    ("--controller", "PD(kp=20"): "--controller: '(' was never closed",
    ("--controller", "PID(20, 2, 4)"): "need one that remembers nothing",
    ("--controller", "PD(20, 2)", "--torque", "4 N*m"): "leave one of them out",
}
MANY = {
    (): "--start: got nothing, need 2 angles, then 2 speeds; such as",
    ("--start", "1 rad"): "--start: got 1 value, need 2 angles, then 2 speeds",
    ("--basins", "9"): "--basins: got an arm with 2 joints, need one joint",
    ("--energy",): "--energy: got an arm with 2 joints, need one joint",
    ("--html", "a.html"): "--html: got an arm with 2 joints, need one joint",
    (*TWO[1:], "--section-joint", "3"): "--section-joint: got 3, need a whole number from 1 to 2",
    (*TWO[1:], "--section-angle", "1 kg"): "--section-angle: got '1 kg', need an angle",
    (*TWO[1:3], "--duration", "-1 s"): "--duration: got -1.0, need a number of seconds, at least 0",
}


@pytest.mark.parametrize(("words", "sentence"), ONE.items(), ids=map(" ".join, ONE))
def test_a_wrong_word_gets_a_sentence(ask, tmp_path, words, sentence):
    code, out, err = ask("bechard-1", *words)
    assert (code, out) == (2, "")
    assert sentence in one_line(err)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("words", "sentence"), MANY.items(), ids=map(" ".join, MANY))
def test_a_wrong_word_about_more_joints_gets_a_sentence(ask, tmp_path, words, sentence):
    code, out, err = ask("ductri", *words)
    assert (code, out) == (2, "")
    assert sentence in one_line(err)
    assert not list(tmp_path.iterdir())


def test_more_joints_than_a_page_has_room_for_are_refused_before_the_run(ask, tmp_path):
    (tmp_path / "long.toml").write_text(
        "format = 1\n" + 13 * '[[link]]\nlength = "10 cm"\nmass = "100 g"\n'
    )
    code, out, err = ask("long.toml", "--start", ", ".join(["0 rad"] * 13 + ["0 rad/s"] * 13))
    assert (code, out) == (2, "")
    assert "ARM: got 13 joints, need at most 12" in one_line(err)


def test_with_hardly_any_friction_critical_speeds_are_not_listed(ask, tmp_path):
    (tmp_path / "slippery.toml").write_text(
        'format = 1\n[[link]]\nlength = "1 m"\nmass = "1 kg"\njoint = { damping = 0.001 }\n'
    )
    code, out, err = ask("slippery.toml")
    assert code == 0
    assert "too many critical speeds" in one_line(err)
    assert "stable focus" in out


DRY = """format = 1
[[link]]
length = "1 m"
mass = "0 kg"
tip_mass = "1 kg"
joint = { friction = { coulomb = "1 N*m", static = "2 N*m" } }
"""


def test_friction_of_a_robot_file_is_told_by_what_it_holds(ask, tmp_path, unpainted):
    (tmp_path / "dry.toml").write_text(DRY)
    code, out, err = ask("dry.toml", *NARROW, "--start", "80 deg, 0 rad/s")
    assert (code, err) == (0, "")
    text = one_line(out)
    assert re.search(r"stable\s+-101\.76\s+-78\.236\s+the centre at -90 deg", text)
    assert re.search(r"unstable\s+78\.236\s+101\.76\s+the saddle at 90 deg", text)
    assert "above 11.81 N·m it runs from wherever it stands" in text
    assert "above 1 N·m it keeps running" in text
    assert "1.39626 rad, 0 rad/s: sticks at 1.365 to 1.776 rad" in text
    assert "left out" not in text


def test_the_sticking_set_is_in_the_json(facts, tmp_path):
    (tmp_path / "dry.toml").write_text(DRY)
    told = facts("dry.toml", *NARROW, "--torque", "3 N*m")["sticking"]
    assert [one["kind"] for one in told] == ["stable", "unstable"]
    for one in told:
        for angle in (one["lower"], one["upper"]):
            assert abs(3.0 - 9.81 * math.cos(angle)) == pytest.approx(2.0, abs=1e-3)
        (held,) = one["holds"]
        assert one["lower"] < held["angle"] < one["upper"]


def test_it_says_which_critical_speeds_it_has_not_looked_for(ask):
    _, out, _ = ask("bechard-1", "--torque", "4 N*m", "--speed-range", "-30 rad/s, 30 rad/s")
    assert "those between -15.7 and 15.7 rad/s are listed" in one_line(out)
    _, out, _ = ask("bechard-1", "--speed-range", "20 rad/s, 30 rad/s", "--out", "other.png")
    assert "none listed; critical_speeds in Python has all" in one_line(out)


def test_one_fate_for_all_is_told(ask):
    _, out, _ = ask("bechard-1", "--torque", "12 N*m")
    assert "from 0 rad at all speeds: runs on" in one_line(out)
    assert "equilibria none" in one_line(out)
    _, out, _ = ask("bechard-1", "--no-gravity", "--out", "flat.png")
    assert "every angle is an equilibrium" in one_line(out)


def test_a_torque_beyond_the_limit_is_said_to_be_cut(ask):
    _, out, _ = ask("bechard-1", "--torque", "12 N*m", "--max-torque", "4 N*m")
    assert "driven by 4 N·m, the most it has (12 N·m asked)" in one_line(out)


def test_an_arm_that_nobody_knows_lists_those_that_are(ask):
    code, _, err = ask("nobody")
    assert code == 2
    assert "bechard-1" in err


def test_all_that_is_wrong_for_more_joints_is_told_at_once(ask):
    code, _, err = ask("ductri", "--basins", "5", "--energy", "--set-point", "3 deg")
    assert code == 2
    assert len(err.strip().splitlines()) == 3


def test_a_stop_while_painting_leaves_no_file(ask, tmp_path, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(ulna.analysis.Portrait, "basins", stop)
    code, _, err = ask(*DRIVEN, *NARROW, "--basins", "5")
    assert code == 130
    assert "stopped" in err
    assert not list(tmp_path.iterdir())
