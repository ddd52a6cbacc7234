"""Parse an HDF5 file and end: a program of its own, which may hang or break down in doing so."""

import sys
from typing import Any

import h5py

MOST = 2**28  # [bytes] of numbers that are read; beyond that, only where they lie


def main(file: str) -> int:
    """Read all that opening a file may read: names, attributes, places of pieces, numbers."""
    left = MOST
    with h5py.File(file, "r") as content:
        parts: list[Any] = [content]
        content.visititems(lambda _, part: parts.append(part))
        for part in parts:
            list(part.attrs.items())
            if isinstance(part, h5py.Dataset):
                left -= _read(part, left)
    return 0


def _read(part: Any, left: int) -> int:
    if part.chunks is not None:
        part.id.get_num_chunks()
        if part.nbytes > left:
            return 0
    part[()]
    return int(part.nbytes)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1]))
    except Exception as error:
        sys.exit(str(error) or type(error).__name__)
