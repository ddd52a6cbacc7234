"""The arm on its path under feedback at 1 kHz, and how far off its tip is."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any, NamedTuple

import numpy as np

import ulna
from ulna.analysis import tracking
from ulna.arm import Arm
from ulna.arrays import Array
from ulna.control import PD, PID, ComputedTorque, FeedforwardPID, GravityPD
from ulna.errors import UlnaWarning
from ulna.papers.kehl.motions import RODS, arm, plan, printed_plan
from ulna.papers.kehl.replay import torque_at
from ulna.simulation import Run, Sensors

SPRINGS = ([400.0, 100.0], [40.0, 10.0])  # [N·m/rad] and [N·m·s/rad]
SETTLED = 1.0  # [s] after which a start from rest is forgotten
RATE = 1000.0  # [Hz]
FIRST = 6.0  # [s] of a film
DAMPING = 0.5  # [N·m·s/rad]
DRY = ulna.Friction(coulomb=2.0)  # [N·m]
MOTOR = ulna.Motor(voltage=24.0, resistance=0.6, torque_constant=0.04)  # [V], [Ω], [N·m/A]
COUNTS = 4096  # of an encoder


class Error(NamedTuple):
    """How far [m] the tip is off: over all, after the first second, and at every sample."""

    rms: float
    later: float
    t: Array
    size: Array


def heavier() -> Arm:
    """Return the arm with all masses a tenth more."""
    return ulna.Arm.rods([0.5, 0.5], [1.1, 11.0])


def damped() -> Arm:
    """Return the arm with some damping in its joints."""
    joint = ulna.Joint(damping=DAMPING)
    return arm().replace(joints=[joint, joint])


def options(law: str) -> dict[str, Any]:
    """Return what `simulate` is told for a law by its name."""
    laws: dict[str, dict[str, Any]] = {
        "computed torque": {"controller": ComputedTorque(20.0)},
        "wrong masses": {"controller": ComputedTorque(20.0, model=heavier())},
        "feed-forward": {"controller": FeedforwardPID(*SPRINGS, 0.0)},
        "printed torques": {"controller": PD(*SPRINGS), "torque": _held(), "between": "hold"},
        "gravity": {"controller": GravityPD(*SPRINGS)},
        "PD": {"controller": PD(*SPRINGS)},
        "PID": {"controller": PID(*SPRINGS)},
        "encoder": {
            "controller": ComputedTorque(20.0),
            "sensors": Sensors(angle_resolution=2.0 * np.pi / COUNTS),
        },
        "damping": {"arm": damped(), "controller": ComputedTorque(20.0)},
        "unknown damping": {"arm": damped(), "controller": ComputedTorque(20.0, model=arm())},
    }
    return laws[law]


def run(law: str, *, resting: bool = False) -> Run:
    """Follow the path for its minute."""
    told = {"arm": arm(), "rate": RATE, **options(law)}
    moving, made = told.pop("arm"), plan()
    if resting:
        told["q0"] = made.trajectory(0.0).q
    return ulna.simulate(moving, reference=made, **told)


@cache
def error(law: str, *, resting: bool = False) -> Error:
    """Return how far off the tip is under a law."""
    told = tracking(run(law, resting=resting), plan())
    later = told.size[told.t >= SETTLED]
    return Error(told.rms, float(np.sqrt(np.mean(later**2))), told.t, told.size)


def first_seconds() -> dict[str, Run]:
    """Follow the first seconds of the path, once by torques alone and once under feedback."""
    made, start = plan(), plan().trajectory(0.0)
    times = np.linspace(0.0, FIRST, 601)
    common: dict[str, Any] = {"duration": FIRST, "samples": times, "q0": start.q, "qd0": start.qd}
    replayed = ulna.simulate(arm(), torque=torque_at(arm()), rtol=1e-9, atol=1e-14, **common)
    held = ulna.simulate(arm(), controller=ComputedTorque(20.0), reference=made, **common)
    return {"torques replayed": replayed, "with feedback": held}


@cache
def effect_of(**parts: Any) -> float:
    """Return how far [rad] a part of the joints takes a falling arm from one without it, in 1 s."""
    joint = ulna.Joint(**parts)
    with warnings.catch_warnings():
        # Whether it has an effect is what is asked here.
        warnings.simplefilter("ignore", UlnaWarning)
        ends = [
            ulna.simulate(moved, q0=[0.0, 0.5], duration=1.0, samples=2).q[-1]
            for moved in (arm(), arm().replace(joints=[joint, joint]))
        ]
    return float(np.abs(ends[1] - ends[0]).max())


def _held() -> tuple[Array, Array]:
    """Return the printed torques, each from the first tick of the controller after its time."""
    table = printed_plan(RODS)
    return np.ceil(RATE * table.t - 1e-6) / RATE, table.tau
