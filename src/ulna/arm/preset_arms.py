"""Arms by name: a plain one, those of the papers, and three that people own, with their motors."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from ulna.arm.planar_arm import Arm
from ulna.errors import InputError, Problem, nearest_name, shown


@cache
def _tables() -> dict[str, dict[str, Any]]:
    import tomllib

    return tomllib.loads(Path(__file__).with_name("presets.toml").read_text("utf-8"))


def preset(name: str) -> Arm:
    """Return the arm of a name.

    Parameters
    ----------
    name : str
        One of `ulna.presets()`.

    Returns
    -------
    Arm
        The arm, with that name.

    Raises
    ------
    InputError
        If there is no such preset; it names the nearest one.

    Examples
    --------
    >>> preset("kehl").reach
    1.0
    """
    from ulna.arm.robot_files import read_arm

    if not isinstance(name, str) or name not in _tables():
        need = "the name of a preset"
        hint = nearest_name(str(name), presets())
        raise InputError(Problem("preset", shown(name), need, hint))
    table = {key: value for key, value in _tables()[name].items() if key != "about"}
    return read_arm(table | {"name": name})


def presets() -> tuple[str, ...]:
    """Return the names of all presets.

    Returns
    -------
    tuple of str
        What `ulna.preset` takes.

    Examples
    --------
    >>> "kehl" in presets(), "so-101" in presets()
    (True, True)
    """
    return tuple(_tables())


def about_preset(name: str) -> str:
    """Return a line about a preset: what it is, and where its numbers are from."""
    return str(_tables()[name]["about"])
