"""Draw the laws of motors, and what each makes of a run, for docs/motors.md."""

from __future__ import annotations

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np

import ulna
from ulna.actuation import torque_range
from ulna.viewer import styled

PANELS = {"figsize": (9.6, 2.9), "layout": "constrained"}


def rod(joint, *, length=0.3, mass=0.5, gravity=(0.0, -9.81)):
    """Return one rod."""
    return ulna.Arm.rods([length], [mass], joints=[joint], gravity=gravity)


def torque_speed():
    """Draw which torques are left at a speed, and a joint that is asked for more than that."""
    line = ulna.TorqueSpeedMotor(stall_torque=3.0, no_load_speed=5.0, max_torque=2.5)
    rate = np.linspace(-7.0, 7.0, 701)
    run = ulna.simulate(
        rod(ulna.Joint(motor=line, damping=0.05), gravity=(0.0, 0.0)),
        q0=[0.0],
        torque="2.8 if t < 0.05 else -2.8",
        duration=0.11,
        dt=1e-4,
    )
    with styled() as theme:
        figure, (left, right) = plt.subplots(1, 2, **PANELS)
        lower, upper = torque_range(line, rate)
        left.fill_between(rate, lower, upper, color=theme.grid, alpha=0.6, lw=0)
        left.plot(rate, upper, color=theme.data[0])
        left.plot(rate, lower, color=theme.data[0])
        left.plot(run.qd[:, 0], run.tau[:, 0], color=theme.data[1], lw=2.2)
        left.set(xlabel="rate ω [rad/s]", ylabel="torque [N·m]", title="what is left at a speed")
        ahead = np.where(run.t < 0.05, 2.8, -2.8)
        right.plot(1e3 * run.t, ahead, color=theme.muted, lw=1.0, ls="--", label="asked for")
        right.plot(1e3 * run.t, run.tau[:, 0], color=theme.data[1], label="torque [N·m]")
        right.plot(1e3 * run.t, run.qd[:, 0], color=theme.data[2], label="rate [rad/s]")
        right.set(xlabel="time [ms]", title="±2.8 N·m asked for", xlim=(0, 110), ylim=(-4.2, 7.8))
        right.legend(loc="upper right", ncols=3)
    return figure


def winding():
    """Draw how the current of a winding rises on a voltage, and what the speed makes of it."""
    motor = ulna.Motor(voltage=12.0, resistance=2.0, torque_constant=0.02, gear_ratio=50.0)
    joint = ulna.Joint(damping=0.02, motor=motor)
    with styled() as theme:
        figure, (left, right) = plt.subplots(1, 2, **PANELS)
        for color, (label, inductance) in zip(
            theme.data, {"L = 0": 0.0, "L/R = 5 ms": 0.01, "L/R = 20 ms": 0.04}.items(),
            strict=False,
        ):  # fmt: skip
            driven = rod(
                replace(joint, motor=replace(motor, inductance=inductance)), gravity=(0.0, 0.0)
            )
            run = ulna.simulate(driven, q0=[0.0], voltage=[12.0], duration=0.15)
            left.plot(1e3 * run.t, run.current[:, 0], color=color, label=label)
            right.plot(1e3 * run.t, run.qd[:, 0], color=color, label=label)
        left.set(xlabel="time [ms]", ylabel="current [A]", title="12 V, from rest")
        right.set(xlabel="time [ms]", ylabel="rate of the joint [rad/s]", title="the joint")
        left.legend(loc="upper right")
    return figure


def heat():
    """Draw how a winding warms up, with and without a driver that protects it."""
    warm = ulna.WindingHeat(
        thermal_resistance=10.0, thermal_capacity=4.0, max_temperature=120.0,
        magnet_coefficient=-0.002,
    )  # fmt: skip
    motor = ulna.Motor(12.0, 2.0, 0.02, gear_ratio=50.0, max_current=3.0, heat=warm)
    guarded = replace(motor, heat=replace(warm, derating_from=90.0))
    with styled() as theme:
        figure, (left, right) = plt.subplots(1, 2, **PANELS)
        drivers = {"no protection": motor, "derating from 90 °C": guarded}
        for color, (label, one) in zip(theme.data, drivers.items(), strict=False):
            run = ulna.simulate(
                rod(ulna.Joint(motor=one, damping=50.0), gravity=(0.0, 0.0)),
                q0=[0.0], torque=[2.5], duration=90.0, samples=901,
            )  # fmt: skip
            left.plot(run.t, run.temperature[:, 0], color=color, label=label)
            right.plot(run.t, run.tau[:, 0], color=color, label=label)
        left.axhline(120.0, color=theme.warning, lw=1.0, ls=":")
        left.set(xlabel="time [s]", ylabel="winding [°C]", ylim=(20, 230), title="2.5 N·m, held")
        right.set(
            xlabel="time [s]", ylabel="torque [N·m]", ylim=(0.0, 2.9),
            title="what is given: weaker magnets, less current",
        )  # fmt: skip
        left.legend(loc="upper left")
    return figure


def gear():
    """Draw what a gear leaves of a torque, driving and braking, and at rest."""
    motor = ulna.Motor(12.0, 2.0, 0.02, gear_ratio=50.0, efficiency=0.6, backdriving_efficiency=0.4)
    torque = np.linspace(-3.0, 3.0, 601)
    ahead = np.where(torque > 0.0, 0.6 * torque, torque / 0.4)
    back = np.where(torque < 0.0, 0.6 * torque, torque / 0.4)
    arm = rod(ulna.Joint(motor=motor))
    weight = 0.5 * 9.81 * 0.15  # [N·m] level
    run = ulna.simulate(
        arm, q0=[0.0], torque=f"{weight}*(1 + 0.75*sin(2*pi*t))", duration=1.4, dt=1e-3
    )
    with styled() as theme:
        figure, (left, right) = plt.subplots(1, 2, **PANELS)
        low, high = np.minimum(ahead, back), np.maximum(ahead, back)
        left.fill_between(torque, low, high, color=theme.grid, alpha=0.6, lw=0)
        left.plot(torque, ahead, color=theme.data[0], label="turning forwards")
        left.plot(torque, back, color=theme.data[1], label="turning backwards")
        left.set(
            xlabel="torque T of the motor [N·m]", ylabel="at the joint [N·m]", ylim=(-4, 4),
            title="η = 0.6, η_b = 0.4; at rest anything between",
        )  # fmt: skip
        left.legend(loc="upper left")
        right.plot(run.t, run.tau[:, 0], color=theme.data[0], label="T")
        right.plot(run.t, run.tau[:, 0] - run.friction[:, 0], color=theme.data[2], label="arrives")
        right.axhline(weight, color=theme.muted, lw=1.0, ls="--")
        right.set(
            xlabel="time [s]", ylabel="torque [N·m]", ylim=(0.0, 1.75),
            title="a level rod that the gear holds",
        )  # fmt: skip
        moved = right.twinx()
        moved.plot(run.t, np.degrees(run.q[:, 0]), color=theme.data[1], lw=1.2)
        moved.set_ylabel("angle [°]", color=theme.data[1])
        right.legend(loc="upper right", ncols=2)
    return figure


def servo():
    """Draw a servo that is commanded a step and a slow sine."""
    slow = ulna.ServoMotor(
        stall_torque=1.08, no_load_speed=7.5, stiffness=12.0, damping=0.15, max_speed=4.0,
        dead_band=0.02, update_rate=10.0,
    )  # fmt: skip
    arm = rod(ulna.Joint(motor=slow), length=0.2, mass=0.2)
    step = ulna.simulate(arm, q0=[0.0], position="0.8 if t >= 0.05 else 0", duration=0.8, dt=1e-3)
    sine = ulna.simulate(arm, q0=[0.0], position="0.25*sin(pi*t)", duration=2.0, dt=1e-3)
    with styled() as theme:
        figure, (left, right) = plt.subplots(1, 2, **PANELS)
        left.plot(step.t, np.where(step.t >= 0.05, 0.8, 0.0), color=theme.muted, ls="--", lw=1.0)
        target = np.clip(4.0 * (step.t - 0.1), 0.0, 0.8)
        left.plot(step.t, target, color=theme.data[2], label="target")
        left.plot(step.t, step.q[:, 0], color=theme.data[1], label="joint")
        left.set(xlabel="time [s]", ylabel="angle [rad]", title="read at 10 Hz, 4 rad/s at most")
        left.legend(loc="lower right")
        right.plot(sine.t, 0.25 * np.sin(np.pi * sine.t), color=theme.muted, ls="--", lw=1.0)
        read = 0.25 * np.sin(np.pi * np.floor(10.0 * sine.t + 1e-9) / 10.0)
        right.plot(sine.t, read, color=theme.data[2], lw=1.2, label="as read")
        right.plot(sine.t, sine.q[:, 0], color=theme.data[1], label="joint")
        right.set(xlabel="time [s]", title="a slow sine, read as stairs")
        right.legend(loc="upper right")
    return figure


def stepper():
    """Draw the torque of a stepper, and two ramps of which one loses steps."""
    motor = ulna.StepperMotor(
        holding_torque=0.4, corner_speed=10.0, max_speed=40.0, microsteps=16.0, damping=0.002
    )
    arm = rod(ulna.Joint(motor=motor), length=0.1, mass=0.2, gravity=(0.0, 0.0))
    step, speed = motor.step_angle, np.linspace(0.0, 45.0, 451)
    with styled() as theme:
        figure, (left, middle, right) = plt.subplots(1, 3, **PANELS)
        error = np.linspace(-4.0, 4.0, 801)
        left.plot(error, 0.4 * np.sin(0.5 * np.pi * error), color=theme.data[0])
        left.axhline(0.0, color=theme.grid, lw=0.8, zorder=0)
        for tooth in (-4, 0, 4):
            left.plot(tooth, 0.0, "o", color=theme.data[1])
        left.set(xlabel="error [steps]", ylabel="torque [N·m]", title="to the next tooth")
        middle.plot(speed, torque_range(motor, speed).upper, color=theme.data[0])
        middle.set(xlabel="rate [rad/s]", ylabel="pull-out [N·m]", title="what is left")
        for color, most in zip(theme.data[1:], (300.0, 700.0), strict=False):
            ramp = f"{0.5 * most}*(t**2 - max(t - 0.05, 0)**2)"
            run = ulna.simulate(arm, q0=[0.0], position=ramp, duration=0.1, dt=1e-4)
            wanted = 0.5 * most * (run.t**2 - np.maximum(run.t - 0.05, 0.0) ** 2)
            (use,) = run.motors
            label = f"{most:.0f} rad/s²: {use.lost_steps} lost"
            right.plot(1e3 * run.t, (run.q[:, 0] - wanted) / step, color=color, label=label)
        right.set(xlabel="time [ms]", ylabel="behind [steps]", title="two ramps")
        right.legend(loc="lower left")
    return figure


def backlash():
    """Draw a rotor that crosses the gap of its gear when it turns back."""
    motor = ulna.Motor(
        12.0, 2.0, 0.02, gear_ratio=50.0, rotor_inertia=2e-6, no_load_current=0.05,
        backlash=ulna.Backlash(gap=0.04, stiffness=300.0, damping=2000.0),
    )  # fmt: skip
    arm = rod(ulna.Joint(damping=0.05, motor=motor), gravity=(0.0, 0.0))
    run = ulna.simulate(arm, q0=[0.0], torque="0.25*cos(2*pi*t/0.6)", duration=0.9, dt=5e-4)
    with styled() as theme:
        figure, (left, right) = plt.subplots(1, 2, **PANELS)
        left.plot(run.t, run.rotor_angle[:, 0], color=theme.data[1], label="rotor / N")
        left.plot(run.t, run.q[:, 0], color=theme.data[2], label="joint")
        left.set(xlabel="time [s]", ylabel="angle [rad]", title="0.25 N·m there and back")
        left.legend(loc="lower left")
        ahead = run.rotor_angle[:, 0] - run.q[:, 0]
        right.axhspan(-0.02, 0.02, color=theme.grid, alpha=0.6, lw=0)
        right.plot(run.t, ahead, color=theme.data[1])
        right.set(xlabel="time [s]", ylabel="rotor ahead [rad]", title="in the gap, and on a flank")
        passed = right.twinx()
        passed.plot(run.t, run.tau[:, 0], color=theme.data[0], lw=1.0)
        passed.set_ylabel("torque of the teeth [N·m]", color=theme.data[0])
    return figure


MOTOR_PICTURES = {
    "motor-line.png": torque_speed,
    "motor-winding.png": winding,
    "motor-heat.png": heat,
    "motor-gear.png": gear,
    "motor-servo.png": servo,
    "motor-stepper.png": stepper,
    "motor-backlash.png": backlash,
}
