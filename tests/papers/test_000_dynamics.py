"""Paper 000 (Kehl et al.): its energies, its equations of motion, its torques, and their errata.

The module `printed` computes as the paper prints. Sizes of errors are along its path
z(t) = 0.79 e^{i(wt+π/2)} + 0.2 e^{i(14wt−π/2)}, w = 2π/60, with its arm of 1 kg and 10 kg.
"""

import numpy as np
import pytest

import ulna
from papers.kehl import printed
from papers.kehl.printed import DT, TIMES, G, KehlMotion, constants, times
from ulna.dynamics import (
    coriolis_matrix,
    forward_dynamics,
    gravity_torque,
    inverse_dynamics,
    kinetic_energy,
    mass_matrix,
    potential_energy,
)
from ulna.kinematics import centres, jacobian, jacobian_rate, tip, track

W = 2.0 * np.pi / 60.0
MASSES = (1.0, 2.0, 5.0, 10.0, 15.0, 20.0)


def path(t, derivative=0):
    """Give z(t) or a derivative of it as points (…, 2)."""
    slow = 0.79 * (1j * W) ** derivative * np.exp(1j * (W * t + np.pi / 2))
    fast = 0.2 * (14j * W) ** derivative * np.exp(1j * (14.0 * W * t - np.pi / 2))
    return np.stack([(slow + fast).real, (slow + fast).imag], axis=-1)


def exact_motion(arm, t):
    """Give the joints' angles, rates and accelerations on the path, without differences."""
    q = track(arm, path(t), start="positive").q
    J = jacobian(arm, q)[:, :2]
    qd = np.linalg.solve(J, path(t, 1)[..., None])
    turning = jacobian_rate(arm, q, qd[..., 0])[:, :2] @ qd
    qdd = np.linalg.solve(J, path(t, 2)[..., None] - turning)
    return KehlMotion(q, qd[..., 0], qdd[..., 0])


def peak(values):
    return np.abs(values).max(axis=0)


def rms(values):
    return np.sqrt(np.mean(values**2, axis=0))


def figures(values, places):
    return [f"{value:.{places}f}" for value in np.ravel(values)]


ARMS = {
    "kehl": ulna.preset("kehl"),
    "kehl-as-printed": ulna.preset("kehl-as-printed"),
    "unequal": ulna.Arm.rods([0.7, 0.4], [1.3, 2.1]),
}


@pytest.fixture(params=ARMS)
def arm(request):
    return ARMS[request.param]


@pytest.fixture(scope="module")
def kehl():
    return ARMS["kehl"]


@pytest.fixture(scope="module")
def as_printed():
    return ARMS["kehl-as-printed"]


@pytest.fixture(scope="module")
def states():
    return KehlMotion(*np.random.default_rng(0).uniform(-3.0, 3.0, (3, 500, 2)))


@pytest.fixture(scope="module")
def differences():
    """Give the motion of the paper's own path by its own differences, at TIMES[1:-1]."""
    return printed.motion(printed.path())


@pytest.fixture(scope="module")
def exact(kehl):
    """Give the exact motion at the same times."""
    return exact_motion(kehl, TIMES[1:-1])


@pytest.fixture(scope="module")
def dense(kehl):
    return exact_motion(kehl, np.linspace(0.0, 60.0, 60001))


class TestEnergies:
    """§2.5.3 to §2.6."""

    def test_its_centres_of_mass_are_ours(self, arm, states):
        assert np.abs(centres(arm, states.q) - printed.centres(arm, states.q)).max() <= 1e-15

    def test_erratum_4_its_velocities_are_those_of_the_centres_not_of_the_joints(self, arm, states):
        velocities = printed.centre_velocities(arm, states.q, states.qd)
        step = 1e-6
        ahead, behind = (centres(arm, states.q + way * states.qd) for way in (step, -step))
        # Differences of 1e-6 s are good to 1e-10 of a velocity, rounding included.
        assert np.abs((ahead - behind) / (2.0 * step) - velocities).max() <= 1e-8
        # The far joint of link 1 moves twice as fast as its centre, the near one not at all.
        elbow = arm.links[0].length * np.abs(states.qd[:, 0])
        assert np.linalg.norm(velocities[:, 0], axis=-1) == pytest.approx(elbow / 2, abs=1e-14)

    def test_its_squares_of_the_velocities(self, arm, states):
        l1, l2, *_ = constants(arm)
        w1, w12 = states.qd[:, 0], states.qd.sum(axis=-1)
        v1 = l1**2 / 4 * w1**2
        v2 = l1**2 * w1**2 + l2**2 / 4 * w12**2 + l1 * l2 * w1 * w12 * np.cos(states.q[:, 1])
        velocities = printed.centre_velocities(arm, states.q, states.qd)
        squares = np.sum(velocities**2, axis=-1)
        assert np.abs(squares - np.stack([v1, v2], axis=-1)).max() <= 1e-13

    def test_its_energies_are_ours(self, arm, states):
        kinetic = printed.kinetic_energy(arm, states.q, states.qd)
        assert kinetic_energy(arm, states.q, states.qd) == pytest.approx(kinetic, rel=1e-13)
        potential = printed.potential_energy(arm, states.q)
        assert potential_energy(arm, states.q) == pytest.approx(potential, abs=1e-13)

    def test_its_quadratic_form_of_the_kinetic_energy(self, arm, states):
        M, (w1, w2) = printed.mass_matrix(arm, states.q), states.qd.T
        form = M[:, 0, 0] * w1**2 / 2 + M[:, 0, 1] * w1 * w2 + M[:, 1, 1] * w2**2 / 2
        assert kinetic_energy(arm, states.q, states.qd) == pytest.approx(form, rel=1e-12)


class TestEquationsOfMotion:
    """§2.7 where it is right, and Codes 5 to 7 where they are."""

    def test_its_mass_matrix_is_ours(self, arm, states):
        ours = mass_matrix(arm, states.q)
        assert np.abs(ours - printed.mass_matrix(arm, states.q)).max() <= 1e-14

    def test_its_gravity_vector_is_ours_and_the_gradient_of_its_potential(self, arm, states):
        ours = gravity_torque(arm, states.q)
        assert np.abs(ours - printed.gravity(arm, states.q)).max() <= 1e-13
        step = 1e-6 * np.eye(2)
        ahead, behind = (potential_energy(arm, states.q[:, None] + way) for way in (step, -step))
        assert np.abs((ahead - behind) / 2e-6 - ours).max() <= 1e-7

    def test_its_equation_is_our_inverse_dynamics(self, arm, states):
        tau = printed.torques(arm, *states)
        assert np.abs(inverse_dynamics(arm, *states) - tau).max() <= 1e-12

    def test_its_forward_dynamics_are_ours(self, arm, states):
        q, qd, tau = states
        net = tau - times(printed.coriolis_matrix(arm, q, qd), qd) - printed.gravity(arm, q)
        qdd = np.linalg.solve(printed.mass_matrix(arm, q), net[..., None])[..., 0]
        assert forward_dynamics(arm, q, qd, tau) == pytest.approx(qdd, rel=1e-10, abs=1e-11)

    def test_erratum_11_code_6_is_the_christoffel_matrix_exactly(self, arm, states):
        q, qd, _ = states
        code_6 = printed.coriolis_matrix(arm, q, qd)
        assert np.abs(coriolis_matrix(arm, q, qd) - code_6).max() <= 1e-13
        # From the mass matrix itself, of which only θ2 is an argument.
        l1, l2, _, m2, _, _ = constants(arm)
        slope = np.zeros((len(q), 2, 2, 2))
        slope[..., 1] = (-m2 * l1 * l2 * np.sin(q[:, 1]))[:, None, None] * [[1.0, 0.5], [0.5, 0.0]]
        symbols = (slope + slope.transpose(0, 1, 3, 2) - slope.transpose(0, 3, 2, 1)) / 2
        assert np.abs(np.einsum("...ijk,...k", symbols, qd) - code_6).max() <= 1e-13
        # Which is why Ṁ − 2C is skew, and why it is the vector of §2.7 repaired, not another one.
        skew = np.einsum("...ijk,...k", slope, qd) - 2.0 * code_6
        assert np.abs(skew + skew.transpose(0, 2, 1)).max() <= 1e-13


class TestErrataOfTheDerivation:
    def test_erratum_5_the_momenta_have_the_rate_of_the_joint_alone(self, kehl, dense):
        q, qd, _ = dense
        M, (w1, w2) = printed.mass_matrix(kehl, q), qd.T
        row_1, row_2 = M[:, 0].T, M[:, 1].T
        right = [row[0] * w1 + row[1] * w2 for row in (row_1, row_2)]
        step = 1e-6 * np.eye(2)
        ahead, behind = (
            kinetic_energy(kehl, q[:, None], qd[:, None] + way) for way in (step, -step)
        )
        slope = (ahead - behind) / 2e-6
        assert np.abs(slope - np.stack(right, axis=-1)).max() <= 1e-8
        wrong = peak(printed.momenta(kehl, q, qd) - slope)
        assert wrong == pytest.approx([1.55, 0.68], abs=5e-3)
        # The momenta themselves are not much larger, or even smaller.
        assert peak(slope) == pytest.approx([2.81, 0.86], abs=5e-3)

    def test_erratum_6_the_mass_matrix_is_of_the_angles_not_of_their_rates(self, kehl, dense):
        q, qd, _ = dense
        right = mass_matrix(kehl, q)
        of_rates = mass_matrix(kehl, qd)
        assert np.abs(right - mass_matrix(kehl, q * [0.0, 1.0])).max() <= 1e-14
        expected = [[3.26, 1.63], [1.63, 0.0]]
        assert np.abs(peak(of_rates - right) - expected).max() <= 5e-3
        assert right[:, 0, 0].max() == pytest.approx(5.82, abs=5e-3)

    def test_erratum_7_the_rate_of_the_momenta_has_the_rate_of_m_in_it(self, kehl, dense):
        q, qd, _ = dense
        growth = times(self.mass_rate(kehl, q, qd), qd)
        coriolis = times(coriolis_matrix(kehl, q, qd), qd)
        by_angle = np.stack([0.0 * q[:, 0], printed.energy_by_second_angle(kehl, q, qd)], axis=-1)
        # C θ̇ = Ṁ θ̇ − ∂K/∂θ ...
        assert np.abs(coriolis - (growth - by_angle)).max() <= 1e-13
        # ... so that M θ̈ + C θ̇ is the rate of the first momentum, but not of the second.
        wrong = peak(coriolis - growth)
        assert wrong[0] <= 1e-14
        assert wrong[1] == pytest.approx(0.208, abs=5e-4)
        assert peak(growth)[1] == pytest.approx(0.761, abs=5e-4)

    def test_erratum_8_the_first_row_of_the_coriolis_vector_has_two_faults(self, kehl, dense):
        q, qd, _ = dense
        h, (w1, w2) = 10.0 * 0.5 * 0.25, qd.T
        ours = times(coriolis_matrix(kehl, q, qd), qd)

        def first_row(angle, rate):
            return printed.coriolis_row(kehl, angle, rate, qd)

        right = -h * np.sin(q[:, 1]) * w2 * (2.0 * w1 + w2)
        assert np.abs(ours[:, 0] - right).max() <= 1e-14
        assert np.abs(ours[:, 1] - h * np.sin(q[:, 1]) * w1**2).max() <= 1e-14
        assert peak(right) == pytest.approx(0.56, abs=5e-3)
        assert peak(first_row(q[:, 0], w1 + w2) - right) == pytest.approx(1.52, abs=5e-3)
        # Neither repair is enough alone.
        assert peak(first_row(q[:, 1], w1 + w2) - right) == pytest.approx(0.76, abs=5e-3)
        assert peak(first_row(q[:, 0], 2.0 * w1 + w2) - right) == pytest.approx(1.33, abs=5e-3)

    def test_erratum_9_only_the_first_angle_leaves_the_kinetic_energy_alone(self, kehl, dense):
        slope = self.energy_slope(kehl, dense)
        assert peak(slope)[0] <= 1e-9
        assert peak(slope)[1] == pytest.approx(0.208, abs=5e-4)

    def test_erratum_10_the_slope_of_the_kinetic_energy_has_no_gravity_in_it(self, kehl, dense):
        q, qd, _ = dense
        right = printed.energy_by_second_angle(kehl, q, qd)
        assert np.abs(self.energy_slope(kehl, dense)[:, 1] - right).max() <= 1e-8
        gravity = 10.0 * 0.25 * G * np.cos(q.sum(axis=-1))
        assert peak(gravity) == pytest.approx(24.5, abs=0.05)
        # ∂L/∂θ2, two lines on, takes it once: carried along it would double the second torque.
        assert np.abs(gravity - gravity_torque(kehl, q)[:, 1]).max() <= 1e-13

    def test_erratum_24_the_right_hand_side_is_joint_torque_not_a_force_at_the_tip(
        self, kehl, dense
    ):
        q, qd, qdd = dense
        tau = inverse_dynamics(kehl, q, qd, qdd)
        # Their work is τ·θ̇, that of a force F·v: F has to obey Jᵀ F = τ.
        J = jacobian(kehl, q)[:, :2]
        force = np.linalg.solve(J.transpose(0, 2, 1), tau[..., None])[..., 0]
        power = np.sum(tau * qd, axis=-1)
        assert np.abs(np.sum(force * times(J, qd), axis=-1) - power).max() <= 1e-12
        # A hand that led the tip with that force would leave the motors nothing to do.
        assert np.abs(inverse_dynamics(kehl, q, qd, qdd, tip_force=force)).max() <= 1e-12
        # 78.8 N·m and 227 N: neither the numbers nor the units are the same.
        assert peak(np.hypot(*force.T)) == pytest.approx(227.4, abs=0.05)
        assert peak(tau - force).min() > 150.0

    @staticmethod
    def mass_rate(arm, q, qd):
        l1, l2, _, m2, _, _ = constants(arm)
        rate = -m2 * l1 * l2 * np.sin(q[:, 1]) * qd[:, 1]
        return rate[:, None, None] * [[1.0, 0.5], [0.5, 0.0]]

    @staticmethod
    def energy_slope(arm, motion):
        step = 1e-6 * np.eye(2)
        q, qd = motion.q[:, None], motion.qd[:, None]
        return (kinetic_energy(arm, q + step, qd) - kinetic_energy(arm, q - step, qd)) / 2e-6


class TestErrataOfTheCode:
    def test_erratum_17_the_inertias_are_four_and_forty_times_too_large(self, kehl, as_printed):
        right, large = (np.array([link.inertia for link in a.links]) for a in (kehl, as_printed))
        assert large == pytest.approx([1.0**2 / 12, 10.0**2 / 12], abs=1e-15)
        assert right == pytest.approx([1.0 * 0.5**2 / 12, 10.0 * 0.5**2 / 12], abs=1e-15)
        assert large / right == pytest.approx([4.0, 40.0], rel=1e-14)
        with pytest.warns(ulna.UlnaWarning, match="inertia"):
            ulna.Arm.of(as_printed.links)

    def test_erratum_17_makes_the_torques_wrong_by_17_newton_metres(self, kehl, as_printed, exact):
        wrong = inverse_dynamics(as_printed, *exact) - inverse_dynamics(kehl, *exact)
        assert peak(wrong) == pytest.approx([16.91, 17.04], abs=5e-3)

    def test_erratum_20_code_5_does_not_compile(self):
        with pytest.raises(SyntaxError):
            compile("I2 + (m2*(l2*l2))/4 + ((l1*l2)/2)*np.cos(th2))", "code 5", "eval")

    def test_erratum_20_without_the_parenthesis_the_cosine_lacks_its_mass(
        self, kehl, differences, exact
    ):
        def wrong(motion):
            right = mass_matrix(kehl, motion.q)
            naive = printed.mass_matrix_of_code_5(kehl, motion.q)
            return peak(times(naive - right, motion.qdd))

        assert wrong(differences) == pytest.approx([4.51, 2.26], abs=5e-3)
        assert wrong(exact) == pytest.approx([4.53, 2.27], abs=5e-3)
        # Where m2 is 1 kg nobody would see it.
        light = ulna.Arm.rods([0.5, 0.5], [1.0, 1.0])
        code = 1.0 / 12 * 0.25 + 0.25 / 4 + 0.125 * np.cos(exact.q[:, 1])
        assert np.abs(mass_matrix(light, exact.q)[:, 0, 1] - code).max() <= 1e-15

    def test_erratum_21_code_7_does_not_compile_for_two_reasons(self):
        with pytest.raises(IndentationError):
            compile("g1 = a\n    + b", "code 7", "exec")
        with pytest.raises(SyntaxError, match="unmatched"):
            compile("m2*(l2/2)*g*np.cos(th1+th2))", "code 7", "eval")

    def test_erratum_21_the_naive_repair_drops_the_gravity_of_link_2(self, kehl, differences):
        # Indented back, its second line is a statement of its own that nobody reads.
        scope = {"a": 2.0, "b": 3.0}
        exec("g1 = a\n+ b", scope)
        assert scope["g1"] == 2.0
        q = differences.q
        naive = (1.0 * 0.5 / 2 + 10.0 * 0.5) * G * np.cos(q[:, 0])
        assert np.abs(printed.gravity_of_code_7(kehl, q)[:, 0] - naive).max() <= 1e-13
        right = gravity_torque(kehl, q)
        assert peak(right[:, 0] - naive) == pytest.approx(24.5, abs=0.05)
        assert np.abs(right[:, 0] - naive - right[:, 1]).max() <= 1e-13

    def test_erratum_16_the_rates_lag_half_a_step(self, kehl, differences, exact):
        q, lagging, qdd = differences
        centred = lagging + 0.5 * DT * qdd
        inner = slice(1, -1)
        assert peak((lagging - exact.qd)[inner]) == pytest.approx([0.031, 0.063], abs=5e-4)
        assert peak((centred - exact.qd)[inner]) == pytest.approx([0.001, 0.002], abs=5e-4)
        late, timely = (inverse_dynamics(kehl, q, qd, qdd) for qd in (lagging, centred))
        assert peak((late - timely)[inner]) == pytest.approx([0.017, 0.013], abs=5e-4)
        right = inverse_dynamics(kehl, *exact)
        assert peak((late - right)[inner]) == pytest.approx([0.029, 0.014], abs=5e-4)
        assert peak((timely - right)[inner]) == pytest.approx([0.012, 0.003], abs=5e-4)

    def test_erratum_25_the_torques_belong_to_the_points_not_between_them(self):
        between = (TIMES[:-1] + TIMES[1:]) / 2
        times_of_torques = (between[:-1] + between[1:]) / 2
        assert np.abs(times_of_torques - TIMES[1:-1]).max() <= 1e-14


class TestErratum12:
    """The one-sided tangent at both ends of Code 1."""

    def test_it_moves_the_end_points_and_no_others(self):
        off = np.hypot(*(printed.path() - path(TIMES)).T)
        assert off[[0, -1]] == pytest.approx([0.314e-3, 0.314e-3], abs=0.5e-6)
        assert off[1:-1].max() <= 1e-14

    @pytest.mark.parametrize(
        ("name", "first", "second"),
        [("kehl-as-printed", "6.43", "5.08"), ("kehl", "1.59", "0.28")],
    )
    def test_it_spoils_the_torques_at_the_ends(self, differences, exact, name, first, second):
        arm = ARMS[name]
        wrong = np.abs(inverse_dynamics(arm, *differences) - inverse_dynamics(arm, *exact))
        assert figures(wrong[[0, -1]].max(axis=0), 2) == [first, second]
        # Elsewhere differences are as good as 30 ms allow.
        assert wrong[1:-1].max() <= 0.05


class TestTorques:
    """Peak and RMS torques on its path, at its 1998 inner samples."""

    @pytest.mark.parametrize(
        ("name", "motion", "peaks", "means"),
        [
            ("kehl-as-printed", "differences", ("87.459", "40.760"), ("45.584", "18.361")),
            ("kehl-as-printed", "exact", ("87.487", "40.806"), ("45.584", "18.361")),
            ("kehl", "differences", ("78.811", "25.462"), ("45.230", "17.350")),
            ("kehl", "exact", ("78.840", "25.469"), ("45.230", "17.350")),
        ],
    )
    def test_peaks_and_means_of_the_torques_are_the_tables(
        self, request, name, motion, peaks, means
    ):
        tau = inverse_dynamics(ARMS[name], *request.getfixturevalue(motion))
        assert tau.shape == (1998, 2)
        assert tuple(figures(peak(tau), 3)) == peaks
        assert tuple(figures(rms(tau), 3)) == means

    def test_the_peaks_between_the_samples(self, kehl, as_printed, dense):
        assert figures(peak(inverse_dynamics(as_printed, *dense)), 3) == ["87.495", "40.844"]
        assert figures(peak(inverse_dynamics(kehl, *dense)), 3) == ["78.847", "25.469"]

    def test_its_exact_motion_is_on_the_path(self, kehl, exact):
        assert np.abs(tip(kehl, exact.q)[:, :2] - path(TIMES[1:-1])).max() <= 1e-14
        step = 1e-4
        ahead, behind = (exact_motion(kehl, TIMES[1:-1] + way) for way in (step, -step))
        assert np.abs((ahead.q - behind.q) / (2.0 * step) - exact.qd).max() <= 1e-6
        assert np.abs((ahead.qd - behind.qd) / (2.0 * step) - exact.qdd).max() <= 1e-5

    def test_the_sweep_over_the_mass_of_link_1(self, differences):
        tau = self.sweep([(mass, 10.0) for mass in MASSES], differences)
        expected = ["78.81", "81.44", "89.31", "102.44", "115.57", "128.70"]
        assert figures(tau[:, 0], 2) == expected
        assert figures(tau[:, 1], 2) == ["25.46"] * 6

    def test_the_sweep_over_the_mass_of_link_2(self, differences):
        tau = self.sweep([(1.0, mass) for mass in MASSES], differences)
        expected = ["10.24", "17.86", "40.72", "78.81", "116.90", "155.00"]
        assert figures(tau[:, 0], 2) == expected
        assert figures(tau[:, 1], 2) == ["2.55", "5.09", "12.73", "25.46", "38.19", "50.92"]

    @staticmethod
    def sweep(masses, motion):
        arms = ulna.stack(ulna.Arm.rods([0.5, 0.5], pair) for pair in masses)
        return np.abs(inverse_dynamics(arms.per_sample(), *motion)).max(axis=1)
