"""Controllers in the loop: ticks, what is held between them, limits, sensors, references."""

import math

import numpy as np
import pytest

import ulna
from ulna import Arm, Sensors, Simulation, simulate
from ulna.control import PD, PID
from ulna.errors import InputError

SPUN = Arm.rods([1.0], [3.0], gravity=(0.0, 0.0))  # 1 kg·m² about its joint
TWO = Arm.rods([1.0, 1.0], [1.0, 1.0])


class Watcher:
    """Asks for torques that a function of time gives, and notes all that it is shown."""

    def __init__(self, torque=lambda t: [0.0]):
        self.of = torque
        self.seen = []

    def start(self, arm):
        return 0

    def torque(self, t, q, qd, reference, state):
        self.seen.append((t, q.copy(), qd.copy(), reference, state))
        return self.of(t), state + 1


def watched(watcher, duration=1.0, arm=SPUN, **options):
    options = {"q0": np.zeros(arm.n), "rate": 10.0, **options}
    return simulate(arm, duration=duration, controller=watcher, **options)


# Ticks


@pytest.mark.parametrize("rate", [10.0, 7.0, 1000.0 / 3.0])
def test_it_is_asked_at_every_tick_and_only_there(rate):
    watcher = Watcher()
    run = watched(watcher, rate=rate, qd0=[1.0])
    ticks = [t for t, *_ in watcher.seen]
    count = math.ceil(rate * 1.0 - 1e-9)
    assert ticks == pytest.approx(np.arange(count) / rate, abs=1e-12)
    # It sees the state of that very instant, and its own state as it handed it on.
    assert [q[0] for _, q, *_ in watcher.seen] == pytest.approx(ticks, abs=1e-12)
    assert [state for *_, state in watcher.seen] == list(range(count))
    assert run.status


@pytest.mark.parametrize("method", ["rk4", "dop853", "gauss4", "semi-implicit"])
@pytest.mark.parametrize("rate", [10.0, 3.0])
def test_its_torque_is_held_until_the_next(method, rate):
    torques = np.random.default_rng(1).uniform(-5.0, 5.0, 20)
    watcher = Watcher(lambda t: [torques[round(t * rate)]])
    run = watched(watcher, 2.0, rate=rate, method=method, dt=0.03, samples=1001)
    tick = np.floor(run.t[:-1] * rate + 1e-9).astype(int)
    assert run.tau[:-1, 0].tolist() == torques[tick].tolist()
    assert run.tau[-1, 0] == run.tau[-2, 0]
    # Held to the very tick, wherever steps end: the rate is the sum of all that was held.
    whole = np.append(0.0, np.cumsum(torques) / rate)
    assert run.qd[:-1, 0] == pytest.approx(
        whole[tick] + torques[tick] * (run.t[:-1] - tick / rate), abs=1e-12
    )


def test_steps_may_be_longer_than_its_period_and_ticks_come_on_time():
    watcher = Watcher(lambda t: [1.0])
    run = watched(watcher, rate=1000.0, dt=0.5, samples=2)
    assert len(watcher.seen) == 1000
    assert run.q[-1, 0] == pytest.approx(0.5, rel=1e-12)


# Reference


def test_without_a_reference_it_is_to_stay_where_it_starts():
    watcher = Watcher(lambda t: [0.0, 0.0])
    watched(watcher, 0.3, TWO, q0=[0.4, -0.2], samples=2)
    reference = watcher.seen[-1][3]
    assert reference.q.tolist() == [0.4, -0.2]
    assert reference.qd.tolist() == reference.qdd.tolist() == [0.0, 0.0]
    assert reference.tip == pytest.approx(ulna.kinematics.tip(TWO, [0.4, -0.2]))


@pytest.mark.parametrize("given", [1, 2, 3])
def test_a_reference_is_followed_tick_by_tick(given):
    def path(t):
        parts = (np.array([t, 2.0 * t]), np.array([1.0, 2.0]), np.array([3.0, 4.0]))[:given]
        return parts if given > 1 else parts[0]

    watcher = Watcher(lambda t: [0.0, 0.0])
    watched(watcher, 1.0, TWO, reference=path, rate=10.0, samples=2)
    for t, _, _, reference, _ in watcher.seen:
        assert reference.q == pytest.approx([t, 2.0 * t])
        assert reference.tip == pytest.approx(ulna.kinematics.tip(TWO, [t, 2.0 * t]))
        assert reference.qd.tolist() == ([1.0, 2.0] if given > 1 else [0.0, 0.0])
        assert reference.qdd.tolist() == ([3.0, 4.0] if given > 2 else [0.0, 0.0])


def test_a_reference_of_many_ticks_goes_on_without_a_seam():
    watcher = Watcher(lambda t: [0.0])
    watched(watcher, 1.0, rate=10_000.0, reference=lambda t: [t], samples=2)
    assert [reference.q[0] for _, _, _, reference, _ in watcher.seen] == pytest.approx(
        np.arange(10_000) / 10_000.0, abs=1e-12
    )


def test_a_reference_is_not_asked_for_what_comes_after_the_end():
    rows = np.linspace(0.0, 1.0, 1001)
    run = simulate(
        SPUN,
        q0=[0.0],
        duration=1.0,
        controller=PD(10.0, 1.0),
        reference=lambda t: [rows[round(1000 * t)]],
    )
    assert run.status


# Sensors


@pytest.mark.parametrize("resolution", [0.07, 2.0 * math.pi / 4096.0])
def test_a_resolution_rounds_to_its_multiples(resolution):
    watcher, rounding = Watcher(), Sensors(angle_resolution=resolution, rate_resolution=0.3)
    watched(watcher, 1.0, qd0=[1.0], sensors=rounding, samples=2, rate=100.0)
    t, q, qd = (np.array([np.ravel(row[k])[0] for row in watcher.seen]) for k in range(3))
    assert q / resolution == pytest.approx(np.round(q / resolution), abs=1e-9)
    assert np.abs(q - t).max() <= 0.5 * resolution * (1.0 + 1e-9)
    assert qd == pytest.approx(0.9, rel=1e-12)


def test_noise_is_added_before_it_is_rounded():
    watcher, rounding = Watcher(), Sensors(angle_noise=0.2, angle_resolution=0.5)
    watched(watcher, 1.0, qd0=[1.0], sensors=rounding, samples=2, rate=100.0)
    q = np.array([angles[0] for _, angles, *_ in watcher.seen])
    assert q / 0.5 == pytest.approx(np.round(q / 0.5), abs=1e-12)
    assert len(set(np.diff(q))) > 2


def test_a_delay_of_more_periods_than_are_kept_is_refused():
    options = {"q0": [0.0], "controller": PD(1.0, 1.0), "sensors": Sensors(delay=1e4)}
    with pytest.raises(InputError, match=r"sensors.delay: .* 1,000,000 control periods"):
        simulate(SPUN, duration=0.1, **options)


# Piece by piece


def test_ticks_go_on_over_pieces_and_over_other_torques():
    watcher = Watcher()
    swing = Simulation(
        ulna.Scenario(
            arm=SPUN, q0=[0.0], qd0=[1.0], controller=watcher, rate=10.0, sensors=Sensors(delay=0.2)
        )
    )
    for _ in range(10):
        swing.advance(0.075)
        swing.apply()
    swing.advance(0.25)
    assert [t for t, *_ in watcher.seen] == pytest.approx(np.arange(10) / 10.0)
    assert [q[0] for _, q, *_ in watcher.seen] == pytest.approx(
        np.maximum(np.arange(10) / 10.0 - 0.2, 0.0)
    )


# What a controller remembers


def test_what_a_controller_remembers_can_be_read_and_not_changed():
    swing = Simulation(ulna.Scenario(arm=SPUN, q0=[0.0], controller=Watcher(), rate=10.0))
    swing.advance(0.95)
    assert swing.controller_state == 10
    with pytest.warns(ulna.UlnaWarning, match="unstable"):  # an integral without a damper
        swing = Simulation(
            ulna.Scenario(
                arm=SPUN, q0=[0.0], controller=PID(0.0, 0.0, 1.0), reference=[1.0], rate=10.0
            )
        )
    swing.advance(0.25)
    integral, _, last = swing.controller_state
    assert last == pytest.approx(0.2)
    assert 0.0 < integral < 0.2
    swing.controller_state[:] = 7.0
    assert swing.controller_state[0] == integral
    assert Simulation(ulna.Scenario(arm=SPUN, q0=[0.0])).controller_state is None


# A plan to follow: a long one is worked out block by block

UNIT, FOLLOWING = ulna.preset("unit"), ulna.control.ComputedTorque(20.0)


@pytest.fixture(scope="module")
def plan():
    return ulna.plan(UNIT, ulna.paths.circle((1.0, 0.5), 0.3), duration=9.0)


@pytest.fixture(scope="module")
def followed(plan):
    return simulate(UNIT, controller=FOLLOWING, reference=plan)


def test_start_and_duration_are_the_plans(plan, followed):
    assert followed.t[-1] == plan.duration
    assert followed.q[0].tolist() == plan.trajectory(0.0).q.tolist()
    assert followed.qd[0].tolist() == plan.trajectory(0.0).qd.tolist()
    assert np.abs(followed.q - plan.trajectory(followed.t).q).max() < 1e-4
    again = simulate(UNIT, controller=FOLLOWING, reference=plan.trajectory)
    assert np.array_equal(followed.q, again.q)


def test_rates_that_are_given_go_with_the_angles_of_the_plan(plan):
    run = simulate(UNIT, controller=FOLLOWING, reference=plan, qd0=[0.25, -0.5], duration=0.01)
    assert run.q[0].tolist() == plan.trajectory(0.0).q.tolist()
    assert run.qd[0].tolist() == [0.25, -0.5]


def test_out_of_reach_it_is_refused_with_the_time():
    plan = ulna.plan(UNIT, ulna.paths.line((1.0, 0.0), (3.0, 0.0)), duration=9.0)
    with pytest.raises(InputError, match=r"t = 4\.50\d s"):
        simulate(UNIT, controller=FOLLOWING, reference=plan, q0=[0.0, 1.0], duration=9.0)


def test_another_number_of_joints_is_refused(plan):
    three = ulna.Arm.rods([1.0] * 3, [1.0] * 3)
    with pytest.raises(InputError, match=r"reference: .*2 joints, need 3"):
        simulate(three, controller=PD(1.0, 1.0), reference=plan)
