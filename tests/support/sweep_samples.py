"""Sweeps whose numbers a formula gives, so that what is drawn of them is known."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ulna.sweep.execute import layout_of
from ulna.sweep.results import Sweep
from ulna.sweep.store import STATUS, SweepMemory
from ulna.sweep.sweep_outputs import STATUS_CODES
from ulna.sweep.sweep_spec import read_spec

DURATION = 2.0  # [s]
BASE = {
    "arm": "kehl",
    "path": "circle(center=(0.4, 0.3), radius='20 cm')",
    "duration": DURATION,
    "controller": "ComputedTorque()",
    "keep": {"scalars": ["torque.peak"], "curves": ["torque"], "curve_points": 41},
}


def peak(values: Mapping[str, Any], joint: int) -> float:
    """Return a "torque" that grows with all numbers of a point, twice as much for joint 2."""
    numbers = [value for value in values.values() if isinstance(value, float)]
    weighed = sum(10.0**-place * number for place, number in enumerate(numbers))
    return (joint + 1.0) * (1.0 + weighed)


def curve(values: Mapping[str, Any], joint: int, t: np.ndarray) -> np.ndarray:
    """Return a "torque" over time, with that peak at the start."""
    return peak(values, joint) * np.cos(math.pi * t)


def made_sweep(vary: Mapping[str, Any], *, failed: Sequence[int] = (), **more: Any) -> Sweep:
    """Return a sweep with a scalar and a curve of two joints; points that failed have none."""
    spec = read_spec({**BASE, **more, "vary": vary})
    memory = SweepMemory(layout_of(spec))
    for number in range(len(memory.layout.chunks)):
        points = memory.layout.chunks.points(number)
        arrays = {
            one.name: np.full((len(points), *one.shape), 0.0) for one in memory.layout.variables
        }
        for row, point in enumerate(points):
            values = spec.design.point(point)
            gone = np.nan if point in failed else 0.0
            for joint in (0, 1):
                arrays["torque.peak"][row, joint] = peak(values, joint) + gone
                arrays["torque"][row, :, joint] = curve(values, joint, spec.curve_times) + gone
            arrays[STATUS][row] = STATUS_CODES["diverged" if point in failed else "done"]
        memory.write(number, arrays)
    return Sweep(memory, spec)
