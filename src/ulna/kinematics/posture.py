"""Tip and Jacobian by the way that suits the arrays.

One posture of an Arm, as NumPy's double precision, goes through compiled code (`single.py`) where
that has been loaded, by a simulation, a batch or `ulna.compiled`; everything else, batches and
arrays of other libraries included, through the formulas of `forward_kinematics.py` and
`differential_kinematics.py`. The two differ by rounding at most.
"""

from __future__ import annotations

from ulna.arm import Arm, Parameters
from ulna.arrays import Array
from ulna.kinematics.differential_kinematics import jacobian as jacobian_by_formula
from ulna.kinematics.evaluator import Evaluator, KernelCall, kept_evaluator
from ulna.kinematics.forward_kinematics import tip as tip_by_formula
from ulna.typing import AngleLike


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
    quick = kept_evaluator(arm, "_postures", posture_evaluator)
    found = None if quick is None else quick.found("tip", q)
    return tip_by_formula(arm, q) if found is None else found


def jacobian(arm: Arm | Parameters, q: AngleLike) -> Array:
    """Return the Jacobian of the tip's position and orientation.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm; stacked Parameters have leading axes, which broadcast against those of the angles.
    q : array_like, shape (..., n)
        Joint angles [rad].

    Returns
    -------
    array, shape (..., 3, n)
        Derivatives of x, y [m/rad] and of the angle [1], row by row, with respect to the joints.

    Raises
    ------
    InputError
        If the last axis has not one value a joint, or leading axes do not broadcast.

    Notes
    -----
    Turning joint j moves the tip at right angles to the line from the joint to the tip:
    ∂(x, y)/∂q_j = (−(y − y_j), x − x_j), and every joint turns the tip by its own angle.

    Examples
    --------
    >>> import numpy as np, ulna
    >>> arm = ulna.preset("unit")  # two links of 1 m
    >>> ulna.kinematics.jacobian(arm, [0.0, np.pi / 2]).round(6).tolist()
    [[-1.0, -1.0], [1.0, 0.0], [1.0, 1.0]]
    """
    quick = kept_evaluator(arm, "_postures", posture_evaluator)
    found = None if quick is None else quick.found("jacobian", q)
    return jacobian_by_formula(arm, q) if found is None else found


def posture_evaluator(arm: Arm) -> Evaluator:
    """Return what evaluates tip and Jacobian of one posture of an arm."""
    from ulna.kinematics.single import jacobian_one, memory_of, tip_one

    n = arm.n
    calls = {
        "tip": KernelCall(tip_one, ((n,), (3,))),
        "jacobian": KernelCall(jacobian_one, ((n,), (3, n))),
    }
    return Evaluator(n, memory_of(arm.parameters).copy, calls)
