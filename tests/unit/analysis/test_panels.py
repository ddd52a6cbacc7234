"""Maps by polynomials: those of a smooth motion in few steps, those of any other one by one."""

import numpy as np
import pytest
from scipy.linalg import expm

from ulna.analysis.error_maps import LONGEST, PANELS, maps_along
from ulna.analysis.linearised_controllers import BLOCK
from ulna.lanes import WIDTHS

STEPS = 300


def maps_of(angles):
    """Give maps over steps of a pendulum at these angles, and a function that counts them."""
    generators = np.zeros((len(angles), 2, 2))
    generators[:, 0, 1], generators[:, 1, 0] = 1e-3, -1e3 * np.cos(angles)
    exact, asked = expm(generators), []

    def make(steps):
        asked.extend(steps.tolist())
        return exact[steps]

    return exact, make, asked


def test_a_smooth_motion_takes_few_maps():
    angles = np.sin(np.linspace(0.0, 2.0, STEPS))
    exact, make, asked = maps_of(angles)
    found = maps_along(make, angles[:, None], slice(0, STEPS))
    assert found == pytest.approx(exact, rel=1e-12, abs=1e-15)
    assert len(set(asked)) < 0.45 * STEPS


def test_a_part_of_a_motion_is_as_it_is_in_the_whole():
    angles = np.sin(np.linspace(0.0, 2.0, STEPS))
    exact, make, _ = maps_of(angles)
    found = maps_along(make, angles[:, None], slice(70, 70 + LONGEST))
    assert found == pytest.approx(exact[70 : 70 + LONGEST], rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("place", [3, 24, 31.5, 40, 63, 63.5, 100])
@pytest.mark.parametrize("jump", [1e-9, 1.0])
def test_maps_beside_a_corner_are_made_and_not_guessed(place, jump):
    steps = np.arange(STEPS)
    angles = 0.01 * steps + jump * np.maximum(steps - place, 0.0)
    exact, make, asked = maps_of(angles)
    found = maps_along(make, angles[:, None], slice(0, STEPS))
    assert found == pytest.approx(exact, rel=1e-12, abs=1e-15)
    beside = {round(place) - 1, round(place), round(place) + 1}
    assert beside <= set(asked)


def test_a_motion_too_fast_for_panels_is_looked_at_step_by_step():
    angles = 3.0 * np.sin(np.arange(STEPS))
    exact, make, asked = maps_of(angles)
    assert (maps_along(make, angles[:, None], slice(0, STEPS)) == exact).all()
    assert sorted(asked) == list(range(STEPS))


def test_what_maps_make_of_a_smooth_motion_is_tested_as_well():
    # The motion is a straight line, and the maps have a corner where nothing tells of it.
    line = np.linspace(0.0, 1.0, STEPS)
    exact, make, _ = maps_of(np.abs(line - 0.3 * line[-1]))
    found = maps_along(make, line[:, None], slice(0, STEPS))
    assert found == pytest.approx(exact, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("panel", PANELS)
def test_polynomials_up_to_the_number_of_nodes_are_met(panel):
    t = np.linspace(-1.0, 1.0, panel.size)
    for power in range(len(panel.nodes)):
        assert panel.between @ t[panel.nodes] ** power == pytest.approx(t**power, abs=1e-14)


def test_laws_are_asked_for_as_many_arms_as_they_serve():
    assert WIDTHS[np.dtype(float)] == BLOCK
