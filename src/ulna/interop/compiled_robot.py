"""A robot file compiled by MuJoCo: bodies, joints and masses, with frames and defaults resolved.

MuJoCo reads URDF and MJCF alike. The file itself is read once more, as plain XML, for what MuJoCo
drops of a URDF: limits of velocity and mimic joints.
"""

from __future__ import annotations

import itertools
import math
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers.expat import ExpatError, ParserCreate

from ulna.errors import InputError, Problem, Problems, import_extra, listed, shown, warn

if TYPE_CHECKING:
    import mujoco

MAX_BYTES = 3_000_000  # of a file
MAX_ELEMENTS = 10_000  # MuJoCo takes the square of their number
MAX_DEPTH = 400  # elements within one another; MuJoCo refuses 500
MAX_ATTRIBUTES = 100  # of an element: MuJoCo takes the square of their number
MAX_CHARACTERS = 1_000  # of an attribute that thousands of elements may inherit
MAX_POINTS = 1_000_000  # of meshes and height fields that MuJoCo makes
LONG = ("mesh", "hfield", "flex", "skin", "bone", "key", "numeric", "text")  # without heirs
MACROS = ("include", "attach", "replicate", "composite", "flexcomp")  # of other files or sizes
XACRO = "xacro:"
NO_LIMIT = 1e9  # what stands for no limit in files that cannot leave one out
ADVICE = {
    "A + B >= C": "correct the inertia, or let MuJoCo change it: <compiler balanceinertia='true'/>",
    "positive eigenvalues": "correct the inertia of that link",
    "mjMINVAL": "give the body a mass and an inertia, or a little of both: "
    "<compiler boundmass='1e-6' boundinertia='1e-9'/>",
}


@dataclass(frozen=True, eq=False)
class CompiledRobot:
    """What MuJoCo made of a file, and what only the file has.

    Parameters
    ----------
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
    root = _parse_xml(text)
    with _warnings_of_mujoco(mujoco, file):
        try:
            spec = mujoco.MjSpec.from_string(text)
            _strip(mujoco, spec)
            model = spec.compile()
        except InputError:
            raise
        except ValueError as error:
            raise InputError(_refusal(str(error), urdf=root.tag == "robot")) from None
    name = root.get("name") or root.get("model") or ""
    bodies = tuple(model.body(i).name or f"body {i}" for i in range(model.nbody))
    joints = tuple(model.joint(i).name or f"joint {i + 1}" for i in range(model.njnt))
    joints_of_urdf = {joint.get("name", ""): joint for joint in root.iterfind("joint")}
    limits = _read_limits(joints_of_urdf, file)
    mimics = {
        own: mimic.get("joint", "")
        for own, joint in joints_of_urdf.items()
        for mimic in joint.iterfind("mimic")
    }
    return CompiledRobot(name, model, bodies, joints, limits, mimics)


def _parse_xml(text: str) -> Element:
    """Return the root of a file; refuse what takes long to compile, or reads other files.

    Elements have the names that MuJoCo sees, which knows no namespaces.
    """
    parser, tree, problems = ParserCreate(), TreeBuilder(), Problems()
    owners, count, points = ["robot"], itertools.count(1), 0.0

    def refuse(got: str, need: str, hint: str = "") -> NoReturn:
        raise InputError(Problem("XML", got, need, hint))

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal points
        numbers = {key: _numbers(value) for key, value in attributes.items()}
        points += _points(numbers)
        longest = 0 if tag in LONG else max(map(len, attributes.values()), default=0)
        for amount, limit, what in (
            (next(count), MAX_ELEMENTS, "elements"),
            (len(owners), MAX_DEPTH, "elements within one another"),
            (len(attributes), MAX_ATTRIBUTES, "attributes of an element"),
            (longest, MAX_CHARACTERS, "characters in an attribute"),
            (points, MAX_POINTS, "points of meshes and height fields"),
        ):
            if amount > limit:
                refuse(f"more than {limit:,} {what}", "fewer", "delete what does not move the arm")
        if tag.startswith(XACRO) or tag in MACROS or (tag == "model" and "file" in attributes):
            hint = "write everything into one file"
            hint = f"run xacro, or {hint}" if tag.startswith(XACRO) else hint
            refuse(f"<{tag}>", "one plain file", hint)
        name = attributes.get("name")
        owners.append(f"{tag} {name!r}" if name else owners[-1])
        for key, found in numbers.items():
            if key != "name" and any(map(math.isnan, found)):  # MuJoCo takes some for 0
                problems.add(f"{owners[-1]}: {tag}.{key}", shown(attributes[key]), "finite numbers")
        tree.start(tag, attributes)

    def end(tag: str) -> None:
        owners.pop()
        tree.end(tag)

    need = "well-formed XML without a document type or entities"
    parser.StartDoctypeDeclHandler = lambda *_: refuse("a document type", need, "delete it")
    parser.StartElementHandler, parser.EndElementHandler = start, end
    try:
        parser.Parse(text, True)
    except ExpatError as error:
        refuse(str(error), need)
    problems.raise_if_any()
    root: Element = tree.close()
    return root


def _points(numbers: dict[str, list[float]]) -> float:
    """Return how many points MuJoCo makes at most for the attributes of an element."""
    side = max(map(abs, numbers.get("params", [])), default=0.0)  # of a mesh that is built in
    return side * side + abs(math.prod(numbers.get("nrow", [0.0]) + numbers.get("ncol", [0.0])))


def _numbers(text: str) -> list[float]:
    """Return the numbers of an attribute; none of text."""
    try:
        return [float(word) for word in text.split()]
    except ValueError:
        return []


def _read_limits(joints: dict[str, Element], file: str) -> dict[str, float]:
    """Return the largest rates of joints, and check what MuJoCo drops of their limits."""
    found, zero, problems = dict[str, float](), list[str](), Problems()
    for name, joint in joints.items():
        limit = joint.find("limit")
        if limit is None or joint.get("type") == "fixed":
            continue
        values = dict[str, float]()
        for key in ("lower", "upper", "velocity", "effort"):
            numbers = _numbers(text := limit.get(key, "0"))
            if len(numbers) != 1:
                problems.add(f"joint.{name}.limit.{key}", shown(text), "a number")
            values[key] = numbers[0] if numbers else 0.0
        if joint.get("type") == "revolute" and values["lower"] > values["upper"]:
            got = f"a lower limit of {values['lower']:g} above the upper one of {values['upper']:g}"
            problems.add(f"joint.{name}.limit", got, "the smaller angle as lower")
        idle = [key for key in ("velocity", "effort") if values[key] == 0.0 and key in limit.attrib]
        zero += [f"{key} of {name}" for key in idle]
        found[name] = values["velocity"] if 0.0 != values["velocity"] < NO_LIMIT else math.inf
    problems.raise_if_any()
    if zero:
        warn(f"{file}: limits of 0 are taken for none: {listed(zero)}")
    return found


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
    """Delete what no joint and no mass depends on; refuse masses that depend on other files."""
    spec.compiler.fusestatic = False
    spec.compiler.LRopt.mode = mujoco.mjtLRMode.mjLRMODE_NONE
    # Files may ask for any amount of memory, which the rest of the model is not bound to.
    spec.nkey = spec.nuserdata = 0
    for name in ("memory", "njmax", "nconmax", *(n for n in dir(spec) if n.startswith("nuser_"))):
        setattr(spec, name, -1)
    for actuator in spec.actuators:
        actuator.nsample, actuator.delay, actuator.actdim = 0, 0.0, min(actuator.actdim, 1)
    for part in (*spec.geoms, *spec.sites, *spec.tendons):
        part.material = ""
    looks = (*spec.lights, *spec.materials, *spec.skins, *spec.textures)
    for part in (*looks, *spec.keys, *spec.pairs, *spec.sensors, *spec.tuples):
        spec.delete(part)
    _strip_shapes(mujoco, spec)


def _strip_shapes(mujoco: Any, spec: Any) -> None:
    """Delete meshes and height fields that no mass is computed from, and all that are in files."""
    forced = spec.compiler.inertiafromgeom == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    problems = Problems()
    for body in spec.bodies:
        weighs = _is_static(body) or (body.explicitinertial and not forced)
        shaped = [geom for geom in body.geoms if geom.meshname or geom.hfieldname]
        for geom in shaped:
            shape = spec.mesh(geom.meshname) or spec.hfield(geom.hfieldname)
            if weighs:
                spec.delete(geom)
            elif shape and shape.file:
                got = f"a mass computed from {shown(shape.file)}, which is not read"
                need = "an <inertial>" + " without inertiafromgeom='true'" * forced
                problems.add(f"body.{body.name}" if body.name else "a body", got, need)
    problems.raise_if_any()
    for shape in (*spec.meshes, *spec.hfields):
        if shape.file:
            spec.delete(shape)


def _is_static(body: Any) -> bool:
    """Return whether a body never moves: the world, and whatever is fixed to it."""
    while body.parent is not None:
        if body.joints:
            return False
        body = body.parent
    return True


def _refusal(message: str, *, urdf: bool) -> Problem:
    """Return why MuJoCo refuses a file, and what mends it."""
    text = " ".join(message.split()).removeprefix("XML ").removeprefix("Error: ")
    hint = next((advice for sign, advice in ADVICE.items() if sign in text), "")
    if urdf:
        hint = re.sub("<compiler.*/>", r"<mujoco>\g<0></mujoco>", hint)
    return Problem("robot", f"a model that MuJoCo refuses ({text})", "one that it compiles", hint)
