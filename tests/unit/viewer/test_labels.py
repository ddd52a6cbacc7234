"""Texts never lie on one another, whatever the runs did; small drawings are enlarged."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib.text import Text

import ulna
from figure_checks import ROUND, followed, planned
from ulna import viewer


def drawn_texts(figure, monkeypatch):
    """Give every text that is drawn with its box: what was made and is hidden does not count."""
    found, draw = {}, Text.draw

    def record(self, *words, **options):
        draw(self, *words, **options)
        if self.get_visible() and self.get_text().strip():
            # Of one that is drawn again, after all has been laid out, the last place counts.
            found[id(self)] = (self.get_text(), Text.get_window_extent(self))

    monkeypatch.setattr(Text, "draw", record)
    figure.draw_without_rendering()
    monkeypatch.undo()
    return list(found.values())


def collisions(texts):
    def overlap(one, other):
        wide = min(one.x1, other.x1) - max(one.x0, other.x0)
        high = min(one.y1, other.y1) - max(one.y0, other.y0)
        return wide > 0.5 and high > 0.5  # [pixels]

    return [(a, b) for (a, one), (b, other) in combinations(texts, 2) if overlap(one, other)]


def outside(figure, texts):
    page = figure.bbox
    return [
        text
        for text, box in texts
        if box.x0 < page.x0 or box.y0 < page.y0 or box.x1 > page.x1 or box.y1 > page.y1
    ]


def swinging(plan):
    """Give a run that is thrown about all over its reach, as an arm that fell off its path is."""
    angle = 40.0 * plan.t[:, None] ** 2 * np.array([1.0, -1.7])[: plan.arm.n]
    return followed(plan, q=plan.q + angle)


def both(one, other):
    return {"open loop": one, "closed loop": other}


RUNS = {
    "follows well": lambda plan: both(followed(plan, 1e-6), followed(plan, 1e-9)),
    "exactly": lambda plan: both(followed(plan), followed(plan)),
    "falls off": lambda plan: both(swinging(plan), followed(plan, 1e-5)),
    "both fall off together": lambda plan: both(followed(plan, 0.2), followed(plan, 0.21)),
    "many": lambda plan: {f"run {k}": followed(plan, 0.1 + 0.01 * k) for k in range(12)},
    "long names": lambda plan: {
        "W" * 50 + str(k): followed(plan, 0.1 + 0.02 * k) for k in range(5)
    },
}


@pytest.mark.parametrize("kind", RUNS)
def test_no_text_of_an_error_page_lies_on_another(kind, monkeypatch):
    plan = planned(rate=400.0)
    runs = RUNS[kind](plan)
    figure = viewer.error_figure(plan, runs)
    texts = drawn_texts(figure, monkeypatch)
    assert collisions(texts) == []
    assert outside(figure, texts) == []
    named = " ".join(text.get_text() for text in figure.axes[0].get_legend().get_texts())
    for run in runs.values():
        found = ulna.analysis.tracking(run, plan)
        for bound in (0.01, 0.1):
            when = found.first_exit(bound)
            assert when is None or f"off at {when:.3g} s" in named


# ------------------------------------------------------------------------------------- the inset


def inset_of(figure):
    pictures = [axes for part in figure.subfigs for axes in part.axes]
    return pictures[0], pictures[0].child_axes


SMALL = ulna.paths.circle(center=(0.5, 0.2), radius=0.03)


@pytest.mark.parametrize(("path", "count"), [(SMALL, 1), (ROUND, 0)])
def test_small_drawings_are_enlarged_and_others_are_not(path, count):
    plan = planned(path=path)
    _, insets = inset_of(viewer.motion_figure(plan, followed(plan, 1e-3)))
    assert len(insets) == count


def test_an_enlargement_shows_all_of_the_path_and_the_way(monkeypatch):
    plan = planned(path=SMALL)
    figure = viewer.motion_figure(plan, followed(plan, 1e-3))
    axes, (inset,) = inset_of(figure)
    texts = drawn_texts(figure, monkeypatch)
    assert collisions(texts) == []
    shown = [line.get_xydata() for line in inset.lines if len(line.get_xdata()) > 2]
    assert any(np.allclose(way, plan.tip[:, :2]) for way in shown if way.shape == (len(plan.t), 2))
    low, high = np.array([inset.get_xlim(), inset.get_ylim()]).T
    assert (plan.tip[:, :2] > low).all()
    assert (plan.tip[:, :2] < high).all()
    (told,) = (text for text, _ in texts if text.startswith("enlarged "))
    wide = inset.get_window_extent().width / axes.get_window_extent().width
    times = wide * np.ptp(axes.get_xlim()) / np.ptp(inset.get_xlim())
    assert float(told.split()[1]) == pytest.approx(times, rel=0.06)


@pytest.mark.parametrize("center", [(0.5, 0.2), (-0.5, 0.3), (0.2, -0.6), (-0.3, -0.5)])
def test_an_enlargement_lies_on_neither_path_nor_arm(center):
    plan = planned(path=ulna.paths.circle(center=center, radius=0.03))
    figure = viewer.motion_figure(plan)
    figure.draw_without_rendering()
    axes, (inset,) = inset_of(figure)
    box = inset.get_window_extent()
    joints = ulna.kinematics.joints(plan.arm, plan.q)
    part = np.linspace(0.0, 1.0, 20)[:, None, None, None]
    links = (joints[:, :-1] * (1.0 - part) + joints[:, 1:] * part).reshape(-1, 2)
    dots = axes.transData.transform(links)
    inside = (dots > [box.x0, box.y0]) & (dots < [box.x1, box.y1])
    assert not inside.all(axis=-1).any()


# --------------------------------------------------------------------------------------- elbows


@pytest.mark.parametrize("target", [(0.5, 0.2), (-0.4, 0.3), (0.9, 0.42), (0.1, -0.9)])
def test_elbows_are_named_where_they_are(target, monkeypatch):
    arm = ulna.preset("kehl")
    found = ulna.kinematics.inverse(arm, target)
    figure = viewer.reach_figure(arm, target, found)
    texts = drawn_texts(figure, monkeypatch)
    assert collisions(texts) == []
    height = {text: box.y0 for text, box in texts if text.startswith("elbow")}
    assert height["elbow up"] > height["elbow down"]
