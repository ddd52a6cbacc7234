"""What a controller believes of its arm that is not so."""

import json

import pytest

import ulna
from ulna.analysis import verdict
from ulna.arm.model_mismatch import model_mismatch
from ulna.control import ComputedTorque
from ulna.simulation.made_with import controller_text
from ulna.viewer.report_page import document

ARM = ulna.preset("kehl")
PLAN = ulna.plan(ARM.with_payload(2.0), ulna.paths.circle((0.5, 0.2), 0.1), duration=1.0)
WEAK = ulna.TorqueSpeedMotor(stall_torque=2.0, no_load_speed=5.0, name="weak")
PAYLOAD = "payload: 0 kg in the controller's model, 2 kg on the arm"


def rods(masses=(1.0, 2.0), **changes):
    return ulna.Arm.rods([0.5, 0.5], masses, **changes)


@pytest.mark.parametrize(
    ("model", "arm", "told"),
    [
        (ARM, ARM, []),
        (ARM, ARM.with_payload(2.0), [PAYLOAD]),
        (
            rods(masses=(1.0, 2.4)),  # and with the mass the inertia m l²/12 of a rod
            rods(),
            [
                "mass of link 2: 2.4 kg in the controller's model, 2 kg on the arm",
                "inertia of link 2: 0.05 kg·m² in the controller's model, 0.0416667 kg·m² on the "
                "arm",
            ],
        ),
        (
            rods(joints=[ulna.Joint(motor=ulna.IdealMotor())] * 2),
            rods(joints=[ulna.Joint(), ulna.Joint(motor=WEAK)]),
            ["motor of joint 2: ideal motor in the controller's model, weak on the arm"],
        ),
    ],
)
def test_what_differs_is_said_in_numbers_with_units(model, arm, told):
    assert list(model_mismatch(model, arm)) == told


@pytest.fixture(scope="module")
def run():
    return ulna.simulate(PLAN.arm, controller=ComputedTorque(model=ARM), reference=PLAN)


def test_a_verdict_names_the_difference_as_the_cause(run):
    told = verdict(run, PLAN)
    assert told.reason == "off"
    assert told.text.endswith(f"; the controller's model is another arm ({PAYLOAD})")
    assert json.loads(json.dumps(told.facts()))["model_mismatch"] == [PAYLOAD]
    near = verdict(run, PLAN, tolerance=1.0)
    assert near.text.startswith("follows within")
    assert "model" not in near.text
    assert near.mismatch == (PAYLOAD,)


def test_a_report_finds_the_difference_and_shows_no_repr(run):
    header = document(run, plan=PLAN).header
    assert header["subtitle"] == "1 s, ComputedTorque() at 1000 Hz, which believes in kehl, rk4"
    texts = [header["title"], header["subtitle"], header["verdict"]["text"]]
    assert not any("<" in text for text in texts)
    found = {one["text"]: one["level"] for one in header["findings"]}
    assert found[PAYLOAD] == "warning"


def test_a_model_by_any_name_is_left_out_of_the_words():
    model = ARM.replace(name="a heavy > arm, (model=<x>)")
    law = ComputedTorque(natural_frequency=30.0, model=model, damping_ratio=0.9)
    run = ulna.simulate(PLAN.arm, controller=law, reference=PLAN, duration=0.01)
    told = (
        "ComputedTorque(natural_frequency=30.0, damping_ratio=0.9) at 1000 Hz, which believes in "
    )
    assert controller_text(run.scenario) == f"{told}{model.name}"
    assert (
        controller_text(
            run.scenario.replace(controller=None, sensors=None, actuators=None, reference=None)
        )
        == ""
    )


def test_a_run_from_a_file_still_knows_its_model(run, tmp_path):
    run.save(tmp_path / "run.nc")
    assert verdict(ulna.open_run(tmp_path / "run.nc"), PLAN).mismatch == (PAYLOAD,)
