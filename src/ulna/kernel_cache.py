"""Compiled kernels on disk: one sealed file for each function and signature.

Numba's own cache keeps an index beside its data. An index that is damaged stops every command,
machine code that is damaged ends the process, and two processes that compile at once may write one
another's index. Here a file holds one kernel and the key that it was compiled for, behind a digest
of both: nothing is unpickled or run that is not as it was written, and what is damaged is removed
and compiled anew. Where nothing can be written, kernels are compiled for this process alone.
"""

from __future__ import annotations

import inspect
import os
import pickle
import platform
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import serialize
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult

from ulna.digests import digest, sealed, unsealed
from ulna.errors import warn
from ulna.storage import write_whole

ENDING = ".kernel"
MADE_BY = (platform.python_version(), numba.__version__, llvmlite.__version__, np.__version__)


class KernelCache(_Cache):  # type: ignore[misc]
    """The compiled forms of one function, in the shape that Numba asks for them."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._function, self._folder = function, folder
        self._enabled = True

    @property
    def cache_path(self) -> str:
        """The folder that they are kept in."""
        return str(self._folder)

    def enable(self) -> None:
        """Keep kernels from here on."""
        self._enabled = True

    def disable(self) -> None:
        """Neither read nor keep any."""
        self._enabled = False

    def flush(self) -> None:
        """Remove all that are kept of this function."""
        for file in self._folder.glob(f"{_name(self._function)}-*{ENDING}"):
            _discard(file)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Give the kernel for a signature, or None where it has to be compiled."""
        target_context.refresh()
        if not self._enabled:
            return None
        key = self._key(sig, target_context.codegen())
        file = self._file(key)
        try:
            kept, payload = pickle.loads(unsealed(file.read_bytes()))
            return CompileResult._rebuild(target_context, *payload) if kept == key else None
        except OSError:
            # Not there, or out of reach for now, as while another process replaces it.
            if file.is_dir():
                _discard(file)
            return None
        except Exception:
            # Damaged, or made of classes that are gone.
            _discard(file)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled for a signature; where that fails, say so once."""
        if not self._enabled or not _can_be_kept(data):
            return
        key = self._key(sig, data.codegen)
        content = sealed(serialize.dumps((key, data._reduce())))
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_whole(self._file(key), content)
        except OSError as error:
            _warn_once(self._folder, error)

    def _key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        function = self._function
        cells = tuple(cell.cell_contents for cell in function.__closure__ or ())
        code = function.__code__.co_code, serialize.dumps(cells) if cells else b""
        return MADE_BY, _source(inspect.getfile(function)), code, codegen.magic_tuple(), sig

    def _file(self, key: tuple[Any, ...]) -> Path:
        # Types of one name may differ: the key inside the file decides.
        short = digest([repr(key).encode()]).hex()
        return self._folder / f"{_name(self._function)}-{short}{ENDING}"


def _discard(file: Path) -> None:
    try:
        file.unlink(missing_ok=True)
    except OSError:
        shutil.rmtree(file, ignore_errors=True)


def _can_be_kept(made: Any) -> bool:
    return not made.library.has_dynamic_globals and not made.lifted


def _name(function: Callable[..., Any]) -> str:
    words = f"{function.__module__}.{function.__qualname__}"
    return "".join(letter if letter.isalnum() or letter in "._" else "" for letter in words)[-80:]


@cache
def _source(file: str) -> bytes:
    """Give a digest of a function's file: not all functions are hashed with the package."""
    try:
        return digest([Path(file).read_bytes()])
    except OSError:
        return os.fsencode(file)


_warned: set[Path] = set()


def _warn_once(folder: Path, error: OSError) -> None:
    if folder in _warned:
        return
    _warned.add(folder)
    told = (
        f"compiled kernels cannot be kept, so that every start compiles them anew: {error}; "
        "set ULNA_CACHE to a folder that can be written to"
    )
    warn(told)
