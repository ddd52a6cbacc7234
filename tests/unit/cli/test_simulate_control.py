"""`ulna simulate` with a controller: as in Python, and what wrong words get."""

import re

import numpy as np
import pytest

import ulna
from ulna.control import PD, ComputedTorque
from ulna.scenario import disturbances

HOLD = ["simulate", "unit", "--q0", "0, 0", "--duration", "0.2 s", "--no-gravity"]
PD_LOOP = ["--controller", "PD(kp=60, kd=(25, 12))", "--reference", "0.2, -0.1"]


def unit():
    return ulna.preset("unit").replace(gravity=(0.0, 0.0))


def test_it_is_pythons_run(facts):
    told = facts(
        *HOLD,
        *PD_LOOP,
        "--rate",
        "500 Hz",
        "--sensors",
        "Sensors(angle_noise='0.1 deg', rate_resolution=(0.01, '1 deg/s'), delay='4 ms', seed=3)",
        "--disturbance",
        "pulse(force=('0 N', '-20 N'), at='50 ms', lasting=0.05)",
        "--disturbance",
        "noise(torque=(0.3, 0.1), rate='200 Hz', seed=7)",
    )
    run = ulna.simulate(
        unit(),
        q0=[0.0, 0.0],
        duration=0.2,
        controller=PD(60.0, (25.0, 12.0)),
        reference=[0.2, -0.1],
        rate=500.0,
        sensors=ulna.Sensors(
            angle_noise=np.radians(0.1),
            rate_resolution=(0.01, np.radians(1.0)),
            delay=0.004,
            seed=3,
        ),
        disturbances=[
            disturbances.pulse(force=[0.0, -20.0], at=0.05, lasting=0.05),
            disturbances.noise([0.3, 0.1], rate=200.0, seed=7),
        ],
    )
    assert told["q"] == run.q[-1].tolist()
    assert told["scenario"]["rate"] == 500.0
    assert len(told["scenario"]["disturbances"]) == 2


def test_a_path_is_planned_and_followed_from_its_start(ask, facts):
    circle = "circle(center=(1.2, 0.3), radius='5 cm')"
    words = ["simulate", "unit", "--controller", "ComputedTorque(natural_frequency=20)"]
    told = facts(*words, "--reference", circle)
    plan = ulna.plan(ulna.preset("unit"), ulna.paths.circle((1.2, 0.3), 0.05))
    assert told["t"] == pytest.approx(plan.duration)
    assert told["start"] == pytest.approx(plan.q[0])
    # A circle ends where it begins.
    assert [told["tip"][axis] for axis in "xy"] == pytest.approx([1.25, 0.3], abs=1e-4)
    code, out, _ = ask(*words, "--reference", circle, "--out", "run.nc")
    assert code == 0
    off = re.search(r"no joint was more than ([\d.e-]+)° off its reference; ([\d.e-]+)° at", out)
    run = ulna.open_run("run.nc")
    gap = np.degrees(np.abs(run.q - plan.trajectory(run.t).q)).max(axis=-1)
    assert float(off[1]) == pytest.approx(gap.max(), rel=0.01)
    assert float(off[2]) == pytest.approx(gap[-1], rel=0.01)
    _, out, _ = ask("show", "run.nc")
    assert "ComputedTorque(natural_frequency=20.0" in out
    row = next(line for line in out.splitlines() if line.split()[:1] == ["reference"])
    assert "circle(center=(1.2, 0.3), radius=0.05" in row


@pytest.mark.usefixtures("unpainted")
def test_a_plan_file_is_followed(ask, facts):
    path = "joints([(0.1, 0.2), (0.5, -0.3)])"
    words = ["unit", path, "--timing", "quintic", "--duration", "0.5 s"]
    assert ask("plan", *words)[0] == 0
    loop = ["simulate", "unit", "--controller", "ComputedTorque()"]
    told = facts(*loop, "--reference", "plan/plan.csv")
    assert told["t"] == pytest.approx(0.5)
    assert told["start"] == pytest.approx([0.1, 0.2])
    assert told["q"] == pytest.approx([0.5, -0.3], abs=1e-4)
    # Files are relative, whatever is typed.
    again = facts(*loop, "--reference", "plan/plan.csv", "--angles", "absolute")
    assert again["q"] == told["q"]
    half = facts(*loop, "--reference", "plan/plan.csv", "--duration", "0.25 s")
    assert half["q"] == pytest.approx([0.3, -0.05], abs=1e-3)  # half way, by symmetry


def test_a_posture_can_be_given_from_the_x_axis(facts):
    plain = facts(*HOLD, *PD_LOOP)
    words = ["--controller", PD_LOOP[1], "--reference", "0.2, 0.1", "--angles", "absolute"]
    assert facts(*HOLD, *words)["q"] == pytest.approx(plain["q"], abs=1e-12)


def test_disturbances_need_no_controller(facts):
    # A step of 3 N·m on a joint of inertia 3 turns it by t²/2.
    ulna.save(ulna.Arm.rods([3.0], [1.0]), "rod.toml")
    words = ["simulate", "rod.toml", "--q0", "0", "--duration", "1 s", "--no-gravity"]
    told = facts(*words, "--disturbance", "step(torque='3 N*m')")
    assert told["q"] == pytest.approx([0.5], rel=1e-9)
    late = facts(*words, "--disturbance", "step(torque=3, at='500 ms')")
    assert late["q"] == pytest.approx([0.125], rel=1e-9)


def test_what_a_controller_sees_is_shown(ask):
    sensors = ["--sensors", "Sensors(angle_noise=0.001, delay=0.002)"]
    assert ask(*HOLD, *PD_LOOP, *sensors, "--out", "run.nc")[0] == 0
    _, out, _ = ask("show", "run.nc")
    rows = {
        line.split()[0]: " ".join(line.split()[1:]) for line in out.splitlines() if line.strip()
    }
    assert rows["sensors"] == "angle noise 0.001 rad, delay 0.002 s"
    assert rows["reference"] == "angles 0.2, -0.1 rad"


@pytest.mark.parametrize("what", ["sensors", "disturbances"])
def test_what_can_be_asked_for_is_listed(ask, facts, what):
    names = {one["name"] for one in facts("list", what)[what]}
    disturbing = {"step", "pulse", "noise", "sine", "chirp", "formula"}
    assert names == ({"Sensors"} if what == "sensors" else disturbing)
    code, out, _ = ask("list", what)
    assert code == 0
    assert "in SI unless a unit is given" in out


LOOP = ["--controller", "PD()"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        # a controller
        ([*LOOP], "--controller: got 'PD()' and no --reference, need what it is to follow"),
        (["--controller", "PDD()", "--reference", "0, 0"], "did you mean 'PD'?"),
        (
            ["--controller", "3", "--reference", "0, 0"],
            'such as "ComputedTorque(natural_frequency=20)"',
        ),
        (["--controller", "PD(kp=-1, kd=1)", "--reference", "0, 0"], "--controller"),
        # a reference
        (["--reference", "0, 0"], "--reference: got '0, 0' and no --controller"),
        ([*LOOP, "--reference", "home"], "need a posture such as"),
        ([*LOOP, "--reference", "0"], "--reference: got 1 angle, need 2, one a joint"),
        ([*LOOP, "--reference", "cirle(radius=1)"], "did you mean 'circle'?"),
        ([*LOOP, "--reference", "run.nc"], "--reference: got 'run.nc', need a file that ends in"),
        ([*LOOP, "--reference", ""], "--reference: got '', need a posture"),
        # sensors
        (["--sensors", "Sensors()"], "--sensors: got 'Sensors()' and no --controller"),
        ([*PD_LOOP, "--sensors", "Sensor()"], "did you mean 'Sensors'?"),
        ([*PD_LOOP, "--sensors", "Sensors(delay='2 m')"], "'m' is a unit of length"),
        (
            [*PD_LOOP, "--sensors", "Sensors(delay=10000)"],
            "choose a shorter delay, or a lower --rate",
        ),
        ([*PD_LOOP, "--sensors", "Sensors(angle_noise=(1, 2, 3))"], "or 2, one a joint"),
        # disturbances
        (["--disturbance", "push(force=(0, 1))"], "need one of step, pulse, noise, sine"),
        (["--disturbance", "pulse(force=(0, 1))"], "'pulse' without at and lasting"),
        (["--disturbance", "step(torque=1)"], "torque: got 1 value, need 2, one a joint"),
        (["--disturbance", "step(force=(1, 2, 3, 4))"], "--disturbance.force: got 4 values"),
        (["--disturbance", "step()"], "need torque= or force="),
        (
            ["--disturbance", "noise(torque=(1, 1), seed=0.5)"],
            "--disturbance.seed: got 0.5, need a whole",
        ),
        # a rate
        (["--rate", "100 Hz"], "--rate: got '100 Hz' and no --controller"),
        ([*PD_LOOP, "--rate", "0"], "--rate: got '0', need a frequency above 0"),
        ([*PD_LOOP, "--rate", "2 s"], "'s' is a unit of time"),
        ([*PD_LOOP, "--rate", "often"], "--rate"),
    ],
)
def test_wrong_words_get_a_sentence(ask, words, says):
    code, out, err = ask(*HOLD, *words)
    assert (code, out) == (2, "")
    assert says in err


def test_a_start_is_needed_where_no_plan_has_one(ask):
    code, _, err = ask("simulate", "unit", *PD_LOOP)
    assert code == 2
    assert '--q0: got nothing, need the angles at the start, 2 of them; such as --q0 "30 deg' in err
    assert "--duration: got nothing" in err
    circle = "circle(center=(1.2, 0.3), radius='5 cm')"
    words = ["simulate", "unit", *LOOP, "--reference", circle, "--qd0", "1, 1"]
    code, _, err = ask(*words)
    assert code == 2
    assert "--qd0: got speeds without angles, need --q0 as well; leave --qd0 out" in err


def test_a_path_out_of_reach_is_exit_5(ask):
    words = ["simulate", "unit", *LOOP, "--reference", "circle(center=(2, 0), radius=0.5)"]
    code, out, err = ask(*words)
    assert (code, out) == (5, "")
    assert "out of reach" in err


@pytest.mark.usefixtures("unpainted")
def test_servos_follow_a_plan_without_a_controller(ask, facts):
    circle = "circle((0.2, 0.1), '4 cm')"
    told = facts("simulate", "so-101", "--reference", circle)
    plan = ulna.plan(ulna.preset("so-101"), ulna.paths.circle((0.2, 0.1), 0.04))
    run = ulna.simulate(plan.arm, reference=plan)
    assert told["q"] == run.q[-1].tolist()
    assert "no joint was more than" in ask("simulate", "so-101", "--reference", circle)[1]
    assert ask("plan", "so-101", circle)[0] == 0
    sampled = facts("simulate", "so-101", "--reference", "plan/plan.csv")
    assert sampled["q"] == pytest.approx(told["q"], abs=1e-3)
    code, _, err = ask("simulate", "unit", "--reference", "plan/plan.csv")
    assert code == 2
    assert "--reference: got 'plan/plan.csv' and no --controller, need a controller" in err


@pytest.mark.usefixtures("unpainted")
def test_a_plan_for_another_arm_is_refused(ask):
    assert ask("plan", "so-101", "--duration", "1 s", "--timing", "quintic")[0] in (0, 5)
    code, _, err = ask(*HOLD, *LOOP, "--reference", "plan/plan.csv")
    assert code == 2
    assert "plan.csv: --reference: got angles of 3 joints, need 2" in err


def test_python_reads_the_same_gains(facts):
    told = facts(
        *HOLD, "--controller", "ComputedTorque(natural_frequency='2 Hz')", "--reference", "1, 0"
    )
    run = ulna.simulate(
        unit(),
        q0=[0.0, 0.0],
        duration=0.2,
        controller=ComputedTorque(natural_frequency=4.0 * np.pi),
        reference=[1.0, 0.0],
    )
    assert told["q"] == pytest.approx(run.q[-1].tolist(), rel=1e-12)
