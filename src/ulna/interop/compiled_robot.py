"""A robot file compiled by MuJoCo: bodies, joints and masses, with frames and defaults resolved.

MuJoCo reads URDF and MJCF alike. The file itself is read once more, as plain XML, for the little
that MuJoCo drops of a URDF: limits of velocity and mimic joints.
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

from ulna.errors import InputError, Problem, did_you_mean, import_extra, shown, warn

if TYPE_CHECKING:
    import mujoco

MAX_BYTES = 3_000_000  # of a file: thousands of links
MAX_BODIES, MAX_ELEMENTS = 500, 20_000  # MuJoCo compiles a chain of 500 links in a second
MAX_LISTED = 8  # names in one message
XACRO = ("{http://www.ros.org/wiki/xacro", "{http://ros.org/wiki/xacro")
NO_LIMIT = 1e9  # what stands for no limit in files that cannot leave one out
ROOTS = ("robot", "mujoco")
# Elements of URDF that move something, and their attributes; MuJoCo ignores any others.
URDF_ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "joint": ("name", "type"),
    "inertial": (),
    "origin": ("xyz", "rpy"),
    "mass": ("value",),
    "inertia": ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"),
    "axis": ("xyz",),
    "limit": ("lower", "upper", "effort", "velocity"),
    "dynamics": ("damping", "friction"),
    "mimic": ("joint", "multiplier", "offset"),
}
# Elements below the root that an arm is read from, or that change nothing but looks and names.
READ = (
    *("link", "joint", "material", "mujoco", "compiler", "option", "size", "visual", "statistic"),
    *("default", "asset", "worldbody", "custom", "actuator", "equality", "tendon", "contact"),
)
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
    urdf = root.tag == "robot"
    with _warnings_of_mujoco(mujoco, file):
        try:
            spec = mujoco.MjSpec.from_string(text)
            _strip(mujoco, spec)
            model = spec.compile()
        except ValueError as error:
            raise InputError(_refusal(str(error), file, urdf=urdf)) from None
    limits, mimics = _read_urdf(root, file) if urdf else ({}, {})
    ignored = dict.fromkeys(str(part.tag) for part in root if part.tag not in READ)
    if ignored:
        warn(f"{file}: ignored, as no part of an arm's motion: {', '.join(ignored)}")
    name = root.get("name" if urdf else "model") or ""
    bodies = tuple(model.body(i).name or f"body {i}" for i in range(model.nbody))
    joints = tuple(model.joint(i).name or f"joint {i + 1}" for i in range(model.njnt))
    return CompiledRobot(file, name, model, bodies, joints, limits, mimics)


def _parse_xml(text: str, file: str) -> Element:
    """Return the root of a file; refuse what is not XML, or may expand or read other files."""
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    try:
        root: Element = fromstring(text, forbid_dtd=True)
    except ParseError as error:
        raise InputError(Problem("XML", str(error), "well-formed XML", place=file)) from None
    except (DefusedXmlException, ValueError):
        got, need = "a document type or entities", "XML without them"
        raise InputError(Problem("XML", got, need, place=file)) from None
    if root.tag not in ROOTS:
        need = "<robot> of a URDF, or <mujoco>"
        raise InputError(Problem("XML", f"<{shown(root.tag)[1:-1]}>", need, place=file))
    elements = list(root.iter())
    bodies = sum(part.tag in ("link", "body") for part in elements)
    if bodies > MAX_BODIES or len(elements) > MAX_ELEMENTS:
        got = f"{bodies:,} links and {len(elements):,} elements"
        need = f"at most {MAX_BODIES} and {MAX_ELEMENTS:,}"
        raise InputError(Problem("XML", got, need, place=file))
    for part in elements:
        hidden = next((value for value in part.attrib.values() if not value.isprintable()), None)
        if hidden is not None:
            got = f"a control character in {shown(hidden)}"
            raise InputError(Problem("XML", got, "text that can be printed", place=file))
        if part.tag in ("include", "attach") or part.tag.startswith(XACRO):
            hint = "run xacro, or write everything into one file"
            raise InputError(Problem("XML", f"<{part.tag}>", "one plain file", hint, file))
    return root


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


def _read_urdf(root: Element, file: str) -> tuple[dict[str, float], dict[str, str]]:
    """Return the limits of velocity and the mimic joints of a URDF."""
    children = {child.get("link") for child in root.iterfind("joint/child")}
    links = [link.get("name", "") for link in root.iterfind("link")]
    roots = [shown(name) for name in links if name not in children]
    if len(roots) > 1:
        got = f"several links without a joint before them: {', '.join(roots[:MAX_LISTED])}"
        raise InputError(Problem("robot", got, "one, the base", place=file))
    _warn_of_attributes(root, file)
    limits, mimics = {}, {}
    for joint in root.findall("joint"):
        name, limit, mimic = joint.get("name", ""), joint.find("limit"), joint.find("mimic")
        if mimic is not None:
            mimics[name] = mimic.get("joint", "")
        velocity = 0.0 if limit is None else _number(limit, "velocity", f"{file}: joint.{name}")
        limits[name] = velocity if 0.0 < velocity < NO_LIMIT else math.inf
    return limits, mimics


def _number(element: Element, key: str, place: str) -> float:
    text = element.get(key, "0")
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0.0 <= number < math.inf:
        raise InputError(Problem(key, shown(text), "a number, at least 0", place=place))
    return number


def _warn_of_attributes(root: Element, file: str) -> None:
    """Warn of attributes that a URDF does not have, and that MuJoCo ignores."""
    for part in root.iter():
        known = URDF_ATTRIBUTES.get(part.tag, tuple(part.keys()))
        for key in set(part.keys()).difference(known):
            hint = did_you_mean(key, known)
            text = f"{file}: <{part.tag}> has no attribute {shown(key)}; it is ignored"
            warn(f"{text}; {hint}" if hint else text)
