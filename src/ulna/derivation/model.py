"""The arm in letters: what each is called and means, where every mass is, and how fast it moves.

A letter is a SymPy symbol with a name that every programming language accepts: "l1", "mP",
"gammax", and "qd2" for q̇₂. The formats take it apart and know how to set it. The order of BASES is
the order in which a product is written.

A mass sits at the end of a row of legs, each of a length and along a link or at right angles to
it. Squares of speeds are written with cos A cos B + sin A sin B = cos(A − B) from the start, and
energies with one constant for each pair of links: nothing has to be simplified afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import sympy as sp

from ulna.derivation.derivation_options import DerivationOptions

BASES = (
    "a", "h", "I", "J", "m", "p", "g", "gamma", "s", "e", "N", "b", "k", "f", "F", "l", "c", "d",
)  # fmt: skip
COORDINATES = ("q", "phi")
NAME = re.compile(
    r"(?P<base>phi|gamma|tau|omega|[A-Za-z])(?P<dots>d{0,2})(?P<subscript>[A-Za-z0-9]*)"
)
HALF = sp.Rational(1, 2)


class Letter(NamedTuple):
    """A letter taken apart: its base, the dots of its time derivative, its subscript."""

    base: str
    dots: int
    subscript: str


def symbol(base: str, subscript: object = "", dots: int = 0) -> sp.Symbol:
    """Return the symbol of a letter."""
    return sp.Symbol(f"{base}{'d' * dots}{subscript}")


def letter(of: sp.Symbol) -> Letter:
    """Split the name of a symbol."""
    found = NAME.fullmatch(of.name)
    if found is None:
        raise ValueError(f"{of.name} is no letter of a derivation")
    return Letter(found["base"], len(found["dots"]), found["subscript"])


class Partial(sp.Function):  # type: ignore[misc]
    """The partial derivative of a letter by another, unevaluated: ∂L/∂q."""

    nargs = 2


class Rate(sp.Function):  # type: ignore[misc]
    """The time derivative of what stands inside, unevaluated: d/dt."""

    nargs = 1


class Direction(sp.Function):  # type: ignore[misc]
    """The sign of a rate and, at rest, of the acceleration beside it: which way a joint goes."""

    nargs = 2


class Leg(NamedTuple):
    """A step from one point of the arm to the next: along link `link`, or to its left."""

    size: sp.Expr
    link: int
    aside: bool = False


class Body(NamedTuple):
    """A mass at the end of its legs, turning with its link."""

    name: str  # the subscript of its position and speed
    mass: sp.Expr
    inertia: sp.Expr
    legs: tuple[Leg, ...]
    about: str


@dataclass(frozen=True)
class Model:
    """Coordinates, bodies and energies of an arm in letters."""

    options: DerivationOptions

    @property
    def n(self) -> int:
        """The number of links."""
        return self.options.links

    @cached_property
    def coordinates(self) -> tuple[sp.Symbol, ...]:
        """The angles: q of the joints, or φ of the links."""
        return self._row(0)

    @cached_property
    def rates(self) -> tuple[sp.Symbol, ...]:
        """The first time derivatives of the coordinates."""
        return self._row(1)

    @cached_property
    def accelerations(self) -> tuple[sp.Symbol, ...]:
        """The second time derivatives of the coordinates."""
        return self._row(2)

    def _row(self, dots: int) -> tuple[sp.Symbol, ...]:
        base = "q" if self.options.relative else "phi"
        return tuple(symbol(base, i + 1, dots) for i in range(self.n))

    def angle(self, link: int) -> sp.Expr:
        """Return the angle of a link from the x axis."""
        return self._up_to(self.coordinates, link)

    def spin(self, link: int) -> sp.Expr:
        """Return the rate of a link's angle from the x axis."""
        return self._up_to(self.rates, link)

    def _up_to(self, row: tuple[sp.Symbol, ...], link: int) -> sp.Expr:
        return sp.Add(*row[: link + 1]) if self.options.relative else row[link]

    def joint_rate(self, joint: int) -> sp.Expr:
        """Return the rate of a joint, which is relative in either convention."""
        return self._of_joint(self.rates, joint)

    def joint_acceleration(self, joint: int) -> sp.Expr:
        """Return the acceleration of a joint, which is relative in either convention."""
        return self._of_joint(self.accelerations, joint)

    def _of_joint(self, row: tuple[sp.Symbol, ...], joint: int) -> sp.Expr:
        if self.options.relative or joint == 0:
            return row[joint]
        return row[joint] - row[joint - 1]

    @cached_property
    def bodies(self) -> tuple[Body, ...]:
        """All that has mass, from the base to the tip."""
        found = [body for link in range(self.n) for body in self._link_bodies(link)]
        if self.options.payload:
            found.append(Body("P", symbol("m", "P"), sp.S.Zero, self.tip_legs, "the payload"))
        return tuple(found)

    @cached_property
    def tip_legs(self) -> tuple[Leg, ...]:
        """The legs from the base to the tip."""
        return tuple(Leg(symbol("l", i + 1), i) for i in range(self.n))

    def _link_bodies(self, link: int) -> Iterator[Body]:
        number = link + 1
        before = self.tip_legs[:link]
        length, mass = symbol("l", number), symbol("m", number)
        if self.options.bodies == "rods":
            legs = (*before, Leg(length / 2, link))
            yield Body(
                str(number), mass, mass * length**2 / 12, legs, f"the middle of rod {number}"
            )
        elif self.options.bodies == "points":
            legs = (*before, Leg(length, link))
            yield Body(str(number), mass, sp.S.Zero, legs, f"mass {number}")
        else:
            along, aside = Leg(symbol("c", number), link), Leg(symbol("d", number), link, True)
            about = f"the centre of mass of link {number}"
            yield Body(str(number), mass, symbol("I", number), (*before, along, aside), about)
            legs = (*before, Leg(length, link))
            yield Body(
                f"E{number}", symbol("p", number), sp.S.Zero, legs, f"the end of link {number}"
            )

    def place(self, legs: tuple[Leg, ...]) -> tuple[sp.Expr, sp.Expr]:
        """Return x and y at the end of legs, from the base."""
        x, y = sp.S.Zero, sp.S.Zero
        for size, link, aside in legs:
            cos, sin = sp.cos(self.angle(link)), sp.sin(self.angle(link))
            x += -size * sin if aside else size * cos
            y += size * cos if aside else size * sin
        return x, y

    def velocity(self, legs: tuple[Leg, ...]) -> tuple[sp.Expr, sp.Expr]:
        """Return ẋ and ẏ at the end of legs."""
        x, y = sp.S.Zero, sp.S.Zero
        for size, link, aside in legs:
            cos, sin, spin = sp.cos(self.angle(link)), sp.sin(self.angle(link)), self.spin(link)
            x += -size * cos * spin if aside else -size * sin * spin
            y += -size * sin * spin if aside else size * cos * spin
        return x, y

    def square(self, legs: tuple[Leg, ...]) -> sp.Expr:
        """Return ẋ² + ẏ² at the end of legs, sines and cosines combined."""
        own = [leg.size**2 * self.spin(leg.link) ** 2 for leg in legs]
        both = [
            2 * one.size * two.size * self._between(one, two) * spins
            for one, two in combinations(legs, 2)
            for spins in (self.spin(one.link) * self.spin(two.link),)
        ]
        return sp.Add(*own, *both)

    def kinetic_energy(self, body: Body) -> sp.Expr:
        """Return the kinetic energy of a body, in its speed."""
        moving = HALF * body.mass * symbol("v", body.name) ** 2
        return moving + HALF * body.inertia * self.spin(body.legs[-1].link) ** 2

    def potential_energy(self, body: Body) -> sp.Expr:
        """Return the potential energy of a body, in its position."""
        x, y = symbol("x", body.name), symbol("y", body.name)
        if not self.options.has_gravity:
            return sp.S.Zero
        if self.options.gravity == "vector":
            return -body.mass * (symbol("gamma", "x") * x + symbol("gamma", "y") * y)
        return body.mass * symbol("g") * y

    def _between(self, one: Leg, two: Leg) -> sp.Expr:
        """Return the cosine of the angle between two legs; only the outer may lie aside."""
        if one.link == two.link:
            return sp.S.Zero  # along a link and aside of it are at right angles
        apart = self.angle(one.link) - self.angle(two.link)
        return sp.sin(apart) if two.aside else sp.cos(apart)


def angles_in_words(model: Model) -> tuple[str | sp.Expr, ...]:
    """Describe in words how the angles count."""
    first = model.coordinates[0]
    start = "x points right, y up, and angles count counter-clockwise. "
    if model.n == 1:
        return start, first, " is the angle of the link from the x axis."
    if model.options.relative:
        return start, first, " is counted from the x axis, every other angle from the link before."
    return (start + "Every link's angle is counted from the x axis.",)


def forces_in_words(model: Model, k: int) -> str:
    """Describe in words what acts on a coordinate."""
    options, last = model.options, k + 1 == model.n
    words = f"The motor of joint {k + 1} turns {'this joint' if options.relative else 'this link'}"
    if not options.relative and not last:
        words += f", and that of joint {k + 2}, which it carries, pushes back"
    if options.tip_force:
        words += "; the force at the tip acts on the arm by its lever"
    if options.drives:
        words += "; damping takes its part from the relative rates"
    if options.friction:
        words += "; friction acts against the motion of the joints"
    return words + "."


def friction_in_words() -> tuple[str, str]:
    """Describe in words the friction of a joint that turns, and of one at rest."""
    return (
        "What friction takes from a joint that turns: Coulomb friction, static friction that falls "
        "to it over the Stribeck velocity, and drag, all against the motion.",
        "A joint that starts from rest has the sign of its acceleration in place of that of its "
        "rate, and feels its static friction in full. One that stays at rest is held by any torque "
        "up to that, which the motion alone does not tell.",
    )


def letters(model: Model) -> Iterator[tuple[sp.Symbol, str, str]]:
    """Return every letter of a model, with its meaning and unit."""
    options = model.options
    for k, angle in enumerate(model.coordinates, 1):
        yield angle, f"angle of {'joint' if options.relative else 'link'} {k}", "rad"
    for k in range(1, model.n + 1):
        yield from _link_letters(model, k)
    if options.payload:
        yield symbol("m", "P"), "mass of the payload", "kg"
    if options.gravity == "down":
        yield symbol("g"), "gravity, downwards", "m/s²"
    elif options.gravity == "vector":
        yield symbol("gamma", "x"), "gravity to the right", "m/s²"
        yield symbol("gamma", "y"), "gravity upwards", "m/s²"
    for k in range(1, model.n + 1):
        yield symbol("tau", k), f"torque of the motor at joint {k}", "N·m"
    if options.tip_force:
        yield symbol("F", "x"), "force on the tip to the right", "N"
        yield symbol("F", "y"), "force on the tip upwards", "N"


def _link_letters(model: Model, k: int) -> Iterator[tuple[sp.Symbol, str, str]]:
    options = model.options
    what = {"rods": f"rod {k}", "points": f"the point at the end of link {k}"}
    yield symbol("l", k), f"length of link {k}", "m"
    yield symbol("m", k), f"mass of {what.get(options.bodies, f'link {k}')}", "kg"
    if options.bodies == "general":
        yield symbol("c", k), f"centre of mass along link {k}", "m"
        yield symbol("d", k), f"centre of mass to the left of link {k}", "m"
        loaded = ", payload's too" if options.payload and k == model.n else ""
        yield symbol("I", k), f"inertia of link {k} about its centre of mass{loaded}", "kg·m²"
        yield symbol("p", k), f"point mass at the end of link {k}", "kg"
    if options.drives:
        yield symbol("J", k), f"inertia of the rotor of joint {k}", "kg·m²"
        yield symbol("N", k), f"turns of that rotor per turn of joint {k}", ""
        yield symbol("b", k), f"damping of joint {k}", "N·m·s/rad"
    if options.friction:
        yield symbol("f", f"c{k}"), f"Coulomb friction of joint {k}", "N·m"
        yield symbol("f", f"s{k}"), f"static friction of joint {k}", "N·m"
        yield symbol("omega", f"s{k}"), f"Stribeck velocity of joint {k}", "rad/s"
        yield symbol("k", k), f"drag of joint {k}", "N·m·s²/rad²"
