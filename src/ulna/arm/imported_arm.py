"""An arm that is described otherwise than here, and how its angles are counted there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ulna.arm.planar_arm import Arm

Vector = NDArray[np.float64]
ALIGNED = 1e-6  # by which components of a direction count as none


@dataclass(frozen=True)
class ImportedArm:
    """The planar arm that a file of another program describes, and how its angles are there.

    Parameters
    ----------
    arm : Arm
        The arm.
    joint_names : tuple of str
        The joints' names in the file, n of them.
    signs : tuple of float
        +1 where an angle of the file counts as here, −1 where it counts the other way.
    offsets : tuple of float
        The angles here [rad] where those of the file are zero.
    held : tuple of str
        Joints of the file that are no part of the arm, and that are held at zero.
    x_axis, y_axis : tuple of float, shape (3,)
        Where the axes x and y of the arm point in the file.
    """

    arm: Arm
    joint_names: tuple[str, ...]
    signs: tuple[float, ...]
    offsets: tuple[float, ...]
    held: tuple[str, ...] = ()
    x_axis: tuple[float, ...] = (1.0, 0.0, 0.0)
    y_axis: tuple[float, ...] = (0.0, 1.0, 0.0)

    def from_file_angles(self, theta: Sequence[float] | Vector) -> Vector:
        """Return the joint angles of the arm for those of the file.

        Parameters
        ----------
        theta : array_like, shape (..., n)
            Angles as the file counts them [rad].

        Returns
        -------
        q : ndarray, shape (..., n)
            Joint angles [rad]. Rates and torques take the signs alone.
        """
        return np.asarray(theta, dtype=float) * self.signs + self.offsets

    def to_file_angles(self, q: Sequence[float] | Vector) -> Vector:
        """Return the angles of the file for joint angles of the arm.

        Parameters
        ----------
        q : array_like, shape (..., n)
            Joint angles [rad].

        Returns
        -------
        theta : ndarray, shape (..., n)
            Angles as the file counts them [rad].
        """
        return (np.asarray(q, dtype=float) - self.offsets) * self.signs

    @property
    def axes_text(self) -> str:
        """A sentence that says where the axes of the arm point in the file."""
        x, y = (_describe_direction(axis) for axis in (self.x_axis, self.y_axis))
        return f"x of the arm is {x} of the file, y is {y}"

    @property
    def is_mirrored(self) -> bool:
        """Whether x of the arm points against x of the file, or against y where it has no x."""
        return next((part for part in self.x_axis if abs(part) > ALIGNED), 1.0) < 0.0

    @property
    def same_angles(self) -> bool:
        """Whether angles are the same in the file and here."""
        return all(sign > 0.0 for sign in self.signs) and not any(self.offsets)


def _describe_direction(axis: tuple[float, ...]) -> str:
    """Return a direction as the name of an axis, or by its components."""
    for name, part in zip("xyz", axis, strict=True):
        if abs(part) > 1.0 - ALIGNED:
            return f"{'+' if part > 0.0 else '−'}{name}"
    return f"({', '.join(f'{part:.3g}' for part in axis)})"
