"""The callbacks of one simulation; without any, nothing of them is loaded."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from ulna.concurrency import held

if TYPE_CHECKING:
    from ulna.simulation.callbacks import Callback


class CallbackRegistry:
    """Keep functions alive while the engine may call them, and their errors until taken."""

    def __init__(self) -> None:
        self._made: list[Callback] = []

    def __bool__(self) -> bool:
        return bool(self._made)

    def add(self, work: Callable[[float], None]) -> int:
        """Return the address of a function of time."""
        from ulna.simulation.callbacks import Callback

        made = Callback(work)
        self._made.append(made)
        return made.address

    def clear(self) -> None:
        """Remove all of them."""
        self._made.clear()

    def safe(self) -> AbstractContextManager[object]:
        """Return the context in which Ctrl-C is raised inside functions, not on the way to them."""
        return held() if self._made else nullcontext()

    def error(self) -> BaseException | None:
        """Return the first error that one of them raised, once."""
        for callback in self._made:
            if callback.error is not None:
                error, callback.error = callback.error, None
                return error
        return None
