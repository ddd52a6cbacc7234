"""ComputedTorque: every joint's gap obeys one linear equation, in every posture."""

import numpy as np
import pytest

import ulna
from ulna.control import ComputedTorque, Reference
from ulna.dynamics import inverse_dynamics


def gap_of(t, omega, zeta, start, rate):
    """Solve ë + 2 ζ ω ė + ω² e = 0 by the exponential of its matrix."""
    A = np.array([[0.0, 1.0], [-(omega**2), -2.0 * zeta * omega]])
    values, vectors = np.linalg.eig(A.astype(complex))
    parts = np.linalg.solve(vectors, np.array([start, rate], dtype=complex))
    return (vectors[0] * parts * np.exp(np.outer(t, values))).sum(axis=-1).real


@pytest.mark.parametrize(("omega", "zeta"), [((12.0, 20.0), (0.5, 0.9)), (15.0, 0.3)])
def test_a_gap_closes_by_its_linear_equation(geared, circling, omega, zeta):
    reference, gap, rate = circling(2), np.array([0.3, -0.5]), np.array([-1.0, 2.0])
    q, qd, _ = reference(0.0)
    found = []
    for ticks in (5e3, 1e4):
        run = ulna.simulate(
            geared, q0=q - gap, qd0=qd - rate, duration=0.4, reference=reference, rate=ticks,
            dt=1.0 / ticks, samples=21, controller=ComputedTorque(omega, zeta),
        )  # fmt: skip
        aim = np.array([reference(t)[0] for t in run.t])
        pairs = np.broadcast_arrays(omega, zeta, gap, rate)
        expected = np.stack([gap_of(run.t, *one) for one in zip(*pairs, strict=True)], axis=-1)
        found.append(np.abs(aim - run.q - expected).max())
    # What is left is the torque being held over a tick, and goes with its length.
    assert found[1] <= 1e-3
    assert found[0] / found[1] == pytest.approx(2.0, rel=0.1)


def test_on_the_reference_it_is_inverse_dynamics(geared, circling):
    q, qd, qdd = circling(2)(0.4)
    wanted = Reference(q, qd, qdd, np.zeros(3))
    tau, _ = ComputedTorque().torque(0.0, q, qd, wanted, ComputedTorque().start(geared))
    assert tau == pytest.approx(inverse_dynamics(geared, q, qd, qdd), rel=1e-12)


def test_against_an_unknown_load_it_settles_where_the_pull_carries_it(geared):
    # M̂ ω² e is what the torques miss at rest.
    omega, aim, loaded = 12.0, np.array([0.4, 0.9]), geared.with_payload(1.5)
    run = ulna.simulate(
        loaded, q0=[0.0, 0.0], duration=5.0, reference=aim, samples=2,
        controller=ComputedTorque(omega, model=geared),
    )  # fmt: skip
    q = run.q[-1]
    pull = ulna.dynamics.mass_matrix(geared, q) @ (omega**2 * (aim - q))
    missing = ulna.dynamics.gravity_torque(loaded, q) - ulna.dynamics.gravity_torque(geared, q)
    assert pull == pytest.approx(missing, rel=1e-6)
