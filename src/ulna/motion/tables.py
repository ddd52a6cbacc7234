"""A plan as a table, and as a few lines to read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ulna.arrays import Array
from ulna.columns import write_columns
from ulna.errors import InputError, Problem
from ulna.motion.plan_result import Plan
from ulna.progress import card
from ulna.storage import whole_file
from ulna.typing import PathLike
from ulna.units import length_text

if TYPE_CHECKING:
    import pandas as pd

MOST_SHOWN = 8  # problems, and joints in a line
COLUMNS = ("joint", "peak [N·m]", "RMS [N·m]", "peak speed [rad/s]", "peak power [W]")


def columns(plan: Plan) -> dict[str, Array]:
    """Return all samples as columns, by headings with units."""
    table: dict[str, Array] = {"t [s]": plan.t}
    joints = [("q", "rad", plan.q), ("qd", "rad/s", plan.qd), ("qdd", "rad/s²", plan.qdd)]
    joints += [("tau", "N·m", plan.tau)]
    joints += [(f"{name}_", "N·m", part) for name, part in plan.terms._asdict().items()]
    for name, unit, values in joints:
        for joint in range(plan.arm.n):
            table[f"{name}{joint + 1} [{unit}]"] = values[:, joint]
    table |= {"x [m]": plan.tip[:, 0], "y [m]": plan.tip[:, 1], "angle [rad]": plan.tip[:, 2]}
    table |= {"reach_margin [m]": plan.reach_margin}
    return table | {"singularity_margin [1]": plan.singularity_margin}


def dataframe(plan: Plan) -> pd.DataFrame:
    """Return the samples as a data frame, indexed by time; headings without units."""
    import pandas as pd

    table = {heading.partition(" [")[0]: values for heading, values in columns(plan).items()}
    return pd.DataFrame(table).set_index("t")


def save_plan(plan: Plan, file: PathLike, *, overwrite: bool = True) -> None:
    """Write the samples as .csv."""
    path = Path(file)
    if path.suffix.lower() != ".csv":
        hint = "a run can be saved as .nc" * (path.suffix.lower() == ".nc")
        raise InputError(Problem("file", f"'{path}'", "a name that ends in .csv", hint))
    with whole_file(file, overwrite=overwrite) as part:
        write_columns(part, columns(plan))


def summary(plan: Plan) -> str:
    """Describe a plan in a few lines."""
    return "\n".join(["Plan: " + _title(plan), *(f"  {line}" for line in _lines(plan))])


def html(plan: Plan) -> str:
    """Describe a plan for a notebook."""
    return card(f"Plan: {_title(plan)}", _told(plan), COLUMNS, _rows(plan))


def _title(plan: Plan) -> str:
    timing = plan.trajectory.timing.name
    return f"{plan.path}, {timing}, {plan.duration:.4g} s, {len(plan.t)} samples"


def _lines(plan: Plan) -> Iterator[str]:
    for joint, peak, rms, speed, power in _rows(plan)[:MOST_SHOWN]:
        yield f"joint {joint}: {peak} N·m at most, {rms} RMS, {speed} rad/s, {power} W"
    yield from _told(plan)


def _told(plan: Plan) -> Iterator[str]:
    """Describe how close it comes to its limits, and what is wrong."""
    reach, singular = plan.peaks.reach_margin, plan.peaks.singularity_margin
    if np.isfinite(singular):
        inside = "stays {} inside" if reach >= 0.0 else "goes {} beyond"
        yield (
            f"{inside.format(length_text(abs(float(reach))))} the reach; condition number of the "
            f"Jacobian up to {1.0 / max(singular, 1e-12):.3g}"
        )
    yield from plan.path.notes
    problems = plan.problems
    if not problems:
        yield "the arm can do it: in reach and within its limits; collisions are not checked"
    yield from (problem.text for problem in problems[:MOST_SHOWN])
    if len(problems) > MOST_SHOWN:
        yield f"and {len(problems) - MOST_SHOWN} more problems"


def _rows(plan: Plan) -> list[tuple[str, ...]]:
    peaks = plan.peaks
    if not np.isfinite(peaks.torque).any():
        return []
    parts = zip(peaks.torque, peaks.torque_rms, peaks.speed, peaks.power, strict=True)
    return [(str(i), *(f"{value:.4g}" for value in row)) for i, row in enumerate(parts, 1)]
