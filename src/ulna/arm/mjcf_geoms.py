"""Masses and inertias of the geoms of an MJCF file, as MuJoCo takes them where a body has no other.

Sizes are radii and half lengths. Of a mass of 1, about its centre,

    sphere     2/5 r²
    ellipsoid  (b² + c²)/5                    about x
    box        (b² + c²)/3                    about x
    cylinder   (3 r² + 4 h²)/12, r²/2         across and along
    capsule    a cylinder, and two halves of a sphere at its ends: each 2/5 r², and its centre of
               mass 3/8 r beyond the end
"""

from __future__ import annotations

import math

import numpy as np

from ulna.arm.mjcf_settings import MjcfSettings
from ulna.arm.robot_tree import NO_BODY, Matrix, RigidBody, steiner
from ulna.arm.xml_elements import XmlElement
from ulna.errors import shown

WATER = 1000.0  # [kg/m³] unless a geom says otherwise
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
UNWEIGHED = ("mesh", "sdf")
MASSLESS = ("plane", "hfield")


class UnweighedGeom(Exception):  # noqa: N818
    """A geom whose mass and inertia are not in the file; the text says what it is."""


def geom_body(settings: MjcfSettings, geom: XmlElement, owner: str) -> RigidBody:
    """Return the body of a geom in the frame around it; raise UnweighedGeom for a mesh."""
    reader, kind = settings.reader, geom.attributes.get("type", "sphere")
    if kind not in (*SIZES, *UNWEIGHED, *MASSLESS):
        need = "one of " + ", ".join((*SIZES, *UNWEIGHED, *MASSLESS))
        reader.add(geom.line, f"{owner}.type", shown(kind), need)
        return NO_BODY
    first, last = settings.groups
    if kind in MASSLESS or not first <= reader.number(geom, "group", owner) <= last:
        return NO_BODY
    density = reader.number(geom, "density", owner, WATER, least=0.0)
    mass = reader.number(geom, "mass", owner, math.nan, least=0.0)
    if mass == 0.0 or (math.isnan(mass) and density == 0.0):
        return NO_BODY
    if kind in UNWEIGHED or "mesh" in geom.attributes:
        raise UnweighedGeom("a mesh")
    if geom.attributes.get("shellinertia", "false") != "false":
        raise UnweighedGeom("a shell")
    size = _sizes(settings, geom, kind, owner)
    if math.isnan(mass):
        mass = density * volume(kind, size)
    place = settings.placement(geom, owner)
    turn = place[:3, :3]
    return RigidBody.of(mass, place[:3, 3], turn @ np.diag(mass * moments(kind, size)) @ turn.T)


def _sizes(settings: MjcfSettings, geom: XmlElement, kind: str, owner: str) -> tuple[float, ...]:
    """Read radii and half lengths; one where they are wrong."""
    count, spanned = SIZES[kind], "fromto" in geom.attributes
    if spanned and kind == "sphere":
        settings.reader.add(geom.line, f"{owner}.fromto", "the ends of a sphere", "its centre")
    words = geom.attributes.get("size", "").split()
    needed = 1 if spanned else count
    element = XmlElement(geom.tag, {"size": " ".join(words[:needed])}, geom.line)
    size = settings.reader.numbers(element, "size", (1.0,) * needed, owner)
    if min(size) <= 0.0:
        settings.reader.add(geom.line, f"{owner}.size", shown(" ".join(words)), "positive numbers")
        size = (1.0,) * needed
    if spanned:
        size = (size[0],) * (count - 1) + (settings.span(geom, owner) / 2.0,)
    return size


def volume(kind: str, size: tuple[float, ...]) -> float:
    """Return the volume of a geom [m³]."""
    if kind == "box":
        return 8.0 * math.prod(size)
    if kind == "ellipsoid":
        return 4.0 / 3.0 * math.pi * math.prod(size)
    ball = 4.0 / 3.0 * math.pi * size[0] ** 3
    if kind == "sphere":
        return ball
    tube = 2.0 * math.pi * size[0] ** 2 * size[1]
    return tube if kind == "cylinder" else tube + ball


def moments(kind: str, size: tuple[float, ...]) -> np.ndarray:
    """Return the principal moments of a geom of mass 1 [m²]."""
    if kind in ("box", "ellipsoid"):
        squares = np.array(size) ** 2
        return np.asarray((np.sum(squares) - squares) / (3.0 if kind == "box" else 5.0))
    radius = size[0]
    ball = np.full(3, 0.4 * radius**2)
    if kind == "sphere":
        return ball
    half = size[1]
    across = (3.0 * radius**2 + 4.0 * half**2) / 12.0
    tube = np.array([across, across, radius**2 / 2.0])
    if kind == "cylinder":
        return tube
    share = volume("sphere", size) / volume("capsule", size)
    apart = (half**2 + 0.75 * half * radius) * np.array([1.0, 1.0, 0.0])
    return np.asarray((1.0 - share) * tube + share * (ball + apart))


def bounded_body(settings: MjcfSettings, body: RigidBody) -> RigidBody:
    """Return a body with the least mass and moments that a file asks for, and balanced ones."""
    if not (settings.least_mass or settings.least_inertia or settings.balanced) or not body.mass:
        return body
    centre = body.moment / body.mass
    about_centre: Matrix = body.inertia - body.mass * steiner(centre)
    values, axes = np.linalg.eigh(about_centre)
    values = np.maximum(values, settings.least_inertia)
    if settings.balanced and np.sum(values) < 2.0 * np.max(values):
        values = np.full(3, np.mean(values))
    return RigidBody.of(max(body.mass, settings.least_mass), centre, (axes * values) @ axes.T)
