"""The runs that rows, figures and players of paper 001 share, each made once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, TypeAlias

import numpy as np

from papers.bechard.arms import (
    FOUR,
    FOUR_ANGLES,
    FOUR_B,
    FOUR_RATES,
    FOUR_TORQUES,
    ONE,
    SKATER,
    SKATER_B,
    SKATER_TORQUES,
    damped,
    joint_values,
    link_angles,
    link_rates,
    lying_flat,
    rubbed,
    without_friction,
)
from ulna.arm import Arm
from ulna.dynamics import absolute
from ulna.simulation import Run, compiled, simulate

Model: TypeAlias = Literal["sequential", "full"]
# How the paper's B is read: as it is meant, per second, which is b_a = B_a I_a(θ) at joint a; by
# its number, as b_a = B_a N·m·s/rad; or as the constant dampers of the presets.
Friction: TypeAlias = Literal["per second", "by its number", "of the preset"]

FOUR_START: dict[str, Any] = {"q0": joint_values(FOUR_ANGLES), "qd0": joint_values(FOUR_RATES)}
MODELS: dict[Model, str] = {"sequential": "sequential model", "full": "true dynamics"}
SPIN = 1.0  # [rad/s] of the skater with her arms out
TUCK = 1.5, 3.0  # [s] when the arms begin to come in, and when they are
SERVO = 400.0, 60.0  # spring [N·m/rad] and damper [N·m·s/rad] that bring them in
FOLDING = 0.5 * np.pi  # [s] until links at 1 and 3 rad/s, straight at first, lie on one another


@cache
def one_joint() -> Run:
    """Run one joint as the paper's listing does: 10 N·m, 20 s, from rest at 0."""
    return simulate(ONE, q0=[0.0], torque=[10.0], duration=20.0, progress=False)


@cache
def four(model: Model, friction: Friction = "per second") -> Run:
    """Run the paper's four joints for its 20 s."""
    options: dict[str, Any] = {**FOUR_START, "duration": 20.0, "samples": 8001, "rtol": 1e-12}
    return _driven(FOUR, FOUR_TORQUES, FOUR_B, model, friction, **options)


@cache
def four_by_link_rates() -> Run:
    """Run the true four joints with friction at the joints that goes with the rates of the links.

    No bearing does that, but the paper's formula says so.
    """
    torque = rubbed(FOUR, FOUR_TORQUES, FOUR_B, link_rates=True)
    options: dict[str, Any] = {**FOUR_START, "duration": 20.0, "samples": 2, "rtol": 1e-12}
    return simulate(without_friction(FOUR), torque=torque, progress=False, **options)


def _driven(
    arm: Arm,
    torque: tuple[float, ...],
    B: tuple[float, ...],
    model: Model,
    friction: Friction,
    **options: Any,
) -> Run:
    """Run an arm under constant torques, by a model and with a friction that go with each other.

    With the friction per second both have τ_a − B_a I_a(θ) times a rate at joint a: that of the
    link in the paper's model, which knows no other, and that of the joint in the true arm.
    """
    options = {**options, "progress": False}
    if friction != "per second":
        moved = damped(arm, B) if friction == "by its number" else arm
        return simulate(moved, torque=torque, dynamics=model, **options)
    free = without_friction(arm)
    if model == "sequential":
        return simulate(free, torque=torque, dynamics=model, sequential_damping=B, **options)
    return simulate(free, torque=rubbed(arm, torque, B), **options)


@cache
def four_losing_speed(nudge: float = 0.0) -> Run:
    """Run the true four joints for 3 s, the paper's −B θ̇ added to the accelerations of the links.

    That is a torque of −M (B θ̇), which no damper gives.
    """
    weightless = compiled(lying_flat(FOUR))
    still, applied, per_second = np.zeros(4), np.array(FOUR_TORQUES), np.array(FOUR_B)

    def torque(_t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        lost = joint_values(per_second * np.cumsum(qd))
        return np.asarray(applied - weightless.inverse_dynamics(q, still, lost))

    start: dict[str, Any] = {
        "q0": joint_values(FOUR_ANGLES + nudge),
        "qd0": joint_values(FOUR_RATES + nudge),
    }
    options: dict[str, Any] = {"duration": 3.0, "samples": 2, "rtol": 1e-12, "progress": False}
    return simulate(without_friction(FOUR), **start, torque=torque, **options)


@cache
def four_pushed(torque: str) -> Run:
    """Run the four joints in the paper's model for 5 s, the first under a torque in words."""
    return simulate(
        FOUR,
        **FOUR_START,
        torque=[torque, 0.0, 0.0, 0.0],
        duration=5.0,
        samples=501,
        rtol=1e-11,
        progress=False,
        dynamics="sequential",
        sequential_damping=FOUR_B,
    )


@cache
def skater(model: Model, friction: Friction = "per second") -> Run:
    """Run the skater from rest for 5 s; events are when the outer link stands across the inner."""
    options: dict[str, Any] = {"q0": [0.0, 0.0], "duration": 5.0, "samples": 2001, "rtol": 1e-11}
    options["events"] = {"across": "cos(q2)"}
    return _driven(SKATER, SKATER_TORQUES, SKATER_B, model, friction, **options)


@cache
def let_go(model: Model, angle: float = 0.0) -> Run:
    """Release the skater's arm at rest, straight at an angle, without torque and friction, 20 s."""
    return _free(without_friction(SKATER), model, q0=[angle, 0.0], duration=20.0, samples=20001)


@cache
def folding(model: Model) -> Run:
    """Simulate the skater's arm without weight, torque and friction, its links at 1 and 3 rad/s."""
    return _free(
        lying_flat(SKATER),
        model,
        q0=[0.0, 0.0],
        qd0=joint_values(np.array([1.0, 3.0])),
        duration=FOLDING,
        samples=201,
    )


def _free(arm: Arm, model: Model, **options: Any) -> Run:
    return simulate(arm, rtol=1e-13, progress=False, dynamics=model, **options)


@cache
def tucking(model: Model) -> Run:
    """Let the skater spin free of weight, torque and friction, and tuck in its outer link.

    A servo at joint 2, a spring and a damper, folds it between two times; joint 1 turns freely.
    """
    start, end = TUCK
    part = f"min(max((t - {start!r})/{end - start!r}, 0), 1)"
    folded = f"pi*({part})**3*(10 - 15*({part}) + 6*({part})**2)"
    servo = f"{SERVO[0]!r}*({folded} - q2) - {SERVO[1]!r}*qd2"
    options: dict[str, Any] = {"q0": [0.0, 0.0], "qd0": [SPIN, 0.0], "torque": ["0", servo]}
    return _free(lying_flat(SKATER), model, **options, duration=6.0, samples=2401)


def angular_momentum(run: Run) -> np.ndarray:
    """Return the angular momentum (S,) [kg·m²/s] about the base: M φ̇, summed over the links."""
    M = absolute.mass_matrix(SKATER, link_angles(run))
    return np.asarray(np.sum(M @ link_rates(run)[..., None], axis=(-2, -1)))


def total_energy(run: Run) -> np.ndarray:
    """Return kinetic and potential energy (S,) [J] together."""
    return np.asarray(run.energy.kinetic) + np.asarray(run.energy.potential)


def changes(first: Mapping[str, float]) -> dict[str, float]:
    """Return by how much [rad] the first link ends elsewhere than in the paper's model."""
    causes = {"coupling": "true", "friction": "rubbed", "together": "both"}
    return {cause: first[name] - first["sequential"] for cause, name in causes.items()}
