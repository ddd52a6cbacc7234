"""What there is to do for a folder of papers, one task at a time, and in which order."""

from __future__ import annotations

import io
import subprocess
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ulna.papers import library
from ulna.papers.pages.edition import path, poster
from ulna.papers.row import Film, Picture, Row
from ulna.storage import write_whole

SHARPNESS = 160  # [pixels per inch] of pictures that are no drawings of lines
# How long tasks take, roughly and in no unit, for the bar that shows how far it is.
JUDGING, DRAWING, FILMING = 5.0, 1.0, 8.0
UNJUDGED = 30.0  # a paper with all its pictures and films


class PaperTask(NamedTuple):
    """Judge a paper, or make one of its pictures or films."""

    number: str
    file: str = ""  # its path in the folder; without one the paper is judged

    @property
    def weight(self) -> float:
        """How long it takes, beside others."""
        if not self.file:
            return JUDGING
        return FILMING if self.file.endswith(".mp4") else DRAWING

    @property
    def description(self) -> str:
        """What is done, for people."""
        return f"drawing {Path(self.file).name}" if self.file else f"paper {self.number}"


def execute(task: PaperTask, folder: Path) -> Any:
    """Do a task; return the rows of a paper, or the paths of the files that were made."""
    if not task.file:
        return tuple(_bare(row) for row in library.rows(task.number))
    thing = _things(task.number)[task.file]
    return _draw(thing, folder) if isinstance(thing, Picture) else _shoot(thing, folder)


@cache
def _things(number: str) -> dict[str, Picture | Film]:
    return {path(thing): thing for row in library.rows(number) for thing in _shown(row)}


def _shown(row: Row) -> tuple[Picture | Film, ...]:
    return (*row.pictures, *row.films)


def _bare(row: Row) -> Row:
    """Return a row that can be sent to another process, which could draw nothing anyway."""
    pictures = tuple(replace(picture, draw=_nothing) for picture in row.pictures)
    films = tuple(replace(film, make=_nothing) for film in row.films)
    return replace(row, pictures=pictures, films=films)


def _nothing(*_: object) -> Any:
    raise NotImplementedError("what draws it was left in another process")


def _draw(picture: Picture, folder: Path) -> list[str]:
    from ulna.viewer import styled

    ending = Path(picture.file).suffix[1:]
    # No date and no version inside, so that an unchanged picture is an unchanged file.
    metadata = {"svg": {"Date": None}, "png": {"Software": None}}[ending]
    page = io.BytesIO()
    figure = picture.draw()
    with styled():
        figure.savefig(page, format=ending, dpi=SHARPNESS, metadata=metadata)
    write_whole(folder / path(picture), page.getvalue())
    return [path(picture)]


def _shoot(film: Film, folder: Path) -> list[str]:
    film.make(str(folder / path(film)))
    _still(path(film), poster(film), folder)
    return [path(film), poster(film)]


def _still(film: str, still: str, folder: Path) -> None:
    import imageio_ffmpeg

    # By its last seconds a film shows what it is about.
    words = f"-y -loglevel error -sseof -2 -i {film} -frames:v 1 -q:v 3 {still}"
    subprocess.run(
        [imageio_ffmpeg.get_ffmpeg_exe(), *words.split()],
        cwd=folder,
        check=True,
        stdin=subprocess.DEVNULL,
    )


class PaperTasks:
    """All tasks: what is left of them, what came out, and who had better do which."""

    def __init__(self, numbers: Iterable[str], *, films: bool) -> None:
        self.numbers, self.films = tuple(numbers), films
        self.left = [PaperTask(number) for number in self.numbers]
        self.rows: dict[str, tuple[Row, ...]] = {}
        self.made: set[str] = set()
        self.weight = 0.0  # of what is done
        self.doing: list[PaperTask] = []

    def take(self, known: set[str]) -> PaperTask | None:
        """Return the next task; for a worker that knows a paper, its pictures come first.

        Somebody else has to judge it first, which is worth it where more than one thing is left.
        """
        for task in self.left:
            if task.file and task.number in known:
                return self._taken(task)
        for task in self.left:
            if not task.file or self._count(task.number) > 1:
                return self._taken(task)
        return None

    def _count(self, number: str) -> int:
        return sum(task.number == number for task in self.left)

    def _taken(self, task: PaperTask) -> PaperTask:
        self.left.remove(task)
        self.doing.append(task)
        return task

    def finish(self, task: PaperTask, result: Any) -> None:
        """Keep what came out of a task; once a paper is judged, its pictures are asked for."""
        self.doing.remove(task)
        self.weight += task.weight
        if task.file:
            self.made.update(result)
            return
        self.rows[task.number] = result
        files = [path(film) for row in result for film in row.films if self.films]
        files += [path(picture) for row in result for picture in row.pictures]
        # Films take longest and go first, so that nobody waits for one in the end.
        self.left += [PaperTask(task.number, file) for file in dict.fromkeys(files)]

    @property
    def part(self) -> float:
        """How much is done, from 0 to 1."""
        unjudged = UNJUDGED * (len(self.numbers) - len(self.rows))
        ahead = sum(task.weight for task in (*self.left, *self.doing) if task.file)
        return self.weight / (self.weight + ahead + unjudged)
