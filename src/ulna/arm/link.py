"""A link of an arm, and the load that its last link carries."""

from __future__ import annotations

from dataclasses import dataclass
from math import isinf
from typing import TYPE_CHECKING, Any

from ulna.arm.arm_checks import Problems
from ulna.arm.first_guesses import OF_A_LINK
from ulna.errors import Problem
from ulna.namespaces import no_attribute, suggest_keywords

# A link may be this wide, as a fraction of its length, before its inertia looks wrong.
PLAUSIBLE_WIDTH = 0.5


@suggest_keywords(center="com", centre="com", l="length", m="mass", I="inertia")
@dataclass(frozen=True, slots=True, init=False)
class Link:
    """A rigid link, described in the frame of its proximal joint (x along the link).

    The defaults make a uniform rod. The centre of mass may lie anywhere along the link or beyond
    its ends (a counterweight); a point mass at the distal end stands for the next motor or a
    gripper.

    Parameters
    ----------
    length : float
        From the proximal joint to the distal one [m].
    mass : float
        Of the link, without the point mass [kg].
    com : float, optional
        Distance of the centre of mass along the link [m], half its length unless given.
    inertia : float, optional
        About the centre of mass, without rotors [kg·m²]; that of a uniform rod unless given.
    tip_mass : float, optional
        Point mass at the distal end [kg].
    com_offset : float, optional
        Distance of the centre of mass to the left of the link [m].

    Raises
    ------
    InputError
        If the length is not above 0, a mass or the inertia is negative, or a value is not finite.

    Examples
    --------
    >>> Link(0.5, 10.0).inertia
    0.20833333333333334
    """

    length: float
    mass: float
    com: float
    inertia: float
    tip_mass: float
    com_offset: float

    def __init__(
        self,
        length: float,
        mass: float,
        com: float | None = None,
        inertia: float | None = None,
        tip_mass: float = 0.0,
        com_offset: float = 0.0,
    ) -> None:
        checks = Problems()
        length = checks.number("length", length, "m", above=0.0)
        mass = checks.number("mass", mass, "kg", least=0.0)
        rod = rod_inertia(length, mass)
        if isinf(rod):
            checks.add("length", f"{length:g}", "a length in m that arithmetic can square")
        values = {
            "length": length,
            "mass": mass,
            "com": rod_com(length) if com is None else checks.number("com", com, "m"),
            "inertia": rod
            if inertia is None
            else checks.number("inertia", inertia, "kg·m²", least=0.0),
            "tip_mass": checks.number("tip_mass", tip_mass, "kg", least=0.0),
            "com_offset": checks.number("com_offset", com_offset, "m"),
        }
        checks.raise_if_any()
        for name, value in values.items():
            object.__setattr__(self, name, value)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise no_attribute(self, name, OF_A_LINK)

    @property
    def is_rod(self) -> bool:
        """Whether mass is spread evenly along the link, as the defaults have it."""
        rod = (rod_com(self.length), rod_inertia(self.length, self.mass), 0.0)
        return (self.com, self.inertia, self.com_offset) == rod


@suggest_keywords(m="mass", I="inertia")
@dataclass(frozen=True, slots=True, init=False)
class Payload:
    """A load at the tip of the arm, fixed to the last link.

    Parameters
    ----------
    mass : float, optional
        Of the load [kg].
    inertia : float, optional
        About the tip [kg·m²].

    Raises
    ------
    InputError
        If one of them is negative or not finite.
    """

    mass: float
    inertia: float

    def __init__(self, mass: float = 0.0, inertia: float = 0.0) -> None:
        checks = Problems()
        object.__setattr__(self, "mass", checks.number("mass", mass, "kg", least=0.0))
        object.__setattr__(self, "inertia", checks.number("inertia", inertia, "kg·m²", least=0.0))
        checks.raise_if_any()


def rod_com(length: float) -> float:
    """Return the centre of mass of a uniform rod: l/2."""
    return length / 2


def rod_inertia(length: float, mass: float) -> float:
    """Return the inertia of a uniform rod about its centre of mass: m l²/12."""
    return mass * (length * length) / 12


def largest_inertia(link: Link) -> float:
    """Return the largest inertia about the centre of mass that a body of the link's size has.

    Mass between a and b along the link with its centre at c has a second moment there of at most
    m (c − a)(b − c), all of it at the two ends; a width w adds at most m w²/4. The body is taken
    to span the link, and half its length to either side of the centre where that is more.
    """
    half = link.length / 2
    behind = link.com - min(0.0, link.com - half)
    before = max(link.length, link.com + half) - link.com
    return link.mass * (behind * before + (PLAUSIBLE_WIDTH * half) ** 2)


def doubts(link: Link) -> list[Problem]:
    """List what is allowed by the numbers but found in no real body."""
    most = largest_inertia(link)
    if link.inertia <= most:
        return []
    need = (
        f"at most {most:.4g}: no body of {link.mass:g} kg and {link.length:g} m with its centre of "
        f"mass at {link.com:g} m has more"
    )
    rod = rod_inertia(link.length, link.mass)
    hint = f"a uniform rod has {rod:.4g}; is yours about the joint, or in other units?"
    return [Problem("inertia", f"{link.inertia:.4g} kg·m²", need, hint)]
