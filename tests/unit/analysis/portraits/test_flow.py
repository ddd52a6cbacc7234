"""What turns a joint, forwards and backwards in time, beside the plain equation in SciPy."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import ulna
from ulna.analysis.portraits.flow import Flow
from ulna.analysis.portraits.state_feedback import StateFeedback
from ulna.control import PD, PID, Adaptive, ComputedTorque, OpenLoop
from ulna.errors import InputError

ARM = ulna.preset("bechard-1")  # 1 kg on 1 m, b = 0.2 N·m·s


def plain(torque=4.0):
    return lambda t, y: [y[1], torque - 0.2 * y[1] - 9.81 * math.cos(y[0])]


def test_the_field_is_the_equation_of_a_pendulum():
    drawn = ulna.portrait(ARM, torque=4.0)
    angle, speed, push = drawn.field(7, 5)
    expected = 4.0 - 0.2 * speed[:, None] - 9.81 * np.cos(angle)
    assert push == pytest.approx(expected, abs=1e-12)


def test_the_energy_is_that_of_a_point_mass():
    angle, speed, energy = ulna.portrait(ARM).energy(9, 7)
    assert energy == pytest.approx(0.5 * speed[:, None] ** 2 + 9.81 * np.sin(angle), abs=1e-12)


@pytest.mark.parametrize("sign", [1.0, -1.0], ids=["forwards", "backwards"])
def test_a_course_is_the_solution_either_way_in_time(sign):
    segment = Flow(ARM, 4.0).segment(0.3, -2.0, 5.0, 51, backwards=sign < 0.0)
    times = sign * np.linspace(0.0, 5.0, 51)
    other = solve_ivp(
        plain(), (0.0, sign * 5.0), [0.3, -2.0], "DOP853", times, rtol=1e-12, atol=1e-12
    )
    assert segment.t == pytest.approx(times)
    assert segment.angle == pytest.approx(other.y[0], abs=1e-8)
    assert segment.speed == pytest.approx(other.y[1], abs=1e-8)


def test_there_and_back_again_under_a_controller():
    flow = Flow(ARM, law=StateFeedback(ARM, PD(3.0, 0.5), 0.4))
    there = flow.segment(1.0, -0.5, 2.0, 3)
    back = flow.segment(there.angle[-1], there.speed[-1], 2.0, 3, backwards=True)
    assert (back.angle[-1], back.speed[-1]) == pytest.approx((1.0, -0.5), abs=1e-4)


def test_the_motor_gives_no_more_than_its_limit():
    drawn = ulna.portrait(ARM, torque=40.0, max_torque=4.0)
    assert drawn.torque == 4.0
    law = ulna.portrait(ARM, controller=PD(100.0, 10.0), max_torque=4.0).flow
    assert np.abs(law.drive(np.linspace(-3, 3, 50), 0.0)).max() == 4.0
    assert float(law.drive(0.01, 0.0)) == pytest.approx(-1.0)


def test_slopes_are_differences_of_the_field():
    flow = ulna.portrait(ARM, controller=ComputedTorque(3.0), set_point=0.2, max_torque=50.0).flow
    step = 1e-5
    for angle, speed in ((0.3, -0.4), (1.0, 2.0)):
        found = flow.jacobian(angle, speed)
        by_angle = flow.acceleration(angle + step, speed) - flow.acceleration(angle - step, speed)
        by_speed = flow.acceleration(angle, speed + step) - flow.acceleration(angle, speed - step)
        assert found[0].tolist() == [0.0, 1.0]
        assert found[1] == pytest.approx([by_angle / (2 * step), by_speed / (2 * step)], rel=1e-6)


class Wavy:
    """A law that knows the angle only by its sine, and one state at a time."""

    def start(self, arm):
        return None

    def torque(self, t, q, qd, reference, state):
        return [-5.0 * math.sin(q[0] - reference.q[0]) - float(qd[0])], state


def test_a_law_that_knows_no_turns_lives_on_the_cylinder_and_others_do_not():
    assert ulna.portrait(ARM).cylinder
    assert ulna.portrait(ARM, controller=Wavy()).cylinder
    assert ulna.portrait(ARM, controller=OpenLoop(), set_point=0.4).cylinder
    assert not ulna.portrait(ARM, controller=PD(5.0, 1.0)).cylinder


def test_a_law_for_one_state_is_asked_for_many_one_by_one():
    flow = ulna.portrait(ARM, controller=Wavy(), set_point=0.2).flow
    angle, speed = np.linspace(-2.0, 2.0, 12).reshape(3, 4), np.linspace(1.0, 2.0, 4)
    assert flow.drive(angle, speed) == pytest.approx(-5.0 * np.sin(angle - 0.2) - speed)


class Timed(Wavy):
    def torque(self, t, q, qd, reference, state):
        return [math.sin(t)], state


@pytest.mark.parametrize(
    ("controller", "said"),
    [(PID(20.0, 2.0, 5.0), "remembers nothing"), (Adaptive(), "remembers nothing"),
     (Timed(), "changes with time")],
    ids=["PID", "Adaptive", "of time"],
)  # fmt: skip
def test_what_has_more_than_two_axes_is_refused(controller, said):
    with pytest.raises(InputError, match=said):
        ulna.portrait(ARM, controller=controller)


def test_pid_without_its_integral_is_pd():
    found = [
        ulna.portrait(ARM, controller=law, set_point=0.5).equilibria[0].angle
        for law in (PID(20.0, 2.0, 0.0), PD(20.0, 2.0))
    ]
    assert found[0] == pytest.approx(found[1], abs=1e-12)


class Rooted(Wavy):
    def torque(self, t, q, qd, reference, state):
        with np.errstate(invalid="ignore"):
            return np.sqrt(3.0 - np.asarray(q)), state


def test_a_law_without_a_value_somewhere_is_told_where():
    drawn = ulna.portrait(ARM, controller=Rooted(), angles=(-2.0, 2.5), speeds=(-2.0, 2.0))
    with pytest.raises(InputError, match=r"controller: got nan at .* rad and .* rad/s"):
        drawn.flow.drive(np.linspace(0.0, 5.0, 9), 0.0)
    with pytest.raises(InputError, match="controller: got nan at 4 rad"):
        drawn.flow.segment(4.0, 0.0, 1.0, 3)


def test_open_loop_at_a_still_aim_is_a_constant_torque():
    drawn = ulna.portrait(ARM, controller=OpenLoop(), set_point=1.0)
    assert drawn.torque == pytest.approx(9.81 * math.cos(1.0))
    assert [rest.kind for rest in drawn.equilibria] == ["stable focus", "saddle"]


def test_a_joint_in_syrup_is_refused():
    with pytest.raises(InputError, match="joint damping: got 1e\\+06"):
        ulna.portrait(ARM.replace(joints=[ulna.Joint(damping=1e6)]))
