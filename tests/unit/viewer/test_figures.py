"""What holds of every figure: its theme, plain names, and nothing left behind in matplotlib."""

from functools import cache

import matplotlib as mpl
import pytest
from matplotlib.colors import to_rgba

import ulna
from figure_checks import rendered, words
from ulna import viewer
from ulna.control import PID, ComputedTorque
from ulna.viewer.figure_style import LETTERS

NAME = r"a $\frac$ b"
ARM = ulna.Arm.rods([0.5, 0.5], [1.0, 1.0], name=NAME)
ONE = ulna.Arm.rods([1.0], [1.0], name=NAME)
ROUND = ulna.paths.circle((0.5, 0.2), 0.2)
THEMES = {"print": viewer.PRINT, "dark": viewer.DARK}


@cache
def planned(path=ROUND):
    return ulna.plan(ARM, path, duration=0.5, rate=50.0)


@cache
def followed():
    return ulna.simulate(ARM, controller=ComputedTorque(), reference=planned(), samples=26)


def loop():
    return ulna.analysis.loop(ARM, [1.0, 0.5], PID(400.0, 40.0, 100.0), rate=250.0)


def section():
    return ulna.poincare(
        ulna.Scenario(arm=ARM, duration=0.5, samples=101), starts=[([0.1, 0.2], [0.0, 0.0])]
    )


FIGURES = {
    "pose": lambda theme: viewer.pose_figure(ARM, [0.5, 0.5], theme=theme),
    "reach": lambda theme: viewer.reach_figure(
        ARM, [0.6, 0.3], ulna.kinematics.inverse(ARM, [0.6, 0.3]), theme=theme
    ),
    "workspace": lambda theme: viewer.workspace_figure([ARM, ulna.preset("so-101")], theme=theme),
    "motion": lambda theme: viewer.motion_figure(planned(), followed(), theme=theme),
    "torques": lambda theme: viewer.torques_figure(planned(), theme=theme),
    "error": lambda theme: viewer.error_figure(planned(), {NAME * 9: followed()}, theme=theme),
    "run": lambda theme: viewer.run_figure(followed(), theme=theme),
    "section": lambda theme: viewer.section_figure(section(), theme=theme),
    "portrait": lambda theme: viewer.portrait_figure(
        ulna.portrait(ONE, speeds=(-5.0, 5.0)), theme=theme
    ),
    "loop": lambda theme: viewer.bode_figure(loop(), theme=theme),
    "conventions": lambda theme: viewer.conventions_figure(theme=theme),
}


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_has_its_theme_its_name_as_written_and_leaves_no_trace(name, theme):
    before = dict(mpl.rcParams)
    figure = FIGURES[name](theme)
    assert rendered(figure)
    assert dict(mpl.rcParams) == before
    assert figure.get_facecolor() == to_rgba(theme.background)
    assert (NAME in words(figure)) == (name != "conventions")


@pytest.mark.parametrize("name", ["pose", "reach", "workspace", "conventions"])
def test_a_figure_is_the_same_each_time(name):
    assert rendered(FIGURES[name](viewer.PRINT)) == rendered(FIGURES[name](viewer.PRINT))


def test_a_long_title_is_cut():
    path = ulna.paths.polyline([(0.1 * k, 0.3) for k in range(8)])
    assert len(viewer.torques_figure(planned(path)).texts[0].get_text()) == LETTERS
