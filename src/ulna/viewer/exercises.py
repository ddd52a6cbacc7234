"""Exercises for a page to ask: other numbers for every seed, answers, and their worked steps.

What is given is round, two significant digits or whole degrees, and drawn from the kind of exercise
and the seed alone: the raw 64-bit numbers of PCG64, seeded by NumPy's SeedSequence with the kind's
letters as one integer and the seed, taken modulo the count of choices. That stream is the same in
every release of NumPy, which those of its distributions are not, so that a key fits pages made
elsewhere. The ranges are such that no exercise is at a singularity, and no answer that is judged
relative to its value close to zero. Answers are computed by `ulna.kinematics` and `ulna.dynamics`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ulna import dynamics, kinematics
from ulna.arm import Arm, Joint, Link
from ulna.derivation import derive
from ulna.derivation.one_joint_steps import pendulum_steps, pid_steps
from ulna.derivation.worked_steps import holding_steps, reach_steps
from ulna.errors import InputError, Problem, did_you_mean, shown
from ulna.units.number_text import degrees, in_degrees, number

NOTE = (
    "This is for practice, and no exam: the page holds the answers, and whoever reads its source "
    "finds them."
)
LARGEST_SEED = 2**63 - 1
RELATIVE = 0.01  # of an answer, by which a right one may differ
ANGULAR = math.radians(0.5)  # [rad] by which a right angle may differ
GRAVITY = 9.81  # [m/s²]
# Of a derivation, what leads to M and G.
LEFT_OUT = {
    "What is given",
    "The Coriolis matrix",
    "Written out",
    "With the arm's numbers",
    "The check",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A quantity that an exercise asks for.

    Parameters
    ----------
    id : str
        Name of its field on the page.
    label : str
        What is asked, for the reader.
    quantity : str
        Kind of quantity, as the page's reader of units knows it.
    unit : str
        Unit in which a bare number is read.
    values : tuple of float
        The right value in SI units, one for each set of right answers.
    tolerance : float
        By how much an answer may differ: of an angle in radians, of anything else relative to its
        value.
    """

    id: str
    label: str
    quantity: str
    unit: str
    values: tuple[float, ...]
    tolerance: float = RELATIVE


@dataclass(frozen=True, slots=True)
class Exercise:
    """An exercise with its numbers, its answers, and the steps that lead to them.

    Parameters
    ----------
    kind, seed : str, int
        What it was made of.
    title : str
        Its heading.
    paragraphs : tuple of str
        The question.
    given : tuple of (str, str)
        What is given: a label and a value with its unit.
    arm : Arm
        The arm that the page opens with.
    q : tuple of float
        Joint angles that the page opens with [rad].
    asked : tuple of Asked
        The quantities asked for.
    steps : str
        The worked steps.
    """

    kind: str
    seed: int
    title: str
    paragraphs: tuple[str, ...]
    given: tuple[tuple[str, str], ...]
    arm: Arm
    q: tuple[float, ...]
    asked: tuple[Asked, ...]
    steps: str

    @property
    def answers(self) -> tuple[tuple[float, ...], ...]:
        """The sets of right answers in SI units, each with one value a quantity asked for."""
        return tuple(zip(*(one.values for one in self.asked), strict=True))

    def content(self) -> dict[str, Any]:
        """Return the exercise as the page reads it.

        Returns
        -------
        dict
            Plain text, numbers and lists; arm and pose are not among them.
        """
        names = ("id", "label", "quantity", "unit", "tolerance")
        return {
            "kind": self.kind,
            "title": self.title,
            "seed": str(self.seed),  # a number in JavaScript has 53 bits
            "paragraphs": list(self.paragraphs),
            "given": [list(row) for row in self.given],
            "asked": [{name: getattr(one, name) for name in names} for one in self.asked],
            "answers": [list(row) for row in self.answers],
            "steps": self.steps,
            "note": NOTE,
        }

    def key(self) -> str:
        """Return the answers for a teacher.

        Returns
        -------
        str
            What is given and each set of right answers, as lines of text.
        """
        lines = [f"{self.kind}, seed {self.seed}: {self.title}", "Given:"]
        lines += [f"  {label}: {value}" for label, value in self.given]
        several = len(self.answers) > 1
        for place, row in enumerate(self.answers):
            lines.append(f"Answer {place + 1} of {len(self.answers)}:" if several else "Answers:")
            lines += [
                f"  {one.label}: {_in_unit(value, one.unit)}"
                for one, value in zip(self.asked, row, strict=True)
            ]
        return "\n".join(lines)


def exercise(kind: str, seed: int) -> Exercise:
    """Make an exercise with numbers of its own.

    Parameters
    ----------
    kind : {"reach", "torque", "lagrangian", "pendulum", "pid"}
        What is practised.
    seed : int
        Which numbers: the same ones for the same seed, 0 to 2**63 − 1.

    Returns
    -------
    Exercise
        The question, the arm, the answers and the worked steps.

    Raises
    ------
    InputError
        For another kind, or a seed that is no such number.

    Examples
    --------
    >>> from ulna.viewer.exercises import exercise
    >>> exercise("pendulum", 7).title
    'A damped pendulum'
    """
    if kind not in KINDS:
        need, hint = f"one of {', '.join(KINDS)}", did_you_mean(str(kind), KINDS)
        raise InputError(Problem("exercise", shown(kind), need, hint))
    checked = _checked_seed(seed)
    return KINDS[kind](checked, _Numbers(kind, checked))


def _checked_seed(seed: int) -> int:
    try:
        whole = -1 if isinstance(seed, bool) else operator.index(seed)
    except TypeError:
        whole = -1
    if not 0 <= whole <= LARGEST_SEED:
        need = f"a whole number from 0 to {LARGEST_SEED}"
        raise InputError(Problem("seed", shown(seed), need, "such as 7"))
    return whole


class _Numbers:
    """Draws what is given, as the module says."""

    def __init__(self, kind: str, seed: int) -> None:
        letters = int.from_bytes(kind.encode(), "big")
        self._bits = np.random.PCG64(np.random.SeedSequence([letters, seed]))

    def whole(self, low: int, high: int, step: int = 1) -> int:
        """Return one of low, low + step, …, high."""
        choices = (high - low) // step + 1
        return low + step * (int(self._bits.random_raw()) % choices)

    def centimetres(self, low: int, high: int) -> float:
        return self.whole(low, high) / 100.0

    def tenths(self, low: int, high: int) -> float:
        return self.whole(low, high) / 10.0

    def bent(self) -> tuple[int, int]:
        """Return angles of two joints [deg], no link near upright, to the right or to the left."""
        first, second = self.whole(10, 50, 5), self.whole(-80, -20, 5)
        return (first, second) if self.whole(0, 1) else (180 - first, -second)


def _reach(seed: int, numbers: _Numbers) -> Exercise:
    lengths = [numbers.centimetres(20, 60), numbers.centimetres(20, 60)]
    first, bend = numbers.whole(5, 80), numbers.whole(45, 110)
    q = np.radians([first, bend if numbers.whole(0, 1) else -bend])
    arm = Arm.rods(lengths, [1.0, 1.0], name="two links")
    target = np.round(kinematics.tip(arm, q)[:2], 2)  # whole centimetres
    found = kinematics.inverse(arm, target)
    angles = tuple(
        Asked(f"q{i + 1}", f"q{_SMALL[i]}, angle of joint {i + 1}", "angle", "deg",
              tuple(found.q[:, i].tolist()), ANGULAR)
        for i in range(2)
    )  # fmt: skip
    return Exercise(
        "reach", seed, "Inverse kinematics of two links",
        (
            "The tip of this arm has to get to the point (x, y), seen from its base: which angles "
            "do the joints need?",
            "q₁ is counted counter-clockwise from the x axis, q₂ from link 1. There are two "
            "postures. Either is right, with both of its angles.",
        ),
        (*_lengths(arm), ("x of the point", _cm(target[0])), ("y of the point", _cm(target[1]))),
        arm, (math.radians(30.0), math.radians(30.0)), angles, reach_steps(arm, target, found),
    )  # fmt: skip


def _torque(seed: int, numbers: _Numbers) -> Exercise:
    arm = _two_rods(numbers).with_payload(numbers.tenths(2, 15))
    q = np.radians(numbers.bent())
    torque = dynamics.holding_torque(arm, q)
    asked = tuple(
        Asked(f"tau{i + 1}", f"τ{_SMALL[i]}, torque of joint {i + 1}", "torque", "N*m",
              (float(torque[i]),))
        for i in range(2)
    )  # fmt: skip
    return Exercise(
        "torque", seed, "Holding torques of two links",
        (
            "Two uniform rods carry a payload at the tip, a point mass. Which torques do the "
            "motors of the joints need to hold the arm still in this pose?",
            "Angles and torques count counter-clockwise, q₁ from the x axis and q₂ from link 1. "
            "Gravity points down.",
        ),
        (*_lengths(arm), *_masses(arm), ("Payload", _kg(arm.payload.mass)), *_pose(q), _GRAVITY),
        arm, tuple(q.tolist()), asked, holding_steps(arm, q, np.zeros(2)),
    )  # fmt: skip


def _lagrangian(seed: int, numbers: _Numbers) -> Exercise:
    arm = _two_rods(numbers)
    q = np.radians(numbers.bent())
    # In link angles M is a_ij cos(φ_i − φ_j) and G is g s_i cos φ_i.
    a = dynamics.absolute.mass_matrix(arm, np.zeros(2))
    s = dynamics.absolute.gravity_torque(arm, np.zeros(2)) / GRAVITY
    mass, weight = dynamics.mass_matrix(arm, q)[0, 0], dynamics.gravity_torque(arm, q)[0]
    constants = (
        ("a11", "a₁₁", "inertia", "kg*m^2", a[0, 0]),
        ("a12", "a₁₂", "inertia", "kg*m^2", a[0, 1]),
        ("a22", "a₂₂", "inertia", "kg*m^2", a[1, 1]),
        ("s1", "s₁", "moment", "kg*m", s[0]),
        ("s2", "s₂", "moment", "kg*m", s[1]),
        ("M11", "M₁₁ in this pose", "inertia", "kg*m^2", mass),
        ("G1", "G₁ in this pose", "torque", "N*m", weight),
    )
    asked = tuple(
        Asked(name, label, quantity, unit, (float(value),))
        for name, label, quantity, unit, value in constants
    )
    return Exercise(
        "lagrangian", seed, "The Lagrangian of two rods",
        (
            "Write down kinetic and potential energy of two uniform rods. Sorted by what moves "
            "they are",
            "K = ½ a₁₁ q̇₁² + ½ a₂₂ (q̇₁ + q̇₂)² + a₁₂ cos(q₂) q̇₁ (q̇₁ + q̇₂)",
            "V = g s₁ sin(q₁) + g s₂ sin(q₁ + q₂)",
            "Find the constants, and by the Euler–Lagrange equations the entry M₁₁ of the mass "
            "matrix and G₁ of the gravity torques in this pose. Angles are those of the joints.",
        ),
        (*_lengths(arm), *_masses(arm), *_pose(q), _GRAVITY),
        arm, tuple(q.tolist()), asked, _lagrangian_steps(arm, q, float(mass), float(weight)),
    )  # fmt: skip


def _lagrangian_steps(arm: Arm, q: np.ndarray, mass: float, weight: float) -> str:
    from ulna.derivation.formats import to_text  # with SymPy

    found = derive(arm)
    text = to_text(found.title, [step for step in found.steps if step.title not in LEFT_OUT])
    bend, both = in_degrees(q[1]), in_degrees(q[0] + q[1])
    at_pose = [
        f"In this pose, with q₁ = {in_degrees(q[0])} and q₂ = {bend}:",
        f"  M₁₁ = a₁₁ + a₂₂ + 2 a₁₂ cos({bend}) = {number(mass)} kg·m²",
        f"  G₁ = g s₁ cos({in_degrees(q[0])}) + g s₂ cos({both}) = {number(weight)} N·m",
    ]
    return "\n".join([text.rstrip(), "", *at_pose])


def _pendulum(seed: int, numbers: _Numbers) -> Exercise:
    length, mass, bob = (
        numbers.centimetres(20, 90), numbers.tenths(2, 20), numbers.tenths(1, 10)
    )  # fmt: skip
    link = Link(length, mass, tip_mass=bob)
    ratio = numbers.whole(30, 60, 5) / 100.0
    down = np.array([-math.pi / 2.0])
    undamped = Arm.of([link])
    slopes, _ = dynamics.linearise(undamped, down, np.zeros(1), np.zeros(1))
    free, inertia = math.sqrt(-slopes[1, 0]), float(dynamics.mass_matrix(undamped, down)[0, 0])
    damping = float(f"{2.0 * ratio * inertia * free:.2g}")
    arm = Arm.of([link], [Joint(damping=damping)], name="pendulum")
    slopes, _ = dynamics.linearise(arm, down, np.zeros(1), np.zeros(1))
    swing = float(np.linalg.eigvals(slopes).imag.max())
    climb = float(dynamics.potential_energy(arm, -down) - dynamics.potential_energy(arm, down))
    asked = (
        Asked("frequency", "ω, angular frequency of small swings", "rate", "rad/s", (swing,)),
        Asked("energy", "ΔV, potential energy of upright over hanging down", "energy", "J",
              (climb,)),
        Asked("speed", "q̇, least angular velocity at the bottom to go over the top", "rate",
              "rad/s", (math.sqrt(2.0 * climb / inertia),)),
    )  # fmt: skip
    return Exercise(
        "pendulum", seed, "A damped pendulum",
        (
            "A uniform rod with a small heavy mass at its end swings about a joint with viscous "
            "damping; no motor turns it.",
            "How fast are small swings about the lower equilibrium, damping included? How much "
            "energy lies between both equilibria? And how fast would it have to be at the bottom "
            "to just get over the top if there were no damping?",
        ),
        (("l, length of the rod", _cm(length)), ("m, mass of the rod", _kg(mass)),
         ("p, mass at its end", _kg(bob)), ("b, damping", f"{number(damping)} N·m·s/rad"),
         _GRAVITY),
        arm, (math.radians(-70.0),), asked, pendulum_steps(arm),
    )  # fmt: skip


def _pid(seed: int, numbers: _Numbers) -> Exercise:
    length, mass, load = (
        numbers.centimetres(30, 60), numbers.tenths(2, 20), numbers.tenths(1, 10)
    )  # fmt: skip
    arm = Arm.rods([length], [mass], payload=load, name="one joint")
    omega, zeta = float(numbers.whole(12, 20)), numbers.tenths(5, 10)
    q = np.radians([float(numbers.whole(20, 60, 5))])
    inertia = float(dynamics.mass_matrix(arm, q)[0, 0])
    weight = dynamics.gravity_torque(arm, q)
    slopes, inputs = dynamics.linearise(arm, q, np.zeros(1), weight)
    kp, kd = inertia * omega**2, 2.0 * zeta * omega * inertia
    error = float(weight[0]) / kp
    bound = kd * float(kp * inputs[1, 0] - slopes[1, 0])
    asked = (
        Asked("kp", "kp, proportional gain", "stiffness", "N*m/rad", (kp,)),
        Asked("kd", "kd, derivative gain", "damping", "N*m*s/rad", (kd,)),
        Asked("error", "e = q_ref − q, steady-state error under PD", "angle", "deg", (error,),
              RELATIVE * error),
        Asked("integral", "ki ∫ e dt, torque of the integral at rest", "torque", "N*m",
              (float(weight[0]),)),
        Asked("ki", "ki at which the loop becomes unstable", "integral-gain", "N*m/rad/s",
              (bound,)),
    )  # fmt: skip
    return Exercise(
        "pid", seed, "PD and PID control of one joint",
        (
            "A motor turns a uniform rod with a payload at its end, without friction, by the law "
            "τ = kp (q_ref − q) − kd q̇. Choose kp and kd so that without gravity the loop has "
            "this natural frequency ω and damping ratio ζ.",
            "With gravity the joint comes to rest at the angle q, short of its set-point q_ref. "
            "How large is the error?",
            "Then an integral is added, ki ∫ e dt, and the set-point is that angle q. Which "
            "torque does the integral supply once the joint is at rest there? From which ki on is "
            "the loop, linearised about that equilibrium, unstable?",
        ),
        (("l, length of the rod", _cm(length)), ("m, mass of the rod", _kg(mass)),
         ("p, payload at its end", _kg(load)), ("ω, natural frequency", f"{number(omega)} rad/s"),
         ("ζ, damping ratio", number(zeta)), ("q, where it rests, from the x axis",
         in_degrees(q[0])), _GRAVITY),
        arm, tuple(q.tolist()), asked, pid_steps(arm, float(q[0]), omega, zeta),
    )  # fmt: skip


def _two_rods(numbers: _Numbers) -> Arm:
    lengths = [numbers.centimetres(20, 60), numbers.centimetres(20, 60)]
    return Arm.rods(lengths, [numbers.tenths(4, 25), numbers.tenths(4, 25)], name="two rods")


_SMALL = "₁₂"
_GRAVITY = ("g, gravity", f"{GRAVITY} m/s²")


def _lengths(arm: Arm) -> list[tuple[str, str]]:
    return [
        (f"l{_SMALL[i]}, length of link {i + 1}", _cm(link.length))
        for i, link in enumerate(arm.links)
    ]


def _masses(arm: Arm) -> list[tuple[str, str]]:
    return [
        (f"m{_SMALL[i]}, mass of link {i + 1}", _kg(link.mass)) for i, link in enumerate(arm.links)
    ]


def _pose(q: np.ndarray) -> list[tuple[str, str]]:
    return [
        (f"q{_SMALL[i]}, angle of joint {i + 1}", in_degrees(angle)) for i, angle in enumerate(q)
    ]


def _cm(metres: float) -> str:
    return f"{number(100.0 * metres)} cm"


def _kg(mass: float) -> str:
    return f"{number(mass)} kg"


def _in_unit(value: float, unit: str) -> str:
    if unit == "deg":
        return f"{degrees(value, 2)}°"
    printed = unit.replace("N*m/rad/s", "N*m/(rad*s)").replace("*", "·").replace("^2", "²")
    return f"{number(value, 4)} {printed}"


KINDS: Mapping[str, Callable[[int, _Numbers], Exercise]] = {
    "reach": _reach,
    "torque": _torque,
    "lagrangian": _lagrangian,
    "pendulum": _pendulum,
    "pid": _pid,
}
