"""Exponents against arithmetic of hundreds of digits, for arms, controllers and times at random.

The maps along a plan are multiplied up as whole multiples of 2^-600 or less, so that nothing that
counts is rounded, and mpmath takes the singular values of what comes out.
"""

import math
from importlib import import_module

import mpmath
import numpy as np
import pytest

import ulna
from ulna.analysis import stability
from ulna.analysis.error_growth import log_singular_values
from ulna.analysis.sampled_loops import given_loop
from ulna.control import PD, PID, Adaptive, ComputedTorque, FeedforwardPID, GravityPD, OpenLoop

BITS = 600  # e^-400 still has twelve digits then
LAWS = {
    "alone": None,
    "computed torque": ComputedTorque(natural_frequency=20.0),
    "soft computed torque": ComputedTorque(natural_frequency=4.0),
    "spring": PD(kp=5.0, kd=0.1),
    "gravity": GravityPD(kp=5.0, kd=0.1),
    "integral": PID(kp=5.0, kd=0.1, ki=3.0),
    "filtered integral": PID(kp=5.0, kd=0.1, ki=3.0, filter=100.0),
    "feed-forward": FeedforwardPID(kp=5.0, kd=0.1, ki=3.0),
    "learning": Adaptive(),
    "held": OpenLoop(),
}


def exact_logs(maps, states, bits=BITS):
    """Give ln σ of the part of a product that leads from states to states."""
    product = fixed(np.eye(maps.shape[-1]), bits)
    for matrix in maps:
        product = np.array(fixed(matrix, bits) @ product) >> bits
    with mpmath.workprec(bits):
        part = product[:states, :states].tolist()
        part = mpmath.matrix([[mpmath.ldexp(x, -bits) for x in row] for row in part])
        values = mpmath.svd_r(part, compute_uv=False)
        return np.array([float(mpmath.log(x)) if x > 0 else -math.inf for x in values])


def fixed(matrix, bits):
    """Give numbers as whole multiples of 2^-bits, exactly where they are not tiny."""
    split = [math.frexp(x) for x in np.ravel(matrix).tolist()]
    whole = [shifted(int(part * 2**53), power - 53 + bits) for part, power in split]
    return np.array(whole, dtype=object).reshape(np.shape(matrix))


def shifted(whole, bits):
    return whole << bits if bits >= 0 else whole >> -bits


def maps_of(plan, law, rate):
    """Give the maps that a result is made of."""
    module = import_module("ulna.analysis.error_maps")
    if law is None:
        return module.open_maps(plan, plan.arm)[1]
    return module.closed_maps(plan, plan.arm, law, given_loop(plan.arm, rate, None, None))[1]


def random_plan(random, n, duration):
    arm = ulna.Arm.rods(
        random.uniform(0.1, 0.6, n).tolist(),
        random.uniform(0.2, 4.0, n).tolist(),
        joints=[ulna.Joint(damping=float(random.choice([0.0, 0.3])))] * n,
    )
    path = ulna.paths.joints(random.uniform(-1.5, 1.5, (3, n)))
    return ulna.plan(arm, path, duration=duration, timing="quintic")


def check(told, maps, bits=BITS):
    states, lasts = 2 * told.plan.arm.n, told.t[-1]
    exact = exact_logs(maps, states, bits) / lasts
    assert told.exponents == pytest.approx(exact, abs=1e-6, rel=1e-9)
    assert told.exponents[0] == pytest.approx(told.growth_rate(), abs=1e-6)


@pytest.mark.parametrize("name", LAWS)
def test_exponents_are_the_singular_values_of_the_whole_motion(name):
    random = np.random.default_rng(list(LAWS).index(name))
    for n in (1, 3):
        duration = float(np.exp(random.uniform(np.log(0.2), np.log(4.0))))
        rate = float(random.choice([50.0, 200.0, 1000.0]))
        plan = random_plan(random, n, duration)
        told = stability(plan, LAWS[name], rate=rate)
        check(told, maps_of(plan, LAWS[name], rate))


def test_the_largest_is_the_growth_even_where_digits_are_lost():
    # These gains lead errors where the next tick takes them back, four hundred times.
    plan = random_plan(np.random.default_rng(3), 4, 0.48)
    told = stability(plan, PD(kp=200.0, kd=20.0))
    assert told.growth_rate() > 100.0
    assert told.exponents[0] == pytest.approx(told.growth_rate(), rel=1e-9)
    assert (np.diff(told.exponents) <= 0.0).all()


def test_close_pairs_of_five_equal_rods_are_told_apart():
    arm = ulna.Arm.rods([0.3] * 5, [1.0] * 5)
    plan = ulna.plan(arm, ulna.paths.joints([[0.1] * 5, [0.5] * 5]), timing="quintic", duration=0.5)
    for law in (ComputedTorque(), ComputedTorque(natural_frequency=4.0)):
        check(stability(plan, law), maps_of(plan, law, 1000.0), bits=200)


def test_close_pairs_are_told_apart_where_the_whole_is_no_number():
    # By then errors have fallen to e^-78 along some directions and e^-1430 along others.
    arm = ulna.Arm.rods([0.3] * 2, [1.0] * 2)
    plan = ulna.plan(arm, ulna.paths.joints([[0.1] * 2, [0.5] * 2]), timing="quintic", duration=3.0)
    law = ComputedTorque(natural_frequency=100.0, damping_ratio=2.0)
    told = stability(plan, law)
    assert np.ptp(told.exponents) * told.t[-1] > 1000.0
    check(told, maps_of(plan, law, 1000.0), bits=4000)


@pytest.mark.parametrize("seed", range(6))
def test_values_of_any_product_are_found_however_close_and_however_far(seed):
    random = np.random.default_rng(seed)
    size, states = [(4, 4), (6, 4), (5, 5)][seed % 3]
    pattern = random.choice([1.0, 1.0 + 1e-3, 1.0 - 1e-9, 0.0, -1.0], size)
    maps = []
    for _ in range(60):
        left, right = (np.linalg.qr(random.normal(size=(size, size)))[0] for _ in range(2))
        maps.append(left @ np.diag(np.exp(random.uniform(0.0, 8.0) * pattern)) @ right)
    # One basis for all of them keeps the pattern, another for each mixes it.
    basis = np.linalg.qr(random.normal(size=(size, size)))[0]
    for each in (np.array(maps), np.array([basis @ np.diag(np.exp(7.0 * pattern)) @ basis.T] * 60)):
        found, exact = log_singular_values(each, states), exact_logs(each, states, 2400)
        assert found == pytest.approx(exact, rel=1e-7, abs=1e-7)
