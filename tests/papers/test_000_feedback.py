"""Paper 000's arm on its path under feedback at 1 kHz: how far off the tip is, root mean square."""

import numpy as np
import pytest

import ulna
from ulna.analysis import tracking
from ulna.control import PD, ComputedTorque, FeedforwardPID, GravityPD

ARM = ulna.preset("kehl")
TENTH_MORE = ulna.Arm.rods([0.5, 0.5], [1.1, 11.0])
SPRINGS = ([400.0, 100.0], [40.0, 10.0])


@pytest.fixture(scope="module")
def plan():
    return ulna.plan(ARM, ulna.paths.loops(), duration=60.0)


def error(plan, controller, **options):
    run = ulna.simulate(ARM, controller=controller, reference=plan, **options)
    assert run.status
    return tracking(run, plan)


@pytest.mark.parametrize(
    ("controller", "expected"),
    [
        (ComputedTorque(natural_frequency=20.0, damping_ratio=1.0), 9.05e-6),
        (ComputedTorque(20.0, model=TENTH_MORE), 2.67e-3),
        (FeedforwardPID(*SPRINGS, 0.0), 37.9e-6),
        (GravityPD(*SPRINGS), 7.1e-3),
        (PD(*SPRINGS), 164e-3),
    ],
    ids=["computed torque", "wrong masses", "feed-forward", "gravity", "PD"],
)
def test_from_the_exact_start(plan, controller, expected):
    assert error(plan, controller).rms == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize(
    ("controller", "expected"),
    [(ComputedTorque(20.0), 150e-6), (FeedforwardPID(*SPRINGS, 0.0), 666e-6)],
    ids=["computed torque", "feed-forward"],
)
def test_from_rest_it_comes_back_to_the_path(plan, controller, expected):
    start = plan.trajectory(0.0).q
    assert error(plan, controller, q0=start).rms == pytest.approx(expected, rel=0.02)


def test_from_rest_after_a_second_it_is_as_from_the_exact_start(plan):
    found = error(plan, ComputedTorque(20.0), q0=plan.trajectory(0.0).q)
    later = found.size[found.t >= 1.0]
    assert np.sqrt(np.mean(later**2)) == pytest.approx(9.1e-6, rel=0.02)


def test_pd_with_the_printed_torques_held_for_30_ms(plan):
    printed = ulna.plan(ARM, ulna.paths.loops_as_printed(), derivatives="finite")

    # The controller hands a torque on at the first of its ticks after the torque's time.
    held = (np.ceil(1000.0 * printed.t - 1e-6) / 1000.0, printed.tau)
    found = error(plan, PD(*SPRINGS), torque=held, between="hold")
    assert found.rms == pytest.approx(1.19e-3, rel=0.02)
