"""Paper 003's formulas as it prints them, with its χ written q, and what they leave out.

Constants may be numbers, or arrays (…) that stand for many arms; angles and rates are (…, 2).
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ulna.arm import Arm

Floats: TypeAlias = NDArray[np.float64]
Some: TypeAlias = float | Floats
G = 9.81  # [m/s²]


class DuctriConstants(NamedTuple):
    """The paper's constants that are in its equations."""

    l1: Some  # [m]
    l2: Some
    i1: Some  # [kg·m²]
    i2: Some
    m2: Some  # [kg] at joint 2
    m_tip: Some  # m_E, at the tip


class LinkMasses(NamedTuple):
    """What it announces and leaves out: masses of the links and where their centres are."""

    m1_link: Some  # [kg]
    m2_link: Some
    c1: Some  # [m] from the joint before
    c2: Some


def constants(arm: Arm) -> DuctriConstants:
    """Return the paper's letters for an arm."""
    first, second = arm.links
    lengths, inertias = (first.length, second.length), (first.inertia, second.inertia)
    return DuctriConstants(*lengths, *inertias, first.tip_mass, second.tip_mass)


def kinetic(p: DuctriConstants, q: Floats, qd: Floats) -> Floats:
    """Return K."""
    w1, w12 = qd[..., 0], qd[..., 0] + qd[..., 1]
    tip = p.l1**2 * w1**2 + p.l2**2 * w12**2 + 2 * p.l1 * p.l2 * np.cos(q[..., 1]) * w1 * w12
    both = p.i1 * w1**2 + p.i2 * w12**2 + p.m2 * p.l1**2 * w1**2 + p.m_tip * tip
    return np.asarray(both / 2)


def potential(p: DuctriConstants, q: Floats) -> Floats:
    """Return U."""
    y2 = p.l1 * np.sin(q[..., 0])
    yE = y2 + p.l2 * np.sin(q[..., 0] + q[..., 1])
    return np.asarray(p.m2 * G * y2 + p.m_tip * G * yE)


def torques(p: DuctriConstants, q: Floats, qd: Floats, qdd: Floats, *, g: float = G) -> Floats:
    """Return the left sides of the equations of joint 1 and joint 2, line by line."""
    (w1, w2), (a1, a2) = np.moveaxis(qd, -1, 0), np.moveaxis(qdd, -1, 0)
    cos, sin = np.cos(q[..., 1]), np.sin(q[..., 1])
    c1, c12 = np.cos(q[..., 0]), np.cos(q[..., 0] + q[..., 1])
    own = p.i1 + p.i2 + (p.m2 + p.m_tip) * p.l1**2 + p.m_tip * p.l2**2
    own = own + 2 * p.m_tip * p.l1 * p.l2 * cos
    cross = p.i2 + p.m_tip * p.l2**2 + p.m_tip * p.l1 * p.l2 * cos
    first = own * a1 + cross * a2 - p.m_tip * p.l1 * p.l2 * sin * (2 * w1 * w2 + w2**2)
    first = first + (p.m2 + p.m_tip) * g * p.l1 * c1 + p.m_tip * g * p.l2 * c12
    second = cross * a1 + (p.i2 + p.m_tip * p.l2**2) * a2 + p.m_tip * p.l1 * p.l2 * sin * w1**2
    return np.stack([first, second + p.m_tip * g * p.l2 * c12], axis=-1)


def mass_matrix(p: DuctriConstants, q: Floats) -> Floats:
    """Return M (…, 2, 2) of the part that is commented out."""
    cos = np.cos(q[..., 1])
    m11 = p.i1 + p.i2 + (p.m2 + p.m_tip) * p.l1**2 + p.m_tip * p.l2**2
    m11 = m11 + 2 * p.m_tip * p.l1 * p.l2 * cos
    m12 = p.i2 + p.m_tip * p.l2**2 + p.m_tip * p.l1 * p.l2 * cos
    m22 = p.i2 + p.m_tip * p.l2**2 + 0.0 * cos
    return np.stack([np.stack([m11, m12], axis=-1), np.stack([m12, m22], axis=-1)], axis=-2)


def coriolis_vector(p: DuctriConstants, q: Floats, qd: Floats) -> Floats:
    """Return C χ̇ of the part that is commented out."""
    b = p.m_tip * p.l1 * p.l2 * np.sin(q[..., 1])
    w1, w2 = qd[..., 0], qd[..., 1]
    return np.stack([-b * w2 * (2 * w1 + w2), b * w1**2], axis=-1)


def gravity(p: DuctriConstants, q: Floats, *, g: float = G) -> Floats:
    """Return the gravity vector of the part that is commented out."""
    outer = p.m_tip * g * p.l2 * np.cos(q[..., 0] + q[..., 1])
    return np.stack([(p.m2 + p.m_tip) * g * p.l1 * np.cos(q[..., 0]) + outer, outer], axis=-1)


def missing_terms(
    p: DuctriConstants, links: LinkMasses, q: Floats, qd: Floats, qdd: Floats, *, g: float = G
) -> Floats:
    """Return what the link masses add to the printed torques."""
    (m1L, m2L, c1, c2), l1 = links, p.l1
    (w1, w2), (a1, a2) = np.moveaxis(qd, -1, 0), np.moveaxis(qdd, -1, 0)
    cos, sin = np.cos(q[..., 1]), np.sin(q[..., 1])
    level, outer = np.cos(q[..., 0]), np.cos(q[..., 0] + q[..., 1])
    m11 = m1L * c1**2 + m2L * (l1**2 + c2**2 + 2 * l1 * c2 * cos)
    m12, m22 = m2L * (c2**2 + l1 * c2 * cos), m2L * c2**2
    whirl = l1 * m2L * c2 * sin
    first = m11 * a1 + m12 * a2 - whirl * (2 * w1 * w2 + w2**2)
    first = first + g * ((m1L * c1 + m2L * l1) * level + m2L * c2 * outer)
    second = m12 * a1 + m22 * a2 + whirl * w1**2 + m2L * g * c2 * outer
    return np.stack([first, second], axis=-1)


def effective(p: DuctriConstants, links: LinkMasses) -> DuctriConstants:
    """Return the point masses and inertias that stand for the links: m2′, m_E′, I1′, I2′."""
    m1L, m2L, c1, c2 = links
    return p._replace(
        m2=p.m2 + m1L * c1 / p.l1 + m2L * (1.0 - c2 / p.l2),
        m_tip=p.m_tip + m2L * c2 / p.l2,
        i1=p.i1 + m1L * (c1**2 - c1 * p.l1),
        i2=p.i2 + m2L * (c2**2 - c2 * p.l2),
    )
