"""Laws of batches: an arm does what it would do alone, whoever stands beside it.

Batches are drawn at random: arms, starts, inputs, controllers, sensors, noise, stops, and members
that cannot run or do not come through. What is said of bits is meant of every one of them.
"""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import cache

import numpy as np
import pytest

import ulna
from own_runs import assert_moves_as_alone
from tabular import tabular
from ulna import Sensors, simulate, simulate_batch
from ulna.control import (
    PD,
    PID,
    Adaptive,
    ComputedTorque,
    FeedforwardPID,
    GravityPD,
    OpenLoop,
)
from ulna.dynamics import kinetic_energy, potential_energy
from ulna.scenario.disturbances import noise, pulse, step

# Tables that are drawn end before the runs, whose laws hold after that as well.
pytestmark = pytest.mark.filterwarnings("ignore:torque. its 20 rows:ulna.UlnaWarning")

DRAWS = 20
METHODS = ("rk4", "semi-implicit", "gauss4", "dop853")
LAWS = (
    PD(20.0, 2.0), PD(30.0, 1.0), PID(20.0, 2.0, 5.0), GravityPD(20.0, 2.0), ComputedTorque(),
    FeedforwardPID(20.0, 3.0, 1.0), Adaptive(), OpenLoop(),
)  # fmt: skip
TEXTS = (
    "2*sin(9*t)", "sqrt(0.05 - t)", "1/(q1 - 0.2)", "x*3 + y if t > 0.03 else qd1", "0",
    "5 % (q1 + 0.3)", "log(t)", "asin(5*t) + atan2(x, y)", "max(min(t, 0.1), q1)",
)  # fmt: skip
FAR = (1e6, 3e7, 1e9, 1e15)  # [rad]: turns that take another road through the sine


def drawn(random, n, members, *, limited=False, damped=True):
    """Draw arms that differ in everything, half of them with rotors, half of them with stops."""
    shape = (members, n)
    free = np.full(shape, np.inf)
    geared = random.uniform(size=(members, 1)) < 0.5
    stopped = limited & (random.uniform(size=(members, 1)) < 0.5)
    return ulna.Parameters(
        length=random.uniform(0.3, 1.0, shape),
        mass=random.uniform(0.5, 2.0, shape),
        com=random.uniform(0.0, 0.8, shape),
        com_offset=random.uniform(-0.1, 0.1, shape),
        inertia=random.uniform(0.01, 0.05, shape),
        tip_mass=random.uniform(0.0, 0.5, shape),
        damping=random.uniform(0.0, 0.5, shape) * damped,
        coulomb=np.zeros(shape),
        static=np.zeros(shape),
        stribeck_velocity=np.ones(shape),
        drag=np.zeros(shape),
        rotor_inertia=random.uniform(0.0, 1e-4, shape) * geared,
        gear_ratio=random.uniform(5.0, 30.0, shape),
        lower=np.where(stopped, -random.uniform(0.35, 1.0, shape), -free),
        upper=np.where(stopped, random.uniform(0.35, 1.0, shape), free),
        max_velocity=free,
        max_torque=np.where(random.uniform(size=shape) < 0.3, random.uniform(1.0, 5.0), free),
        gravity=random.uniform(-10.0, 10.0, (members, 2)),
        base=random.uniform(-1.0, 1.0, (members, 2)),
    )


def spoil(random, each):
    """Make a third of the members such that they cannot run, get lost, or are hard to compute."""
    arms, q0, qd0 = each["arms"], each["q0"], each["qd0"]
    for b, fate in enumerate(random.integers(0, 20, len(q0))):
        if fate == 0:
            arms.mass[b, 0] = np.nan
        elif fate == 1:
            q0[b, 0] = np.nan
        elif fate == 2:
            q0[b] = random.choice(FAR)
        elif fate == 3:
            arms.damping[b] = 1e9
        elif fate == 4:
            qd0[b] = 1e7
        elif fate == 5:
            q0[b] = np.where(np.isfinite(arms.upper[b]), arms.upper[b], 0.0)
        elif fate == 6:
            arms.gravity[b] = 0.0


def inputs(random, n, members):
    """Draw torques or forces for each arm, in one of the ways that they can be given."""
    kind = random.integers(0, 5)
    if kind == 0:
        texts = random.choice(TEXTS, (members, n)).tolist()
        return {"torque": texts}
    if kind == 1:
        rows = random.uniform(-5.0, 5.0, (members, 20, n))
        return {"torque": np.where(random.uniform(size=rows.shape) < 0.01, np.nan, rows)}
    if kind == 2:
        tables = [
            (np.sort(random.uniform(0.0, 0.2, 4)), random.uniform(-3.0, 3.0, (4, n)))
            for _ in range(members)
        ]
        return {"torque": [None if random.uniform() < 0.5 else table for table in tables]}
    if kind == 3:
        pushed = random.uniform(size=(members, 1)) < 0.5
        return {"tip_force": np.where(pushed, random.uniform(-3.0, 3.0, (members, 3)), 0.0)}
    return {}


def control(random, n, members, rate):
    """Draw a controller for each arm, what it follows, and how it sees."""
    found = {"controller": [LAWS[k] for k in random.integers(0, len(LAWS), members)]}
    if random.uniform() < 0.4:
        found["reference"] = [
            (lambda t, w=w: [w * np.sin(9.0 * t)] * n) if w > 0.0 else [0.1] * n
            for w in random.uniform(-0.2, 1.0, members)
        ]
    elif random.uniform() < 0.5:
        found["reference"] = random.uniform(-0.3, 0.3, (members, n))
    if random.uniform() < 0.5:
        found["sensors"] = [
            Sensors(angle_noise=1e-3 * a, angle_resolution=1e-3 * b, delay=c / rate, seed=int(d))
            for a, b, c, d in random.integers(0, 2, (members, 4))
        ]
    return found


def batch(seed):
    """Draw a batch: what its members have in common, and what each has of its own."""
    random = np.random.default_rng(seed)
    n, members = int(random.choice([1, 2, 3, 5])), int(random.choice([2, 15, 16, 17, 33]))
    common = {
        "method": METHODS[seed % 4],
        "duration": 0.15,
        "dt": float(random.choice([1e-3, 3e-3])),
        "restitution": float(random.choice([0.0, 0.5, 1.0])),
        "rate": float(random.choice([100.0, 333.0])),
        "between": str(random.choice(["hold", "linear"])),
        "samples": [0.0, 0.0123, 0.05, 0.1, 0.149, 0.15],
        "keep_torques": True,
    }
    each = {
        "arms": drawn(random, n, members, limited=random.uniform() < 0.6),
        "q0": random.uniform(-0.3, 0.3, (members, n)),
        "qd0": random.uniform(-3.0, 3.0, (members, n)),
        "seeds": random.integers(0, 5, members),
    }
    spoil(random, each)
    each |= inputs(random, n, members)
    if random.uniform() < 0.6:
        each |= control(random, n, members, common["rate"])
    if random.uniform() < 0.5:
        pushes = (
            [noise([1.0] * n, rate=50.0, seed=1), step([0.5] * n, at=0.03)],
            [noise([0.0] * n, rate=50.0, seed=1), step([0.1] * n, at=0.03)],
            [pulse(force=[1.0, 0.0], at=0.01, lasting=0.03)],
        )
        each["disturbances"] = [pushes[k] for k in random.integers(0, 3, members)]
    return random, common, each


def swing(seed):
    """Run such a batch on two threads."""
    _, common, each = batch(seed)
    return simulate_batch(**each, **common, threads=2)


@cache
def whole_of(seed):
    """Run such a batch on one thread, once for all tests."""
    _, common, each = batch(seed)
    return simulate_batch(**each, **common, threads=1)


def chosen(each, rows):
    """Give what some members have of their own."""
    rows = np.asarray(rows)
    return {
        name: values.rows(rows)
        if isinstance(values, ulna.Parameters)
        else [values[b] for b in rows]
        if isinstance(values, list)
        else values[rows]
        for name, values in each.items()
    }


def assert_same_bits(run, rows, whole):
    """Say that a batch is those rows of another one, to the last bit."""
    rows = np.asarray(rows)
    for name in ("q", "qd", "t_end"):
        ours, theirs = getattr(run, name), np.ascontiguousarray(getattr(whole, name)[rows])
        assert np.array_equal(ours.view(np.int64), theirs.view(np.int64))
    assert np.array_equal(run.tau, whole.tau[rows], equal_nan=True)
    assert run.status.codes.tolist() == whole.status.codes[rows].tolist()


# An arm does not depend on those beside it


@pytest.mark.parametrize("seed", range(DRAWS))
def test_neighbours_places_sizes_and_threads_change_no_bit(seed):
    random, common, each = batch(seed)
    whole = whole_of(seed)
    everyone = np.arange(len(whole))
    assert_same_bits(simulate_batch(**each, **common, threads=3), everyone, whole)
    mixed = random.permutation(everyone)
    assert_same_bits(simulate_batch(**chosen(each, mixed), **common, threads=2), mixed, whole)
    few = mixed[: len(mixed) // 3 + 1]
    assert_same_bits(simulate_batch(**chosen(each, few), **common), few, whole)
    for b in mixed[:3]:
        assert_same_bits(simulate_batch(**chosen(each, [b]), **common), [b], whole)


def test_the_draw_is_of_all_that_can_happen():
    endings, names = set(), set()
    for seed in range(DRAWS):
        endings |= set(whole_of(seed).status.counts())
        names |= set(batch(seed)[2])
    assert endings >= {"done", "diverged", "stalled", "bad torque", "bad start", "bad arm"}
    assert names >= {"torque", "tip_force", "controller", "reference", "sensors", "disturbances"}


def test_many_more_arms_beside_it_change_no_bit():
    random = np.random.default_rng(0)
    arms, q0 = drawn(random, 2, 5000), random.uniform(-1.0, 1.0, (5000, 2))
    whole = simulate_batch(arms, q0=q0, duration=0.1, keep_torques=True)
    for first, last in ((0, 1), (1234, 1300), (4999, 5000)):
        some = np.arange(first, last)
        part = simulate_batch(arms.rows(some), q0=q0[some], duration=0.1, keep_torques=True)
        assert_same_bits(part, some, whole)


# An arm does what it does alone


def test_one_step_is_the_single_engines_to_thirteen_digits(arm_of):
    random = np.random.default_rng(1)
    for n in (1, 2, 3, 7):
        arms = drawn(random, n, 20)
        q0, qd0 = random.uniform(-3.0, 3.0, (2, 20, n))
        tau = random.uniform(-3.0, 3.0, (20, n))
        run = simulate_batch(arms, q0=q0, qd0=qd0, torque=tau, duration=1e-3)
        for b in range(20):
            alone = simulate(
                arm_of(arms, b), q0=q0[b], qd0=qd0[b], torque=tau[b], duration=1e-3, samples=1,
                method="rk4",
            )  # fmt: skip
            gap = np.abs(np.append(run.final.q[b] - alone.q[-1], run.final.qd[b] - alone.qd[-1]))
            assert gap.max() <= 1e-13 * max(1.0, np.abs(alone.qd[-1]).max())


def alone(each, common, b, arm_of):
    """Run a member by itself; None where the single engine refuses it or draws other numbers."""
    own = {name: values[b] for name, values in each.items() if name not in ("arms", "seeds")}
    noisy = any(one.rate for one in own.get("disturbances", ())) or "sensors" in own
    if noisy and each["seeds"][b] != 0:
        return None
    if isinstance(own.get("torque"), np.ndarray) and not np.isfinite(own["torque"]).all():
        return None
    options = {name: value for name, value in common.items() if name != "keep_torques"} | own
    if common["method"] == "dop853":
        options["rtol"] = None
    return simulate(arm_of(each["arms"], b), **options)


@pytest.mark.filterwarnings("ignore::ulna.UlnaWarning")  # runs are compared, stable or not
def test_a_whole_batch_ends_as_its_members_do_alone(arm_of):
    reasons = []
    for seed in range(16):
        _, common, each = batch(seed)
        run = whole_of(seed)
        started = ~np.isin(run.status.reason, ("bad arm", "bad start"))
        for b in np.flatnonzero(started)[:8]:
            one = alone(each, common, b, arm_of)
            if one is None:
                continue
            reasons.append(one.status.reason)
            assert_moves_as_alone(run, b, one, 1e-10)
    assert len(reasons) > 60
    assert set(reasons) >= {"done", "diverged", "stalled", "bad torque"}


FIVE = range(5)  # members of the batches below
MODEL = ulna.Arm.rods([1.0, 1.0], [1.0, 1.0])
CONTROLLERS = {
    "PD": [PD(20.0 + b, [2.0, 1.0]) for b in FIVE],
    "PID": [PID(20.0, 2.0, 5.0 + b) for b in FIVE],
    "GravityPD": [GravityPD(20.0, 2.0 + b, measured=b % 2 == 0) for b in FIVE],
    "ComputedTorque": [ComputedTorque(5.0 + b) for b in FIVE],
    "believing": [ComputedTorque(5.0, model=MODEL)] * 3 + [ComputedTorque(5.0)] * 2,
    "FeedforwardPID": [FeedforwardPID(20.0, 3.0, 1.0)] * 5,
    "Adaptive": [Adaptive()] * 5,
    "mixed": [OpenLoop(), PD(20.0, 2.0), Adaptive(), PID(20.0, 2.0, 5.0), ComputedTorque()],
}
REFERENCES = [lambda t, b=b: [0.2 * np.sin(t + b), 0.3 * t] for b in range(4)] + [[0.1, 0.2]]


def driven(random, n, kind):
    """Draw what drives five arms: formulas, tables, or disturbances of arms that are sensed."""
    if kind == "formulas":
        waves = [
            [f"{a}*sin({w}*t) + {a}*cos(q{i + 1}) - x*y" for i, (a, w) in enumerate(pairs)]
            for pairs in random.uniform(-3.0, 3.0, (5, n, 2)).round(3)
        ]
        forces = ["1, 2", ["t", "sin(t)*x", "qd1"], [1.0, 2.0, 3.0], None, "max(t, 0.5), y, 1"]
        return {"torque": waves, "tip_force": forces}
    if kind == "tables":
        rows = (1, 4, 4, 7, 7)
        times = [np.sort(random.uniform(0.0, 1.0, k)) for k in rows]
        return {"torque": [(t, random.uniform(-3.0, 3.0, (len(t), n))) for t in times]}
    pushes = [
        [step([1.0, 0.0], at=0.1 + 0.1 * (b % 2)), noise([0.5, 0.2], rate=77.0, seed=b),
         pulse(force=[1.0, 2.0], at=0.33, lasting=0.1)][: 1 + b % 3]
        for b in FIVE
    ]  # fmt: skip
    sensors = [
        Sensors(angle_noise=1e-3 * (b % 2), rate_noise=1e-2, angle_resolution=1e-3,
                delay=b % 3 / 250.0, seed=b % 2)
        for b in FIVE
    ]  # fmt: skip
    return {"sensors": sensors, "disturbances": pushes, "controller": CONTROLLERS["PD"]}


SECONDS = (
    [(n, {"method": method}, {}) for n in (1, 2, 3, 7) for method in METHODS]
    + [(n, {"method": method, "restitution": bounce}, "stops")
       for n in (1, 2) for method in METHODS for bounce in (0.0, 0.5)]
    + [(1, {}, "formulas"), (3, {}, "formulas")]
    + [(2, {"between": between}, "tables") for between in ("hold", "linear")]
    + [(2, {"rate": 300.0}, {"controller": laws, "reference": REFERENCES})
       for laws in CONTROLLERS.values()]
    + [(2, {}, {"controller": [PD(20.0, 2.0)] * 5, "reference": [[0.1 * b, -0.2] for b in FIVE]})]
    + [(2, {"rate": 250.0}, "disturbed")]
)  # fmt: skip


@pytest.mark.filterwarnings("ignore::ulna.UlnaWarning")  # runs are compared, stable or not
@tabular(("n", "options", "kind"), SECONDS, ids=lambda one: str(one)[:60])
def test_a_second_is_the_single_engines_to_ten_digits(n, options, kind, arm_of):
    random = np.random.default_rng(n)
    common = {"duration": 1.0, "samples": [0.0, 0.1234, 0.5, 0.99999, 1.0]} | options
    each = {"q0": random.uniform(-0.3, 0.3, (5, n)), "qd0": random.uniform(-1.0, 1.0, (5, n))}
    if isinstance(kind, dict):
        each |= kind
    elif kind != "stops":
        each |= driven(random, n, kind)
    arms = drawn(random, n, 5, limited=kind == "stops")
    run = simulate_batch(arms, seeds=[0] * 5, keep_torques=True, **common, **each)
    one = {"rtol": None} if common.get("method") == "dop853" else {"method": "rk4"}
    for b in FIVE:
        own = simulate(arm_of(arms, b), **(one | common), **{k: v[b] for k, v in each.items()})
        assert_moves_as_alone(run, b, own, 1e-10)
        assert own.status.reason == "done"


# Physics


def test_gauss4_keeps_the_energy_of_every_arm():
    random = np.random.default_rng(3)
    arms = drawn(random, 2, 40, damped=False)
    q0, qd0 = random.uniform(-3.0, 3.0, (2, 40, 2))
    run = simulate_batch(arms, q0=q0, qd0=qd0, duration=10.0, dt=2e-3, method="gauss4", samples=50)
    assert run.status
    each = arms.per_sample()
    energy = kinetic_energy(each, run.q, run.qd) + potential_energy(each, run.q)
    weight = (arms.mass + arms.tip_mass).sum(axis=-1) * np.hypot(*arms.gravity.T)
    size = weight * arms.length.sum(axis=-1) + kinetic_energy(each, run.q, run.qd).max(axis=-1)
    assert (np.abs(energy - energy[:, :1]).max(axis=-1) <= 1e-6 * size).all()


def test_mirrored_arms_move_as_mirror_images():
    random = np.random.default_rng(4)
    arms = drawn(random, 2, 30)
    q0, qd0, tau = random.uniform(-1.0, 1.0, (3, 30, 2))
    # In a mirror beside the x axis all angles and torques change their signs.
    flip = np.array([1.0, -1.0])
    mirror = arms._replace(
        com_offset=-arms.com_offset, gravity=arms.gravity * flip, base=arms.base * flip
    )
    run = simulate_batch(arms, q0=q0, qd0=qd0, torque=tau, duration=0.5)
    image = simulate_batch(mirror, q0=-q0, qd0=-qd0, torque=-tau, duration=0.5)
    assert np.abs(run.final.q + image.final.q).max() <= 1e-11


def test_stops_hold_every_arm_within_its_limits():
    random = np.random.default_rng(5)
    arms = drawn(random, 3, 48, limited=True)
    q0, qd0 = random.uniform(-0.3, 0.3, (2, 48, 3))
    for restitution in (0.0, 0.6):
        run = simulate_batch(
            arms, q0=q0, qd0=9.0 * qd0, duration=0.5, samples=200, restitution=restitution
        )
        assert run.status
        assert (run.q >= arms.lower[:, None] - 1e-9).all()
        assert (run.q <= arms.upper[:, None] + 1e-9).all()


# One bad member spoils nobody


def test_every_lane_may_hold_the_bad_one():
    random = np.random.default_rng(6)
    q0 = random.uniform(-1.0, 1.0, (16, 2))
    arm = ulna.Arm.rods([1.0, 1.0], [1.0, 1.0])
    good = simulate_batch(arm, q0=q0, duration=0.02, keep_torques=True)
    texts = ["0, 0"] * 16
    for lane in range(16):
        others = np.delete(np.arange(16), lane)
        broken, qd0, rows = q0.copy(), np.zeros((16, 2)), list(texts)
        broken[lane], reason = np.nan, "bad start"
        if lane % 3 == 1:
            broken, reason = q0, "diverged"
            qd0[lane] = 9e8
        elif lane % 3 == 2:
            broken, rows[lane], reason = q0, "sqrt(0.01 - t), 0", "bad torque"
        run = simulate_batch(
            arm, q0=broken, qd0=qd0, torque=rows if lane % 3 == 2 else None, duration=0.02,
            keep_torques=True,
        )  # fmt: skip
        assert run.status[lane].reason == reason
        assert np.isnan(run.final.q[lane]).all()
        assert run.q[others].tolist() == good.q[others].tolist()
        assert run.qd[others].tolist() == good.qd[others].tolist()


def test_nothing_but_bad_members_is_a_batch_too():
    arm = ulna.Arm.rods([1.0, 1.0], [1.0, 1.0])
    run = simulate_batch(arm, q0=np.full((20, 2), np.nan), duration=1.0, samples=4)
    assert run.status.counts() == {"bad start": 20}
    assert np.isnan(run.q).all()


# Other engines


def rods(random, members, n):
    lengths, masses = random.uniform(0.5, 1.5, (2, members, n))
    arms = ulna.stack([ulna.Arm.rods(*arm) for arm in zip(lengths, masses, strict=True)])
    return lengths, masses, arms, random.uniform(-1.0, 1.0, (members, n))


def test_the_same_steps_with_pinocchios_accelerations_go_the_same_way():
    pinocchio = pytest.importorskip("pinocchio", reason="Pinocchio has no wheel for this platform")
    lengths, masses, arms, q0 = rods(np.random.default_rng(7), 4, 3)
    h, steps = 2e-3, 50
    run = simulate_batch(arms, q0=q0, duration=h * steps, dt=h)
    for b in range(4):
        model, parent, start = pinocchio.Model(), 0, 0.0
        model.gravity.linear = np.array([0.0, -9.81, 0.0])
        for length, mass in zip(lengths[b], masses[b], strict=True):
            place = pinocchio.SE3(np.eye(3), np.array([start, 0.0, 0.0]))
            parent = model.addJoint(parent, pinocchio.JointModelRZ(), place, f"joint {parent}")
            turning = mass * length**2 / 12.0 * np.eye(3)
            body = pinocchio.Inertia(mass, np.array([0.5 * length, 0.0, 0.0]), turning)
            model.appendBodyToJoint(parent, body, pinocchio.SE3.Identity())
            start = length
        data, none = model.createData(), np.zeros(3)

        def slope(y, model=model, data=data, none=none):
            return np.concatenate([y[3:], pinocchio.aba(model, data, y[:3], y[3:], none)])

        y = np.append(q0[b], none)
        for _ in range(steps):
            first = slope(y)
            second = slope(y + 0.5 * h * first)
            third = slope(y + 0.5 * h * second)
            y = y + h / 6.0 * (first + 2.0 * second + 2.0 * third + slope(y + h * third))
        assert np.append(run.final.q[b], run.final.qd[b]) == pytest.approx(y, rel=0.0, abs=1e-11)


def test_mujocos_rollout_of_many_models_goes_the_same_way():
    mujoco = pytest.importorskip("mujoco")
    from mujoco import rollout

    lengths, masses, arms, q0 = rods(np.random.default_rng(8), 6, 2)
    h, steps, models = 1e-3, 100, []
    for b in range(6):
        spec = mujoco.MjSpec()
        spec.option.gravity, spec.option.timestep = [0.0, -9.81, 0.0], h
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
        body, start = spec.worldbody, 0.0
        for length, mass in zip(lengths[b], masses[b], strict=True):
            body = body.add_body(pos=[start, 0.0, 0.0])
            body.mass, body.ipos, body.explicitinertial = mass, [0.5 * length, 0.0, 0.0], True
            body.inertia = [mass * length**2 / 12.0] * 3
            body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0.0, 0.0, 1.0])
            start = length
        models.append(spec.compile())
    start = np.hstack([np.zeros((6, 1)), q0, np.zeros((6, 2))])
    state, _ = rollout.rollout(models, mujoco.MjData(models[0]), start, nstep=steps)
    run = simulate_batch(arms, q0=q0, duration=h * steps, dt=h)
    assert np.abs(run.final.q - state[:, -1, 1:3]).max() <= 1e-9


# Threads and processes of users


def test_several_threads_may_run_batches_at_once():
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(swing, range(8)))
    for seed, again in enumerate(together):
        assert_same_bits(again, np.arange(len(again)), whole_of(seed))


def go_on(simulation):
    """Advance arms that came from another process."""
    simulation.advance(steps=20)
    return simulation


def test_spawned_processes_may_run_batches_and_go_on_with_them():
    seeds, stopped = (3, 4), [ulna.Joint(lower=-0.2, upper=0.2)] * 2
    batch = ulna.BatchSimulation(
        MODEL.replace(joints=stopped), q0=np.zeros((5, 2)), controller=PID(1.0, 0.0, 1.0)
    )
    batch.advance(steps=100)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        for seed, again in zip(seeds, pool.map(swing, seeds), strict=True):
            assert_same_bits(again, np.arange(len(again)), whole_of(seed))
        (there,) = pool.map(go_on, [batch])
    go_on(batch)
    assert (there.q.tolist(), there.qd.tolist()) == (batch.q.tolist(), batch.qd.tolist())
    assert there.t == batch.t
