"""The loop of an arm and a sampled controller near rest, and whether it is stable there.

Near a set-point the torques answer a deviation x = (δq, δq̇) by δτ = −K δq − D f − I ∫ δq dt,
with f the rates behind a low-pass filter ω_f, and the arm obeys M δq̈ + b δq̇ + (∂G/∂q) δq = δτ.
The torque of what was measured d ticks ago is held from one tick to the next, T later:

    x⁺ = A_d x + B_d τ_d        z⁺ = z + T δq        f⁺ = f + (1 − exp(−ω_f T)) (δq̇ − f)

    | A_d  B_d |         | A  B |
    |  0    1  | = exp ( | 0  0 | T )        τ_0 = −K δq − D f⁺ − I z⁺,  τ_k⁺ = τ_{k−1}

Errors grow where an eigenvalue of that map lies outside the unit circle. So a controller is judged
before it runs, at the poses of its reference; and gains that were chosen also by whether gravity,
rate and delay leave any room for them (see `control.gains`). Friction, which has no derivative at
rest, is left out: the loop is that of the smooth part of the arm.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ulna.arm import Arm, Parameters
from ulna.arrays import Array
from ulna.control.controller import ControlTiming
from ulna.control.gains import LEAST_KP_RATIO, JointGains
from ulna.dynamics import chain, gravity_torque, linearise
from ulna.dynamics.chain import to_joint_matrix
from ulna.dynamics.equations_of_motion import static_stiffness

# Sizes of matrices up to which 7, 10, 13 and 16 terms of the series of exp leave out less than
# half a last digit of one; they take 3, 4, 5 and 6 products.
SIZES = tuple((2.0**-53 * math.factorial(terms)) ** (1.0 / terms) for terms in (7, 10, 13, 16))
IN_CACHE = 8192  # numbers in matrices whose powers fit into a core's cache together
BALANCING = 10  # rounds
LEAST_SIZE = 2.0**-20  # of a row or a column, to the largest


class Feedback(NamedTuple):
    """Linear feedback: how torques answer small deviations from set-points; (…, n, n) each."""

    kp: Array  # [N·m/rad]
    kd: Array  # [N·m·s/rad]
    ki: Array | None = None  # [N·m/(rad·s)]
    filter: float = math.inf  # [rad/s] of the low-pass on the rates


def diagonal(values: Array) -> Array:
    """Return matrices (…, n, n) with values (…, n) on their diagonal."""
    return np.asarray(values)[..., None] * np.eye(np.shape(values)[-1])


def gravity_gradient(arm: Arm | Parameters, q: Array) -> Array:
    """Return ∂G/∂q (…, n, n) [N·m/rad], symmetric."""
    at = chain.posture(arm, q)
    return np.asarray(to_joint_matrix(at.xp, diagonal(static_stiffness(at))))


def growth(arm: Arm, q: Array, feedback: Feedback, timing: ControlTiming) -> Array:
    """Return the rates (…) [1/s] at which errors grow near set-points q (…, n); negative: decay."""
    # Errors may be gone within a tick, or beyond all numbers.
    with np.errstate(all="ignore"):
        maps = tick_map(arm, q, feedback, timing)
        bounded = np.isfinite(maps).all(axis=(-2, -1))
        known = np.where(bounded[..., None, None], maps, 0.0)
        size = np.abs(np.linalg.eigvals(known)).max(axis=-1)
        return np.where(bounded, timing.rate * np.log(size), math.inf)


def tick_map(arm: Arm, q: Array, feedback: Feedback, timing: ControlTiming) -> Array:
    """Return the map over a tick (…, k, k) of the states of arm and controller and delayed torques.

    Near rest at set-points q (…, n), for the torques that hold the arm there.
    """
    n, late = arm.n, timing.ticks_late
    state_map, input_map = _held(arm, q, timing.period)
    # Places of the state: angles and rates, their integral, filtered rates, torques on their way.
    own = 3 if math.isinf(feedback.filter) else 4
    own -= feedback.ki is None
    size = (own + late) * n
    angle, rate, third = (slice(k * n, (k + 1) * n) for k in range(3))
    filtered = slice((own - 1) * n, own * n)
    unit, passed = np.eye(n), -math.expm1(-feedback.filter * timing.period)
    maps = np.zeros((*np.shape(q)[:-1], size, size))
    seen = np.zeros((n, size))
    seen[:, rate] = passed * unit
    if not math.isinf(feedback.filter):
        seen[:, filtered] = (1.0 - passed) * unit
        maps[..., filtered, :] = seen
    answer = np.zeros((*maps.shape[:-2], n, size)) - feedback.kd @ seen
    answer[..., :, angle] -= feedback.kp
    if feedback.ki is not None:
        gathered = np.zeros((n, size))
        gathered[:, third], gathered[:, angle] = unit, timing.period * unit
        maps[..., third, :] = gathered
        answer = answer - feedback.ki @ gathered
    maps[..., : 2 * n, : 2 * n] = state_map
    if late == 0:
        maps[..., : 2 * n, :] += input_map @ answer
        return maps
    first = own * n
    maps[..., : 2 * n, size - n :] += input_map
    maps[..., first : first + n, :] = answer
    maps[..., first + n :, first : size - n] = np.eye((late - 1) * n)
    return maps


def _held(arm: Arm, q: Array, period: float) -> tuple[Array, Array]:
    """Return A_d (…, 2n, 2n) and B_d (…, 2n, n): the arm near rest under torques that are held."""
    # Near rest dry friction has no derivative; without it the loop is damped the least.
    arm = arm.without_friction()
    A, B = linearise(arm, q, np.zeros_like(q), gravity_torque(arm, q))
    generator = np.zeros((*A.shape[:-2], 3 * arm.n, 3 * arm.n))
    generator[..., : 2 * arm.n, : 2 * arm.n], generator[..., : 2 * arm.n, 2 * arm.n :] = A, B
    held = exponential(period * generator)[..., : 2 * arm.n, :]
    return held[..., : 2 * arm.n], held[..., 2 * arm.n :]


def exponential(matrices: Array) -> Array:
    """Return exp of matrices (…, d, d): a polynomial for a fraction of them, squared up again.

    With D a diagonal of powers of two exp(X) = D exp(D⁻¹ X D) D⁻¹ to the last bit. A D that makes
    rows and columns of like sizes, the angles' and the rates' say, saves most of the squarings.
    """
    if not np.size(matrices):
        return np.zeros_like(matrices)
    flat = matrices.reshape(-1, *matrices.shape[-2:])
    scale = balance(np.abs(flat).max(axis=0))
    ratio = scale[:, None] / scale
    result, step = np.empty_like(flat), max(1, IN_CACHE // flat[0].size)
    for first in range(0, len(flat), step):
        rows = slice(first, first + step)
        np.multiply(_exponential(flat[rows] / ratio), ratio, out=result[rows])
    return result.reshape(matrices.shape)


def _exponential(matrices: Array) -> Array:
    size = float(np.abs(matrices).sum(axis=-2).max())
    squarings = max(0, math.ceil(math.log2(size / SIZES[-1]))) if size > 0.0 else 0
    matrices /= 2.0**squarings
    result = _series(matrices, 2 + bisect_left(SIZES[:-1], size / 2.0**squarings))
    for _ in range(squarings):
        result = result @ result
    return result


def _series(part: Array, blocks: int) -> Array:
    """Return the first 3 blocks + 1 terms of exp by powers of the third power, as products cost."""
    second = part @ part
    third = second @ part
    terms = [1.0 / math.factorial(k) for k in range(3 * blocks + 1)]
    # Two results in turns and one piece of memory for what is added: fresh ones cost more than
    # the sums themselves.
    result, other, added = terms[-1] * third, np.empty_like(part), np.empty_like(part)
    for k in range(3 * blocks - 3, -1, -3):
        if k < 3 * blocks - 3:
            result, other = np.matmul(result, third, out=other), result
        for power, term in ((second, terms[k + 2]), (part, terms[k + 1])):
            result += np.multiply(power, term, out=added)
        np.einsum("...ii->...i", result)[...] += terms[k]
    return result


def balance(sizes: Array) -> Array:
    """Return powers of two D (d,) for which D⁻¹ X D has rows and columns of like sizes.

    `sizes` (d, d) are those of the entries of X, or of many. What has no row or no column, such as
    a torque that is held, becomes small.
    """
    scaled = np.where(np.eye(len(sizes), dtype=bool), 0.0, sizes)
    scale = np.ones(len(sizes))
    if not 0.0 < float(scaled.max()) < math.inf:
        return scale
    for _ in range(BALANCING):
        rows, columns = scaled.sum(axis=1), scaled.sum(axis=0)
        least = LEAST_SIZE * float(rows.max())
        # The fourth root: both ends of an entry move, by half of what each lacks.
        step = ((rows + least) / (columns + least)) ** 0.25
        scale *= step
        scaled *= step / step[:, None]
    return np.exp2(np.round(np.log2(scale / scale[0])))


def friction_error_band(controller: Any, arm: Arm, q: Array, timing: ControlTiming) -> Array:
    """Return how far (…, n) [rad] friction holds joints at rest beside set-points near q (…, n).

    Springs K of the controller and gravity pull a deviation back with (K + ∂G/∂q) δq, and static
    friction bears up to ± f_s of it: |δq| ≤ |(K + ∂G/∂q)⁻¹| f_s. Infinite where nothing pulls.
    """
    stiffness = controller.feedback(arm, q, timing).kp + gravity_gradient(arm, q)
    try:
        compliance = np.abs(np.linalg.inv(stiffness))
    except np.linalg.LinAlgError:
        return np.full(np.shape(q), math.inf)
    return np.asarray((compliance @ arm.parameters.static[:, None])[..., 0])


LARGEST_GROWTH = 0.01  # [1/s] by which errors may grow: nothing that a run of a minute shows
DOUBLINGS = 8  # of the rate that are tried for one that would do
LEAST_RATE = 0.1  # [Hz] from which on they are tried
LARGEST = 400  # numbers in a loop's state, above which judging takes longer than trying


def is_judged(controller: Any) -> bool:
    """Return whether a controller is one of those that tell how their torques answer.

    A class of a user that is derived from one of them may answer otherwise.
    """
    kind = type(controller)
    return "feedback" in vars(kind) and kind.__module__.startswith("ulna.control.")


def stability_warning(controller: Any, arm: Arm, timing: ControlTiming, poses: Array) -> str | None:
    """Return why a controller will not settle at poses (k, n) [rad]; None where nothing is known.

    >>> import ulna
    >>> kehl = ulna.preset("kehl")
    >>> stability_warning(ulna.control.PD(), kehl, ControlTiming(rate=250.0), [[0.0, 0.0]]) is None
    True
    """
    places = tuple(map(tuple, np.asarray(poses, dtype=float).tolist()))
    large = arm.n * (4 + timing.ticks_late) > LARGEST
    if not is_judged(controller) or large or not places:
        return None
    try:
        return _stability_warning(controller, arm, timing, places)
    except TypeError:  # of gains that cannot be hashed; they are refused elsewhere
        return None


@lru_cache(maxsize=256)
def _stability_warning(
    controller: Any, arm: Arm, timing: ControlTiming, places: tuple[tuple[float, ...], ...]
) -> str | None:
    poses = np.array(places)
    with np.errstate(all="ignore"):  # at rates of which floating point loses the loop
        choice = _of_choice(controller, arm, timing, poses)
        return choice or _of_loop(controller, arm, timing, poses)


def _of_choice(controller: Any, arm: Arm, timing: ControlTiming, poses: Array) -> str | None:
    """Return where gains that were to be chosen have no room."""
    said = None
    if hasattr(controller, "gains"):
        gains = controller.gains(arm, timing)
        said = None if gains.possible else _no_room(gains)
    elif hasattr(controller, "adaptation"):
        chosen = controller.adaptation is None
        if chosen and not np.any(controller.start(arm, timing).gains.speed):
            said = "what it would learn outweighs its dampers, so that it learns nothing"
    if said is None:
        return None
    head = f"{type(controller).__name__} on {_named(arm)} at {timing}: {said}"
    return head + _way_out(controller, arm, timing, poses)


def _of_loop(controller: Any, arm: Arm, timing: ControlTiming, poses: Array) -> str | None:
    """Return where errors grow, and whether that is for want of stiffness or of rate."""
    answer = controller.feedback(arm, poses, timing)
    if not np.any(answer.kp) and (answer.ki is None or not np.any(answer.ki)):
        return None  # nothing is to be held
    rates = growth(arm, poses, answer, timing)
    worst = int(np.argmax(rates))
    if rates[worst] <= LARGEST_GROWTH:
        return None
    where = ", ".join(f"{angle:.3g}" for angle in poses[worst])
    head = f"{type(controller).__name__} on {_named(arm)} at {timing}"
    grows = f"errors near q = ({where}) rad grow 2.7-fold every {1.0 / rates[worst]:.2g} s"
    if math.isinf(rates[worst]):
        grows = f"errors near q = ({where}) rad grow beyond all numbers in a tick"
    gravity = gravity_gradient(arm, poses[worst])
    both = controller.feedback(arm, poses[worst], timing).kp + gravity
    if np.linalg.eigvalsh(0.5 * (both + both.T)).min() < 0.0:
        against = -float(np.linalg.eigvalsh(gravity).min())
        why = (
            "springs are softer than gravity, which pushes away from there with up to "
            f"{against:.3g} N·m/rad; {_stiffer(controller)}"
        )
        return f"{head}: {grows}: {why}"
    way = _way_out(controller, arm, timing, poses)
    return f"{head}: {grows}: the loop is unstable{way}"


def _stiffer(controller: Any) -> str:
    """Return what holds an arm better that gravity pushes away."""
    way = "give a higher natural frequency"
    if hasattr(controller, "gains"):
        way = "give more stiffness, or leave the gains to be chosen"
    nearer = getattr(controller, "model", None) is not None
    return f"{way}, or a model that is nearer to the arm" if nearer else way


def _growth(controller: Any, arm: Arm, timing: ControlTiming, poses: Array) -> Array:
    return growth(arm, poses, controller.feedback(arm, poses, timing), timing)


def _named(arm: Arm) -> str:
    return arm.name or f"an arm of {arm.n} link{'s' * (arm.n > 1)}"


def _no_room(gains: JointGains) -> str:
    joint = int(np.argmin(gains.kp_max - LEAST_KP_RATIO * gains.kp_min))
    least, most = float(gains.kp_min[joint]), max(float(gains.kp_max[joint]), 0.0)
    why = "gravity, carried by what was measured so late, outweighs its dampers"
    if least > 0.0:
        why = (
            f"gravity asks for more than {least:.3g} N·m/rad, and its dampers still damp "
            f"{most:.3g} N·m/rad at most"
        )
    return (
        f"no stiffness of joint {joint + 1} is safe at all poses: {why}; "
        "expect it to sag or to shake"
    )


def _way_out(controller: Any, arm: Arm, timing: ControlTiming, poses: Array) -> str:
    """Return what would be stable at these poses: a higher rate, or a controller with a model."""
    ways = []
    for doubling in range(1, DOUBLINGS + 1):
        faster = ControlTiming(max(timing.rate, LEAST_RATE) * 2**doubling, timing.delay)
        if arm.n * (4 + faster.ticks_late) > LARGEST:
            break
        roomy = not hasattr(controller, "gains") or controller.gains(arm, faster).possible
        if roomy and _growth(controller, arm, faster, poses).max() <= LARGEST_GROWTH:
            ways.append(f"a rate of {faster.rate:g} Hz")
            break
    from ulna.control.computed_torque import ComputedTorque

    other = ComputedTorque()
    if (
        type(controller) is not type(other)
        and _growth(other, arm, timing, poses).max() <= LARGEST_GROWTH
    ):
        ways.append("ComputedTorque()")
    if timing.ticks_late and not ways:
        ways.append("a shorter delay")
    return f"; try {' or '.join(ways)}" if ways else "; try softer gains"
