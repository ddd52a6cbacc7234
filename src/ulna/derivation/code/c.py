"""The dynamics as a C file that needs nothing but `math.h`, for a microcontroller say."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from ulna.derivation.code.generated import (
    CodeTemplate,
    GeneratedCode,
    Routine,
    Syntax,
    assembled,
    used_arguments,
)

SYNTAX = Syntax("[", "]", 0, "arm->")

INVERSE_KINEMATICS = """
/* Put the tip at (x, y) from the base. branch is the sign of sin q2: 1 or -1.
   Returns 1, or 0 where (x, y) is out of reach or the base itself. */
int arm_inverse_kinematics(const arm_parameters *arm, double x, double y, int branch, double {q}[2])
{
    const double r2 = x * x + y * y;
    const double outer = (arm->l1 + arm->l2) * (arm->l1 + arm->l2);
    const double inner = (arm->l1 - arm->l2) * (arm->l1 - arm->l2);
    const double inside = (outer - r2) * (r2 - inner);
    double first, second;
    /* Rounding may put a straight arm outside. */
    if (inside < -1e-14 * outer * outer || r2 == 0.0) {
        return 0;
    }
    second = atan2(branch * sqrt(fmax(inside, 0.0)), r2 - arm->l1 * arm->l1 - arm->l2 * arm->l2);
    first = atan2(y, x) - atan2(arm->l2 * sin(second), arm->l1 + arm->l2 * cos(second));
    {q}[0] = first;
    {q}[1] = {second};
    return 1;
}
"""


def to_c(program: GeneratedCode) -> str:
    """Write the program in C99."""
    body = (line for routine in program.routines for line in _routine(routine, program))
    inverse = CodeTemplate(INVERSE_KINEMATICS, second="second", total="first + second")
    return assembled(program, _head(program), body, inverse)


def _head(program: GeneratedCode) -> Iterator[str]:
    yield f"/* {program.title}."
    yield ""
    yield from (f"   {note}".rstrip() for note in program.notes)
    yield "*/"
    yield ""
    yield "#include <math.h>"
    yield ""
    yield "typedef struct {"
    for p in program.parameters:
        yield f"    double {p.name}; /* {p.about}{f' [{p.unit}]' * bool(p.unit)} */"
    yield "} arm_parameters;"
    if program.numbers:
        yield ""
        yield "const arm_parameters the_arm = {"
        yield from (f"    {p.value!r}, /* {p.name} */" for p in program.parameters)
        yield "};"


def _routine(routine: Routine, program: GeneratedCode) -> Iterator[str]:
    n, matrix = program.links, routine.is_matrix
    sizes = dict.fromkeys(routine.arguments, n) | {"force": 2}
    inputs = "".join(f", const double {name}[{sizes[name]}]" for name in routine.arguments)
    output = f"double {routine.result}[{n}]" + f"[{n}]" * matrix
    yield ""
    yield f"/* Compute {routine.about}. */"
    yield f"void arm_{routine.name}(const arm_parameters *arm{inputs}, {output})"
    yield "{"
    for step in routine.work:
        yield f"    const double {step.name} = {_write(step.value)};"
    used = used_arguments(routine)
    idle = [name for name in ("arm", *routine.arguments) if name not in used]
    yield from (f"    (void){name};" for name in idle)
    for i in range(routine.entries.rows):
        for j in range(routine.entries.cols):
            place = f"[{i}][{j}]" if matrix else f"[{i}]"
            yield f"    {routine.result}{place} = {_write(routine.entries[i, j])};"
    yield "}"


def _write(expression: sp.Expr) -> str:
    # A small power is quicker as a product, and more exact than a call.
    products = [
        (lambda base, exponent: exponent == 2, lambda base, exponent: f"(({base})*({base}))"),
        (lambda base, exponent: True, "pow"),
    ]
    return str(sp.ccode(expression, user_functions={"Pow": products}))
