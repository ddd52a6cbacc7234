"""Which files a kernel is made of, and a hash of them: what is compiled is kept under it.

A function's own file does not tell of the functions that it calls, nor of the constants that are
compiled into it. Those come by the imports at the top of its file, and by the imports of theirs.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent
MARKS = (b"\n@kernel", b"\n@inner", b"\n@inlined", b"\n@lowers")
COMPILERS = {"kernels.py", "kernel_cache.py"}  # how they are compiled, whatever they are
IMPORTS = re.compile(rb"^from ulna\.?([\w.]*) import (\([^)]*\)|[^\n]*)", re.MULTILINE)
NAMES = re.compile(rb"(\w+)(?: as \w+)?")


def fingerprint(file: Path, package: Path = PACKAGE) -> str:
    """Give a hash of all sources that the kernels of a file are made of."""
    digest = hashlib.sha256()
    for source in sorted(sources(file, package)):
        name = source.relative_to(package) if source.is_relative_to(package) else source.name
        digest.update(str(name).replace("\\", "/").encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def sources(file: Path, package: Path = PACKAGE) -> set[Path]:
    """Give a file and all that it imports, and what those import, as far as kernels use them."""
    counted, found, ahead = compiled_files(package), set[Path](), [file]
    while ahead:
        here = ahead.pop()
        if here in found:
            continue
        found.add(here)
        ahead += [there for there in _imported(here, package) if there in counted]
    return found


@cache
def compiled_files(package: Path) -> frozenset[Path]:
    """Give the files whose functions and constants kernels may use.

    Those are whole folders, because a kernel has the constants of its neighbours in it. The
    package's own folder holds whatever everybody shares, and of it only files with kernels count.
    """
    files = sorted(package.rglob("*.py"))
    marked = {file for file in files if any(mark in file.read_bytes() for mark in MARKS)}
    marked |= {file for file in files if file.parent == package and file.name in COMPILERS}
    folders = {file.parent for file in marked} - {package}
    return frozenset(file for file in files if file in marked or file.parent in folders)


def _imported(file: Path, package: Path) -> list[Path]:
    found = []
    for module, names in IMPORTS.findall(file.read_bytes()):
        place = package.joinpath(*module.decode().split(".")) if module else package
        for name in NAMES.findall(names):
            inside = place / f"{name.decode()}.py"
            found.append(inside if inside.exists() else _file(place))
    return found


def _file(place: Path) -> Path:
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
