"""The commented robot file that `ulna new` writes: it is read as it stands, and uncommented."""

import re

import pytest

from ulna import InputError
from ulna.arm.robot_files import parse, template


@pytest.mark.parametrize("links", [1, 2, 3, 7, 100])
def test_the_template_is_a_robot_file_of_so_many_links(links):
    arm, doubts = parse(template(links))
    assert arm.n == links
    assert doubts == []
    assert all(link.is_rod for link in arm.links)
    assert template(links).isascii()


@pytest.mark.parametrize("links", [1, 2, 6])
def test_every_commented_key_is_one_that_is_read(links):
    plain, _ = parse(template(links))
    text = re.sub(r"(?m)^# (?=\w+ = )", "", template(links))
    assert text.count("\n# ") < template(links).count("\n# ")
    arm, doubts = parse(text)
    assert doubts == []
    # What a comment offers is what holds without it, but for the joint's limits.
    first, shown = plain.links[0], arm.links[0]
    assert (shown.com, shown.com_offset, shown.tip_mass) == (first.com, 0.0, 0.0)
    assert shown.inertia == pytest.approx(first.inertia, rel=5e-3)
    assert (arm.base, arm.payload, arm.gravity) == (plain.base, plain.payload, plain.gravity)
    assert arm.joints[0].damping == 0.02


def test_friction_and_motors_are_offered_as_they_are_read():
    offered = re.findall(r"(?m): ((?:friction|motor) = .+)$", template(1))
    assert len(offered) == 3
    for part in offered:
        arm, _ = parse(f"{template(1)}joint = {{ {part} }}\n")
        assert arm.joints[0].friction or arm.joints[0].motor


@pytest.mark.parametrize("links", [0, -1, 101, 10**9])
def test_a_template_has_a_number_of_links_that_a_person_edits(links):
    with pytest.raises(InputError, match="from 1 to 100"):
        template(links)
