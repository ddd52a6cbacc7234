"""Joints at their limits: hits, rebounds, rests and releases, and what they do to other joints."""

import math
from itertools import pairwise

import numpy as np
import pytest

from tabular import tabular
from ulna import Arm, Joint, Simulation, simulate
from ulna.dynamics import mass_matrix
from ulna.scenario import Scenario
from ulna.scenario.disturbances import pulse

METHODS = ("dop853", "rk4", "gauss4", "semi-implicit")
FLAT = {"gravity": (0.0, 0.0)}


def limited(*limits, **options):
    """Give rods of 1 m; a single one has 1 kg·m² about its joint."""
    n = len(limits)
    joints = [Joint() if limit is None else Joint(*limit) for limit in limits]
    return Arm.rods([1.0] * n, [3.0] * n, joints=joints, **{**FLAT, **options})


ROD = limited((-1.0, 1.0))


def contacts(run, what=None):
    return [(c.joint, c.side, c.what) for c in run.contacts if what in (None, c.what)]


# Hits


@tabular("method", METHODS)
@tabular("dt", [1e-3, 0.17])
@tabular(("rate", "side"), [(2.0, "upper"), (-2.0, "lower")])
def test_a_hit_is_found_wherever_in_a_step_it_lies(method, dt, rate, side):
    run = simulate(ROD, q0=[0.0], qd0=[rate], duration=1.0, method=method, dt=dt, restitution=0.5)
    (hit,) = run.contacts
    assert (hit.joint, hit.side, hit.what) == (1, side, "hit")
    assert hit.t == pytest.approx(0.5, rel=0.0, abs=1e-9)
    assert hit.speed == pytest.approx(rate, rel=1e-12)
    # Back at half the speed.
    expected = math.copysign(1.0 - 0.5, rate)
    assert run.q[-1, 0] == pytest.approx(expected, rel=0.0, abs=1e-9)
    assert run.qd[-1, 0] == pytest.approx(-0.5 * rate, rel=1e-12)


def test_a_falling_rod_hits_when_a_pendulum_would():
    # From level to hanging: a quarter of the period of a swing of 90°.
    arm = Arm.point_masses([1.0], [1.0], joints=[Joint(lower=-math.pi / 2)])
    run = simulate(arm, q0=[0.0], duration=1.0, rtol=1e-12)
    assert run.contacts[0].t == pytest.approx(2.367841948 / 4.0, rel=0.0, abs=1e-9)
    assert run.contacts[0].speed == pytest.approx(-math.sqrt(2.0 * 9.81), rel=1e-9)


@pytest.mark.parametrize("restitution", [0.0, 0.3, 1.0])
def test_restitution_is_the_part_of_the_speed_that_comes_back(restitution):
    run = simulate(ROD, q0=[0.0], qd0=[4.0], duration=0.4, restitution=restitution)
    assert run.qd[-1, 0] == pytest.approx(-4.0 * restitution, rel=1e-9, abs=1e-12)
    # What is lost is the rest of the energy.
    assert run.dissipated[-1] == pytest.approx(0.5 * 16.0 * (1.0 - restitution**2), rel=1e-9)


@pytest.mark.parametrize("method", ["dop853", "rk4", "gauss4"])
@pytest.mark.parametrize("beyond", [1e-6, 1e-3, 3e-3])
def test_a_brief_touch_between_two_looks_is_felt(method, beyond):
    # q = ¾ + beyond + t − t² has its top just beyond the stop, in the middle of a long step.
    run = simulate(
        ROD, q0=[0.75 + beyond], qd0=[1.0], torque=[-2.0], duration=1.0, dt=0.07, method=method,
        samples=1001,
    )  # fmt: skip
    assert contacts(run, "hit") == [(1, "upper", "hit")]
    assert run.contacts[0].t == pytest.approx(0.5 - math.sqrt(beyond), abs=1e-8)
    assert run.q.max() <= 1.0 + 1e-11


# Rest


@pytest.mark.parametrize("method", METHODS)
def test_a_joint_that_is_pushed_against_its_stop_rests_there(method):
    run = simulate(ROD, q0=[0.0], torque=[2.0], duration=3.0, method=method)
    assert contacts(run) == [(1, "upper", "hit"), (1, "upper", "rest")]
    resting = run.t > run.contacts[-1].t + 1e-9
    assert resting.sum() > 100
    # To the last bit.
    assert set(run.q[resting, 0]) == {1.0}
    assert set(run.qd[resting, 0]) == {0.0}
    assert set(run.qdd[resting, 0]) == {0.0}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_it_is_released_when_the_torque_turns(method, side):
    # 2 (1 − t) N·m push it on, and pull it back from t = 1 on; it arrives long before.
    near = 1.0 - 1e-3
    arm = limited((-near, near))
    run = simulate(
        arm, q0=[side * (near - 0.1)], torque=[f"{side}*2*(1 - t)"], duration=1.5, method=method
    )
    assert [what for _, _, what in contacts(run)] == ["hit", "rest", "release"]
    release = run.contacts[-1]
    assert release.t == pytest.approx(1.0, rel=0.0, abs=1e-6)
    # From there its way is that of a torque that grows from nothing: (t − 1)³/3.
    close = 2e-3 if method == "semi-implicit" else 1e-6
    assert run.q[-1, 0] == pytest.approx(side * (near - 0.5**3 / 3.0), rel=0.0, abs=close)


@pytest.mark.parametrize("method", METHODS)
def test_a_release_is_one_release(method):
    # Pressed against its stop by the swing of the first joint, the second leaves it when that
    # turns: there the torque of the stop is zero but for rounding, which must not bring it back.
    for k in range(40):
        joints = [Joint(-3.0, 0.6), Joint(-0.4, 0.4 + 1e-3 * k)]
        arm = Arm.rods([1.0, 1.0], [1.0, 1.0], joints=joints)
        run = simulate(
            arm, q0=[0.1, 0.2], torque=[f"{0.2 * k}*sin(3*t)", 0.1 * k], duration=0.6,
            method=method, rtol=1e-6, samples=2,
        )  # fmt: skip
        assert run.status.ok, (k, str(run.status))
        whats = [c.what for c in run.contacts if c.joint == 2]
        assert "rest" not in [b for a, b in pairwise(whats) if a == "release"]


def test_a_push_lets_it_go_and_it_comes_back():
    run = simulate(
        ROD, q0=[1.0], torque=[1.0], duration=3.0, disturbances=[pulse([-5.0], at=1.0, lasting=0.1)]
    )
    assert [what for _, _, what in contacts(run)] == ["rest", "release", "hit", "rest"]
    assert run.contacts[1].t == pytest.approx(1.0, abs=1e-9)
    # Away with 0.4 rad/s after 0.1 s and 0.02 rad, back under 1 rad/s².
    back = 1.1 + 0.4 + math.sqrt(0.4**2 + 2.0 * 0.02)
    assert run.contacts[2].t == pytest.approx(back, abs=1e-9)


def test_one_that_starts_at_its_stop_rests_if_it_is_pushed_and_leaves_if_it_is_not():
    pushed = simulate(ROD, q0=[1.0], torque=[1.0], duration=0.5)
    assert contacts(pushed) == [(1, "upper", "rest")]
    assert (pushed.q == 1.0).all()
    pulled = simulate(ROD, q0=[1.0], torque=[-1.0], duration=0.5)
    assert contacts(pulled) == []
    assert pulled.q[-1, 0] == pytest.approx(1.0 - 0.125, rel=1e-12)
    thrown = simulate(ROD, q0=[1.0], qd0=[1.0], duration=0.5, restitution=0.5)
    assert contacts(thrown) == [(1, "upper", "hit")]
    assert thrown.q[-1, 0] == pytest.approx(1.0 - 0.25, rel=1e-12)
    leaving = simulate(ROD, q0=[1.0], qd0=[-1.0], duration=0.5)
    assert contacts(leaving) == []


# Bounces


def test_a_ball_bounces_ever_faster_and_comes_to_rest():
    # Under 2 rad/s² it first hits after 1 s, and then each time after e times as long as before.
    arm = limited((-math.inf, 0.0))
    e = 0.5
    run = simulate(arm, q0=[-1.0], torque=[2.0], duration=4.0, restitution=e, samples=401)
    hits = [c for c in run.contacts if c.what == "hit"]
    times = [1.0 + sum(2.0 * e**j for j in range(1, k + 1)) for k in range(10)]
    assert [hit.t for hit in hits[:10]] == pytest.approx(times, rel=0.0, abs=1e-8)
    assert [hit.speed for hit in hits[:10]] == pytest.approx(
        [2.0 * e**k for k in range(10)], rel=1e-6
    )
    # The endless row of them ends after 3 s; it is cut short, and that is said.
    assert run.contacts[-1].what == "rest"
    assert run.contacts[-1].t == pytest.approx(3.0, abs=1e-4)
    assert len(hits) < 40
    assert (run.q[run.t > 3.01] == 0.0).all()
    assert "cut short once" in str(run.status)
    assert run.status.ok


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("restitution", [0.1, 0.9, 0.99])
def test_chatter_never_hangs_the_run(method, restitution):
    arm = limited((-0.2, 0.2), (-0.2, 0.2))
    run = simulate(
        arm, q0=[0.1, -0.1], qd0=[5.0, -9.0], torque=["3 + sin(t)", -2.0], duration=1.0,
        restitution=restitution, method=method, samples=11,
    )  # fmt: skip
    assert run.status.ok
    assert run.t[-1] == 1.0


# Other joints feel the blow


@pytest.mark.parametrize("joint", [0, 1, 2, 3])
@pytest.mark.parametrize("restitution", [0.0, 0.6])
def test_a_blow_on_one_joint_is_an_impulse_on_all(joint, restitution):
    # M (q̇⁺ − q̇⁻) has an entry at the joint that was struck, and nowhere else.
    limits = [None] * 4
    limits[joint] = (-2.0, 0.5)
    random = np.random.default_rng(joint)
    joints = [
        Joint(*(limit or (-np.inf, np.inf)), rotor_inertia=1e-3, gear_ratio=20.0)
        for limit in limits
    ]
    arm = Arm.rods([1.0, 0.7, 0.5, 0.8], [1.0, 2.0, 0.5, 1.0], joints=joints, gravity=(1.0, -9.0))
    qd = random.uniform(-1.0, 1.0, 4)
    qd[joint] = 5.0
    q = random.uniform(-0.5, 0.4, 4)
    swing = Simulation(
        Scenario(arm=arm, q0=q, qd0=qd, restitution=restitution, until=f"q{joint + 1} - 0.4999999")
    )
    assert swing.advance(1.0).reason == "stopped"
    start = swing.q, swing.qd
    run = simulate(
        arm, q0=start[0], qd0=start[1], duration=2e-7, restitution=restitution, samples=2
    )
    (hit, *_) = run.contacts
    assert (hit.joint, hit.what) == (joint + 1, "hit")
    change = run.qd[-1] - start[1]
    push = mass_matrix(arm, run.q[-1]) @ change
    others = np.delete(push, joint)
    assert np.abs(others).max() <= 1e-5 * abs(push[joint])
    assert push[joint] < 0.0
    assert run.qd[-1, joint] == pytest.approx(-restitution * hit.speed, abs=1e-5)


def test_a_joint_that_rests_while_another_is_struck_stays_or_is_torn_off():
    # Joint 2 rests at its upper stop; joint 1 hits one of its own. Straight and without weight the
    # outer rod swings on if it may: only a lower stop would catch it.
    arm = limited((-1.0, 1.0), (-2.0, 0.0))
    swing = {"q0": [0.0, 0.0], "qd0": [2.0, 0.0], "duration": 0.8}
    carried = simulate(arm, **swing, torque=[0.0, 0.5])
    # Joint 1 is stopped at t = 0.5; the outer rod would overshoot, into the stop that holds it.
    assert [c[:2] for c in contacts(carried, "hit")] == [(1, "upper")]
    assert (carried.q[:, 1] == 0.0).all()
    mirrored = simulate(limited((-1.0, 1.0), (0.0, 2.0)), **swing, torque=[0.0, -0.01])
    # Against a lower stop it would pull: the stop lets go, and the rod swings on at 5 rad/s.
    assert (2, "lower", "release") in contacts(mirrored)
    k = int(np.searchsorted(mirrored.t, 0.5)) + 1
    M = mass_matrix(arm, np.array([1.0, 0.0]))
    blow = (0.0 - 2.0) / np.linalg.inv(M)[0, 0]
    expected = np.array([2.0, 0.0]) + np.linalg.inv(M)[:, 0] * blow
    assert mirrored.qd[k] == pytest.approx(expected, abs=2e-2)


def test_a_resting_joint_carries_the_rest_as_one_body():
    # Two rods joined stiffly are one rod of 2 m: joint 2 pressed against its stop by torque.
    arm = limited(None, (-1.0, 0.0), gravity=(0.0, -9.81))
    joined = simulate(arm, q0=[0.0, 0.0], torque=[0.0, 100.0], duration=1.0, rtol=1e-11)
    one = Arm.rods([2.0], [6.0])
    single = simulate(one, q0=[0.0], duration=1.0, rtol=1e-11)
    assert joined.q[-1, 0] == pytest.approx(single.q[-1, 0], rel=0.0, abs=1e-8)
    assert (joined.q[:, 1] == 0.0).all()


# Limits that do not act


def test_without_stops_limits_mean_nothing():
    run = simulate(ROD, q0=[0.0], qd0=[2.0], duration=1.0, stops=False)
    assert run.q[-1, 0] == pytest.approx(2.0, rel=1e-12)
    assert run.contacts == ()
    beyond = simulate(ROD, q0=[5.0], qd0=[2.0], duration=1.0, stops=False)
    assert beyond.q[-1, 0] == pytest.approx(7.0, rel=1e-12)
