"""Many arms at once are the same arms one by one, and what cannot be is refused in a sentence."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import ulna
import ulna.progress
from ulna import Arm, Joint, Sensors, simulate, simulate_batch
from ulna.control import (
    PD,
    PID,
    Adaptive,
    ComputedTorque,
    FeedforwardPID,
    GravityPD,
    OpenLoop,
)
from ulna.errors import FileError, InputError
from ulna.simulation import disturbances, open_batch

MEMBERS = 5
CLOSE = 1e-10  # over a second, to the single engine
METHODS = ("rk4", "semi-implicit", "gauss4", "dop853")
TWO = Arm.rods([1.0, 1.0], [1.0, 1.0])
ROD = Arm.rods([1.0], [3.0], gravity=(0.0, 0.0))  # of inertia 1 kg·m²
START = {"q0": [0.1, 0.5], "duration": 0.01}


def versions_of_the_engine():
    """Count for how many types of arguments the engine is compiled, which takes half a minute."""
    from ulna.simulation.engine.block import run_blocks

    return len(getattr(run_blocks, "signatures", ()))


@pytest.fixture(autouse=True, scope="module")
def compiled_once():
    simulate_batch(TWO, **START)
    before = versions_of_the_engine()
    yield
    assert versions_of_the_engine() == before


def drawn(random, n, members=MEMBERS, *, limited=False):
    """Draw arms that differ in everything, some with rotors and some without."""
    shape = (members, n)
    free = np.full(shape, np.inf)
    geared = random.uniform(size=(members, 1)) < 0.5
    return ulna.Parameters(
        length=random.uniform(0.3, 1.0, shape),
        mass=random.uniform(0.5, 2.0, shape),
        com=random.uniform(0.0, 0.8, shape),
        com_offset=random.uniform(-0.1, 0.1, shape),
        inertia=random.uniform(0.01, 0.05, shape),
        tip_mass=random.uniform(0.0, 0.5, shape),
        damping=random.uniform(0.0, 0.5, shape),
        rotor_inertia=random.uniform(0.0, 1e-4, shape) * geared,
        gear_ratio=random.uniform(5.0, 30.0, shape),
        lower=-random.uniform(0.4, 1.0, shape) if limited else -free,
        upper=random.uniform(0.4, 1.0, shape) if limited else free,
        max_velocity=free,
        max_torque=np.where(random.uniform(size=shape) < 0.3, 2.0, free),
        gravity=random.uniform(-10.0, 10.0, (members, 2)),
        base=random.uniform(-1.0, 1.0, (members, 2)),
    )


def starts(random, n, speed=1.0):
    return {
        "q0": random.uniform(-0.3, 0.3, (MEMBERS, n)),
        "qd0": speed * random.uniform(-1.0, 1.0, (MEMBERS, n)),
    }


@pytest.fixture
def agrees(arm_of):
    """Give what runs arms at once and one by one, and compares: (arms, for all, for each)."""

    def compare(arms, common, each):
        run = simulate_batch(arms, torques=True, **common, **each)
        one = {"rtol": None} if common.get("method") == "dop853" else {"method": "rk4"}
        each = {name: values for name, values in each.items() if name != "seeds"}
        for b in range(len(run)):
            own = {name: values[b] for name, values in each.items()}
            alone = simulate(arm_of(arms, b), **(one | common | own))
            assert run.status[b].reason == alone.status.reason == "done"
            assert run.t.tolist() == alone.t.tolist()
            assert run.t_end[b] == common["duration"]
            size = 1.0 + np.abs(alone.tau).max()
            assert np.abs(run.q[b] - alone.q).max() <= CLOSE
            assert np.abs(run.qd[b] - alone.qd).max() <= CLOSE * (1.0 + np.abs(alone.qd).max())
            assert np.abs(run.tau[b] - alone.tau).max() <= CLOSE * size
        return run

    return compare


# Each option against ulna.simulate


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_methods(agrees, method, n):
    random = np.random.default_rng(n)
    common = {"duration": 1.0, "method": method, "samples": [0.0, 0.1234, 0.5, 0.99999, 1.0]}
    agrees(drawn(random, n), common, starts(random, n))


@pytest.mark.parametrize("restitution", [0.0, 0.5])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [1, 2])
def test_stops(agrees, method, restitution, n):
    random = np.random.default_rng(10 + n)
    arms = drawn(random, n, limited=True)
    common = {"duration": 1.0, "method": method, "samples": 57, "restitution": restitution}
    run = agrees(arms, common, starts(random, n, speed=3.0))
    at_stop = (run.q == arms.lower[:, None]) | (run.q == arms.upper[:, None])
    assert restitution > 0.0 or at_stop.any()
    assert (run.q <= arms.upper[:, None] + 1e-9).all()


@pytest.mark.parametrize("n", [1, 3])
def test_text(agrees, n):
    random = np.random.default_rng(n)
    waves = [
        [f"{a:.3f}*sin({w:.3f}*t) + {a:.3f}*cos(q{i + 1}) - x*y" for i, (a, w) in enumerate(pair)]
        for pair in random.uniform(-3.0, 3.0, (MEMBERS, n, 2))
    ]
    forces = ["1, 2", ["t", "sin(t)*x", "qd1"], [1.0, 2.0, 3.0], None, "max(t, 0.5), y, 1"]
    each = {**starts(random, n), "torque": waves, "tip_force": forces}
    agrees(drawn(random, n), {"duration": 1.0, "samples": 17}, each)


@pytest.mark.parametrize("between", ["hold", "linear"])
def test_tables(agrees, between):
    random = np.random.default_rng(3)
    tables = [
        (np.sort(random.uniform(0.0, 1.0, rows)), random.uniform(-3.0, 3.0, (rows, 2)))
        for rows in (1, 4, 4, 7, 7)
    ]
    each = {**starts(random, 2), "torque": tables}
    agrees(drawn(random, 2), {"duration": 1.0, "samples": 17, "between": between}, each)


@pytest.mark.parametrize("between", ["hold", "linear"])
def test_rows_dt_apart_and_rows_at_times_of_all(arm_of, between):
    random = np.random.default_rng(4)
    arms, rows = drawn(random, 2), random.uniform(-3.0, 3.0, (MEMBERS, 6, 2))
    forces = random.uniform(-3.0, 3.0, (MEMBERS, 3, 3))
    times = [0.0, 0.013, 0.02, 0.05, 0.1, 0.15]
    options = {"q0": [0.1, 0.2], "duration": 0.2, "dt": 2e-3, "between": between}
    spread = simulate_batch(arms, torque=rows, tip_force=([0.1, 0.15, 0.19], forces), **options)
    timed = simulate_batch(arms, torque=(times, rows), **options)
    for b in range(MEMBERS):
        arm, same = arm_of(arms, b), {**options, "method": "rk4", "samples": 1}
        force = ([0.1, 0.15, 0.19], forces[b])
        alone = simulate(arm, torque=rows[b], tip_force=force, **same)
        assert spread.final.q[b] == pytest.approx(alone.q[-1], rel=0.0, abs=CLOSE)
        alone = simulate(arm, torque=(times, rows[b]), **same)
        assert timed.final.q[b] == pytest.approx(alone.q[-1], rel=0.0, abs=CLOSE)


LAWS = {
    "PD": [PD(20.0 + b, [2.0, 1.0]) for b in range(MEMBERS)],
    "PID": [PID(20.0, 2.0, 5.0 + b) for b in range(MEMBERS)],
    "GravityPD": [GravityPD(20.0, 2.0 + b, measured=b % 2 == 0) for b in range(MEMBERS)],
    "ComputedTorque": [ComputedTorque(5.0 + b) for b in range(MEMBERS)],
    "believing": [ComputedTorque(5.0, model=TWO)] * 3 + [ComputedTorque(5.0)] * 2,
    "FeedforwardPID": [FeedforwardPID(20.0, 3.0, 1.0)] * MEMBERS,
    "Adaptive": [Adaptive()] * MEMBERS,
    "mixed": [OpenLoop(), PD(20.0, 2.0), Adaptive(), PID(20.0, 2.0, 5.0), ComputedTorque()],
}


@pytest.mark.parametrize("law", LAWS)
def test_controllers(agrees, law):
    random = np.random.default_rng(5)
    aims = [lambda t, b=b: [0.2 * np.sin(t + b), 0.3 * t] for b in range(MEMBERS - 1)]
    each = {**starts(random, 2), "controller": LAWS[law], "reference": [*aims, [0.1, 0.2]]}
    agrees(drawn(random, 2), {"duration": 1.0, "samples": 17, "rate": 300.0}, each)


def test_postures_of_each_and_each_where_it_starts(agrees):
    random = np.random.default_rng(6)
    arms, each = drawn(random, 3), starts(random, 3)
    common = {"duration": 1.0, "samples": 9, "controller": PD(20.0, 2.0)}
    agrees(arms, common, each)
    agrees(arms, common, {**each, "reference": random.uniform(-0.5, 0.5, (MEMBERS, 3))})


def test_plans_of_each_with_their_own_starts_and_the_longest_duration(arm_of):
    arm = ulna.preset("kehl")
    plans = [
        ulna.plan(arm, ulna.paths.circle((0.5, 0.2), radius), duration=length)
        for radius, length in ((0.1, 0.3), (0.15, 0.5), (0.12, 0.4))
    ]
    run = simulate_batch(arm, controller=ComputedTorque(), reference=plans, samples=11)
    assert run.t[-1] == 0.5
    for b, plan in enumerate(plans):
        alone = simulate(arm, controller=ComputedTorque(), reference=plan, duration=0.5, samples=11)
        assert run.q[b] == pytest.approx(alone.q, rel=0.0, abs=CLOSE)
        assert run.q[b, 0].tolist() == plan.trajectory(0.0).q.tolist()
    one = simulate_batch(arm, controller=ComputedTorque(), reference=plans[1], samples=11)
    assert one.q[0].tolist() == run.q[1].tolist()


def test_a_plan_of_more_ticks_than_are_worked_out_before(monkeypatch):
    from ulna.simulation.batch import given

    options = {
        "q0": [[0.0, 0.5], [0.1, 0.2]], "duration": 0.1, "controller": PD(20.0, 2.0),
        "reference": lambda t: [np.sin(t), t],
    }  # fmt: skip
    before = simulate_batch(TWO, **options)
    monkeypatch.setattr(given, "MOST_TICKS", 10)
    assert simulate_batch(TWO, **options).q.tolist() == before.q.tolist()


def test_sensors_and_disturbances(agrees):
    random = np.random.default_rng(7)
    sensors = [
        Sensors(
            angle_noise=1e-3 * (b % 2), rate_noise=1e-2, angle_resolution=1e-3,
            delay=b % 3 / 250.0, seed=b % 2,
        )
        for b in range(MEMBERS)
    ]  # fmt: skip
    pushes = [
        [
            disturbances.step([1.0, 0.0], at=0.1 + 0.1 * (b % 2)),
            disturbances.noise([0.5, 0.2], rate=77.0, seed=b),
            disturbances.pulse(force=[1.0, 2.0], at=0.33, lasting=0.1),
        ][: 1 + b % 3]
        for b in range(MEMBERS)
    ]
    each = {
        **starts(random, 2), "sensors": sensors, "disturbances": pushes, "seeds": [0] * MEMBERS,
    }  # fmt: skip
    common = {"duration": 1.0, "samples": 17, "rate": 250.0, "controller": PD(20.0, 2.0)}
    agrees(drawn(random, 2), common, each)


# Seeds


def test_an_arm_draws_from_the_stream_of_its_seed():
    noise = [disturbances.noise([1.0], rate=500.0, seed=3)]
    options = {"q0": [0.0], "duration": 0.05, "disturbances": noise}

    def ends(**seeds):
        return simulate_batch(ROD, **options, **seeds).final.qd[:, 0].tolist()

    alone = simulate(ROD, method="rk4", **options).qd[-1, 0]
    first, second, third = ends(seeds=[0, 1, 2**63 - 1])
    assert first == alone
    assert len({first, second, third}) == 3
    assert ends(seeds=[1, 0]) == [second, first]
    assert simulate_batch(ROD, **options | {"q0": np.zeros((2, 1))}).final.qd[:, 0].tolist() == [
        first, second,
    ]  # fmt: skip
    assert ends(seeds=1) == [second]


# Shapes, samples, times


def test_without_samples_the_final_states():
    run = simulate_batch(TWO, q0=np.zeros((3, 2)), duration=0.1)
    assert run.q.shape == run.qd.shape == (3, 1, 2)
    assert run.t.tolist() == [0.1]
    assert run.tau is None
    assert run.final.q.shape == (3, 2)
    assert run.status.counts() == {"done": 3}
    assert run.t_end.tolist() == [0.1] * 3


@pytest.mark.parametrize("members", [1, 2, 15, 16, 17, 31, 33])
def test_any_number_of_arms(members):
    q0 = np.random.default_rng(members).uniform(-1.0, 1.0, (members, 1))
    run = simulate_batch(ROD, q0=q0, qd0=2.0, duration=0.5, samples=3)
    assert run.q.shape == (members, 3, 1)
    assert run.q[:, -1] == pytest.approx(q0 + 1.0, abs=1e-12)
    assert run.status


def test_what_is_given_for_each_says_how_many_there_are():
    options = {"q0": [0.0], "duration": 0.01}
    for more in (
        {"q0": np.zeros((4, 1))},
        {"qd0": np.zeros((4, 1))},
        {"torque": np.zeros((4, 1))},
        {"torque": ["t"] * 4},
        {"tip_force": np.zeros((4, 2))},
        {"controller": [PD(1.0, 1.0)] * 4},
        {"controller": PD(1.0, 1.0), "reference": np.zeros((4, 1))},
        {"controller": PD(1.0, 1.0), "sensors": [Sensors()] * 4},
        {"disturbances": [[]] * 4},
        {"seeds": [0] * 4},
    ):
        assert len(simulate_batch(ROD, **options | more)) == 4
    assert len(simulate_batch([ROD] * 4, **options)) == 4
    assert len(simulate_batch(ulna.stack([ROD]), **options)) == 1
    # One of a kind serves all, in a list or not.
    run = simulate_batch(ulna.stack([ROD]), q0=np.zeros((4, 1)), duration=0.01, torque=[[1.0]])
    assert run.final.qd == pytest.approx(np.full((4, 1), 0.01))


def test_a_list_of_texts_is_one_a_part_or_one_an_arm():
    options = {"q0": [0.0, 0.0], "duration": 0.01, "torques": True}
    flat = Arm.rods([1.0, 1.0], [1.0, 1.0], gravity=(0.0, 0.0))
    assert simulate_batch(flat, torque=["t + 1", "2"], **options).tau.shape == (1, 1, 2)
    each = simulate_batch(flat, torque=["1, 2", "3, 4"], **options)
    assert each.tau[:, 0].tolist() == [[1.0, 2.0], [3.0, 4.0]]
    # A force on the tip may leave out its moment, and three arms may have one each.
    whole = simulate_batch(flat, tip_force="t, 1, 0", **options)
    assert simulate_batch(flat, tip_force=["t", "1"], **options).q.tolist() == whole.q.tolist()
    three = simulate_batch(flat, tip_force=["t, 1", "0, 0", "1, t, 0"], **options)
    assert three.q[0].tolist() == whole.q[0].tolist()
    assert len(three) == 3


def test_samples_are_where_they_were_asked_for():
    rod = {"q0": [0.0], "qd0": [1.0], "duration": 0.1, "dt": 7e-3}
    times = np.sort(np.random.default_rng(0).uniform(0.0, 0.1, 31))
    for samples in (1, 2, 7, 500, times, [0.0], [0.1], [0.05, 0.1], np.append(times, 0.1)):
        run = simulate_batch(ROD, samples=samples, **rod)
        assert run.q[0, :, 0] == pytest.approx(run.t, abs=1e-14)
        assert run.t.tolist() == simulate(ROD, samples=samples, **rod).t[: len(run.t)].tolist()


def test_a_step_longer_than_the_run_is_cut():
    run = simulate_batch(ROD, q0=[0.0], qd0=[1.0], duration=0.1, dt=5.0, samples=3)
    assert run.q[0, :, 0] == pytest.approx([0.0, 0.05, 0.1], abs=1e-15)


def test_no_time_at_all_is_the_start():
    q0 = [[0.3, 0.2], [0.1, 0.4]]
    for samples in (None, 1, 5, [0.0]):
        run = simulate_batch(TWO, q0=q0, qd0=[1.0, 2.0], duration=0, samples=samples)
        assert run.t.tolist() == [0.0]
        assert run.q[:, 0].tolist() == q0
        assert run.qd[:, 0].tolist() == [[1.0, 2.0]] * 2
        assert run.status


@pytest.mark.parametrize("torque", [[1.0, 2.0], "1 + t, 2", [[1.0, 2.0]]])
def test_torques_at_the_start_are_those_that_act(torque):
    run = simulate_batch(TWO, q0=[0.0, 0.5], duration=0, torque=torque, torques=True)
    assert run.tau[0].tolist() == [[1.0, 2.0]]


def test_arrays_may_be_of_any_kind(agrees):
    random = np.random.default_rng(8)
    arms, q0 = drawn(random, 2), random.integers(-1, 2, (MEMBERS, 2))
    run = simulate_batch(arms, q0=q0, duration=0.05, samples=3)
    fixed = q0.astype(float)
    fixed.flags.writeable = False
    wide = np.zeros((2 * MEMBERS, 4))
    wide[::2, ::2] = q0
    kinds = [fixed, wide[::2, ::2], np.asfortranarray(fixed), q0.astype(np.float32), q0.tolist()]
    for given in kinds:
        again = simulate_batch(arms, q0=given, duration=0.05, samples=3)
        assert again.q.tolist() == run.q.tolist()
    turned = ulna.Parameters(*(np.asfortranarray(value) for value in arms))
    assert simulate_batch(turned, q0=q0, duration=0.05, samples=3).q.tolist() == run.q.tolist()
    assert not run.q.flags.writeable


def test_one_engine_serves_all_kinds_of_arrays():
    fixed, strided = np.array([0.0, 0.01]), np.zeros(4)[::2]
    fixed.flags.writeable = False
    kinds = [{"samples": fixed}, {"samples": np.linspace(0.0, 0.01, 11)[::2]}, {"seeds": 3}]
    kinds += [{"samples": np.array([0.0, 0.005], np.float32)}, {"threads": 2}]
    kinds += [{"torque": fixed}, {"torque": np.broadcast_to(1.0, (3, 4, 2))}]
    postures = (fixed, strided, fixed[None], np.asfortranarray(np.zeros((3, 2))))
    for name in ("q0", "reference"):
        kinds += [{name: array, "controller": PD(1.0, 1.0)} for array in postures]
    before = versions_of_the_engine()
    for options in kinds:
        simulate_batch(TWO, **START | options)
    assert versions_of_the_engine() == before


def test_nothing_that_was_given_is_changed():
    given = {
        "q0": np.array([0.1, 0.2]), "qd0": np.ones((3, 2)), "torque": np.ones((3, 4, 2)),
        "tip_force": np.ones(3), "samples": np.array([0.0, 0.01]), "seeds": np.arange(3),
    }  # fmt: skip
    kept = {name: array.copy() for name, array in given.items()}
    run = simulate_batch(TWO, duration=0.01, **given)
    assert all(np.array_equal(given[name], kept[name]) for name in given)
    given["samples"][:] = 5.0
    assert run.t.tolist() == [0.0, 0.01]


# How an arm may end


def test_what_goes_wrong_with_an_arm_is_in_its_status():
    stiff = Arm.rods([1.0], [3.0], joints=[Joint(damping=1e9)], gravity=(0.0, 0.0))
    limited = ROD.replace(joints=(Joint(lower=-1.0, upper=1.0),))
    arms = ulna.stack([ROD, stiff, limited, ROD, ROD, ROD])
    mass = arms.mass.copy()
    mass[4] = np.nan
    q0 = np.array([[0.0], [0.0], [2.0], [np.nan], [0.0], [0.0]])
    texts = ["0", "0", "0", "0", "0", "sqrt(0.01 - t)"]
    run = simulate_batch(
        arms._replace(mass=mass), q0=q0, qd0=[1.0], duration=0.1, dt=5e-3, torque=texts, samples=21
    )
    assert run.status.reason.tolist() == [
        "done", "diverged", "bad start", "bad start", "bad arm", "bad torque",
    ]  # fmt: skip
    assert run.q[0, :, 0] == pytest.approx(run.t, abs=1e-12)
    assert np.isnan(run.q[1:5]).sum() >= 4 * 20
    assert run.t_end[5] == pytest.approx(0.01)
    assert np.isfinite(run.q[5, :2]).all()
    assert np.isnan(run.q[5, 3:]).all()
    assert np.isnan(run.final.q[1:]).all()
    assert not run.status
    free = simulate_batch(limited, q0=[2.0], duration=0.1, stops=False)
    assert free.status


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("length", 0.0), ("length", -1.0), ("length", np.inf), ("mass", -1.0), ("mass", np.nan),
        ("com", np.nan), ("com_offset", np.inf), ("inertia", -1e-9), ("tip_mass", -1.0),
        ("damping", -1.0), ("rotor_inertia", -1.0), ("gear_ratio", np.inf), ("lower", np.nan),
        ("lower", 9.0), ("upper", np.nan), ("max_torque", -1.0), ("max_torque", np.nan),
        ("max_velocity", -1.0), ("gravity", np.nan), ("base", np.inf),
    ],
)  # fmt: skip
def test_what_no_arm_can_have_is_held_against_that_one_alone(name, value):
    arms = ulna.stack([TWO.replace(joints=(Joint(upper=3.0),) * 2)] * 3)
    values = getattr(arms, name).copy()
    values[1, -1] = value
    options = {**START, "controller": ComputedTorque(), "reference": [0.0, 0.0]}
    run = simulate_batch(arms._replace(**{name: values}), **options)
    assert run.status.reason.tolist() == ["done", "bad arm", "done"]
    assert run.q[[0, 2]].tolist() == simulate_batch(arms, **options).q[[0, 2]].tolist()


@pytest.mark.parametrize("method", METHODS)
def test_the_last_finite_state_of_an_arm_is_kept(method):
    options = {"q0": [0.0], "qd0": [1.0], "duration": 0.02, "torque": "sqrt(0.01 - t)"}
    times = np.linspace(0.0, 0.02, 21)
    run = simulate_batch(ROD, samples=times, method=method, **options)
    finite = np.isfinite(run.q[0, :, 0])
    assert run.t[finite][-1] == pytest.approx(run.t_end[0])


@pytest.mark.parametrize(
    ("method", "reason"),
    [("rk4", "diverged"), ("dop853", "diverged"), ("gauss4", "stalled"), ("semi-implicit", "done")],
)
def test_a_step_too_long_ends_as_alone(method, reason):
    stiff = Arm.rods([1.0], [3.0], joints=[Joint(damping=1e9)], gravity=(0.0, 0.0))
    options = {"q0": [0.0], "qd0": [1.0], "duration": 2.0, "dt": 0.05, "method": method}
    run = simulate_batch(ulna.stack([stiff, ROD]), **options)
    alone = simulate(stiff, **options, rtol=None)
    assert run.status.reason.tolist() == [alone.status.reason, "done"] == [reason, "done"]
    assert run.t_end[0] == alone.t[-1]


@pytest.mark.parametrize(
    ("method", "torque"),
    [("gauss4", "1e7*(0.5 - q1)"), ("rk4", "1 + sqrt(0.2 - q1)"), ("semi-implicit", [1e17])],
)
def test_an_arm_that_rests_at_its_stop_is_safe_from_what_would_be_beyond(method, torque):
    arm = ROD.replace(joints=(Joint(lower=-1.0, upper=0.2),))
    options = {"q0": [0.2], "duration": 0.01, "method": method, "torque": torque}
    assert simulate(arm, **options).q[-1] == 0.2
    run = simulate_batch(arm, **options)
    assert run.status
    assert run.final.q == 0.2


@pytest.mark.parametrize("law", [GravityPD(20.0, 2.0), FeedforwardPID(20.0, 2.0, 1.0), Adaptive()])
def test_a_controller_for_arms_of_which_none_can_be(law):
    nowhere = ulna.Parameters(*(np.full_like(value, np.nan) for value in TWO.parameters))
    run = simulate_batch(nowhere, controller=law, **START)
    assert run.status.reason.tolist() == ["bad arm"]
    several = ulna.Parameters(*(np.stack([value] * 3) for value in nowhere))
    assert simulate_batch(several, controller=law, **START).status.counts() == {"bad arm": 3}


# Refusals

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
    "duration: got None, need a time of at least 0 s": {"duration": None},
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
    "rate: got None": {"rate": None},
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
    "disturbance.torque: got 1 values, need 2": {"disturbances": [disturbances.step([1.0])]},
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
    "torques: got 'yes', need True or False": {"torques": "yes"},
    "precision: got 'quad', need 'double' or 'single'": {"precision": "quad"},
    "precision: got None": {"precision": None},
    "threads: got 0, need a whole number of at least 1": {"threads": 0},
    "threads: got True": {"threads": True},
    "threads: got 1.5": {"threads": 1.5},
    "store: got 5, need the name of a .zarr or .nc file": {"store": 5},
    "store: got b'x.nc'": {"store": b"x.nc"},
    "got 'runs.csv', need a name that ends in .nc, .zarr": {"store": "runs.csv"},
    "force: got None, need True or False": {"force": None},
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
    "sensors.delay: got 0.0005, need a whole number of control periods": {
        "sensors": Sensors(delay=0.0005)
    },
    "controller: got [], need one for all arms, or one for each": {"controller": []},
    "controller: got 'PD', need an object with start(arm)": {"controller": "PD"},
    "controller: got <class": {"controller": PD},
    "controller[1]: got None": {"controller": [PD(1.0, 1.0), None, PD(1.0, 1.0)]},
    "controller: got 2 of them, need 3": {"controller": [PD(1.0, 1.0)] * 2},
    "PD.stiffness: got (1, 2, 3), need a finite number of at least 0, or 2 of them": {
        "controller": [PD(1.0, 1.0), PD([1, 2, 3], 1.0), PD(1.0, 1.0)]
    },
}


@pytest.mark.parametrize(("sentence", "options"), REFUSALS.items(), ids=list(REFUSALS))
def test_bad_input_is_refused_with_a_sentence(sentence, options):
    with pytest.raises(InputError) as caught:
        simulate_batch(**{"arms": P, **START, **options})
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("sentence", "options"), WITH_CONTROLLER.items(), ids=list(WITH_CONTROLLER)
)
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
    begun = time.perf_counter()
    many = np.broadcast_to([0.0, 1.0], (10**9, 2))
    with pytest.raises(InputError, match=r"1,000,000,000 arms of 2 joints × 1,000,000 samples.*TB"):
        simulate_batch(TWO, q0=many, duration=0.01, samples=10**6)
    assert time.perf_counter() - begun < 1.0


# Threads and stores


@pytest.mark.parametrize("threads", [1, 2, 3, 16, 10**6, np.int64(2)])
def test_threads_change_nothing(threads):
    random = np.random.default_rng(9)
    arms, q0 = drawn(random, 2, 100), random.uniform(-1.0, 1.0, (100, 2))
    whole = simulate_batch(arms, q0=q0, duration=0.1, samples=3, threads=1)
    again = simulate_batch(arms, q0=q0, duration=0.1, samples=3, threads=threads)
    assert again.q.tolist() == whole.q.tolist()
    assert again.qd.tolist() == whole.qd.tolist()


@pytest.mark.parametrize("ending", ["nc", "zarr"])
def test_a_store_holds_what_memory_would(tmp_path, monkeypatch, ending):
    from ulna.simulation.batch import memory

    random = np.random.default_rng(10)
    arms, q0 = drawn(random, 2, 50), random.uniform(-1.0, 1.0, (50, 2))
    q0[7] = np.nan
    options = {"q0": q0, "duration": 0.05, "samples": 5, "torque": "t, q1", "torques": True}
    inside = simulate_batch(arms, **options)
    monkeypatch.setattr(memory, "SLAB", 20 * 5 * 2 * 24)  # bytes: slabs of 16 arms
    file = tmp_path / f"runs.{ending}"
    with simulate_batch(arms, store=file, **options) as stored:
        for name in ("q", "qd", "tau", "t_end"):
            ours, theirs = np.asarray(getattr(stored, name)), getattr(inside, name)
            assert np.array_equal(ours, theirs, equal_nan=True)
        assert stored.status.reason.tolist() == inside.status.reason.tolist()
        assert stored.settings == inside.settings
    with open_batch(file) as again:
        assert np.array_equal(again.q[7:9], inside.q[7:9], equal_nan=True)
    with pytest.raises(InputError, match="which exists, need a new name; add force=True"):
        simulate_batch(arms, store=file, **options)
    with simulate_batch(arms, store=file, force=True, **options | {"samples": 1}) as replaced:
        assert len(replaced.t) == 1
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_a_store_that_cannot_be_written_raises_before_any_work(tmp_path):
    for name in ("nowhere/runs.nc", "nowhere/runs.zarr"):
        with pytest.raises(FileError, match="cannot be written"):
            simulate_batch(TWO, q0=[0.0, 0.0], duration=1e6, store=tmp_path / name)
    with pytest.raises(ZeroDivisionError):
        simulate_batch(
            TWO, **START, controller=PD(1.0, 1.0), reference=[lambda t: 1 / 0] * 3,
            store=tmp_path / "runs.zarr",
        )  # fmt: skip
    assert not list(tmp_path.iterdir())


# Ctrl-C

HOURS = {"q0": np.linspace(-1.0, 1.0, 16_000).reshape(-1, 2), "samples": 51, "duration": 10.0}


@pytest.fixture
def pressed(monkeypatch):
    """Give what presses Ctrl-C when a part of the work is done."""

    def press(part):
        def report(line, done):
            if done >= part:
                signal.raise_signal(signal.SIGINT)

        monkeypatch.setattr(ulna.progress._Line, "report", report)

    return press


@pytest.mark.parametrize("ending", ["", "nc", "zarr"])
def test_ctrl_c_gives_what_is_finished(tmp_path, pressed, ending):
    store = tmp_path / f"runs.{ending}" if ending else None
    pressed(0.01)
    with simulate_batch(TWO, **HOURS, store=store, threads=2) as run:
        counts = run.status.counts()
        assert set(counts) <= {"done", "interrupted", "not run"}
        assert counts["not run"] > 1000
        reason, q = run.status.reason, np.asarray(run.q)
        assert np.isnan(q[reason == "not run"]).all()
        assert np.isnan(run.t_end[reason == "not run"]).all()
        broken = reason == "interrupted"
        assert 0 < broken.sum() <= 32
        # What there is of an arm reaches to where it was, and is what it would have been.
        reached = run.t[None, :] < run.t_end[broken, None] - 1e-9
        assert np.array_equal(np.isfinite(q[broken]).all(axis=-1), reached)
        some = np.flatnonzero(reason == "done")[:16]
        whole = simulate_batch(TWO, **HOURS | {"q0": HOURS["q0"][some]}, progress=False)
        assert q[some].tolist() == whole.q.tolist()


def test_nobody_writes_to_what_was_handed_out():
    # The wait for threads is what is interrupted here.
    pressing = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    pressing.start()
    run = simulate_batch(TWO, **HOURS, threads=2)
    pressing.join()
    first, ends = run.q.copy(), run.t_end.copy()
    time.sleep(0.1)
    assert run.status.counts()["not run"] > 0
    assert np.array_equal(first, run.q, equal_nan=True)
    assert np.array_equal(ends, run.t_end, equal_nan=True)
    assert np.isnan(first[run.status.reason == "not run"]).all()


def test_a_second_ctrl_c_while_threads_are_busy_raises():
    busy, released = threading.Event(), threading.Event()

    def slow(t):
        busy.set()
        released.wait(20.0)
        return [0.0, 0.0]

    def press():
        busy.wait(20.0)
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.2)

    pressing = threading.Thread(target=press)
    pressing.start()
    options = {"q0": np.zeros((2, 2)), "duration": 1.0, "controller": PD(1.0, 1.0)}
    with pytest.raises(KeyboardInterrupt):
        simulate_batch(TWO, **options, reference=[slow] * 2)
    released.set()
    pressing.join()


def test_ctrl_c_while_a_store_begins_leaves_nothing(tmp_path, monkeypatch):
    from ulna.simulation.batch import store

    def hasty(path, size):
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(store, "check_space", hasty)
    for ending in ("nc", "zarr"):
        with pytest.raises(KeyboardInterrupt):
            simulate_batch(TWO, **START, store=tmp_path / f"runs.{ending}")
    time.sleep(0.05)
    assert not list(tmp_path.iterdir())


def test_ctrl_c_twice_while_a_slab_is_written_raises_and_leaves_nothing(tmp_path, monkeypatch):
    from ulna.simulation.batch.netcdf_store import NetcdfWriter

    def slow(self, *values):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(NetcdfWriter, "write", slow)
    with pytest.raises(KeyboardInterrupt):
        simulate_batch(TWO, **START, store=tmp_path / "runs.nc")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("lots", [1, 40])
def test_the_line_of_progress_never_goes_back_nor_beyond_all(monkeypatch, lots):
    from ulna.simulation.batch import work

    seen = []
    monkeypatch.setattr(work, "LISTEN", 1e-3)
    monkeypatch.setattr(ulna.progress._Line, "report", lambda line, done: seen.append(done))
    pushes = [[disturbances.noise([1.0, 1.0], rate=10.0, seed=k % lots)] for k in range(80)]
    simulate_batch(TWO, q0=np.zeros((80, 2)), duration=10.0, disturbances=pushes, progress=True)
    assert seen == sorted(seen)
    assert 0.0 <= seen[0] <= seen[-1] <= 1.0 + 1e-9
