"""What a plan reports is the worst at any time: held against tens of thousands of samples."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import ulna
from ulna import paths

ARM = ulna.Arm.rods([0.5, 0.5], [1.0, 2.0])
DRY = ARM.replace(
    joints=[
        ulna.Joint(friction=ulna.Friction(3.0)),
        ulna.Joint(damping=0.1, friction=ulna.Friction(0.5, 0.8, 0.05, drag=0.3)),
    ]
)
DFKI = ulna.preset("dfki-double-pendulum")
CHAIN = ulna.Arm.rods([0.4, 0.35, 0.3], [1.0, 1.0, 0.5])
SQUARE = [(0.3, 0.1), (0.6, 0.1), (0.6, 0.4), (0.3, 0.4)]
WAVES = np.stack([np.linspace(0.3, 0.7, 40), 0.2 + 0.1 * np.sin(np.arange(40.0))], axis=-1)
# Long, with one feature that is over within a two-thousandth of it.
LONG = paths.circle((0.5, 0.1), 0.2).repeated(10).then(paths.polyline(SQUARE, 2e-3))

CASES = {
    "square with tiny blends": (ARM, paths.polyline(SQUARE, 3e-4, closed=True), {"duration": 4.8}),
    "the same at constant speed": (
        ARM, paths.polyline(SQUARE, 1e-3), {"duration": 4.0, "timing": "constant-speed"}
    ),
    "trapezoid": (ARM, paths.polyline(SQUARE, 2e-3), {"duration": 3.0, "timing": "trapezoid"}),
    "s-curve": (ARM, paths.spline(WAVES), {"duration": 3.0, "timing": "s-curve"}),
    "spline": (ARM, paths.spline(WAVES), {"duration": 3.0}),
    "times": (
        ARM, paths.spline(WAVES[:4]),
        {"timing": ulna.motion.times([0, 0.1, 0.11, 1], [0, 0.2, 0.6, 1])},
    ),
    "loops": (ulna.preset("kehl"), paths.loops(), {}),
    # As many loops as there are nodes to begin with: what repeats itself must not hide.
    "many loops": (ulna.preset("kehl"), paths.loops(loops=127), {}),
    "close to the base": (ARM, paths.line((-0.5, 0.004), (0.6, 0.004)), {"duration": 3.0}),
    "long path": (ARM, LONG, {"duration": 40.0}),
    "joints": (
        ARM, paths.joints([[0.1, 0.4], [0.9, 1.5], [-0.4, 0.2], [1.0, 1.0]]), {"duration": 1.0}
    ),
    "redundant arm": (CHAIN, paths.polyline(SQUARE, 1e-3), {"duration": 4.0}),
    "with a force": (
        ARM, paths.ellipse((0.5, 0.1), (0.15, 0.1)),
        {"duration": 2.0, "tip_force": lambda t: (5.0 * np.exp(-(((t - 0.7) / 0.03) ** 2)), 0.0)},
    ),
    # Where a joint turns back its friction jumps from one side to the other.
    "dry friction from rest": (
        DRY, paths.spline(WAVES[:9]), {"duration": 1.0, "timing": "trapezoid"}
    ),
    "dry friction, a joint that rests": (DRY, paths.circle((0.0, 0.0), 0.7), {"duration": 2.0}),
    "dry friction of a real arm": (
        DFKI, paths.ellipse((0.25, -0.2), (0.1, 0.06)), {"duration": 2.0, "timing": "quintic"}
    ),
}  # fmt: skip
IN_ALL, IN_A_PIECE = 20_001, 1_001


@pytest.fixture(scope="module", params=CASES)
def case(request):
    """Give an arm, a path and options, and the plan that they make."""
    arm, path, options = CASES[request.param]
    return arm, path, options, ulna.plan(arm, path, **options)


def turning_points(made, t):
    """Give the times between these at which joints turn back, by halving."""
    found = []
    for joint, rates in enumerate(made.trajectory(t).qd.T):
        moving = np.flatnonzero(rates)
        turns = np.flatnonzero(rates[moving[:-1]] * rates[moving[1:]] < 0.0)
        left, right = t[moving[turns]], t[moving[turns + 1]]
        sign = np.sign(rates[moving[turns]])
        for _ in range(60):
            middle = 0.5 * (left + right)
            before = sign * made.trajectory(middle).qd[:, joint] > 0.0
            left, right = np.where(before, middle, left), np.where(before, right, middle)
        found.append(left)
    return np.concatenate(found)


def brute_force(made):
    """Give the largest torques, speeds, accelerations and powers of very many samples."""
    edges = made.trajectory.timing.edges(made.path) * made.duration
    pieces = [np.linspace(first, last, IN_A_PIECE) for first, last in pairwise(edges)]
    near = 1e-9 * made.duration * np.array([-1.0, 1.0])
    even = np.linspace(0.0, made.duration, IN_ALL)
    beside = np.add.outer(np.concatenate([edges, turning_points(made, even)]), near)
    close = np.clip(beside.ravel(), 0.0, made.duration)
    t = np.concatenate([even, close, *pieces])
    _, qd, qdd = made.trajectory(t)
    tau = made.torque_at(t)
    return {
        "torque": np.abs(tau), "speed": np.abs(qd), "acceleration": np.abs(qdd),
        "power": np.abs(tau * qd),
    }, np.linalg.norm(made.trajectory.tip(t).position, axis=-1)  # fmt: skip


def test_peaks_are_those_of_very_many_samples(case):
    arm, _, _, made = case
    sizes, radius = brute_force(made)
    for name, size in sizes.items():
        most, told = size.max(axis=0), getattr(made.peaks, name)
        assert (told >= (1.0 - 1e-3) * most).all(), name
        # No more than there is: so many samples miss a peak by next to nothing.
        assert (told <= most * (1.0 + 2e-3)).all(), name
    # Samples come close to the outermost point, and never beyond it.
    margin = arm.reach - radius.max()
    assert margin - 1e-6 * arm.reach <= made.peaks.reach_margin <= margin + 1e-12 * arm.reach


@pytest.mark.parametrize("rate", [pytest.param(300, marks=pytest.mark.slow), 3001])
def test_nothing_depends_on_the_rate(case, rate):
    arm, path, options, free = case
    half = [
        replace(joint, max_torque=0.6 * float(torque), max_velocity=0.9 * float(speed) or np.inf)
        for joint, torque, speed in zip(
            arm.joints, free.peaks.torque, free.peaks.speed, strict=True
        )
    ]
    limited = arm.replace(joints=half)
    coarse, fine = (
        ulna.plan(limited, path, rate=samples / free.duration, **options) for samples in (7, rate)
    )
    assert not coarse.ok
    assert fine.problems == coarse.problems
    for one, other in zip(fine.peaks, coarse.peaks, strict=True):
        assert np.array_equal(one, other)


def test_the_square_of_three_tenths_of_a_millimetre():
    """Round a corner of curvature k at v the tip accelerates by v² k, whatever the samples."""
    path = paths.polyline(SQUARE, 3e-4, closed=True)
    made = ulna.plan(ARM, path, max_speed=0.25, timing="constant-speed")
    seen = np.abs(ulna.plan(ARM, path, duration=made.duration, rate=5e4,
                            timing="constant-speed").tau).max(axis=0)  # fmt: skip
    assert (np.abs(made.tau).max(axis=0) < 0.7 * seen).any()
    assert (made.peaks.torque >= (1.0 - 1e-3) * seen).all()


def test_a_speed_that_is_over_between_two_samples_is_told():
    free = ulna.plan(ARM, LONG, duration=40.0)
    fastest = free.peaks.speed
    assert (np.abs(free.qd).max(axis=0) < fastest * (1.0 - 1e-4)).any()
    limited = ARM.replace(joints=[ulna.Joint(max_velocity=float(s) * 0.9999) for s in fastest])
    made = ulna.plan(limited, LONG, duration=40.0)
    assert {found.joint for found in made.problems if found.kind == "velocity limit"} == {1, 2}


def test_a_moment_out_of_reach_is_told_and_agrees_with_the_margin():
    """A tongue that is over in a thousandth of the way sticks out by half a millimetre."""
    there = paths.circle((0.5, 0.0), 0.3).repeated(100)
    for tip, lost in ((0.9995, False), (1.0005, True)):
        spike = paths.polyline([(0.8, 0.0), (tip, 0.0), (0.8, 1e-4)], 0)
        path = there.then(spike)
        made = ulna.plan(ARM, path, duration=100.0, rate=1.0)
        assert made.peaks.reach_margin == pytest.approx(1.0 - tip, abs=1e-9)
        told = [found for found in made.problems if found.kind == "out of reach"]
        assert bool(told) == lost == (made.peaks.reach_margin < 0.0)
        assert made.feasible != lost
        for found in told:
            assert found.when.worst == pytest.approx(tip - 1.0, abs=1e-9)


def test_plans_of_many_have_the_same():
    arms = [ARM, ARM.replace(gravity=(0.0, -1.62))]
    path = paths.polyline(SQUARE, 1e-3)
    for arm, made in zip(arms, ulna.plan(arms, path, duration=4.0), strict=True):
        alone = ulna.plan(arm, path, duration=4.0)
        for one, other in zip(made.peaks, alone.peaks, strict=True):
            assert np.array_equal(one, other)


def test_finite_derivatives_have_the_peaks_of_their_samples():
    made = ulna.plan(
        ARM, paths.ellipse((0.5, 0.1), (0.15, 0.1)), duration=2.0, derivatives="finite"
    )
    assert np.array_equal(made.peaks.torque, np.abs(made.tau).max(axis=0))
    assert np.array_equal(made.peaks.speed, np.abs(made.qd).max(axis=0))


@pytest.mark.parametrize(
    "seed", [*range(3), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 30))]
)
def test_peaks_of_random_arms_with_friction_are_those_of_very_many_samples(seed):
    random = np.random.default_rng(seed)
    n = 1 + seed % 3
    lengths, masses = random.uniform(0.2, 0.6, n), random.uniform(0.3, 3.0, n)
    joints = [
        ulna.Joint(friction=ulna.Friction(low, low + more, speed, drag))
        for low, more, speed, drag in zip(
            random.uniform(0.0, 5.0, n), random.choice([0.0, 2.0], n),
            random.uniform(0.005, 0.3, n), random.choice([0.0, 0.5], n), strict=True,
        )
    ]  # fmt: skip
    arm = ulna.Arm.rods(lengths, masses, joints=joints)
    postures = random.uniform(-2.0, 2.0, (6, n))
    # Timed by its length, what nearly turns back would do so at once.
    made = ulna.plan(arm, paths.joints(postures), duration=3.0, timing="uniform")
    sizes, _ = brute_force(made)
    for name, size in sizes.items():
        most, told = size.max(axis=0), getattr(made.peaks, name)
        assert (told >= (1.0 - 1e-3) * most).all(), name
        assert (told <= most * (1.0 + 2e-3)).all(), name


def test_what_dry_friction_adds_is_in_the_torque_that_a_plan_asks_for():
    """Of a lone joint without weight: the torque of its inertia, and friction on top of it."""
    rod = ulna.Arm.rods([1.0], [3.0], gravity=(0.0, 0.0))
    dry = rod.replace(joints=[ulna.Joint(friction=ulna.Friction(3.0))])
    swing = paths.joints([[0.0], [1.0]])
    ideal, real = (ulna.plan(arm, swing, duration=1.0, timing="quintic") for arm in (rod, dry))
    # M q̈ is largest where it accelerates, and friction acts against that.
    assert real.peaks.torque == pytest.approx(ideal.peaks.torque + 3.0, rel=1e-3)
    assert real.term_peaks["friction"] == pytest.approx([3.0])
    assert np.abs(real.tau).max() == pytest.approx(np.abs(ideal.tau).max() + 3.0)
