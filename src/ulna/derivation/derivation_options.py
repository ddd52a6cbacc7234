"""What is to be derived: how many links, in which angles, made of what."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from ulna.arm import Arm, IdealMotor
from ulna.errors import InputError, Problem, did_you_mean, shown

MOST_LINKS = 4
CONVENTIONS = ("relative", "absolute")
BODIES = ("rods", "points", "general")
GRAVITIES = ("down", "vector", "none")
# How titles say it.
COUNT_WORDS = {1: "one link", 2: "two links", 3: "three links", 4: "four links"}
BODY_WORDS = {"rods": "uniform rods", "points": "point masses", "general": "any bodies"}
ONE_BODY_WORDS = {"rods": "a uniform rod", "points": "a point mass", "general": "any body"}
ANGLE_WORDS = {"relative": "joint angles", "absolute": "absolute angles"}


@dataclass(frozen=True, slots=True)
class DerivationOptions:
    """The choices behind a derivation.

    Parameters
    ----------
    links : int
        Number of links, 1 to 4.
    convention : {"relative", "absolute"}
        Joint angles q, or link angles φ from the x axis.
    bodies : {"rods", "points", "general"}
        Uniform rods, point masses at the ends of the links, or anything.
    payload : bool
        Whether the tip carries a point mass.
    tip_force : bool
        Whether a force at the tip acts on the arm.
    gravity : {"down", "vector", "none"}
        Gravity g downwards, a vector γ, or none.
    drives : bool
        Whether joints have rotors behind gears, and viscous damping.
    friction : bool
        Whether joints have dry friction and drag.
    """

    links: int = 2
    convention: str = "relative"
    bodies: str = "rods"
    payload: bool = False
    tip_force: bool = False
    gravity: str = "down"
    drives: bool = False
    friction: bool = False

    def __post_init__(self) -> None:
        problems = [
            Problem(
                name, shown(value), f"one of {', '.join(known)}", did_you_mean(str(value), known)
            )
            for name, value, known in (
                ("convention", self.convention, CONVENTIONS),
                ("bodies", self.bodies, BODIES),
                ("gravity", self.gravity, GRAVITIES),
            )
            if not isinstance(value, str) or value not in known
        ]
        whole = isinstance(self.links, Integral) and not isinstance(self.links, bool)
        if not whole or not 1 <= self.links <= MOST_LINKS:
            hint = "ulna.dynamics has the numbers for any number of links"
            need = f"a whole number of links from 1 to {MOST_LINKS}"
            problems.append(Problem("links", shown(self.links), need, hint))
        for name in ("payload", "tip_force", "drives", "friction"):
            if not isinstance(getattr(self, name), bool):
                got, hint = shown(getattr(self, name)), "letters come first; an arm has the numbers"
                problems.append(Problem(name, got, "True or False", hint))
        if problems:
            raise InputError(problems)
        object.__setattr__(self, "links", int(self.links))

    @property
    def relative(self) -> bool:
        """Whether the coordinates are joint angles."""
        return self.convention == "relative"

    @property
    def has_gravity(self) -> bool:
        """Whether there is gravity."""
        return self.gravity != "none"


def options_for(arm: Arm, **chosen: Any) -> DerivationOptions:
    """Return the options that an arm calls for, where nothing else was chosen."""
    given = {name: value for name, value in chosen.items() if value is not None}
    if given.get("links", arm.n) != arm.n <= MOST_LINKS:
        need = f"{arm.n}, as the arm has"
        raise InputError(Problem("links", shown(given["links"]), need, "leave it out"))
    found = {
        "links": arm.n,
        "bodies": _bodies(arm),
        "payload": arm.payload.mass > 0.0,
        "gravity": _gravity(arm),
        "drives": bool(arm.parameters.damping.any() or arm.parameters.rotor_inertia.any()),
    }
    if arm.n > MOST_LINKS:
        given.pop("links", None)
    options = DerivationOptions(**{**found, **given})
    _check_fits(options, found)
    return options


def _bodies(arm: Arm) -> str:
    """Name the simplest kind of bodies that the links are."""
    plain = all(not link.com_offset and not link.tip_mass for link in arm.links)
    if arm.payload.inertia or not plain:
        return "general"
    if all(
        math.isclose(link.com, 0.5 * link.length, rel_tol=1e-12)
        and math.isclose(link.inertia, link.mass * link.length**2 / 12.0, rel_tol=1e-12)
        for link in arm.links
    ):
        return "rods"
    return "points" if all(x.com == x.length and not x.inertia for x in arm.links) else "general"


def _gravity(arm: Arm) -> str:
    if arm.gravity == (0.0, 0.0):
        return "none"
    return "down" if arm.gravity[0] == 0.0 and arm.gravity[1] < 0.0 else "vector"


def _check_fits(options: DerivationOptions, found: dict[str, Any]) -> None:
    """Raise InputError where letters cannot stand for the arm's numbers."""
    problems = []
    if options.bodies not in (found["bodies"], "general"):
        fits = " or ".join(f"'{kind}'" for kind in dict.fromkeys((found["bodies"], "general")))
        need = f"{fits}, as the links of the arm are"
        problems.append(Problem("bodies", shown(options.bodies), need))
    if options.gravity == "down" and found["gravity"] == "vector":
        need = "'vector', as the gravity of the arm is not straight down"
        problems.append(Problem("gravity", shown(options.gravity), need))
    if problems:
        raise InputError(problems)


def title_of(options: DerivationOptions, arm: Arm | None) -> str:
    """Say in a line what is derived, and for which arm."""
    extras = [
        words
        for wanted, words in (
            (options.payload, "a payload"),
            (options.tip_force, "a force at the tip"),
            (options.drives, _drives(arm)),
            (options.friction, "friction"),
        )
        if wanted
    ]
    listed = " and ".join(filter(None, (", ".join(extras[:-1]), *extras[-1:])))
    flat = ", without gravity" * (not options.has_gravity)
    tail = (f", with {listed}" if extras else "") + flat
    bodies = (ONE_BODY_WORDS if options.links == 1 else BODY_WORDS)[options.bodies]
    angles = ANGLE_WORDS[options.convention]
    about = f"{COUNT_WORDS[options.links]}, {bodies}, {angles}{tail}"
    return f"{arm.name}: {about}" if arm and arm.name else about.capitalize()


def left_out(options: DerivationOptions, arm: Arm | None) -> str:
    """Say what the arm has and the letters leave out; empty where there is nothing."""
    if arm is None:
        return ""
    sentences = []
    if not all(isinstance(joint.motor, IdealMotor | None) for joint in arm.joints):
        sentences = ["The limits of this arm's motors are left out: tau is the torque they give."]
    if arm.has_friction and not options.friction:
        kind = "Dry friction" if (arm.parameters.static > 0.0).any() else "Drag"
        adds = "friction=True, or --friction, adds it."
        sentences.insert(0, f"{kind}, which this arm has, is left out: {adds}")
    return " ".join(sentences)


def _drives(arm: Arm | None) -> str:
    geared = arm is None or bool(arm.parameters.rotor_inertia.any())
    damped = arm is None or bool(arm.parameters.damping.any())
    if geared and damped:
        return "damped geared motors"
    return "geared motors" if geared else "damped joints"
