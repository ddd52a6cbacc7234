"""Write the table of README's performance from what `make bench` measured.

The reports in build are put together in docs/performance.json, which is kept, and the table says
what is in there. With --table only the table is written anew, from the file as it is.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
KEPT = ROOT / "docs" / "performance.json"
REPORTS = ROOT / "build"
BEGIN, END = "<!-- performance:begin -->", "<!-- performance:end -->"
SHOWN = ("ulna", "numba", "mujoco", "pin")  # packages named under the table


class Row(NamedTuple):
    """A figure that is worth a reader's attention, and how it is put."""

    what: str
    figure: str  # as the benchmark calls it
    unit: str  # "×" or a unit


ROLLOUT = "mujoco.rollout's time to ours"
LOOP = "an arm each: Pinocchio's time to ours"
ROWS = (
    Row(
        "Many arms of 2 links, each its own, steps of RK4, against `mujoco.rollout`",
        f"batch, n = 2: {ROLLOUT}",
        "×",
    ),
    Row("The same with 6 links", f"batch, n = 6: {ROLLOUT}", "×"),
    Row("The same with 32 links", f"batch, n = 32: {ROLLOUT}", "×"),
    Row(
        "In single precision, 2 links, against double",
        "batch, n = 2: double's time to single's",
        "×",
    ),
    Row(
        "What computed torque at 1 kHz costs, 2 links, against none",
        "batch, n = 2: closed loop's time to free",
        "× the time",
    ),
    Row(
        "When does a double pendulum turn over: a map of 1000 × 1000 starts, 10 s each",
        "flip map, 1000 × 1000 starts, 10 s in steps of 5 ms [s]",
        "s",
    ),
    Row(
        "Basins of attraction of a driven pendulum: 1000 × 1000 starts until their fate is certain",
        "basins of the under-powered motor, 1000 × 1000 starts [s]",
        "s",
    ),
    Row(
        "Accelerations of 100,000 arms in one call, against looping over `pin.aba`",
        f"100,000 forward dynamics, n = 2, {LOOP}",
        "×",
    ),
    Row(
        "Torques of 100,000 arms in one call, against looping over `pin.rnea`",
        f"100,000 inverse dynamics, n = 2, {LOOP}",
        "×",
    ),
    Row(
        "One arm of 2 links, steps of RK4, against MuJoCo's `mj_step`",
        "RK4 step, n = 2, MuJoCo's time to ours",
        "×",
    ),
    Row("The same with 128 links", "RK4 step, n = 128, MuJoCo's time to ours", "×"),
    Row(
        "A minute of two links to nine digits, against SciPy's DOP853",
        "60 s of two rods at rtol 1e-9, SciPy's time to ours",
        "×",
    ),
    Row(
        "A controller in Python, a tick with its step, against MuJoCo's loop",
        "a PD controller in Python, a tick's time to MuJoCo's loop",
        "× the time",
    ),
    Row(
        "Torques of one state, `dynamics.inverse_dynamics`",
        "inverse_dynamics of one state [µs]",
        "µs",
    ),
    Row(
        "`Simulation`: a torque and a millisecond",
        "Simulation.apply and advance by 1 ms [µs]",
        "µs",
    ),
    Row(
        "The first simulation ever, from source, compiling included",
        "cold start, first simulate, n = 2 [s]",
        "s",
    ),
    Row(
        "Import and the first simulation of a later process",
        "cold start, import and first simulate, warm [s]",
        "s",
    ),
    Row("Planning a path of 2,000 points", "planning 2,000 points [ms]", "ms"),
    Row(
        "Planning the fastest motion along a path under torque limits",
        "timing: the whole plan [ms]",
        "ms",
    ),
    Row(
        "A sweep of 10,000 controlled runs of 10 s, scalars and a curve of each kept",
        "a sweep of 10,000 points in process [s]",
        "s",
    ),
    Row(
        "All postures for 100,000 targets, 2 links",
        "inverse, 100,000 targets, two links [ms]",
        "ms",
    ),
    Row(
        "A report of a minute of two joints, from disk until it can be used",
        "viewer, from disk to the arm and six charts [s]",
        "s",
    ),
    Row(
        "The playground, from disk until it can be used",
        "playground, from disk to the arm and three charts [s]",
        "s",
    ),
    Row(
        "In the playground, from the pointer to the redrawn arm under control",
        "playground, from the pointer to the redrawn arm, controlled [ms]",
        "ms",
    ),
)


def merged(reports: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Put reports, by their names, together; they have to be of one machine and one set-up."""
    if not reports:
        raise SystemExit("There are no reports in build: run `make bench` first.")
    for part in ("machine", "packages"):
        if len({json.dumps(report[part], sort_keys=True) for report in reports.values()}) > 1:
            raise SystemExit(
                f"The reports {', '.join(reports)} differ in {part}: run `make bench` again."
            )
    one = next(iter(reports.values()))
    figures = [kept(row) for report in reports.values() for row in report["rows"]]
    return {
        "date": max(report["date"] for report in reports.values()),
        "machine": one["machine"],
        "packages": one["packages"],
        "figures": figures,
    }


def kept(row: dict[str, Any]) -> dict[str, Any]:
    """Return a figure and its bounds; it is not rounded, lest it be rounded into them."""
    given = ("what", "value", "floor", "most")
    return {name: row[name] for name in given if row[name] is not None}


def met(figure: dict[str, Any]) -> bool:
    """Return whether a figure is within its bounds; one that is not a number is not."""
    value = figure["value"]
    return bool(
        value >= figure.get("floor", float("-inf")) and value <= figure.get("most", float("inf"))
    )


def shown(figure: dict[str, Any] | None, unit: str) -> str:
    """Return a figure for the table, and what it should have been if it is not that."""
    if figure is None:
        return "not measured"
    if met(figure):
        return f"{number(figure['value'])} {unit}"
    return f"**{figure['value']:.4g} {unit}: missed**, {asked(figure, unit)} asked"


def asked(figure: dict[str, Any], unit: str) -> str:
    words = (("floor", "at least"), ("most", "at most"))
    return " and ".join(f"{say} {figure[key]:g} {unit}" for key, say in words if key in figure)


def number(value: float) -> str:
    """Write two digits, or all those before the point.

    >>> number(1.234), number(12.34), number(1234.5)
    ('1.2', '12', '1234')
    """
    return f"{value:.0f}" if value >= 10.0 else f"{value:.2g}"


def table(performance: dict[str, Any]) -> str:
    """Write what stands between the markers."""
    figures = {figure["what"]: figure for figure in performance["figures"]}
    lines = ["| what | how fast |", "| --- | ---: |"]
    lines += [f"| {row.what} | {shown(figures.get(row.figure), row.unit)} |" for row in ROWS]
    return "\n".join([*lines, "", conditions(performance), "", verdict(performance["figures"])])


def verdict(figures: Iterable[dict[str, Any]]) -> str:
    """Say how many of all figures keep their bounds, and name those that do not."""
    bounded = [figure for figure in figures if figure.keys() & {"floor", "most"}]
    missed = [figure for figure in bounded if not met(figure)]
    text = f"{len(bounded) - len(missed)} of {len(bounded)} figures with a bound keep it."
    if missed:
        names = "; ".join(
            f"{figure['what']} ({figure['value']:.4g}, {asked(figure, '').strip()} asked)"
            for figure in missed
        )
        text += f" Missed: {names}."
    return text


def conditions(performance: dict[str, Any]) -> str:
    """Say what was measured on, with what, and how to do it again."""
    machine, packages = performance["machine"], performance["packages"]
    versions = ", ".join(f"{name} {packages[name]}" for name in SHOWN)
    return (
        f"Measured on {performance['date']} on {machine['processor']} ({machine['system']}, "
        f"{machine['threads']} threads), with {versions}.\n"
        "A bare × says how many times as fast as the other, measured in turns in one run;\n"
        "`mujoco.rollout` gets as many threads. `make bench` measures on your machine, and\n"
        "`make performance` writes the table; all figures are in\n"
        "[performance.json](docs/performance.json)."
    )


def placed(page: str, text: str) -> str:
    """Return the page with the text between its markers."""
    between = re.compile(f"(?<={re.escape(BEGIN)}\n).*?(?={re.escape(END)})", re.DOTALL)
    if len(between.findall(page)) != 1:
        raise SystemExit(f"README.md needs {BEGIN} and {END}, once, each on a line of its own.")
    return between.sub(lambda _: f"{text}\n", page)


def written(performance: dict[str, Any]) -> str:
    """Write the file that is kept, a line for each figure."""
    head = {name: value for name, value in performance.items() if name != "figures"}
    figures = ",\n".join(f"    {json.dumps(f, ensure_ascii=False)}" for f in performance["figures"])
    start = json.dumps(head, indent=2, ensure_ascii=False).removesuffix("\n}")
    return f'{start},\n  "figures": [\n{figures}\n  ]\n}}\n'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", action="store_true", help="leave docs/performance.json as it is")
    if not parser.parse_args().table:
        reports = {
            file.stem.removeprefix("benchmark-"): json.loads(file.read_text("utf-8"))
            for file in sorted(REPORTS.glob("benchmark-*.json"))
        }
        KEPT.write_text(written(merged(reports)), encoding="utf-8")
    performance = json.loads(KEPT.read_text("utf-8"))
    README.write_text(placed(README.read_text("utf-8"), table(performance)), encoding="utf-8")


if __name__ == "__main__":
    main()
