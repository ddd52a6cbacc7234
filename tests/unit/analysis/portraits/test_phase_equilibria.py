"""Where a joint stays, against the algebra of a two-by-two matrix and of a pendulum."""

import math

import numpy as np
import pytest

import ulna
from ulna.analysis.portraits.invariant_sets import launch
from ulna.analysis.portraits.phase_equilibria import kind_of
from ulna.control import PD, ComputedTorque, GravityPD

G = 9.81


def pendulum(damping=0.2, **more):
    """A point mass of 1 kg on 1 m: M = 1 kg·m², G = 9.81 cos θ."""
    return ulna.Arm.point_masses([1.0], [1.0], joints=[ulna.Joint(damping=damping)], **more)


def test_without_torque_it_hangs_and_stands():
    well, saddle = ulna.portrait(pendulum()).equilibria
    assert (well.angle, saddle.angle) == pytest.approx((-math.pi / 2, math.pi / 2), abs=1e-15)
    assert (well.kind, saddle.kind) == ("stable focus", "saddle")
    assert well.stable
    assert saddle.saddle
    assert not saddle.stable


@pytest.mark.parametrize("damping", [0.0, 0.2, 3.0, 20.0])
@pytest.mark.parametrize("torque", [0.0, 4.0, -7.0])
def test_eigenvalues_are_roots_of_their_equation(damping, torque):
    # λ² + b λ + V″ = 0 with V″ = −g sin θ.
    for rest in ulna.portrait(pendulum(damping), torque=torque).equilibria:
        assert G * math.cos(rest.angle) == pytest.approx(torque, abs=1e-12)
        values = rest.eigenvalues
        left = values**2 + damping * values - G * math.sin(rest.angle)
        assert np.abs(left).max() < 1e-11


@pytest.mark.parametrize(
    ("damping", "kind"), [(0.0, "centre"), (0.2, "stable focus"), (6.2, "stable focus"),
                          (6.3, "stable node"), (50.0, "stable node")],
)  # fmt: skip
def test_friction_turns_a_centre_into_a_focus_into_a_node(damping, kind):
    # Critically damped at b = 2 √g = 6.264.
    assert ulna.portrait(pendulum(damping)).equilibria[0].kind == kind


def test_at_the_heaviest_torque_well_and_saddle_meet_and_beyond_there_is_none():
    (only,) = ulna.portrait(pendulum(), torque=G).equilibria
    assert only.kind == "degenerate"
    assert only.angle == pytest.approx(0.0, abs=1e-6)
    assert ulna.portrait(pendulum(), torque=1.001 * G).equilibria == ()


def test_without_gravity_every_angle_is_a_rest_and_none_in_particular():
    (only,) = ulna.portrait(pendulum(gravity=(0.0, 0.0))).equilibria
    assert only.kind == "degenerate"


@pytest.mark.parametrize(
    ("trace", "determinant", "kind"),
    [(1.0, 4.0, "unstable focus"), (5.0, 1.0, "unstable node"), (1.0, -1.0, "saddle"),
     (-1.0, 0.5, "stable focus"), (0.0, 1.0, "centre"), (-2.0, 1.0, "stable node"),
     (-1.0, 0.0, "degenerate")],
)  # fmt: skip
def test_every_kind_of_matrix_has_its_name(trace, determinant, kind):
    assert kind_of(trace, determinant, 1.0) == kind


def test_under_computed_torque_the_eigenvalues_are_those_asked_for():
    # ë + 2 ζ ω ė + ω² e = 0 in every posture; ζ = 1 is a double root.
    (rest,) = ulna.portrait(
        pendulum(), controller=ComputedTorque(natural_frequency=5.0), set_point=0.7
    ).equilibria
    assert rest.angle == pytest.approx(0.7, abs=1e-12)
    assert rest.kind == "stable node"
    assert rest.eigenvalues == pytest.approx([-5.0, -5.0], abs=1e-6)


def test_a_spring_stretches_until_it_carries_the_weight():
    (rest,) = ulna.portrait(pendulum(), controller=PD(40.0, 2.0), set_point=0.3).equilibria
    assert 40.0 * (0.3 - rest.angle) == pytest.approx(G * math.cos(rest.angle), abs=1e-10)


def test_a_motor_too_weak_for_its_aim_leaves_the_arm_in_the_well_of_its_limit():
    drawn = ulna.portrait(pendulum(), controller=GravityPD(5.0, 2.0), set_point=0.5, max_torque=4.0)
    well, saddle = drawn.equilibria
    assert (well.angle, saddle.angle) == pytest.approx((-1.150811, 1.150811), abs=5e-7)
    # The law is at its limit there, so only the joint's own friction is left.
    assert well.eigenvalues.real == pytest.approx([-0.1, -0.1], abs=1e-9)


def test_an_orbit_leaves_a_saddle_along_its_eigenvector():
    drawn = ulna.portrait(pendulum())
    saddle = drawn.equilibria[1]
    (growing, _) = saddle.eigenvalues.real
    for side in (1, -1):
        angle, speed = launch(drawn.flow, saddle, side)
        assert side * (angle - saddle.angle) > 0.0
        assert speed == pytest.approx(growing * (angle - saddle.angle), rel=1e-9)
