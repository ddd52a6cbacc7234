"""What the results of a sweep look like, and how their points are cut into chunks.

Both follow from the spec alone. A chunk is a box of a grid of points whose numbers are consecutive,
and is all that one task computes.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

FEWEST, MOST = 64, 512  # points of a chunk, unless there are fewer or they are large
CHUNKS = 32  # that a sweep is cut into at least, so that workers end together
LARGEST_CHUNK = 2**26  # [bytes]


class Variable(NamedTuple):
    """An output of every point: its axes beyond those of the points, and what stands for none."""

    name: str
    unit: str = ""
    dims: tuple[str, ...] = ()
    shape: tuple[int, ...] = ()
    dtype: str = "<f8"
    fill: float = math.nan
    attributes: Mapping[str, Any] = {}

    @property
    def bytes_per_point(self) -> int:
        """Bytes of one point."""
        return math.prod(self.shape) * np.dtype(self.dtype).itemsize


class Coordinate(NamedTuple):
    """Values along axes: of a parameter, of time, names of joints."""

    name: str
    dims: tuple[str, ...]
    values: NDArray[Any]
    unit: str = ""


def content_hash(content: Mapping[str, Any]) -> str:
    """Return the digest of what decides the numbers of a sweep."""
    plain = json.dumps(content, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(plain.encode("ascii")).hexdigest()


class SweepLayout(NamedTuple):
    """What the results of a sweep are; statuses are the last variable."""

    content: Mapping[str, Any]  # what makes the spec again
    axes: Mapping[str, int]  # those of the points, the last one varying fastest
    coordinates: Sequence[Coordinate]
    variables: Sequence[Variable]
    box: tuple[int, ...] = ()  # points of a chunk along each axis; chosen by size unless given

    @property
    def spec_hash(self) -> str:
        """The digest of the content."""
        return content_hash(self.content)

    @property
    def points(self) -> int:
        """How many there are."""
        return math.prod(self.axes.values())

    @property
    def bytes_per_point(self) -> int:
        """Bytes of all outputs of one point."""
        return sum(variable.bytes_per_point for variable in self.variables)

    @property
    def chunks(self) -> ChunkGrid:
        """How the points are cut."""
        if self.box:
            return ChunkGrid(tuple(self.axes.values()), self.box)
        largest = LARGEST_CHUNK // max(self.bytes_per_point, 1)
        most = min(max(self.points // CHUNKS, FEWEST), MOST, max(largest, 1))
        return ChunkGrid.of(tuple(self.axes.values()), most)


class ChunkGrid(NamedTuple):
    """A grid of points that is cut into boxes, each of consecutive points.

    >>> grid = ChunkGrid.of((10, 5), 12)
    >>> grid.box, len(grid), grid.points(1)
    ((2, 5), 5, range(10, 20))
    """

    shape: tuple[int, ...]
    box: tuple[int, ...]

    @classmethod
    def of(cls, shape: tuple[int, ...], most: int) -> ChunkGrid:
        """Cut a grid into boxes of at most so many points, all of about the same size."""
        box = [1] * len(shape)
        for axis in reversed(range(len(shape))):
            parts = math.ceil(shape[axis] / max(most // math.prod(box), 1))
            box[axis] = math.ceil(shape[axis] / parts)
            if parts > 1:
                break
        return cls(shape, tuple(box))

    @property
    def counts(self) -> tuple[int, ...]:
        """How many boxes there are along each axis."""
        return tuple(math.ceil(n / size) for n, size in zip(self.shape, self.box, strict=True))

    def __len__(self) -> int:
        return math.prod(self.counts)

    def place(self, number: int) -> tuple[int, ...]:
        """Return where a box is among the others."""
        return tuple(int(index) for index in np.unravel_index(number, self.counts))

    def extent(self, number: int) -> tuple[int, ...]:
        """Return how many points a box has along each axis: the last one may be shorter."""
        steps = zip(self.place(number), self.box, self.shape, strict=True)
        return tuple(min(size, n - index * size) for index, size, n in steps)

    def points(self, number: int) -> range:
        """Return the numbers of the points of a box."""
        corner = [at * size for at, size in zip(self.place(number), self.box, strict=True)]
        first = int(np.ravel_multi_index(corner, self.shape))
        return range(first, first + math.prod(self.extent(number)))

    def box_of(self, number: int) -> tuple[slice, ...]:
        """Return where a box lies along each axis."""
        steps = zip(self.place(number), self.box, self.extent(number), strict=True)
        return tuple(slice(at * size, at * size + own) for at, size, own in steps)
