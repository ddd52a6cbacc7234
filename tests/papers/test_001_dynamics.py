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
    net_torque,
    turning_by_an_angle,
    weight_by_sine,
    weight_of_two,
)
from papers.bechard.printed import one_joint as printed_one_joint
from papers.bechard.printed import sequential as printed_sequential
from ulna.angles import absolute_to_relative, relative_to_absolute
from ulna.dynamics import (
    absolute,
    coriolis_matrix,
    equilibria,
    forward_dynamics,
    gravity_torque,
    holding_torque,
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


class TestErrataOfOneJoint:
    def test_erratum_1_the_net_torque_has_a_length_too_many(self, driven):
        weight = holding_torque(driven, [0.0])[0]
        assert weight == pytest.approx(49.05, abs=1e-12)
        printed = 0.0 - net_torque(5.0, 1.0, 0.0, 0.0)
        assert printed == pytest.approx(245.25, abs=1e-12)
        # Five times too much: a motor of 50 N·m would be stuck, and the paper's own turns.
        assert printed > 50.0 > weight

    def test_erratum_2_the_motor_gives_a_torque_not_an_angle(self, driven):
        theta, tau = 0.0, 50.0
        printed = turning_by_an_angle(5.0, 1.0, theta, theta)
        ours = forward_dynamics(driven, [theta], [0.0], [tau])[0]
        assert ours == pytest.approx(0.038, abs=1e-12)
        assert printed - ours == pytest.approx(-2.0, abs=1e-12)

    def test_erratum_3_its_friction_is_per_second(self, driven):
        B, inertia = 0.5, 1.0 * 5.0**2
        assert driven.joints[0].damping == B * inertia == 12.5
        # Read as N·m·s/rad it would be 25 times too small: 50 N·m would turn the arm at 100 rad/s.
        misread = driven.replace(joints=(ulna.Joint(damping=B),))
        for arm, speed in ((driven, 4.0), (misread, 100.0)):
            gravity = gravity_torque(arm, [DOWN])
            turning = forward_dynamics(arm, [DOWN], [speed], 50.0 + gravity)
            assert turning == pytest.approx([0.0], abs=1e-12)

    def test_erratum_3_with_more_joints_it_grows_with_the_inertia_beyond_each(self):
        random = np.random.default_rng(1)
        theta, rate = random.uniform(-np.pi, np.pi, (2, 200, 4))
        inertia = sequential.frozen(FOUR, theta).inertia
        arms = FOUR.parameters._replace(damping=FOUR_B * inertia)
        as_torque = sequential.forward_dynamics(arms, theta, rate, FOUR_TORQUES)
        printed = sequential.forward_dynamics(
            FOUR, theta, rate, FOUR_TORQUES, sequential_damping=FOUR_B
        )
        assert as_torque == pytest.approx(printed, rel=1e-12, abs=1e-12)
        # b_1 = B_1 I_1 [N·m·s/rad], by posture; a constant b = 0.5 is 170 or 32 times less.
        straight = 0.5 * sequential.frozen(FOUR, np.zeros(4)).inertia[0]
        folded = 0.5 * sequential.frozen(FOUR, [0.0, np.pi, np.pi, 0.0]).inertia[0]
        assert (f"{straight:.1f}", f"{folded:.1f}") == ("85.1", "16.1")

    def test_erratum_12_weight_turns_with_the_cosine_of_the_angle_from_the_horizontal(self, one):
        angle = np.linspace(-np.pi, np.pi, 1441)
        ours = holding_torque(one, angle[:, None])[:, 0]
        assert np.abs(ours - G * np.cos(angle)).max() <= 1e-14
        wrong = [weight_by_sine(1.0, 1.0, value) for value in angle] - ours
        # A hanging arm would need m g r, a level one nothing; at 135° it is √2 m g r.
        assert abs(holding_torque(one, [DOWN])[0]) <= 1e-14
        assert np.abs(wrong).max() == pytest.approx(13.87, abs=5e-3)


class TestSequentialModel:
    """§4.1, the paper's own model, under its own name."""

    def test_it_is_the_text_of_the_paper(self, states):
        ours = sequential.forward_dynamics(FOUR, *states, sequential_damping=FOUR_B)
        for angle, rate, tau, row in zip(*states, ours, strict=True):
            slope = printed_sequential(FOUR, tau, FOUR_B)
            printed = slope(0.0, np.concatenate([angle, rate]))
            assert row == pytest.approx(printed[4:], rel=1e-11)
            assert np.array_equal(rate, printed[:4])

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

    def test_its_torque_that_grows_with_time(self):
        def slope(t, y):
            turning = sequential.forward_dynamics(
                FOUR, y[:4], y[4:], [100.0 * t, 0.0, 0.0, 0.0], sequential_damping=FOUR_B
            )
            return np.concatenate([y[4:], turning])

        found = run(slope, FOUR_START, 5.0, tolerance=1e-8)
        assert f"{found.y[0, -1]:.5f}" == "5.25373"

    def test_erratum_11_a_torque_array_filled_once_stays_at_its_first_value(self):
        growing = printed_sequential(FOUR, lambda t: (100.0 * t, 0.0, 0.0, 0.0), FOUR_B)
        filled_once = printed_sequential(FOUR, (0.0, 0.0, 0.0, 0.0), FOUR_B)
        ends = [run(slope, FOUR_START, 5.0).y[:4, -1] for slope in (growing, filled_once)]
        assert f"{ends[0][0]:.5f}" == "5.25373"
        # Without its motor the first link hangs: 6.4 rad short, a whole turn.
        assert ends[1][0] == pytest.approx(-1.153, abs=5e-4)
        # The other joints never hear of it: nothing in the model leads from joint 1 to them.
        assert ends[0][1:] == pytest.approx(ends[1][1:], abs=1e-9)

    def test_erratum_9_the_last_weight_has_one_cosine(self):
        theta = np.array([[0.3, 2.5], [np.pi, np.pi]])
        x = np.cumsum(np.cos(theta) * [1.0, 0.7], axis=-1)
        z = np.cumsum(np.sin(theta) * [1.0, 0.7], axis=-1)
        reach, bearing = np.hypot(x[:, 1], z[:, 1]), np.arctan2(z[:, 1], x[:, 1])
        first = 1.0 * 1.0 * np.cos(theta[:, 0]) * G
        right = first + 3.0 * reach * np.cos(bearing) * G
        printed = [weight_of_two([1.0, 0.7], [1.0, 3.0], angles) for angles in theta]
        ours = sequential.frozen(SKATER, theta).weight[:, 0]
        assert ours == pytest.approx(right, abs=1e-12)
        # To the left even its sign is wrong: 2 · 3 kg · g · 1.7 m.
        assert printed[1] - right[1] == pytest.approx(100.06, abs=5e-3)
        # The unit vector is not an angle either; its first component is the cosine of one.
        assert (x[:, 1] / reach) == pytest.approx(np.cos(bearing), abs=1e-14)


class TestErratum8:
    """What the joints do to one another is missing. The arm is the skater's: 1, 0.7 m; 1, 3 kg."""

    def test_the_coupling_of_accelerations(self):
        # 45 N·m on joint 1 of the straight arm at rest: the true arm whips its outer link back.
        straight, none, tau = np.zeros(2), np.zeros(2), [45.0, 0.0]
        model = sequential.forward_dynamics(
            flat(SKATER), straight, none, tau, sequential_damping=none
        )
        true = in_absolute_angles(flat(SKATER), straight, none, tau)
        assert model == pytest.approx([4.65, 0.0], abs=5e-3)
        assert true == pytest.approx([45.0, -64.29], abs=5e-3)

    def test_the_centrifugal_terms(self):
        # The elbow at a right angle, both links turning at 3 rad/s, no torque.
        bent, rate, tau = np.array([0.0, np.pi / 2]), np.array([3.0, 3.0]), np.zeros(2)
        q, qd = absolute_to_relative(bent), absolute_to_relative(rate)
        whirl = coriolis_matrix(SKATER, q, qd) @ qd
        assert whirl == pytest.approx([0.0, 18.9], abs=1e-12)
        model = sequential.forward_dynamics(
            flat(SKATER), bent, rate, tau, sequential_damping=np.zeros(2)
        )
        assert np.abs(model).max() == 0.0
        true = in_absolute_angles(flat(SKATER), bent, rate, tau)
        assert true == pytest.approx([4.725, -12.857], abs=5e-4)

    def test_the_reaction_of_the_motors(self):
        # 45 N·m at the elbow push link 1 back; the model lets it rest.
        bent, none, tau = np.array([0.0, np.pi / 2]), np.zeros(2), [0.0, 45.0]
        model = sequential.forward_dynamics(flat(SKATER), bent, none, tau, sequential_damping=none)
        assert model == pytest.approx([0.0, 30.61], abs=5e-3)
        true = in_absolute_angles(flat(SKATER), bent, none, tau)
        assert true == pytest.approx([-11.25, 30.61], abs=5e-3)
        # As torques to ground, without reaction, the outer one would be right here.
        grounded = absolute.forward_dynamics(flat(SKATER), bent, none, tau)
        assert grounded == pytest.approx(model, abs=1e-12)

    def test_accelerations_are_wrong_by_two_thirds_in_the_median(self):
        # Angles all round, link rates up to 3 rad/s, no torque, no friction, under gravity.
        random = np.random.default_rng(3)
        theta = random.uniform(-np.pi, np.pi, (100_000, 2))
        rate = random.uniform(-3.0, 3.0, (100_000, 2))
        none = np.zeros(2)
        model = sequential.forward_dynamics(SKATER, theta, rate, none, sequential_damping=none)
        true = absolute.forward_dynamics(still(SKATER), theta, rate, none)
        wrong = np.linalg.norm(model - true, axis=-1) / np.linalg.norm(true, axis=-1)
        assert np.median(wrong) == pytest.approx(0.68, abs=5e-3)

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

    @pytest.mark.parametrize(
        ("angle", "lost"), [(0.0, 0.678), (np.pi / 3, 1.773)], ids=["level", "60° up"]
    )
    def test_energy_comes_and_goes(self, angle, lost):
        # Let go at rest, 20 s, no torque, no friction: in units of m g times the reach.
        none, start = (0.0, 0.0), [angle, angle, 0.0, 0.0]
        moments = np.linspace(0.0, 20.0, 20001)
        unit = SKATER.mass * G * SKATER.reach
        model = run(printed_sequential(SKATER, none, none), start, 20.0, t_eval=moments)
        change = energy(SKATER, model.y) - energy(SKATER, model.y[:, :1])
        assert np.abs(change).max() / unit == pytest.approx(lost, abs=5e-4)

    def test_the_true_arm_keeps_its_energy(self):
        none = (0.0, 0.0)
        true = run(coupled(SKATER, none, none), np.zeros(4), 20.0)
        change = energy(SKATER, true.y) - energy(SKATER, true.y[:, :1])
        assert np.abs(change).max() <= 1e-9


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

    def test_the_true_arm_keeps_its_angular_momentum(self):
        none = (0.0, 0.0)
        slope = coupled(SKATER, none, none, gravity=0.0)
        found = run(slope, [0.0, 0.0, 1.0, 3.0], np.pi / 2)
        momentum = self.momentum(found.y[:2].T, found.y[2:].T)
        assert momentum == pytest.approx(16.81, abs=1e-9)
        ours = in_absolute_angles(flat(SKATER), found.y[:2].T, found.y[2:].T, none)
        plain = np.array([slope(0.0, state)[2:] for state in found.y.T])
        assert np.abs(ours - plain).max() <= 1e-11

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
