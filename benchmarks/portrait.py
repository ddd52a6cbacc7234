"""How long phase portraits take: a page of basins, borders by bisection."""

from __future__ import annotations

import time
from collections.abc import Callable

from measuring import Report

import ulna
from ulna.control import PD

SIDE = 1000


def seconds(work: Callable[[], object]) -> float:
    """Return the time [s] that a call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    report = Report()
    arm = ulna.preset("bechard-1")
    under = ulna.portrait(arm, torque=4.0)
    held = ulna.portrait(arm, controller=PD(20.0, 2.0), set_point=0.5, max_torque=5.0)
    for drawn in (under, held):
        drawn.basins(20)  # what is compiled, is compiled now
    report.note(
        f"basins of the under-powered motor, {SIDE} × {SIDE} starts [s]",
        seconds(lambda: under.basins(SIDE, progress=False)),
        most=120.0,
    )
    report.note(
        f"basins under PD at 1 kHz with a limit, {SIDE} × {SIDE} starts [s]",
        seconds(lambda: held.basins(SIDE, progress=False)),
        most=120.0,
    )
    report.note(
        "critical speeds from level, -13 to 10 rad/s, six to 1e-9 [s]",
        seconds(lambda: under.critical_speeds(0.0, within=(-13.0, 10.0))),
    )
    report.save("portrait")


if __name__ == "__main__":
    main()
