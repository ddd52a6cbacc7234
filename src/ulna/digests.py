"""Digests: whether bytes are those that were written, known before anything parses them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from ulna.errors import UlnaError

SEAL = b"\x93ulna seal 1\n"  # what sealed bytes begin with
SIZE = 16  # [bytes] of a digest: two pieces alike by chance are one in 10^38


class DamagedError(UlnaError):
    """Bytes that are not those that were written."""


def digest(parts: Iterable[bytes | memoryview]) -> bytes:
    """Give the digest of bytes that come in parts.

    >>> digest([b"two ", b"parts"]) == digest([b"two parts"])
    True
    """
    found = hashlib.blake2b(digest_size=SIZE)
    for part in parts:
        found.update(part)
    return found.digest()


def sealed(content: bytes) -> bytes:
    """Put bytes behind their digest."""
    return SEAL + digest([content]) + content


def unsealed(raw: bytes) -> bytes:
    """Give back what was sealed; raises DamagedError where it is anything else.

    >>> unsealed(sealed(b"as it was"))
    b'as it was'
    """
    start = len(SEAL) + SIZE
    content = raw[start:]
    if raw[:start] != SEAL + digest([content]):
        raise DamagedError("its digest does not match")
    return content
