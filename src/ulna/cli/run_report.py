"""A run in a few lines: where the joints got to, the tip, the energy, stops and events."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from ulna.angles import wrap
from ulna.cli.arguments import Angles
from ulna.cli.terminal import degrees, fixed, number, say, show_joints, times
from ulna.scenario.codec import stored
from ulna.scenario.events import UNTIL
from ulna.simulation import Run
from ulna.simulation.motor_use import motor_troubles, supply_currents
from ulna.simulation.outcome import Contact, Event, Side
from ulna.simulation.run import stuck_spans

MOST_PLAIN = 1e7  # beyond, a number is written with an exponent
ROUNDING = 1e-9  # of a limit, which a peak may pass unnoticed
AT_TICK = 1e-6  # of a control period, by which a sample may miss a tick
MOST_EVENTS = 5  # names of events that get a line each


def show_run(run: Run, name: str, angles: Angles) -> None:
    """Print what the arm did; how it ended is for the caller to say."""
    of = "φ " if angles.absolute else ""
    start, q, qd = (angles.of(values) for values in (_start(run), run.q[-1], run.qd[-1]))
    columns = {
        f"{of}start [°]": map(_plain, np.degrees(start)),
        f"{of}end [°]": map(_plain, np.degrees(q)),
        f"{of}end [rad]": map(_plain, q),
        f"{of}speed [rad/s]": map(_plain, qd),
        "peak torque [N·m]": map(number, _peak(run.tau)),
    }
    if run.arm.has_friction:
        columns["peak friction [N·m]"] = map(number, _peak(run.friction))
    show_joints(f"{run.arm.name or name}: {_headline(run)}{angles.remark}", columns)
    x, y, angle = run.tip[-1]
    speed = float(np.hypot(*run.tip_velocity[-1, :2]))
    say(
        f"tip at the end ({_plain(x, 6)}, {_plain(y, 6)}) m, pointing at "
        f"{degrees(float(wrap(angle)))}°, moving at {number(speed, 5)} m/s"
    )
    say(_energy(run))
    for line in (
        *_following(run),
        *_stops(run.contacts),
        *_sticking(run),
        *motor_lines(run),
        *_excesses(run),
        *_events(run.events),
    ):
        say(line)


def _headline(run: Run) -> str:
    method = run.scenario.method
    model = ", sequential model" if run.scenario.dynamics == "sequential" else ""
    with_method = f" with {method}" if method else ""
    return (
        f"{number(_duration(run))} s{with_method}{model}, {len(run):,} sample{'s' * (len(run) > 1)}"
    )


def _start(run: Run) -> np.ndarray:
    """Return the angles at the start, which need not be among the samples."""
    given = run.scenario.q0
    return np.array(given) if isinstance(given, tuple) else run.q[0]


def _duration(run: Run) -> float:
    return float(run.t[-1])


def _peak(values: np.ndarray) -> np.ndarray:
    return np.asarray(np.max(np.abs(values), axis=0))


def _worst_balance(run: Run) -> float:
    return float(np.max(np.abs(run.energy.balance_error)))


def _energy(run: Run) -> str:
    energy = run.energy
    line = (
        f"energy injected {number(energy.injected[-1])} J, dissipated "
        f"{number(energy.dissipated[-1])} J, balance error {number(_worst_balance(run), 2)} J"
    )
    if run.scenario.dynamics == "sequential" and run.arm.n > 1:
        line += ", which the sequential model does not keep"
    return line


def _following(run: Run) -> list[str]:
    """Return how far the joints were from what a controller or motors were to follow."""
    if run.q_ref is None or run.qd_ref is None:
        return []
    controlled = run.scenario.controller is not None
    gaps = np.abs(np.asarray(run.q) - (_reference(run) if controlled else run.q_ref))
    off = np.degrees(np.max(gaps, axis=-1))
    return [
        f"{'under the controller ' * controlled}no joint was more than "
        f"{number(float(np.max(off)), 3)}° off its "
        f"reference; {number(float(off[-1]), 3)}° at the end"
    ]


def _reference(run: Run) -> np.ndarray:
    """Return the reference (S, n) at the samples, carried on from the tick before each."""
    t, rate = np.asarray(run.t), float(run.scenario.rate or 0.0)
    ticks = np.floor(t * rate + AT_TICK)
    ticks[-1] = max(np.ceil(t[-1] * rate - AT_TICK) - 1.0, 0.0)  # at the end there is none
    late = (t - ticks / rate)[:, None]
    q, qd, qdd = (np.asarray(rows) for rows in (run.q_ref, run.qd_ref, run.qdd_ref))
    return np.asarray(q + qd * late + 0.5 * qdd * late**2)


def _stops(contacts: Iterable[Contact]) -> list[str]:
    """Return how often every stop was hit, and when first."""
    hits = [contact for contact in contacts if contact.what == "hit"]
    first: dict[tuple[int, Side], float] = {}
    for hit in hits:
        first.setdefault((hit.joint, hit.side), hit.t)
    counts = Counter((hit.joint, hit.side) for hit in hits)
    return [
        f"joint {joint} hit its {side} stop {times(counts[joint, side])}, "
        f"{'first ' * (counts[joint, side] > 1)}at t = {number(t)} s"
        for (joint, side), t in first.items()
    ]


def _sticking(run: Run) -> list[str]:
    """Return where joints stuck, and when first; how often and for how long the ending says."""
    lines = []
    for one in run.sticking:
        joint = one.joint - 1
        spans = stuck_spans(run, joint)
        stuck = sorted({degrees(angle, 2) for angle in spans[:, 2]}, key=float)
        where = "".join(f", at {angle}°" for angle in stuck[:1])
        if len(stuck) > 1:
            where = f", between {stuck[0]}° and {stuck[-1]}°"
        ends = ", and is stuck at the end" * bool(len(spans) and spans[-1, 1] == run.t[-1])
        lines.append(f"joint {one.joint} stuck first at t = {number(one.first)} s{where}{ends}")
    return lines


def sticking_text(run: Run) -> str:
    """Return which joints stuck, how often and for how long; none of an arm without friction."""
    return "; ".join(
        f"joint {one.joint} stuck {times(one.episodes)}, for {number(one.seconds, 3)} s, first at "
        f"t = {number(one.first, 4)} s"
        for one in run.sticking
    )


def status_line(run: Run) -> str:
    """Return how a run ended, without what the lines about motors say already."""
    text = run.status.text
    for told in motor_troubles(run.arm, run.motors):
        text = text.replace(f"; {told}", "")
    return text


def motor_lines(run: Run) -> list[str]:
    """Return what motors did: limits, stalls, heat, lost steps, and the worst from the supply."""
    if not run.motors:
        return []
    lines = motor_troubles(run.arm, run.motors) or ["no motor was at its limits"]
    firsts = [one.first_limited for one in run.motors if one.first_limited is not None]
    if firsts:
        x, y = run.tip[min(int(np.searchsorted(run.t, min(firsts))), len(run) - 1), :2]
        lines[0] += f", the tip then at ({_plain(x)}, {_plain(y)}) m"
    if run.current is not None and any(one.peak_current is not None for one in run.motors):
        lines += _supplies(run)
    hottest = [(one.hottest, one.joint) for one in run.motors if one.hottest is not None]
    if hottest:
        most, joint = max(hottest)
        lines.append(f"the hottest winding, of joint {joint}, got to {number(most, 4)} °C")
    return lines


def _supplies(run: Run) -> list[str]:
    """Return the worst current from each supply, when that was, and the mean of it."""
    supplies = supply_currents(run.arm, np.asarray(run.current), np.asarray(run.voltage))
    lines = []
    for volts, drawn in supplies.items():
        worst, lasts = int(np.argmax(drawn)), run.t[-1] - run.t[0]
        mean = float(np.trapezoid(drawn, run.t) / lasts) if len(run) > 1 else drawn[0]
        which = f"{volts:g} V " * (len(supplies) > 1)
        lines.append(
            f"the {which}supply gave {number(float(drawn[worst]), 4)} A at most, at t = "
            f"{number(float(run.t[worst]), 4)} s, and {number(mean, 4)} A in the mean"
        )
    return lines


def motor_facts(run: Run) -> dict[str, Any]:
    """Return what motors did in SI numbers; nothing of an arm without any."""
    if not run.motors or run.current is None or run.voltage is None:
        return {}
    drawn = supply_currents(run.arm, run.current, run.voltage)
    peaks = [{"voltage": volts, "current": float(np.max(one))} for volts, one in drawn.items()]
    return {
        "motors": [one._asdict() for one in run.motors],
        "peak_current": _peak(run.current),
        "peak_supply_current": peaks[0]["current"] if len(peaks) == 1 else None,
        "supplies": peaks,
    }


def _excesses(run: Run) -> list[str]:
    """Return the joints that no real motor would have moved so: given torques are not cut."""
    limits = run.arm.parameters
    checked = (
        ("torque", _peak(run.tau), limits.max_torque),
        ("speed", _peak(run.qd), limits.max_velocity),
    )
    lines = []
    for what, peak, limit in checked:
        joints = [str(i + 1) for i in np.flatnonzero(peak > limit * (1.0 + ROUNDING))]
        if joints:
            lines.append(f"above the {what} limit: joint{'s' * (len(joints) > 1)} {_list(joints)}")
    return lines


def _list(words: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _events(events: Iterable[Event]) -> list[str]:
    found: dict[str, list[float]] = {}
    for event in events:
        if event.name != UNTIL:  # the end of the run says so
            found.setdefault(event.name, []).append(event.t)
    lines = [
        f"event '{name}' {times(len(t))}, {'first ' * (len(t) > 1)}at t = {number(t[0])} s"
        for name, t in list(found.items())[:MOST_EVENTS]
    ]
    more = len(found) - MOST_EVENTS
    return [*lines, f"and {more} more events"] if more > 0 else lines


def _plain(value: float, decimals: int = 4) -> str:
    return fixed(value, decimals) if abs(value) < MOST_PLAIN else number(value)


def run_facts(run: Run, angles: Angles) -> dict[str, Any]:
    """Return a run in SI numbers, and all that it takes to make it again."""
    x, y, angle = run.tip[-1].tolist()
    energy = run.energy
    return {
        "arm": run.arm.name,
        "status": dataclasses.asdict(run.status),
        "t": _duration(run),
        "samples": len(run),
        "start": _start(run),
        "q": run.q[-1],
        "qd": run.qd[-1],
        "peak_speed": _peak(run.qd),
        "peak_torque": _peak(run.tau),
        "tip": {"x": x, "y": y, "angle": angle},
        "energy": {
            **{name: float(values[-1]) for name, values in energy._asdict().items()},
            "balance_error": _worst_balance(run),
        },
        "contacts": [contact._asdict() for contact in run.contacts],
        **friction_facts(run),
        **motor_facts(run),
        "events": [event._asdict() for event in run.events],
        "scenario": stored(run.scenario),
        "versions": run.versions,
        **angles.facts(phi=run.q[-1], phid=run.qd[-1], phi_start=_start(run)),
    }


def friction_facts(run: Run) -> dict[str, Any]:
    """Return what friction did in a run in SI numbers; nothing of an arm without any."""
    if not run.arm.has_friction:
        return {}
    sticking = [one._asdict() for one in run.sticking]
    return {"peak_friction": _peak(run.friction), "sticking": sticking}
