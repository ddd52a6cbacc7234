"""The figures and listings of paper 000, and the rows that treat them. It numbers no equations."""

from __future__ import annotations

from ulna.papers.row import Place, PlaceKind

FIGURES = (
    ("the tip from both angles, an example", ("forward",)),
    ("both postures for one point", ("inverse",)),
    ("a path that leads to a singularity", ("singular",)),
    ("the path", ("path",)),
    ("the torques along the path", ("torques",)),
    ("the torques replayed by forward dynamics", ("replay", "erratum-22")),
    ("the arm in motion", ("animation",)),
    ("torques for other masses", ("mass-sweep",)),
)
CODES = (
    ("the path", ("path", "erratum-12")),
    (
        "inverse kinematics, the choice of a branch, differences",
        ("branch", "rates", "erratum-3", "erratum-13", "erratum-14", "erratum-15"),
    ),
    (
        "parameters, and the torques of all points",
        ("torques", "rates", "erratum-16", "erratum-17", "erratum-18", "erratum-25"),
    ),
    ("plots of path and torques", ("erratum-19",)),
    ("the mass matrix", ("lagrangian", "erratum-18", "erratum-20")),
    ("the Coriolis matrix", ("lagrangian", "erratum-11", "erratum-18")),
    ("the gravity vector", ("lagrangian", "erratum-18", "erratum-21")),
)
PLACES = tuple(
    Place(kind, number, about, rows)
    for kind, listed in ((PlaceKind.FIGURE, FIGURES), (PlaceKind.CODE, CODES))
    for number, (about, rows) in enumerate(listed, start=1)
)
