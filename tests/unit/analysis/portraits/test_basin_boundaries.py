"""Where the fate changes: paper 001's borders, Melnikov's torque, and the energy of a pendulum."""

import math
import sys

import pytest

import ulna
from ulna.errors import InputError

ARM = ulna.preset("bechard-1")
FREE = ARM.replace(joints=[ulna.Joint()])


def values(borders):
    return [border.value for border in borders]


def test_critical_speeds_of_paper_001():
    drawn = ulna.portrait(ARM, torque=4.0)
    (up,) = drawn.critical_speeds(0.0, within=(0.0, 10.0))
    assert f"{up.value:.7f}" == "3.0758581"
    assert (up.below.name, up.above.name) == ("settles at -1.151 rad", "runs on")
    down = values(drawn.critical_speeds(0.0, within=(-13.0, 0.0)))
    expected = ["-12.75972", "-12.15535", "-9.21829", "-8.46382", "-4.24736"]
    assert [f"{value:.5f}" for value in down] == expected


def test_the_critical_angle_of_paper_001_from_rest():
    (border,) = ulna.portrait(ARM, torque=4.0).critical_angles(0.0, within=(-math.pi, -1.0))
    assert f"{border.value:.6f}" == "-2.711067"
    assert (border.below.name, border.above.name) == ("runs on", "settles at -1.151 rad")


def test_the_speeds_of_full_turns_of_paper_001_without_torque():
    borders = ulna.portrait(ARM).critical_speeds(0.0, within=(0.0, 9.0))
    assert f"{borders[0].value:.5f}" == "4.59775"
    assert [border.above.turns for border in borders] == [1, 2, 3, 4]
    # Its green start, 8 rad/s, lies in the third.
    assert borders[2].value < 8.0 < borders[3].value


def test_without_friction_the_border_is_the_energy_of_the_top():
    # ½ ω² + g sin θ = g at θ = −π/2 and at 0.
    drawn = ulna.portrait(FREE)
    for angle, rise in ((-math.pi / 2, 2.0), (0.0, 1.0)):
        low, high = drawn.critical_speeds(angle, within=(-9.0, 9.0))
        expected = math.sqrt(2.0 * 9.81 * rise)
        assert (low.value, high.value) == pytest.approx((-expected, expected), abs=1e-9)


def test_a_border_is_a_point_of_the_separatrix_that_comes_in():
    drawn = ulna.portrait(ARM, torque=4.0)
    (border,) = drawn.critical_speeds(0.0, within=(0.0, 10.0))
    saddle = drawn.equilibria[1]
    segment = drawn.flow.segment(0.0, border.value, 6.0, 3001)
    # An orbit that is off by δ comes as near to the saddle as √δ.
    assert min(abs(segment.angle - saddle.angle) + abs(segment.speed)) < 3.0 * math.sqrt(1e-10)


@pytest.mark.parametrize("damping", [0.01, 0.05])
def test_the_least_torque_that_keeps_it_running_is_melnikovs(damping):
    # On the orbit from top to top friction takes ∮ b ω dθ = 8 b √(g/L) m L², torque gives 2π τ.
    light = ARM.replace(joints=[ulna.Joint(damping=damping)])
    found = ulna.portrait(light).critical_torques
    expected = 4.0 / math.pi * damping * math.sqrt(9.81)
    assert found.running == pytest.approx(expected, rel=0.05 * damping)
    assert found.lifting == pytest.approx(9.81, abs=1e-12)


def test_around_the_least_torque_there_is_a_running_solution_and_there_is_none():
    least = ulna.portrait(ARM).critical_torques.running
    assert ulna.portrait(ARM, torque=least + 1e-7).running is not None
    assert ulna.portrait(ARM, torque=least - 1e-7).running is None


def test_a_weak_motor_does_not_change_what_it_would_take():
    weak = ulna.portrait(ARM, torque=4.0, max_torque=0.1).critical_torques
    assert weak == pytest.approx(ulna.portrait(ARM).critical_torques)


def test_overdamped_it_runs_as_soon_as_nothing_holds_it():
    found = ulna.portrait(ARM.replace(joints=[ulna.Joint(damping=30.0)])).critical_torques
    assert found.running == pytest.approx(found.lifting, rel=1e-6)


def test_without_friction_any_torque_will_do_and_without_weight_there_is_no_question():
    assert ulna.portrait(FREE).critical_torques.running == 0.0
    flat = ARM.replace(gravity=(0.0, 0.0))
    assert ulna.portrait(flat).critical_torques is None


def test_no_band_is_too_narrow_to_be_found(monkeypatch):
    # The first look has two speeds only, which both run on; paper 001's band lies between them.
    monkeypatch.setattr(sys.modules["ulna.analysis.portraits.basins"], "POINTS", 2)
    found = ulna.portrait(ARM, torque=4.0).critical_speeds(0.0, within=(-11.0, -6.0))
    assert [f"{value:.5f}" for value in values(found)] == ["-9.21829", "-8.46382"]


def test_a_range_with_too_many_borders_is_refused(monkeypatch):
    monkeypatch.setattr(sys.modules["ulna.analysis.portraits.basins"], "MOST", 3)
    with pytest.raises(InputError, match="narrow the range"):
        ulna.portrait(ARM).critical_speeds(0.0, within=(-10.0, 10.0))
