"""What the paper would do next, and how far that has come."""

from __future__ import annotations

from functools import cache

import numpy as np

from ulna.actuation import actuators
from ulna.control import ComputedTorque
from ulna.papers.bechard.parameters import FOUR
from ulna.papers.row import Number, Row, Verdict
from ulna.simulation import simulate, simulate_batch

POSTURE = (0.9, -0.6, 0.4, -0.5)  # [rad] where the four joints are sent, from level
DURATION = 3.0  # [s]
ARMS = 256  # that run together
FREQUENCY = 10.0  # [rad/s] of the servo


def row() -> Row:
    """Return the row of the outlook."""
    error, known = servo_error(), len(actuators())
    return Row(
        key="next",
        title="What it names as work to be done",
        where="§5",
        printed="real motors, friction at rest, training of learning algorithms, servo control",
        ours=(
            f"servo control: here, with feedback inside the engine. Training: {ARMS} arms, or "
            "millions, run together; there are no learning environments yet. Motors: "
            f"{known} actuators with their data, and joints that hold a motor's data. Friction at "
            "rest: held as data. The engine uses neither motors nor dry friction yet"
        ),
        verdict=Verdict.NOT_YET,
        why=(
            "Servo control and runs by the million are here; real motors and friction at rest are "
            "held as data and have no effect yet, and nothing is trained yet."
        ),
        how=(
            "its four-joint arm sent from level to a posture by computed torque at 1 kHz, alone "
            "and in a batch"
        ),
        call=(
            "import ulna\n"
            'arm = ulna.preset("bechard-4")\n'
            "run = ulna.simulate(\n"
            "    arm, q0=[0, 0, 0, 0], duration=3.0, reference=[0.9, -0.6, 0.4, -0.5],\n"
            "    controller=ulna.control.ComputedTorque(natural_frequency=10),\n"
            ")\n"
        ),
        numbers=(
            Number("servo", error, "rad", label=f"servo error after {DURATION:g} s", digits=2),
            Number("batch", batch_difference(), "rad", label="batch against alone", digits=1),
            Number("arms", float(ARMS), "", label="arms in the batch"),
            Number("actuators", float(known), "", label="actuators in the catalogue"),
        ),
    )


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
