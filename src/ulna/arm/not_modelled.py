"""What an arm may be described with that the physics does not model.

The one list of it: every entry point whose answer it would change warns by it, so that nothing
that was given is left out in silence.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from ulna.arm.joint import Joint
from ulna.errors import warn

if TYPE_CHECKING:
    from ulna.arm.parameters import Parameters
    from ulna.arm.planar_arm import Arm


class Unmodelled(NamedTuple):
    """A quantity of a joint that is kept as data only."""

    name: str
    given: Callable[[Joint], bool]  # whether a joint has it, to an extent that would matter
    instead: str  # what is computed with in its place


NOT_MODELLED = (
    Unmodelled(
        "dry friction",
        lambda joint: joint.friction is not None and joint.friction.static != 0.0,
        "only viscous damping resists",
    ),
    Unmodelled(
        "motor data",
        lambda joint: joint.motor is not None,
        "torques are those of an ideal motor, bounded by max_torque alone",
    ),
)


def unmodelled(arm: Arm | Parameters) -> dict[str, str]:
    """Name what of an arm is not modelled, each with a sentence about it.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm as it was described; Parameters hold nothing that is not modelled.

    Returns
    -------
    dict of str to str
        Empty where everything that was given is computed with.

    Examples
    --------
    >>> import ulna
    >>> unmodelled(ulna.preset("dfki-double-pendulum"))["dry friction"]
    'dry friction (joints 1 and 2) is not modelled: only viscous damping resists'
    >>> unmodelled(ulna.preset("so-101"))
    {}
    """
    found = {}
    joints: tuple[Joint, ...] = getattr(arm, "joints", ())
    for name, given, instead in NOT_MODELLED:
        numbers = [str(number) for number, joint in enumerate(joints, 1) if given(joint)]
        if numbers:
            found[name] = f"{name} ({_listed(numbers)}) is not modelled: {instead}"
    return found


def warn_unmodelled(*arms: Arm | Parameters) -> None:
    """Warn of what is not modelled of these arms, once for what several of them share.

    Parameters
    ----------
    *arms : Arm or Parameters
        The arms as they were described.

    Examples
    --------
    >>> import warnings, ulna
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_unmodelled(ulna.preset("dfki-double-pendulum"), ulna.preset("so-101"))
    >>> print(caught[0].message)
    dry friction (joints 1 and 2) is not modelled: only viscous damping resists
    """
    sentences = [sentence for arm in arms for sentence in _sentences(arm)]
    if sentences:
        warn(*dict.fromkeys(sentences))


def _sentences(arm: Arm | Parameters) -> tuple[str, ...]:
    """Return the sentences about an arm, which keeps them: loops ask for them at every call."""
    kept = getattr(arm, "__dict__", None)
    if kept is None:
        return tuple(unmodelled(arm).values())
    found: tuple[str, ...] | None = kept.get("_unmodelled")
    if found is None:
        found = kept["_unmodelled"] = tuple(unmodelled(arm).values())
    return found


def _listed(numbers: list[str]) -> str:
    if len(numbers) == 1:
        return f"joint {numbers[0]}"
    return f"joints {', '.join(numbers[:-1])} and {numbers[-1]}"
