"""Portraits as pictures: every curve is the portrait's own, and lies where the cylinder has it."""

import io
import math

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

import ulna
from ulna import viewer
from ulna.control import PD
from ulna.viewer.phase_plane import COLUMNS, ROWS
from ulna.viewer.portrait_figures import ENTRIES, HIGH

TURN = 2.0 * math.pi
WELL, SADDLE = -math.acos(4.0 / 9.81), math.acos(4.0 / 9.81)
THEMES = {"print": viewer.PRINT, "dark": viewer.DARK}
STARTS = [(0.0, 3.07), (0.0, 3.2), (7.0, -6.0)]


def drawn_up(**options):
    given = {"torque": 4.0, "starts": STARTS, "speeds": (-25.0, 25.0), "duration": 6.0, **options}
    return ulna.portrait(ulna.preset("bechard-1"), **given)


@pytest.fixture(scope="module")
def rolled():
    """Give a portrait of one turn, whose running solution is on the page."""
    return drawn_up()


@pytest.fixture(scope="module")
def unrolled():
    return drawn_up(angles=(-TURN, 2.0 * TURN))


@pytest.fixture(scope="module")
def counting():
    """Give a portrait under a law that counts turns, so that there is no cylinder."""
    return drawn_up(torque=0.0, controller=PD(kp=20.0, kd=2.0), set_point=0.5, starts=[])


@pytest.fixture(scope="module")
def basins(rolled):
    return rolled.basins((12, 9), progress=False)


def drawn(portrait, **options):
    return viewer.plot_portrait(Figure(figsize=(9.0, 5.4)).add_subplot(), portrait, **options)


def curves(axes):
    """Give the lines that are drawn as lines, with more than the ends."""
    return [line for line in axes.lines if line.get_linestyle() != "None" and size(line) > 2]


def size(line):
    return len(line.get_xdata())


def coloured(axes, color):
    return [line for line in curves(axes) if line.get_color() == color]


def title(figure):
    (axes,) = figure.axes
    return axes.get_title("left") + axes.get_title()


def labels(axes):
    return axes.get_legend_handles_labels()[1]


def markers(axes, mark):
    """Give the places of one kind of marker of the rests."""
    found = [line for line in axes.lines if line.get_marker() == mark and line.get_zorder() == 7]
    return np.sort(np.concatenate([line.get_xdata() for line in found]))


# ----------------------------------------------------------------------------------- one turn


def test_a_wrapped_line_never_crosses_the_page(rolled):
    lines = curves(drawn(rolled))
    assert len(lines) >= len(rolled.separatrices) + len(rolled.orbits) + 1
    for line in lines:
        x = np.asarray(line.get_xdata())
        assert np.nanmax(np.abs(np.diff(x))) < 0.5 * TURN
        assert np.nanmin(x) >= rolled.angles[0] - 1e-9
        assert np.nanmax(x) <= rolled.angles[1] + 1e-9


def test_where_the_pen_is_lifted_the_line_goes_on_at_the_other_side(rolled):
    broken = [line for line in curves(drawn(rolled)) if np.isnan(line.get_xdata()).any()]
    assert broken
    for line in broken:
        x, y = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
        for gap in np.flatnonzero(np.isnan(x)):
            assert sorted([x[gap - 1], x[gap + 1]]) == pytest.approx([-math.pi, math.pi])
            assert y[gap - 1] == y[gap + 1]


def test_separatrices_are_drawn_whole(rolled):
    lines = coloured(drawn(rolled), viewer.PRINT.foreground)
    incoming = [one for one in rolled.separatrices if one.incoming]
    assert len(lines) == len(incoming) == 2
    for line, one in zip(lines, incoming, strict=True):
        x, y = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
        gaps = np.flatnonzero(np.isnan(x))
        own = np.delete(np.arange(len(x)), np.concatenate([gaps - 1, gaps, gaps + 1]))
        assert np.array_equal(y[own], one.segment.speed)
        turns = (one.segment.angle - x[own]) / TURN
        assert turns == pytest.approx(np.round(turns), abs=1e-12)


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_markers_are_at_the_rests(rolled, theme):
    axes = drawn(rolled, theme=theme)
    assert markers(axes, "o") == pytest.approx([WELL], abs=1e-12)
    assert markers(axes, "D") == pytest.approx([SADDLE], abs=1e-12)
    (well,) = [x for x in axes.lines if x.get_marker() == "o" and x.get_zorder() == 7]
    (saddle,) = [x for x in axes.lines if x.get_marker() == "D"]
    assert (
        well.get_markerfacecolor() == theme.foreground
    )  # full where it stays, hollow where it leaves
    assert saddle.get_markerfacecolor() == theme.background


def test_every_start_has_a_dot_on_the_page(rolled):
    dots = [line for line in drawn(rolled).lines if line.get_zorder() == 6]
    places = np.array([np.ravel(line.get_xydata()) for line in dots])
    assert places == pytest.approx(np.array([(0.0, 3.07), (0.0, 3.2), (7.0 - TURN, -6.0)]))


def test_the_running_solution_is_where_it_runs(rolled):
    (line,) = [line for line in curves(drawn(rolled)) if "running" in str(line.get_label())]
    speeds = np.asarray(line.get_ydata())
    assert np.nanmin(speeds) == pytest.approx(19.5064, abs=1e-4)
    assert np.nanmax(speeds) == pytest.approx(20.4875, abs=1e-4)
    assert line.get_label() == "running solution, 19.5 to 20.5 rad/s"


def test_what_lies_beyond_the_page_is_not_named():
    portrait = drawn_up(speeds=(-10.0, 10.0), starts=[])
    assert not [name for name in labels(drawn(portrait)) if "running" in name]


def test_arrows_go_where_the_state_does(rolled):
    (arrows,) = drawn(rolled).collections
    assert arrows.N == COLUMNS * ROWS
    x, y = np.asarray(arrows.X), np.asarray(arrows.Y)
    push = 4.0 - 0.2 * y - 9.81 * np.cos(x)  # M = 1 kg·m²
    assert np.array_equal(np.sign(arrows.U), np.sign(y))
    clear = np.abs(push) > 1e-9
    assert np.array_equal(np.sign(arrows.V)[clear], np.sign(push)[clear])
    assert np.hypot(arrows.U, arrows.V) == pytest.approx(1.0)


def test_on_a_nullcline_nothing_speeds_up(rolled):
    lines = [line for line in curves(drawn(rolled)) if line.get_color() == viewer.PRINT.muted]
    assert len(lines) == len(rolled.nullclines) > 0
    for line in lines:
        x, y = (np.asarray(values) for values in line.get_data())
        assert np.max(np.abs(4.0 - 0.2 * y - 9.81 * np.cos(x))) < 2e-3


def test_the_axes_are_what_was_asked_for(rolled):
    axes = drawn(rolled)
    assert axes.get_xlim() == pytest.approx((-math.pi, math.pi))
    assert axes.get_ylim() == (-25.0, 25.0)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("angle [rad]", "speed [rad/s]")
    marks = [text.get_text() for text in axes.get_xticklabels()]
    assert marks == ["−π", "−π/2", "0", "π/2", "π"]


@pytest.mark.parametrize(
    ("turns", "count"), [((-0.5, 0.5), 5), ((-1, 2), 7), ((-2, 6), 9), ((0, 0.5), 3)]
)
def test_marks_are_few_and_at_their_angles(turns, count):
    axes = drawn(drawn_up(angles=[TURN * turn for turn in turns], starts=[]))
    assert len(axes.get_xticks()) == count
    for place, text in zip(axes.get_xticks(), axes.get_xticklabels(), strict=True):
        parts = text.get_text().replace("−", "-").split("/")
        number = parts[0].replace("π", "") if "π" in parts[0] else "0"
        halves = {"": 1.0, "-": -1.0}.get(number) or float(number)
        assert place == pytest.approx(halves * math.pi / float((*parts, "1")[1]))


# ------------------------------------------------------------------------------------- unrolled


def test_copies_are_whole_turns_apart(unrolled):
    axes = drawn(unrolled)
    assert markers(axes, "o") == pytest.approx([WELL, WELL + TURN, WELL + 2.0 * TURN])
    assert markers(axes, "D") == pytest.approx([SADDLE - TURN, SADDLE, SADDLE + TURN])
    for one in unrolled.separatrices:
        same = [
            np.asarray(line.get_xdata())
            for line in curves(axes)
            if np.array_equal(line.get_ydata(), one.segment.speed)
        ]
        assert len(same) >= 3
        shifts = np.array([(x - one.segment.angle)[[0, -1]] for x in same]) / TURN
        assert shifts[:, 0] == pytest.approx(np.round(shifts[:, 0]), abs=1e-12)
        assert shifts[:, 1] == pytest.approx(shifts[:, 0], abs=1e-12)
        assert np.diff(np.round(shifts[:, 0])) == pytest.approx(1.0)


def test_orbits_are_drawn_once_and_as_they_went(unrolled):
    axes = drawn(unrolled)
    for orbit in unrolled.orbits:
        (line,) = [x for x in curves(axes) if np.array_equal(x.get_ydata(), orbit.run.qd[:, 0])]
        assert np.array_equal(line.get_xdata(), orbit.run.q[:, 0])


def test_a_law_that_counts_turns_has_no_copies(counting):
    axes = drawn(counting)
    assert not counting.cylinder
    (rest,) = counting.equilibria
    assert 20.0 * (0.5 - rest.angle) == pytest.approx(9.81 * math.cos(rest.angle))
    assert markers(axes, "o") == pytest.approx([rest.angle])
    wide = drawn_up(torque=0.0, controller=counting.controller, set_point=0.5, starts=[],
                    angles=(-TURN, TURN))  # fmt: skip
    assert markers(drawn(wide), "o") == pytest.approx([rest.angle])


# --------------------------------------------------------------------------- layers and legends


def test_basins_are_a_picture_of_their_labels(rolled, basins):
    axes = drawn(rolled, basins=basins)
    (image,) = axes.images
    picture = np.asarray(image.get_array())
    assert picture.shape == (*basins.label.shape, 3) == (9, 12, 3)
    assert image.get_extent() == pytest.approx([*rolled.angles, *rolled.speeds])
    assert image.origin == "lower"
    kinds = {}
    for place in np.ndindex(basins.label.shape):
        kind = (int(basins.label[place]), int(basins.turns[place]) % 2)
        kinds.setdefault(kind, set()).add(tuple(picture[place]))
    shades = [shade for found in kinds.values() for shade in found]
    assert len(shades) == len(kinds) == len(set(shades)) > 1
    assert to_rgb(viewer.PRINT.grid) not in shades  # of what is undecided, and nothing is


@pytest.mark.parametrize("count", [1, (1, 4), (5, 1)])
def test_the_fewest_cells_can_be_drawn(rolled, count):
    found = rolled.basins(count, progress=False)
    axes = drawn(rolled, basins=found)
    assert np.asarray(axes.images[0].get_array()).shape[:2] == found.label.shape


def test_the_layer_of_energy_is_the_energy(rolled):
    axes = drawn(rolled, energy=True)
    angle, speed, joules = rolled.energy(5, 4)
    assert joules == pytest.approx(0.5 * speed[:, None] ** 2 + 9.81 * np.sin(angle))
    (bar,) = [part for part in axes.figure.axes if part is not axes]
    assert "[J]" in bar.get_ylabel()
    low, high = bar.get_ylim()
    assert low <= -9.81 + 0.01
    assert high >= 0.5 * 25.0**2 + 9.81 - 0.5


def test_the_legend_names_everything_once(rolled, basins):
    figure = viewer.portrait_figure(rolled, basins=basins)
    (legend,) = figure.legends
    named = [text.get_text() for text in legend.get_texts()]
    assert len(named) == len(set(named))
    expected = [
        "basin: settles at -1.151 rad (darker: an odd turn)",
        "basin: runs on",
        "nullclines: no speed, no acceleration",
        "separatrices into a saddle",
        "separatrices out of a saddle",
        "running solution, 19.5 to 20.5 rad/s",
        "from 0 rad, 3.07 rad/s: settles at -1.151 rad",
        "from 0 rad, 3.2 rad/s: runs on",
        "stable focus",
        "saddle",
    ]
    assert set(expected) <= set(named)
    assert len(named) == len(expected) + 1  # the third start, whose fate the portrait tells
    assert f"from 7 rad, -6 rad/s: {rolled.orbits[2].fate.name}" in " ".join(named)


def test_over_basins_the_energy_is_drawn_as_lines(rolled, basins):
    figure = viewer.portrait_figure(rolled, basins=basins, energy=True)
    (axes,) = figure.axes
    assert any("J" in text.get_text() for text in axes.texts)


def test_long_names_get_fewer_columns():
    law = ulna.control.PD(1.0, 0.1)
    arm = ulna.preset("bechard-1")
    drawn = ulna.portrait(arm, controller=law, set_point=1.0, starts=[(-1.5, 0.25)], angles=(-7, 7))
    with pytest.warns(ulna.UlnaWarning, match="softer than gravity"):
        figure = viewer.portrait_figure(drawn)
    figure.canvas.draw()
    (legend,) = figure.legends
    assert legend.get_window_extent().x1 <= figure.bbox.x1


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_the_legend_stands_below_the_axes_on_the_page(rolled, theme):
    figure = viewer.portrait_figure(rolled, theme=theme)
    figure.draw_without_rendering()
    (axes,), (legend,) = figure.axes, figure.legends
    lines = math.ceil(len(legend.get_texts()) / ENTRIES)
    assert figure.get_figheight() > HIGH + 0.15 * lines
    box = legend.get_window_extent()
    assert box.y0 >= 0.0
    assert box.x1 <= figure.bbox.width
    assert box.y1 <= axes.xaxis.label.get_window_extent().y0 + 1.0


def test_the_title_says_what_drives_the_joint(rolled, counting):
    assert title(viewer.portrait_figure(rolled)) == "bechard-1, driven by 4 N·m"
    law = repr(counting.controller)
    assert title(viewer.portrait_figure(counting)) == f"bechard-1, driven by {law} towards 0.5 rad"


def test_a_name_is_written_as_it_is():
    arm = ulna.preset("bechard-1").replace(name=r"a $\frac$ b")
    figure = viewer.portrait_figure(ulna.portrait(arm, speeds=(-5.0, 5.0)))
    figure.savefig(io.BytesIO(), format="png", dpi=30)


def test_a_page_leaves_no_trace_in_matplotlib(rolled):
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    viewer.portrait_figure(rolled, theme=viewer.DARK)
    assert dict(mpl.rcParams) == before


@pytest.fixture(scope="module")
def sticking():
    """Give a portrait with dry friction, which holds the joint below and on top."""
    joint = ulna.Joint(friction=ulna.Friction(coulomb=1.0))
    arm = ulna.preset("bechard-1").replace(joints=[joint])
    return ulna.portrait(arm, starts=[(0.3, 1.0)], speeds=(-6.0, 6.0), duration=15.0)


def thick(axes):
    """Give the lines of the sticking set, which are the only ones from end to end of it."""
    return [line for line in axes.lines if line.get_label().startswith("sticking set")]


def test_the_sticking_set_is_a_thick_line_on_the_axis(sticking):
    axes = drawn(sticking)
    stable, top = thick(axes)
    labels = [line.get_label() for line in (stable, top)]
    assert labels == ["sticking set: stable", "sticking set: around a top"]
    for line, one in zip((stable, top), sticking.sticking, strict=True):
        assert list(line.get_xdata()) == [one.lower, one.upper]
        assert list(line.get_ydata()) == [0.0, 0.0]
        assert line.get_linewidth() > 4.0
    names = axes.get_legend_handles_labels()[1]
    assert "separatrices into an end of the sticking set" in names
    assert names[-2:] == ["centre without dry friction", "saddle without dry friction"]
    assert not thick(drawn(drawn_up(starts=[])))


def test_every_turn_of_an_unrolled_page_has_its_sticking_set(sticking):
    wide = ulna.portrait(sticking.arm, angles=(-TURN, TURN), speeds=(-6.0, 6.0))
    axes = drawn(wide)
    middles = {round(float(np.mean(line.get_xdata())), 6) for line in axes.lines
               if size(line) == 2 and line.get_linewidth() > 4.0}  # fmt: skip
    expected = [HALF * math.pi for HALF in (-1.5, -0.5, 0.5, 1.5)]
    assert sorted(middles) == pytest.approx(expected, abs=1e-6)


def test_an_orbit_that_sticks_is_marked_where_it_does(sticking):
    (orbit,) = sticking.orbits
    (mark,) = [line for line in drawn(sticking).lines if line.get_marker() == "s"]
    assert list(mark.get_xdata()) == [orbit.run.q[-1, 0]]
    assert list(mark.get_ydata()) == [0.0]


def test_the_sticking_set_has_the_colours_of_its_basins(sticking):
    basins = sticking.basins((24, 24), progress=False)
    axes = drawn(sticking, basins=basins)
    hues = [line.get_color() for line in thick(axes)]
    assert hues == list(viewer.PRINT.data[1:3])
