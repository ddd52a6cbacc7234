"""The dynamics as a matrix of the motion times a vector of the arm: τ = Y(q, q̇, q̈) π.

The torques are linear in the masses and their moments, in damping and in rotor inertia. A point
mass at the end of a link counts as part of the link. Lengths, gear ratios and gravity are taken
as known; dry friction and drag are left out. π lists, for all links in a row, one quantity after
the other:

    mass                m + p                        [kg]
    first_moment        m c + p l                    [kg·m]       along the link
    offset_moment       m d                          [kg·m]       to its left
    second_moment       I + m (c² + d²) + p l²       [kg·m²]      about its near joint
    damping             b                            [N·m·s/rad]
    rotor_inertia       J                            [kg·m²]      on the motor side of the gear

Not every entry shows in the torques: the first link's mass never does.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ulna.angles import relative_to_absolute
from ulna.arm import Arm, Parameters
from ulna.arrays import Array, running_sum, tail_sum
from ulna.dynamics.packed import link_moments
from ulna.kinematics.forward_kinematics import joint_array, prepared
from ulna.kinematics.forward_kinematics import kinematic_chain as laid_out

QUANTITIES = (
    "mass",
    "first_moment",
    "offset_moment",
    "second_moment",
    "damping",
    "rotor_inertia",
)


def parameter_names(arm: Arm | Parameters) -> tuple[str, ...]:
    """Return the names of the entries of `parameter_vector`.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm, or a batch of arms with shapes (..., n).

    Returns
    -------
    tuple of str
        "mass.1" to "rotor_inertia.n", 6n of them.

    Raises
    ------
    InputError
        If it is no arm.

    Examples
    --------
    >>> import ulna
    >>> parameter_names(ulna.preset("unit"))[:4]
    ('mass.1', 'mass.2', 'first_moment.1', 'first_moment.2')
    """
    _, p = prepared(arm)
    return tuple(f"{quantity}.{link + 1}" for quantity in QUANTITIES for link in range(p.n))


def parameter_vector(arm: Arm | Parameters) -> Array:
    """Return the inertial parameters π: regressor(…) @ π are the torques, less `friction_torque`.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm, or a batch of arms with shapes (..., n).

    Returns
    -------
    array, shape (..., 6n)
        All masses, then all first moments and so on, as `parameter_names` names them.

    Raises
    ------
    InputError
        If it is no arm.

    Examples
    --------
    >>> import ulna
    >>> parameter_vector(ulna.Arm.rods([1.0], [3.0])).tolist()
    [3.0, 1.5, 0.0, 1.0, 0.0, 0.0]
    """
    xp, p = prepared(arm)
    moments = link_moments(p.length, p.mass, p.com, p.com_offset, p.inertia, p.tip_mass)
    parts = (*moments, p.damping, p.rotor_inertia)
    return xp.concat(list(xp.broadcast_arrays(*parts)), axis=-1)


def regressor(
    arm: Arm | Parameters, q: Array, qd: Array, qdd: Array, *, qd_ref: Array | None = None
) -> Array:
    """Return the regressor Y with Y π = M q̈ + C q̇ + G + b q̇, dry friction and drag left out.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm, or a batch of arms with shapes (..., n); its masses do not
        enter.
    q : array_like, shape (..., n)
        Joint angles [rad].
    qd : array_like, shape (..., n)
        Joint rates [rad/s].
    qdd : array_like, shape (..., n)
        Joint accelerations [rad/s²].
    qd_ref : array_like, shape (..., n), optional
        For adaptive control, a reference rate [rad/s] whose derivative is qdd: then
        Y π = M q̈_r + C(q, q̇) q̇_r + G + b q̇_r, with C by Christoffel symbols.

    Returns
    -------
    array, shape (..., n, 6n)
        Y, a column for every entry of `parameter_vector`.

    Raises
    ------
    InputError
        If a shape does not fit, or a value is not a number.

    Examples
    --------
    >>> import ulna
    >>> rod = ulna.Arm.rods([1.0], [3.0], gravity=(0.0, -10.0))
    >>> Y = regressor(rod, [0.0], [0.0], [2.0])
    >>> (Y @ parameter_vector(rod)).tolist()  # (m l²/3) q̈ + m g l/2
    [17.0]
    """
    m = _motion(arm, q, qd, qdd, qd if qd_ref is None else qd_ref)
    parts = (_mass(m), _first_moment(m), _offset_moment(m), _second_moment(m), _damping(m))
    parts = m.xp.broadcast_arrays(*parts, _rotor(m))
    return m.xp.concat(list(parts), axis=-1)


class _Motion(NamedTuple):
    xp: Any
    parameters: Parameters
    cos: Array
    sin: Array
    phidd: Array  # φ̈_r of the links
    spin: Array  # φ̇ φ̇_r of the links
    ax: Array  # of each near joint, less gravity
    ay: Array
    qd: Array
    qdd: Array


def _motion(arm: Arm | Parameters, q: Array, qd: Array, qdd: Array, qd_ref: Array) -> _Motion:
    c = laid_out(arm, q, qd, qdd, qd_ref)
    xp, p = c.xp, c.parameters
    rate, qdd, qd_ref = (
        joint_array(xp, p, values, name)
        for values, name in ((qd, "qd"), (qdd, "qdd"), (qd_ref, "qd_ref"))
    )
    phidd = relative_to_absolute(qdd)
    spin = relative_to_absolute(rate) * relative_to_absolute(qd_ref)
    cos, sin = xp.cos(c.phi), xp.sin(c.phi)
    steps_x = p.length * (-sin * phidd - cos * spin)
    steps_y = p.length * (cos * phidd - sin * spin)
    ax = running_sum(xp, steps_x, from_zero=True)[..., :-1] - p.gravity[..., 0:1]
    ay = running_sum(xp, steps_y, from_zero=True)[..., :-1] - p.gravity[..., 1:2]
    return _Motion(xp, p, cos, sin, phidd, spin, ax, ay, qd_ref, qdd)


def _beyond(m: _Motion, fx: Array, fy: Array) -> Array:
    """Return what forces (…, n), one on each near joint, ask of the links before it (…, n, n)."""
    length = m.parameters.length
    x, y = -length * m.sin, length * m.cos
    return m.xp.triu(x[..., :, None] * fx[..., None, :] + y[..., :, None] * fy[..., None, :], k=1)


def _joints(m: _Motion, links: Array) -> Array:
    """Turn rows that belong to link angles into rows of joints."""
    return m.xp.matrix_transpose(tail_sum(m.xp, m.xp.matrix_transpose(links)))


def _unit(m: _Motion) -> Array:
    return m.xp.eye(m.parameters.n, dtype=m.cos.dtype)


def _mass(m: _Motion) -> Array:
    return _joints(m, _beyond(m, m.ax, m.ay))


def _first_moment(m: _Motion) -> Array:
    fx, fy = -m.sin * m.phidd - m.cos * m.spin, m.cos * m.phidd - m.sin * m.spin
    own = m.cos * m.ay - m.sin * m.ax
    return _joints(m, _beyond(m, fx, fy) + own[..., None] * _unit(m))


def _offset_moment(m: _Motion) -> Array:
    fx, fy = -m.cos * m.phidd + m.sin * m.spin, -m.sin * m.phidd - m.cos * m.spin
    own = -m.cos * m.ax - m.sin * m.ay
    return _joints(m, _beyond(m, fx, fy) + own[..., None] * _unit(m))


def _second_moment(m: _Motion) -> Array:
    return _joints(m, m.phidd[..., None] * _unit(m))


def _damping(m: _Motion) -> Array:
    return m.qd[..., None] * _unit(m)


def _rotor(m: _Motion) -> Array:
    """Return the columns of the rotors: the links that carry one feel it, and N times its joint."""
    xp, ratio = m.xp, m.parameters.gear_ratio
    spin_up = m.phidd - m.qdd + ratio * m.qdd
    unit = _unit(m)
    carriers = xp.triu(xp.ones_like(unit), k=1)
    return (carriers + ratio[..., None] * unit) * spin_up[..., None, :]
