"""How the arms of a batch ended: a number for each, with the words of a single run on demand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias, get_args, overload

import numpy as np
from numpy.typing import NDArray

from ulna.arrays import freeze
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.outcome import Floats, Reason, Status
from ulna.typing import ArrayLike

Codes: TypeAlias = NDArray[np.int8]

OF_ONE: tuple[Reason, ...] = ("controller failed", "function failed")  # no batch calls Python
# The place of a reason is its code, in memory and in files.
REASONS: tuple[Reason, ...] = tuple(reason for reason in get_args(Reason) if reason not in OF_ONE)
CODES: Mapping[Reason, int] = {reason: code for code, reason in enumerate(REASONS)}
WELL: tuple[Reason, ...] = ("done", "stopped", "coarse")
UNSTARTED: tuple[Reason, ...] = ("bad start", "bad arm", "not run")

TO_RUN = -1  # the engine's code of an arm before it has run
# The reason that a result states for each of the engine's return codes.
ENDINGS: Mapping[int, Reason] = {
    TO_RUN: "not run",
    at.BUDGET: "interrupted",
    at.REACHED: "done",
    at.DIVERGED: "diverged",
    at.STALLED: "stalled",
    at.CHATTERING: "stalled",
    at.FAULTY: "bad torque",
    at.COARSE: "coarse",
}
# The same as an array, by the engine's codes; the last entry, index −1, is that of TO_RUN.
RESULTS = np.array(
    [CODES[ENDINGS.get(code, "not run")] for code in (*range(at.COARSE + 1), TO_RUN)],
    dtype=np.int8,
)

_WELL = np.array([reason in WELL for reason in REASONS])
_TEXTS: Mapping[Reason, str] = {
    "done": "ran to t = {t:g} s",
    "stopped": "stopped at t = {t:.9g} s, as asked",
    "interrupted": "interrupted at t = {t:g} s",
    "diverged": "diverged at t = {t:.6g} s; try a smaller dt, or look at the torques there",
    "stalled": "stalled at t = {t:.6g} s: the method gets no further; try a smaller dt",
    "bad torque": "an input, or the controller's torque, has no value at t = {t:.9g} s; give it "
    "one there",
    "bad start": "not started: q0 or qd0 is beyond the stops, not finite, or beyond 1e9; start "
    "within the limits of the joints, or try stops=False",
    "bad arm": "not started: no arm has these parameters; try finite numbers, with positive "
    "lengths and masses",
    "not run": "not run: the batch was ended before; run this arm again",
    "coarse": "ran to t = {t:g} s; the steps are too long for its motion: try a smaller dt",
}


class Ending(NamedTuple):
    """How many arms ended for a reason, and the first of them."""

    reason: Reason
    number: int
    first: int
    t: float  # [s] at which the first ended

    def __str__(self) -> str:
        told = f"{self.number:,} {self.reason}"
        if self.reason in ("done", "stopped"):
            return told
        when = "" if self.reason in UNSTARTED else f" at t = {self.t:.4g} s"
        return f"{told} (first: arm {self.first}{when})"


class Statuses:
    """How the B arms of a batch ended.

    A member is a `Status`; a slice or a mask selects fewer of them. They are true where every arm
    went as it was meant to.

    Parameters
    ----------
    codes : array_like of int, shape (B,)
        Why each ended, as an index of REASONS.
    t_end : array_like, shape (B,)
        When [s] each ended.

    Examples
    --------
    >>> statuses = Statuses([0, 3], [2.0, 0.31])
    >>> print(statuses)
    1 done, 1 diverged (first: arm 1 at t = 0.31 s)
    >>> statuses.ok.tolist(), statuses[0].text
    ([True, False], 'ran to t = 2 s')
    """

    def __init__(self, codes: ArrayLike, t_end: ArrayLike) -> None:
        self.codes: Codes = np.asarray(codes, dtype=np.int8)
        self.t_end: Floats = np.asarray(t_end, dtype=np.float64)
        freeze(self.codes, self.t_end)

    def __reduce__(self) -> tuple[Any, ...]:
        return Statuses, (self.codes, self.t_end)

    @property
    def shape(self) -> tuple[int]:
        """(B,), as of an array."""
        return (len(self.codes),)

    def __len__(self) -> int:
        return len(self.codes)

    def __bool__(self) -> bool:
        return bool(self.ok.all())

    def __iter__(self) -> Iterator[Status]:
        return (self[k] for k in range(len(self)))

    @overload
    def __getitem__(self, key: int | np.integer[Any]) -> Status: ...

    @overload
    def __getitem__(self, key: Any) -> Statuses: ...

    def __getitem__(self, key: Any) -> Status | Statuses:
        codes, t_end = self.codes[key], self.t_end[key]
        if np.ndim(codes):
            return Statuses(codes, t_end)
        reason = REASONS[codes]
        return Status(reason in WELL, reason, _TEXTS[reason].format(t=float(t_end)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self.reason if dtype is None else self.reason.astype(dtype)

    @property
    def ok(self) -> NDArray[np.bool_]:
        """Whether each arm (B,) went as it was meant to."""
        return _WELL[self.codes]

    @property
    def reason(self) -> NDArray[np.str_]:
        """The reason of each arm (B,), as text."""
        return np.array(REASONS)[self.codes]

    def counts(self) -> dict[Reason, int]:
        """Return how many arms ended for each reason that there is.

        Returns
        -------
        dict of str to int
            Numbers of arms by reason.
        """
        return {ending.reason: ending.number for ending in self.endings()}

    def endings(self) -> list[Ending]:
        """Return each reason that there is, with the first arm that ended for it.

        Returns
        -------
        list of Ending
            Reason, number of arms, the first of them and when [s] it ended.
        """
        codes, firsts, numbers = np.unique(self.codes, return_index=True, return_counts=True)
        return [
            Ending(REASONS[code], int(number), int(first), float(self.t_end[first]))
            for code, first, number in zip(codes, firsts, numbers, strict=True)
        ]

    def __str__(self) -> str:
        return ", ".join(str(ending) for ending in self.endings()) or "no arms"

    def __repr__(self) -> str:
        return f"<Statuses of {len(self):,} arms: {self}>"


def coarse_arms(status: Statuses, dt: float, rough: float) -> list[str]:
    """Return a warning that says for how many arms the steps are too long, if for any."""
    is_coarse = status.codes == CODES["coarse"]
    if not is_coarse.any():
        return []
    coarse = np.flatnonzero(is_coarse)
    return [
        f"steps of dt = {dt:g} s are too long for {coarse.size:,} of {len(status):,} arms, the "
        f"first of them arm {coarse[0]}: their angles are off by more than {rough:g} rad; try a "
        f"dt of {dt / 10.0:g} s"
    ]
