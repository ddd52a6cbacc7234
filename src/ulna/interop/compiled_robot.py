"""A robot file compiled by MuJoCo: bodies, joints and masses, with frames and defaults resolved.

MuJoCo reads URDF and MJCF alike. The file itself is read once more, as plain XML, for what MuJoCo
drops of a URDF: limits of velocity and mimic joints.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element, ParseError

from ulna.errors import InputError, Problem, import_extra, warn

if TYPE_CHECKING:
    import mujoco

MAX_BYTES = 3_000_000  # of a file: thousands of links
XACRO = ("{http://www.ros.org/wiki/xacro", "{http://ros.org/wiki/xacro")
NO_LIMIT = 1e9  # what stands for no limit in files that cannot leave one out
WEIGH = "give the body an <inertial>, so that its meshes are not needed"
ADVICE = {
    "A + B >= C": "correct the inertia, or let MuJoCo change it: <compiler balanceinertia='true'/>",
    "mjMINVAL": "give the body a mass and an inertia, or a little of both: "
    "<compiler boundmass='1e-6' boundinertia='1e-9'/>",
    "mesh": WEIGH,
    "hfield": WEIGH,
}


@dataclass(frozen=True, eq=False)
class CompiledRobot:
    """What MuJoCo made of a file, and what only the file has.

    Parameters
    ----------
    file : str
        Its name, for messages.
    name : str
        The name of the robot.
    model : mujoco.MjModel
        The compiled model.
    bodies, joints : tuple of str
        Names of its bodies and joints; numbers stand for those that have none.
    velocity_limits : dict of str to float
        Limits of joints [rad/s] in a URDF.
    mimics : dict of str to str
        Joints of a URDF that follow another one, with its name.
    """

    file: str
    name: str
    model: mujoco.MjModel
    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    velocity_limits: dict[str, float]
    mimics: dict[str, str]


def compile_robot(text: str, file: str) -> CompiledRobot:
    """Compile the text of a URDF or MJCF file.

    Raises
    ------
    InputError
        If the file is not XML, or MuJoCo refuses it.
    MissingExtraError
        Without MuJoCo.
    """
    mujoco = import_extra("mujoco", "interop", "a URDF or MJCF file")
    root = _parse_xml(text, file)
    with _warnings_of_mujoco(mujoco, file):
        try:
            spec = mujoco.MjSpec.from_string(text)
            _strip(mujoco, spec)
            model = spec.compile()
        except ValueError as error:
            raise InputError(_refusal(str(error), file, urdf=root.tag == "robot")) from None
    name = root.get("name") or root.get("model") or ""
    bodies = tuple(model.body(i).name or f"body {i}" for i in range(model.nbody))
    joints = tuple(model.joint(i).name or f"joint {i + 1}" for i in range(model.njnt))
    joints_of_urdf = {joint.get("name", ""): joint for joint in root.iterfind("joint")}
    limits = {own: _velocity(part) for own, part in joints_of_urdf.items()}
    found = {own: part.find("mimic") for own, part in joints_of_urdf.items()}
    mimics = {own: mimic.get("joint", "") for own, mimic in found.items() if mimic is not None}
    return CompiledRobot(file, name, model, bodies, joints, limits, mimics)


def _parse_xml(text: str, file: str) -> Element:
    """Return the root of a file; refuse what is not XML, or may expand or read other files."""
    from defusedxml.ElementTree import fromstring

    try:
        root: Element = fromstring(text, forbid_dtd=True)
    except (ParseError, ValueError) as error:
        need = "well-formed XML without a document type or entities"
        raise InputError(Problem("XML", str(error), need, place=file)) from None
    for part in root.iter():
        if part.tag in ("include", "attach") or part.tag.startswith(XACRO):
            hint = "run xacro, or write everything into one file"
            raise InputError(Problem("XML", f"<{part.tag}>", "one plain file", hint, file))
    return root


def _velocity(joint: Element) -> float:
    """Return the largest rate of a joint; NaN, which no joint takes, for text."""
    limit = joint.find("limit")
    try:
        value = 0.0 if limit is None else float(limit.get("velocity", "0"))
    except ValueError:
        return math.nan
    return math.inf if value == 0.0 or value >= NO_LIMIT else value


@contextmanager
def _warnings_of_mujoco(mujoco: Any, file: str) -> Iterator[None]:
    """Pass on MuJoCo's warnings, which it would write to a file in the current folder."""
    before, texts = mujoco.get_mju_user_warning(), list[str]()
    mujoco.set_mju_user_warning(texts.append)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
    finally:
        mujoco.set_mju_user_warning(before)
        texts += [str(one.message) for one in caught]
        warn(*(f"{file}: {text}" for text in dict.fromkeys(texts)))


def _strip(mujoco: Any, spec: Any) -> None:
    """Delete looks, and meshes of bodies whose mass is given."""
    shapes = (mujoco.mjtGeom.mjGEOM_MESH, mujoco.mjtGeom.mjGEOM_HFIELD, mujoco.mjtGeom.mjGEOM_SDF)
    spec.compiler.fusestatic = False
    for number, body in enumerate(spec.bodies):
        weighs = body.explicitinertial or number == 0
        for geom in list(body.geoms):
            geom.material = ""
            if weighs and geom.type in shapes:
                spec.delete(geom)
    for site in spec.sites:
        site.material = ""
    used = {geom.meshname for geom in spec.geoms}
    unused = [mesh for mesh in spec.meshes if mesh.name not in used]
    for part in (*spec.keys, *spec.skins, *spec.materials, *spec.textures, *unused):
        spec.delete(part)


def _refusal(message: str, file: str, *, urdf: bool) -> Problem:
    """Return why MuJoCo refuses a file, and what mends it."""
    text = " ".join(message.split()).removeprefix("XML ").removeprefix("Error: ")
    hint = next((advice for sign, advice in ADVICE.items() if sign in text), "")
    if urdf:
        hint = re.sub("<compiler.*/>", r"<mujoco>\g<0></mujoco>", hint)
    got = f"a model that MuJoCo refuses ({text})"
    return Problem("robot", got, "one that it compiles", hint, file)
