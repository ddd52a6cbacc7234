"""Requests for plans: as values, as plain values, and as Python."""

import copy
import dataclasses
import inspect
import json
import pickle

import numpy as np
import pytest

import ulna
from ulna import InputError, PlanRequest
from ulna.motion import times
from ulna.motion.planning.plan_request import PlanKeywords

KEHL, LOOPS = ulna.preset("kehl"), ulna.paths.loops()
DESK = ulna.Arm.rods([0.3, 0.2], [0.4, 0.1], gravity=(0.0, -1.62), name="desk")
CIRCLE = ulna.paths.circle(center=(0.25, 0.1), radius=0.1)
TURN = ulna.paths.joints([[0.1, 0.2], [0.5, -0.3]])
REQUESTS = [
    {"arm": KEHL, "path": LOOPS},
    {"arm": DESK, "path": CIRCLE, "duration": 2.0, "timing": "quintic", "elbow": "up"},
    {"arm": DESK, "path": CIRCLE, "timing": times([0.0, 1.0, 3.0]), "floor": -0.1},
    {"arm": DESK, "path": TURN, "duration": 1.0, "rate": 200.0, "derivatives": "finite"},
    {"arm": DESK, "path": CIRCLE, "max_speed": 0.2, "max_acceleration": 1.0, "start": [0.4, 1.2]},
    {"arm": DESK, "path": CIRCLE.reversed(), "duration": 2.0, "tip_force": np.array([1.0, -2.0])},
    {
        "arm": DESK.replace(joints=[ulna.Joint(max_torque=5.0), ulna.Joint(max_torque=2.0)]),
        "path": CIRCLE,
        "timing": "fastest",
        "reserve": 0.2,
        "max_joint_acceleration": [40.0, 50.0],
        "smoothing": 0.02,
    },
]


@pytest.fixture(params=range(len(REQUESTS)), scope="module")
def request_(request):
    return PlanRequest(**REQUESTS[request.param])


def same(one, other):
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("t", "q", "qd", "qdd", "tau")
    )


def test_its_fields_are_what_plan_takes():
    fields = {one.name: one for one in dataclasses.fields(PlanRequest)}
    own = inspect.signature(ulna.plan).parameters
    assert list(fields) == list(own)
    assert list(fields)[2:] == list(PlanKeywords.__annotations__)
    assert {name: own[name].default for name in list(own)[2:]} == {
        name: one.default for name, one in list(fields.items())[2:]
    }


def test_it_is_planned_as_its_values_are(request_):
    made = ulna.plan(request_)
    options = {one.name: getattr(request_, one.name) for one in dataclasses.fields(request_)}
    assert same(made, ulna.plan(options.pop("arm"), options.pop("path"), **options))
    assert made.request == request_
    assert same(made, ulna.plan(made.request))


def test_it_is_written_and_read(request_):
    text = json.dumps(request_.to_dict(), allow_nan=False)
    again = PlanRequest.from_dict(json.loads(text))
    assert again == request_
    assert hash(again) == hash(request_)
    assert same(ulna.plan(again), ulna.plan(request_))
    assert eval(repr(request_), {"ulna": ulna}) == request_
    for other in (pickle.loads(pickle.dumps(request_)), copy.deepcopy(request_)):
        assert other == request_


def test_numbers_may_have_units():
    values = {"arm": "kehl", "path": "loops()", "duration": "2000 ms", "start": ["30 deg", 0.5]}
    made = PlanRequest.from_dict(values)
    assert (made.duration, made.start) == (2.0, (np.pi / 6.0, 0.5))


def test_every_field_makes_another_request():
    base = PlanRequest(**REQUESTS[-1])
    for name, value in {
        "arm": DESK.with_payload(0.1), "path": LOOPS, "timing": "fastest", "rate": 100.0,
        "derivatives": "finite", "max_speed": 1.0, "max_acceleration": 2.0, "start": [0.1, 0.2],
        "elbow": "down", "posture": [0.1, 0.2], "floor": 0.0, "tip_force": [1.0, 0.0],
        "reserve": 0.3, "end_speeds": [0.0, 0.0], "max_joint_acceleration": 40.0,
        "smoothing": 0.03,
    }.items():  # fmt: skip
        assert (base.replace(**{name: value}) == base) == (name == "timing"), name


def test_nobody_changes_it():
    start = np.array([0.4, 1.2])
    made = PlanRequest(arm=DESK, path=CIRCLE, start=start)
    start[:] = 0.0
    assert made.start == (0.4, 1.2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.duration = 1.0


def test_what_cannot_be_written_is_named():
    points = np.cumsum(np.full((20, 2), 0.01 / 3.0), axis=0) ** 1.1 + 0.1
    drawn = dataclasses.replace(ulna.paths.spline(points), text="drawn by hand")
    asked = PlanRequest(arm=DESK, path=drawn, duration=2.0, tip_force=lambda t: [t, 0.0])
    with pytest.raises(InputError) as caught:
        asked.to_dict()
    assert [problem.what for problem in caught.value.problems] == ["path", "tip_force"]
    assert "the function <lambda>" in str(caught.value)
    assert "drawn by hand" in repr(asked)
    assert asked == copy.copy(asked)
    assert asked != asked.replace(tip_force=lambda t: [t, 0.0])


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ({"path": "loops()"}, "arm"),
        ({"arm": "kehl", "path": "loops()", "duraton": 1.0}, "duraton"),
        ({"arm": "kehll", "path": "loops()"}, "preset"),
        ({"arm": "kehl", "path": "loop()"}, "path"),
        ({"arm": "kehl", "path": "loops()", "timing": {"at": [0, 1]}}, "timing"),
        ({"arm": "kehl", "path": "loops()", "duration": -1.0}, "duration"),
    ],
)
def test_wrong_values_are_named(values, what):
    with pytest.raises(InputError) as caught:
        PlanRequest.from_dict(values)
    assert [problem.what for problem in caught.value.problems] == [what]


def test_a_request_takes_nothing_beside_it():
    asked = PlanRequest(arm=KEHL, path=LOOPS)
    with pytest.raises(InputError, match=r"a request and path, duration"):
        ulna.plan(asked, LOOPS, duration=1.0)
