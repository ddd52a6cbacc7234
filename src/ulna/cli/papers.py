"""`ulna papers`: the five papers again, their numbers beside those in print."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Annotated, Any

from ulna.cli import flags
from ulna.cli.flags import argument, switch, with_default
from ulna.cli.outputs import INTERRUPTED, UnfinishedError, check_folder
from ulna.cli.terminal import note, say_about, show_json, show_table
from ulna.concurrency import cores
from ulna.errors import FileError, InputError, Problem
from ulna.papers import library
from ulna.papers.edition import Edition, counted
from ulna.papers.pages import INDEX
from ulna.papers.papers_folder import (
    DATA,
    PaperTask,
    PaperTasks,
    fill_folder,
    foreign_files,
)
from ulna.papers.row import Paper, Verdict
from ulna.progress import ProgressLine, progress
from ulna.storage import empty_folder, exists, whole_folder

MOST_WORKERS = 4  # more would only judge the same papers more often
COLUMNS = ("paper", "authors", "rows", "errata", *(verdict.value for verdict in Verdict))

PaperArgument = Annotated[
    list[str] | None,
    argument("[PAPER]...", f"Which of them: {', '.join(library.NUMBERS)}. All, if none is named."),
]


def papers(
    paper: PaperArgument = None,
    out: Annotated[str, with_default("DIR", "The folder that the pages go into.")] = "papers",
    no_films: Annotated[
        bool, switch("--no-films", "Leave out the films, which take longest.")
    ] = False,
    json: flags.Json = False,
    overwrite: Annotated[
        bool, switch("--overwrite", "Replace a folder of papers that exists.")
    ] = False,
) -> None:
    """Compute the five papers again, and show what they print beside what comes out."""
    numbers = library.checked(paper or library.NUMBERS, "PAPER")
    place = _checked_place(out, overwrite=overwrite)
    start = time.perf_counter()
    note(f"computing {'papers' if len(numbers) > 1 else 'paper'} {', '.join(numbers)}")
    with whole_folder(place, (DATA,), overwrite=overwrite) as part:
        workers = min(cores(), MOST_WORKERS, len(numbers) * (1 if no_films else 2))
        with progress("the first papers", patience=0.0) as bar:
            told = PapersProgress(bar).tell
            edition = fill_folder(part, numbers, films=not no_films, workers=workers, on_done=told)
        if edition.stopped and exists(place) and not empty_folder(place):
            # What is there is whole, which this is not.
            raise UnfinishedError([f"stopped; {place} is as it was before"], INTERRUPTED)
    _show(edition, place, time.perf_counter() - start, json=json)
    if edition.stopped:
        raise UnfinishedError([_stopped(edition, place)], INTERRUPTED)


def _checked_place(out: str, *, overwrite: bool) -> Path:
    """Return the folder; raise if it is there, unless it is empty or may be replaced."""
    place = check_folder(out)
    if place.is_dir() and Path.cwd().is_relative_to(place.resolve()):
        # It is put into its place as a whole, and whoever stood inside would stand nowhere.
        raise InputError(Problem("--out", f"'{out}', where you are", "a folder of its own"))
    if exists(place) and not empty_folder(place):
        if not overwrite:
            hint = "add --overwrite to replace it, or give another folder"
            need = "a folder to be made"
            raise InputError(Problem("--out", f"'{out}', which exists", need, hint))
        _check_strangers(out)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{place.parent}: cannot be made: {error.strerror}") from error
    return place


def _check_strangers(out: str) -> None:
    """Raise if a folder holds anything that is not of papers: it would be gone."""
    foreign = foreign_files(Path(out)) if Path(out).is_dir() else []
    if foreign:
        more = f" and {len(foreign) - 1} more" if len(foreign) > 1 else ""
        got = f"'{out}', which holds {foreign[0]}{more}"
        hint = "give another folder, or move that out of the way"
        raise InputError(Problem("--out", got, "a folder of papers and nothing else", hint))


class PapersProgress:
    """What is said meanwhile: a line for every paper, and a bar with what is done next."""

    def __init__(self, bar: ProgressLine) -> None:
        self.bar, self.part = bar, 0.0
        bar(0.0)

    def tell(self, task: PaperTask, tasks: PaperTasks) -> None:
        """Say that a task is done."""
        if not task.file:
            self.bar.clear()
            rows, left = tasks.rows[task.number], len(tasks.left)
            note(f"paper {task.number}: {len(rows)} rows judged; {left} things to do")
        # Papers turn out to be longer than one thought, but a bar goes one way.
        self.part = max(self.part, tasks.part)
        to_do = (*tasks.doing, *tasks.left)
        self.bar.what = to_do[0].description if to_do else "writing the pages"
        self.bar(self.part)


def _show(edition: Edition, place: Path, seconds: float, *, json: bool) -> None:
    if json:
        show_json(_facts(edition, place, seconds))
        return
    lines = []
    for judged in edition.judged:
        counts = [len(judged.rows), len(judged.errata), *counted(judged.rows).values()]
        lines.append((judged.paper.number, _by(judged.paper), *(str(count) for count in counts)))
    show_table("papers, computed again", COLUMNS, lines)
    say_about("open", [str(place / INDEX)])
    say_about("took", [f"{seconds:.0f} s"])


def _by(paper: Paper) -> str:
    """Return the first author, and whether there are others."""
    first, *others = re.split(", | and ", paper.authors)
    return f"{first} et al." if others else first


def _facts(edition: Edition, place: Path, seconds: float) -> dict[str, Any]:
    return {
        "papers": [
            {
                "number": judged.paper.number,
                "rows": len(judged.rows),
                **{verdict.value: count for verdict, count in counted(judged.rows).items()},
                "errata": len(judged.errata),
            }
            for judged in edition.judged
        ],
        "stopped": edition.stopped,
        "seconds": seconds,
        "index": str(place / INDEX),
        "rows": str(place / DATA),
        "files": sorted(str(file) for file in place.rglob("*") if file.is_file()),
    }


def _stopped(edition: Edition, place: Path) -> str:
    without = f"; without paper {', '.join(edition.missing)}" if edition.missing else ""
    return f"stopped; what was done until then is in {place}{without}"
