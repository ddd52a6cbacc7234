"""WHY, on paper: the Lagrangian derivation in letters, step by step, checked in numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ulna.arm import Arm
from ulna.derivation.options import Options, options_for
from ulna.errors import InputError, Problem, shown
from ulna.interrupts import interruptible

if TYPE_CHECKING:
    from ulna.derivation.derivation import Derivation

__all__ = ["Options", "derive"]


@interruptible
def derive(
    links: int | None = None,
    *,
    convention: str = "relative",
    bodies: str | None = None,
    payload: bool | None = None,
    tip_force: bool = False,
    gravity: str | None = None,
    drives: bool | None = None,
    arm: Arm | None = None,
) -> Derivation:
    """Derive the equations of motion of an arm of 1 to 4 links after Lagrange.

    convention: "relative" joint angles q, or "absolute" link angles φ. bodies: "rods", "points"
    (masses at the ends of the links) or "general" (any centre of mass and inertia, point masses).
    gravity: "down", "vector" or "none". `drives` adds geared rotors and damping. With an `arm` its
    numbers stand beside the letters, and what is not given follows from it; without one it is two
    uniform rods.

    >>> from ulna import derive
    >>> derive(1).check.worst < 1e-12
    True
    """
    chosen: dict[str, Any] = {
        "links": links,
        "convention": convention,
        "bodies": bodies,
        "payload": payload,
        "tip_force": tip_force,
        "gravity": gravity,
        "drives": drives,
    }
    if arm is not None and not isinstance(arm, Arm):
        raise InputError(Problem("arm", shown(arm), "an Arm", "ulna.preset and ulna.load give one"))
    if arm is not None:
        options = options_for(arm, **chosen)
    else:
        options = Options(**{name: value for name, value in chosen.items() if value is not None})
    # SymPy takes half a second to load; only those who derive wait for it.
    from ulna.derivation.derivation import Derivation

    return Derivation(options, arm)
