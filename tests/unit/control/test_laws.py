"""What holds for every controller: compiled and in Python it is one, and it is a plain value."""

import dataclasses

import numpy as np
import pytest

import ulna
from refusals import names_of
from tabular import tabular
from ulna.control import (
    CONTROLLERS,
    PD,
    PID,
    Adaptive,
    CompiledLaw,
    ComputedTorque,
    Controller,
    FeedforwardPID,
    GravityPD,
    OpenLoop,
    Reference,
    read_controller,
)

LOSSY = ulna.Motor(24.0, 0.5, 0.05, gear_ratio=80.0, efficiency=0.8, backdriving_efficiency=0.6)
HEAVIER = ulna.preset("kehl").with_payload(1.0)
EACH = [
    PD(natural_frequency=8.0),
    PID(filter=200.0, natural_frequency=8.0),
    PID(40.0, 8.0, 30.0),
    GravityPD(),
    GravityPD(50.0, 10.0, model=HEAVIER),
    FeedforwardPID(filter=100.0, natural_frequency=5.0),
    FeedforwardPID(ki=0.0, model=HEAVIER),
    ComputedTorque(),
    ComputedTorque([10.0, 15.0], [0.7, 1.0], model=HEAVIER),
    Adaptive(),
    Adaptive(4.0, 4.0, 0.01, model=HEAVIER),
    OpenLoop(),
    PID(40.0, 8.0, 30.0, dead_band=(0.5, 1.5)),
    FeedforwardPID(ki=20.0, dead_band=1.0, friction_compensation=False),
    ComputedTorque(friction_compensation=False),
    Adaptive(friction_compensation=False),
    OpenLoop(friction_compensation=False),
]
SPRUNG = [PD, PID, GravityPD, FeedforwardPID]
COMPENSATING = [FeedforwardPID, ComputedTorque, Adaptive, OpenLoop]
MODELLED = [GravityPD, *COMPENSATING]


def limited(arm, most):
    joints = [dataclasses.replace(joint, max_torque=most) for joint in arm.joints]
    return arm.replace(joints=joints)


@pytest.mark.parametrize("controller", EACH, ids=repr)
def test_a_law_is_its_twin_for_many_arms_at_once(controller, geared, rubbing, law_and_twin):
    assert {type(one).__name__ for one in EACH} == set(CONTROLLERS)
    for arm in (geared, limited(geared, 20.0), rubbing, rubbing.with_motors(LOSSY)):
        assert law_and_twin(controller, arm, 1) <= 1e-12


@pytest.mark.parametrize("kind", [PD, PID, *MODELLED])
@pytest.mark.parametrize("n", [1, 5])
def test_a_law_is_its_twin_for_any_number_of_joints(kind, n, law_and_twin):
    for friction in (None, ulna.Friction(0.2, static=0.3, stribeck_velocity=1.0, drag=0.05)):
        joint = ulna.Joint(rotor_inertia=1e-4, gear_ratio=20.0, damping=0.1, friction=friction)
        arm = ulna.Arm.rods([0.4] * n, [1.0] * n, joints=[joint] * n)
        assert law_and_twin(kind(), arm, n) <= 1e-12


@pytest.mark.parametrize("kind", COMPENSATING)
def test_friction_is_that_of_the_reference(kind, rubbing):
    random = np.random.default_rng(4)
    q, qd, aim, rate, qdd = random.uniform(-2.0, 2.0, (5, 2))
    smooth = rubbing.replace(joints=[dataclasses.replace(j, friction=None) for j in rubbing.joints])
    p = rubbing.parameters
    for rates, accelerations in ((rate, qdd), (0.0 * rate, qdd), (0.0 * rate, 0.0 * qdd)):
        wanted = Reference(aim, rates, accelerations)
        with_it, without, none = (
            one.torque(0.1, q, qd, wanted, one.start(arm))[0]
            for one, arm in (
                (kind(), rubbing),
                (kind(friction_compensation=False), rubbing),
                (kind(), smooth),
            )
        )
        ways = np.sign(np.where(rates != 0.0, rates, accelerations))
        bell = np.exp(-((rates / p.stribeck_velocity) ** 2))
        friction = ways * (p.coulomb + (p.static - p.coulomb) * bell + p.drag * rates**2)
        assert with_it - without == pytest.approx(friction, abs=1e-12)
        assert (without == none).all()


@pytest.mark.parametrize("kind", COMPENSATING)
def test_of_an_arm_without_friction_nothing_is_compensated(kind, geared, rubbing):
    assert kind().compiled(geared).law is kind(friction_compensation=False).compiled(rubbing).law
    assert kind().compiled(rubbing).law is not kind().compiled(geared).law
    told = names_of(lambda: kind(friction_compensation="no").start(rubbing))
    assert told == [f"{kind.__name__}.friction_compensation"]


@pytest.mark.parametrize("kind", COMPENSATING)
def test_an_arm_is_driven_the_same_whether_or_not_its_neighbours_have_friction(
    kind, geared, rubbing, circling
):
    options = {"q0": [0.1, 0.4], "duration": 0.2, "reference": circling(2), "controller": kind()}
    mixed = ulna.simulate_batch(ulna.stack([geared, rubbing]), **options)
    for arm, q in zip((geared, rubbing), mixed.q, strict=True):
        assert (ulna.simulate_batch(ulna.stack([arm, arm]), **options).q[0] == q).all()


@pytest.mark.parametrize(
    ("controller", "n"), [*((one, 2) for one in EACH), (PD(20.0, 3.0), 1)], ids=repr
)
def test_a_run_is_the_same_compiled_and_in_python(controller, n, geared, only_python, circling):
    options = {
        "q0": [0.1, 0.4][:n],
        "qd0": [0.5, -0.5][:n],
        "duration": 0.25,
        "rate": 200.0,
        "reference": circling(n),
        "sensors": ulna.Sensors(angle_noise=1e-4, rate_resolution=1e-3, delay=0.005, seed=3),
    }
    arm = geared.replace(links=geared.links[:n], joints=geared.joints[:n])
    arm = limited(arm, 60.0)
    here = ulna.simulate(arm, controller=controller, **options)
    there = ulna.simulate(arm, controller=only_python(controller), **options)
    for name in ("q", "qd", "tau"):
        ours, theirs = getattr(here, name), getattr(there, name)
        assert np.abs(ours - theirs).max() <= 1e-12 * max(1.0, np.abs(theirs).max())


@tabular("controller", EACH, ids=repr)
def test_it_is_a_frozen_value(controller):
    assert isinstance(controller, Controller)
    assert isinstance(controller.compiled(HEAVIER), CompiledLaw)
    copy = dataclasses.replace(controller)
    assert copy == controller
    assert hash(copy) == hash(controller)
    assert controller != EACH[EACH.index(controller) - 1]
    name = dataclasses.fields(controller)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(controller, name, 1.0)


@tabular("controller", EACH, ids=repr)
def test_it_is_written_as_it_is_read(controller):
    if getattr(controller, "model", None) is None:
        assert read_controller(repr(controller)) == controller
    else:
        assert "model=<Arm 'kehl'" in repr(controller)
        assert "\n" not in repr(controller)


# Each number of a controller: whether it may be zero, infinite, and one per joint.
NUMBERS = {
    "kp": (True, False, True),
    "kd": (True, False, True),
    "ki": (True, False, True),
    "dead_band": (True, False, True),
    "filter": (False, True, False),
    "bandwidth": (False, False, True),
    "adaptation": (True, False, False),
    "damping_ratio": (True, False, True),
}


@tabular("kind", [*SPRUNG, ComputedTorque, Adaptive])
def test_numbers_out_of_range_and_other_things_are_refused_by_name(kind):
    frequency = (False, False, kind is ComputedTorque)
    for field in dataclasses.fields(kind):
        name = field.name
        if name in ("model", "measured", "friction_compensation"):
            continue
        zero, infinite, several = NUMBERS.get(name, frequency)
        wrong = [np.nan, -1.0, True, "fast", [1.0, "x"], {}, [1.0, 2.0, 3.0]]
        wrong += [0.0] * (not zero) + [np.inf] * (not infinite) + [[0.1, 0.1]] * (not several)
        for value in wrong:
            controller = kind(**{name: value})
            for use in (controller.start, controller.compiled):
                assert names_of(lambda use=use: use(HEAVIER)) == [f"{kind.__name__}.{name}"], value


@pytest.mark.parametrize("kind", MODELLED)
def test_a_model_of_another_kind_of_arm_is_refused(kind):
    three = ulna.Arm.rods([1.0] * 3, [1.0] * 3)
    for model in (three, "kehl"):
        controller = kind(model=model)
        assert names_of(lambda made=controller: made.start(HEAVIER)) == [f"{kind.__name__}.model"]
