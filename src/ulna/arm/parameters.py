"""The arm as plain arrays: what the formulas of kinematics and dynamics read, and joint limits.

Can the arm move without moving any mass? Then its mass matrix is singular in some pose. A hollow
link, with neither mass nor inertia, turns for nothing unless what follows holds its end. One walk
from the base decides it for every pose at once: the worst pose is the one in which the velocities
line up.

Parameters hold what motors add to the dynamics: gears, rotors and friction. Whoever computes with
them alone, where a motor's limits would matter, warns by what is here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ulna.angles import wrap
from ulna.arm.components import FRICTION, JOINT, LINK, Friction, Joint
from ulna.arm.motors import AnyMotor, IdealMotor, motor_friction
from ulna.arrays import Array, Floats, freeze, namespace, to_float
from ulna.errors import InputError, Problem, Problems, shown, warn

if TYPE_CHECKING:
    from ulna.arm.planar_arm import Arm

SLACK = 1e-10  # [rad] by which rounding, of a nearly straight elbow say, may miss a limit
FRICTIONLESS = Friction()
VANISHING = 1e-250  # [kg·m²] of an inertia about a joint that arithmetic loses


class Parameters(NamedTuple):
    """The numbers of an arm, one array a quantity, without validation.

    Being a NamedTuple of arrays it is a pytree, so that JAX can trace and differentiate it.
    Leading axes are a batch of arms.

    Parameters
    ----------
    length : array, shape (..., n)
        Lengths of the links [m].
    mass : array, shape (..., n)
        Masses of the links [kg].
    com : array, shape (..., n)
        Distances of the centres of mass along the links [m].
    com_offset : array, shape (..., n)
        Distances of the centres of mass to the left of the links [m].
    inertia : array, shape (..., n)
        Inertias about the centres of mass [kg·m²]; the last includes the payload's.
    tip_mass : array, shape (..., n)
        Point masses at the distal ends [kg]; the last includes the payload.
    damping : array, shape (..., n)
        Viscous damping of the joints [N·m·s/rad].
    coulomb : array, shape (..., n)
        Coulomb friction of the joints [N·m]: what resists one that turns.
    static : array, shape (..., n)
        Static friction of the joints [N·m]: what holds one at rest. An `Arm` has as much of it as
        of Coulomb friction at least; where these numbers say less, friction grows with the rate.
    stribeck_velocity : array, shape (..., n)
        Rates over which static friction falls to Coulomb friction [rad/s].
    drag : array, shape (..., n)
        Quadratic drag of the joints [N·m·s²/rad²].
    rotor_inertia : array, shape (..., n)
        Inertias of the rotors, on the motor side of the gears [kg·m²], those of motors included.
    gear_ratio : array, shape (..., n)
        Turns of the motors per turn of the joints, their own gears included.
    lower : array, shape (..., n)
        Lower limits of the joints [rad].
    upper : array, shape (..., n)
        Upper limits of the joints [rad].
    max_velocity : array, shape (..., n)
        Limits of the joints' rates [rad/s].
    max_torque : array, shape (..., n)
        Limits of the joints' torques [N·m].
    gravity : array, shape (..., 2)
        Acceleration of gravity, x and y [m/s²].
    base : array, shape (..., 2)
        Position of the first joint, x and y [m].
    """

    length: Array
    mass: Array
    com: Array
    com_offset: Array
    inertia: Array
    tip_mass: Array
    damping: Array
    coulomb: Array
    static: Array
    stribeck_velocity: Array
    drag: Array
    rotor_inertia: Array
    gear_ratio: Array
    lower: Array
    upper: Array
    max_velocity: Array
    max_torque: Array
    gravity: Array
    base: Array

    @property
    def n(self) -> int:
        """The number of joints, which is that of links."""
        return int(self.length.shape[-1])

    def per_sample(self) -> Parameters:
        """Return the arms with a new axis before the last, to meet several samples of each.

        Returns
        -------
        parameters : Parameters
            With shapes (..., 1, n).
        """
        return Parameters(*(value[..., None, :] for value in self))

    def rows(self, chosen: Array) -> Parameters:
        """Return the chosen members of a flat batch of arms.

        Parameters
        ----------
        chosen : array of int or bool, or slice
            Which members, as NumPy indexes the first axis.

        Returns
        -------
        parameters : Parameters
            With shapes (k, n).
        """
        return Parameters(*(value[chosen] for value in self))

    def without_friction(self, *, keep_drag: bool = False) -> Parameters:
        """Return the same arms without dry friction.

        Parameters
        ----------
        keep_drag : bool, optional
            Whether drag, which is smooth, stays; viscous damping does in any case.

        Returns
        -------
        parameters : Parameters
            With zeros for Coulomb and static friction, and for drag.
        """
        none = 0.0 * self.static
        return self._replace(coulomb=none, static=none, drag=self.drag if keep_drag else none)


def parameters_of(arm: Arm | Parameters) -> Parameters:
    """Return the arrays of an arm.

    Parameters
    ----------
    arm : Arm or Parameters
        An arm; parameters come back as they are.

    Returns
    -------
    parameters : Parameters
        What kinematics and dynamics read.

    Raises
    ------
    InputError
        If it is neither.

    Examples
    --------
    >>> import ulna
    >>> parameters_of(ulna.Arm.rods([1.0, 0.5], [2.0, 1.0])).com.tolist()  # halfway along
    [0.5, 0.25]
    """
    if isinstance(arm, Parameters):
        return arm
    try:
        return arm.parameters
    except AttributeError:
        raise InputError(Problem("arm", shown(arm), "an Arm or Parameters")) from None


def stack(arms: Iterable[Arm | Parameters]) -> Parameters:
    """Stack arms with the same number of links: every array gains a leading axis.

    Parameters
    ----------
    arms : iterable of Arm or Parameters
        At least one, all with n links.

    Returns
    -------
    parameters : Parameters
        A batch, with shapes (B, n). Of motors it has gears, rotors and friction; that their limits
        are left out is warned of.

    Raises
    ------
    InputError
        If there are none, or their numbers of links differ.

    Examples
    --------
    >>> import ulna
    >>> stack([ulna.preset("kehl"), ulna.preset("unit")]).length.shape
    (2, 2)
    """
    given = list(arms)
    stacked = stack_parameters(given)
    warn_motors_left_out(given, "Parameters hold none; simulate_batch takes the list of arms")
    return stacked


def stack_parameters(given: Sequence[Arm | Parameters]) -> Parameters:
    """Stack arms whose motors are looked after elsewhere."""
    members = [parameters_of(arm) for arm in given]
    if not members:
        raise InputError(Problem("stack", "no arms", "at least one arm"))
    counts = sorted({member.n for member in members})
    if len(counts) > 1:
        need = "arms with the same number of links"
        raise InputError(Problem("stack", f"arms with {counts} links", need, "stack each n apart"))
    columns = zip(*members, strict=True)
    return Parameters(*(_stacked(column) for column in columns))


def _stacked(column: tuple[Array, ...]) -> Array:
    xp = namespace(*column)
    return xp.stack([to_float(xp, entry) for entry in column])


def parameters_from(arm: Arm) -> Parameters:
    """Return an arm's numbers as read-only arrays."""
    of_links = {name: np.array([getattr(link, name) for link in arm.links]) for name in LINK}
    of_joints = {name: np.array([getattr(joint, name) for joint in arm.joints]) for name in JOINT}
    frictions = [joint.friction or FRICTIONLESS for joint in arm.joints]
    of_joints |= {name: np.array([getattr(one, name) for one in frictions]) for name in FRICTION}
    for joint, part in enumerate(arm.joints):
        if part.motor is not None:
            _add_motor(of_joints, joint, part.motor)
    of_links["inertia"][-1] += arm.payload.inertia
    of_links["tip_mass"][-1] += arm.payload.mass
    arrays = Parameters(
        **of_links, **of_joints, gravity=np.array(arm.gravity), base=np.array(arm.base)
    )
    freeze(*arrays)
    return arrays


def _add_motor(of_joints: dict[str, Floats], joint: int, motor: AnyMotor) -> None:
    """Add what a motor is to the dynamics: gear, rotor, and the friction of its bearings."""
    for name in ("coulomb", "static"):
        of_joints[name][joint] += motor_friction(motor) * abs(of_joints["gear_ratio"][joint])
    of_joints["gear_ratio"][joint] *= motor.gear_ratio
    if getattr(motor, "backlash", None) is None:
        of_joints["rotor_inertia"][joint] += motor.rotor_inertia
    else:
        of_joints["rotor_inertia"][joint] = 0.0  # it moves by itself


def window_middle(parameters: Parameters) -> Floats:
    """Return the middle (…, n) of the turn in which each joint's angles are written.

    A joint with two limits is written around their middle, one with a single limit inside it,
    and a free one around zero.
    """
    lower, upper = parameters.lower, parameters.upper
    has_lower, has_upper = np.isfinite(lower), np.isfinite(upper)
    low, high = np.where(has_lower, lower, 0.0), np.where(has_upper, upper, 0.0)
    one_sided = np.where(has_lower, low + np.pi, np.where(has_upper, high - np.pi, 0.0))
    return np.where(has_lower & has_upper, 0.5 * (low + high), one_sided)


def into_window(parameters: Parameters, q: Floats) -> Floats:
    """Wrap angles (…, n) into the turn around the middle of each joint's range."""
    return np.asarray(wrap(q, window_middle(parameters)))


def allowed(parameters: Parameters, q: Floats) -> NDArray[np.bool_]:
    """Return for each joint (…, n) whether its angle lies within its limits."""
    return np.asarray((q >= parameters.lower - SLACK) & (q <= parameters.upper + SLACK))


def are_limited(parameters: Parameters) -> bool:
    """Whether any joint of any arm has a limit."""
    return bool(np.isfinite(parameters.lower).any() or np.isfinite(parameters.upper).any())


class _Next(Enum):
    HELD = auto()  # no rate so far can be other than zero
    LOOSE = auto()  # one link may turn, its end moving
    LOST = auto()  # rates found that move no mass


def check_mobility(checks: Problems, parameters: Parameters) -> None:
    """Note the links whose motion no mass, inertia or rotor feels."""
    _check_sizes(checks, parameters)
    state, hollow = _Next.HELD, 0
    for link in range(parameters.n):
        before = state
        state = _step(parameters, link, state)
        if before is _Next.HELD and state is _Next.LOOSE:
            hollow = link
        if state is _Next.LOST:
            _blame(checks, parameters, hollow)
            # What lies beyond is judged as if the hollow link were mended.
            state = _Next.HELD
    if state is _Next.LOOSE:
        _blame(checks, parameters, hollow)


def _step(p: Parameters, link: int, state: _Next) -> _Next:
    """Go past one link: from what may move at its near joint to what may at its far one."""
    masses = _points(p, link)
    if state is _Next.HELD:
        return _Next.HELD if _feels(p, link) else _Next.LOOSE
    geared = p.rotor_inertia[link] > 0 and p.gear_ratio[link] != 1.0
    if geared:
        # A geared rotor ties this link's rate to the loose one's, and some lengths then agree.
        return _Next.LOST
    if p.inertia[link] > 0 or p.rotor_inertia[link] > 0:
        return _Next.HELD if masses else _Next.LOOSE
    if len(masses) > 1:
        return _Next.HELD
    # One mass stays at rest if the link turns about it; at the far joint that ends the motion.
    far = complex(p.length[link], 0.0)
    return _Next.LOOSE if masses and far not in masses else _Next.LOST


def _feels(p: Parameters, link: int) -> bool:
    """Return whether turning the link alone about its near joint moves any mass."""
    swings = any(point != 0 for point in _points(p, link))
    return bool(swings or p.inertia[link] > 0 or p.rotor_inertia[link] > 0)


def _points(p: Parameters, link: int) -> set[complex]:
    """Return where the link has mass, as complex numbers from its near joint."""
    points = set()
    if p.mass[link] > 0:
        points.add(complex(p.com[link], p.com_offset[link]))
    if p.tip_mass[link] > 0:
        points.add(complex(p.length[link], 0.0))
    return points


def _blame(checks: Problems, p: Parameters, link: int) -> None:
    need = "mass, inertia or a tip mass, so that the mass matrix is positive definite"
    checks.add(f"link.{link + 1}.mass", f"{p.mass[link]:g} kg", need)


def _check_sizes(checks: Problems, p: Parameters) -> None:
    """Note sizes so large or so small that floating point loses the mass matrix."""
    with np.errstate(over="ignore", under="ignore"):
        hung = np.cumsum((p.mass + p.tip_mass)[::-1])[::-1] - p.mass
        gear = np.where(p.rotor_inertia > 0.0, p.gear_ratio, 0.0)
        own = p.inertia + p.mass * (p.com**2 + p.com_offset**2) + p.rotor_inertia * gear**2
        about_joint = own + hung * p.length**2
        extent = np.sum(p.length) ** 2 * np.sum(p.mass + p.tip_mass)
    for link in map(int, np.flatnonzero(~np.isfinite(about_joint) | (about_joint < VANISHING))):
        if not (_feels(p, link) or hung[link] > 0.0):
            continue  # a hollow link, judged by the walk
        got = f"{p.length[link]:g} m and {p.mass[link]:g} kg"
        checks.add(f"link.{link + 1}", got, "sizes that arithmetic can hold", "check the units")
    if not checks.found and not math.isfinite(extent):
        checks.add("links", f"a reach of {np.sum(p.length):g} m", "sizes that arithmetic can hold")


def with_ideal_motors(arm: Arm) -> Arm:
    """Return an arm whose motors have no limits, with the gears, rotors and friction of its own.

    Parameters
    ----------
    arm : Arm
        An arm, with motors or without.

    Returns
    -------
    Arm
        One of the same `Parameters`, whose joints have no motors.

    Examples
    --------
    >>> import ulna
    >>> driven = ulna.Arm.rods([0.2], [0.3]).with_motors("feetech-sts3215-12v")
    >>> with_ideal_motors(driven).joints[0].gear_ratio
    345.0
    """
    if all(joint.motor is None for joint in arm.joints):
        return arm
    p = arm.parameters
    dry = np.stack([p.coulomb, p.static, p.stribeck_velocity, p.drag], axis=-1).tolist()
    rows = zip(arm.joints, dry, p.rotor_inertia.tolist(), p.gear_ratio.tolist(), strict=True)
    joints = (
        replace(
            joint,
            motor=None,
            friction=Friction(*numbers) if joint.friction or numbers[1] else None,
            rotor_inertia=rotor,
            gear_ratio=gear,
        )
        for joint, numbers, rotor, gear in rows
    )
    return arm.replace(joints=joints)


def warn_motors_left_out(arms: Iterable[Arm | Parameters], reason: str) -> None:
    """Warn that motors of these arms are left out but for gears, rotors and friction.

    Parameters
    ----------
    arms : iterable of Arm or Parameters
        The arms as they were described.
    reason : str
        Why, and what to do instead.

    Examples
    --------
    >>> import warnings, ulna
    >>> driven = ulna.Arm.rods([0.2], [0.3]).with_motors("tower-pro-sg90")
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_motors_left_out([driven], "a table of masses has none")
    >>> print(caught[0].message)
    limits of motors (joint 1) are left out: a table of masses has none
    """
    sentences = {
        f"limits of motors ({_listed(joints)}) are left out: {reason}"
        for joints in map(_with_motors, arms)
        if joints
    }
    if sentences:
        warn(*sorted(sentences))


def _with_motors(arm: Arm | Parameters) -> tuple[str, ...]:
    """Return the numbers of joints whose motors are not ideal."""
    joints: tuple[Joint, ...] = getattr(arm, "joints", ())
    return tuple(
        str(number)
        for number, joint in enumerate(joints, 1)
        if joint.motor is not None and not isinstance(joint.motor, IdealMotor)
    )


def _listed(numbers: Sequence[str]) -> str:
    if len(numbers) == 1:
        return f"joint {numbers[0]}"
    return f"joints {', '.join(numbers[:-1])} and {numbers[-1]}"
