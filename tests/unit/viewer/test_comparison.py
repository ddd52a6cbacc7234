"""Films of runs side by side: as long and large as asked for, and each run in its own panel."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from PIL import Image

import ulna
from figure_checks import moved
from refusals import names_of
from ulna import viewer
from ulna.viewer.comparison import MOST_RUNS, Comparison, scenes

SMALL = {"fps": 10, "size": (240, 140)}
BOTH = ("open loop", "closed loop")


@cache
def made():
    arm = ulna.Arm.rods([0.5, 0.5], [1.0, 1.0], name="two rods")
    path = ulna.paths.circle(center=(0.4, 0.2), radius=0.2)
    return ulna.plan(arm, path, duration=2.0, rate=100.0)


def followed(off=0.0, until=2.0):
    """Give a run that falls away from the plan, and ends at a time [s]."""
    plan = made()
    kept = plan.t <= until
    t = plan.t[kept]
    return moved(plan.arm, t, plan.q[kept] + off * t[:, None], plan.qd[kept] + off)


def runs():
    return dict(zip(BOTH, (followed(1.5), followed()), strict=True))


def staged(size=(800, 460), theme=viewer.PRINT, labels=BOTH):
    return Comparison(made(), labels, "", size, theme)


def all_scenes(shown, fps=10):
    return list(scenes(shown, np.linspace(0.0, 2.0, 21), fps))


def pixel(picture, axes, place):
    x, y = axes.transData.transform(place).astype(int)
    return picture[len(picture) - 1 - y, x, :3]


def color(theme, name):
    return np.round(255 * np.array(to_rgb(getattr(theme, name))))


@pytest.mark.parametrize("theme", [viewer.PRINT, viewer.DARK], ids=["print", "dark"])
def test_tips_and_targets_are_at_their_pixels(theme):
    scene = staged(theme=theme)
    together = all_scenes(runs())[14]
    picture = scene.draw(together)
    asked = made().trajectory.tip(1.4).position
    for panel, moment in zip(scene.panels, together, strict=True):
        assert np.array_equal(pixel(picture, panel.axes, moment.points[-1]), color(theme, "accent"))
        assert panel.target.center == pytest.approx(asked)
    fallen = scene.panels[0]
    dot = np.round(255 * np.array(fallen.target.get_facecolor()[:3]))
    assert np.abs(pixel(picture, fallen.axes, asked) - dot).max() < 3.0


def test_clock_and_errors_are_those_of_the_runs():
    scene = staged()
    together = all_scenes(runs())[8]
    scene.draw(together)
    assert scene.clock.get_text() == "t = 0.80 s"
    off = np.hypot(*(together[0].points[-1] - made().trajectory.tip(0.8).position))
    assert scene.panels[0].error.get_text() == f"tip off by {1000 * off:.0f} mm"
    assert scene.panels[1].error.get_text() == "tip off by 0.00 mm"


def test_panels_show_the_same_part_of_the_plane():
    first, second = (panel.axes for panel in staged().panels)
    assert first.get_xlim() == second.get_xlim()
    assert first.get_ylim() == second.get_ylim()
    assert first.get_window_extent().x1 < second.get_window_extent().x0
    wide, high = first.get_window_extent().size
    across, up = np.ptp(first.get_xlim()), np.ptp(first.get_ylim())
    assert across / wide == pytest.approx(up / high)
    assert up >= 2.0 * made().arm.reach


def test_a_run_that_ended_early_stays_where_it_is(tmp_path):
    shown = {"ended": followed(1.5, until=0.5), "whole": followed()}
    moments = [first for first, _ in all_scenes(shown)]
    assert np.array_equal(moments[-1].points, moments[6].points)
    viewer.animate_following(made(), shown, tmp_path / "both.gif", **SMALL)
    with Image.open(tmp_path / "both.gif") as image:
        assert image.n_frames == 21


def test_what_cannot_be_filmed_side_by_side_is_refused(tmp_path):
    def refused(runs, file="both.gif", **changes):
        given = {**SMALL, **changes}
        return names_of(lambda: viewer.animate_following(made(), runs, tmp_path / file, **given))

    other = replace(followed(), arm=ulna.Arm.rods([0.5, 0.4], [1.0, 1.0]))
    assert refused({}) == refused(followed()) == ["runs"]
    assert refused({str(k): followed() for k in range(MOST_RUNS + 1)}) == ["runs"]
    assert refused({"x": other}) == ["runs['x']"]
    assert refused(runs(), "both.avi", fps=0, size=(3, 4)) == ["film", "fps", "size"]
    (tmp_path / "both.gif").write_bytes(b"before")
    assert refused(runs(), overwrite=False) == ["film"]
    assert (tmp_path / "both.gif").read_bytes() == b"before"
