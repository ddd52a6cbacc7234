"""What a file of a batch holds: its arrays, its attributes, and the chunks of the histories."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from ulna.arm import Parameters
from ulna.simulation.batch.memory import LANES, NUMBER
from ulna.simulation.batch.tables import HISTORIES, attributes, coordinates, parameter_quantities
from ulna.simulation.status import Floats
from ulna.simulation.tables import Quantity

CHUNK = 2**21  # [bytes] that are read together
MOST_TOGETHER = 128  # samples of an arm that lie together, so that the last ones are read quickly


@dataclass(frozen=True)
class BatchLayout:
    """A batch before it has run: all but the histories (B, S, n) and how the arms ended."""

    shape: tuple[int, int, int]
    histories: tuple[str, ...]
    known: Mapping[str, Quantity]
    attributes: Mapping[str, str]

    @property
    def axes(self) -> dict[str, int]:
        """The axes of all arrays, and their lengths."""
        members, samples, n = self.shape
        return {"arm": members, "time": samples, "joint": n, "axis": 2}

    @property
    def size(self) -> int:
        """What the file takes [bytes], less a little."""
        known = sum(quantity.values.nbytes for quantity in self.known.values())
        return len(self.histories) * NUMBER * math.prod(self.shape) + int(known)

    @property
    def chunks(self) -> tuple[int, int, int]:
        """The pieces (arms, samples, n) that histories lie in.

        A power of two of arms, 16 or more, so that the slabs that are written are whole pieces.
        """
        members, samples, n = self.shape
        row = NUMBER * n  # [bytes] of one sample of one arm
        together = max(1, min(samples, MOST_TOGETHER, int(CHUNK / (LANES * row))))
        arms = LANES
        while 2 * arms * together * row <= CHUNK:
            arms *= 2
        return min(arms, max(members, 1)), together, n


class Writer(Protocol):
    """A file of one format while it is written; whatever goes wrong raises."""

    def write(self, name: str, first: int, values: Floats) -> None:
        """Write the history of consecutive arms."""

    def finish(self, endings: Mapping[str, Quantity]) -> None:
        """Write how the arms ended, and close what is now whole."""

    def abandon(self) -> None:
        """Close what nobody will read."""


def layout_of(
    parameters: Parameters, t: Floats, members: int, keep_tau: bool, provenance: Mapping[str, Any]
) -> BatchLayout:
    """Return the layout of the file of a batch."""
    n = parameters.n
    names = tuple(name for name in HISTORIES if keep_tau or name != "tau")
    known = coordinates(t, n, members) | parameter_quantities(parameters)
    return BatchLayout((members, len(t), n), names, known, attributes(provenance))
