"""Options of `ulna follow`, checked before any work is done."""

from __future__ import annotations

from ulna.cli.arguments import read_quantity
from ulna.cli.terminal import number
from ulna.errors import InputError, Problem, did_you_mean, shown

STARTS = ("exact", "rest")  # moving with the path, or standing still at its first point
MOST_TICKS = 100_000_000  # some minutes of work


def read_tolerance(text: str | None) -> float | None:
    """Read how far off the tip may be [m], if that was said."""
    if text is None:
        return None
    tolerance = read_quantity(text, "length", "--tolerance")
    if not tolerance > 0.0:
        raise InputError(Problem("--tolerance", shown(text), "a length above 0, such as '5 mm'"))
    return tolerance


def check_start(start: str) -> None:
    """Raise if the start is neither exact nor at rest."""
    if start not in STARTS:
        hint = did_you_mean(start, STARTS)
        raise InputError(Problem("--start", shown(start), "exact or rest", hint))


def check_work(duration: float, rate: float) -> None:
    """Raise if it would take hours, or end before the first tick of the controller."""
    ticks = duration * max(rate, 1000.0)
    if ticks > MOST_TICKS:
        got = f"{number(duration)} s at {number(rate)} Hz, {ticks:.3g} steps"
        need = f"at most {MOST_TICKS:,}, some minutes of work"
        hint = "make --duration shorter, or --rate lower"
        raise InputError(Problem("--duration", got, need, hint))
    if duration * rate < 1.0:
        need = f"at least {number(1.0 / duration, 3)} Hz: one tick in {number(duration, 3)} s"
        raise InputError(Problem("--rate", f"{number(rate)} Hz", need))
