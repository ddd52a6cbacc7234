"""Arms by name: a plain one, those of the papers, and three that people own."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ulna.arm.components import Friction, Joint, Link
from ulna.arm.planar_arm import Arm
from ulna.errors import InputError, Problem, nearest_name


class Preset(NamedTuple):
    """An arm that can be asked for by name."""

    about: str
    build: Callable[[], Arm]


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
    return PRESETS[name].build().replace(name=name)


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


def _unit() -> Arm:
    return Arm.rods([1.0, 1.0], [1.0, 1.0])


def _kehl() -> Arm:
    return Arm.rods([0.5, 0.5], [1.0, 10.0])


def _kehl_as_printed() -> Arm:
    # Its listing writes m²/12 where the text has m l²/12. No body has these inertias, and the
    # name says so: the arm is built without the warning that `Arm.of` would give.
    links = (Link(0.5, 1.0, inertia=1.0**2 / 12), Link(0.5, 10.0, inertia=10.0**2 / 12))
    return Arm(links, (Joint(), Joint()))


def _bechard_1() -> Arm:
    return _bechard([1.0], [1.0], [0.2])


def _bechard_1_driven() -> Arm:
    return _bechard([5.0], [1.0], [0.5])


def _bechard_4() -> Arm:
    return _bechard([2.0, 1.0, 0.75, 2.0], [3.0, 5.0, 1.0, 3.0], [0.5, 0.5, 0.5, 0.25])


def _bechard_skater() -> Arm:
    return _bechard([1.0, 0.7], [1.0, 3.0], [1.2, 2.0])


def _bechard(lengths: list[float], masses: list[float], friction: list[float]) -> Arm:
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
    joints = [Joint(damping=B * I) for B, I in zip(friction, inertia, strict=True)]
    return Arm.point_masses(lengths, masses, joints=joints)


def _garai() -> Arm:
    return Arm.rods([1.0, 0.8], [2.0, 1.5])


def _ductri() -> Arm:
    # The paper's links have inertia but no mass, which no body has: made without the warning.
    links = (
        Link(0.5, 0.0, inertia=0.04, tip_mass=1.0),
        Link(0.4, 0.0, inertia=0.02, tip_mass=0.5),
    )
    return Arm(links, (Joint(), Joint()))


def _ang() -> Arm:
    return Arm.rods([1.0, 0.7], [1.0, 0.7])


def _open_manipulator_x() -> Arm:
    speed, torque = 4.8, 4.1
    return Arm.of(
        [
            Link(0.130231, 0.138509, com=0.101860, inertia=3.42904e-4, com_offset=0.008611),
            Link(0.124, 0.132746, com=0.090910, inertia=2.42303e-4, com_offset=0.000224),
            Link(0.126, 0.145276, com=0.044723, inertia=8.09100e-5, com_offset=0.008792),
        ],
        [
            Joint(lower, upper, max_velocity=speed, max_torque=torque)
            for lower, upper in ((-0.114552, 2.885448), (-2.785448, 0.114552), (-1.97, 1.70))
        ],
    )


def _so_101() -> Arm:
    speed, torque = 4.712, 2.942
    return Arm.of(
        [
            Link(0.116, 0.103, com=0.089214, inertia=1.42487e-4, com_offset=0.013553),
            Link(0.135, 0.104, com=0.098122, inertia=1.45290e-4, com_offset=-0.000536),
            Link(0.159227, 0.178, com=0.067033, inertia=1.96589e-4, com_offset=0.001406),
        ],
        [
            Joint(lower, upper, max_velocity=speed, max_torque=torque)
            for lower, upper in (
                (-0.418321, 3.072339),
                (-2.978481, 0.401519),
                (-1.696588, 1.619532),
            )
        ],
    )


def _dfki_double_pendulum() -> Arm:
    # The published inertias are about the joints; the centres of mass are where they are here.
    links = [
        Link(0.2, 0.52346, com=0.2, inertia=0.0318872 - 0.52346 * 0.2**2),
        Link(0.3, 0.62557, com=0.255693, inertia=0.0508698 - 0.62557 * 0.255693**2),
    ]
    joints = [
        Joint(
            max_torque=10.0,
            max_velocity=38.2,
            damping=0.001,
            rotor_inertia=6.2872e-5,
            gear_ratio=6.0,
            friction=Friction(coulomb),
        )
        for coulomb in (0.2513, 0.1885)
    ]
    return Arm.of(links, joints)


PRESETS: dict[str, Preset] = {
    "unit": Preset("two rods of 1 m and 1 kg", _unit),
    "kehl": Preset("paper 000: two rods of 0.5 m, 1 kg and 10 kg", _kehl),
    "kehl-as-printed": Preset("paper 000 with its listing's inertias, m²/12", _kehl_as_printed),
    "bechard-1": Preset("paper 001: one joint, 1 m, 1 kg, b = 0.2 N·m·s/rad", _bechard_1),
    "bechard-1-driven": Preset(
        "paper 001: one joint, 5 m, 1 kg, b = 12.5 N·m·s/rad", _bechard_1_driven
    ),
    "bechard-4": Preset(
        "paper 001: four joints with point masses, b = B·I of the straight arm", _bechard_4
    ),
    "bechard-skater": Preset(
        "paper 001: the ice skater, two joints, b = B·I of the straight arm", _bechard_skater
    ),
    "garai": Preset("paper 002: two rods of 1 m and 0.8 m (numbers ours)", _garai),
    "ductri": Preset("paper 003: inertias and point masses (numbers ours)", _ductri),
    "ang": Preset("paper 004: two links of 1 m and 0.7 m (numbers ours)", _ang),
    "open-manipulator-x": Preset(
        "ROBOTIS OpenMANIPULATOR-X, its three pitch joints (from its URDF)", _open_manipulator_x
    ),
    "so-101": Preset("SO-101 desk arm at 12 V, its three pitch joints (from its URDF)", _so_101),
    "dfki-double-pendulum": Preset(
        "DFKI double pendulum, design C.1 (identified on the machine)", _dfki_double_pendulum
    ),
}
