"""A derivation as source code: Python, C for a microcontroller, MATLAB, JavaScript for a page.

A file needs no other. A function first works out the constants it needs from the arm's parameters,
then what its results have in common, then the results. Accelerations are those of

    M q̈ = τ − C q̇ − G − damping + Jᵀ F,        M = L D Lᵀ

with the factors and both substitutions written out, entry by entry: the mass matrix is symmetric
and positive definite, so no pivot has to be searched for. The files stand in `templates/`.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache, partial
from itertools import combinations, count
from typing import Any, NamedTuple

import sympy as sp
from sympy.printing.jscode import JavascriptCodePrinter

from ulna._version import __version__
from ulna.derivation.derivation_options import DerivationOptions
from ulna.derivation.formats import templates
from ulna.derivation.lagrange import Mechanics, check
from ulna.derivation.model import COORDINATES, Model, letter, letters, symbol

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,62}")
# An arm of half-metre links, for files of letters alone: a file that simulates needs numbers.
EXAMPLE = {
    "l": 0.5, "m": 1.0, "c": 0.25, "d": 0.0, "I": 0.02, "p": 0.1, "mP": 0.2,
    "J": 0.0001, "N": 10.0, "b": 0.05,
    "g": 9.81, "gammax": 0.0, "gammay": -9.81,
    "fc": 0.1, "fs": 0.15, "omegas": 0.1, "k": 0.01,
}  # fmt: skip
Work = list[tuple[sp.Symbol, sp.Expr]]  # names with what they stand for, in order


class Language(NamedTuple):
    """How a language writes formulas, and reaches into the arm's parameters and into vectors."""

    write: Callable[[sp.Expr], str]
    field: str
    entry: str = "{vector}[{place}]"
    first: int = 0  # the index of the first entry


class Routine(NamedTuple):
    """A function of a file: its name, what it returns in words, what it is called with."""

    name: str
    about: str
    arguments: tuple[str, ...]
    result: str
    work: Work
    entries: sp.Matrix
    kind: str = "vector"  # or "matrix", also that of a single link, or "number"


OWN = {"Direction": "direction"}  # a function that the file itself defines


# A small power is quicker as a product, and more exact than a call.
PRODUCTS = [
    (lambda base, exponent: exponent == 2, lambda base, exponent: f"(({base})*({base}))"),
    (lambda base, exponent: True, "pow"),
]


def _write_matlab(formula: sp.Expr) -> str:
    # The file is scalar throughout; the printer's elementwise signs only make it harder to read.
    code = str(sp.octave_code(formula, user_functions=OWN))
    return code.replace(".*", "*").replace(".^", "^").replace("./", "/")


class _JavaScriptPrinter(JavascriptCodePrinter):  # type: ignore[misc]
    def _print_Pow(self, expr: sp.Pow) -> str:  # noqa: N802 - SymPy's name
        if expr.exp != 2:
            return str(super()._print_Pow(expr))
        base = self._print(expr.base)
        return f"{base}*{base}" if expr.base.is_Symbol else f"({base})*({base})"

    def parenthesize(self, item: sp.Expr, level: int, strict: bool = False) -> str:
        # A square is a product here, which division and minus signs must not take apart.
        inside = super().parenthesize(item, level, strict)
        return f"({inside})" if item.is_Pow and item.exp == 2 else str(inside)


LANGUAGES = {
    "python": Language(
        partial(sp.pycode, fully_qualified_modules=False, user_functions=OWN), "arm."
    ),
    "c": Language(partial(sp.ccode, user_functions={"Pow": PRODUCTS, **OWN}), "arm->"),
    "matlab": Language(_write_matlab, "arm.", "{vector}({place})", 1),
    "javascript": Language(_JavaScriptPrinter({"user_functions": OWN}).doprint, "arm."),
}


def source_code(
    mechanics: Mechanics,
    title: str,
    known: Mapping[sp.Symbol, float],
    language: str,
    *,
    name: str = "arm_model",
    note: str = "",
) -> str:
    """Write a file; `known` are an arm's numbers, if there is one, and `name` is for MATLAB.

    `note` says what the arm has and the letters leave out.
    """
    # A name out of a file must not end a comment, whatever the language.
    title = re.sub(r"[^A-Za-z0-9 ,.:()_-]", "?", title)
    notes = _notes(mechanics.model.options, note)
    text = _rendered(mechanics, language, known, title=title, notes=notes)
    if language == "matlab" and NAME.fullmatch(name):
        # What the file defines and calls, and the words of the language, are no name for it.
        taken = re.findall(r"\w+", re.sub("%.*", "", text))
        text = text if name in taken else text.replace("arm_model", name)
    return text


@cache
def javascript_model(options: DerivationOptions) -> str:
    """Write the functions of a derivation as one JavaScript expression, for a page to evaluate.

    Its value is an object of the functions that `code("javascript")` exports, without the arm,
    and of `links`, their number, and `letters`, the names of the numbers that an arm needs.

    Parameters
    ----------
    options : DerivationOptions
        What is derived.

    Returns
    -------
    str
        `(() => { ...; return { links, letters, joints, tip, ... }; })()`, in ASCII.

    Raises
    ------
    UlnaError
        Where the derivation and the closed form differ by more than 1e-12.

    Examples
    --------
    >>> from ulna.derivation import DerivationOptions
    >>> text = javascript_model(DerivationOptions(links=1))
    >>> 'links: 1, letters: ["l1", "m1", "g"], joints, tip, jacobian' in text
    True
    """
    mechanics = Mechanics(Model(options))
    check(mechanics)
    return _rendered(mechanics, "javascript", {}, module=False).strip()


def _rendered(
    mechanics: Mechanics, language: str, known: Mapping[sp.Symbol, float], **more: Any
) -> str:
    model, spelled = mechanics.model, LANGUAGES[language]
    return templates().get_template(f"{language}.j2").render(
        {"module": True, "title": "", "notes": [], **more},
        parameters=[
            (s.name, about + _bracketed(unit), repr(known.get(s, _example(s))))
            for s, about, unit in letters(model)
            if letter(s).base not in (*COORDINATES, "tau", "F")
        ],
        routines=[_written(one, mechanics, spelled) for one in _routines(mechanics)],
        n=model.n,
        angles=letter(model.coordinates[0]).base,
        relative=model.options.relative,
        known=bool(known),
        friction=model.options.friction,
        pushed=model.options.tip_force,
        # An arm that no weight moves has to be pushed to show anything.
        start_rate=0.0 if model.options.has_gravity else 1.0,
    )  # fmt: skip


def _bracketed(unit: str) -> str:
    return f" [{unit.replace('·', ' ').replace('²', '^2')}]" if unit else ""


def _example(of: sp.Symbol) -> float:
    return EXAMPLE[of.name if of.name in EXAMPLE else of.name.rstrip("0123456789")]


def _notes(options: DerivationOptions, note: str) -> list[str]:
    counted = (
        "Joint angles q, the first from the x axis, every other from the link before it;"
        if options.relative
        else "Link angles phi, all from the x axis; torques are those of motors at the joints;"
    )
    held = [
        "Accelerations are left out, and with them a simulation: a joint that dry friction holds",
        "needs a search for the joints that stay at rest, and events; ulna.simulate does that.",
    ]
    return [
        f"Written by ulna {__version__}.",
        counted,
        "counter-clockwise, in radians; everything in SI units. Positions are from the base.",
        *(["The force (x, y) [N] at the tip acts on the arm."] if options.tip_force else []),
        *(held if options.friction else []),
        *textwrap.wrap(note, 90),
    ]


@lru_cache(maxsize=8)  # an arm that is written in one language is often written in another
def _routines(mechanics: Mechanics) -> tuple[Routine, ...]:
    """Return the functions of a file, in letters."""
    m = mechanics.model
    q, qd, qdd = (letter(m.coordinates[0]).base + "d" * dots for dots in range(3))
    whose = "at the joints" if m.options.relative else "of the link angles"
    pushed = ("force",) if m.options.tip_force else ()
    torques = "torques of the motors at the joints [N m]"
    turning = f"the accelerations {whose} [rad/s^2], from M = L D L^T"
    joints, tip = _positions(m)

    def routine(
        name: str, about: str, needs: tuple[str, ...], result: str, of: Any, kind: str = "vector"
    ) -> Routine:
        return Routine(name, about, needs, result, *_common(mechanics, sp.Matrix(of)), kind)

    found = [
        routine("joints", "x and y of the joints and the tip [m]", (q,), "p", joints, "matrix"),
        routine("tip", "x, y [m] and angle [rad] of the tip", (q,), "p", tip),
        routine("jacobian", "the derivatives of x, y and angle of the tip by the angles",
                (q,), "J", tip.jacobian(m.coordinates), "matrix"),
        routine("mass_matrix", "M [kg m^2]", (q,), "M", mechanics.mass_matrix, "matrix"),
        routine("coriolis_matrix", "C, by Christoffel symbols",
                (q, qd), "C", mechanics.coriolis_matrix, "matrix"),
        routine("gravity_torque", f"G [N m], {whose}", (q,), "G", mechanics.gravity),
        routine("inverse_dynamics", torques, (q, qd, qdd, *pushed), "tau", _torques(mechanics)),
        routine("kinetic_energy", "K [J]", (q, qd), "K", [mechanics.kinetic_energy], "number"),
        routine("potential_energy", "V [J], zero for masses at the height of the base",
                (q,), "V", [mechanics.potential_energy], "number"),
    ]  # fmt: skip
    if m.options.friction:
        law = [mechanics.joint_friction(k, at_rest=True) for k in range(m.n)]
        taken = "what friction takes from the joints [N m]"
        return (*found, routine("friction_torque", taken, (qd, qdd), "f", law))
    solved = _accelerations(mechanics)
    return (*found, Routine("forward_dynamics", turning, (q, qd, "tau", *pushed), qdd, *solved))


def _positions(model: Model) -> tuple[sp.Matrix, sp.Matrix]:
    """Return x and y of base, joints and tip, a row each, and x, y and angle of the tip."""
    legs = model.tip_legs
    joints = sp.Matrix([model.place(legs[:k]) for k in range(model.n + 1)])
    return joints, sp.Matrix([*joints.row(model.n), model.angle(model.n - 1)])


def _torques(mechanics: Mechanics) -> sp.Matrix:
    """Return the motor torques that a motion needs, in the constants."""
    m = mechanics.model
    forces = mechanics.mass_matrix * sp.Matrix(m.accelerations)
    forces += mechanics.velocity_terms + mechanics.gravity
    rows = [forces[k] + mechanics.damping(k) - mechanics.pull(k) for k in range(m.n)]
    if not m.options.relative:
        rows = [sp.Add(*rows[k:]) for k in range(m.n)]
    if m.options.friction:
        rows = [row + mechanics.joint_friction(k, at_rest=True) for k, row in enumerate(rows)]
    return sp.Matrix(rows)


def _common(
    mechanics: Mechanics, wanted: sp.Matrix, prepared: Iterable[tuple[sp.Symbol, sp.Expr]] = ()
) -> tuple[Work, sp.Matrix]:
    """Return the constants that formulas need and what they have in common, and what is left.

    `prepared` are further names that the formulas may use.
    """
    letters_used = wanted.free_symbols
    used = [(s, value) for s, value in mechanics.constants.items() if s in letters_used]
    shared, (entries,) = sp.cse([wanted], symbols=(sp.Symbol(f"t{k}") for k in count()))
    return [*used, *prepared, *shared], entries


def _accelerations(mechanics: Mechanics) -> tuple[Work, sp.Matrix]:
    """Return the accelerations that torques give, and the work of solving for them."""
    m, n = mechanics.model, mechanics.model.n
    places = [(i, j) for i in range(n) for j in range(i + 1)]
    forces = [
        mechanics.motor(k) + mechanics.pull(k) - mechanics.damping(k)
        - mechanics.velocity_terms[k] - mechanics.gravity[k]
        for k in range(n)
    ]  # fmt: skip
    wanted = sp.Matrix([*(mechanics.mass_matrix[place] for place in places), *forces])
    wanted, functions = _of_link_angles(m, wanted)
    work, entries = _common(mechanics, wanted, functions)
    names = [symbol("M", f"{i + 1}{j + 1}") for i, j in places]
    names += [symbol("r", k + 1) for k in range(n)]
    work += zip(names, entries, strict=True)
    return [*work, *_solution(n)], sp.Matrix([symbol("x", k + 1) for k in range(n)])


def _solution(n: int) -> Work:
    """Return the solution of M x = r, line by line: U = L D, then L y = r and D Lᵀ x = y."""

    def at(name: str, *place: int) -> sp.Symbol:
        return sp.Symbol(name + "".join(str(k + 1) for k in place))

    lines: Work = []
    for i in range(n):
        for j in range(i):
            known = sp.Add(*(at("U", i, k) * at("L", j, k) for k in range(j)))
            lines.append((at("U", i, j), at("M", i, j) - known))
            lines.append((at("L", i, j), at("U", i, j) / at("D", j)))
        known = sp.Add(*(at("U", i, k) * at("L", i, k) for k in range(i)))
        lines.append((at("D", i), at("M", i, i) - known))
    for i in range(n):
        known = sp.Add(*(at("L", i, k) * at("y", k) for k in range(i)))
        lines.append((at("y", i), at("r", i) - known))
    for i in reversed(range(n)):
        known = sp.Add(*(at("L", k, i) * at("x", k) for k in range(i + 1, n)))
        lines.append((at("x", i), at("y", i) / at("D", i) - known))
    return lines


def _of_link_angles(model: Model, wanted: sp.Matrix) -> tuple[sp.Matrix, Work]:
    """Write sines and cosines of differences in those of the link angles, where that saves calls.

    Four links have twenty of them, of eight angles' functions.
    """
    if len(wanted.atoms(sp.sin, sp.cos)) <= 2 * model.n:
        return wanted, []
    angles = [model.angle(k) for k in range(model.n)]
    sines = [sp.Symbol(f"sin{k + 1}") for k in range(model.n)]
    cosines = [sp.Symbol(f"cos{k + 1}") for k in range(model.n)]
    known = {sp.sin(angle): s for angle, s in zip(angles, sines, strict=True)}
    known |= {sp.cos(angle): c for angle, c in zip(angles, cosines, strict=True)}
    work = [(name, function) for function, name in known.items()]
    for (a, s1, c1), (b, s2, c2) in combinations(zip(angles, sines, cosines, strict=True), 2):
        for sign in (1, -1):
            apart = sign * (b - a)
            known[sp.sin(apart)] = sign * (s2 * c1 - c2 * s1)
            known[sp.cos(apart)] = c1 * c2 + s1 * s2
    return wanted.xreplace(known), work


def _written(routine: Routine, mechanics: Mechanics, language: Language) -> dict[str, Any]:
    """Return a function as the templates read it, letters replaced by what the language says."""
    names, write = _names(mechanics.model, language), language.write
    work = [(s.name, value.xreplace(names)) for s, value in routine.work]
    entries = routine.entries.xreplace(names)
    read = {str(s) for part in (*(value for _, value in work), entries) for s in part.free_symbols}
    read = {name.split("[")[0].split("->")[0] for name in read}
    return {
        **routine._asdict(),
        "camel": re.sub("_(.)", lambda found: found[1].upper(), routine.name),
        "work": [(name, write(value)) for name, value in work],
        "rows": [[write(entry) for entry in entries.row(k)] for k in range(entries.rows)],
        "unused": [name for name in ("arm", *routine.arguments) if name not in read],
    }


def _names(model: Model, language: Language) -> dict[sp.Symbol, sp.Symbol]:
    """Return for every letter that has another name in the file the symbol printed in its place."""

    def entries(vector: str, row: Iterable[sp.Symbol]) -> dict[sp.Symbol, sp.Symbol]:
        places = (language.entry.format(vector=vector, place=k) for k in count(language.first))
        return {s: sp.Symbol(place) for s, place in zip(row, places, strict=False)}

    found = {s: sp.Symbol(language.field + s.name) for s, _, _ in letters(model)}
    for row in (model.coordinates, model.rates, model.accelerations):
        base, dots, _ = letter(row[0])
        found |= entries(base + "d" * dots, row)
    found |= entries("tau", [symbol("tau", k + 1) for k in range(model.n)])
    return found | entries("force", (symbol("F", "x"), symbol("F", "y")))
