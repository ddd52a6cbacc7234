"""The dynamics as a MATLAB (or Octave) file: one function that gives handles to the others."""

from __future__ import annotations

import re
from collections.abc import Iterator

import sympy as sp

from ulna.derivation.code.generated import CodeTemplate, GeneratedCode, Routine, Syntax, assembled

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,62}")
# What the file defines, what it calls, and the words of the language.
TAKEN = re.compile(
    "mass_matrix|coriolis_matrix|gravity_torque|inverse_dynamics|inverse_kinematics|model|arm|"
    "cos|sin|sqrt|atan2|zeros|max|break|case|catch|classdef|continue|else|elseif|end|for|function|"
    "global|if|otherwise|parfor|persistent|return|spmd|switch|try|while|"
    "do|until|endif|endfor|endfunction|endwhile|endswitch|end_try_catch|unwind_protect"
)

SYNTAX = Syntax("(", ")", 1, "arm.")

INVERSE_KINEMATICS = """
function {q} = inverse_kinematics(arm, x, y, branch)
% Put the tip at (x, y) from the base; branch is the sign of sin q2: 1 or -1.
% Returns an empty matrix where (x, y) is out of reach or the base itself.
r2 = x^2 + y^2;
outer = (arm.l1 + arm.l2)^2;
inside = (outer - r2) * (r2 - (arm.l1 - arm.l2)^2);
if inside < -1e-14 * outer^2 || r2 == 0  % rounding may put a straight arm outside
    {q} = [];
    return
end
second = atan2(branch * sqrt(max(inside, 0)), r2 - arm.l1^2 - arm.l2^2);
first = atan2(y, x) - atan2(arm.l2 * sin(second), arm.l1 + arm.l2 * cos(second));
{q} = [first; {second}];
end
"""


def to_matlab(program: GeneratedCode, name: str) -> str:
    """Write the program in MATLAB, for a file of that name if MATLAB can take it."""
    if not NAME.fullmatch(name) or TAKEN.fullmatch(name):
        name = "arm_model"
    body = (line for routine in program.routines for line in _routine(routine))
    inverse = CodeTemplate(INVERSE_KINEMATICS, second="second", total="first + second")
    return assembled(program, _head(program, name), body, inverse)


def _head(program: GeneratedCode, name: str) -> Iterator[str]:
    yield f"function model = {name}()"
    yield f"% {program.title}."
    yield "%"
    yield from (f"% {note}".rstrip() for note in program.notes)
    yield "%"
    yield f"%   model = {name}();  M = model.mass_matrix(model.arm, {program.angles});"
    for p in program.parameters:
        value = "NaN" if p.value is None else repr(p.value)
        yield f"model.arm.{p.name} = {value};  % {p.about}{f' [{p.unit}]' * bool(p.unit)}"
    yield from (f"model.{routine.name} = @{routine.name};" for routine in program.routines)
    if program.links == 2:
        yield "model.inverse_kinematics = @inverse_kinematics;"
    yield "end"


def _routine(routine: Routine) -> Iterator[str]:
    yield ""
    yield f"function {routine.result} = {routine.name}(arm, {', '.join(routine.arguments)})"
    yield f"% Return {routine.about}."
    for step in routine.work:
        yield f"{step.name} = {_write(step.value)};"
    yield f"{routine.result} = zeros({routine.entries.rows}, {routine.entries.cols});"
    for i in range(routine.entries.rows):
        for j in range(routine.entries.cols):
            yield f"{routine.result}({i + 1}, {j + 1}) = {_write(routine.entries[i, j])};"
    yield "end"


def _write(expression: sp.Expr) -> str:
    # The file is scalar throughout; the printer's elementwise signs only make it harder to read.
    return str(sp.octave_code(expression)).replace(".*", "*").replace(".^", "^").replace("./", "/")
