"""A derivation for Markdown pages that read LaTeX between dollar signs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ulna.derivation.document import Block, Equation, Paragraph, Part, Step, Table
from ulna.derivation.formats.ink import Latex
from ulna.derivation.formats.lines import is_long, left_side, one_line, right_lines

WIDTH = 80
SPECIAL, BACKSLASHED = r"([\\`*_{}\[\]<>#$|])", r"\\\1"
INK = Latex()


def to_markdown(title: str, steps: Iterable[Step]) -> str:
    """Write the whole derivation as Markdown."""
    # A name out of a file must neither open a formula nor an element.
    parts = [f"# {re.sub(SPECIAL, BACKSLASHED, title)}", ""]
    for number, step in enumerate(steps, 1):
        parts += [f"## {number}. {step.title}", ""]
        parts += [line for block in step.blocks for line in (*_block(block), "")]
    return "\n".join(parts)


def aligned(equation: Equation) -> str:
    """Write an equation in math mode, on as many lines as it needs."""
    first, *more = right_lines(equation.right, INK, WIDTH)
    number = f" = {INK.decimal(equation.number)}" if equation.number else ""
    left = left_side(equation, INK)
    if not more and not is_long(equation):
        return f"{left} = {first}{number}"
    if is_long(equation):
        lines = [f"& {left} = {{}}", *(f"& \\quad {line}" for line in (first, *more))]
    else:
        lines = [f"{left} = {{}} & {first}", *(f"& {line}" for line in more)]
    return "\\begin{aligned}\n" + " \\\\\n".join(lines) + number + "\n\\end{aligned}"


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Paragraph):
        yield "".join(_words(part) for part in block.parts)
    elif isinstance(block, Table):
        yield "| " + " | ".join(block.head) + " |"
        yield "| " + " | ".join("---" for _ in block.head) + " |"
        yield from ("| " + " | ".join(_words(cell) for cell in row) + " |" for row in block.rows)
    else:
        yield f"$$\n{aligned(block)}\n$$"


def _words(part: Part) -> str:
    return part if isinstance(part, str) else f"${one_line(part, INK)}$"
