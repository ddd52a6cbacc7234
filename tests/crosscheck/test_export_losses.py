"""The largest difference of torques that an export tells of, against the programs that read it.

MuJoCo and Pinocchio load the file. At a thousand states, and at those in which all parts of the
difference are largest, theirs from the arm's torques is never more than was told, and nearly so.
"""

import itertools
import re

import numpy as np
import pytest

import ulna
from tabular import tabular
from ulna import dynamics
from ulna.interop.exported_arm import ACCELERATION
from ulna.interop.mjcf_writer import format_mjcf
from ulna.interop.urdf_writer import format_urdf

pytestmark = pytest.mark.filterwarnings("ignore::ulna.UlnaWarning")
NEARLY = 0.98


def states(exported, random):
    """Return states at random, and the corners of accelerations with slow and with fast joints."""
    n, rates = len(exported.rates), np.array(exported.rates)
    q = random.uniform(-np.pi, np.pi, (1000, n))
    qd, qdd = rates * random.uniform(-1, 1, (1000, n)), random.uniform(-1, 1, (1000, n))
    corners = np.array(list(itertools.product([-1.0, 1.0], repeat=n)))
    for speed in (-1e-6, 1e-6, -1.0, 1.0):
        q = np.concatenate([q, 0.0 * corners])
        qd = np.concatenate([qd, speed * corners * (rates if abs(speed) == 1.0 else 1.0)])
        qdd = np.concatenate([qdd, corners])
    return q, qd, ACCELERATION * qdd


def check_told(exported, differences):
    largest = np.max(np.abs(differences), axis=0)
    assert np.all(largest <= np.array(exported.differences) * (1 + 1e-9) + 1e-9)
    assert exported.largest * NEARLY <= np.max(largest) <= exported.largest * (1 + 1e-9) + 1e-9


def rods(joints, **more):
    return ulna.Arm.rods(
        [0.4, 0.3, 0.2][: len(joints)], [2.0, 1.0, 0.5][: len(joints)], joints=joints, **more
    )


DRY = ulna.Friction(0.2, static=0.3, drag=0.004)
ARMS = {
    "nothing lost": rods([ulna.Joint(damping=0.1, rotor_inertia=1e-5, gear_ratio=50.0)] * 3),
    "Coulomb friction": rods([ulna.Joint(friction=ulna.Friction(0.2))] * 2),
    "static friction and drag": rods([ulna.Joint(max_velocity=9.0, friction=DRY)] * 2),
    "drag alone": rods([ulna.Joint(max_velocity=12.0, friction=ulna.Friction(drag=0.01))] * 3),
    "rotors": rods([ulna.Joint(rotor_inertia=1e-5, gear_ratio=ratio) for ratio in (30, -40, 80)]),
    "a rotor that reverses": rods([ulna.Joint(), ulna.Joint(rotor_inertia=0.03, gear_ratio=0.5)]),
    "a rotor too large": rods([ulna.Joint(), ulna.Joint(rotor_inertia=0.5, gear_ratio=10.0)]),
    "all of it": rods(
        [ulna.Joint(damping=0.2, rotor_inertia=0.01, gear_ratio=20.0, friction=DRY)] * 2
    ),
}


@tabular("name", ARMS)
def test_mujocos_torques_differ_by_as_much_as_is_told(name):
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")
    arm = ARMS[name]
    exported = format_mjcf(arm)
    model = mujoco.MjModel.from_xml_string(exported.text)
    data, found = mujoco.MjData(model), []
    q, qd, qdd = states(exported, np.random.default_rng(1))
    for data.qpos, data.qvel, data.qacc in zip(q, qd, qdd, strict=True):
        mujoco.mj_inverse(model, data)
        found.append(data.qfrc_inverse.copy())
    check_told(exported, np.array(found) - dynamics.inverse_dynamics(arm, q, qd, qdd))


@tabular("name", ARMS)
def test_pinocchios_torques_differ_by_as_much_as_is_told(name):
    pinocchio = pytest.importorskip("pinocchio", reason="no wheel for this platform")
    arm = ARMS[name]
    exported = format_urdf(arm)
    model = pinocchio.buildModelFromXML(exported.text)
    data = model.createData()
    q, qd, qdd = states(exported, np.random.default_rng(1))
    rigid = np.array(
        [
            pinocchio.rnea(model, data, np.stack([np.cos(a), np.sin(a)], -1).ravel(), b, c)
            for a, b, c in zip(q, qd, qdd, strict=True)
        ]
    )
    expected = dynamics.inverse_dynamics(arm, q, qd, qdd)
    # What the file says of damping and friction is in the model, and not in rnea.
    unread = model.damping * qd + model.upperDryFrictionLimit * np.sign(qd)
    check_told(exported, rigid + unread - expected)
    told = [float(word) for text in exported.unread for word in re.findall("up to (.*) N", text)]
    assert np.max(np.abs(unread)) == pytest.approx(sum(told), rel=0.005)


def test_gravity_that_no_urdf_holds_is_in_the_difference():
    pinocchio = pytest.importorskip("pinocchio", reason="no wheel for this platform")
    arm = rods([ulna.Joint()] * 2, gravity=(0.0, -24.8))
    exported = format_urdf(arm)
    model = pinocchio.buildModelFromXML(exported.text)
    stretched = np.array([1.0, 0.0, 1.0, 0.0])
    still = np.zeros(2)
    there = pinocchio.rnea(model, model.createData(), stretched, still, still)
    here = dynamics.inverse_dynamics(arm, still, still, still)
    assert exported.differences == pytest.approx(tuple(here - there), rel=1e-9)


@pytest.mark.parametrize("write", [format_mjcf, format_urdf])
def test_rounding_is_no_difference(write):
    # A rotor of a ten-thousandth of a link's inertia: their sum is rounded as that is.
    for inertia in (0.3, 0.1, 7.0):
        arm = ulna.Arm.of([ulna.Link(0.5, 2.0, inertia=inertia)], [ulna.Joint(rotor_inertia=3e-7)])
        assert write(arm).largest == 0.0
    many = rods([ulna.Joint(rotor_inertia=1e-9 * number) for number in (1, 3, 7)])
    assert write(many).differences == (0.0, 0.0, 0.0)
