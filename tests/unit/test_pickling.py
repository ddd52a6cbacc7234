"""What is computed can be sent to another process and copied, with the same numbers."""

import copy
import pickle

import numpy as np
import pytest

import ulna
from ulna import control, paths

ARM = ulna.Arm.rods([0.5, 0.5], [1.0, 2.0])
ELLIPSE = paths.ellipse((0.5, 0.1), (0.15, 0.1))
S = np.linspace(0.0, 1.0, 101)
SVG = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0 L10 0 A5 5 0 0 1 10 10 z"/></svg>'

EVERY_PATH = {
    "arc": paths.arc,
    "lemniscate": paths.lemniscate,
    "polyline": lambda: paths.polyline([(0, 0), (1, 0), (1, 1)], blend=0.1),
    "spline": lambda: paths.spline([(0, 0), (1, 0), (1, 1), (0, 2)]),
    "composed": lambda: (
        ELLIPSE.then(paths.line((0.0, 0.0), (0.1, 0.1)))
        .repeated(2)
        .reversed()
        .placed((0.1, 0.0), 0.3)
        .scaled(0.5)
        .rounded(0.01)
    ),
}


def _copies(thing):
    return pickle.loads(pickle.dumps(thing)), copy.deepcopy(thing)


@pytest.mark.parametrize("name", EVERY_PATH)
def test_every_path_is_copied_to_the_last_bit(name):
    path = EVERY_PATH[name]()
    for other in _copies(path):
        assert np.array_equal(other.derivatives(S), path.derivatives(S))
        assert np.array_equal(other.by_length(S), path.by_length(S))
        assert str(other) == str(path)


def test_a_drawing_is_copied_to_the_last_bit(tmp_path):
    (tmp_path / "a.svg").write_text(SVG, encoding="utf-8")
    path = paths.svg(tmp_path / "a.svg", 0.01)
    for other in _copies(path):
        assert np.array_equal(other.derivatives(S), path.derivatives(S))


@pytest.mark.parametrize(
    ("timing", "n"),
    [("s-curve", 1), ("cubic", 2), ("constant-speed", 3), (ulna.motion.times([0.0, 1.0, 3.0]), 2)],
)
def test_plans_and_trajectories(timing, n):
    arm = ulna.Arm.rods([1.0 / n] * n, [1.0] * n)
    path = paths.arc(radius=1.0) if n == 1 else ELLIPSE
    made = ulna.plan(arm, path, timing=timing, duration=2.0, rate=50.0, tip_force=(1.0, 2.0))
    told, peaks, terms = made.problems, made.peaks, made.terms
    for other in _copies(made):
        for part in ("t", "q", "qd", "qdd", "tau", "reach_margin"):
            assert np.array_equal(getattr(other, part), getattr(made, part))
        assert not other.tau.flags.writeable
        assert other.problems == told
        assert all(np.array_equal(a, b) for a, b in zip(other.peaks, peaks, strict=True))
        assert all(np.array_equal(a, b) for a, b in zip(other.terms, terms, strict=True))
        assert np.array_equal(other.torque_at(0.7), made.torque_at(0.7))
    for other in _copies(made.trajectory):
        assert np.array_equal(other(0.7), made.trajectory(0.7))


def test_plans_of_many_come_back_with_their_torques_and_motions():
    many = ulna.plan([ARM, ARM.replace(gravity=(0.0, -1.62))], ELLIPSE, rate=50.0, duration=2.0)
    for other in _copies(many):
        assert np.array_equal(other.tau, many.tau)
        assert not other.tau.flags.writeable
        assert np.array_equal(other[1].terms.gravity, many[1].terms.gravity)
        assert np.array_equal(other[1].trajectory(0.3), many[1].trajectory(0.3))


OTHERS = {
    "arm": (lambda: ulna.preset("kehl"), lambda arm: arm.parameters),
    "solutions": (lambda: ulna.kinematics.inverse(ARM, [0.5, 0.1]), lambda one: (one.q,)),
    "tracked": (
        lambda: ulna.kinematics.track(ARM, [[0.5, 0.1], [0.5, 0.2]]),
        lambda one: (one.q, one.flags),
    ),
    "workspace": (
        lambda: ulna.kinematics.workspace(ARM),
        lambda one: (one.contains([[0.5, 0.1]]), one.area),
    ),
    "run": (
        lambda: ulna.simulate(ARM, q0=[0.1, 0.2], duration=0.1, controller=control.PD(),
                              reference=[0.2, 0.3]),
        lambda run: (run.t, run.q, run.qd, run.tau, run.tip),
    ),
    "batch": (
        lambda: ulna.simulate_batch(ARM, q0=np.zeros((3, 2)), duration=0.1, samples=3),
        lambda run: (run.t, run.q, run.qd),
    ),
    "portrait": (
        lambda: ulna.portrait(ulna.Arm.rods([0.5], [1.0]), starts=[(0.0, 1.0)], duration=1.0),
        lambda one: (one.orbits[0].run.q, [rest.angle for rest in one.equilibria]),
    ),
    "derivation": (lambda: ulna.derive(links=1), lambda one: ([str(one)],)),
    "controllers": (
        lambda: [control.PD(), control.GravityPD(), control.PID(), control.ComputedTorque(),
                 control.FeedforwardPID(), control.Adaptive()],
        lambda many: ([repr(one) for one in many],),
    ),
    "stability": (
        lambda: ulna.analysis.stability(ulna.plan(ARM, ELLIPSE, duration=2.0, rate=50.0)),
        lambda one: (one.exponents,),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_what_else_is_computed(name):
    make, numbers = OTHERS[name]
    thing = make()
    for other in _copies(thing):
        for one, same in zip(numbers(other), numbers(thing), strict=True):
            assert np.array_equal(one, same)
