"""One joint: its equation, the run of the paper's listing, and the errata about both."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from papers import schematics
from papers.bechard import printed, rows, runs
from papers.bechard.arms import (
    DRIVEN,
    DRIVEN_B,
    DRIVEN_TORQUE,
    FOUR,
    FOUR_B,
    ONE,
    ONE_B,
    UNDER_POWERED,
)
from papers.rows_file import Values
from ulna.arm import Arm, Friction, Joint
from ulna.dynamics import forward_dynamics, holding_torque, sequential
from ulna.simulation import simulate

REGIMES = (  # an arm, its B and its torque
    (ONE, ONE_B, 0.0),
    (ONE, ONE_B, UNDER_POWERED),
    (DRIVEN, DRIVEN_B, DRIVEN_TORQUE),
)
STATES = 200  # of every regime, on which the equation is compared
LENGTH, MASS = 5.0, 1.0  # of the driven arm
LINES = ("Mass.1 = 1", "1x, 1y = 0, 0", "weight += m*g*dist*(x/", "(torque weight) / inertia")
FRAMES, DURATION = 2000, 20.0  # an animation of 20 s with 10 ms between its pictures
START = 2.0  # [rad/s] at which both laws of friction are the same
LONG, LATE = 60.0, 55.0  # [s]

rows.picture("001-one-joint.svg")(schematics.one_joint)


@rows.values("equation")
def equation_of_motion() -> Values:
    return {
        "states": STATES * len(REGIMES),
        "difference": largest_difference(),
        "damping": {"1": ONE.joints[0].damping, "5": DRIVEN.joints[0].damping},
    }


def largest_difference() -> float:
    """Return how far the printed accelerations are from ours [rad/s²], at random states."""
    angle, rate = np.random.default_rng(0).uniform(-9.0, 9.0, (2, STATES, 1))
    off = []
    for arm, B, tau in REGIMES:
        link = arm.links[0]
        slope = printed.one_joint(link.length, link.mass, tau, B)
        as_printed = [slope(0.0, state)[1] for state in np.hstack([angle, rate])]
        ours = forward_dynamics(arm, angle, rate, np.array([tau]))[:, 0]
        off.append(np.abs(ours - as_printed).max())
    return float(max(off))


@rows.values("one-joint")
def default_run() -> Values:
    run = runs.one_joint()
    angle = float(run.q[-1, 0])
    return {
        "angle": angle,
        "speed": run.qd[-1, 0],
        "turns": angle / (2.0 * np.pi),
        "weight": holding_torque(ONE, [0.0])[0],
    }


@rows.values("erratum-1")
def surplus_length() -> Values:
    return {
        "motor": DRIVEN_TORQUE,
        "weight": holding_torque(DRIVEN, [0.0])[0],
        "as_printed": -printed.net_torque(LENGTH, MASS, 0.0, 0.0),
    }


@rows.values("erratum-2")
def applied_angle() -> Values:
    return {
        "motor": DRIVEN_TORQUE,
        "turning": forward_dynamics(DRIVEN, [0.0], [0.0], [DRIVEN_TORQUE])[0],
        "as_printed": printed.turning_by_an_angle(LENGTH, MASS, 0.0, 0.0),
    }


@rows.values("erratum-3")
def friction_per_second() -> Values:
    b = DRIVEN.joints[0].damping
    straight, folded = (
        FOUR_B[0] * float(sequential.frozen(FOUR, np.array(theta)).inertia[0])
        for theta in ([0.0] * 4, [0.0, math.pi, math.pi, 0.0])
    )
    return {
        "damping": b,
        "times": b / DRIVEN_B,
        "straight": straight,
        "folded": folded,
        "difference": as_damper(),
    }


def as_damper() -> float:
    """Return how far [rad/s²] its friction is from dampers of B_a I_a, at random states."""
    theta, rate = np.random.default_rng(1).uniform(-np.pi, np.pi, (2, 200, 4))
    none, per_second = np.zeros(4), np.array(FOUR_B)
    inertia = sequential.frozen(FOUR, theta).inertia
    damped = FOUR.parameters._replace(damping=per_second * inertia)
    with_damper = sequential.forward_dynamics(damped, theta, rate, none)
    with_b = sequential.forward_dynamics(FOUR, theta, rate, none, sequential_damping=per_second)
    return float(np.abs(with_damper - with_b).max())


@rows.values("erratum-4")
def quadratic_law() -> Values:
    b = ONE.joints[0].damping
    return {
        "start": START,
        "late": LATE,
        "long": LONG,
        "linear": speed_left(ONE),
        "square": speed_left(ONE.replace(joints=[Joint(friction=Friction(drag=b / START))])),
    }


def speed_left(arm: Arm) -> float:
    """Return the fastest speed [rad/s] of the pendulum after a minute."""
    run = simulate(arm, q0=[0.0], qd0=[START], duration=LONG, progress=False)
    return float(np.abs(run.qd[run.t >= LATE]).max())


@rows.values("erratum-5")
def name_of_the_solver() -> Values:
    return {"order": measured_order()}


@cache
def measured_order() -> float:
    """Return the order by which the error of fixed steps falls when they are halved."""
    given: dict[str, Any] = {
        "q0": [0.0],
        "torque": [10.0],
        "duration": 4.0,
        "samples": 2,
        "progress": False,
    }
    exact = simulate(ONE, **given, rtol=1e-13).q[-1, 0]
    coarse, fine = (
        abs(simulate(ONE, **given, rtol=None, dt=dt).q[-1, 0] - exact) for dt in (0.1, 0.05)
    )
    return float(np.log2(coarse / fine))


@rows.values("erratum-6")
def code_in_print() -> Values:
    late = DURATION - printed.clock(FRAMES - 1, DURATION, FRAMES)
    folded = Arm.point_masses([1.0, 1.0], [1.0, 1.0])
    lost = printed.weight_by_division(1.0, 0.0, 0.0)
    return {
        "lines": len(LINES),
        "refused": sum(not _is_python(line) for line in LINES),
        "found": "0/0" if np.isnan(lost) else f"{lost:.2f}".replace("-", "−"),
        "weight": sequential.frozen(folded, np.array([0.0, np.pi])).weight[0],
        "frames": FRAMES,
        "late": late,
        "late_ms": 1000.0 * late,
    }


def _is_python(line: str) -> bool:
    try:
        compile(line, "<printed>", "exec")
    except SyntaxError:
        return False
    return True


@rows.values("erratum-12")
def weight_by_sine() -> Values:
    angles = np.linspace(-np.pi, np.pi, 1441)
    right = holding_torque(ONE, angles[:, None])[:, 0]
    as_printed = np.array([printed.weight_by_sine(1.0, 1.0, angle) for angle in angles])
    off = np.abs(as_printed - right).max()
    return {"largest": off, "of_weight": off / np.abs(right).max()}
