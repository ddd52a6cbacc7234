"""How long kinematics takes: the best of several runs, beside a yardstick of plain NumPy.

Times depend on the machine and on what else it does; the ratio to the yardstick, measured in the
same run, says more.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import ulna
from ulna import kinematics

RUNS = 9


def best(work: Callable[[], object]) -> float:
    """Give the shortest of several runs, in seconds, after one that does not count."""
    work()
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    random = np.random.default_rng(0)
    arm = ulna.preset("kehl")
    targets = random.uniform(-0.7, 0.7, (100_000, 2))
    q = random.uniform(-3.0, 3.0, (100_000, 2))
    turn = np.linspace(0.0, 2.0 * np.pi, 2_000)
    circle = 0.5 + 0.2 * np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    work = {
        "yardstick: sine and cosine of 200,000 angles": lambda: (np.sin(q), np.cos(q)),
        "inverse, 100,000 targets, two links": lambda: kinematics.inverse(arm, targets),
        "tip, 100,000 postures": lambda: kinematics.tip(arm, q),
        "jacobian, 100,000 postures": lambda: kinematics.jacobian(arm, q),
        "track, 2,000 points, two links": lambda: kinematics.track(arm, circle),
    }
    yardstick = None
    for name, run in work.items():
        seconds = best(run)
        yardstick = yardstick or seconds
        print(f"{name:48} {1e3 * seconds:8.2f} ms   {seconds / yardstick:6.1f} x")


if __name__ == "__main__":
    main()
