"""WHY, on paper: the Lagrangian derivation in letters, step by step, checked in numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ulna.arm import Arm
from ulna.derivation.derivation_options import DerivationOptions, options_for
from ulna.errors import InputError, Problem, shown
from ulna.namespaces import namespace

if TYPE_CHECKING:
    from ulna.derivation.derivation import Derivation

__all__ = ["Derivation", "DerivationOptions", "derive"]


def derive(
    links: int | Arm | None = None,
    *,
    convention: str = "relative",
    bodies: str | None = None,
    payload: bool | None = None,
    tip_force: bool = False,
    gravity: str | None = None,
    drives: bool | None = None,
    friction: bool = False,
    arm: Arm | None = None,
) -> Derivation:
    """Derive the equations of motion of an arm of 1 to 4 links after Lagrange.

    With an arm its numbers stand beside the letters, and what is not chosen follows from it;
    without one it is an arm of uniform rods.

    Parameters
    ----------
    links : int or Arm, optional
        Number of links, 1 to 4; by default those of the arm, or 2. An arm may stand here too.
    convention : {"relative", "absolute"}, optional
        Coordinates: joint angles q, or link angles φ from the x axis.
    bodies : {"rods", "points", "general"}, optional
        Uniform rods, point masses at the ends of the links, or any centre of mass and inertia
        with point masses at the ends.
    payload : bool, optional
        Whether the tip carries a point mass.
    tip_force : bool, optional
        Whether a force (F_x, F_y) at the tip acts on the arm.
    gravity : {"down", "vector", "none"}, optional
        Gravity g downwards, a vector γ, or none.
    drives : bool, optional
        Whether joints have geared rotors and viscous damping.
    friction : bool, optional
        Whether joints have dry friction and drag; left out unless asked for, also of an arm that
        has them.
    arm : Arm, optional
        Arm whose numbers are put in.

    Returns
    -------
    Derivation
        Its matrices, energies and equations in SymPy, its steps, and ways to write them down.

    Raises
    ------
    InputError
        Where an option is none of those listed, or letters cannot stand for the arm's numbers.
    UlnaError
        Where the result and the closed form differ by more than 1e-12.

    Examples
    --------
    >>> from ulna import derive
    >>> derive(1).check.worst < 1e-12
    True
    >>> derive(1).gravity
    Matrix([[g*s1*cos(q1)]])
    """
    if isinstance(links, Arm) and arm is None:
        links, arm = None, links
    chosen: dict[str, Any] = {
        "links": links,
        "convention": convention,
        "bodies": bodies,
        "payload": payload,
        "tip_force": tip_force,
        "gravity": gravity,
        "drives": drives,
        "friction": friction,
    }
    if arm is not None and not isinstance(arm, Arm):
        raise InputError(Problem("arm", shown(arm), "an Arm", "ulna.preset and ulna.load give one"))
    if arm is not None:
        options = options_for(arm, **chosen)
    else:
        given = {name: value for name, value in chosen.items() if value is not None}
        options = DerivationOptions(**given)
    # SymPy takes half a second to load; only those who derive wait for it.
    from ulna.derivation.derivation import Derivation

    return Derivation(options, arm)


if not TYPE_CHECKING:
    __getattr__, __dir__ = namespace(__name__, lazy={"Derivation": "ulna.derivation.derivation"})
