"""Figures of sweeps show the numbers of the sweep, and what is missing of them."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

import ulna
from sweep_samples import curve, made_sweep, peak
from ulna.viewer import PRINT, sweep_figure

MASSES = [1.0, 2.0, 5.0, 10.0]
PAYLOADS = [0.0, 0.1, 0.2]
LAWS = ["PID()", "GravityPD()", "ComputedTorque()"]
DESIGN = {
    "design": "sobol",
    "count": 32,
    "seed": 3,
    "link.1.mass": {"from": 1.0, "to": 2.0},
    "payload": {"from": 0.0, "to": 1.0},
}


def texts(figure):
    return [one.get_text() for one in figure.texts]


def panels(figure):
    """Return the panels without the scales of colours."""
    return [axes for axes in figure.axes if axes.get_subplotspec() and axes.get_visible()]


class TestLines:
    def test_a_line_of_each_joint_goes_through_the_values(self):
        (axes,) = sweep_figure(made_sweep({"link.1.mass": MASSES[::-1]})).axes
        assert (axes.get_xlabel(), axes.get_ylabel()) == ("link.1.mass [kg]", "torque.peak [N·m]")
        for joint, line in enumerate(axes.lines):
            assert line.get_xdata().tolist() == MASSES
            expected = [peak({"link.1.mass": mass}, joint) for mass in MASSES]
            assert line.get_ydata() == pytest.approx(expected, rel=1e-15)
        names = [one.get_text() for one in axes.get_legend().get_texts()]
        assert names == ["joint 1", "joint 2"]

    def test_a_point_that_failed_is_a_gap_a_cross_and_a_sentence(self):
        figure = sweep_figure(made_sweep({"link.1.mass": MASSES}, failed=[2]))
        *lines, cross = figure.axes[0].lines
        assert all(np.isnan(line.get_ydata()).tolist() == [0, 0, 1, 0] for line in lines)
        assert cross.get_xdata().tolist() == [MASSES[2]]
        assert texts(figure)[-1] == "1 of 4 points missing: 1 diverged"

    def test_names_stand_at_the_ticks(self):
        (axes,) = sweep_figure(made_sweep({"controller": LAWS})).axes
        assert [one.get_text() for one in axes.get_xticklabels()] == LAWS


class TestMaps:
    def test_every_cell_has_the_value_of_its_point(self):
        figure = sweep_figure(made_sweep({"link.1.mass": MASSES, "payload": PAYLOADS}))
        for joint, axes in enumerate(panels(figure)):
            cells = axes.collections[0].get_array()
            expected = [
                [peak({"m": mass, "p": payload}, joint) for mass in MASSES] for payload in PAYLOADS
            ]
            assert np.asarray(cells) == pytest.approx(np.array(expected), rel=1e-15)
        assert panels(figure)[0].get_ylabel() == "payload [kg]"

    def test_cells_without_a_value_are_hatched_and_said(self):
        sweep = made_sweep({"link.1.mass": MASSES, "payload": PAYLOADS}, failed=[4])
        figure = sweep_figure(sweep)
        masked = np.ma.getmaskarray(panels(figure)[0].collections[0].get_array())
        assert np.argwhere(masked).tolist() == [[1, 1]]  # of point 4 = 1·3 + 1
        assert panels(figure)[0].patch.get_hatch()
        assert texts(figure)[-1] == "1 of 12 points missing: 1 diverged (hatched)"

    def test_a_third_parameter_makes_small_multiples(self):
        sweep = made_sweep({"link.1.mass": MASSES, "payload": PAYLOADS, "link.2.mass": [3.0, 4.0]})
        figure = sweep_figure(sweep)
        titles = [axes.get_title(loc="left") for axes in panels(figure)]
        assert titles[::2] == [f"joint 1 [N·m]   link.2.mass = {mass} kg" for mass in (3, 4)]
        cells = panels(figure)[2].collections[0].get_array()
        assert cells[2, 1] == pytest.approx(peak({"m": 2.0, "p": 0.2, "n": 4.0}, 0), rel=1e-15)

    def test_what_finds_no_room_is_said(self):
        axes = {"link.1.mass": MASSES, "payload": PAYLOADS, "link.2.mass": np.arange(1.0, 31.0)}
        assert texts(sweep_figure(made_sweep(axes)))[0].endswith("4 of 30 slices shown")


class TestFamilies:
    def test_curves_are_those_of_the_points_coloured_by_the_parameter(self):
        figure = sweep_figure(made_sweep({"link.1.mass": MASSES}), "torque")
        for joint, axes in enumerate(panels(figure)):
            lines = axes.lines[::-1]
            for mass, line in zip(MASSES, lines, strict=True):
                t = line.get_xdata()
                expected = curve({"link.1.mass": mass}, joint, t)
                assert line.get_ydata() == pytest.approx(expected, abs=1e-14 * 20)
            ends = [to_hex(line.get_color()) for line in (lines[0], lines[-1])]
            assert ends == [PRINT.sequence[0], PRINT.sequence[-1]]
        bar = figure.axes[-1]
        assert bar.get_ylabel() == "link.1.mass [kg]"
        assert panels(figure)[-1].get_xlabel() == "time [s]"


class TestClouds:
    def test_a_panel_for_each_parameter_has_all_points(self):
        sweep = made_sweep(DESIGN, failed=[5])
        figure = sweep_figure(sweep)
        assert [axes.get_xlabel() for axes in figure.axes] == ["link.1.mass [kg]", "payload [kg]"]
        values = [sweep.point(k) for k in range(32)]
        for axes, name in zip(figure.axes, ("link.1.mass", "payload"), strict=True):
            dots = np.asarray(axes.collections[0].get_offsets())
            known = [k for k in range(32) if k != 5]
            x, y = np.ma.getdata(dots)[known].T
            assert x == pytest.approx([values[k][name] for k in known], rel=1e-15)
            assert y == pytest.approx([peak(values[k], 0) for k in known], rel=1e-15)
            assert axes.lines[0].get_xdata().tolist() == [values[5][name]]

    def test_curves_of_a_design_are_a_family(self):
        figure = sweep_figure(made_sweep(DESIGN), "torque")
        assert [len(axes.lines) for axes in panels(figure)] == [32, 32]


def test_a_sweep_of_one_point_is_drawn_too():
    sweep = made_sweep({})
    (axes,) = sweep_figure(sweep).axes
    assert axes.get_xlabel() == "point"
    assert np.asarray(axes.collections[1].get_offsets()).tolist() == [[0.0, peak({}, 1)]]
    assert len(panels(sweep_figure(sweep, "torque"))[0].lines) == 1


def test_an_output_that_was_not_kept_is_refused_with_the_nearest():
    with pytest.raises(ulna.InputError, match=r"torque\.peak"):
        sweep_figure(made_sweep({"link.1.mass": MASSES}), "torque.peek")
