"""The laws of motors: what torque they have left, what a torque takes of them, how warm they get.

A DC motor behind a total gear ratio N, that of its own gear times that of the joint, turns the
joint with T = N Kt i before the losses of the gear, and for the rate ω of the joint

    v = R i + Ke N ω          |v| ≤ V         |i| ≤ max_current
    P = v i                   from the supply: R i² heats the winding, Ke N ω i reaches the gear
    τ = η T                   reaches the joint where the motor drives it (T ω > 0), and
    τ = T / η_b               where the motor brakes
    C dΘ/dt = R i² − (Θ − Θ_a)/R_th
    R = R₂₅ [1 + α (Θ − 25 °C)],   Kt and Ke = Kt₂₅, Ke₂₅ [1 + β (Θ − 25 °C)]

The voltage L di/dt of the inductance is left out. A driver that protects the winding lowers its
limit of current from `derating_from` on, in proportion to how far `max_temperature` still is.
A torque–speed motor or a servo has T ≤ T_stall (1 − ω/ω₀) left to drive with. To brake, a
torque–speed motor has T ≤ T_stall (1 + ω/ω₀), up to its `max_torque`, and a servo T ≤ T_stall.
A stepper has its pull-out torque: the holding torque up to the corner speed, and less in proportion
from there to its largest speed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ulna.actuation.friction import before_gears, gear_efficiencies
from ulna.arm import Joint, WindingHeat
from ulna.arm.motors import MOTORS, AnyMotor, IdealMotor, Motor, StepperMotor
from ulna.arrays import Array, float_array
from ulna.errors import InputError, Problem, shown
from ulna.typing import ArrayLike

Driven: TypeAlias = Joint | AnyMotor  # a joint with its motor, or a motor by itself
REFERENCE = 25.0  # [°C] at which resistance and constants are given
TINY = 1e-12  # of a thermal rate: below, a step is its limit


class TorqueRange(NamedTuple):
    """The torques that a motor can give at a speed.

    Attributes
    ----------
    lower : ndarray
        The least [N·m], negative where it can turn the joint back.
    upper : ndarray
        The most [N·m].
    """

    lower: Array
    upper: Array


def torque_range(
    motor: Driven, rate: ArrayLike, temperature: ArrayLike | None = None
) -> TorqueRange:
    """Return which torques a motor can give at a rate of its joint, before losses of the gear.

    Parameters
    ----------
    motor : Joint, Motor, TorqueSpeedMotor, ServoMotor, StepperMotor or IdealMotor
        A joint with its motor, whose own gear ratio counts too; or a motor by itself.
    rate : array_like
        Of the joint [rad/s].
    temperature : array_like, optional
        Of the winding [°C]; 25 °C unless given.

    Returns
    -------
    TorqueRange
        Least and most torque [N·m] at the joint; infinite without a motor.

    Examples
    --------
    >>> import ulna
    >>> motor = ulna.Motor(voltage=12.0, resistance=2.0, torque_constant=0.02, gear_ratio=100.0)
    >>> lower, upper = torque_range(motor, [0.0, 3.0, 6.0])
    >>> upper.tolist(), lower.tolist()
    ([12.0, 6.0, 0.0], [-12.0, -18.0, -24.0])
    >>> motor = ulna.TorqueSpeedMotor(stall_torque=2.0, no_load_speed=4.0, max_torque=1.5)
    >>> torque_range(motor, [0.0, 3.0, 6.0]).upper.tolist()
    [1.5, 0.5, 0.0]
    """
    rated, ratio = _motor_and_ratio(motor)
    speed = float_array(rate, "rate")
    if rated is None or isinstance(rated, IdealMotor):
        return TorqueRange(*(np.full_like(speed, end) for end in (-np.inf, np.inf)))
    if isinstance(rated, Motor):
        return _electric_range(rated, abs(ratio), speed, temperature)
    size = abs(ratio)
    if isinstance(rated, StepperMotor):
        fall = (rated.max_speed - np.abs(speed) * size) / (rated.max_speed - rated.corner_speed)
        most = rated.holding_torque * size * np.clip(fall, 0.0, 1.0)
        return TorqueRange(-most, most)
    most, part = rated.max_torque, speed * size / rated.no_load_speed
    upper = np.clip(rated.stall_torque * (1.0 - part), 0.0, most)
    lower = np.clip(-rated.stall_torque * (1.0 + part), -most, 0.0)
    return TorqueRange(lower * size, upper * size)


def _electric_range(motor: Motor, size: float, rate: Array, temperature: Any) -> TorqueRange:
    """Return what supply and driver allow; beyond the no-load speed a current flows back."""
    ratio = size * abs(motor.gear_ratio)
    resistance, torque_constant, emf_constant = _warm(motor, temperature)
    most, emf = current_limit(motor, temperature), emf_constant * ratio * rate
    least_i, most_i = (-motor.voltage - emf) / resistance, (motor.voltage - emf) / resistance
    upper = np.maximum(np.minimum(most, most_i), least_i)
    lower = np.minimum(np.maximum(-most, least_i), most_i)
    return TorqueRange(ratio * torque_constant * lower, ratio * torque_constant * upper)


def current_limit(motor: Driven, temperature: ArrayLike | None = None) -> Array:
    """Return the most current that the driver of a DC motor gives.

    Parameters
    ----------
    motor : Joint or Motor
        The motor; without one, or of another kind, nothing limits.
    temperature : array_like, optional
        Of the winding [°C]; 25 °C unless given.

    Returns
    -------
    ndarray
        Currents [A]. One that derates without a `max_current` begins with V/R.

    Examples
    --------
    >>> import ulna
    >>> heat = ulna.WindingHeat(10.0, 5.0, max_temperature=120.0, derating_from=100.0)
    >>> motor = ulna.Motor(12.0, 2.0, 0.02, max_current=4.0, heat=heat)
    >>> current_limit(motor, [25.0, 110.0, 120.0]).tolist()
    [4.0, 2.0, 0.0]
    """
    rated, _ = _motor_and_ratio(motor)
    warmth = np.asarray(REFERENCE if temperature is None else temperature, dtype=float)
    if not isinstance(rated, Motor):
        return np.full_like(warmth, np.inf)
    heat = rated.heat
    if heat is None or heat.derating_from is None:
        return np.full_like(warmth, rated.max_current)
    left = (heat.max_temperature - warmth) / (heat.max_temperature - heat.derating_from)
    return rated.stall_current * np.clip(left, 0.0, 1.0)


def motor_torque(motor: Driven, torque: ArrayLike, rate: ArrayLike) -> Array:
    """Return the torque of a motor of which a torque reaches the joint through the gear.

    Parameters
    ----------
    motor : Joint or any motor
        A joint with its motor, or a motor by itself.
    torque : array_like
        What reaches the joint [N·m].
    rate : array_like
        Of the joint [rad/s]; at rest the gear loses nothing.

    Returns
    -------
    ndarray
        Torques [N·m] at the joint, before the losses of the gear.

    Examples
    --------
    >>> import ulna
    >>> motor = ulna.Motor(12.0, 2.0, 0.02, efficiency=0.8, backdriving_efficiency=0.5)
    >>> motor_torque(motor, 4.0, [1.0, -1.0]).tolist()
    [5.0, 2.0]
    """
    needed = float_array(torque, "torque")
    efficiency = np.array(gear_efficiencies(motor))
    return before_gears(needed, np.sign(float_array(rate, "rate")), efficiency)


def gear_loss(motor: Driven, torque: ArrayLike, rate: ArrayLike) -> Array:
    """Return the power that the gear of a motor turns into heat.

    Parameters
    ----------
    motor : Joint or any motor
        A joint with its motor, or a motor by itself.
    torque : array_like
        What reaches the joint [N·m].
    rate : array_like
        Of the joint [rad/s].

    Returns
    -------
    ndarray
        Powers [W], never negative.

    Examples
    --------
    >>> from ulna import Motor
    >>> gear_loss(Motor(12.0, 2.0, 0.02, efficiency=0.8), 4.0, [2.0, -2.0]).round(9).tolist()
    [2.0, 1.6]
    """
    given = motor_torque(motor, torque, rate)
    return np.asarray((given - float_array(torque, "torque")) * float_array(rate, "rate"))


def current(
    motor: Driven, torque: ArrayLike, rate: ArrayLike, temperature: ArrayLike | None = None
) -> Array:
    """Return the current of a DC motor of which a torque reaches the joint.

    Parameters
    ----------
    motor : Joint or any motor
        A joint with its motor, or a motor by itself.
    torque : array_like
        What reaches the joint [N·m].
    rate : array_like
        Of the joint [rad/s].
    temperature : array_like, optional
        Of the winding [°C]; 25 °C unless given.

    Returns
    -------
    ndarray
        Currents [A]; NaN of motors whose windings are not described.

    Examples
    --------
    >>> import ulna
    >>> motor = ulna.Motor(voltage=12.0, resistance=2.0, torque_constant=0.02, gear_ratio=100.0)
    >>> current(motor, [2.0, -3.0], 0.0).tolist()
    [1.0, -1.5]
    """
    return winding_current(motor, motor_torque(motor, torque, rate), temperature)


def winding_current(motor: Driven, torque: ArrayLike, temperature: ArrayLike | None) -> Array:
    """Return the current [A] of a DC motor that gives a torque [N·m], before losses of the gear."""
    rated, ratio = _motor_and_ratio(motor)
    if not isinstance(rated, Motor):
        return np.full_like(float_array(torque, "torque"), np.nan)
    constant = ratio * rated.gear_ratio * _warm(rated, temperature)[1]
    return np.asarray(float_array(torque, "torque") / constant)


def voltage(
    motor: Driven, torque: ArrayLike, rate: ArrayLike, temperature: ArrayLike | None = None
) -> Array:
    """Return the voltage that a DC motor needs for a torque at the joint, without inductance.

    Parameters
    ----------
    motor : Joint or any motor
        A joint with its motor, or a motor by itself.
    torque : array_like
        What reaches the joint [N·m].
    rate : array_like
        Of the joint [rad/s].
    temperature : array_like, optional
        Of the winding [°C]; 25 °C unless given.

    Returns
    -------
    ndarray
        Voltages [V]; NaN of motors whose windings are not described.

    Examples
    --------
    >>> import ulna
    >>> motor = ulna.Motor(voltage=12.0, resistance=2.0, torque_constant=0.02, gear_ratio=100.0)
    >>> voltage(motor, 2.0, [0.0, 5.0]).tolist()
    [2.0, 12.0]
    """
    return winding_voltage(motor, current(motor, torque, rate, temperature), rate, temperature)


def winding_voltage(
    motor: Driven, i: Array, rate: ArrayLike, temperature: ArrayLike | None
) -> Array:
    """Return the voltage [V] of a DC motor with a current [A] at a rate of its joint [rad/s]."""
    rated, ratio = _motor_and_ratio(motor)
    speed = float_array(rate, "rate")
    if not isinstance(rated, Motor):
        return i
    resistance, _, emf_constant = _warm(rated, temperature)
    return np.asarray(resistance * i + emf_constant * ratio * rated.gear_ratio * speed)


def supply_power(
    motor: Driven, torque: ArrayLike, rate: ArrayLike, temperature: ArrayLike | None = None
) -> Array:
    """Return the power v i that a DC motor takes from its supply; negative where it returns some.

    Parameters
    ----------
    motor : Joint or any motor
        A joint with its motor, or a motor by itself.
    torque : array_like
        What reaches the joint [N·m].
    rate : array_like
        Of the joint [rad/s].
    temperature : array_like, optional
        Of the winding [°C]; 25 °C unless given.

    Returns
    -------
    ndarray
        Powers [W]; NaN of motors whose windings are not described.

    Examples
    --------
    >>> import ulna
    >>> motor = ulna.Motor(voltage=12.0, resistance=2.0, torque_constant=0.02, gear_ratio=100.0)
    >>> supply_power(motor, 2.0, [0.0, 5.0]).tolist()
    [2.0, 12.0]
    """
    given = (motor, torque, rate, temperature)
    return np.asarray(voltage(*given) * current(*given))


def winding_loss(motor: Driven, current: ArrayLike, temperature: ArrayLike | None = None) -> Array:
    """Return the power R i² that heats the winding of a DC motor.

    Parameters
    ----------
    motor : Joint or any motor
        A joint with its motor, or a motor by itself.
    current : array_like
        Of the winding [A].
    temperature : array_like, optional
        Of the winding [°C]; 25 °C unless given.

    Returns
    -------
    ndarray
        Powers [W]; NaN of motors whose windings are not described.

    Examples
    --------
    >>> from ulna import Motor
    >>> winding_loss(Motor(12.0, 2.0, 0.02), [1.0, -3.0]).tolist()
    [2.0, 18.0]
    """
    rated, _ = _motor_and_ratio(motor)
    i = float_array(current, "current")
    if not isinstance(rated, Motor):
        return np.full_like(i, np.nan)
    return np.asarray(_warm(rated, temperature)[0] * i * i)


def temperature(
    motor: Driven, t: ArrayLike, current: ArrayLike, *, start: float | None = None
) -> Array:
    """Return how warm the winding of a DC motor gets along a motion.

    Parameters
    ----------
    motor : Joint or any motor
        A joint with its motor, or a motor by itself.
    t : array_like, shape (k,)
        Times [s], in order.
    current : array_like, shape (k,)
        Of the winding [A]. From one time to the next the mean of its squares heats the winding,
        whose resistance grows with its temperature.
    start : float, optional
        Temperature at the first time [°C]; that of the surroundings unless given.

    Returns
    -------
    ndarray, shape (k,)
        Temperatures [°C]; 25 °C of motors without heat.

    Examples
    --------
    >>> import ulna
    >>> heat = ulna.WindingHeat(thermal_resistance=10.0, thermal_capacity=5.0, copper_coefficient=0)
    >>> motor = ulna.Motor(voltage=12.0, resistance=2.0, torque_constant=0.02, heat=heat)
    >>> temperature(motor, [0.0, 50.0, 1e4], [1.0, 1.0, 1.0]).round(2).tolist()  # to 25 + 20
    [25.0, 37.64, 45.0]
    """
    rated, _ = _motor_and_ratio(motor)
    times, i = float_array(t, "t"), float_array(current, "current")
    if not isinstance(rated, Motor) or rated.heat is None:
        return np.full_like(times, REFERENCE)
    squares = np.nan_to_num(i * i)
    rates, limits = _relaxation(rated, rated.heat, 0.5 * (squares[1:] + squares[:-1]))
    spans = rates * np.diff(times)
    kept, grown = np.exp(-spans).tolist(), (-np.expm1(-spans) / rates * limits).tolist()
    found = [rated.heat.ambient if start is None else float(start)]
    for part, more in zip(kept, grown, strict=True):
        found.append(part * found[-1] + more)
    return np.array(found[: len(times)])


def _relaxation(motor: Motor, heat: WindingHeat, square: Array) -> tuple[Array, Array]:
    """Return a and b of dΘ/dt = b − a Θ for squares of the current [A²]; a may be negative."""
    loss, thermal = motor.resistance * square, heat.thermal_resistance
    a = (1.0 / thermal - loss * heat.copper_coefficient) / heat.thermal_capacity
    cold = loss * (1.0 - heat.copper_coefficient * REFERENCE)
    a = np.where(np.abs(a) < TINY, TINY, a)
    return a, (cold + heat.ambient / thermal) / heat.thermal_capacity


def steady_temperature(motor: Driven, current: ArrayLike) -> Array:
    """Return the temperature that the winding of a DC motor comes to under a lasting current.

    Parameters
    ----------
    motor : Joint or any motor
        A joint with its motor, or a motor by itself.
    current : array_like
        The root mean square of the current [A].

    Returns
    -------
    ndarray
        Θ = Θ_a + R_th R(Θ) i² [°C]; infinite where the winding warms up without end, 25 °C
        without heat.

    Examples
    --------
    >>> import ulna
    >>> heat = ulna.WindingHeat(thermal_resistance=10.0, thermal_capacity=5.0)
    >>> motor = ulna.Motor(voltage=12.0, resistance=2.0, torque_constant=0.02, heat=heat)
    >>> steady_temperature(motor, [0.0, 1.0, 4.0]).round(2).tolist()
    [25.0, 46.71, inf]
    """
    rated, _ = _motor_and_ratio(motor)
    i = float_array(current, "current")
    if not isinstance(rated, Motor) or rated.heat is None:
        return np.full_like(i, REFERENCE)
    rate, limit = _relaxation(rated, rated.heat, i * i)
    return np.asarray(np.where(rate > TINY, limit / rate, np.inf))


def continuous_torque(motor: Driven) -> float:
    """Return the largest torque that a motor can give at rest without end.

    Parameters
    ----------
    motor : Joint or any motor
        A joint with its motor, or a motor by itself.

    Returns
    -------
    float
        Torque [N·m] at the joint, before losses of the gear. The temperature settles at
        `max_temperature` or below, where supply and driver still give the torque. Without heat it
        is the largest torque at rest.

    Examples
    --------
    >>> import ulna
    >>> heat = ulna.WindingHeat(10.0, 5.0, max_temperature=125.0, copper_coefficient=0.0)
    >>> motor = ulna.Motor(12.0, 0.4, 0.02, gear_ratio=100.0, heat=heat)
    >>> round(continuous_torque(motor), 9)  # 5 A, of 30 A at stall
    10.0
    """
    rated, ratio = _motor_and_ratio(motor)
    heat = getattr(rated, "heat", None)
    if heat is None or not isinstance(rated, Motor):
        return float(torque_range(motor, 0.0).upper)

    def steady(hot: float) -> float:
        resistance, torque_constant, _ = _warm(rated, hot)
        i = np.sqrt((hot - heat.ambient) / (heat.thermal_resistance * resistance))
        return float(abs(ratio * rated.gear_ratio) * torque_constant * i)

    def excess(hot: float) -> float:
        return steady(hot) - float(torque_range(motor, 0.0, hot).upper)

    from scipy.optimize import brentq, minimize_scalar  # slow to import

    hot = heat.max_temperature
    if excess(hot) > 0.0:  # supply or driver give less, and the winding stays cooler
        hot = brentq(excess, heat.ambient, hot, xtol=TINY)
    # Where magnets weaken, a cooler winding may give more.
    inner = minimize_scalar(lambda at: -steady(at), bounds=(heat.ambient, hot), method="bounded")
    return max(steady(hot), -float(inner.fun))


def _motor_and_ratio(driven: Driven) -> tuple[AnyMotor | None, float]:
    """Return a motor, and the gear ratio from its output shaft to the joint."""
    if isinstance(driven, Joint):
        return driven.motor, driven.gear_ratio
    if not isinstance(driven, MOTORS):
        raise InputError(Problem("motor", shown(driven), "a Joint, or a motor such as Motor(...)"))
    return driven, 1.0


def _warm(motor: Motor, temperature: Any) -> Sequence[Array]:
    """Return resistance [Ω], torque constant [N·m/A] and back-EMF constant [V·s/rad]."""
    emf_constant = float(motor.back_emf_constant or motor.torque_constant)
    if motor.heat is None or temperature is None:
        return [np.asarray(one) for one in (motor.resistance, motor.torque_constant, emf_constant)]
    above = np.asarray(temperature, dtype=float) - REFERENCE
    magnet = 1.0 + motor.heat.magnet_coefficient * above
    resistance = motor.resistance * (1.0 + motor.heat.copper_coefficient * above)
    return resistance, motor.torque_constant * magnet, emf_constant * magnet
