"""A derivation for the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator

from ulna.derivation.document import Block, DocumentTable, Equation, Paragraph, Part, Step
from ulna.derivation.formats.lines import left_lines, one_line, sum_lines
from ulna.derivation.formats.printers import TextPrinter
from ulna.derivation.formats.writing import visible_width

WIDTH = 96
INDENT = 8
Spelling = Callable[[str], str]
PRINTER = TextPrinter()


def to_text(title: str, steps: Iterable[Step], spell: Spelling = str) -> str:
    """Write the whole derivation as plain text, laid out in the letters that `spell` gives."""
    above = textwrap.wrap(spell(title), WIDTH)
    parts = [*above, "=" * max(map(len, above)), ""]
    for number, step in enumerate(steps, 1):
        heading = spell(f"{number}. {step.title}")
        parts += [heading, "-" * len(heading)]
        parts += [line for block in step.blocks for line in _block(block, spell)]
        parts.append("")
    return "\n".join(parts)


def _block(block: Block, spell: Spelling) -> Iterator[str]:
    if isinstance(block, Paragraph):
        words = "".join(_words(part, spell) for part in block.parts)
        yield from textwrap.wrap(words, WIDTH)
    elif isinstance(block, DocumentTable):
        yield from _table(block, spell)
    else:
        yield from _equation(block, spell)


def _words(part: Part, spell: Spelling) -> str:
    return spell(part if isinstance(part, str) else one_line(part, PRINTER))


def _equation(equation: Equation, spell: Spelling) -> Iterator[str]:
    *before, last = left_lines(equation, PRINTER, WIDTH - 2, spell)
    yield from (f"  {spell(line)}" for line in before)
    left = spell(f"  {last} = ")
    indent = " " * min(visible_width(left), INDENT)
    first, *more = map(spell, sum_lines(equation.right, PRINTER, WIDTH - len(indent), spell))
    room = WIDTH - visible_width(left) - visible_width(first)
    lines = [left + first] if room >= 0 else [left.rstrip(), indent + first]
    lines += [indent + line for line in more]
    if equation.number:
        lines[-1] += f" = {equation.number}"
    yield from lines


def _table(table: DocumentTable, spell: Spelling) -> Iterator[str]:
    cells = [table.head, *([_words(cell, spell) for cell in row] for row in table.rows)]
    widths = [max(visible_width(cell) for cell in column) for column in zip(*cells, strict=True)]
    for row in cells:
        padded = (
            cell + " " * (size - visible_width(cell))
            for cell, size in zip(row, widths, strict=True)
        )
        yield ("  " + "  ".join(padded)).rstrip()
