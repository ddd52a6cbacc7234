"""Paper 000 (Kehl et al.): its formulas on three arms, and why its listings do not run.

The module `printed` computes as the paper prints; numbers are in test_000_rows.
"""

import numpy as np
import pytest

import ulna
from papers.kehl import printed
from ulna.dynamics import (
    coriolis_matrix,
    forward_dynamics,
    gravity_torque,
    inverse_dynamics,
    kinetic_energy,
    mass_matrix,
    potential_energy,
)
from ulna.kinematics import centres

ARMS = {
    "kehl": ulna.preset("kehl"),
    "kehl-as-printed": ulna.preset("kehl-as-printed"),
    "unequal": ulna.Arm.rods([0.7, 0.4], [1.3, 2.1]),
}


@pytest.mark.parametrize("name", ARMS)
def test_its_energies_and_equations_of_motion_are_ours(name):
    arm = ARMS[name]
    q, qd, qdd = np.random.default_rng(0).uniform(-3.0, 3.0, (3, 500, 2))
    M, C, G = (
        printed.mass_matrix(arm, q), printed.coriolis_matrix(arm, q, qd), printed.gravity(arm, q)
    )  # fmt: skip
    for theirs, ours, tolerance in (
        (printed.centres(arm, q), centres(arm, q), 1e-15),
        (printed.potential_energy(arm, q), potential_energy(arm, q), 1e-13),
        (M, mass_matrix(arm, q), 1e-14),
        (C, coriolis_matrix(arm, q, qd), 1e-13),
        (G, gravity_torque(arm, q), 1e-13),
        (printed.torques(arm, q, qd, qdd), inverse_dynamics(arm, q, qd, qdd), 1e-12),
    ):
        assert np.abs(theirs - ours).max() <= tolerance
    kinetic = printed.kinetic_energy(arm, q, qd)
    assert kinetic_energy(arm, q, qd) == pytest.approx(kinetic, rel=1e-13)
    net = qdd - G - (C @ qd[..., None])[..., 0]  # with q̈ for torques
    expected = np.linalg.solve(M, net[..., None])[..., 0]
    assert forward_dynamics(arm, q, qd, qdd) == pytest.approx(expected, rel=1e-10, abs=1e-11)
    step = 1e-6
    ahead, behind = (centres(arm, q + way * qd) for way in (step, -step))
    velocities = printed.centre_velocities(arm, q, qd)
    assert np.abs((ahead - behind) / (2.0 * step) - velocities).max() <= 1e-8


@pytest.mark.parametrize(
    ("listing", "error"),
    [
        ("I2 + (m2*(l2*l2))/4 + ((l1*l2)/2)*np.cos(th2))", SyntaxError),  # code 5, erratum 20
        ("m2*(l2/2)*g*np.cos(th1+th2))", SyntaxError),  # code 7, erratum 21
        ("g1 = a\n    + b", IndentationError),
    ],
)
def test_listings_do_not_compile(listing, error):
    with pytest.raises(error):
        compile(listing, "listing", "exec")


def test_inertias_of_m_squared_are_warned_of():
    with pytest.warns(ulna.UlnaWarning, match="inertia"):
        ulna.Arm.of(ARMS["kehl-as-printed"].links)
