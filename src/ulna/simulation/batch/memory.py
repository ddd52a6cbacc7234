"""How much the histories of a batch take, and how many arms fit into memory at a time."""

from __future__ import annotations

from ulna.simulation.capacity import allowance, check_memory

NUMBER = 8  # [bytes]
LANES = 16  # arms that are worked on together: a slab is a multiple of them
SLAB = 2**28  # [bytes] of the histories that are handed to a store at a time


def planned(members: int, samples: int, n: int, keep_tau: bool, store: object) -> int:
    """Return how many arms of n joints to work on before their histories are handed over.

    Without a `store` (its name) that is all of them, and what does not fit into half of the memory
    is refused with the figure; with one it is a slab of some 256 MB, 16 arms or more.
    """
    row = bytes_of(1, samples, n, keep_tau)
    if not store:
        _check_all(members, samples, n, row)
        return members
    _check_slab(samples, n, row)
    # A power of two, so that every slab is made of whole chunks of a file.
    slab = LANES
    while 2 * slab * row <= min(SLAB, allowance()):
        slab *= 2
    return min(slab, -(-members // LANES) * LANES)


def bytes_of(members: int, samples: int, n: int, keep_tau: bool) -> int:
    """Return the size of the histories of a batch [bytes]."""
    return members * samples * n * NUMBER * (3 if keep_tau else 2)


def _check_all(members: int, samples: int, n: int, row: int) -> None:
    if members * row <= allowance():
        return
    fitting = int(allowance() / (members * row / samples)) if members else samples
    fewer = f"such as samples={fitting:,}, or " if fitting else "such as "
    hint = f"{fewer}store='runs.zarr', which keeps them in a file"
    check_memory("samples", _counted(members, samples, n), members * row, hint)


def _check_slab(samples: int, n: int, row: int) -> None:
    fitting = max(int(allowance() / (LANES * row / samples)), 1)
    hint = f"such as samples={fitting:,}"
    check_memory("samples", _counted(LANES, samples, n, "at a time"), LANES * row, hint)


def _counted(members: int, samples: int, n: int, note: str = "") -> str:
    counted = f"{members:,} arms of {n} joint{'s' * (n > 1)}"
    return " ".join(filter(None, [counted, note])) + f" × {samples:,} samples"
