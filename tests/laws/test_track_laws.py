"""Laws of following a path, each on 1,000 random paths (25 draws of 40 arms side by side).

Most paths are made from a known joint motion: the tip's positions are computed here by complex
numbers, and following them must give the motion back, unwrapped and on its branch.
"""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ulna.kinematics import TrackFlag, track

ARMS, SAMPLES = 40, 60
thorough = settings(max_examples=25, deadline=None)
seeds = st.integers(0, 2**32 - 1)


def tip(arm, q):
    """Give the tip (B, T, 3) of arms (B, n) moving through q (B, T, n)."""
    phi = np.cumsum(q, axis=-1)
    z = np.sum(arm.length[:, None] * np.exp(1j * phi), axis=-1)
    x, y = z.real + arm.base[:, None, 0], z.imag + arm.base[:, None, 1]
    return np.stack([x, y, phi[..., -1]], axis=-1)


def points(z):
    return np.stack([z.real, z.imag], axis=-1)


def smooth(random, joints, arms=ARMS, samples=SAMPLES):
    """Draw smooth motions (arms, samples, joints) of the order of one radian."""
    t = np.linspace(0.0, 1.0, samples)[:, None, None]
    wave = np.arange(1, 4)
    size, phase = random.normal(size=(2, arms, 1, joints, 3))
    return np.sum(size * np.sin(np.pi * wave * t + 6.0 * phase) / wave, axis=-1)


def bent(random):
    """Draw motions of two joints: several turns of the first, the second never near straight."""
    q = smooth(random, 2)
    turns = random.uniform(-3.0, 3.0, (ARMS, 1))
    q[..., 0] += 2.0 * np.pi * turns * np.linspace(0.0, 1.0, SAMPLES)
    sign = random.choice([-1.0, 1.0], (ARMS, 1))
    q[..., 1] = sign * (0.5 * np.pi + 1.2 * np.tanh(q[..., 1]))
    return q, sign


def largest_step(q):
    return np.max(np.abs(np.diff(q, axis=1)), axis=(1, 2))


@thorough
@given(seed=seeds)
def test_two_links_give_back_the_motion_that_made_the_path(random_arm, seed):
    random = np.random.default_rng(seed)
    arm, (q, sign) = random_arm(random, 2, (ARMS,)), bent(random)
    tracked = track(arm, tip(arm, q)[..., :2], start=q[:, 0])
    assert np.abs(tracked.q - q).max() <= 1e-11
    assert (tracked.flags == TrackFlag.NONE).all()
    assert (tracked.branch == sign).all()
    assert tracked.residual.max() <= 1e-14
    by_name = track(arm, tip(arm, q)[:1, :, :2].repeat(ARMS, 0), start="positive")
    assert not by_name.has(TrackFlag.BRANCH_SWITCH)[0].any()
    assert (by_name.branch[0] == 1).all()


@thorough
@given(seed=seeds)
def test_three_links_with_orientation_give_back_the_motion(random_arm, seed):
    random = np.random.default_rng(seed)
    arm, (q, _) = random_arm(random, 3, (ARMS,)), bent(random)
    q = np.concatenate([q, 2.0 * smooth(random, 1)], axis=-1)
    path = tip(arm, q)
    # An orientation is the same in every turn.
    path[..., 2] = np.angle(np.exp(1j * path[..., 2]))
    tracked = track(arm, path, start=q[:, 0])
    assert np.abs(tracked.q - q).max() <= 1e-11
    assert (tracked.flags == TrackFlag.NONE).all()


@thorough
@given(n=st.integers(1, 2), seed=seeds)
def test_an_orientation_gives_one_and_two_links_their_motion_back(random_arm, n, seed):
    random = np.random.default_rng(seed)
    arm, q = random_arm(random, n, (ARMS,)), 2.0 * smooth(random, n)
    tracked = track(arm, tip(arm, q), start=q[:, 0])
    assert np.abs(tracked.q - q).max() <= 1e-12
    assert tracked.ok.all()


@thorough
@given(seed=seeds)
def test_joints_turn_no_faster_than_the_path_and_the_posture_make_them(random_arm, seed):
    """A circle somewhere in the ring: |Δq| ≤ |Δp|/σ, with σ of the worse of two neighbours."""
    random = np.random.default_rng(seed)
    arm = random_arm(random, 2, (ARMS,))
    outer, hole = np.sum(arm.length, axis=-1), np.abs(arm.length[:, 0] - arm.length[:, 1])
    width = outer - hole
    middle = hole + width * random.uniform(0.3, 0.7, ARMS)
    size = width * random.uniform(0.05, 0.2, ARMS)
    angle = np.linspace(0.0, 2.0 * np.pi, 200)
    z = (middle * np.exp(1j * random.uniform(-3.0, 3.0, ARMS)))[:, None]
    z = z + size[:, None] * np.exp(1j * angle) + (arm.base @ [1.0, 1j])[:, None]
    start = random.choice(["positive", "negative"])
    tracked = track(arm, points(z), start=start)
    assert tracked.ok.all()
    assert (tracked.branch == (1 if start == "positive" else -1)).all()
    # σ1 σ2 = l1 l2 |sin q2| and σ1 ≤ ‖J‖ ≤ √2·reach.
    bend = np.abs(np.sin(tracked.q[..., 1])).min(axis=-1)
    smallest = np.prod(arm.length, axis=-1) * bend / (np.sqrt(2.0) * outer)
    path_step = np.abs(np.diff(z, axis=-1)).max(axis=-1)
    assert (largest_step(tracked.q) <= 1.2 * path_step / smallest).all()
    # A closed path that does not go round the base ends where it began.
    assert np.abs(tracked.q[:, -1] - tracked.q[:, 0]).max() <= 1e-9


@thorough
@given(seed=seeds, exactly=st.booleans())
def test_through_the_straight_arm_without_a_jump_and_on_the_same_branch(random_arm, seed, exactly):
    """The elbow swings through straight; on one branch it swings up to it and back instead."""
    random = np.random.default_rng(seed)
    arm = random_arm(random, 2, (ARMS,))
    swing = np.linspace(-1.0, 1.0, 61 if exactly else 60)
    q = np.empty((ARMS, len(swing), 2))
    q[..., 0] = random.uniform(-3.0, 3.0, (ARMS, 1)) + random.uniform(-1.0, 1.0, (ARMS, 1)) * swing
    q[..., 1] = random.uniform(0.2, 1.5, (ARMS, 1)) * swing
    tracked = track(arm, tip(arm, q)[..., :2], start=q[:, 0])
    assert not np.isnan(tracked.q).any()
    assert tracked.ok.all()
    assert (tracked.branch <= 0).all()
    assert not tracked.has(TrackFlag.BRANCH_SWITCH).any()
    assert tracked.residual.max() <= 1e-14
    # √ε: near straight, rounding of the point bends the elbow by as much.
    expected = -np.abs(q[..., 1])
    assert np.abs(tracked.q[..., 1] - expected).max() <= 1e-6
    # Mirrored in the line to the tip, joint 1 moves by what the line and the elbow move.
    assert (largest_step(tracked.q) <= 3.0 * largest_step(q) + 1e-6).all()


@thorough
@given(seed=seeds, exactly=st.booleans())
def test_through_the_centre_of_equal_links_without_a_jump(random_arm, seed, exactly):
    """Folding through the base: the smooth motion changes its branch there, once, and says so."""
    random = np.random.default_rng(seed)
    arm = random_arm(random, 2, (ARMS,))
    arm = arm._replace(length=np.repeat(arm.length[:, :1], 2, axis=-1), base=0.0 * arm.base)
    count = 41 if exactly else 40
    swing = np.linspace(-1.0, 1.0, count)
    sign = random.choice([-1.0, 1.0], (ARMS, 1))
    q = np.empty((ARMS, count, 2))
    q[..., 0] = random.uniform(-3.0, 3.0, (ARMS, 1)) + random.uniform(-0.5, 0.5, (ARMS, 1)) * swing
    q[..., 1] = sign * (np.pi + random.uniform(0.3, 1.5, (ARMS, 1)) * swing)
    path = tip(arm, q)[..., :2]
    if exactly:
        assert np.abs(path[:, 20]).max() <= 1e-15
    tracked = track(arm, path, start=q[:, 0])
    assert not np.isnan(tracked.q).any()
    assert tracked.ok.all()
    assert np.abs(tracked.q - q).max() <= 1e-11
    assert (tracked.branch[:, 0] == sign[:, 0]).all()
    assert (tracked.branch[:, -1] == -sign[:, 0]).all()
    switched = tracked.has(TrackFlag.BRANCH_SWITCH)
    assert (switched.sum(axis=-1) == 1).all()
    assert switched[:, 21 if exactly else 20].all()
    if exactly:
        assert (tracked.branch[:, 20] == 0).all()
        assert tracked.has(TrackFlag.SINGULAR)[:, 20].all()


@thorough
@given(seed=seeds)
def test_the_wrist_through_the_base_with_orientation_without_a_jump(random_arm, seed):
    """Three links, the first two equal: the wrist passes the centre, sampled exactly on it."""
    random = np.random.default_rng(seed)
    arm = random_arm(random, 3, (ARMS,))
    length = arm.length.copy()
    length[:, 1] = length[:, 0]
    arm = arm._replace(length=length, base=0.0 * arm.base)
    swing = np.linspace(-1.0, 1.0, 41)
    q = random.uniform(-0.5, 0.5, (ARMS, 1, 3)) * swing[:, None]
    q[..., 0] += random.uniform(-3.0, 3.0, (ARMS, 1))
    q[..., 1] = np.pi + random.uniform(0.3, 1.5, (ARMS, 1)) * swing
    path = tip(arm, q)
    tracked = track(arm, path, start=q[:, 0])
    assert tracked.ok.all()
    assert np.abs(tracked.q - q).max() <= 1e-11
    assert np.abs(tip(arm, tracked.q) - path).max() <= 1e-12
    assert (tracked.has(TrackFlag.BRANCH_SWITCH).sum(axis=-1) == 1).all()


@thorough
@given(seed=seeds)
def test_a_path_out_of_reach_is_told_by_intervals_with_its_shortfall(random_arm, seed):
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 3))
    arm = random_arm(random, n, (ARMS,))
    outer = np.sum(arm.length, axis=-1)
    hole = np.maximum(2.0 * np.max(arm.length, axis=-1) - outer, 0.0)
    radius = np.abs(outer[:, None] * (0.8 + 0.5 * smooth(random, 1)[..., 0]))
    bearing = 2.0 * smooth(random, 1)[..., 0]
    z = radius * np.exp(1j * bearing) + (arm.base @ [1.0, 1j])[:, None]
    clamp = bool(random.integers(2))
    tracked = track(arm, points(z), clamp=clamp)
    expected = np.maximum(np.maximum(radius - outer[:, None], hole[:, None] - radius), 0.0)
    assert np.abs(tracked.shortfall - expected).max() <= 1e-14
    gone = expected > 1e-11
    assert (tracked.has(TrackFlag.OUT_OF_REACH) == gone).all()
    assert (np.isnan(tracked.q).any(axis=-1) == (gone & (not clamp))).all()
    assert (tracked.ok == ~gone).all()
    told = np.zeros_like(gone)
    for interval in tracked.intervals:
        if interval.flag == TrackFlag.OUT_OF_REACH:
            part = slice(interval.first, interval.last + 1)
            told[interval.path][part] = True
            assert interval.worst == tracked.shortfall[interval.path][part].max()
            assert tracked.shortfall[interval.path][interval.worst_at] == interval.worst
            assert not gone[interval.path][interval.last + 1 : interval.last + 2].any()
            assert not gone[interval.path][max(interval.first - 1, 0) : interval.first].any()
    assert (told == gone).all()


@thorough
@given(seed=seeds)
def test_limits_are_exceeded_by_what_the_unwrapped_angle_exceeds_them(random_arm, seed):
    random = np.random.default_rng(seed)
    arm, (q, _) = random_arm(random, 2, (ARMS,), limited=True), bent(random)
    free = arm._replace(lower=-np.inf + 0.0 * arm.lower, upper=np.inf + 0.0 * arm.upper)
    path = tip(arm, q)[..., :2]
    tracked = track(arm, path, start=q[:, 0])
    # Limits mark samples; they do not bend the answer.
    assert np.abs(tracked.q - track(free, path, start=q[:, 0]).q).max() <= 1e-12
    over = np.maximum(arm.lower[:, None] - q, q - arm.upper[:, None]).max(axis=-1)
    assert np.abs(tracked.excess - np.maximum(over, 0.0)).max() <= 1e-11
    clear = np.abs(over) > 1e-10
    assert (tracked.has(TrackFlag.JOINT_LIMIT) == (over > 0.0))[clear].all()


@thorough
@given(seed=seeds, floor=st.floats(-1.0, 0.5))
def test_the_floor_is_passed_by_the_lowest_joint(random_arm, seed, floor):
    random = np.random.default_rng(seed)
    arm, (q, _) = random_arm(random, 2, (ARMS,)), bent(random)
    path = tip(arm, q)[..., :2]
    tracked = track(arm, path, start=q[:, 0], floor=floor)
    elbow = arm.base[:, None, 1] + arm.length[:, None, 0] * np.sin(q[..., 0])
    depth = np.maximum(floor - np.minimum(elbow, path[..., 1]), 0.0)
    assert np.abs(tracked.depth - depth).max() <= 1e-11
    clear = np.abs(floor - np.minimum(elbow, path[..., 1])) > 1e-10
    assert (tracked.has(TrackFlag.BELOW_FLOOR) == (depth > 0.0))[clear].all()


def no_faster_than_the_path(arm, q, path):
    """Whether |Δq| ≤ 1.5 |Δp|/σ everywhere, with σ of the worse of two neighbours.

    Least joint motion is |Δp|/σ at most; the rest is room for the curvature of a coarse step.
    """
    links = arm.length[:, None] * np.exp(1j * np.cumsum(q, axis=-1))
    lever = 1j * np.cumsum(links[..., ::-1], axis=-1)[..., ::-1]
    last = arm.length[:, None, -1:]
    rows = [lever.real, lever.imag, last + 0.0 * lever.real][: path.shape[-1]]
    smallest = np.linalg.svd(np.stack(rows, axis=-2), compute_uv=False)[..., -1]
    step = np.diff(path, axis=1)
    step[..., 2:] *= last
    needed = np.linalg.norm(step, axis=-1) / np.minimum(smallest[:, 1:], smallest[:, :-1])
    return (np.linalg.norm(np.diff(q, axis=1), axis=-1) <= 1.5 * needed).all()


def test_redundant_arms_follow_any_path_that_was_made_by_a_motion(random_arm):
    """1,000 paths for 3 to 6 joints with and without orientation: reached, and without a jump."""
    random = np.random.default_rng(99)
    for n, oriented in ((3, False), (4, True), (5, False), (6, True)):
        arms = 250
        arm = random_arm(random, n, (arms,))
        q = smooth(random, n, arms, 25)
        path = tip(arm, q)[..., : 3 if oriented else 2]
        tracked = track(arm, path, start=q[:, 0])
        assert tracked.ok.all()
        assert not np.isnan(tracked.q).any()
        reached = tip(arm, tracked.q)
        assert np.hypot(*np.moveaxis((reached - tip(arm, q))[..., :2], -1, 0)).max() <= 1e-8
        if oriented:
            turned = np.exp(1j * reached[..., 2]) - np.exp(1j * path[..., 2])
            assert np.abs(turned).max() <= 1e-8 / 0.1  # an arc of a last link of 0.1 m
        assert np.abs(tracked.q[:, 0] - q[:, 0]).max() <= 1e-9
        assert no_faster_than_the_path(arm, tracked.q, path)


def test_redundant_arms_keep_counting_turns(random_arm):
    random = np.random.default_rng(5)
    arm = random_arm(random, 4, (10,))
    outer = np.sum(arm.length, axis=-1)
    angle = np.linspace(0.0, 6.0 * np.pi, 120)
    z = 0.8 * outer[:, None] * np.exp(1j * angle) + (arm.base @ [1.0, 1j])[:, None]
    tracked = track(arm, points(z))
    assert tracked.ok.all()
    assert np.abs(np.diff(tracked.q, axis=1)).max() < 0.5
    turned = tracked.q.sum(axis=-1)
    assert (np.abs(turned[:, -1] - turned[:, 0] - 6.0 * np.pi) < np.pi).all()


def test_limits_are_kept_by_redundant_arms_wherever_they_let_them_pass(random_arm):
    """Along a motion well within the limits, samples that are not blocked are reached."""
    random = np.random.default_rng(21)
    for oriented in (False, True):
        arm = random_arm(random, 5, (20,))
        q = 0.3 * smooth(random, 5, 20, 25)
        arm = arm._replace(lower=q.min(axis=1) - 0.5, upper=q.max(axis=1) + 0.5)
        path = tip(arm, q)[..., : 3 if oriented else 2]
        tracked = track(arm, path, start=q[:, 0])
        assert (tracked.q >= arm.lower[:, None] - 1e-12).all()
        assert (tracked.q <= arm.upper[:, None] + 1e-12).all()
        assert tracked.ok.mean() > 0.9
        miss = tip(arm, tracked.q)[..., : path.shape[-1]] - path
        reached = np.hypot(miss[..., 0], miss[..., 1])
        assert (reached[tracked.ok] <= 1e-8 * 5.0).all()  # of a reach of 5 m at most
        assert (np.abs(miss[..., 2:])[tracked.ok] <= 1e-8 * 5.0 / 0.1).all()
        assert np.abs(tracked.residual - reached).max() <= 1e-13
