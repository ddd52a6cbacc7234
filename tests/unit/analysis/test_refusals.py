"""Every number that an analysis takes rejects text, truth values, NaN and what is out of range."""

import math

import numpy as np
import pytest

import ulna
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
        lambda **given: ulna.poincare(ARM, starts=STARTS, **{"duration": 1.0, **given}),
        {"joint": [*WHOLE, 3], "angle": ANY, "direction": [2, 0.5], "duration": [-1.0]},
    ),
    "step": (
        lambda **given: step_response(ONE, PD(1.0, 1.0), **given),
        {"joint": [*WHOLE, 2], "size": [0.0], "tolerance": [*POSITIVE, 0.5], "rate": POSITIVE,
         "duration": POSITIVE},
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
