"""Contact of a joint with its stop: impact, rest and release."""

from __future__ import annotations

from ulna.arrays import Array
from ulna.dynamics import packed as link
from ulna.dynamics.recursive import forward_coupled
from ulna.kernels import inner
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.memory import Memory
from ulna.simulation.engine.state_derivative import copy

SOON = 1e-5  # [s] between two hits: a joint that bounces faster comes to rest


@inner
def nearer_side(m: Memory, i: int) -> float:
    """Return +1 if joint i is nearer to its upper stop, −1 if to its lower."""
    q = m.vectors[at.STATE, i]
    return 1.0 if m.links[i, link.UPPER] - q <= q - m.links[i, link.LOWER] else -1.0


@inner
def hit(size: int, m: Memory, log: Array, i: int, side: float) -> float:
    """Apply the impact of joint i on its stop; return the speed with which it leaves."""
    v, links, now = m.vectors, m.links, m.floats[at.NOW]
    v[at.STATE, i] = links[i, link.UPPER] if side > 0.0 else links[i, link.LOWER]
    speed = v[at.STATE + 1, i]
    write_log(size, m, log, i, at.HIT, speed)
    rebound = -m.floats[at.RESTITUTION] * speed
    hasty = now - links[i, at.LAST_HIT] < SOON
    if hasty:
        rebound = 0.0
        m.ints[at.CHATTER] += 1
    links[i, at.LAST_HIT] = now
    _apply_impact(size, m, log, i, rebound, hasty)
    _reset_history(size, m)
    return float(rebound)


@inner
def _apply_impact(size: int, m: Memory, log: Array, i: int, rebound: float, hasty: bool) -> None:
    """Change the speed of joint i at once; what that does to the others follows from M⁻¹.

    With `hasty` no joint is released: two that release one another would do so for ever.
    """
    n = size
    v, links = m.vectors, m.links
    gravity_x, gravity_y = links[n, link.GRAVITY_X], links[n, link.GRAVITY_Y]
    links[n, link.GRAVITY_X] = links[n, link.GRAVITY_Y] = 0.0
    impulse = 0.0
    for _ in range(n + 1):
        copy(size, m, at.STATE, at.STAGE)
        for k in range(n):
            v[at.STAGE + 1, k] = links[k, link.TORQUE] = 0.0
        for k in range(3):
            links[n, link.FORCE_X + k] = 0.0
        links[i, link.TORQUE] = 1.0
        forward_coupled(size, links, m.turns, v, at.STAGE, link.CARRIER)
        impulse = (rebound - v[at.STATE + 1, i]) / links[i, link.QDD]
        if hasty or not _release_pulled(size, m, log, impulse):
            break
    links[n, link.GRAVITY_X], links[n, link.GRAVITY_Y] = gravity_x, gravity_y
    # The energy lost is the impulse times the mean of the speeds before and after.
    v[at.STATE + 1, n] -= 0.5 * impulse * (v[at.STATE + 1, i] + rebound)
    for k in range(n):
        v[at.STATE + 1, k] += impulse * links[k, link.QDD]
    v[at.STATE + 1, i] = rebound


@inner
def _release_pulled(size: int, m: Memory, log: Array, impulse: float) -> bool:
    """Release the joints that an impulse pulls from their stops: a stop cannot pull."""
    released = False
    for k in range(size):
        if impulse * m.links[k, link.HOLDING] * m.links[k, link.STUCK] > 0.0:
            release(size, m, log, k)
            released = True
    return released


@inner
def hold_at_stop(size: int, m: Memory, log: Array, i: int, side: float, speed: float) -> None:
    """Hold joint i at rest at its stop until something pulls it away."""
    stop = m.links[i, link.UPPER] if side > 0.0 else m.links[i, link.LOWER]
    m.vectors[at.STATE, i], m.vectors[at.STATE + 1, i] = stop, 0.0
    m.links[i, link.STUCK] = side
    m.ints[at.COUPLED] += 1
    write_log(size, m, log, i, at.REST, speed)


@inner
def release(size: int, m: Memory, log: Array, i: int) -> None:
    """Release joint i from its stop."""
    m.links[i, link.STUCK] = 0.0
    m.ints[at.COUPLED] -= 1
    _reset_history(size, m)
    write_log(size, m, log, i, at.RELEASE, 0.0)


@inner
def _reset_history(size: int, m: Memory) -> None:
    """Reset what is kept from the step before: velocities are discontinuous here."""
    m.ints[at.FSAL_VALID] = 0
    for part in range(2):
        for i in range(size + 1):
            m.vectors[at.COMPENSATION + part, i] = 0.0


@inner
def write_log(size: int, m: Memory, log: Array, which: int, what: int, speed: float) -> None:
    """Log an event with the state; beyond the last row it is only counted."""
    row = m.ints[at.LOGGED]
    m.ints[at.LOGGED] += 1
    if row >= len(log):
        return
    log[row, at.LOG_T], log[row, at.LOG_WHICH] = m.floats[at.NOW], which
    log[row, at.LOG_WHAT], log[row, at.LOG_SPEED] = what, speed
    n = size
    for part in range(2):
        for i in range(n):
            log[row, at.LOG_STATE + part * n + i] = m.vectors[at.STATE + part, i]
