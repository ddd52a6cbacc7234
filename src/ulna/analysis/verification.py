"""Is what is computed of an arm right? Laws of mechanics and other programs say, in numbers.

The same physics is stated three times in ulna, and by Pinocchio and MuJoCo once more. Each check
computes one quantity by two ways at random states, or a law that has to hold, and compares the
largest difference, relative to the largest term, with a bound that rounding stays below.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from ulna.arm import Arm, Joint
from ulna.arrays import Array
from ulna.derivation import derive
from ulna.dynamics import chain, forward_dynamics, inverse_dynamics
from ulna.dynamics.inertial_parameters import parameter_vector, regressor
from ulna.errors import InputError, UlnaError, shown
from ulna.interop.exported_arm import EARTHS
from ulna.interop.mjcf_writer import format_mjcf
from ulna.interop.urdf_writer import format_urdf
from ulna.simulation import simulate

STATES = 50  # at random, of which each check takes the worst
MOST_DERIVED = 4  # links that are derived in seconds
MANY = 20  # links, of more of which shorter swings are compared
STEP = 1e-3  # [s] of the differences that Ṁ is taken from
PANELS, NODES = 240, 8  # of the quadrature of what damping takes
TIGHT: dict[str, Any] = {"method": "dop853", "rtol": 1e-11, "atol": 1e-13}


@dataclass(frozen=True)
class Agreement:
    """One check: the largest difference found, and the bound that it has to stay below.

    Parameters
    ----------
    name : str
        What is compared with what.
    difference : float
        The largest difference, relative to the largest term.
    bound : float
        What rounding, or the tolerance of an integrator, may make of it.
    """

    name: str
    difference: float
    bound: float

    @property
    def ok(self) -> bool:
        """Whether the difference is within its bound."""
        return self.difference <= self.bound


@dataclass(frozen=True)
class Verification:
    """What came of all checks of an arm.

    Parameters
    ----------
    checks : tuple of Agreement
        The checks that were made.
    skipped : tuple of str
        Those that were not, and what others leave out of the arm, each with its reason.
    """

    checks: tuple[Agreement, ...]
    skipped: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether every difference is within its bound."""
        return all(check.ok for check in self.checks)

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        wrong = [check.name for check in self.checks if not check.ok]
        if wrong:
            return f"beyond their bounds: {', '.join(wrong)}"
        return f"all {len(self.checks)} checks are within their bounds"


def verify(arm: Arm, *, seed: int = 0) -> Verification:
    """Compare what is computed of an arm with laws of mechanics and with other programs.

    Dry friction and motors are left out, which no other program models alike; damping and rotors
    are in.

    Parameters
    ----------
    arm : Arm
        The arm.
    seed : int, optional
        Of the random states.

    Returns
    -------
    Verification
        The largest difference of every check, with its bound. Pinocchio and MuJoCo are asked where
        they are installed.

    Raises
    ------
    InputError
        If it is no arm.

    Examples
    --------
    >>> import ulna
    >>> found = ulna.analysis.verify(ulna.preset("kehl"))
    >>> found.ok
    True
    >>> found.checks[0].name
    'inverse dynamics of forward dynamics'
    """
    if not isinstance(arm, Arm):
        raise InputError(f"arm: got {shown(arm)}, need an Arm")
    smooth = _smooth(arm)
    random = np.random.default_rng(seed)
    q, qd, qdd = random.uniform(-math.pi, math.pi, (3, STATES, arm.n)) * [[[1.0]], [[0.5]], [[1.0]]]
    trip, closed = (
        _round_trip(smooth, q, qd, qdd, forward=one)
        for one in (forward_dynamics, chain.forward_dynamics)
    )
    checks = [
        Agreement("inverse dynamics of forward dynamics", trip, 1e-9),
        Agreement("skewness of dM/dt - 2C", _skewness(smooth, q, qd), 1e-9),
        Agreement("recursion against closed form", _recursion(smooth, q, qd, qdd), 1e-10),
        Agreement("forward dynamics of the closed form", closed, 1e-10),
        Agreement("regressor against closed form", _regressor(smooth, q, qd, qdd), 1e-10),
        *_derived(smooth),
        Agreement("energy balance of a swing", _energy(smooth, q[0]), 1e-8),
        Agreement("engine against SciPy's DOP853", _scipy(smooth, q[0]), 1e-7),
    ]
    skipped = []
    if arm.n > MOST_DERIVED:
        skipped.append(f"derivation against closed form: for up to {MOST_DERIVED} links")
    for program, (package, compare) in PROGRAMS.items():
        name = f"{program} of the exported file"
        if find_spec(package) is None:
            skipped.append(f"{name}: {package} is not installed")
            continue
        try:
            difference, left_out = compare(smooth, (q, qd, qdd))
        except InputError as error:
            skipped.append(f"{name}: {error}")
            continue
        checks.append(Agreement(name, difference, 1e-9))
        if left_out:
            skipped.append(f"{name}: {left_out}")
    return Verification(tuple(checks), tuple(skipped))


def _smooth(arm: Arm) -> Arm:
    """Return the arm with damping and rotors, motors' own included, and nothing else at joints."""
    p = arm.parameters
    rows = zip(p.damping.tolist(), p.rotor_inertia.tolist(), p.gear_ratio.tolist(), strict=True)
    joints = [Joint(damping=b, rotor_inertia=rotor, gear_ratio=ratio) for b, rotor, ratio in rows]
    return arm.replace(joints=joints, loop=None)


def _relative(difference: Array, *terms: Array) -> float:
    """Return the largest difference, relative to the largest of some terms."""
    size = max(float(np.max(np.abs(term))) for term in terms)
    largest = float(np.max(np.abs(difference)))
    return largest / size if size > 0.0 else largest


def _round_trip(
    arm: Arm, q: Array, qd: Array, qdd: Array, *, forward: Callable[..., Array]
) -> float:
    """Return what accelerations miss of the torques that they are from.

    Torques, as accelerations of many links are worse conditioned than they.
    """
    tau = inverse_dynamics(arm, q, qd, qdd)
    found = inverse_dynamics(arm, q, qd, forward(arm, q, qd, tau))
    return _relative(found - tau, tau, inverse_dynamics(arm, q, qd, 0.0 * qdd))


def _skewness(arm: Arm, q: Array, qd: Array) -> float:
    """Return how far xᵀ (Ṁ − 2C) x is from zero; Ṁ by differences of the fourth order."""
    # Links that turn at one radian a second at most: differences are as good for many as for few.
    qd = qd / np.max(np.abs(np.cumsum(qd, axis=-1)))
    steps = ((-2.0, 1.0 / 12.0), (-1.0, -2.0 / 3.0), (1.0, 2.0 / 3.0), (2.0, -1.0 / 12.0))
    rate = sum(weight * chain.mass_matrix(arm, q + offset * STEP * qd) for offset, weight in steps)
    rest = np.asarray(rate) / STEP - 2.0 * chain.coriolis_matrix(arm, q, qd)
    return _relative(rest + np.swapaxes(rest, -1, -2), chain.mass_matrix(arm, q))


def _recursion(arm: Arm, q: Array, qd: Array, qdd: Array) -> float:
    expected = chain.inverse_dynamics(arm, q, qd, qdd)
    swept = inverse_dynamics(arm, q, qd, qdd)
    gained = forward_dynamics(arm, q, qd, expected)
    back = chain.inverse_dynamics(arm, q, qd, gained)
    return max(_relative(one - expected, expected) for one in (swept, back))


def _regressor(arm: Arm, q: Array, qd: Array, qdd: Array) -> float:
    expected = chain.inverse_dynamics(arm, q, qd, qdd)
    found = np.einsum("...ij,j->...i", regressor(arm, q, qd, qdd), parameter_vector(arm))
    return _relative(found - expected, expected)


def _derived(arm: Arm) -> Iterator[Agreement]:
    if arm.n > MOST_DERIVED:
        return
    try:
        worst = derive(arm=arm).check.worst
    except UlnaError:
        worst = math.inf  # it checks itself, and raises where it fails
    yield Agreement("derivation against closed form", worst, 1e-12)


def _swing_time(arm: Arm, q: Array) -> float:
    """Return a time in which links of this size swing, and in which small errors stay small.

    It is less where a link turns by a radian sooner, and where damping stops one sooner: over it
    an explicit method is efficient, and what damping takes is smooth.
    """
    gravity, still = math.hypot(*arm.gravity), np.zeros(arm.n)
    swing = math.sqrt(arm.reach / arm.n / max(gravity, 1.0)) if gravity else 1.0 / arm.n
    damping = np.diag(arm.parameters.damping)
    decay = np.max(np.abs(np.linalg.eigvals(np.linalg.solve(chain.mass_matrix(arm, q), damping))))
    fall = np.max(np.abs(chain.forward_dynamics(arm, q, still, still)))
    quickest = max(float(decay) / 10.0, math.sqrt(float(fall)) / 2.0, 1e-300)
    return min(swing / max(1.0, arm.n / MANY), 1.0 / quickest)


def _start(arm: Arm, q: Array) -> dict[str, Any]:
    return {"q0": q, "qd0": np.full(arm.n, 0.5) / arm.n}


def _energy(arm: Arm, q: Array) -> float:
    """Return what a swing misses of its energy, with what damping has taken of it."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    width = 2.0 * _swing_time(arm, q) / PANELS
    places = (np.arange(PANELS)[:, None] + 0.5 + nodes / 2.0).ravel() * width
    times = np.concatenate([[0.0], places, [PANELS * width]])
    run = simulate(arm, **_start(arm, q), duration=float(times[-1]), samples=times, **TIGHT)
    taken = np.sum(arm.parameters.damping * run.qd[1:-1] ** 2, axis=1)
    lost = float(np.tile(weights, PANELS) @ taken) * width / 2.0
    kinetic = chain.kinetic_energy(arm, run.q, run.qd)
    total = kinetic + chain.potential_energy(arm, run.q)
    span = np.ptp(chain.potential_energy(arm, run.q))
    return _relative(total[-1] - total[0] + lost, kinetic, span)


def _scipy(arm: Arm, q: Array) -> float:
    """Return how far the engine and SciPy, which integrates the closed form, end apart."""
    from scipy.integrate import solve_ivp

    n, still, seconds = arm.n, np.zeros(arm.n), _swing_time(arm, q)
    start = _start(arm, q)

    def derivative(_t: float, y: Array) -> Array:
        return np.concatenate([y[n:], chain.forward_dynamics(arm, y[:n], y[n:], still)])

    first = np.concatenate([start["q0"], start["qd0"]])
    theirs = solve_ivp(
        derivative, (0.0, seconds), first, method="DOP853", rtol=TIGHT["rtol"], atol=TIGHT["atol"]
    ).y[:, -1]
    run = simulate(arm, **start, duration=seconds, **TIGHT)
    return _relative(np.concatenate([run.q[-1], run.qd[-1]]) - theirs, theirs, np.ones(1))


def _pinocchio(arm: Arm, motion: tuple[Array, ...]) -> tuple[float, str]:
    """Return how far torques are from Pinocchio's, and what it leaves out."""
    pinocchio = import_module("pinocchio")

    plain = arm.replace(joints=[Joint() for _ in arm.joints])
    model = pinocchio.buildModelFromXML(format_urdf(plain).text)
    strength = max(EARTHS, math.hypot(*arm.gravity))
    model.gravity.linear = np.array([0.0, 0.0, -strength])
    data = model.createData()
    found = [
        pinocchio.rnea(model, data, np.stack([np.cos(q), np.sin(q)], axis=-1).ravel(), qd, qdd)
        for q, qd, qdd in zip(*motion, strict=True)
    ]
    expected = chain.inverse_dynamics(plain, *motion)
    p = arm.parameters
    names = {"damping": p.damping, "rotors": p.rotor_inertia}
    left_out = " and ".join(name for name, values in names.items() if np.any(values))
    why = f"without {left_out}, which its rnea does not have" if left_out else ""
    return _relative(np.array(found) - expected, expected), why


def _mujoco(arm: Arm, motion: tuple[Array, ...]) -> tuple[float, str]:
    """Return how far torques are from MuJoCo's, and what its file loses."""
    mujoco = import_module("mujoco")

    exported, why = format_mjcf(arm), ""
    if exported.lost:
        why = "without rotors, of which its file loses some"
        damped = [Joint(damping=joint.damping) for joint in arm.joints]
        arm = arm.replace(joints=damped)
        exported = format_mjcf(arm)
    model = mujoco.MjModel.from_xml_string(exported.text)
    data, found = mujoco.MjData(model), []
    for data.qpos, data.qvel, data.qacc in zip(*motion, strict=True):
        mujoco.mj_inverse(model, data)
        found.append(data.qfrc_inverse.copy())
    expected = chain.inverse_dynamics(arm, *motion)
    return _relative(np.array(found) - expected, expected), why


PROGRAMS: dict[str, tuple[str, Callable[[Arm, tuple[Array, ...]], tuple[float, str]]]] = {
    "Pinocchio": ("pinocchio", _pinocchio),
    "MuJoCo": ("mujoco", _mujoco),
}
