"""A folder of the papers: pages, pictures, films, and every number as data.

Papers are judged and their pictures made task by task, in this process or in several workers at
once. Workers are spawned, never forked. They ignore Ctrl-C, which would leave a simulation half
done and a row with its numbers; the process that started them handles it and terminates them.
"""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from multiprocessing import active_children, get_context, parent_process, resource_tracker
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from ulna.arm import preset
from ulna.concurrency import held, listening
from ulna.papers import library
from ulna.papers.edition import (
    FILMS,
    PICTURES,
    Edition,
    Judged,
    Size,
    dark_path,
    path,
    poster,
    rows_data,
)
from ulna.papers.pages import ERRATA, INDEX, derivation_page, errata_page, index_page, paper_page
from ulna.papers.row import Film, Picture, Row
from ulna.storage import write_whole
from ulna.viewer.playground import playground_page
from ulna.viewer.playground_scenes import usual_pose

if TYPE_CHECKING:
    from ulna.viewer import Theme
    from ulna.viewer.web_document import WebDocument

DATA = "rows.json"
PLAYGROUND = "playground.html"  # what rows lead to, each with a scene of its own
PLAYED = "bechard-1"
COLOR = re.compile(r"\b(fill|stroke): ?(#[0-9a-f]{6})\b")
ANY_COLOR = re.compile(r"#[0-9a-f]{6}\b")
MADE_NAME = re.compile(r"\b[A-Za-z]\w*?[0-9a-f]{10}\b")  # of markers and clips, by their looks
STYLE = "</style>"
INCH = 96  # [pixels] of a page
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


class PaperTasks:
    """All tasks: what is left of them, what came out, and who had better do which."""

    def __init__(self, numbers: Iterable[str], *, films: bool) -> None:
        self.numbers, self.films = tuple(numbers), films
        self.left = [PaperTask(number) for number in self.numbers]
        self.rows: dict[str, tuple[Row, ...]] = {}
        self.made: dict[str, Size] = {}
        self.players: dict[str, WebDocument] = {}
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
            files, players = result
            self.made.update(files)
            self.players.update(players)
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


OnDone: TypeAlias = Callable[[PaperTask, PaperTasks], None]  # of a task that is done


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
            _run_here(tasks, folder, on_done)
    except KeyboardInterrupt:
        if not tasks.rows:
            raise
        listening().clear()
        stopped = True
        # What was being written when somebody stopped it.
        for part in folder.glob("*/.*.part"):
            part.unlink()
    edition = _edition(tasks, stopped=stopped)
    _write_pages(folder, edition)
    return edition


def foreign_files(folder: Path) -> list[str]:
    """Return the names of files in a folder that no edition of papers has."""
    numbers = "|".join(library.NUMBERS)
    ours = re.compile(
        rf"({INDEX}|{ERRATA}|{DATA}|{PLAYGROUND}|({numbers})(-derivation)?\.html|"
        rf"({PICTURES}|{FILMS})/({numbers})-[^/]+)"
    )
    names = (file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())
    return sorted(name for name in names if not ours.fullmatch(name))


def _edition(tasks: PaperTasks, *, stopped: bool) -> Edition:
    judged = [
        Judged(paper, tasks.rows[paper.number])
        for paper in library.papers(tasks.numbers)
        if paper.number in tasks.rows
    ]
    return Edition(
        tuple(judged),
        made=tasks.made,
        players=tasks.players,
        filmed=tasks.films,
        stopped=stopped,
        missing=tuple(number for number in tasks.numbers if number not in tasks.rows),
    )


def _write_pages(folder: Path, edition: Edition) -> None:
    pages = {INDEX: index_page, ERRATA: errata_page, DATA: rows_data}
    for name, made in pages.items():
        write_whole(folder / name, made(edition))
    for judged in edition.judged:
        write_whole(folder / judged.page, paper_page(judged, edition))
        if judged.derivation:
            write_whole(folder / judged.derivation, derivation_page(judged, edition))
    linked = (
        link.href for judged in edition.judged for row in judged.rows for link in row.see_also
    )
    if any(href.startswith(PLAYGROUND) for href in linked):
        arm = preset(PLAYED)
        write_whole(folder / PLAYGROUND, playground_page(arm, usual_pose(arm)))


def execute(task: PaperTask, folder: Path) -> Any:
    """Do a task; return the rows of a paper, or its files with sizes, and its players."""
    if not task.file:
        return tuple(_bare(row) for row in library.rows(task.number))
    thing = _things(task.number)[task.file]
    return (_draw(thing, folder), {}) if isinstance(thing, Picture) else _shoot(thing, folder)


@cache
def _things(number: str) -> dict[str, Picture | Film]:
    things: list[Picture | Film] = []
    for row in library.rows(number):
        things += [*row.pictures, *row.films]
    return {path(thing): thing for thing in things}


def _bare(row: Row) -> Row:
    """Return a row that can be sent to another process, which could draw nothing anyway."""
    pictures = tuple(replace(picture, draw=_nothing) for picture in row.pictures)
    films = tuple(replace(film, make=_nothing, play=film.play and _nothing) for film in row.films)
    return replace(row, pictures=pictures, films=films)


def _nothing(*_: object) -> Any:
    raise NotImplementedError("what draws it was left in another process")


def _draw(picture: Picture, folder: Path) -> dict[str, Size]:
    from ulna.viewer import DARK, PRINT

    (light, size), (dark, _) = (_rendered(picture, theme) for theme in (PRINT, DARK))
    files = {path(picture): light, dark_path(picture): dark}
    if picture.file.endswith(".svg") and (both := both_themes(light.decode(), dark.decode())):
        files = {path(picture): both.encode()}
    elif light == dark:
        del files[dark_path(picture)]
    for name, content in files.items():
        write_whole(folder / name, content)
    return dict.fromkeys(files, size)


def both_themes(light: str, dark: str) -> str | None:
    """Return a light drawing (SVG) that is as the dark one in a dark page.

    The two differ in colours only; the light one is kept, with a rule for every colour that is
    another in the dark. Browsers follow such rules in images too, and whatever else reads the file
    sees the light figure.

    Parameters
    ----------
    light, dark : str
        The same figure in both themes, as Matplotlib writes it.

    Returns
    -------
    str or None
        The drawing; None if the two differ in more than colours.
    """
    if _colourless(light) != _colourless(dark) or STYLE not in light:
        return None
    partners: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for (what, color), (_, other) in zip(COLOR.findall(light), COLOR.findall(dark), strict=True):
        partners[what, color][other] += 1
    rules = [
        f'[style*="{what}: {color}"]{{{what}:{others.most_common(1)[0][0]}!important}}'
        for (what, color), others in sorted(partners.items())
        if others.most_common(1)[0][0] != color
    ]
    media = f"@media (prefers-color-scheme:dark){{{''.join(rules)}}}"
    return light.replace(STYLE, media + STYLE, 1)


def _colourless(drawing: str) -> str:
    """Return a drawing without its colours and the names that were made from them."""
    return MADE_NAME.sub("", ANY_COLOR.sub("", drawing))


def _rendered(picture: Picture, theme: Theme) -> tuple[bytes, Size]:
    from ulna.viewer import styled

    ending = Path(picture.file).suffix[1:]
    # No date and no version inside, so that an unchanged picture is an unchanged file.
    metadata = {"svg": {"Date": None}, "png": {"Software": None}}[ending]
    page = io.BytesIO()
    figure = picture.draw(theme=theme)
    with styled(theme):
        figure.savefig(page, format=ending, dpi=SHARPNESS, metadata=metadata)
    wide, high = figure.get_size_inches() * (INCH if ending == "svg" else SHARPNESS)
    return page.getvalue(), (round(wide), round(high))


def _shoot(film: Film, folder: Path) -> tuple[dict[str, Size], dict[str, WebDocument]]:
    from PIL import Image

    from ulna.papers.players import player_document, viewer

    film.make(str(folder / path(film)))
    _still(path(film), poster(film), folder)
    with Image.open(folder / poster(film)) as still:
        files = dict.fromkeys([path(film), poster(film)], still.size)
    document = player_document(film) if viewer() is not None else None
    return files, {} if document is None else {path(film): document}


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


def _run_here(tasks: PaperTasks, folder: Path, on_done: OnDone) -> None:
    known = set(tasks.numbers)
    while (task := tasks.take(known)) is not None:
        tasks.finish(task, execute(task, folder))
        on_done(task, tasks)


class WorkerProcessError(RuntimeError):
    """What went wrong in another process, with the traceback from there."""


def run_in_processes(tasks: PaperTasks, folder: Path, on_done: OnDone, count: int) -> None:
    """Execute all tasks in `count` worker processes."""
    with _workers(count) as workers:
        known: dict[ProcessPoolExecutor, set[str]] = {worker: set() for worker in workers}
        busy: dict[Future[tuple[bool, Any]], tuple[ProcessPoolExecutor, PaperTask]] = {}
        while True:
            working = [worker for worker, _ in busy.values()]
            for worker in (worker for worker in workers if worker not in working):
                task = tasks.take(known[worker])
                if task is not None:
                    known[worker].add(task.number)
                    # A process that is half started could not be ended.
                    with held(), _blocking_interrupts():
                        busy[worker.submit(_outcome, task, folder)] = worker, task
            if not busy:
                return
            for future in wait(busy, return_when=FIRST_COMPLETED).done:
                _, task = busy.pop(future)
                tasks.finish(task, _result(future, task))
                on_done(task, tasks)


def _result(future: Future[tuple[bool, Any]], task: PaperTask) -> Any:
    try:
        done, result = future.result()
    except BrokenProcessPool:
        raise WorkerProcessError(f"{task.description}: the process that did it ended") from None
    if not done:
        raise WorkerProcessError(f"{task.description}: {result}")
    return result


def _outcome(task: PaperTask, folder: Path) -> tuple[bool, Any]:
    try:
        return True, execute(task, folder)
    except Exception:
        return False, traceback.format_exc()


@contextmanager
def _workers(count: int) -> Iterator[list[ProcessPoolExecutor]]:
    """Return executors of one process each, so that a worker draws the papers that it judged."""
    others, processes = set(active_children()), get_context("spawn")
    workers = [ProcessPoolExecutor(1, processes, _start_worker) for _ in range(count)]
    try:
        yield workers
    finally:
        for process in set(active_children()) - others:
            process.terminate()
        for worker in workers:
            worker.shutdown(cancel_futures=True)


def _start_worker() -> None:
    """Leave Ctrl-C to the process that started this one, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _blocking_interrupts() -> Iterator[None]:
    """Block Ctrl-C for processes that start inside, where that is possible."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # It has a process of its own, whose start would unblock the signal.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
