"""What a motion demands of motors at any time: torques that they have left, currents, heat, supply.

    use = T / T_max(ω, Θ)

is the torque that is asked of a motor, before the losses of its gear, by the most that it can give
at the speed and temperature of that time. The temperature is that of a winding which starts as warm
as its surroundings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ulna.actuation import (
    continuous_torque,
    steady_temperature,
    temperature,
    torque_range,
)
from ulna.actuation.motor_formulas import winding_current, winding_voltage
from ulna.arm import Arm, Joint, Motor
from ulna.arm.motors import StepperMotor
from ulna.arrays import Array
from ulna.motion.planning.adaptive_sampling import BOTH, SIZE, TimeSamples, TimeSpan
from ulna.motion.planning.motor_limits import gets_warm, rotor_torque
from ulna.motion.trajectory import Trajectory

if TYPE_CHECKING:
    from ulna.motion.planning.demands import Demands
    from ulna.motion.planning.plan_result import Plan

MOST_USE = 10.0  # beyond, it does not matter by how much
HOTTEST = 1e4  # [°C]: no winding gets there
ITERATIONS = 4  # of currents and temperatures, where magnets weaken
EVEN = np.linspace(0.0, 1.0, 2001)  # of the duration, where temperatures are looked at
OVER = 1e-6  # of a limit, by which it may be passed
CAUTION = 0.5  # of a stall torque: few motors give more of it for long
UNRATED = "for how long is not known, since its data give no continuous torque"
# The columns of sampled values: n each of the first four, and one each of the others.
USE, TORQUE, CURRENT, VOLTAGE, SUPPLY_POWER, SUPPLY_CURRENT = range(6)


class SupplyPeak(NamedTuple):
    """The current from the supply of one voltage.

    Attributes
    ----------
    voltage : float
        Of the supply [V].
    current : float
        Largest current [A], of all motors at that voltage.
    current_mean : float
        Its mean [A], what motors return taken off.
    """

    voltage: float
    current: float
    current_mean: float


class MotorPeaks(NamedTuple):
    """The extremes of a motion for its motors, one a joint, and for what supplies them.

    What is not known of a motor is NaN: currents and voltages of other than DC motors.

    Attributes
    ----------
    use : ndarray, shape (n,)
        Largest part of the torque that the motor has left at its speed; above 1 it is too weak.
    torque : ndarray, shape (n,)
        Largest torque of the motor [N·m], at the joint, before losses of the gear.
    torque_rms : ndarray, shape (n,)
        Its root mean square [N·m].
    current : ndarray, shape (n,)
        Largest current [A].
    current_rms : ndarray, shape (n,)
        Its root mean square [A].
    voltage : ndarray, shape (n,)
        Largest voltage [V].
    temperature : ndarray, shape (n,)
        Highest temperature of the winding [°C].
    steady_temperature : ndarray, shape (n,)
        The one that it comes to if the motion is repeated for ever [°C].
    supply_power : float
        Largest power from the supply [W], of all motors together.
    supply_power_mean : float
        Its mean [W], what motors return taken off.
    supply_current : float
        Largest current from the supply [A]; NaN where motors have supplies of several voltages.
    supply_current_mean : float
        Its mean [A].
    supplies : tuple of SupplyPeak
        The currents from the supply of each voltage.
    """

    use: Array
    torque: Array
    torque_rms: Array
    current: Array
    current_rms: Array
    voltage: Array
    temperature: Array
    steady_temperature: Array
    supply_power: float
    supply_power_mean: float
    supply_current: float
    supply_current_mean: float
    supplies: tuple[SupplyPeak, ...]


class MotorValues(NamedTuple):
    """What motors do at some times: (k, n) each, power (k,) and currents (k, s) of supplies."""

    use: Array
    torque: Array
    current: Array
    voltage: Array
    supply_power: Array
    supply_current: Array

    @property
    def side_by_side(self) -> Array:
        """All of it in columns (k, m), with zeros for what is not known."""
        supplied = (self.supply_power[:, None], self.supply_current)
        return np.nan_to_num(np.concatenate([*self[:SUPPLY_POWER], *supplied], axis=-1))

    @property
    def common_current(self) -> Array:
        """The current (k,) of all supplies; NaN where their voltages differ, or there is none."""
        alone = self.supply_current.shape[1] == 1
        return self.supply_current[:, 0] if alone else np.full(len(self.use), np.nan)


def motor_values(
    arm: Arm, rate: Array, acceleration: Array, torque: Array, warmth: Array
) -> MotorValues:
    """Return what motors so warm (k, n) do for torques (k, n) before losses of their gears."""
    columns = []
    voltages = supply_voltages(arm)
    powers = np.zeros((len(rate), len(voltages)))
    for number, joint in enumerate(arm.joints):
        qd, tau, hot = rate[:, number], torque[:, number], warmth[:, number]
        given = tau + rotor_torque(joint, number, acceleration)
        i = winding_current(joint, given, hot)
        v = winding_voltage(joint, i, qd, hot)
        columns.append((_use(joint, given, qd, hot), given, i, v))
        if isinstance(joint.motor, Motor):
            powers[:, voltages.index(joint.motor.voltage)] += v * i
    use, given, i, v = (np.stack(part, axis=-1) for part in zip(*columns, strict=True))
    power = powers.sum(axis=-1) if voltages else np.full(len(rate), np.nan)
    return MotorValues(use, given, i, v, power, powers / np.array(voltages))


def _use(joint: Joint, torque: Array, rate: Array, warmth: Array) -> Array:
    """Return torques (k,) by what the motor has left that way, negative for torques that are."""
    lower, upper = torque_range(joint, rate, warmth)
    left = np.where(torque < 0.0, -lower, upper)
    size = np.abs(torque)
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.where(size > 0.0, size / np.where(left > 0.0, left, 0.0), 0.0)
    # Beyond its no-load speed a motor brakes: less than that cannot be asked of it.
    missed = np.maximum(torque - upper, lower - torque)
    forced = (part < 1.0) & (missed > 0.0)
    least = np.where(forced, np.minimum(np.abs(lower), np.abs(upper)), 1.0)
    part = np.where(forced, 1.0 + missed / least, part)
    return np.sign(torque) * np.minimum(part, MOST_USE)


@dataclass(frozen=True, eq=False)
class MotorDemands:
    """What a motion asks of the motors of an arm; `demands` for any time, or samples of it."""

    arm: Arm
    duration: float
    u: Array  # (k,) parts of the duration
    rate: Array  # (k, n) of the joints [rad/s],
    acceleration: Array  # their accelerations [rad/s²],
    torque: Array  # and the torques of motors before losses of their gears [N·m]
    demands: Demands | None = None

    @property
    def warms(self) -> Array:
        """Which joints (n,) have windings whose temperature is known."""
        return np.array([gets_warm(joint) for joint in self.arm.joints])

    @cached_property
    def warmth(self) -> Array:
        """Temperatures (k, n) [°C] of the windings at the samples."""
        columns = [self._warmed(number) for number in range(self.arm.n)]
        return np.stack(columns, axis=-1)

    def _warmed(self, number: int) -> Array:
        """Return the temperatures (k,) [°C] of one winding, by what supply and driver give it."""
        joint, times = self.arm.joints[number], self.u * self.duration
        heat = getattr(joint.motor, "heat", None)
        hot = np.full_like(times, 25.0 if heat is None else heat.ambient)
        if heat is None:
            return hot
        rate, asked = self.rate[:, number], self.motor_torque[:, number]
        for _ in range(ITERATIONS if heat.magnet_coefficient else 1):
            with np.errstate(over="ignore", invalid="ignore"):
                hot = temperature(joint, times, winding_current(joint, asked, hot))
            hot = np.clip(hot, -HOTTEST, HOTTEST)
        lower, upper = torque_range(joint, rate, hot)
        if np.all((asked >= lower) & (asked <= upper)):
            return hot
        # What is left depends on how warm it is by then: step by step.
        even = np.union1d(times, EVEN * self.duration)
        rate, asked = np.interp(even, times, rate), np.interp(even, times, asked)
        now = [heat.ambient]
        for k in range(len(even) - 1):
            given = np.clip(asked[k], *torque_range(joint, rate[k], now[-1]))
            i = float(winding_current(joint, given, now[-1]))
            now.append(float(temperature(joint, even[k : k + 2], [i, i], start=now[-1])[1]))
        return np.interp(times, even, now)

    @cached_property
    def motor_torque(self) -> Array:
        """Torques (k, n) [N·m] that are asked of the motors at the samples."""
        cold = np.full_like(self.rate, 25.0)
        return motor_values(self.arm, self.rate, self.acceleration, self.torque, cold).torque

    def warmth_at(self, u: Array) -> Array:
        """Return the temperatures (k, n) [°C] at parts (k,) of the duration."""
        return np.stack([np.interp(u, self.u, column) for column in self.warmth.T], axis=-1)

    @cached_property
    def samples(self) -> TimeSamples:
        """Use, torques, currents and voltages of all joints, then power and current supplied."""
        if self.demands is None:
            found = motor_values(
                self.arm, self.rate, self.acceleration, self.torque, self.warmth
            ).side_by_side
            return TimeSamples(self.u, found, self.duration)
        n = self.arm.n
        columns = SUPPLY_POWER * n + 1 + len(supply_voltages(self.arm))
        most, wanted = np.full(columns, np.inf), np.full(columns, SIZE)
        most[:n], wanted[SUPPLY_POWER * n :] = 1.0, BOTH
        return self.demands.sampled(self._values, self.demands.pieces, limits=most, wanted=wanted)

    def _values(self, u: Array, within: Array) -> Array:
        assert self.demands is not None
        rows = self.demands.joint_rows(u, within)
        return motor_values(self.arm, *rows, self.warmth_at(u)).side_by_side

    @cached_property
    def peaks(self) -> MotorPeaks:
        """The extremes; NaN where there is no motion."""
        n, values = self.arm.n, self.samples.values
        weights = getattr(self.samples, "weights", np.ones(len(values)))
        size, mean = np.abs(values).max(axis=0), weights @ values / weights.sum()
        rms = np.sqrt(weights @ values**2 / weights.sum())
        dc = np.array([isinstance(joint.motor, Motor) for joint in self.arm.joints])
        part = [slice(kind * n, (kind + 1) * n) for kind in range(SUPPLY_POWER)]
        currents = np.where(dc, rms[part[CURRENT]], np.nan)
        steady = [
            float(steady_temperature(joint.motor, i)) if isinstance(joint.motor, Motor) else np.nan
            for joint, i in zip(self.arm.joints, currents, strict=True)
        ]
        place, voltages = SUPPLY_POWER * n, supply_voltages(self.arm)
        supplied = np.max(values[:, place:], axis=0).tolist()
        means = mean[place:].tolist()
        supplies = tuple(map(SupplyPeak, voltages, supplied[1:], means[1:]))
        alone = supplies[0] if len(supplies) == 1 else SupplyPeak(np.nan, np.nan, np.nan)
        return MotorPeaks(
            use=size[part[USE]],
            torque=size[part[TORQUE]],
            torque_rms=rms[part[TORQUE]],
            current=np.where(dc, size[part[CURRENT]], np.nan),
            current_rms=currents,
            voltage=np.where(dc, size[part[VOLTAGE]], np.nan),
            temperature=np.where(self.warms, self.warmth.max(axis=0), np.nan),
            steady_temperature=np.where(self.warms, steady, np.nan),
            supply_power=supplied[0] if voltages else np.nan,
            supply_power_mean=means[0] if voltages else np.nan,
            supply_current=alone.current,
            supply_current_mean=alone.current_mean,
            supplies=supplies,
        )

    def weak(self, number: int) -> Iterator[tuple[TimeSpan, str]]:
        """Return when more is asked of the motor of a joint, from 0, than it has left."""
        joint = self.arm.joints[number]
        for when in self.samples.passed(lambda values: np.abs(values[:, number]), 1.0 + OVER):
            # Where friction jumps there are samples of either side at that time.
            off = np.abs(self.samples.u * self.duration - when.worst_at)
            near = np.flatnonzero(off == off.min())
            at = near[np.argmax(np.abs(self.samples.values[near, number]))]
            asked = float(self.samples.values[at, self.arm.n * TORQUE + number])
            rate, warmth = self._state(when.worst_at, number)
            lower, upper = torque_range(joint, rate, warmth)
            left, too_fast = float(upper if asked > 0.0 else -lower), self._too_fast(number, when)
            if too_fast:
                yield when, too_fast
                continue
            hot = f" and {warmth:.3g} °C" if getattr(joint.motor, "heat", None) else ""
            told = (
                f"{abs(asked):.4g} N·m asked {when.peak}, {left:.4g} N·m left at "
                f"{abs(rate):.3g} rad/s{hot}"
            )
            yield when, told

    def _too_fast(self, number: int, when: TimeSpan) -> str:
        """Return how fast a joint is in a while, if its motor has no torque left then."""
        joint, times = self.arm.joints[number], self.u * self.duration
        inside = (times >= when.first) & (times <= when.last)
        speed = np.where(inside, np.abs(self.rate[:, number]), 0.0)
        at = int(np.argmax(speed))
        free = joint.motor.no_load_speed / abs(joint.gear_ratio)  # type: ignore[union-attr]
        if speed[at] < free:
            return ""
        return f"{speed[at]:.4g} rad/s at t = {times[at]:.4g} s, {free:.4g} rad/s without any load"

    def _state(self, t: float, number: int) -> tuple[float, float]:
        """Return rate [rad/s] and temperature [°C] of a joint and its motor at a time."""
        u = np.array([t / self.duration])
        rate = float(np.interp(u, self.u, self.rate[:, number])[0])
        return rate, float(self.warmth_at(u)[0, number])

    def overheated(self, number: int) -> Iterator[tuple[TimeSpan, str]]:
        """Return when the winding of a joint, from 0, is hotter than it may be."""
        heat = getattr(self.arm.joints[number].motor, "heat", None)
        if heat is None:
            return
        u, most = np.union1d(self.u, EVEN), heat.max_temperature
        samples = TimeSamples(u, self.warmth_at(u), self.duration)
        for when in samples.passed(lambda values: values[:, number], most * (1.0 + OVER)):
            yield when, f"{when.worst:.4g} °C {when.peak}, {most:.4g} °C allowed"

    def overloaded(self, number: int) -> str:
        """Return that the winding of a joint, from 0, overheats if the motion is repeated."""
        joint = self.arm.joints[number]
        if getattr(joint.motor, "heat", None) is None:
            return ""
        lasting, rms = continuous_torque(joint), float(self.peaks.torque_rms[number])
        if rms <= lasting * (1.0 + OVER):
            return ""
        return f"{rms:.4g} N·m RMS, {lasting:.4g} N·m continuous"


def sampled_motors(
    trajectory: Trajectory, times: Array, rate: Array, acceleration: Array, torque: Array
) -> MotorDemands:
    """Return what samples (k,) of a motion, with torques (k, n), ask of motors."""
    known, T = np.isfinite(torque).all(axis=-1), trajectory.duration
    rows = (values[known] for values in (rate, acceleration, torque))
    return MotorDemands(trajectory.arm, T, times[known] / T, *rows)


def planned_motor_lines(plan: Plan) -> list[str]:
    """Return how close a plan comes to what its motors have left, what they draw, how warm."""
    peaks, joints = plan.motor_peaks, plan.arm.joints
    if not np.isfinite(peaks.use).all():
        return []
    joint = int(np.argmax(peaks.use))
    which = f"joint {joint + 1}{motor_called(joints[joint])}"
    part = f"{peaks.use[joint]:.0%}" if peaks.use[joint] < MOST_USE else f"{MOST_USE:.0%} and more"
    lines = [f"{part} of the torque left at its speed is asked of {which}, at most"]
    verb = "gives" if peaks.use.max() <= 1.0 + OVER else "would have to give"
    for one in peaks.supplies:
        several = f"{one.voltage:g} V " * (len(peaks.supplies) > 1)
        lines.append(
            f"the {several}supply {verb} {one.current:.4g} A at most, {one.current_mean:.4g} A and "
            f"{one.current_mean * one.voltage:.4g} W in the mean"
        )
    return lines + _heat_lines(peaks) + _unrated_lines(joints, peaks.torque_rms)


def _heat_lines(peaks: MotorPeaks) -> list[str]:
    """Return which windings get hottest: in the motion, and if it is repeated without end."""
    if not np.isfinite(peaks.temperature).any():
        return []
    first = int(np.nanargmax(peaks.temperature))
    last = int(np.nanargmax(peaks.steady_temperature))
    lasting = float(peaks.steady_temperature[last])
    named = f"that of joint {last + 1} " * (last != first)
    for_ever = f"{named}without end" if np.isinf(lasting) else f"{named}to {lasting:.4g} °C"
    told = f"warms up to {peaks.temperature[first]:.4g} °C, repeated for ever {for_ever}"
    return [f"the winding of joint {first + 1} {told}"]


def _unrated_lines(joints: Sequence[Joint], torque: Array) -> list[str]:
    """Return the motors whose torques, lasting (n,) [N·m], may be too much for them."""
    return [
        f"{part:.0%} of the stall torque of joint {k + 1}{motor_called(joint)} is asked of it RMS: "
        f"{UNRATED}"
        for k, joint in enumerate(joints)
        if (part := stall_share(joint, float(torque[k]))) > CAUTION
    ]


def stall_share(joint: Joint, torque: float) -> float:
    """Return which part of its torque at rest a motor without a known continuous torque gives."""
    if gets_warm(joint) or isinstance(joint.motor, StepperMotor):
        return 0.0  # it is known, or the holding torque lasts
    return abs(torque) / float(torque_range(joint, 0.0).upper)


def supply_voltages(arm: Arm) -> tuple[float, ...]:
    """Return the different voltages [V] of the supplies of an arm's DC motors."""
    motors = (joint.motor for joint in arm.joints)
    return tuple(sorted({motor.voltage for motor in motors if isinstance(motor, Motor)}))


def motor_columns(plan: Plan) -> list[tuple[str, str, Array]]:
    """Return names, units and values (k, n) of what tables show of motors."""
    return [
        ("motor_torque", "N·m", plan.motor_torque),
        ("torque_min", "N·m", plan.torque_limits.lower),
        ("torque_max", "N·m", plan.torque_limits.upper),
        ("current", "A", plan.current),
        ("voltage", "V", plan.voltage),
        ("temperature", "°C", plan.temperature),
    ]


def motor_called(joint: Joint) -> str:
    """Return how reports call the motor of a joint, behind the joint's number."""
    name = getattr(joint.motor, "name", "")
    return f" ({name})" if name else ""
