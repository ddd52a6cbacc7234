"""README's table says what was measured, and what was missed."""

import json
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
MADE = runpy.run_path(str(ROOT / "tools" / "performance.py"))
ROW = MADE["ROWS"][0]


@pytest.fixture
def performance():
    return json.loads((ROOT / "docs" / "performance.json").read_text("utf-8"))


def with_figure(performance, **figure):
    others = [known for known in performance["figures"] if known["what"] != figure["what"]]
    return {**performance, "figures": [*others, figure]}


def line_of(row, performance):
    lines = MADE["table"](performance).splitlines()
    return next(line for line in lines if line.startswith(f"| {row.what} |"))


def report(**changes):
    row = {"what": "a", "value": 59.99999, "floor": 60.0, "most": None, "fine": False}
    parts = {"date": "2026-01-02", "machine": {"cores": 2}, "packages": {"ulna": "1"}}
    return {**parts, "rows": [row], **changes}


def test_the_table_is_made_of_what_was_kept(performance):
    page = README.read_text("utf-8")
    assert MADE["placed"](page, MADE["table"](performance)) == page


def test_every_row_was_measured():
    assert "not measured" not in README.read_text("utf-8")


def test_what_was_kept_is_small_and_written_by_the_tool(performance):
    file = ROOT / "docs" / "performance.json"
    assert file.read_text("utf-8") == MADE["written"](performance)
    assert file.stat().st_size < 20_000


def test_a_figure_within_its_bounds_is_shown_plainly(performance):
    fine = with_figure(performance, what=ROW.figure, value=72.4, floor=60.0)
    assert line_of(ROW, fine).endswith("| 72 × |")


@pytest.mark.parametrize("value", [12.3, 59.9, float("nan")])
def test_a_missed_floor_is_shown(performance, value):
    missed = with_figure(performance, what=ROW.figure, value=value, floor=60.0)
    assert f"**{value:.4g} ×: missed**, at least 60 × asked" in line_of(ROW, missed)


def test_a_bound_from_above_is_a_bound_too(performance):
    missed = with_figure(performance, what=ROW.figure, value=3.2, most=3.0)
    assert "**3.2 ×: missed**, at most 3 × asked" in line_of(ROW, missed)


def test_reports_are_put_together_without_rounding():
    other = report(date="2026-01-03", rows=[])
    both = MADE["merged"]({"one": report(), "other": other})
    assert both["date"] == "2026-01-03"
    assert both["figures"] == [{"what": "a", "value": 59.99999, "floor": 60.0}]
    assert not MADE["met"](both["figures"][0])


@pytest.mark.parametrize("part", ["machine", "packages"])
def test_reports_of_different_set_ups_are_not_mixed(part):
    with pytest.raises(SystemExit, match=f"differ in {part}"):
        MADE["merged"]({"one": report(), "other": report(**{part: {"cores": 64}})})
