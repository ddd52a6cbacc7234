"""What the letters of the papers stand for: random arms and states, measured by ulna.

A formula of a paper is right where its sides have the same value for every arm in every state. So
each letter gets the value of what it stands for, which `kinematics` and `dynamics` compute, and
which no formula of the papers is used for. Letters that stand for derivatives get differences.
"""

from collections.abc import Callable, Mapping
from functools import cache, reduce

import numpy as np
import sympy as sp

import ulna
from papers.equations import Statement, read_formula
from ulna import dynamics, kinematics
from ulna.dynamics import sequential

G = 9.81  # [m/s²]
STEP = 1e-5  # of differences [s or rad]
CLOSE = 1e-8  # what those leave of a number of order one
LETTERS = dict[sp.Expr, np.ndarray]


def holds(statement: Statement, letters: LETTERS) -> bool:
    """Return whether a statement is true; it is not where a letter in it stands for nothing."""
    try:
        sides = [value(side, letters) for side in statement.sides]
    except KeyError:
        return False
    if statement.relation == "≤":
        return bool(np.all(np.diff(sides) >= 0.0))
    return all(np.allclose(side, sides[0], rtol=CLOSE, atol=CLOSE) for side in sides[1:])


def value(expression: sp.Expr, letters: LETTERS) -> np.ndarray:
    """Return the value of an expression; of vectors and symmetric matrices as well."""
    if expression in letters:
        return letters[expression]
    if expression.is_number:
        return np.float64(expression)
    inside = [value(part, letters) for part in expression.args]
    if not inside:
        raise KeyError(expression)
    if isinstance(expression, sp.Add):
        return sum(inside)
    if isinstance(expression, sp.Mul):
        return reduce(lambda a, b: a @ b if np.ndim(a) and np.ndim(b) else a * b, inside)
    if isinstance(expression, sp.Pow):
        return inside[0] ** inside[1]
    if not hasattr(np, name := NUMPY.get(expression.func.__name__, expression.func.__name__)):
        raise KeyError(expression)
    return getattr(np, name)(*inside)


NUMPY = {"acos": "arccos", "atan": "arctan", "atan2": "arctan2"}


def of_000(random: np.random.Generator) -> dict[str, np.ndarray]:
    """Two links with their centres in the middle, relative angles."""
    (l1, l2), (m1, m2), (I1, I2) = random.uniform(0.2, 1.5, (3, 2))
    arm = general_arm(ulna.Link(l1, m1, l1 / 2, I1), ulna.Link(l2, m2, l2 / 2, I2))
    q, qd, qdd = state(random)
    mass, coriolis = dynamics.mass_matrix(arm, q), dynamics.coriolis_matrix(arm, q, qd)
    gravity, moving = dynamics.gravity_torque(arm, q), coriolis @ qd

    def kinetic(q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return dynamics.kinetic_energy(arm, q, qd)

    def momentum(q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        # Exact but for rounding, as the energy is a square of rates.
        return gradient(lambda rate: kinetic(q, rate), qd, 0.5)

    by_angle = gradient(lambda angle: kinetic(angle, qd), q)
    by_rate = momentum(q, qd)
    found = named("theta", q, qd, qdd) | named("M", mass) | named("C", coriolis)
    found |= named("h", moving) | named("G", gravity) | named("g", gravity)
    found |= {"l1": l1, "l2": l2, "m1": m1, "m2": m2, "I1": I1, "I2": I2, "g": G}
    found |= dict(zip(("x", "y"), kinematics.tip(arm, q)[:2], strict=True))
    found |= {
        "r": np.hypot(*kinematics.tip(ulna.Arm.rods([1.0, 1.0], [1.0, 1.0]), q)[:2]),
        "v2": np.hypot(*rate_of(lambda q, _: kinematics.centres(arm, q)[1], q, qd, qdd)),
        "P": dynamics.potential_energy(arm, q) - dynamics.potential_energy(arm, [0.0, 0.0]),
        "thetad": qd,
        "thetadd": qdd,
        "Md": rate_of(lambda q, _: dynamics.mass_matrix(arm, q), q, qd, qdd),
        "Of(M, theta)": mass,
        "Of(K, theta, thetad)": kinetic(q, qd),
        "Partial(K, theta1)": by_angle[0],
        "Partial(K, theta2)": by_angle[1],
        "Partial(K, thetad)": by_rate,
        "Partial(K, thetad1)": by_rate[0],
        "Partial(K, thetad2)": by_rate[1],
        "Rate(Partial(L, thetad))": rate_of(momentum, q, qd, qdd),
    }
    # Any function of the angles will do for the chain rule; this is the x of the tip.
    partials = kinematics.jacobian(arm, q)[0]
    found |= {f"Partial(f, theta{k})": partials[k - 1] for k in (1, 2)}
    found["Rate(Of(f, theta1, theta2))"] = kinematics.tip_velocity(arm, q, qd)[0]
    li, mi = random.uniform(0.2, 1.5, 2)
    found |= {"li": li, "mi": mi, "Ii": second_moment_of_a_rod(li, mi)}
    return found


def second_moment_of_a_rod(length: float, mass: float) -> np.float64:
    """Return ∫ s² dm over a thin rod about its middle, by a quadrature that is exact for it."""
    places, weights = np.polynomial.legendre.leggauss(4)
    return np.sum(weights * (places * length / 2) ** 2) * mass / 2


def of_001(random: np.random.Generator, *, friction: bool = True) -> dict[str, np.ndarray]:
    """One joint, two joints and one of four, with point masses and absolute angles."""
    m1, B = random.uniform(0.3, 2.0, 2)
    found = one_joint(random, m1, B * friction) | two_joints(random, m1) | any_joint(random, B)
    return found | {"m1": m1, "B": B, "g": G}


def one_joint(random: np.random.Generator, m1: float, B: float) -> dict[str, np.ndarray]:
    L, r, m = random.uniform(0.3, 2.0, 3)
    tau, *at = random.uniform(-3.0, 3.0, (3, 1))
    arm = ulna.Arm.point_masses([L], [m1], gravity=(0.0, -G))
    (weight,) = dynamics.gravity_torque(arm, at[0])
    damped = sequential.forward_dynamics(arm, *at, tau, sequential_damping=[B])[0]
    # By how much damping the joint turns as it does with −B θ̇ beside its acceleration.
    free, by_one = (
        dynamics.forward_dynamics(arm.replace(joints=[ulna.Joint(damping=b)]), *at, tau)[0]
        for b in (0.0, 1.0)
    )
    pendulum = general_arm(ulna.Link(2 * r, m, r, 0.1))
    found = {"L": L, "m": m, "r": r, "tauapp": tau[0]}
    found |= {"y1": at[0][0], "y2": at[1][0], "yd2": damped}
    found |= {"theta": at[0][0], "thetad": at[1][0], "thetadd": damped, "taunet": tau[0] - weight}
    found |= {"b": (free - damped) / (free - by_one)}
    found["taug"] = dynamics.gravity_torque(pendulum, at[0])[0]
    return found


def two_joints(random: np.random.Generator, m1: float) -> dict[str, np.ndarray]:
    lengths, masses = random.uniform(0.3, 2.0, 2), np.array([m1, random.uniform(0.3, 2.0)])
    phi, rate, turning = state(random)
    arm = ulna.Arm.point_masses(lengths, masses, gravity=(0.0, -G))
    tau = dynamics.inverse_dynamics(arm, *map(relative, (phi, rate, turning)))
    found = named("theta", phi, rate, turning) | named("L", lengths) | named("m", masses)
    return found | named("tau", tau)


def any_joint(random: np.random.Generator, B: float) -> dict[str, np.ndarray]:
    """The second joint of four; of the masses beyond it the nearest and the farthest."""
    lengths, masses = random.uniform(0.3, 2.0, (2, 4))
    phi, rate, tau = random.uniform(-3.0, 3.0, (3, 4))
    q, a = relative(phi), 1

    def arm(masses: np.ndarray) -> ulna.Arm:
        return ulna.Arm.point_masses(lengths, masses, gravity=(0.0, -G))

    def share(measured: Callable[[ulna.Arm], np.ndarray], place: int) -> np.ndarray:
        """Return what one mass adds, which everything here is proportional to."""
        return measured(arm(masses * (1.0 + (np.arange(4) == place)))) - measured(arm(masses))

    whole = arm(masses)
    span = kinematics.joints(whole, q)[4] - kinematics.joints(whole, q)[a]
    turning = sequential.forward_dynamics(whole, phi, rate, tau, sequential_damping=[B] * 4)
    return {
        "y2n": rate[a], "yd2n": turning[a], "tauappn": tau[a],
        "taun": dynamics.gravity_torque(whole, q)[a], "In": dynamics.mass_matrix(whole, q)[a, a],
        "mn": masses[3], "Lan": np.hypot(*span), "thetaan": np.arctan2(span[1], span[0]),
        "tauan": share(lambda one: dynamics.gravity_torque(one, q)[a], 3),
        "ma": masses[a], "La": lengths[a],
        "Ia": share(lambda one: dynamics.mass_matrix(one, q)[a, a], a),
    }  # fmt: skip


def of_002(
    random: np.random.Generator, *, torque: str = "to the ground", around: bool = False
) -> dict[str, np.ndarray]:
    """Two rods in absolute angles, with a force at the tip."""
    lengths, masses = random.uniform(0.3, 1.5, (2, 2))
    phi, rate, turning = state(random)
    phi[0] *= 1.0 + 2.0 * around
    # Their difference is less than half a turn, which is how the paper measures it.
    phi[1] = phi[0] - random.uniform(-3.0, 3.0)
    force = random.uniform(-5.0, 5.0, 2)
    still, light = torque in ("static", "of motors"), torque == "massless"
    arm = ulna.Arm.rods(lengths, masses * (1e-12 if light else 1.0), gravity=(0.0, -G))
    q, qd, qdd = map(relative, (phi, rate, turning))
    tau = dynamics.inverse_dynamics(arm, q, qd * (not still), qdd * (not still), tip_force=force)
    if torque != "of motors":
        tau = tau - np.append(tau[1:], 0.0)
    _, elbow, tip = kinematics.joints(arm, q)
    found = named("q", phi, rate, turning) | named("l", lengths) | named("m", masses)
    found |= named("tau", tau) | {"Fx": force[0], "Fy": force[1], "g": G, "x": tip[0], "y": tip[1]}
    found |= dict(zip(("xd", "yd"), kinematics.tip_velocity(arm, q, qd)[:2], strict=True))
    theta, lean = turn(tip - elbow, elbow), turn(tip, elbow)
    bearing = turn(np.array([1.0, 0.0]), tip)
    return found | {"theta": theta, "pm": np.sign(theta), "phi": lean, "varphi": bearing}


def of_003(random: np.random.Generator, *, heavy: bool = False) -> dict[str, np.ndarray]:
    """Two links with masses at elbow and tip; heavy ones have masses themselves."""
    (l1, l2), (I1, I2), (m2, mE), (m1L, m2L), (c1, c2) = random.uniform(0.2, 1.5, (5, 2))
    arm = general_arm(
        ulna.Link(l1, m1L * heavy, c1, I1, tip_mass=m2),
        ulna.Link(l2, m2L * heavy, c2, I2, tip_mass=mE),
    )
    q, qd, qdd = state(random)
    gravity = dynamics.gravity_torque(arm, q)
    found = named("chi", q, qd, qdd) | named("M", dynamics.mass_matrix(arm, q))
    found |= named("h", dynamics.coriolis_matrix(arm, q, qd) @ qd) | named("g", gravity)
    found |= named("tau", dynamics.inverse_dynamics(arm, q, qd, qdd))
    found |= {"l1": l1, "l2": l2, "I1": I1, "I2": I2, "m2": m2, "mE": mE, "g": G}
    found |= {"m1L": m1L, "m2L": m2L, "c1": c1, "c2": c2}
    found["K"] = dynamics.kinetic_energy(arm, q, qd)
    level = dynamics.potential_energy(arm, [0.0, 0.0])
    return found | {"U": dynamics.potential_energy(arm, q) - level}


def of_004(random: np.random.Generator, *, around: bool = False) -> dict[str, np.ndarray]:
    """Two links, relative angles."""
    lengths = random.uniform(0.3, 1.5, 2)
    theta = state(random)[0] * [1.0 + 2.0 * around, 1.0]
    x, y, _ = kinematics.tip(ulna.Arm.rods(lengths, [1.0, 1.0]), theta)
    found = named("theta", theta) | named("L", lengths)
    found |= {"b": turn(np.array([1.0, 0.0]), np.array([x, y])), "pm": np.sign(theta[1])}
    return found | {"x": x, "y": y, "r": np.hypot(x, y)}


OF_PAPERS: Mapping[str, Callable[..., dict[str, np.ndarray]]] = {
    "000": of_000, "001": of_001, "002": of_002, "003": of_003, "004": of_004,
}  # fmt: skip


def drawn(number: str, random: np.random.Generator, **options: object) -> LETTERS:
    """Return values for the letters of a paper."""
    found = OF_PAPERS[number](random, **options)
    return {as_letter(name): np.asarray(one) for name, one in (found | {"pi": np.pi}).items()}


as_letter = cache(read_formula)


def general_arm(*links: ulna.Link) -> ulna.Arm:
    """Return an arm without a warning where no body has such an inertia: equations hold for all."""
    return ulna.Arm(links, (ulna.Joint(),) * len(links), gravity=(0.0, -G))


def state(random: np.random.Generator) -> np.ndarray:
    """Return angles, rates and accelerations of two joints, (3, 2).

    Angles are small enough that formulas for them do not differ by a whole turn.
    """
    return random.uniform(-3.0, 3.0, (3, 2)) * [[1 / 3, 2 / 3], [1.0, 1.0], [1.0, 1.0]]


def relative(absolute: np.ndarray) -> np.ndarray:
    return np.diff(absolute, prepend=0.0)


def turn(one: np.ndarray, other: np.ndarray) -> np.float64:
    """Return the angle from one direction to another, counter-clockwise."""
    cosine = one @ other / (np.hypot(*one) * np.hypot(*other))
    return np.copysign(np.arccos(cosine), one[0] * other[1] - one[1] * other[0])


def gradient(
    function: Callable[[np.ndarray], np.ndarray], at: np.ndarray, step: float = STEP
) -> np.ndarray:
    steps = step * np.eye(len(at))
    return np.array([(function(at + one) - function(at - one)) / (2 * step) for one in steps])


def rate_of(
    function: Callable[[np.ndarray, np.ndarray], np.ndarray],
    q: np.ndarray, qd: np.ndarray, qdd: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Return how fast a function of angles and rates changes in time."""
    before, after = (function(q + h * qd, qd + h * qdd) for h in (-STEP, STEP))
    return (after - before) / (2 * STEP)


def named(letter: str, *values: np.ndarray) -> dict[str, np.ndarray]:
    """Name the parts of vectors and matrices: θ₁, θ̇₁, M₁₂."""
    return {
        letter + "d" * order + "".join(str(k + 1) for k in place): one
        for order, whole in enumerate(values)
        for place, one in np.ndenumerate(whole)
    }
