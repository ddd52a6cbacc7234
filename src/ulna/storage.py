"""Files that appear whole or not at all, and digests that tell whether they are as written.

Errors name the file and the trouble. A digest stands before or behind the bytes, and is checked
before anything parses them.
"""

from __future__ import annotations

import errno
import itertools
import os
import shutil
import struct
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ulna.errors import FileError, InputError, Problem, UlnaError, size_text

LARGEST_TEXT = 10_000_000  # [bytes] more than any description that a person writes
SEAL = b"\x93ulna seal 1\n"  # what sealed bytes begin with
TRAILER = b"\x93ulna trailer 1\n"  # what files with a trailer end with
SIZE = 16  # [bytes] of a digest: two that are alike by chance are one pair in 10^38
PATIENCE = 1.0  # [s] to wait for somebody to write to a pipe
BLOCK = 2**20  # [bytes] that are read at once
MISMATCH = "its digest does not match: it was damaged or changed since it was written"

_HEAD = struct.Struct(f"<Q{SIZE}sQ")  # the content's length, the digest of its rest, pieces
_PIECE = struct.Struct(f"<QQ{SIZE}s")
_FOOT = struct.Struct(f"<{SIZE}sQ{len(TRAILER)}s")  # the table's digest and its length


def read_text(file: str | os.PathLike[str], largest: int = LARGEST_TEXT) -> str:
    """Read a text file in UTF-8, with or without a byte-order mark."""
    path = Path(file)
    try:
        if path.is_fifo():
            raw = _read_pipe(path, largest + 1)
        else:
            with path.open("rb") as stream:
                raw = stream.read(largest + 1)
    except (OSError, ValueError) as error:
        raise FileError(f"{path}: cannot be read: {_trouble(error)}") from error
    if len(raw) > largest:
        raise InputError(Problem("file", _size(path), f"at most {largest:,}", place=str(path)))
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        got = f"byte 0x{error.object[error.start]:02x} at offset {error.start}"
        raise InputError(
            Problem("encoding", got, "text in UTF-8", "save the file as UTF-8", place=str(path))
        ) from error


def _read_pipe(path: Path, size: int) -> bytes:
    """Read a pipe; raise OSError where nobody writes to it, for which the wait would not end."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0) as stream:
        latest = time.monotonic() + PATIENCE
        while (found := stream.read(size)) == b"" and time.monotonic() < latest:
            time.sleep(0.01)
        if found == b"":
            raise OSError(errno.ENODATA, "it is a pipe that nobody writes to")
        os.set_blocking(stream.fileno(), True)
        parts = [found or b""]
        while (size := size - len(parts[-1])) and (more := stream.read(size)):
            parts.append(more)
        return b"".join(parts)


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
    stays as it was. Without `overwrite` a file that exists is not replaced, not even one that came
    while this was being written.
    """
    path = Path(file)
    with writing(path):
        # Through links, so that it is the file behind one that is replaced, and not the link.
        place = Path(os.path.realpath(path))
        _check_place(path, place, overwrite=overwrite)
        with _beside(place, Path.unlink) as part:
            part.touch(exist_ok=False)
            yield part
            _settle(part, place, path, overwrite=overwrite)


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
        place = Path(os.path.realpath(path))
        _check_folder(path, place, marks, overwrite=overwrite)
        with _beside(place, shutil.rmtree) as part:
            part.mkdir()
            yield part
            _settle_folder(part, place, path, overwrite=overwrite)


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
            with _beside(place / "files", shutil.rmtree) as part:
                part.mkdir()
                yield part
        finally:
            if not found and empty_folder(place):
                place.rmdir()


def move_in(part: Path, folder: Path, old: Iterable[str], *, overwrite: bool) -> None:
    """Move all files of a `staged` folder out into the folder around it, or none of them.

    With `overwrite` the files named `old` go first, so that there are never some of either kind.
    Without it nothing is replaced, not even what came in the meantime.
    """
    names = sorted(file.name for file in part.iterdir())
    with (
        writing(folder),
        _refused(folder),
        _beside(folder / "files", shutil.rmtree) as away,
    ):
        _sync(part)
        away.mkdir()
        _move({*old, *names} if overwrite else (), folder, away)
        try:
            _move(names, part, folder)
        except BaseException:
            _move([file.name for file in away.iterdir()], away, folder)
            raise


def _move(names: Iterable[str], source: Path, target: Path) -> None:
    """Move those files that there are from one folder to another, all or none; replaces nothing."""
    moved = []
    try:
        for name in names:
            if exists(source / name):
                _create(source / name, target / name)
                moved.append(name)
    except BaseException:
        for name in moved:
            _create(target / name, source / name)
        raise


def set_aside(part: Path, file: str | os.PathLike[str]) -> Path:
    """Keep what there is of a file or folder that is not whole, under a name of its own.

    `part` is what `whole_file` or `whole_folder` gave for `file`, whose block is then to be left
    with an exception: of that name nothing changes. Returns the other: "b.interrupted.nc" for
    "b.nc", or "b.interrupted-2.nc" if that exists.
    """
    path = Path(file)
    with writing(path):
        for name in _names_aside(path):
            place = Path(os.path.realpath(name))
            with suppress(FileExistsError):
                _sync(part)
                _create(part, place)
                return name
    raise AssertionError("names never end")


def name_aside(file: str | os.PathLike[str]) -> Path:
    """Return a free name for what there is of a file that is not whole; see `set_aside`."""
    return next(name for name in _names_aside(Path(file)) if not exists(name))


def _names_aside(path: Path) -> Iterator[Path]:
    for count in itertools.count(1):
        number = f"-{count}" if count > 1 else ""
        yield path.with_name(f"{path.stem}.interrupted{number}{path.suffix}")


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


def exists(file: str | os.PathLike[str]) -> bool:
    """Return whether something has that name, a link that leads nowhere included."""
    try:
        return os.path.lexists(file)
    except (OSError, ValueError):
        return False


def _taken(file: str | os.PathLike[str], what: str) -> InputError:
    need, hint = "a new file", "add --overwrite to replace it"
    return InputError(Problem(what, f"'{file}', which exists", need, hint))


def _check_place(path: Path, place: Path, *, overwrite: bool) -> None:
    if place.is_dir():
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    check_new(path, "output", overwrite=overwrite)
    if place.exists() and not place.is_file():
        raise OSError(errno.EINVAL, "it is no ordinary file")


def empty_folder(file: str | os.PathLike[str]) -> bool:
    """Return whether there is a folder with nothing in it."""
    place = Path(file)
    return place.is_dir() and not any(place.iterdir())


def _check_folder(path: Path, place: Path, marks: Sequence[str], *, overwrite: bool) -> None:
    if empty_folder(place):
        return
    if exists(path) and not overwrite:
        raise _taken(path, "output")
    if place.exists() and not any((place / mark).is_file() for mark in marks):
        what = "a folder of something else" if place.is_dir() else "no folder"
        raise OSError(errno.EEXIST, f"it is {what}")


@contextmanager
def _beside(place: Path, remove: Callable[[Path], object]) -> Iterator[Path]:
    # A name of its own for every writer, so that two at once do not meet.
    part = place.parent / f".{os.urandom(8).hex()}.part"
    try:
        yield part
    finally:
        # Where the folder is out of reach, the first error says so.
        with suppress(OSError, ValueError):
            if exists(part):
                remove(part)


def _settle(part: Path, place: Path, path: Path, *, overwrite: bool) -> None:
    _sync(part)
    if not overwrite:
        with _refused(path):
            _create(part, place)
        return
    if place.exists():
        shutil.copymode(place, part)
    part.replace(place)


def _settle_folder(part: Path, place: Path, path: Path, *, overwrite: bool) -> None:
    _sync(part)
    if not overwrite:
        with _refused(path):
            if empty_folder(place):
                place.rmdir()
            _create(part, place)
        return
    # A folder takes no other's place in one step: the old one steps aside for a moment.
    with _beside(place, shutil.rmtree) as old:
        try:
            if place.exists():
                place.replace(old)
            part.replace(place)
        except BaseException:
            if old.exists():
                old.replace(place)
            raise


def _create(part: Path, place: Path) -> None:
    """Move a file or folder to a name that nothing has; raises FileExistsError if something does.

    Of several that ask for the same name at once, one gets it.
    """
    if part.is_dir() or sys.platform == "win32":
        try:
            os.rename(part, place)  # noqa: PTH104, which has no other name for what replaces nothing
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
                raise FileExistsError(errno.EEXIST, "it exists") from error
            raise
        return
    try:
        os.link(part, place)
    except FileExistsError:
        raise
    except OSError:
        # This disk has no links: the name is taken first, and then filled.
        os.close(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        part.replace(place)
    else:
        part.unlink()


@contextmanager
def _refused(path: Path) -> Iterator[None]:
    try:
        yield
    except FileExistsError:
        raise _taken(path, "output") from None


def _sync(part: Path) -> None:
    """Bring a file, or all files of a folder, onto the disk."""
    for file in [part, *part.rglob("*")]:
        if file.is_file():
            with file.open("rb+") as stream:
                os.fsync(stream.fileno())


def _size(path: Path) -> str:
    return f"{path.stat().st_size:,} bytes" if path.is_file() else "a stream of more bytes"


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


class DamagedError(UlnaError):
    """Bytes that are not those that were written."""


def digest(parts: Iterable[bytes | memoryview]) -> bytes:
    """Return the digest of bytes that come in parts.

    >>> digest([b"two ", b"parts"]) == digest([b"two parts"])
    True
    """
    # Loaded with the first file: an arm by itself has none.
    from hashlib import blake2b

    found = blake2b(digest_size=SIZE)
    for part in parts:
        found.update(part)
    return found.digest()


def sealed(content: bytes) -> bytes:
    """Return bytes with their digest in front."""
    return SEAL + digest([content]) + content


def unsealed(raw: bytes) -> bytes:
    """Return what was sealed; raises DamagedError where it is anything else.

    >>> unsealed(sealed(b"as it was"))
    b'as it was'
    """
    start = len(SEAL) + SIZE
    content = raw[start:]
    if raw[:start] != SEAL + digest([content]):
        raise DamagedError(MISMATCH)
    return content


class DigestedPart(NamedTuple):
    """A part of a file with a digest of its own, checked when it is read."""

    offset: int
    size: int
    digest: bytes


class Trailer(NamedTuple):
    """What follows the content of a file: how long it is, and the digests of all of it.

    `rest` is the digest of all that lies in no piece.
    """

    length: int
    rest: bytes
    pieces: Mapping[int, DigestedPart]

    def check_rest(self, stream: BinaryIO) -> None:
        """Read all that lies in no piece; raises DamagedError where it is not as written."""
        if digest(_rest(stream, self.length, self.pieces.values())) != self.rest:
            raise DamagedError(MISMATCH)

    def check_piece(self, stream: BinaryIO, offset: int, size: int) -> None:
        """Read a piece; raises DamagedError where it is not as written."""
        piece = self.pieces.get(offset)
        if piece is None or piece.size != size or piece.digest != piece_digest(stream, piece):
            raise DamagedError(MISMATCH)


def piece_digest(stream: BinaryIO, piece: DigestedPart) -> bytes:
    """Return the digest of the bytes in the place of a piece."""
    return digest(_blocks(stream, piece.offset, piece.offset + piece.size))


def append_trailer(stream: BinaryIO, pieces: Iterable[DigestedPart] = ()) -> None:
    """Write the digests of a file behind its content, where others that read it do not look."""
    ordered = sorted(pieces)
    length = stream.seek(0, os.SEEK_END)
    head = _HEAD.pack(length, digest(_rest(stream, length, ordered)), len(ordered))
    table = head + b"".join(_PIECE.pack(*piece) for piece in ordered)
    stream.seek(length)
    stream.write(table + _FOOT.pack(digest([table]), len(table), TRAILER))


def read_trailer(stream: BinaryIO) -> Trailer | None:
    """Return the trailer of a file, or None where it ends with none.

    Raises DamagedError where the trailer is not as written, or the file before it has another
    length.
    """
    end = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, end - _FOOT.size))
    foot = stream.read(_FOOT.size)
    if len(foot) < _FOOT.size or not foot.endswith(TRAILER):
        return None
    expected, size, _ = _FOOT.unpack(foot)
    start = end - _FOOT.size - size
    table = b""
    if _HEAD.size <= size <= end:
        stream.seek(max(0, start))
        table = stream.read(size)
    if digest([table]) != expected:
        raise DamagedError(MISMATCH)
    length, rest, _ = _HEAD.unpack_from(table)
    if length != start:
        raise DamagedError(MISMATCH)
    pieces = (DigestedPart(*found) for found in _PIECE.iter_unpack(table[_HEAD.size :]))
    return Trailer(length, rest, {piece.offset: piece for piece in pieces})


def _rest(stream: BinaryIO, length: int, pieces: Iterable[DigestedPart]) -> Iterator[bytes]:
    place = 0
    for piece in pieces:
        yield from _blocks(stream, place, piece.offset)
        place = piece.offset + piece.size
    yield from _blocks(stream, place, length)


def _blocks(stream: BinaryIO, start: int, stop: int) -> Iterator[bytes]:
    stream.seek(start)
    while start < stop:
        block = stream.read(min(BLOCK, stop - start))
        if not block:
            return
        start += len(block)
        yield block
