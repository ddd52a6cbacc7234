"""Arms by name: a plain one, those of the papers, and three that people own, with their motors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple, cast

from ulna.arm.components import Friction, Joint, Link
from ulna.arm.motor_catalogue import motor
from ulna.arm.motors import Motor
from ulna.arm.planar_arm import Arm
from ulna.errors import InputError, Problem, nearest_name


class Preset(NamedTuple):
    """An arm that can be asked for by name."""

    about: str
    links: tuple[tuple[float, ...], ...]  # what each `Link` takes, in the order of its parameters
    joints: tuple[dict[str, Any], ...] = ()  # what each `Joint` takes; free ones where empty


def _bechard(
    about: str, lengths: list[float], masses: list[float], friction: list[float]
) -> Preset:
    """Return an arm of paper 001 with dampers for its friction B [1/s].

    The paper subtracts B_a θ̇_a from the acceleration of link a, which is a torque of
    B_a I_a(θ) θ̇_a, where I_a = Σ_{k≥a} m_k r_{a,k}² is the inertia about joint a of all masses
    beyond it. For one joint I = m L² is constant, and b = B m L² is exact. For more I_a changes
    with the posture, which a damper cannot do: these have b_a = B_a I_a of the straight arm, where
    I_a is largest and near which the paper's runs start. They act on the rates of the joints, as
    dampers between two links do, and not on those of the links.
    """
    n = len(lengths)
    inertia = [sum(masses[k] * sum(lengths[a : k + 1]) ** 2 for k in range(a, n)) for a in range(n)]
    return Preset(
        f"paper 001: {about}",
        tuple((length, mass, length, 0.0) for length, mass in zip(lengths, masses, strict=True)),
        tuple({"damping": B * I} for B, I in zip(friction, inertia, strict=True)),
    )


def _limited(
    limits: tuple[tuple[float, float], ...], max_velocity: float, max_torque: float, motor: str
) -> tuple[dict[str, Any], ...]:
    alike = {"max_velocity": max_velocity, "max_torque": max_torque, "motor": motor}
    return tuple({"lower": lower, "upper": upper, **alike} for lower, upper in limits)


PRESETS: dict[str, Preset] = {
    "unit": Preset("two rods of 1 m and 1 kg", ((1.0, 1.0), (1.0, 1.0))),
    "kehl": Preset("paper 000: two rods of 0.5 m, 1 kg and 10 kg", ((0.5, 1.0), (0.5, 10.0))),
    # Its listing writes m²/12 where the text has m l²/12. No body has these inertias.
    "kehl-as-printed": Preset(
        "paper 000 with its listing's inertias, m²/12",
        ((0.5, 1.0, 0.25, 1.0**2 / 12), (0.5, 10.0, 0.25, 10.0**2 / 12)),
    ),
    "bechard-1": _bechard("one joint, 1 m, 1 kg, b = 0.2 N·m·s/rad", [1.0], [1.0], [0.2]),
    "bechard-1-driven": _bechard("one joint, 5 m, 1 kg, b = 12.5 N·m·s/rad", [5.0], [1.0], [0.5]),
    "bechard-4": _bechard(
        "four joints with point masses, b = B·I of the straight arm",
        [2.0, 1.0, 0.75, 2.0],
        [3.0, 5.0, 1.0, 3.0],
        [0.5, 0.5, 0.5, 0.25],
    ),
    "bechard-skater": _bechard(
        "the ice skater, two joints, b = B·I of the straight arm",
        [1.0, 0.7],
        [1.0, 3.0],
        [1.2, 2.0],
    ),
    "garai": Preset(
        "paper 002: two rods of 1 m and 0.8 m (numbers ours)", ((1.0, 2.0), (0.8, 1.5))
    ),
    # The paper's links have inertia but no mass, which no body has.
    "ductri": Preset(
        "paper 003: inertias and point masses (numbers ours)",
        ((0.5, 0.0, 0.25, 0.04, 1.0), (0.4, 0.0, 0.2, 0.02, 0.5)),
    ),
    "ang": Preset("paper 004: two links of 1 m and 0.7 m (numbers ours)", ((1.0, 1.0), (0.7, 0.7))),
    "open-manipulator-x": Preset(
        "ROBOTIS OpenMANIPULATOR-X, its three pitch joints (from its URDF)",
        (
            (0.130231, 0.138509, 0.101860, 3.42904e-4, 0.0, 0.008611),
            (0.124, 0.132746, 0.090910, 2.42303e-4, 0.0, 0.000224),
            (0.126, 0.145276, 0.044723, 8.09100e-5, 0.0, 0.008792),
        ),
        _limited(
            ((-0.114552, 2.885448), (-2.785448, 0.114552), (-1.97, 1.70)),
            4.8,
            4.1,
            "dynamixel-xm430-w350",
        ),
    ),
    "so-101": Preset(
        "SO-101 desk arm at 12 V, its three pitch joints (from its URDF)",
        (
            (0.116, 0.103, 0.089214, 1.42487e-4, 0.0, 0.013553),
            (0.135, 0.104, 0.098122, 1.45290e-4, 0.0, -0.000536),
            (0.159227, 0.178, 0.067033, 1.96589e-4, 0.0, 0.001406),
        ),
        _limited(
            ((-0.418321, 3.072339), (-2.978481, 0.401519), (-1.696588, 1.619532)),
            4.712,
            2.942,
            "feetech-sts3215-12v",
        ),
    ),
    # The published inertias are about the joints; the centres of mass are where they are here. The
    # losses of the gear are in the friction that was identified. Its mass matrix has the coupling
    # I_2 − g_r I_r between the joints: the second motor's gear reverses.
    "dfki-double-pendulum": Preset(
        "DFKI double pendulum, design C.1 (identified on the machine)",
        (
            (0.2, 0.52346, 0.2, 0.0318872 - 0.52346 * 0.2**2),
            (0.3, 0.62557, 0.255693, 0.0508698 - 0.62557 * 0.255693**2),
        ),
        tuple(
            {
                "max_torque": 10.0,
                "max_velocity": 38.2,
                "damping": 0.001,
                "friction": Friction(coulomb),
                "motor": replace(
                    cast(Motor, motor("t-motor-ak80-6")),
                    gear_ratio=gear_ratio,
                    rotor_inertia=6.2872e-5,
                    efficiency=1.0,
                    backdriving_efficiency=1.0,
                ),
            }
            for coulomb, gear_ratio in ((0.2513, 6.0), (0.1885, -6.0))
        ),
    ),
}


def preset(name: str) -> Arm:
    """Return the arm of a name.

    Parameters
    ----------
    name : str
        One of `ulna.presets()`.

    Returns
    -------
    Arm
        The arm, with that name.

    Raises
    ------
    InputError
        If there is no such preset; it names the nearest one.

    Examples
    --------
    >>> preset("kehl").reach
    1.0
    """
    if not isinstance(name, str) or name not in PRESETS:
        need = "the name of a preset"
        raise InputError(Problem("preset", repr(name), need, nearest_name(str(name), presets())))
    found = PRESETS[name]
    links = tuple(Link(*numbers) for numbers in found.links)
    joints = tuple(Joint(**options) for options in found.joints) or tuple(Joint() for _ in links)
    # Some have inertias that no body has, as their descriptions say: `Arm.of` would warn.
    return Arm(links, joints, name=name)


def presets() -> tuple[str, ...]:
    """Return the names of all presets.

    Returns
    -------
    tuple of str
        What `ulna.preset` takes.

    Examples
    --------
    >>> "kehl" in presets(), "so-101" in presets()
    (True, True)
    """
    return tuple(PRESETS)
