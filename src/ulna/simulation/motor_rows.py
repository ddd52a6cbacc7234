"""The motors of an arm as the engine's memory holds them: numbers, kinds, and what they are given.

A motor is commanded with a torque, a current, a voltage or a position. What a run is given is one
of these for all joints; torques suit every motor, since a driver converts them.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np

from ulna.actuation.friction import gear_efficiencies
from ulna.arm import Arm, Parameters
from ulna.arm.motors import AnyMotor, IdealMotor, Motor, ServoMotor, StepperMotor, TorqueSpeedMotor
from ulna.arrays import Array
from ulna.control.gains import masses_over_range
from ulna.errors import InputError, Problem, warn
from ulna.scenario.inputs import CURRENT, POSITION, TORQUE, VOLTAGE, check_given
from ulna.scenario.methods import BUILT_IN, METHODS
from ulna.scenario.options import SimulationOptions
from ulna.simulation.engine import memory_layout as at

GIVEN = {
    TORQUE: at.GIVEN_TORQUE,
    CURRENT: at.GIVEN_CURRENT,
    VOLTAGE: at.GIVEN_VOLTAGE,
    POSITION: at.GIVEN_POSITION,
}
# Time constant [s] of a winding below which dop853, whose steps would be as short, leaves it out.
SHORTEST_WINDING = 1e-6
# Of what motors do in a step: decays of the fastest rate, or radians of the fastest oscillation.
# More than LARGE in a step of dt divides it, into parts of at most MAX_PHASE.
LARGE, MAX_PHASE = 0.75, 0.5
MAX_SUBSTEPS = 500
SINGULAR = 1e-14  # of a mass matrix of unit diagonal, what rounding leaves of its eigenvalues


class MotorRows(NamedTuple):
    """The motors of an arm, in numbers."""

    values: Array  # (n, columns) of `per_arm`
    codes: Array  # (n, codes)
    periods: Array  # (n,) [s] of servos, 0 of others
    step: float  # [s] the longest of equal steps

    @property
    def form(self) -> Hashable:
        """What arms in lanes together must have in common."""
        return self.codes.tobytes(), self.periods.tobytes(), has_gear_loss(self), self.step


def motor_rows(arm: Arm, given: str, options: SimulationOptions) -> MotorRows:
    """Return the motors of an arm that is given torques, currents, voltages or positions."""
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
            _put_dc(values[i], codes[i], motor, ratio)
            inertia = motor.rotor_inertia + joint.rotor_inertia
            values[i, at.ROTOR] = inertia * values[i, at.RATIO] ** 2 or 1.0
        else:
            _put_other(values[i], codes[i], motor, abs(ratio))
        if isinstance(motor, ServoMotor):
            periods[i] = 1.0 / motor.update_rate
    rows = MotorRows(values, codes, periods, options.dt)
    rows = rows._replace(step=options.dt / _substeps(arm, rows, options))
    settling = _settling(rows, SHORTEST_WINDING if options.adaptive else rows.step)
    codes[settling, at.CURRENT_BY] = at.BY_VOLTAGE if options.adaptive else at.SETTLING
    return rows


def _settling(rows: MotorRows, step: float) -> Array:
    """Return the windings (n,) whose currents settle within a step."""
    inductance, resistance = rows.values[:, at.INDUCTANCE], rows.values[:, at.RESISTANCE]
    return (rows.codes[:, at.CURRENT_BY] == at.INTEGRATED) & (inductance < step * resistance)


def _put_dc(row: Array, codes: Array, motor: Motor, ratio: float) -> None:
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
        codes[at.CURRENT_BY] = at.INTEGRATED if motor.inductance > 0.0 else at.BY_VOLTAGE
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


def _substeps(arm: Arm, rows: MotorRows, options: SimulationOptions) -> int:
    """Return the number of equal parts of a step of dt, which the fastest motor requires.

    A servo, a stepper or the back-EMF of a motor answers to angles and rates at once. Where that
    moves or stops a light joint within less than dt, explicit steps of dt would be unstable.
    """
    damping, stiffness = _slopes(rows, SHORTEST_WINDING if options.adaptive else options.dt)
    own = arm.parameters.damping if options.method != "semi-implicit" else 0.0
    fixed = _contact_rates(rows, damping)
    # A bound for all poses comes first: for most arms it is enough.
    rates = _rates(damping + own, stiffness, _free_inertia(arm.parameters))
    if max(rates.sum(), fixed.max()) * options.dt <= LARGE:
        return 1
    fastest = max(fastest_rate(arm, damping + own, stiffness), fixed.max())
    parts = float(fastest * options.dt / MAX_PHASE)
    if not parts <= MAX_SUBSTEPS:
        joint = int(np.argmax(np.maximum(rates, fixed)))
        damped = bool(np.broadcast_to(own, arm.n)[joint] > damping[joint])
        raise InputError(_too_fast(joint, 1.0 / fastest, parts, options.dt, damped=damped))
    if options.adaptive or parts * MAX_PHASE <= LARGE:
        return 1
    return math.ceil(parts * (1.0 - 1e-9))


def _slopes(rows: MotorRows, step: float) -> tuple[Array, Array]:
    """Return damping (n,) [N·m·s/rad] and stiffness (n,) [N·m/rad] of motors, the most of each.

    With a winding that does not settle within a step the back-EMF is a spring: the current follows
    the angle.
    """
    values, stepper = rows.values, rows.codes[:, at.MOTOR_KIND] == at.STEPPER
    stall, fastest, corner = values[:, (at.STALL_TORQUE, at.NO_LOAD_SPEED, at.CORNER_SPEED)].T
    line = stall / (fastest - np.where(stepper, corner, 0.0))
    inner = values[:, at.INNER_DAMPING]
    damping = np.where(stepper, inner + line, np.maximum(inner, line))
    stiffness = values[:, at.STIFFNESS]
    stiffness = np.where(stepper, 0.5 * math.pi * stall / values[:, at.STEP_ANGLE], stiffness)
    back_emf = abs(values[:, at.TORQUE_CONSTANT] * values[:, at.EMF_CONSTANT])
    lagging = (rows.codes[:, at.CURRENT_BY] == at.INTEGRATED) & ~_settling(rows, step)
    gear = 1.0 + values[:, at.BACK_LOSS]
    damping = damping + np.where(lagging, 0.0, gear * back_emf / values[:, at.RESISTANCE])
    inductance = np.where(lagging, values[:, at.INDUCTANCE], 1.0)
    return damping, stiffness + np.where(lagging, gear * back_emf / inductance, 0.0)


def _contact_rates(rows: MotorRows, damping: Array) -> Array:
    """Return the rates (n,) [1/s] of rotors with backlash, which move without their joints."""
    rotor = np.where(rows.codes[:, at.HAS_BACKLASH] != 0, rows.values[:, at.ROTOR], math.inf)
    contact = np.sqrt(rows.values[:, at.CONTACT_STIFFNESS] / rotor)
    return np.maximum(damping / rotor, contact)


def _rates(damping: Array, stiffness: Array, inertia: Array) -> Array:
    """Return the faster of decay and oscillation (n,) [1/s] of joints of some inertia."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        rates = np.maximum(damping / inertia, np.sqrt(stiffness / inertia))
    return np.where(np.isnan(rates), 0.0, rates)


def _free_inertia(p: Parameters) -> Array:
    """Return a bound below the inertia (n,) [kg·m²] of joints whose neighbours are free.

    Of the kinetic energy it counts the turning of both links and of the rotor between them. The
    link before turns by itself such that least energy is left for a rate of the joint.
    """
    J, N, own = p.rotor_inertia, p.gear_ratio, p.inertia
    before = np.append(math.inf, own[:-1])
    both = before + own + J
    taken = np.divide((own + J * N) ** 2, both, out=np.zeros(p.n), where=both > 0.0)
    return np.asarray(np.maximum(own + J * N**2 - taken, 0.0))


def fastest_rate(arm: Arm, damping: Array, stiffness: Array) -> float:
    """Return the fastest rate [1/s] of motions under dampers and springs, over all poses.

    With D the largest eigenvalue of M⁻¹ diag(damping) and ω² that of M⁻¹ diag(stiffness), roots of
    M s² + diag(damping) s + diag(stiffness) have |s| ≤ max(D, ω).
    """
    masses = masses_over_range(arm)
    size = np.sqrt(np.diagonal(masses, axis1=-2, axis2=-1))
    scaled = masses / (size[..., :, None] * size[..., None, :])
    inverse = np.linalg.inv(scaled + SINGULAR * np.eye(arm.n))

    def largest(values: Array) -> float:
        root = np.sqrt(values) / size
        return float(np.linalg.eigvalsh(inverse * root[..., :, None] * root[..., None, :]).max())

    return max(largest(damping), math.sqrt(max(largest(stiffness), 0.0)))


def _too_fast(joint: int, time: float, parts: float, dt: float, *, damped: bool) -> Problem:
    what = "damping that stops" if damped else "a motor that moves or stops"
    got = f"{what} the joint within {time:.2g} s, for which dt = {dt:g} s has {parts:.3g} parts"
    hint = "give the motor its rotor_inertia, less stiffness or less damping; or take a shorter dt"
    if damped:
        hint = "try method='semi-implicit', which any damping suits"
    what = "damping" if damped else "motor"
    return Problem(f"joint {joint + 1}, {what}", got, f"at most {MAX_SUBSTEPS} parts", hint)


def check_motors(arm: Arm, options: SimulationOptions, given: str) -> None:
    """Raise InputError for what an arm's motors cannot do, and warn of what they do badly."""
    check_given(arm, given)
    if not arm.has_motors:
        return
    if options.dynamics == "sequential":
        if given != TORQUE:
            need = "torque= with dynamics='sequential', where motors are ideal"
            raise InputError(Problem(given, f"{given}s of motors", need, "use dynamics='full'"))
        warn("dynamics='sequential' knows no motors: they are ideal; use dynamics='full'")
        return
    method = METHODS[options.method]
    if method.code >= at.BY_KERNEL and method.name not in BUILT_IN:
        got = f"'{method.name}', which has a step of its own"
        need = "a method that integrates currents, temperatures and rotors of motors too"
        hint = f"give the method a tableau, or use one of {', '.join(BUILT_IN)}"
        raise InputError(Problem("method", got, need, hint))
