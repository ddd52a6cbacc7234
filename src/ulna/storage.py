"""Files and folders that appear whole or not at all.

They are written under a temporary name beside their place, and renamed. Errors name the file and
the trouble.
"""

from __future__ import annotations

import errno
import itertools
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from ulna.concurrency import call_in_thread
from ulna.errors import FileError, InputError, Problem, UlnaError, size_text

LARGEST_TEXT = 10_000_000  # [bytes] more than any description that a person writes


def read_text(file: str | os.PathLike[str], largest: int = LARGEST_TEXT) -> str:
    """Read a text file in UTF-8, with or without a byte-order mark."""
    path = Path(file)
    try:
        with path.open("rb") as stream:
            raw = stream.read(largest + 1)
            size = max(len(raw), os.fstat(stream.fileno()).st_size)
    except (OSError, ValueError) as error:
        raise FileError(f"{path}: cannot be read: {_trouble(error)}") from error
    if len(raw) > largest:
        raise InputError(
            Problem("file", f"{size:,} bytes", f"at most {largest:,}", place=str(path))
        )
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        got = f"byte 0x{error.object[error.start]:02x} at offset {error.start}"
        raise InputError(
            Problem("encoding", got, "text in UTF-8", "save the file as UTF-8", place=str(path))
        ) from error


def write_whole(file: str | os.PathLike[str], data: str | bytes, *, overwrite: bool = True) -> None:
    """Write a file in one step: beside it first, then into its place.

    Whatever goes wrong, a file that was there stays as it was. Without `overwrite` one that exists
    is not replaced.
    """
    with whole_file(file, overwrite=overwrite) as part:
        part.write_bytes(data.encode("utf-8") if isinstance(data, str) else data)


@contextmanager
def whole_file(file: str | os.PathLike[str], *, overwrite: bool = True) -> Iterator[Path]:
    """Return an empty file beside the place of another, to write to.

    It moves into that place once the block is done; where the block fails, it is gone and all
    stays as it was. Without `overwrite` a file that exists is not replaced.
    """
    path = Path(file)
    with writing(path):
        # Through links, so that it is the file behind one that is replaced, and not the link.
        place = Path(os.path.realpath(path))
        check_new(path, "output", overwrite=overwrite)
        if place.exists() and not place.is_file():
            raise OSError("it is a folder" if place.is_dir() else "it is no ordinary file")
        with _beside(place) as part:
            part.touch(exist_ok=False)
            yield part
            _sync(part)
            check_new(path, "output", overwrite=overwrite)
            if place.exists():
                shutil.copymode(place, part)
            part.replace(place)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Raise FileError, with the name of the file, for whatever keeps it from being written."""
    try:
        yield
    except UlnaError:
        raise
    except (OSError, ValueError) as error:
        raise FileError(f"{path}: cannot be written: {_trouble(error)}") from error


@contextmanager
def whole_folder(
    file: str | os.PathLike[str], marks: Sequence[str], *, overwrite: bool = True
) -> Iterator[Path]:
    """Return an empty folder beside the place of another, to write to; see `whole_file`.

    A folder may hold anything: one that exists is replaced only if one of the `marks` is in it. An
    empty one is taken for none.
    """
    path = Path(file)
    with writing(path):
        _check_folder(path, marks, overwrite=overwrite)
        place = Path(os.path.realpath(path))
        with _beside(place) as part:
            part.mkdir()
            yield part
            _sync(part)
            _check_folder(path, marks, overwrite=overwrite)
            replace_folder(part, place)


def replace_folder(part: Path, place: Path) -> None:
    """Move a folder into the place of another, if there is one.

    That takes two steps. Between them the other one has a name of its own, "runs.replaced.zarr",
    under which it is found if the process is killed there.
    """
    with writing(place):
        old = name_aside(place, "replaced")
        try:
            if place.exists():
                place.replace(old)
            part.replace(place)
        finally:
            if exists(old) and not place.exists():
                old.replace(place)
        call_in_thread(shutil.rmtree, old, ignore_errors=True)


def growing_place(
    path: Path,
    marks: Sequence[str],
    *,
    overwrite: bool,
    is_own: Callable[[Path], bool] = lambda place: False,
) -> Path:
    """Return where a folder can grow: in its place, or beside the one that it is to replace.

    See `whole_folder` for the `marks`. Beside it, a folder that `is_own` is gone on with.
    """
    with writing(path):
        _check_folder(path, marks, overwrite=overwrite)
    if empty_folder(path) or not exists(path):
        return path
    return name_aside(path, is_taken=lambda place: exists(place) and not is_own(place))


@contextmanager
def staged(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """Return an empty folder inside another, to write files to that belong together.

    `move_in` puts them into their places, or `set_aside` elsewhere; the rest is gone after the
    block. The outer folder is made if it is not there, and removed again if it stays empty.
    """
    place = Path(folder)
    with writing(place):
        found = place.exists()
        try:
            place.mkdir(parents=True, exist_ok=True)
            with _beside(place / "files") as part:
                part.mkdir()
                yield part
        finally:
            if not found and empty_folder(place):
                place.rmdir()


def move_in(part: Path, folder: Path, old: Iterable[str], *, overwrite: bool) -> None:
    """Move all files of a `staged` folder out into the folder around it.

    With `overwrite` the files named `old` are removed. Without it nothing is replaced. Ctrl-C never
    mixes the files of two results; a kill or an error of the disk between two renames may.
    """
    names = sorted(file.name for file in part.iterdir())
    with writing(folder):
        _sync(part)
        for name in names:
            check_new(folder / name, "output", overwrite=overwrite)
        call_in_thread(_move_all, part, folder, names, {*old} - {*names} if overwrite else ())


def _move_all(part: Path, folder: Path, names: Iterable[str], unwanted: Iterable[str]) -> None:
    for name in names:
        (part / name).replace(folder / name)
    for name in unwanted:
        (folder / name).unlink(missing_ok=True)


def set_aside(part: Path, file: str | os.PathLike[str]) -> Path:
    """Keep what there is of a folder that is not whole, under a name of its own, and return that.

    `part` is what `staged` gave: of the folder around it nothing changes.
    """
    path = name_aside(file)
    with writing(path):
        _sync(part)
        part.rename(path)
    return path


def name_aside(
    file: str | os.PathLike[str],
    word: str = "interrupted",
    is_taken: Callable[[Path], bool] | None = None,
) -> Path:
    """Return a free name beside a file or folder, by default for one that is not whole.

    "b.interrupted.nc" for "b.nc", or "b.interrupted-2.nc" if that exists.
    """
    path = Path(file)
    numbers = itertools.chain([""], (f"-{count}" for count in itertools.count(2)))
    names = (path.with_name(f"{path.stem}.{word}{one}{path.suffix}") for one in numbers)
    return next(name for name in names if not (is_taken or exists)(name))


def check_space(file: str | os.PathLike[str], size: float) -> None:
    """Raise FileError where the disk has no room for a file of that many bytes."""
    path = Path(file)
    with writing(path):
        free = shutil.disk_usage(Path(os.path.realpath(path)).parent).free
        if size > free:
            told = f"it takes {size_text(size)}, and {size_text(free)} are free"
            raise OSError(errno.ENOSPC, told)


def check_new(file: str | os.PathLike[str], what: str, *, overwrite: bool) -> None:
    """Raise InputError for a file that exists, before any work is done; never with `overwrite`."""
    if exists(file) and not overwrite and not Path(file).is_dir():
        raise _taken(file, what)


def _taken(file: str | os.PathLike[str], what: str) -> InputError:
    need, hint = "a new file", "add --overwrite to replace it"
    return InputError(Problem(what, f"'{file}', which exists", need, hint))


def exists(file: str | os.PathLike[str]) -> bool:
    """Return whether something has that name, a link that leads nowhere included."""
    return os.path.lexists(file)


def empty_folder(file: str | os.PathLike[str]) -> bool:
    """Return whether there is a folder with nothing in it."""
    place = Path(file)
    return place.is_dir() and not any(place.iterdir())


def _check_folder(path: Path, marks: Sequence[str], *, overwrite: bool) -> None:
    place = Path(os.path.realpath(path))
    if empty_folder(place):
        return
    if exists(path) and not overwrite:
        raise _taken(path, "output")
    if place.exists() and not any((place / mark).is_file() for mark in marks):
        what = "a folder of something else" if place.is_dir() else "no folder"
        raise OSError(errno.EEXIST, f"it is {what}")


@contextmanager
def _beside(place: Path) -> Iterator[Path]:
    # A name of its own for every writer, so that two at once do not meet.
    part = place.parent / f".{os.urandom(8).hex()}.part"
    try:
        yield part
    finally:
        # Where the folder is out of reach, the first error says so.
        with suppress(OSError, ValueError):
            if part.is_dir():
                call_in_thread(shutil.rmtree, part)
            else:
                part.unlink(missing_ok=True)


def _sync(part: Path) -> None:
    """Bring a file, or all files of a folder, onto the disk."""
    for file in [part, *part.rglob("*")]:
        if file.is_file():
            with file.open("rb+") as stream:
                os.fsync(stream.fileno())


def _trouble(error: OSError | ValueError) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)


def cache_folder() -> Path:
    """Return the folder for what can be made again: $ULNA_CACHE, else the system's place for it."""
    chosen = os.environ.get("ULNA_CACHE")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "ulna"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "ulna"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ulna"
