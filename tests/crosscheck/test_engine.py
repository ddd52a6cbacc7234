"""The compiled engine against others: Pinocchio's accelerations, MuJoCo's and SciPy's runs."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import ulna
from ulna import Arm, Joint, Link, simulate

SIZES = [1, 2, 4, 5, 7, 10, 20, 30, 40, 50]
STATES_EACH = 100
TOLERANCE = 1e-10  # relative to the largest acceleration


def drawn(n, seed=0):
    random = np.random.default_rng([n, seed])
    links = [
        Link(
            length=random.uniform(0.1, 1.0),
            mass=random.uniform(0.1, 2.0),
            com=random.uniform(-0.2, 1.0),
            com_offset=random.uniform(-0.2, 0.2),
            inertia=random.uniform(0.02, 0.2),
            tip_mass=random.uniform(0.0, 1.0),
        )
        for _ in range(n)
    ]
    joints = [Joint(damping=b) for b in random.uniform(0.0, 1.0, n)]
    gravity = random.uniform(-10.0, 10.0, 2)
    return Arm(tuple(links), tuple(joints), gravity=tuple(gravity), base=(0.3, -0.1)), random


def pinocchio_model(pinocchio, arm):
    model, parent, place = pinocchio.Model(), 0, np.array([*arm.base, 0.0])
    model.gravity.linear = np.array([*arm.gravity, 0.0])
    for number, link in enumerate(arm.links):
        at = pinocchio.SE3(np.eye(3), place)
        parent = model.addJoint(parent, pinocchio.JointModelRZ(), at, f"joint {number}")
        body = pinocchio.Inertia(
            link.mass, np.array([link.com, link.com_offset, 0.0]), link.inertia * np.eye(3)
        )
        end = pinocchio.Inertia(link.tip_mass, np.array([link.length, 0.0, 0.0]), np.zeros((3, 3)))
        model.appendBodyToJoint(parent, body + end, pinocchio.SE3.Identity())
        place = np.array([link.length, 0.0, 0.0])
    return model


@pytest.mark.parametrize("n", SIZES)
def test_accelerations_are_pinocchios(n):
    pinocchio = pytest.importorskip("pinocchio", reason="Pinocchio has no wheel for this platform")
    arm, random = drawn(n)
    model = pinocchio_model(pinocchio, arm)
    data, damping, ours = model.createData(), arm.parameters.damping, ulna.compiled(arm)
    for _ in range(STATES_EACH):
        q, qd, tau = random.uniform(-np.pi, np.pi, (3, n))
        expected = pinocchio.aba(model, data, q, qd, tau - damping * qd)
        found = ours.forward_dynamics(q, qd, tau)
        assert np.abs(found - expected).max() <= TOLERANCE * np.abs(expected).max()
        torque = pinocchio.rnea(model, data, q, qd, expected) + damping * qd
        assert ours.inverse_dynamics(q, qd, expected) == pytest.approx(torque, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("n", [1, 2, 4, 20])
def test_a_compiled_arm_has_pinocchios_matrices(n):
    pinocchio = pytest.importorskip("pinocchio", reason="Pinocchio has no wheel for this platform")
    arm, random = drawn(n, 3)
    model = pinocchio_model(pinocchio, arm)
    data, damping, ours = model.createData(), arm.parameters.damping, ulna.compiled(arm)
    for _ in range(10):
        q, qd, tau = random.uniform(-np.pi, np.pi, (3, n))
        upper = np.triu(pinocchio.crba(model, data, q))
        weight = pinocchio.computeGeneralizedGravity(model, data, q)
        pinocchio.computeABADerivatives(model, data, q, qd, tau - damping * qd)
        by_torque = np.triu(data.Minv) + np.triu(data.Minv, 1).T
        A, B = ours.linearise(q, qd, tau)
        pairs = (
            (ours.mass_matrix(q), upper + np.triu(upper, 1).T),
            (ours.gravity_torque(q), weight),
            (A[n:, :n], data.ddq_dq),
            (A[n:, n:], data.ddq_dv - by_torque * damping),
            (B[n:], by_torque),
        )
        for found, expected in pairs:
            assert np.abs(found - expected).max() <= TOLERANCE * np.abs(expected).max()


@pytest.mark.parametrize("n", [1, 2, 4])
def test_a_simulation_has_the_accelerations_of_its_state(n):
    pinocchio = pytest.importorskip("pinocchio", reason="Pinocchio has no wheel for this platform")
    arm, random = drawn(n, 1)
    model = pinocchio_model(pinocchio, arm)
    data, damping = model.createData(), arm.parameters.damping
    q, qd, tau = random.uniform(-2.0, 2.0, (3, n))
    run = simulate(arm, q0=q, qd0=qd, torque=tau, duration=0.2, samples=20)
    for k in range(20):
        net = tau - damping * run.qd[k]
        expected = pinocchio.aba(model, data, run.q[k], run.qd[k], net)
        assert np.abs(run.qdd[k] - expected).max() <= TOLERANCE * np.abs(expected).max()


@pytest.mark.parametrize("n", [1, 2, 4])
def test_a_free_run_is_mujocos_with_the_same_steps(n):
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")
    dt, steps = 1e-3, 100
    bodies = ""
    for number in reversed(range(n)):
        place = "0 0 0" if number == 0 else "1 0 0"
        bodies = (
            f'<body pos="{place}"><joint type="hinge" axis="0 0 1"/>'
            f'<inertial pos="0.5 0 0" mass="1" diaginertia="1 1 {1 / 12!r}"/>{bodies}</body>'
        )
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{dt}" integrator="RK4" gravity="0 -9.81 0">'
        f'<flag constraint="disable"/></option><worldbody>{bodies}</worldbody></mujoco>'
    )
    data = mujoco.MjData(model)
    q, qd = np.random.default_rng(n).uniform(-1.0, 1.0, (2, n))
    data.qpos, data.qvel = q, qd
    arm = Arm.rods([1.0] * n, [1.0] * n)
    run = simulate(arm, q0=q, qd0=qd, duration=dt * steps, dt=dt, method="rk4")
    quick = ulna.compiled(arm)
    for k in range(1, steps + 1):
        mujoco.mj_step(model, data)
        q, qd = quick.step(q, qd, np.zeros(n), dt)
        assert np.abs(run.q[k] - data.qpos).max() <= 1e-9
        assert np.abs(run.qd[k] - data.qvel).max() <= 1e-8
        # One step at a time it is the same to rounding.
        assert q == pytest.approx(run.q[k], rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_while_all_joints_slide_dry_friction_is_mujocos(n):
    # MuJoCo's frictionloss is a soft constraint: at rest joints creep, sliding it is Coulomb's law.
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")
    dt, steps = 1e-3, 200
    lost = np.linspace(0.3, 0.1, n)
    bodies = ""
    for number in reversed(range(n)):
        place = "0 0 0" if number == 0 else "1 0 0"
        bodies = (
            f'<body pos="{place}"><joint type="hinge" axis="0 0 1" frictionloss="{lost[number]}"/>'
            f'<inertial pos="0.5 0 0" mass="1" diaginertia="1 1 {1 / 12!r}"/>{bodies}</body>'
        )
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{dt}" integrator="RK4" gravity="0 -9.81 0" tolerance="1e-14"/>'
        f"<worldbody>{bodies}</worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    q, qd = np.linspace(0.3, -0.3, n), np.array([3.0, -4.0, 5.0, -6.0][:n])
    data.qpos, data.qvel = q, qd
    joints = [Joint(friction=ulna.Friction(one)) for one in lost]
    arm = Arm.rods([1.0] * n, [1.0] * n, joints=joints)
    run = simulate(arm, q0=q, qd0=qd, duration=dt * steps, dt=dt, method="rk4")
    for k in range(1, steps + 1):
        mujoco.mj_step(model, data)
        if np.any(run.qd[k] * qd < 0.3 * np.abs(qd)):  # one of them is about to turn back
            break
        assert np.abs(run.q[k] - data.qpos).max() <= 1e-9
        assert np.abs(run.qd[k] - data.qvel).max() <= 1e-8
    assert k > 50
    free = simulate(arm.without_friction(), q0=q, qd0=qd, duration=dt * k, method="rk4")
    assert np.abs(free.q[-1] - run.q[k]).max() > 1e-4


@pytest.mark.parametrize("n", [1, 2, 4])
def test_a_driven_run_is_scipys(n):
    arm, random = drawn(n, 2)
    q, qd = random.uniform(-1.0, 1.0, (2, n))
    size = random.uniform(-5.0, 5.0, n)

    def slope(t, y):
        tau = size * np.sin(3.0 * t) - y[:n]
        return np.concatenate(
            [
                y[n:],
                ulna.dynamics.chain.forward_dynamics(arm, y[:n], y[n:], tau, tip_force=[t, 1.0]),
            ]
        )

    times = np.linspace(0.0, 0.4, 23)
    theirs = solve_ivp(
        slope, (0.0, 0.4), np.concatenate([q, qd]), method="DOP853", rtol=1e-11, atol=1e-12,
        t_eval=times,
    )  # fmt: skip
    ours = simulate(
        arm, q0=q, qd0=qd,
        torque=[f"{a!r}*sin(3*t) - q{i}" for i, a in enumerate(size.tolist(), 1)],
        tip_force="t, 1", duration=0.4, samples=times, rtol=1e-11,
    )  # fmt: skip
    scale = 1.0 + np.abs(theirs.y).max()
    assert np.abs(ours.q - theirs.y[:n].T).max() <= 1e-8 * scale
    assert np.abs(ours.qd - theirs.y[n:].T).max() <= 1e-7 * scale
