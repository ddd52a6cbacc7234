"""What analyses reject, by its name: numbers that are none or out of range, and other things."""

import math
from functools import partial

import numpy as np
import pytest

import ulna
from refusals import names_of
from ulna.analysis import loop, stability, step_response, tracking, verdict
from ulna.control import PD, ComputedTorque
from ulna.errors import InputError

ARM = ulna.preset("kehl")
PLAN = ulna.plan(ARM, ulna.paths.circle((0.5, 0.2), 0.1), duration=1.0)
RUN = ulna.simulate(ARM, controller=ComputedTorque(), reference=PLAN)
FOUND, GROWTH = tracking(RUN, PLAN), stability(PLAN)
PENDULUM = ulna.preset("bechard-1")
ONE = ulna.Arm.rods([1.0], [3.0], gravity=(0.0, 0.0))
STARTS = [([0.0, 0.0], [0.0, 0.0])]
POSITIVE, WHOLE, ANY = [0.0, -1.0], [0, -3, 2.5], []  # what else they reject
CALLS = {
    "portrait": (
        lambda **given: ulna.portrait(PENDULUM, controller=PD(1.0, 1.0), **given),
        {"set_point": ANY, "max_torque": POSITIVE, "duration": POSITIVE, "rate": POSITIVE},
    ),
    "portrait driven": (lambda **given: ulna.portrait(PENDULUM, **given), {"torque": ANY}),
    "basins": (lambda **given: ulna.portrait(PENDULUM).basins(**given), {"count": WHOLE}),
    "poincare": (
        lambda **given: ulna.poincare(
            ulna.Scenario(arm=ARM, duration=1.0), **{"starts": STARTS, **given}
        ),
        {"joint": [*WHOLE, 3], "angle": ANY, "direction": [2, 0.5]},
    ),
    "step": (
        lambda **given: step_response(
            ulna.Scenario(arm=ONE, controller=PD(1.0, 1.0)), **given
        ),
        {"joint": [*WHOLE, 2], "size": [0.0], "tolerance": [*POSITIVE, 0.5]},
    ),
    "loop": (lambda **given: loop(ONE, [0.0], PD(1.0, 1.0), **given), {"rate": POSITIVE}),
    "stability": (lambda **given: stability(PLAN, PD(), **given), {"rate": [*POSITIVE, 0.1]}),
    "verdict": (lambda **given: verdict(RUN, PLAN, **given), {"tolerance": POSITIVE}),
    "tracking": (lambda **given: tracking(RUN, PLAN, **given), {"start": ANY}),
    "settling": (FOUND.settling_time, {"tolerance": POSITIVE}),
    "leaving": (FOUND.first_exit, {"radius": POSITIVE}),
    "predicted": (
        lambda **given: GROWTH.predicted_exit(**{"radius": 0.1, **given}),
        {"radius": POSITIVE, "error": POSITIVE},
    ),
    "robustness": (
        lambda **given: ulna.robustness(PLAN, ComputedTorque(), **{"runs": 4, **given}),
        {"runs": [*WHOLE, 10**9], "seed": [-1, 2.5], "tube": POSITIVE, "rate": POSITIVE,
         "dt": POSITIVE},
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("call", "name"), [(call, name) for call, (_, names) in CALLS.items() for name in names]
)
def test_what_is_no_such_number_is_refused_by_name(call, name):
    made, names = CALLS[call]
    for given in ["x", True, math.nan, math.inf, np.zeros(2), *names[name]]:
        with pytest.raises(InputError, match=name):
            made(**{name: given})


portrait = partial(ulna.portrait, PENDULUM)
BATCH = ulna.simulate_batch(ARM, q0=np.zeros((2, 2)), duration=0.1, samples=3)
# What is something else than it should be, by its name.
OTHERS = {
    "plan": [
        partial(stability, ARM), partial(verdict, RUN, ARM), partial(tracking, RUN, np.zeros(2)),
        *(partial(tracking, BATCH, plans) for plans in (None, 3.0, [PLAN], [PLAN, None])),
    ],
    "run": [partial(verdict, None, PLAN), partial(tracking, None, PLAN)],
    "stability": [partial(verdict, RUN, PLAN, stability=3.0)],
    "controller": [
        partial(stability, PLAN, 3.0), partial(loop, ONE, [0.0], None),
        partial(portrait, controller="PD"),
    ],
    "actuators": [partial(loop, ONE, [0.0], PD(), actuators=0.1)],
    "scenario": [partial(step_response, ONE), partial(ulna.poincare, ONE, starts=STARTS)],
    "torque": [partial(portrait, torque=1.0, controller=PD(1.0, 1.0))],
    "starts": [partial(portrait, starts=3)],
    "start": [
        *(partial(portrait, starts=starts) for starts in ([(1.0,)], ["ab"], [(math.inf, 0.0)])),
        partial(portrait, controller=PD(), starts=[(0.0, 1.0), (1e9, 0.0)]),
    ],
    "angles": [partial(portrait, angles=(1.0, 1.0))],
    "speeds": [partial(portrait, speeds="12")],
    "set_point": [
        partial(portrait, set_point=1.0), partial(portrait, controller=PD(), set_point=1e9),
    ],
    "count": [partial(portrait().basins, count) for count in ((3,), (1, 2, 3))],
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_something_else_is_refused_by_name(name):
    for call in OTHERS[name]:
        assert names_of(call) == [name]
