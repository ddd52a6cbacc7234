"""Where everything is for given joint angles: joints, centres of mass, tip, and their frames."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ulna.angles import relative_to_absolute
from ulna.arm import Arm, Parameters, parameters_of
from ulna.arrays import Array, Evaluator, KernelCall, namespace, one_state, running_sum, to_float
from ulna.errors import InputError, Problem
from ulna.typing import AngleLike, ArrayLike


class Transforms(NamedTuple):
    """Homogeneous transforms along an arm.

    Attributes
    ----------
    steps : array, shape (..., n, 3, 3)
        H_1 … H_n, each a rotation by its joint and then a translation along its link; H_1 starts at
        the base.
    product : array, shape (..., 3, 3)
        H_1 H_2 ⋯ H_n, the frame of the tip.
    """

    steps: Array
    product: Array


class KinematicChain(NamedTuple):
    """The polyline of an arm, as coordinates apart: what every formula here starts from.

    Positions are relative to the base, so that a far-away base costs differences no digits.
    """

    xp: Any
    parameters: Parameters
    phi: Array  # (…, n) absolute link angles
    x: Array  # (…, n+1) of the joints and, last, of the tip
    y: Array


def kinematic_chain(arm: Arm | Parameters, q: AngleLike, *more: ArrayLike | None) -> KinematicChain:
    """Compute the polyline of an arm at joint angles q (…, n), in their array library."""
    xp, parameters = prepared(arm, q, *more)
    phi = relative_to_absolute(joint_array(xp, parameters, q, "q"))
    x = running_sum(xp, parameters.length * xp.cos(phi), from_zero=True)
    y = running_sum(xp, parameters.length * xp.sin(phi), from_zero=True)
    return KinematicChain(xp, parameters, phi, x, y)


def prepared(arm: Arm | Parameters, *values: Array) -> tuple[Any, Parameters]:
    """Return the array library of the inputs, and the arm's numbers as its arrays."""
    parameters = parameters_of(arm)
    xp = namespace(*parameters, *values)
    parameters = Parameters(*(to_float(xp, value) for value in parameters))
    _check_batches(parameters.length, *values)
    return xp, parameters


def _check_batches(*values: Array | None) -> None:
    """Raise if the leading axes of arrays do not broadcast."""
    arrays = [value for value in values if value is not None and hasattr(value, "shape")]
    shapes = [tuple(array.shape)[:-1] for array in arrays]
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        told = " and ".join(str(shape) for shape in dict.fromkeys(filter(None, shapes)))
        need = "equal ones, or of length 1"
        raise InputError(Problem("batch", f"leading axes {told}", need)) from None


def placed(c: KinematicChain, x: Array, y: Array) -> Array:
    """Return points (…, k, 2) in the plane from coordinates (…, k) relative to the base."""
    base = c.parameters.base
    return c.xp.stack([x + base[..., 0:1], y + base[..., 1:2]], axis=-1)


def joint_array(xp: Any, parameters: Parameters, values: Array, what: str) -> Array:
    """Return values (…, n), one a joint, as an array; raise if the last axis has another length."""
    values = to_float(xp, values)
    if values.ndim == 0 or values.shape[-1] != parameters.n:
        shape = "one number" if values.ndim == 0 else f"shape {tuple(values.shape)}"
        need = f"(..., {parameters.n}), one value a joint"
        raise InputError(Problem(what, shape, need))
    return values


def joints(arm: Arm | Parameters, q: AngleLike) -> Array:
    """Return the positions of the joints, from the base to the tip.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm; stacked Parameters have leading axes, which broadcast against those of the angles.
    q : array_like, shape (..., n)
        Joint angles [rad].

    Returns
    -------
    array, shape (..., n+1, 2)
        Positions x, y [m]: the base, every further joint and, last, the tip. An array of the
        library that `q` belongs to.

    Raises
    ------
    InputError
        If the last axis has not one value a joint, or leading axes do not broadcast.

    Examples
    --------
    >>> import numpy as np, ulna
    >>> arm = ulna.preset("unit")  # two links of 1 m
    >>> ulna.kinematics.joints(arm, [0.0, np.pi / 2]).round(6).tolist()
    [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]
    """
    c = kinematic_chain(arm, q)
    return placed(c, c.x, c.y)


def tip(arm: Arm | Parameters, q: AngleLike) -> Array:
    """Return position and orientation of the tip.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm; stacked Parameters have leading axes, which broadcast against those of the angles.
    q : array_like, shape (..., n)
        Joint angles [rad].

    Returns
    -------
    array, shape (..., 3)
        Position x, y [m] and angle of the last link from the x axis [rad], unwrapped: the sum of
        the joint angles. An array of the library that `q` belongs to.

    Raises
    ------
    InputError
        If the last axis has not one value a joint, or leading axes do not broadcast.

    Examples
    --------
    >>> import numpy as np, ulna
    >>> x, y, angle = tip(ulna.preset("unit"), np.radians([40, -60]))
    >>> round(float(x), 6), round(float(y), 6), round(float(np.degrees(angle)), 6)
    (1.705737, 0.300767, -20.0)
    """
    found = one_state(arm, posture_evaluator, "tip", q)
    return tip_by_formula(arm, q) if found is None else found


def tip_by_formula(arm: Arm | Parameters, q: AngleLike) -> Array:
    """Return position and orientation of the tip, (…, 3): x, y [m] and angle [rad], unwrapped."""
    c = kinematic_chain(arm, q)
    point = placed(c, c.x[..., -1:], c.y[..., -1:])[..., 0, :]
    # The angle takes part in the batch of the coordinates, which the arms may have widened.
    angle = c.phi[..., -1:] + c.xp.zeros_like(point[..., :1])
    return c.xp.concat([point, angle], axis=-1)


def centres(arm: Arm | Parameters, q: AngleLike) -> Array:
    """Return the centres of mass of the links, without their tip masses.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm; stacked Parameters have leading axes, which broadcast against those of the angles.
    q : array_like, shape (..., n)
        Joint angles [rad].

    Returns
    -------
    array, shape (..., n, 2)
        Positions x, y [m], one a link.

    Raises
    ------
    InputError
        If the last axis has not one value a joint, or leading axes do not broadcast.

    Examples
    --------
    >>> import numpy as np, ulna
    >>> arm = ulna.preset("unit")  # two links of 1 m
    >>> ulna.kinematics.centres(arm, [0.0, np.pi / 2]).round(6).tolist()
    [[0.5, 0.0], [1.0, 0.5]]
    """
    c = kinematic_chain(arm, q)
    return placed(c, *centre_coordinates(c))


def centre_coordinates(c: KinematicChain) -> tuple[Array, Array]:
    """Return x and y (…, n) of the centres of mass, relative to the base."""
    p, cos, sin = c.parameters, c.xp.cos(c.phi), c.xp.sin(c.phi)
    x = c.x[..., :-1] + p.com * cos - p.com_offset * sin
    y = c.y[..., :-1] + p.com * sin + p.com_offset * cos
    return x, y


def transforms(arm: Arm | Parameters, q: AngleLike) -> Transforms:
    """Return the homogeneous transforms from link to link, and their product.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm; stacked Parameters have leading axes, which broadcast against those of the angles.
    q : array_like, shape (..., n)
        Joint angles [rad].

    Returns
    -------
    Transforms
        `steps`, shape (..., n, 3, 3), are H_1 … H_n, and `product`, shape (..., 3, 3), is the frame
        of the tip.

    Raises
    ------
    InputError
        If the last axis has not one value a joint, or leading axes do not broadcast.

    Examples
    --------
    >>> import numpy as np, ulna
    >>> arm = ulna.preset("unit")  # two links of 1 m
    >>> ulna.kinematics.transforms(arm, [0.0, np.pi / 2]).product[:2, 2].round(6).tolist()
    [1.0, 1.0]
    """
    c = kinematic_chain(arm, q)
    xp, p = c.xp, c.parameters
    q = joint_array(xp, p, q, "q")
    steps = _frames(xp, q, p.length * xp.cos(q), p.length * xp.sin(q))
    # The first step starts at the base; its frame is not turned there, so the base just adds.
    start = _frames(xp, xp.zeros_like(p.base[..., 0]), p.base[..., 0], p.base[..., 1])
    first = start @ steps[..., 0, :, :]
    rest = steps[..., 1:, :, :] + xp.zeros_like(first)[..., None, :, :]
    steps = xp.concat([first[..., None, :, :], rest], axis=-3)
    x, y, angle = (tip_by_formula(arm, q)[..., k] for k in range(3))
    return Transforms(steps, _frames(xp, angle, x, y))


def _frames(xp: Any, angle: Array, x: Array, y: Array) -> Array:
    """Return the frames (…, 3, 3) turned by `angle` with their origins at (x, y)."""
    zero, one = xp.zeros_like(x), xp.ones_like(x)
    cos, sin = xp.cos(angle) + zero, xp.sin(angle) + zero
    rows = [
        xp.stack([cos, -sin, x], axis=-1),
        xp.stack([sin, cos, y], axis=-1),
        xp.stack([zero, zero, one], axis=-1),
    ]
    return xp.stack(rows, axis=-2)


def posture_evaluator(arm: Arm) -> Evaluator:
    """Return what evaluates tip and Jacobian of one posture of an arm."""
    from ulna.kinematics.posture_kernels import SCRATCH_ROWS, jacobian_one, tip_one

    n, p = arm.n, arm.parameters
    memory = np.concatenate([p.length, p.base, np.zeros(SCRATCH_ROWS * (n + 1))])
    calls = {
        "tip": KernelCall(tip_one, ((n,), (3,))),
        "jacobian": KernelCall(jacobian_one, ((n,), (3, n))),
    }
    return Evaluator(n, memory.copy, calls)
