"""Compiled kernels on disk: one file for each, typed and as machine code.

A file holds the key of one kernel, a digest, and the kernel, and appears whole or not at all. A
damaged one is compiled again. Where nothing can be written, kernels are compiled for this process
alone. A package that was built for this system brings typed kernels along, and only machine code
has to be made.

Part of the key is a hash of the files that a kernel is made of. A function's own file does not tell
of the functions that it calls, nor of the constants that are compiled into it. Those come by the
imports at the top of its file, and by the imports of theirs. Of a function that may stand in any
file, as a control law, they are what its names stand for.
"""

from __future__ import annotations

import hashlib
import platform
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from ulna.errors import warn
from ulna.kernels.compiling import CompileProgress, explain_failure, show_progress
from ulna.kernels.functions import Kernel, Signature, functions_of, has_lanes, signature_text
from ulna.storage import cache_folder, write_whole

PACKAGE = Path(__file__).parent.parent
MARKS = (b"\n@kernel", b"\n@inner", b"\n@inlined")
COMPILED_IN = b"\n# Compiled into kernels"  # of numbers in a file of a folder without kernels
# How kernels are compiled, whatever they are.
COMPILERS = (
    "lanes.py", "kernels/functions.py", "kernels/numba_internals.py", "kernels/lane_lowering.py",
    "kernels/entries.py", "kernels/code.py",
)  # fmt: skip
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
            elif isinstance(one, np.ndarray | np.generic):
                yield f"{name}.{key}={one.dtype}{one.tolist()}"


def _compilers(package: Path) -> set[Path]:
    """Return the files that say how kernels are compiled, whatever they are."""
    return {package / name for name in COMPILERS}


def sources(file: Path, package: Path = PACKAGE) -> set[Path]:
    """Return a file and all that it imports, and what those import, as far as kernels use them."""
    found, ahead = _compilers(package), [file]
    while ahead:
        here = ahead.pop()
        if here in found:
            continue
        found.add(here)
        ahead += [there for there in _imported(here, package) if _is_compiled(there, package)]
    # Constants may stand in tables beside them.
    return found | {table for folder in {one.parent for one in found} for table in _tables(folder)}


def _is_compiled(file: Path, package: Path) -> bool:
    """Return whether kernels may use functions or constants of a file.

    Those are whole folders, because a kernel has the constants of its neighbours in it. The
    package's own folder holds whatever everybody shares, and of it only files with kernels count;
    of folders without kernels, files that say so.
    """
    if COMPILED_IN in _text(file):
        return True
    if file.parent == package:
        return _has_kernels(file)
    return file.parent.name != "kernels" and _folder_has_kernels(file.parent)


@cache
def _tables(folder: Path) -> list[Path]:
    return list(folder.glob("*.csv"))


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


TYPED, CODE = ".bitcode", ".object"
SHIPPED = Path(__file__).with_name("shipped")
MADE_BY = "made by.txt"
DIGEST_SIZE = hashlib.sha256().digest_size  # [bytes]


class Unit(NamedTuple):
    """A kernel for arguments of certain kinds, called by Python or with a frame."""

    kernel: Kernel
    signature: Signature
    framed: bool

    @property
    def key(self) -> str:
        """All that its typed form depends on."""
        form = "with a frame" if self.framed else "by Python"
        kernel = self.kernel
        if kernel.entry is None:
            source = fingerprint(Path(kernel.py_func.__code__.co_filename))
        else:
            source = fingerprint_of_functions([kernel.entry, *functions_of(kernel)])
        return "\n".join([made_by(), source, self.name, signature_text(self.signature), form])

    @property
    def name(self) -> str:
        """Its function's full name."""
        function = self.kernel.py_func
        return f"{function.__module__}.{function.__qualname__}"

    @property
    def is_kept(self) -> bool:
        """Whether it can be cached: its source file determines it."""
        function = self.kernel.py_func
        is_plain = function.__closure__ is None and not self.kernel.is_foreign
        return is_plain and Path(function.__code__.co_filename).is_file()


def python_function(kernel: Kernel, signature: Signature, size: int) -> Callable[..., Any]:
    """Return a kernel as a built-in function of Python's."""
    from ulna.kernels.code import builtin, load

    return builtin(load(_code(Unit(kernel, signature, False), size)), kernel.name)


def frame_function(kernel: Kernel, signature: Signature, size: int) -> int:
    """Return the address by which kernels call one with a frame."""
    from ulna.kernels.code import load

    made = kernel.addresses
    if (signature, size) not in made:
        made[signature, size] = load(_code(Unit(kernel, signature, True), size))
    return made[signature, size]


def kept_files() -> tuple[Path, frozenset[Path]]:
    """Return the folder that machine code is kept in, and its files."""
    return _folder(), frozenset(_folder().glob(f"*{CODE}"))


def ship(folder: Path) -> int:
    """Copy what is typed into a folder that a package brings along; return how many kernels."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MADE_BY).write_text(made_by() + "\n", encoding="utf-8")
    files = sorted(_folder().glob(f"*{TYPED}"))
    for file in files:
        shutil.copyfile(file, folder / file.name)
    return len(files)


@cache
def made_by() -> str:
    """Name the system and the versions that typed kernels depend on."""
    system = f"{platform.system()} {platform.machine()}"
    others = (f"{name} {version(name)}" for name in ("numba", "llvmlite"))
    python = "Python " + ".".join(platform.python_version_tuple()[:2])
    return ", ".join([system, python, *others, f"NumPy {np.__version__.partition('.')[0]}"])


def _code(unit: Unit, size: int) -> bytes:
    """Return machine code for this processor: as it was kept, else made now."""
    from ulna.kernels.code import machine_code, processor

    kept, key = unit.is_kept, unit.key
    code_key = "\n".join([key, *processor(), str(size)])
    file = _folder() / _file_name(unit, code_key, CODE)
    made = _read(file, code_key) if kept else None
    if made is None:
        with show_progress(unit.kernel, size) as bar:
            bitcode = _typed(unit, key, bar)
            bar.begin_code()
            made = machine_code(bitcode, size, in_lanes=has_lanes(unit.signature))
        if kept:
            _keep(file, code_key, made)
    return made


def _typed(unit: Unit, key: str, bar: CompileProgress) -> bytes:
    """Return a kernel's typed form: as it was kept or shipped, else made now."""
    name = _file_name(unit, key, TYPED)
    found = None
    if unit.is_kept:
        found = _read(_folder() / name, key) or _shipped(name, key)
    if found is None:
        from ulna.kernels.entries import typed

        bar.begin_typing()
        with explain_failure(unit.kernel, PACKAGE):
            found = typed(unit.kernel, unit.signature, framed=unit.framed, on_typed=bar.typed)
        if unit.is_kept:
            _keep(_folder() / name, key, found)
    return found


def _shipped(name: str, key: str) -> bytes | None:
    if not SHIPPED.is_dir():
        return None
    found = _read(SHIPPED / name, key)
    if found is None:
        _warn_unfit()
    return found


@cache
def _warn_unfit() -> None:
    """Warn once that kernels that came with the package are not used."""
    here = made_by()
    try:
        there = (SHIPPED / MADE_BY).read_text(encoding="utf-8").strip()
    except OSError:
        there = "unknown versions"
    why = f"they are for {there}, and this is {here}"
    if there == here:
        why = "its sources were changed, or the file is damaged"
    text = (
        f"the kernels that came with this package do not fit: {why}; "
        "they are compiled from their sources instead, which takes longer, once"
    )
    warn(text)


@cache
def _folder() -> Path:
    return cache_folder() / "kernels"


def _file_name(unit: Unit, key: str, ending: str) -> str:
    letters = [letter if letter.isalnum() or letter in "._" else "" for letter in unit.name]
    return f"{''.join(letters)[-80:]}-{hashlib.sha256(key.encode()).hexdigest()[:32]}{ending}"


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


def _read(file: Path, key: str) -> bytes | None:
    """Return what a file holds for a key, if it is there and undamaged."""
    try:
        kept, _, rest = file.read_bytes().partition(b"\0")
    except OSError:
        return None
    digest, content = rest[:DIGEST_SIZE], rest[DIGEST_SIZE:]
    return content if (kept, digest) == (key.encode(), _digest(content)) else None


def _keep(file: Path, key: str, content: bytes) -> None:
    """Write a file of the cache; where that fails, warn once."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, key.encode() + b"\0" + _digest(content) + content)
    except OSError as error:
        if file.parent not in _warned:
            _warned.add(file.parent)
            _warn(error)


_warned: set[Path] = set()


def _warn(error: OSError) -> None:
    text = (
        f"compiled kernels cannot be kept, so that every start compiles them anew: {error}; "
        "set ULNA_CACHE to a folder that can be written to"
    )
    warn(text)
