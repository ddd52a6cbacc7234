"""Descriptions of robots that other programs read: URDF and MuJoCo's MJCF, in and out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from ulna.arm.exported_chain import ExportedArm
from ulna.arm.mjcf_files import format_mjcf, parse_mjcf
from ulna.arm.planar_arm import Arm
from ulna.arm.spatial_chain import ImportedArm
from ulna.arm.urdf_files import format_urdf, parse_urdf
from ulna.arm.xml_elements import LARGEST
from ulna.errors import InputError, Problem, shown, warn
from ulna.storage import read_text

Parser = Callable[[str, str, str | None, str | None, Iterable[str]], ImportedArm]
Formatter = Callable[[Arm], ExportedArm]

PARSERS: dict[str, Parser] = {".urdf": parse_urdf, ".xml": parse_mjcf, ".mjcf": parse_mjcf}
FORMATTERS: dict[str, Formatter] = {
    ".urdf": format_urdf,
    ".xml": format_mjcf,
    ".mjcf": format_mjcf,
}


def import_robot(
    file: str | os.PathLike[str],
    *,
    base_link: str | None = None,
    tip_link: str | None = None,
    hold: str | Iterable[str] = (),
) -> ImportedArm:
    """Read the planar arm that a file of another program describes.

    All joints of the arm turn about parallel axes. What is fixed to a link is a part of it. In
    the plane y is up; where gravity acts along the axes the arm lies flat.

    Parameters
    ----------
    file : path-like
        A URDF file, or an MJCF file of MuJoCo: .urdf, .xml or .mjcf.
    base_link : str, optional
        The link that the arm stands on; the root of the file unless given.
    tip_link : str, optional
        The link, or the site of an MJCF file, whose frame is the tip. Joints that are not between
        base and tip are held at zero, of which it is warned; without it the robot has to be one
        chain.
    hold : str or iterable of str, optional
        Joints of the file between base and tip that are held at zero as well: a six-axis arm may
        have its tool for a tip where the joints of its wrist are held.

    Returns
    -------
    ImportedArm
        The arm, and how the angles of the file become its own.

    Raises
    ------
    InputError
        With everything that keeps the file from being a planar arm, each with its line: axes that
        are not parallel, prismatic joints, closed loops, joints that mimic others, missing masses.
    FileError
        If the file cannot be read.

    Examples
    --------
    >>> import tempfile, ulna
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ulna.save(ulna.Arm.rods([0.3, 0.2], [0.4, 0.2]), f"{folder}/arm.urdf")
    ...     found = import_robot(f"{folder}/arm.urdf")
    >>> found.joint_names, found.arm.reach, found.same_angles
    (('joint_1', 'joint_2'), 0.5, True)
    """
    place, ending = os.fspath(file), Path(file).suffix.lower()
    if ending not in PARSERS:
        need = "a file that ends in " + ", ".join(PARSERS)
        raise InputError(Problem("file", shown(place), need))
    held = (hold,) if isinstance(hold, str) else tuple(hold)
    return PARSERS[ending](read_text(file, LARGEST), place, base_link, tip_link, held)


def load_description(
    file: str | os.PathLike[str],
    base_link: str | None,
    tip_link: str | None,
    hold: str | Iterable[str],
) -> Arm:
    """Return the arm of a file; warn if its angles are not those of the file."""
    found = import_robot(file, base_link=base_link, tip_link=tip_link, hold=hold)
    if not found.same_angles:
        warn(
            f"{os.fspath(file)}: angles of the file are counted otherwise than here; "
            "`ulna import`, or ulna.arm.import_robot, tells how"
        )
    return found.arm


def exported_arm(arm: Arm, file: str | os.PathLike[str]) -> ExportedArm:
    """Return what a file of that name holds for an arm; warn of what is lost in it."""
    found, name = FORMATTERS[Path(file).suffix.lower()](arm), os.fspath(file)
    warn(*(f"{name} loses {part}" for part in found.lost))
    warn(*(f"{name} has {part}" for part in found.unread))
    if found.largest > 0.0:
        warn(f"{name}: {found.largest_text}")
    return found
