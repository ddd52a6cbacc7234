"""Bode plots: the curves are the loop's, and marks are where its gain is 1."""

import io

import numpy as np
import pytest
from matplotlib.figure import Figure

import ulna
from ulna import viewer
from ulna.analysis import loop
from ulna.control import PID, OpenLoop


@pytest.fixture(scope="module")
def found():
    late = {"sensors": ulna.Sensors(delay=0.0013), "actuators": ulna.Actuators(bandwidth=30.0)}
    controller = PID((400.0, 150.0), (40.0, 12.0), (100.0, 40.0))
    return loop(ulna.preset("kehl"), [1.0, 0.5], controller, rate=250.0, **late)


def test_curves_are_gain_and_phase_and_marks_lie_on_them(found):
    bode, axes = found.bode(), Figure().add_subplot()
    lines = viewer.plot_gain(axes, found).lines
    for joint, margins in enumerate(found.margins):
        assert lines[joint].get_xydata()[:, 0].max() == 125.0
        assert lines[joint].get_ydata()[0] == bode.magnitude[0, joint]
        assert tuple(lines[2 + joint].get_xdata()) == margins.gain_crossovers
    axes = viewer.plot_phase(Figure().add_subplot(), found)
    assert axes.lines[1].get_ydata()[-1] == pytest.approx(np.degrees(bode.phase[-1, 1]))
    assert -180.0 in [line.get_ydata()[0] for line in axes.lines]


def test_a_page_has_both_even_without_feedback(found):
    nothing = loop(ulna.preset("kehl"), [1.0, 0.5], OpenLoop())
    for one, theme in ((found, viewer.PRINT), (nothing, viewer.DARK)):
        figure = viewer.bode_figure(one, theme=theme)
        figure.savefig(io.BytesIO(), format="png", dpi=30)
        assert [axes.get_ylabel() for axes in figure.axes] == ["gain", "phase [°]"]
        assert figure.axes[1].get_xlabel() == "frequency [Hz]"
