"""What all results of analyses have in common: they tell themselves, and nobody writes to them."""

import html
import json
from dataclasses import fields

import numpy as np
import pytest

import ulna
from ulna.analysis import loop, stability, step_response, tracking, verdict
from ulna.control import PD, PID, ComputedTorque, OpenLoop

ARM = ulna.preset("kehl")
PLAN = ulna.plan(ARM, ulna.paths.circle((0.5, 0.2), 0.1), duration=1.0)
PENDULUM = ulna.preset("bechard-1")
LATE = ulna.Sensors(delay=0.1)
FLAT = ulna.Arm.rods([1.0], [3.0], gravity=(0.0, 0.0))


def run():
    return ulna.simulate(ARM, controller=ComputedTorque(), reference=PLAN)


def batch(**options):
    return ulna.simulate_batch(
        ARM, q0=np.tile(PLAN.q[0], (3, 1)), controller=PD(40.0, 8.0), samples=51, **options
    )


RESULTS = {
    "open loop": lambda: stability(PLAN),
    "closed loop": lambda: stability(PLAN, PID()),
    "held torques": lambda: stability(PLAN, OpenLoop()),
    "loop": lambda: loop(ARM, [1.0, 0.5], PID((400.0, 150.0), (40.0, 12.0), (100.0, 40.0))),
    "unstable": lambda: loop(FLAT, [0.0], PD(100.0, 20.0), rate=100.0, sensors=LATE),
    "tracking": lambda: tracking(run(), PLAN),
    "tracking of a batch": lambda: tracking(batch(reference=PLAN, keep_torques=True), PLAN),
    "verdict": lambda: verdict(run(), PLAN, stability=stability(PLAN, ComputedTorque())),
    "step": lambda: step_response(ulna.Scenario(arm=FLAT, controller=PD(36.0, 6.0))),
    "steps of a batch": lambda: step_response(batch(reference=PLAN.q[0] + 0.1, duration=2.0)),
    "section": lambda: ulna.poincare(
        ulna.Scenario(arm=ARM, duration=2.0), starts=[([-1.0, 0.2], [0.0, 0.0])]
    ),
    "portrait": lambda: ulna.portrait(PENDULUM, torque=4.0, starts=[(0.0, 3.2)], duration=1.0),
    "robustness": lambda: ulna.robustness(PLAN, ComputedTorque(), runs=8),
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_tell_the_same_as_text_card_and_json(name):
    found = RESULTS[name]()
    facts = json.loads(json.dumps(found.facts(), allow_nan=False))
    assert facts
    card = found._repr_html_()
    for line in repr(found).splitlines()[1:]:
        assert html.escape(line.strip()) in card
    for one in fields(found):
        if isinstance(getattr(found, one.name), np.ndarray):
            assert one.name.startswith("_") or not getattr(found, one.name).flags.writeable
