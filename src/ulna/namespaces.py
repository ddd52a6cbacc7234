"""What a package offers at TAB, and what it answers to names that it does not have."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from types import ModuleType

from ulna.errors import did_you_mean


def namespace(
    package: str, guesses: Mapping[str, str], *, also: Iterable[str] = ()
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` for a package.

    `dir` lists what its `__all__` has to call: functions, no types, no files.

    Parameters
    ----------
    package
        The package's own name.
    guesses
        What to write instead of names that people try first; each text stands for several names,
        with spaces in between.
    also
        Names that are offered though they are no functions.
    """
    module = sys.modules[package]
    instead = {name: text for text, names in guesses.items() for name in names.split()}
    for name in instead:
        # A file of this name would answer that a module cannot be called.
        if isinstance(vars(module).get(name), ModuleType):
            delattr(module, name)

    def refuse(name: str) -> object:
        text = f"module {package!r} has no attribute {name!r}"
        hint = ""
        if not name.startswith("__"):
            hint = instead.get(name, "") or did_you_mean(name, module.__all__)
        raise AttributeError(f"{text}; {hint}" if hint else text)

    def offer() -> list[str]:
        functions = [name for name in module.__all__ if _is_function(vars(module)[name])]
        own = [name for name in vars(module) if name.startswith("__")]
        return sorted({*functions, *also, *own})

    return refuse, offer


def _is_function(value: object) -> bool:
    return callable(value) and not isinstance(value, type)
