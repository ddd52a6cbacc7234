"""A problem stands where its key stands, or where the table around it begins."""

import pytest

from tabular import tabular
from ulna import InputError
from ulna.arm.robot_files import parse

GOOD = "length = 1\nmass = 1\n"


def lines_of(text):
    with pytest.raises(InputError) as caught:
        parse(text, "f")
    return {p.what: int(p.place.removeprefix("f:")) for p in caught.value.problems}


@tabular(
    ("text", "expected"),
    [
        (
            f"format = 1\n[[link]] # one\n{GOOD}[[ link ]]\n  length=-1\n\tmass = 1\n",
            {"link.2.length": 6},
        ),
        (
            f"format = 1\n[[link]]\n{GOOD}[link.joint]\nlower = 0\ndamping = -1\n"
            f"[[link]]\n{GOOD}[link.joint]\n\nmax_torque = 0\n",
            {"link.1.joint.damping": 7, "link.2.joint.max_torque": 13},
        ),
        (
            f"format = 1\n[[link]]\n{GOOD}joint.upper = 1\njoint . lower = 'x'\n"
            "joint.friction.coulomb = -1\n",
            {"link.1.joint.lower": 6, "link.1.joint.friction.coulomb": 7},
        ),
        (
            "format = 1\n[[link]]\n\"length\" = -1\n'mass' = -1\n",
            {"link.1.length": 3, "link.1.mass": 4},
        ),
        (
            f"format = 1\n[[\"link\"]]\n{GOOD}['link'.joint]\ndamping = -1\n",
            {"link.1.joint.damping": 6},
        ),
        (
            "format = 1\r\n[[link]]\r\nlength = 1\r\nmass = -1\r\n",
            {"link.1.mass": 4},
        ),
    ],
)
def test_the_line_is_the_key_s_own(text, expected):
    assert lines_of(text) == expected
