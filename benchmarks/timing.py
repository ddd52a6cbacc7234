"""What the fastest timing of a path costs: kernel, law, plan, and lists of paths."""

from __future__ import annotations

import numpy as np
from measuring import Report, in_turns

import ulna
from ulna.motion.planning.fastest_timing import fastest_law
from ulna.motion.planning.speed_profile import PathGrid

PATHS = 8
NODES = 1000


def arm() -> ulna.Arm:
    """Return an arm with torque limits and viscous damping."""
    joints = [ulna.Joint(max_torque=12.0, damping=0.5), ulna.Joint(max_torque=4.0, damping=0.3)]
    return ulna.Arm.rods([0.5, 0.4], [1.0, 0.8], joints=joints)


def circles() -> list[ulna.Path]:
    """Return circles of several sizes."""
    return [ulna.paths.circle((0.45, 0.2), 0.1 + 0.01 * k) for k in range(PATHS)]


def main() -> None:
    report, strong, paths = Report(), arm(), circles()
    plan = ulna.plan(strong, paths[5], timing="fastest")
    limits = plan.trajectory.timing.law.solved.limits
    nodes = 0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, NODES))
    ends = np.array([0.0, 1.0])
    grid = PathGrid(limits, nodes, np.zeros(0), np.zeros(2), ends)
    profile, law, whole = in_turns(
        lambda: grid.solve(limits),
        lambda: fastest_law(limits, paths[5]),
        lambda: ulna.plan(strong, paths[5], timing="fastest"),
    )
    report.note(f"timing: the fastest profile of {NODES} nodes [ms]", 1e3 * profile, most=20)
    report.note("timing: the law, with its grid and what it passes between nodes [ms]", 1e3 * law)
    report.note("timing: the whole plan [ms]", 1e3 * whole)
    together, alone = in_turns(
        lambda: ulna.plan(strong, paths, timing="fastest"),
        lambda: [ulna.plan(strong, path, timing="fastest") for path in paths],
        rounds=3,
    )
    report.note(f"timing: {PATHS} paths one by one, to a list of them", alone / together)
    report.save("timing")


if __name__ == "__main__":
    main()
