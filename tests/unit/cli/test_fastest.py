"""`--fastest` of `ulna plan` and `ulna follow`: minimum time, what limits it, and a reserve."""

import math

import pytest

import ulna

LINE = "line((0.6, 0.1), (0.2, 0.3))"
CIRCLE = "circle(center=(0.5, 0.1), radius='10 cm')"


@pytest.fixture
def ask(run_in, tmp_path, unpainted):
    """Run a command beside an arm with torque limits, and leave out the pictures."""
    joints = [ulna.Joint(max_torque=16.0, damping=0.3), ulna.Joint(max_torque=5.0, damping=0.1)]
    ulna.save(ulna.Arm.rods([0.5, 0.4], [1.0, 0.8], joints=joints), tmp_path / "desk.toml")
    return lambda *words: run_in(tmp_path, *words)


def test_a_tip_that_arrives_moving_takes_the_textbooks_time(ask):
    # 0.4 m at 1 m/s² from rest to 0.4 m/s, the least time of speeding up and braking:
    # v²/2a + (v² - w²)/2a = d.
    words = ("plan", "kehl", "line((0.4, -0.2), (0.4, 0.2))", "--timing", "fastest")
    limits = ("--max-acceleration", "1 m/s^2", "--end-speeds", "0, 40 cm/s")
    top = math.sqrt(0.4 + 0.5 * 0.4**2)
    assert ask(*words, *limits, "--json").json["duration"] == pytest.approx(
        2.0 * top - 0.4, rel=1e-4
    )


def test_what_limits_the_motion_is_printed(ask):
    done = ask("plan", "desk.toml", LINE, "--fastest")
    assert done.code == 0, done.err
    (first, *_), found = done.facts("plan")["limiting"], done.flat
    assert first["limit"] == "torque"
    assert f"limited by the torque of joint {first['joint']} " in found
    assert f"{first['share']:.1%} of the time; 10 % more would save" in found
    assert "limits all angles, speeds and torques are within the joints' limits" in found


def test_a_reserve_keeps_the_loop_off_the_torque_limits(ask):
    words = ("follow", "desk.toml", LINE, "--fastest")
    bare = ask(*words, "--out", "bare", "--json").json
    careful = ask(*words, "--reserve", "20 %", "--json")
    assert careful.code == 0, careful.err
    kept = careful.json
    assert kept["duration"] > bare["duration"]
    assert kept["torque"]["peak"] == pytest.approx([12.8, 4.0], rel=1e-3)
    assert {one["joint"] for one in bare["verdict"]["saturation"]} == {1, 2}
    assert kept["verdict"]["saturation"] == []
    assert kept["verdict"]["follows"]
    assert max(a / b for a, b in zip(kept["torque"]["run_peak"], (16.0, 5.0), strict=True)) < 1.0


def test_an_arm_that_meets_its_limits_is_told_so_and_what_to_do(ask):
    done = ask("follow", "desk.toml", LINE, "--fastest", "--tolerance", "0.1 mm")
    assert done.code == 3
    assert done.out.startswith("does not follow: torque limits were met (joint 1")
    assert "give feedback more of the torques with --reserve" in done.err
    assert "--duration" not in done.err
    assert "--reserve leaves torque to feedback" in done.flat
    assert "limited by the torque of joint 1" in done.flat


def test_smoothing_costs_its_window_and_is_told(ask):
    # Averaged over a window, a motion from rest to rest takes as much longer.
    path = "joints([(0, 0), ('90 deg', 0)])"
    words = ("plan", "kehl", path, "--max-joint-acceleration", "180 deg/s^2", "--fastest")
    told = ask(*words, "--smoothing", "100 ms", "--json").json
    assert told["duration"] == pytest.approx(2.0 * math.sqrt(0.5) + 0.1, rel=1e-4)
    assert "smoothing" in {one["limit"] for one in told["limiting"]}


def test_a_reserve_of_nothing_is_noted(ask):
    done = ask(
        "plan", "kehl", LINE, "--fastest", "--reserve", "0.2", "--max-acceleration", "2 m/s^2"
    )
    assert done.code == 0
    assert "--reserve leaves nothing: no joint has a limit of torque" in done.err


@pytest.mark.parametrize("command", ["plan", "follow"])
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--fastest", "--timing", "cubic"), "--fastest: got --timing cubic as well, need one of"),
        (("--fastest", "--duration", "4 s"), "--duration: got '4 s', need none with --fastest"),
        (("--fastest", "--fastest=yes"), "--fastest"),
        (("--reserve", "20%"), "--reserve: got '20%', need --fastest with it"),
        (("--fastest", "--reserve", "20"), "did you mean '20 %'?"),
        (("--fastest", "--reserve", "100 %"), "--reserve: got '100 %', need a part from 0 to"),
        (("--fastest", "--reserve", "-5%"), "--reserve: got '-5%', need a part from 0 to"),
        (("--fastest", "--reserve", "2 N"), "--reserve: got '2 N', need a number"),
        (("--fastest", "--end-speeds", "1 m/s"), "--end-speeds: got '1 m/s', need two speeds"),
        (("--fastest", "--end-speeds", "1, 2 N"), "--end-speeds.2: got '2 N', need a velocity"),
        (("--fastest", "--end-speeds", "-1, 0 m/s"), "--end-speeds: got '-1, 0 m/s', need two"),
        (("--end-speeds", "1, 0 m/s"), "--end-speeds: got '1, 0 m/s', need --fastest with it"),
        (("--fastest", "--max-joint-acceleration", "1 m/s^2"), "need an angular acceleration"),
        (("--fastest", "--max-joint-acceleration", "0"), "need above 0 rad/s²"),
        (("--fastest", "--max-joint-acceleration", "1, 2, 3"), "got 3 accelerations, need 2, one"),
        (("--max-joint-acceleration", "1"), "need --fastest with it"),
        (("--smoothing", "50 ms"), "--smoothing: got '50 ms', need --fastest with it"),
        (("--fastest", "--smoothing", "0 s"), "--smoothing: got '0 s', need a number above 0"),
        (("--fastest", "--smoothing", "5 cm"), "--smoothing: got '5 cm', need a time"),
        (("--fastest", "--smoothing", "1 s", "--end-speeds", "1, 0 m/s"), "from rest to rest"),
    ],
)
def test_what_does_not_go_together_is_refused(ask, command, words, says):
    done = ask(command, "desk.toml", CIRCLE, *words)
    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert not (done.place / command).exists()


def test_no_limit_at_all_is_no_minimum_time(ask):
    done = ask("plan", "kehl", CIRCLE, "--fastest")
    assert (done.code, done.out) == (2, "")
    assert "--fastest: got 'fastest' without any limit" in done.err
    assert "--max-acceleration or --max-joint-acceleration" in done.err
    done = ask("plan", "kehl", CIRCLE, "--fastest", "--max-speed", "20 cm/s")
    assert (done.code, done.out) == (2, "")
    assert (
        "--fastest: got 'fastest' with limits of speed only, need one of acceleration" in done.err
    )


def test_end_speeds_of_joints_are_angular(ask):
    path = "joints([(0, 0), ('90 deg', 0)])"
    refused = ask("plan", "desk.toml", path, "--fastest", "--end-speeds", "0, 1 m/s")
    assert refused.code == 2
    assert "--end-speeds.2: got '1 m/s', need a speed such as '120 rpm'" in refused.err
