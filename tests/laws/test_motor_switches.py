"""Where the law of a motor switches, an adaptive step ends: no short excursion is stepped over.

References are SciPy's, of one smooth law after the other, cut where SciPy's own events say so.
"""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from ulna import Arm, Backlash, Joint, Link, Motor, ServoMotor, StepperMotor, simulate

DOWN = -0.5 * math.pi
RTOL = 1e-12


def pendulum(motor, gravity):
    """Return a point mass of 1 kg at 1 m: its inertia is 1 kg·m²."""
    joint = Joint(motor=motor)
    return Arm.of([Link(1.0, 1.0, com=1.0, inertia=0.0)], [joint], gravity=(0.0, -gravity))


def in_branches(laws, edges, start, branch, duration):
    """Integrate laws {branch: f(t, y)}; edges {branch: [(signal, direction, next branch)]}."""
    t, y = 0.0, np.array(start)
    while t < duration:
        events = []
        for signal, direction, _ in edges[branch]:
            event = lambda t, y, signal=signal: signal(t, y)  # noqa: E731
            event.terminal, event.direction = True, direction
            events.append(event)
        done = solve_ivp(
            laws[branch], (t, duration), y, method="DOP853", rtol=1e-13, atol=1e-15,
            events=events, max_step=2e-3,
        )  # fmt: skip
        t, y = done.t[-1], done.y[:, -1]
        if done.status == 1:
            met = next(k for k, times in enumerate(done.t_events) if len(times))
            branch = edges[branch][met][2]
    return y


@pytest.mark.parametrize("stiffness", [1e3, 1e5])
@pytest.mark.parametrize("depth", [1e-3, 1e-5])
def test_short_excursions_from_a_dead_band_are_seen(stiffness, depth):
    # It swings freely within the band, and turns a little beyond its edges at every half swing.
    g, band, duration = 9.81, 0.5, 4.0
    servo = ServoMotor(1e5, 1e6, stiffness=stiffness, dead_band=band, update_rate=0.1)
    start = [DOWN - 0.1, math.sqrt(2.0 * g * (math.cos(0.1) - math.cos(band + depth)))]
    run = simulate(
        pendulum(servo, g), q0=start[:1], qd0=start[1:], position=[DOWN], duration=duration,
        rtol=RTOL, samples=2,
    )  # fmt: skip

    def law(side):
        def swing(t, y):
            beyond = side * (side * (y[0] - DOWN) - band) if side else 0.0
            return [y[1], -stiffness * beyond - g * math.cos(y[0])]

        return swing

    def edge(side):
        return lambda t, y: y[0] - DOWN - side * band

    laws = {side: law(side) for side in (-1, 0, 1)}
    edges = {
        0: [(edge(1), 1, 1), (edge(-1), -1, -1)],
        1: [(edge(1), -1, 0)],
        -1: [(edge(-1), 1, 0)],
    }
    expected = in_branches(laws, edges, start, 0, duration)
    assert [run.q[-1, 0], run.qd[-1, 0]] == pytest.approx(expected, abs=1e-9)


def test_a_target_that_arrives_is_met_by_the_end_of_a_step():
    stiffness, damping, speed, goal = 80.0, 4.0, 1.3, 0.7
    servo = ServoMotor(
        1e3, 1e6, stiffness=stiffness, damping=damping, max_speed=speed, update_rate=0.5
    )
    run = simulate(
        pendulum(servo, 0.0), q0=[0.0], position=[goal], duration=1.5, rtol=RTOL, samples=2
    )
    # Both laws are linear: first a ramp is followed, then the goal is held.
    arrival = goal / speed
    y = np.zeros(2)
    for lasting, target in ((arrival, lambda t: speed * t), (1.5 - arrival, lambda t: goal)):
        y = solve_ivp(
            lambda t, y, target=target: [y[1], stiffness * (target(t) - y[0]) - damping * y[1]],
            (0.0, lasting), y, method="DOP853", rtol=1e-13, atol=1e-15,
        ).y[:, -1]  # fmt: skip
    assert [run.q[-1, 0], run.qd[-1, 0]] == pytest.approx(y, abs=2e-11)


def test_the_corner_of_a_motor_s_line_ends_a_step():
    # A servo at its limits while it is far from its goal, and not when it is near.
    stall, free, stiffness, damping, goal = 6.0, 4.0, 30.0, 2.0, 0.8
    servo = ServoMotor(stall, free, stiffness=stiffness, damping=damping, update_rate=0.5)
    run = simulate(
        pendulum(servo, 0.0), q0=[0.0], position=[goal], duration=1.2, rtol=RTOL, samples=2
    )

    def wanted(y):
        return stiffness * (goal - y[0]) - damping * y[1]

    def left(y):
        return stall * (1.0 - y[1] / free)

    laws = {
        "limited": lambda t, y: [y[1], left(y)],
        "free": lambda t, y: [y[1], wanted(y)],
        "braking": lambda t, y: [y[1], -stall],
        "limited back": lambda t, y: [y[1], -stall * (1.0 + y[1] / free)],
    }
    above = lambda t, y: wanted(y) - left(y)  # noqa: E731
    below = lambda t, y: wanted(y) + stall  # noqa: E731
    below_back = lambda t, y: wanted(y) + stall * (1.0 + y[1] / free)  # noqa: E731
    turned = lambda t, y: y[1]  # noqa: E731
    edges = {
        "limited": [(above, -1, "free")],
        "free": [(above, 1, "limited"), (below, -1, "braking")],
        "braking": [(below, 1, "free"), (turned, -1, "limited back")],
        "limited back": [(below_back, 1, "free")],
    }
    expected = in_branches(laws, edges, [0.0, 0.0], "limited", 1.2)
    assert [run.q[-1, 0], run.qd[-1, 0]] == pytest.approx(expected, abs=2e-11)


def test_the_limit_of_a_current_ends_a_step():
    # A sinusoidal command of 3 A, of which the driver gives 2 A.
    motor = Motor(48.0, 0.1, torque_constant=0.5, max_current=2.0)
    run = simulate(
        pendulum(motor, 0.0), q0=[0.0], current="3*sin(2*t)", duration=3.0, rtol=RTOL, samples=2
    )
    times = [math.asin(2.0 / 3.0) / 2.0]  # where the command passes the limit
    times += [0.5 * math.pi - times[0], 0.5 * math.pi + times[0], math.pi - times[0], 3.0]
    y, t = np.zeros(2), 0.0
    for k, end in enumerate(times):
        held = {1: 1.0, 3: -1.0}.get(k)
        y = solve_ivp(
            lambda t, y, held=held: [y[1], held if held else 1.5 * math.sin(2.0 * t)],
            (t, end), y, method="DOP853", rtol=1e-13, atol=1e-15,
        ).y[:, -1]  # fmt: skip
        t = end
    assert [run.q[-1, 0], run.qd[-1, 0]] == pytest.approx(y, abs=2e-11)


def test_a_stepper_steps_where_its_command_does():
    # 8 steps of 0.1 rad in 1.6 s, after which the field stands still.
    holding, step, damping = 2.0, 0.1, 1.0
    stepper = StepperMotor(holding, 50.0, 99.0, step_angle=step, damping=damping)
    run = simulate(
        pendulum(stepper, 0.0), q0=[0.0], position="0.5*t", duration=1.6, rtol=RTOL, samples=2
    )
    y, t = np.zeros(2), 0.0
    for k in range(9):
        end = min((k + 0.5) * step / 0.5, 1.6)
        y = solve_ivp(
            lambda t, y, k=k: [
                y[1],
                holding * math.sin(0.5 * math.pi * (k * step - y[0]) / step) - damping * y[1],
            ],
            (t, end), y, method="DOP853", rtol=1e-13, atol=1e-15,
        ).y[:, -1]  # fmt: skip
        t = end
    assert [run.q[-1, 0], run.qd[-1, 0]] == pytest.approx(y, abs=1e-9)


def test_teeth_that_meet_for_a_moment_are_seen():
    # A heavy rotor thrown through its gap, whose teeth part again: energy and momentum are kept.
    motor = Motor(
        24.0, 1.0, torque_constant=0.05, gear_ratio=10.0, rotor_inertia=0.01,
        backlash=Backlash(0.4, 1e5),
    )  # fmt: skip
    arm = pendulum(motor, 0.0)
    run = simulate(arm, q0=[0.0], qd0=[0.0], current="20 if t < 0.05 else 0", duration=4.0,
                   rtol=RTOL, samples=400)  # fmt: skip
    rotor = 0.01 * 10.0**2
    spin = run.qd[:, 0] + rotor * run.rotor_rate[:, 0]
    pushed = 20.0 * 0.05 * 10.0 * np.minimum(run.t, 0.05)  # the impulse of the motor
    assert spin == pytest.approx(pushed, abs=1e-9)
    energy = 0.5 * run.qd[:, 0] ** 2 + 0.5 * rotor * run.rotor_rate[:, 0] ** 2
    apart = np.abs(run.rotor_angle[:, 0] - run.q[:, 0]) < 0.2
    after = apart & (run.t > 0.05)
    assert len(np.unique(np.sign(np.diff(run.qd[after, 0]).round(6)))) > 1  # it was hit
    assert energy[after] == pytest.approx(np.full(after.sum(), energy[after][0]), rel=1e-9)
