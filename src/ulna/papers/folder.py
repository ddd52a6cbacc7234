"""A folder of the papers: pages, pictures, films, and every number as data."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from ulna.concurrency import listening
from ulna.papers import library
from ulna.papers.pages import Edition, Judged, data, errata_page, index_page, paper_page
from ulna.papers.pages.edition import FILMS, PICTURES
from ulna.papers.pages.frame import ERRATA, INDEX
from ulna.papers.tasks import PaperTasks
from ulna.papers.workers import OnDone, run_here, run_in_processes
from ulna.storage import write_whole

DATA = "rows.json"


def foreign_files(folder: Path) -> list[str]:
    """Return the names of files in a folder that no edition of papers has."""
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
    workers: int = 0,
    on_done: OnDone = lambda task, tasks: None,
) -> Edition:
    """Fill an empty folder with the papers.

    Ctrl-C ends the work early: the pages then show what there is, and the edition says so.

    Parameters
    ----------
    folder : Path
        Where the pages go.
    numbers : iterable of str, optional
        Numbers of the papers.
    films : bool, optional
        Whether to make the films.
    workers : int, optional
        Number of worker processes; 0 for this process alone.
    on_done : callable, optional
        Called with every task that is done, and all tasks.

    Returns
    -------
    Edition
        What the pages show.
    """
    tasks = PaperTasks(library.checked(numbers), films=films)
    (folder / PICTURES).mkdir()
    if films:
        (folder / FILMS).mkdir()
    stopped = False
    try:
        if workers:
            run_in_processes(tasks, folder, on_done, workers)
        else:
            run_here(tasks, folder, on_done)
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


def _edition(tasks: PaperTasks, *, stopped: bool) -> Edition:
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
