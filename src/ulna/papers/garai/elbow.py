"""What paper 002's rule of the upper elbow does: where it jumps, and what it is good for."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ulna.kinematics import elbow_side, inverse, joints
from ulna.papers.garai import printed, samples
from ulna.papers.garai.printed import Floats
from ulna.papers.row import Number, Picture, Row, Verdict

HEIGHT = 1.0  # [m] of the line along which the tip passes over the base
BESIDE = 1e-9  # [m] to both sides of it
RINGS, BEARINGS = 300, 720  # of the grid on which areas are summed

JUMP = """\
import numpy as np
import ulna

arm = ulna.preset("garai")
points = np.stack([np.linspace(1.0, -1.0, 201), np.ones(201)], axis=-1)
q = ulna.kinematics.track(arm, points).q  # keeps its branch
print("largest step of a joint:", np.degrees(np.abs(np.diff(q, axis=0)).max()), "deg")
"""


class Reached(NamedTuple):
    """Which points of the ring, on a grid of polar coordinates, each elbow reaches."""

    points: Floats  # (rings, bearings, 2) [m]
    area: Floats  # (rings, 1) [m²] of the patch around each
    up: NDArray[np.bool_]  # (rings, bearings) with the elbow up
    down: NDArray[np.bool_]
    up_clear: NDArray[np.bool_]  # and with every point of the arm above the floor
    down_clear: NDArray[np.bool_]


@cache
def at_the_jump() -> Floats:
    """Return q1, q2 (2, 2) [deg] as the tip comes from the right and just beyond the base."""
    points = np.array([[BESIDE, HEIGHT], [-BESIDE, HEIGHT]])
    return np.asarray(np.degrees(printed.elbow_up(samples.rods(), points)[0]))


@cache
def reached() -> Reached:
    """Try both postures for every point of the ring, without and with a floor at y = 0."""
    p, arm = samples.rods(), samples.arm()
    inner, outer = abs(p.l1 - p.l2), p.l1 + p.l2
    edges = np.linspace(inner, outer, RINGS + 1)
    radius = 0.5 * (edges[1:] + edges[:-1])
    # No bearing is exactly level or upright: there an elbow is neither up nor down.
    bearing = (np.arange(BEARINGS) + 0.5) * 2.0 * np.pi / BEARINGS
    way = np.stack([np.cos(bearing), np.sin(bearing)], axis=-1)
    points = radius[:, None, None] * way
    found = inverse(arm, points)
    side = elbow_side(arm, found.q)
    clear = (joints(arm, found.q)[..., 1:, 1] >= 0.0).all(axis=-1)
    cases = [
        np.asarray((found.valid & (side == which) & allowed).any(axis=-1))
        for allowed in (np.True_, clear)
        for which in (1, -1)
    ]
    area = np.diff(edges**2)[:, None] * np.pi / BEARINGS
    return Reached(points, area, *cases)


def areas() -> dict[str, float]:
    """Return the areas [m²] that are reached, by the name of the case."""
    found = reached()
    return {
        case: float((found.area * getattr(found, case)).sum())
        for case in ("up", "down", "up_clear", "down_clear")
    }


def rows() -> tuple[Row, ...]:
    """Judge the rule's promise to be consistent, and to maximise the range."""
    return _jump(), _range()


def _jump() -> Row:
    from ulna.papers.garai import figures

    right, left = at_the_jump()
    p = samples.rods()
    return Row(
        key="elbow-up-jump",
        title="Where the upper elbow changes sides",
        where="(11)",
        printed="The elbow stays up, which is to keep the arm consistent.",
        ours="It stays up, and therefore jumps to the other branch where the tip passes the base.",
        verdict=Verdict.INCOMPLETE,
        why=(
            f"With l = {p.l1:g}, {p.l2:g} and y = {HEIGHT:g}, q₁ leaps from {right[0]:.1f}° to "
            f"{left[0]:.1f}° as x changes its sign: up is a name for a posture and not a branch "
            "(erratum 3)."
        ),
        call=JUMP,
        numbers=tuple(
            Number(f"q{i + 1}_{side}", float(angles[i]), "°", label=f"q{'₁₂'[i]}", of=of)
            for side, of, angles in (("right", "x = 0⁺", right), ("left", "x = 0⁻", left))
            for i in range(2)
        ),
        pictures=(
            Picture(
                "002-elbow-up-jump.svg",
                "The rule along y = 1 m: both angles leap where the tip is above the base.",
                figures.jump,
            ),
        ),
    )


def _range() -> Row:
    from ulna.papers.garai import figures

    size = areas()
    lost = 1.0 - size["down_clear"] / size["up_clear"]
    names = {
        "up": ("elbow up", "no floor"),
        "down": ("elbow down", "no floor"),
        "up_clear": ("elbow up", "above the floor"),
        "down_clear": ("elbow down", "above the floor"),
    }
    return Row(
        key="range",
        title="Which elbow reaches more",
        where="before (11)",
        printed="The elbow is kept up so as to maximise the range.",
        ours="Either elbow reaches the whole ring; the upper one reaches more above a floor.",
        verdict=Verdict.INCOMPLETE,
        why=(
            f"Alone, both reach {size['up']:.2f} m²; with a floor at the height of the base the "
            f"lower elbow loses {lost:.0%} of the {size['up_clear']:.2f} m² that the upper one has."
        ),
        how=f"Both postures tried on a grid of {RINGS} × {BEARINGS} points of the ring.",
        numbers=(
            *(
                Number(case, size[case], "m²", label=f"{elbow}", of=of, digits=4)
                for case, (elbow, of) in names.items()
            ),
            Number("lost", 100.0 * lost, "%", label="lost by the lower elbow", digits=3),
        ),
        pictures=(
            Picture(
                "002-range.svg",
                "What each elbow reaches without touching a floor at the height of the base.",
                figures.ranges,
            ),
        ),
    )
