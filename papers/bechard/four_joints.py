"""Joints in a row: the sequential model, and the paper's four joints in it and in truth."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from papers import schematics
from papers.bechard import printed, rows, runs
from papers.bechard.arms import (
    DOWN,
    FOUR,
    FOUR_B,
    FOUR_TORQUES,
    ONE,
    link_angles,
    link_rates,
)
from papers.bechard.runs import MODELS, Model
from papers.figures import PATTERNS, curve, finish, joint_curves, page_of_panels, series
from papers.rows_file import Values
from ulna.actuation import actuators
from ulna.angles import absolute_to_relative
from ulna.arm import Friction, Joint, TorqueSpeedMotor
from ulna.control import ComputedTorque
from ulna.dynamics import gravity_torque, holding_torque, mass_matrix, sequential
from ulna.simulation import Run, simulate, simulate_batch
from ulna.viewer import PRINT, Theme, plot_motion, styled

STATES = 200
NUDGE = 1e-9  # [rad], [rad/s]
PAGE = (9.0, 9.2)  # [inches]
HEIGHTS = (1.7, 1.0, 1.0)  # of the motion, the angles and the energies, to one another
POSTURE = (0.9, -0.6, 0.4, -0.5)  # [rad] where the four joints are sent, from level
DURATION = 3.0  # [s]
ARMS = 256  # that run together
FREQUENCY = 10.0  # [rad/s] of the servo
DRY = 0.5  # [N·m] of friction at rest, and in motion
STALL = 10.0  # [N·m] of the motor in the paper's first listing
NO_LOAD = 12.0  # [rad/s] at which a real one has no torque left
SPINNING = 20.0  # [s] of that listing

rows.picture("001-sequential.svg")(schematics.sequential_arm)


@rows.values("sequential")
def sequential_model() -> Values:
    random = np.random.default_rng(2)
    angle = random.uniform(-np.pi, np.pi, (STATES, 4))
    rate, tau = random.uniform(-3.0, 3.0, (STATES, 4)), random.uniform(-99.0, 99.0, (STATES, 4))
    ours = sequential.forward_dynamics(FOUR, angle, rate, tau, sequential_damping=np.array(FOUR_B))
    sums = [
        printed.sequential(FOUR, torque, FOUR_B)(0.0, state)[4:]
        for torque, state in zip(tau.tolist(), np.hstack([angle, rate]), strict=True)
    ]
    q, seen = absolute_to_relative(angle), sequential.frozen(FOUR, angle)
    diagonal = np.diagonal(mass_matrix(FOUR, q), axis1=-2, axis2=-1)
    return {
        "states": STATES,
        "accelerations": _apart(ours, np.array(sums)),
        "inertias": _apart(seen.inertia, diagonal),
        "weights": _apart(seen.weight, gravity_torque(FOUR, q)),
    }


def _apart(ours: np.ndarray, other: np.ndarray) -> float:
    return float(np.abs(ours - other).max() / np.abs(other).max())


@rows.values("four-joints")
def four_joints() -> Values:
    found = {
        "sequential": runs.four("sequential"),
        "true": runs.four("full"),
        "rubbed": runs.four("sequential", "by its number"),
        "both": runs.four("full", "by its number"),
    }
    losing, nudged = runs.four_losing_speed(), runs.four_losing_speed(NUDGE)
    first = {name: float(link_angles(run)[-1, 0]) for name, run in found.items()}
    return {
        **{
            name: {"angle": link_angles(run)[-1], "speed": link_rates(run)[-1]}
            for name, run in found.items()
        },
        "preset_angle": link_angles(runs.four("full", "of the preset"))[-1],
        "losing_angle": link_angles(losing)[-1],
        "turning": link_rates(found["true"])[-1].mean(),
        "taken": first["sequential"] - first["true"],
        **runs.changes(first),
        "by_links": link_angles(runs.four_by_link_rates())[-1, 0],
        "nudged": np.abs(link_angles(nudged)[-1] - link_angles(losing)[-1]).max(),
    }


@rows.picture("001-four-joints.png")
def four_joints_figure(theme: Theme = PRINT) -> Figure:
    """Draw the four joints in both models: the end of the motion, angles and energies."""
    with styled(theme):
        figure = Figure(figsize=PAGE, dpi=150, layout="constrained")
        panels: Any = figure.subplots(3, 2, height_ratios=HEIGHTS)
        for column, (model, name) in zip(panels.T, MODELS.items(), strict=True):
            run = runs.four(model)
            plot_motion(column[0], run, theme=theme).set_title(f"{name}, the end of 20 s")
            joint_curves(column[1], run.t, link_angles(run), r"\theta", theme, "link angle [rad]")
            _energy_and_work(column[2], run, model, theme)
    return figure


def _energy_and_work(axes: Axes, run: Run, model: Model, theme: Theme) -> None:
    energy = runs.total_energy(run)
    first, second = series(2, theme)
    curve(axes, run.t, 1e-3 * (energy - energy[0]), "energy gained", first)
    work = 1e-3 * work_done(run, model)
    curve(axes, run.t, work, "work of motors less friction", {**second, "ls": PATTERNS[2]})
    finish(axes, theme, ylabel="energy [kJ]")


def work_done(run: Run, model: Model) -> np.ndarray:
    """Return the work (S,) [J] of the motors less friction, as the equations of the model have it.

    In the paper's model a torque τ_a and a friction B_a I_a θ̇_a turn link a itself. In the true
    arm friction is a part of the torques at the joints.
    """
    if model == "full":
        return np.asarray(run.injected) - np.asarray(run.dissipated)
    angle, rate = link_angles(run), link_rates(run)
    lost = np.sum(np.array(FOUR_B) * sequential.frozen(FOUR, angle).inertia * rate**2, axis=-1)
    between = 0.5 * (lost[1:] + lost[:-1]) * np.diff(run.t)
    return np.asarray((angle - angle[0]) @ FOUR_TORQUES - np.concatenate([[0.0], between.cumsum()]))


@rows.picture("001-four-joints-apart.svg")
def one_at_a_time(theme: Theme = PRINT) -> Figure:
    """Draw the first link of the four joints, with coupling and friction changed in turn."""
    shown: dict[str, tuple[Model, runs.Friction]] = {
        "the paper: sequential, B per second": ("sequential", "per second"),
        "coupling alone: true, B per second": ("full", "per second"),
        "friction alone: sequential, b = B": ("sequential", "by its number"),
        "both: true, b = B": ("full", "by its number"),
    }
    with styled(theme):
        title = "Four joints: what the coupling does, and what the friction"
        figure, (axes,) = page_of_panels(title, (3.6,))
        for (name, which), style in zip(shown.items(), series(4, theme), strict=True):
            run = runs.four(*which)
            curve(axes, run.t, link_angles(run)[:, 0], name, style)
        finish(axes, theme, ylabel="first link [rad]", columns=2)
    return figure


@rows.values("torque-function")
def torque_of_time() -> Values:
    run = runs.four_pushed("100*t")
    return {"angle": link_angles(run)[-1, 0], "speed": link_rates(run)[-1, 0]}


@rows.picture("001-torque-function.svg")
def growing_torque(theme: Theme = PRINT) -> Figure:
    """Draw the torque that grows with time, and what the links do."""
    run = runs.four_pushed("100*t")
    with styled(theme):
        title = "A torque of 100 t N·m on the first of four joints"
        figure, (above, below) = page_of_panels(title, (1.3, 2.8))
        curve(above, run.t, run.tau[:, 0], r"$\tau_1$", series(1, theme)[0])
        finish(above, theme, ylabel="torque [N·m]")
        joint_curves(below, run.t, link_angles(run), r"\theta", theme, "link angle [rad]")
    return figure


@rows.values("erratum-11")
def torque_asked_once() -> Values:
    asked = {"growing": "100*t", "filled": "0"}
    return {name: link_angles(runs.four_pushed(tau))[-1, 0] for name, tau in asked.items()}


@rows.values("erratum-13")
def where_vectors_end() -> Values:
    lengths, masses = zip(*((link.length, link.mass) for link in FOUR.links), strict=True)
    return {
        "inertia": sequential.frozen(FOUR, np.zeros(4)).inertia[0],
        "by_letter": printed.inertia_to_joints(lengths, masses),
    }


@rows.values("next")
def work_to_be_done() -> Values:
    return {
        "duration": DURATION,
        "servo": servo_error(),
        "batch": batch_difference(),
        "arms": ARMS,
        "actuators": len(actuators()),
        **friction_at_rest(),
        **real_motor(),
    }


def real_motor() -> Values:
    """Turn the arm of the first listing by an ideal motor, and by one that has a no-load speed."""
    motor = TorqueSpeedMotor(stall_torque=STALL, no_load_speed=NO_LOAD)
    options: dict[str, Any] = {"q0": [0.0], "duration": SPINNING, "samples": 2, "progress": False}
    ideal, real = (
        simulate(arm, torque=[STALL], rtol=1e-12, **options).qd[-1, 0]
        for arm in (ONE, ONE.with_motors(motor))
    )
    return {
        "stall": STALL, "no_load": NO_LOAD, "spinning": SPINNING,
        "ideal_speed": ideal, "real_speed": real,
    }  # fmt: skip


def friction_at_rest() -> Values:
    """Let the pendulum of figure 1 go level with dry friction, and say where it comes to rest."""
    arm = ONE.replace(joints=[Joint(friction=Friction(coulomb=DRY))])
    options: dict[str, Any] = {"duration": 20.0, "rtol": 1e-12, "samples": 2, "progress": False}
    run = simulate(arm, q0=[0.0], events={"turns back": "qd1"}, **options)
    (stuck,) = run.sticking
    level = float(holding_torque(arm, np.zeros(1))[0])
    return {
        "dry": DRY,
        "standing": stuck.first,
        "beside": abs(np.degrees(run.q[-1, 0] - DOWN)),
        "band": np.degrees(np.arcsin(DRY / level)),
        "turns_back": len(run.events),
    }


@cache
def _sent() -> np.ndarray:
    run = simulate(
        FOUR,
        q0=np.zeros(4),
        duration=DURATION,
        reference=np.array(POSTURE),
        controller=ComputedTorque(natural_frequency=FREQUENCY),
        method="rk4",
        samples=2,
        progress=False,
    )
    return np.asarray(run.q[-1])


def servo_error() -> float:
    """Return how far [rad] a joint is from where it was sent, at most."""
    return float(np.abs(_sent() - POSTURE).max())


def batch_difference() -> float:
    """Return how far [rad] an arm of a batch, all sent alike, ends from one that runs alone."""
    together = simulate_batch(
        FOUR,
        q0=np.zeros((ARMS, 4)),
        duration=DURATION,
        reference=np.array(POSTURE),
        controller=ComputedTorque(natural_frequency=FREQUENCY),
        method="rk4",
        progress=False,
    )
    return float(np.abs(together.q[:, -1] - _sent()).max())
