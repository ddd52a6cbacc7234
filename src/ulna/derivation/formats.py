"""A derivation written down: as text, Markdown, LaTeX, one HTML file, and as source code.

Source code has no dependencies: Python, C for a microcontroller, MATLAB. A function first works out
the constants it needs from the arm's parameters, then what its results have in common, then the
results. Pages and source files stand in `templates/`.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import sympy as sp

from ulna._version import __version__
from ulna.derivation.derivation_options import DerivationOptions
from ulna.derivation.formulas import (
    LATEX,
    MATHML,
    TEXT,
    Block,
    DocumentTable,
    Equation,
    Paragraph,
    Part,
    Step,
    is_long,
    left_lines,
    one_line,
    sum_lines,
    visible_width,
)
from ulna.derivation.lagrange import Mechanics
from ulna.derivation.model import COORDINATES, letter, letters, symbol
from ulna.errors import InputError, Problem, did_you_mean, shown

if TYPE_CHECKING:
    from jinja2 import Environment


NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,62}")
# What a MATLAB file defines, what it calls, and the words of the language.
TAKEN = re.compile(
    "mass_matrix|coriolis_matrix|gravity_torque|friction_torque|inverse_dynamics|"
    "inverse_kinematics|direction|model|arm|cos|sin|exp|sign|sqrt|atan2|zeros|max|break|case|catch|classdef|continue|else|elseif|end|for|function|"
    "global|if|otherwise|parfor|persistent|return|spmd|switch|try|while|"
    "do|until|endif|endfor|endfunction|endwhile|endswitch|end_try_catch|unwind_protect"
)


class Language(NamedTuple):
    """How a language writes formulas, and reaches into the arm's parameters and into vectors."""

    write: Callable[[sp.Expr], str]
    field: str
    entry: str = "{vector}[{place}]"
    first: int = 0  # the index of the first entry


OWN = {"Direction": "direction"}  # a function that the file itself defines


def _write_python(formula: sp.Expr) -> str:
    return str(sp.pycode(formula, fully_qualified_modules=False, user_functions=OWN))


def _write_c(formula: sp.Expr) -> str:
    # A small power is quicker as a product, and more exact than a call.
    products = [
        (lambda base, exponent: exponent == 2, lambda base, exponent: f"(({base})*({base}))"),
        (lambda base, exponent: True, "pow"),
    ]
    return str(sp.ccode(formula, user_functions={"Pow": products, **OWN}))


def _write_matlab(formula: sp.Expr) -> str:
    # The file is scalar throughout; the printer's elementwise signs only make it harder to read.
    code = str(sp.octave_code(formula, user_functions=OWN))
    return code.replace(".*", "*").replace(".^", "^").replace("./", "/")


LANGUAGES = {
    "python": Language(_write_python, "arm."),
    "c": Language(_write_c, "arm->"),
    "matlab": Language(_write_matlab, "arm.", "{vector}({place})", 1),
}


def check_known(what: str, name: str, known: tuple[str, ...]) -> None:
    """Raise InputError for a name of a format or language that is not known."""
    if name not in known:
        need, hint = f"one of {', '.join(known)}", did_you_mean(str(name), known)
        raise InputError(Problem(what, shown(name), need, hint))


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
        friction=model.options.friction,
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
    wanted: tuple[tuple[str, str, tuple[str, ...], str, sp.Matrix], ...] = (
        ("mass_matrix", "M [kg m^2]", (q,), "M", mechanics.mass_matrix),
        ("coriolis_matrix", "C, by Christoffel symbols", (q, qd), "C", mechanics.coriolis_matrix),
        ("gravity_torque", f"G [N m], {whose}", (q,), "G", mechanics.gravity),
        ("inverse_dynamics", torques, motion, "tau", _torques(mechanics)),
    )
    if m.options.friction:
        law = sp.Matrix([mechanics.joint_friction(k, at_rest=True) for k in range(m.n)])
        taken = "what friction takes from the joints [N m]"
        wanted = (*wanted, ("friction_torque", taken, (qd, qdd), "f", law))
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
    rows = [forces[k] + mechanics.damping(k) - mechanics.pull(k) for k in range(m.n)]
    if not m.options.relative:
        rows = [sp.Add(*rows[k:]) for k in range(m.n)]
    if m.options.friction:
        rows = [row + mechanics.joint_friction(k, at_rest=True) for k, row in enumerate(rows)]
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


WIDTH = 96  # letters of a line of text
INDENT = 8
LATEX_WIDTH, PAGE_WIDTH = 80, 84
LATIN = 0x100  # the first letter that LaTeX's encoding does not know
SPECIAL, BACKSLASHED = r"([\\`*_{}\[\]<>#$|])", r"\\\1"  # in Markdown
PLAIN = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "·": r"$\cdot$", "²": "$^2$", "–": "--", "−": "$-$", "τ": r"$\tau$", "φ": r"$\varphi$",
}  # fmt: skip
LATEX_HEAD = r"""\documentclass[a4paper,11pt]{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage{amsmath}
\usepackage[margin=2.2cm]{geometry}
\allowdisplaybreaks
\begin{document}
"""
Spelling = Callable[[str], str]


@cache
def templates() -> Environment:
    """Return what reads the templates: those of pages escape what is put into them."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("ulna.derivation"),
        undefined=StrictUndefined,
        autoescape=lambda name: name is not None and ".html" in name,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def to_text(title: str, steps: Iterable[Step], spell: Spelling = str) -> str:
    """Write the whole derivation as plain text, laid out in the letters that `spell` gives."""
    above = textwrap.wrap(spell(title), WIDTH)
    parts = [*above, "=" * max(map(len, above)), ""]
    for number, step in enumerate(steps, 1):
        heading = spell(f"{number}. {step.title}")
        parts += [heading, "-" * len(heading)]
        parts += [line for block in step.blocks for line in _text_block(block, spell)]
        parts.append("")
    return "\n".join(parts)


def _text_block(block: Block, spell: Spelling) -> Iterator[str]:
    if isinstance(block, Paragraph):
        words = "".join(_text_words(part, spell) for part in block.parts)
        yield from textwrap.wrap(words, WIDTH)
    elif isinstance(block, DocumentTable):
        yield from _text_table(block, spell)
    else:
        yield from _text_equation(block, spell)


def _text_words(part: Part, spell: Spelling) -> str:
    return spell(part if isinstance(part, str) else one_line(part, TEXT))


def _text_equation(equation: Equation, spell: Spelling) -> Iterator[str]:
    *before, last = left_lines(equation, TEXT, WIDTH - 2, spell)
    yield from (f"  {spell(line)}" for line in before)
    left = spell(f"  {last} = ")
    indent = " " * min(visible_width(left), INDENT)
    first, *more = map(spell, sum_lines(equation.right, TEXT, WIDTH - len(indent), spell))
    room = WIDTH - visible_width(left) - visible_width(first)
    lines = [left + first] if room >= 0 else [left.rstrip(), indent + first]
    lines += [indent + line for line in more]
    if equation.number:
        lines[-1] += f" = {equation.number}"
    yield from lines


def _text_table(table: DocumentTable, spell: Spelling) -> Iterator[str]:
    cells = [table.head, *([_text_words(cell, spell) for cell in row] for row in table.rows)]
    widths = [max(visible_width(cell) for cell in column) for column in zip(*cells, strict=True)]
    for row in cells:
        padded = (
            cell + " " * (size - visible_width(cell))
            for cell, size in zip(row, widths, strict=True)
        )
        yield ("  " + "  ".join(padded)).rstrip()


def to_markdown(title: str, steps: Iterable[Step]) -> str:
    """Write the whole derivation for Markdown pages that read LaTeX between dollar signs."""
    # A name out of a file must neither open a formula nor an element.
    parts = [f"# {re.sub(SPECIAL, BACKSLASHED, title)}", ""]
    for number, step in enumerate(steps, 1):
        parts += [f"## {number}. {step.title}", ""]
        parts += [line for block in step.blocks for line in (*_markdown_block(block), "")]
    return "\n".join(parts)


def _markdown_block(block: Block) -> Iterator[str]:
    if isinstance(block, Paragraph):
        yield "".join(map(_latex_words, block.parts))
    elif isinstance(block, DocumentTable):
        rules = ["---"] * len(block.head)
        for row in (block.head, rules, *(map(_latex_words, row) for row in block.rows)):
            yield f"| {' | '.join(row)} |"
    else:
        lines = _latex_lines(block)
        inside = " \\\\\n".join(lines)
        if len(lines) > 1:
            inside = f"\\begin{{aligned}}\n{inside}\n\\end{{aligned}}"
        yield f"$$\n{inside}\n$$"


def to_latex(title: str, steps: Iterable[Step]) -> str:
    """Write the whole derivation as a LaTeX document that compiles as it is."""
    parts = [LATEX_HEAD, f"\\section*{{{plain_latex(title)}}}"]
    for step in steps:
        parts.append(f"\n\\section{{{plain_latex(step.title)}}}")
        parts += [line for block in step.blocks for line in _latex_block(block)]
    return "\n".join([*parts, "\\end{document}", ""])


def plain_latex(text: str) -> str:
    """Write words so that LaTeX takes them as words."""
    # Letters beyond Latin ones need fonts that not every installation has.
    return "".join(PLAIN.get(letter, letter if ord(letter) < LATIN else "?") for letter in text)


def _latex_block(block: Block) -> Iterator[str]:
    words = partial(_latex_words, plain=plain_latex)
    if isinstance(block, Paragraph):
        yield "".join(map(words, block.parts)) + "\n"
    elif isinstance(block, DocumentTable):
        yield f"\\begin{{center}}\\begin{{tabular}}{{{'l' * len(block.head)}}}"
        yield " & ".join(map(plain_latex, block.head)) + r" \\ \hline"
        yield from (" & ".join(map(words, row)) + r" \\" for row in block.rows)
        yield "\\end{tabular}\\end{center}"
    else:
        lines = _latex_lines(block)
        # The environment of several may go on over the end of a page.
        start, end = ("\\begin{align*}", "\\end{align*}") if len(lines) > 1 else ("\\[", "\\]")
        yield "\n".join([start, " \\\\\n".join(lines), end])


def _latex_words(part: Part, plain: Spelling = str) -> str:
    return plain(part) if isinstance(part, str) else f"${one_line(part, LATEX)}$"


def _latex_lines(equation: Equation) -> list[str]:
    """Write an equation in math mode, with marks to align it where it takes several lines."""
    first, *more = sum_lines(equation.right, LATEX, LATEX_WIDTH)
    number = f" = {LATEX.decimal(equation.number)}" if equation.number else ""
    *before, left = left_lines(equation, LATEX, LATEX_WIDTH)
    if is_long(equation):
        over = (*(f"& {line}" for line in before), f"& {left} = {{}}")
        lines = [*over, *(f"& \\quad {line}" for line in (first, *more))]
    elif more:
        lines = [f"{left} = {{}} & {first}", *(f"& {line}" for line in more)]
    else:
        lines = [f"{left} = {first}"]
    return [*lines[:-1], lines[-1] + number]


def to_html(
    title: str, steps: Iterable[Step], *, page: bool = True, anchors: bool | None = None
) -> str:
    """Write the whole derivation as an HTML page, or for a notebook in the notebook's own style.

    Steps have the addresses that `anchor` gives, where `anchors` says so: by default in a page.
    """
    return templates().get_template("page.html.j2").render(
        title=title,
        steps=steps,
        page=page,
        anchors=page if anchors is None else anchors,
        anchor=anchor,
        inline=partial(one_line, printer=MATHML),
        lines=_mathml_lines,
    )  # fmt: skip


def anchor(title: str) -> str:
    """Return the address of a step in a page.

    >>> anchor("Euler–Lagrange for joint 1")
    'euler-lagrange-for-joint-1'
    """
    return re.sub("[^a-z0-9]+", "-", title.lower()).strip("-")


def _mathml_lines(equation: Equation) -> list[str]:
    first, *more = sum_lines(equation.right, MATHML, PAGE_WIDTH)
    *before, last = left_lines(equation, MATHML, PAGE_WIDTH)
    left = f"<mrow>{last}</mrow>{MATHML.equals}"
    start = [f"{left}{first}"]
    if is_long(equation):
        start, more = [*before, left], [first, *more]
    lines = [*start, *(f'<mspace width="2em"/>{line}' for line in more)]
    if equation.number:
        lines[-1] += f"{MATHML.equals}{MATHML.decimal(equation.number)}"
    return lines


FORMATS: dict[str, Callable[[str, Iterable[Step]], str]] = {
    "text": to_text,
    "markdown": to_markdown,
    "latex": to_latex,
    "html": to_html,
}
