"""The four methods: reference motions, orders, drifts of energy, stiffness.

Reference values come from outside: the simple pendulum benchmark, elliptic integrals, motions in
closed form.
"""

import math

import numpy as np
import pytest

import ulna
from ulna import Arm, Joint, simulate

PENDULUM = Arm.point_masses([1.0], [1.0])
SPUN = Arm.rods([1.0], [3.0], gravity=(0.0, 0.0))  # 1 kg·m² about its joint
TWO = Arm.rods([1.0, 1.0], [1.0, 1.0])
DOWN = -math.pi / 2
METHODS = ("dop853", "rk4", "gauss4", "semi-implicit")

# The two rods' first moments: g Σ s_i is what their weights can do.
WEIGHT = 9.81 * (1.5 + 0.5)


def energy_error(run):
    return np.abs(run.energy.balance_error).max()


# Motions that others have worked out


@pytest.mark.parametrize(
    "options",
    [
        {"rtol": 1e-12},
        {"method": "rk4", "dt": 2e-4},
        {"method": "gauss4", "dt": 2e-4},
        {"rtol": None, "dt": 0.01},
    ],
    ids=["dop853", "rk4", "gauss4", "dop853 with fixed steps"],
)
def test_the_simple_pendulum_benchmark(options):
    run = simulate(PENDULUM, q0=[math.pi], duration=10.0, samples=[0.0, 1.0, 5.0, 10.0], **options)
    expected = [
        (-1.0, 0.0),
        (0.986291751132, -0.165010853126),
        (-0.942305435044, -0.334754338414),
        (-0.275087462576, -0.961419205099),
    ]
    assert run.tip[:, :2] == pytest.approx(np.array(expected), rel=0.0, abs=1e-9)


@pytest.mark.parametrize(
    ("amplitude", "period"),
    [
        (10.0, 2.009892627),
        (45.0, 2.086255873),
        (90.0, 2.367841948),
        (120.0, 2.754089829),
        (170.0, 4.893524274),
        (179.0, 7.825796838),
    ],
)
@pytest.mark.parametrize(
    "options", [{"rtol": 1e-13, "atol": 1e-14}, {"method": "gauss4"}], ids=["dop853", "gauss4"]
)
def test_the_period_of_a_large_swing(amplitude, period, options):
    start = DOWN + math.radians(amplitude)
    run = simulate(
        PENDULUM, q0=[start], duration=1.3 * period, samples=2, events={"bottom": "q1 + pi/2"},
        **options,
    )  # fmt: skip
    down, up = (event.t for event in run.events[:2])
    assert 2.0 * (up - down) == pytest.approx(period, rel=0.0, abs=1e-8)
    # From the top of the swing to the bottom it is a quarter.
    assert 4.0 * down == pytest.approx(period, rel=0.0, abs=4e-8)


# Orders, measured on the state of two rods from rest near their hanging posture


def final_state(method, dt, **options):
    # Absolute angles −1 and −0.8.
    run = simulate(TWO, q0=[-1.0, 0.2], duration=2.0, samples=2, method=method, dt=dt, **options)
    return np.concatenate([run.q[-1], run.qd[-1]])


@pytest.fixture(scope="module")
def exact():
    return final_state("dop853", 1e-3, rtol=1e-13, atol=1e-14)


def slope(steps, errors):
    return np.polyfit(np.log(steps), np.log(errors), 1)[0]


@pytest.mark.parametrize(
    ("method", "steps", "order"),
    [
        ("rk4", [0.5e-3, 1e-3, 2e-3, 4e-3], 4.0),
        ("gauss4", [2e-3, 4e-3, 5e-3, 8e-3], 4.0),
        ("semi-implicit", [0.5e-4, 1e-4, 2e-4, 5e-4, 1e-3], 1.0),
        ("dop853", [2.0 / 80, 2.0 / 60, 2.0 / 40, 2.0 / 30], 8.0),
    ],
)
def test_the_order_of_a_method(method, steps, order, exact):
    options = {"rtol": None} if method == "dop853" else {}
    errors = [np.abs(final_state(method, dt, **options) - exact).max() for dt in steps]
    assert slope(steps, errors) == pytest.approx(order, abs=0.1)


def test_a_tighter_tolerance_is_a_smaller_error(exact):
    tolerances = [1e-4, 1e-6, 1e-8, 1e-10, 1e-12]
    errors = [
        np.abs(final_state("dop853", 1e-3, rtol=rtol, atol=1e-14) - exact).max()
        for rtol in tolerances
    ]
    assert (np.diff(errors) < 0.0).all()
    assert all(error <= 100.0 * rtol for error, rtol in zip(errors, tolerances, strict=True))


# Energy


def test_the_energy_drift_of_rk4_falls_with_the_fifth_power_of_the_step():
    steps = [1e-3, 2e-3, 5e-3, 1e-2]
    drifts = [
        abs(
            simulate(TWO, q0=[0.0, 0.0], duration=10.0, method="rk4", dt=dt).energy.balance_error[
                -1
            ]
        )
        for dt in steps
    ]
    assert drifts == pytest.approx([2.2e-8, 6.7e-7, 6.2e-5, 1.9e-3], rel=0.1)
    assert slope(steps, drifts) == pytest.approx(4.9, abs=0.2)


STARTS = pytest.mark.parametrize("start", [(0.0, 0.0), (1.5, 0.2)], ids=["level", "high"])


@STARTS
def test_gauss4_keeps_the_energy_for_a_hundred_seconds(start):
    run = simulate(TWO, q0=start, duration=100.0, method="gauss4", samples=10_001)
    assert energy_error(run) <= 1e-7 * WEIGHT


@pytest.mark.slow
@STARTS
def test_gauss4_keeps_the_energy_for_hours(start):
    run = simulate(TWO, q0=start, duration=10_000.0, method="gauss4", samples=100_001)
    assert energy_error(run) <= 1e-7 * WEIGHT


@pytest.mark.slow
@pytest.mark.parametrize(("start", "drift"), [((0.0, 0.0), 1.8e-6), ((1.5, 0.2), 1.6e-5)])
def test_rk4_loses_it_over_hours(start, drift):
    run = simulate(TWO, q0=start, duration=10_000.0, method="rk4", samples=100_001)
    assert 0.1 * drift <= energy_error(run) / WEIGHT <= 10.0 * drift
    assert run.energy.balance_error[-1] < 0.0


def test_gauss4_carries_the_digits_that_a_sum_loses():
    # Without them rounding walks away from an orbit that the method itself closes exactly: a
    # rod that turns freely at a rate no step can represent.
    turns = 100_000
    run = simulate(
        SPUN, q0=[0.0], qd0=[0.1], duration=turns * 1e-3, dt=1e-3, samples=2, method="gauss4"
    )
    assert run.q[-1, 0] == pytest.approx(0.1 * turns * 1e-3, rel=0.0, abs=4e-15)


# Stiff damping


def test_the_semi_implicit_method_is_stable_however_stiff_the_joint():
    stiff = TWO.replace(joints=(Joint(damping=1e6), Joint(damping=1e5)), gravity=(0.0, 0.0))
    run = simulate(stiff, q0=[0.0, 0.5], qd0=[1.0, -1.0], duration=0.1, method="semi-implicit")
    assert run.status
    # Rates die at once, and all the energy is lost to damping.
    assert np.abs(run.qd[-1]).max() <= 1e-9
    assert np.abs(run.q - run.q[0]).max() <= 1e-5


@pytest.mark.parametrize("dt", [1e-3, 1e-2])
def test_its_damped_rate_is_that_of_implicit_euler(dt):
    # q̇' = q̇ − h b q̇'/I, and the angle moves on with the new rate.
    damped = SPUN.replace(joints=(Joint(damping=30.0),))
    run = simulate(damped, q0=[0.0], qd0=[1.0], duration=20 * dt, dt=dt, method="semi-implicit")
    rates = (1.0 + 30.0 * dt) ** -np.arange(21.0)
    assert run.qd[:, 0] == pytest.approx(rates, rel=1e-12)
    assert run.q[:, 0] == pytest.approx(np.append(0.0, dt * np.cumsum(rates[1:])), rel=1e-12)


def test_semi_implicit_steps_of_an_undamped_arm_are_symplectic_euler():
    dt = 1e-3
    run = simulate(TWO, q0=[0.3, 0.4], duration=50 * dt, dt=dt, method="semi-implicit")
    q, qd = run.q[0], run.qd[0]
    for k in range(1, 51):
        qd = qd + dt * ulna.dynamics.forward_dynamics(TWO, q, qd, np.zeros(2))
        q = q + dt * qd
        assert run.q[k] == pytest.approx(q, rel=1e-12)
        assert run.qd[k] == pytest.approx(qd, rel=1e-11)


# Single steps against textbooks


def test_a_step_of_rk4_is_the_textbooks():
    dt, q, qd = 0.02, np.array([0.3, 0.4]), np.array([1.0, -2.0])

    def turning(q, qd):
        return ulna.dynamics.forward_dynamics(TWO, q, qd, np.zeros(2))

    a1 = turning(q, qd)
    a2 = turning(q + dt / 2 * qd, qd + dt / 2 * a1)
    v2 = qd + dt / 2 * a1
    v3 = qd + dt / 2 * a2
    a3 = turning(q + dt / 2 * v2, v3)
    v4 = qd + dt * a3
    a4 = turning(q + dt * v3, v4)
    run = simulate(TWO, q0=q, qd0=qd, duration=dt, dt=dt, samples=2, method="rk4")
    assert run.q[-1] == pytest.approx(q + dt / 6 * (qd + 2 * v2 + 2 * v3 + v4), rel=1e-13)
    assert run.qd[-1] == pytest.approx(qd + dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4), rel=1e-13)


def test_a_step_of_gauss4_solves_its_equations():
    # With the two slopes of order 4, quadratures are exact to degree 3: τ = 12 t² makes q = t⁴.
    run = simulate(SPUN, q0=[0.0], torque=["12*t**2"], duration=0.5, dt=0.5, method="gauss4")
    assert run.qd[-1, 0] == pytest.approx(4.0 * 0.5**3, rel=1e-14)


def test_dense_output_is_as_good_as_the_steps():
    # Samples in between the steps of dop853 lie on its polynomial of order 7.
    options = {"q0": [0.0, 0.0], "duration": 3.0, "rtol": 1e-9}
    times = np.sort(np.random.default_rng(1).uniform(0.0, 3.0, 300))
    between = simulate(TWO, samples=times, **options)
    finely = simulate(TWO, samples=times, **{**options, "rtol": 1e-13})
    assert np.abs(between.q - finely.q).max() <= 1e-7
    assert np.abs(between.qd - finely.qd).max() <= 1e-6


# Steps


def test_no_step_is_longer_than_asked_for():
    # A rest that lasts lets steps grow; only max_step makes them see a push that is text.
    options = {
        "q0": [0.0], "torque": ["1 if 5 < t < 5.05 else 0"], "duration": 10.0, "samples": 2,
        "rtol": 1e-3, "atol": 1e-3,
    }  # fmt: skip
    seen = simulate(SPUN, max_step=0.02, **options)
    assert seen.qd[-1, 0] == pytest.approx(0.05, abs=0.01)


@pytest.mark.parametrize("method", METHODS)
def test_a_step_that_does_not_divide_the_duration_still_ends_on_time(method):
    run = simulate(SPUN, q0=[0.0], qd0=[1.0], duration=1.0, dt=0.3, method=method, rtol=None)
    assert run.t[-1] == 1.0
    assert run.q[-1, 0] == pytest.approx(1.0, rel=1e-14)
    # The steps are made equal, and none is longer than dt.
    assert len(run) == 5


def test_the_usual_method_is_dop853_and_rk4_under_a_controller():
    free = simulate(SPUN, q0=[0.0], duration=0.01)
    held = simulate(SPUN, q0=[0.0], duration=0.01, controller=ulna.control.PD(1.0, 1.0))
    assert (free.scenario.method, held.scenario.method) == ("dop853", "rk4")
