"""Digests: whether bytes are those that were written, known before anything parses them."""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import BinaryIO, NamedTuple

from ulna.errors import UlnaError

SEAL = b"\x93ulna seal 1\n"  # what sealed bytes begin with
TRAILER = b"\x93ulna trailer 1\n"  # what files with a trailer end with
SIZE = 16  # [bytes] of a digest: two that are alike by chance are one pair in 10^38
BLOCK = 2**20  # [bytes] that are read at once
MISMATCH = "its digest does not match: it was damaged or changed since it was written"

_HEAD = struct.Struct(f"<Q{SIZE}sQ")  # the content's length, the digest of its rest, pieces
_PIECE = struct.Struct(f"<QQ{SIZE}s")
_FOOT = struct.Struct(f"<{SIZE}sQ{len(TRAILER)}s")  # the table's digest and its length


class DamagedError(UlnaError):
    """Bytes that are not those that were written."""


def digest(parts: Iterable[bytes | memoryview]) -> bytes:
    """Return the digest of bytes that come in parts.

    >>> digest([b"two ", b"parts"]) == digest([b"two parts"])
    True
    """
    found = hashlib.blake2b(digest_size=SIZE)
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
