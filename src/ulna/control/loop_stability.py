"""What can be said of a controller before it runs: whether its loop is stable where it is to be.

The loop is judged by the eigenvalues of its exact map over a tick, near rest at the poses of its
reference (see `control.sampled`), and gains that were chosen also by whether gravity, rate and
delay leave any room for them (see `control.gains`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ulna.arm import Arm
from ulna.arrays import Array
from ulna.control.adaptive import Adaptive
from ulna.control.computed_torque import ComputedTorque
from ulna.control.control_timing import ControlTiming
from ulna.control.feedforward_pid import FeedforwardPID
from ulna.control.gains import LEAST_KP_RATIO, JointGains
from ulna.control.gravity_pd import GravityPD
from ulna.control.pd import PD
from ulna.control.pid import PID
from ulna.control.sampled import gravity_gradient, growth

# A class of a user that is derived from one of these may answer otherwise.
JUDGED = (PD, PID, GravityPD, FeedforwardPID, ComputedTorque, Adaptive)
LARGEST_GROWTH = 0.01  # [1/s] by which errors may grow: nothing that a run of a minute shows
DOUBLINGS = 8  # of the rate that are tried for one that would do
LARGEST = 400  # numbers in a loop's state, above which judging takes longer than trying


def stability_warning(controller: Any, arm: Arm, timing: ControlTiming, poses: Array) -> str | None:
    """Return why a controller will not settle at poses (k, n) [rad]; None where nothing is known.

    >>> import ulna
    >>> kehl = ulna.preset("kehl")
    >>> stability_warning(PD(), kehl, ControlTiming(rate=250.0), [[0.0, 0.0]]) is None
    True
    """
    places = tuple(map(tuple, np.asarray(poses, dtype=float).tolist()))
    large = arm.n * (4 + timing.ticks_late) > LARGEST
    if type(controller) not in JUDGED or large or not places:
        return None
    try:
        return _stability_warning(controller, arm, timing, places)
    except TypeError:  # of gains that cannot be hashed; they are refused elsewhere
        return None


@lru_cache(maxsize=256)
def _stability_warning(
    controller: Any, arm: Arm, timing: ControlTiming, places: tuple[tuple[float, ...], ...]
) -> str | None:
    poses = np.array(places)
    return _of_choice(controller, arm, timing, poses) or _of_loop(controller, arm, timing, poses)


def _of_choice(controller: Any, arm: Arm, timing: ControlTiming, poses: Array) -> str | None:
    """Return where gains that were to be chosen have no room."""
    said = None
    if isinstance(controller, Adaptive):
        chosen = controller.adaptation is None
        if chosen and not np.any(controller.start(arm, timing).gains.speed):
            said = "what it would learn outweighs its dampers, so that it learns nothing"
    elif not isinstance(controller, ComputedTorque):
        gains = controller.gains(arm, timing)
        said = None if gains.possible else _no_room(gains)
    if said is None:
        return None
    head = f"{type(controller).__name__} on {_named(arm)} at {timing}: {said}"
    return head + _way_out(controller, arm, timing, poses)


def _of_loop(controller: Any, arm: Arm, timing: ControlTiming, poses: Array) -> str | None:
    """Return where errors grow, and whether that is for want of stiffness or of rate."""
    answer = controller.feedback(arm, poses, timing)
    if not np.any(answer.kp) and (answer.ki is None or not np.any(answer.ki)):
        return None  # nothing is to be held
    rates = growth(arm, poses, answer, timing)
    worst = int(np.argmax(rates))
    if rates[worst] <= LARGEST_GROWTH:
        return None
    where = ", ".join(f"{angle:.3g}" for angle in poses[worst])
    head = f"{type(controller).__name__} on {_named(arm)} at {timing}"
    grows = f"errors near q = ({where}) rad grow 2.7-fold every {1.0 / rates[worst]:.2g} s"
    gravity = gravity_gradient(arm, poses[worst])
    both = controller.feedback(arm, poses[worst], timing).kp + gravity
    if np.linalg.eigvalsh(0.5 * (both + both.T)).min() < 0.0:
        against = -float(np.linalg.eigvalsh(gravity).min())
        why = (
            "springs are softer than gravity, which pushes away from there with up to "
            f"{against:.3g} N·m/rad; {_stiffer(controller)}"
        )
        return f"{head}: {grows}: {why}"
    way = _way_out(controller, arm, timing, poses)
    return f"{head}: {grows}: the loop is unstable{way}"


def _stiffer(controller: Any) -> str:
    """Return what holds an arm better that gravity pushes away."""
    way = "give a higher natural frequency"
    if hasattr(controller, "gains"):
        way = "give more stiffness, or leave the gains to be chosen"
    nearer = getattr(controller, "model", None) is not None
    return f"{way}, or a model that is nearer to the arm" if nearer else way


def _growth(controller: Any, arm: Arm, timing: ControlTiming, poses: Array) -> Array:
    return growth(arm, poses, controller.feedback(arm, poses, timing), timing)


def _named(arm: Arm) -> str:
    return arm.name or f"an arm of {arm.n} link{'s' * (arm.n > 1)}"


def _no_room(gains: JointGains) -> str:
    joint = int(np.argmin(gains.kp_max - LEAST_KP_RATIO * gains.kp_min))
    least, most = float(gains.kp_min[joint]), max(float(gains.kp_max[joint]), 0.0)
    why = "gravity, carried by what was measured so late, outweighs its dampers"
    if least > 0.0:
        why = (
            f"gravity asks for more than {least:.3g} N·m/rad, and its dampers still damp "
            f"{most:.3g} N·m/rad at most"
        )
    return (
        f"no stiffness of joint {joint + 1} is safe at all poses: {why}; "
        "expect it to sag or to shake"
    )


def _way_out(controller: Any, arm: Arm, timing: ControlTiming, poses: Array) -> str:
    """Return what would be stable at these poses: a higher rate, or a controller with a model."""
    ways = []
    for doubling in range(1, DOUBLINGS + 1):
        faster = ControlTiming(timing.rate * 2**doubling, timing.delay)
        if arm.n * (4 + faster.ticks_late) > LARGEST:
            break
        roomy = not hasattr(controller, "gains") or controller.gains(arm, faster).possible
        if roomy and _growth(controller, arm, faster, poses).max() <= LARGEST_GROWTH:
            ways.append(f"a rate of {faster.rate:g} Hz")
            break
    other = ComputedTorque()
    if (
        type(controller) is not type(other)
        and _growth(other, arm, timing, poses).max() <= LARGEST_GROWTH
    ):
        ways.append("ComputedTorque()")
    if timing.ticks_late and not ways:
        ways.append("a shorter delay")
    return f"; try {' or '.join(ways)}" if ways else "; try softer gains"
