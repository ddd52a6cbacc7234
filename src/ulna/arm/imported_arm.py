"""An arm that is described otherwise than here, and how its angles are counted there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ulna.arm.planar_arm import Arm

Vector = NDArray[np.float64]


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
    """

    arm: Arm
    joint_names: tuple[str, ...]
    signs: tuple[float, ...]
    offsets: tuple[float, ...]
    held: tuple[str, ...] = ()

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
    def same_angles(self) -> bool:
        """Whether angles are the same in the file and here."""
        return all(sign > 0.0 for sign in self.signs) and not any(self.offsets)
