"""A derivation written down: as text, Markdown, LaTeX, and one HTML file.

The page stands in `templates/`, with the source files that `source_code` writes.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from typing import TYPE_CHECKING

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
from ulna.errors import InputError, Problem, did_you_mean, shown
from ulna.progress import content_policy

if TYPE_CHECKING:
    from jinja2 import Environment


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


def check_known(what: str, name: str, known: tuple[str, ...]) -> None:
    """Raise InputError for a name of a format or language that is not known."""
    if name not in known:
        need, hint = f"one of {', '.join(known)}", did_you_mean(str(name), known)
        raise InputError(Problem(what, shown(name), need, hint))


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


def to_text(title: str, steps: Iterable[Step]) -> str:
    """Write the whole derivation as plain text."""
    above = textwrap.wrap(title, WIDTH)
    parts = [*above, "=" * max(map(len, above)), ""]
    for number, step in enumerate(steps, 1):
        heading = f"{number}. {step.title}"
        parts += [heading, "-" * len(heading)]
        parts += [line for block in step.blocks for line in _text_block(block)]
        parts.append("")
    return "\n".join(parts)


def _text_block(block: Block) -> Iterator[str]:
    if isinstance(block, Paragraph):
        words = "".join(_text_words(part) for part in block.parts)
        yield from textwrap.wrap(words, WIDTH)
    elif isinstance(block, DocumentTable):
        yield from _text_table(block)
    else:
        yield from _text_equation(block)


def _text_words(part: Part) -> str:
    return part if isinstance(part, str) else one_line(part, TEXT)


def _text_equation(equation: Equation) -> Iterator[str]:
    *before, last = left_lines(equation, TEXT, WIDTH - 2)
    yield from (f"  {line}" for line in before)
    left = f"  {last} = "
    indent = " " * min(visible_width(left), INDENT)
    first, *more = sum_lines(equation.right, TEXT, WIDTH - len(indent))
    room = WIDTH - visible_width(left) - visible_width(first)
    lines = [left + first] if room >= 0 else [left.rstrip(), indent + first]
    lines += [indent + line for line in more]
    if equation.number:
        lines[-1] += f" = {equation.number}"
    yield from lines


def _text_table(table: DocumentTable) -> Iterator[str]:
    cells = [table.head, *([_text_words(cell) for cell in row] for row in table.rows)]
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


def to_html(title: str, steps: Iterable[Step], *, page: bool = True) -> str:
    """Write the whole derivation as an HTML page, or for a notebook in the notebook's own style."""
    return templates().get_template("page.html.j2").render(
        title=title,
        steps=steps,
        page=page,
        anchor=anchor,
        content_policy=content_policy,
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
