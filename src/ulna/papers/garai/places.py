"""The figures and equations of paper 002, and the rows that treat them."""

from __future__ import annotations

from collections.abc import Iterable

from ulna.papers.row import Place, PlaceKind

FIGURES = (
    ("the arm", ("schematic",)),
    ("the right triangles of inverse kinematics", ("inverse",)),
)
EQUATIONS = (
    "x of the tip", "y of the tip", "ẋ", "ẏ", "both as a matrix", "ẍ", "ÿ", "both as matrices",
    "the law of cosines", "θ, with both signs", "θ with the elbow up", "ϕ, the bearing of the tip",
    "φ, between link 1 and the bearing", "q₁", "q₂",
    "work of a force at the tip", "work of a motor", "potential energy V", "kinetic energy T",
    "speed of the centre of link 2", "Lagrange's equations", "the same by T and V",
    "∂V/∂q₁", "∂V/∂q₂", "∂T/∂q₁", "∂T/∂q₂", "∂T/∂q̇₁", "its rate", "∂T/∂q̇₂", "its rate",
    "equation of motion of q₁", "of q₂", "of q₁, simplified", "of q₂, simplified",
    "τ₁ without masses", "τ₂ without masses", "both as a matrix",
    "τ₁ at rest", "τ₂ at rest",
)  # fmt: skip
# By row, the equations that it is about: the row that treats one best comes first.
TREATED: dict[str, Iterable[int]] = {
    "forward": range(1, 9),
    "inverse": range(9, 16),
    "elbow-up-jump": (11,),
    "range": (11,),
    "dynamics": range(16, 35),
    "massless": range(35, 38),
    "statics": (38, 39),
    "erratum-1": (31, 33),
    "erratum-2": (17, *range(21, 40)),
    "erratum-3": (11,),
    "erratum-4": (13,),
    "erratum-5": range(9, 16),
}
PLACES = (
    *(
        Place(PlaceKind.FIGURE, number, about, rows)
        for number, (about, rows) in enumerate(FIGURES, start=1)
    ),
    *(
        Place(
            PlaceKind.EQUATION,
            number,
            about,
            tuple(key for key, numbers in TREATED.items() if number in numbers),
        )
        for number, about in enumerate(EQUATIONS, start=1)
    ),
)
