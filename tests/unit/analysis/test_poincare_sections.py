"""Sections through the motion of several joints: dots on the plane, energies kept, known orders."""

import math

import numpy as np
import pytest

import ulna
from ulna import dynamics
from ulna.errors import InputError

RODS = ulna.Arm.rods([1.0, 1.0], [1.0, 1.0])
HANGING = -math.pi / 2


@pytest.fixture(scope="module")
def section():
    starts = [([HANGING + 0.5, 0.3], [0.0, 0.0]), ([0.8, 1.0], [0.0, 0.0])]
    return ulna.poincare(ulna.Scenario(arm=RODS, duration=60.0), starts=starts, angle=HANGING)


def test_every_dot_is_on_the_section_and_goes_its_way(section):
    for one in section.crossings:
        assert len(one) > 20
        assert np.abs(np.sin(0.5 * (one.q[:, 0] - HANGING))).max() < 1e-9
        assert (one.qd[:, 0] > 0.0).all()
        assert (np.abs(one.q) <= math.pi).all()
        assert (np.diff(one.t) > 0.0).all()


def test_dots_keep_the_energy_of_their_start(section):
    for one in section.crossings:
        energy = dynamics.kinetic_energy(RODS, one.q, one.qd) + dynamics.potential_energy(
            RODS, one.q
        )
        first = dynamics.potential_energy(RODS, one.run.q[0])
        assert energy == pytest.approx(np.full(len(one), float(first)), abs=1e-6)


def test_both_directions_are_both_halves():
    start = [([HANGING + 0.5, 0.3], [0.0, 0.0])]
    asked = ulna.Scenario(arm=RODS, duration=20.0)
    counts = [
        len(ulna.poincare(asked, starts=start, angle=HANGING, direction=way).crossings[0])
        for way in (1, -1, 0)
    ]  # fmt: skip
    assert counts[0] + counts[1] == counts[2]
    assert abs(counts[0] - counts[1]) <= 1


def test_a_small_swing_passes_once_a_period():
    # The slow mode of two rods is 2.680114012253 rad/s (outside value); it starts in its shape.
    M = dynamics.mass_matrix(RODS, np.array([HANGING, 0.0]))
    A, _ = dynamics.linearise(RODS, [HANGING, 0.0], [0.0, 0.0], [0.0, 0.0])
    values, shapes = np.linalg.eig(-A[2:, :2])
    slow = shapes[:, np.argmin(values)]
    start = np.array([HANGING, 0.0]) + 1e-4 * slow / slow[0]
    (one,) = ulna.poincare(
        ulna.Scenario(arm=RODS, duration=50.0), starts=[(start, [0.0, 0.0])], angle=HANGING
    ).crossings
    assert M.shape == (2, 2)
    assert np.diff(one.t) == pytest.approx(
        np.full(len(one) - 1, 2 * math.pi / 2.680114012253), rel=1e-6
    )


def test_whole_turns_are_one_section():
    spun = ulna.Arm.rods([1.0, 1.0], [1.0, 1.0], gravity=(0.0, 0.0))
    (one,) = ulna.poincare(
        ulna.Scenario(arm=spun, duration=20.0), starts=[([0.5, 0.0], [2.0, 0.0])]
    ).crossings
    # Straight and without gravity it turns evenly: 40 rad from 0.5 pass 2π … 12π.
    assert one.t == pytest.approx((2 * math.pi * np.arange(1, 7) - 0.5) / 2.0, abs=1e-8)


def test_an_arm_at_rest_on_the_section_does_not_pass_it():
    for way in (1, -1, 0):
        found = ulna.poincare(
            ulna.Scenario(arm=RODS, duration=20.0),
            starts=[([HANGING, 0.0], [0.0, 0.0])],
            angle=HANGING,
            direction=way,
        )
        assert len(found.crossings[0]) == 0


def test_one_joint_is_pointed_elsewhere():
    with pytest.raises(InputError, match=r"ulna\.portrait"):
        ulna.poincare(
            ulna.Scenario(arm=ulna.preset("bechard-1"), duration=1.0), starts=[([0.0], [0.0])]
        )


def test_dry_friction_takes_energy_from_crossing_to_crossing_until_there_are_none():
    arm = RODS.replace(joints=[ulna.Joint(friction=ulna.Friction(coulomb=0.8, static=1.0))] * 2)
    start = [([HANGING + 1.2, 0.3], [0.0, 0.0])]
    (one,) = ulna.poincare(
        ulna.Scenario(arm=arm, duration=30.0), starts=start, angle=HANGING
    ).crossings
    energy = dynamics.kinetic_energy(arm, one.q, one.qd) + dynamics.potential_energy(arm, one.q)
    assert len(one) > 2
    assert (np.diff(energy) < 0.0).all()
    assert one.run.qd[-1].tolist() == [0.0, 0.0]
    assert one.t[-1] < 25.0


LOOP = ulna.ControlLoop(
    rate=250.0, sensors=ulna.Sensors(delay=0.003), actuators=ulna.Actuators(time_constant=0.01)
)
SERVO = ulna.ServoMotor(stall_torque=40.0, no_load_speed=9.0, stiffness=90.0, damping=4.0)


@pytest.mark.parametrize(
    ("arm", "acting"),
    [
        (RODS.replace(loop=LOOP),
         {"controller": ulna.control.PD(30.0, 5.0), "reference": lambda t: [math.sin(t), 0.0]}),
        (RODS.replace(joints=[ulna.Joint(motor=SERVO)] * 2), {"position": ["sin(3*t)", "0"]}),
        (RODS.replace(joints=[ulna.Joint(motor=SERVO)] * 2), {"reference": [0.3, -0.5]}),
    ],
    ids=["loop", "position", "reference"],
)  # fmt: skip
def test_runs_of_a_section_are_those_of_a_simulation(arm, acting):
    q0, qd0 = [-0.2, 0.1], [0.0, 0.0]
    (one,) = ulna.poincare(
        ulna.Scenario(arm=arm, duration=1.0, samples=50, **acting), starts=[(q0, qd0)], angle=-0.15
    ).crossings
    run = ulna.simulate(arm, q0=q0, qd0=qd0, duration=1.0, samples=50, rtol=1e-10, **acting)
    # Events end adaptive steps, which are others then.
    assert one.run.scenario.rate == run.scenario.rate
    assert one.run.scenario.sensors == run.scenario.sensors
    assert np.abs(one.run.q - run.q).max() < 1e-7
    assert len(one) > 0


def test_a_section_lasts_as_long_as_the_motion_that_is_followed():
    plan = ulna.plan(RODS, ulna.motion.paths.line((1.2, 0.5), (1.0, 0.8)), duration=0.3)
    start = [(plan.q[0], plan.qd[0])]
    section = ulna.poincare(
        ulna.Scenario(arm=RODS, controller=ulna.control.ComputedTorque(), reference=plan),
        starts=start,
    )
    assert section.crossings[0].run.t[-1] == pytest.approx(0.3)
