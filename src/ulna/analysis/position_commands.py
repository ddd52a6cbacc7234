"""Tracking of a plan by motors that take positions: what a board plays, servos and steppers follow.

A board commands the first row, waits until the arm has settled there, and then plays its table.
"""

from __future__ import annotations

import numpy as np

from ulna.analysis.tracking_errors import Tracking, tracking
from ulna.arrays import Array
from ulna.errors import InputError, Problem, shown
from ulna.kinematics import tip
from ulna.motion import Plan
from ulna.motion.servo_tables import ServoTable
from ulna.scenario.inputs import POSITION, check_given
from ulna.simulation import simulate

WAIT = 2.0  # [s] before a table is played: the PAUSE of the programs in `servo_tables`


def settled_posture(plan: Plan) -> Array:
    """Return where the arm of a plan rests while its motors are commanded the first angles.

    Parameters
    ----------
    plan : Plan
        The plan, of an arm whose motors all take positions.

    Returns
    -------
    ndarray, shape (n,)
        Joint angles [rad], off the command by what gravity bends the position loops.
    """
    start = plan.trajectory(0.0).q
    held = simulate(plan.arm, position=start.tolist(), q0=start, duration=WAIT, progress=False)
    return np.asarray(held.q[-1] if held.status else start)


def rounding_error(plan: Plan, table: ServoTable) -> float:
    """Return how far the rows of a table, rounded to what servos are sent, lead the tip off [m]."""
    exact = plan.trajectory(np.minimum(table.t, plan.duration)).q
    places = [tip(plan.arm, q)[:, :2] for q in (exact, table_angles(table))]
    return float(np.hypot(*(places[1] - places[0]).T).max())


def table_angles(table: ServoTable) -> Array:
    """Return the joint angles (k, n) [rad] that the rows of a table command."""
    sent = zip(table.servos, table.values.T, strict=True)
    return np.column_stack([servo.angles(values) for servo, values in sent])


def servo_tracking(plan: Plan, table: ServoTable) -> Tracking:
    """Simulate servos that are sent a table, and return how well the tip follows the plan.

    The errors are all that the model knows of: sag and lag of the position loops, dead bands, rates
    at which the rows are sent and the servos read them, and the rounding to pulses or ticks.

    Parameters
    ----------
    plan : Plan
        What is to be followed, by an arm whose motors all take positions.
    table : ServoTable
        What the servos are sent, made of the plan by `ulna.motion.servo_table`.

    Returns
    -------
    Tracking
        Errors of the tip and the joints, from rest at the start.

    Raises
    ------
    InputError
        If the table is none, or a joint has no motor that takes positions.

    Examples
    --------
    >>> import ulna
    >>> from ulna.motion import servo_table
    >>> plan = ulna.plan(ulna.preset("so-101"), ulna.paths.circle((0.2, 0.1), 0.04), duration=8.0)
    >>> table = servo_table(plan, "feetech()", rate=50.0)
    >>> servo_tracking(plan, table).max < 0.012
    True
    """
    if not isinstance(table, ServoTable) or len(table.servos) != plan.arm.n:
        need = "a ServoTable of the plan, made with ulna.motion.servo_table"
        raise InputError(Problem("table", shown(table), need))
    check_given(plan.arm, POSITION)
    command, start = (table.t, table_angles(table)), settled_posture(plan)
    run = simulate(plan.arm, position=command, q0=start, duration=plan.duration)
    return tracking(run, plan)
