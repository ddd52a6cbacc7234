"""Loops that people write: torques applied step by step, and controllers in Python."""

import threading

import numpy as np
import pytest

import ulna
from ulna import Arm, Joint, Sensors, Simulation
from ulna.control import PD, ComputedTorque
from ulna.scenario import disturbances

TWO = Arm.rods([1.0, 1.0], [1.0, 1.0])


# Torques that are applied


@pytest.mark.parametrize("method", ["rk4", "dop853", "semi-implicit", "gauss4"])
def test_numbers_written_in_place_act_as_the_same_numbers_read_anew(method):
    """Constant formulas are read as text and laid out anew, numbers are not; bits are the same."""
    options = {
        "q0": [0.3, -0.2],
        "method": method,
        "disturbances": [disturbances.noise([0.1, 0.0])],
    }
    placed, read = (Simulation(ulna.Scenario(arm=TWO, **options)) for _ in range(2))
    torques = np.random.default_rng(3).uniform(-5.0, 5.0, (40, 2))
    forces = np.random.default_rng(4).uniform(-5.0, 5.0, (40, 2))
    memory = None
    for torque, force in zip(torques, forces, strict=True):
        placed.apply(torque=torque, tip_force=force.tolist())
        memory = memory or placed.memory
        read.apply(
            torque=", ".join(map(repr, torque.tolist())),
            tip_force=", ".join(map(repr, force.tolist())),
        )
        assert (placed.tau == read.tau).all()
        assert placed.advance(1e-3).text == read.advance(1e-3).text
        assert (placed.q == read.q).all()
        assert (placed.qd == read.qd).all()
    assert placed.memory is memory


def test_what_is_not_given_is_none():
    swing = Simulation(
        ulna.Scenario(arm=TWO, q0=[0.3, -0.2], torque=[1.0, 2.0], tip_force=[3.0, 4.0])
    )
    swing.apply(torque=[5, -6])
    assert swing.tau.tolist() == [5.0, -6.0]
    still = Simulation(ulna.Scenario(arm=TWO, q0=[0.3, -0.2], torque=[5.0, -6.0]))
    assert (swing.qdd == still.qdd).all()
    assert [source.given for source in swing.sources] == [(5.0, -6.0), None]
    swing.apply(tip_force=(3.0, 4.0))
    assert swing.tau.tolist() == [0.0, 0.0]
    assert [source.given for source in swing.sources] == [None, (3.0, 4.0)]
    swing.apply()
    assert [source.given for source in swing.sources] == [None, None]


def test_arrays_stay_their_owners():
    given = np.array([5.0, -6.0])
    swing = Simulation(ulna.Scenario(arm=TWO, q0=[0.3, -0.2]))
    swing.apply(torque=given)
    given[:] = 99.0
    assert swing.tau.tolist() == [5.0, -6.0]
    assert swing.sources[0].given == (5.0, -6.0)


def test_numbers_follow_formulas_tables_and_functions_and_the_other_way_round():
    swing = Simulation(ulna.Scenario(arm=TWO, q0=[0.0, 0.0]))
    for torque in ("10*t, 1", ([0.0, 9.0], [[1.0, 1.0], [2.0, 2.0]]), lambda t: [t, 1.0]):
        swing.apply(torque=torque)
        assert swing.advance(0.01)
        swing.apply(torque=[3.0, 4.0])
        assert swing.tau.tolist() == [3.0, 4.0]
        assert swing.advance(0.01)


@pytest.mark.parametrize("applied", [[0.0], "0*t"])
def test_events_are_met_whatever_is_applied_between(applied):
    """A pendulum swings through the bottom at the same times if nothing is applied to it."""
    arm = Arm.rods([1.0], [1.0])
    options = {"q0": [-1.2], "events": {"bottom": "q1 + pi/2"}, "rtol": 1e-10}
    whole, pieces = (Simulation(ulna.Scenario(arm=arm, **options)) for _ in range(2))
    whole.keep_samples(np.zeros(0))
    whole.advance(5.0)
    for _ in range(500):
        pieces.apply(torque=applied)
        pieces.advance(0.01)
    from ulna.simulation.outcome import log_of

    times = [[event.t for event in log_of(one)[0]] for one in (whole, pieces)]
    assert len(times[0]) == 6  # three periods of some 1.65 s
    assert times[1] == pytest.approx(times[0], abs=1e-6)


# Controllers in Python


class Asking:
    """Follows, and keeps what it was shown."""

    def __init__(self, read=lambda reference: None):
        self.read, self.seen = read, []

    def start(self, arm):
        return 0

    def torque(self, t, q, qd, reference, state):
        self.seen.append(self.read(reference))
        return 50.0 * (reference.q - q) - 10.0 * qd, state + 1


@pytest.mark.parametrize("reference", [[0.5, 0.5], lambda t: [0.5, 0.5]])
def test_nobody_can_change_what_is_followed(reference):
    class Greedy(Asking):
        def torque(self, t, q, qd, reference, state):
            reference.q[:] = 0.0
            return np.zeros(2), state

    run = ulna.simulate(TWO, q0=[0, 0], duration=0.1, controller=Greedy(), reference=reference)
    assert run.status.reason == "controller failed"
    assert "read-only" in run.status.text


@pytest.mark.parametrize(
    "form", [list, tuple, np.array, lambda tau: np.array(tau, dtype=np.float32), np.matrix]
)
def test_torques_come_in_any_form(form):
    class Answering(Asking):
        def torque(self, t, q, qd, reference, state):
            return form([1.0, 2.0]), state

    swing = Simulation(ulna.Scenario(arm=TWO, q0=[0.0, 0.0], controller=Answering()))
    status = swing.advance(0.01)
    if form is np.matrix:
        assert status.reason == "controller failed"  # (1, 2) is not one a joint
    else:
        assert status
        assert swing.tau.tolist() == [1.0, 2.0]


def test_the_state_before_a_refused_answer_stays():
    class Failing(Asking):
        def torque(self, t, q, qd, reference, state):
            return np.array([np.nan if state == 5 else 1.0, 0.0]), state + 1

    swing = Simulation(ulna.Scenario(arm=TWO, q0=[0.0, 0.0], controller=Failing()))
    status = swing.advance(0.1)
    assert status.reason == "controller failed"
    assert "t = 0.005 s: Failing.torque gave array([nan,  0.])" in status.text
    assert swing.controller_state == 5
    assert np.isnan(swing.tau).all()


# Threads


class Noisy:
    """Frozen; what changes is the state."""

    def start(self, arm):
        return np.random.default_rng(5)

    def torque(self, t, q, qd, reference, state):
        return 20.0 * (reference.q - q) - 5.0 * qd + state.normal(size=2), state


def _live(controller, start):
    """Run with torques applied on the way, and give every state."""
    asked = ulna.Scenario(
        arm=LIMITED, q0=start, controller=controller, rate=500.0,
        sensors=Sensors(angle_noise=1e-3, seed=2), disturbances=[disturbances.noise([0.2, 0.1])],
    )  # fmt: skip
    swing = Simulation(asked)
    found = []
    for k in range(150):
        swing.apply(torque=[0.01 * k, -0.01 * k])
        swing.advance(2e-3)
        found.append([swing.q, swing.qd])
    run = ulna.simulate(LIMITED, q0=start, duration=0.1, controller=controller)
    return np.array(found), run.q


LIMITED = Arm.rods([1.0, 1.0], [1.0, 1.0], joints=[Joint(max_torque=30.0), Joint(lower=-3.0)])


@pytest.mark.parametrize("controller", [Noisy(), ComputedTorque(), PD(40.0, 10.0)])
def test_two_threads_with_one_arm_and_one_controller_do_as_one(controller):
    starts = [[0.1, 0.2], [-0.4, 0.3]]
    alone = [_live(controller, start) for start in starts]
    found, together = {}, threading.Barrier(2)

    def work(k):
        together.wait()
        found[k] = _live(controller, starts[k])

    threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k in range(2):
        assert all((mine == serial).all() for mine, serial in zip(found[k], alone[k], strict=True))
