"""Sections as pictures: dots where the runs pass, and every joint's angle and speed beside them."""

import numpy as np
import pytest

import ulna
from figure_checks import drawn, rendered
from refusals import names_of, problems_of
from ulna import viewer
from ulna.viewer.section_figures import MOST_JOINTS

PLACE = -1.57
TWO = [([-1.5, 0.2], [0.0, 0.0]), ([-1.0, 1.0], [0.0, 0.0])]


@pytest.fixture(scope="module")
def section():
    arm = ulna.Arm.rods([1.0, 1.0], [1.0, 1.0], name="two rods")
    return ulna.poincare(
        ulna.Scenario(arm=arm, duration=10.0, samples=2001), starts=TWO, angle=PLACE
    )


def cut_through(n, duration=1.0, **options):
    arm = ulna.Arm.rods([1.0 / n] * n, [1.0] * n)
    given = {"starts": [([-1.4] + [0.1] * (n - 1), [0.0] * n)], "angle": PLACE}
    asked = ulna.Scenario(arm=arm, duration=duration, samples=101)
    return ulna.poincare(asked, **{**given, **options})


@pytest.mark.parametrize("joint", [1, 2])
def test_a_dot_is_a_passage(section, joint):
    axes = drawn(viewer.plot_section, section, joint)
    assert len(axes.lines) == len(section.crossings) == 2
    for line, one in zip(axes.lines, section.crossings, strict=True):
        assert np.array_equal(line.get_xdata(), one.q[:, joint - 1])
        assert np.array_equal(line.get_ydata(), one.qd[:, joint - 1])
        assert line.get_linestyle() == "None"


def test_dots_of_the_joint_that_is_cut_stand_on_the_section(section):
    axes = drawn(viewer.plot_section, section, section.joint)
    for line in axes.lines:
        assert len(line.get_xdata()) >= 4
        assert line.get_xdata() == pytest.approx(PLACE, abs=1e-9)
        assert np.all(np.asarray(line.get_ydata()) > 0.0)  # the angle grows


@pytest.mark.parametrize("joint", [1, 2])
def test_a_projection_is_the_run(section, joint):
    run = section.crossings[0].run
    axes = drawn(viewer.plot_projection, run, joint)
    (line,) = axes.lines
    assert line.get_xdata() == pytest.approx(run.q[:, joint - 1])
    assert line.get_ydata() == pytest.approx(run.qd[:, joint - 1])
    assert axes.get_xlabel() == f"$q_{{{joint}}}$ [rad]"
    assert axes.get_ylabel().endswith("[rad/s]")


def test_a_projection_never_crosses_the_page():
    whirled = cut_through(2, starts=[([0.0, 0.0], [20.0, -50.0])])
    run = whirled.crossings[0].run
    assert np.ptp(run.q[:, 0]) > 7.0  # more than a turn
    for joint in (1, 2):
        axes = drawn(viewer.plot_projection, run, joint)
        x, y = (np.asarray(values) for values in axes.lines[-1].get_data())
        together = ~np.isnan(y[1:]) & ~np.isnan(y[:-1])
        assert np.max(np.abs(np.diff(x))[together]) < np.pi
        assert np.isnan(y).any()
        assert np.max(np.abs(x)) <= np.pi


@pytest.mark.parametrize(("n", "panels"), [(2, 3), (3, 4), (5, 6)])
def test_a_page_has_a_panel_for_each_joint_and_one_for_the_section(n, panels):
    figure = viewer.section_figure(cut_through(n))
    assert rendered(figure)
    shown = [part for part in figure.axes if part.get_visible()]
    titles = [part.get_title("left") + part.get_title() for part in shown]
    assert len(shown) == panels
    assert titles[:n] == [f"joint {joint}" for joint in range(1, n + 1)]
    assert titles[n] == "section: $q_{1}$ = -1.57 rad"


@pytest.mark.parametrize(("cut", "shown"), [(1, 2), (2, 3), (3, 1)])
def test_the_section_shows_the_joint_after_the_one_that_is_cut_or_another(cut, shown):
    section = cut_through(3, joint=cut, angle=0.1)
    assert viewer.section_figure(section).axes[3].get_xlabel() == f"$q_{{{shown}}}$ [rad]"
    assert viewer.section_figure(section, show=cut).axes[3].get_xlabel() == f"$q_{{{cut}}}$ [rad]"


def test_several_starts_are_named_with_their_colours(section):
    (legend,) = viewer.section_figure(section).legends
    counts = [len(one) for one in section.crossings]
    named = [text.get_text() for text in legend.get_texts()]
    assert named == [f"start {k}: {count} crossings" for k, count in enumerate(counts, start=1)]
    empty = cut_through(2, angle=2.0)
    assert len(empty.crossings[0]) == 0
    assert not viewer.section_figure(empty).legends


def test_joints_that_cannot_be_drawn_are_refused(section):
    for joint in (0, 3, 1.5):
        assert names_of(lambda joint=joint: drawn(viewer.plot_section, section, joint)) == ["joint"]
    many = cut_through(MOST_JOINTS + 1, duration=0.0)
    (problem,) = problems_of(lambda: viewer.section_figure(many))
    assert (problem.what, problem.got) == ("arm", "13 joints")
    assert "plot_projection" in problem.hint
