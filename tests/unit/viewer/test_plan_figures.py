"""Figures of a plan: paths, torques and errors are the plan's own, and problems are seen."""

import functools

import numpy as np
import pytest
from matplotlib.colors import same_color

import ulna
from figure_checks import ROUND, drawn, followed, line_of, planned, rendered, words
from refusals import names_of
from ulna import viewer
from ulna.viewer.plan_figures import marks, reference_points

LIMITS = [ulna.Joint(max_torque=14.0), ulna.Joint(max_torque=100.0, damping=0.1)]


@functools.cache
def limited():
    arm = ulna.Arm.rods([0.5, 0.5], [2.0, 2.0], joints=LIMITS)
    return ulna.plan(arm, ROUND, duration=3.0, rate=50.0, tip_force=(0.0, -3.0))


@functools.cache
def too_far():
    """Give a plan that leaves the reach twice, at both ends of an ellipse."""
    return planned(path=ulna.paths.ellipse(radii=(0.5, 1.2)))


def labels(axes):
    return [line.get_label() for line in axes.lines if not line.get_label().startswith("_")]


def test_the_path_is_the_plans_and_to_scale():
    plan = planned()
    axes = drawn(viewer.plot_path, plan)
    assert np.allclose(line_of(axes, "reference path").get_xydata(), plan.tip[:, :2])
    assert axes.get_aspect() == 1.0
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x [m]", "y [m]")
    assert "start and end" in labels(axes)


def test_an_open_path_has_a_start_and_an_end():
    plan = planned(path=ulna.paths.line((0.2, 0.3), (0.7, -0.1)))
    axes = drawn(viewer.plot_path, plan)
    assert np.allclose(line_of(axes, "start").get_xydata(), [[0.2, 0.3]])
    assert np.allclose(line_of(axes, "end").get_xydata(), [[0.7, -0.1]])
    (tip,) = (patch for patch in axes.patches if patch.get_zorder() == 5)  # drawn in full
    assert tip.center == pytest.approx([0.7, -0.1])


def test_the_way_of_a_run_is_drawn_over_the_path():
    plan = planned()
    run = followed(plan, off=0.02)
    axes = drawn(viewer.plot_path, plan, run)
    way = line_of(axes, "tip path").get_xydata()
    assert np.allclose(way[[0, -1]], run.tip[[0, -1], :2])
    assert same_color(line_of(axes, "tip path").get_color(), viewer.PRINT.accent)


def test_a_long_way_breaks_off_where_the_arm_is_drawn():
    plan = planned()
    run = followed(plan, q=plan.q + 40.0 * plan.t[:, None], qd=plan.qd + 40.0)
    axes = drawn(viewer.plot_path, plan, run)
    (label,) = (label for label in labels(axes) if "until t = " in label)
    (tip,) = (patch for patch in axes.patches if patch.get_zorder() == 5)
    assert np.allclose(line_of(axes, label).get_xydata()[-1], tip.center)


def test_long_plans_are_thinned():
    plan = planned(rate=20_000.0)
    way = reference_points(plan)
    assert len(way) == 4000
    assert np.allclose(way[[0, -1]], plan.tip[[0, -1], :2])


def test_what_is_out_of_reach_is_marked_and_told():
    plan = too_far()
    (mark,) = marks(plan)
    assert mark.places == 2
    points = mark.ways[np.isfinite(mark.ways[:, 0])]
    assert np.all(np.hypot(*points.T) > plan.arm.reach)
    assert abs(mark.place) == pytest.approx([0.0, 1.2], abs=0.02)
    axes = drawn(viewer.plot_path, plan)
    assert same_color(line_of(axes, "_problem").get_color(), viewer.PRINT.warning)
    (label,) = (text.get_text() for text in axes.texts if text.get_text())
    assert label.startswith("out of reach in 2 places, by ")
    text = words(viewer.motion_figure(plan)).replace("\n", " ")
    assert plan.problems[0].text in text
    assert "and 1 more like it" in text


def test_corners_are_marked_where_they_are():
    corners = [(0.5, 0.5), (0.7, 0.2), (0.5, -0.3), (0.2, 0.4)]
    plan = planned(path=ulna.paths.polyline(corners, blend=0.0))
    (mark,) = marks(plan)
    assert np.allclose(mark.instants, corners[1:-1], atol=1e-6)
    axes = drawn(viewer.plot_path, plan)
    assert "corner in 2 places" in [text.get_text() for text in axes.texts]


def test_torques_and_terms_are_the_plans():
    plan = limited()
    axes = drawn(viewer.plot_joint_torque, plan, 2)
    assert np.array_equal(line_of(axes, "total").get_ydata(), plan.tau[:, 1])
    assert np.array_equal(line_of(axes, "total").get_xdata(), plan.t)
    names = {"Coriolis": "coriolis", "tip force": "tip_force", "damping": "damping"}
    for label, name in names.items():
        assert np.array_equal(line_of(axes, label).get_ydata(), getattr(plan.terms, name)[:, 1])
    assert axes.get_ylabel() == "torque [N·m]"
    peak, rms = np.abs(plan.tau[:, 1]).max(), np.sqrt(np.mean(plan.tau[:, 1] ** 2))
    for text in ("joint 2", f"{peak:.4g} N·m", f"{rms:.4g} RMS"):
        assert text in axes.get_title("left")


def test_terms_that_are_zero_are_left_out():
    (legend,) = viewer.torques_figure(planned()).legends
    named = [text.get_text() for text in legend.get_texts()]
    assert named == ["total", "inertia", "Coriolis", "gravity"]
    flat = ulna.plan(planned().arm.replace(gravity=(0.0, 0.0)), ROUND, duration=3.0)
    (legend,) = viewer.torques_figure(flat).legends
    assert "gravity" not in [text.get_text() for text in legend.get_texts()]


def test_friction_is_a_term_of_its_own_where_there_is_any():
    joints = [ulna.Joint(friction=ulna.Friction(1.0)), ulna.Joint(damping=0.1)]
    plan = ulna.plan(planned().arm.replace(joints=joints), ROUND, duration=3.0, rate=50.0)
    axes = drawn(viewer.plot_joint_torque, plan, 1)
    line = line_of(axes, "friction")
    assert np.array_equal(line.get_ydata(), plan.terms.friction[:, 0])
    others = [one.get_color() for one in axes.lines if one is not line]
    assert not any(same_color(line.get_color(), color) for color in others)


def test_a_limit_is_drawn_where_it_is_near():
    first, second = viewer.torques_figure(limited()).axes
    assert set(line_of(first, "limit").get_ydata()) == {14.0}
    assert "limit" not in labels(second)
    assert line_of(first, "limit").get_color() == viewer.PRINT.warning


@pytest.mark.parametrize(("n", "panels"), [(1, 1), (3, 3), (5, 5), (6, 6), (9, 4)])
def test_every_joint_has_a_panel_or_every_term(n, panels):
    figure = viewer.torques_figure(
        planned(n, path=ulna.paths.joints([[0.1] * n, [0.5] * n]), timing="quintic")
    )
    assert len(figure.axes) == panels
    shown = len(figure.axes[0].lines)
    assert shown == (n if n == 9 else len(figure.legends[0].get_texts()))
    assert [axes.get_xlabel() for axes in figure.axes].count("time [s]") == (1 if n <= 3 else 2)


def test_errors_are_the_distances_of_the_tips():
    plan = planned()
    runs = {"one": followed(plan, 0.01), "two": followed(plan, 0.2)}
    axes = drawn(viewer.plot_error, plan, runs)
    asked = plan.trajectory.tip(plan.t).position
    for label, run in runs.items():
        expected = np.hypot(*(run.tip[:, :2] - asked).T)
        (line,) = (one for one in axes.lines if one.get_label().startswith(label))
        assert np.allclose(line.get_ydata(), expected, atol=1e-12)
    assert axes.get_yscale() == "log"
    assert axes.get_ylabel() == "tip error [m]"


def test_deviations_are_along_the_path_and_to_its_left():
    plan = planned(path=ulna.paths.line((0.2, 0.1), (0.6, 0.1)))
    beside = ulna.kinematics.track(plan.arm, plan.tip[:, :2] + [0.002, 0.001], plan.q[0]).q
    axes = drawn(viewer.plot_deviation, plan, followed(plan, q=beside))
    assert axes.get_ylabel() == "tip error [mm]"
    assert np.allclose(line_of(axes, "along-track").get_ydata(), 2.0)
    assert np.allclose(line_of(axes, "cross-track").get_ydata(), 1.0)


def test_what_is_not_there_is_refused():
    for runs in ({}, None, "run", {3: 1}):
        assert names_of(lambda runs=runs: viewer.error_figure(planned(), runs)) == ["runs"]
    assert names_of(lambda: viewer.error_figure(planned(), {"x": 3})) == ["runs['x']"]
    for joint in (0, 3, 1.5):
        refused = names_of(lambda joint=joint: drawn(viewer.plot_joint_torque, planned(), joint))
        assert refused == ["joint"]


def test_what_cannot_be_followed_and_runs_that_did_not_follow_make_their_pages():
    nowhere = planned(path=ulna.paths.line((3.0, 0.0), (3.0, 1.0)))
    for plan in (nowhere, too_far(), limited()):
        rendered(viewer.motion_figure(plan))
        rendered(viewer.torques_figure(plan))
    assert "out of reach" in words(viewer.motion_figure(nowhere))
    assert "joint 2: out of reach" in words(viewer.torques_figure(nowhere))
    plan = planned()
    one = followed(plan, **{name: getattr(plan, name)[:1] for name in ("t", "q", "qd")})
    wild = followed(plan, q=np.where(plan.t[:, None] < 1.0, plan.q, np.nan))
    for run in (one, wild, followed(plan, arm=plan.arm.with_payload(0.5))):
        rendered(viewer.error_figure(plan, {"run": run}))
        rendered(viewer.motion_figure(plan, run))
    assert "[µm]" in words(viewer.error_figure(plan, {"close": followed(plan, 1e-6)}))


@pytest.mark.parametrize(
    "other",
    [
        ulna.Arm.rods([0.5, 0.4], [1.0, 1.0]),
        ulna.Arm.rods([1.0], [1.0]),
        ulna.Arm.rods([0.5, 0.5], [1.0, 1.0], base=(0.0, 1.0)),
    ],
    ids=["lengths", "links", "base"],
)
def test_runs_of_another_arm_are_refused(other):
    plan = planned()
    run = followed(plan, arm=other, q=plan.q[:, : other.n], qd=plan.qd[:, : other.n])
    assert names_of(lambda: viewer.error_figure(plan, {"x": run})) == ["runs['x']"]
    assert names_of(lambda: drawn(viewer.plot_path, plan, run)) == ["run"]


def test_neither_path_nor_tip_draws_with_the_pen_up(tmp_path):
    # Two strokes of 10 cm, and 10 cm of travel from the end of one to the start of the other.
    (tmp_path / "p.csv").write_text("x,y,pen\n0.4,0,0\n0.5,0,1\n0.5,0.1,0\n0.4,0.1,1\n", "utf-8")
    plan = planned(path=ulna.paths.csv(tmp_path / "p.csv"))
    axes = drawn(viewer.plot_path, plan, followed(plan))

    def length(label):
        return np.nansum(np.hypot(*np.diff(line_of(axes, label).get_xydata(), axis=0).T))

    for line, travel in (
        ("reference path", "travel, pen up"),
        ("tip path", "_travel of the tip"),
    ):
        assert length(line) == pytest.approx(0.2, rel=5e-3)
        assert length(travel) == pytest.approx(0.1, rel=5e-3)
        assert line_of(axes, travel).is_dashed()
    assert labels(axes).count("travel, pen up") == 1
