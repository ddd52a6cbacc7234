"""What a playground opens with: an arm in a state, written as the page's address carries it.

    arm=kehl&l=0.5,0.5&m=1,10&g=0,-9.81&q=0.7,-1

Letters are those of the derivation: l, m, c, d, I and p of the links, b, J and N of the joints, P
and PI of the payload, q, qd and tau of the state; what is as usual is left out. A scene is a state
with a name, such as a figure of one of the papers that moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

import numpy as np

from ulna.arm import Arm, IdealMotor, Joint, Link, preset, presets
from ulna.arm.preset_arms import about_preset
from ulna.derivation.derivation_options import MOST_LINKS
from ulna.errors import InputError, Problem
from ulna.kinematics import inverse

LINKS = (("c", "com"), ("d", "com_offset"), ("I", "inertia"), ("p", "tip_mass"))
LOOPS = (0.79, 0.2, 13, 60.0)  # of Kehl and others: radius and loops [m], how many, duration [s]


class PlayScene(NamedTuple):
    """A state of a playground that can be chosen by name."""

    id: str
    group: str
    title: str
    state: str
    note: str = ""


def check_links(arm: Arm) -> None:
    """Raise InputError for an arm of more links than a playground has equations for."""
    if arm.n > MOST_LINKS:
        need = f"an arm of 1 to {MOST_LINKS} links"
        hint = "ulna.simulate and ulna.report take any number"
        raise InputError(Problem("arm", f"{arm.n} links", need, hint))


def left_out(arm: Arm) -> list[str]:
    """Say what of an arm a playground leaves out; nothing where it has all."""
    name = arm.name or "this arm"
    motors = any(not isinstance(joint.motor, IdealMotor | None) for joint in arm.joints)
    parts = {
        f"Dry friction and drag of {name} are": arm.has_friction,
        f"Speed limits, currents and heat of the motors of {name} are": motors,
        f"Speed limits of the joints of {name} are": np.isfinite(arm.parameters.max_velocity).any(),
        f"Sensors and actuators of {name} are": arm.loop is not None,
        f"The place of the base of {name} is": any(arm.base),
    }
    return [f"{what} left out of the playground." for what, there in parts.items() if there]


def state_text(
    arm: Arm,
    q: Sequence[float],
    *,
    qd: Sequence[float] = (),
    torque: Sequence[float] = (),
    more: Iterable[tuple[str, Any]] = (),
) -> str:
    """Return an arm in a state as an address carries it, without the #.

    Parameters
    ----------
    arm : Arm
        An arm of 1 to 4 links.
    q, qd : sequence of float, shape (n,)
        Joint angles [rad] and their rates [rad/s].
    torque : sequence of float, shape (n,)
        Constant torques [N·m].
    more : iterable of (str, text or numbers)
        What else there is, such as ("law", "pd") or ("kp", (10.0, 5.0)).

    Returns
    -------
    str
        Names and values, as `l=0.5,0.5&m=1,10`.

    Examples
    --------
    >>> import ulna
    >>> state_text(ulna.Arm.rods([0.5], [1.0]), [0.1])
    'arm=&l=0.5&m=1&g=0,-9.81&q=0.1'
    """
    rods = [Link(link.length, link.mass) for link in arm.links]
    parts: list[tuple[str, Any]] = [
        ("arm", arm.name),
        ("l", [link.length for link in arm.links]),
        ("m", [link.mass for link in arm.links]),
    ]
    for letter, name in LINKS:
        values = [getattr(link, name) for link in arm.links]
        if values != [getattr(link, name) for link in rods]:
            parts.append((letter, values))
    parts += [*_joint_parts(arm), ("g", arm.gravity)]
    if arm.payload.mass:
        parts.append(("P", [arm.payload.mass]))
    if arm.payload.inertia:
        parts.append(("PI", [arm.payload.inertia]))
    parts.append(("q", q))
    parts += [(name, row) for name, row in (("qd", qd), ("tau", torque)) if any(row)]
    return "&".join(f"{name}={_text(value)}" for name, value in (*parts, *more))


def _joint_parts(arm: Arm) -> list[tuple[str, Any]]:
    """Return what of the joints is not as usual, with what their motors add to it."""
    p, usual = arm.parameters, Joint()
    rows = {"b": (p.damping, 0.0), "J": (p.rotor_inertia, 0.0), "N": (p.gear_ratio, 1.0)}
    parts: list[tuple[str, Any]] = [
        (name, values) for name, (values, free) in rows.items() if (values != free).any()
    ]
    for letter, name in (("max", "max_torque"), ("lower", "lower"), ("upper", "upper")):
        values = [getattr(joint, name) for joint in arm.joints]
        if any(value != getattr(usual, name) for value in values):
            parts.append((letter, values))
    return parts


def _text(value: Any) -> str:
    """Return a value of an address; a limit that is none is empty."""
    if isinstance(value, str):
        return quote(value, safe=",")
    numbers = (float(one) for one in value)
    # As few digits as tell a number apart from all others.
    return ",".join(repr(one).removesuffix(".0") if np.isfinite(one) else "" for one in numbers)


def usual_pose(arm: Arm) -> list[float]:
    """Return a posture in which an arm can be seen and taken hold of: raised, and bent a little."""
    few = arm.n <= MOST_LINKS
    wanted = [0.9, -1.2, -0.7, -0.5][: arm.n] if few else [0.9, *[-2.5 / arm.n] * (arm.n - 1)]
    found: list[float] = np.clip(wanted, arm.parameters.lower, arm.parameters.upper).tolist()
    return found


def scenes() -> list[PlayScene]:
    """Return the arms that have names, and the papers' figures that move."""
    arms = [
        PlayScene(name, "Arms", f"{name}: {about_preset(name)}", state_text(arm, usual_pose(arm)))
        for name in presets()
        if (arm := preset(name)).n <= MOST_LINKS
    ]
    return [*arms, *_kehl(), *_bechard()]


def _kehl() -> list[PlayScene]:
    arm = preset("kehl")
    start = inverse(arm, [0.0, LOOPS[0] - LOOPS[1]]).q[0]
    path = "loops," + ",".join(f"{one:g}" for one in LOOPS)
    held = [("law", "computed-torque"), ("w", [20.0]), ("path", path)]
    replayed = (
        "Both arms get torques for the same path. Blue measures nothing: every error grows, and "
        "after some seconds it falls off. Press Play."
    )
    heavier = "Move the masses: the torques that the same path takes grow in proportion."
    rows = [
        ("000-figure-6", "open loop beside closed loop", [("beside", "open-loop")], replayed),
        ("000-figure-7", "loops on a circle, followed", [], ""),
        ("000-figure-8", "torques for other masses", [], heavier),
    ]
    return [
        PlayScene(name, "Papers", f"Kehl and others: {title}", state, note)
        for name, title, more, note in rows
        for state in (state_text(arm, start, more=[*held, *more]),)
    ]


def _bechard() -> list[PlayScene]:
    four, skater = preset("bechard-4"), preset("bechard-skater")
    flat = Arm.of(skater.links, gravity=(0.0, 0.0), name="skater on ice")
    beside = [("beside", "sequential")]
    servo = [("law", "pd"), ("kp", [0.0, 60.0]), ("kd", [0.0, 25.0]), ("to", [0.0, 2.6])]
    start = {"qd": [0.3, 0.0, 0.0, -0.3], "torque": [300.0, 3.0, 50.0, 5.0]}
    uncoupled = "Blue has no coupling, no centrifugal terms and no reactions of the motors."
    tucks = (
        "A servo folds the elbow; nothing turns the base. Momentum is kept, so the speed rises; "
        "in the sequential model (blue) it cannot."
    )
    rows = [
        (
            "001-four-joints",
            "four joints, sequential model beside the full one",
            state_text(four, [0.1, 0.0, 0.0, -0.1], **start, more=beside),
            uncoupled,
        ),
        (
            "001-skater",
            "the skater, driven",
            state_text(skater, [0.0, 0.0], torque=[45.0, 45.0], more=beside),
            uncoupled,
        ),
        (
            "001-skater-tuck",
            "the skater tucks, and spins faster",
            state_text(flat, [0.0, 0.0], qd=[2.0, 0.0], more=[*servo, *beside]),
            tucks,
        ),
    ]
    return [
        PlayScene(name, "Papers", f"Bechard and Ivanov: {title}", state, note)
        for name, title, state, note in (*_one_joint(), *rows)
    ]


def _one_joint() -> list[tuple[str, str, str, str]]:
    """Return the one joint: its film, and the regimes of its five phase portraits."""
    one, driven = preset("bechard-1"), preset("bechard-1-driven")
    turns = "It turns three times before the well holds it: click in the portrait for other starts."
    winds = "The torque is more than the weight: it winds up, and runs on at 4 rad/s in the mean."
    sides = "Let go on one side of the separatrix it settles, on the other it keeps turning."
    lingers = "It rises almost to the saddle, lingers there, and falls back."
    thrown = "Thrown backwards it stops once, falls through, and keeps turning."
    rows = [
        ("one-joint", "one joint, 10 N·m", (one, 0.0, 0.0, [10.0]), ""),
        ("figure-1", "no torque, from 8 rad/s", (one, 0.0, 8.0, [0.0]), turns),
        ("figure-2", "driven by 50 N·m", (driven, 0.0, 0.0, [50.0]), winds),
        ("figure-3", "under-powered, from rest", (one, -3.0, 0.0, [4.0]), sides),
        ("figure-4", "under-powered, forwards", (one, 0.0, 3.07, [4.0]), lingers),
        ("figure-5", "under-powered, backwards", (one, 0.0, -6.0, [4.0]), thrown),
    ]
    return [
        (f"001-{name}", title, state_text(arm, [q], qd=[qd], torque=torque), note)
        for name, title, (arm, q, qd, torque), note in rows
    ]
