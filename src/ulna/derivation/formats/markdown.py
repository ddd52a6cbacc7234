"""A derivation for Markdown pages that read LaTeX between dollar signs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ulna.derivation.document import Block, DocumentTable, Equation, Paragraph, Part, Step
from ulna.derivation.formats.lines import is_long, left_lines, one_line, sum_lines
from ulna.derivation.formats.printers import LatexPrinter

WIDTH = 80
SPECIAL, BACKSLASHED = r"([\\`*_{}\[\]<>#$|])", r"\\\1"
PRINTER = LatexPrinter()


def to_markdown(title: str, steps: Iterable[Step]) -> str:
    """Write the whole derivation as Markdown."""
    # A name out of a file must neither open a formula nor an element.
    parts = [f"# {re.sub(SPECIAL, BACKSLASHED, title)}", ""]
    for number, step in enumerate(steps, 1):
        parts += [f"## {number}. {step.title}", ""]
        parts += [line for block in step.blocks for line in (*_block(block), "")]
    return "\n".join(parts)


def math_lines(equation: Equation) -> list[str]:
    """Write an equation in math mode, with marks to align it where it takes several lines."""
    first, *more = sum_lines(equation.right, PRINTER, WIDTH)
    number = f" = {PRINTER.decimal(equation.number)}" if equation.number else ""
    *before, left = left_lines(equation, PRINTER, WIDTH)
    if is_long(equation):
        over = (*(f"& {line}" for line in before), f"& {left} = {{}}")
        lines = [*over, *(f"& \\quad {line}" for line in (first, *more))]
    elif more:
        lines = [f"{left} = {{}} & {first}", *(f"& {line}" for line in more)]
    else:
        lines = [f"{left} = {first}"]
    return [*lines[:-1], lines[-1] + number]


def aligned(equation: Equation) -> str:
    """Write an equation for inside a formula, on as many lines as it needs."""
    lines = math_lines(equation)
    if len(lines) == 1:
        return lines[0]
    return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Paragraph):
        yield "".join(_words(part) for part in block.parts)
    elif isinstance(block, DocumentTable):
        yield "| " + " | ".join(block.head) + " |"
        yield "| " + " | ".join("---" for _ in block.head) + " |"
        yield from ("| " + " | ".join(_words(cell) for cell in row) + " |" for row in block.rows)
    else:
        yield f"$$\n{aligned(block)}\n$$"


def _words(part: Part) -> str:
    return part if isinstance(part, str) else f"${one_line(part, PRINTER)}$"
