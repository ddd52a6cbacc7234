"""All errata of all papers on one page, for people who read the papers."""

from __future__ import annotations

from ulna.papers.pages.edition import Edition, Judged
from ulna.papers.pages.frame import ERRATA, page, sides
from ulna.papers.pages.html_text import badge, counted_words, escaped, paragraphs, prose
from ulna.papers.pages.paper import notes
from ulna.papers.row import Row

INTRODUCTION = """Every text has errata, ours included, and those who work through a paper line \
by line meet them. This page lists what we met in these, so that the next reader need not stumble \
where we did: the symbol as it is printed, the one that we take to be right, how we came to think \
so, and how much it matters. Many are in print only, and touch nothing that was computed; some \
change a result, and then that is said.

We had the papers as text without figures. Where that text may have been damaged in transcription \
(a parenthesis too many, a line cut off), the erratum says so: the paper itself may be right. \
Remarks are numbered with the errata but are none: nothing in them has to be put right.

Corrections to these corrections are welcome."""


def errata_page(edition: Edition) -> str:
    """Return the page."""
    parts = ["<h1>Errata</h1>", f'<div class="lead">{paragraphs(INTRODUCTION)}</div>']
    parts += [_of_paper(judged) for judged in edition.judged]
    return page(ERRATA, "Errata of five papers", "\n".join(parts), edition)


def _of_paper(judged: Judged) -> str:
    paper = judged.paper
    head = (
        f'<section aria-labelledby="paper-{paper.number}">'
        f'<h2 id="paper-{paper.number}">{escaped(paper.number)} {escaped(paper.title)}</h2>\n'
        f'<p class="authors">{escaped(paper.authors)}; {errata_count(judged)}</p>\n'
    )
    listed = (*judged.errata, *judged.remarks)
    return head + "".join(_noted(row, judged) for row in listed) + "</section>"


def errata_count(judged: Judged) -> str:
    """Write how many errata and remarks a paper has."""
    errata = counted_words(len(judged.errata), "erratum") if judged.errata else "no errata"
    remarks = counted_words(len(judged.remarks), "remark")
    return f"{errata}, {remarks}" if judged.remarks else errata


def _noted(row: Row, judged: Judged) -> str:
    number = row.key.removeprefix("erratum-")
    target = f"{judged.page}#{escaped(row.key)}"
    return (
        f'<section class="card row noted" id="{judged.paper.number}-{escaped(number)}">'
        "<header><div>"
        f'<p class="where">{escaped(number)} · {prose(row.where)}</p>'
        f'<h3><a href="{target}">{prose(row.title)}</a></h3></div>{badge(row.verdict)}</header>\n'
        f"{sides(row, 'printed', 'right')}{notes(row)}</section>\n"
    )
