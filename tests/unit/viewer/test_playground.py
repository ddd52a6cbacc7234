"""`ulna.play`: what the page is given, what is said of what it leaves out, what is refused."""

import json
import math
import re
import warnings
from pathlib import Path
from urllib.parse import parse_qs

import numpy as np
import pytest

import ulna
from refusals import names_of
from tabular import tabular
from ulna.errors import UlnaWarning
from ulna.viewer import playground
from ulna.viewer.playground import models_script, play
from ulna.viewer.playground_scenes import left_out, scenes, state_text, usual_pose

ARM = ulna.Arm.rods([0.5, 0.4], [1.0, 0.6], name="desk arm")


@pytest.fixture
def file(tmp_path):
    return tmp_path / "arm.html"


def content(file: Path) -> dict:
    """Return what a page carries."""
    text = file.read_text("utf-8")
    found = re.search(r'<script[^>]*class="ulna-document"[^>]*>(.*?)</script>', text, re.DOTALL)
    return json.loads(found.group(1))


def fields(state: str) -> dict[str, str]:
    return {name: value for name, (value,) in parse_qs(state, keep_blank_values=True).items()}


# ----------------------------------------------------------------------------------------- states


def test_every_number_comes_back_to_the_last_digit():
    joint = ulna.Joint(
        lower=-1 / 3,
        max_torque=10 / 3,
        damping=0.1 / 3,
        rotor_inertia=1e-7 / 3,
        gear_ratio=-100 / 3,
    )
    link = ulna.Link(
        1 / 3, 1 / 7, com=0.1 / 3, inertia=1e-3 / 3, tip_mass=1 / 9, com_offset=1e-2 / 3
    )
    payload = ulna.Payload(2 / 3, 1e-3 / 7)
    arm = ulna.Arm.of([link], [joint], gravity=(1 / 3, -1 / 7), payload=payload, name="a&b=c,d#e+f")
    told = fields(state_text(arm, [math.pi], qd=[1 / 3], torque=[-1 / 7], more=[("law", "pd")]))
    assert told.pop("arm") == arm.name
    assert told.pop("law") == "pd"
    assert told.pop("upper", "") == ""
    numbers = {name: [float(part) for part in text.split(",")] for name, text in told.items()}
    assert numbers == {
        "l": [link.length], "m": [link.mass], "c": [link.com], "d": [link.com_offset],
        "I": [link.inertia], "p": [link.tip_mass],
        "b": [joint.damping], "J": [joint.rotor_inertia], "N": [joint.gear_ratio],
        "max": [joint.max_torque], "lower": [joint.lower],
        "g": [1 / 3, -1 / 7], "P": [payload.mass], "PI": [payload.inertia],
        "q": [math.pi], "qd": [1 / 3], "tau": [-1 / 7],
    }  # fmt: skip
    plain = fields(state_text(ARM, [0.5, -1.0]))
    assert set(plain) == {"arm", "l", "m", "g", "q"}  # what is as usual is left out


def test_a_limit_that_is_none_is_empty():
    arm = ARM.replace(joints=[ulna.Joint(), ulna.Joint(upper=1.5, max_torque=2.0)])
    told = fields(state_text(arm, [0.0, 0.0]))
    assert (told["upper"], told["max"]) == (",1.5", ",2")
    assert "lower" not in told


def test_a_motors_rotor_and_damping_are_the_joints():
    arm = ulna.preset("so-101")
    told = fields(state_text(arm, usual_pose(arm)))
    parameters = arm.parameters
    for letter, values in (("J", parameters.rotor_inertia), ("N", parameters.gear_ratio)):
        assert [float(part) for part in told[letter].split(",")] == values.tolist()


@tabular("name", [name for name in ulna.presets() if ulna.preset(name).n <= 4])
def test_the_usual_pose_is_within_the_limits(name):
    arm = ulna.preset(name)
    for angle, joint in zip(usual_pose(arm), arm.joints, strict=True):
        assert joint.lower <= angle <= joint.upper


def test_scenes_are_all_presets_that_fit_and_figures_of_papers():
    found = scenes()
    ids = [scene.id for scene in found]
    assert len(set(ids)) == len(ids)
    arms = [scene.id for scene in found if scene.group == "Arms"]
    assert arms == [name for name in ulna.presets() if ulna.preset(name).n <= 4]
    assert {scene.group for scene in found} == {"Arms", "Papers"}


# ------------------------------------------------------------------------------------------- pages


def test_the_page_carries_the_arm_the_scenes_and_the_equations(file):
    assert play(ARM, file, q0=[0.1, 0.2], progress=False) == file
    told = content(file)
    assert told["title"] == "desk arm"
    assert told["start"] == state_text(ARM, [0.1, 0.2])
    assert [scene["id"] for scene in told["scenes"]] == [scene.id for scene in scenes()]
    assert told["exercise"] is None
    assert told["notes"] == []
    text = file.read_text("utf-8")
    assert "globalThis.ulnaModels={1:" in text
    assert not re.search(r"https?://(?!www\.w3\.org)", text)


def test_an_exercise_brings_its_own_arm(file):
    starts = []
    for given in ({}, {"exercise": "torque", "seed": 5}, {"exercise": "torque", "seed": 6}):
        play(file=file, progress=False, **given)
        told = content(file)
        starts.append(told["start"])
        assert bool(told["exercise"]) == bool(given)
    kehl = ulna.preset("kehl")
    assert starts[0] == state_text(kehl, usual_pose(kehl))
    assert len(set(starts)) == 3


def test_equations_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(playground, "cache_folder", lambda: tmp_path)
    asked = []
    monkeypatch.setattr(playground, "_models", lambda _: asked.append(1) or iter(["1:0"]))
    assert models_script() == models_script() == "globalThis.ulnaModels={1:0};"
    assert len(asked) == 1


# -------------------------------------------------------------------------------- what is left out


@pytest.mark.parametrize(
    ("arm", "said"),
    [
        ("dfki-double-pendulum", "Dry friction and drag of dfki-double-pendulum are left out"),
        ("so-101", "Speed limits, currents and heat of the motors of so-101 are left out"),
    ],
)
def test_what_is_left_out_is_said_and_stands_on_the_page(file, arm, said):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        play(ulna.preset(arm), file, progress=False)
    assert {one.category for one in caught} == {UlnaWarning}
    assert [str(one.message) for one in caught] == content(file)["notes"]
    assert any(note.startswith(said) for note in content(file)["notes"])


def test_limits_of_speed_and_the_base_are_left_out():
    assert left_out(ARM) == []
    arm = ARM.replace(base=(0.1, 0.0), joints=[ulna.Joint(max_velocity=2.0), ulna.Joint()])
    speed, base = left_out(arm)
    assert "Speed limits of the joints of desk arm" in speed
    assert "base of desk arm" in base


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"arm": ulna.Arm.rods([0.1] * 5, [1.0] * 5)}, ["arm"]),
        ({"arm": "kehl"}, ["arm"]),
        ({"exercise": "sums"}, ["exercise"]),
        ({"seed": 3}, ["seed"]),
        *(({"exercise": "reach", "seed": seed}, ["seed"]) for seed in (-1, 2**63, 1.5, "7", True)),
        ({"arm": ARM, "exercise": "reach"}, ["arm"]),
        ({"q0": [0, 0], "exercise": "reach"}, ["q0"]),
        *(({"arm": ARM, "q0": q0}, ["q0"]) for q0 in ([0.0], [0.0, np.nan])),
        ({"file": "arm.txt"}, ["file"]),
    ],
)
def test_what_cannot_be_played_is_refused(file, given, names):
    assert names_of(lambda: play(**{"file": file, "progress": False, **given})) == names
    assert not file.exists()
    file.write_text("mine")
    assert names_of(lambda: play(ARM, file, overwrite=False, progress=False)) == ["file"]
    assert file.read_text() == "mine"
