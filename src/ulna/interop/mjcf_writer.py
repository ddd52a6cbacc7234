"""The text of an MJCF file, MuJoCo's own, that describes an arm.

An arm is written upright in the plane of MuJoCo's x and z axes, under its own gravity. Links lie
along x of their bodies, hinges turn about z, and their angles are those of the arm. Rotors become
armatures, and what they couple goes into the inertias of the links, exactly.
"""

from __future__ import annotations

import math

from ulna.arm.components import Joint
from ulna.arm.planar_arm import Arm
from ulna.errors import InputError, Problem
from ulna.interop.exported_arm import (
    ExportedArm,
    ExportedLink,
    bounded,
    exported_links,
    lost_parts,
    torque_differences,
    usual_rates,
)

LIGHTEST = 1e-14  # [kg], [kg·m²]: MuJoCo takes nothing below 1e-15
WIDTH = 0.03  # of a link as it is drawn, of its length


def format_mjcf(arm: Arm) -> ExportedArm:
    """Return the text of an MJCF file that describes an arm, with what is lost in it."""
    from xml.sax.saxutils import quoteattr

    links, lost = exported_links(arm, armature=True)
    for number, link in enumerate(links, 1):
        if link.mass < LIGHTEST:
            problem = Problem(f"link.{number}.mass", f"{link.mass:g}", "a mass, which MuJoCo needs")
            raise InputError(problem)
    x, y = arm.gravity
    lines = [
        f"<mujoco model={quoteattr(arm.name or 'arm')}>",
        '  <compiler angle="radian" autolimits="true"/>',
        f'  <option gravity="{x!r} 0 {y!r}"/>',
        "  <worldbody>",
    ]
    for number, (link, joint) in enumerate(zip(links, arm.joints, strict=True), 1):
        place = f'pos="{links[number - 2].length!r} 0 0"'
        if number == 1:
            place = f'pos="{arm.base[0]!r} 0 {arm.base[1]!r}" xyaxes="1 0 0 0 0 1"'
        inner = _body_lines(arm, number, link, joint)
        lines += _indented(number, [f'<body name="link_{number}" {place}>'])
        lines += _indented(number + 1, inner)
    lines += _indented(arm.n + 1, [f'<site name="tip" pos="{links[-1].length!r} 0 0"/>'])
    lines += [line for depth in range(arm.n, 0, -1) for line in _indented(depth, ["</body>"])]
    motors = [f'    <motor name="motor_{i}" joint="joint_{i}"/>' for i in range(1, arm.n + 1)]
    lines += ["  </worldbody>", "  <actuator>", *motors, "  </actuator>", "</mujoco>", ""]
    fast = [str(i) for i, joint in enumerate(arm.joints, 1) if math.isfinite(joint.max_velocity)]
    if fast:
        lost.append(f"limits of the rates of joints {', '.join(fast)}")
    return ExportedArm(
        "\n".join(lines),
        (*lost, *lost_parts(arm, soft_friction=True)),
        (),
        torque_differences(arm, links, soft_friction=True),
        tuple(usual_rates(arm).tolist()),
    )


def _indented(depth: int, lines: list[str]) -> list[str]:
    return ["  " * (depth + 1) + line for line in lines]


def _body_lines(arm: Arm, number: int, link: ExportedLink, joint: Joint) -> list[str]:
    # In the plane only the inertia about z counts; a ball's is one that bodies have.
    inertia = " ".join([repr(max(link.inertia, LIGHTEST))] * 3)
    centre = f"{link.com!r} {link.com_offset!r} 0"
    radius = WIDTH * link.length
    hinge = f'<joint name="joint_{number}" type="hinge" axis="0 0 1"{_settings(arm, number)}'
    if math.isfinite(joint.lower) or math.isfinite(joint.upper):
        hinge += f' range="{bounded(joint.lower)!r} {bounded(joint.upper)!r}"'
    if math.isfinite(joint.max_torque):
        hinge += f' actuatorfrcrange="{-joint.max_torque!r} {joint.max_torque!r}"'
    if link.armature:
        hinge += f' armature="{link.armature!r}"'
    return [
        f'<inertial pos="{centre}" mass="{link.mass!r}" diaginertia="{inertia}"/>',
        f"{hinge}/>",
        f'<geom type="capsule" fromto="0 0 0 {link.length!r} 0 0" size="{radius!r}" mass="0" '
        'contype="0" conaffinity="0"/>',
    ]


def _settings(arm: Arm, number: int) -> str:
    damping, friction = (
        float(values[number - 1]) for values in (arm.parameters.damping, arm.parameters.coulomb)
    )
    text = f' damping="{damping!r}"' if damping else ""
    return text + (f' frictionloss="{friction!r}"' if friction else "")
