"""Scenarios: what a simulation is asked, as values that are checked, compared, written and read."""

import copy
import dataclasses
import inspect
import json
import math
import pickle

import numpy as np
import pytest

import ulna
from ulna import Actuators, InputError, Joint, PlanRequest, Scenario, Sensors
from ulna.control import PD, ComputedTorque, law, with_model
from ulna.scenario.codec import read_stored, stored
from ulna.scenario.disturbances import Disturbance, chirp, formula, noise, pulse, sine, step
from ulna.scenario.scenario import DEFAULTS, FIELDS, ScenarioFields, Unwritten
from ulna.scenario.toml_text import toml_text

TWO = ulna.Arm.rods([1.0, 0.8], [1.5, 1.0], joints=(Joint(-3.0, 0.6), Joint(-0.4, 0.4)), name="two")
BASE = {"arm": TWO, "q0": [0.1, 0.2], "duration": 0.5, "samples": 7}
LOOPED = TWO.replace(loop=ulna.ControlLoop(250.0, Sensors(delay=0.003), Actuators(delay=0.001)))
SERVO = ulna.preset("so-101")
CIRCLE = PlanRequest(arm=ulna.preset("kehl"), path=ulna.paths.circle((0.4, 0.3), 0.1), duration=0.5)
WAVES = [
    step([1.0, 0.0], at=0.1),
    pulse(force=[1.0, 2.0], at=0.2, lasting=0.1),
    noise([0.1, 0.1], rate=300.0, seed=3, until=0.4),
    sine(force=[0.0, 1.0, 0.1], frequency=2.0, phase=-1.0),
    chirp([0.5, 0.0], start_frequency=1.0, stop_frequency=5.0, lasting=0.5),
    formula("2*sin(3*t), -0.1*qd2"),
    Disturbance(None, (1.0, 0.0), 0.1, math.inf, formulas=("t",)),
]
ASKED = {
    "plain": {},
    "rk4": {"method": "rk4", "dt": 0.003},
    "equal steps": {"rtol": None, "dt": 0.01},
    "tolerances": {"rtol": 1e-6, "atol": 1e-9, "max_step": 0.05},
    "numbers": {"torque": [1.0, -2.0], "tip_force": [1.0, 2.0, 3.0]},
    "formulas": {"torque": "10*sin(3*t), q1", "tip_force": "t, 0"},
    "mixed": {"torque": ["10*sin(3*t)", 2.0], "method": "gauss4"},
    "sequential": {"dynamics": "sequential", "sequential_damping": [0.5, 0.25]},
    "stops": {"restitution": 0.5, "qd0": [4.0, -3.0]},
    "no stops": {"stops": False, "qd0": [4.0, -3.0]},
    "events": {"events": {"level": "q1 + q2", "a \"name\"": "q1 > q2"}, "until": "q1 < -2"},
    "sensors": {
        "controller": PD([20.0, 10.0], 2.0),
        "rate": 200.0,
        "sensors": Sensors(angle_noise=1e-3, delay=0.01, seed=np.int64(5)),
        "actuators": Actuators(max_torque=(math.inf, 5.0), bandwidth=(50.0, 60.0)),
        "seed": 9,
    },
    "posture": {"controller": PD(20.0, 2.0), "reference": [0.5, 0.3]},
    "model": {"controller": with_model(ComputedTorque(), TWO.with_payload(0.1))},
    "loop of the arm": {"arm": LOOPED, "controller": PD(20.0, 2.0)},
    "perfect sensors": {"arm": LOOPED, "controller": PD(20.0, 2.0), "sensors": Sensors()},
    "disturbances": {"disturbances": WAVES},
    "table": {
        "torque": ([0.0, 0.2, 0.4], [[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]]),
        "between": "linear",
    },
    "rows": {"torque": np.arange(20.0).reshape(10, 2), "dt": 0.05},
    "times": {"samples": [0.0, 0.1, 0.45], "signals": False},
    "at once": {"duration": 0.0, "samples": None},
    "request": {
        "arm": CIRCLE.arm, "q0": None, "duration": None, "reference": CIRCLE,
        "controller": ComputedTorque(),
    },
    "plan of another arm": {
        "arm": CIRCLE.arm.with_payload(0.2), "q0": None, "duration": None,
        "reference": ulna.plan(CIRCLE), "controller": ComputedTorque(),
    },
    "servos that follow": {
        "arm": SERVO, "q0": [0.3, 0.2, -0.2][: SERVO.n], "reference": [0.4, 0.1, -0.1][: SERVO.n],
    },
    "positions": {"arm": SERVO, "q0": [0.2] * SERVO.n, "position": ["0.3 + 0.1*t"] * SERVO.n},
}  # fmt: skip


def asked(name):
    return Scenario(**{**BASE, **ASKED[name]})


def same_bits(one, other):
    names = ("t", "q", "qd", "qdd", "tau", "tip_force", "injected", "dissipated")
    for name in names:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


def again(scenario):
    """Yield the same scenario through everything that writes and reads one."""
    yield Scenario.from_dict(json.loads(json.dumps(scenario.to_dict(), allow_nan=False)))
    yield Scenario.from_toml(scenario.to_toml())
    yield eval(repr(scenario), {"ulna": ulna})
    yield pickle.loads(pickle.dumps(scenario))
    yield copy.deepcopy(scenario)


# The fields


def test_its_fields_are_the_keywords_of_simulate():
    own = inspect.signature(ulna.simulate).parameters
    execution = ("progress", "on_error", "on_interrupt")
    assert [name for name in own if name not in execution] == list(FIELDS)
    assert {name: own[name].default for name in FIELDS if name != "arm"} == DEFAULTS
    typed = {name: one.__forward_arg__ for name, one in ScenarioFields.__annotations__.items()}
    assert typed == {name: Scenario.__annotations__[name] for name in FIELDS}


def test_a_scenario_is_simulated_as_its_values_are():
    made = asked("sensors")
    given = {name: getattr(made, name) for name in FIELDS if name != "arm"}
    run = ulna.simulate(made)
    same_bits(run, ulna.simulate(made.arm, **given))
    assert run.scenario.q0 == (0.1, 0.2)
    with pytest.raises(InputError, match=r"a scenario and rate, dt.*scenario\.replace\(rate="):
        ulna.simulate(made, dt=0.01, rate=100.0)


def test_noise_is_drawn_from_the_stream_of_its_seed():
    first, second = (ulna.simulate(asked("sensors").replace(seed=seed)) for seed in (0, 1))
    batch = ulna.simulate_batch(
        TWO, q0=[0.1, 0.2], duration=0.5, samples=7, controller=PD([20.0, 10.0], 2.0), rate=200.0,
        sensors=ASKED["sensors"]["sensors"], actuators=ASKED["sensors"]["actuators"],
        seeds=[0, 1],
    )  # fmt: skip
    assert (first.q != second.q).any()
    np.testing.assert_allclose(batch.q, [first.q, second.q], atol=1e-9)


# Values


def test_scenarios_with_the_same_content_are_equal():
    for name in ASKED:
        one, other = asked(name), asked(name)
        assert one == other, name
        assert hash(one) == hash(other), name
    assert len({asked(name) for name in ASKED}) == len(ASKED)


def test_every_field_makes_another_scenario():
    base = asked("sensors")
    values = {
        "arm": LOOPED, "q0": [0.0, 0.0], "qd0": [1.0, 0.0], "duration": 0.1, "torque": [1.0, 0.0],
        "tip_force": [1.0, 0.0], "between": "linear", "controller": PD(1.0, 1.0),
        "reference": [0.1, 0.0], "rate": 100.0, "sensors": Sensors(delay=0.1),
        "actuators": Actuators(delay=0.1), "disturbances": WAVES[:1], "stops": False,
        "restitution": 0.1, "method": "gauss4", "dt": 0.002, "rtol": None, "atol": 1e-6,
        "max_step": 0.1, "samples": 3, "signals": False, "events": {"one": "q1"}, "until": "q1",
        "precision": "single", "seed": 1,
    }  # fmt: skip
    others = [base.replace(**{name: value}) for name, value in values.items()]
    assert len({base, *others}) == len(values) + 1
    missing = set(FIELDS) - set(values)
    assert missing == {"voltage", "current", "position", "dynamics", "sequential_damping"}


def test_nobody_changes_it():
    q0, times, events = np.array([0.1, 0.2]), np.array([0.0, 0.1]), {"level": "q1"}
    made = Scenario(arm=TWO, q0=q0, samples=times, events=events, torque=(times, np.eye(2)))
    q0[:], times[1], events["other"] = 9.0, 9.0, "q2"
    assert made.q0 == (0.1, 0.2)
    assert (made.samples[1], made.torque[0][1], list(made.events)) == (0.1, 0.1, ["level"])
    for array in (made.samples, *made.torque):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    with pytest.raises(TypeError):
        made.events["other"] = "q2"
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.dt = 1.0


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ({"duraton": 1.0}, "duraton"),
        ({"precision": "half"}, "precision"),
        ({"seed": -1}, "seed"),
        ({"samples": 0}, "samples"),
        ({"samples": [0.2, 0.1]}, "samples"),
        ({"signals": "yes"}, "signals"),
        ({"torque": [1.0, 0.0], "position": [0.0, 0.0]}, "command"),
        ({"sensors": Sensors(delay=0.1)}, "sensors"),
        ({"q0": [5.0, 0.0]}, "q0, joint 1"),
        ({"dynamics": "sequential", "tip_force": [1.0, 0.0]}, "tip_force"),
    ],
)
def test_what_makes_no_sense_is_refused_when_it_is_made(values, what):
    with pytest.raises(InputError) as caught:
        asked("plain").replace(**values)
    assert [problem.what for problem in caught.value.problems] == [what]


def test_a_single_arm_has_no_single_precision():
    with pytest.raises(InputError, match="simulate_batch computes in single precision"):
        ulna.simulate(asked("plain").replace(precision="single"))


@pytest.mark.parametrize(
    "values",
    [
        {"start": None}, {"start": 2.0, "stop": 1.0}, {"rate": -1.0}, {"seed": 2.5},
        {"torque": None}, {"force": (1.0, 0.0)}, {"torque": ("a", "b")}, {"torque": (math.nan, 0)},
        {"formulas": 2.0}, {"formulas": ()},
    ],
)  # fmt: skip
def test_a_disturbance_is_checked_when_it_is_made(values):
    with pytest.raises(InputError):
        Disturbance(**{"torque": (1.0, 0.0), "force": None, "start": 0.0, "stop": 1.0, **values})


@pytest.mark.parametrize(
    "values",
    [
        3, None, {"arm": 3}, {"arm": "foo"}, {"torque": {"rows": "abc"}}, {"torque": {}},
        {"torque": {"rows": [[1.0], [1.0, 2.0]]}}, {"torque": {"rows": [[1, 0]], "times": ["0 s"]}},
        {"sensors": {"foo": "inf"}}, {"sensors": 3}, {"controller": 3}, {"disturbances": [3]},
        {"disturbances": [{"torque": [1, 2], "start": "1 kg"}]}, {"reference": {"plan": 3}},
        {"reference": {"plan": {"path": "loops()", "duration": "2 kg"}}}, {"rate": "fast"},
    ],
)  # fmt: skip
def test_plain_values_that_are_no_scenario_are_refused(values):
    with pytest.raises(InputError):
        Scenario.from_dict({"arm": "kehl", **values} if isinstance(values, dict) else values)


# Written and read


@pytest.mark.parametrize("name", ASKED)
def test_it_is_written_and_read(name):
    made = asked(name)
    for other in again(made):
        assert other == made
        assert other.to_dict() == made.to_dict()
        assert other.content_hash == made.content_hash


@pytest.mark.parametrize("name", ASKED)
def test_the_scenario_of_a_run_repeats_it_bit_for_bit(name):
    made = asked(name)
    run = ulna.simulate(made)
    for other in (made, run.scenario, *again(run.scenario), read_stored(stored(run.scenario))):
        repeated = ulna.simulate(other)
        same_bits(run, repeated)
        assert repeated.scenario == run.scenario


def test_content_has_a_hash_of_its_own_whatever_presets_become():
    named = Scenario(arm=ulna.preset("kehl"), q0=[0.0, 0.0])
    assert named.to_dict()["arm"] == "kehl"
    assert stored(named)["arm"]["link"][0]["length"] == 0.5
    assert named.content_hash != named.replace(seed=1).content_hash


def test_what_is_equal_has_the_same_hash():
    base = asked("plain")
    pairs = [
        (base.replace(controller=PD(3, 1)), base.replace(controller=PD(3.0, 1.0))),
        (base.replace(q0=[-0.0, 0.2]), base.replace(q0=[0.0, 0.2])),
        (
            base.replace(controller=PD((np.float64(3), 2), 1)),
            base.replace(controller=PD((3, 2), 1)),
        ),
    ]
    for one, other in pairs:
        assert (one, one.content_hash) == (other, other.content_hash)
        assert Scenario.from_toml(one.to_toml()).content_hash == one.content_hash
    assert base.content_hash != ulna.simulate(base).scenario.content_hash


def test_a_pickled_run_takes_the_request_of_a_plan_along():
    plan = ulna.plan(CIRCLE)
    run = ulna.simulate(plan.arm, controller=ComputedTorque(), reference=plan, samples=2)
    sent = pickle.loads(pickle.dumps(run))
    assert sent.scenario == run.scenario
    assert isinstance(sent.scenario.reference, PlanRequest)
    same_bits(ulna.simulate(sent.scenario), run)


def test_lists_and_integers_of_a_disturbance_are_its_own():
    values = [1, 2]
    made = Disturbance(values, None, 0, 1, seed=4)
    values[0] = 9
    held = asked("plain").replace(disturbances=[made])
    for other in again(held):
        assert other == held
    assert made.torque == (1.0, 2.0)


def test_a_fastest_plan_stays_the_fastest_in_copies():
    arm = ulna.preset("kehl")
    limited = arm.replace(joints=[Joint(max_velocity=5.0, max_torque=200.0)] * 2)
    line = ulna.paths.line((0.5, 0.1), (0.6, 0.2))
    request = PlanRequest(arm=limited, path=line, timing="fastest")
    duration = ulna.plan(request).duration
    for other in (pickle.loads(pickle.dumps(request)), copy.deepcopy(request)):
        assert ulna.plan(other).duration == duration


def test_text_has_units():
    values = {
        "arm": "unit", "q0": ["30 deg", 0], "duration": "500 ms", "dt": "2 ms", "rate": "0.5 kHz",
        "torque": ["1 N*m", "2*t"], "controller": "PD(kp=20, kd=5)", "sensors": {"delay": "2 ms"},
        "disturbances": ["step(torque=(1, 0), at='1 s')"],
    }  # fmt: skip
    made = Scenario.from_dict(values)
    assert made.q0[0] == math.pi / 6.0
    assert (made.duration, made.dt, made.rate) == (0.5, 0.002, 500.0)
    assert made.torque == (1.0, "2*t")
    assert made.sensors == Sensors(delay=0.002)


def test_toml_is_read_line_by_line():
    text = 'format = 1\narm = "unit"\nq0 = [0, 0]\n\n[sensors]\ndelay = "2 m"\n'
    with pytest.raises(InputError) as caught:
        Scenario.from_toml(text)
    assert [problem.place for problem in caught.value.problems] == ["scenario:6"]
    with pytest.raises(InputError, match="format = 1"):
        Scenario.from_toml('arm = "unit"\n')


class Pusher:
    """A controller in Python."""

    def start(self, arm):
        return None

    def torque(self, t, q, qd, reference, state):
        return np.zeros(2), state


UNWRITABLE = {
    "torque": {"torque": lambda t: [t, 0.0]},
    "controller": {"controller": Pusher()},
    "reference": {"controller": PD(50.0, 9.0), "reference": lambda t: [t, 0.0]},
    "events": {"events": {"late": lambda t: t - 0.1}},
    "until": {"until": lambda t, q, qd: q[0] - 9.0},
}


@pytest.mark.parametrize("name", UNWRITABLE)
def test_what_cannot_be_written_is_named(name):
    made = Scenario(**{**BASE, **UNWRITABLE[name]})
    for write in (made.to_dict, made.to_toml, lambda: made.content_hash):
        with pytest.raises(InputError) as caught:
            write()
        assert [problem.what for problem in caught.value.problems] == [name]
    assert f"{name}=<the " in repr(made)
    assert made == Scenario(**{**BASE, **UNWRITABLE[name]})
    sent = pickle.loads(pickle.dumps(ulna.simulate(made)))
    assert isinstance(getattr(sent.scenario, name), Unwritten)
    # The file of a run holds the rest, and says what it does not hold where that is needed.
    kept = read_stored(json.loads(json.dumps(stored(made))))
    assert isinstance(getattr(kept, name), Unwritten)
    assert toml_text(stored(kept)) == toml_text(stored(made))
    with pytest.raises(InputError, match="which was not saved") as caught:
        ulna.simulate(kept)
    assert [problem.what for problem in caught.value.problems] == [name]
    assert kept.replace(**UNWRITABLE[name]) == made


def test_a_law_of_the_same_name_is_another_law():
    def mine(t, q, qd, reference, state, tau):
        tau[:] = reference[0] - q

    first = law(mine)()
    made = Scenario(**BASE, controller=first)
    second = law(mine)()  # which is found by the name from now on
    assert made != made.replace(controller=second)
    with pytest.raises(InputError, match=r"the controller mine\(\)"):
        made.to_dict()
    assert Scenario.from_dict(made.replace(controller=second).to_dict()).controller == second
