"""The finished derivation: its matrices, its steps from positions to the check, and its texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import sympy as sp

from ulna.arm import Arm
from ulna.derivation.derivation_options import DerivationOptions, left_out, title_of
from ulna.derivation.formats import FORMATS, check_known, to_html, to_text
from ulna.derivation.formulas import Block, DocumentTable, Equation, Step, equals, paragraph
from ulna.derivation.lagrange import Check, Mechanics, check, values
from ulna.derivation.model import (
    HALF,
    Model,
    Partial,
    Rate,
    angles_in_words,
    forces_in_words,
    friction_in_words,
    letter,
    letters,
    symbol,
)
from ulna.derivation.source_code import LANGUAGES, source_code

L, K, V = symbol("L"), symbol("K"), symbol("V")
A, B = symbol("A"), symbol("B")  # any two angles
WRITTEN_OUT = 2  # links up to which the matrices are also shown without abbreviations


@dataclass(frozen=True)
class Derivation:
    """The Lagrangian derivation of an arm, as `ulna.derive` returns it.

    Matrices, energies and equations are SymPy's, in the constants that `constants` defines.
    `text()`, `markdown()`, `latex()` and `html()` write the steps, `code(language)` a source file.

    Parameters
    ----------
    options : DerivationOptions
        What is derived.
    arm : Arm, optional
        Arm whose numbers are put in.

    Attributes
    ----------
    mechanics : Mechanics
        The energies and all that follows from them.
    check : Check
        How well the results agree with the closed form in numbers.

    Examples
    --------
    >>> import ulna
    >>> found = ulna.derive(1)
    >>> found.lagrangian
    a11*qd1**2/2 - g*s1*sin(q1)
    >>> found.constants
    {a11: l1**2*m1/3, s1: l1*m1/2}
    """

    options: DerivationOptions
    arm: Arm | None = None
    mechanics: Mechanics = field(init=False, repr=False)
    check: Check = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mechanics", Mechanics(Model(self.options)))
        object.__setattr__(self, "check", check(self.mechanics, self.arm))

    @property
    def title(self) -> str:
        """What the derivation is of, in a line."""
        return title_of(self.options, self.arm)

    @property
    def coordinates(self) -> tuple[sp.Symbol, ...]:
        """The angles: q of the joints, or φ of the links [rad]."""
        return self.mechanics.model.coordinates

    @property
    def rates(self) -> tuple[sp.Symbol, ...]:
        """The first time derivatives of the coordinates [rad/s]."""
        return self.mechanics.model.rates

    @property
    def accelerations(self) -> tuple[sp.Symbol, ...]:
        """The second time derivatives of the coordinates [rad/s²]."""
        return self.mechanics.model.accelerations

    @property
    def kinetic_energy(self) -> sp.Expr:
        """K, in the constants [J]."""
        return self.mechanics.kinetic_energy

    @property
    def potential_energy(self) -> sp.Expr:
        """V, in the constants; zero for masses at the height of the base [J]."""
        return self.mechanics.potential_energy

    @property
    def lagrangian(self) -> sp.Expr:
        """L = K − V, in the constants [J]."""
        return self.kinetic_energy - self.potential_energy

    @property
    def equations(self) -> tuple[sp.Eq, ...]:
        """The equations of motion, one a coordinate: M q̈ + C q̇ + G = what acts on it [N·m]."""
        m, model = self.mechanics, self.mechanics.model
        inertia = m.mass_matrix * sp.Matrix(model.accelerations)
        moving = inertia + m.velocity_terms + m.gravity
        acting = (m.motor(k) + m.pull(k) - m.damping(k) - m.friction(k) for k in range(model.n))
        return tuple(sp.Eq(left, right) for left, right in zip(moving, acting, strict=True))

    @property
    def mass_matrix(self) -> sp.Matrix:
        """M, in the constants."""
        return self.mechanics.mass_matrix

    @property
    def coriolis_matrix(self) -> sp.Matrix:
        """C by Christoffel symbols, in the constants."""
        return self.mechanics.coriolis_matrix

    @property
    def gravity(self) -> sp.Matrix:
        """G, in the constants."""
        return self.mechanics.gravity

    @property
    def constants(self) -> dict[sp.Symbol, sp.Expr]:
        """Every constant with its definition in masses and lengths."""
        return dict(self.mechanics.constants)

    @property
    def symbols(self) -> dict[str, sp.Symbol]:
        """Every letter by its name, such as "q1", "qd1", "m1" and "a11", to substitute for."""
        m = self.mechanics.model
        known = [s for s, _, _ in letters(m)]
        found = (*m.coordinates, *m.rates, *m.accelerations, *known, *self.mechanics.constants)
        return {s.name: s for s in found}

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The steps, from what is given to the check."""
        note = left_out(self.options, self.arm)
        return DerivationSteps(self.mechanics, self.check, self._numbers, note).steps()

    def text(self) -> str:
        """Write the steps as plain text.

        Returns
        -------
        str
            Lines of at most 96 characters.
        """
        return to_text(self.title, self.steps)

    def markdown(self) -> str:
        """Write the steps as Markdown, formulas in LaTeX between dollar signs.

        Returns
        -------
        str
            Markdown.
        """
        return self.write("markdown")

    def latex(self) -> str:
        """Write the steps as a LaTeX document.

        Returns
        -------
        str
            Source that LaTeX compiles as it is.
        """
        return self.write("latex")

    def html(self) -> str:
        """Write the steps as one HTML file that needs no other.

        Returns
        -------
        str
            An HTML page with formulas in MathML.
        """
        return to_html(self.title, self.steps)

    def write(self, format: str) -> str:  # noqa: A002 - the word that users know
        """Write the derivation in any format or language by its name.

        Parameters
        ----------
        format : {"text", "markdown", "latex", "html", "python", "c", "matlab", "javascript"}
            A format of the steps, or a programming language.

        Returns
        -------
        str
            Content of a file.

        Raises
        ------
        InputError
            For any other name.
        """
        check_known("format", format, (*FORMATS, *LANGUAGES))
        if format in LANGUAGES:
            return self.code(format)
        return FORMATS[format](self.title, self.steps)

    def code(self, language: str, *, name: str = "arm_model") -> str:
        """Write the arm as source code that needs nothing else, and simulates when it is run.

        Positions, Jacobian, M, C, G, energies, inverse and forward dynamics, a Runge–Kutta step
        and, for two links, inverse kinematics. With friction there is no forward dynamics: a joint
        that dry friction holds needs a search and events, as `ulna.simulate` has them.

        Parameters
        ----------
        language : {"python", "c", "matlab", "javascript"}
            Programming language.
        name : str, optional
            Name of the MATLAB file's function.

        Returns
        -------
        str
            A source file that needs no other.

        Raises
        ------
        InputError
            For any other language.
        """
        check_known("language", language, tuple(LANGUAGES))
        note = left_out(self.options, self.arm)
        return source_code(
            self.mechanics, self.title, self._numbers, language, name=name, note=note
        )

    def __str__(self) -> str:
        return self.text()

    def _repr_markdown_(self) -> str:
        return self.markdown()

    def _repr_html_(self) -> str:
        return to_html(self.title, self.steps, page=False)

    @property
    def _numbers(self) -> dict[sp.Symbol, float]:
        return values(self.arm, self.options) if self.arm else {}


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
        options, n = self._model.options, self._model.n
        kind = "joint" if options.relative else "link"
        rows = {f"Euler–Lagrange for {kind} {k + 1}": self._row(k) for k in range(n)}
        steps = {
            "What is given": self._given(),
            "Positions": self._positions(),
            "Velocities": self._velocities(),
            "Squares of the speeds": self._squares(),
            "Energies": self._energies(),
            "The constants": self._constants(),
            "The Lagrangian": self._lagrangian(),
            **({"Friction": self._friction()} if options.friction else {}),
            **rows,
            "The mass matrix": self._mass_matrix(),
            "The Coriolis matrix": self._coriolis_matrix(),
            "The gravity vector": self._gravity(),
            **({"Written out": self._written_out()} if n <= WRITTEN_OUT else {}),
            **({"With the arm's numbers": self._with_numbers()} if self.numbers else {}),
            "The check": self._check(),
        }
        return tuple(Step(title, tuple(blocks)) for title, blocks in steps.items())

    def _for_offsets(
        self, *parts: str | sp.Expr | Equation
    ) -> tuple[str | sp.Expr | Equation, ...]:
        """Return the parts where centres of mass may lie beside their links."""
        return parts if self._model.options.bodies == "general" else ()

    def _given(self) -> Iterator[Block]:
        yield paragraph(*angles_in_words(self._model))
        if self.note:
            yield paragraph(self.note)
        rows = tuple(letters(self._model))
        if not self.numbers:
            yield DocumentTable(("letter", "means", "unit"), rows)
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
        parts = [self._model.kinetic_energy(body) for body in self._model.bodies]
        if self._model.options.drives:
            words = "Each rotor turns with the link that carries it, and geared with its joint."
            yield paragraph(words)
            parts += [share.factor * share.rates for share in self.mechanics.rotor_shares()]
        yield equals(K, sp.Add(*parts))
        if not self._model.options.has_gravity:
            yield paragraph("The arm lies flat: gravity does no work on it.")
        yield equals(V, sp.Add(*(self._model.potential_energy(one) for one in self._model.bodies)))

    def _constants(self) -> Iterator[Block]:
        heavy = self._model.options.has_gravity
        yield paragraph(
            "Put the positions and squares in, and sort by what moves. Masses and lengths enter "
            "the energies only through these constants: second moments ",
            symbol("a", "ii"),
            ", couplings ",
            symbol("a", "ij"),
            *((", first moments ", symbol("s", "i")) if heavy else ()),
            *self._for_offsets(", and for the offsets ", symbol("h", "ij")),
            *(self._for_offsets(" and ", symbol("e", "i")) if heavy else ()),
            ".",
        )
        for name, definition in self.mechanics.constants.items():
            yield equals(name, definition, number=self._number(definition))

    def _lagrangian(self) -> Iterator[Block]:
        yield paragraph("With them the energies are short.")
        yield equals(K, self.mechanics.kinetic_energy)
        yield equals(V, self.mechanics.potential_energy)
        yield equals(L, K - V)

    def _friction(self) -> Iterator[Block]:
        moving, at_rest = friction_in_words()
        yield paragraph(moving)
        for joint in range(self._model.n):
            yield equals(symbol("f", joint + 1), self.mechanics.joint_friction(joint))
        yield paragraph(at_rest)

    def _row(self, k: int) -> Iterator[Block]:
        m, mechanics = self._model, self.mechanics
        by_rate, by_angle = Partial(L, m.rates[k]), Partial(L, m.coordinates[k])
        yield equals(by_rate, mechanics.momentum(k))
        yield equals(Rate(by_rate), mechanics.momentum_rate(k))
        yield equals(by_angle, mechanics.angle_derivative(k))
        yield paragraph(forces_in_words(m, k))
        acts = mechanics.motor(k) + mechanics.pull(k) - mechanics.damping(k)
        acts -= mechanics.friction(k, lambda joint: symbol("f", joint + 1))
        yield equals(Rate(by_rate) - by_angle, acts)
        heavy = m.options.has_gravity
        kinds = "accelerations, rates and weight" if heavy else "accelerations and rates"
        below = ", with M as it is written out below" if m.n > WRITTEN_OUT else ""
        yield paragraph(f"Sorted by {kinds}{below}:")
        entries = mechanics.mass_matrix.row(k)
        if m.n > WRITTEN_OUT:
            # Long coefficients get names here, and lines of their own below.
            entries = [symbol("M", f"{k + 1}{j + 1}") for j in range(m.n)]
        inertia = sp.Add(*(x * y for x, y in zip(entries, m.accelerations, strict=True)))
        yield equals(acts, inertia + mechanics.velocity_terms[k] + mechanics.gravity[k])

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
        yield from _entries("M", mass, symmetric=True)
        yield from _entries("C", m.coriolis_matrix.subs(known))
        for k in range(self._model.n):
            yield equals(symbol("G", k + 1), gravity[k])

    def _check(self) -> Iterator[Block]:
        yield paragraph(
            f"The letters were replaced by numbers in {self.check.states} states, and the results "
            "compared with the closed form that ulna computes with. The largest differences, "
            "relative to the terms that make them up:"
        )
        differences = {
            "M": self.check.mass_matrix,
            "C times the rates": self.check.coriolis,
            "G": self.check.gravity,
            "torques, straight from the Euler–Lagrange terms": self.check.torque,
        }
        rows = ((name, f"{error:.1e}") for name, error in differences.items())
        yield DocumentTable(("what", "difference"), tuple(rows))


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
