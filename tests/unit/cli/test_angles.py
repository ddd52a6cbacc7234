"""`--angles absolute`: the same arm, typed and printed in angles from the x axis."""

import math
from pathlib import Path

import numpy as np
import pytest

import ulna

# The same posture of two links, from the link before and from the x axis.
RELATIVE, ABSOLUTE = "40 deg, -60 deg", "40 deg, -20 deg"
ANGLES = ["--angles", "absolute"]


@pytest.mark.parametrize("command", ["pose", "hold"])
def test_a_posture_is_the_same_in_both(facts, command):
    plain = facts(command, "kehl", "--q", RELATIVE)
    told = facts(command, "kehl", "--q", ABSOLUTE, *ANGLES)
    assert told.pop("angles") == "absolute"
    assert told.pop("phi") == pytest.approx(np.radians([40.0, -20.0]))
    for name, value in plain.items():
        if name in ("q", "torque", "joints"):
            assert np.asarray(told[name]) == pytest.approx(np.asarray(value), abs=1e-12)
    assert "phi" not in plain


def test_tables_say_which_angles_they_hold(ask):
    _, out, _ = ask("pose", "kehl", "--q", ABSOLUTE, *ANGLES)
    assert out.startswith("kehl: pose, angles from the x axis\n")
    assert "φ [°], from x axis   q [°], from link before" in out
    row = next(line.split() for line in out.splitlines() if line.split()[:1] == ["2"])
    assert row[1:3] == ["-20.0000", "-60.0000"]
    _, out, _ = ask("hold", "kehl", "--q", ABSOLUTE, *ANGLES)
    assert out.startswith("kehl: torques that hold the pose, angles from the x axis\n")
    assert "φ [°]" in out
    assert "q [°]" not in out
    assert "φ" not in ask("hold", "kehl", "--q", RELATIVE)[1]


@pytest.mark.parametrize("command", ["pose", "hold"])
def test_an_explanation_shows_where_joint_angles_come_from(ask, command):
    _, out, _ = ask(command, "kehl", "--q", ABSOLUTE, *ANGLES, "--explain")
    assert "q_2 = phi_2 - phi_1 = -20.0000° - 40.0000° = -60.0000°" in out
    assert "phi_2 - phi_1" not in ask(command, "kehl", "--q", RELATIVE, "--explain")[1]


def test_reach_gives_link_angles(ask, facts):
    # A unit square's corner: one link up, the other to the right, and the other way round.
    words = ["reach", "unit", "--to", "1, 1", *ANGLES]
    found = {one["elbow"]: one for one in facts(*words)["solutions"]}
    assert np.degrees(found["up"]["phi"]) == pytest.approx([90.0, 0.0], abs=1e-9)
    assert np.degrees(found["up"]["q"]) == pytest.approx([90.0, -90.0], abs=1e-9)
    assert np.degrees(found["down"]["phi"]) == pytest.approx([0.0, 90.0], abs=1e-9)
    _, out, _ = ask(*words)
    assert "φ_1 [°]" in out
    assert ", angles from the x axis\n" in out
    code, _, err = ask("reach", "unit", "--to", "0, 3", *ANGLES)
    assert code == 5
    assert "with links from the x axis at 90.00 deg, 90.00 deg" in err


def test_a_run_starts_and_ends_where_it_does(ask, facts):
    start = ["--duration", "0.1 s", "--no-gravity"]
    plain = facts("simulate", "unit", "--q0", RELATIVE, "--qd0", "1, -3", *start)
    words = ["simulate", "unit", "--q0", ABSOLUTE, "--qd0", "1, -2", *start, *ANGLES]
    told = facts(*words)
    assert told["q"] == pytest.approx(plain["q"], abs=1e-12)
    assert told["phi_start"] == pytest.approx(np.radians([40.0, -20.0]))
    assert told["phi"] == pytest.approx(np.cumsum(plain["q"]), abs=1e-12)
    assert told["phid"] == pytest.approx(np.cumsum(plain["qd"]), abs=1e-12)
    _, out, _ = ask(*words, "--out", "run.nc", "--csv")
    assert "φ start [°]" in out
    # Files hold joint angles, whatever was typed.
    run = ulna.open_run("run.nc")
    assert run.q[0] == pytest.approx(np.radians([40.0, -60.0]))
    _, again, _ = ask("show", "run.nc", *ANGLES)
    assert "φ end [°]" in again
    assert "angles 0.698131701, -0.34906585 rad from the x axis, speeds 1, -2 rad/s" in again
    assert "angles 0.698131701, -1.04719755 rad, speeds" in ask("show", "run.nc")[1]


def test_limits_are_told_of_the_joint_that_has_them(ask):
    # The second joint of this arm turns from -170.65 to 23.01 degrees.
    code, _, err = ask(
        "simulate", "so-101", "--q0", "0, 90 deg, 90 deg", "--duration", "1 s", *ANGLES
    )
    assert code == 2
    assert "--q0, joint 2: got 1.5708 rad from the link before, need an angle from" in err


@pytest.mark.usefixtures("unpainted")
def test_postures_along_a_path_are_links_angles(facts):
    path = "joints([('30 deg', 0), ('40 deg', '50 deg')])"
    words = ["plan", "kehl", path, "--timing", "quintic", "--duration", "1 s"]
    told = facts(*words, *ANGLES)
    assert np.degrees(told["phi_start"]) == pytest.approx([30.0, 0.0])
    assert np.degrees(told["phi_end"]) == pytest.approx([40.0, 50.0])
    table = Path("plan/plan.csv").read_text("utf-8").splitlines()
    names, first = (line.split(",") for line in table[:2])
    assert names[1:3] == ["q1 [rad]", "q2 [rad]"]
    assert [float(cell) for cell in first[1:3]] == pytest.approx(np.radians([30.0, -30.0]))


@pytest.mark.usefixtures("unpainted")
def test_a_plan_says_in_which_postures_it_begins_and_ends(ask):
    words = ["plan", "unit", "joints([(0, 0), (0, '90 deg')])", "--duration", "1 s"]
    _, out, _ = ask(*words)
    told = "from q = (0.00, 0.00)° to q = (0.00, 90.00)°; q is measured from the link before"
    assert told in " ".join(out.split())
    _, out, _ = ask(*words, *ANGLES, "--out", "other")
    flat = " ".join(out.split())
    assert "from φ = (0.00, 0.00)° to φ = (0.00, 90.00)°; φ is measured from the x axis" in flat
    assert "its angles from the link before, 1 s" in flat


def test_limits_of_joints_leave_ranges_to_links(facts, ask):
    told = facts("check", "so-101", *ANGLES)
    limits = ulna.preset("so-101").parameters
    assert told["phi_upper"] == pytest.approx(np.cumsum(limits.upper))
    assert told["phi_lower"] == pytest.approx(np.cumsum(limits.lower))
    _, out, _ = ask("check", "so-101", *ANGLES)
    assert "q is measured from the link before, φ from the x axis; limits are those of q" in out


def test_a_section_starts_from_links_angles(facts):
    words = ["portrait", "unit", "--duration", "0.5 s", "--section-angle", "-80 deg"]
    plain = facts(*words, "--start", "-60 deg, 30 deg, 0, 1 rad/s", "--out", "a.svg")
    told = facts(*words, "--start", "-60 deg, -30 deg, 0, 1 rad/s", *ANGLES, "--out", "b.svg")
    (before,), (after,) = plain["crossings"], told["crossings"]
    assert after["q"] == pytest.approx(np.array(before["q"]), abs=1e-9)
    assert np.array(after["phi"]).shape == np.array(after["q"]).shape


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["pose", "kehl", "--q", "0, 0", "--angles", "absolut"], "did you mean 'absolute'?"),
        (["hold", "kehl", "--q", "0, 0", "--angles", "degrees"], "--angles: got 'degrees', need"),
        (
            ["simulate", "kehl", "--q0", "0, 0", "--duration", "1", "--angles", ""],
            "--angles: got ''",
        ),
        (["reach", "kehl", "--to", "1, 0", "--angles", "ABSOLUTE"], "did you mean 'absolute'?"),
        (["check", "kehl", "--angles", "x"], "or absolute, each from the x axis"),
        (["show", "run.nc", "--angles", "x"], "--angles: got 'x'"),
        (["plan", "--angles", "0 deg, 1 deg"], "--angles: got '0 deg, 1 deg'"),
        (["follow", "--angles", "rel"], "--angles: got 'rel'"),
        (["portrait", "unit", "--angles", "absolut"], "or absolute, each from the x axis"),
        (
            ["portrait", "unit", "--start", "0,0,0,0", *ANGLES, "--section-joint", "2"],
            "--section-joint: got joint 2 with --angles absolute, need joint 1",
        ),
    ],
)
def test_wrong_words_get_a_sentence(ask, words, says):
    code, out, err = ask(*words)
    assert (code, out) == (2, "")
    assert says in err


def test_one_joint_is_the_same_either_way(facts):
    told = facts("hold", "bechard-1", "--q", "30 deg", *ANGLES)
    assert told["phi"] == told["q"] == pytest.approx([math.pi / 6])
