"""Saving a drawing where the user asked for it."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ulna.errors import InputError, Problem
from ulna.storage import check_new, write_whole

FORMATS = (".png", ".svg", ".pdf")


def save_figure(draw: Callable[[], Any], file: str, *, overwrite: bool) -> None:
    """Draw and write a figure; nothing is drawn for a file that cannot be written."""
    ending = Path(file).suffix.lower()
    if ending not in FORMATS:
        need = "a name that ends in " + ", ".join(FORMATS)
        raise InputError(Problem("--plot", repr(file), need))
    check_new(file, "--plot", overwrite=overwrite)
    page = io.BytesIO()
    draw().savefig(page, format=ending[1:])
    write_whole(file, page.getvalue(), overwrite=overwrite)
