"""Denavit–Hartenberg tables against the product of their matrices."""

import numpy as np
import pytest

import ulna
from ulna import InputError, kinematics
from ulna.arm import from_dh, to_dh


def turned(axis, angle):
    one, two = {"x": (1, 2), "z": (0, 1)}[axis]
    made = np.eye(4)
    made[[one, two], [one, two]] = np.cos(angle)
    made[two, one], made[one, two] = np.sin(angle), -np.sin(angle)
    return made


def shifted(x, z):
    made = np.eye(4)
    made[0, 3], made[2, 3] = x, z
    return made


def product(table, theta, convention, tip_length):
    frame = np.eye(4)
    for (a, alpha, d, zero), angle in zip(table, theta, strict=True):
        turn, bend = turned("z", zero + angle) @ shifted(0.0, d), turned("x", alpha)
        bend = shifted(a, 0.0) @ bend
        frame = frame @ (turn @ bend if convention == "standard" else bend @ turn)
    return (frame @ [tip_length, 0.0, 0.0, 1.0])[:2]


@pytest.mark.parametrize("convention", ["standard", "modified"])
@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_the_tip_is_that_of_the_product_of_matrices(convention, n):
    random = np.random.default_rng(n)
    table = np.column_stack(
        [
            random.choice([-1.0, 1.0], n) * random.uniform(0.1, 1.0, n),
            random.choice([0.0, np.pi, -np.pi], n),
            random.normal(size=n),
            random.normal(size=n),
        ]
    )
    length = 0.4 if convention == "modified" else None
    found = from_dh(table, np.ones(n), convention=convention, tip_length=length)
    for theta in random.uniform(-3.0, 3.0, (10, n)):
        tip = kinematics.tip(found.arm, found.from_file_angles(theta))[:2]
        assert tip == pytest.approx(product(table, theta, convention, length or 0.0), abs=1e-12)


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_a_table_comes_back_as_the_arm(convention):
    arm = ulna.Arm.rods([0.5, 0.4, 0.3], [3.0, 2.0, 1.0])
    length = 0.3 if convention == "modified" else None
    table = to_dh(arm, convention=convention)
    found = from_dh(table, [3.0, 2.0, 1.0], convention=convention, tip_length=length)
    assert found.same_angles
    assert found.arm.lengths == pytest.approx(arm.lengths, rel=1e-14)
    assert found.arm.masses == pytest.approx(arm.masses)


def test_rows_that_are_not_planar_are_named_all_at_once():
    table = [[0.3, 0.0, 0.0, 0.0], [0.2, np.pi / 2, 0.0, 0.0], [0.1, 0.0, np.nan, 0.0], [1.0]]
    with pytest.raises(InputError) as caught:
        from_dh(table, np.ones(4))
    assert [problem.what for problem in caught.value.problems] == [
        "table.2.alpha",
        "table.3.d",
        "table.4",
    ]


@pytest.mark.parametrize(
    ("table", "options", "what"),
    [
        ([], {}, "table"),
        ([[0.0, 0.0, 0.0, 0.0]], {}, "table.1.a"),
        ([[0.1, 0.0, 0.0, 0.0]], {"convention": "craig"}, "convention"),
        ([[0.1, 0.0, 0.0, 0.0]], {"convention": "modified"}, "tip_length"),
        ([[0.1, 0.0, 0.0, 0.0]], {"tip_length": 0.2}, "tip_length"),
        # Of a modified table the second row has the length of the first link.
        (
            [[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.1, 0.0, 0.0, 0.0]],
            {"convention": "modified", "tip_length": 0.2},
            "table.2.a",
        ),
    ],
)
def test_what_a_table_lacks_is_told(table, options, what):
    with pytest.raises(InputError) as caught:
        from_dh(table, np.ones(len(table)), **options)
    assert [problem.what for problem in caught.value.problems] == [what]


def test_only_arms_have_a_table():
    with pytest.raises(InputError, match="arm: got 'x', need an Arm"):
        to_dh("x")
