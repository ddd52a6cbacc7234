"""A method that is written outside of the package takes steps wherever those of ulna do."""

import importlib.util
import json
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import ulna
from refusals import names_of, problems_of
from tabular import tabular
from ulna import InputError
from ulna.cli import main
from ulna.control import PD
from ulna.scenario import methods
from ulna.simulation import IntegrationMethod, register_method

FILE = Path(__file__).with_name("my_methods.py")
KEHL, UNIT = ulna.preset("kehl"), ulna.preset("unit")
SWING = {"q0": [0.2, 0.5], "duration": 1.0, "samples": 2}
HEUN = [[1.0], [0.5, 0.5]]
NAMES = ("heun", "ralston3", "kutta3", "midpoint")


@pytest.fixture(scope="module", autouse=True)
def own():
    before = dict(methods._known)
    spec = importlib.util.spec_from_file_location("my_methods", FILE)
    module = sys.modules["my_methods"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    methods._known.clear()
    methods._known.update(before)
    del sys.modules["my_methods"]


@pytest.fixture(scope="module")
def exact():
    return ulna.simulate(UNIT, **SWING, rtol=1e-13).q[-1]


@pytest.mark.parametrize("name", NAMES)
def test_errors_fall_with_the_order(name, exact):
    off = [
        np.abs(ulna.simulate(UNIT, **SWING, method=name, dt=dt).q[-1] - exact).max()
        for dt in (4e-3, 2e-3)
    ]
    assert np.log2(off[0] / off[1]) == pytest.approx(methods.METHODS[name].order, abs=0.25)


@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("name", NAMES)
def test_arms_of_a_batch_go_as_each_by_itself(name, precision):
    q0 = np.random.default_rng(3).uniform(-1.0, 1.0, (19, 2))
    options = {"duration": 0.2, "dt": 2e-3, "method": name, "samples": 3}
    batch = ulna.simulate_batch(KEHL, q0=q0, **options, precision=precision)
    assert batch.status.ok.all()
    assert batch.settings["method"] == name
    close = 1e-12 if precision == "double" else 1e-4
    for b in (0, 7, 18):
        alone = ulna.simulate(KEHL, q0=q0[b], **options)
        assert batch.q[b] == pytest.approx(alone.q, rel=0.0, abs=close)
    steps = ulna.BatchSimulation(KEHL, q0=q0, dt=2e-3, method=name, precision=precision)
    steps.advance(0.2)
    assert steps.q == pytest.approx(batch.q[:, -1], rel=0.0, abs=close)


@pytest.mark.parametrize("name", NAMES)
def test_stops_events_controllers_and_the_sequential_model(name):
    limited = ulna.Arm.rods([0.5, 0.4], [1.0, 0.8], joints=[ulna.Joint(lower=-1.0, upper=1.0)] * 2)
    start = {"q0": [0.0, 0.3], "duration": 1.0, "dt": 1e-3}
    run, other = (
        ulna.simulate(limited, **start, method=one, events={"level": "q1 + 0.5"})
        for one in (name, "rk4")
    )
    assert [one.joint for one in run.contacts] == [one.joint for one in other.contacts]
    assert run.events[0].t == pytest.approx(other.events[0].t, abs=1e-4)
    held = ulna.simulate(KEHL, **start, method=name, controller=PD(400.0, 40.0))
    assert held.status.ok
    pair = [
        ulna.simulate(KEHL, **start, method=one, dynamics="sequential").q[-1]
        for one in (name, "rk4")
    ]
    assert pair[0] == pytest.approx(pair[1], abs=1e-4)


def test_a_record_will_do_as_well_as_its_name(own):
    by_name = ulna.simulate(UNIT, **SWING, method="heun")
    assert ulna.simulate(UNIT, **SWING, method=own.heun).q.tolist() == by_name.q.tolist()


def test_methods_of_ones_own_are_listed_after_ours(capsys):
    assert main(["list", "methods", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["methods"]}
    assert list(rows)[:4] == ["dop853", "rk4", "semi-implicit", "gauss4"]
    assert rows["ralston3"] == {
        "name": "ralston3",
        "order": "3",
        "steps": "dt",
        "when": "where three stages will do",
    }


@tabular(
    ("given", "of"),
    [
        ({}, ""),
        ({"tableau": HEUN, "step": "a:b"}, ""),
        *(
            ({"tableau": rows}, "tableau of ")
            for rows in (
                "abc",
                5,
                [],
                [["a"], [0.5, 0.5]],
                [[0.5], [1.0]],
                [[0.5], [0.0, np.nan]],
                [[0.5], [0.5, 0.4]],
            )
        ),
        *(({"tableau": HEUN, "order": order}, "order of ") for order in (0, 1, 3, "two")),
        ({"tableau": HEUN, "keep": "a:b"}, "keep of "),
        ({"tableau": HEUN, "rough": np.nan}, "rough of "),
        ({"tableau": HEUN, "work": -1.0}, "work of "),
        *(({"step": step}, "step of ") for step in (5, 0.5)),
        *(
            ({**one, "adaptive": True}, "adaptive of ")
            for one in ({"tableau": HEUN}, {"step": "a:b"})
        ),
    ],
)
def test_what_cannot_take_a_step_is_refused(given, of):
    odd = {"name": "odd", "order": 2, "about": "for nothing", **given}
    assert names_of(lambda: IntegrationMethod(**odd)) == [f"{of}method 'odd'"]


MIDPOINT = "my_methods:midpoint_step"


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"step": "thing"}, "step of method 'odd'"),
        ({"step": "no.such:thing"}, "step of method 'odd'"),
        ({"step": "ulna.simulation:thing"}, "step of method 'odd'"),
        ({"step": "ulna.simulation:simulate"}, "step of method 'odd'"),
        ({"step": MIDPOINT, "keep": "no.such:one"}, "keep of method 'odd'"),
        ({"step": MIDPOINT, "keep": MIDPOINT}, "keep of method 'odd'"),
        ({"step": "my_methods:unknowing_step"}, "kernel unknowing_step"),
        ({"step": "my_methods:printing_step"}, "kernel printing_step"),
    ],
)
def test_a_step_that_is_not_there_is_told_when_it_is_needed(own, given, what):
    odd = register_method(IntegrationMethod("odd", 2, "for nothing", **given))
    for call in (
        lambda: ulna.simulate(UNIT, **SWING, method=odd),
        lambda: ulna.simulate_batch(UNIT, q0=[[0.0, 0.0]] * 2, duration=0.1, method="odd"),
    ):
        (name,) = names_of(call)
        assert name.startswith(what)


def test_a_record_that_is_not_registered_takes_no_steps():
    for name in ("other", "rk4"):  # not even under the name of one that is
        other = IntegrationMethod(name, 2, "", tableau=HEUN)
        (problem,) = problems_of(lambda other=other: ulna.simulate(UNIT, **SWING, method=other))
        assert problem.what == "method"
        assert "register_method" in problem.hint


@pytest.mark.parametrize("name", ["rk4", "dop853", *NAMES[:3]])
def test_tableaux_meet_the_conditions_of_their_order(name):
    method = methods.METHODS[name]
    assert methods.order_of(method.coefficients) == method.order


def test_coefficients_that_are_off_have_another_order():
    rows = [[1 / 2], [0.1, 0.4], [0.0, 0.0, 1.0], [1 / 6, 1 / 3, 1 / 3, 1 / 6]]
    with pytest.raises(InputError, match="got 4, need 2, the order of its tableau"):
        IntegrationMethod("odd", 4, "", tableau=rows)


def test_names_are_words_and_not_those_of_our_own():
    for name in ("two words", "rk4"):
        odd = partial(IntegrationMethod, name, 1, "", tableau=[[1.0]])
        assert names_of(lambda odd=odd: register_method(odd())) == ["method name"]
    assert names_of(lambda: register_method("rk4")) == ["method"]
    (problem,) = problems_of(lambda: ulna.simulate(UNIT, **SWING, method="huen"))
    assert "'heun'" in problem.hint


def test_a_method_may_be_registered_again():
    euler = IntegrationMethod("again", 1, "to be replaced", tableau=[[1.0]])
    register_method(euler)
    once = ulna.simulate_batch(UNIT, q0=[0.2, 0.5], duration=0.1, method="again").q
    register_method(IntegrationMethod("again", 2, "", tableau=[[1.0], [0.5, 0.5]]))
    other = ulna.simulate_batch(UNIT, q0=[0.2, 0.5], duration=0.1, method="again").q
    heun = ulna.simulate_batch(UNIT, q0=[0.2, 0.5], duration=0.1, method="heun").q
    assert once.tolist() != other.tolist() == heun.tolist()
