"""The arm in letters: where every mass is, how fast it moves, and the energies of that.

A mass sits at the end of a row of legs, each of a length and along a link or at right angles to
it. Squares of speeds are written with cos A cos B + sin A sin B = cos(A − B) from the start, and
energies with one constant for each pair of links: nothing has to be simplified afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import sympy as sp

from ulna.derivation.options import DerivationOptions
from ulna.derivation.symbols import symbol

HALF = sp.Rational(1, 2)


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
        if self.options.relative or joint == 0:
            return self.rates[joint]
        return self.rates[joint] - self.rates[joint - 1]

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

    def _between(self, one: Leg, two: Leg) -> sp.Expr:
        """Return the cosine of the angle between two legs; only the outer may lie aside."""
        if one.link == two.link:
            return sp.S.Zero  # along a link and aside of it are at right angles
        apart = self.angle(one.link) - self.angle(two.link)
        return sp.sin(apart) if two.aside else sp.cos(apart)
