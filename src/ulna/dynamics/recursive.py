"""The dynamics in O(n), compiled: one sweep from the tip to the base, one back.

Measured against free fall, the pivot of joint i accelerates by a and its link by α. Link i has
mass M, first moment S = s u + e u⊥ and second moment J about its near joint, its point mass
included, length l, direction u and rate ω. What lies beyond its far end asks that end for a force
K' a' + κ' α + b' and the link itself for a torque κ' · a' + t' α + c', where

    a' = a + α l u⊥ − ω² l u

Put into Newton's and Euler's laws for the link, with β the acceleration of the link before and
p_ββ, p_βα, p_αα what the two exchange at the joint (a rotor, implicit damping):

    force    F = (M + K') a + r α + e − ω² S       r = S⊥ + l K' u⊥ + κ',   e = b' − ω² l K' u
    moment   r · a + D α + p_βα β = ρ              D = J + l u⊥ · (r − S⊥) + l κ' · u⊥ + t' + p_αα
                                                   ρ = Q − l u⊥ · e − c' + ω² l κ' · u
    to the link before                             p_ββ β + p_βα α

The moment equation gives α, and leaves the same form one link nearer to the base:

    K = M + K' − r rᵀ/D     κ = −r p_βα/D         t = p_ββ − p_βα²/D
                            b = e − ω² S + r ρ/D  c = p_βα ρ/D

A stuck joint has α = β instead, and the torque that holds it is what the moment equation leaves.
Where no joint exchanges anything, κ, t and c vanish: the 2×2 form. Both are compiled from the
lines below, by whether `pairs` is None; and both for one arm and for lanes of arms (`ulna.lanes`),
by what the tables hold.
"""

from __future__ import annotations

from ulna.arrays import Array
from ulna.dynamics.packed import (
    ALONG,
    ASIDE,
    CARRIER,
    COS,
    CROSS,
    DAMPING,
    FORCE_X,
    FORCE_Y,
    GRAVITY_X,
    GRAVITY_Y,
    HOLDING,
    INVERSE,
    LENGTH,
    MASS,
    MOMENT,
    OMEGA_SQUARED,
    OWN,
    QDD,
    R_X,
    R_Y,
    RHO,
    SECOND,
    SIN,
    STUCK,
    TORQUE,
)  # fmt: skip
from ulna.kernels import inlined, inner
from ulna.lanes import select
from ulna.sincos import turn_links


@inlined
def forward(size: int, links: Array, turns: Array, y: Array, at: int, pairs: int | None) -> None:
    """Turn joint torques into joint accelerations, for the angles y[at] and rates y[at + 1].

    `pairs` is the first of the columns that say what neighbours exchange, None if they do not.
    """
    link_directions(size, turns, y, at)
    _eliminate(size, links, turns, y, at, pairs)
    _accelerate(size, links, turns, pairs)


@inner
def forward_coupled(size: int, links: Array, turns: Array, y: Array, at: int, pairs: int) -> None:
    """Do as `forward` does in its general form, where code is better small than fast."""
    forward(size, links, turns, y, at, pairs)


@inlined
def link_directions(size: int, turns: Array, y: Array, at: int) -> None:
    """Write sine, cosine and squared rate of every link."""
    rate = 0.0
    for i in range(size):
        rate += y[at + 1, i]
        turns[OMEGA_SQUARED, i] = rate * rate
    turn_links(size, turns, y, at)


@inlined
def _eliminate(size: int, links: Array, turns: Array, y: Array, at: int, pairs: int | None) -> None:
    """Sweep from the tip to the base: take out one link after the other."""
    n = size
    k_xx = k_xy = k_yy = 0.0
    kappa_x = kappa_y = turn = transmitted = 0.0
    # What lies beyond the tip is the world, which pushes the arm.
    b_x, b_y = -links[n, FORCE_X], -links[n, FORCE_Y]
    reaction = -links[n, MOMENT]
    for back in range(n):
        i = n - 1 - back
        length, mass = links[i, LENGTH], links[i, MASS]
        cos, sin, omega_squared = turns[COS, i], turns[SIN, i], turns[OMEGA_SQUARED, i]
        l_cos, l_sin = length * cos, length * sin
        s_x = links[i, ALONG] * cos - links[i, ASIDE] * sin
        s_y = links[i, ALONG] * sin + links[i, ASIDE] * cos
        lever_x = lever_y = 0.0
        e_x, e_y = b_x, b_y
        if back > 0:  # beyond the tip there is no mass
            lever_x = k_xy * l_cos - k_xx * l_sin
            lever_y = k_yy * l_cos - k_xy * l_sin
            e_x -= omega_squared * (k_xx * l_cos + k_xy * l_sin)
            e_y -= omega_squared * (k_xy * l_cos + k_yy * l_sin)
        torque = links[i, TORQUE] - links[i, DAMPING] * y[at + 1, i]
        rho = torque - reaction - (e_y * l_cos - e_x * l_sin)
        reaction = torque
        inertia = links[i, SECOND] + lever_y * l_cos - lever_x * l_sin
        r_x, r_y = lever_x - s_y, lever_y + s_x
        if pairs is not None:
            r_x += kappa_x
            r_y += kappa_y
            own = links[i, pairs + (OWN - CARRIER)]
            inertia += 2.0 * (kappa_y * l_cos - kappa_x * l_sin) + turn + own
            rho -= transmitted - omega_squared * (kappa_x * l_cos + kappa_y * l_sin)
        inverse = 1.0 / inertia
        links[i, R_X], links[i, R_Y], links[i, RHO], links[i, INVERSE] = r_x, r_y, rho, inverse
        if i == 0:
            break  # what the arm asks of its base, which stands still, is not needed
        part_x, part_y = r_x * inverse, r_y * inverse
        if pairs is not None:
            # Where the joint is stuck the two links turn as one: their rows are added up.
            free = links[i, STUCK] == 0.0
            carrier, cross = links[i, pairs], links[i, pairs + (CROSS - CARRIER)]
            part_x, part_y = select(free, part_x, 0.0), select(free, part_y, 0.0)
            kappa_x, kappa_y = (
                select(free, -cross * part_x, r_x),
                select(free, -cross * part_y, r_y),
            )
            alone, together = carrier - cross * cross * inverse, carrier + 2.0 * cross + inertia
            turn = select(free, alone, together)
            transmitted = select(free, cross * rho * inverse, -rho)
        k_xx, k_yy = mass + k_xx - r_x * part_x, mass + k_yy - r_y * part_y
        k_xy -= r_x * part_y
        b_x = e_x - omega_squared * s_x + part_x * rho
        b_y = e_y - omega_squared * s_y + part_y * rho


@inlined
def _accelerate(size: int, links: Array, turns: Array, pairs: int | None) -> None:
    """Sweep from the base, which stays where it is, to the tip."""
    n = size
    a_x, a_y = -links[n, GRAVITY_X], -links[n, GRAVITY_Y]
    before = 0.0
    for i in range(n):
        rest = links[i, RHO] - links[i, R_X] * a_x - links[i, R_Y] * a_y
        if pairs is not None:
            rest -= links[i, pairs + (CROSS - CARRIER)] * before
        phidd = rest * links[i, INVERSE]
        if pairs is not None:
            free = links[i, STUCK] == 0.0
            links[i, HOLDING] = select(free, 0.0, before / links[i, INVERSE] - rest)
            phidd = select(free, phidd, before)
        links[i, QDD] = phidd - before
        if i == n - 1:
            break  # the tip's acceleration is not needed
        before = phidd
        l_cos, l_sin = links[i, LENGTH] * turns[COS, i], links[i, LENGTH] * turns[SIN, i]
        a_x -= phidd * l_sin + turns[OMEGA_SQUARED, i] * l_cos
        a_y += phidd * l_cos - turns[OMEGA_SQUARED, i] * l_sin


@inner
def inverse(size: int, links: Array, turns: Array, y: Array, at: int) -> None:
    """Turn joint accelerations into the joint torques that they take."""
    link_directions(size, turns, y, at)
    spread_accelerations(size, links, turns)
    gather_torques(size, links, turns, y, at + 1)


@inlined
def spread_accelerations(size: int, links: Array, turns: Array) -> None:
    """Sweep from the base to the tip: write how every pivot and link accelerates."""
    n = size
    a_x, a_y = -links[n, GRAVITY_X], -links[n, GRAVITY_Y]
    phidd = 0.0
    for i in range(n):
        phidd += links[i, QDD]
        links[i, R_X], links[i, R_Y], links[i, RHO] = a_x, a_y, phidd
        l_cos, l_sin = links[i, LENGTH] * turns[COS, i], links[i, LENGTH] * turns[SIN, i]
        a_x -= phidd * l_sin + turns[OMEGA_SQUARED, i] * l_cos
        a_y += phidd * l_cos - turns[OMEGA_SQUARED, i] * l_sin


@inlined
def gather_torques(size: int, links: Array, turns: Array, y: Array, rates: int) -> None:
    """Sweep from the tip to the base: add up what that takes; damping acts on y[rates]."""
    n = size
    f_x, f_y, torque = -links[n, FORCE_X], -links[n, FORCE_Y], -links[n, MOMENT]
    beyond = 0.0
    for back in range(n):
        i = n - 1 - back
        cos, sin, omega_squared = turns[COS, i], turns[SIN, i], turns[OMEGA_SQUARED, i]
        a_x, a_y, phidd = links[i, R_X], links[i, R_Y], links[i, RHO]
        before = links[i - 1, RHO] if i > 0 else 0.0
        s_x = links[i, ALONG] * cos - links[i, ASIDE] * sin
        s_y = links[i, ALONG] * sin + links[i, ASIDE] * cos
        torque += s_x * a_y - s_y * a_x + links[i, SECOND] * phidd + beyond
        torque += links[i, LENGTH] * (f_y * cos - f_x * sin)
        torque += links[i, OWN] * phidd + links[i, CROSS] * before
        beyond = links[i, CARRIER] * before + links[i, CROSS] * phidd
        f_x += links[i, MASS] * a_x - phidd * s_y - omega_squared * s_x
        f_y += links[i, MASS] * a_y + phidd * s_x - omega_squared * s_y
        links[i, TORQUE] = torque + links[i, DAMPING] * y[rates, i]
