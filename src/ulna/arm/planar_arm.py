"""The arm itself: links and joints in a row from the base, under gravity, with a payload."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, TypeAlias, TypedDict, Unpack

import numpy as np

from ulna.arm.components import (
    Friction,
    Joint,
    Link,
    Payload,
    doubts,
    read_each,
    read_motors,
    read_parts,
    read_payload,
)
from ulna.arm.control_loop import ControlLoop, check_for_joints
from ulna.arm.motors import AnyMotor, IdealMotor, without_motor_friction
from ulna.arm.parameters import Parameters, check_mobility, parameters_from
from ulna.arm.sketch import sketch_html, summary
from ulna.arrays import Array
from ulna.errors import Problems, shown, warn
from ulna.typing import SupportsArray

EARTH = (0.0, -9.81)  # [m/s²], downwards
FLAT = (0.0, 0.0)  # an arm that lies on a table feels no gravity in its plane

MotorLike: TypeAlias = AnyMotor | str | None  # a motor, its name, or none
_GRAVITY_HINT = "(0, -9.81) is straight down, (0, 0) is for an arm that lies flat"


class ArmFields(TypedDict, total=False):
    """What `Arm.replace` takes."""

    links: Iterable[Link]
    joints: Iterable[Joint]
    gravity: Sequence[float] | SupportsArray
    base: Sequence[float] | SupportsArray
    payload: float | Payload
    name: str
    loop: ControlLoop | None


@dataclass(frozen=True, repr=False)
class Arm:
    """A planar arm of revolute joints. Frozen; change one with `replace` or `with_payload`.

    Make one with `Arm.rods`, `Arm.point_masses` or `Arm.of`, `ulna.load` or `ulna.preset`.
    Joint angles are relative and counter-clockwise, the first from the x axis; gravity is a
    vector, straight down unless given.

    Parameters
    ----------
    links : sequence of Link
        The links from the base to the tip, n of them.
    joints : sequence of Joint
        The joints at their proximal ends, n of them.
    gravity : (float, float), optional
        Acceleration of gravity, x and y [m/s²].
    base : (float, float), optional
        Position of the first joint, x and y [m].
    payload : Payload or float, optional
        The load at the tip; a number is its mass [kg].
    name : str, optional
        How reports and files call the arm.
    loop : ControlLoop, optional
        Control rate, sensors and actuators as they are, which simulations use where they are given
        no others.

    Attributes
    ----------
    parameters : Parameters
        The same as plain arrays, which kinematics and dynamics read; read-only.

    Raises
    ------
    InputError
        With everything that is wrong with the numbers, at once.

    Examples
    --------
    >>> arm = Arm.rods([0.5, 0.5], [1.0, 10.0])
    >>> arm.n, arm.reach, arm.mass
    (2, 1.0, 11.0)
    """

    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    gravity: tuple[float, float] = EARTH
    base: tuple[float, float] = (0.0, 0.0)
    payload: Payload = Payload()  # noqa: RUF009 - a frozen value
    name: str = ""
    loop: ControlLoop | None = None
    parameters: Parameters = field(init=False, compare=False)

    def __post_init__(self) -> None:
        checks = Problems()
        values: dict[str, Any] = {
            "links": read_parts(checks, "links", self.links, Link),
            "joints": read_parts(checks, "joints", self.joints, Joint),
            "gravity": checks.pair("gravity", self.gravity, "m/s²", _GRAVITY_HINT),
            "base": checks.pair("base", self.base, "m"),
            "payload": read_payload(checks, self.payload),
        }
        checks.one_line("name", self.name)
        _check_loop(checks, self.loop, len(values["joints"]))
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
        gravity: Sequence[float] | SupportsArray = EARTH,
        base: Sequence[float] | SupportsArray = (0.0, 0.0),
        payload: float | Payload = 0.0,
        name: str = "",
        loop: ControlLoop | None = None,
    ) -> Arm:
        """Make an arm of given links and joints.

        Parameters
        ----------
        links : iterable of Link
            The links from the base to the tip, at least one.
        joints : iterable of Joint, optional
            One a link; free joints unless given.
        gravity : array_like, shape (2,)
            Gravity x, y [m/s²]; straight down unless given.
        base : array_like, shape (2,)
            Position x, y [m] of the first joint.
        payload : float or Payload
            What the tip carries: a mass [kg], or a `Payload`.
        name : str
            What messages, pictures and files call the arm.
        loop : ControlLoop, optional
            Control rate, sensors and actuators as they are.

        Returns
        -------
        Arm
            An arm of n links. Of an inertia that no body has it is warned.

        Raises
        ------
        InputError
            With every value that no arm has.

        Examples
        --------
        >>> Arm.of([Link(0.5, 1.0), Link(0.4, 0.8)], [Joint(), Joint(damping=0.1)]).n
        2
        """
        checks = Problems()
        links = checks.sequence("links", links, "a list of Link")
        checks.raise_if_any()
        joints = tuple(Joint() for _ in links) if joints is None else joints
        arm = cls(links, joints, gravity, base, payload, name, loop)  # type: ignore[arg-type]
        for number, link in enumerate(links, 1):
            for doubt in doubts(link):
                warn(str(doubt.within(f"link.{number}")))
        return arm

    @classmethod
    def rods(
        cls,
        lengths: Sequence[float] | SupportsArray,
        masses: Sequence[float] | SupportsArray,
        *,
        joints: Iterable[Joint] | None = None,
        gravity: Sequence[float] | SupportsArray = EARTH,
        base: Sequence[float] | SupportsArray = (0.0, 0.0),
        payload: float | Payload = 0.0,
        name: str = "",
        loop: ControlLoop | None = None,
    ) -> Arm:
        """Make an arm of uniform rods.

        Parameters
        ----------
        lengths : array_like, shape (n,)
            Lengths of the links [m].
        masses : array_like, shape (n,)
            Masses of the links [kg].
        joints : iterable of Joint, optional
            One a link; free joints unless given.
        gravity : array_like, shape (2,)
            Gravity x, y [m/s²]; straight down unless given.
        base : array_like, shape (2,)
            Position x, y [m] of the first joint.
        payload : float or Payload
            What the tip carries: a mass [kg], or a `Payload`.
        name : str
            What messages, pictures and files call the arm.
        loop : ControlLoop, optional
            Control rate, sensors and actuators as they are.

        Returns
        -------
        Arm
            An arm of n links.

        Raises
        ------
        InputError
            With every value that no arm has.

        Examples
        --------
        >>> Arm.rods([0.5, 0.5], [1.0, 10.0]).reach
        1.0
        """
        links = read_each(lengths, masses, Link)
        return cls.of(
            links, joints, gravity=gravity, base=base, payload=payload, name=name, loop=loop
        )

    @classmethod
    def point_masses(
        cls,
        lengths: Sequence[float] | SupportsArray,
        masses: Sequence[float] | SupportsArray,
        *,
        joints: Iterable[Joint] | None = None,
        gravity: Sequence[float] | SupportsArray = EARTH,
        base: Sequence[float] | SupportsArray = (0.0, 0.0),
        payload: float | Payload = 0.0,
        name: str = "",
        loop: ControlLoop | None = None,
    ) -> Arm:
        """Make an arm of massless links with a point mass at each one's distal end.

        Parameters
        ----------
        lengths : array_like, shape (n,)
            Lengths of the links [m].
        masses : array_like, shape (n,)
            Masses [kg], each at the distal end of its link.
        joints : iterable of Joint, optional
            One a link; free joints unless given.
        gravity : array_like, shape (2,)
            Gravity x, y [m/s²]; straight down unless given.
        base : array_like, shape (2,)
            Position x, y [m] of the first joint.
        payload : float or Payload
            What the tip carries: a mass [kg], or a `Payload`.
        name : str
            What messages, pictures and files call the arm.
        loop : ControlLoop, optional
            Control rate, sensors and actuators as they are.

        Returns
        -------
        Arm
            An arm of n links.

        Raises
        ------
        InputError
            With every value that no arm has.

        Examples
        --------
        >>> Arm.point_masses([1.0, 1.0], [2.0, 1.0]).mass
        3.0
        """

        def point(length: float, mass: float) -> Link:
            return dataclasses.replace(Link(length, mass), com=length, inertia=0.0)

        links = read_each(lengths, masses, point)
        return cls.of(
            links, joints, gravity=gravity, base=base, payload=payload, name=name, loop=loop
        )

    @cached_property
    def n(self) -> int:
        """The number of joints, which is that of links."""
        return len(self.links)

    @cached_property
    def _kernels(self) -> dict[str, Any]:
        """What is kept for calls of one state (`ulna.arrays.one_state`)."""
        return {}

    @property
    def lengths(self) -> Array:
        """The lengths (n,) of the links [m]; read-only."""
        return self.parameters.length

    @property
    def masses(self) -> Array:
        """The masses (n,) of the links [kg], without point masses and payload; read-only."""
        return self.parameters.mass

    @property
    def reach(self) -> float:
        """The distance [m] from the base to the tip of the straight arm."""
        return sum(link.length for link in self.links)

    @property
    def mass(self) -> float:
        """The mass [kg] of links, point masses and payload together."""
        return float(np.sum(self.parameters.mass) + np.sum(self.parameters.tip_mass))

    @cached_property
    def has_friction(self) -> bool:
        """Whether any joint has dry friction or drag."""
        return bool(self.parameters.static.any() or self.parameters.drag.any())

    @cached_property
    def has_motors(self) -> bool:
        """Whether any joint has a motor that is not ideal."""
        return any(not isinstance(joint.motor, IdealMotor | None) for joint in self.joints)

    def to_toml(self) -> str:
        """Return the text of a robot file, which `Arm.from_toml` reads back as an equal arm.

        Returns
        -------
        str
            The text.
        """
        from ulna.arm.robot_files import dumps

        return dumps(self)

    @staticmethod
    def from_toml(text: str) -> Arm:
        r"""Return the arm that the text of a robot file describes.

        Parameters
        ----------
        text : str
            The text; `ulna.load` reads it from a file.

        Returns
        -------
        Arm
            The arm.

        Raises
        ------
        InputError
            With every problem of the text at once.

        Examples
        --------
        >>> Arm.from_toml("format = 1\n[[link]]\nlength = '25 cm'\nmass = 0.5\n").reach
        0.25
        """
        from ulna.arm.robot_files import parse

        return parse(text)[0]

    def replace(self, **changes: Unpack[ArmFields]) -> Arm:
        """Return an arm that differs in the named fields.

        Parameters
        ----------
        **changes : ArmFields
            The fields of an `Arm`, as `Arm.of` takes them: links, joints, gravity, base, payload,
            name, loop.

        Returns
        -------
        Arm
            Only what is named changes: a link that is made longer keeps its centre of mass.

        Raises
        ------
        InputError
            If there is no such field, or a value is not one of it.

        Examples
        --------
        >>> Arm.rods([1.0], [1.0]).replace(gravity=(0.0, -1.62)).gravity
        (0.0, -1.62)
        """
        known = [f.name for f in dataclasses.fields(self) if f.init]
        checks = Problems()
        for name in changes.keys() - set(known):
            checks.add("replace", shown(name), "one of " + ", ".join(known))
        checks.raise_if_any()
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]

    def with_payload(self, payload: float | Payload) -> Arm:
        """Return the same arm with another load at its tip.

        Parameters
        ----------
        payload : float or Payload
            A mass [kg], or a mass with an inertia about the tip.

        Returns
        -------
        Arm
            The arm with that load in place of its own.

        Raises
        ------
        InputError
            If it is not a finite mass of at least 0.

        Examples
        --------
        >>> Arm.rods([1.0], [1.0]).with_payload(0.5).mass
        1.5
        """
        return self.replace(payload=payload)

    def with_motors(self, motors: MotorLike | Sequence[MotorLike]) -> Arm:
        """Return the same arm turned by other motors.

        Parameters
        ----------
        motors : motor or str, or a sequence of them
            One for all joints or one a joint, from the base to the tip: a motor such as
            `ulna.Motor`, a name of the catalogue, or None for an ideal one.

        Returns
        -------
        Arm
            The arm with those motors in place of its own. Masses and limits stay as they are.

        Raises
        ------
        InputError
            If there is no motor of a name, or there are not as many as joints.

        Examples
        --------
        >>> Arm.rods([0.2, 0.2], [0.3, 0.2]).with_motors("tower-pro-sg90").joints[1].motor.name
        'tower-pro-sg90'
        """
        pairs = zip(self.joints, read_motors(motors, self.n), strict=True)
        return self.replace(joints=[replace(one, motor=own) for one, own in pairs])

    def without_friction(self, *, keep_drag: bool = False) -> Arm:
        """Return the smooth part of the arm: the same one without dry friction.

        At rest dry friction has no derivative. What is linear by intent, as the design of gains and
        the growth of small errors, is computed of this part.

        Parameters
        ----------
        keep_drag : bool, optional
            Whether drag, which is smooth, stays; viscous damping does in any case.

        Returns
        -------
        Arm
            The arm, with joints that have no `Friction`, or one of drag alone.

        Examples
        --------
        >>> import ulna
        >>> ulna.preset("dfki-double-pendulum").without_friction().has_friction
        False
        """
        return _smooth(self, keep_drag) if self.has_friction else self

    def __repr__(self) -> str:
        return summary(self)

    def _repr_html_(self) -> str:
        return sketch_html(self)


@lru_cache(maxsize=64)
def _smooth(arm: Arm, keep_drag: bool) -> Arm:
    drags = arm.parameters.drag.tolist() if keep_drag else [0.0] * arm.n
    frictions = [Friction(drag=drag) if drag else None for drag in drags]
    joints = zip(arm.joints, frictions, strict=True)
    pairs = ((one, own, without_motor_friction(one.motor)) for one, own in joints)
    return arm.replace(joints=[replace(one, friction=own, motor=free) for one, own, free in pairs])


def _check_counts(checks: Problems, links: int, joints: int) -> None:
    if any(problem.what in ("links", "joints") for problem in checks.found):
        return
    if links == 0:
        checks.add("links", "none", "at least one link")
    elif joints != links:
        checks.add("joints", f"{joints} joints", f"one a link, that is {links}")


def _check_loop(checks: Problems, loop: Any, joints: int) -> None:
    if isinstance(loop, ControlLoop):
        with checks.gather():
            check_for_joints(loop, joints)
    elif loop is not None:
        checks.add("loop", shown(loop), "a ControlLoop, or None", "such as ControlLoop(rate=250.0)")
