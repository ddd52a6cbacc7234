"""Which files a kernel is made of, and a hash of them: what is compiled is kept under it.

A function's own file does not tell of the functions that it calls, nor of the constants that are
compiled into it. Those come by the imports at the top of its file, and by the imports of theirs.
Of a function that may stand in any file, as a control law, they are what its names stand for.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

PACKAGE = Path(__file__).parent.parent
MARKS = (b"\n@kernel", b"\n@inner", b"\n@inlined")
COMPILERS = ("kernels/functions.py", "kernels/signatures.py", "kernels/typed.py", "kernels/code.py")
LANES = "lanes"  # a folder: all of it is known to the compiler, whatever a kernel imports
IMPORTS = re.compile(rb"^from ulna\.?([\w.]*) import (\([^)]*\)|[^\n]*)", re.MULTILINE)
NAMES = re.compile(rb"(\w+)(?: as \w+)?")


@cache
def fingerprint(file: Path, package: Path = PACKAGE) -> str:
    """Return a hash of all sources that the kernels of a file are made of."""
    return _hash(sources(file, package), package)


def fingerprint_of_functions(functions: Iterable[Callable[..., Any]]) -> str:
    """Return a hash of functions, of the values that they name, and of how they are compiled."""
    functions = list(functions)
    files = {Path(function.__code__.co_filename) for function in functions}
    values = sorted(value for function in functions for value in _values(function))
    return _hash(_compilers(PACKAGE) | {file for file in files if file.is_file()}, PACKAGE, *values)


def _hash(files: Iterable[Path], package: Path, *values: str) -> str:
    digest = hashlib.sha256("\0".join(values).encode())
    for source in sorted(files):
        name = source.relative_to(package) if source.is_relative_to(package) else source.name
        digest.update(str(name).replace("\\", "/").encode() + b"\0" + _text(source) + b"\0")
    return digest.hexdigest()[:16]


def _values(function: Callable[..., Any]) -> Iterator[str]:
    """Yield the numbers that a function names, of its own module or of others."""
    names = function.__code__.co_names
    for name in names:
        value: Any = function.__globals__.get(name)
        inside: dict[str, Any] = vars(value) if isinstance(value, ModuleType) else {}
        inner = [(key, inside[key]) for key in names if key in inside]
        for key, one in [(name, value), *inner]:
            if isinstance(one, bool | int | float | str | tuple):
                yield f"{name}.{key}={one!r}"
            elif hasattr(one, "dtype"):
                yield f"{name}.{key}={one.dtype}{one.tolist()}"


def _compilers(package: Path) -> set[Path]:
    """Return the files that say how kernels are compiled, whatever they are."""
    return {package / name for name in COMPILERS} | set((package / LANES).glob("*.py"))


def sources(file: Path, package: Path = PACKAGE) -> set[Path]:
    """Return a file and all that it imports, and what those import, as far as kernels use them."""
    found, ahead = _compilers(package), [file]
    while ahead:
        here = ahead.pop()
        if here in found:
            continue
        found.add(here)
        ahead += [there for there in _imported(here, package) if _is_compiled(there, package)]
    return found


def _is_compiled(file: Path, package: Path) -> bool:
    """Return whether kernels may use functions or constants of a file.

    Those are whole folders, because a kernel has the constants of its neighbours in it. The
    package's own folder holds whatever everybody shares, and of it only files with kernels count.
    """
    if file.parent == package:
        return _has_kernels(file)
    return file.parent.name != "kernels" and _folder_has_kernels(file.parent)


@cache
def _folder_has_kernels(folder: Path) -> bool:
    return any(_has_kernels(file) for file in folder.glob("*.py"))


def _has_kernels(file: Path) -> bool:
    return any(mark in _text(file) for mark in MARKS)


@cache
def _text(file: Path) -> bytes:
    return file.read_bytes()


@cache
def _imported(file: Path, package: Path) -> list[Path]:
    found = []
    for module, names in IMPORTS.findall(_text(file)):
        place = package.joinpath(*module.decode().split(".")) if module else package
        for name in NAMES.findall(names):
            inside = place / f"{name.decode()}.py"
            found.append(inside if inside.exists() else _file(place))
    return found


def _file(place: Path) -> Path:
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
