"""Dotted names of what is in a scenario: read, replaced, and refused with the nearest."""

import pytest

import ulna
from ulna import InputError, PlanRequest, Scenario, Sensors
from ulna.control import PD, ComputedTorque
from ulna.scenario.disturbances import noise, pulse, sine, step

ARM = ulna.Arm.rods([0.5, 0.4], [1.0, 0.8], joints=[ulna.Joint(damping=0.1)] * 2)
PLAN = PlanRequest(arm=ARM, path=ulna.paths.circle((0.5, 0.2), 0.1), duration=2.0)
HELD = Scenario(
    arm=ARM, q0=[0.1, 0.2], duration=1.0, torque=[1.0, "sin(t)"], tip_force=[1.0, 2.0],
    controller=PD([20.0, 10.0], 2.0), reference=[0.3, 0.4], rate=500.0,
    disturbances=[
        sine([0.5, 0.0], frequency=2.0), pulse(force=[1.0, 2.0], at=0.2, lasting=0.1),
        noise([0.1, 0.1], seed=3),
    ],
)  # fmt: skip
PARTS = {
    "link.2.mass": (0.8, 2.0),
    "joint.1.damping": (0.1, 0.3),
    "joint.2.friction.coulomb": (0.0, 0.2),
    "payload": (0.0, 0.4),
    "gravity.y": (-9.81, -1.62),
    "controller.kp.2": (10.0, 12.0),
    "controller.kd": (2.0, 3.0),
    "sensors.delay": (0.0, 0.002),
    "sensors.seed": (0, 4),
    "actuators.time_constant": (0.0, 0.01),
    "q0.2": (0.2, 0.0),
    "torque.2": ("sin(t)", 0.5),
    "tip_force.y": (2.0, -1.0),
    "reference.1": (0.3, 0.1),
    "disturbances.1.frequency": (2.0, 3.0),
    "disturbances.2.force.x": (1.0, 5.0),
    "disturbances.2.at": (0.2, 0.3),
    "disturbances.3.seed": (3, 5),
    "rate": (500.0, 250.0),
    "duration": (1.0, 2.0),
}


@pytest.mark.parametrize("name", PARTS)
def test_a_part_is_read_and_replaced_and_nothing_else(name):
    before, after = PARTS[name]
    assert HELD.get(name) == before
    changed = HELD.replace({name: after})
    assert changed.get(name) == after
    assert changed.replace({name: before}).get(name) == before
    for other in PARTS:
        if other != name:
            assert changed.get(other) == HELD.get(other), other


def test_the_parts_that_are_replaced_are_what_is_simulated():
    changed = HELD.replace({"link.2.mass": 2.0, "controller.kp": 30.0, "sensors.delay": 0.002})
    arm = ARM.replace(links=[ARM.links[0], ulna.Link(0.4, 2.0)])
    assert changed == HELD.replace(arm=arm, controller=PD(30.0, 2.0), sensors=Sensors(delay=0.002))
    assert changed.get("link.all.mass") == (1.0, 2.0)
    assert HELD.replace({"link.all.mass": 3.0}).get("link.1.mass") == 3.0


def test_whole_objects_are_replaced_before_their_parts():
    heavy = ARM.with_payload(1.0)
    changed = HELD.replace(
        {"controller.kp": 5.0, "link.1.mass": 4.0}, arm=heavy, controller=PD(1.0, 1.0)
    )
    assert (changed.get("payload"), changed.get("link.1.mass")) == (1.0, 4.0)
    assert changed.controller == PD(5.0, 1.0)


def test_what_the_loop_of_the_arm_has_is_there_to_be_changed():
    looped = ARM.replace(loop=ulna.ControlLoop(250.0, Sensors(delay=0.003, seed=2)))
    held = Scenario(arm=looped, q0=[0.0, 0.0], controller=PD())
    assert held.get("sensors.delay") == 0.003
    assert held.replace({"sensors.angle_noise": 0.1}).sensors == Sensors(0.1, delay=0.003, seed=2)


def test_a_model_is_changed_by_names_of_its_arm():
    held = Scenario(arm=ARM, q0=[0.0, 0.0], controller=ComputedTorque())
    changed = held.replace({"controller.model.link.2.mass": 5.0})
    assert changed.arm == ARM
    assert changed.controller.model.links[1].mass == 5.0
    assert changed.get("controller.model.link.2.mass") == 5.0


def test_a_plan_is_asked_for_again_with_other_values():
    held = Scenario(arm=ARM, controller=ComputedTorque(), reference=PLAN)
    changed = held.replace({"reference.duration": 4.0})
    assert (held.motion.duration, changed.motion.duration) == (2.0, 4.0)
    planned = Scenario(arm=ARM, controller=ComputedTorque(), reference=ulna.plan(PLAN))
    assert planned.replace({"reference.duration": 4.0}) == changed


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("link.2.maas", "link.K.mass"),
        ("link.3.mass", "1 to 2"),
        ("joint.1.motor.resistance", "motor"),
        ("controller.kq", "kp"),
        ("sensors.dely", "sensors.delay"),
        ("q0.3", "1 to 2"),
        ("disturbances.4.at", "1 to 3"),
        ("disturbances.1.frequenzy", "frequency"),
        ("durration", "duration"),
        ("gravity.z", "gravity"),
        ("events.level", "whole field"),
    ],
)
def test_unknown_names_get_the_nearest(name, hint):
    for use in (HELD.get, lambda one: HELD.replace({one: 1.0})):
        with pytest.raises(InputError) as caught:
            use(name)
        assert hint in str(caught.value), str(caught.value)


@pytest.mark.parametrize(
    "names",
    [
        ("link.all.mass", "link.2.mass"),
        ("link.1.mass", "link.01.mass"),
        ("payload", "payload.mass"),
        ("controller.kp", "controller.kp.2"),
        ("controller.kp.2", "controller.kp.02"),
        ("tip_force.1", "tip_force.x"),
        ("q0.1", "q0.01"),
        ("disturbances.2.at", "disturbances.2.start"),
        ("disturbances.1.torque.1", "disturbances.1.torque"),
    ],
)
def test_a_part_is_given_once(names):
    with pytest.raises(InputError, match="sets as well"):
        HELD.replace(dict.fromkeys(names, 1.0))


def test_different_parts_are_given_together():
    HELD.replace({"link.1.mass": 1.0, "link.2.mass": 2.0, "link.2.length": 0.3, "payload": 0.1})
    assert HELD.replace({"tip_force.x": 3.0, "tip_force.moment": 0.5}).tip_force == (3.0, 2.0, 0.5)
    free = Scenario(arm=ulna.Arm.rods([1.0] * 5, [1.0] * 5))
    assert free.replace({"tip_force.y": -2.0}).tip_force == (0.0, -2.0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("arm.foo", 3.0),
        ("arm.payload", 3.0),
        ("link", 1.0),
        ("controller.model", 3.0),
        ("controller.model.foo", 3.0),
        ("controller.model.link.9.mass", 3.0),
        ("controller.model.link", 3.0),
        ("controller.kp", "3"),
        ("controller.kp.x", 3.0),
        ("q0.x", 3.0),
        ("reference.duration", 3.0),
        ("voltage.x", 3.0),
        ("disturbances.x.frequency", 3.0),
        ("disturbances.1.size", "2"),
        ("disturbances.1.size", float("nan")),
        ("disturbances.2.start", "2"),
        (3, 3.0),
    ],
)
def test_what_is_no_part_or_no_value_of_it_is_refused(name, value):
    for held in (HELD, HELD.replace(controller=ComputedTorque())):
        with pytest.raises(InputError):
            held.replace({name: value})


def test_parts_of_tables_and_of_values_that_have_none_are_refused():
    held = Scenario(arm=ARM, torque=([0.0, 1.0], [[1.0, 0.0], [0.0, 1.0]]))
    asked = Scenario(arm=ARM, controller=ComputedTorque(), reference=PLAN)
    for one, name in (
        (held, "torque.1"), (held, "controller.kp"), (asked, "reference.arm.payload"),
        (asked, "reference.timing.x"), (asked, "reference.duration.x"),
    ):  # fmt: skip
        for use in (one.get, lambda name, one=one: one.replace({name: 1.0})):
            with pytest.raises(InputError) as caught:
                use(name)
            assert caught.value.problems[0].what.startswith(name.partition(".")[0])


def test_a_disturbance_without_a_call_has_its_fields():
    held = HELD.replace(disturbances=[step([1.0, 0.5], at=1.0)])
    assert held.replace({"disturbances.1.size": 2.0}).disturbances[0].torque == (2.0, 1.0)
    assert held.replace({"disturbances.1.start": 2.0}).get("disturbances.1.start") == 2.0
