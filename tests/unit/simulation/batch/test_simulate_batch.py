"""Many arms at once are the same arms one by one, and what cannot be is refused in a sentence."""

import numpy as np
import pytest

import ulna
import ulna.progress
from tabular import tabular
from ulna import Arm, Joint, Sensors, simulate, simulate_batch
from ulna.control import PD, Adaptive, ComputedTorque, FeedforwardPID, GravityPD
from ulna.scenario import disturbances

MEMBERS = 5
CLOSE = 1e-10  # over a second, to the single engine
TWO = Arm.rods([1.0, 1.0], [1.0, 1.0])
ROD = Arm.rods([1.0], [3.0], gravity=(0.0, 0.0))  # of inertia 1 kg·m²
START = {"q0": [0.1, 0.5], "duration": 0.01}


def versions_of_the_engine():
    """Count for how many types of arguments the engine is compiled, which takes half a minute."""
    from ulna.simulation.engine.block import run_blocks, run_by_address

    kinds = {signature for signature, _ in run_blocks.addresses}
    return len(kinds) + len(run_by_address.entries)


@pytest.fixture(autouse=True, scope="module")
def compiled_once():
    simulate_batch(TWO, **START)
    before = versions_of_the_engine()
    assert before > 0
    yield
    assert versions_of_the_engine() == before


# Each option against ulna.simulate


@pytest.mark.parametrize("between", ["hold", "linear"])
def test_rows_dt_apart_and_rows_at_times_of_all(random_arm, arm_of, between):
    random = np.random.default_rng(4)
    arms = random_arm(random, 2, (MEMBERS,), whole=True)
    rows = random.uniform(-3.0, 3.0, (MEMBERS, 6, 2))
    forces = random.uniform(-3.0, 3.0, (MEMBERS, 3, 3))
    times = [0.0, 0.013, 0.02, 0.05, 0.1, 0.15]
    options = {"q0": [0.1, 0.2], "duration": 0.2, "dt": 2e-3, "between": between}
    held = "its 6 rows are dt = 0.002 s apart"
    with pytest.warns(ulna.UlnaWarning, match=held):
        spread = simulate_batch(arms, torque=rows, tip_force=([0.1, 0.15, 0.19], forces), **options)
    timed = simulate_batch(arms, torque=(times, rows), **options)
    for b in range(MEMBERS):
        arm, same = arm_of(arms, b), {**options, "method": "rk4", "samples": 1}
        force = ([0.1, 0.15, 0.19], forces[b])
        with pytest.warns(ulna.UlnaWarning, match=held):
            alone = simulate(arm, torque=rows[b], tip_force=force, **same)
        assert spread.final.q[b] == pytest.approx(alone.q[-1], rel=0.0, abs=CLOSE)
        alone = simulate(arm, torque=(times, rows[b]), **same)
        assert timed.final.q[b] == pytest.approx(alone.q[-1], rel=0.0, abs=CLOSE)


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
    from ulna.simulation.batch import spec

    options = {
        "q0": [[0.0, 0.5], [0.1, 0.2]], "duration": 0.1, "controller": PD(20.0, 2.0),
        "reference": lambda t: [np.sin(t), t],
    }  # fmt: skip
    before = simulate_batch(TWO, **options)
    monkeypatch.setattr(spec, "MOST_TICKS", 10)
    assert simulate_batch(TWO, **options).q.tolist() == before.q.tolist()


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
    options = {"q0": [0.0, 0.0], "duration": 0.01, "keep_torques": True}
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
    run = simulate_batch(TWO, q0=[0.0, 0.5], duration=0, torque=torque, keep_torques=True)
    assert run.tau[0].tolist() == [[1.0, 2.0]]


def test_arrays_may_be_of_any_kind(random_arm):
    random = np.random.default_rng(8)
    arms = random_arm(random, 2, (MEMBERS,), whole=True)
    q0 = random.integers(-1, 2, (MEMBERS, 2))
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


def test_nothing_that_was_given_is_changed():
    given = {
        "q0": np.array([0.1, 0.2]), "qd0": np.ones((3, 2)), "torque": np.ones((3, 10, 2)),
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


@tabular(
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
