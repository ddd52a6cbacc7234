"""What an arm is described with and nothing computes with is never left out in silence."""

import dataclasses
import warnings

import numpy as np
import pytest

import ulna
from tabular import tabular
from ulna.arm import NOT_MODELLED, unmodelled
from ulna.cli import main

DRY = ulna.Joint(damping=0.1, friction=ulna.Friction(30.0))
DRIVEN = ulna.Joint(motor=ulna.Motor(voltage=12.0, resistance=1.0, torque_constant=0.02))
PLAIN = ulna.Joint(damping=0.1, friction=ulna.Friction(0.0))


def rod(joint, links=1):
    return ulna.Arm.rods([0.5] * links, [1.0] * links, joints=[joint] * links)


ENTRY_POINTS = {
    "simulate": lambda arm: ulna.simulate(arm, q0=[0.0], duration=0.01),
    "Simulation": lambda arm: ulna.Simulation(arm, q0=[0.0]),
    "simulate_batch": lambda arm: ulna.simulate_batch(arm, q0=[[0.0], [1.0]], duration=0.01),
    "simulate_batch of a list": lambda arm: ulna.simulate_batch([arm], q0=[0.0], duration=0.01),
    "stack": lambda arm: ulna.stack([arm, arm]),
    "plan": lambda arm: ulna.plan(arm, ulna.paths.joints([[0.0], [1.0]]), duration=1.0),
    "plan of a list": lambda arm: ulna.plan(
        [arm, arm], ulna.paths.joints([[0.0], [1.0]]), duration=1.0
    ),
    "portrait": ulna.portrait,
    "inverse_dynamics": lambda arm: ulna.dynamics.inverse_dynamics(arm, [0.1], [0.2], [0.3]),
    "forward_dynamics": lambda arm: ulna.dynamics.forward_dynamics(arm, [0.1], [0.2], [0.3]),
    "compiled": ulna.compiled,
}


@pytest.mark.parametrize("name", ENTRY_POINTS)
def test_every_entry_point_warns_and_points_at_its_caller(name):
    words = r"^motor data \(joint 1\) is not modelled"
    with pytest.warns(ulna.UlnaWarning, match=words) as caught:
        ENTRY_POINTS[name](rod(DRIVEN))
    if name not in ("portrait", "compiled"):  # called by pytest's own file, not by this one
        assert {warning.filename for warning in caught} == {__file__}


@tabular("name", ENTRY_POINTS)
@tabular("joint", [PLAIN, DRY], ids=["plain", "friction"])
def test_none_warns_where_everything_is_computed_with(name, joint):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ENTRY_POINTS[name](rod(joint))


def test_each_quantity_names_the_joints_that_have_it():
    joints = [DRIVEN, DRY, dataclasses.replace(DRY, motor=DRIVEN.motor)]
    found = unmodelled(rod(PLAIN, 3).replace(joints=joints))
    assert list(found) == [quantity.name for quantity in NOT_MODELLED]
    assert "(joints 1 and 3)" in found["motor data"]
    assert "(joint 3)" in unmodelled(rod(PLAIN, 3).replace(joints=[DRY, DRY, DRIVEN]))["motor data"]


def test_the_list_covers_all_that_parameters_leave_out():
    # What the physics reads of a joint are the arrays of Parameters; anything else that a Joint
    # can be given must be on the list, or it would be dropped without a word.
    read = set(ulna.Parameters._fields)
    assert {field.name for field in dataclasses.fields(ulna.Friction)} <= read
    data_only = {field.name for field in dataclasses.fields(ulna.Joint)} - read - {"friction"}
    full = dataclasses.replace(DRY, motor=DRIVEN.motor)
    without = {name: dataclasses.replace(full, **{name: None}) for name in data_only}
    assert len(data_only) == len(NOT_MODELLED)
    for joint in without.values():
        assert len(unmodelled(rod(joint))) == len(data_only) - 1


@pytest.mark.parametrize(
    "words",
    [
        ["check", "arm.toml"],
        ["check", "arm.toml", "--json"],
        ["hold", "arm.toml", "--q", "0, 0"],
        ["simulate", "arm.toml", "--q0", "0, 0", "--duration", "0.01 s"],
        ["plan", "arm.toml", "circle(center=(0.3, 0.1), radius=0.05)", "--out", "it"],
    ],
    ids=["check", "check-json", "hold", "simulate", "plan"],
)
def test_a_command_says_it_once(words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ulna.save(rod(DRIVEN, 2), "arm.toml")
    assert main(words) == 0
    assert capsys.readouterr().err.count("motor data (joints 1 and 2) is not modelled") == 1


def test_the_damping_of_a_plan_is_called_so():
    arm = rod(ulna.Joint(damping=0.3))
    made = ulna.plan(arm, ulna.paths.joints([[0.0], [1.0]]), duration=1.0)
    assert not np.any(getattr(made.terms, "friction", 0.0))  # which is dry friction and drag
    assert made.terms.damping == pytest.approx(0.3 * made.qd)
    assert np.abs(made.terms.damping).max() > 0.0
