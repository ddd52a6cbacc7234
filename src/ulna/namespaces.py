"""What a package offers at TAB, and what it answers to names that it does not have."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from types import ModuleType

from ulna.errors import did_you_mean

_NONE: Mapping[str, str] = {}


def namespace(
    package: str,
    guesses: Mapping[str, str] = _NONE,
    *,
    also: Iterable[str] = (),
    lazy: Mapping[str, str] = _NONE,
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` for a package.

    `dir` lists the functions of its `__all__`, and what else is asked for: no files, no imports.

    Parameters
    ----------
    package : str
        Name of the package.
    guesses : mapping of str to str, optional
        What to write instead of names that people try first; each text is a key, its value lists
        the names that it answers, with spaces in between.
    also : iterable of str, optional
        Names that `dir` lists though they are no functions; `__all__` for all public names.
    lazy : mapping of str to str, optional
        Public names that are loaded when they are first asked for, with the modules they are in.

    Returns
    -------
    getattr : callable
        The package's `__getattr__`.
    dir : callable
        The package's `__dir__`.
    """
    module = sys.modules[package]
    instead = {name: text for text, names in guesses.items() for name in names.split()}
    listed = frozenset(also)
    for name in instead:
        # A file of this name would answer that a module cannot be called.
        if isinstance(vars(module).get(name), ModuleType):
            delattr(module, name)

    def find(name: str) -> object:
        if name in lazy:
            value = getattr(import_module(lazy[name]), name)
            setattr(module, name, value)
            return value
        text = f"module {package!r} has no attribute {name!r}"
        hint = ""
        if not name.startswith("__"):
            hint = instead.get(name, "") or did_you_mean(name, module.__all__)
        raise AttributeError(f"{text}; {hint}" if hint else text)

    def offer() -> list[str]:
        public = [name for name in module.__all__ if name in listed or _is_function(module, name)]
        own = [name for name in vars(module) if name.startswith("__")]
        return sorted({*public, *own})

    return find, offer


def _is_function(module: ModuleType, name: str) -> bool:
    value = vars(module).get(name)
    return callable(value) and not isinstance(value, type)


def no_attribute(value: object, name: str, guesses: Mapping[str, str]) -> AttributeError:
    """Return the error of an object that is asked for an attribute that it does not have.

    Parameters
    ----------
    value : object
        The object or class; its public names are offered where one is spelt much alike.
    name : str
        The attribute that was asked for.
    guesses : mapping of str to str
        What to write instead, as for `namespace`.

    Returns
    -------
    AttributeError
        To be raised.
    """
    kind = value if isinstance(value, type) else type(value)
    text = f"{kind.__name__!r} object has no attribute {name!r}"
    if isinstance(value, type):
        text = f"type object {text.replace(' object', '', 1)}"
    hint = ""
    if not name.startswith("_"):
        instead = {word: text for text, words in guesses.items() for word in words.split()}
        public = [word for word in dir(kind) if not word.startswith("_")]
        hint = instead.get(name, "") or did_you_mean(name, public)
    return AttributeError(f"{text}; {hint}" if hint else text, name=name, obj=value)
