"""Paper 001 (Bechard & Ivanov) by simulation: one joint in its regimes, four joints.

Its angles are absolute; with one joint there is no difference.
"""

import numpy as np
import pytest

import ulna
from tabular import tabular
from ulna import simulate
from ulna.angles import absolute_to_relative

DOWN = -np.pi / 2

ONE = ulna.preset("bechard-1")  # L 1, m 1, B 0.2
FOUR = ulna.preset("bechard-4")
FOUR_B = (0.5, 0.5, 0.5, 0.25)
FOUR_TORQUES = (300.0, 3.0, 50.0, 5.0)
FOUR_START = {
    "q0": absolute_to_relative(np.array([0.1, 0.1, 0.1, 0.0])),
    "qd0": absolute_to_relative(np.array([0.3, 0.3, 0.3, 0.0])),
}


def run_one(q0, qd0, torque, duration, arm=ONE, **options):
    run = simulate(arm, q0=[q0], qd0=[qd0], torque=[torque], duration=duration, **options)
    assert run.status
    return run


class TestOneJoint:
    def test_it_swings_in_the_well_at_the_frequency_of_its_eigenvalues(self):
        run = run_one(DOWN + 1e-4, 0.0, 0.0, 10.0, samples=2, events={"bottom": "q1 + pi/2"})
        times = [event.t for event in run.events]
        assert np.pi / np.diff(times) == pytest.approx(3.1305, abs=5e-5)

    @tabular(
        ("angle", "rate", "rotates"),
        [
            (DOWN, 0.0, False),
            (-3.0 * np.pi / 4.0, 0.0, False),
            (-np.pi, 0.0, True),
            (-2.711066, 0.0, False),
            (-2.711068, 0.0, True),
            (0.0, 3.0758580, False),
            (0.0, 3.0758582, True),
            (0.0, -4.24735, False),
            (0.0, -4.24737, True),
            (0.0, -8.46381, True),
            (0.0, -8.46383, False),
            (0.0, -9.21828, False),
            (0.0, -9.21830, True),
            (0.0, -12.15534, True),
            (0.0, -12.15536, False),
            (0.0, -12.75971, False),
            (0.0, -12.75973, True),
        ],
    )
    def test_either_side_of_the_border(self, angle, rate, rotates):
        # A fast backward start slows down for seconds before it is decided.
        run = run_one(angle, rate, 4.0, 60.0, samples=2, rtol=1e-11)
        assert (run.qd[-1, 0] > 10.0) == rotates


class TestFourJoints:
    def test_its_four_joints_in_the_sequential_model_stop_at_nothing(self):
        # Limits are of the true joints; the model's angles go round and round.
        limited = FOUR.replace(joints=tuple(ulna.Joint(-1.0, 1.0) for _ in range(4)))
        run = simulate(
            limited, **FOUR_START, torque=FOUR_TORQUES, duration=2.0, dynamics="sequential",
            sequential_damping=FOUR_B,
        )  # fmt: skip
        assert run.status
        assert run.contacts == ()
        assert run.q.max() > 1.0
