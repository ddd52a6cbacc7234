"""Figures of a run: every curve and posture is the run's own, and what is drawn can be read."""

import io
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

import ulna
from ulna import viewer
from ulna.viewer.arm_drawing import FAINTEST
from ulna.viewer.figure_style import MOST_POINTS, thinned

PLOTS = {
    "angles": (viewer.plot_angles, "[rad]"),
    "speeds": (viewer.plot_speeds, "[rad/s]"),
    "torques": (viewer.plot_torques, "[N·m]"),
    "energy": (viewer.plot_energy, "[J]"),
    "tip": (viewer.plot_tip, "[m]"),
    "motion": (viewer.plot_motion, "[m]"),
}


def swinging(n=2, samples=201, duration=2.0, **settings):
    """Give what looks like a run: each joint swings like a sine, the arm named by its links."""
    arm = ulna.Arm.rods([1.0 / n] * n, [1.0] * n, name=f"arm of {n}")
    t = np.linspace(0.0, duration, samples) if samples > 1 else np.zeros(1)
    turn = np.arange(1.0, n + 1.0) + 3.0 * t[:, None]
    q, qd, qdd = 0.8 * np.sin(turn), 2.4 * np.cos(turn), -7.2 * np.sin(turn)
    kinetic = ulna.dynamics.kinetic_energy(arm, q, qd)
    potential = ulna.dynamics.potential_energy(arm, q)
    return SimpleNamespace(
        arm=arm,
        t=t,
        q=q,
        qd=qd,
        qdd=qdd,
        tau=ulna.dynamics.inverse_dynamics(arm, q, qd, qdd),
        tip=ulna.kinematics.tip(arm, q),
        tip_velocity=ulna.kinematics.tip_velocity(arm, q, qd),
        energy=SimpleNamespace(
            kinetic=kinetic,
            potential=potential,
            injected=kinetic + potential - kinetic[0] - potential[0],
            dissipated=np.zeros(samples),
            balance_error=np.zeros(samples),
        ),
        status=ended(True, f"ran to t = {duration:g} s"),
        settings={"method": "rk4", **settings},
        events=(),
        contacts=(),
    )


def ended(ok, text):
    class Status(SimpleNamespace):
        __str__ = lambda self: self.text  # noqa: E731

    return Status(ok=ok, text=text, reason="done" if ok else "diverged")


@pytest.fixture
def axes():
    return Figure().add_subplot()


def rendered(figure):
    figure.savefig(io.BytesIO(), format="png", dpi=30)
    return figure


def curves(axes):
    return [line for line in axes.lines if len(line.get_xdata())]


def has_words(artist):
    return any(letter.isalpha() for letter in getattr(artist, "get_text", str)())


def words(figure):
    return " ".join(
        text.get_text() for text in figure.findobj(match=lambda a: hasattr(a, "get_text"))
    )


@pytest.mark.parametrize(("plot", "unit"), PLOTS.values(), ids=PLOTS)
def test_a_plot_returns_its_axes_and_names_its_units(axes, plot, unit):
    assert plot(axes, swinging()) is axes
    assert unit in axes.get_ylabel()
    assert axes.get_xlabel() in ("time [s]", "x [m]")


@pytest.mark.parametrize(
    ("plot", "name"),
    [(viewer.plot_angles, "q"), (viewer.plot_speeds, "qd"), (viewer.plot_torques, "tau")],
)
def test_curves_are_the_samples(axes, plot, name):
    run = swinging(3)
    drawn = curves(plot(axes, run))
    assert np.array_equal([line.get_ydata() for line in drawn], getattr(run, name).T)
    assert all(np.array_equal(line.get_xdata(), run.t) for line in drawn)


def test_energies_add_up_to_the_total(axes):
    drawn = {
        line.get_label(): line.get_ydata() for line in curves(viewer.plot_energy(axes, swinging()))
    }
    assert np.allclose(drawn["total"], drawn["kinetic"] + drawn["potential"])
    assert np.allclose(drawn["injected − dissipated"], drawn["total"] - drawn["total"][0])


@pytest.mark.parametrize(
    ("settings", "style"),
    [
        ({}, "default"),
        ({"controller": "PD()"}, "steps-post"),
        ({"torque": {"rows": 3, "between": "hold"}}, "steps-post"),
        ({"torque": {"rows": 3, "between": "linear"}}, "default"),
        ({"torque": ["sin(t)", 0.0]}, "default"),
    ],
)
def test_torques_are_steps_only_where_they_are_held(axes, settings, style):
    viewer.plot_torques(axes, swinging(**settings))
    assert {line.get_drawstyle() for line in curves(axes)} == {style}


def luminance(color):
    return float(np.dot([0.2126, 0.7152, 0.0722], np.array(to_rgb(color)) ** 2.2))


def test_many_joints_go_from_light_to_dark_and_a_few_have_names(axes):
    viewer.plot_angles(axes, swinging(12))
    shades = [luminance(line.get_color()) for line in curves(axes)]
    assert len(shades) == 12
    assert all(np.diff(shades) < 0.0)
    named = [text.get_text() for text in axes.get_legend().get_texts()]
    assert named == ["$q_{1}$", "$q_{5}$", "$q_{8}$", "$q_{12}$"]


def test_a_few_joints_can_be_told_apart_without_colour(axes):
    viewer.plot_angles(axes, swinging(5))
    patterns = [str(line._dash_pattern) for line in curves(axes)]
    assert len(set(patterns[1:])) == 4  # orange and blue differ for every eye; the others by dashes
    assert len({line.get_color() for line in curves(axes)}) == 5


def test_a_single_sample_can_be_seen(axes):
    viewer.plot_angles(axes, swinging(samples=1))
    assert {line.get_marker() for line in curves(axes)} == {"o"}


def test_the_legend_covers_no_data():
    figure = rendered(viewer.run_figure(swinging(5)))
    for axes in figure.findobj(match=lambda artist: hasattr(artist, "get_legend")):
        if axes.get_legend():
            assert axes.get_legend().get_window_extent().y0 >= axes.get_window_extent().y1 - 1.0


def test_long_curves_keep_their_ends_and_extremes():
    values = np.sin(np.linspace(0.0, 300.0, 123_457))
    values[[777, 100_001]] = 5.0, -5.0
    values[[50_000, 50_001]] = np.nan, np.inf
    chosen = thinned(values)
    assert len(chosen) <= MOST_POINTS
    assert {0, 777, 100_001, len(values) - 1} <= set(chosen.tolist())
    assert np.all(np.diff(chosen) > 0)


@pytest.mark.parametrize(("n", "samples"), [(1, 1), (1, 2), (12, 50)])
def test_a_page_of_any_run_says_what_was_run_and_how_it_ended(n, samples):
    text = words(rendered(viewer.run_figure(swinging(n, samples))))
    for part in (f"arm of {n}", "s with rk4", "ran to t = 2 s"):
        assert part in text


def test_values_beyond_measure_are_drawn_without_a_warning():
    run = swinging(samples=9)
    run.q, run.qd, run.tau = 1e306 * run.q, np.full_like(run.qd, np.inf), 1e306 * run.tau
    run.tau[3], run.energy.kinetic = np.nan, 1e308 + run.energy.kinetic
    run.energy.potential = run.energy.kinetic
    rendered(viewer.run_figure(run))


def test_a_run_without_a_posture_is_refused(axes):
    run = swinging()
    run.q = np.full_like(run.q, np.nan)
    with pytest.raises(ulna.InputError, match="finite angles"):
        viewer.plot_motion(axes, run)


def test_a_trace_ends_in_full_colour_and_starts_faint(axes):
    way = np.cumsum(np.ones((9, 2)), axis=0)
    assert viewer.draw_trace(axes, way) is axes
    (lines,) = axes.collections
    colors = lines.get_colors()[:, :3]
    assert np.array_equal(lines.get_segments()[-1][-1], way[-1])
    assert to_hex(colors[-1]) == viewer.PRINT.accent
    assert colors[0] == pytest.approx(1.0 - FAINTEST * (1.0 - colors[-1]))
    assert np.all(np.diff(colors[:, 2]) < 0.0)


def test_ghosts_are_the_first_to_the_last_and_older_ones_paler(axes):
    run = swinging()
    assert viewer.draw_ghosts(axes, run.arm, run.q, count=3) is axes
    tips = [patch for patch in axes.patches if patch.get_zorder() == 3]
    expected = ulna.kinematics.tip(run.arm, run.q[[0, 100, 200]])[:, :2]
    assert np.allclose([patch.center for patch in tips], expected)
    shades = [luminance(patch.get_facecolor()[:3]) for patch in tips]
    assert shades == sorted(shades, reverse=True)


def test_the_motion_ends_where_the_run_does(axes):
    run = swinging()
    viewer.plot_motion(axes, run)
    (trace,) = axes.collections
    segments = np.array(trace.get_segments())
    assert np.allclose(segments[-1, -1], run.tip[-1, :2])
    assert np.allclose(segments[0, 0], run.tip[0, :2])
    assert np.hypot(*segments[..., 0, :].T).max() <= run.arm.reach + 1e-9
    assert axes.get_aspect() == 1.0


def test_a_long_motion_shows_its_end(axes):
    run = swinging(samples=4001, duration=400.0)
    viewer.plot_motion(axes, run)
    segments = np.array(axes.collections[0].get_segments())
    length = np.sum(np.hypot(*np.diff(segments, axis=1)[:, 0].T))
    assert 20.0 < length / run.arm.reach < 30.0
    assert np.allclose(segments[-1, -1], run.tip[-1, :2])


def test_a_long_reason_is_broken_into_lines():
    run = swinging()
    run.status = ended(False, "the rate of joint 2 grew beyond all bounds; " * 4)
    figure = viewer.run_figure(run)
    figure.draw_without_rendering()
    text = words(figure)
    assert "\n" in text
    assert text.replace("\n", " ").count("grew beyond") == 4
    for part in figure.findobj(match=has_words):
        (left, low), (right, high) = part.get_window_extent().get_points()
        assert min(left, low) >= 0.0
        assert right <= figure.bbox.width
        assert high <= figure.bbox.height


def test_what_a_limit_cut_is_drawn_thinly_behind_what_was_applied(axes):
    run = swinging()
    limit = 0.5 * np.abs(run.tau[:, 0]).max()
    run.tau_commanded = run.tau.copy()
    run.tau[:, 0] = np.clip(run.tau[:, 0], -limit, limit)
    viewer.plot_torques(axes, run)
    asked, first, second = axes.get_lines()
    assert np.array_equal(asked.get_ydata(), run.tau_commanded[:, 0])
    assert np.array_equal(first.get_ydata(), run.tau[:, 0])
    assert asked.get_linewidth() < 0.5 * first.get_linewidth()
    assert asked.get_color() == first.get_color() != second.get_color()
    assert len(axes.get_legend().get_texts()) == 2


def stopping(friction):
    """Give what looks like a run whose second joint stands still twice, once at its stop."""
    run = swinging()
    joints = [ulna.Joint(friction=friction), ulna.Joint(upper=0.5, friction=friction)]
    run.arm = run.arm.replace(joints=joints)
    for span, angle in ((slice(20, 41), 0.2), (slice(60, 81), 0.5)):
        run.q[span, 1], run.qd[span, 1] = angle, 0.0
    return run


def test_where_a_joint_sticks_is_marked_under_its_curve():
    run, axes = stopping(ulna.Friction(1.0)), Figure().add_subplot()
    viewer.plot_angles(axes, run)
    (marks,) = axes.collections
    (segment,) = marks.get_segments()
    assert segment.tolist() == [[run.t[20], 0.2], [run.t[40], 0.2]]
    assert marks.get_label() == "stuck"
    assert to_hex(marks.get_color()[0]) == to_hex(axes.lines[1].get_color())
    assert not viewer.plot_angles(Figure().add_subplot(), stopping(None)).collections


@pytest.mark.parametrize("friction", [None, ulna.Friction(0.2)])
def test_what_friction_takes_is_drawn_beside_the_torques(friction):
    arm = ulna.Arm.rods([1.0], [1.0], joints=[ulna.Joint(friction=friction)])
    run = ulna.simulate(arm, q0=[-1.0], duration=0.1)
    axes = viewer.plot_torques(Figure().add_subplot(), run)
    drawn = [line.get_ydata() for line in axes.lines if line.get_label() == "friction"]
    assert len(drawn) == (friction is not None)
    for values in drawn:
        assert np.array_equal(values, run.friction[:, 0])
