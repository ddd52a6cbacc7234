"""The dynamics as source code without dependencies: Python, C for a microcontroller, MATLAB.

A function first works out the constants it needs from the arm's parameters, then what its results
have in common, then the results. The files themselves stand in `templates/`, one a language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import sympy as sp

from ulna._version import __version__
from ulna.derivation.derivation_options import DerivationOptions
from ulna.derivation.formats import templates
from ulna.derivation.lagrange import Mechanics
from ulna.derivation.model import COORDINATES, letter, letters, symbol

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,62}")
# What a MATLAB file defines, what it calls, and the words of the language.
TAKEN = re.compile(
    "mass_matrix|coriolis_matrix|gravity_torque|inverse_dynamics|inverse_kinematics|model|arm|"
    "cos|sin|sqrt|atan2|zeros|max|break|case|catch|classdef|continue|else|elseif|end|for|function|"
    "global|if|otherwise|parfor|persistent|return|spmd|switch|try|while|"
    "do|until|endif|endfor|endfunction|endwhile|endswitch|end_try_catch|unwind_protect"
)


class Language(NamedTuple):
    """How a language writes formulas, and reaches into the arm's parameters and into vectors."""

    write: Callable[[sp.Expr], str]
    field: str
    entry: str = "{vector}[{place}]"
    first: int = 0  # the index of the first entry


def _write_python(formula: sp.Expr) -> str:
    return str(sp.pycode(formula, fully_qualified_modules=False))


def _write_c(formula: sp.Expr) -> str:
    # A small power is quicker as a product, and more exact than a call.
    products = [
        (lambda base, exponent: exponent == 2, lambda base, exponent: f"(({base})*({base}))"),
        (lambda base, exponent: True, "pow"),
    ]
    return str(sp.ccode(formula, user_functions={"Pow": products}))


def _write_matlab(formula: sp.Expr) -> str:
    # The file is scalar throughout; the printer's elementwise signs only make it harder to read.
    return str(sp.octave_code(formula)).replace(".*", "*").replace(".^", "^").replace("./", "/")


LANGUAGES = {
    "python": Language(_write_python, "arm."),
    "c": Language(_write_c, "arm->"),
    "matlab": Language(_write_matlab, "arm.", "{vector}({place})", 1),
}


def source_code(
    mechanics: Mechanics, title: str, known: Mapping[sp.Symbol, float], language: str, name: str
) -> str:
    """Write a file; `known` are an arm's numbers, if there is one, and `name` is for MATLAB."""
    model = mechanics.model
    return templates().get_template(f"{language}.j2").render(
        # A name out of a file must not end a comment, whatever the language.
        title=re.sub(r"[^A-Za-z0-9 ,.:()_-]", "?", title),
        notes=_notes(model.options),
        parameters=[
            (s.name, about + _bracketed(unit), repr(known.get(s)))
            for s, about, unit in letters(model)
            if letter(s).base not in (*COORDINATES, "tau", "F")
        ],
        routines=_routines(mechanics, LANGUAGES[language]),
        n=model.n,
        angles=letter(model.coordinates[0]).base,
        relative=model.options.relative,
        known=bool(known),
        file=name if NAME.fullmatch(name) and not TAKEN.fullmatch(name) else "arm_model",
    )  # fmt: skip


def _bracketed(unit: str) -> str:
    return f" [{unit.replace('·', ' ').replace('²', '^2')}]" if unit else ""


def _notes(options: DerivationOptions) -> list[str]:
    counted = (
        "Joint angles q, the first from the x axis, every other from the link before it;"
        if options.relative
        else "Link angles phi, all from the x axis; torques are those of motors at the joints;"
    )
    return [
        f"Written by ulna {__version__}.",
        counted,
        "counter-clockwise, in radians; everything in SI units.",
        *(["The force (x, y) [N] at the tip acts on the arm."] if options.tip_force else []),
    ]


def _routines(mechanics: Mechanics, language: Language) -> list[dict[str, Any]]:
    """Return the functions of the dynamics, letters replaced by what the language calls them."""
    m = mechanics.model
    q, qd, qdd = (letter(m.coordinates[0]).base + "d" * dots for dots in range(3))
    whose = "at the joints" if m.options.relative else "of the link angles"
    pushed = ("force",) if m.options.tip_force else ()
    torques, motion = "torques of the motors at the joints [N m]", (q, qd, qdd, *pushed)
    wanted = (
        ("mass_matrix", "M [kg m^2]", (q,), "M", mechanics.mass_matrix),
        ("coriolis_matrix", "C, by Christoffel symbols", (q, qd), "C", mechanics.coriolis_matrix),
        ("gravity_torque", f"G [N m], {whose}", (q,), "G", mechanics.gravity),
        ("inverse_dynamics", torques, motion, "tau", _torques(mechanics)),
    )
    names = _names(mechanics, language)
    return [
        {"name": name, "about": about, "arguments": arguments, "result": result,
         "is_matrix": name.endswith("_matrix"),  # also that of a single link
         **_body(mechanics, formulas, arguments, names, language.write)}
        for name, about, arguments, result, formulas in wanted
    ]  # fmt: skip


def _body(
    mechanics: Mechanics,
    wanted: sp.Matrix,
    arguments: tuple[str, ...],
    names: dict[sp.Symbol, sp.Symbol],
    write: Callable[[sp.Expr], str],
) -> dict[str, Any]:
    """Return the helpers of a function, the rows of its result, and what it does not read."""
    used = [s for s in mechanics.constants if s in wanted.free_symbols]
    shared, (entries,) = sp.cse([wanted], symbols=(sp.Symbol(f"t{k}") for k in range(10_000)))
    work = [*((s, mechanics.constants[s]) for s in used), *shared]
    work = [(s.name, value.xreplace(names)) for s, value in work]
    entries = entries.xreplace(names)
    read = {str(s) for part in (*(value for _, value in work), entries) for s in part.free_symbols}
    read = {name.split("[")[0].split("->")[0] for name in read}
    return {
        "work": [(name, write(value)) for name, value in work],
        "rows": [[write(entry) for entry in entries.row(k)] for k in range(entries.rows)],
        "unused": [name for name in ("arm", *arguments) if name not in read],
    }


def _torques(mechanics: Mechanics) -> sp.Matrix:
    """Return the motor torques that a motion needs, in the constants."""
    m = mechanics.model
    forces = mechanics.mass_matrix * sp.Matrix(m.accelerations)
    forces += mechanics.velocity_terms + mechanics.gravity
    rows = [forces[k] + mechanics.drag(k) - mechanics.pull(k) for k in range(m.n)]
    if not m.options.relative:
        rows = [sp.Add(*rows[k:]) for k in range(m.n)]
    return sp.Matrix(rows)


def _names(mechanics: Mechanics, language: Language) -> dict[sp.Symbol, sp.Symbol]:
    """Return for every letter that has another name in the file the symbol printed in its place."""
    m = mechanics.model

    def entries(vector: str, row: tuple[sp.Symbol, ...]) -> dict[sp.Symbol, sp.Symbol]:
        places = (language.entry.format(vector=vector, place=k + language.first) for k in range(9))
        return {s: sp.Symbol(place) for s, place in zip(row, places, strict=False)}

    found = {s: sp.Symbol(language.field + s.name) for s, _, _ in letters(m)}
    for row in (m.coordinates, m.rates, m.accelerations):
        base, dots, _ = letter(row[0])
        found |= entries(base + "d" * dots, row)
    return found | entries("force", (symbol("F", "x"), symbol("F", "y")))
