"""The arm as plain arrays: what the formulas of kinematics and dynamics read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ulna.arm.not_modelled import warn_unmodelled
from ulna.arrays import Array, namespace, to_float
from ulna.errors import InputError, Problem, shown

if TYPE_CHECKING:
    from ulna.arm.planar_arm import Arm


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
    rotor_inertia : array, shape (..., n)
        Inertias of the rotors, on the motor side of the gears [kg·m²].
    gear_ratio : array, shape (..., n)
        Turns of the motors per turn of the joints.
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
        A batch, with shapes (B, n).

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
    members = [parameters_of(arm) for arm in given]
    if not members:
        raise InputError(Problem("stack", "no arms", "at least one arm"))
    counts = sorted({member.n for member in members})
    if len(counts) > 1:
        need = "arms with the same number of links"
        raise InputError(Problem("stack", f"arms with {counts} links", need, "stack each n apart"))
    warn_unmodelled(*given)
    columns = zip(*members, strict=True)
    return Parameters(*(_stacked(column) for column in columns))


def _stacked(column: tuple[Array, ...]) -> Array:
    xp = namespace(*column)
    return xp.stack([to_float(xp, entry) for entry in column])


def parameters_from(arm: Arm) -> Parameters:
    """Return an arm's numbers as read-only arrays."""
    links, joints, payload = arm.links, arm.joints, arm.payload
    at_tip = np.zeros(len(links))
    at_tip[-1] = 1.0
    arrays = Parameters(
        length=np.array([link.length for link in links]),
        mass=np.array([link.mass for link in links]),
        com=np.array([link.com for link in links]),
        com_offset=np.array([link.com_offset for link in links]),
        inertia=np.array([link.inertia for link in links]) + at_tip * payload.inertia,
        tip_mass=np.array([link.tip_mass for link in links]) + at_tip * payload.mass,
        damping=np.array([joint.damping for joint in joints]),
        rotor_inertia=np.array([joint.rotor_inertia for joint in joints]),
        gear_ratio=np.array([joint.gear_ratio for joint in joints]),
        lower=np.array([joint.lower for joint in joints]),
        upper=np.array([joint.upper for joint in joints]),
        max_velocity=np.array([joint.max_velocity for joint in joints]),
        max_torque=np.array([joint.max_torque for joint in joints]),
        gravity=np.array(arm.gravity),
        base=np.array(arm.base),
    )
    for array in arrays:
        array.flags.writeable = False
    return arrays
