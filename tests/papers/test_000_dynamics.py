"""Paper 000 (Kehl et al.): its energies, its equations of motion, its torques and its listings.

The module `printed` computes as the paper prints. Torques are along its path
z(t) = 0.79 e^{i(wt+π/2)} + 0.2 e^{i(14wt−π/2)}, w = 2π/60, with its arm of 1 kg and 10 kg.
"""

import numpy as np
import pytest

import ulna
from papers.kehl import printed
from papers.kehl.printed import TIMES, G, KehlMotion, constants, times
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


class TestErrataOfTheCode:
    def test_erratum_17_the_inertias_are_four_and_forty_times_too_large(self, kehl, as_printed):
        right, large = (np.array([link.inertia for link in a.links]) for a in (kehl, as_printed))
        assert large == pytest.approx([1.0**2 / 12, 10.0**2 / 12], abs=1e-15)
        assert right == pytest.approx([1.0 * 0.5**2 / 12, 10.0 * 0.5**2 / 12], abs=1e-15)
        assert large / right == pytest.approx([4.0, 40.0], rel=1e-14)
        with pytest.warns(ulna.UlnaWarning, match="inertia"):
            ulna.Arm.of(as_printed.links)

    def test_erratum_20_code_5_does_not_compile(self):
        with pytest.raises(SyntaxError):
            compile("I2 + (m2*(l2*l2))/4 + ((l1*l2)/2)*np.cos(th2))", "code 5", "eval")

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
