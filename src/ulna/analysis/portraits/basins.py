"""Basins of attraction: every start of a picture, coloured by what becomes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ulna.analysis.portraits.fates import UNDECIDED, Ends, Fates
from ulna.arrays import Array
from ulna.concurrency import OnInterrupt, return_partial
from ulna.progress import progress as progress_line

SLICE = 250_000  # starts that move together
MOST_STEPS = 1.5e9  # of all starts, some two minutes


class Size(NamedTuple):
    """How many starts there are, along the angles and along the speeds."""

    angles: int
    speeds: int


@dataclass(frozen=True, eq=False, slots=True)
class Basins:
    """What becomes of the starts on a grid.

    Attributes
    ----------
    angle : ndarray, shape (angles,)
        Angles of the starts [rad].
    speed : ndarray, shape (speeds,)
        Speeds of the starts [rad/s].
    label : ndarray of int, shape (speeds, angles)
        Which of `names` becomes of each, −1 where nothing could be decided.
    turns : ndarray of int, shape (speeds, angles)
        In which turn it comes to rest.
    names : tuple of str
        What can become of a start.
    """

    angle: Array
    speed: Array
    label: Array
    turns: Array
    names: tuple[str, ...]

    def share(self, number: int) -> float:
        """Return the part of the grid that has a fate.

        Parameters
        ----------
        number : int
            Which of `names`, −1 for what is undecided.

        Returns
        -------
        float
            From 0 to 1.
        """
        return float(np.mean(self.label == number))

    @property
    def undecided(self) -> float:
        """The part of the grid of which nothing could be said."""
        return self.share(UNDECIDED)


def find_basins(
    fates: Fates,
    angles: tuple[float, float],
    speeds: tuple[float, float],
    size: Size,
    *,
    progress: bool | None,
    on_interrupt: OnInterrupt = "raise",
) -> Basins:
    """Simulate every start of a grid until its fate is certain; starts are middles of cells."""
    angle, speed = _middles(angles, size.angles), _middles(speeds, size.speeds)
    grid = [values.ravel() for values in np.meshgrid(angle, speed)]
    count = grid[0].size
    ends = Ends(np.full(count, UNDECIDED, dtype=np.int8), np.zeros(count, dtype=np.int32))
    label, turns = (end.reshape(size.speeds, size.angles) for end in ends)
    made = Basins(angle, speed, label, turns, fates.names)
    stopped = False
    with progress_line("basins", shown=progress) as report:
        try:
            for first in range(0, count, SLICE):
                part = slice(first, first + SLICE)
                weight = min(SLICE, count - first) / count

                def done(inside: float, first: int = first, weight: float = weight) -> None:
                    report(first / count + weight * inside)

                states, into = (grid[0][part], grid[1][part]), Ends(*(end[part] for end in ends))
                fates.of(*states, most=weight * MOST_STEPS, report=done, into=into)
        except KeyboardInterrupt:
            stopped = True
    for values in (made.angle, made.speed, made.label, made.turns):
        values.flags.writeable = False
    if stopped:
        told = f"interrupted: {100.0 * made.undecided:.0f} % of the starts are undecided"
        return return_partial(made, on_interrupt, told)
    return made


def _middles(ends: tuple[float, float], count: int) -> Array:
    edges = np.linspace(*ends, count + 1)
    return np.asarray(0.5 * (edges[1:] + edges[:-1]))
