"""Python functions that the compiled engine calls while it works."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from ulna.concurrency import listening
from ulna.kernels import DISABLED
from ulna.simulation.engine.hooks import CALLBACK

_NATIVE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_double)


class Callback:
    """A function of time with an address; an error in it is kept, and ends the engine's work.

    Compiled code knows no exceptions: it is told that there was one, comes back, and `error`
    says which.
    """

    def __init__(self, work: Callable[[float], None]) -> None:
        self.error: BaseException | None = None

        def guarded(t: float) -> int:
            try:
                with listening().allowed():
                    work(t)
            except BaseException as error:
                self.error = error
                return 1
            return 0

        if DISABLED:
            self.address = CALLBACK.keep(guarded)
        else:
            self._native = _NATIVE(guarded)  # what the address leads to must stay alive
            self.address = ctypes.cast(self._native, ctypes.c_void_p).value or 0
