"""A folder of the papers: pages, pictures, films, and every number as data."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from ulna.interrupts import listening
from ulna.papers import library
from ulna.papers.hands import Tell, do_here, do_together
from ulna.papers.pages import Edition, Judged, data, errata_page, index_page, paper_page
from ulna.papers.pages.edition import FILMS, PICTURES
from ulna.papers.pages.frame import ERRATA, INDEX
from ulna.papers.tasks import Tasks
from ulna.storage import write_whole

DATA = "rows.json"


def strangers(folder: Path) -> list[str]:
    """Return the files of a folder that no edition of papers has, by their names."""
    numbers = "|".join(library.NUMBERS)
    ours = re.compile(
        rf"({INDEX}|{ERRATA}|{DATA}|({numbers})\.html|({PICTURES}|{FILMS})/({numbers})-[^/]+)"
    )
    names = (file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())
    return sorted(name for name in names if not ours.fullmatch(name))


def fill_folder(
    folder: Path,
    numbers: Iterable[str] = library.NUMBERS,
    *,
    films: bool = True,
    hands: int = 0,
    tell: Tell = lambda task, tasks: None,
) -> Edition:
    """Fill an empty folder with the papers, computed by so many other processes, or by this one.

    Ctrl-C ends the work early: the pages then show what there is, and the edition says so.
    """
    tasks = Tasks(library.checked(numbers), films=films)
    (folder / PICTURES).mkdir()
    if films:
        (folder / FILMS).mkdir()
    stopped = False
    try:
        if hands:
            do_together(tasks, folder, tell, hands)
        else:
            do_here(tasks, folder, tell)
    except KeyboardInterrupt:
        if not tasks.rows:
            raise
        listening().clear()
        stopped = True
        _clear(folder)
    edition = _edition(tasks, stopped=stopped)
    _write_pages(folder, edition)
    return edition


def _clear(folder: Path) -> None:
    """Remove what was being written when somebody stopped it."""
    for part in folder.glob("*/.*.part"):
        part.unlink()


def _edition(tasks: Tasks, *, stopped: bool) -> Edition:
    judged = [
        Judged(paper, tasks.rows[paper.number])
        for paper in library.papers(tasks.numbers)
        if paper.number in tasks.rows
    ]
    return Edition(
        tuple(judged),
        made=frozenset(tasks.made),
        filmed=tasks.films,
        stopped=stopped,
        missing=tuple(number for number in tasks.numbers if number not in tasks.rows),
    )


def _write_pages(folder: Path, edition: Edition) -> None:
    pages: dict[str, Callable[[], str]] = {
        INDEX: lambda: index_page(edition),
        ERRATA: lambda: errata_page(edition),
        DATA: lambda: data(edition),
    }
    for name, write in pages.items():
        write_whole(folder / name, write())
    for judged in edition.judged:
        write_whole(folder / judged.page, paper_page(judged, edition))
