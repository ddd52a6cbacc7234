"""The errata as a page of the docs."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable

from ulna.papers.pages.edition import Judged
from ulna.papers.pages.errata import INTRODUCTION, errata_count
from ulna.papers.row import Row

CODE = re.compile("(`[^`]+`)")
SPECIAL = re.compile(r"[*<\[\]]")  # what would be more than itself outside of code
WIDTH = 120  # letters of a line
COLUMNS = ("", "where", "printed", "right", "verdict", "how large", "how checked")
NOTE = """`ulna papers` computes it all again, with numbers and figures ([more](papers.md)). This \
page is written from its rows by `make pictures`."""


def errata_markdown(judged: Iterable[Judged]) -> str:
    """Write the errata of the papers, a table for each."""
    said = [textwrap.fill(part, WIDTH) for part in (*INTRODUCTION.split("\n\n"), NOTE)]
    parts = ["\n\n".join(["# Errata", *said]) + "\n"]
    parts += [errata_section(one) for one in judged]
    return "\n".join(parts)


def errata_section(judged: Judged) -> str:
    """Write the errata and the remarks of one paper."""
    paper = judged.paper
    count = errata_count(judged).capitalize()
    head = f"## {paper.number} {paper.title}\n\n{paper.authors}. {count}.\n"
    tables = [_table(rows) for rows in (judged.errata, judged.remarks) if rows]
    return "\n".join([head, *tables])


def _table(rows: Iterable[Row]) -> str:
    lines = [_line(COLUMNS), _line("---" for _ in COLUMNS), *(_line(_cells(row)) for row in rows)]
    return "\n".join(lines) + "\n"


def _cells(row: Row) -> Iterable[str]:
    number = row.key.removeprefix("erratum-")
    verdict = row.verdict.value
    if row.transcription:
        verdict += f"; perhaps damage of our text: {row.transcription}"
    return (number, row.where, row.printed, row.ours, verdict, row.size or "–", row.how)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(_cell(cell) for cell in cells)} |"


def _cell(text: str) -> str:
    # A bar would end the cell, within code too; a line break would end the table.
    text = " ".join(text.split()).replace("|", "\\|")
    return "".join(part if part.startswith("`") else _inert(part) for part in CODE.split(text))


def _inert(text: str) -> str:
    return SPECIAL.sub(r"\\\g<0>", text)
