"""What a generated file contains, before any programming language: functions of assignments.

A function first works out the constants it needs from the arm's parameters, then what its results
have in common, then the results.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import sympy as sp

from ulna._version import __version__
from ulna.derivation.glossary import letters
from ulna.derivation.lagrange import Mechanics
from ulna.derivation.options import DerivationOptions
from ulna.derivation.symbols import COORDINATES, letter, symbol


class Assignment(NamedTuple):
    """A name and the expression it is given."""

    name: str
    value: sp.Expr


class Routine(NamedTuple):
    """A function: its arguments after the arm, its helpers, and its result (rows, columns)."""

    name: str
    about: str
    arguments: tuple[str, ...]
    work: tuple[Assignment, ...]
    result: str
    entries: sp.Matrix

    @property
    def is_matrix(self) -> bool:
        """Whether the result has rows and columns: also one of a single link."""
        return self.name.endswith("_matrix")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A field of the arm: its name, meaning, unit, and value if an arm was given."""

    name: str
    about: str
    unit: str
    value: float | None


@dataclass(frozen=True, slots=True)
class GeneratedCode:
    """All that a generated file says, in any language."""

    title: str
    notes: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    routines: tuple[Routine, ...]
    links: int
    angles: str  # the name of the coordinates: "q" or "phi"
    numbers: bool  # whether the parameters have an arm's values


class CodeTemplate(NamedTuple):
    """Source with gaps: {q} for the name of the angles, {second} for the second of them."""

    source: str
    second: str  # as a joint angle
    total: str  # as a link angle


class Syntax(NamedTuple):
    """How a language reaches into vectors and into the arm's parameters."""

    opening: str
    closing: str
    first: int  # the index of the first entry
    field: str

    def entry(self, vector: str, place: int) -> sp.Symbol:
        """Return the entry of a vector, counted from zero here."""
        return sp.Symbol(f"{vector}{self.opening}{place + self.first}{self.closing}")


def generated_code(
    mechanics: Mechanics, title: str, known: Mapping[sp.Symbol, float], syntax: Syntax
) -> GeneratedCode:
    """Return all that a generated file says; `known` are an arm's numbers, if there is one."""
    options = mechanics.model.options
    parameters = tuple(
        Parameter(s.name, about, unit.replace("·", " ").replace("²", "^2"), known.get(s))
        for s, about, unit in letters(mechanics.model)
        if letter(s).base not in (*COORDINATES, "tau", "F")
    )
    # A name out of a file must not end a comment, whatever the language.
    heading = re.sub(r"[^A-Za-z0-9 ,.:()_-]", "?", title)
    angles = letter(mechanics.model.coordinates[0]).base
    found = _routines(mechanics, syntax)
    return GeneratedCode(
        heading, _notes(options), parameters, found, options.links, angles, bool(known)
    )


def _notes(options: DerivationOptions) -> tuple[str, ...]:
    counted = (
        "Joint angles q, the first from the x axis, every other from the link before it;"
        if options.relative
        else "Link angles phi, all from the x axis; torques are those of motors at the joints;"
    )
    force = ("The force (x, y) [N] at the tip acts on the arm.",) if options.tip_force else ()
    return (
        f"Written by ulna {__version__}.",
        counted,
        "counter-clockwise, in radians; everything in SI units.",
        *force,
    )


def assembled(
    program: GeneratedCode,
    head: Iterable[str],
    body: Iterable[str],
    inverse_kinematics: CodeTemplate,
) -> str:
    """Assemble a file; arms of two links also get the template of their inverse kinematics."""
    text = "\n".join([*head, *body, ""])
    if program.links != 2:
        return text
    source, second, total = inverse_kinematics
    wanted = second if program.angles == "q" else total
    return text + source.replace("{q}", program.angles).replace("{second}", wanted)


def _routines(mechanics: Mechanics, syntax: Syntax) -> tuple[Routine, ...]:
    """Return the functions of the dynamics, letters replaced by what the language calls them."""
    m = mechanics.model
    q, qd, qdd = (letter(m.coordinates[0]).base + "d" * dots for dots in range(3))
    build = _RoutineBuilder(mechanics, syntax)
    whose = "at the joints" if m.options.relative else "of the link angles"
    pushed = ("force",) if m.options.tip_force else ()
    return (
        build.routine("mass_matrix", "M [kg m^2]", (q,), "M", mechanics.mass_matrix),
        build.routine(
            "coriolis_matrix", "C, by Christoffel symbols", (q, qd), "C", mechanics.coriolis_matrix
        ),
        build.routine("gravity_torque", f"G [N m], {whose}", (q,), "G", mechanics.gravity),
        build.routine(
            "inverse_dynamics",
            "torques of the motors at the joints [N m]",
            (q, qd, qdd, *pushed),
            "tau",
            _torques(mechanics),
        ),
    )


def _torques(mechanics: Mechanics) -> sp.Matrix:
    """Return the motor torques that a motion needs, in the constants."""
    m = mechanics.model
    forces = mechanics.mass_matrix * sp.Matrix(m.accelerations)
    forces += mechanics.velocity_terms + mechanics.gravity
    rows = [forces[k] + mechanics.drag(k) - mechanics.pull(k) for k in range(m.n)]
    if not m.options.relative:
        rows = [sp.Add(*rows[k:]) for k in range(m.n)]
    return sp.Matrix(rows)


def _names(mechanics: Mechanics, syntax: Syntax) -> dict[sp.Symbol, sp.Symbol]:
    """Return for every letter that has another name in the file the symbol printed in its place."""
    m = mechanics.model
    found = {s: sp.Symbol(syntax.field + s.name) for s, _, _ in letters(m)}
    for row in (m.coordinates, m.rates, m.accelerations):
        base, dots, _ = letter(row[0])
        found |= {s: syntax.entry(base + "d" * dots, k) for k, s in enumerate(row)}
    return found | {symbol("F", axis): syntax.entry("force", k) for k, axis in enumerate("xy")}


class _RoutineBuilder:
    def __init__(self, mechanics: Mechanics, syntax: Syntax) -> None:
        self.constants = mechanics.constants
        self.names = _names(mechanics, syntax)

    def routine(
        self, name: str, about: str, arguments: tuple[str, ...], result: str, wanted: sp.Matrix
    ) -> Routine:
        used = [s for s in self.constants if s in wanted.free_symbols]
        work = [Assignment(s.name, self._named(self.constants[s])) for s in used]
        shared, (entries,) = sp.cse(
            [sp.Matrix(wanted)], symbols=(sp.Symbol(f"t{k}") for k in range(10_000))
        )
        work += [Assignment(s.name, self._named(value)) for s, value in shared]
        return Routine(name, about, arguments, tuple(work), result, self._named(entries))

    def _named(self, expression: sp.Basic) -> sp.Basic:
        return expression.xreplace(self.names)


def used_arguments(routine: Routine) -> frozenset[str]:
    """Return the names that the body of a routine reads."""
    parts: Iterable[sp.Basic] = (*(step.value for step in routine.work), routine.entries)
    names = (str(s) for part in parts for s in part.free_symbols)
    return frozenset(name.split("[")[0].split("->")[0] for name in names)
