"""How the engine calls what it was not compiled with."""

from __future__ import annotations

from ulna.kernels import Hook

PART = Hook()  # one of the kernels in `parts.py`
call_part = PART.call
# A Python function that reads the state from STAGE and writes what is LIVE; not zero if it failed.
CALLBACK = Hook(plain=True)
call_python = CALLBACK.call
