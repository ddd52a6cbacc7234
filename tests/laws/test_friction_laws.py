"""Laws of a run with friction, whatever the arm: what sticks, what holds it, and where energy goes.

Friction is judged from outside of the engine: what the torques leave of the motion by the closed
form, M q̈ + C q̇ + G + b q̇ of the arm without friction.
"""

import numpy as np
import pytest

import ulna
from ulna import (
    Arm,
    BatchSimulation,
    Friction,
    Joint,
    Link,
    Simulation,
    simulate,
    simulate_batch,
)

METHODS = ("rk4", "semi-implicit", "gauss4", "dop853")
HELD = 1.0 + 1e-9  # of static friction, for rounding


def drawn(random, n, *, limited=False, drag=True):
    """Draw an arm with friction at every joint, half of it with a Stribeck fall."""
    links = [
        Link(random.uniform(0.3, 1.0), random.uniform(0.5, 2.0), com_offset=random.uniform(0, 0.1))
        for _ in range(n)
    ]
    joints = []
    for _ in range(n):
        coulomb = random.uniform(0.1, 1.0)
        joints.append(
            Joint(
                friction=Friction(
                    coulomb,
                    static=coulomb * random.choice([1.0, random.uniform(1.0, 1.6)]),
                    stribeck_velocity=random.uniform(0.2, 0.5),
                    drag=random.uniform(0.0, 0.05) * drag,
                ),
                damping=random.uniform(0.0, 0.1),
                rotor_inertia=random.choice([0.0, 1e-4]),
                gear_ratio=10.0,
                lower=-random.uniform(0.3, 1.0) if limited else -np.inf,
                upper=random.uniform(0.3, 1.0) if limited else np.inf,
            )
        )
    gravity = tuple(random.uniform(-5.0, 5.0, 2))
    waves = [
        f"{a:.3f}*sin({b:.3f}*t)" for a, b in random.uniform([1.0, 1.0], [4.0, 6.0], size=(n, 2))
    ]
    return Arm(tuple(links), tuple(joints), gravity=gravity), waves


def left_by_torques(run):
    """Return what the torques leave of the motion of the arm without friction."""
    smooth = run.arm.replace(
        joints=[Joint(damping=one.damping, rotor_inertia=one.rotor_inertia,
                      gear_ratio=one.gear_ratio) for one in run.arm.joints]
    )  # fmt: skip
    return run.tau - ulna.dynamics.chain.inverse_dynamics(smooth, run.q, run.qd, run.qdd)


@pytest.mark.parametrize("n", [1, 2, 3, 6])
@pytest.mark.parametrize("method", METHODS)
def test_friction_opposes_motion_and_holds_no_more_than_it_can(method, n):
    random = np.random.default_rng([n, METHODS.index(method)])
    for _ in range(4):
        arm, waves = drawn(random, n)
        start = random.uniform(-1.0, 1.0, n), random.uniform(-1.0, 1.0, n) * random.integers(0, 2)
        run = simulate(arm, q0=start[0], qd0=start[1], duration=1.5, torque=waves, method=method,
                       samples=151)  # fmt: skip
        assert run.status
        found, p = left_by_torques(run), arm.parameters
        stuck = (run.qd == 0.0) & (run.qdd == 0.0)
        ratio = run.qd / p.stribeck_velocity
        sliding = p.coulomb + (p.static - p.coulomb) * np.exp(-(ratio**2)) + p.drag * run.qd**2
        way = np.where(run.qd != 0.0, np.sign(run.qd), np.sign(run.qdd))
        assert np.all(
            np.abs(found)[stuck] <= (HELD * np.broadcast_to(p.static, stuck.shape))[stuck]
        )
        assert np.allclose(found[~stuck], (way * sliding)[~stuck], rtol=1e-8, atol=1e-9)
        assert np.allclose(run.friction, found, atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_a_joint_holds_up_to_its_static_friction_and_no_further(method):
    arm = Arm.of([Link(1.0, 1.0)], [Joint(friction=Friction(0.5, static=2.0))], gravity=(0.0, 0.0))
    below = simulate(arm, q0=[0.4], duration=1.0, torque=[2.0 * (1 - 1e-6)], method=method)
    above = simulate(arm, q0=[0.4], duration=1.0, torque=[2.0 * (1 + 1e-6)], method=method)
    assert np.all(below.q == 0.4)
    assert np.all(below.qd == 0.0)
    assert below.sticking == ((1, 1, 1.0, 0.0),)
    assert np.all(np.diff(above.q[:, 0]) > 0.0)
    assert above.sticking == ()


def test_a_stuck_joint_keeps_every_bit_of_its_angle_for_an_hour():
    angle = 0.1234567890123456
    arm = Arm.of(
        [Link(1.0, 2.0), Link(0.5, 1.0), Link(0.5, 1.0)],
        [Joint(), Joint(friction=Friction(50.0)), Joint()],
    )
    run = simulate(arm, q0=[-1.0, angle, 0.3], duration=3600.0, method="rk4", dt=0.02, samples=1001,
                   torque=["-0.3*qd1", 0.0, "0.5*sin(t) - 0.3*qd3"])  # fmt: skip
    assert run.status
    assert np.all(run.q[:, 1] == angle)
    assert np.all(run.qd[:, 1] == 0.0)
    assert np.ptp(run.q[:, 2]) > 0.05
    assert run.sticking == ((2, 1, 3600.0, 0.0),)


@pytest.mark.parametrize("limited", [False, True])
def test_energy_is_accounted_for_by_the_friction_law(limited):
    random, sticks = np.random.default_rng(7), 0
    for n in (1, 2, 3, 2):
        arm, waves = drawn(random, n, limited=limited)
        run = simulate(arm, q0=np.full(n, 0.1), duration=3.0, torque=waves, method="dop853",
                       rtol=1e-12)  # fmt: skip
        assert run.status
        throughput = np.abs(np.diff(run.injected)).sum() + run.dissipated[-1]
        assert np.abs(run.energy.balance_error).max() <= 1e-9 * throughput
        sticks += sum(one.episodes for one in run.sticking)
    assert sticks >= 5


def test_adaptive_steps_miss_no_fall_of_friction_however_short_it_is():
    # Rates pass through it within a ten-thousandth of a second.
    for width in (1e-2, 1e-3):
        joints = [
            Joint(friction=Friction(coulomb, 1.5 * coulomb, stribeck_velocity=width))
            for coulomb in (0.4, 0.1)
        ]
        arm = Arm.rods([0.5, 0.4], [1.0, 0.8], joints=joints)
        run = simulate(arm, q0=[0.5, 0.3], duration=3.0, rtol=1e-12, samples=301)
        assert np.abs(run.energy.balance_error).max() <= 1e-9 * run.dissipated[-1]


@pytest.mark.parametrize(("method", "order"), [("rk4", 4), ("gauss4", 4), ("semi-implicit", 1)])
def test_the_balance_of_energy_falls_with_the_order_of_the_method(method, order):
    arm, waves = drawn(np.random.default_rng(11), 2)
    errors = []
    for dt in (4e-3, 2e-3, 1e-3):
        run = simulate(arm, q0=[0.3, -0.2], duration=2.0, torque=waves, method=method, dt=dt)
        assert run.sticking
        errors.append(np.abs(run.energy.balance_error).max())
    assert np.log2(errors[0] / errors[2]) / 2 >= order - 0.6


@pytest.mark.parametrize(
    ("method", "limited"),
    [("rk4", False), ("rk4", True), ("semi-implicit", True), ("gauss4", True)],
)
def test_arms_of_a_batch_stick_as_they_do_alone(method, limited):
    random = np.random.default_rng(3)
    members, n = 21, 2
    arms, waves = zip(*(drawn(random, n, limited=limited) for _ in range(members)), strict=True)
    q0 = random.uniform(-0.3, 0.3, (members, n))
    qd0 = random.uniform(-1.0, 1.0, (members, n)) * random.integers(0, 2, (members, n))
    how = {"duration": 1.2, "torque": waves[0], "method": method}
    batch = simulate_batch(arms, q0=q0, qd0=qd0, **how)
    fewer = simulate_batch(arms[5:8], q0=q0[5:8], qd0=qd0[5:8], **how)
    assert np.array_equal(batch.q[5:8], fewer.q)
    for k in range(members):
        run = simulate(arms[k], q0=q0[k], qd0=qd0[k], **how)
        assert np.allclose(batch.q[k, -1], run.q[-1], rtol=0, atol=1e-9)
        assert np.allclose(batch.qd[k, -1], run.qd[-1], rtol=0, atol=1e-9)


def test_a_run_in_pieces_sticks_as_a_whole_one():
    arm, waves = drawn(np.random.default_rng(5), 2)
    pieces = Simulation(ulna.Scenario(arm=arm, q0=[0.2, 0.1], torque=waves, method="rk4", dt=1e-3))
    for _ in range(100):
        pieces.advance(0.02)
    whole = simulate(arm, q0=[0.2, 0.1], torque=waves, method="rk4", dt=1e-3, duration=2.0)
    assert np.allclose(pieces.q, whole.q[-1], rtol=0, atol=1e-9)


def test_steps_of_ones_own_stick_as_a_run_does():
    arm, _ = drawn(np.random.default_rng(9), 2)
    times = np.arange(400) * 5e-3
    torques = np.stack([2.0 * np.sin(4.0 * times), np.cos(5.0 * times)], axis=-1)
    step, q, qd = ulna.compiled(arm).step, np.array([0.2, 0.1]), np.zeros(2)
    for tau in torques:
        q, qd = step(q, qd, tau, 5e-3)
    held = np.repeat(torques, 2, axis=0)[:-1]  # a table of jumps
    jumps = np.sort(np.concatenate([times, times[1:] - 1e-13]))
    run = simulate(arm, q0=[0.2, 0.1], duration=2.0, dt=5e-3, method="rk4",
                   torque=(jumps, held))  # fmt: skip
    assert np.allclose(q, run.q[-1], rtol=0, atol=1e-8)


def test_a_joint_rests_at_its_stop_and_sticks_there_until_more_than_friction_pulls_it_away():
    joint = Joint(lower=-0.5, upper=0.5, friction=Friction(1.0))
    arm = Arm.of([Link(1.0, 1.0)], [joint], gravity=(0.0, 0.0))
    run = simulate(arm, q0=[0.4], duration=4.0, torque=["3 - 2*t"], samples=4001, method="rk4")
    leaves = run.t[np.flatnonzero(run.q[:, 0] == 0.5)[-1]]
    # Pressed on until 1.5 s, then held by friction alone, up to −1 N·m at 2 s.
    assert leaves == pytest.approx(2.0, abs=2e-3)
    assert [one.what for one in run.contacts[:3]] == ["hit", "rest", "release"]


def test_an_impact_sets_stuck_joints_free():
    arm = Arm.of(
        [Link(1.0, 1.0), Link(1.0, 1.0)],
        [Joint(friction=Friction(5.0)), Joint(lower=-1.0, upper=1.0)],
        gravity=(0.0, 0.0),
    )
    run = simulate(arm, q0=[0.0, 0.0], qd0=[0.0, 2.0], duration=1.0, samples=1001, method="rk4")
    hit = run.contacts[0].t
    assert np.all(run.q[run.t < hit, 0] == 0.0)
    assert run.q[-1, 0] > 1e-3
    assert run.qd[-1, 0] == 0.0


def test_resident_arms_stick_as_those_of_a_batch_do():
    random = np.random.default_rng(13)
    arm, _ = drawn(random, 2)
    q0, torques = random.uniform(-1.0, 1.0, (9, 2)), random.uniform(-2.0, 2.0, (9, 2))
    resident = BatchSimulation(arm, q0=q0, dt=2e-3)
    resident.apply(torques)
    for _ in range(300):
        resident.advance()
    batch = simulate_batch(arm, q0=q0, duration=0.6, dt=2e-3, torque=torques)
    assert np.allclose(resident.q, batch.q[:, -1], rtol=0, atol=1e-12)
    assert np.any(resident.qd == 0.0)


def test_single_precision_sticks_too():
    random = np.random.default_rng(15)
    arm, waves = drawn(random, 2)
    q0 = random.uniform(-1.0, 1.0, (5, 2))
    long, short = (
        simulate_batch(arm, q0=q0, duration=1.0, torque=waves, precision=precision)
        for precision in ("double", "single")
    )
    assert np.allclose(long.q, short.q, rtol=0, atol=1e-3)


def test_events_of_a_user_are_found_beside_those_of_friction():
    arm = Arm.of([Link(1.0, 1.0)], [Joint(friction=Friction(1.0))], gravity=(0.0, 0.0))
    run = simulate(arm, q0=[0.0], qd0=[2.0], duration=2.0, events={"there": "q1 - 0.1"})
    # It slows down by 1 N·m / (1/3 kg·m²) and stops after ω² I / (2 f) = 2/3 rad.
    assert run.events[0].t == pytest.approx((2.0 - np.sqrt(4.0 - 0.6)) / 3.0, abs=1e-9)
    assert run.q[-1, 0] == pytest.approx(2.0 / 3.0, abs=1e-9)
    assert run.sticking[0].first == pytest.approx(2.0 / 3.0, abs=1e-9)


def test_a_long_rest_misses_no_torque_that_ends_it():
    arm = Arm.of([Link(1.0, 1.0)], [Joint(friction=Friction(1.0))], gravity=(0.0, 0.0))
    pulse = "1.5 if 70.0 < t < 70.2 else 0"
    run = simulate(arm, q0=[0.0], duration=100.0, torque=[pulse], samples=101, method="dop853")
    # ½ (τ − f) Δt²/I while it acts, and the rest until friction has taken the speed.
    speed = 0.5 * 0.2 * 3.0
    assert run.q[-1, 0] == pytest.approx(0.5 * 1.5 * 0.2**2 + speed**2 / 6.0, rel=1e-4)


def test_a_state_that_is_asked_for_is_one_that_sticks():
    arm = Arm.of([Link(1.0, 1.0)], [Joint(friction=Friction(2.0))], gravity=(0.0, 0.0))
    live = Simulation(ulna.Scenario(arm=arm, q0=[0.0], torque=[1.0]))
    assert live.qdd == 0.0
    live.apply(torque=[3.0])
    assert live.qdd == pytest.approx(3.0)
