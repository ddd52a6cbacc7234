"""What a generated file contains, before any programming language: functions of assignments.

A function first works out the constants it needs from the arm's parameters, then what its results
have in common, then the results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import sympy as sp

from ulna.derivation.lagrange import Mechanics
from ulna.derivation.symbols import letter, symbol


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
class Program:
    """All that a generated file says, in any language."""

    title: str
    notes: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    routines: tuple[Routine, ...]
    links: int
    angles: str  # the name of the coordinates: "q" or "phi"
    numbers: bool  # whether the parameters have an arm's values


class Template(NamedTuple):
    """Source with gaps: {q} for the name of the angles, {second} for the second of them."""

    source: str
    second: str  # as a joint angle
    total: str  # as a link angle


# From a letter and the place in its vector to what a language calls it.
Naming = Callable[[str, int], str]


def assembled(
    program: Program, head: Iterable[str], body: Iterable[str], inverse_kinematics: Template
) -> str:
    """Put a file together; arms of two links also get the template of their inverse kinematics."""
    text = "\n".join([*head, *body, ""])
    if program.links != 2:
        return text
    source, second, total = inverse_kinematics
    wanted = second if program.angles == "q" else total
    return text + source.replace("{q}", program.angles).replace("{second}", wanted)


def routines(
    mechanics: Mechanics, vector: Naming, field: Callable[[str], str]
) -> tuple[Routine, ...]:
    """Give the functions of the dynamics, letters replaced by what the language calls them."""
    m = mechanics.model
    angle = letter(m.coordinates[0]).base
    q, qd, qdd = angle, f"{angle}d", f"{angle}dd"
    names = _names(mechanics, vector, field)
    build = _Builder(mechanics, names)
    pushed = ("force",) if m.options.tip_force else ()
    return (
        build.routine("mass_matrix", "M [kg m^2]", (q,), "M", mechanics.mass_matrix),
        build.routine(
            "coriolis_matrix", "C, by Christoffel symbols", (q, qd), "C", mechanics.coriolis_matrix
        ),
        build.routine("gravity_torque", _GRAVITY[m.options.relative], (q,), "G", mechanics.gravity),
        build.routine(
            "inverse_dynamics",
            "torques of the motors at the joints [N m]",
            (q, qd, qdd, *pushed),
            "tau",
            _torques(mechanics),
        ),
    )


_GRAVITY = {True: "G [N m], at the joints", False: "G [N m], of the link angles"}


def _torques(mechanics: Mechanics) -> sp.Matrix:
    """Give the motor torques that a motion needs, in the constants."""
    m = mechanics.model
    forces = mechanics.mass_matrix * sp.Matrix(m.accelerations)
    forces += mechanics.velocity_terms + mechanics.gravity
    rows = [forces[k] + mechanics.drag(k) - mechanics.pull(k) for k in range(m.n)]
    if not m.options.relative:
        rows = [sp.Add(*rows[k:]) for k in range(m.n)]
    return sp.Matrix(rows)


def _names(
    mechanics: Mechanics, vector: Naming, field: Callable[[str], str]
) -> dict[sp.Symbol, sp.Symbol]:
    """Give for every letter the symbol that is printed in its place."""
    m = mechanics.model
    found = {name: sp.Symbol(name.name) for name in mechanics.constants}
    for row in (m.coordinates, m.rates, m.accelerations):
        base, dots, _ = letter(row[0])
        found |= {s: sp.Symbol(vector(base + "d" * dots, k)) for k, s in enumerate(row)}
    for k, axis in enumerate("xy"):
        found[symbol("F", axis)] = sp.Symbol(vector("force", k))
    everything = [mechanics.mass_matrix, mechanics.gravity, *mechanics.constants.values()]
    everything += [mechanics.pull(k) + mechanics.drag(k) for k in range(m.n)]
    for part in everything:
        for s in part.free_symbols - found.keys():
            found[s] = sp.Symbol(field(s.name))
    return found


class _Builder:
    def __init__(self, mechanics: Mechanics, names: dict[sp.Symbol, sp.Symbol]) -> None:
        self.constants = mechanics.constants
        self.names = names

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
    """Give the names that the body of a routine reads."""
    parts: Iterable[sp.Basic] = (*(step.value for step in routine.work), routine.entries)
    names = (str(s) for part in parts for s in part.free_symbols)
    return frozenset(name.split("[")[0].split("->")[0] for name in names)
