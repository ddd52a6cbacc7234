"""How errors grow along a plan: the laws of Φ, against runs, and under controllers."""

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib import import_module
from itertools import pairwise

import numpy as np
import pytest
from scipy.linalg import expm

import ulna
from ulna.analysis import stability
from ulna.analysis.error_growth import log_singular_values
from ulna.analysis.error_maps import Scaled, log_norms, magnus_maps, running_products
from ulna.analysis.linearised_controllers import controller_gains
from ulna.control import PD, PID, Adaptive, ComputedTorque, ControlTiming, FeedforwardPID, OpenLoop
from ulna.control.loop_stability import exponential
from ulna.dynamics import linearise, mass_matrix
from ulna.dynamics.chain import inverse_dynamics
from ulna.errors import InfeasibleError, InputError

ARM = ulna.preset("kehl")
CIRCLE = ulna.paths.circle((0.5, 0.2), 0.15)
PLAN = ulna.plan(ARM, CIRCLE, duration=2.0)
FLAT = ulna.Arm.rods([1.0], [3.0], gravity=(0.0, 0.0))  # 1 kg·m² about its joint
FIRM = FeedforwardPID((400.0, 150.0), (40.0, 12.0), (100.0, 40.0))
SWING = ulna.plan(FLAT, ulna.paths.joints([[0.0], [1.0]]), duration=2.0)


class OwnPID:
    """A controller that remembers an integral, and when it was asked last."""

    def start(self, arm):
        return (arm, np.zeros(arm.n), None)

    def torque(self, t, q, qd, reference, state):
        arm, gathered, last = state
        gap, faster = reference.q - q, reference.qd - qd
        gathered = gathered + gap * (0.0 if last is None else t - last)
        wanted = reference.qdd + 400.0 * gap + 40.0 * faster + 300.0 * gathered
        tau = inverse_dynamics(arm, reference.q, reference.qd, wanted)
        return tau, (arm, gathered, t)


class Box:
    def __init__(self, value):
        self.value = value


class OwnMemory(OwnPID):
    """The same, with a memory that nobody can look into."""

    def start(self, arm):
        return Box(super().start(arm))

    def torque(self, t, q, qd, reference, state):
        tau, after = super().torque(t, q, qd, reference, state.value)
        return tau, Box(after)


def momentum_frame(arm, q, qd, nudge=1e-6):
    """Give ∂(q, M q̇)/∂(q, q̇)."""
    n = arm.n
    frame = np.eye(2 * n)
    frame[n:, n:] = mass_matrix(arm, q)
    for j, step in enumerate(nudge * np.eye(n)):
        change = mass_matrix(arm, q + step) @ qd - mass_matrix(arm, q - step) @ qd
        frame[n:, j] = change / (2.0 * nudge)
    return frame


def differences(plan, size, **options):
    """Give ∂x(end)/∂x(0) by runs that start a little off."""
    start, columns = plan.trajectory(0.0), []
    for step in size * np.eye(2 * plan.arm.n):
        ends = []
        for sign in (1.0, -1.0):
            q, qd = np.split(np.concatenate(start[:2]) + sign * step, 2)
            final = ulna.simulate(plan.arm, q0=q, qd0=qd, samples=2, **options).final
            ends.append(np.concatenate([final.q, final.qd]))
        columns.append((ends[0] - ends[1]) / (2.0 * size))
    return np.stack(columns, axis=-1)


def phi_at(told, t):
    k = int(np.argmin(np.abs(told.t - t)))
    assert told.t[k] == pytest.approx(t)
    return told.phi[k]


def test_the_exponential_is_that_of_scipy():
    random = np.random.default_rng(1)
    for size in (1e-9, 0.1, 1.0, 30.0):
        matrices = size * random.normal(size=(20, 4, 4))
        assert exponential(matrices) == pytest.approx(expm(matrices), rel=1e-10, abs=1e-300)
    assert exponential(np.zeros((2, 3, 3))) == pytest.approx(np.stack([np.eye(3)] * 2))


def test_the_exponential_keeps_all_digits_of_entries_of_very_different_sizes():
    # A mass of 1 kg on a spring of 1e8 N/m, over a hundredth of its period.
    stiff, step = 1e8, 2.0 * math.pi / 1e4 / 100.0
    turn = math.sqrt(stiff) * step
    exact = [[math.cos(turn), math.sin(turn) / 1e4], [-1e4 * math.sin(turn), math.cos(turn)]]
    found = exponential(step * np.array([[0.0, 1.0], [-stiff, 0.0]]))
    assert found == pytest.approx(np.array(exact), rel=1e-15)


@pytest.mark.parametrize("ratio", [0.0, 0.5, 1.0 - 1e-3, 1.0 - 1e-12, 1.0])
def test_norms_are_the_largest_singular_values_however_close_the_next_is(ratio):
    random = np.random.default_rng(5)
    turns = [np.linalg.qr(random.normal(size=(20, 6, 6)))[0] for _ in range(2)]
    values = np.array([1.0, ratio, 0.3, 0.1, 1e-9, 0.0])
    logs = np.linspace(-900.0, 900.0, 20)
    scaled = Scaled((turns[0] * values) @ turns[1], logs)
    assert log_norms(scaled) == pytest.approx(logs, abs=1e-12)
    few = Scaled(turns[0][:, :2] * np.append(values[:2], [0.0] * 4), logs)
    exact = np.linalg.svd(few.mantissa, compute_uv=False)[:, 0]
    assert log_norms(few) == pytest.approx(logs + np.log(exact), abs=1e-12)


def test_a_step_is_of_fourth_order():
    def end(steps):
        h = 2.0 / steps
        t = h * (np.arange(steps)[:, None] + [0.5 - math.sqrt(3) / 6, 0.5 + math.sqrt(3) / 6])
        A = np.zeros((steps, 2, 2, 2))
        A[..., 0, 1], A[..., 1, 0] = 1.0, -3.0 - 2.0 * np.cos(3.0 * t)
        maps = running_products(magnus_maps(A[:, 0], A[:, 1], h))
        return maps.mantissa[-1] * np.exp(maps.log[-1])

    exact = end(1600)
    errors = [np.abs(end(steps) - exact).max() for steps in (20, 40, 80)]
    assert 14.0 < errors[0] / errors[1] < 18.0
    assert 14.0 < errors[1] / errors[2] < 18.0


def test_products_neither_overflow_nor_underflow_and_keep_all_singular_values():
    random = np.random.default_rng(2)
    frames = [np.linalg.qr(random.normal(size=(3, 3)))[0] for _ in range(401)]
    grow = np.array([8.0, 1.0, -9.0])
    maps = np.array([b @ np.diag(np.exp(grow)) @ a.T for a, b in pairwise(frames)])
    assert log_singular_values(maps) == pytest.approx(400.0 * grow, rel=1e-9)
    assert log_norms(running_products(maps))[-1] == pytest.approx(3200.0)
    assert log_norms(running_products(np.exp(-9.0) * maps))[-1] == pytest.approx(-400.0)


def test_maps_without_an_inverse_have_exponents_of_minus_infinity():
    found = log_singular_values(np.stack([np.diag([0.5, 0.0])] * 5))
    assert found == pytest.approx([5.0 * math.log(0.5), -math.inf])
    assert log_norms(running_products(np.zeros((3, 2, 2))))[-1] == -math.inf


def test_volume_changes_by_the_integral_of_the_trace():
    joints = [ulna.Joint(damping=0.7), ulna.Joint(damping=0.2)]
    arm = ulna.Arm.of([ulna.Link(0.5, 1.0), ulna.Link(0.5, 10.0)], joints)
    plan = ulna.plan(arm, CIRCLE, duration=2.0)
    t = (np.arange(4000) + 0.5) / 2000.0
    motion = plan.trajectory(t)
    A, _ = linearise(arm, motion.q, motion.qd, plan.torque_at(t))
    told = stability(plan)
    trace = np.trace(A, axis1=1, axis2=2).mean()
    assert told.exponents.sum() == pytest.approx(trace, rel=1e-6)
    sign, log = np.linalg.slogdet(told.phi[-1])
    assert (sign, log) == (1.0, pytest.approx(2.0 * trace, rel=1e-4))


def test_without_damping_phi_is_symplectic_and_exponents_come_in_pairs():
    told = stability(PLAN)
    frames = [momentum_frame(ARM, *PLAN.trajectory(t)[:2]) for t in (0.0, 2.0)]
    S = frames[1] @ told.phi[-1] @ np.linalg.inv(frames[0])
    swap = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.eye(2), np.zeros((2, 2))]])
    assert S.T @ swap @ S == pytest.approx(swap, abs=1e-7 * np.abs(S).max() ** 2)
    # On a closed path the raw state does as well as the canonical one, in the long run.
    multipliers = np.sort(np.log(np.abs(np.linalg.eigvals(told.phi[-1]))))
    assert multipliers == pytest.approx(-multipliers[::-1], abs=1e-4)
    assert told.exponents.sum() == pytest.approx(0.0, abs=1e-9)


def test_phi_is_what_runs_that_start_a_little_off_do():
    found = differences(
        PLAN, 1e-5, duration=0.2, torque=PLAN.torque_at, method="dop853", rtol=1e-13, atol=1e-13
    )
    told = phi_at(stability(PLAN), 0.2)
    assert found == pytest.approx(told, abs=1e-6 * np.abs(told).max())


def test_growth_is_additive_and_tells_the_rate_over_a_window():
    told = stability(PLAN)
    assert told.growth[0] == pytest.approx(0.0)
    assert told.growth_at(2.0) == pytest.approx(math.log(np.linalg.norm(told.phi[-1], 2)))
    parts = 0.5 * told.growth_rate(0.0, 0.5) + 1.5 * told.growth_rate(0.5, 2.0)
    assert parts == pytest.approx(2.0 * told.growth_rate())
    assert told.exponents[0] == pytest.approx(told.growth_rate())
    with pytest.raises(InputError, match="start, end"):
        told.growth_rate(1.0, 3.0)


def test_the_exit_is_where_the_error_has_grown_to_the_tube():
    told = stability(PLAN)
    leaves = told.predicted_exit(0.01, error=1e-5)
    grown = math.exp(np.interp(leaves, told.t, told.tip_growth))
    assert 1e-5 * grown == pytest.approx(0.01)
    assert told.predicted_exit(0.01, error=1e-4) < leaves < told.predicted_exit(0.1, error=1e-5)
    assert told.predicted_exit(0.01, error=1e-30) is None
    assert told.predicted_exit(0.01, error=1.0) == 0.0


@pytest.mark.parametrize("zeta", [0.1, 0.5])
def test_a_spring_and_a_damper_decay_by_damping_times_frequency(zeta):
    omega = 10.0
    told = stability(SWING, PD(omega**2, 2.0 * zeta * omega), rate=1e5)
    assert told.exponents.mean() == pytest.approx(-zeta * omega, rel=1e-3)
    both = np.log(np.abs(np.linalg.eigvals(told.phi[-1]))) / 2.0
    assert both == pytest.approx([-zeta * omega] * 2, rel=1e-3)
    slow = stability(SWING, PD(omega**2, 2.0 * zeta * omega), rate=50.0)
    held = expm(0.02 * np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]]))
    tick = held[:2, :2] - held[:2, 2:] @ [[omega**2, 2.0 * zeta * omega]]
    assert slow.phi[-1] == pytest.approx(np.linalg.matrix_power(tick, 100), rel=1e-6, abs=1e-9)


def with_friction(arm, friction):
    return arm.replace(joints=[replace(joint, friction=friction) for joint in arm.joints])


@pytest.mark.parametrize("law", [None, ComputedTorque()], ids=repr)
def test_dry_friction_is_left_out_where_it_has_no_derivative(law):
    sticky = with_friction(ARM, ulna.Friction(0.5, static=1.0))
    plan = ulna.plan(ARM, CIRCLE, duration=1.0, timing="quintic")  # at rest at both ends
    told, smooth = (stability(plan, law, arm=arm) for arm in (sticky, ARM))
    assert told.growth == pytest.approx(smooth.growth, abs=1e-6)


def test_drag_takes_from_errors_by_its_slope():
    # At the rate ω drag c ω² has the slope 2 c ω: rates decay by 2 c ω / J.
    drag, rate, inertia, duration = 0.3, 2.0, 1.0 / 3.0, 0.5
    arm = ulna.Arm.rods([1.0], [1.0], gravity=(0.0, 0.0))
    arm = with_friction(arm, ulna.Friction(0.2, drag=drag))
    plan = ulna.plan(arm, ulna.paths.joints([[0.0], [rate * duration]]), duration=duration)
    decay = np.exp(-2.0 * drag * rate / inertia * duration)
    assert np.linalg.eigvals(stability(plan).phi[-1]) == pytest.approx([1.0, decay], rel=1e-9)


def test_under_a_computed_torque_errors_fall_at_its_frequency():
    plan = ulna.plan(ARM, CIRCLE, duration=10.0)
    told = stability(plan, ComputedTorque(natural_frequency=20.0), rate=4000.0)
    assert told.exponents == pytest.approx([-20.0] * 4, rel=0.1)
    assert told.exponents.mean() == pytest.approx(-20.0, rel=0.01)
    assert told.predicted_exit(0.01) is None
    assert "errors fall by" in told.sentence


@pytest.mark.parametrize("law", [ComputedTorque(), FeedforwardPID(), OpenLoop()], ids=repr)
def test_closed_loops_do_what_was_told_of_them(law):
    found = differences(PLAN, 1e-5, duration=0.2, controller=law, reference=PLAN, rate=1000.0)
    told = phi_at(stability(PLAN, law), 0.2)
    assert found == pytest.approx(told, abs=0.005 * np.abs(told).max())


def test_loops_with_delays_and_lags_do_what_was_told_of_them():
    given = {
        "rate": 250.0,
        "sensors": ulna.Sensors(delay=0.0013, rate_from="difference"),
        "actuators": ulna.Actuators(delay=0.0007, time_constant=0.003),
    }
    found = differences(PLAN, 1e-5, duration=0.2, controller=FIRM, reference=PLAN, **given)
    told = phi_at(stability(PLAN, FIRM, **given), 0.2)
    assert found == pytest.approx(told, abs=0.02 * np.abs(told).max())
    assert (
        np.abs(told - phi_at(stability(PLAN, FIRM, rate=250.0), 0.2)).max()
        > 0.1 * np.abs(told).max()
    )


def test_held_torques_grow_errors_as_open_loop_does():
    told, held = stability(PLAN), stability(PLAN, OpenLoop(), rate=500.0)
    assert held.exponents == pytest.approx(told.exponents, abs=1e-3)


def remembered(law):
    """Give how many numbers of a controller's memory hand errors on."""
    times, timing = np.array([0.0, 1.0, 2.0]), ControlTiming(50.0)
    return controller_gains(PLAN, ARM, law, times, timing).shape[-2] - ARM.n


def test_what_a_controller_remembers_takes_part():
    assert remembered(OwnPID()) == 2  # two integrals; the clock and the arm do not count
    assert remembered(PID()) == 2
    assert remembered(PID(filter=100.0)) == 4  # filtered rates
    assert remembered(PD()) == 0  # gains do not count
    assert remembered(Adaptive()) > 0
    own = stability(PLAN, OwnPID())
    assert len(own.exponents) == 4  # an error begins and ends in the arm's state
    found = differences(PLAN, 1e-5, duration=0.2, controller=OwnPID(), reference=PLAN)
    told = phi_at(own, 0.2)
    assert found == pytest.approx(told, abs=0.005 * np.abs(told).max())


class Watching(OwnPID):
    """Gathers up gaps that nothing answers to, and keeps a list of them as long as wished."""

    def __init__(self, longer):
        self.longer = longer

    def start(self, arm):
        return (ComputedTorque(8.0).start(arm), np.zeros(arm.n), np.zeros(0))

    def torque(self, t, q, qd, reference, state):
        inner, gathered, kept = state
        tau, inner = ComputedTorque(8.0).torque(t, q, qd, reference, inner)
        kept = np.append(kept, t) if self.longer else kept
        return tau, (inner, gathered + reference.q - q, kept)


@pytest.mark.parametrize("longer", [False, True])
def test_a_memory_that_changes_nothing_or_its_size_does_not_take_part(longer):
    told = stability(PLAN, Watching(longer), rate=50.0)
    plain = stability(PLAN, ComputedTorque(8.0), rate=50.0)
    assert told.exponents == pytest.approx(plain.exponents)


def test_a_memory_that_cannot_be_looked_into_stays_as_it_is():
    told = stability(PLAN, OwnMemory())
    assert remembered(OwnMemory()) == 0
    assert told.growth_rate() < 0.0


def test_a_load_that_the_controller_does_not_know_changes_the_answer():
    heavy = ARM.with_payload(5.0)
    law = ComputedTorque(model=ARM)
    light, loaded = stability(PLAN, law), stability(PLAN, law, arm=heavy)
    assert abs(light.growth_rate() - loaded.growth_rate()) > 0.5
    with pytest.raises(InputError, match="joints"):
        stability(PLAN, arm=FLAT)


def test_a_force_on_the_tip_counts():
    pushed = ulna.plan(ARM, CIRCLE, duration=2.0, tip_force=(0.0, 80.0))
    assert abs(stability(pushed).growth_rate() - stability(PLAN).growth_rate()) > 0.05


@pytest.mark.parametrize("n", [3, 6])
def test_arms_of_many_links_are_told_in_pieces(n, monkeypatch):
    arm = ulna.Arm.rods([1.0 / n] * n, [1.0] * n)
    path = ulna.paths.joints(np.linspace(0.0, 0.3, 3)[:, None] * np.ones(n))
    plan = ulna.plan(arm, path, duration=0.5)
    whole = stability(plan)
    module = import_module("ulna.analysis.error_maps")
    monkeypatch.setattr(module, "MOST_KEPT", 500 * (2 * n) ** 2)
    monkeypatch.setattr(module, "MOST_AT_ONCE", 64 * (2 * n) ** 2)
    pieces = stability(plan)
    assert len(pieces.t) < len(whole.t)
    assert pieces.phi[-1] == pytest.approx(whole.phi[-1], abs=1e-9 * np.abs(whole.phi[-1]).max())
    # Liouville: in angles and momenta volumes stay, in angles and rates they go with 1 / det M.
    inertia = np.linalg.slogdet(mass_matrix(arm, plan.trajectory(np.array([0.0, 0.5])).q))[1]
    assert 0.5 * pieces.exponents.sum() == pytest.approx(inertia[0] - inertia[1], rel=1e-6)


def test_answers_that_are_no_numbers_and_plans_out_of_reach_are_refused():
    with pytest.raises(InputError, match="controller: got answers to small errors that are no num"):
        stability(PLAN, PD(1e250, 1e250))
    with pytest.raises(InfeasibleError):
        stability(ulna.plan(ARM, ulna.paths.circle((0.9, 0.0), 0.3), duration=1.0))


@pytest.mark.parametrize("law", [None, ComputedTorque()])
def test_answers_depend_neither_on_cores_nor_on_what_other_threads_ask(monkeypatch, law):
    plan = ulna.plan(
        ulna.Arm.rods([0.3] * 9, [1.0] * 9),
        ulna.paths.joints([[0.1] * 9, [0.5] * 9]),
        timing="quintic",
        duration=1.0,
    )
    monkeypatch.setattr("ulna.concurrency.cores", lambda: 1)
    alone = stability(plan, law)
    monkeypatch.setattr("ulna.concurrency.cores", lambda: 4)
    with ThreadPoolExecutor(2) as threads:
        both = list(threads.map(lambda _: stability(plan, law), range(2)))
    for told in both:
        for name in ("growth", "tip_growth", "exponents", "phi"):
            assert (getattr(told, name) == getattr(alone, name)).all(), name
