"""What the motors of a run did: limits that they reached, heat, lost steps, and energy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ulna.arm.motors import CURRENT, VOLTAGE, Motor, StepperMotor
from ulna.arrays import Array, Floats
from ulna.simulation.engine import memory_layout as at

if TYPE_CHECKING:
    from ulna.arm import Arm
    from ulna.simulation.core import SimulationCore

FULL_PERIOD = 4  # steps between teeth to which a rotor falls


class MotorUse(NamedTuple):
    """What the motor of a joint did in a run.

    Attributes
    ----------
    joint : int
        Which, counted from 1.
    limited_seconds : float
        How long [s] it gave another torque than it was asked for, at its limits.
    episodes : int
        How often it came to that.
    first_limited : float or None
        When [s] it first did.
    stalled : float or None
        When [s] it first stood still at its limits, if it did so for a tenth of a second on end.
    overheated : float or None
        When [s] its winding first was too hot.
    hottest : float or None
        The highest temperature [°C] of its winding, if it is known.
    peak_current : float or None
        The largest current [A] of its winding, of DC motors.
    peak_supply_current : float or None
        The largest current [A] that its driver drew from the supply, of DC motors.
    lost_steps : int
        How many full steps a stepper is away from where it was commanded.
    """

    joint: int  # counted from 1
    limited_seconds: float
    episodes: int
    first_limited: float | None
    stalled: float | None
    overheated: float | None
    hottest: float | None
    peak_current: float | None
    peak_supply_current: float | None
    lost_steps: int


class EnergyFlow(NamedTuple):
    """Where the energy went, [J] since the start, at every sample.

    From supply to arm: supplied − returned = winding + conversion + gain of magnetic + work of the
    motors; that work = teeth + gain of rotors and of bent teeth + what reaches the joints.

    Attributes
    ----------
    supplied, returned : ndarray, shape (S,)
        From the supply, and back to it. Of motors without electrical data, the work that they do
        and take.
    winding : ndarray, shape (S,)
        Heat of windings, ∫ R i² dt.
    conversion : ndarray, shape (S,)
        Lost between winding and rotor, ∫ (Ke − Kt) ω i dt.
    gear : ndarray, shape (S,)
        Heat of gears under load; it is a part of what a run dissipates.
    teeth : ndarray, shape (S,)
        Lost where teeth with backlash meet.
    magnetic : ndarray, shape (S,)
        Stored in the windings, Σ ½ L i².
    rotors : ndarray, shape (S,)
        Motion of rotors with backlash, and of their teeth in contact; those of others belong to the
        kinetic energy of the arm.
    """

    supplied: Floats
    returned: Floats
    winding: Floats
    conversion: Floats
    gear: Floats
    teeth: Floats
    magnetic: Floats
    rotors: Floats


def notes_of(simulation: SimulationCore) -> Array:
    """Return what the engine noted of joints, (notes, n)."""
    n, memory = simulation.arm.n, simulation.memory
    first = memory.ints.item(at.NOTED)
    return memory.floats[first : first + at.NOTES * n].reshape(at.NOTES, n)


def motors_of(simulation: SimulationCore) -> tuple[MotorUse, ...]:
    """Return what motors did, joint by joint; nothing of ideal ones."""
    memory, n = simulation.memory, simulation.arm.n
    if not memory.ints.item(at.MOTORS):
        return ()
    from ulna.simulation.engine.motor_steps import STALLED

    notes = notes_of(simulation)
    first = memory.ints.item(at.MOTOR_ROWS)
    rows = memory.per_arm[first : first + n * at.MOTOR_COLUMNS].reshape(n, -1)
    found = []
    for i, joint in enumerate(simulation.arm.joints):
        motor, note = joint.motor, notes[:, i].tolist()
        if motor is None or motor.kind == "ideal":
            continue
        electric = isinstance(motor, Motor)
        warms = isinstance(motor, Motor) and motor.heat is not None
        lost = 0
        if isinstance(motor, StepperMotor):
            q = memory.vectors.item(at.STATE, i)
            periods = (q - rows.item(i, at.LATCHED)) / rows.item(i, at.STEP_ANGLE) / FULL_PERIOD
            lost = abs(FULL_PERIOD * round(periods))
        found.append(
            MotorUse(
                joint=i + 1,
                limited_seconds=note[at.LIMIT_TIME],
                episodes=int(note[at.LIMIT_EPISODES]),
                first_limited=note[at.LIMIT_FIRST] if note[at.LIMIT_EPISODES] else None,
                stalled=note[at.STALL_FIRST] if note[at.STALL_TIME] >= STALLED else None,
                overheated=note[at.HOT_FIRST] if note[at.HOT_FIRST] >= 0.0 else None,
                hottest=note[at.HOTTEST] if warms else None,
                peak_current=note[at.PEAK_CURRENT] if electric else None,
                peak_supply_current=note[at.PEAK_SUPPLY] if electric else None,
                lost_steps=lost,
            )
        )
    return tuple(found)


def motor_troubles(arm: Arm, motors: Iterable[MotorUse]) -> list[str]:
    """Return a sentence for every motor that was at its limits, stalled, too hot or lost steps."""
    told = []
    for use in motors:
        name = getattr(arm.joints[use.joint - 1].motor, "name", "")
        parts = []
        if use.episodes:
            often = "once" if use.episodes == 1 else f"{use.episodes:,} times"
            first = f", first at t = {use.first_limited:.4g} s"
            parts.append(f"was at its limits {often}, for {use.limited_seconds:.3g} s{first}")
        if use.stalled is not None:
            parts.append(f"stalled at t = {use.stalled:.4g} s")
        if use.overheated is not None:
            parts.append(f"overheated at t = {use.overheated:.4g} s, {use.hottest:.4g} °C at most")
        if use.lost_steps:
            parts.append(f"lost {use.lost_steps:,} steps")
        if parts:
            called = f" ({name})" if name else ""
            told.append(f"the motor of joint {use.joint}{called} {'; '.join(parts)}")
    return told


def known_windings(
    arm: Arm, current: Floats | None, voltage: Floats | None, temperature: Floats | None
) -> dict[str, Floats | None]:
    """Return currents, voltages and temperatures (S, n), NaN where windings are not described."""
    electric = [isinstance(joint.motor, Motor) for joint in arm.joints]
    warms = [getattr(joint.motor, "heat", None) is not None for joint in arm.joints]
    given = {"current": (current, electric), "voltage": (voltage, electric)}
    given |= {"temperature": (temperature, warms)}
    return {
        name: values if values is None else np.where(known, values, np.nan)
        for name, (values, known) in given.items()
    }


def supplied_power(current: Floats, voltage: Floats) -> Floats:
    """Return the power (S,) [W] from the supply of all DC motors; NaN where there are none."""
    power, known = current * voltage, ~np.isnan(current).all(axis=-1)
    return np.asarray(np.where(known, np.nansum(power, axis=-1), np.nan))


def supply_currents(arm: Arm, current: Floats, voltage: Floats) -> dict[float, Floats]:
    """Return the currents (S,) [A] from the supplies of DC motors, by their voltages [V]."""
    found: dict[float, Floats] = {}
    for k, joint in enumerate(arm.joints):
        if isinstance(joint.motor, Motor):
            supply = joint.motor.voltage
            found[supply] = found.get(supply, 0.0) + current[:, k] * voltage[:, k] / supply
    return found


def magnetic_energy(arm: Arm, current: Floats, command: str) -> Floats:
    """Return the energy [J] stored in the windings, at every sample.

    Windings whose current a driver sets at once count as without inductance.
    """
    motors = [joint.motor for joint in arm.joints]
    lag = [
        isinstance(one, Motor) and command != CURRENT and VOLTAGE in (command, one.command)
        for one in motors
    ]
    inductance = [
        getattr(one, "inductance", 0.0) * lags for one, lags in zip(motors, lag, strict=True)
    ]
    return np.asarray(0.5 * np.sum(np.array(inductance) * np.nan_to_num(current) ** 2, axis=-1))


def rotor_energy(arm: Arm, q: Floats, qd: Floats, angle: Floats, rate: Floats) -> Floats:
    """Return the energy [J] of rotors with backlash and of their teeth, at every sample."""
    total, carrier = np.zeros(len(q)), np.zeros(len(q))
    for i, joint in enumerate(arm.joints):
        motor = joint.motor
        if isinstance(motor, Motor) and motor.backlash is not None:
            ratio = motor.gear_ratio * joint.gear_ratio
            inertia = motor.rotor_inertia + joint.rotor_inertia
            pressed = np.abs(angle[:, i] - q[:, i]) - 0.5 * motor.backlash.gap
            total += 0.5 * inertia * (carrier + ratio * rate[:, i]) ** 2
            total += 0.5 * motor.backlash.stiffness * np.maximum(pressed, 0.0) ** 2
        carrier = carrier + qd[:, i]
    return total


def reaction_torque(arm: Arm, current: Floats, temperature: Floats, tau: Floats) -> Floats:
    """Return the torques (S, n) [N·m] on the joints of rotors that move by themselves."""
    found = np.zeros_like(tau)
    for i, joint in enumerate(arm.joints):
        motor = joint.motor
        if isinstance(motor, Motor) and motor.backlash is not None:
            ratio = motor.gear_ratio * joint.gear_ratio
            weak = np.ones(len(tau))
            if motor.heat is not None:
                weak = 1.0 + motor.heat.magnet_coefficient * (temperature[:, i] - 25.0)
            driving = motor.torque_constant * ratio * weak * current[:, i]
            found[:, :i] -= ((driving - tau[:, i]) / ratio)[:, None]
    return found
