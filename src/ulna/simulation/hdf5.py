"""HDF5 files that may be damaged: looked at before HDF5 parses them.

Damage makes HDF5 wander for ever, where no Ctrl-C reaches it, or end the process, or read zeros for
numbers. Files that ulna writes end in a trailer of digests, which other software does not look at,
and which HDF5 drops from a file that it changes. What does not match its trailer is refused. A file
without one is first parsed by a process of its own, which may take only so long.
"""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any, BinaryIO

from ulna.errors import FileError, InputError, Problem
from ulna.storage import DamagedError, Trailer, read_trailer

SIGNATURE = b"\x89HDF\r\n\x1a\n"  # what every netCDF 4 file begins with
PATIENCE = 10.0  # [s] for the process that parses a file without a trailer
TRIAL = Path(__file__).with_name("hdf5_trial.py")

# Where the superblock of each version says how wide its addresses are, and where the file ends.
_ENDS = {0: (13, 40), 1: (13, 44), 2: (9, 28), 3: (9, 28)}


def check_undamaged(path: Path, stream: BinaryIO, need: str) -> Trailer | None:
    """Check that an HDF5 file can be parsed; return its trailer, or None where it has none.

    Raises InputError where it is of another kind, and DamagedError or FileError where it is
    damaged. Pieces that have digests of their own are not read.
    """
    trailer = read_trailer(stream)
    stream.seek(0)
    head = stream.read(64)
    if trailer is not None:
        trailer.check_rest(stream)
    if not head.startswith(SIGNATURE):
        raise InputError(Problem("file", "something else", need))
    if trailer is None:
        _check_end(head, stream.seek(0, os.SEEK_END))
        _try(path)
    stream.seek(0)
    return trailer


def _check_end(head: bytes, size: int) -> None:
    """Compare where a file ends with where it says so: what HDF5 wrote last ends just there."""
    wide, place = _ENDS.get(head[len(SIGNATURE)] if len(head) == 64 else -1, (0, 0))
    if head[wide : wide + 1] != b"\x08":
        return  # of a kind that HDF5 will judge
    (end,) = struct.unpack_from("<Q", head, place)
    if size < end:
        raise DamagedError(f"it was cut off: {size:,} of its {end:,} bytes are there")
    if size > end:
        raise DamagedError("its trailer of digests was damaged")


def _try(path: Path) -> None:
    """Parse a file in a process of its own, which is ended where it takes too long."""
    if not sys.executable:
        return  # Python is part of another program, and there is none to start
    words = [sys.executable, "-P", str(TRIAL), str(path.resolve())]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    options: dict[str, Any] = {"env": environment, "stdin": subprocess.DEVNULL, "text": True}
    try:
        done = subprocess.run(
            words, capture_output=True, timeout=PATIENCE, errors="replace", check=False, **options
        )
    except subprocess.TimeoutExpired:
        told = f"HDF5 had not parsed it after {PATIENCE:g} s: it is damaged"
        raise FileError(f"{path}: cannot be read: {told}") from None
    if done.returncode != 0:
        lines = done.stderr.split("\n")
        told = next((line for line in reversed(lines) if line.strip()), "HDF5 broke down on it")
        raise DamagedError(" ".join(told.split()))
