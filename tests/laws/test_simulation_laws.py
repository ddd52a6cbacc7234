"""Laws of motion that a run must keep, whatever the arm and whatever acts on it.

Arms are drawn with rotors, damping, centres of mass off their links and gravity from anywhere; what
acts on them is text, a force on the tip, stops. Energies and momenta are those of the closed form.
"""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ulna
from ulna import Arm, Joint, Link, Simulation, simulate
from ulna.dynamics import kinetic_energy, mass_matrix, potential_energy

thorough = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
seeds = st.integers(0, 2**32 - 1)
# Two sizes that are compiled one by one, and one from among all the others.
links = st.sampled_from([1, 2, 2, 5])
FIXED = ("rk4", "semi-implicit", "gauss4")


def drawn(seed, n, *, damped=True, limited=False, rotors=True, flat=False):
    """Draw an arm, a state within its limits, and what acts on it."""
    random = np.random.default_rng(seed)
    bodies = [
        Link(
            length=random.uniform(0.3, 1.0),
            mass=random.uniform(0.5, 2.0),
            com=random.uniform(0.0, 0.8),
            com_offset=random.uniform(-0.1, 0.1),
            inertia=random.uniform(0.01, 0.05),
            tip_mass=random.uniform(0.0, 0.5),
        )
        for _ in range(n)
    ]
    joints = [
        Joint(
            damping=random.uniform(0.0, 0.5) if damped else 0.0,
            rotor_inertia=random.uniform(0.0, 1e-4) if rotors else 0.0,
            gear_ratio=random.choice([-1.0, 1.0]) * random.uniform(5.0, 30.0),
            lower=-random.uniform(0.3, 1.0) if limited else -np.inf,
            upper=random.uniform(0.3, 1.0) if limited else np.inf,
        )
        for _ in range(n)
    ]
    gravity = (0.0, 0.0) if flat else random.uniform(-10.0, 10.0, 2)
    arm = Arm(tuple(bodies), tuple(joints), gravity=tuple(gravity), base=(0.3, -0.2))
    q, qd = random.uniform(-0.3, 0.3, n), random.uniform(-1.0, 1.0, n)
    waves = [
        f"{a:.3f}*sin({b:.3f}*t) + {c:.3f}*cos(q{i + 1})"
        for i, (a, b, c) in enumerate(random.uniform(-3.0, 3.0, (n, 3)))
    ]
    force = random.uniform(-3.0, 3.0, 3)
    return arm, q, qd, waves, force


def energy_scale(run):
    """Give the size of what is exchanged: kinetic energy, and what gravity could give."""
    arm = run.arm
    weight = arm.mass * np.hypot(*arm.gravity) * arm.reach
    return weight + run.energy.kinetic.max() + np.abs(run.injected).max() + run.dissipated.max()


# Energy


@thorough
@given(seed=seeds, n=links)
def test_what_goes_in_comes_out_or_is_kept(seed, n):
    arm, q, qd, waves, force = drawn(seed, n)
    run = simulate(arm, q0=q, qd0=qd, torque=waves, tip_force=force, duration=0.5, samples=20)
    assert run.status
    assert np.abs(run.energy.balance_error).max() <= 1e-6 * energy_scale(run)
    assert (np.diff(run.dissipated) >= 0.0).all()


@settings(thorough, derandomize=True)
@given(seed=seeds, n=links, restitution=st.sampled_from([0.0, 0.4, 1.0]))
def test_blows_against_stops_are_accounted_for(seed, n, restitution):
    arm, q, qd, waves, force = drawn(seed, n, limited=True)
    run = simulate(
        arm, q0=q, qd0=6.0 * qd, torque=waves, tip_force=force, duration=0.5, samples=20,
        restitution=restitution,
    )  # fmt: skip
    assert run.status
    assert np.abs(run.energy.balance_error).max() <= 1e-6 * energy_scale(run)
    lower, upper = arm.parameters.lower, arm.parameters.upper
    assert (run.q >= lower - 1e-9).all()
    assert (run.q <= upper + 1e-9).all()
    assert (np.diff(run.dissipated) >= -1e-9 * energy_scale(run)).all()


@pytest.mark.parametrize(
    ("method", "part"), [("rk4", 1e-6), ("gauss4", 1e-6), ("semi-implicit", 2e-2)]
)
def test_methods_with_fixed_steps_balance_as_well_as_they_compute(method, part):
    for seed in range(5):
        arm, q, qd, waves, force = drawn(seed, 2)
        run = simulate(
            arm, q0=q, qd0=qd, torque=waves, tip_force=force, duration=0.5, samples=20,
            method=method,
        )  # fmt: skip
        assert np.abs(run.energy.balance_error).max() <= part * energy_scale(run)


def test_injected_is_the_work_of_torques_and_of_the_tip_force():
    # Work along the way, summed by Simpson's rule over the recorded power.
    arm, q, qd, waves, force = drawn(11, 2)
    run = simulate(arm, q0=q, qd0=qd, torque=waves, tip_force=force, duration=0.5, samples=2001)
    power = np.sum(run.tau * run.qd, axis=-1) + np.sum(run.tip_force * run.tip_velocity, axis=-1)
    lost = run.qd**2 @ arm.parameters.damping
    for rate, total in ((power, run.injected), (lost, run.dissipated)):
        step = run.t[2] - run.t[0]
        work = np.sum(step / 6.0 * (rate[:-2:2] + 4.0 * rate[1:-1:2] + rate[2::2]))
        assert total[-1] == pytest.approx(work, rel=1e-9)
        assert total[0] == 0.0


# Angular momentum


@thorough
@given(seed=seeds, n=st.sampled_from([2, 2, 5]))
def test_without_gravity_and_base_torque_angular_momentum_is_kept(seed, n):
    arm, q, qd, waves, _ = drawn(seed, n, damped=False, rotors=False, flat=True)
    # Every joint but the first pushes and brakes as it likes.
    waves[0] = 0.0
    run = simulate(arm, q0=q, qd0=qd, torque=waves, duration=0.5, samples=10)
    momentum = (mass_matrix(arm, run.q) @ run.qd[..., None])[:, 0, 0]
    size = np.abs(mass_matrix(arm, run.q)[:, 0] * run.qd).sum(axis=-1).max()
    assert np.abs(momentum - momentum[0]).max() <= 1e-8 * size


def test_stops_between_links_keep_it_too():
    arm, q, _, _, _ = drawn(7, 2, damped=False, rotors=False, flat=True)
    second = Joint(lower=-0.4, upper=0.4)
    arm = arm.replace(joints=(Joint(), second))
    run = simulate(arm, q0=q, qd0=[1.0, 4.0], duration=1.0, samples=50, restitution=0.7)
    assert len([c for c in run.contacts if c.what == "hit"]) >= 3
    momentum = (mass_matrix(arm, run.q) @ run.qd[..., None])[:, 0, 0]
    assert momentum == pytest.approx(momentum[0], rel=1e-8)


# Time


@thorough
@given(seed=seeds, n=links)
def test_gauss4_runs_backwards_to_where_it_came_from(seed, n):
    arm, q, qd, _, _ = drawn(seed, n, damped=False)
    there = simulate(arm, q0=q, qd0=qd, duration=0.3, method="gauss4", samples=2)
    back = simulate(
        arm, q0=there.q[-1], qd0=-there.qd[-1], duration=0.3, method="gauss4", samples=2
    )
    size = 1.0 + np.abs(there.qd).max()
    assert back.q[-1] == pytest.approx(q, rel=0.0, abs=1e-10 * size)
    assert back.qd[-1] == pytest.approx(-qd, rel=0.0, abs=1e-10 * size)


def test_a_run_may_begin_at_any_time_of_day():
    # Without anything that depends on t, only the time that passes counts.
    arm, q, qd, _, _ = drawn(3, 2)
    once = Simulation(ulna.Scenario(arm=arm, q0=q, qd0=qd))
    once.advance(1.0)
    again = Simulation(ulna.Scenario(arm=arm, q0=once.q, qd0=once.qd))
    once.advance(0.5)
    again.advance(0.5)
    assert again.q == pytest.approx(once.q, rel=0.0, abs=1e-9)


# What is looked at does not change what is seen


@pytest.mark.parametrize("method", FIXED)
@pytest.mark.parametrize("kind", ["free", "text", "stops", "controlled"])
def test_samples_change_nothing_to_the_last_bit(method, kind):
    arm, q, qd, waves, _ = drawn(5, 2, limited=kind == "stops")
    options = {
        "free": {},
        "text": {"torque": waves},
        "stops": {"qd0": 5.0 * qd, "restitution": 0.5},
        "controlled": {"controller": ulna.control.PD(20.0, 1.0), "rate": 300.0},
    }[kind]
    options = {"q0": q, "qd0": qd, "duration": 0.4, "method": method, **options}
    plain = simulate(arm, samples=2, **options)
    random = np.sort(np.random.default_rng(1).uniform(0.0, 0.4, 57))
    for samples in (None, 1, 3, 400, np.append(random, 0.4)):
        run = simulate(arm, samples=samples, **options)
        assert run.q[-1].tolist() == plain.q[-1].tolist()
        assert run.qd[-1].tolist() == plain.qd[-1].tolist()
        assert run.injected[-1] == plain.injected[-1]


def test_samples_change_nothing_of_an_adaptive_run_either():
    arm, q, qd, waves, force = drawn(6, 2, limited=True)
    options = {"q0": q, "qd0": 3.0 * qd, "duration": 0.5, "torque": waves, "tip_force": force}
    ends = [simulate(arm, samples=samples, **options).q[-1] for samples in (1, 2, 37, 500)]
    assert all(end.tolist() == ends[0].tolist() for end in ends)


@pytest.mark.parametrize("method", FIXED)
def test_a_run_in_pieces_is_the_run_to_the_last_bit(method):
    arm, q, qd, waves, force = drawn(8, 2)
    options = {"q0": q, "qd0": qd, "torque": waves, "tip_force": force, "method": method}
    dt = 2.0**-9  # of which all multiples are exact
    whole, pieces = (Simulation(ulna.Scenario(arm=arm, dt=dt, **options)) for _ in range(2))
    whole.advance_to(200 * dt)
    for steps in (1, 2, 3, 50, 44, 100):
        pieces.advance(steps * dt)
    assert pieces.t == whole.t
    if method != "gauss4":
        assert pieces.q.tolist() == whole.q.tolist()
        assert pieces.qd.tolist() == whole.qd.tolist()
    # Gauss4 solves by iteration, and a piece begins with a guess of its own.
    assert pieces.q == pytest.approx(whole.q, rel=1e-13)


def test_a_run_in_pieces_is_the_run_under_a_controller_noise_and_stops():
    arm, q, qd, waves, _ = drawn(9, 2, limited=True)
    options = {
        "q0": q, "qd0": 3.0 * qd, "torque": waves,
        "controller": ulna.control.PD(20.0, 1.0), "rate": 256.0,
        "sensors": ulna.Sensors(angle_noise=1e-3, delay=2.0 / 256.0, seed=1),
        "disturbances": [ulna.scenario.disturbances.noise([1.0, 1.0], rate=128.0, seed=2)],
        "dt": 2.0**-10,
    }  # fmt: skip
    whole, pieces = (
        Simulation(ulna.Scenario(arm=arm, **options)),
        Simulation(ulna.Scenario(arm=arm, **options)),
    )
    whole.advance(1.0)
    for _ in range(64):
        pieces.advance(1.0 / 64.0)
    assert pieces.q == pytest.approx(whole.q, rel=0.0, abs=1e-9)
    assert pieces.qd == pytest.approx(whole.qd, rel=0.0, abs=1e-8)


# Chance


def test_the_same_seed_gives_the_same_run_and_another_one_another():
    arm, q, qd, _, _ = drawn(10, 2)

    def last(sensor_seed, push_seed):
        return simulate(
            arm, q0=q, qd0=qd, duration=0.3, samples=2, controller=ulna.control.PD(10.0, 1.0),
            sensors=ulna.Sensors(angle_noise=1e-2, rate_noise=1e-2, seed=sensor_seed),
            disturbances=[ulna.scenario.disturbances.noise([1.0, 1.0], seed=push_seed)],
        ).q[-1].tolist()  # fmt: skip

    assert last(1, 2) == last(1, 2)
    assert len({tuple(last(*pair)) for pair in [(1, 2), (2, 2), (1, 3), (2, 1)]}) == 4


# Energies of a state are those of the closed form


def test_a_free_arm_keeps_its_energy():
    arm, q, qd, _, _ = drawn(12, 2, damped=False)
    run = simulate(arm, q0=q, qd0=qd, duration=2.0, samples=100, rtol=1e-11)
    energy = kinetic_energy(arm, run.q, run.qd) + potential_energy(arm, run.q)
    assert np.abs(energy - energy[0]).max() <= 1e-8 * energy_scale(run)
    assert (run.injected == 0.0).all()
    assert (run.dissipated == 0.0).all()
