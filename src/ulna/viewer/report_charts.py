"""The charts of a report: tip error, torques, speeds, power, motors and energy over time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.arm import Arm
from ulna.arrays import Array
from ulna.motion.planning.plan_result import terms_of
from ulna.viewer.web_document import ChartSpec, Curve

if TYPE_CHECKING:
    from ulna.analysis import Tracking
    from ulna.motion import Plan
    from ulna.simulation import Run

MOST_JOINTS = 6  # in a chart: as many as there are colours
MOST_BY_TERM = 3  # joints whose torques are taken apart
FAR = 30.0  # times: errors that differ by more need a logarithmic axis
# Where the name of the field will not do.
TERMS = {"coriolis": "Coriolis and centrifugal", "rotor": "rotors", "tip_force": "tip force"}


def tip_error_chart(trackings: Mapping[str, Tracking], tolerance: float | None) -> ChartSpec:
    """Return how far the tip is from where it should be, one curve for each run."""
    curves = [
        Curve(label, one.t, one.size, colour, label)
        for colour, (label, one) in enumerate(trackings.items())
    ]
    most = [one.max for one in trackings.values() if one.max > 0.0]
    far = len(most) > 1 and max(most) > FAR * min(most)
    limits = []
    if tolerance is not None and math.isfinite(tolerance):
        limits.append({"label": "tolerance", "value": tolerance})
    return ChartSpec("tip-error", "Tip error", "mm", curves, 1e3, 3, limits, log=far)


def run_charts(run: Run, label: str) -> Iterator[ChartSpec]:
    """Yield the charts of what an arm did: torques, speeds, power, angles, motors."""
    torques = [*_joints(run.t, run.tau, label), *_commanded(run, label)]
    yield _of_joints(run.arm, "torque", "Torque", "N·m", torques, _torque_limits(run.arm))
    yield from _motion_charts(run, label)


def _motion_charts(motion: Run | Plan, label: str) -> Iterator[ChartSpec]:
    arm, t = motion.arm, motion.t
    limits = _both_ways([joint.max_velocity for joint in arm.joints], "speed limit")
    yield _of_joints(arm, "speed", "Joint speed", "rad/s", _joints(t, motion.qd, label), limits)
    with np.errstate(over="ignore", invalid="ignore"):
        power = motion.tau * motion.qd
    yield _of_joints(arm, "power", "Mechanical power", "W", _joints(t, power, label))
    yield angle_chart(arm, _joints(t, motion.q, label))
    if arm.has_motors and motion.current is not None:
        yield from _winding_charts(motion, label)


def energy_chart(run: Run, label: str) -> ChartSpec:
    """Return kinetic and potential energy, and what was put in less what was lost."""
    energy = run.energy
    with np.errstate(over="ignore", invalid="ignore"):
        parts = {
            "kinetic": energy.kinetic,
            "potential": energy.potential,
            "total": energy.kinetic + energy.potential,
            "put in, less losses": energy.injected - energy.dissipated,
        }
    curves = [
        Curve(name, run.t, values, colour, label, dash=colour == 3)
        for colour, (name, values) in enumerate(parts.items())
    ]
    return ChartSpec("energy", "Energy", "J", curves, digits=4)


def plan_charts(plan: Plan, label: str) -> Iterator[ChartSpec]:
    """Yield the charts of a plan: torques by term, and all that a run has too."""
    yield from term_charts(plan, label)
    if plan.arm.n > 1:
        curves = _joints(plan.t, plan.tau, label)
        yield _of_joints(plan.arm, "torque", "Torque", "N·m", curves, _torque_limits(plan.arm))
    yield from _motion_charts(plan, label)


def term_charts(plan: Plan, label: str) -> Iterator[ChartSpec]:
    """Yield the charts of planned torques by term."""
    for joint in range(min(plan.arm.n, MOST_BY_TERM)):
        yield _by_term(plan, joint, label)


def angle_chart(arm: Arm, curves: Sequence[Curve]) -> ChartSpec:
    """Return joint angles with the limits of the joints, in degrees."""
    limits = [
        {"label": f"joint {k} {side}", "value": value, "color": k - 1}
        for k, joint in enumerate(arm.joints[:MOST_JOINTS], 1)
        for side, value in (("lower limit", joint.lower), ("upper limit", joint.upper))
        if math.isfinite(value)
    ]
    degrees = math.degrees(1.0)
    return _of_joints(arm, "angle", "Joint angle", "°", curves, limits, degrees, digits=2)


def _by_term(plan: Plan, joint: int, label: str) -> ChartSpec:
    curves = [Curve("total", plan.t, plan.tau[:, joint], 0, label)]
    for colour, name in enumerate(terms_of(plan.arm), 1):
        values = getattr(plan.terms, name)[:, joint]
        if np.any(np.nan_to_num(values)):
            dash = colour >= MOST_JOINTS
            curves.append(Curve(TERMS.get(name, name), plan.t, values, colour, label, dash=dash))
    limits = [
        {"label": one["label"], "value": one["value"]}
        for one in _torque_limits(plan.arm)
        if one["color"] == joint
    ]
    title = f"Torque of joint {joint + 1} by term, as planned"
    return ChartSpec(f"torque-terms-{joint + 1}", title, "N·m", curves, limits=limits)


def _joints(t: Array, values: Array, label: str) -> list[Curve]:
    """Return a curve for every joint, of as many as a chart can show."""
    return [
        Curve(f"joint {joint}", t, column, joint - 1, label)
        for joint, column in enumerate(values.T[:MOST_JOINTS], 1)
    ]


def _of_joints(
    arm: Arm,
    called: str,
    title: str,
    unit: str,
    curves: Sequence[Curve],
    limits: Sequence[Mapping[str, Any]] = (),
    factor: float = 1.0,
    *,
    digits: int = 3,
) -> ChartSpec:
    note = f"joints 1 to {MOST_JOINTS} of {arm.n}" if arm.n > MOST_JOINTS else ""
    shared = _shared(limits, min(arm.n, MOST_JOINTS))
    return ChartSpec(called, title, unit, curves, factor, digits, shared, note=note)


def _shared(limits: Sequence[Mapping[str, Any]], joints: int) -> list[Mapping[str, Any]]:
    """Return limits, one in place of those that all of several joints have alike."""
    made: dict[float, Mapping[str, Any]] = {}
    for value in dict.fromkeys(one["value"] for one in limits):
        alike = [one for one in limits if one["value"] == value]
        if joints < 2 or len(alike) < joints:
            return list(limits)
        made[value] = {"label": alike[0]["label"].split(" ", 2)[2], "value": value}
    return list(made.values())


def _commanded(run: Run, label: str) -> Iterator[Curve]:
    """Yield the torques that were commanded where limits cut them."""
    asked = run.tau_commanded
    if asked is None:
        return
    for joint in range(min(run.arm.n, MOST_JOINTS)):
        if np.any(asked[:, joint] != run.tau[:, joint]):
            name = f"joint {joint + 1}, commanded"
            yield Curve(name, run.t, asked[:, joint], joint, label, dash=True)


def _torque_limits(arm: Arm) -> list[dict[str, Any]]:
    return _both_ways([joint.max_torque for joint in arm.joints], "torque limit")


def _both_ways(limits: Sequence[float], called: str) -> list[dict[str, Any]]:
    return [
        {"label": f"joint {k} {called}", "value": sign * most, "color": k - 1}
        for k, most in enumerate(limits[:MOST_JOINTS], 1)
        for sign in (1.0, -1.0)
        if math.isfinite(most)
    ]


def _winding_charts(motion: Any, label: str) -> Iterator[ChartSpec]:
    """Yield currents, power from the supply and temperatures, of motors that have them."""
    arm, t = motion.arm, motion.t
    if np.any(np.nan_to_num(motion.current)):
        most = [getattr(joint.motor, "max_current", math.inf) for joint in arm.joints]
        limits = _both_ways(most, "largest current")
        yield _of_joints(arm, "current", "Current", "A", _joints(t, motion.current, label), limits)
        supply = [Curve("all motors", t, motion.supply_power, 0, label)]
        yield ChartSpec("supply-power", "Power from the supply", "W", supply)
    heats = [getattr(joint.motor, "heat", None) for joint in arm.joints]
    if any(one is not None for one in heats):
        limits = [
            {"label": f"joint {k} hottest", "value": heat.max_temperature, "color": k - 1}
            for k, heat in enumerate(heats[:MOST_JOINTS], 1)
            if heat is not None and math.isfinite(heat.max_temperature)
        ]
        curves = _joints(t, motion.temperature, label)
        yield _of_joints(arm, "temperature", "Winding temperature", "°C", curves, limits, digits=1)
