"""The front door of portraits: what is asked for, checked once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ulna.analysis.portraits.flow import TURN, Flow
from ulna.analysis.portraits.phase_equilibria import find_rests
from ulna.analysis.portraits.phase_portrait import Portrait, read_range
from ulna.analysis.portraits.running_solutions import find_running
from ulna.analysis.portraits.state_feedback import Law
from ulna.arm import Arm, warn_unmodelled
from ulna.control import Controller
from ulna.errors import InputError, Problem, shown
from ulna.interrupts import interruptible
from ulna.motion.values import number, positive
from ulna.simulation.checks import check_kinds

WIDE = 3.0  # of the frequency of small swings: how fast the portrait goes if nobody says
MARGIN = 1.15  # beyond the fastest start
MOST_TURNS = 20.0  # on a page
MOST_AWAY = 100.0  # turns, from what is shown to a start or to what the controller holds
LONGEST = 1e5  # [rad] of small swings that an orbit is followed for at most
STIFFEST = 300.0  # b/(M ω) beyond which a joint only creeps


@interruptible
def portrait(
    arm: Arm,
    *,
    torque: float = 0.0,
    controller: Controller | None = None,
    aim: float | None = None,
    limit: float | None = None,
    starts: Iterable[Sequence[float]] = (),
    angles: Sequence[float] = (-math.pi, math.pi),
    speeds: Sequence[float] | None = None,
    duration: float = 20.0,
    rate: float = 1000.0,
) -> Portrait:
    """Draw up the phase portrait of an arm with one joint.

    It is driven by a constant `torque` [N·m], or by a `controller` that holds the angle `aim`
    [rad], 0 if it is not given, and that remembers nothing; `limit` [N·m] is what the motor gives
    at most, the joint's `max_torque` if it is not given. Each of `starts` is an angle [rad] and a
    speed [rad/s], followed for `duration` [s]. `angles` and `speeds` are what is shown: wider
    than a turn, the cylinder is unrolled. Stops of the joint are left out.

    >>> import ulna
    >>> pendulum = portrait(ulna.preset("bechard-1"), torque=4.0, starts=[(0.0, 3.07), (0.0, 3.2)])
    >>> [(rest.kind, round(rest.angle, 6)) for rest in pendulum.equilibria]
    [('stable focus', -1.150811), ('saddle', 1.150811)]
    >>> [orbit.fate.name for orbit in pendulum.orbits]
    ['rests at -1.151 rad', 'runs on']
    >>> [round(border.value, 7) for border in pendulum.critical_speeds(0.0, within=(0, 5))]
    [3.0758581]
    """
    check_kinds(arm, controller, None, ())
    warn_unmodelled(arm)
    if arm.n != 1:
        hint = "for more joints there are ulna.poincare and projections of a run"
        raise InputError(Problem("arm", f"{arm.n} joints", "one joint", hint))
    if controller is not None and torque:
        hint = "leave one of them out"
        raise InputError(Problem("torque", f"{shown(torque)} beside a controller", "one", hint))
    if controller is None and aim is not None:
        need, hint = "nothing without a controller", "pass controller= as well"
        raise InputError(Problem("aim", shown(aim), need, hint))
    arm = arm if limit is None else _limited(arm, positive("limit", limit, "N·m"))
    law = None if controller is None else Law(arm, controller, number("aim", aim or 0.0))
    flow = Flow(arm, number("torque", torque), law)
    _check_friction(flow)
    begun = tuple(_start(start) for start in _listed(starts))
    wide = _speeds(flow, begun) if speeds is None else read_range("speeds", speeds)
    length = _check_duration(flow, positive("duration", duration, "s"))
    shown_angles, ticks = _check_turns(read_range("angles", angles)), positive("rate", rate, "Hz")
    _check_distances(flow, shown_angles, begun)
    return Portrait(flow, shown_angles, wide, begun, length, ticks)


def _check_friction(flow: Flow) -> None:
    """Refuse a joint in syrup: it stops at once and creeps for ever, and nothing else happens."""
    most = STIFFEST * flow.inertia * flow.frequency
    if flow.damping > most:
        need = f"at most {most:.3g} N·m·s/rad, {STIFFEST:g} times M √(weight/M)"
        raise InputError(Problem("joint damping", f"{flow.damping:g} N·m·s/rad", need))


def _check_turns(angles: tuple[float, float]) -> tuple[float, float]:
    """Refuse more turns than a page can show."""
    turns = (angles[1] - angles[0]) / TURN
    if turns > MOST_TURNS:
        raise InputError(Problem("angles", f"{turns:.4g} turns", f"at most {MOST_TURNS:g}"))
    return angles


def _check_distances(
    flow: Flow, angles: tuple[float, float], starts: tuple[tuple[float, float], ...]
) -> None:
    """Refuse what is so far from what is shown that equilibria all the way fill the memory."""
    if flow.law is None:
        return
    low, high = angles
    places = [("aim", flow.law.aim), *(("start", angle) for angle, _ in starts)]
    need = f"at most {MOST_AWAY:g} turns beside the angles that are shown"
    hint = "take off whole turns, or show other angles"
    far = [
        Problem(what, f"{angle:g} rad", need, hint)
        for what, angle in places
        if max(low - angle, angle - high) > MOST_AWAY * TURN
    ]
    # What repeats every turn has its equilibria in one; asked last, as it asks the law far away.
    if far and not flow.round:
        raise InputError(far)


def _check_duration(flow: Flow, duration: float) -> float:
    """Refuse more swings than a picture can show."""
    if duration * flow.frequency > LONGEST:
        need = f"at most {LONGEST / flow.frequency:.3g} s, {LONGEST:g} rad of small swings"
        raise InputError(Problem("duration", f"{duration:g} s", need))
    return duration


def _limited(arm: Arm, limit: float) -> Arm:
    return arm.replace(joints=[replace(arm.joints[0], max_torque=limit)])


def _listed(starts: Any) -> list[Any]:
    try:
        return list(starts)
    except TypeError:
        raise InputError(Problem("starts", shown(starts), "a list of (angle, speed)")) from None


def _start(given: Any) -> tuple[float, float]:
    values = list(given) if isinstance(given, Sequence | np.ndarray) else []
    if len(values) != 2 or isinstance(given, str):
        raise InputError(Problem("start", shown(given), "an angle [rad] and a speed [rad/s]"))
    return number("start", values[0]), number("start", values[1])


def _speeds(flow: Flow, starts: tuple[tuple[float, float], ...]) -> tuple[float, float]:
    """Choose what speeds to show: the swings of the joint, and every start."""
    fastest = max([WIDE * flow.frequency, *(MARGIN * abs(speed) for _, speed in starts)])
    for running in find_running(flow, find_rests(flow, (-TURN, TURN))):
        if running.fastest < 2.0 * fastest:
            fastest = max(fastest, MARGIN * running.fastest)
    return -fastest, fastest
