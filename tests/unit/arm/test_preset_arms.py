"""Presets against the papers that they come from."""

import math

import numpy as np
import pytest

import ulna
from ulna import InputError, Joint, Payload
from ulna.arm.preset_arms import about_preset

PAPERS = [
    "unit",
    "kehl",
    "kehl-as-printed",
    "bechard-1",
    "bechard-1-driven",
    "bechard-4",
    "bechard-skater",
    "garai",
    "ductri",
    "ang",
]


def values(arm, field):
    return [getattr(link, field) for link in arm.links]


def test_the_papers_and_three_arms_that_people_own():
    assert set(PAPERS) < set(ulna.presets())
    assert len(ulna.presets()) == len(PAPERS) + 3


@pytest.mark.parametrize("name", ulna.presets())
def test_a_preset_bears_its_name_warns_of_nothing_and_is_frozen(name):
    arm = ulna.preset(name)
    assert arm.name == name
    assert arm.gravity == (0.0, -9.81)
    assert arm.base == (0.0, 0.0)
    assert arm.payload == Payload()


@pytest.mark.parametrize(
    ("name", "lengths", "masses"),
    [("unit", [1, 1], [1, 1]), ("kehl", [0.5, 0.5], [1, 10])],
)
def test_arms_of_rods_have_their_centres_and_inertias(name, lengths, masses):
    arm = ulna.preset(name)
    assert values(arm, "length") == lengths
    assert values(arm, "mass") == masses
    assert values(arm, "com") == [l / 2 for l in lengths]
    expected = [m * l**2 / 12 for m, l in zip(masses, lengths, strict=True)]
    assert values(arm, "inertia") == pytest.approx(expected, rel=1e-15)
    assert values(arm, "tip_mass") == [0, 0]
    assert arm.joints == (Joint(), Joint())


def test_kehl_as_printed_differs_in_the_inertias_of_its_listing():
    printed, right = ulna.preset("kehl-as-printed"), ulna.preset("kehl")
    assert values(printed, "inertia") == [(1 / 12) * 1.0**2, pytest.approx((1 / 12) * 10.0**2)]
    for field in ("length", "mass", "com", "com_offset", "tip_mass"):
        assert values(printed, field) == values(right, field)
    assert printed.joints == right.joints
    # Erratum 17: four and forty times too large.
    ratio = printed.parameters.inertia / right.parameters.inertia
    np.testing.assert_allclose(ratio, [4, 40], rtol=1e-14)


@pytest.mark.parametrize(
    ("name", "per_second"),
    [
        ("bechard-1", [0.2]),
        ("bechard-1-driven", [0.5]),
        ("bechard-4", [0.5, 0.5, 0.5, 0.25]),
        ("bechard-skater", [1.2, 2.0]),
    ],
)
def test_paper_001_s_friction_is_per_second_at_every_joint(name, per_second):
    # With all that lies beyond a joint turning as one body, straight, it slows down by B a second.
    arm = ulna.preset(name)
    for a, B in enumerate(per_second):
        qd = np.eye(arm.n)[a]
        slowed = ulna.dynamics.mass_matrix(arm, np.zeros(arm.n))[a, a] * B
        lost = ulna.dynamics.inverse_dynamics(
            arm.replace(gravity=(0.0, 0.0)), np.zeros(arm.n), qd, np.zeros(arm.n)
        )
        assert lost[a] == pytest.approx(slowed, rel=1e-13)


@pytest.mark.parametrize("name", ulna.presets())
def test_the_listing_says_whose_numbers_they_are(name):
    ours = "numbers ours" in about_preset(name)
    assert ours == (name in ("garai", "ductri", "ang"))


@pytest.mark.parametrize("name", [name for name in ulna.presets() if name not in PAPERS])
def test_arms_that_people_own_have_bounded_joints_and_real_bodies(name):
    arm = ulna.preset(name)
    assert 0.1 < arm.reach < 2.0
    assert 0.1 < arm.mass < 20.0
    for joint in arm.joints:
        assert 0 < joint.max_torque < math.inf
        assert 0 < joint.max_velocity < math.inf
    ulna.Arm.of(arm.links, arm.joints)


@pytest.mark.parametrize("name", ["open-manipulator-x", "so-101"])
def test_servo_arms_have_the_speed_and_torque_of_their_servos(name):
    servo = {"open-manipulator-x": "dynamixel-xm430-w350", "so-101": "feetech-sts3215-12v"}[name]
    [entry] = [a for a in ulna.actuation.actuators() if a.name == servo]
    for joint in ulna.preset(name).joints:
        assert joint.max_torque == pytest.approx(entry.stall_torque, rel=5e-3)
        assert joint.max_velocity == pytest.approx(entry.no_load_speed, rel=5e-3)
        assert -math.pi < joint.lower < joint.upper < math.pi


def test_the_double_pendulum_s_inertias_are_those_published_about_its_joints():
    arm = ulna.preset("dfki-double-pendulum")
    about_joint = [link.inertia + link.mass * link.com**2 for link in arm.links]
    assert about_joint == pytest.approx([0.0318872, 0.0508698], rel=1e-12)


def test_an_unknown_preset_is_told_the_nearest_or_all():
    for name, words in (("khel", ["did you mean 'kehl'?"]), ("zzzzzzz", PAPERS), (None, PAPERS)):
        with pytest.raises(InputError) as caught:
            ulna.preset(name)
        assert all(word in str(caught.value) for word in (repr(name), *words))


def test_the_double_pendulum_accelerates_as_its_makers_equations_say():
    # Design C.1, model 1.0: two pendulums that hang at zero, inertias about the joints, I_r and
    # g_r of both motors, and the coupling I_2 + m_2 l_1 r_2 cos q_2 − g_r I_r in its mass matrix.
    m, l1, r, g = (0.52346, 0.62557), 0.2, (0.2, 0.255693), 9.81
    I1, I2, Ir, gr, b = 0.0318872, 0.0508698, 6.2872e-5, 6.0, 0.001
    arm = ulna.preset("dfki-double-pendulum").without_friction()
    random = np.random.default_rng(1)
    q, qd, tau = random.uniform(-3.0, 3.0, (3, 200, 2))
    couple = m[1] * l1 * r[1]
    for angle, rate, torque in zip(q, qd, tau, strict=True):
        cos, sin = np.cos(angle[1]), np.sin(angle[1])
        both = I2 + couple * cos - gr * Ir
        one = I1 + I2 + m[1] * l1**2 + 2.0 * couple * cos + gr**2 * Ir + Ir
        M = np.array([[one, both], [both, I2 + gr**2 * Ir]])
        C = couple * sin * np.array([[-2.0 * rate[1], -rate[1]], [rate[0], 0.0]])
        forearm = m[1] * g * r[1] * np.sin(angle.sum())
        upper = g * (m[0] * r[0] + m[1] * l1) * np.sin(angle[0])
        forces = torque - C @ rate - np.array([upper + forearm, forearm]) - b * rate
        hanging = angle + np.array([-0.5 * np.pi, 0.0])
        found = ulna.dynamics.forward_dynamics(arm, hanging, rate, torque)
        np.testing.assert_allclose(found, np.linalg.solve(M, forces), rtol=1e-9)
