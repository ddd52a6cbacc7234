"""What a package offers at TAB, and the nearest public name to one that it does not have."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from importlib import import_module

from ulna.errors import did_you_mean

_NONE: Mapping[str, str] = {}


def namespace(
    package: str, lazy: Mapping[str, str] = _NONE
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` for a package.

    Parameters
    ----------
    package : str
        Name of the package, whose `__all__` lists its public names.
    lazy : mapping of str to str, optional
        Public names that are loaded when they are first used, with the modules that define them.

    Returns
    -------
    getattr : callable
        The package's `__getattr__`. It loads lazy names, and suggests the nearest public name for
        an unknown one.
    dir : callable
        The package's `__dir__`. It lists public names only: no files and no imports.
    """
    module = sys.modules[package]

    def find(name: str) -> object:
        if name in lazy:
            value = getattr(import_module(lazy[name]), name)
            setattr(module, name, value)
            return value
        text = f"module {package!r} has no attribute {name!r}"
        hint = "" if name.startswith("__") else did_you_mean(name, module.__all__)
        raise AttributeError(f"{text}; {hint}" if hint else text)

    def offer() -> list[str]:
        return sorted({*module.__all__, *(name for name in vars(module) if name.startswith("__"))})

    return find, offer


@functools.cache
def load_extensions() -> None:
    """Import the modules that installed packages name as entry points of `ulna`."""
    from importlib.metadata import entry_points

    for one in entry_points(group="ulna"):
        one.load()
