"""PD: a spring and a damper at every joint, in Python and compiled."""

from contextlib import nullcontext

import numpy as np
import pytest

import ulna
from ulna.control import PD, Reference

ARM = ulna.preset("unit")
FLAT = ulna.Arm.rods([1.0], [3.0], gravity=(0.0, 0.0))  # 1 kg·m² about its joint


def aim(q, qd=None):
    q = np.asarray(q, dtype=float)
    qd = np.zeros_like(q) if qd is None else np.asarray(qd, dtype=float)
    return Reference(q, qd, 0.0 * q, np.zeros(3))


def test_it_is_a_spring_and_a_damper():
    tau, state = PD(3.0, 0.5).torque(
        0.0, np.array([1.0, 2.0]), np.array([4.0, -2.0]), aim([2.0, 2.0], [0.0, 1.0]), None
    )
    assert tau.tolist() == [3.0 - 2.0, 1.5]
    assert state is None
    tau, _ = PD([3.0, 5.0], [0.0, 1.0]).torque(0.0, np.zeros(2), np.ones(2), aim([1.0, 1.0]), None)
    assert tau.tolist() == [3.0, 4.0]


def test_against_a_steady_load_it_settles_beside_its_aim_by_load_over_stiffness():
    run = ulna.simulate(
        FLAT, q0=[0.0], duration=6.0, controller=PD(50.0, 10.0), reference=[1.0], torque=[-5.0]
    )
    assert run.q[-1, 0] == pytest.approx(1.0 - 5.0 / 50.0, abs=1e-9)
    assert run.qd[-1, 0] == pytest.approx(0.0, abs=1e-9)


def test_stiffness_and_damping_set_frequency_and_decay():
    # K = ω², D = 2 ζ ω for 1 kg·m²; at 100 kHz what is held between ticks no longer shows.
    omega, zeta = 5.0, 0.2
    run = ulna.simulate(
        FLAT, q0=[1.0], duration=1.0, reference=[0.0], rate=1e5, dt=1e-5, samples=11,
        controller=PD(omega**2, 2.0 * zeta * omega),
    )  # fmt: skip
    damped = omega * np.sqrt(1.0 - zeta**2)
    decay = np.exp(-zeta * omega * run.t)
    expected = decay * (np.cos(damped * run.t) + zeta * omega / damped * np.sin(damped * run.t))
    assert run.q[:, 0] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(("share", "settles"), [(0.9, True), (1.1, False)])
def test_gains_by_frequency_are_stable_up_to_where_dampers_overreach(share, settles):
    # A damper that answers once a tick takes away more than there is when D h > 2 M; of all ways
    # to move, the lightest counts.
    arm, rate = ARM.replace(gravity=(0.0, 0.0)), 1000.0
    M = ulna.dynamics.mass_matrix(arm, [0.0, 0.0])
    lightest = np.linalg.eigvals(np.linalg.solve(M, np.diag(np.diag(M)))).max()
    said = nullcontext() if settles else pytest.warns(ulna.UlnaWarning)
    with said as warned:
        run = ulna.simulate(
            arm, q0=[1e-6, -1e-6], duration=0.5, reference=[0.0, 0.0], rate=rate,
            controller=PD(natural_frequency=share * rate / lightest),
        )  # fmt: skip
    late = np.abs(run.q[-50:]).max() if run.status else np.inf
    assert bool(late < 1e-6) is settles
    # Where it shakes, that was said beforehand; its steps, too long for that, are told afterwards.
    assert settles or "unstable" in str(warned[0].message)
