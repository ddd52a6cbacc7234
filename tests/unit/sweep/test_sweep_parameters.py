"""Names of what a sweep varies: known ones by their fields, unknown ones with the nearest."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from tests.support.tabular import tabular

import ulna
from ulna import Actuators, Arm, Sensors
from ulna.control import PD, ComputedTorque, controller_text, law
from ulna.errors import InputError
from ulna.expressions import parse_call
from ulna.scenario import disturbances
from ulna.sweep.case_values import applied
from ulna.sweep.cases import Case
from ulna.sweep.sweep_parameters import Choice, known_parameters, parameter

ARM = Arm.rods([0.3, 0.2], [1.0, 0.5])
BASE = Case(
    ARM,
    path=parse_call("circle(center=(0.2, '10 cm'), radius='5 cm')"),
    duration=4.0,
    controller=ComputedTorque(20.0),
    sensors=Sensors(delay=0.001),
    disturbances=(parse_call("pulse(force=(0, -5), at=1, lasting=0.1)"),),
    simulation={"dt": 1e-3, "rate": 1000.0},
)


@tabular(
    "name, unit, role",
    [
        ("link.2.mass", "kg", "dynamics"),
        ("joint.1.friction.coulomb", "N·m", "dynamics"),
        ("payload", "kg", "dynamics"),
        ("path.radius", "m", "motion"),
        ("path.center.x", "m", "motion"),
        ("timing", "", "motion"),
        ("controller", "", "loop"),
        ("controller.natural_frequency", "rad/s", "loop"),
        ("controller.natural_frequency.2", "rad/s", "loop"),
        ("controller_model.link.2.mass", "kg", "loop"),
        ("sensors.angle_noise.1", "rad", "loop"),
        ("actuators.bandwidth", "Hz", "loop"),
        ("disturbance.1.force.y", "N", "loop"),
        ("q0.2", "rad", "loop"),
        ("dt", "s", "loop"),
        ("seed", "1", "seed"),
    ],
)
def test_names_have_units_and_roles(name: str, unit: str, role: str) -> None:
    found = parameter(name, BASE)
    assert (found.unit, found.role) == (unit, role)


def test_fields_of_the_public_classes_are_names() -> None:
    known = known_parameters(BASE)
    owners: dict[str, Any] = {"link.K": ulna.Link, "joint.K.friction": ulna.Friction}
    owners |= {"sensors": Sensors, "actuators": Actuators}
    for owner, kind in owners.items():
        for field in dataclasses.fields(kind):
            assert f"{owner}.{field.name}" in known, (owner, field.name)
    fields = {field.name for field in dataclasses.fields(ulna.Joint)} - {"friction"}
    assert {f"joint.K.{name}" for name in fields} <= set(known)
    motors = {field.name for field in dataclasses.fields(ulna.Motor)} - {"heat", "backlash", "name"}
    assert {f"joint.K.motor.{name}" for name in motors} <= set(known)


@tabular(
    "name, told",
    [
        ("lnk.2.mas", "did you mean 'link.2.mass'?"),
        ("link.2.weight", "did you mean 'link.2"),
        ("link.3.mass", "one from 1 to 2, or all"),
        ("joint.1.motor.voltage", "a joint without a motor"),
        ("path.raduis", "did you mean 'path.radius'?"),
        ("controller.kp", "unknown parameter"),
        ("colour", "names begin with"),
        ("controller_model.colour", "before a parameter of an arm"),
        ("disturbance.2.size", "did you mean 'disturbance.1.size'?"),
    ],
)
def test_unknown_names_are_refused_with_the_nearest(name: str, told: str) -> None:
    with pytest.raises(InputError) as refusal:
        parameter(name, BASE)
    assert told in str(refusal.value)


@tabular(
    "values, get, wanted",
    [
        ({"link.2.mass": 2.0}, lambda c: c.arm.links[1].mass, 2.0),
        ({"path.radius": 0.07}, lambda c: c.made_path.length / 6.283185307179586, 0.07),
        ({"path.center.x": 0.3}, lambda c: c.made_path(0.0)[0], 0.35),
        ({"duration": 2.0}, lambda c: c.duration, 2.0),
        ({"timing": "quintic"}, lambda c: c.motion["timing"], "quintic"),
        ({"controller.damping_ratio": 0.7}, lambda c: c.controller.damping_ratio, 0.7),
        (
            {"controller.natural_frequency.2": 5.0},
            lambda c: c.controller.natural_frequency,
            (20.0, 5.0),
        ),
        ({"controller": Choice("PD", PD(1.0, 2.0))}, lambda c: c.made_controller.kd, 2.0),
        (
            {"controller.kd": 9.0, "controller": Choice("PD", PD(1.0, 2.0))},
            lambda c: c.controller,
            PD(1.0, 9.0),
        ),
        ({"sensors.angle_noise.2": 0.1}, lambda c: c.sensors.angle_noise, (0.0, 0.1)),
        ({"sensors.angle_noise": 0.1}, lambda c: c.sensors.delay, 0.001),
        ({"actuators.delay": 0.01}, lambda c: c.actuators.delay, 0.01),
        ({"disturbance.1.force.y": -2.0}, lambda c: c.disturbances[0].force, (0.0, -2.0)),
        ({"disturbance.1.at": 2.0}, lambda c: c.disturbances[0].stop, 2.1),
        (
            {"disturbance.1.size": 3.0, "disturbance.1.force.y": -2.0},
            lambda c: c.disturbances[0].force,
            (0.0, -6.0),
        ),
        ({"q0.1": 0.4}, lambda c: c.q0, (0.4, 0.0)),
        ({"simulation.dt": 0.01}, lambda c: c.simulation["dt"], 0.01),
        ({"seed": 7.0}, lambda c: c.seed, 7),
    ],
)
def test_values_are_put_in_their_places(values: Any, get: Any, wanted: Any) -> None:
    found = get(applied(BASE, values))
    assert found == (pytest.approx(wanted) if isinstance(wanted, float) else wanted)


def test_a_controller_believes_in_the_arm_before_it_is_varied() -> None:
    both = applied(BASE, {"payload": 0.5, "link.1.mass": 3.0, "controller_model.payload": 0.1})
    assert both.arm == ARM.with_payload(0.5).replace(links=[ulna.Link(0.3, 3.0), ARM.links[1]])
    assert both.controller_model == ARM.with_payload(0.1)
    assert applied(BASE, {"payload": 0.5}).controller_model is None


def test_paths_inside_of_paths_are_named_through() -> None:
    text = "then(reversed(circle((0.2, 0.1), 0.05)), line((0.25, 0.1), (0.3, 0.1)))"
    base = dataclasses.replace(BASE, path=parse_call(text))
    assert parameter("path.path1.path.radius", base).unit == "m"
    changed = applied(base, {"path.path1.path.radius": 0.04, "path.path2.end.x": 0.4})
    assert str(changed.path) == (
        "then(reversed(path=circle(center=(0.2, 0.1), radius=0.04)), "
        "line(start=(0.25, 0.1), end=(0.4, 0.1)))"
    )


def spring(t, q, qd, reference, state, tau, kp, kd=1.0):
    for i in range(len(q)):
        tau[i] = kp[i] * (reference[0, i] - q[i]) - kd[i] * qd[i]


@pytest.fixture
def own_law():
    """A law that texts know for one test only."""
    yield law(spring)
    del controller_text._known["spring"]


def test_gains_of_a_law_of_ones_own_are_names(own_law) -> None:
    base = dataclasses.replace(BASE, controller=own_law(kp=100.0))
    assert parameter("controller.kp", base).unit == "N·m/rad"
    changed = applied(base, {"controller.kp": 50.0, "controller.kd.2": 3.0})
    assert repr(changed.controller) == "spring(kp=50.0, kd=(1.0, 3.0))"


def test_a_gain_that_another_controller_has_is_refused() -> None:
    with pytest.raises(InputError, match=r"controller\.kp: got 3\.0, need nothing of Computed"):
        applied(BASE, {"controller.kp": 3.0})


def test_disturbances_made_in_python_are_varied_by_their_fields() -> None:
    base = dataclasses.replace(BASE, disturbances=(disturbances.step([1.0, 0.5], at=1.0),))
    changed = applied(base, {"disturbance.1.start": 2.0, "disturbance.1.size": 2.0})
    assert changed.disturbances[0].torque == (2.0, 1.0)
    assert changed.disturbances[0].start == 2.0
