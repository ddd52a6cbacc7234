"""What runs keep of torques, measurements and references, each by itself; and torque limits."""

import copy
import math
import pickle

import numpy as np
import pytest

import ulna
from ulna import Arm, Joint, Link, Sensors, simulate
from ulna.analysis import effort
from ulna.dynamics.chain import inverse_dynamics
from ulna.kinematics import jacobian
from ulna.scenario.disturbances import noise, pulse, step
from ulna.simulation import Saturation, open_run

ARM = Arm.of(
    [Link(0.5, 1.0), Link(0.4, 0.6, com_offset=0.02)],
    [
        Joint(max_torque=12.0, damping=0.1),
        Joint(max_torque=3.0, rotor_inertia=1e-3, gear_ratio=9.0),
    ],
    payload=0.2,
)
SPUN = Arm.rods([1.0], [3.0], gravity=(0.0, 0.0))  # 1 kg·m² about its joint
PUSHES = (noise([2.0, 1.0], rate=200.0), step(force=[1.0, -2.0, 0.3], at=0.1))
SIGNALS = (
    "tau_commanded", "tau_disturbance", "tip_force_disturbance", "q_measured", "qd_measured",
    "q_ref", "qd_ref", "qdd_ref",
)  # fmt: skip
CONTROL = ("q_measured", "qd_measured", "q_ref", "qd_ref", "qdd_ref")


class Python:
    """A PD law as users write it."""

    def start(self, arm):
        return []

    def torque(self, t, q, qd, reference, state):
        state.append((t, q, qd, reference))
        return 60.0 * (reference.q - q) - 5.0 * qd, state


def aimed(t):
    return [math.sin(3.0 * t), 0.5], [3.0 * math.cos(3.0 * t), 0.0], [-9.0 * math.sin(3.0 * t), 0.0]


def run_of_all(controller=None, **options):
    settings = {
        "q0": [0.1, 0.2], "duration": 0.3, "samples": 301, "rate": 250.0, "reference": aimed,
        "sensors": Sensors(angle_noise=1e-3, rate_noise=1e-2, delay=0.004, seed=3),
        "disturbances": PUSHES, "torque": ["t", "0.1*q1"], "tip_force": ["0", "sin(t)"],
    }  # fmt: skip
    chosen = controller or ulna.control.PD(60.0, 5.0)
    return simulate(ARM, controller=chosen, **(settings | options))


# Torques and forces, each by itself


@pytest.mark.parametrize("method", ["rk4", "dop853", "gauss4"])
@pytest.mark.parametrize("wrapped", [False, True])
def test_all_that_is_kept_together_is_what_moves_the_arm(method, wrapped):
    run = run_of_all(Python() if wrapped else None, method=method)
    assert run.status
    force = run.tip_force + run.tip_force_disturbance
    turning = np.einsum("sij,si->sj", jacobian(ARM, run.q), force)
    needed = inverse_dynamics(ARM, run.q, run.qd, run.qdd)
    assert run.tau + run.tau_disturbance + turning == pytest.approx(needed, rel=0.0, abs=1e-10)
    # The work of all of it is what was put in, whoever did it.
    power = np.sum((run.tau + run.tau_disturbance) * run.qd, axis=1)
    power += np.sum(force * run.tip_velocity, axis=1)
    work = np.sum(0.5 * (power[1:] + power[:-1]) * np.diff(run.t))
    assert run.injected[-1] == pytest.approx(work, abs=0.05)
    assert np.abs(run.energy.balance_error).max() <= 1e-5


def test_the_tip_force_and_what_disturbs_it_are_kept_apart():
    run = run_of_all()
    assert run.tip_force[:, 1] == pytest.approx(np.sin(run.t), abs=1e-12)
    assert not run.tip_force[:, [0, 2]].any()
    expected = np.where(run.t[:, None] >= 0.1 - 1e-12, [[1.0, -2.0, 0.3]], 0.0)
    assert (run.tip_force_disturbance == expected).all()


def test_what_was_asked_for_is_cut_at_the_limits_and_then_applied():
    run = run_of_all()
    given = np.column_stack([run.t, 0.1 * run.q[:, 0]])
    asked, applied = run.tau_commanded - given, run.tau - given
    limits = np.array([12.0, 3.0])
    assert applied == pytest.approx(np.clip(asked, -limits, limits), abs=1e-12)
    assert (np.abs(asked) > limits).any(axis=0).all()
    free = np.abs(asked) < limits
    assert (run.tau_commanded[free] == run.tau[free]).all()
    law = 60.0 * (run.q_ref - run.q_measured) + 5.0 * (run.qd_ref - run.qd_measured)
    assert asked == pytest.approx(law, abs=1e-10)


def test_what_was_read_and_what_was_to_be_followed_are_those_of_the_last_tick():
    seen = []

    class Noting(Python):
        def start(self, arm):
            return seen

    run = run_of_all(Noting())
    tick = np.minimum(np.floor(run.t * 250.0 + 1e-6).astype(int), len(seen) - 1)
    assert (run.q_measured == np.array([q for _, q, _, _ in seen])[tick]).all()
    assert (run.qd_measured == np.array([qd for _, _, qd, _ in seen])[tick]).all()
    for name in ("q", "qd", "qdd"):
        followed = np.array([getattr(reference, name) for *_, reference in seen])
        assert (getattr(run, f"{name}_ref") == followed[tick]).all()
    assert run.q_ref[:, 0] == pytest.approx(np.sin(3.0 * tick / 250.0), abs=1e-12)


def test_without_a_controller_there_is_nothing_to_read_or_to_follow():
    run = simulate(ARM, q0=[0.1, 0.2], duration=0.1, torque=[20.0, "t"])
    assert all(getattr(run, name) is None for name in CONTROL)
    assert (run.tau_commanded == run.tau).all()
    assert not run.tau_disturbance.any()
    assert not run.tip_force_disturbance.any()
    assert run.tau[0, 0] == 20.0  # what is given is not cut
    assert run.saturation == ()


def test_a_simulation_step_by_step_tells_the_torques_of_its_motors():
    swing = ulna.Simulation(
        ulna.Scenario(arm=SPUN, q0=[0.0], torque=["2 + t"], disturbances=[step([5.0])])
    )
    swing.advance(0.5)
    assert swing.tau == pytest.approx([2.5])
    assert swing.qdd == pytest.approx([7.5])
    assert swing.qd == pytest.approx([0.5 * 7.0 + 0.125])


# Effort


def test_disturbances_are_not_charged_to_the_motors():
    arm = SPUN.replace(joints=(Joint(max_torque=10.0),))
    run = simulate(
        arm, q0=[0.0], duration=1.0, controller=ulna.control.PD(40.0, 10.0),
        disturbances=[pulse([14.0], at=0.2, lasting=0.05)],
    )  # fmt: skip
    assert np.abs(run.tau_disturbance).max() == 14.0
    assert run.saturation == ()
    told = effort(run)
    assert 0.1 < told.torque_use[0] <= 1.0
    assert told.torque_peak[0] == np.abs(run.tau_commanded).max()
    # The motors took out, by their own work, what the push had put in.
    assert told.energy[0] + 0.05 * 14.0 * run.qd.max() / 2.0 == pytest.approx(
        0.5 * run.qd[-1, 0] ** 2, abs=0.02
    )


# Limits


class Asking:
    """Asks for torques that a function of time gives."""

    def __init__(self, of):
        self.of = of

    def start(self, arm):
        return None

    def torque(self, t, q, qd, reference, state):
        return self.of(t), state


WEAK = Arm.rods([1.0, 1.0, 1.0], [1.0] * 3, gravity=(0.0, 0.0)).replace(
    joints=(Joint(max_torque=2.0), Joint(), Joint(max_torque=1.0))
)


def test_times_at_a_limit_are_unbroken_rows_of_control_periods():
    def of(t):
        tick = round(10.0 * t)
        # Beyond its limit from 0.2 to 0.5 s whatever the sign, at 0.7 s, and from 0.9 s on.
        first = {2: 3.0, 3: -3.0, 4: 2.1, 7: -9.0, 9: 5.0}.get(tick, 2.0)
        return [first, 20.0, 1.5 if tick == 0 else 0.0]

    run = simulate(WEAK, q0=[0.0] * 3, duration=0.95, controller=Asking(of), rate=10.0, dt=1e-4)
    one, three = run.saturation
    assert (one.joint, one.episodes) == (1, 3)
    assert one.seconds == pytest.approx(0.3 + 0.1 + 0.05, abs=1e-12)
    assert one.first == pytest.approx(0.2, abs=1e-12)
    assert three == Saturation(3, 1, pytest.approx(0.1), 0.0)
    done, first, third = str(run.status).split("; ")
    assert "0.95 s" in done
    assert first.startswith("joint 1 ")
    assert "3 times, for 0.45 s" in first
    assert third.startswith("joint 3 ")
    assert "once, for 0.1 s" in third


def test_time_at_a_limit_is_counted_on_over_pieces_of_a_simulation():
    swing = ulna.Simulation(
        ulna.Scenario(
            arm=WEAK, q0=[0.0] * 3, controller=Asking(lambda t: [5.0, 0.0, 0.0]), rate=10.0
        )
    )
    for _ in range(5):
        status = swing.advance(0.1)
    swing.apply(torque=[1.0, 0.0, 0.0])
    status = swing.advance(0.25)
    assert "joint 1 was at its torque limit once, for 0.75 s" in str(status)


# Files, tables, copies


def check_same(one, other):
    for name in ("t", "q", "tau", "tip_force", *SIGNALS):
        mine, theirs = getattr(one, name), getattr(other, name)
        assert (mine is None) == (theirs is None)
        assert mine is None or (mine == theirs).all()
        assert theirs is None or not theirs.flags.writeable
    assert one.saturation == other.saturation


@pytest.mark.parametrize("options", [{}, {"signals": False}, {"disturbances": ()}])
def test_files_and_copies_hold_all_of_it(tmp_path, options):
    run = run_of_all(**options)
    run.save(tmp_path / "run.nc")
    back = open_run(tmp_path / "run.nc")
    assert run.saturation
    for other in (back, copy.deepcopy(run), pickle.loads(pickle.dumps(run))):
        check_same(run, other)
    assert back.provenance == run.provenance


def test_tables_have_a_column_for_each(tmp_path):
    run = run_of_all()
    table = run.to_dataframe()
    for name in SIGNALS:
        if name != "tip_force_disturbance":
            assert (table[f"{name}2"] == getattr(run, name)[:, 1]).all()
    assert (table["fy_disturbance"] == run.tip_force_disturbance[:, 1]).all()
    run.save(tmp_path / "run.csv")
    head = (tmp_path / "run.csv").read_text(encoding="utf-8").splitlines()[0]
    assert "tau_commanded1 [N·m]" in head
    assert "qdd_ref2 [rad/s²]" in head
    units = {name: run.dataset[name].attrs["units"] for name in SIGNALS}
    assert units["tau_disturbance"] == "N·m"
    assert units["qd_measured"] == "rad/s"
    assert run.dataset["q_ref"].dims == ("time", "joint")
    # Where nobody controls and nothing disturbs, no column says so.
    plain = simulate(ARM, q0=[0.0, 0.0], duration=0.1).to_dataframe()
    assert not [name for name in plain.columns if "_" in name and name != "balance_error"]


def test_without_signals_a_run_takes_less_and_moves_the_same():
    run, brief = run_of_all(), run_of_all(signals=False)
    assert all(getattr(brief, name) is None for name in SIGNALS)
    assert (brief.q == run.q).all()
    assert (brief.tau == run.tau).all()
    assert brief.saturation == run.saturation
    assert brief.q.base.nbytes < 0.5 * run.q.base.nbytes
