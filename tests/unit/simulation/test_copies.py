"""A simulation copied, pickled, reset, and given another controller or reference on its way."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

import ulna
from ulna import Arm, Joint, Sensors, Simulation, control, paths
from ulna.scenario import disturbances

ARM = Arm.rods([0.5, 0.5], [1.0, 2.0])
LIMITED = Arm.rods([0.5, 0.5], [1.0, 2.0], joints=[Joint(max_torque=15.0), Joint(lower=-0.6)])
NOISE = [
    disturbances.noise([0.2, 0.1], seed=3),
    disturbances.pulse([1.0, 0.0], at=0.1, lasting=0.2),
]
SEEN = Sensors(angle_noise=1e-3, rate_noise=1e-2, angle_resolution=1e-4, delay=0.004, seed=4)
DC = ulna.Motor(
    voltage=24.0, resistance=1.0, torque_constant=0.05, inductance=2e-3, gear_ratio=50.0,
    rotor_inertia=1e-5, heat=ulna.WindingHeat(10.0, 3.0),
)  # fmt: skip
SERVO = ulna.ServoMotor(stall_torque=30.0, no_load_speed=8.0, stiffness=300.0, damping=20.0)
PLAN = ulna.plan(ARM, paths.ellipse((0.5, 0.1), (0.15, 0.1)), duration=2.0, rate=50.0)


def pull(t, q, qd):
    return [np.sin(t) - qd[0], q[1]]


def crossing(t, q, qd):
    return q[0] + 0.1


def wave(t):
    return [0.3 * np.sin(t), 0.1], [0.3 * np.cos(t), 0.0]


class Learning:
    """A controller of a user's with all there is to go wrong: memory, in its state and its own."""

    def __init__(self):
        self.calls = 0

    def start(self, arm):
        return {"noise": np.random.default_rng(1), "integral": np.zeros(arm.n)}

    def torque(self, t, q, qd, reference, state):
        self.calls += 1
        state["integral"] += 1e-3 * (reference.q - q)  # in place
        push = 1e-3 * self.calls * state["noise"].normal(size=len(q))
        return 40.0 * (reference.q - q) + 5.0 * state["integral"] - 8.0 * qd + push, state


KINDS = {
    "plain": {},
    "fixed steps": {"method": "rk4", "torque": [1.0, 0.5], "tip_force": [0.0, -1.0]},
    "gauss4": {"method": "gauss4"},
    "formulas": {"torque": "10*sin(t), 2 - qd2", "events": {"down": "q1 + 0.2"}},
    "table": {"torque": ([0.0, 0.1, 0.3], np.eye(3)[:, :2]), "between": "linear"},
    "functions": {"torque": pull, "events": {"down": crossing}},
    "noise": {"disturbances": NOISE},
    "stops": {"arm": LIMITED, "qd0": [0.0, -3.0], "restitution": 0.5, "until": "q1 < -3"},
    "pid": {"controller": control.PID(), "sensors": SEEN, "reference": [0.5, -0.1]},
    "adaptive": {"controller": control.Adaptive(), "reference": wave, "disturbances": NOISE},
    "plan": {"controller": control.ComputedTorque(), "reference": PLAN, "sensors": SEEN},
    "saturated": {"arm": LIMITED, "controller": control.PD(90.0, 5.0), "reference": [1.0, 0.5]},
    "python": {"controller": Learning, "sensors": SEEN, "reference": wave, "rate": 500.0},
    "adaptive steps": {"controller": Learning, "method": "dop853"},
    "dc motors": {"arm": ARM.with_motors(DC), "voltage": ["8*sin(3*t)", "4"], "method": "rk4"},
    "servos": {"arm": ARM.with_motors(SERVO), "reference": [0.4, -0.2], "method": "rk4"},
}  # fmt: skip


def made(kind, **changed):
    options = {"q0": [0.1, -0.2], **KINDS[kind], **changed}
    if options.get("controller") is Learning:
        options["controller"] = Learning()
    return Simulation(ulna.Scenario(arm=options.pop("arm", ARM), **options))


def bits(swing):
    work = swing.memory.vectors[:2].tobytes()  # the state, with the work done and lost
    kept = swing.controller_state
    if isinstance(kept, dict):
        kept = [kept["integral"].tolist(), kept["noise"].bit_generator.state]
    elif kept is not None:
        kept = kept.tobytes()
    return swing.t, work, swing.tau.tobytes(), swing.qdd.tobytes(), kept, str(swing.status)


COPIES = {
    "method": lambda swing: swing.copy(),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda swing: pickle.loads(pickle.dumps(swing)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_copy_goes_on_as_the_original_and_leaves_it_alone(kind):
    """To the last bit; the twin, which is never copied, says what the original would have done."""
    swing, twin = made(kind), made(kind)
    for one in (swing, twin):
        one.advance(0.137)
    copies = [make(swing) for make in COPIES.values()]
    for one in copies:
        assert bits(one) == bits(swing)
        one.advance(0.2)
    for one in (swing, twin):
        one.advance(0.2)
    assert bits(swing) == bits(twin)
    for one in copies:
        assert bits(one) == bits(twin)
        assert one.arm == twin.arm


@pytest.mark.parametrize("kind", KINDS)
def test_one_that_is_reset_runs_as_one_that_is_made_anew(kind):
    """Time, memory and noise begin again, whatever was before."""
    with_memory = made(kind)
    with_memory.advance(0.3)
    if with_memory.controller is not None and isinstance(with_memory.controller, Learning):
        with_memory.controller.calls = 0  # what is not in the state is the user's to put back
    with_memory.reset([0.2, 0.1], [0.5, -0.5])
    assert with_memory.t == 0.0
    assert str(with_memory.status) == "not started"
    anew = made(kind, q0=[0.2, 0.1], qd0=[0.5, -0.5])
    assert bits(with_memory) == bits(anew)
    for _ in range(3):
        with_memory.advance(0.1)
        anew.advance(0.1)
        assert bits(with_memory) == bits(anew)


CHILD = """
import pickle, sys
swing = pickle.load(open(sys.argv[1], "rb"))
swing.advance(0.3)
sys.stdout.write((swing.q.tobytes() + swing.qd.tobytes() + swing.tau.tobytes()).hex())
"""


@pytest.mark.parametrize("kind", ["formulas", "plan"])
def test_another_process_goes_on_as_this_one(kind, tmp_path):
    swing = made(kind)
    swing.advance(0.1)
    (tmp_path / "swing").write_bytes(pickle.dumps(swing))
    found = subprocess.run(
        [sys.executable, "-c", CHILD, str(tmp_path / "swing")],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    swing.advance(0.3)
    assert found == (swing.q.tobytes() + swing.qd.tobytes() + swing.tau.tobytes()).hex()


class Breaking(Learning):
    """Fails at its tenth tick."""

    def torque(self, t, q, qd, reference, state):
        if t > 0.0085:
            raise ValueError("broken")
        return np.zeros(len(q)), state


@pytest.mark.parametrize("make", COPIES.values(), ids=COPIES)
def test_copies_of_what_failed_tell_of_it_without_the_exception(make):
    swing = Simulation(ulna.Scenario(arm=ARM, q0=[0.0, 0.0], controller=Breaking()))
    status = swing.advance(0.1)
    assert isinstance(swing.error, ValueError)
    other = make(swing)
    assert other.status == other.advance(0.1) == status
    assert other.error is None


# Reset


def test_reset_alone_goes_back_to_the_start_and_with_angles_stands_still():
    swing = Simulation(ulna.Scenario(arm=ARM, q0=[0.1, -0.2], qd0=[1.0, 2.0]))
    swing.advance(0.5)
    swing.reset()
    assert (swing.q.tolist(), swing.qd.tolist()) == ([0.1, -0.2], [1.0, 2.0])
    swing.reset([0.3, 0.4])
    assert (swing.q.tolist(), swing.qd.tolist()) == ([0.3, 0.4], [0.0, 0.0])
    swing.reset(qd0=[5.0, 6.0])
    assert (swing.q.tolist(), swing.qd.tolist()) == ([0.3, 0.4], [5.0, 6.0])


def test_reset_brings_back_what_was_lost():
    stiff = Arm.rods([0.1], [0.1], joints=[Joint(damping=1.0)])
    swing = Simulation(ulna.Scenario(arm=stiff, q0=[0.0], method="rk4", dt=0.005))
    assert swing.advance(1.0).reason == "diverged"
    swing.reset([-np.pi / 2])
    assert swing.advance(0.01)
    broken = Simulation(ulna.Scenario(arm=ARM, q0=[0.0, 0.0], controller=Breaking()))
    assert not broken.advance(0.1)
    broken.reset()
    assert broken.error is None
    assert broken.advance(0.005)


# Another controller


@pytest.mark.parametrize("when", [0.2, 0.2043])
@pytest.mark.parametrize("controller", [control.PD(), control.GravityPD()])
def test_the_same_controller_once_more_changes_nothing(controller, when):
    """One without memory goes on to the last bit, also from between two ticks."""
    options = {"reference": wave, "sensors": SEEN, "controller": controller, "rate": 500.0}
    swapped, kept = (Simulation(ulna.Scenario(arm=ARM, q0=[0.1, 0.0], **options)) for _ in range(2))
    for one in (swapped, kept):
        one.advance_to(when)
    swapped.set_controller(controller)
    for one in (swapped, kept):
        one.advance(0.3)
    assert bits(swapped) == bits(kept)


class Noting(Learning):
    """Notes when it is asked, and holds the arm."""

    def __init__(self):
        self.seen = []

    def torque(self, t, q, qd, reference, state):
        self.seen.append((t, q, reference.q))
        return 40.0 * (reference.q - q) - 8.0 * qd, state


@pytest.mark.parametrize(("before", "when"), [(None, 0.2), (None, 0.2043), (control.PD(), 0.2043)])
def test_another_controller_answers_from_its_next_tick_on(before, when):
    swing = Simulation(ulna.Scenario(arm=ARM, q0=[0.1, 0.0], controller=before, rate=100.0))
    swing.advance_to(when)
    here, tau = swing.q, swing.tau
    other = Noting()
    swing.set_controller(other, reference=[0.3, 0.1])
    assert swing.controller is other
    assert swing.reference == [0.3, 0.1]
    assert (swing.tau == tau).all()  # held until then
    swing.advance_to(0.3)
    first = 20 if when == 0.2 else 21
    assert [t for t, *_ in other.seen] == pytest.approx(np.arange(first, 30) / 100.0)
    assert all((aim == [0.3, 0.1]).all() for *_, aim in other.seen)
    if when == 0.2:
        assert (other.seen[0][1] == here).all()


def test_one_that_had_no_controller_stays_where_it_is():
    """As one that starts there; times differ, and so does their rounding."""
    swing = Simulation(ulna.Scenario(arm=ARM, q0=[0.1, 0.0], method="rk4"))
    swing.advance(0.25)
    here = swing.q
    swing.set_controller(control.GravityPD())
    fresh = Simulation(
        ulna.Scenario(arm=ARM, q0=here, qd0=swing.qd, controller=control.GravityPD())
    )
    for one in (swing, fresh):
        one.advance(2.0)
    assert swing.reference == here.tolist()
    assert swing.q == pytest.approx(fresh.q, abs=1e-9)
    assert swing.q == pytest.approx(here, abs=1e-3)


def test_without_a_controller_what_is_applied_acts_alone():
    swing = Simulation(
        ulna.Scenario(arm=ARM, q0=[0.1, 0.0], controller=control.PD(), torque=[1.0, 2.0])
    )
    swing.advance(0.2)
    swing.set_controller(None)
    assert swing.controller is None
    assert swing.tau.tolist() == [1.0, 2.0]
    free = Simulation(
        ulna.Scenario(arm=ARM, q0=swing.q, qd0=swing.qd, torque=[1.0, 2.0], method="rk4")
    )
    for one in (swing, free):
        one.advance(0.3)
    assert swing.q == pytest.approx(free.q, abs=1e-9)


def test_a_controller_that_is_taken_away_is_at_its_torque_limit_no_longer():
    weak = Arm.rods([1.0], [1.0], joints=[Joint(max_torque=1.0)])
    swing = Simulation(
        ulna.Scenario(arm=weak, q0=[0.0], controller=control.PD(100.0, 20.0), reference=[1.0])
    )
    swing.advance(0.05)
    swing.set_controller(None)
    assert "at its torque limit once, for 0.05 s" in swing.advance(1.0).text


def test_another_controller_goes_on_where_one_failed():
    swing = Simulation(ulna.Scenario(arm=ARM, q0=[0.1, 0.0], controller=Breaking()))
    assert swing.advance(0.1).reason == "controller failed"
    swing.set_controller(control.GravityPD(), reference=[0.2, 0.0])
    assert swing.status
    assert swing.error is None
    assert swing.t == pytest.approx(0.009)
    assert swing.advance_to(3.0)
    assert swing.q == pytest.approx([0.2, 0.0], abs=1e-3)


def test_a_controller_that_does_not_start_fails_there():
    class Never(Learning):
        def start(self, arm):
            raise ValueError("no start")

    swing = Simulation(ulna.Scenario(arm=ARM, q0=[0.1, 0.0]))
    swing.advance(0.5)
    swing.set_controller(Never())
    status = swing.advance(0.5)
    assert status.reason == "controller failed"
    assert "at t = 0.5 s: Never.start" in status.text
    swing = Simulation(
        ulna.Scenario(arm=ARM, q0=[0.1, 0.0], controller=control.PD()), on_error="raise"
    )
    with pytest.raises(ValueError, match="no start") as caught:
        swing.set_controller(Never())
    assert caught.value.__context__ is None
    assert swing.advance(0.1)  # by the one before


# Another reference


@pytest.mark.parametrize("controller", [control.PID(), Learning])
def test_another_posture_is_followed_as_a_step_of_the_reference(controller):
    def stepping(t):
        return [0.1, 0.2] if t < 0.0995 else [0.3, -0.1]

    options = {"q0": [0.0, 0.0], "sensors": SEEN}
    law = controller() if controller is Learning else controller
    told = Simulation(
        ulna.Scenario(arm=ARM, controller=copy.deepcopy(law), reference=[0.1, 0.2], **options)
    )
    step = Simulation(
        ulna.Scenario(arm=ARM, controller=copy.deepcopy(law), reference=stepping, **options)
    )
    for one in (told, step):
        one.advance_to(0.1)
    told.set_reference([0.3, -0.1])
    for one in (told, step):
        one.advance_to(0.4)
    assert bits(told) == bits(step)


@pytest.mark.parametrize("motion", [wave, PLAN])
def test_a_motion_begins_when_it_is_to(motion):
    controller = Noting()
    swing = Simulation(ulna.Scenario(arm=ARM, q0=[0.0, 0.0], controller=controller))
    swing.advance_to(0.5)
    swing.set_reference(motion, start=swing.t)
    swing.advance_to(1.0)
    for t, _, aim in controller.seen[500:]:
        own = max(t - 0.5, 0.0)
        wanted = wave(own)[0] if motion is wave else PLAN.trajectory(own).q
        assert aim == pytest.approx(wanted, abs=1e-12)
    assert swing.ticks.blocks.start == 0.5
    later = swing.copy()
    later.set_reference(motion, start=2.0)
    later.advance(0.01)
    begin = wave(0.0)[0] if motion is wave else PLAN.q[0]
    assert later.controller.seen[-1][2] == pytest.approx(begin)


def test_another_reference_goes_on_where_a_function_failed():
    def short(t):
        if t > 0.0505:
            raise ValueError("over")
        return [0.0, 0.0]

    swing = Simulation(
        ulna.Scenario(arm=ARM, q0=[0.0, 0.0], controller=control.GravityPD(), reference=short)
    )
    assert swing.advance(0.1).reason == "function failed"
    swing.set_reference([0.1, 0.0])
    assert swing.status
    assert swing.advance_to(3.0)
    assert swing.q == pytest.approx([0.1, 0.0], abs=1e-3)
