"""A derivation as one HTML file: MathML, no script, no font and no picture from anywhere else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from ulna.derivation.document import Block, DocumentTable, Equation, Paragraph, Part, Step
from ulna.derivation.formats.lines import is_long, left_lines, one_line, sum_lines
from ulna.derivation.formats.printers import MathMLPrinter

WIDTH = 84
PRINTER = MathMLPrinter()
STYLE = """
:root { color-scheme: light dark; }
body { font: 17px/1.55 Charter, Georgia, serif; max-width: 54rem; margin: 3rem auto;
  padding: 0 1.2rem; color: #1d2730; background: #fdfdfb; }
h1 { font-size: 1.7rem; line-height: 1.25; } h2 { font-size: 1.2rem; margin-top: 2.4rem; }
h2 .step { color: #8a97a3; margin-right: .5em; }
.equation { overflow-x: auto; overflow-y: hidden; padding: .2rem 0 .35rem; }
math { font-size: 1.08em; } mtd { text-align: left; padding: .18em 0; }
table { border-collapse: collapse; margin: .8rem 0; }
td, th { text-align: left; padding: .18rem 1.4rem .18rem 0; border-bottom: 1px solid #dfe4e8; }
th { font-weight: 600; color: #5b6873; }
@media (prefers-color-scheme: dark) { body { color: #dde3e8; background: #14181c; }
  td, th { border-color: #323a42; } th { color: #9aa7b2; } }
@media print { body { margin: 0 auto; font-size: 11pt; } h2 { break-after: avoid; } }
"""


def to_html(title: str, steps: Iterable[Step]) -> str:
    """Write the whole derivation as an HTML page."""
    name = escape(title)
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{name}</title><style>{STYLE}</style></head><body>",
        *_body(title, steps),
        "</body></html>",
    ]
    return "\n".join([*parts, ""])


def to_fragment(title: str, steps: Iterable[Step]) -> str:
    """Write the derivation for a notebook, in the notebook's own style."""
    return "\n".join(["<div>", *_body(title, steps), "</div>"])


def _body(title: str, steps: Iterable[Step]) -> Iterator[str]:
    yield f"<h1>{escape(title)}</h1>"
    for number, step in enumerate(steps, 1):
        yield f'<h2><span class="step">{number}</span> {escape(step.title)}</h2>'
        for block in step.blocks:
            yield from _block(block)


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Paragraph):
        yield f"<p>{''.join(_words(part) for part in block.parts)}</p>"
    elif isinstance(block, DocumentTable):
        yield from _table(block)
    else:
        yield f'<div class="equation">{_equation(block)}</div>'


def _words(part: Part) -> str:
    return escape(part) if isinstance(part, str) else f"<math>{one_line(part, PRINTER)}</math>"


def _equation(equation: Equation) -> str:
    first, *more = sum_lines(equation.right, PRINTER, WIDTH)
    *before, last = left_lines(equation, PRINTER, WIDTH)
    left = f"<mrow>{last}</mrow>"
    number = f"{PRINTER.equals}{PRINTER.decimal(equation.number)}" if equation.number else ""
    start = [f"{left}{PRINTER.equals}{first}"]
    if is_long(equation):
        start, more = [*before, f"{left}{PRINTER.equals}"], [first, *more]
    lines = [*start, *(f'<mspace width="2em"/>{line}' for line in more)]
    lines[-1] += number
    rows = "".join(f"<mtr><mtd><mrow>{line}</mrow></mtd></mtr>" for line in lines)
    return f'<math display="block"><mtable displaystyle="true">{rows}</mtable></math>'


def _table(table: DocumentTable) -> Iterator[str]:
    yield "<table><tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in table.head) + "</tr>"
    for row in table.rows:
        yield "<tr>" + "".join(f"<td>{_words(cell)}</td>" for cell in row) + "</tr>"
    yield "</table>"
