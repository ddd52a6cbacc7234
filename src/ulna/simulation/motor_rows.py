"""The motors of an arm as the engine's memory holds them: numbers, kinds, and what they are given.

A motor is commanded with a torque, a current, a voltage or a position. What a run is given is one
of these for all joints; torques suit every motor, since a driver converts them.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np

from ulna.actuation.motor_formulas import gear_efficiencies
from ulna.arm import Arm
from ulna.arm.motors import AnyMotor, IdealMotor, Motor, ServoMotor, StepperMotor, TorqueSpeedMotor
from ulna.arrays import Array
from ulna.errors import InputError, Problem, warn
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.loads import CURRENT, POSITION, TORQUE, VOLTAGE
from ulna.simulation.methods import BUILT_IN, METHODS
from ulna.simulation.options import SimulationOptions

GIVEN = {
    TORQUE: at.GIVEN_TORQUE,
    CURRENT: at.GIVEN_CURRENT,
    VOLTAGE: at.GIVEN_VOLTAGE,
    POSITION: at.GIVEN_POSITION,
}
SETTLED = 1.0  # time constants of a current in a step, beyond which it settles within it
UNSTABLE, ROUGH = 2.0, 0.5  # radians of a contact's vibration in a step


class MotorRows(NamedTuple):
    """The motors of an arm, in numbers."""

    values: Array  # (n, columns) of `per_arm`
    codes: Array  # (n, codes)
    periods: Array  # (n,) [s] of servos, 0 of others

    @property
    def form(self) -> Hashable:
        """What arms in lanes together must have in common."""
        return self.codes.tobytes(), self.periods.tobytes(), has_gear_loss(self)


def takes_positions(arm: Arm) -> bool:
    """Return whether all motors of an arm are commanded positions."""
    return all(takes_position(joint.motor) for joint in arm.joints)


def takes_position(motor: AnyMotor | None) -> bool:
    """Return whether a motor is commanded a position."""
    return isinstance(motor, ServoMotor | StepperMotor)


def command_rates(arm: Arm, rate: float) -> list[float]:
    """Return how often each motor takes a position [Hz]: a servo at its own rate."""
    motors = [joint.motor for joint in arm.joints]
    return [one.update_rate if isinstance(one, ServoMotor) else rate for one in motors]


def check_given(arm: Arm, given: str) -> None:
    """Raise InputError where a joint has no motor that takes such a command."""
    wanted = {
        CURRENT: ((Motor,), "a DC motor", "Motor(voltage=..., resistance=..., ...)"),
        VOLTAGE: ((Motor,), "a DC motor", "Motor(voltage=..., resistance=..., ...)"),
        POSITION: ((ServoMotor, StepperMotor), "a servo or a stepper", "ServoMotor(...)"),
    }
    if given not in wanted:
        return
    kinds, name, hint = wanted[given]
    problems = []
    for number, joint in enumerate(arm.joints, 1):
        if not isinstance(joint.motor, kinds):
            kind = getattr(joint.motor, "kind", "ideal")
            got = f"joint {number} with {'an' if kind == 'ideal' else 'a'} {kind} motor"
            advice = f"Joint(motor={hint}), or torque=, which suits all"
            problems.append(Problem(given, got, f"{name} at every joint", advice))
    if problems:
        raise InputError(problems)


def motor_rows(arm: Arm, given: str, *, dt: float, adaptive: bool) -> MotorRows:
    """Return the motors of an arm that is given torques, currents, voltages or positions.

    `dt` is the step, if steps are not adaptive: currents that settle faster are not integrated.
    """
    n = arm.n
    values = np.zeros((n, at.MOTOR_COLUMNS))
    codes = np.zeros((n, at.CODES_OF_MOTOR), dtype=np.int64)
    periods = np.zeros(n)
    values[:, (at.MOST_TORQUE, at.TARGET_SPEED)] = np.inf
    values[:, (at.RESISTANCE, at.NO_LOAD_SPEED, at.STEP_ANGLE, at.RATIO, at.ROTOR)] = 1.0
    values[:, at.AMBIENT] = 25.0
    for i, joint in enumerate(arm.joints):
        motor = joint.motor or IdealMotor()
        codes[i, at.GIVEN] = GIVEN[given]
        ratio = float(joint.gear_ratio)
        if isinstance(motor, Motor):
            _put_dc(values[i], codes[i], motor, ratio, 0.0 if adaptive else dt)
            inertia = motor.rotor_inertia + joint.rotor_inertia
            values[i, at.ROTOR] = inertia * values[i, at.RATIO] ** 2 or 1.0
        else:
            _put_other(values[i], codes[i], motor, abs(ratio))
        if isinstance(motor, ServoMotor):
            periods[i] = 1.0 / motor.update_rate
    return MotorRows(values, codes, periods)


def _put_dc(row: Array, codes: Array, motor: Motor, ratio: float, dt: float) -> None:
    total = motor.gear_ratio * ratio
    back_emf = motor.back_emf_constant or motor.torque_constant
    out, back = gear_efficiencies(motor)
    codes[at.MOTOR_KIND] = at.DC
    row[at.SUPPLY], row[at.RESISTANCE] = motor.voltage, motor.resistance
    row[at.TORQUE_CONSTANT], row[at.EMF_CONSTANT] = motor.torque_constant * total, back_emf * total
    rated = motor.rated_torque_constant or motor.torque_constant
    row[at.CURRENT_PER_TORQUE] = 1.0 / (rated * total)
    row[at.INDUCTANCE], row[at.MOST_CURRENT] = motor.inductance, motor.max_current
    row[at.FORWARD_LOSS], row[at.BACK_LOSS] = 1.0 - out, 1.0 / back - 1.0
    row[at.RATIO] = total
    row[at.NO_LOAD_SPEED] = motor.voltage / (back_emf * abs(total))
    by_voltage = codes[at.GIVEN] == at.GIVEN_VOLTAGE or motor.command == VOLTAGE
    row[at.WARM_RESISTANCE], row[at.WARM_CONDUCTANCE] = motor.resistance, 1.0 / motor.resistance
    row[at.WARM_TORQUE], row[at.WARM_EMF] = row[at.TORQUE_CONSTANT], row[at.EMF_CONSTANT]
    if codes[at.GIVEN] == at.GIVEN_CURRENT:
        by_voltage = False
    if by_voltage:
        slow = motor.inductance >= dt * motor.resistance / SETTLED
        lagging = at.INTEGRATED if slow else at.SETTLING
        codes[at.CURRENT_BY] = lagging if motor.inductance > 0.0 else at.BY_VOLTAGE
    heat = motor.heat
    if heat is not None:
        codes[at.WARMS] = 1
        row[at.THERMAL_RESISTANCE] = heat.thermal_resistance
        row[at.THERMAL_CAPACITY] = heat.thermal_capacity
        row[at.MOST_TEMPERATURE], row[at.AMBIENT] = heat.max_temperature, heat.ambient
        row[at.COPPER], row[at.MAGNET] = heat.copper_coefficient, heat.magnet_coefficient
        if heat.derating_from is not None:
            codes[at.DERATES], row[at.DERATING_START] = 1, heat.derating_from
            row[at.MOST_CURRENT] = min(motor.max_current, motor.voltage / motor.resistance)
    if motor.backlash is not None:
        codes[at.HAS_BACKLASH] = 1
        row[at.HALF_GAP] = 0.5 * motor.backlash.gap
        row[at.CONTACT_STIFFNESS] = motor.backlash.stiffness
        row[at.CONTACT_DAMPING] = motor.backlash.damping


def _put_other(row: Array, codes: Array, motor: AnyMotor, ratio: float) -> None:
    """Put a motor that is known at its output shaft, behind a further gear of the joint."""
    if isinstance(motor, TorqueSpeedMotor | ServoMotor):
        codes[at.MOTOR_KIND] = at.TORQUE_SPEED
        row[at.STALL_TORQUE] = motor.stall_torque * ratio
        row[at.NO_LOAD_SPEED] = motor.no_load_speed / ratio
        row[at.MOST_TORQUE] = motor.max_torque * ratio
    if isinstance(motor, ServoMotor):
        codes[at.MOTOR_KIND] = at.SERVO
        row[at.STIFFNESS] = motor.stiffness * ratio * ratio
        row[at.INNER_DAMPING] = motor.damping * ratio * ratio
        row[at.TARGET_SPEED] = motor.max_speed / ratio
        row[at.DEAD_BAND] = motor.dead_band / ratio
    elif isinstance(motor, StepperMotor):
        codes[at.MOTOR_KIND] = at.STEPPER
        row[at.STALL_TORQUE] = motor.holding_torque * ratio
        row[at.STEP_ANGLE] = motor.step_angle / ratio
        row[at.MICROSTEP] = motor.step_angle / ratio / motor.microsteps
        row[at.CORNER_SPEED], row[at.NO_LOAD_SPEED] = (
            motor.corner_speed / ratio,
            motor.max_speed / ratio,
        )
        row[at.INNER_DAMPING] = motor.damping * ratio * ratio


def has_gear_loss(rows: MotorRows) -> bool:
    """Return whether any gear takes a part of the torque."""
    return bool(rows.values[:, (at.FORWARD_LOSS, at.BACK_LOSS)].any())


def put_motors(layout: dict[int, int], rows: MotorRows, builders: Any) -> None:
    """Put motors into the memory that is being built."""
    n = len(rows.codes)
    layout[at.MOTORS] = 1
    layout[at.MOTOR_ROWS] = builders.per_arm.put(rows.values)
    layout[at.MOTOR_CODES] = builders.ints.put(rows.codes)
    latches = np.zeros((n, 2))
    latches[:, 0] = rows.periods
    layout[at.LATCHES] = builders.floats.put(latches)
    layout[at.SHOWN] = builders.floats.put(np.zeros(5 * n + at.ENERGIES))
    layout[at.SERVOS] = int(np.count_nonzero(rows.periods))
    by = rows.codes[:, at.CURRENT_BY]
    layout[at.WINDINGS] = bool((by >= at.INTEGRATED).any() or rows.codes[:, at.WARMS].any())
    layout[at.SETTLINGS] = int(np.count_nonzero(by == at.SETTLING))
    layout[at.GEARED] = has_gear_loss(rows)
    layout[at.BACKLASHES] = int(np.count_nonzero(rows.codes[:, at.HAS_BACKLASH]))


def start_motors(vectors: Array, per_arm: Array, ints: Array) -> None:
    """Set windings, rotors and targets of servos as they are at the start."""
    n = vectors.shape[1] - 1
    first = int(ints[at.MOTOR_ROWS])
    rows = per_arm[first : first + n * at.MOTOR_COLUMNS].reshape(n, at.MOTOR_COLUMNS)
    q, qd = vectors[at.STATE : at.STATE + 2, :n]
    vectors[at.ELECTRIC + at.STATE + 1, :n] = rows[:, at.AMBIENT]
    vectors[at.ROTORS + at.STATE, :n], vectors[at.ROTORS + at.STATE + 1, :n] = q, qd
    rows[:, at.LATCHED] = rows[:, at.TARGET_START] = q


def quickest_contact(rows: MotorRows) -> float:
    """Return the shortest time [s] in which teeth in contact swing by a radian of phase."""
    with_gap = rows.codes[:, at.HAS_BACKLASH] != 0
    if not with_gap.any():
        return math.inf
    stiff = rows.values[with_gap, at.CONTACT_STIFFNESS] / rows.values[with_gap, at.ROTOR]
    return float(1.0 / np.sqrt(stiff.max()))


def check_motors(arm: Arm, options: SimulationOptions, given: str) -> None:
    """Raise InputError for what an arm's motors cannot do, and warn of what they do badly."""
    check_given(arm, given)
    if not arm.has_motors:
        return
    if options.dynamics == "sequential":
        _check_sequential(given)
        return
    method = METHODS[options.method]
    if method.code >= at.BY_KERNEL and method.name not in BUILT_IN:
        got = f"'{method.name}', which has a step of its own"
        need = "a method that integrates currents, temperatures and rotors of motors too"
        hint = f"give the method a tableau, or use one of {', '.join(BUILT_IN)}"
        raise InputError(Problem("method", got, need, hint))
    if not options.adaptive:
        _check_contacts(arm, options.dt)


def _check_sequential(given: str) -> None:
    if given != TORQUE:
        need = "torque= with dynamics='sequential', where motors are ideal"
        raise InputError(Problem(given, f"{given}s of motors", need, "use dynamics='full'"))
    warn("dynamics='sequential' knows no motors: they are ideal; use dynamics='full'")


def _check_contacts(arm: Arm, dt: float) -> None:
    """Refuse steps that are too long for teeth in contact, and warn of those nearly so."""
    time = quickest_contact(motor_rows(arm, TORQUE, dt=dt, adaptive=False))
    if dt <= ROUGH * time:
        return
    got = f"{dt:g} s, where teeth with backlash vibrate by a radian in {time:.2g} s"
    hint = f"try dt={ROUGH * time:.1g}, or method='dop853', which chooses its steps"
    problem = Problem("dt", got, f"at most {ROUGH * time:.2g} s", hint)
    if dt > UNSTABLE * time:
        raise InputError(problem)
    warn(str(problem))
