"""Bad input for many arms at once: a sentence that says what came, what is needed, what to try."""

import numpy as np
import pytest

import ulna
import ulna.progress
from promptness import prompt
from tabular import tabular
from ulna import Arm, Sensors, simulate_batch
from ulna.control import (
    PD,
)
from ulna.errors import InputError
from ulna.simulation import disturbances

TWO = Arm.rods([1.0, 1.0], [1.0, 1.0])
ROD = Arm.rods([1.0], [3.0])
START = {"q0": [0.1, 0.5], "duration": 0.01}

P = ulna.stack([TWO] * 3)


def of(**changes):
    return P._replace(**changes)


def motionless(t):
    return [0.0, 0.0]


REFUSALS = {
    # arms
    "arms: got None, need an Arm, stacked Parameters, or a list of arms": {"arms": None},
    "arms: got 'kehl', need an Arm, stacked": {"arms": "kehl"},
    "arms: got an empty list": {"arms": []},
    "arms: got [": {"arms": [TWO, 3]},
    "arms with [1, 2] links, need arms with the same number": {"arms": [ROD, TWO]},
    "arms: got a batch of shape (2, 3), need one axis": {"arms": [P, P]},
    "arms: got none, need at least one": {"arms": ulna.Parameters(*(v[:0] for v in P))},
    "arms: got parameters with [3, 4] rows": {"arms": of(mass=np.ones((4, 2)))},
    "arms.mass: got shape (3, 3), need (2,) for all": {"arms": of(mass=np.ones((3, 3)))},
    "arms.mass: got shape (), need": {"arms": of(mass=1.0)},
    "arms.mass: got 'x', need numbers": {"arms": of(mass="x")},
    "arms.base: got shape (3, 3), need (2,)": {"arms": of(base=np.ones((3, 3)))},
    "arms.com: got array": {"arms": of(com=1j * np.ones((3, 2)))},
    "arms.length: got shape (3, 0)": {"arms": ulna.Parameters(*(v[:, :0] for v in P))},
    # starts
    "q0: got nothing, need the joint angles [rad] at the start": {"q0": None},
    "q0: got 'a', need numbers": {"q0": "a"},
    "q0: got shape (3,), need (2,) for all arms or (B, 2), 2 values [rad] each": {"q0": [0, 1, 2]},
    "q0: got shape (), need": {"q0": 0.1},
    "q0: got [[0, 1], [2]], need numbers, in rows of the same length": {"q0": [[0, 1], [2]]},
    "q0: got 7 of them, need 3, as many as arms has, or one for all": {"q0": np.zeros((7, 2))},
    "q0: got none, need at least one": {"q0": np.zeros((0, 2))},
    "q0: got shape (2, 2, 2)": {"q0": np.zeros((2, 2, 2))},
    "qd0: got shape (1,), need (2,) for all arms or (B, 2), 2 values [rad/s] each": {"qd0": [0.0]},
    "qd0: got 7 of them, need 3": {"qd0": np.zeros((7, 2))},
    "qd0: got {}, need numbers": {"qd0": {}},
    # time
    "duration: got None, need a number of seconds, at least 0": {"duration": None},
    "duration: got -1": {"duration": -1},
    "duration: got nan": {"duration": np.nan},
    "dt: got 0, need a time of more than 0 s": {"dt": 0},
    "dt: got 'fast'": {"dt": "fast"},
    "dt: got inf": {"dt": np.inf},
    "samples: got 0, need at least 1": {"samples": 0},
    "samples: got [0.0, 0.02], need a number of samples, or times": {"samples": [0.0, 0.02]},
    "samples: got [0.005, 0.001]": {"samples": [0.005, 0.001]},
    "samples: got [nan]": {"samples": [np.nan]},
    "rate: got 0, need a number above 0": {"rate": 0},
    "rate: got '1'": {"rate": "1"},
    # inputs
    "torque: got a function, need numbers, tables or text": {"torque": motionless},
    "torque[0]: got a function": {"torque": [motionless, None, None]},
    "torque: got 1 value, need 2 values [N·m], one a joint": {"torque": "t"},
    "torque: got [1, 2, 3], need finite numbers: 2 values": {"torque": [1, 2, 3]},
    "torque: got [nan, 0]": {"torque": [np.nan, 0]},
    "torque: got [[1, 2], [3]], need numbers, in rows": {"torque": ([0, 1], [[1, 2], [3]])},
    "torque[0]: got [[1, 2], [3]], need": {"torque": [([0, 1], [[1, 2], [3]]), None, None]},
    "torque: got shape (2, 3, 3), need (B, 2), or (B, K, 2)": {"torque": np.zeros((2, 3, 3))},
    "torque: got 2 times for 5 rows": {"torque": ([0, 1], np.zeros((3, 5, 2)))},
    "torque times: got 0 s after 1 s in row 2": {"torque": ([1, 0], np.zeros((3, 2, 2)))},
    "torque[1]: got 1 value": {"torque": ["t, 0", "t", "0, t"]},
    "torque[2], torque 1: got 'sqrt(-1)', which is nan": {"torque": ["0, 0", None, "sqrt(-1), 0"]},
    "torque: got 4 of them, need 3": {"torque": [None] * 4},
    "tip_force: got [1, 2, 3, 4], need finite numbers: x, y [N]": {"tip_force": [1, 2, 3, 4]},
    "tip_force: got 1 value, need x, y": {"tip_force": "t"},
    "tip_force: got a function": {"tip_force": motionless},
    "tip_force: got shape (3, 1, 4)": {"tip_force": np.zeros((3, 4))},
    "between: got 'cubic', need 'hold' or 'linear'": {"between": "cubic"},
    "between: got None": {"between": None},
    "between: got 5": {"between": 5},
    "disturbances: got None, need a list of them": {"disturbances": None},
    "disturbances: got [5]": {"disturbances": [5]},
    "disturbances: got 2 of them, need 3": {"disturbances": [[], []]},
    "disturbance.torque: got 1 value, need 2": {"disturbances": [disturbances.step([1.0])]},
    "seeds: got -1, need a whole number of at least 0, below 2**63, or one for each": {"seeds": -1},
    "seeds: got 0.5": {"seeds": 0.5},
    "seeds: got True": {"seeds": True},
    "seeds: got 9223372036854775808": {"seeds": 2**63},
    "seeds: got [[1], [2, 3]]": {"seeds": [[1], [2, 3]]},
    "seeds: got 2 of them, need 3": {"seeds": [1, 2]},
    # how it is done
    "did you mean 'rk4'?": {"method": "rk5"},
    "method: got 5": {"method": 5},
    "method: got ''": {"method": ""},
    "stops: got 1, need True or False": {"stops": 1},
    "restitution: got 2, need a number from 0 to 1": {"restitution": 2},
    "restitution: got nan": {"restitution": np.nan},
    "keep_torques: got 'yes', need True or False": {"keep_torques": "yes"},
    "precision: got 'quad', need 'double' or 'single'": {"precision": "quad"},
    "precision: got None": {"precision": None},
    "threads: got 0, need a whole number of at least 1": {"threads": 0},
    "threads: got True": {"threads": True},
    "threads: got 1.5": {"threads": 1.5},
    "store: got 5, need the name of a .zarr or .nc file": {"store": 5},
    "store: got b'x.nc'": {"store": b"x.nc"},
    "got 'runs.csv', need a name that ends in .nc, .zarr": {"store": "runs.csv"},
    "overwrite: got None, need True or False": {"overwrite": None},
}  # fmt: skip

WITH_CONTROLLER = {
    "reference: got shape (3,), need (2,) for all arms or (B, 2)": {"reference": [0, 1, 2]},
    "reference: got 2 of them, need 3": {"reference": [motionless, motionless]},
    "reference[2]: got shape (1,)": {"reference": [motionless, [0, 1], [1]]},
    "reference[1]: got 'a'": {"reference": [motionless, "a", [0, 1]]},
    "reference: got a function of (t, q, qd), need a function of t": {
        "reference": lambda t, q, qd: [0, 0]
    },
    "reference: got [0.0] at t = 0 s, need 2 finite numbers": {"reference": lambda t: [0.0]},
    "reference[1]: got [nan, 0.0] at t = 0 s": {
        "reference": [motionless, lambda t: [np.nan, 0.0], motionless]
    },
    "reference: got {}": {"reference": {}},
    "sensors: got 0, need Sensors(...)": {"sensors": 0},
    "sensors[1]: got None": {"sensors": [Sensors(), None, Sensors()]},
    "sensors: got none, need at least one": {"sensors": []},
    "sensors.delay: got 10000 s, need at most 1,000,000 control periods": {
        "sensors": Sensors(delay=1e4)
    },
    "controller: got [], need one for all arms, or one for each": {"controller": []},
    "controller: got 'PD', need an object with start(arm)": {"controller": "PD"},
    "controller: got the class PD, need": {"controller": PD},
    "controller[1]: got None": {"controller": [PD(1.0, 1.0), None, PD(1.0, 1.0)]},
    "controller: got 2 of them, need 3": {"controller": [PD(1.0, 1.0)] * 2},
    "PD.kp: got (1, 2, 3), need a finite number of at least 0, or 2 of them": {
        "controller": [PD(1.0, 1.0), PD([1, 2, 3], 1.0), PD(1.0, 1.0)]
    },
}


@tabular(("sentence", "options"), REFUSALS.items(), ids=list(REFUSALS))
def test_bad_input_is_refused_with_a_sentence(sentence, options):
    with pytest.raises(InputError) as caught:
        simulate_batch(**{"arms": P, **START, **options})
    assert sentence in str(caught.value)


@tabular(("sentence", "options"), WITH_CONTROLLER.items(), ids=list(WITH_CONTROLLER))
def test_so_is_what_a_controller_cannot_use(sentence, options):
    with pytest.raises(InputError) as caught:
        simulate_batch(P, **{**START, "controller": PD(1.0, 1.0), **options})
    assert sentence in str(caught.value)


def test_what_only_controllers_use_needs_one():
    for options in ({"reference": [0.0, 0.0]}, {"sensors": Sensors()}):
        with pytest.raises(InputError, match="need nothing without a controller"):
            simulate_batch(TWO, **START, **options)


def test_a_controller_in_python_is_pointed_to_the_engine_that_runs_it():
    class Own:
        def start(self, arm):
            return None

        def torque(self, t, q, qd, reference, state):
            return [0.0, 0.0], state

    with pytest.raises(InputError, match=r"controller\[1\].*one by one, with ulna.simulate"):
        simulate_batch(P, **START, controller=[PD(1.0, 1.0), Own(), PD(1.0, 1.0)])


def test_an_error_in_a_reference_is_handed_on_from_any_thread():
    def late(t):
        if t > 0.05:
            raise ZeroDivisionError("mine")
        return [0.0, t]

    options = {"q0": np.zeros((40, 2)), "duration": 10.0, "controller": PD(1.0, 1.0)}
    for reference in (late, [late] * 40):
        with pytest.raises(ZeroDivisionError, match="mine"):
            simulate_batch(TWO, reference=reference, **options)


def test_memory_is_planned_before_anything_is_laid_out():
    many = np.broadcast_to([0.0, 1.0], (10**9, 2))
    told = r"1,000,000,000 arms of 2 joints × 1,000,000 samples.*TB"
    with prompt(), pytest.raises(InputError, match=told):
        simulate_batch(TWO, q0=many, duration=0.01, samples=10**6)
