"""A folder of the papers: pages, pictures, players, and every number as data."""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import ulna
from papers.library import NUMBERS, paper
from papers.pages import (
    ERRATA,
    INDEX,
    Edition,
    Size,
    dark,
    errata_page,
    index_page,
    inverse_kinematics_page,
    paper_page,
)
from papers.row import Paper, Picture, Row
from papers.rows_file import INVERSE_PAGE
from ulna.viewer import DARK, PRINT, Theme, styled

DATA = "rows.json"
FORMAT = 2  # of the data
PICTURES, PLAYERS = "pictures", "players"  # folders beside the pages
PLAYGROUND, PLAYED = "playground.html", "bechard-1"  # where rows lead to, and with which arm
INCH = 96  # [pixels] of a page
SHARPNESS = 160  # [pixels per inch] of pictures that are not drawings of lines


def write_papers(
    place: Path,
    numbers: Iterable[str] = NUMBERS,
    *,
    overwrite: bool = False,
    report: Callable[[str], None] = lambda text: None,
) -> Path:
    """Compute papers, and write them as a folder of pages.

    The folder is written under a temporary name beside its place, and renamed when it is complete.

    Parameters
    ----------
    place : Path
        The folder.
    numbers : iterable of str, optional
        Numbers of the papers.
    overwrite : bool, optional
        Whether to replace a folder of papers.
    report : callable, optional
        Called with a line of text for each paper.

    Returns
    -------
    Path
        The first page.

    Raises
    ------
    FileExistsError
        If the place exists and is not to be replaced, or is not a folder of papers.
    """
    if place.exists() and not (overwrite and (place / DATA).is_file()):
        need = f"a folder of papers, with {DATA}" if overwrite else "a new folder, or --overwrite"
        raise FileExistsError(f"{place} exists: writing the papers needs {need}")
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{place.name}-", dir=place.parent) as temporary:
        made = Path(temporary) / "papers"
        fill(made, tuple(map(paper, sorted(set(numbers)))), report)
        if place.exists():
            place.rename(Path(temporary) / "replaced")
        made.rename(place)
    return place / INDEX


def fill(folder: Path, papers: tuple[Paper, ...], report: Callable[[str], None]) -> None:
    """Write papers into a new folder."""
    (folder / PICTURES).mkdir(parents=True)
    (folder / PLAYERS).mkdir()
    sizes: dict[str, Size] = {}
    for one in papers:
        report(f"paper {one.number}: {len(one.rows)} rows")
        for row in one.rows:
            for picture in row.pictures:
                sizes[picture.file] = _draw(picture, folder / PICTURES)
            for player in row.players:
                (folder / PLAYERS / player.file).write_text(player.page(), "utf-8")
    for name, content in pages(Edition(papers, sizes)).items():
        (folder / name).write_text(content, "utf-8")
    if any(link.href.startswith(PLAYGROUND) for one in papers for link in _links(one)):
        ulna.play(ulna.preset(PLAYED), folder / PLAYGROUND, progress=False)


def pages(edition: Edition) -> dict[str, str]:
    """Return the pages of an edition by the names of their files, and the data."""
    papers = edition.papers
    made = {
        INDEX: index_page(edition),
        ERRATA: errata_page(edition),
        DATA: data(edition),
        INVERSE_PAGE: inverse_kinematics_page(edition),
    }
    made |= {one.page: paper_page(one, edition) for one in papers}
    for one in papers:
        made |= {name: ulna.derive(**given).html() for name, given in one.derivations.items()}
    return made


def _links(one: Paper) -> Iterable[Any]:
    return (link for row in one.rows for link in row.see_also)


def _draw(picture: Picture, folder: Path) -> Size:
    """Draw a picture in both themes, and return its size on a page."""
    for theme, name in ((PRINT, picture.file), (DARK, dark(picture.file))):
        size = _save(picture, theme, folder / name)
    return size


def _save(picture: Picture, theme: Theme, file: Path) -> Size:
    # No date and no version inside, so that an unchanged picture is an unchanged file.
    metadata = {".svg": {"Date": None}, ".png": {"Software": None}}[file.suffix]
    figure = picture.draw(theme=theme)
    with styled(theme):
        figure.savefig(file, dpi=SHARPNESS, metadata=metadata)
    wide, high = figure.get_size_inches() * (INCH if file.suffix == ".svg" else SHARPNESS)
    return round(wide), round(high)


def data(edition: Edition) -> str:
    """Write an edition as JSON, numbers in full precision; those that are not finite are null."""
    content = {
        "format": FORMAT,
        "versions": edition.versions,
        "papers": [
            {
                "number": one.number,
                "authors": one.authors,
                "title": one.title,
                "about": one.about,
                "rows": [_row_data(row) for row in one.rows],
                "places": [asdict(place) for place in one.places],
            }
            for one in edition.papers
        ],
    }
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _row_data(row: Row) -> dict[str, Any]:
    texts = ("key", "title", "where", "printed", "ours", "why", "how", "size", "transcription")
    return {
        **{name: getattr(row, name) for name in (*texts, "call")},
        "verdict": row.verdict.value,
        "numbers": [
            {**asdict(one), "ours": float(one.ours) if math.isfinite(one.ours) else None}
            for one in row.numbers
        ],
        "pictures": [{"file": one.file, "caption": one.caption} for one in row.pictures],
        "players": [{"file": one.file, "caption": one.caption} for one in row.players],
    }
