"""The papers' drawings of their arms, with the letters that they use."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from matplotlib.figure import Figure

from papers.schematic import Floats, Schematic, ends, heading
from ulna.viewer import PRINT, Theme

LENGTHS = (1.0, 0.8)
GRAVITY = 0.34  # [m] length of the arrow
RIGHT = np.array([0.6, 0.0])  # [m] along which absolute angles are measured
ASIDE = 0.26  # [m] from a link to its measure, with room for a torque between them


def one_joint(theme: Theme = PRINT) -> Figure:
    """Draw paper 001's one joint: a mass at the end of a bar, a torque, friction and weight."""
    phi = float(np.radians(38.0))
    sheet = Schematic((-0.62, 1.72), (-0.3, 1.06), theme=theme)
    base, end = points = ends([1.2], [phi])
    strong, blue = sheet.theme.data[0], sheet.theme.data[1]
    sheet.frame(right=1.5, up=0.85)
    sheet.ground()
    sheet.chain(points)
    sheet.mass(end, radius=0.075)
    sheet.text(end, "$m_1$", by=(0.15, 0.05))
    sheet.angle(base, 0.0, phi, r"$\theta$", color=blue, radius=0.5, away=0.08)
    sheet.torque(base, 2.2, 3.95, r"$\tau_{app}$", color=strong, radius=0.17, away=0.13, at=0.5)
    sheet.length(base, end, "$L$", aside=0.13)
    sheet.arrow(end, end - [0.0, 0.42])
    sheet.text(end, "$m_1 g$", by=(0.14, -0.36))
    _friction(sheet, base, phi)
    return sheet.figure


def sequential_arm(theme: Theme = PRINT) -> Figure:
    """Draw paper 001's arm of n joints: absolute angles, masses at the ends of the links."""
    phi = np.radians([62.0, 20.0, 52.0, -24.0])
    sheet = Schematic((-0.5, 2.75), (-0.3, 1.75), theme=theme)
    points = ends([0.85, 0.75, 0.6, 0.8], list(phi))
    sheet.frame(right=0.75, up=0.7)
    sheet.ground()
    sheet.chain(points)
    names = ("1", "2", "3", "n")
    masses = (0.13, -0.12), (0.14, -0.12), (0.05, 0.15), (0.05, -0.16)
    for i, (start, end) in enumerate(pairwise(points)):
        name, color = names[i], sheet.theme.data[i]
        sheet.line(start, start + RIGHT)
        sheet.angle(
            start, 0.0, phi[i], rf"$\theta_{name}$", color=color, radius=0.38, away=0.1, at=0.6
        )
        sheet.torque(
            start, 2.15, 3.6, rf"$\tau_{name}$", color=color, radius=0.15, away=0.11, at=0.2
        )
        sheet.mass(end)
        sheet.text(end, f"$m_{name}$", by=masses[i])
        _beside(sheet, start, end, f"$L_{name}$", far=-0.13 if name == "n" else 0.12)
    _gravity(sheet, (2.55, 1.6))
    return sheet.figure


def garai(theme: Theme = PRINT) -> Figure:
    """Draw paper 002's Figure 1: two rods, both angles from the x axis, a force at the tip."""
    phi = np.radians([56.0, 16.0])
    sheet = Schematic((-0.5, 1.95), (-0.3, 1.5), theme=theme)
    base, elbow, tip = points = ends(LENGTHS, list(phi))
    first, second = sheet.theme.data[1], sheet.theme.data[2]
    sheet.frame(right=1.0, up=1.3)
    sheet.ground()
    sheet.line(elbow, elbow + 1.5 * RIGHT)
    sheet.chain(points)
    sheet.angle(base, 0.0, phi[0], "$q_1$", color=first, radius=0.34, away=0.09)
    sheet.angle(elbow, 0.0, phi[1], "$q_2$", color=second, radius=0.62, away=0.1)
    _motors(sheet, points, first, second)
    for start, end, name in ((base, elbow, "1"), (elbow, tip, "2")):
        sheet.centre(0.5 * (start + end))
        sheet.length(start, end, f"$l_{name}$", aside=ASIDE)
    sheet.text(0.5 * elbow, "$m_1$", by=(0.13, -0.06))
    sheet.text(0.5 * (elbow + tip), "$m_2$", by=(0.02, -0.2))
    sheet.text(base, "$J_1$", by=(0.19, -0.09))
    sheet.text(elbow, "$J_2$", by=(0.09, -0.11))
    _tip(sheet, tip)
    _gravity(sheet, (1.78, 0.62))
    return sheet.figure


def garai_angles(theme: Theme = PRINT) -> Figure:
    """Draw paper 002's Figure 2: the two right triangles behind its inverse kinematics."""
    phi = np.radians([66.0, 12.0])
    sheet = Schematic((-0.45, 2.0), (-0.22, 1.44), theme=theme)
    base, elbow, tip = points = ends(LENGTHS, list(phi))
    along = elbow / np.linalg.norm(elbow)
    foot, below = along * float(tip @ along), np.array([tip[0], 0.0])
    bearing = float(np.arctan2(tip[1], tip[0]))
    sheet.frame(right=1.75, up=1.25)
    for start, end in ((base, tip), (tip, below), (elbow, foot), (tip, foot)):
        sheet.line(start, end, lw=1.3)
    _right_angle(sheet, foot, phi[0] - np.pi / 2, phi[0] + np.pi)
    _right_angle(sheet, below, np.pi / 2, np.pi)
    sheet.chain(points)
    sheet.angle(base, 0.0, bearing, r"$\phi$", color=theme.data[0], radius=0.46, away=0.08)
    sheet.angle(base, bearing, phi[0], r"$\varphi$", color=theme.data[1], radius=0.36, away=0.08)
    sheet.angle(elbow, phi[1], phi[0], r"$\theta$", color=theme.data[2], radius=0.24, away=0.08)
    _beside(sheet, base, elbow, "$l_1$")
    _beside(sheet, tip, elbow, "$l_2$")
    sheet.text([0.5 * tip[0], -0.09], "$x$")
    sheet.text([tip[0] + 0.07, 0.5 * tip[1]], "$y$")
    sheet.text(0.5 * (foot + tip), r"$l_2\,\sin\theta$", ha="left", by=(0.05, 0.1))
    sheet.text(0.5 * (foot + elbow), r"$l_2\,\cos\theta$", ha="right", by=(-0.06, 0.05))
    sheet.text(tip, "$E(x, y)$", ha="left", by=(0.07, 0.03))
    sheet.text(base, "$J_1$", by=(-0.11, -0.08))
    sheet.text(elbow, "$J_2$", by=(-0.1, 0.06))
    return sheet.figure


def ductri(theme: Theme = PRINT) -> Figure:
    """Draw paper 003's arm: relative angles, point masses at joints and tip, inertias of links."""
    chi = np.radians([32.0, 42.0])
    phi = np.cumsum(chi)
    sheet = Schematic((-0.5, 1.75), (-0.3, 1.5), theme=theme)
    base, elbow, tip = points = ends(LENGTHS, list(phi))
    first, second = sheet.theme.data[1], sheet.theme.data[2]
    sheet.frame(right=1.1, up=0.95)
    sheet.ground()
    sheet.line(elbow, elbow + 0.65 * elbow)
    for place, name, aside in (
        (base, "$m_1$", (0.19, -0.1)),
        (elbow, "$m_2$", (0.12, -0.11)),
        (tip, "$m_E$", (0.15, 0.02)),
    ):
        sheet.mass(place)
        sheet.text(place, name, by=aside)
    sheet.chain(points)
    sheet.mass(tip)
    sheet.angle(base, 0.0, chi[0], r"$\chi_1$", color=first, radius=0.38, away=0.09)
    sheet.angle(elbow, phi[0], phi[1], r"$\chi_2$", color=second, radius=0.28, away=0.09)
    _motors(sheet, points, first, second)
    for i, (start, end) in enumerate(((base, elbow), (elbow, tip)), start=1):
        sheet.centre(0.5 * (start + end))
        _beside(sheet, start, end, f"$l_{i}$", far=0.12)
    sheet.text(0.55 * elbow, r"$I_1,\, m_1^L$", ha="left", by=(0.07, -0.09))
    sheet.text(elbow + 0.62 * (tip - elbow), r"$I_2,\, m_2^L$", ha="left", by=(0.07, -0.02))
    _gravity(sheet, (1.55, 0.5))
    return sheet.figure


def _motors(sheet: Schematic, points: Floats, first: str, second: str) -> None:
    for place, name, color in ((points[0], "1", first), (points[1], "2", second)):
        text = rf"$\tau_{name}$"
        sheet.torque(place, 2.0, 3.5, text, color=color, radius=0.16, away=0.09, at=0.85)


def _gravity(sheet: Schematic, top: tuple[float, float]) -> None:
    sheet.arrow(top, (top[0], top[1] - GRAVITY))
    sheet.text((top[0] + 0.07, top[1] - 0.5 * GRAVITY), "$g$")


def _friction(sheet: Schematic, base: Floats, phi: float) -> None:
    """Draw what slows the bar down as an arrow against the way that it turns."""
    quiet = sheet.theme.muted
    sheet.torque(base, phi + 0.62, phi + 0.24, "", color=quiet, radius=0.85)
    place = base + 0.93 * heading(phi + 0.5)
    sheet.text(place, r"$\mathrm{friction}\;\; B\,\dot{\theta}$", color=quiet, ha="center")


def _beside(sheet: Schematic, start: Floats, end: Floats, text: str, *, far: float = 0.1) -> None:
    """Write the letter of a length to the left of the way."""
    along = (end - start) / np.linalg.norm(end - start)
    sheet.text(0.5 * (start + end) + far * np.array([-along[1], along[0]]), text)


def _tip(sheet: Schematic, tip: Floats) -> None:
    force, color = np.array([0.3, 0.2]), sheet.theme.accent
    sheet.arrow(tip, tip + force, color=color, lw=2.4)
    sheet.text(tip + force, r"$\vec{F}$", color=color, by=(-0.06, 0.09))
    sheet.text(tip, "$E(x, y)$", ha="left", by=(0.06, -0.08))


def _right_angle(sheet: Schematic, corner: Floats, one: float, other: float) -> None:
    """Mark a right angle between two directions by a small square."""
    a, b = 0.06 * heading(one), 0.06 * heading(other)
    for start, end in ((corner + a, corner + a + b), (corner + a + b, corner + b)):
        sheet.line(start, end, ls="-", lw=0.9)
