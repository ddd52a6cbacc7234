"""Figures 1 to 5: phase portraits of one joint in the paper's regimes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ulna.analysis.portraits import BasinBoundary, Portrait, RunningSolution
from ulna.dynamics import holding_torque
from ulna.papers.bechard import regimes
from ulna.papers.bechard.parameters import DOWN, DRIVEN, said
from ulna.papers.bechard.regimes import NEARLY
from ulna.papers.row import Number, Picture, Row, Verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def rows() -> tuple[Row, ...]:
    """Return the five figures."""
    return _figure_1(), _figure_2(), _figure_3(), _figure_4(), _figure_5()


def _figure_1() -> Row:
    well = next(rest for rest in regimes.pendulum().equilibria if rest.stable)
    turn = regimes.pendulum().critical_speeds(0.0, within=(0.0, 5.0))[0].value
    turns = [orbit.fate.turns for orbit in regimes.pendulum().orbits]
    return Row(
        key="figure-1",
        title="No torque: the portrait of a pendulum",
        where="Figure 1",
        printed="whirlpools about −π/2, every 2π; fast starts turn a few times before one",
        ours=(
            f"a full turn from θ = 0 needs more than {turn:.5f} rad/s; from 2, 5 and 8 rad/s the "
            f"arm makes {turns[0]}, {turns[1]} and {turns[2]} turns"
        ),
        verdict=Verdict.SAME,
        why="The well hangs straight down, its eigenvalues are complex: orbits spiral into it.",
        how="starts between those that fall back and those that turn, halved again and again",
        call=_call("bechard-1", "(0, 2), (0, 5), (0, 8)", "angles=(-4.7, 20.4)"),
        numbers=(
            Number("well", well.angle, "rad", printed=round(float(DOWN), 4), label="well"),
            Number("real", float(well.eigenvalues[0].real), "1/s", label="Re λ", of="eigenvalues"),
            Number(
                "imaginary", float(np.abs(well.eigenvalues.imag).max()), "rad/s", label="|Im λ|",
                of="eigenvalues", digits=5,
            ),
            Number("full-turn", turn, "rad/s", label="speed for a full turn"),
            *(
                Number(f"turns-{orbit.speed:g}", float(orbit.fate.turns), "", of="turns",
                       label=f"from {orbit.speed:g} rad/s")
                for orbit in regimes.pendulum().orbits
            ),
        ),
        pictures=(_picture(1, "No torque: starts level at 2, 5 and 8 rad/s", regimes.pendulum),),
    )  # fmt: skip


def _figure_2() -> Row:
    running, lasting = _running(regimes.driven()), regimes.time_to_run()
    return Row(
        key="figure-2",
        title="Damped and driven: 50 N·m on 1 kg at 5 m",
        where="Figure 2",
        printed="4 ± 0.5 rad/s whatever the start; 49.05 N·m to be overcome",
        ours=(
            f"{running.slowest:.5f} to {running.fastest:.5f} rad/s; the three starts: "
            f"{fates(regimes.driven())}; from rest {NEARLY:g} rad/s are reached after "
            f"{lasting:.2f} s"
        ),
        verdict=Verdict.SAME,
        why=(
            "There is no angle of rest, and one running solution that attracts every start; that "
            "it runs between 4 and 5 rad/s, as said further on, is erratum 7."
        ),
        how=(
            "the turn that ends as fast as it began; over a turn gravity does no work, so that the "
            "mean over the angle is τ/(B m L²)"
        ),
        call=_call(
            "bechard-1-driven",
            "(0, 0), (0, -2), (0, 5)",
            "torque=50, angles=(-3, 25), speeds=(-3, 6)",
        ),
        numbers=(
            *_speeds(running, printed=(3.5, 4.5, 4.0)),
            Number("to-run", lasting, "s", label=f"from rest to {NEARLY:g} rad/s", digits=3),
            Number(
                "weight", float(holding_torque(DRIVEN, [0.0])[0]), "N·m", printed=49.05,
                label="weight of the level arm", digits=4,
            ),
        ),
        pictures=(_picture(2, "50 N·m: starts level at 0, −2 and 5 rad/s", regimes.driven),),
    )  # fmt: skip


def _figure_3() -> Row:
    well, saddle = regimes.raised().equilibria
    border = regimes.raised().critical_angles(0.0, within=(-np.pi, well.angle))[0].value
    ahead = float(np.degrees(well.angle - DOWN))
    return Row(
        key="figure-3",
        title="An under-powered motor, from rest at three angles",
        where="Figure 3",
        printed="from −π/2 and −3π/4 it stays in the well, from −π it rotates for ever",
        ours=(
            f"{fates(regimes.raised())}; the border is at {said(border, '.6f')} rad, and the wells "
            f"are {ahead:.2f}° ahead of straight down"
        ),
        verdict=Verdict.SAME,
        why="Raised far enough behind it, the arm falls through the well and over the top.",
        how="starts between those that stay and those that rotate, halved again and again",
        call=_call(
            "bechard-1", "(-1.571, 0), (-2.356, 0), (-3.142, 0)", "torque=4, angles=(-4, 12)"
        ),
        numbers=(
            Number("well", well.angle, "rad", label="well", digits=7),
            Number("saddle", saddle.angle, "rad", label="saddle", digits=7),
            Number("ahead", ahead, "°", label="well ahead of straight down", digits=4),
            Number("border", border, "rad", label="critical angle of rest", digits=7),
            *_speeds(_running(regimes.raised())),
        ),
        pictures=(_picture(3, "4 N·m: from rest at −π/2, −3π/4 and −π", regimes.raised),),
    )


def _figure_4() -> Row:
    border = regimes.pushed().critical_speeds(0.0, within=(0.0, 5.0))[0].value
    saddle = next(rest for rest in regimes.pushed().equilibria if rest.saddle)
    highest, back = regimes.lingering()
    return Row(
        key="figure-4",
        title="An under-powered motor, level, with three speeds forwards",
        where="Figure 4",
        printed="two starts are captured, one after lingering near the top; a faster one rotates",
        ours=(
            f"{fates(regimes.pushed())}; the border is at {border:.7f} rad/s; from 3.07 rad/s the "
            f"arm rises to {highest:.3f} rad, just short of the saddle at {saddle.angle:.3f}, and "
            f"is back level after {back:.2f} s"
        ),
        verdict=Verdict.SAME,
        why="Near the saddle hardly anything pushes, which is why it falls back so slowly.",
        how="starts between those that stay and those that rotate, halved again and again",
        call=_call("bechard-1", "(0, 1), (0, 3.07), (0, 3.2)", "torque=4, angles=(-4, 9)"),
        numbers=(
            Number("border", border, "rad/s", label="critical speed", digits=8),
            Number("highest", highest, "rad", label="highest, from 3.07 rad/s", digits=5),
            Number("back", back, "s", label="back at level, from 3.07 rad/s", digits=3),
        ),
        pictures=(_picture(4, "4 N·m: starts level at 1, 3.07 and 3.2 rad/s", regimes.pushed),),
    )


def _figure_5() -> Row:
    borders = regimes.thrown_back().critical_speeds(0.0, within=(-13.0, 0.0))[::-1]
    return Row(
        key="figure-5",
        title="An under-powered motor, level, with three speeds backwards",
        where="Figure 5",
        printed="thrown backwards it comes to a full stop once and then rotates, or is captured",
        ours=(
            f"captured down to {said(borders[0].value, '.5f')} rad/s, rotating down to "
            f"{said(borders[1].value, '.5f')}, captured to {said(borders[2].value, '.5f')}, and so "
            f"on in turn; from −6, −9 and −11 rad/s: {fates(regimes.thrown_back())}"
        ),
        verdict=Verdict.SAME,
        why="What matters is where it stops: if high enough behind a well, it falls through.",
        how="starts between those that stay and those that rotate, halved again and again",
        call=_call("bechard-1", "(0, -6), (0, -9), (0, -11)", "torque=4, angles=(-15.7, 3.2)"),
        numbers=tuple(
            Number(f"border-{k}", border.value, "rad/s", label=_above(border), digits=7)
            for k, border in enumerate(borders, start=1)
        ),
        pictures=(_picture(5, "4 N·m: starts level at −6, −9 and −11 rad/s", regimes.thrown_back),),
    )


def fates(found: Portrait) -> str:
    """Describe what becomes of the starts of a portrait, in their order."""
    return ", ".join(
        "rotates" if orbit.fate.name == "runs on" else "captured" for orbit in found.orbits
    )


def _above(border: BasinBoundary) -> str:
    captured = border.above.name.startswith("settles")
    return "captured above, rotates below" if captured else "rotates above, captured below"


def _running(found: Portrait) -> RunningSolution:
    assert found.running is not None  # these motors keep an arm turning that turns
    return found.running


def _speeds(
    running: RunningSolution,
    printed: tuple[float | None, float | None, float | None] = (None, None, None),
) -> tuple[Number, ...]:
    of, low, high, mean = "running speed", *printed
    return (
        Number("slowest", running.slowest, "rad/s", low, "slowest", of),
        Number("fastest", running.fastest, "rad/s", high, "fastest", of),
        Number("mean", running.mean, "rad/s", None, "mean over time", of),
        Number("mean-over-angle", running.mean_over_angle, "rad/s", mean, "mean over angle", of),
    )


def _call(name: str, starts: str, given: str) -> str:
    return (
        "import ulna\n"
        f'arm = ulna.preset("{name}")\n'
        f"starts = [{starts}]\n"
        f"portrait = ulna.portrait(arm, starts=starts, {given})\n"
        "figure = ulna.viewer.portrait_figure(portrait)\n"
    )


def _picture(number: int, caption: str, made: Callable[[], Portrait]) -> Picture:
    def draw() -> Figure:
        from ulna.viewer import portrait_figure

        return portrait_figure(made())

    return Picture(f"001-figure-{number}.svg", caption, draw)
