"""A portrait in words, line by line, and as plain values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ulna.analysis.portraits.fates import Fate
from ulna.arm import IdealMotor
from ulna.arrays import plain
from ulna.errors import shown

if TYPE_CHECKING:
    from ulna.analysis.portraits.invariant_sets import RunningSolution
    from ulna.analysis.portraits.phase_equilibria import PhaseEquilibrium, StickingInterval
    from ulna.analysis.portraits.phase_portrait import Portrait


EVERYWHERE = "every angle is an equilibrium"


def portrait_lines(portrait: Portrait) -> list[str]:
    """Return what drives the joint, where it rests, how it runs, and what becomes of the starts."""
    if portrait.flow.sticks:
        equilibria = [sticking_text(one) for one in portrait.sticking]
    elif everywhere_in_equilibrium(portrait):
        equilibria = [EVERYWHERE]
    else:
        equilibria = [equilibrium_text(one) for one in portrait.equilibria]
    lines = [drive_text(portrait), *(equilibria or ["no equilibrium"])]
    lines[1:1] = [f"left out: {', '.join(left_out(portrait))}"] if left_out(portrait) else []
    lines.append("no running solution" if portrait.running is None else run_text(portrait.running))
    lines.extend(
        f"from {orbit.angle:.4g} rad at {orbit.speed:.4g} rad/s: {fate_text(orbit.fate)}"
        for orbit in portrait.orbits
    )
    return lines


def portrait_facts(portrait: Portrait) -> dict[str, Any]:
    """Return what was found as values that JSON takes."""
    running, torques = portrait.running, portrait.critical_torques
    measures = ("direction", "period", "mean", "mean_over_angle", "slowest", "fastest")
    return plain({
        "arm": portrait.arm.name,
        "angles": portrait.angles,
        "speeds": portrait.speeds,
        "max_torque": portrait.flow.max_torque,
        "torque": portrait.torque,
        "controller": None if portrait.controller is None else shown(portrait.controller),
        "set_point": portrait.set_point,
        "rate_hz": None if portrait.controller is None else portrait.rate,
        "cylinder": portrait.cylinder,
        "left_out": left_out(portrait),
        "equilibria": [
            {"angle": one.angle, "kind": one.kind,
             "eigenvalues": [[value.real, value.imag] for value in one.eigenvalues.tolist()]}
            for one in portrait.equilibria
        ],
        "sticking": [
            {"lower": one.lower, "upper": one.upper, "kind": one.kind,
             "holds": [{"angle": held.angle, "kind": held.kind} for held in one.holds]}
            for one in portrait.sticking
        ],
        "running": None if running is None else {
            **{name: getattr(running, name) for name in measures},
            "multiplier": running.multiplier,
        },
        "critical_torques": None if torques is None else torques._asdict(),
        "orbits": [
            {"angle": orbit.angle, "speed": orbit.speed, "fate": orbit.fate.name,
             "turns": orbit.fate.turns}
            for orbit in portrait.orbits
        ],
    })  # fmt: skip


def everywhere_in_equilibrium(portrait: Portrait) -> bool:
    """Return whether nothing ever turns the joint: no weight, no torque."""
    return portrait.flow.peak_gravity_torque == 0.0 and portrait.torque == 0.0


def left_out(portrait: Portrait) -> list[str]:
    """Return what the joint has and the portrait has not."""
    (joint,) = portrait.arm.joints
    found = []
    if math.isfinite(joint.lower) or math.isfinite(joint.upper):
        found.append(f"its stops at {joint.lower:.4g} and {joint.upper:.4g} rad")
    if not isinstance(joint.motor, IdealMotor | None):
        found.append("the limits of its motor, which a portrait takes as ideal")
    return found


def drive_text(portrait: Portrait) -> str:
    """Return what drives the joint."""
    limit = portrait.flow.max_torque
    within = "" if math.isinf(limit) else f", at most {limit:.4g} N·m"
    if portrait.controller is not None:
        return f"driven by {portrait.controller!r} towards {portrait.set_point:.4g} rad{within}"
    if not portrait.torque:
        return "without torque"
    if abs(portrait.flow.torque) > limit:
        within = f", the most it has ({portrait.flow.torque:.4g} N·m asked)"
    return f"driven by {portrait.torque:.4g} N·m{within}"


def equilibrium_text(equilibrium: PhaseEquilibrium) -> str:
    """Return where an equilibrium is and of which kind.

    >>> import numpy as np
    >>> from ulna.analysis.portraits.phase_equilibria import PhaseEquilibrium
    >>> eigenvalues = np.array([-0.1 + 3.0j, -0.1 - 3.0j])
    >>> equilibrium_text(PhaseEquilibrium(-1.5, "stable focus", eigenvalues))
    'stable focus at -1.5 rad (-85.94 deg), eigenvalues -0.1 ± 3i per second'
    """
    degrees = math.degrees(equilibrium.angle)
    head = f"{equilibrium.kind} at {equilibrium.angle:.7g} rad ({degrees:.4g} deg)"
    return f"{head}, eigenvalues {eigenvalues_text(equilibrium)} per second"


def sticking_text(interval: StickingInterval) -> str:
    """Return where friction holds the joint, and what it holds there.

    >>> from ulna.analysis.portraits.phase_equilibria import StickingInterval
    >>> sticking_text(StickingInterval(-0.1, 0.2, "half-stable", ()))
    'half-stable: sticks from -5.73 to 11.46 deg, holds no equilibrium'
    """
    if interval.kind == "everywhere":
        return "sticks at every angle"
    low, high = (f"{math.degrees(angle):.4g}" for angle in (interval.lower, interval.upper))
    return f"{interval.kind}: sticks from {low} to {high} deg, holds {holds_text(interval)}"


def holds_text(interval: StickingInterval) -> str:
    """Return the equilibria without dry friction that are in a sticking interval."""
    told = [f"the {one.kind} at {math.degrees(one.angle):.4g} deg" for one in interval.holds]
    return " and ".join(told) or "no equilibrium"


def eigenvalues_text(equilibrium: PhaseEquilibrium) -> str:
    """Write two eigenvalues as people do."""
    first, second = equilibrium.eigenvalues.tolist()
    if first.imag:
        real = f"{first.real:.5g} " if first.real else ""
        return f"{real}± {abs(first.imag):.5g}i"
    return f"{first.real:.5g} and {second.real:.5g}"


def run_text(running: RunningSolution) -> str:
    """Return how the joint runs."""
    return (
        f"runs at {running.slowest:.6g} to {running.fastest:.6g} rad/s, {abs(running.mean):.6g} in "
        f"the mean, a turn in {running.period:.6g} s"
        f"{', clockwise' if running.direction < 0 else ''}"
    )


def fate_text(fate: Fate) -> str:
    """Return what becomes of a start.

    >>> fate_text(Fate("settles at -1.571 rad", 3))
    'settles at -1.571 rad, 3 turns on'
    """
    if not fate.turns:
        return fate.name
    count = abs(fate.turns)
    return f"{fate.name}, {count} turn{'s' * (count > 1)} {'on' if fate.turns > 0 else 'back'}"
