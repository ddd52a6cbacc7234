"""Files that describe an arm: robot files of ulna, and URDF and MJCF, in and out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from ulna.arm.imported_arm import ImportedArm
from ulna.arm.planar_arm import Arm
from ulna.arm.robot_files import FOREIGN, RESULTS, dumps, read_robot_file
from ulna.errors import InputError, Problem, rewording, shown, warn
from ulna.interop.compiled_robot import MAX_BYTES, compile_robot
from ulna.interop.exported_arm import ExportedArm
from ulna.interop.mjcf_writer import format_mjcf
from ulna.interop.planar_chain import planar_arm
from ulna.interop.urdf_writer import format_urdf
from ulna.storage import read_text, write_whole

DESCRIPTIONS: dict[str, Callable[[Arm], ExportedArm]] = {
    ".urdf": format_urdf,
    ".xml": format_mjcf,
    ".mjcf": format_mjcf,
}


def load(
    file: str | os.PathLike[str],
    *,
    base_link: str | None = None,
    tip_link: str | None = None,
    hold: str | Iterable[str] = (),
) -> Arm:
    r"""Read an arm from a robot file (TOML, format 1), or from a file of another program.

    Parameters
    ----------
    file : path-like
        The file, as `ulna.save` and `ulna new` write it; or a URDF or MJCF file, by its
        ending: .urdf, .xml, .mjcf.
    base_link, tip_link : str, optional
        The planar part of such a file that is more than a planar arm: the link that the arm stands
        on, and the one whose frame is its tip. `ulna.interop.import_robot` returns how the angles
        of the file are counted.
    hold : str or iterable of str, optional
        Joints between them that are held at zero.

    Returns
    -------
    Arm
        The arm that it describes. What is allowed but strange (an inertia that no body has, an
        angle that was probably meant in degrees) is a warning.

    Raises
    ------
    InputError
        With every problem of the file at once; for a file of another format, such as SDF, with
        what to do instead.
    FileError
        If the file cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "arm.toml")
    ...     _ = file.write_text("format = 1\n[[link]]\nlength = '25 cm'\nmass = 0.5\n")
    ...     load(file).reach
    0.25
    """
    if is_description(file):
        found = import_robot(file, base_link=base_link, tip_link=tip_link, hold=hold)
        if found.is_mirrored:
            warn(f"{os.fspath(file)}: {found.axes_text}; points on paths are in the arm's axes")
        if not found.same_angles:
            warn(
                f"{os.fspath(file)} counts joint angles from another zero, or the other way; "
                "`ulna import` and ulna.interop.import_robot show how"
            )
        return found.arm
    for name, link in {"base_link": base_link, "tip_link": tip_link, "hold": hold or None}.items():
        if link is not None:
            raise InputError(Problem(name, shown(link), "a file of another program, such as URDF"))
    return read_robot_file(file)


def is_description(file: str | os.PathLike[str]) -> bool:
    """Return whether a file is one of another program that is read and written, by its name."""
    return Path(file).suffix.lower() in DESCRIPTIONS


def save(arm: Arm, file: str | os.PathLike[str]) -> None:
    """Write an arm to a robot file, which `ulna.load` reads back as an equal arm.

    Parameters
    ----------
    arm : Arm
        What to write.
    file : path-like
        Where to. The file appears whole or not at all, and replaces one that was there. A name
        that ends in .urdf, or in .xml for MuJoCo, makes a file for other programs; of what it
        cannot hold it is warned, with the largest difference of torques.

    Raises
    ------
    InputError
        If the name ends as that of a file of another kind, such as .csv.
    FileError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile, ulna
    >>> arm = ulna.Arm.rods([1.0, 0.5], [2.0, 1.0], name="two rods")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(arm, f"{folder}/arm.toml")
    ...     ulna.load(f"{folder}/arm.toml") == arm
    True
    """
    if Path(file).suffix.lower() in (*FOREIGN, *RESULTS):
        need = f"a name that ends in .toml, {', '.join(DESCRIPTIONS)}"
        raise InputError(Problem("file", shown(os.fspath(file)), need))
    write_whole(file, export_robot(arm, file).text if is_description(file) else dumps(arm))


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
        With everything that keeps the file from being a planar arm: axes that are not parallel,
        prismatic joints, joints that mimic others; or with MuJoCo's reason for refusing the file.
    FileError
        If the file cannot be read.
    MissingExtraError
        Without MuJoCo, which reads the file: `pip install 'ulna[interop]'`.

    Examples
    --------
    >>> import tempfile, ulna
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ulna.save(ulna.Arm.rods([0.3, 0.2], [0.4, 0.2]), f"{folder}/arm.urdf")
    ...     found = import_robot(f"{folder}/arm.urdf")
    >>> found.joint_names, found.arm.reach, found.same_angles
    (('joint_1', 'joint_2'), 0.5, True)
    """
    ending = Path(file).suffix.lower()
    if ending not in DESCRIPTIONS:
        need = f"a file that ends in {', '.join(DESCRIPTIONS)}"
        raise InputError(Problem("file", shown(os.fspath(file)), need))
    text, name = read_text(file, MAX_BYTES), os.fspath(file)
    held = (hold,) if isinstance(hold, str) else tuple(hold)
    with rewording(lambda problem: problem.at(name)):
        return planar_arm(compile_robot(text, name), base_link, tip_link, held)


def export_robot(arm: Arm, file: str | os.PathLike[str]) -> ExportedArm:
    """Return what a file of that name holds for an arm; warn of what is lost in it."""
    found, name = DESCRIPTIONS[Path(file).suffix.lower()](arm), os.fspath(file)
    warn(*(f"{name} loses {part}" for part in found.lost))
    warn(*(f"{name} has {part}" for part in found.unread))
    if found.largest > 0.0:
        warn(f"{name}: {found.largest_text}")
    return found
