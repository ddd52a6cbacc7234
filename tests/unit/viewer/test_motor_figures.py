"""What figures show of motors: limits where torques come near, currents, supply and heat."""

from dataclasses import replace

import numpy as np

import ulna
from figure_checks import drawn
from ulna import viewer
from ulna.viewer.motor_figures import limited_spans

HEAT = ulna.WindingHeat(8.0, 0.05)
SMALL = ulna.Motor(12.0, 2.0, 0.02, gear_ratio=20.0, max_current=3.0, heat=HEAT)
LINE = ulna.TorqueSpeedMotor(0.5, 4.0)


def rod(*motors):
    joints = [ulna.Joint(motor=motor) for motor in motors]
    n = len(motors)
    return ulna.Arm.rods([0.3] * n, [0.3] * n, joints=joints)


def swing(*motors, duration=1.0):
    ends = [[0.0] * len(motors), [1.0] * len(motors)]
    path = ulna.paths.joints(ends)
    return ulna.plan(rod(*motors), path, timing="cubic", duration=duration)


def titles(figure):
    return [axes.get_title(loc="left") for axes in figure.axes]


def labels(axes):
    return [line.get_label() for line in axes.lines]


def test_a_page_of_torques_shows_currents_supply_and_heat_of_dc_motors():
    assert titles(viewer.torques_figure(swing(SMALL)))[1:] == [
        "current [A]",
        "supply [W]",
        "winding [°C]",
    ]
    cool = replace(SMALL, heat=None)
    assert titles(viewer.torques_figure(swing(cool)))[1:] == ["current [A]", "supply [W]"]
    assert len(viewer.torques_figure(swing(LINE)).axes) == 1


def test_the_limit_of_a_motor_is_that_at_its_speed_and_is_drawn_where_torques_come_near():
    made = swing(LINE)
    axes = drawn(viewer.plot_joint_torque, made, 1)
    limits = [line for line in axes.lines if line.get_label() == "motor's limit"]
    assert any(np.allclose(line.get_ydata(), 0.5 * (1.0 - made.qd[:, 0] / 4.0)) for line in limits)
    assert f"{made.motor_peaks.use[0]:.0%} of its motor" in axes.get_title(loc="left")
    strong = swing(ulna.TorqueSpeedMotor(50.0, 40.0))
    assert "motor's limit" not in labels(drawn(viewer.plot_joint_torque, strong, 1))


def test_currents_are_those_of_dc_motors_with_their_limit():
    made = swing(SMALL, LINE, duration=0.35)
    axes = drawn(viewer.plot_currents, made)
    assert "$i_{1}$" in labels(axes)
    assert "$i_{2}$" not in labels(axes)
    np.testing.assert_allclose(axes.lines[0].get_ydata(), made.current[:, 0])
    assert {float(line.get_ydata()[0]) for line in axes.lines[1:]} <= {3.0, -3.0}


def test_a_run_shows_the_same_of_its_motors():
    made = swing(SMALL)
    law = ulna.control.ComputedTorque()
    run = ulna.simulate(made.arm, controller=law, reference=made)
    panels = {axes.get_ylabel(): axes for axes in viewer.run_figure(run).axes}
    assert {"supply [W]", "winding [°C]"} <= panels.keys()
    np.testing.assert_allclose(panels["current [A]"].lines[0].get_ydata(), run.current[:, 0])


def test_spans_at_the_limits_of_a_motor_are_those_of_its_torque():
    arm = rod(LINE)
    t = np.linspace(0.0, 1.0, 11)
    rate = np.full((11, 1), 2.0)
    tau = np.where((t >= 0.3) & (t < 0.55), 0.25, 0.1)[:, None]
    zeros = np.zeros_like(rate)
    status = ulna.simulate(arm, q0=[0.0], duration=0.01).status
    run = ulna.Run(arm, t, zeros, rate, zeros, tau, np.zeros((11, 3)), t, t, status, {})
    np.testing.assert_allclose(limited_spans(run), [[0.3, 0.5]])
