"""Figures: drawn to scale, on the axes that were given, and the same each time."""

import io

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

import ulna
from ulna import viewer

ARM = ulna.preset("kehl")


@pytest.fixture
def axes():
    return Figure().add_subplot()


def png(figure):
    page = io.BytesIO()
    figure.savefig(page, format="png", dpi=40)
    return page.getvalue()


def test_drawing_returns_the_axes_it_was_given(axes):
    assert viewer.draw_arm(axes, ARM, [0.5, 0.5]) is axes
    assert viewer.draw_reach(axes, ARM) is axes
    assert viewer.fit_axes(axes, ARM) is axes


def test_links_are_drawn_to_scale(axes):
    q = np.array([0.4, -1.1])
    viewer.draw_arm(axes, ARM, q)
    first, second = axes.patches[:2]
    corners = second.get_xy()
    points = ulna.kinematics.joints(ARM, q)
    along = (points[2] - points[1]) / 0.5
    reach = corners @ along
    half_width = 0.5 * viewer.arm_drawing.THICKNESS * viewer.arm_drawing.SLENDER
    assert np.ptp(reach) == pytest.approx(0.5 + 2 * half_width, rel=1e-3)
    assert first.get_xy()[:, 0].min() == pytest.approx(
        -0.5 * viewer.arm_drawing.THICKNESS, abs=1e-3
    )


def test_frame_shows_the_reach_and_further_points(axes):
    viewer.fit_axes(axes, ARM, also=[[3.0, 0.0]])
    assert axes.get_xlim()[0] < -1.0
    assert axes.get_xlim()[1] > 3.0
    assert axes.get_aspect() == 1.0


FIGURES = {
    "pose": lambda theme: viewer.pose_figure(ARM, [0.5, 0.5], theme=theme),
    "reach": lambda theme: viewer.reach_figure(
        ARM, [0.6, 0.3], ulna.kinematics.inverse(ARM, [0.6, 0.3]), theme=theme
    ),
    "conventions": lambda theme: viewer.conventions_figure(theme=theme),
    "workspace": lambda theme: viewer.workspace_figure([ARM, ulna.preset("so-101")], theme=theme),
}


@pytest.mark.parametrize("name", FIGURES)
def test_figures_are_the_same_each_time(name):
    assert png(FIGURES[name](viewer.PRINT)) == png(FIGURES[name](viewer.PRINT))


def test_a_theme_says_what_differs_from_the_default():
    assert repr(viewer.PRINT) == "Theme()"
    assert repr(viewer.Theme(link="red")) == "Theme(link='red')"
    assert eval(repr(viewer.DARK), {"Theme": viewer.Theme}) == viewer.DARK


@pytest.mark.parametrize("theme", [viewer.PRINT, viewer.DARK], ids=["print", "dark"])
def test_figures_have_the_paper_of_their_look(theme):
    figure = FIGURES["pose"](theme)
    assert figure.get_facecolor() == to_rgba(theme.background)
    assert figure.axes[0].get_facecolor() == to_rgba(theme.background)


def test_style_leaves_other_figures_alone():
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    with viewer.styled(viewer.DARK):
        assert mpl.rcParams["axes.facecolor"] == viewer.DARK.background
    assert dict(mpl.rcParams) == before


def test_one_link_has_an_arc_for_a_reach(axes):
    arm = ulna.Arm.rods([1.0], [1.0], joints=[ulna.Joint(0.0, 1.0)])
    viewer.draw_reach(axes, arm)
    outline = axes.patches[-1].get_path().vertices
    assert np.hypot(*outline.T) == pytest.approx(np.ones(len(outline)))
    assert np.degrees(np.arctan2(*outline.T[::-1])).max() == pytest.approx(np.degrees(1.0))
