"""How long kinematics takes, beside a yardstick of plain NumPy.

Times depend on the machine and on what else it does; the ratio to the yardstick, measured in the
same run, says more.
"""

from __future__ import annotations

import numpy as np
from measuring import Report, in_turns

import ulna
from ulna import kinematics

YARDSTICK = "sine and cosine of 200,000 angles by NumPy"


def main() -> None:
    random = np.random.default_rng(0)
    arm = ulna.preset("kehl")
    targets = random.uniform(-0.7, 0.7, (100_000, 2))
    q = random.uniform(-3.0, 3.0, (100_000, 2))
    turn = np.linspace(0.0, 2.0 * np.pi, 2_000)
    circle = 0.5 + 0.2 * np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    work = {
        YARDSTICK: lambda: (np.sin(q), np.cos(q)),
        "inverse, 100,000 targets, two links": lambda: kinematics.inverse(arm, targets),
        "tip, 100,000 postures": lambda: kinematics.tip(arm, q),
        "jacobian, 100,000 postures": lambda: kinematics.jacobian(arm, q),
        "track, 2,000 points, two links": lambda: kinematics.track(arm, circle),
    }
    report = Report()
    taken = dict(zip(work, in_turns(*work.values()), strict=True))
    for name, seconds in taken.items():
        report.note(f"{name} [ms]", 1e3 * seconds)
        if name != YARDSTICK:
            report.note(f"{name}, to the yardstick", seconds / taken[YARDSTICK])
    report.save("kinematics")


if __name__ == "__main__":
    main()
