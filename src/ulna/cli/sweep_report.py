"""`ulna show STORE`: what a sweep is, how its points ended, and what came out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import ulna
from ulna.cli.outputs import (
    FIGURES,
    Output,
    Written,
    check_outputs,
    html_outputs,
    save_figure,
    write_outputs,
)
from ulna.cli.terminal import counted, number, say, show_json, show_table
from ulna.errors import InputError, Problem, shown
from ulna.sweep.results import Sweep, open_sweep
from ulna.sweep.sweep_outputs import SCALARS
from ulna.viewer.sweep_content import SweepContent

MOST_FAILED = 5  # points that are told one by one


def is_sweep_store(file: str) -> bool:
    """Return whether a name is that of a sweep's results, a folder."""
    return Path(file).is_dir()


def refuse_for_sweep(options: dict[str, Any]) -> None:
    """Raise for options that say something of a run, and nothing of a sweep."""
    hint = "ulna.open_sweep(STORE) in Python has all numbers, and runs points again"
    wrong = [
        Problem(option, shown(value), "nothing beside a sweep", hint)
        for option, value in options.items()
        if value is not None
    ]
    if wrong:
        raise InputError(wrong)


def show_sweep(
    store: str, plot: str | None, html: str | None, what: str | None, *, json: bool, overwrite: bool
) -> None:
    """Show a sweep, and write its figure and its page."""

    def draw(sweep: Sweep, file: str) -> None:
        save_figure(lambda: ulna.viewer.sweep_figure(sweep, what), file, overwrite=overwrite)

    outputs = []
    if plot is not None:
        outputs.append(Output("--plot", plot, FIGURES, draw))
    outputs += html_outputs(html, overwrite=overwrite)
    check_outputs(outputs, overwrite=overwrite)
    folder = Path(store)
    sweep = open_sweep(folder)
    content = SweepContent.of(sweep)
    if what is not None:
        content.checked(what)
    written = write_outputs(sweep, outputs)
    if json:
        show_json({**_facts(sweep, content), "files": written.files})
    else:
        _tell(sweep, content, folder, written)
    written.raise_if_failed()


def _tell(sweep: Sweep, content: SweepContent, folder: Path, written: Written) -> None:
    how = "a grid" if content.is_grid else f"design {sweep.spec.design.kind}"
    name = f"{sweep.spec.name}: " if sweep.spec.name else ""
    say(f"{folder.name}: {name}{len(sweep):,} points ({how}): {sweep.status}")
    show_table("parameters", ("name", "values", "from - to"), _parameter_rows(content))
    columns = ("name", "", "unit", "least", "largest", "what it is")
    show_table("scalars", columns, _scalar_rows(content))
    if content.curves:
        rows = [_curve_row(content, curve) for curve in content.curves]
        show_table("curves", ("name", "unit", "points", "what it is"), rows)
    failed = sweep.failed
    if failed:
        told = [f"{point} ({sweep.why(point)})" for point in failed[:MOST_FAILED]]
        more = " ..." if len(failed) > MOST_FAILED else ""
        say(f"did not run to their end: {', '.join(told)}{more}")
    if written.files:
        say(f"written: {', '.join(written.files)}")


def _parameter_rows(content: SweepContent) -> list[tuple[str, str, str]]:
    return [
        (one.name, str(len(np.unique(one.values))), one.range_text) for one in content.parameters
    ]


def _scalar_rows(content: SweepContent) -> Iterator[Sequence[str]]:
    for name in content.scalars:
        about = content.about(name)
        for component, (low, high) in _ranges(content, name).items():
            ends = (number(low), number(high)) if np.isfinite(low) else ("-", "-")
            why = "" if np.isfinite(low) else f" ({_missing(name)})"
            yield name, component, content.unit(name), *ends, f"{about}{why}"


def _missing(name: str) -> str:
    """Return why an output has no number."""
    return SCALARS[name].missing if name in SCALARS else "no point has a number"


def _ranges(content: SweepContent, name: str) -> dict[str, tuple[float, float]]:
    """Return the least and the largest value of an output of each joint; NaN of no number."""
    columns = content.values(name).reshape(-1, len(content.components(name))).T
    found = {}
    for component, column in zip(content.components(name), columns, strict=True):
        known = column[np.isfinite(column)]
        ends = (known.min(), known.max()) if known.size else (np.nan, np.nan)
        found[component] = float(ends[0]), float(ends[1])
    return found


def _curve_row(content: SweepContent, name: str) -> tuple[str, ...]:
    size = counted(content.dataset.sizes["time"], "point")
    return name, content.unit(name), size, content.about(name)


def _facts(sweep: Sweep, content: SweepContent) -> dict[str, Any]:
    parameters = {
        one.name: {"unit": one.unit, "values": np.unique(one.values).tolist()}
        for one in content.parameters
    }
    scalars = {
        name: {
            "unit": content.unit(name),
            "ranges": [
                {"of": component, "least": low, "largest": high}
                for component, (low, high) in _ranges(content, name).items()
            ],
        }
        for name in content.scalars
    }
    return {
        "kind": "sweep",
        "points": len(sweep),
        "status": sweep.counts,
        "failed": list(sweep.failed),
        "not_computed": list(sweep.not_computed),
        "parameters": parameters,
        "scalars": scalars,
        "curves": {name: {"unit": content.unit(name)} for name in content.curves},
    }
