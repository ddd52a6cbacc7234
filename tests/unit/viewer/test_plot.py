"""`ulna.plot`: a figure for everything that can be drawn, a sentence for everything else."""

import pickle
from io import BytesIO

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

import ulna
from figure_checks import words
from ulna import analysis, kinematics, viewer
from ulna.control import ComputedTorque

ARM = ulna.preset("kehl")
LIMITED = ulna.preset("so-101")
CIRCLE = ulna.paths.circle((0.5, 0.2), 0.2)


@pytest.fixture(scope="module")
def plan():
    return ulna.plan(ARM, CIRCLE, duration=2.0)


@pytest.fixture(scope="module")
def run(plan):
    return ulna.simulate(ARM, controller=ComputedTorque(), reference=plan)


def portrait(plan, run):
    return ulna.portrait(ulna.preset("bechard-1"), torque=4.0)


def section(plan, run):
    start = ([0.1, 0.2], [0.0, 0.0])
    return ulna.poincare(ulna.Scenario(arm=ARM, duration=1.0), starts=[start])


def points():
    turn = np.linspace(0.0, 2.0 * np.pi, 40)
    return np.stack([0.25 + 0.2 * np.cos(turn), 0.1 + 0.2 * np.sin(turn)], axis=-1)


DRAWN = {
    "Arm": (lambda plan, run: ARM, "workspace"),
    "Solutions": (lambda plan, run: kinematics.inverse(ARM, [0.6, 0.3]), "2 postures"),
    "Solutions of many": (
        lambda plan, run: kinematics.inverse(LIMITED, [[0.2, 0.1], [0.1, 0.2], [0.9, 0.0]]),
        "not reached: 1",
    ),
    "Workspace": (lambda plan, run: kinematics.workspace(LIMITED), "workspace"),
    "Tracked": (lambda plan, run: kinematics.track(LIMITED, points()), "points followed"),
    "Plan": (lambda plan, run: plan, "2 s, uniform"),
    "Run": (lambda plan, run: run, "ran to t = 2 s"),
    "Simulation": (
        lambda plan, run: ulna.Simulation(ulna.Scenario(arm=ARM, q0=[0.1, 0.2])),
        "pose",
    ),
    "Tracking": (lambda plan, run: analysis.tracking(run, plan), "tip error"),
    "Portrait": (portrait, "driven by 4 N·m"),
    "Section": (section, "section: "),
}


@pytest.mark.parametrize(("made", "told"), DRAWN.values(), ids=DRAWN)
def test_it_draws_what_it_is_given(plan, run, made, told):
    figure = ulna.plot(made(plan, run))
    assert isinstance(figure, Figure)
    assert told in words(figure)


def test_options_go_where_they_belong(plan, run):
    assert "tip path" in words(ulna.plot(plan, run=run))
    # Two links of half a metre at a right angle.
    assert "tip (0.5, 0.5) m, 90°" in words(ulna.plot(ARM, q=[0.0, np.pi / 2]))
    found = portrait(plan, run)
    assert "energy, kinetic and potential" in words(ulna.plot(found, energy=True))
    cut = section(plan, run)
    assert ulna.plot(cut, show=1).axes[-1].get_xlabel() == "$q_{1}$ [rad]"
    assert ulna.plot(ARM, theme=viewer.DARK).get_facecolor()[0] < 0.2


@pytest.mark.parametrize(
    ("thing", "options", "names", "way_out"),
    [
        (LIMITED, {"energy": True}, ["energy"], ""),
        (kinematics.workspace(ARM), {"q": [0.0, 0.0]}, ["q"], "Arm"),
        (ARM, {"q": [0.0], "show": 1, "energy": True}, ["energy", "show"], "Section"),
        (ARM, {"q": [0.0]}, ["q"], ""),
        (ARM, {"q": [[0.0, 0.0]]}, ["q"], "viewer.draw_ghosts"),
        (kinematics.inverse(ARM.parameters, [0.6, 0.3]), {}, ["Solutions"], "inverse"),
        (kinematics.track(LIMITED.parameters, points()), {}, ["Tracked"], "track"),
        (kinematics.track(LIMITED, points()[None]), {}, ["Tracked"], "path(0)"),
        (3.0, {}, ["plot"], "Arm (with q=)"),
        (ulna.Run, {}, ["plot"], "Run"),
        ("kehl", {}, ["plot"], "ulna.preset(name)"),
        (CIRCLE, {}, ["plot"], "ulna.plan(arm, path"),
        (ARM.parameters, {}, ["plot"], "Arm"),
        (ulna.simulate_batch(ARM, q0=[[0.0, 0.0]], duration=0.01), {}, ["plot"], "batch[0]"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_the_way_out(thing, options, names, way_out):
    with pytest.raises(ulna.InputError) as caught:
        ulna.plot(thing, **options)
    assert [problem.what for problem in caught.value.problems] == names
    assert way_out in str(caught.value)


# What was asked, kept for the picture of the answer


def test_points_that_are_not_followed_are_marked_by_reason():
    tracked = kinematics.track(LIMITED, points(), floor=0.0)
    (axes,) = ulna.plot(tracked).axes
    lines = {line.get_label(): len(line.get_xdata()) for line in axes.get_lines()}
    for flag in (
        kinematics.TrackFlag.OUT_OF_REACH,
        kinematics.TrackFlag.JOINT_LIMIT,
        kinematics.TrackFlag.BELOW_FLOOR,
    ):
        count = int(tracked.has(flag).sum())
        assert lines[f"{flag.text}: {count}"] == count > 0


def test_the_region_of_one_link_is_a_line():
    one = kinematics.workspace(ulna.Arm.rods([0.5], [1.0]))
    (axes,) = ulna.plot(one).axes
    assert all(patch.get_facecolor()[3] == 0.0 for patch in axes.patches)
    assert axes.get_xlim()[1] > 0.5


# In a notebook


def test_every_figure_has_a_picture_of_itself(plan, run):
    for figure in (
        viewer.torques_figure(plan),
        viewer.conventions_figure(),
        viewer.workspace_figure([ARM]),
        viewer.run_figure(run),
    ):
        data, about = figure._repr_png_()
        with Image.open(BytesIO(data)) as picture:
            assert picture.format == "PNG"
            assert picture.width == round(figure.get_figwidth() * figure.dpi)
        # In pixels of a page, of which no column of text has more than a thousand.
        assert 300 <= about["width"] <= 1000


def test_a_figure_can_be_sent_elsewhere():
    figure = pickle.loads(pickle.dumps(ulna.plot(ARM, q=[0.1, 0.2])))
    assert "tip (" in words(figure)
