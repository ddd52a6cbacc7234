"""Inverse kinematics of two links in letters, step by step."""

from __future__ import annotations

import sympy as sp

from ulna.derivation.formulas import Step, equals, paragraph
from ulna.derivation.model import symbol

l1, l2, r, x, y = (symbol(name) for name in ("l1", "l2", "r", "x", "y"))
q1, q2 = symbol("q", 1), symbol("q", 2)
TITLE = "Inverse kinematics"
TIP = f"{TITLE}: the tip"
COSINE = f"{TITLE}: the cosine of the bend"
SINE = f"{TITLE}: the sine of the bend"
BEND = f"{TITLE}: the bend"
FIRST = f"{TITLE}: the first angle"
RADICAND = -(r**4) + 2 * r**2 * (l1**2 + l2**2) - (l1**2 - l2**2) ** 2
FACTORS = ((l1 + l2) ** 2 - r**2) * (r**2 - (l1 - l2) ** 2)
ALONG, ACROSS = l1 + l2 * sp.cos(q2), l2 * sp.sin(q2)


def inverse_steps() -> tuple[Step, ...]:
    """Return the steps from the place of the tip to both angles."""
    double = 2 * l1 * l2
    either = symbol("pm") * sp.sqrt(RADICAND)
    return (
        Step(TIP, (
            paragraph("The tip is where two links lead, the second at the sum of both angles:"),
            equals(x, l1 * sp.cos(q1) + l2 * sp.cos(q1 + q2)),
            equals(y, l1 * sp.sin(q1) + l2 * sp.sin(q1 + q2)),
        )),
        Step(COSINE, (
            paragraph("Square and add: only the angle between the links is left."),
            equals(r**2, x**2 + y**2),
            equals(r**2, l1**2 + l2**2 + double * sp.cos(q2)),
            equals(sp.cos(q2), (r**2 - l1**2 - l2**2) / double),
        )),
        Step(SINE, (
            paragraph("The square of the sine is what the square of the cosine leaves of one:"),
            equals(double**2 * sp.sin(q2) ** 2, double**2 - (r**2 - l1**2 - l2**2) ** 2),
            equals(double**2 * sp.sin(q2) ** 2, RADICAND),
            equals(double**2 * sp.sin(q2) ** 2, FACTORS),
            paragraph(
                "Both factors are positive just where the lengths close to a triangle, that is "
                "where the tip is in reach. The sign of the root is free: there are two postures."
            ),
            equals(sp.sin(q2), either / double),
        )),
        Step(BEND, (
            paragraph("Sine and cosine have the same divisor, which the angle does not need:"),
            equals(q2, sp.atan2(either, r**2 - l1**2 - l2**2)),
        )),
        Step(FIRST, (
            paragraph(
                "Seen along link 1 the tip is at ", ALONG, " and to its left at ", ACROSS,
                "; turned by the first angle that is the direction of the tip."
            ),
            equals(q1, sp.atan2(y, x) - sp.atan2(ACROSS, ALONG)),
        )),
    )  # fmt: skip
