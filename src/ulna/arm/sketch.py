"""How an arm shows itself: a few lines of text, and a table with a small drawing for notebooks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ulna.arm.components import Friction, Joint, Link
    from ulna.arm.motors import AnyMotor
    from ulna.arm.planar_arm import Arm

ROWS_SHOWN = 12  # longer arms show their first and last links
SIZE = 160  # [px] of the drawing's longer side
MARGIN = 12  # [px]


def summary(arm: Arm) -> str:
    """Describe an arm in plain ASCII, a line for every link."""
    rows = (f"  {' '.join(row)}".rstrip() for row in _rows(arm))
    return "\n".join([f"Arm {arm.name!a}: {_headline(arm)}", *rows])


def _headline(arm: Arm) -> str:
    payload = f", payload {arm.payload.mass:g} kg" if arm.payload.mass else ""
    base = "" if arm.base == (0.0, 0.0) else f", base ({arm.base[0]:g}, {arm.base[1]:g}) m"
    return (
        f"{arm.n} link{'s' * (arm.n > 1)}, reach {arm.reach:g} m, "
        f"{arm.mass:g} kg{payload}, gravity ({arm.gravity[0]:g}, {arm.gravity[1]:g}) m/s^2{base}"
    )


def sketch_html(arm: Arm) -> str:
    """Describe an arm as HTML: a drawing to scale beside a table of its links."""
    from html import escape

    head = f"{arm.name}: {_headline(arm)}" if arm.name else _headline(arm)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in _rows(arm)
    )
    return (
        '<div style="display:flex;gap:1em;align-items:center">'
        f"{_drawing(arm)}<div><p>{escape(head)}</p><table>{rows}</table></div></div>"
    )


def _rows(arm: Arm) -> list[tuple[str, str, str, str]]:
    rows = [
        (f"{number:>2}", f"{link.length:g} m", _matter(link), _joint(joint))
        for number, (link, joint) in enumerate(zip(arm.links, arm.joints, strict=True), 1)
    ]
    if len(rows) > ROWS_SHOWN:
        left_out = (" .", f"({len(rows) - ROWS_SHOWN + 1} more)", "", "")
        rows = [*rows[: ROWS_SHOWN - 2], left_out, rows[-1]]
    return rows


def _matter(link: Link) -> str:
    shape = "rod" if link.is_rod else f"com {link.com:g} m, inertia {link.inertia:.4g} kg*m^2"
    offset = f", offset {link.com_offset:g} m" if link.com_offset else ""
    tip = f", tip mass {link.tip_mass:g} kg" if link.tip_mass else ""
    return f"{link.mass:g} kg {shape}{offset}{tip}"


def _joint(joint: Joint) -> str:
    limits = f"{math.degrees(joint.lower):.4g}..{math.degrees(joint.upper):.4g} deg"
    notes = [
        limits if math.isfinite(joint.lower) or math.isfinite(joint.upper) else "",
        f"{joint.max_torque:g} N*m" if math.isfinite(joint.max_torque) else "",
        f"{joint.max_velocity:g} rad/s" if math.isfinite(joint.max_velocity) else "",
        f"damping {joint.damping:g}" if joint.damping else "",
        f"rotor {joint.rotor_inertia:g} x {joint.gear_ratio:g}" if joint.rotor_inertia else "",
        _friction(joint.friction) if joint.friction else "",
        motor_text(joint.motor) if joint.motor else "",
    ]
    shown = ", ".join(note for note in notes if note)
    return f"[{shown}]" if shown else ""


def motor_text(motor: AnyMotor) -> str:
    """Return what a motor is called: its name, or its kind."""
    return f"motor {motor.name or motor.kind}"


def _friction(friction: Friction) -> str:
    dry, drag = friction.static, friction.drag
    coulomb = (
        f"{friction.coulomb:g}"
        if friction.coulomb == dry
        else f"{friction.coulomb:g} (static {dry:g})"
    )
    notes = [
        f"friction {coulomb} N*m" if dry else "",
        f"drag {drag:g} N*m*s^2/rad^2" if drag else "",
    ]
    return ", ".join(note for note in notes if note)


def _drawing(arm: Arm) -> str:
    # A bent pose in which no link hides another: up first, then over to the right.
    bends = np.full(arm.n, -1.9 / arm.n)
    bends[0] = 1.35
    steps = arm.parameters.length * np.exp(1j * np.cumsum(bends))
    points = np.concatenate([[0.0], np.cumsum(steps)])
    scale = (SIZE - 2 * MARGIN) / max(np.ptp(points.real), np.ptp(points.imag))
    x = MARGIN + scale * (points.real - points.real.min())
    y = MARGIN + scale * (points.imag.max() - points.imag)
    thickness = np.linspace(9.0, 5.0, arm.n)
    lines = "".join(
        f'<line x1="{x[i]:.1f}" y1="{y[i]:.1f}" x2="{x[i + 1]:.1f}" y2="{y[i + 1]:.1f}" '
        f'stroke="#2b323c" stroke-width="{thickness[i]:.1f}" stroke-linecap="round"/>'
        for i in range(arm.n)
    )
    hinges = "".join(
        f'<circle cx="{x[i]:.1f}" cy="{y[i]:.1f}" r="2.5" fill="#fff"/>' for i in range(arm.n)
    )
    tip = f'<circle cx="{x[-1]:.1f}" cy="{y[-1]:.1f}" r="5" fill="#e06412"/>'
    width, height = x.max() + MARGIN, y.max() + MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'role="img" aria-label="sketch of the arm">{lines}{hinges}{tip}</svg>'
    )
