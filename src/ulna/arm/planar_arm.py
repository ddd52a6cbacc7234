"""The arm itself: links and joints in a row from the base, under gravity, with a payload."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ulna.arm.arm_checks import Problems
from ulna.arm.joint import Joint
from ulna.arm.link import Link, Payload, doubts
from ulna.arm.mobility import check_mobility
from ulna.arm.parameters import Parameters, parameters_from
from ulna.arm.sketch import sketch_html, summary
from ulna.errors import shown, warn

EARTH = (0.0, -9.81)  # [m/s²], downwards
FLAT = (0.0, 0.0)  # an arm that lies on a table feels no gravity in its plane


@dataclass(frozen=True, repr=False)
class Arm:
    """A planar arm of revolute joints. Frozen; change one with `replace` or `with_payload`.

    Make one with `Arm.rods`, `Arm.point_masses` or `Arm.of`, `ulna.load` or `ulna.preset`.
    Joint angles are relative and counter-clockwise, the first from the x axis; gravity is a
    vector, straight down unless given.
    """

    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    gravity: tuple[float, float] = EARTH
    base: tuple[float, float] = (0.0, 0.0)
    payload: Payload = Payload()  # noqa: RUF009 - a frozen value
    name: str = ""
    parameters: Parameters = field(init=False, compare=False)

    def __post_init__(self) -> None:
        checks = Problems()
        values: dict[str, Any] = {
            "links": _parts(checks, "links", self.links, Link),
            "joints": _parts(checks, "joints", self.joints, Joint),
            "gravity": checks.pair("gravity", self.gravity, "m/s²"),
            "base": checks.pair("base", self.base, "m"),
            "payload": _payload(checks, self.payload),
        }
        checks.one_line("name", self.name)
        _check_counts(checks, len(values["links"]), len(values["joints"]))
        checks.raise_if_any()
        for name, value in values.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "parameters", parameters_from(self))
        check_mobility(checks, self.parameters)
        checks.raise_if_any()

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy is made anew: copied arrays would be writeable.
        fields = [field.name for field in dataclasses.fields(self) if field.init]
        return Arm, tuple(getattr(self, name) for name in fields)

    def __deepcopy__(self, memo: dict[int, Any]) -> Arm:
        return self

    @classmethod
    def of(
        cls,
        links: Iterable[Link],
        joints: Iterable[Joint] | None = None,
        *,
        gravity: Sequence[float] = EARTH,
        base: Sequence[float] = (0.0, 0.0),
        payload: float | Payload = 0.0,
        name: str = "",
    ) -> Arm:
        """Make an arm of given links and joints (free joints unless given)."""
        checks = Problems()
        links = checks.sequence("links", links, "a list of Link")
        checks.raise_if_any()
        joints = tuple(Joint() for _ in links) if joints is None else joints
        arm = cls(links, joints, gravity, base, payload, name)  # type: ignore[arg-type]
        for number, link in enumerate(links, 1):
            for doubt in doubts(link):
                warn(str(doubt.within(f"link.{number}")))
        return arm

    @classmethod
    def rods(cls, lengths: Sequence[float], masses: Sequence[float], **options: Any) -> Arm:
        """Make an arm of uniform rods; options are those of `Arm.of`.

        >>> Arm.rods([0.5, 0.5], [1.0, 10.0]).reach
        1.0
        """
        return cls.of(_each(lengths, masses, Link), **options)

    @classmethod
    def point_masses(cls, lengths: Sequence[float], masses: Sequence[float], **options: Any) -> Arm:
        """Make an arm of massless links with a point mass at each one's distal end."""

        def point(length: float, mass: float) -> Link:
            return dataclasses.replace(Link(length, mass), com=length, inertia=0.0)

        return cls.of(_each(lengths, masses, point), **options)

    @property
    def n(self) -> int:
        """The number of links."""
        return len(self.links)

    @property
    def reach(self) -> float:
        """The distance in metres from the base to the tip of the straight arm."""
        return sum(link.length for link in self.links)

    @property
    def mass(self) -> float:
        """The mass in kilograms of links, point masses and payload."""
        return float(np.sum(self.parameters.mass) + np.sum(self.parameters.tip_mass))

    def replace(self, **changes: Any) -> Arm:
        """Return an arm that differs in the named fields, those of `Arm.of`.

        Only what is named changes: a link that is made longer keeps its centre of mass.
        """
        known = [f.name for f in dataclasses.fields(self) if f.init]
        checks = Problems()
        for name in changes.keys() - set(known):
            checks.add("replace", shown(name), "one of " + ", ".join(known))
        checks.raise_if_any()
        return dataclasses.replace(self, **changes)

    def with_payload(self, payload: float | Payload) -> Arm:
        """Return the same arm with a load at its tip, in kilograms or as a `Payload`."""
        return self.replace(payload=payload)

    def __repr__(self) -> str:
        return summary(self)

    def _repr_html_(self) -> str:
        return sketch_html(self)


def _parts(checks: Problems, what: str, parts: Any, kind: type) -> tuple[Any, ...]:
    """Take a list of links or of joints."""
    found = checks.sequence(what, parts, f"a list of {kind.__name__}")
    for number, part in enumerate(found, 1):
        if not isinstance(part, kind):
            checks.add(f"{what.removesuffix('s')}.{number}", shown(part), f"a {kind.__name__}")
    return found


def _check_counts(checks: Problems, links: int, joints: int) -> None:
    if any(problem.what in ("links", "joints") for problem in checks.found):
        return
    if links == 0:
        checks.add("links", "none", "at least one link")
    elif joints != links:
        checks.add("joints", f"{joints} joints", f"one a link, that is {links}")


def _payload(checks: Problems, payload: Any) -> Payload:
    """Take a payload, or a mass in kilograms."""
    if isinstance(payload, Payload):
        return payload
    return checks.attempt("payload", lambda: Payload(payload)) or Payload()


def _each(lengths: Any, masses: Any, build: Callable[[float, float], Link]) -> list[Link]:
    checks = Problems()
    need = "a list of numbers, one a link"
    lengths, masses = (
        checks.sequence("lengths", lengths, need),
        checks.sequence("masses", masses, need),
    )
    checks.raise_if_any()
    if len(lengths) != len(masses):
        need = f"one a link, {len(lengths)} as there are lengths"
        checks.add("masses", f"{len(masses)} values", need)
    checks.raise_if_any()
    links = []
    for number, (length, mass) in enumerate(zip(lengths, masses, strict=True), 1):
        with checks.gather(f"link.{number}"):
            links.append(build(length, mass))
    checks.raise_if_any()
    return links
