"""Figures of a run: every curve and posture is the run's own, and what is drawn can be read."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

import ulna
from figure_checks import drawn, rendered, words
from ulna import viewer
from ulna.control import PD
from ulna.viewer.figure_style import curve

TABLE = ([0.0, 1.0, 2.0], [[0.0, 0.0], [1.0, 0.5], [0.0, 0.0]])


def swinging(n=2, samples=201, duration=2.0, **how):
    """Give a run of an arm that is let go, named by the number of its links."""
    arm = ulna.Arm.rods([1.0 / n] * n, [1.0] * n, name=f"arm of {n}")
    given = {"method": "rk4", "dt": 1e-3, "samples": samples, "duration": duration, **how}
    return ulna.simulate(arm, q0=[0.5] * n, **given)


@pytest.mark.parametrize(
    ("plot", "name"),
    [
        (viewer.plot_angles, "q"),
        (viewer.plot_speeds, "qd"),
        (viewer.plot_torques, "tau"),
        (viewer.plot_tip, "tip"),
    ],
)
def test_curves_are_the_samples(plot, name):
    run = swinging(3, torque=["sin(t)", 0.0, 0.0])
    lines = drawn(plot, run).lines
    samples = getattr(run, name).T[: len(lines)]
    assert np.array_equal([line.get_ydata() for line in lines], samples)
    assert all(np.array_equal(line.get_xdata(), run.t) for line in lines)


def test_energies_add_up_to_the_total():
    axes = drawn(viewer.plot_energy, swinging())
    curves = {line.get_label(): line.get_ydata() for line in axes.lines}
    assert np.allclose(curves["total"], curves["kinetic"] + curves["potential"])
    gained = curves["total"] - curves["total"][0]
    assert np.allclose(curves["injected − dissipated"], gained, atol=1e-6)


@pytest.mark.parametrize(
    ("how", "style"),
    [
        ({}, "default"),
        ({"controller": PD(1.0), "reference": [0.0, 0.0]}, "steps-post"),
        ({"torque": TABLE, "between": "hold"}, "steps-post"),
        ({"torque": TABLE, "between": "linear"}, "default"),
    ],
)
def test_torques_are_steps_only_where_they_are_held(how, style):
    axes = drawn(viewer.plot_torques, swinging(**how))
    assert {line.get_drawstyle() for line in axes.lines} == {style}


def luminance(color):
    return float(np.dot([0.2126, 0.7152, 0.0722], np.array(to_rgb(color)) ** 2.2))


def test_a_few_joints_can_be_told_apart_without_colour():
    lines = drawn(viewer.plot_angles, swinging(5)).lines
    patterns = [str(line._dash_pattern) for line in lines]
    assert len(set(patterns[1:])) == 4  # orange and blue differ for every eye; the others by dashes
    assert len({line.get_color() for line in lines}) == 5


def test_long_curves_keep_their_ends_and_extremes():
    values = np.sin(np.linspace(0.0, 300.0, 123_457))
    values[[777, 100_001]] = 5.0, -5.0
    values[[50_000, 50_001]] = np.nan, np.inf
    figure = Figure()
    curve(figure.add_subplot(), np.arange(len(values)), values, "", {})
    shown = figure.axes[0].lines[0].get_xdata()
    assert len(shown) < 0.1 * len(values)
    assert {0, 777, 100_001, len(values) - 1} <= set(np.asarray(shown).tolist())
    assert np.all(np.diff(shown) > 0)


@pytest.mark.parametrize(("n", "samples"), [(1, 1), (1, 2), (12, 5)])
def test_a_page_of_any_run_says_what_was_run_and_how_it_ended(n, samples):
    figure = viewer.run_figure(swinging(n, samples, duration=0.1))
    assert rendered(figure)
    for part in (f"arm of {n}", "s with rk4", "ran to t = 0.1 s"):
        assert part in words(figure)


def test_values_beyond_measure_are_drawn_without_a_warning():
    run = swinging(samples=9)
    tau = np.where(np.arange(9)[:, None] == 3, np.nan, np.full_like(run.tau, 1e306))
    wild = replace(run, q=1e306 * run.q, qd=np.full_like(run.qd, np.inf), tau=tau)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rendered(viewer.run_figure(wild))


def test_a_run_without_a_posture_is_refused():
    run = swinging(samples=9)
    with pytest.raises(ulna.InputError, match="finite angles"):
        drawn(viewer.plot_motion, replace(run, q=np.full_like(run.q, np.nan)))


def test_ghosts_are_the_first_to_the_last_and_older_ones_paler():
    run = swinging()
    axes = drawn(viewer.draw_ghosts, run.arm, run.q, count=3)
    tips = [patch for patch in axes.patches if patch.get_zorder() == 3]
    expected = ulna.kinematics.tip(run.arm, run.q[[0, 100, 200]])[:, :2]
    assert np.allclose([patch.center for patch in tips], expected)
    shades = [luminance(patch.get_facecolor()[:3]) for patch in tips]
    assert shades == sorted(shades, reverse=True)


@pytest.mark.parametrize(("duration", "least", "most"), [(2.0, 0.0, 25.0), (60.0, 20.0, 30.0)])
def test_the_motion_ends_where_the_run_does_and_of_a_long_one_the_end_is_shown(
    duration, least, most
):
    run = swinging(samples=4001, duration=duration)
    axes = drawn(viewer.plot_motion, run)
    segments = np.array(axes.collections[0].get_segments())
    length = np.sum(np.hypot(*np.diff(segments, axis=1)[:, 0].T))
    assert least < length / run.arm.reach < most
    assert np.allclose(segments[-1, -1], run.tip[-1, :2])
    assert np.hypot(*segments[..., 0, :].T).max() <= run.arm.reach + 1e-9
    assert axes.get_aspect() == 1.0


def test_what_a_limit_cut_is_drawn_thinly_behind_what_was_applied():
    free = swinging(torque=["5*sin(t)", 0.1])
    run = replace(free, tau=free.tau.clip(-2.0, 2.0), tau_commanded=free.tau)
    axes = drawn(viewer.plot_torques, run)
    asked, first, second = axes.get_lines()
    assert np.array_equal(asked.get_ydata(), run.tau_commanded[:, 0])
    assert np.array_equal(first.get_ydata(), run.tau[:, 0])
    assert asked.get_linewidth() < 0.5 * first.get_linewidth()
    assert asked.get_color() == first.get_color() != second.get_color()
    assert len(axes.get_legend().get_texts()) == 2


def stopping(friction):
    """Give a run whose second joint stands still twice, once at its stop."""
    run = swinging()
    joints = [ulna.Joint(friction=friction), ulna.Joint(upper=0.5, friction=friction)]
    q, qd = run.q.copy(), run.qd.copy()
    for span, angle in ((slice(20, 41), 0.2), (slice(60, 81), 0.5)):
        q[span, 1], qd[span, 1] = angle, 0.0
    return replace(run, arm=run.arm.replace(joints=joints), q=q, qd=qd, contacts=())


def test_where_a_joint_sticks_is_marked_under_its_curve():
    run = stopping(ulna.Friction(1.0))
    axes = drawn(viewer.plot_angles, run)
    (marks,) = axes.collections
    (segment,) = marks.get_segments()
    assert segment.tolist() == [[run.t[20], 0.2], [run.t[40], 0.2]]
    assert marks.get_label() == "stuck"
    assert to_hex(marks.get_color()[0]) == to_hex(axes.lines[1].get_color())
    assert not drawn(viewer.plot_angles, stopping(None)).collections


@pytest.mark.parametrize("friction", [None, ulna.Friction(0.2)])
def test_what_friction_takes_is_drawn_beside_the_torques(friction):
    arm = ulna.Arm.rods([1.0], [1.0], joints=[ulna.Joint(friction=friction)])
    run = ulna.simulate(arm, q0=[-1.0], duration=0.1)
    axes = viewer.plot_torques(Figure().add_subplot(), run)
    curves = [line.get_ydata() for line in axes.lines if line.get_label() == "friction"]
    assert len(curves) == (friction is not None)
    for values in curves:
        assert np.array_equal(values, run.friction[:, 0])
