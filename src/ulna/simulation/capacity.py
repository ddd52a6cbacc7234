"""Results that would not fit into the memory of this machine are refused, with the figure."""

from __future__ import annotations

import os

from ulna.errors import InputError, Problem, size_text

PART_OF_MEMORY = 0.5  # of the machine's, which one result may take
USUAL_MEMORY = 8e9  # [bytes] of a machine that does not say


def machine_memory() -> float:
    """Return the memory of this machine [bytes]."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):
        return USUAL_MEMORY


def allowance() -> float:
    """Return what one result may take of the memory [bytes]."""
    return PART_OF_MEMORY * machine_memory()


def check_memory(what: str, counted: str, size: float, hint: str) -> None:
    """Raise InputError if `size` bytes do not fit into memory; `counted` says what takes them."""
    most = allowance()
    if size > most:
        need = f"at most {size_text(most)}, half of this machine's memory"
        raise InputError(Problem(what, f"{counted}, {size_text(size)}", need, hint))
