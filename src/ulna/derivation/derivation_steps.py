"""The steps of a derivation, from positions and energies to matrices and the check."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import sympy as sp

from ulna.derivation.formulas import Block, DocumentTable, Equation, Step, equals, paragraph
from ulna.derivation.lagrange import Mechanics
from ulna.derivation.model import (
    HALF,
    Body,
    Model,
    Partial,
    Rate,
    angles_in_words,
    letter,
    letters,
    symbol,
)
from ulna.derivation.numeric_check import Check

L, K, V = symbol("L"), symbol("K"), symbol("V")
A, B = symbol("A"), symbol("B")  # any two angles
WRITTEN_OUT = 2  # links up to which the matrices are also shown without abbreviations


@dataclass(frozen=True, slots=True)
class DerivationSteps:
    """Writes the steps of a derivation, in order."""

    mechanics: Mechanics
    check: Check
    numbers: dict[sp.Symbol, float]  # empty where no arm was given
    note: str = ""  # of what the arm has and the letters leave out

    @property
    def _model(self) -> Model:
        return self.mechanics.model

    def steps(self) -> tuple[Step, ...]:
        """Return the steps, from what is given to the check."""
        steps = [
            Step("What is given", tuple(self._given())),
            Step("Positions", tuple(self._positions())),
            Step("Velocities", tuple(self._velocities())),
            Step("Squares of the speeds", tuple(self._squares())),
            Step("Energies", tuple(self._energies())),
            Step("The constants", tuple(self._constants())),
            Step("The Lagrangian", tuple(self._lagrangian())),
        ]
        steps += [Step(self._title(k), tuple(self._row(k))) for k in range(self._model.n)]
        steps += [
            Step("The mass matrix", tuple(self._mass_matrix())),
            Step("The Coriolis matrix", tuple(self._coriolis_matrix())),
            Step("The gravity vector", tuple(self._gravity())),
        ]
        if self._model.n <= WRITTEN_OUT:
            steps.append(Step("Written out", tuple(self._written_out())))
        if self.numbers:
            steps.append(Step("With the arm's numbers", tuple(self._with_numbers())))
        return (*steps, Step("The check", tuple(self._check())))

    @property
    def _heavy(self) -> bool:
        return self._model.options.gravity != "none"

    def _for_offsets(
        self, *parts: str | sp.Expr | Equation
    ) -> tuple[str | sp.Expr | Equation, ...]:
        """Return the parts where centres of mass may lie beside their links."""
        return parts if self._model.options.bodies == "general" else ()

    def _given(self) -> Iterator[Block]:
        yield paragraph(*angles_in_words(self._model))
        if self.note:
            yield paragraph(self.note)
        rows = [(s, text, unit) for s, text, unit in letters(self._model)]
        if not self.numbers:
            yield DocumentTable(("letter", "means", "unit"), tuple(rows))
            return
        valued = tuple((s, text, unit, self._number(s)) for s, text, unit in rows)
        yield DocumentTable(("letter", "means", "unit", "this arm"), valued)

    def _number(self, of: sp.Expr) -> str:
        """Return today's number for an expression in the arm's letters."""
        if not self.numbers or not of.free_symbols <= self.numbers.keys():
            return ""
        return f"{float(of.subs(self.numbers)):.6g}"

    def _positions(self) -> Iterator[Block]:
        yield paragraph("Walk along the links from the base.")
        for body in self._model.bodies:
            yield paragraph(f"For {body.about}:")
            x, y = self._model.place(body.legs)
            yield equals(symbol("x", body.name), x)
            yield equals(symbol("y", body.name), y)

    def _velocities(self) -> Iterator[Block]:
        yield paragraph("Differentiate by time; every angle brings its rate with it.")
        for body in self._model.bodies:
            x, y = self._model.velocity(body.legs)
            yield equals(symbol("x", body.name, 1), x)
            yield equals(symbol("y", body.name, 1), y)

    def _squares(self) -> Iterator[Block]:
        yield paragraph(
            "Square and add, using ",
            equals(sp.cos(A) * sp.cos(B) + sp.sin(A) * sp.sin(B), sp.cos(A - B)),
            *self._for_offsets(
                " and, for the offsets, ",
                equals(sp.sin(A) * sp.cos(B) - sp.cos(A) * sp.sin(B), sp.sin(A - B)),
            ),
            " at once.",
        )
        for body in self._model.bodies:
            yield equals(symbol("v", body.name) ** 2, self._model.square(body.legs))

    def _energies(self) -> Iterator[Block]:
        yield paragraph("Each body moves and, where it has an inertia, turns with its link.")
        if self._model.options.bodies == "rods":
            rod = symbol("m", "i") * symbol("l", "i") ** 2 / 12
            yield paragraph("A rod has ", equals(symbol("I", "i"), rod), " about its middle.")
        parts = [_own_kinetic(self._model, body) for body in self._model.bodies]
        if self._model.options.drives:
            yield paragraph(
                "Each rotor turns with the link that carries it, and geared with its joint."
            )
            parts += [share.factor * share.rates for share in self.mechanics.rotor_shares()]
        yield equals(K, sp.Add(*parts))
        if self._model.options.gravity == "none":
            yield paragraph("The arm lies flat: gravity does no work on it.")
        yield equals(V, sp.Add(*(_own_potential(self._model, body) for body in self._model.bodies)))

    def _constants(self) -> Iterator[Block]:
        yield paragraph(
            "Put the positions and squares in, and sort by what moves. Masses and lengths enter "
            "the energies only through these constants: second moments ",
            symbol("a", "ii"),
            ", couplings ",
            symbol("a", "ij"),
            *((", first moments ", symbol("s", "i")) if self._heavy else ()),
            *self._for_offsets(", and for the offsets ", symbol("h", "ij")),
            *(self._for_offsets(" and ", symbol("e", "i")) if self._heavy else ()),
            ".",
        )
        for name, definition in self.mechanics.constants.items():
            yield equals(name, definition, number=self._number(definition))

    def _lagrangian(self) -> Iterator[Block]:
        yield paragraph("With them the energies are short.")
        yield equals(K, self.mechanics.kinetic_energy)
        yield equals(V, self.mechanics.potential_energy)
        yield equals(L, K - V)

    def _title(self, k: int) -> str:
        return f"Euler–Lagrange for {'joint' if self._model.options.relative else 'link'} {k + 1}"

    def _row(self, k: int) -> Iterator[Block]:
        m, mechanics = self._model, self.mechanics
        by_rate, by_angle = Partial(L, m.rates[k]), Partial(L, m.coordinates[k])
        yield equals(by_rate, mechanics.momentum(k))
        yield equals(Rate(by_rate), mechanics.momentum_rate(k))
        yield equals(by_angle, mechanics.angle_derivative(k))
        yield paragraph(self._what_acts(k))
        acts = mechanics.motor(k) + mechanics.pull(k) - mechanics.drag(k)
        yield equals(Rate(by_rate) - by_angle, acts)
        kinds = "accelerations, rates and weight" if self._heavy else "accelerations and rates"
        below = ", with M as it is written out below" if m.n > WRITTEN_OUT else ""
        yield paragraph(f"Sorted by {kinds}{below}:")
        entries = mechanics.mass_matrix.row(k)
        if m.n > WRITTEN_OUT:
            # Long coefficients get names here, and lines of their own below.
            entries = [symbol("M", f"{k + 1}{j + 1}") for j in range(m.n)]
        inertia = sp.Add(*(x * y for x, y in zip(entries, m.accelerations, strict=True)))
        yield equals(acts, inertia + mechanics.velocity_terms[k] + mechanics.gravity[k])

    def _what_acts(self, k: int) -> str:
        options, last = self._model.options, k + 1 == self._model.n
        words = (
            f"The motor of joint {k + 1} turns {'this joint' if options.relative else 'this link'}"
        )
        if not options.relative and not last:
            words += f", and that of joint {k + 2}, which it carries, pushes back"
        if options.tip_force:
            words += "; the force at the tip acts on the arm by its lever"
        if options.drives:
            words += "; damping takes its part from the relative rates"
        return words + "."

    def _mass_matrix(self) -> Iterator[Block]:
        yield paragraph("The coefficients of the accelerations, symmetric:")
        yield from _entries("M", self.mechanics.mass_matrix, symmetric=True)

    def _coriolis_matrix(self) -> Iterator[Block]:
        yield paragraph(
            "From the derivatives of M by Christoffel's symbols, ",
            _christoffel(letter(self._model.coordinates[0]).base),
            " summed over k, so that the rate of M less 2C is skew-symmetric:",
        )
        yield from _entries("C", self.mechanics.coriolis_matrix)

    def _gravity(self) -> Iterator[Block]:
        yield paragraph("The derivatives of the potential energy:")
        for k in range(self._model.n):
            yield equals(symbol("G", k + 1), self.mechanics.gravity[k])

    def _written_out(self) -> Iterator[Block]:
        yield paragraph("The same with masses and lengths in place of the constants:")
        yield from self._matrices(self.mechanics.constants)

    def _with_numbers(self) -> Iterator[Block]:
        yield paragraph("In SI units and radians:")
        constants = {
            name: value.subs(self.numbers) for name, value in self.mechanics.constants.items()
        }
        yield from self._matrices({**constants, **self.numbers})

    def _matrices(self, known: dict[sp.Symbol, sp.Expr]) -> Iterator[Block]:
        m = self.mechanics
        mass, gravity = (x.subs(known).applyfunc(sp.expand) for x in (m.mass_matrix, m.gravity))
        coriolis = m.coriolis_matrix.subs(known)
        yield from _entries("M", mass, symmetric=True)
        yield from _entries("C", coriolis)
        for k in range(self._model.n):
            yield equals(symbol("G", k + 1), gravity[k])

    def _check(self) -> Iterator[Block]:
        yield paragraph(
            f"The letters were replaced by numbers in {self.check.states} states, and the results "
            "compared with the closed form that ulna computes with. The largest differences, "
            "relative to the terms that make them up:"
        )
        rows = (
            ("M", self.check.mass_matrix),
            ("C times the rates", self.check.coriolis),
            ("G", self.check.gravity),
            ("torques, straight from the Euler–Lagrange terms", self.check.torque),
        )
        yield DocumentTable(
            ("what", "difference"), tuple((name, f"{error:.1e}") for name, error in rows)
        )


def _entries(name: str, matrix: sp.Matrix, *, symmetric: bool = False) -> Iterator[Block]:
    n = matrix.rows
    for i in range(n):
        for j in range(i if symmetric else 0, n):
            names = [symbol(name, f"{i + 1}{j + 1}")]
            if symmetric and i != j:
                names.append(symbol(name, f"{j + 1}{i + 1}"))
            yield equals(*names, matrix[i, j])


def _christoffel(base: str) -> Equation:
    def slope(entry: str, by: str) -> sp.Expr:
        return Partial(symbol("M", entry), symbol(base, by))

    slopes = slope("ij", "k") + slope("ik", "j") - slope("jk", "i")
    return equals(symbol("C", "ij"), sp.Mul(HALF, slopes, symbol(base, "k", 1)))


def _own_kinetic(model: Model, body: Body) -> sp.Expr:
    moving = HALF * body.mass * symbol("v", body.name) ** 2
    return moving + HALF * body.inertia * model.spin(body.legs[-1].link) ** 2


def _own_potential(model: Model, body: Body) -> sp.Expr:
    x, y = symbol("x", body.name), symbol("y", body.name)
    if model.options.gravity == "none":
        return sp.S.Zero
    if model.options.gravity == "vector":
        return -body.mass * (symbol("gamma", "x") * x + symbol("gamma", "y") * y)
    return body.mass * symbol("g") * y
