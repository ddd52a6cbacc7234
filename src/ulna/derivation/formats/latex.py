"""A derivation as a LaTeX document that compiles as it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ulna.derivation.document import Block, DocumentTable, Paragraph, Part, Step
from ulna.derivation.formats.lines import one_line
from ulna.derivation.formats.markdown import math_lines
from ulna.derivation.formats.printers import LatexPrinter

PRINTER = LatexPrinter()
LATIN = 0x100  # the first letter that the document's encoding does not know
PLAIN = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "·": r"$\cdot$", "²": "$^2$", "–": "--", "−": "$-$", "τ": r"$\tau$", "φ": r"$\varphi$",
}  # fmt: skip

HEAD = r"""\documentclass[a4paper,11pt]{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage{amsmath}
\usepackage[margin=2.2cm]{geometry}
\allowdisplaybreaks
\begin{document}
"""


def to_latex(title: str, steps: Iterable[Step]) -> str:
    """Write the whole derivation as a LaTeX document."""
    parts = [HEAD, f"\\section*{{{plain(title)}}}"]
    for step in steps:
        parts.append(f"\n\\section{{{plain(step.title)}}}")
        parts += [line for block in step.blocks for line in _block(block)]
    return "\n".join([*parts, "\\end{document}", ""])


def plain(text: str) -> str:
    """Write words so that LaTeX takes them as words."""
    # Letters beyond Latin ones need fonts that not every installation has.
    return "".join(PLAIN.get(letter, letter if ord(letter) < LATIN else "?") for letter in text)


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Paragraph):
        yield "".join(_words(part) for part in block.parts) + "\n"
    elif isinstance(block, DocumentTable):
        yield f"\\begin{{center}}\\begin{{tabular}}{{{'l' * len(block.head)}}}"
        yield " & ".join(plain(cell) for cell in block.head) + r" \\ \hline"
        yield from (" & ".join(_words(cell) for cell in row) + r" \\" for row in block.rows)
        yield "\\end{tabular}\\end{center}"
    else:
        yield _display(math_lines(block))


def _display(lines: list[str]) -> str:
    if len(lines) == 1:
        return f"\\[\n{lines[0]}\n\\]"
    # This environment may go on over the end of a page.
    rows = " \\\\\n".join(lines)
    return f"\\begin{{align*}}\n{rows}\n\\end{{align*}}"


def _words(part: Part) -> str:
    return plain(part) if isinstance(part, str) else f"${one_line(part, PRINTER)}$"
