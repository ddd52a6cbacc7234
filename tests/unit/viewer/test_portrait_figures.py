"""Portraits as pictures: every curve is the portrait's own, and lies where the cylinder has it."""

import math

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

import ulna
from ulna import viewer
from ulna.control import PD
from ulna.viewer.phase_plane import COLUMNS, ROWS

TURN = 2.0 * math.pi
WELL, SADDLE = -math.acos(4.0 / 9.81), math.acos(4.0 / 9.81)
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
        # Where the pen is lifted the line goes on at the other side.
        for gap in np.flatnonzero(np.isnan(x)):
            assert sorted([x[gap - 1], x[gap + 1]]) == pytest.approx([-math.pi, math.pi])
            assert line.get_ydata()[gap - 1] == line.get_ydata()[gap + 1]


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


def test_markers_are_at_the_rests_full_where_it_stays_and_hollow_where_it_leaves(rolled):
    axes = drawn(rolled)
    assert markers(axes, "o") == pytest.approx([WELL], abs=1e-12)
    assert markers(axes, "D") == pytest.approx([SADDLE], abs=1e-12)
    (well,) = [x for x in axes.lines if x.get_marker() == "o" and x.get_zorder() == 7]
    (saddle,) = [x for x in axes.lines if x.get_marker() == "D"]
    assert well.get_markerfacecolor() == viewer.PRINT.foreground
    assert saddle.get_markerfacecolor() == viewer.PRINT.background


def test_arrows_go_where_the_state_does(rolled):
    (arrows,) = drawn(rolled).collections
    assert arrows.N == COLUMNS * ROWS
    x, y = np.asarray(arrows.X), np.asarray(arrows.Y)
    push = 4.0 - 0.2 * y - 9.81 * np.cos(x)  # M = 1 kg·m²
    assert np.array_equal(np.sign(arrows.U), np.sign(y))
    clear = np.abs(push) > 1e-9
    assert np.array_equal(np.sign(arrows.V)[clear], np.sign(push)[clear])
    assert np.hypot(arrows.U, arrows.V) == pytest.approx(1.0)


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


def test_the_legend_names_everything_once_below_the_axes(rolled, basins):
    figure = viewer.portrait_figure(rolled, basins=basins, energy=True)
    figure.draw_without_rendering()
    (axes,), (legend,) = figure.axes, figure.legends
    named = [text.get_text() for text in legend.get_texts()]
    assert len(named) == len(set(named))
    for orbit in rolled.orbits:
        assert any(orbit.fate.name in name for name in named)
    for name in basins.names:
        assert any(name in one and one.startswith("basin") for one in named)
    assert legend.get_window_extent().y1 <= axes.xaxis.label.get_window_extent().y0 + 1.0
    # Over basins the energy is lines with their values.
    assert any("J" in text.get_text() for text in axes.texts)


@pytest.fixture(scope="module")
def sticking():
    """Give a portrait with dry friction, which holds the joint below and on top."""
    joint = ulna.Joint(friction=ulna.Friction(coulomb=1.0))
    arm = ulna.preset("bechard-1").replace(joints=[joint])
    return ulna.portrait(arm, starts=[(0.3, 1.0)], speeds=(-6.0, 6.0), duration=15.0)


def test_the_sticking_set_is_a_thick_line_with_the_colours_of_its_basins(sticking):
    basins = sticking.basins((24, 24), progress=False)
    axes = drawn(sticking, basins=basins)
    lines = [line for line in axes.lines if line.get_label().startswith("sticking set")]
    for line, one, kind in zip(lines, sticking.sticking, ("stable", "top"), strict=True):
        assert list(line.get_xdata()) == [one.lower, one.upper]
        assert list(line.get_ydata()) == [0.0, 0.0]
        assert line.get_linewidth() > 4.0
        assert kind in line.get_label()
    assert [line.get_color() for line in lines] == list(viewer.PRINT.data[1:3])
    assert not any("sticking set" in name for name in labels(drawn(drawn_up(starts=[]))))
    # The orbit is marked where it sticks.
    (mark,) = [line for line in drawn(sticking).lines if line.get_marker() == "s"]
    assert mark.get_xydata().tolist() == [[sticking.orbits[0].run.q[-1, 0], 0.0]]
