"""A thousand random robot files against torques and tips that an independent reader found.

MuJoCo reads the files, so that a comparison with MuJoCo says little of how they are read. The
expected numbers in tests/data/robot_file_torques.npy are those of ulna 0.1's own readers of URDF
and MJCF, which parsed the XML, resolved frames and defaults, and weighed geoms without MuJoCo.
"""

import warnings
from pathlib import Path

import numpy as np
import pytest

import robot_descriptions as robots
import ulna
from ulna import dynamics, kinematics
from ulna.interop import import_robot

pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")

EXPECTED = Path(__file__).parents[1] / "data" / "robot_file_torques.npy"
COMPILERS = (
    "",
    'inertiafromgeom="true" boundmass="1"',
    'inertiagrouprange="0 2"',
    'angle="degree" boundinertia="0.01"',
)
FILES = 1000


def random_file(number):
    """Return the ending and the text of one of the files: URDF and MJCF in turn."""
    random = np.random.default_rng(number)
    if number % 2:
        compiler = COMPILERS[number // 2 % 4]
        return ".xml", robots.random_geoms_arm(random, 1 + number // 2 % 6, compiler)
    return ".urdf", robots.random_planar(random, 1 + number // 2 % 8)


def torques_and_tip(found, number):
    """Return the torques about the axes of the file in one random state, and the tip there."""
    theta, rates, gains = np.random.default_rng(number).uniform(-2.0, 2.0, (3, found.arm.n))
    signs, q = np.array(found.signs), found.from_file_angles(theta)
    torque = signs * dynamics.inverse_dynamics(found.arm, q, signs * rates, signs * gains)
    return np.concatenate([torque, kinematics.tip(found.arm, q)[:2]])


def check_files(numbers, tmp_path):
    expected, place = np.load(EXPECTED), 0
    for number in range(FILES):
        size = 2 + (1 + number // 2 % 6 if number % 2 else 1 + number // 2 % 8)
        if number in numbers:
            ending, text = random_file(number)
            (tmp_path / f"robot{ending}").write_text(text)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ulna.UlnaWarning)
                found = import_robot(tmp_path / f"robot{ending}", tip_link="tool")
            own, theirs = torques_and_tip(found, number), expected[place : place + size]
            assert np.max(np.abs(own - theirs)) <= 1e-9 * np.max(np.abs(theirs)), number
        place += size
    assert place == expected.size


def test_random_files_move_as_an_independent_reader_found(tmp_path):
    check_files(range(0, FILES, 13), tmp_path)


@pytest.mark.slow
def test_a_thousand_random_files_move_as_an_independent_reader_found(tmp_path):
    check_files(range(FILES), tmp_path)
