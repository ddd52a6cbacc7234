"""From energies to equations of motion: the constants, L, the Euler–Lagrange terms, M, C and G."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import sympy as sp

from ulna.derivation.model import HALF, Body, Leg, Model, letter, symbol


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
        for share in self.kinetic:
            part = _by(share.rates, self.model.rates[k])
            found += share.factor * self._rate(part) + self._rate(share.factor) * part
        return found

    def angle_derivative(self, k: int) -> sp.Expr:
        """Return ∂L/∂q_k."""
        angle = self.model.coordinates[k]
        kinetic = (sp.diff(share.factor, angle) * share.rates for share in self.kinetic)
        return sp.Add(*kinetic) - sp.diff(self.potential_energy, angle)

    def _rate(self, expression: sp.Expr) -> sp.Expr:
        """Return the time derivative, by the chain rule, common factors taken out."""
        m = self.model
        rows = zip((*m.coordinates, *m.rates), (*m.rates, *m.accelerations), strict=True)
        return sp.factor_terms(sp.Add(*(sp.diff(expression, x) * xd for x, xd in rows)))

    @cached_property
    def mass_matrix(self) -> sp.Matrix:
        """M, with K = ½ q̇ᵀ M q̇."""
        rates = self.model.rates
        return sp.Matrix(
            self.model.n,
            self.model.n,
            lambda i, j: sp.Add(
                *(s.factor * sp.diff(s.rates, rates[i], rates[j]) for s in self.kinetic)
            ),
        )

    @cached_property
    def coriolis_matrix(self) -> sp.Matrix:
        """C by Christoffel symbols: C_ij = ½ Σ_k (∂M_ij/∂q_k + ∂M_ik/∂q_j − ∂M_jk/∂q_i) q̇_k."""
        M, q, n = self.mass_matrix, self.model.coordinates, self.model.n

        def entry(i: int, j: int) -> sp.Expr:
            parts = (
                (M[i, j].diff(q[k]) + M[i, k].diff(q[j]) - M[j, k].diff(q[i])) * rate
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

    def drag(self, k: int) -> sp.Expr:
        """Return what damping at the joints takes from coordinate k."""
        if not self.model.options.drives:
            return sp.S.Zero
        own = symbol("b", k + 1) * self.model.joint_rate(k)
        if self.model.options.relative or k + 1 == self.model.n:
            return own
        return own - symbol("b", k + 2) * self.model.joint_rate(k + 1)

    def motor(self, k: int) -> sp.Expr:
        """Return what motors at the joints do to coordinate k."""
        own = symbol("tau", k + 1)
        if self.model.options.relative or k + 1 == self.model.n:
            return own
        return own - symbol("tau", k + 2)


def grouped(expression: sp.Expr, rates: tuple[sp.Symbol, ...]) -> sp.Expr:
    """Sort a sum by all that is not a rate, and factor what rates each of these multiplies."""
    found: dict[sp.Expr, sp.Expr] = {}
    for term in sp.Add.make_args(sp.expand(expression)):
        rest, moving = term.as_independent(*rates, as_Add=False)
        number, rest = rest.as_coeff_Mul()
        found[rest] = found.get(rest, sp.S.Zero) + number * moving
    return sp.Add(*(_signed(rest, sp.factor(moving)) for rest, moving in found.items()))


def _signed(rest: sp.Expr, moving: sp.Expr) -> sp.Expr:
    """Return the product, a sum that is negative throughout written with its sign in front."""
    return -rest * -moving if moving.could_extract_minus_sign() else rest * moving


def _by(rates: sp.Expr, rate: sp.Symbol) -> sp.Expr:
    return sp.factor_terms(sp.diff(rates, rate))


def _gathered(parts: Iterable[tuple[sp.Expr, sp.Expr]]) -> sp.Expr:
    """Sum sizes times masses, each size once."""
    masses: dict[sp.Expr, sp.Expr] = {}
    for size, mass in parts:
        masses[size] = masses.get(size, sp.S.Zero) + mass
    return sp.Add(*(size * mass for size, mass in masses.items()))
