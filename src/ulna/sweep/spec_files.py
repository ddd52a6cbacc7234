"""The files that a sweep's spec names: robot files, and paths as points or drawings.

A file that a spec names lies in the folder of the spec, or below it: a spec that somebody else
wrote cannot make ulna read what is elsewhere. Their contents are part of a sweep, their names are
not; so that a sweep can be made again wherever it is, they travel with it as text.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

import numpy as np

from ulna.arm import Arm, preset, presets
from ulna.arm.robot_files import check_format, dumps, parse
from ulna.errors import InputError, Problem, nearest_name, rewording, shown
from ulna.expressions import Call, parse_call
from ulna.interop import load
from ulna.motion import Path
from ulna.motion.paths.path_text import FILE_NAME, FILES, SHAPES, path_as_text, read_path
from ulna.storage import read_text

WITH_FILES = tuple(ending.removeprefix(".") for ending in FILES)  # shapes that are read
ROBOT = "robot"  # the key of a robot file's text


@dataclass(frozen=True, eq=False)
class SpecFiles:
    """Where files are looked for.

    Attributes
    ----------
    folder : str or None
        The folder of the spec, outside of which nothing is read; None for the current one, of a
        spec made in Python, which may name any file.
    texts : mapping of str to str
        Files that came with the spec.
    """

    folder: str | None = None
    texts: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.texts:
            return
        for name, text in self.texts.items():
            if FilePath(name).name != name or not isinstance(text, str):
                raise InputError(Problem("files", shown(name), "the name of a file, and its text"))
        folder = tempfile.mkdtemp(prefix="ulna-sweep-")  # which is there as long as this
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        object.__setattr__(self, "folder", folder)
        for name, text in self.texts.items():
            FilePath(folder, name).write_text(text, "utf-8")

    def place(self, name: str, what: str) -> str:
        """Return where a file is.

        Parameters
        ----------
        name : str
            As the spec has it.
        what : str
            How messages call it.

        Returns
        -------
        str
            Its place.

        Raises
        ------
        InputError
            If that is outside of the folder.
        """
        if "\0" in name:
            raise InputError(Problem(what, shown(name), "the name of a file"))
        if self.folder is None:
            return str(FilePath(name).absolute())
        home = os.path.realpath(self.folder)
        place = os.path.realpath(FilePath(home, name))
        if os.path.commonpath([home, place]) != home:
            hint = "copy it there"
            need = "a file in the folder of the sweep's file, or below it"
            raise InputError(Problem(what, shown(name), need, hint))
        return place

    def arm(self, given: Any, what: str = "arm") -> Arm:
        """Return an arm: as it is, of a preset's name, or of a robot file.

        Parameters
        ----------
        given : Arm, str or mapping
            The arm, its name, or the text of a robot file under "robot".
        what : str, optional
            How messages call it.

        Returns
        -------
        Arm
            The arm.

        Raises
        ------
        InputError
            If there is none.
        """
        if isinstance(given, Arm):
            return given
        if isinstance(given, Mapping) and isinstance(given.get(ROBOT), str):
            return parse(given[ROBOT], what)[0]
        if not isinstance(given, str) or not given.strip():
            need = 'the name of a robot file, such as "arm.toml", or of a preset'
            raise InputError(Problem(what, shown(given), need))
        if given in presets():
            return preset(given)
        with rewording(lambda problem: problem if problem.place else problem.within(what)):
            place = self.place(given, "")
            if not FilePath(place).exists():
                need = "a robot file that is there, or a preset"
                raise InputError(Problem("", shown(given), need, nearest_name(given, presets())))
            check_format(place)
            return load(place)

    def path(self, given: Any, what: str = "path") -> Call | Path:
        """Return a path: as a call whose arguments can be varied, or as it is.

        Parameters
        ----------
        given : Path or str
            The path, or its text.
        what : str, optional
            How messages call it.

        Returns
        -------
        Call or Path
            The path, with the places of files.

        Raises
        ------
        InputError
            If there is none.
        """
        if isinstance(given, Path):
            return _as_call(given) or given
        if not isinstance(given, str) or not given.strip():
            need = "text such as \"circle(radius='5 cm')\", or a .csv or .svg file"
            raise InputError(Problem(what, shown(given), need))
        text = given.strip()
        ending = FilePath(text).suffix.lower()
        if FILE_NAME.fullmatch(text) and ending in FILES:
            call = Call(ending.removeprefix("."), (), {"file": text}, what=what)
        else:
            call = parse_call(text, what)
        placed = _with_files(call, lambda name: self.place(name, what))
        read_path(str(placed), what)
        return placed


def _as_call(path: Path) -> Call | None:
    """Return the call that makes a path; None if its text makes another."""
    try:
        call = parse_call(path_as_text(path))
    except InputError:
        return None
    return _with_files(call, lambda name: SpecFiles().place(name, "path"))


def portable_arm(arm: Arm) -> dict[str, str]:
    """Return an arm as text that `SpecFiles.arm` reads.

    Parameters
    ----------
    arm : Arm
        The arm.

    Returns
    -------
    dict
        The text of its robot file.
    """
    return {ROBOT: dumps(arm)}


def portable_path(path: Call | Path, files: dict[str, str]) -> str:
    """Return a path as text without the places of its files, and note their contents.

    Parameters
    ----------
    path : Call or Path
        The path.
    files : dict of str to str
        Gets the contents of files by name.

    Returns
    -------
    str
        Text that `SpecFiles.path` reads; of a path that no text makes, its points' digest.
    """
    if isinstance(path, Path):
        import hashlib

        points = np.ascontiguousarray(path.derivatives(np.linspace(0.0, 1.0, 4097)))
        return f"{path.text} of digest {hashlib.sha256(points.tobytes()).hexdigest()}"
    return str(_with_files(path, lambda place: _noted(place, files)))


def _with_files(call: Call, change: Callable[[str], str]) -> Call:
    """Return a call in which the files that it reads, also inside of it, have other names."""
    kinds = list(SHAPES[call.name].kinds) if call.name in SHAPES else []

    def changed(name: str, value: Any) -> Any:
        if isinstance(value, Call):
            return _with_files(value, change)
        if call.name in WITH_FILES and name == "file" and isinstance(value, str):
            return change(value)
        return value

    names = [kinds[k] if k < len(kinds) else "" for k in range(len(call.arguments))]
    keywords = {name: changed(name, value) for name, value in call.keywords.items()}
    return Call(call.name, tuple(map(changed, names, call.arguments)), keywords, what=call.what)


def _noted(place: str, files: dict[str, str]) -> str:
    text, ending = read_text(place), FilePath(place).suffix.lower()
    name = f"path-{len(files) + 1}{ending}"
    files[name] = text
    return name
