"""Files of robots against the programs that they are written for: Pinocchio reads the same ones.

What is read here of a URDF moves as Pinocchio's own reading of it does, and what is written here
is to Pinocchio the arm that it was: tips, torques and mass matrices.
"""

import warnings

import numpy as np
import pytest

import robot_descriptions as robots
import ulna
from tabular import tabular
from ulna import dynamics, kinematics
from ulna.interop import import_robot

pinocchio = pytest.importorskip("pinocchio", reason="no wheel for this platform")

TOLERANCE = 1e-9
STATES = 20


def read_by_pinocchio(text, joints):
    """Return Pinocchio's model of a URDF, with all joints but those of some names locked at 0."""
    model = pinocchio.buildModelFromXML(text)
    locked = [i for i, name in enumerate(model.names) if i and name not in joints]
    return pinocchio.buildReducedModel(model, locked, pinocchio.neutral(model))


def configuration(model, theta):
    q = pinocchio.neutral(model)
    for joint, angle in zip(list(model.joints)[1:], theta, strict=True):
        bounded = joint.nq == 1
        q[joint.idx_q : joint.idx_q + joint.nq] = (
            angle if bounded else [np.cos(angle), np.sin(angle)]
        )
    return q


def motion(random, n):
    return random.uniform(-np.pi, np.pi, (STATES, n)), *random.uniform(-3.0, 3.0, (2, STATES, n))


def plane_of(model, data, there):
    """Return the axes x and y of the plane of a robot: y up, x so that the first axis is x × y."""
    jacobian = pinocchio.computeJointJacobians(model, data, there)
    normal = jacobian.reshape(6, -1)[3:, 0]
    up = np.array([0.0, 0.0, 1.0]) - normal[2] * normal
    up /= np.linalg.norm(up)
    return np.array([np.cross(up, normal), up])


def check_reading(text, tmp_path, tip, base=None, *, tip_frame=True):
    """Compare torques and tips with Pinocchio's own reading of a file."""
    file = tmp_path / "robot.urdf"
    file.write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ulna.UlnaWarning)
        found = import_robot(file, base_link=base, tip_link=tip if tip_frame else None)
    model = read_by_pinocchio(text, found.joint_names)
    data, frame, arm = model.createData(), model.getFrameId(tip), found.arm
    signs = np.array(found.signs)
    theta, rates, gains = motion(np.random.default_rng(arm.n), arm.n)
    q = found.from_file_angles(theta)
    torque = dynamics.inverse_dynamics(arm, q, signs * rates, signs * gains)
    resisting = (
        dynamics.friction_torque(arm, signs * rates) + arm.parameters.damping * signs * rates
    )
    points = kinematics.joints(arm, q)[:, -1 if tip_frame else -2]
    for k in range(STATES):
        there = configuration(model, theta[k])
        expected = pinocchio.rnea(model, data, there, rates[k], gains[k])
        own = signs * (torque[k] - resisting[k])
        assert np.max(np.abs(own - expected)) <= TOLERANCE * np.max(np.abs(expected))
        pinocchio.framesForwardKinematics(model, data, there)
        end = plane_of(model, data, there) @ data.oMf[frame].translation
        assert points[k] == pytest.approx(end, abs=TOLERANCE)
    return found


@tabular("n", range(1, 9))
def test_random_planar_chains_are_read_as_pinocchio_reads_them(tmp_path_factory, n):
    text = robots.random_planar(np.random.default_rng(n), n)
    check_reading(text, tmp_path_factory.mktemp("chain"), "tool")


def test_a_double_pendulum_is_read_as_pinocchio_reads_it(tmp_path):
    found = check_reading(robots.double_pendulum(), tmp_path, "lower", tip_frame=False)
    assert found.offsets == pytest.approx((-np.pi / 2, 0.0))
    assert found.arm.base == pytest.approx((0.0, 1.2))
    assert found.arm.gravity == (0.0, -9.81)


def test_an_acrobot_with_opposed_axes_is_read_as_pinocchio_reads_it(tmp_path):
    found = check_reading(robots.acrobot(), tmp_path, "hand")
    assert found.signs == (1.0, -1.0)
    assert [joint.damping for joint in found.arm.joints] == [0.1, 0.2]


def with_frame(text, link, xyz):
    """Return a file with a frame, called end, that is fixed to a link."""
    frame = robots.joint("end_joint", link, "end", xyz, kind="fixed")
    return text.replace("</robot>", robots.link("end") + frame + "</robot>")


@pytest.mark.parametrize(
    ("text", "base", "tip", "names"),
    [
        (
            with_frame(robots.pitch_arm(), "wrist", (0.0, -0.061, 0.018)),
            "shoulder",
            "end",
            ("shoulder_lift", "elbow_flex", "wrist_flex"),
        ),
        (robots.prismatic_gripper_arm(), "link2", "end_effector", ("joint2", "joint3", "joint4")),
        (
            with_frame(robots.six_axis_arm(), "axis_4_link", (0.0, 0.115, 0.2)),
            "axis_1_link",
            "end",
            ("axis_2", "axis_3", "axis_4"),
        ),
    ],
    ids=["pitch", "gripper", "six-axis"],
)
def test_the_planar_part_of_a_bigger_robot_is_read(tmp_path, text, base, tip, names):
    assert check_reading(text, tmp_path, tip, base).joint_names == names


def exported(arm, tmp_path, ending):
    file = tmp_path / f"arm{ending}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ulna.UlnaWarning)
        ulna.save(arm, file)
    return file.read_text()


def random_plain_arm(random, n):
    """Return an arm of links of any kind, on Earth or on an incline, damped."""
    links = [
        ulna.Link(
            *random.uniform(0.2, 1.0, 2), *random.uniform(0.05, 0.3, 2), *random.uniform(0, 0.5, 2)
        )
        for _ in range(n)
    ]
    joints = [ulna.Joint(lower=-2.0 - i, upper=1.0 + i, damping=0.1 * i) for i in range(n)]
    gravity = random.uniform(-6.0, 6.0, 2)
    return ulna.Arm.of(
        links, joints, gravity=gravity, base=random.normal(size=2), payload=ulna.Payload(0.2, 0.01)
    )


@pytest.mark.filterwarnings("ignore::ulna.UlnaWarning")
@tabular("n", [*range(1, 9), 20])
def test_a_urdf_is_the_arm_to_pinocchio(tmp_path_factory, n):
    random = np.random.default_rng(n)
    arm = random_plain_arm(random, n)
    text = exported(arm, tmp_path_factory.mktemp("urdf"), ".urdf")
    model = pinocchio.buildModelFromXML(text)
    data, (q, qd, qdd) = model.createData(), motion(random, n)
    torque = dynamics.inverse_dynamics(arm, q, qd, qdd) - arm.parameters.damping * qd
    for k in range(STATES):
        expected = pinocchio.rnea(model, data, q[k], qd[k], qdd[k])
        assert np.max(np.abs(torque[k] - expected)) <= TOLERANCE * np.max(np.abs(expected))
    assert model.damping == pytest.approx(arm.parameters.damping)
    assert model.lowerPositionLimit == pytest.approx(arm.parameters.lower)


@pytest.mark.filterwarnings("ignore::ulna.UlnaWarning")
def test_what_is_written_is_read_back_as_an_arm_that_moves_alike(tmp_path):
    random = np.random.default_rng(5)
    arm = random_plain_arm(random, 4)
    (tmp_path / "arm.urdf").write_text(exported(arm, tmp_path, ".urdf"))
    found = import_robot(tmp_path / "arm.urdf")
    q, qd, qdd = motion(random, 4)
    here = dynamics.inverse_dynamics(arm, q, qd, qdd)
    back = dynamics.inverse_dynamics(found.arm, found.from_file_angles(q), qd, qdd)
    assert back == pytest.approx(here, rel=1e-10, abs=1e-10)
