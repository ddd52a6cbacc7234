"""The errata as a page of the docs."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable

from ulna.papers.pages.edition import Judged
from ulna.papers.pages.errata import INTRODUCTION
from ulna.papers.row import Row

CODE = re.compile("(`[^`]+`)")
SPECIAL = re.compile(r"[*<\[\]]")  # what would be more than itself outside of code
WIDTH = 120  # letters of a line
COLUMNS = ("", "where", "printed", "right", "how large", "how checked")
NOTE = """`ulna papers` computes it all again, with numbers and figures ([more](papers.md)). This \
page is written from its rows by `make pictures`."""


def errata_markdown(judged: Iterable[Judged]) -> str:
    """Write the slips of the papers, a table for each."""
    said = [textwrap.fill(part, WIDTH) for part in (*INTRODUCTION.split("\n\n"), NOTE)]
    parts = ["\n\n".join(["# Errata", *said]) + "\n"]
    parts += [errata_section(one) for one in judged]
    return "\n".join(parts)


def errata_section(judged: Judged) -> str:
    """Write the slips of one paper."""
    paper = judged.paper
    head = f"## {paper.number} {paper.title}\n\n{paper.authors}.\n"
    lines = [_line(COLUMNS), _line("---" for _ in COLUMNS)]
    lines += [_line(_cells(row)) for row in judged.slips]
    return f"{head}\n" + "\n".join(lines) + "\n"


def _cells(row: Row) -> Iterable[str]:
    number = row.key.removeprefix("erratum-")
    return (number, row.where, row.printed, row.ours, row.size or "–", row.how)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(_cell(cell) for cell in cells)} |"


def _cell(text: str) -> str:
    # A bar would end the cell, within code too; a line break would end the table.
    text = " ".join(text.split()).replace("|", "\\|")
    return "".join(part if part.startswith("`") else _inert(part) for part in CODE.split(text))


def _inert(text: str) -> str:
    return SPECIAL.sub(r"\\\g<0>", text)
