"""Paper 001 (Bechard & Ivanov): one joint, n joints one after the other, and their errata.

Its angles θ are absolute. Its equations as they are printed are held against ulna on the states
that they pass through.
"""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import ulna
from papers.bechard.printed import (
    G,
)
from papers.bechard.printed import one_joint as printed_one_joint
from papers.bechard.printed import sequential as printed_sequential
from ulna.angles import absolute_to_relative, relative_to_absolute
from ulna.dynamics import (
    absolute,
    equilibria,
    forward_dynamics,
    gravity_torque,
    kinetic_energy,
    linearise,
    mass_matrix,
    potential_energy,
    sequential,
)

DOWN = -np.pi / 2

FOUR = ulna.preset("bechard-4")
LOOSE = FOUR.replace(joints=[ulna.Joint(damping=b) for b in (0.5, 0.5, 0.5, 0.25)])  # b = B N·m·s
FOUR_TORQUES = (300.0, 3.0, 50.0, 5.0)
FOUR_B = (0.5, 0.5, 0.5, 0.25)
FOUR_START = (0.1, 0.1, 0.1, 0.0, 0.3, 0.3, 0.3, 0.0)  # angles, then rates

SKATER = ulna.preset("bechard-skater")
SKATER_B = (1.2, 2.0)


def lengths_of(arm):
    return [link.length for link in arm.links]


def masses_of(arm):
    return [link.mass for link in arm.links]


def coupled(arm, tau, damping, B=None, gravity=G):
    """What §4.1 leaves out put in: M φ̈ = Q − W φ̇² − G for point masses, Q_i = τ_i − τ_{i+1}.

    Damping acts on the relative rates; B is the paper's friction, on the accelerations.
    """
    n, lengths, masses = arm.n, lengths_of(arm), masses_of(arm)
    hung = [sum(masses[i:]) for i in range(n)]
    size = [[lengths[i] * lengths[j] * hung[max(i, j)] for j in range(n)] for i in range(n)]
    weight = [gravity * lengths[i] * hung[i] for i in range(n)]
    B = B or (0.0,) * n

    def slope(_t, y):
        y = y.tolist()
        rate = y[n:]
        cos, sin = [math.cos(angle) for angle in y[:n]], [math.sin(angle) for angle in y[:n]]
        relative = [rate[i] - rate[i - 1] if i else rate[0] for i in range(n)]
        joint = [tau[i] - damping[i] * relative[i] for i in range(n)] + [0.0]
        force = [joint[i] - joint[i + 1] - weight[i] * cos[i] for i in range(n)]
        inertia = [row[:] for row in size]
        for i in range(n):
            for j in range(i):
                whirl = size[i][j] * (sin[i] * cos[j] - cos[i] * sin[j])
                force[i] -= whirl * rate[j] ** 2
                force[j] += whirl * rate[i] ** 2
                inertia[i][j] *= cos[i] * cos[j] + sin[i] * sin[j]
        turning = solve_symmetric(inertia, force)
        return rate + [turning[i] - B[i] * rate[i] for i in range(n)]

    return slope


def solve_symmetric(lower, right):
    """Solve a symmetric system, of which the lower triangle counts, from the last row upwards."""
    n = len(right)
    for k in range(n - 1, 0, -1):
        row = lower[k]
        for i in range(k):
            share = row[i] / row[k]
            right[i] -= share * right[k]
            for j in range(i + 1):
                lower[i][j] -= share * row[j]
    for i in range(n):
        for j in range(i):
            right[i] -= lower[i][j] * right[j]
        right[i] /= lower[i][i]
    return right


def run(slope, start, duration, tolerance=1e-12, **options):
    found = solve_ivp(
        slope, (0.0, duration), start, method="DOP853", rtol=tolerance, atol=tolerance, **options
    )
    assert found.success
    return found


def energy(arm, states):
    """Give the energy of states (2n, k) in absolute angles."""
    q, qd = (absolute_to_relative(part.T) for part in np.split(states, 2))
    return kinetic_energy(arm, q, qd) + potential_energy(arm, q)


def in_absolute_angles(arm, theta, thetad, tau):
    """Give the true φ̈ under motors at the joints."""
    q, qd = absolute_to_relative(theta), absolute_to_relative(thetad)
    return relative_to_absolute(forward_dynamics(arm, q, qd, tau))


def still(arm):
    """Give the arm without friction."""
    return arm.replace(joints=tuple(ulna.Joint() for _ in arm.joints))


def flat(arm):
    return still(arm).replace(gravity=(0.0, 0.0))


@pytest.fixture(scope="module")
def one():
    return ulna.preset("bechard-1")


@pytest.fixture(scope="module")
def driven():
    return ulna.preset("bechard-1-driven")


@pytest.fixture(scope="module")
def states():
    """Give angles, rates and torques of four joints, (200, 4) each."""
    random = np.random.default_rng(2)
    angle = random.uniform(-np.pi, np.pi, (200, 4))
    return angle, random.uniform(-3.0, 3.0, (200, 4)), random.uniform(-99.0, 99.0, (200, 4))


class TestOneJoint:
    """§3.1, with b = B m L²."""

    @pytest.mark.parametrize(
        ("name", "L", "tau", "B"),
        [
            ("bechard-1", 1.0, 0.0, 0.2),
            ("bechard-1", 1.0, 4.0, 0.2),
            ("bechard-1-driven", 5.0, 50.0, 0.5),
        ],
    )
    def test_its_equation_is_ours(self, name, L, tau, B):
        arm = ulna.preset(name)
        states = np.random.default_rng(0).uniform(-9.0, 9.0, (100, 2))
        slope = printed_one_joint(L, 1.0, tau, B)
        printed = np.array([slope(0.0, state)[1] for state in states])
        angle, rate = states[:, :1], states[:, 1:]
        ours = forward_dynamics(arm, angle, rate, [tau])[:, 0]
        assert np.abs(ours - printed).max() <= 1e-13
        # For one joint there is nothing to couple.
        alone = sequential.forward_dynamics(arm, angle, rate, [tau], sequential_damping=[B])[:, 0]
        assert np.abs(alone - printed).max() <= 1e-13

    def test_the_well_without_torque(self, one):
        well, saddle = equilibria(one, [0.0])
        assert (well.kind, saddle.kind) == ("focus", "saddle")
        assert well.q == pytest.approx([DOWN], abs=1e-15)
        expected = [-0.1 - 3.1305j, -0.1 + 3.1305j]
        assert np.abs(np.sort_complex(well.eigenvalues) - expected).max() <= 0.5e-4
        assert well.eigenvalues.real == pytest.approx([-0.1, -0.1], abs=1e-14)

    def test_the_under_powered_motor_has_a_well_and_a_saddle(self, one):
        well, saddle = equilibria(one, [4.0])
        assert f"{well.q[0]:.6f}" == "-1.150811"
        assert f"{saddle.q[0]:.6f}" == "1.150811"
        assert f"{np.degrees(well.q[0] - DOWN):.2f}" == "24.06"

    def test_the_driven_arm_has_no_rest(self, driven):
        found = equilibria(driven, [50.0])
        assert len(found) == 0
        assert "more than the weight can balance" in found.reason

    def test_erratum_7_driven_it_runs_at_4_give_or_take_a_half_not_between_4_and_5(self):
        low, high, mean, over_angle = running_speed(printed_one_joint(5.0, 1.0, 50.0, 0.5), 4.0)
        assert (f"{low:.5f}", f"{high:.5f}", f"{mean:.5f}") == ("3.49656", "4.47359", "3.96997")
        # Over a turn gravity does no work, so that the mean over the angle is τ/(B m L²).
        assert over_angle == pytest.approx(4.0, abs=1e-8)

    def test_its_running_speed_when_under_powered(self):
        low, high, mean, over_angle = running_speed(printed_one_joint(1.0, 1.0, 4.0, 0.2), 20.0)
        assert (f"{low:.4f}", f"{high:.4f}", f"{mean:.4f}") == ("19.5064", "20.4875", "19.9940")
        assert over_angle == pytest.approx(20.0, abs=1e-8)
        # The harmonic mean of 20 + δ with δ = 0.4905 sin: 20 − 0.4905²/40.
        assert mean == pytest.approx(20.0 - 0.4905**2 / 40.0, abs=1e-5)

    def test_from_rest_the_driven_arm_needs_nine_seconds(self):
        def at_speed(_t, y):
            return y[1] - 3.5

        found = run(printed_one_joint(5.0, 1.0, 50.0, 0.5), [0.0, 0.0], 9.2, events=at_speed)
        assert f"{found.t_events[0][0]:.2f}" == "9.10"

    def test_a_full_turn_needs_4_598_radians_a_second(self, one):
        # The way into the saddle, followed backwards, divides those that turn from those that fall.
        crossings, _ = way_into_saddle(one, 0.0, 1.0, 6.5)
        assert f"{crossings[0]:.5f}" == "4.59775"
        thrown = run(printed_one_joint(1.0, 1.0, 0.0, 0.2), [0.0, 8.0], 60.0, tolerance=1e-9)
        assert round((thrown.y[0, -1] - DOWN) / (2.0 * np.pi)) == 3

    def test_what_the_under_powered_motor_captures(self, one):
        crossings, rests = way_into_saddle(one, 4.0, 1.0, 9.5)
        assert f"{crossings[0]:.7f}" == "3.0758581"
        assert [f"{rest:.6f}" for rest in rests] == ["-2.711067"]
        captured_from = [f"{rate:.5f}" for rate in crossings[1:4]]
        assert captured_from == ["-4.24736", "-9.21829", "-12.75972"]
        rotates_from, _ = way_into_saddle(one, 4.0, -1.0, 7.5)
        assert [f"{rate:.5f}" for rate in rotates_from[:2]] == ["-8.46382", "-12.15535"]

    @pytest.mark.parametrize(
        ("angle", "rate", "rotates"),
        [
            (-np.pi / 2, 0.0, False),
            (-3.0 * np.pi / 4, 0.0, False),
            (-np.pi, 0.0, True),
            (0.0, 3.07, False),
            (0.0, 3.08, True),
            (0.0, -4.0, False),
            (0.0, -5.0, True),
            (0.0, -9.0, False),
            (0.0, -10.0, True),
        ],
    )
    def test_either_side_of_the_border(self, angle, rate, rotates):
        slope = printed_one_joint(1.0, 1.0, 4.0, 0.2)
        end = run(slope, [angle, rate], 30.0, tolerance=1e-8).y[1, -1]
        assert end > 15.0 if rotates else abs(end) < 1.0


def running_speed(slope, guess):
    """Give the least, the largest and the mean speed of the periodic orbit, and that by angle."""

    def by_angle(angle, y):
        # dω/dθ = ω'/ω, dt/dθ = 1/ω, and ω for its mean over θ
        return slope(0.0, (angle, y[0]))[1] / y[0], 1.0 / y[0], y[0]

    def turn(rate):
        return run(by_angle, [rate, 0.0, 0.0], 2.0 * np.pi, dense_output=True)

    start = brentq(lambda rate: turn(rate).y[0, -1] - rate, 0.9 * guess, 1.1 * guess, xtol=1e-12)
    found = turn(start)
    speeds = found.sol(np.linspace(0.0, 2.0 * np.pi, 20001))[0]
    mean, over_angle = 2.0 * np.pi / found.y[1, -1], found.y[2, -1] / (2.0 * np.pi)
    return speeds.min(), speeds.max(), mean, over_angle


def way_into_saddle(arm, tau, side, duration):
    """Follow the way into the saddle back: its rates at θ = 0 (mod 2π), and its angles at rest."""
    saddle = equilibria(arm, [tau])[1]
    values, vectors = np.linalg.eig(linearise(arm, saddle.q, [0.0], [tau])[0])
    inwards = vectors[:, values.argmin()]
    start = np.array([saddle.q[0], 0.0]) + side * 1e-7 * inwards * np.sign(inwards[1])
    slope = printed_one_joint(1.0, 1.0, tau, 0.2)

    def back(t, y):
        rate, turning = slope(t, y)
        return -rate, -turning

    def at_zero(_t, y):
        return math.sin(y[0] / 2.0)

    def at_rest(_t, y):
        return y[1]

    found = run(back, start, duration, events=(at_zero, at_rest))
    crossings, rests = (np.reshape(states, (-1, 2)) for states in found.y_events)
    return crossings[:, 1], rests[:, 0]


class TestSequentialModel:
    """§4.1, the paper's own model, under its own name."""

    def test_it_is_the_diagonal_of_the_true_mass_matrix_put_on_absolute_angles(self, states):
        angle, _, tau = states
        q = absolute_to_relative(angle)
        diagonal = np.diagonal(mass_matrix(FOUR, q), axis1=-2, axis2=-1)
        seen = sequential.frozen(FOUR, angle)
        assert seen.inertia == pytest.approx(diagonal, rel=1e-12)
        assert seen.weight == pytest.approx(gravity_torque(FOUR, q), rel=1e-11, abs=1e-11)
        ours = sequential.forward_dynamics(FOUR, *states, sequential_damping=np.zeros(4))
        expected = (tau - gravity_torque(FOUR, q)) / diagonal
        assert ours == pytest.approx(expected, rel=1e-11, abs=1e-11)

    def test_its_example_of_four_joints(self):
        slope = printed_sequential(FOUR, FOUR_TORQUES, FOUR_B)
        found = run(slope, FOUR_START, 20.0)
        places = (7, 10, 7, 10, 7, 10, 10, 10)
        assert [f"{value:.{k}f}" for value, k in zip(found.y[:, -1], places, strict=True)] == [
            "178.7506767", "-1.5218395862", "145.1880870", "-1.4286601299",
            "11.0227952", "0.0847988879", "7.9792705702", "0.2067877126",
        ]  # fmt: skip
        # Ours has the same slope everywhere along the run.
        passed = found.y[:, ::10]
        ours = sequential.forward_dynamics(
            FOUR, passed[:4].T, passed[4:].T, FOUR_TORQUES, sequential_damping=FOUR_B
        )
        printed = np.array([slope(0.0, state)[4:] for state in passed.T])
        assert np.abs(ours - printed).max() <= 1e-10 * np.abs(printed).max()

    def test_its_skater_after_five_seconds(self):
        def slope(_t, y):
            turning = sequential.forward_dynamics(
                SKATER, y[:2], y[2:], [45.0, 45.0], sequential_damping=SKATER_B
            )
            return np.concatenate([y[2:], turning])

        found = run(slope, np.zeros(4), 5.0, tolerance=1e-8)
        assert [f"{angle:.4f}" for angle in found.y[:2, -1]] == ["28.7363", "66.8862"]


class TestErratum8:
    """What the joints do to one another is missing. The arm is the skater's: 1, 0.7 m; 1, 3 kg."""

    def test_small_swings_have_other_frequencies(self):
        hanging = equilibria(still(SKATER), np.zeros(2))[0]
        assert hanging.kind == "centre"
        true = np.sort(hanging.eigenvalues.imag)[-2:]
        assert [f"{w:.4f}" for w in true] == ["2.4840", "9.4407"]
        none, step = np.zeros(2), 1e-5 * np.eye(2)
        ahead, behind = (
            sequential.forward_dynamics(SKATER, DOWN + way, none, none, sequential_damping=none)
            for way in (step, -step)
        )
        stiffness = -(ahead - behind).T / 2e-5
        model = np.sqrt(np.sort(np.linalg.eigvals(stiffness)))
        assert [f"{w:.4f}" for w in model] == ["2.0144", "3.7436"]


class TestTrueFourJoints:
    """Its example with the coupling in: motors at the joints, b = B N·m·s on the relative rates.

    That changes two things at once, since its B is per second.
    """

    def test_after_twenty_seconds(self):
        slope = coupled(FOUR, FOUR_TORQUES, FOUR_B)
        found = run(slope, FOUR_START, 20.0)
        angle, rate = found.y[:4, -1], found.y[4:, -1]
        # Errors grow a millionfold in these 20 s: 1e-12 leaves 2e-7 and 1.3e-5.
        expected = [351.826239034, 345.541893804, 364.400004810, 339.264561473]
        assert angle == pytest.approx(expected, rel=0.0, abs=2e-6)
        expected = [34.443565325, 33.458141026, 33.177719141, 33.378021293]
        assert rate == pytest.approx(expected, rel=0.0, abs=1e-4)
        # Our dynamics have the same slope everywhere along the run, friction included.
        passed = found.y[:, ::10]
        ours = in_absolute_angles(LOOSE, passed[:4].T, passed[4:].T, FOUR_TORQUES)
        plain = np.array([slope(0.0, state)[4:] for state in passed.T])
        assert np.abs(ours - plain).max() <= 1e-11 * np.abs(plain).max()

    def test_the_sequential_model_starts_otherwise(self):
        angle, rate = np.split(np.array(FOUR_START), 2)
        model = sequential.forward_dynamics(
            FOUR, angle, rate, FOUR_TORQUES, sequential_damping=FOUR_B
        )
        assert model == pytest.approx([-0.80, -3.60, -1.79, -4.49], abs=5e-3)
        true = in_absolute_angles(LOOSE, angle, rate, FOUR_TORQUES)
        assert true == pytest.approx([27.69, -86.52, 103.03, -27.42], abs=5e-3)

    def test_the_sequential_model_is_radians_away_after_one_second(self):
        model = run(printed_sequential(FOUR, FOUR_TORQUES, FOUR_B), FOUR_START, 1.0)
        true = run(coupled(FOUR, FOUR_TORQUES, FOUR_B), FOUR_START, 1.0)
        away = model.y[:4, -1] - true.y[:4, -1]
        assert away == pytest.approx([-1.84, 1.49, -3.31, 0.30], abs=5e-3)

    def test_with_its_friction_on_the_accelerations_it_is_chaotic(self):
        slope = coupled(FOUR, FOUR_TORQUES, (0.0,) * 4, FOUR_B)
        angle = run(slope, FOUR_START, 3.0).y[:4, -1]
        expected = [12.221627304, 5.520976501, 79.251069913, 13.434937616]
        # Errors of 1e-12 have become 2e-7 after these 3 s.
        assert angle == pytest.approx(expected, rel=0.0, abs=2e-6)
        # A nudge of a billionth of a radian is millimetres by then.
        nudged = run(slope, np.add(FOUR_START, 1e-9), 3.0, tolerance=1e-11).y[:4, -1]
        assert np.abs(nudged - angle).max() == pytest.approx(6.5e-3, rel=0.05)


class TestErratum10:
    """The skater effect is not in the model: its rates do not hear of the inertia."""

    def test_without_torque_nothing_ever_speeds_up(self):
        random = np.random.default_rng(4)
        theta, rate = random.uniform(-3.0, 3.0, (2, 100, 2))
        none = np.zeros(2)
        model = sequential.forward_dynamics(
            flat(SKATER), theta, rate, none, sequential_damping=none
        )
        assert np.abs(model).max() == 0.0
        # Though the inertia that turns varies eightfold.
        inertia = sequential.frozen(SKATER, [[0.0, 0.0], [0.0, np.pi]]).inertia[:, 0]
        assert inertia == pytest.approx([9.67, 1.27], abs=1e-12)

    def test_its_angular_momentum_falls_from_16_81_to_0_01(self):
        # Links at 1 and 3 rad/s keep these rates; straight at first, they are folded at π/2 s.
        t = np.linspace(0.0, np.pi / 2, 101)
        theta = t[:, None] * [1.0, 3.0]
        momentum = self.momentum(theta, [1.0, 3.0])
        assert (f"{momentum[0]:.2f}", f"{momentum[-1]:.2f}") == ("16.81", "0.01")
        assert (np.diff(momentum) < 0.0).all()

    def test_a_true_skater_who_folds_her_arm_spins_seven_times_as_fast(self):
        # Whatever the elbow does, joint 1 gives no torque: M11 ω is kept from rest to rest.
        spread, folded = mass_matrix(SKATER, [[0.0, 0.0], [0.0, np.pi]])[:, 0, 0]
        assert spread / folded == pytest.approx(7.61, abs=5e-3)
        # In the model the elbow's torque does not even appear in the first row.
        theta, rate = [0.3, 1.9], [2.0, 2.0]
        pulled, slack = (
            sequential.forward_dynamics(
                flat(SKATER), theta, rate, [0.0, tau], sequential_damping=[0.0, 0.0]
            )
            for tau in (45.0, 0.0)
        )
        assert pulled[0] == slack[0] == 0.0
        assert in_absolute_angles(flat(SKATER), theta, rate, [0.0, 45.0])[0] < -8.0

    @staticmethod
    def momentum(theta, rate):
        """Give the angular momentum about the base, the sum of M φ̇ over the links."""
        M = absolute.mass_matrix(SKATER, theta)
        return np.sum(M @ np.broadcast_to(rate, np.shape(theta))[..., None], axis=(-2, -1))
