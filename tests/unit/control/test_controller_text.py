"""Controllers from text, and with another arm in mind."""

import math

import pytest

import ulna
from refusals import problems_of
from tabular import tabular
from ulna.control import (
    PD,
    PID,
    Adaptive,
    ComputedTorque,
    FeedforwardPID,
    GravityPD,
    OpenLoop,
    read_controller,
    with_model,
)
from ulna.errors import InputError
from ulna.simulation import Simulation

ARM = ulna.preset("kehl")


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("PD", PD()),
        ("OpenLoop()", OpenLoop()),
        ("ComputedTorque(natural_frequency=20)", ComputedTorque(natural_frequency=20.0)),
        ("ComputedTorque((10, 20), 0.7)", ComputedTorque((10.0, 20.0), 0.7)),
        (
            "PID(kp=(400, 100), kd=(40, 10), ki=0)",
            PID((400.0, 100.0), (40.0, 10.0), 0.0),
        ),
        ("PID(filter='50 Hz')", PID(filter=2.0 * math.pi * 50.0)),
        ("FeedforwardPID(filter='300 rad/s')", FeedforwardPID(filter=300.0)),
        ("GravityPD(kp='2 N*m/deg')", GravityPD(2.0 * 180.0 / math.pi)),
        (
            "GravityPD(kp=None, natural_frequency='1 rev/s')",
            GravityPD(natural_frequency=2.0 * math.pi),
        ),
        ("Adaptive(adaptation=2/5)", Adaptive(adaptation=0.4)),
        ("PD(400, ['40 N*m*s', 10])", PD(400.0, (40.0, 10.0))),
    ],
)
def test_what_is_written_is_meant(text, means):
    found = read_controller(text)
    assert type(found) is type(means)
    for name in vars(means):
        ours, theirs = getattr(found, name), getattr(means, name)
        assert ours == theirs or ours == pytest.approx(theirs, rel=1e-14)
    assert Simulation(ulna.Scenario(arm=ARM, q0=[0.0, 0.0], controller=found)).advance(0.01)


@tabular(
    ("text", "says"),
    [
        ("ComputeTorque()", "did you mean 'ComputedTorque'?"),
        ("LQG()", "need one of PD"),
        ("OpenLoop(3)", "need True or False"),
        ("PD(kp='3 kg')", r"--controller.kp: got '3 kg', need a stiffness"),
        ("PD(natural_frequency='20 Hs')", "frequency"),
        ("ComputedTorque(damping_ratio='1 N*m*s')", "need a number without a unit"),
        ("ComputedTorque(damping=1)", "did you mean 'damping_ratio'?"),
    ],
)
def test_what_cannot_be_meant_gets_a_sentence(text, says):
    with pytest.raises(InputError) as error:
        read_controller(text)
    assert says in str(error.value)


@pytest.mark.parametrize(
    "controller",
    [GravityPD(3.0), FeedforwardPID(filter=9.0), ComputedTorque(7.0), Adaptive(5.0), OpenLoop()],
    ids=repr,
)
def test_another_model_changes_nothing_else(controller):
    other = with_model(controller, ARM)
    assert other.model == ARM
    assert with_model(other, None) == controller
    assert controller.model is None


@tabular("controller", [PD(1.0, 1.0), PID(), "PD", None, ARM])
def test_what_has_no_model_is_refused_and_those_that_have_are_named(controller):
    (problem,) = problems_of(lambda: with_model(controller, ARM))
    kinds = (GravityPD, FeedforwardPID, ComputedTorque, Adaptive, OpenLoop)
    assert problem.what == "controller"
    assert all(kind.__name__ in problem.need for kind in kinds)
