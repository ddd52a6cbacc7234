"""The dynamics as a Python file that needs nothing but `math`."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from ulna.derivation.code.generated import CodeTemplate, GeneratedCode, Routine, Syntax, assembled

SYNTAX = Syntax("[", "]", 0, "arm.")

INVERSE_KINEMATICS = '''

def inverse_kinematics(arm, x, y, branch=1):
    """Return the angles that put the tip at (x, y) from the base.

    branch is the sign of sin q2: 1 or -1. Returns None out of reach and at the base itself.
    """
    r2 = x * x + y * y
    outer, inner = (arm.l1 + arm.l2) ** 2, (arm.l1 - arm.l2) ** 2
    inside = (outer - r2) * (r2 - inner)
    if inside < -1e-14 * outer * outer or r2 == 0.0:  # rounding may put a straight arm outside
        return None
    q2 = atan2(branch * sqrt(max(inside, 0.0)), r2 - arm.l1**2 - arm.l2**2)
    q1 = atan2(y, x) - atan2(arm.l2 * sin(q2), arm.l1 + arm.l2 * cos(q2))
    return [q1, {second}]
'''


def to_python(program: GeneratedCode) -> str:
    """Write the program in Python."""
    body = (line for routine in program.routines for line in _routine(routine))
    inverse = CodeTemplate(INVERSE_KINEMATICS, second="q2", total="q1 + q2")
    return assembled(program, _head(program), body, inverse)


def _head(program: GeneratedCode) -> Iterator[str]:
    yield f'"""{program.title}.'
    yield ""
    yield from program.notes
    yield '"""'
    yield ""
    functions = "atan2, cos, sin, sqrt" if program.links == 2 else "cos, sin"
    yield f"from math import {functions}"
    yield "from typing import NamedTuple"
    yield ""
    yield ""
    yield "class Arm(NamedTuple):"
    yield '    """The numbers of the arm, in SI units."""'
    yield ""
    for p in program.parameters:
        default = "" if p.value is None else f" = {p.value!r}"
        yield f"    {p.name}: float{default}  # {p.about}{f' [{p.unit}]' * bool(p.unit)}"


def _routine(routine: Routine) -> Iterator[str]:
    yield ""
    yield ""
    yield f"def {routine.name}(arm, {', '.join(routine.arguments)}):"
    yield f'    """Return {routine.about}."""'
    for step in routine.work:
        yield f"    {step.name} = {_write(step.value)}"
    yield "    return ["
    for k in range(routine.entries.rows):
        row = ", ".join(_write(entry) for entry in routine.entries.row(k))
        yield f"        {row}," if not routine.is_matrix else f"        [{row}],"
    yield "    ]"


def _write(expression: sp.Expr) -> str:
    return str(sp.pycode(expression, fully_qualified_modules=False))
