"""Friction where the answer is known: break-away, sliding to a stop, stick–slip.

References are formulas, or SciPy's integration of one slip after the other, which shares nothing
with the engine.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from ulna import Arm, Friction, Joint, Link, simulate, simulate_batch, stack

METHODS = ("rk4", "semi-implicit", "gauss4", "dop853")
INERTIA = 0.75  # [kg·m²] about the joint
LEVEL = 3.0 * 9.81 * 0.5  # [N·m] that the weight asks for, level


def one_joint(gravity=(0.0, 0.0), **friction):
    """Give a link of 3 kg whose centre is 0.5 m from its joint, which has friction."""
    mass = Link(1.0, 3.0, com=0.5, inertia=0.0)
    return Arm.of([mass], [Joint(friction=Friction(**friction))], gravity=gravity)


@pytest.mark.parametrize("tilt", [0.0, 0.7])
def test_a_link_stays_where_its_weight_asks_for_no_more_than_static_friction(tilt):
    falls = (9.81 * np.sin(tilt), -9.81 * np.cos(tilt))
    arm = one_joint(falls, coulomb=6.0, static=9.0, stribeck_velocity=0.5)
    edge = np.arccos(9.0 / LEVEL) + tilt
    for beside, stays in ((1e-9, True), (-1e-9, False)):
        run = simulate(arm, q0=[edge + beside], duration=10.0, samples=11, rtol=1e-12)
        assert (run.q == edge + beside).all() == stays
        assert (run.sticking == ((1, 1, 10.0, 0.0),)) == stays
    # Broken away it comes to rest below, where its weight again asks for less.
    assert run.sticking[0].first > 0.5
    assert abs(LEVEL * np.cos(run.q[-1, 0] - tilt)) <= 9.0
    # Friction has then taken what the weight has given.
    fallen = LEVEL * (np.sin(edge - tilt) - np.sin(run.q[-1, 0] - tilt))
    assert run.dissipated[-1] == pytest.approx(fallen, rel=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_a_joint_without_weight_slides_as_far_as_its_energy_lasts(method):
    speed, coulomb = 2.0, 0.6
    run = simulate(one_joint(coulomb=coulomb), q0=[0.1], qd0=[speed], duration=4.0, method=method)
    (stuck,) = run.sticking
    # Under a constant torque every method of second order is exact.
    near = 1e-3 if method == "semi-implicit" else 1e-12
    assert stuck.first == pytest.approx(INERTIA * speed / coulomb, rel=1e-12)
    assert run.q[-1, 0] - 0.1 == pytest.approx(0.5 * INERTIA * speed**2 / coulomb, rel=near)
    assert run.dissipated[-1] == pytest.approx(coulomb * (run.q[-1, 0] - 0.1), rel=1e-12)
    assert not run.qd[run.t >= stuck.first].any()


def test_a_spring_swings_two_friction_bands_less_far_each_time():
    stiffness, coulomb = 12.0, 0.9
    band = coulomb / stiffness
    run = simulate(
        one_joint(coulomb=coulomb), q0=[1.0], torque=f"-{stiffness}*q1", duration=8.0, rtol=1e-12,
        atol=1e-14, samples=80_001,
    )  # fmt: skip
    turned = [1.0]
    while abs(turned[-1]) > band:
        turned.append(-np.sign(turned[-1]) * (abs(turned[-1]) - 2.0 * band))
    half = np.pi * np.sqrt(INERTIA / stiffness)  # [s] of every half swing
    found = [run.q[np.searchsorted(run.t, k * half), 0] for k in range(len(turned))]
    assert found == pytest.approx(turned, abs=1e-6)  # a sample later, at the top of a parabola
    assert run.q[-1, 0] == pytest.approx(turned[-1], abs=1e-10)
    assert run.sticking[-1].first == pytest.approx((len(turned) - 1) * half, rel=1e-9)
    way = np.abs(np.diff(turned)).sum()
    assert run.dissipated[-1] == pytest.approx(coulomb * way, rel=1e-9)


STIFFNESS, PULLED = 20.0, 0.1  # [N·m/rad] of a spring, [rad/s] of its far end
COULOMB, STATIC, STRIBECK = 1.0, 2.0, 0.2


def slips(count):
    """Give when a joint that a spring pulls breaks away, where from, and how long it slides."""

    def slide(t, y):
        friction = COULOMB + (STATIC - COULOMB) * np.exp(-((y[1] / STRIBECK) ** 2))
        return [y[1], (STIFFNESS * (PULLED * t - y[0]) - friction) / INERTIA]

    def stop(t, y):
        return y[1]

    stop.terminal, stop.direction = True, -1
    angle, found = 0.0, []
    for _ in range(count):
        # It rests until the spring is drawn out by f_s/k.
        start = (angle + STATIC / STIFFNESS) / PULLED
        slid = solve_ivp(
            slide, (start, start + 9.0), [angle, 0.0], "DOP853", events=stop, rtol=1e-12, atol=1e-14
        )
        found.append((start, angle, slid.t[-1] - start))
        angle = slid.y[0, -1]
    return np.array(found)


def simulated_slips(count, **options):
    """Give where that joint rests, one slip after the other, and for how long it sticks in all."""
    arm = one_joint(coulomb=COULOMB, static=STATIC, stribeck_velocity=STRIBECK)
    duration = slips(count + 1)[-1, 0]  # until it would break away once more
    torque = f"{STIFFNESS}*({PULLED}*t - q1)"
    run = simulate(arm, q0=[0.0], torque=torque, duration=duration, samples=5001, **options)
    rests = run.q[run.qd[:, 0] == 0.0, 0]
    (stuck,) = run.sticking
    assert stuck.episodes == count + 1
    return np.unique(rests), stuck.seconds


def test_a_joint_that_a_spring_pulls_sticks_and_slips_in_a_cycle():
    times, angles, sliding = slips(5).T
    period = np.diff(times)
    assert period == pytest.approx(period[0], rel=1e-9)  # a limit cycle from its first slip on
    found, seconds = simulated_slips(4, rtol=1e-12, atol=1e-14)
    # Where it rests it rests to the last bit, however often one looks.
    assert found == pytest.approx(angles, abs=1e-10)
    assert seconds == pytest.approx(times[-1] - sliding[:-1].sum(), abs=1e-6)
    assert np.diff(found) / PULLED == pytest.approx(period, rel=1e-9)


def test_the_period_of_stick_and_slip_converges_with_the_step():
    period = np.diff(slips(4)[:, 0])[-1]
    errors = []
    for dt in (8e-3, 4e-3, 2e-3):
        found, _ = simulated_slips(3, method="rk4", dt=dt)
        errors.append(abs(np.diff(found)[-1] / PULLED - period) / period)
    assert np.log2(errors[0] / errors[2]) / 2.0 == pytest.approx(4.0, abs=0.2)
    assert errors[2] <= 1e-9


def test_coulomb_friction_without_static_friction_slows_an_arm_of_a_batch():
    # f = f_c (1 − exp(−(ω/ω_s)²)), which no `Arm` has: numbers that were changed in its arrays.
    free = Arm.of([Link(1.0, 3.0, com=0.5, inertia=0.0)], gravity=(0.0, 0.0)).parameters
    arm = free._replace(coulomb=np.array([0.6]), stribeck_velocity=np.array([0.8]))

    def slope(_, state):
        return [state[1], -0.6 * (1.0 - np.exp(-((state[1] / 0.8) ** 2))) / INERTIA]

    expected = solve_ivp(slope, (0.0, 2.0), [0.1, 2.0], rtol=1e-11, atol=1e-12).y[:, -1]
    run = simulate_batch(stack([arm, free]), q0=[[0.1], [0.1]], qd0=[2.0], duration=2.0)
    assert run.status.ok.all()
    assert np.array([run.q[0, -1, 0], run.qd[0, -1, 0]]) == pytest.approx(expected, abs=1e-9)
    assert run.q[1, -1, 0] == pytest.approx(4.1)
