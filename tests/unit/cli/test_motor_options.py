"""`--motor` of every command that takes it, and what motors hold at rest."""

import json

import numpy as np
import pytest

import ulna

SERVO = "feetech-sts3215-12v"
LEVEL = ("--q", "0")
G = 9.81


@pytest.fixture
def rod(tmp_path):
    """Write the file of one rod of 0.4 m and 1 kg: 1.962 N·m hold it out level."""
    ulna.save(ulna.Arm.rods([0.4], [1.0], name="rod"), tmp_path / "rod.toml")
    return "rod.toml"


def test_a_motor_holds_what_it_gives_at_rest(ask, rod):
    code, out, _ = ask("hold", rod, *LEVEL, "--motor", SERVO, "--json")
    assert code == 0
    facts = json.loads(out)
    assert facts["holds"] is True
    assert facts["motors"]["name"] == [SERVO]
    assert (
        facts["max_torque"] == facts["motors"]["torque_at_rest"] == [ulna.motor(SERVO).stall_torque]
    )
    # What is left of 30 kg·cm, at a lever of 40 cm.
    left = (ulna.motor(SERVO).stall_torque - 0.2 * G) / (0.4 * G)
    assert facts["payload_margin"] == pytest.approx(left)


def test_a_motor_that_is_too_weak_ends_with_5(ask, rod):
    code, out, err = ask("hold", rod, *LEVEL, "--motor", "tower-pro-mg996r")
    assert code == 5
    assert "tower-pro-mg996r" in out
    assert "joint 1 needs 1.962 N·m and its motor tower-pro-mg996r gives 1.07873 N·m" in err


def test_the_limit_of_a_joint_binds_its_motor(ask, tmp_path):
    joint = ulna.Joint(max_torque=1.0, motor=SERVO)
    ulna.save(ulna.Arm.rods([0.4], [1.0], joints=[joint]), tmp_path / "rod.toml")
    code, _, err = ask("hold", "rod.toml", *LEVEL)
    assert code == 5
    assert "joint 1 needs 1.962 N·m and gives 1 N·m" in err


def test_a_gear_behind_a_motor_multiplies_its_torque(ask, tmp_path):
    joint = ulna.Joint(gear_ratio=-2.0, motor="tower-pro-mg996r")
    ulna.save(ulna.Arm.rods([0.4], [1.0], joints=[joint]), tmp_path / "rod.toml")
    code, out, _ = ask("hold", "rod.toml", *LEVEL, "--json")
    assert code == 0
    assert json.loads(out)["max_torque"] == pytest.approx([2 * 11.0 * 0.0980665])


def test_a_winding_that_gets_too_hot_is_told_of(ask, tmp_path):
    # 100 K over 10 K/W let 10 W flow off: 2 A through 2.5 Ω, of 4.8 A at stall.
    heat = ulna.WindingHeat(10.0, 5.0, max_temperature=125.0, copper_coefficient=0.0)
    motor = ulna.Motor(12.0, 2.5, 0.02, gear_ratio=40.0, efficiency=0.75, heat=heat, name="hot")
    arm = ulna.Arm.rods([0.4], [1.0], joints=[ulna.Joint(motor=motor)])
    ulna.save(arm, tmp_path / "rod.toml")
    code, out, err = ask("hold", "rod.toml", *LEVEL)
    assert (code, err) == (0, "")
    told = " ".join(out.split())
    assert "but not for ever: joint 1 takes 1.962 N·m, and hot gives 1.6 N·m without" in told
    facts = json.loads(ask("hold", "rod.toml", *LEVEL, "--json")[1])["motors"]
    assert facts["torque_at_rest"] == pytest.approx([4.8 * 0.02 * 40 * 0.75])
    assert facts["torque_for_ever"] == pytest.approx([2.0 * 0.02 * 40])
    assert "not for ever" not in ask("hold", "rod.toml", "--q", "60 deg")[1]


def test_a_pose_is_held_for_ever_where_a_long_run_stays_below_the_highest_temperature(ask):
    # A gear at rest loses nothing: the torque of the pose, and no more, heats the winding.
    heat = ulna.WindingHeat(8.0, 30.0, max_temperature=100.0)
    motor = ulna.Motor(12.0, 2.0, 0.02, gear_ratio=50.0, efficiency=0.7, heat=heat)
    arm = ulna.Arm.rods([0.4], [0.85], joints=[ulna.Joint(motor=motor)])
    ulna.save(arm, "rod.toml")
    controller = ulna.control.GravityPD()
    run = ulna.simulate(
        arm, q0=[0.0], controller=controller, reference=[0.0], duration=3000.0, dt=0.1, rate=10.0
    )
    assert 75.0 < run.temperature[-1, 0] < 90.0
    assert "not for ever" not in ask("hold", "rod.toml", "--q", "0 deg")[1]


def test_check_shows_motors_and_what_they_hold(ask, rod):
    code, out, err = ask("check", rod, "--motor", SERVO)
    assert (code, err) == (0, "")
    table = out.partition("motors, at the joints")[2]
    assert ["1", SERVO, "position", "345", "2.942", "45"] in [x.split() for x in table.splitlines()]
    assert "the motors hold the arm stretched out level with up to 0.2497 kg more" in out
    code, out, _ = ask("check", rod, "--motor", "tower-pro-sg90")
    assert code == 0
    told = " ".join(out.split())
    assert "the motors do not hold the arm stretched out level: joint 1 needs 1.962 N·m" in told
    assert "motors" not in ask("check", rod)[1]
    assert "motors" not in json.loads(ask("check", rod, "--json")[1])


@pytest.mark.parametrize(
    "names",
    [
        ["--motor", SERVO],
        ["--motor", SERVO, "--motor", SERVO],
        ["--motor", f"{SERVO},{SERVO}"],
        ["--motor", f"{SERVO}, {SERVO}"],
    ],
)
def test_one_motor_for_all_joints_or_one_each(ask, names):
    code, out, _ = ask("check", "kehl", *names, "--json")
    assert code == 0
    assert json.loads(out)["motors"]["name"] == [SERVO, SERVO]


def test_an_ideal_motor_takes_one_away(ask, tmp_path):
    ulna.save(ulna.preset("kehl").with_motors(SERVO), tmp_path / "arm.toml")
    assert ask("hold", "arm.toml", "--q", "0, 0")[0] == 5
    code, out, _ = ask("hold", "arm.toml", "--q", "0, 0", "--motor", "ideal")
    assert code == 0
    assert SERVO not in out
    mixed = json.loads(ask("check", "kehl", "--motor", f"ideal,{SERVO}", "--json")[1])
    assert mixed["motors"]["kind"] == ["ideal", "servo"]


COMMANDS = {
    "check": ["check", "kehl"],
    "hold": ["hold", "kehl", "--q", "0, 0"],
    "simulate": ["simulate", "kehl", "--q0", "0, 0", "--duration", "0.01 s"],
    "plan": ["plan", "kehl"],
    "follow": ["follow", "kehl"],
}


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize(
    ("motors", "told"),
    [
        (["sts3215-12v"], f"did you mean '{SERVO}'?"),
        ([""], "known: "),
        ([SERVO] * 3, "got 3 names, need one for all joints, or one each: 2 names"),
    ],
    ids=["misspelt", "empty", "three"],
)
def test_wrong_motors_are_refused_before_anything_is_done(ask, tmp_path, name, motors, told):
    words = [word for motor in motors for word in ("--motor", motor)]
    code, out, err = ask(*COMMANDS[name], *words)
    assert (code, out) == (2, "")
    assert err.startswith("--motor: got ")
    assert told in err
    assert list(tmp_path.iterdir()) == []


def test_a_run_keeps_its_motors_and_show_names_them(ask, tmp_path):
    words = ["simulate", "so-101", "--motor", SERVO, "--q0", "0, 0, 0", "--duration", "0.02 s"]
    code, _, err = ask(*words, "--out", "run.nc")
    assert code == 0, err
    run = ulna.open_run(tmp_path / "run.nc")
    assert [joint.motor.name for joint in run.arm.joints] == [SERVO] * 3
    assert np.isfinite(run.q).all()
    assert f"{SERVO} in every joint" in " ".join(ask("show", "run.nc")[1].split())


def test_list_motors_tells_data_sheets_from_estimates(ask):
    code, out, _ = ask("list", "motors")
    assert code == 0
    assert ["dynamixel-ax-12a", "position", "12", "1.5", "15.3", "59", "1.5", "254", "54.6"] in [
        line.split() for line in out.splitlines()
    ]
    listed = {one["name"]: one for one in json.loads(ask("list", "motors", "--json")[1])["motors"]}
    servo = listed[SERVO]
    assert servo["motor"]["stiffness"] == ulna.motor(SERVO).stiffness
    assert any(text.startswith("stiffness: ") for text in servo["estimated"])
    assert listed["tower-pro-sg90"]["gear_ratio"] is None
