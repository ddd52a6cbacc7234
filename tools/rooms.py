"""Draw the rooms of the package, from the command line to the foundation, for docs/architecture."""

from __future__ import annotations

import io
import tomllib
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
# Floors from the top, each room with what it answers. A room uses those below it.
FLOORS = (
    {"cli": "the command line"},
    {"viewer": "seeing"},
    {"sweep": "many of them"},
    {"analysis": "what it means"},
    {
        "simulation": "what happens",
        "simulation/batch": "to many arms at once",
        "simulation/engine": "step by step, compiled",
    },
    {"scenario": "the question"},
    {"motion": "what we ask", "control": "how we command"},
    {"kinematics": "where it is", "dynamics": "why it moves", "derivation": "why, on paper"},
    {"arm": "what it is", "interop": "in other files", "actuation": "what drives it"},
    {
        "kernels": "how it is compiled",
        "lanes": "how many at once",
        "expressions": "what did they write",
        "units": "what did they mean",
    },
    dict.fromkeys(("angles", "sincos", "arrays", "columns", "storage", "zarr_stores"), ""),
    dict.fromkeys(("progress", "namespaces", "concurrency", "errors", "typing"), ""),
)
# What a floor hands to the one above it, from the top.
FLOWS = (
    "figures, films",
    "Sweep",
    "Tracking, Stability, Portrait",
    "Run, BatchRun",
    "what acts, what is followed, what is watched",
    "Plan, controllers",
    "angles, torques, A and B",
    "Arm, Parameters",
)
WIDTH, HIGH, GAP, LOW_GAP, BESIDE = 9.0, 0.5, 0.34, 0.08, 0.08  # [inches]
INK, PAPER, LINE, ACCENT = "#24323d", "#f4f7f9", "#9fb2c0", "#2a78b5"


def figure() -> Figure:
    """Return the drawing."""
    gaps = [GAP if place < len(FLOWS) else LOW_GAP for place in range(len(FLOORS) - 1)]
    height = len(FLOORS) * HIGH + sum(gaps) + 0.1
    page = Figure(figsize=(WIDTH, height), dpi=110)
    axes = page.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=(0.0, WIDTH), ylim=(0.0, height))
    axes.axis("off")
    top = height - 0.05
    for rooms, gap, flow in zip(
        FLOORS, [*gaps, 0.0], [*FLOWS, *[""] * (len(FLOORS) - len(FLOWS))], strict=True
    ):
        _draw_floor(axes, rooms, top - HIGH)
        if flow:
            _draw_flow(axes, flow, top - HIGH - gap)
        top -= HIGH + gap
    return page


def _draw_floor(axes: Axes, rooms: dict[str, str], low: float) -> None:
    wide = (WIDTH - 0.1 - BESIDE * (len(rooms) - 1)) / len(rooms)
    for place, (name, answers) in enumerate(rooms.items()):
        left = 0.05 + place * (wide + BESIDE)
        style = {"boxstyle": "round,pad=0,rounding_size=0.07", "fc": PAPER, "ec": LINE}
        axes.add_patch(FancyBboxPatch((left, low), wide, HIGH, **style))
        middle, centred = left + wide / 2, {"ha": "center", "va": "center", "color": INK}
        at = low + (0.34 if answers else 0.25)
        axes.text(middle, at, name, fontsize=10, weight="bold", **centred)
        axes.text(middle, low + 0.14, answers, fontsize=9, **centred)


def _draw_flow(axes: Axes, what: str, low: float) -> None:
    arrow = {"arrowstyle": "-|>", "color": ACCENT, "lw": 1.5, "shrinkA": 0, "shrinkB": 0}
    ends = (WIDTH / 2, low + GAP - 0.03), (WIDTH / 2, low + 0.03)
    axes.annotate("", ends[0], ends[1], arrowprops=arrow)
    axes.text(WIDTH / 2 + 0.1, low + GAP / 2, what, fontsize=9, va="center", color=ACCENT)


def undrawn() -> set[str]:
    """Return the rooms that the import contract names and the drawing does not, or the reverse."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    kept = {layer.removeprefix("ulna.") for layer in layers if not layer.startswith("(")}
    drawn = {name.split("/")[0] for rooms in FLOORS for name in rooms}
    return (kept - {"__main__", "_version"}) ^ drawn


if __name__ == "__main__":
    if undrawn():
        raise SystemExit(f"not both drawn and in the import contract: {sorted(undrawn())}")
    page = io.BytesIO()
    figure().savefig(page)
    few = Image.open(page).convert("RGB").quantize(32)  # a quarter of the bytes
    few.save(ROOT / "docs" / "pictures" / "rooms.png", optimize=True)
