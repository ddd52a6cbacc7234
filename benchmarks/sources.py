"""Processes that run one source tree of ulna or another, so that two can be measured in turns."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

OWN = Path(__file__).resolve().parent.parent / "src"


@dataclass(frozen=True)
class Source:
    """A tree of sources, or what is installed where a Python is."""

    name: str
    python: str
    folder: Path | None  # None: as it is installed

    def environment(self, **more: str) -> dict[str, str]:
        """Return the variables that a process of it gets."""
        given = {**os.environ, **more}
        # As people have it: Python keeps what it has compiled.
        for name in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE"):
            given.pop(name, None)
        return given if self.folder is None else {**given, "PYTHONPATH": str(self.folder)}


def checked(folder: Path) -> Path:
    """Return the folder that holds the package, be it the checkout's or its src."""
    for place in (folder, folder / "src"):
        if (place / "ulna" / "__init__.py").is_file():
            return place.resolve()
    raise SystemExit(f"{folder} holds no package ulna; give a checkout, or its src.")
