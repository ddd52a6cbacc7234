"""`ulna info`: versions, extras, cache and cores, for a bug report or the curious."""

from __future__ import annotations

import os
import platform
import re
from importlib import metadata
from typing import Any

from ulna._version import __version__
from ulna.cli.arguments import JsonOption
from ulna.cli.terminal import show_json, show_table
from ulna.storage import cache_folder

_REQUIREMENT = re.compile(r"^([A-Za-z0-9_.-]+)")
_EXTRA = re.compile(r"extra\s*==\s*['\"]([^'\"]+)['\"]")


def info(json: JsonOption = False) -> None:
    """Show versions, extras, cache and cores."""
    facts = _facts()
    if json:
        show_json(facts)
        return
    machine = [(key, str(facts[key])) for key in ("ulna", "python", "platform", "cores", "cache")]
    show_table("ulna", ("what", "which"), machine)
    needed = _needed()
    rows = [
        (name, _version(name) or "not installed", ", ".join(extras) or "always")
        for name, extras in needed.items()
    ]
    show_table("packages", ("package", "version", "needed by"), rows)


def _facts() -> dict[str, Any]:
    return {
        "ulna": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cores": os.cpu_count(),
        "cache": str(cache_folder()),
        "packages": {name: _version(name) for name in _needed()},
    }


def _needed() -> dict[str, list[str]]:
    """Return what ulna's own metadata asks for, each with the extras that ask for it."""
    try:
        requirements = metadata.requires("ulna") or []
    except metadata.PackageNotFoundError:
        requirements = []
    needed: dict[str, list[str]] = {}
    for requirement in requirements:
        name, extra = _REQUIREMENT.match(requirement), _EXTRA.search(requirement)
        if name and name[1] != "ulna":
            needed.setdefault(name[1], []).extend([extra[1]] if extra else [])
    return needed


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
