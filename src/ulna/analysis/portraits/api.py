"""The front door of portraits: what is asked for, checked once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ulna.analysis.portraits.flow import TURN, Flow
from ulna.analysis.portraits.phase_equilibria import find_phase_equilibria
from ulna.analysis.portraits.phase_portrait import Portrait, read_range
from ulna.analysis.portraits.running_solutions import find_running_solutions
from ulna.analysis.portraits.state_feedback import StateFeedback
from ulna.arm import Arm, warn_unmodelled
from ulna.concurrency import interruptible
from ulna.control import Controller
from ulna.errors import InputError, Problem, shown
from ulna.motion.values import number, positive
from ulna.namespaces import suggest_keywords
from ulna.simulation.checks import check_kinds

WIDE = 3.0  # of the frequency of small swings: how fast the portrait goes if nobody says
MARGIN = 1.15  # beyond the fastest start
MOST_TURNS = 20.0  # on a page
MOST_AWAY = 100.0  # turns, from what is shown to a start or to what the controller holds
LONGEST = 1e5  # [rad] of small swings that an orbit is followed for at most
STIFFEST = 300.0  # b/(M ω) beyond which a joint only creeps


@interruptible
@suggest_keywords(aim="set_point", reference="set_point", limit="max_torque", start="starts")
def portrait(
    arm: Arm,
    *,
    torque: float = 0.0,
    controller: Controller | None = None,
    set_point: float | None = None,
    max_torque: float | None = None,
    starts: Iterable[Sequence[float]] = (),
    angles: Sequence[float] = (-math.pi, math.pi),
    speeds: Sequence[float] | None = None,
    duration: float = 20.0,
    rate: float = 1000.0,
) -> Portrait:
    """Compute the phase portrait of an arm with one joint.

    Parameters
    ----------
    arm : Arm
        An arm with one joint. Its stops are left out.
    torque : float, optional
        A constant torque that drives the joint [N·m].
    controller : Controller, optional
        Drives the joint instead of a torque: one without memory.
    set_point : float, optional
        The angle that the controller is to hold [rad], 0 if it is not given.
    max_torque : float, optional
        What the motor gives at most [N·m]; the joint's `max_torque` if it is not given.
    starts : iterable of (float, float), optional
        Initial states whose orbits are followed: an angle [rad] and a speed [rad/s] each.
    angles : (float, float), optional
        The range of angles that is shown [rad]; wider than a turn, the cylinder is unrolled.
    speeds : (float, float), optional
        The range of speeds that is shown [rad/s]; chosen for the joint if it is not given.
    duration : float, optional
        How long the orbits are followed [s].
    rate : float, optional
        The control rate [Hz].

    Returns
    -------
    Portrait
        Equilibria, orbits, separatrices and basins; what takes time is computed when it is asked
        for.

    Raises
    ------
    InputError
        If the arm has several joints, the controller has memory, or a range is not one.

    Examples
    --------
    >>> import ulna
    >>> pendulum = portrait(ulna.preset("bechard-1"), torque=4.0, starts=[(0.0, 3.07), (0.0, 3.2)])
    >>> [(equilibrium.kind, round(equilibrium.angle, 6)) for equilibrium in pendulum.equilibria]
    [('stable focus', -1.150811), ('saddle', 1.150811)]
    >>> [orbit.fate.name for orbit in pendulum.orbits]
    ['settles at -1.151 rad', 'runs on']
    >>> [round(boundary.value, 7) for boundary in pendulum.critical_speeds(0.0, within=(0, 5))]
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
    if controller is None and set_point is not None:
        need, hint = "nothing without a controller", "pass controller= as well"
        raise InputError(Problem("set_point", shown(set_point), need, hint))
    arm = arm if max_torque is None else _limited(arm, positive("max_torque", max_torque, "N·m"))
    law = (
        None
        if controller is None
        else StateFeedback(arm, controller, number("set_point", set_point or 0.0))
    )
    flow = Flow(arm, number("torque", torque), law)
    _check_friction(flow)
    begun = tuple(_start(start) for start in _listed(starts))
    wide = _speeds(flow, begun) if speeds is None else read_range("speeds", speeds)
    length = _check_duration(flow, positive("duration", duration, "s"))
    shown_angles, ticks = _check_turns(read_range("angles", angles)), positive("rate", rate, "Hz")
    _check_distances(flow, shown_angles, begun)
    return Portrait(flow, shown_angles, wide, begun, length, ticks)


def _check_friction(flow: Flow) -> None:
    """Raise InputError for a joint so damped that it only creeps."""
    most = STIFFEST * flow.inertia * flow.natural_frequency
    if flow.damping > most:
        need = f"at most {most:.3g} N·m·s/rad, {STIFFEST:g} times M √(weight/M)"
        raise InputError(Problem("joint damping", f"{flow.damping:g} N·m·s/rad", need))


def _check_turns(angles: tuple[float, float]) -> tuple[float, float]:
    """Raise InputError for more turns than a page can show."""
    turns = (angles[1] - angles[0]) / TURN
    if turns > MOST_TURNS:
        raise InputError(Problem("angles", f"{turns:.4g} turns", f"at most {MOST_TURNS:g}"))
    return angles


def _check_distances(
    flow: Flow, angles: tuple[float, float], starts: tuple[tuple[float, float], ...]
) -> None:
    """Raise InputError for angles so far away that the equilibria in between fill the memory."""
    if flow.law is None:
        return
    low, high = angles
    places = [("set_point", flow.law.set_point), *(("start", angle) for angle, _ in starts)]
    need = f"at most {MOST_AWAY:g} turns beside the angles that are shown"
    hint = "take off whole turns, or show other angles"
    far = [
        Problem(what, f"{angle:g} rad", need, hint)
        for what, angle in places
        if max(low - angle, angle - high) > MOST_AWAY * TURN
    ]
    # What repeats every turn has its equilibria in one; asked last, as it asks the law far away.
    if far and not flow.cylinder:
        raise InputError(far)


def _check_duration(flow: Flow, duration: float) -> float:
    """Raise InputError for more swings than a picture can show."""
    if duration * flow.natural_frequency > LONGEST:
        need = f"at most {LONGEST / flow.natural_frequency:.3g} s, {LONGEST:g} rad of small swings"
        raise InputError(Problem("duration", f"{duration:g} s", need))
    return duration


def _limited(arm: Arm, max_torque: float) -> Arm:
    return arm.replace(joints=[replace(arm.joints[0], max_torque=max_torque)])


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
    fastest = max([WIDE * flow.natural_frequency, *(MARGIN * abs(speed) for _, speed in starts)])
    for running in find_running_solutions(flow, find_phase_equilibria(flow, (-TURN, TURN))):
        if running.fastest < 2.0 * fastest:
            fastest = max(fastest, MARGIN * running.fastest)
    return -fastest, fastest
