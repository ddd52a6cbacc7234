"""Values computed once for an arm, and cached for as long as the arm lives."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Generic, TypeVar

from ulna.arm import Arm

Found = TypeVar("Found")


class PerArm(Generic[Found]):
    """A function of a frozen arm that caches its results.

    By which arm it is, and not by its value: to compare long arms takes longer than most of what
    there is to remember. Threads may ask at the same time; at worst both work it out.
    """

    def __init__(self, work: Callable[[Arm], Found]) -> None:
        self._work = work
        self._kept: dict[int, tuple[weakref.ref[Arm], Found]] = {}

    def __call__(self, arm: Arm) -> Found:
        """Return the value of the arm, which is shared and not to be changed."""
        kept = self._kept.get(id(arm))
        if kept is not None and kept[0]() is arm:
            return kept[1]
        found, key = self._work(arm), id(arm)

        def forget(reference: weakref.ref[Arm]) -> None:
            # Another arm may have come to the same place in memory meanwhile.
            if key in self._kept and self._kept[key][0] is reference:
                del self._kept[key]

        self._kept[key] = weakref.ref(arm, forget), found
        return found
