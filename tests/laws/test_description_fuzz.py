"""Files of other programs with mistakes in them: an arm, or an error that names what is wrong."""

import random as randoms
import re
import warnings

import numpy as np
import pytest

import robot_descriptions as robots
import ulna
from ulna.interop.compiled_robot import compile_robot
from ulna.interop.planar_chain import planar_arm

ATTRIBUTE = re.compile(r'\w+="([^"]*)"')
ELEMENT = re.compile(r"<\w+[^<>]*/>")
ODD = [
    *("", "nan", "inf", "-1", "0", "1e50", "-1e50", "1e-50", "1e40", "1e-40", "\u0660", "x"),
    *("0 0 0", "1 2 3", "1 2 3 4 5 6 7", "1,2,3", "1e49 1e49 1e49", "0 0 1e-50"),
    *("true", "false", "auto", "world", "base", "hinge", "free", "mesh", "-0.0"),
]
LINKS = [(None, None), (None, "tool"), ("shoulder", "tool"), ("shoulder", "wrist")]


def files():
    seed = np.random.default_rng
    urdf = [robots.acrobot(), robots.pitch_arm(), robots.prismatic_gripper_arm()]
    urdf += [robots.double_pendulum(), robots.random_planar(seed(0), 3)]
    mjcf = [robots.mujoco_arm(), robots.mujoco_desk_arm(), robots.random_geoms_arm(seed(3), 4)]
    mjcf.append(robots.random_geoms_arm(seed(4), 2, 'inertiafromgeom="true" boundmass="1"'))
    return urdf + mjcf


def damaged(random, text):
    """Return a file with one to four mistakes: odd values, things that are gone or twice there."""
    for _ in range(random.choice([1, 1, 2, 4])):
        kind = random.choice(["odd", "odd", "swap", "gone", "element"])
        found = random.choice(list((ELEMENT if kind == "element" else ATTRIBUTE).finditer(text)))
        start, end = found.span(0 if kind in ("gone", "element") else 1)
        made = {
            "odd": random.choice(ODD),
            "swap": random.choice(list(ATTRIBUTE.finditer(text)))[1],
            "gone": "",
            "element": random.choice(["", found[0] * 2]),
        }[kind]
        text = text[:start] + made + text[end:]
    return text


def check_files(seed, count):
    random, read = randoms.Random(seed), 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ulna.UlnaWarning)
        for _ in range(count):
            text = damaged(random, random.choice(FILES))
            try:
                found = planar_arm(compile_robot(text, "robot"), *random.choice(LINKS), ())
            except ulna.InputError as error:
                told = str(error)
            else:
                told = "need nothing"
                read += 1
                assert all(np.all(np.isfinite(value)) for value in found.arm.parameters[:6])
            assert "need" in told
    assert read > 0.03 * count


FILES = files()


def test_a_file_with_mistakes_is_an_arm_or_an_error():
    check_files(1, 300)


@pytest.mark.slow
def test_many_files_with_mistakes_are_arms_or_errors():
    check_files(2, 10_000)
