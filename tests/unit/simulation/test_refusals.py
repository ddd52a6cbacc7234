"""Bad input: every function that simulates refuses by name what no option of it can be."""

import ast
import inspect
import itertools
import math
from functools import partial

import numpy as np
import pytest

import ulna
from refusals import NOT_NUMBERS, names_of, out_of_range, problems_of
from tabular import tabular
from ulna import Arm, BatchSimulation, Joint, Sensors, Simulation
from ulna.arm.bounded_numbers import BoundedNumber
from ulna.control import PD
from ulna.expressions import ExpressionError

TWO = Arm.rods([1.0, 1.0], [1.0, 1.0])
LAW = PD(90.0, 20.0)
START = {"q0": [0.1, 0.5]}
DOORS = {
    "simulate": partial(ulna.simulate, TWO, **START, duration=0.01),
    "Scenario": partial(ulna.Scenario, arm=TWO, **START),
    "Simulation": partial(ulna.Simulation, ulna.Scenario(arm=TWO, **START)),
    "simulate_batch": partial(ulna.simulate_batch, TWO, **START, duration=0.01),
    "BatchSimulation": partial(ulna.BatchSimulation, TWO, **START),
    "poincare": partial(
        ulna.poincare, ulna.Scenario(arm=TWO, duration=0.01), starts=[([0.1, 0.5], [0.0, 0.0])]
    ),
}
ASKED = ("simulate", "Scenario", "simulate_batch", "BatchSimulation")  # by options of their own
NO_TIMES = (-1.0, math.nan, math.inf, "soon", True, None)
NO_ROWS = ([0.0], [math.nan, 0.0], [0.0] * 4, [10**400, 0])
SHAPELESS = ("1, 2", [0.0], [0.0] * 3, [[0.0], [0.0, 1.0]])

# What is wrong of every option, by what it is.

NUMBERS = {
    "duration": BoundedNumber("time", "s", least=0.0),
    "dt": BoundedNumber("time", "s", above=0.0),
    "max_step": BoundedNumber("time", "s", above=0.0, infinite=True),
    "rate": BoundedNumber("frequency", "Hz", above=0.0),
    "rtol": BoundedNumber("number", "", least=1e-14),
    "atol": BoundedNumber("number", "", above=0.0),
    "restitution": BoundedNumber("number", "", least=0.0),
    "angle": BoundedNumber("angle", "rad"),
}
LARGEST = {"rtol": 0.1, "restitution": 1.0}
COUNTS = {"samples": 1, "threads": 1, "seed": 0, "seeds": 0, "joint": 1}
SWITCHES = ("stops", "signals", "keep_torques", "overwrite")
WORDS = ("method", "dynamics", "between", "precision", "on_error", "on_interrupt")
PER_JOINT = {
    "q0": {}, "qd0": {}, "reference": {"controller": LAW},
    "sequential_damping": {"dynamics": "sequential"},
}  # fmt: skip
INPUTS = {"torque": {}, "tip_force": {}, "voltage": {}, "current": {}, "position": {}}
OBJECTS = {
    "controller": (3, object(), PD, "pd", lambda t: 0.0, PD([1.0, 2.0, 3.0])),
    "sensors": (3, "Sensors", Sensors),
    "actuators": (3, "Actuators", Sensors()),
    "disturbances": (3, None, ["a push"], ulna.scenario.disturbances.step([1.0, 0.0])),
    "events": (3, ["q1"], {"a": 3}, {"a": "q9"}, {"a": "q1 +"}, {"a": lambda a, b: 1.0}),
    "until": (3, "soon", "", lambda a, b: 1.0),
    "starts": ([], 3, [[0.0, 0.0, 0.0]], [([0.0], [0.0, 0.0])]),
    "direction": (2, True, 1.0, "up"),
    "store": (5, b"x.nc", "runs.csv"),
}
# Anything is true or false, and an arm is refused below.
ANYTHING = {"progress", "arm", "arms", "scenario"}


def rows_of(n):
    """Give what is neither n numbers nor rows of them."""
    others = ([0.0] * (n + 5), [None] * n, object())
    return ("level", [1j] * n, [True] * n, [[0.0], [0.0, 1.0]], *others)


def wrong(name):
    """Give what an option cannot be, and what it takes besides."""
    if name in NUMBERS:
        largest = LARGEST.get(name)
        beyond = () if largest is None else (math.nextafter(largest, math.inf),)
        return (*out_of_range(NUMBERS[name]), *beyond, *NOT_NUMBERS), {}
    if name in COUNTS:
        return (COUNTS[name] - 1, -3, 0.5, True, "many", [[1, 2]], math.nan), {}
    if name in SWITCHES:
        return (None, 1, 0.5, "no"), {}
    if name in WORDS:
        return ("", "other", 5), {}
    if name in PER_JOINT:
        return rows_of(2), PER_JOINT[name]
    if name in INPUTS:
        return ("t, t, t, t", "t +", *rows_of(2)[1:5], object(), {"a": 1.0}), INPUTS[name]
    needed = {"controller": LAW} if name in ("sensors", "actuators") else {}
    return OBJECTS[name], needed


# What messages call an option, where that is not its own name.
ALIASES = {
    "controller": ("PD",),
    "events": ("event",),
    "starts": ("start", "q0"),
    "store": ("file",),
}


def refused(door, **options):
    """Give the names of what a call refuses."""
    return names_of(partial(DOORS[door], **options))


# A scenario has the options of `simulate`; what it leaves open, that refuses.
@pytest.mark.parametrize("door", [door for door in DOORS if door != "Scenario"])
def test_no_option_takes_what_it_cannot_be(door):
    call = DOORS[door]
    parameters = inspect.signature(call.func).parameters.values()
    options = {one.name for one in parameters if one.kind is not one.VAR_KEYWORD}
    for name in sorted(options - ANYTHING):
        values, needed = wrong(name)
        for value in values:
            (problem, *_) = problems_of(partial(call, **{**needed, name: value}))
            assert problem.what.startswith((name, *ALIASES.get(name, ()))), (name, value)
            assert problem.got, (name, value)
            assert problem.need, (name, value)


def test_one_arm_takes_finite_numbers_alone():
    for name in ("q0", "qd0", "torque", "tip_force", "reference"):
        for value in (math.nan, math.inf, 10**400):
            given = {name: [value, 0.0], **PER_JOINT.get(name, {})}
            for door in ("simulate", "Scenario"):
                assert refused(door, **given) == [name]
    for name in ("q0", "qd0"):
        assert refused("simulate", **{name: [0.0, -1e10]}) == [f"{name}, joint 2"]


def test_all_that_is_wrong_with_the_settings_is_said_at_once():
    wrong = {"method": "rk5", "dt": -1.0, "rtol": 7.0, "restitution": 3.0, "stops": "no"}
    found = problems_of(partial(DOORS["simulate"], **wrong))
    assert sorted(problem.what for problem in found) == sorted(wrong)
    assert "'rk4'" in found[0].hint


def test_what_runs_is_an_arm_with_a_start():
    assert names_of(lambda: ulna.simulate(3, q0=[0.0], duration=1.0)) == ["arm"]
    assert names_of(lambda: ulna.simulate(TWO, duration=1.0)) == ["q0"]
    assert names_of(lambda: ulna.simulate_batch(TWO, duration=1.0)) == ["q0"]
    assert names_of(lambda: ulna.compiled(3)) == ["compiled"]
    assert names_of(lambda: ulna.simulate(TWO, **START)) == ["duration"]


def test_what_a_controller_uses_needs_one():
    parts = {"reference": [0.0, 0.0], "sensors": Sensors(), "actuators": ulna.Actuators()}
    for door in ASKED:
        for name, value in parts.items():
            assert refused(door, **{name: value}) == [name]


def test_the_sequential_dynamics_have_dampers_of_their_own_and_no_tip_force():
    assert refused("simulate", sequential_damping=[1.0, 1.0]) == ["sequential_damping"]
    swing = ulna.Simulation(ulna.Scenario(arm=TWO, **START, dynamics="sequential"))
    assert names_of(lambda: swing.apply(tip_force=[1.0, 0.0])) == ["tip_force"]


# Loads


@tabular(
    ("torque", "name"),
    [
        (([0.0, 1.0], [[1.0, 1.0]]), "torque"),
        (([], np.zeros((0, 2))), "torque"),
        (([0.0, 0.0], [[1.0, 1.0], [2.0, 2.0]]), "torque times"),
        (([0.0, math.inf], [[1.0, 1.0], [2.0, 2.0]]), "torque"),
        (([0.0, 1.0], [[1.0, 1.0], [math.nan, 2.0]]), "torque"),
        (np.zeros((2, 2, 2)), "torque"),
        ("t, sqrt(-1)", "torque 2"),
        (lambda a, b: [1.0, 1.0], "torque"),
        (lambda t: [1.0, 2.0, 3.0], "torque"),
        (lambda t: "much", "torque at t = 0 s"),
    ],
    ids=repr,
)
def test_tables_formulas_and_functions_give_a_number_per_joint_at_every_time(torque, name):
    assert refused("simulate", torque=torque) == [name]


@pytest.mark.parametrize(
    ("torque", "under"),
    [("10*u, 0", "u"), ("0, 10*q3", "q3"), ("__import__('os'), 0", "__import__")],
)
def test_faults_in_text_have_a_caret_under_them(torque, under):
    with pytest.raises(ExpressionError) as caught:
        DOORS["simulate"](torque=torque)
    _, line, marks = str(caught.value).splitlines()
    assert line[marks.index("^") : len(marks)] == under


def test_a_motion_in_place_of_torques_is_told_how_to_play_or_follow_it():
    motion = ulna.plan(TWO, ulna.paths.circle((1.0, 0.0), 0.2), duration=1.0)
    for door, given in itertools.product(ASKED, (motion, motion.trajectory)):
        if door != "BatchSimulation":
            (problem,) = problems_of(partial(DOORS[door], torque=given))
            assert "torque=" in problem.hint
            assert "reference=plan" in problem.hint


@tabular(
    ("reference", "name"),
    [
        (lambda t: [1.0], "reference"),
        (lambda t: [math.nan, 0.0], "reference"),
        (lambda t: ([1.0, 1.0],) * 4, "reference"),
        (lambda: [1.0, 1.0], "reference"),
        (lambda t, q, qd: [0.0, 0.0], "reference"),
    ],
)
def test_a_reference_gives_a_posture_per_time(reference, name):
    for door in ("simulate", "simulate_batch"):
        assert refused(door, controller=LAW, reference=reference) == [name]


# Many arms

THREE = ulna.stack([TWO] * 3)


def still(t):
    return [0.0, 0.0]


def adrift(t):
    return [math.nan, 0.0]


@tabular(
    ("options", "name"),
    [
        ({"arms": None}, "arms"),
        ({"arms": []}, "arms"),
        ({"arms": [TWO, 3]}, "arms"),
        ({"arms": [Arm.rods([1.0], [3.0]), TWO]}, "stack"),
        ({"arms": ulna.Parameters(*(value[:0] for value in THREE))}, "arms"),
        ({"arms": THREE._replace(mass=np.ones((4, 2)))}, "arms"),
        ({"arms": THREE._replace(mass=1.0)}, "arms.mass"),
        ({"arms": THREE._replace(com=1j * np.ones((3, 2)))}, "arms.com"),
        ({"arms": THREE._replace(base=np.ones((3, 3)))}, "arms.base"),
        ({"arms": ulna.Parameters(*(value[:, :0] for value in THREE))}, "arms.length"),
        ({"q0": np.zeros((7, 2))}, "q0"),
        ({"torque": still}, "torque"),
        ({"torque": [still, None, None]}, "torque[0]"),
        ({"torque": np.zeros((2, 3, 3))}, "torque"),
        ({"torque": ["t, 0", "t", "0, t"]}, "torque[1]"),
        ({"torque": ([0, 1], np.zeros((3, 5, 2)))}, "torque"),
        ({"torque": ([1, 0], np.zeros((3, 2, 2)))}, "torque times"),
        ({"tip_force": np.zeros((3, 4))}, "tip_force"),
        ({"disturbances": [[], []]}, "disturbances"),
        ({"seeds": [1, 2]}, "seeds"),
        ({"seeds": 2**63}, "seeds"),
        ({"controller": []}, "controller"),
        ({"controller": [LAW, None, LAW]}, "controller[1]"),
        ({"controller": [LAW, PD([1.0, 2.0, 3.0], 1.0), LAW]}, "PD.kp"),
        ({"controller": LAW, "reference": [still, still]}, "reference"),
        ({"controller": LAW, "reference": [still, adrift, still]}, "reference[1]"),
        ({"controller": LAW, "sensors": []}, "sensors"),
        ({"controller": LAW, "sensors": [Sensors(), None, Sensors()]}, "sensors[1]"),
    ],
    ids=lambda given: repr(given)[:60],
)
def test_what_is_given_for_each_arm_fits_each_arm(options, name):
    given = {"arms": THREE, **START, **options}
    assert names_of(lambda: ulna.simulate_batch(**given, duration=0.01)) == [name]


def test_torques_of_a_batch_that_is_stepped_are_numbers():
    for torque in ("t, 0", lambda t: [0.0, 0.0], ([0.0, 1.0], [[1.0, 1.0], [2.0, 2.0]])):
        assert refused("BatchSimulation", torque=torque) == ["torque"]


def test_a_controller_in_python_is_pointed_to_the_engine_that_runs_it():
    class Own:
        def start(self, arm):
            return None

        def torque(self, t, q, qd, reference, state):
            return [0.0, 0.0], state

    options = {"controller": [LAW, Own(), LAW], **START, "duration": 0.01}
    (problem,) = problems_of(partial(ulna.simulate_batch, THREE, **options))
    assert problem.what == "controller[1]"
    assert "ulna.simulate" in problem.hint


# Calls of what goes on


@tabular(
    ("call", "name"),
    [
        *((partial(Simulation.advance, seconds=value), "advance") for value in NO_TIMES),
        *((partial(Simulation.advance_to, t=value), "advance_to") for value in NO_TIMES),
        *((partial(Simulation.apply, torque=value), "torque") for value in NO_ROWS),
        *((partial(Simulation.apply, tip_force=value), "tip_force") for value in NO_ROWS),
        *((partial(Simulation.reset, q0=value), "q0") for value in NO_ROWS),
        *((partial(Simulation.reset, qd0=value), "qd0") for value in NO_ROWS),
        (partial(Simulation.reset, q0=[1e10, 0.0]), "q0, joint 1"),
        (partial(Simulation.reset, q0=[0.0, 3.0]), "q0, joint 2"),
        *((partial(Simulation.set_controller, controller=one), "controller") for one in (PD, "PD")),
        (partial(Simulation.set_controller, controller=PD([1.0, 2.0, 3.0])), "PD.kp"),
        (partial(Simulation.set_controller, controller=PD(), reference=[0.0]), "reference"),
        (partial(Simulation.set_controller, controller=None, reference=[0.0, 0.0]), "reference"),
        *((partial(Simulation.set_reference, reference=value), "reference") for value in NO_ROWS),
        (partial(Simulation.set_reference, reference=lambda t, q, qd: q), "reference"),
        *(
            (partial(Simulation.set_reference, reference=[0.1, 0.2], start=value), "start")
            for value in NO_TIMES
        ),
        *((partial(BatchSimulation.advance, seconds=value), "advance") for value in NO_TIMES[:-1]),
        (partial(BatchSimulation.advance, seconds=0.0015), "advance"),
        (partial(BatchSimulation.advance, seconds=1e9), "dt"),
        (partial(BatchSimulation.advance, seconds=1.0, steps=2), "advance"),
        (partial(BatchSimulation.advance, steps=1.5), "steps"),
        *((partial(BatchSimulation.apply, torque=value), "torque") for value in SHAPELESS),
        *((partial(BatchSimulation.reset, q0=value), "q0") for value in SHAPELESS[1:]),
        *((partial(BatchSimulation.reset, qd0=value), "qd0") for value in SHAPELESS[1:]),
        (partial(BatchSimulation.reset, q0=np.zeros((3, 2)), members=[1, 2]), "q0"),
        *(
            (partial(BatchSimulation.reset, members=value), "members")
            for value in ([5], "all", [0.5])
        ),
    ],
    ids=repr,
)
def test_a_call_that_is_refused_changes_nothing(call, name):
    arm = TWO.replace(joints=[Joint(-2.0, 2.0)] * 2)
    kind = Simulation if call.func.__qualname__.startswith("Simulation") else BatchSimulation
    asked = {"arm": arm, "q0": np.zeros(2), "controller": ulna.control.PID()}
    many = {"q0": np.zeros((5, 2)), "controller": asked["controller"]}
    swing, twin = (
        Simulation(ulna.Scenario(**asked)) if kind is Simulation else kind(arm, **many)
        for _ in range(2)
    )
    for one in (swing, twin):
        one.apply([5.0, -6.0]) if kind is BatchSimulation else one.apply(torque=[5.0, -6.0])
        one.advance(0.01)
    assert names_of(lambda: call(swing))[0] == name
    for one in (swing, twin):
        one.advance(0.01)
    assert (swing.q == twin.q).all()
    assert (swing.qd == twin.qd).all()


# Words


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (lambda: ulna.simulate(TWO, **START, duration="1 s"), "('1 s', 'time')"),
        (lambda: ulna.simulate(TWO, q0="40 deg", duration=1.0), "('40 deg', 'angle')"),
        (lambda: DOORS["simulate"](dt="1 ms"), "('1 ms', 'time')"),
        (lambda: DOORS["Simulation"]().advance("1 s"), "('1 s', 'time')"),
    ],
)
def test_text_with_units_is_told_what_reads_it(call, hint):
    (problem,) = problems_of(call)
    assert f"ulna.units.to_si{hint}" in problem.hint
    assert ulna.units.to_si(*ast.literal_eval(hint)) > 0.0
