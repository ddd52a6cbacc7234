"""From energies to equations of motion: the constants, L, the Euler–Lagrange terms, M, C and G.

And the check of them against the closed form in numbers, two statements of the same physics:
letters are replaced by the values of an arm, and of arms drawn at random.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np
import sympy as sp

from ulna.arm import Arm, Friction, Joint, Link, Payload
from ulna.arrays import Array
from ulna.derivation.derivation_options import DerivationOptions
from ulna.derivation.model import HALF, Body, Direction, Leg, Model, letter, symbol
from ulna.dynamics import absolute, chain
from ulna.errors import UlnaError

STATES = 20  # that are compared
TOLERANCE = 1e-12


class Share(NamedTuple):
    """A part of the kinetic energy: a factor of constants and angles, and one of rates alone."""

    factor: sp.Expr
    rates: sp.Expr


@dataclass(frozen=True)
class Mechanics:
    """The energies of a model and all that follows from them."""

    model: Model

    @cached_property
    def constants(self) -> dict[sp.Symbol, sp.Expr]:
        """What masses and lengths come down to: each constant with its definition, none zero."""
        n = self.model.n
        pairs = list(combinations(range(n), 2))
        found = {symbol("a", f"{i + 1}{i + 1}"): self._second_moment(i) for i in range(n)}
        found |= {symbol("a", f"{i + 1}{j + 1}"): self._product(i, j, False) for i, j in pairs}
        found |= {symbol("h", f"{i + 1}{j + 1}"): self._product(i, j, True) for i, j in pairs}
        if self.model.options.gravity != "none":
            found |= {symbol("s", i + 1): self._first_moment(i, False) for i in range(n)}
            found |= {symbol("e", i + 1): self._first_moment(i, True) for i in range(n)}
        return {name: value for name, value in found.items() if value != 0}

    def _second_moment(self, link: int) -> sp.Expr:
        own = sp.Add(*(body.inertia for body in self.model.bodies if body.legs[-1].link == link))
        return own + _gathered((leg.size**2, body.mass) for body, leg in self._legs(link))

    def _product(self, i: int, j: int, aside: bool) -> sp.Expr:
        return _gathered(
            (one.size * two.size, body.mass)
            for body, two in self._legs(j)
            if two.aside == aside
            for one in body.legs
            if one.link == i
        )

    def _first_moment(self, link: int, aside: bool) -> sp.Expr:
        legs = ((body, leg) for body, leg in self._legs(link) if leg.aside == aside)
        return _gathered((leg.size, body.mass) for body, leg in legs)

    def _legs(self, link: int) -> Iterable[tuple[Body, Leg]]:
        bodies = self.model.bodies
        return ((body, leg) for body in bodies for leg in body.legs if leg.link == link)

    @cached_property
    def kinetic(self) -> tuple[Share, ...]:
        """The kinetic energy, share by share."""
        shares = []
        for name in self.constants:
            base, _, subscript = letter(name)
            if base in ("a", "h"):
                i, j = (int(digit) - 1 for digit in subscript)
                shares.append(self._share(base, name, i, j))
        return (*shares, *self.rotor_shares()) if self.model.options.drives else tuple(shares)

    def _share(self, base: str, name: sp.Symbol, i: int, j: int) -> Share:
        model = self.model
        if i == j:
            return Share(name, HALF * model.spin(i) ** 2)
        apart = model.angle(i) - model.angle(j)
        function = sp.cos if base == "a" else sp.sin
        return Share(name * function(apart), model.spin(i) * model.spin(j))

    def rotor_shares(self) -> Iterable[Share]:
        """Return the energy of each rotor, turning with its carrier and geared with its joint."""
        for joint in range(self.model.n):
            carrier = self.model.spin(joint - 1) if joint else sp.S.Zero
            turns = carrier + symbol("N", joint + 1) * self.model.joint_rate(joint)
            yield Share(symbol("J", joint + 1), HALF * turns**2)

    @cached_property
    def kinetic_energy(self) -> sp.Expr:
        """K, in the constants."""
        return sp.Add(*(share.factor * share.rates for share in self.kinetic))

    @cached_property
    def potential_energy(self) -> sp.Expr:
        """V, in the constants; zero for masses at the height of the base."""
        x = y = sp.S.Zero
        for name in self.constants:
            base, _, subscript = letter(name)
            if base in ("s", "e"):
                angle = self.model.angle(int(subscript) - 1)
                x += name * sp.cos(angle) if base == "s" else -name * sp.sin(angle)
                y += name * sp.sin(angle) if base == "s" else name * sp.cos(angle)
        if self.model.options.gravity == "vector":
            return sp.expand(-symbol("gamma", "x") * x - symbol("gamma", "y") * y)
        return sp.expand(symbol("g") * y)

    def momentum(self, k: int) -> sp.Expr:
        """Return ∂L/∂q̇_k."""
        return sp.Add(
            *(share.factor * _by(share.rates, self.model.rates[k]) for share in self.kinetic)
        )

    def momentum_rate(self, k: int) -> sp.Expr:
        """Return d/dt ∂L/∂q̇_k."""
        found = sp.S.Zero
        for share, factor_rate in zip(self.kinetic, self._factor_rates, strict=True):
            part = _by(share.rates, self.model.rates[k])
            found += share.factor * self._rate(part) + factor_rate * part
        return found

    @cached_property
    def _factor_rates(self) -> tuple[sp.Expr, ...]:
        return tuple(self._rate(share.factor) for share in self.kinetic)

    def angle_derivative(self, k: int) -> sp.Expr:
        """Return ∂L/∂q_k."""
        angle = self.model.coordinates[k]
        kinetic = (_slope(share.factor, angle) * share.rates for share in self.kinetic)
        return sp.Add(*kinetic) - sp.diff(self.potential_energy, angle)

    def _rate(self, expression: sp.Expr) -> sp.Expr:
        """Return the time derivative, by the chain rule, common factors taken out."""
        m = self.model
        rows = zip((*m.coordinates, *m.rates), (*m.rates, *m.accelerations), strict=True)
        return sp.factor_terms(sp.Add(*(_slope(expression, x) * xd for x, xd in rows)))

    @cached_property
    def mass_matrix(self) -> sp.Matrix:
        """M, with K = ½ q̇ᵀ M q̇."""
        rates, n = self.model.rates, self.model.n

        def entry(i: int, j: int) -> sp.Expr:
            slopes = (_slope(s.rates, rates[i], rates[j]) for s in self.kinetic)
            return sp.Add(*(s.factor * x for s, x in zip(self.kinetic, slopes, strict=True)))

        found = {(i, j): entry(i, j) for i in range(n) for j in range(i, n)}
        return sp.Matrix(n, n, lambda i, j: found[min(i, j), max(i, j)])

    @cached_property
    def coriolis_matrix(self) -> sp.Matrix:
        """C by Christoffel symbols: C_ij = ½ Σ_k (∂M_ij/∂q_k + ∂M_ik/∂q_j − ∂M_jk/∂q_i) q̇_k."""
        M, q, n = self.mass_matrix, self.model.coordinates, self.model.n
        slopes = [M.applyfunc(lambda entry, by=by: _slope(entry, by)) for by in q]

        def entry(i: int, j: int) -> sp.Expr:
            parts = (
                (slopes[k][i, j] + slopes[j][i, k] - slopes[i][j, k]) * rate
                for k, rate in enumerate(self.model.rates)
            )
            return grouped(HALF * sp.Add(*parts), self.model.rates)

        return sp.Matrix(n, n, entry)

    @cached_property
    def gravity(self) -> sp.Matrix:
        """G = ∂V/∂q."""
        return sp.Matrix([sp.diff(self.potential_energy, q) for q in self.model.coordinates])

    @cached_property
    def velocity_terms(self) -> sp.Matrix:
        """C q̇, sorted by what multiplies the rates."""
        product = self.coriolis_matrix * sp.Matrix(self.model.rates)
        return product.applyfunc(lambda entry: grouped(entry, self.model.rates))

    def pull(self, k: int) -> sp.Expr:
        """Return what a force at the tip, acting on the arm, does to coordinate k."""
        if not self.model.options.tip_force:
            return sp.S.Zero
        x, y = self.model.place(self.model.tip_legs)
        angle = self.model.coordinates[k]
        return sp.expand(symbol("F", "x") * x.diff(angle) + symbol("F", "y") * y.diff(angle))

    def damping(self, k: int) -> sp.Expr:
        """Return what damping at the joints takes from coordinate k."""
        if not self.model.options.drives:
            return sp.S.Zero
        return self._of_joints(k, lambda i: symbol("b", i + 1) * self.model.joint_rate(i))

    def friction(self, k: int, law: Callable[[int], sp.Expr] | None = None) -> sp.Expr:
        """Return what friction at the joints takes from coordinate k, by its law or its letter."""
        if not self.model.options.friction:
            return sp.S.Zero
        return self._of_joints(k, law or self.joint_friction)

    def joint_friction(self, joint: int, *, at_rest: bool = False) -> sp.Expr:
        """Return f = sign(ω) [f_c + (f_s − f_c) exp(−(ω/ω_s)²) + k ω²] of a joint.

        With `at_rest` a joint that does not turn feels the friction of the way that it starts.
        """
        rate = self.model.joint_rate(joint)
        coulomb, static, stribeck = (
            symbol(base, f"{kind}{joint + 1}")
            for base, kind in (("f", "c"), ("f", "s"), ("omega", "s"))
        )
        direction = sp.sign(rate)
        if at_rest:
            direction = Direction(rate, self.model.joint_acceleration(joint))
        dry = coulomb + (static - coulomb) * sp.exp(-((rate / stribeck) ** 2))
        return direction * (dry + symbol("k", joint + 1) * rate**2)

    def motor(self, k: int) -> sp.Expr:
        """Return what motors at the joints do to coordinate k."""
        return self._of_joints(k, lambda i: symbol("tau", i + 1))

    def _of_joints(self, k: int, torque: Callable[[int], sp.Expr]) -> sp.Expr:
        """Return what torques at the joints, which push back on their carriers, do to k."""
        if self.model.options.relative or k + 1 == self.model.n:
            return torque(k)
        return torque(k) - torque(k + 1)


def grouped(expression: sp.Expr, rates: tuple[sp.Symbol, ...]) -> sp.Expr:
    """Sort a sum by all that is not a rate, and factor what rates each of these multiplies."""
    found: dict[sp.Expr, sp.Expr] = {}
    for term in sp.Add.make_args(sp.expand(expression)):
        rest, moving = term.as_independent(*rates, as_Add=False)
        number, rest = rest.as_coeff_Mul()
        found[rest] = found.get(rest, sp.S.Zero) + number * moving
    return sp.Add(*(_signed(rest, _factored(moving)) for rest, moving in found.items()))


@cache
def _factored(moving: sp.Expr) -> sp.Expr:
    # The same few sums of rates stand in every row.
    return sp.factor(moving)


def _signed(rest: sp.Expr, moving: sp.Expr) -> sp.Expr:
    """Return the product, a sum that is negative throughout written with its sign in front."""
    return -rest * -moving if moving.could_extract_minus_sign() else rest * moving


def _by(rates: sp.Expr, rate: sp.Symbol) -> sp.Expr:
    return sp.factor_terms(_slope(rates, rate))


def _slope(expression: sp.Expr, *by: sp.Symbol) -> sp.Expr:
    """Return the derivative; SymPy takes its time even over what does not hold the letters."""
    return expression.diff(*by) if expression.free_symbols.issuperset(by) else sp.S.Zero


def _gathered(parts: Iterable[tuple[sp.Expr, sp.Expr]]) -> sp.Expr:
    """Sum sizes times masses, each size once."""
    masses: dict[sp.Expr, sp.Expr] = {}
    for size, mass in parts:
        masses[size] = masses.get(size, sp.S.Zero) + mass
    return sp.Add(*(size * mass for size, mass in masses.items()))


@dataclass(frozen=True, slots=True)
class Check:
    """The largest difference of each quantity over all states, relative to what it is made of.

    That is the whole mass at the end of the whole length, moving as the state does: an arm in
    balance has entries of rounding size, which say nothing.
    """

    states: int
    mass_matrix: float
    coriolis: float
    gravity: float
    torque: float  # straight from the Euler–Lagrange terms, not from M, C and G

    @property
    def worst(self) -> float:
        """The largest of the differences."""
        return float(np.max([self.mass_matrix, self.coriolis, self.gravity, self.torque]))


def check(mechanics: Mechanics, arm: Arm | None = None) -> Check:
    """Compare at random arms and states, and at the given arm's own numbers.

    Raises UlnaError where they differ by more than 1e-12: a wrong derivation is not handed out.
    """
    random = np.random.default_rng(1)
    symbolic = _evaluator(mechanics)
    worst = np.zeros(4)
    for state in range(STATES):
        # A given arm takes turns with arms at random, whose numbers nobody chose.
        given = arm if state % 2 == 0 else None
        drawn = given or random_arm(mechanics.model.options, random)
        motion = random.uniform(-3.0, 3.0, (3, mechanics.model.n))
        if mechanics.model.options.friction and state % 4 == 0:
            motion[1] = 0.0  # all joints start from rest
        force = random.uniform(-5.0, 5.0, 2)
        ours = symbolic(drawn, motion, force)
        theirs = _closed_form(mechanics, _modelled(drawn, mechanics), motion, force)
        rows = zip(ours, theirs, _scales(drawn, motion, force), strict=True)
        errors = [_largest(one.reshape(other.shape) - other) / scale for one, other, scale in rows]
        worst = np.maximum(worst, errors)
    found = Check(STATES, *worst.tolist())
    if not found.worst <= TOLERANCE:
        raise UlnaError(f"the derivation and the closed form differ by {found.worst:.1e}")
    return found


def _evaluator(mechanics: Mechanics) -> Callable[[Arm, Array, Array], list[Array]]:
    """Return the function from an arm and its motion to the symbolic M, C q̇, G and τ."""
    m = mechanics.model
    names = tuple(mechanics.constants)
    force = (symbol("F", "x"), symbol("F", "y"))
    terms = [
        mechanics.momentum_rate(k)
        - mechanics.angle_derivative(k)
        + mechanics.damping(k)
        + mechanics.friction(k, lambda joint: mechanics.joint_friction(joint, at_rest=True))
        - mechanics.pull(k)
        for k in range(m.n)
    ]
    coriolis = mechanics.coriolis_matrix * sp.Matrix(m.rates)
    wanted = [mechanics.mass_matrix, coriolis, mechanics.gravity, sp.Matrix(terms)]
    motion = (*m.coordinates, *m.rates, *m.accelerations)
    letters = tuple(values(random_arm(m.options, np.random.default_rng(0)), m.options))
    constants = sp.lambdify(letters, list(mechanics.constants.values()), "numpy")
    known = [{"Direction": _direction}, "numpy"]
    matrices = sp.lambdify((*letters, *names, *motion, *force), wanted, known, cse=True)

    def evaluate(arm: Arm, state: Array, pull: Array) -> list[Array]:
        numbers = tuple(values(arm, m.options).values())
        found = matrices(*numbers, *constants(*numbers), *state.ravel(), *pull)
        return [np.asarray(part, dtype=float) for part in found]

    return evaluate


def _direction(rate: float, acceleration: float) -> float:
    return float(np.sign(acceleration if rate == 0.0 else rate))


def _modelled(arm: Arm, mechanics: Mechanics) -> Arm:
    """Return the arm as far as the letters describe it."""
    options = mechanics.model.options
    joints = [
        replace(j if options.drives else Joint(), friction=j.friction if options.friction else None)
        for j in arm.joints
    ]
    gravity = arm.gravity if options.has_gravity else (0.0, 0.0)
    payload = arm.payload if options.payload else type(arm.payload)(inertia=arm.payload.inertia)
    return arm.replace(joints=joints, gravity=gravity, payload=payload)


def _closed_form(mechanics: Mechanics, arm: Arm, motion: Array, force: Array) -> list[Array]:
    form = chain if mechanics.model.options.relative else absolute
    q, qd, qdd = motion
    pull = force if mechanics.model.options.tip_force else None
    coriolis = form.coriolis_matrix(arm, q, qd) @ qd
    torque = form.inverse_dynamics(arm, q, qd, qdd, tip_force=pull)
    found = [form.mass_matrix(arm, q), coriolis, form.gravity_torque(arm, q), torque]
    return [np.asarray(part) for part in found]


def _scales(arm: Arm, motion: Array, force: Array) -> list[float]:
    """Return the sizes of M, C q̇, G and τ that no cancelling has made smaller."""
    p = arm.parameters
    extent = float(np.sum(np.maximum(p.length, np.hypot(p.com, p.com_offset))))
    rotors = float(np.sum(p.rotor_inertia * (1.0 + np.abs(p.gear_ratio)) ** 2))
    inertia = arm.mass * extent**2 + float(np.sum(p.inertia)) + rotors
    _, rate, turning = (_largest(part) for part in motion)
    coriolis = inertia * rate**2
    gravity = arm.mass * extent * float(np.hypot(*arm.gravity))
    resisting = float(np.sum(p.damping * rate + p.static + p.drag * (2.0 * rate) ** 2))
    others = resisting + extent * _largest(force)
    return [
        inertia,
        coriolis or 1.0,
        gravity or 1.0,
        inertia * turning + coriolis + gravity + others,
    ]


def _largest(values: Array) -> float:
    return float(np.max(np.abs(values)))


def values(arm: Arm, options: DerivationOptions) -> dict[sp.Symbol, float]:
    """Return the value of every letter that stands for a property of the arm."""
    found: dict[sp.Symbol, float] = {}
    for number, link in enumerate(arm.links, 1):
        found[symbol("l", number)] = link.length
        found[symbol("m", number)] = link.mass
        if options.bodies == "general":
            found[symbol("c", number)] = link.com
            found[symbol("d", number)] = link.com_offset
            # The load's own inertia turns with the last link.
            found[symbol("I", number)] = float(arm.parameters.inertia[number - 1])
            found[symbol("p", number)] = link.tip_mass
        if options.drives:
            # With what its motor adds to them.
            found[symbol("J", number)] = float(arm.parameters.rotor_inertia[number - 1])
            found[symbol("N", number)] = float(arm.parameters.gear_ratio[number - 1])
            found[symbol("b", number)] = float(arm.parameters.damping[number - 1])
        if options.friction:
            p, joint = arm.parameters, number - 1
            found[symbol("f", f"c{number}")] = float(p.coulomb[joint])
            found[symbol("f", f"s{number}")] = float(p.static[joint])
            found[symbol("omega", f"s{number}")] = float(p.stribeck_velocity[joint])
            found[symbol("k", number)] = float(p.drag[joint])
    if options.payload:
        found[symbol("m", "P")] = arm.payload.mass
    if options.gravity == "down":
        found[symbol("g")] = -arm.gravity[1]
    elif options.gravity == "vector":
        found[symbol("gamma", "x")], found[symbol("gamma", "y")] = arm.gravity
    return found


def random_arm(options: DerivationOptions, random: np.random.Generator) -> Arm:
    """Draw an arm of the kind that the letters describe."""
    n = options.links

    def draw(low: float, high: float) -> list[float]:
        return [float(value) for value in random.uniform(low, high, n)]

    lengths, masses = draw(0.3, 1.0), draw(0.3, 1.0)
    sample = (Arm.point_masses if options.bodies == "points" else Arm.rods)(lengths, masses)
    links: tuple[Link, ...] = sample.links
    if options.bodies == "general":
        rows = zip(lengths, masses, draw(0.1, 0.5), draw(0.1, 0.3), strict=True)
        ends = zip(draw(0.1, 0.5), draw(-0.2, 0.2), strict=True)
        links = tuple(Link(*row, *end) for row, end in zip(rows, ends, strict=True))
    joints = tuple(Joint() for _ in links)
    if options.drives:
        drives = zip(draw(0.1, 1.0), draw(0.001, 0.01), draw(-9.0, 9.0), strict=True)
        joints = tuple(Joint(damping=b, rotor_inertia=j, gear_ratio=n) for b, j, n in drives)
    if options.friction:
        rubbing = zip(draw(0.1, 1.0), draw(1.0, 2.0), draw(0.5, 5.0), draw(0.1, 1.0), strict=True)
        pairs = zip(joints, rubbing, strict=True)
        joints = tuple(replace(joint, friction=Friction(*row)) for joint, row in pairs)
    payload = Payload(float(random.uniform(0.1, 1.0)) if options.payload else 0.0)
    return Arm(links, joints, _gravity(options, random), payload=payload)


def _gravity(options: DerivationOptions, random: np.random.Generator) -> tuple[float, float]:
    if not options.has_gravity:
        return 0.0, 0.0
    x, y = (float(value) for value in random.uniform(1.0, 10.0, 2))
    return (x, -y) if options.gravity == "vector" else (0.0, -y)
