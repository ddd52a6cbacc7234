"""The page of one paper: every row of it, in full."""

from __future__ import annotations

from collections.abc import Sequence

from ulna.papers.pages.edition import Edition, Judged, counted, path, poster
from ulna.papers.pages.frame import page, sides, tally
from ulna.papers.pages.html_text import (
    CLASSES,
    MARKS,
    badge,
    escaped,
    paragraphs,
    plain,
    prose,
)
from ulna.papers.pages.places import PLACES, anchors, places_section
from ulna.papers.pages.tables import numbers_table
from ulna.papers.row import Film, Picture, Row


def paper_page(judged: Judged, edition: Edition) -> str:
    """Return the page."""
    paper = judged.paper
    parts = [
        f"<h1>{escaped(paper.title)}</h1>",
        f'<p class="authors">Paper {escaped(paper.number)}, {escaped(paper.authors)}</p>',
        f'<div class="lead">{paragraphs(paper.about)}</div>',
        _way_to_places(judged),
        _part("What it computes", "items", judged.items, judged, edition),
        _part("Errata", "errata", judged.errata, judged, edition),
        _part("Remarks", "remarks", judged.remarks, judged, edition),
        places_section(judged),
    ]
    title = f"{paper.number} {paper.title}"
    return page(judged.page, title, "\n".join(parts), edition)


def _way_to_places(judged: Judged) -> str:
    if not judged.paper.places:
        return ""
    return f'<p class="quiet">By number: <a href="#{PLACES}">figures, tables and equations</a></p>'


def _part(title: str, anchor: str, rows: tuple[Row, ...], judged: Judged, edition: Edition) -> str:
    if not rows:
        return ""
    shown = "".join(row_section(row, edition, anchors(row, judged)) for row in rows)
    head = f'<h2 id="{anchor}">{title}</h2>\n{tally(counted(rows), title)}{_contents(rows)}'
    return f"{head}\n{shown}"


def _contents(rows: tuple[Row, ...]) -> str:
    lines = [
        f'<li>{_mark(row)}<a href="#{escaped(row.key)}">{prose(row.title)}</a></li>' for row in rows
    ]
    return f'<ul class="contents">{"".join(lines)}</ul>'


def _mark(row: Row) -> str:
    name = f'role="img" aria-label="{row.verdict.value}"'
    return f'<span class="mark {CLASSES[row.verdict]}" {name}>{MARKS[row.verdict]}</span>'


def row_section(row: Row, edition: Edition, more: Sequence[str] = ()) -> str:
    """Return one row: what is printed, what we find, the verdict and all that it stands on.

    It can also be found by the addresses of the figures and equations in `more`.
    """
    return "".join(
        (
            f'<section class="card row" id="{escaped(row.key)}">\n',
            *(f'<span class="anchor" id="{escaped(anchor)}"></span>' for anchor in more),
            "<header><div>"
            f'<p class="where">{prose(_where(row))}</p>'
            f'<h3><a href="#{escaped(row.key)}">{prose(row.title)}</a></h3></div>'
            f"{badge(row.verdict)}</header>\n",
            f'<p class="why">{prose(row.why)}</p>\n',
            sides(row, "the paper", "ulna") if row.item else sides(row, "printed", "right"),
            notes(row),
            numbers_table(row.numbers, f"Numbers: {row.title.replace('`', '')}"),
            *(_picture(picture, edition) for picture in row.pictures),
            *(_film(film, edition) for film in row.films),
            _call(row),
            "</section>\n",
        )
    )


def _where(row: Row) -> str:
    number = row.key.removeprefix("erratum-")
    return (
        row.where if row.item else f"{'Remark' if row.remark else 'Erratum'} {number} · {row.where}"
    )


def notes(row: Row) -> str:
    """Return how an erratum was found, how much it matters, and whether it may be ours."""
    told = {"how large": row.size, "how checked": row.how, "our text": _doubt(row)}
    lines = [f"<dt>{name}</dt><dd>{prose(text)}</dd>" for name, text in told.items() if text]
    return f'<dl class="notes">{"".join(lines)}</dl>\n' if lines else ""


def _doubt(row: Row) -> str:
    if not row.transcription:
        return ""
    return f"It is a transcription, which may have damaged {row.transcription}."


def _picture(picture: Picture, edition: Edition) -> str:
    if not edition.has(picture):
        return _absent(picture)
    image = f'<img src="{escaped(path(picture))}" alt="{plain(picture.caption)}" loading="lazy">'
    return _figure(f'<a class="sheet" href="{escaped(path(picture))}">{image}</a>', picture)


def _film(film: Film, edition: Edition) -> str:
    if not edition.filmed:
        return ""
    if not edition.has(film):
        return _absent(film)
    still = f' poster="{escaped(poster(film))}"' if poster(film) in edition.made else ""
    video = (
        f'<video controls muted loop playsinline preload="none"{still} '
        f'aria-label="{plain(film.caption)}" src="{escaped(path(film))}"></video>'
    )
    return _figure(f'<div class="sheet">{video}</div>', film)


def _figure(inside: str, thing: Picture | Film) -> str:
    return f"<figure>{inside}<figcaption>{prose(thing.caption)}</figcaption></figure>\n"


def _absent(thing: Picture | Film) -> str:
    return f'<p class="quiet">Not made, since it was stopped before: {prose(thing.caption)}</p>\n'


def _call(row: Row) -> str:
    code = row.call.strip()
    if not code:
        return ""
    return f'<p class="label">in Python</p><pre tabindex="0"><code>{escaped(code)}</code></pre>\n'
