"""The figures, tables, listings and equations of a paper by number: where each is treated."""

from __future__ import annotations

from ulna.papers.pages.edition import Judged
from ulna.papers.pages.html_text import escaped, prose
from ulna.papers.row import Place, Row

PLACES = "places"  # the anchor of the list
UNTREATED = "no row of its own"


def anchors(row: Row, judged: Judged) -> tuple[str, ...]:
    """Return the addresses that lead to a row besides its own: those of which it is the first."""
    found = (place.anchor for place in judged.paper.places if place.rows[:1] == (row.key,))
    return tuple(anchor for anchor in found if anchor != row.key)


def places_section(judged: Judged) -> str:
    """Return the list of all places of a paper, each with its rows."""
    places = judged.paper.places
    if not places:
        return ""
    titles = {row.key: row.title for row in judged.rows}
    lines = "".join(_line(place, titles) for place in places)
    return (
        f'<h2 id="{PLACES}">Figures, tables and equations</h2>\n{_counted(places)}'
        f'<ul class="{PLACES}">{lines}</ul>'
    )


def _counted(places: tuple[Place, ...]) -> str:
    kinds = list(dict.fromkeys(place.kind for place in places if not place.numbered))
    if not kinds:
        return ""
    words = " and ".join(f"{kind.value}s" for kind in kinds)
    return f"<p>The paper does not number its {words}; they are counted from its beginning.</p>\n"


def _line(place: Place, titles: dict[str, str]) -> str:
    name = escaped(place.name)
    if not place.rows:
        head = f'<li id="{place.anchor}"><span class="name">{name}</span>'
        treated = f'<span class="quiet">{UNTREATED}</span>'
    else:
        head = f'<li><a class="name" href="#{place.anchor}">{name}</a>'
        links = (f'<a href="#{escaped(key)}">{prose(titles[key])}</a>' for key in place.rows)
        treated = "; ".join(links)
    about = f'<span class="about">{prose(place.about)}</span>'
    return f'{head}{about}<span class="treated">{treated}</span></li>\n'
