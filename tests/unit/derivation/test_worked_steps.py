"""Steps worked out in numbers are written as arithmetic is: a negative factor in parentheses."""

import re

import numpy as np
import pytest

import ulna
from ulna.derivation.worked_steps import holding_steps, pose_steps, reach_steps

# A sign behind another operator, or a power of a number whose sign is outside of it.
UNCLEAR = re.compile(r"(?<!\()[+·/-] -\d|(?<![\d\w)] )(?<!\d)-\d[\d.]*²|·-\d")


@pytest.mark.parametrize("seed", range(20))
def test_no_sign_follows_an_operator(seed, random_arm, arm_of):
    random = np.random.default_rng(seed)
    arm = arm_of(random_arm(random, 2, whole=True))
    q = random.uniform(-np.pi, np.pi, 2)
    target = ulna.kinematics.tip(arm, q)[:2]
    texts = [
        pose_steps(arm, q),
        reach_steps(arm, target, ulna.kinematics.inverse(arm, target)),
        holding_steps(arm, q, random.uniform(-5.0, 5.0, 3)),
    ]
    for text in texts:
        assert UNCLEAR.findall(text) == [], text


def test_squares_of_negative_coordinates_are_in_parentheses():
    arm = ulna.Arm.rods([0.5, 0.5], [1.0, 1.0])
    target = np.array([0.24, -0.49])
    steps = reach_steps(arm, target, ulna.kinematics.inverse(arm, target))
    assert "r² = x² + y² = 0.24² + (-0.49)² = 0.2977" in steps
