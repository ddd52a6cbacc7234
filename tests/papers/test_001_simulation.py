"""Paper 001 (Bechard & Ivanov) by simulation: one joint in its regimes, four joints, the skater.

Its angles are absolute; with one joint there is no difference.
"""

import numpy as np
import pytest

import ulna
from tabular import tabular
from ulna import simulate
from ulna.angles import absolute_to_relative, relative_to_absolute
from ulna.dynamics import absolute

DOWN = -np.pi / 2

ONE = ulna.preset("bechard-1")  # L 1, m 1, B 0.2
DRIVEN = ulna.preset("bechard-1-driven")  # L 5, m 1, B 0.5
FOUR = ulna.preset("bechard-4")
FOUR_B = (0.5, 0.5, 0.5, 0.25)
FOUR_TORQUES = (300.0, 3.0, 50.0, 5.0)
FOUR_START = {
    "q0": absolute_to_relative(np.array([0.1, 0.1, 0.1, 0.0])),
    "qd0": absolute_to_relative(np.array([0.3, 0.3, 0.3, 0.0])),
}
SKATER = ulna.preset("bechard-skater")
SKATER_B = (1.2, 2.0)


def run_one(q0, qd0, torque, duration, arm=ONE, **options):
    run = simulate(arm, q0=[q0], qd0=[qd0], torque=[torque], duration=duration, **options)
    assert run.status
    return run


class TestOneJoint:
    def test_its_default_run_ends_at_the_known_angle_and_rate(self):
        run = run_one(0.0, 0.0, 10.0, 20.0)
        assert f"{run.q[-1, 0]:.4f}" == "644.3452"
        assert f"{run.qd[-1, 0]:.4f}" == "48.6266"

    def test_the_sequential_model_of_one_joint_is_exact(self):
        true = run_one(0.0, 0.0, 10.0, 20.0)
        model = run_one(0.0, 0.0, 10.0, 20.0, dynamics="sequential", sequential_damping=[0.2])
        assert model.q[-1] == pytest.approx(true.q[-1], abs=1e-5)
        assert model.qd[-1] == pytest.approx(true.qd[-1], abs=1e-6)

    @pytest.mark.parametrize(("rate", "turns"), [(4.5977, 0), (4.5978, 1), (8.0, 3)])
    def test_turns_without_torque(self, rate, turns):
        run = run_one(0.0, rate, 0.0, 100.0, samples=2)
        assert run.q[-1, 0] == pytest.approx(DOWN + 2.0 * np.pi * turns, abs=1e-3)

    def test_it_swings_in_the_well_at_the_frequency_of_its_eigenvalues(self):
        run = run_one(DOWN + 1e-4, 0.0, 0.0, 10.0, samples=2, events={"bottom": "q1 + pi/2"})
        times = [event.t for event in run.events]
        assert np.pi / np.diff(times) == pytest.approx(3.1305, abs=5e-5)

    def test_the_driven_arm_runs_at_4_give_or_take_a_half(self):
        # From rest; after 40 s nothing is left of the start.
        run = run_one(0.0, 0.0, 50.0, 80.0, DRIVEN, samples=2, events={"turn": "sin(q1/2)"})
        turns = [event for event in run.events if event.t > 40.0]
        first, last = turns[0], turns[-1]
        again = run_one(first.q[0], first.qd[0], 50.0, last.t - first.t, DRIVEN, samples=20_001)
        rate = again.qd[:, 0]
        assert f"{rate.min():.5f}" == "3.49656"
        assert f"{rate.max():.5f}" == "4.47359"
        mean = (last.q[0] - first.q[0]) / (last.t - first.t)
        assert f"{mean:.5f}" == "3.96997"
        # Over the angle instead of the time it is τ/(B m L²).
        angle = again.q[:, 0]
        by_angle = np.sum(0.5 * (rate[1:] + rate[:-1]) * np.diff(angle)) / (angle[-1] - angle[0])
        assert by_angle == pytest.approx(4.0, abs=1e-6)

    def test_from_rest_the_driven_arm_needs_nine_seconds(self):
        run = run_one(0.0, 0.0, 50.0, 60.0, DRIVEN, until="qd1 - 3.5")
        assert run.status.reason == "stopped"
        assert f"{run.final.t:.2f}" == "9.10"
        assert run.final.qd[0] == pytest.approx(3.5, abs=1e-9)

    def test_the_under_powered_arm_settles_ahead_of_straight_down(self):
        run = run_one(DOWN, 0.0, 4.0, 120.0, samples=2)
        assert run.q[-1, 0] == pytest.approx(-1.150811, abs=1e-5)
        assert np.degrees(run.q[-1, 0] - DOWN) == pytest.approx(24.06, abs=5e-3)

    def test_the_under_powered_arm_keeps_running_once_it_runs(self):
        run = run_one(0.0, 20.0, 4.0, 120.0, samples=2, events={"turn": "sin(q1/2)"})
        turns = [event for event in run.events if event.t > 110.0]
        first, last = turns[0], turns[-1]
        again = run_one(first.q[0], first.qd[0], 4.0, last.t - first.t, samples=20_001)
        rate = again.qd[:, 0]
        assert f"{rate.min():.4f} {rate.max():.4f}" == "19.5064 20.4875"
        assert f"{(last.q[0] - first.q[0]) / (last.t - first.t):.4f}" == "19.9940"

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
    def test_its_sequential_run_ends_at_the_known_angles_and_rates(self):
        run = simulate(
            FOUR, **FOUR_START, torque=FOUR_TORQUES, duration=20.0, samples=2, rtol=1e-12,
            dynamics="sequential", sequential_damping=FOUR_B,
        )  # fmt: skip
        angle, rate = relative_to_absolute(run.q[-1]), relative_to_absolute(run.qd[-1])
        expected = [178.7506767, -1.5218395862, 145.1880870, -1.4286601299]
        assert angle == pytest.approx(expected, rel=0.0, abs=1e-6)
        assert rate == pytest.approx(
            [11.0227952, 0.0847988879, 7.9792705702, 0.2067877126], abs=1e-6
        )

    def test_the_true_run_with_b_as_large_as_its_number(self):
        # Its B is per second; b = B N·m·s/rad is what the known numbers are for.
        loose = FOUR.replace(joints=[ulna.Joint(damping=b) for b in FOUR_B])
        run = simulate(
            loose, **FOUR_START, torque=FOUR_TORQUES, duration=20.0, samples=2, rtol=1e-12
        )
        # Errors grow a millionfold in these 20 s.
        angle, rate = relative_to_absolute(run.q[-1]), relative_to_absolute(run.qd[-1])
        expected = [351.826239034, 345.541893804, 364.400004810, 339.264561473]
        assert angle == pytest.approx(expected, rel=0.0, abs=2e-5)
        expected = [34.443565325, 33.458141026, 33.177719141, 33.378021293]
        assert rate == pytest.approx(expected, rel=0.0, abs=1e-3)
        assert np.abs(run.energy.balance_error).max() <= 1e-8 * run.injected[-1]

    @pytest.mark.parametrize("torque", ["100*t, 0, 0, 0", ["100*t", 0.0, 0.0, 0.0]])
    def test_its_torque_that_grows_with_time(self, torque):
        run = simulate(
            FOUR, **FOUR_START, torque=torque, duration=5.0, samples=2, dynamics="sequential",
            sequential_damping=FOUR_B,
        )  # fmt: skip
        assert f"{run.q[-1, 0]:.5f}" == "5.25373"

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


class TestSkater:
    def test_its_example_after_five_seconds(self):
        run = simulate(
            SKATER, q0=[0.0, 0.0], torque=[45.0, 45.0], duration=5.0, dynamics="sequential",
            sequential_damping=SKATER_B,
        )  # fmt: skip
        angle = relative_to_absolute(run.q[-1])
        assert [f"{value:.4f}" for value in angle] == ["28.7363", "66.8862"]

    def test_its_angular_momentum_falls_from_16_81_to_0_01_and_the_true_one_stays(self):
        flat = SKATER.replace(gravity=(0.0, 0.0), joints=(ulna.Joint(), ulna.Joint()))
        start = {"q0": [0.0, 0.0], "qd0": absolute_to_relative(np.array([1.0, 3.0]))}
        options = {"duration": np.pi / 2.0, "samples": 50, "rtol": 1e-11}
        model = simulate(flat, **start, **options, dynamics="sequential")
        true = simulate(flat, **start, **options)
        ours, right = self.momentum(model), self.momentum(true)
        assert (f"{ours[0]:.2f}", f"{ours[-1]:.2f}") == ("16.81", "0.01")
        assert right == pytest.approx(16.81, abs=1e-8)

    def test_without_torque_the_model_does_not_keep_its_energy(self):
        free = SKATER.replace(joints=(ulna.Joint(), ulna.Joint()))
        unit = SKATER.mass * 9.81 * SKATER.reach
        options = {"q0": [0.0, 0.0], "duration": 20.0, "rtol": 1e-11}
        model = simulate(free, **options, dynamics="sequential").energy
        true = simulate(free, **options).energy
        change = np.abs(model.kinetic + model.potential - model.kinetic[0] - model.potential[0])
        assert change.max() / unit == pytest.approx(0.678, abs=5e-4)
        assert np.abs(true.balance_error).max() <= 1e-7

    @staticmethod
    def momentum(run):
        theta, rate = relative_to_absolute(run.q), relative_to_absolute(run.qd)
        M = absolute.mass_matrix(SKATER, theta)
        return np.sum(M @ rate[..., None], axis=(-2, -1))
