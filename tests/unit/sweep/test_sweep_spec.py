"""Specs: from a file or from Python the same, by what decides the numbers; bad ones refused."""

from __future__ import annotations

import pickle
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.promptness import prompt
from tests.support.tabular import tabular

import ulna
from ulna.errors import InputError
from ulna.sweep.spec_reader import TOP
from ulna.sweep.sweep_spec import differences, read_spec

ROBOT = """format = 1
[[link]]
length = "25 cm"
mass = 0.4
[[link]]
length = "20 cm"
mass = 0.25
"""
HEAD = """format = 1
arm = "arm.toml"
path = "circle(center=(0.2, 0.1), radius='5 cm')"
duration = "4 s"
controller = "ComputedTorque(natural_frequency=20)"
"""
VARY = """
[vary]
"link.2.mass" = { from = "0.1 kg", to = "1 kg", count = 10 }
"payload" = ["0 g", "100 g", "200 g"]
"""
KEEP = """
[keep]
scalars = ["torque.peak", "tip_error.rms"]
curves = ["torque"]
"""
POINTS = "x,y\n0.2,0.1\n0.25,0.12\n0.22,0.15\n0.18,0.12\n"


def written(folder: Path, text: str, name: str = "sweep.toml") -> Path:
    (folder / "arm.toml").write_text(ROBOT)
    (folder / name).write_text(text)
    return folder / name


def refusal(folder: Path, text: str) -> list[str]:
    """Return what is wrong with a file, which is told at once."""
    file = written(folder, text)
    with prompt(), pytest.raises(InputError) as found:
        read_spec(file)
    return str(found.value).splitlines()


def test_a_file_and_keywords_make_the_same_sweep(tmp_path: Path) -> None:
    read = read_spec(written(tmp_path, HEAD + VARY + KEEP))
    made = read_spec(
        {
            "arm": ulna.load(tmp_path / "arm.toml"),
            "path": ulna.paths.circle((0.2, 0.1), 0.05),
            "duration": 4.0,
            "controller": ulna.control.ComputedTorque(20.0),
            "vary": {
                "link.2.mass": {"from": 0.1, "to": 1.0, "count": 10},
                "payload": np.array([0.0, 0.1, 0.2]),
            },
            "keep": ["torque.peak", "tip_error.rms", "torque"],
        }
    )
    told = differences(read.content, made.content)
    assert [line.partition(":")[0] for line in told] == ["path"]  # whose text has its defaults
    assert read.design.point(13) == made.design.point(13)
    assert (len(read), read.design.dims) == (30, ("link.2.mass", "payload"))
    assert [one.unit for one in read.parameters] == ["kg", "kg"]
    assert len(read.curve_times) == 200
    assert read.curve_times[-1] == 4.0


@tabular(
    "more",
    [
        {},
        {"vary": {"design": "sobol", "count": 5, "payload": {"mean": 1.0, "std": 0.1}}},
        {"vary": {"controller": ["PD(kp=3, kd=1)", "PID()"], "timing": ["cubic"], "seed": [1, 2]}},
        {"vary": {"arm": ["kehl", "unit"], "path": ["loops()", "circle((0.5, 0), 0.1)"]}},
        {"vary": {"dt": {"from": 1e-4, "to": 1e-3, "count": 4, "scale": "log"}}},
        {"sensors": ulna.Sensors(angle_noise=(0.1, 0.2)), "actuators": {"bandwidth": "50 Hz"}},
        {"disturbances": [ulna.scenario.disturbances.step([1.0, 0.0])], "start": "rest"},
        {"disturbances": "noise(torque=(0.1, 0.1), seed=3)", "seed": 4, "rate": 500.0},
        {"controller": ulna.control.ComputedTorque(model=ulna.preset("unit"))},
        {"keep": {"scalars": [], "curves": ["q"], "curve_points": 50}, "samples": 120},
        {"keep": ["torque.rms", "run"], "samples": 57},
        {"simulate": False, "derivatives": "finite", "samples": 100, "elbow": "positive"},
    ],
)
def test_its_content_makes_the_same_sweep_again(more: dict[str, Any]) -> None:
    made = read_spec({"arm": "kehl", "path": "loops()", "duration": 3.0, **more})
    for again in (read_spec(made.content), pickle.loads(pickle.dumps(made))):
        assert again.hash == made.hash
        assert again.design.point(len(made) - 1) == made.design.point(len(made) - 1)
        assert again.grid == made.grid


def test_the_hash_is_of_contents_not_of_names(tmp_path: Path) -> None:
    text = HEAD.replace("\"circle(center=(0.2, 0.1), radius='5 cm')\"", '"points.csv"')
    (tmp_path / "points.csv").write_text(POINTS)
    first = read_spec(written(tmp_path, text))
    (tmp_path / "other.csv").write_text(POINTS)
    (tmp_path / "copy.toml").write_text(ROBOT + "# the same\n")
    renamed = text.replace("points.csv", "other.csv").replace("arm.toml", "copy.toml")
    second = read_spec(written(tmp_path, renamed, "other.toml"))
    assert first.hash == second.hash
    (tmp_path / "other.csv").write_text(POINTS.replace("0.12\n0.22", "0.13\n0.22"))
    assert read_spec(tmp_path / "other.toml").hash != first.hash
    written(tmp_path, text)
    (tmp_path / "arm.toml").write_text(ROBOT.replace("0.25", "0.26"))
    assert read_spec(tmp_path / "sweep.toml").hash != first.hash


def test_a_sweep_travels_with_its_files(tmp_path: Path) -> None:
    text = HEAD.replace("\"circle(center=(0.2, 0.1), radius='5 cm')\"", '"points.csv"')
    (tmp_path / "points.csv").write_text(POINTS)
    made = read_spec(written(tmp_path, text))
    data, length = pickle.dumps(made), made.base.made_path.length
    for file in tmp_path.iterdir():
        file.unlink()
    again = pickle.loads(data)
    assert again.hash == made.hash
    assert again.case(0).made_path.length == length


@tabular(
    "text, told",
    [
        (
            HEAD + '[vary]\n"lnk.2.mas" = [1]\npayload = ["5 cm"]\n[keep]\nscalars = ["torqe"]\n',
            [
                "7: vary.lnk.2.mas: got an unknown parameter",
                "8: vary.payload.1: got '5 cm', need a mass",
                "10: keep.scalars: got 'torqe'",
            ],
        ),
        (
            HEAD + 'dt = "5 kg"\nmethod = "rk5"\ncolour = 1\n[vary]\npayload = 3\n',
            [
                "6: dt: got '5 kg', need a time",
                "7: method: got 'rk5'",
                "8: colour: got an unknown key",
                "10: vary.payload: got 3, need a list",
            ],
        ),
        ("", ["1: format: got nothing", "1: arm: got nothing"]),
        (HEAD.replace("format = 1", "format = 2"), ["1: format: got 2"]),
        (HEAD + 'torque = "1, 2"\n', ["6: torque: got '1, 2', need nothing beside a controller"]),
        (HEAD + "simulate = false\n", ["5: controller: got 'ComputedTorque"]),
        (
            HEAD + "[vary]\npayload = { mean = 1, std = 2 }\n",
            ["7: vary.payload: got {'mean': 1, 'std': 2}"],
        ),
        (HEAD + '[vary]\npayload = [1]\n"payload.mass" = [2]\n', ["8: vary.payload.mass: got the"]),
        (
            HEAD + "[vary]\ntiming = ['quintc']\n'joint.1.motor' = ['sg91']\n",
            ["7: vary.timing.1: got 'quintc'", "8: vary.joint.1.motor.1: got 'sg91'"],
        ),
        (
            HEAD + "[vary]\npayload = { from = 0, to = 1, count = 3, scale = 'log' }\n",
            ["7: vary.payload: got 0 to 1, need positive ends"],
        ),
        (
            HEAD + "[vary]\npayload = { form = 0, to = 1 }\n",
            ["7: vary.payload.form: got an unknown key, need one of from, to, count, scale; did"],
        ),
    ],
)
def test_all_that_is_wrong_is_told_at_once_with_lines(
    tmp_path: Path, text: str, told: list[str]
) -> None:
    lines = refusal(tmp_path, text)
    assert len(lines) == len(told), lines
    for line, wanted in zip(lines, told, strict=True):
        assert f"sweep.toml:{wanted}" in line


@tabular(
    "text, told",
    [
        (
            HEAD + "[vary]\npayload = { from = 0, to = 1, count = 1000000 }\n"
            '"link.1.mass" = { from = 1, to = 2, count = 1000 }\n',
            "1,000,000 × 1,000 = 1,000,000,000 points, need at most 100,000,000",
        ),
        (
            HEAD + "[vary]\ndesign = 'sobol'\ncount = 1000000000\npayload = { from = 0, to = 1 }\n",
            "from 1 to 10,000,000",
        ),
        ("\n".join(f"k{k} = 1" for k in range(1_000_000)), "11,888,889 bytes, need at most"),
        (
            HEAD + "[vary]\n" + "\n".join(f"'link.{k}.mass' = [1]" for k in range(3000)),
            "vary.link.0.mass: got link 0, need one from 1 to 2",
        ),
        (HEAD + "x = " + "[" * 9000 + "]" * 9000, "recursion"),
        (HEAD + "[vary]\npayload = [nan, inf, 1e999]\n", "vary.payload.3: got inf, need a finite"),
        (HEAD + "dt = " + "9" * 5000, "Exceeds the limit"),
        (HEAD + "[vary]\npayload = ['2**9**9 kg']\n", "vary.payload.1: got '2**9**9 kg'"),
        (HEAD.replace("ComputedTorque(", "eval("), "unknown controller 'eval'"),
        (HEAD.replace("arm.toml", "../arm.toml"), "arm: got '../arm.toml', need a file in the"),
        (HEAD.replace("arm.toml", "link.toml"), "arm: got 'link.toml', need a file in the folder"),
        (
            HEAD.replace("circle(center=(0.2, 0.1), radius='5 cm')", "reversed(svg('/x.svg'))"),
            "path: got '/x.svg', need a file in the folder",
        ),
        (
            HEAD + "rate = 1e9\n",
            "rate: got 1e+09 Hz, or 4e+09 steps in the 4 s of a point, need at",
        ),
        (HEAD + "[files]\n'x.csv' = 'y'\n", "files: got {'x.csv': 'y'}, need nothing in a file"),
        (
            HEAD + "samples = 1000000\n[vary]\npayload = { from = 0, to = 1, count = 1000000 }\n"
            "[keep]\nrun = true\n",
            "1,000,000 points of 48,000,008 bytes, 48.0 TB, need at most 1 TB",
        ),
    ],
    ids=lambda value: str(value)[-40:],
)
def test_hostile_files_are_refused_in_under_a_second_with_the_figure(
    tmp_path: Path, text: str, told: str
) -> None:
    folder = tmp_path / "inside"
    folder.mkdir(exist_ok=True)
    (tmp_path / "arm.toml").write_text(ROBOT)
    if not (folder / "link.toml").is_symlink():
        (folder / "link.toml").symlink_to(tmp_path / "arm.toml")
    lines = refusal(folder, text)
    assert any(told in line for line in lines), lines


def test_an_arm_that_is_wrong_is_told_with_its_own_line(tmp_path: Path) -> None:
    file = written(tmp_path, HEAD)
    (tmp_path / "arm.toml").write_text(ROBOT.replace("0.25", "-1"))
    with pytest.raises(InputError, match=r"arm\.toml:7: link\.2\.mass: got -1"):
        read_spec(file)


ODD: list[Any] = [
    True, 0, -1, 1e300, float("nan"), 10**400, "", "x", "5 cm", "\0", [], [1], [[1]], ["a"], {},
    {"a": 1}, (1, 2), np.array([1.0, 2.0]), np.zeros((2, 2)), "sin(t), 0", "__import__('os')",
    object(),
]  # fmt: skip


@tabular("key", TOP)
def test_whatever_stands_under_a_key_is_taken_or_refused(key: str) -> None:
    for value in ODD:
        given = {"arm": "kehl", "path": "loops()", "duration": 3.0, key: value}
        with suppress(InputError):
            made = read_spec(given)
            assert read_spec(made.content).hash == made.hash


def test_differences_are_told_by_key() -> None:
    one = read_spec({"arm": "kehl", "path": "loops()", "vary": {"payload": [0.0]}})
    two = read_spec({"arm": "kehl", "path": "loops()", "vary": {"payload": [1.0]}, "dt": 1e-4})
    assert differences(one.content, one.content) == []
    assert differences(one.content, two.content) == [
        "dt: 0.001 against 0.0001",
        'vary: [["payload", [0.0]]] against [["payload", [1.0]]]',
    ]


def test_the_loop_of_an_arm_is_used_unless_another_is_given() -> None:
    loop = ulna.ControlLoop(rate=250.0, sensors=ulna.Sensors(delay=0.002))
    arm = ulna.preset("kehl").replace(loop=loop)
    given: dict[str, Any] = {"arm": arm, "path": "loops()"}
    assert read_spec(given).base.sensors == loop.sensors
    assert read_spec(given).base.simulation["rate"] == 250.0
    other = read_spec({**given, "rate": "1 kHz", "sensors": "Sensors(delay='1 ms')"})
    assert (other.base.simulation["rate"], other.base.sensors.delay) == (1000.0, 0.001)
