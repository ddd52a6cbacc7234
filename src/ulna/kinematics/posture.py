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


def tip(arm: Arm | Parameters, q: Array) -> Array:
    """Return position and orientation of the tip, (…, 3): x, y [m] and angle [rad], unwrapped.

    >>> import numpy as np, ulna
    >>> x, y, angle = tip(ulna.preset("unit"), np.radians([40, -60]))
    >>> round(float(x), 6), round(float(y), 6), round(float(np.degrees(angle)), 6)
    (1.705737, 0.300767, -20.0)
    """
    quick = kept_evaluator(arm, "_postures", posture_evaluator)
    found = None if quick is None else quick.found("tip", q)
    return tip_by_formula(arm, q) if found is None else found


def jacobian(arm: Arm | Parameters, q: Array) -> Array:
    """Return the Jacobian (…, 3, n) of (x, y, orientation) with respect to q.

    Turning joint j moves the tip at right angles to the line from the joint to the tip:
    ∂(x, y)/∂q_j = (−(y − y_j), x − x_j), and every joint turns the tip by its own angle.
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
