"""The figures, tables and listings of paper 001, and the rows that treat them.

It numbers its phase portraits only. Tables (of parameters) and listings are counted as our text of
the paper has them, which lacks some lines of the second section on programs.
"""

from __future__ import annotations

from ulna.papers.row import Place, PlaceKind

FIGURES = (
    ("no torque", ("figure-1",)),
    ("damped and driven", ("figure-2", "erratum-7")),
    ("under-powered, starts at rest", ("figure-3",)),
    ("under-powered, starts forwards", ("figure-4",)),
    ("under-powered, starts backwards", ("figure-5",)),
)
TABLES = (
    ("parameters without torque, §3.3", ("figure-1",)),
    ("parameters of the driven arm, §3.3", ("figure-2", "erratum-3")),
    ("parameters of the under-powered arm, §3.3", ("figure-3", "figure-4", "figure-5")),
    ("parameters of the skater, §4.3", ("skater",)),
)
LISTINGS = (
    ("parameters of one joint, §3.2", ("one-joint", "erratum-6")),
    ("the animation, §3.2", ("one-joint", "erratum-6")),
    ("accelerations of n joints, §4.2", ("sequential", "erratum-6", "erratum-9")),
    ("parameters of four joints, §4.2", ("four-joints",)),
    ("torque as a function of time, §4.4", ("torque-function", "erratum-11")),
)
PLACES = tuple(
    Place(kind, number, about, rows, numbered)
    for kind, listed, numbered in (
        (PlaceKind.FIGURE, FIGURES, True),
        (PlaceKind.TABLE, TABLES, False),
        (PlaceKind.LISTING, LISTINGS, False),
    )
    for number, (about, rows) in enumerate(listed, start=1)
)
