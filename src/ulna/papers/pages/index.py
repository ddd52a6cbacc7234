"""The first page: what this is, the papers and what became of them, how to read the verdicts."""

from __future__ import annotations

from ulna.papers.library import NUMBERS
from ulna.papers.pages.edition import Edition, Judged, counted, path
from ulna.papers.pages.errata import errata_count
from ulna.papers.pages.frame import ERRATA, INDEX, page, tally
from ulna.papers.pages.html_text import MEANINGS, badge, counted_words, escaped, plain, prose
from ulna.papers.row import Picture, Row

THUMBNAILS = 3  # of a paper
# What shows best what a paper is about; of others the first ones.
TELLING = (
    "000-figure-4", "000-figure-5", "000-figure-6",
    "001-figure-1", "001-figure-3", "001-four-joints",
)  # fmt: skip
COUNTS = ("None", "One", "Two", "Three", "Four")
INTRODUCTION = """ulna grew out of five short papers about planar robot arms. Here is what they \
compute, computed again: every figure and every number beside the one in print, and every symbol \
that has to be read as another. It is meant for those who read the papers, their authors before \
all others, with thanks for the question: which torques make an arm's tip follow a path, and does \
the arm, driven by them, really do it?"""
READING = """Every statement of a paper is a row, with what the paper prints, what we find, a \
verdict, and why. All our numbers on these pages were computed when the pages were made, \
but for the few that are marked as quoted; <a href="rows.json">rows.json</a> has them in full \
precision."""


def index_page(edition: Edition) -> str:
    """Return the page."""
    title = _title(edition)
    parts = [
        f"<h1>{title}</h1>",
        f'<p class="lead">{prose(INTRODUCTION)}</p>',
        _stopped(edition),
        *(_card(judged, edition) for judged in edition.judged),
        "<h2>How to read it</h2>",
        f"<p>{READING}</p>",
        _meanings(),
        f'<p>The errata of all papers together have a <a href="{ERRATA}">page of their own</a>.'
        f"{' Films were left out.' * (not edition.filmed)}</p>",
    ]
    return page(INDEX, title, "\n".join(parts), edition)


def _title(edition: Edition) -> str:
    count = len(edition.judged)
    if count == len(NUMBERS):
        return "Five papers, computed again"
    return f"{COUNTS[count]} of five papers, computed again"


def _stopped(edition: Edition) -> str:
    if not edition.stopped:
        return ""
    without = ", ".join(edition.missing) or "some pictures"
    return f'<p class="card">Stopped before it was done: without {without}.</p>'


def _card(judged: Judged, edition: Edition) -> str:
    paper = judged.paper
    found = counted_words(len(judged.items), "item")
    return (
        f'<section class="card row" id="paper-{paper.number}">'
        f'<p class="where">Paper {escaped(paper.number)}</p>'
        f'<h2><a href="{judged.page}">{escaped(paper.title)}</a></h2>'
        f'<p class="authors">{escaped(paper.authors)}</p><p>{prose(paper.about)}</p>'
        f"{tally(counted(judged.items), 'items')}"
        f'<p class="quiet"><a href="{judged.page}">{found}</a> computed again, '
        f'<a href="{ERRATA}#paper-{paper.number}">{errata_count(judged)}</a></p>'
        f"{_thumbnails(judged, edition)}</section>\n"
    )


def _thumbnails(judged: Judged, edition: Edition) -> str:
    chosen = _chosen(judged, edition)
    links = [
        f'<a href="{judged.page}#{escaped(row.key)}"><img src="{escaped(path(picture))}" '
        f'alt="{plain(picture.caption)}" loading="lazy"></a>'
        for row, picture in chosen
    ]
    return f'<div class="thumbs">{"".join(links)}</div>' if links else ""


def _chosen(judged: Judged, edition: Edition) -> list[tuple[Row, Picture]]:
    made = [(row, one) for row in judged.rows for one in row.pictures if edition.has(one)]
    telling = [(row, one) for row, one in made if one.file.rpartition(".")[0] in TELLING]
    others = [pair for pair in made if pair not in telling]
    return [*telling, *others][:THUMBNAILS]


def _meanings() -> str:
    told = [f"<dt>{badge(verdict)}</dt><dd>{words}</dd>" for verdict, words in MEANINGS.items()]
    return f'<dl class="meanings">{"".join(told)}</dl>'
