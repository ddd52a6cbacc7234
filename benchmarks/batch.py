"""How fast batches are, beside mujoco.rollout and loops over Pinocchio in the same run.

Every arm has lengths and masses of its own. Ours and MuJoCo's, a model for each arm, take the same
RK4 steps on the same number of threads, one for each core; each side gets a batch that keeps it
busy for some tenths of a second, and what is compared is the time of one step of one arm. A loop
over Pinocchio calls it once a state, with 256 arms that take turns.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from measuring import Report, available_cores, in_turns
from peers import PinocchioLoop, mujoco_rollout, pinocchio_rods

import ulna
from ulna.control import ComputedTorque

DT = 1e-3  # [s]
THREADS = available_cores()
ROWS = 100_000
MODELS = 256
MAP_SIDE, MAP_BANDS, QUICK = 1000, 10, 4
MAP_SECONDS, MAP_DT = 10.0, 5e-3  # [s]


class Load(NamedTuple):
    """How much work of n links keeps each side busy, and what is asked of it."""

    n: int
    arms: int  # a thread
    steps: int
    their_arms: int  # a thread
    their_steps: int
    faster: float  # than mujoco.rollout
    single: float | None = None  # precision, faster than double
    loop: float | None = None  # closed, slower than free at most


LOADS = (
    Load(2, 4096, 1000, 200, 500, faster=60.0, single=1.7, loop=3.0),
    Load(6, 1024, 1000, 100, 400, faster=25.0),
    Load(32, 256, 500, 50, 200, faster=15.0),
)


class Chains(NamedTuple):
    """Rods at random, arrays (b, n)."""

    lengths: np.ndarray  # [m]
    masses: np.ndarray  # [kg]
    q0: np.ndarray  # [rad]

    def first(self, count: int) -> Chains:
        return Chains(*(array[:count] for array in self))

    def stacked(self) -> ulna.Parameters:
        """Return the arms as `ulna.stack` would, without making each of them first."""
        lengths, masses, _ = self
        one = ulna.Arm.rods(lengths[0], masses[0]).parameters
        spread = ulna.Parameters(*(np.tile(value, (len(lengths), 1)) for value in one))
        inertia = masses * lengths**2 / 12.0
        return spread._replace(length=lengths, mass=masses, com=0.5 * lengths, inertia=inertia)


def chains(count: int, n: int) -> Chains:
    """Return arms that start from rest, in any direction and bent."""
    random = np.random.default_rng(n)
    lengths, masses = random.uniform(0.5, 1.5, (2, count, n))
    q0 = random.uniform(-0.5, 0.5, (count, n))
    q0[:, 0] = random.uniform(-np.pi, np.pi, count)
    return Chains(lengths, masses, q0)


def through(run: Any, seconds: float) -> np.ndarray:
    """Return the last angles of a batch in which every arm went all the way."""
    assert np.allclose(run.t_end, seconds), "arms that stop early make a batch look fast"
    return np.asarray(run.q[:, -1])


def apart(them: Chains, steps: int = 100) -> float:
    """Return how far mujoco.rollout and ours are apart at the end [rad]."""
    seconds = steps * DT
    ours = ulna.simulate_batch(them.stacked(), q0=them.q0, duration=seconds, dt=DT)
    theirs = mujoco_rollout(*them, DT, steps, THREADS)()
    return float(np.abs(through(ours, seconds) - theirs).max())


def arm_steps(load: Load, rounds: int) -> dict[str, float]:
    """Return the time [s] of an arm-step: free, single, on one thread, closed loop, MuJoCo's."""
    them, seconds = chains(load.arms * THREADS, load.n), load.steps * DT
    stacked = them.stacked()

    def ours(**options: Any) -> Callable[[], object]:
        options = {"threads": THREADS, **options}
        return lambda: through(
            ulna.simulate_batch(stacked, q0=them.q0, duration=seconds, dt=DT, **options), seconds
        )

    count = load.their_arms * THREADS
    works = {
        "free": ours(),
        "single": ours(precision="single"),
        "one thread": ours(threads=1),
        "closed": ours(controller=ComputedTorque(), reference=them.q0 + 0.01),
        "MuJoCo": mujoco_rollout(*them.first(count), DT, load.their_steps, THREADS),
    }
    taken = dict(zip(works, in_turns(*works.values(), rounds=rounds), strict=True))
    size = dict.fromkeys(works, load.arms * THREADS * load.steps)
    size["MuJoCo"] = count * load.their_steps
    return {name: taken[name] / size[name] for name in works}


def note_steps(report: Report, load: Load, rounds: int) -> None:
    what, note = f"n = {load.n}", report.note
    gap = apart(chains(64, load.n))
    note(f"batch, {what}: mujoco.rollout and ours apart by at most [rad]", gap, most=1e-9)
    cost = arm_steps(load, rounds)
    free = cost["free"]
    note(f"batch, {what}: an RK4 step of an arm [ns]", 1e9 * free)
    note(f"batch, {what}: mujoco.rollout's time to ours", cost["MuJoCo"] / free, load.faster)
    note(f"batch, {what}: double's time to single's", free / cost["single"], load.single)
    note(f"batch, {what}: closed loop's time to free", cost["closed"] / free, most=load.loop)
    note(f"batch, {what}: one thread's time to that of all", cost["one thread"] / free)


def along_a_plan(rounds: int, count: int = 4096) -> float:
    """Return the time of following one plan, from starts beside it, to that of free arms."""
    arm = ulna.preset("kehl")
    plan = ulna.plan(arm, ulna.paths.circle((0.5, 0.2), 0.15), duration=1.0)
    beside = np.random.default_rng(0).normal(scale=0.01, size=(count * THREADS, 2))
    same = {"q0": plan.trajectory(0.0).q + beside, "duration": 1.0, "dt": DT, "threads": THREADS}
    free, closed = in_turns(
        lambda: through(ulna.simulate_batch(arm, **same), 1.0),
        lambda: through(
            ulna.simulate_batch(arm, **same, controller=ComputedTorque(), reference=plan), 1.0
        ),
        rounds=rounds,
    )
    return closed / free


def states_in_a_call(
    arm: ulna.Arm | ulna.Parameters, models: list[Any], rounds: int
) -> dict[str, float]:
    """Compare 100,000 states in a call with a loop over Pinocchio; return the ratios."""
    import pinocchio as pin

    states = np.random.default_rng(0).uniform(-3.0, 3.0, (3, ROWS, models[0].nv))
    loop, ratios = PinocchioLoop(models, *states), {}
    for name, ours, theirs in (
        ("forward dynamics", ulna.dynamics.forward_dynamics, pin.aba),
        ("inverse dynamics", ulna.dynamics.inverse_dynamics, pin.rnea),
    ):
        known = loop.results(theirs, len(models))
        gap = np.abs(ours(arm, *states)[: len(models)] - known).max()
        assert gap < 1e-10 * np.abs(known).max(), f"{name} differ by {gap}"
        mine, peer = in_turns(
            lambda ours=ours: ours(arm, *states), lambda theirs=theirs: loop.call(theirs),
            rounds=rounds,
        )  # fmt: skip
        ratios[name] = peer / mine
    return ratios


def note_dynamics(report: Report, n: int, floor: float | None, rounds: int) -> None:
    them = chains(ROWS, n)
    models = [pinocchio_rods(*arm[:2]) for arm in zip(*them.first(MODELS), strict=True)]
    one = ulna.Arm.rods(them.lengths[0], them.masses[0])
    for whose, arm, used in (("an arm each", them.stacked(), models), ("one arm", one, models[:1])):
        for name, ratio in states_in_a_call(arm, used, rounds).items():
            what = f"100,000 {name}, n = {n}, {whose}: Pinocchio's time to ours"
            report.note(what, ratio, floor)


def flip_map(side: int) -> float:
    """Return the time [s] of a map of when a double pendulum turns over first, side × side starts.

    The map is made band by band, so that the samples, ten a second, fit into small memories.
    """
    arm = ulna.Arm.rods([1.0, 1.0], [1.0, 1.0])
    hanging, turn = -0.5 * np.pi, np.linspace(-np.pi, np.pi, side)
    begun, bands = time.perf_counter(), []
    for rows in np.array_split(turn, MAP_BANDS):
        first, second = (grid.ravel() for grid in np.meshgrid(rows, turn, indexing="ij"))
        q0 = np.stack([first + hanging, second - first], axis=-1)
        run = ulna.simulate_batch(
            arm, q0=q0, duration=MAP_SECONDS, dt=MAP_DT, samples=101, threads=THREADS
        )
        links = np.cumsum(run.q, axis=-1) - hanging
        over = (np.abs(links) > np.pi).any(axis=-1)
        bands.append(np.where(over.any(axis=-1), run.t[over.argmax(axis=-1)], np.inf))
    taken = time.perf_counter() - begun
    when = np.concatenate(bands)
    print(f"{'':4}{np.isfinite(when).mean():.0%} of {len(when):,} starts turn over within 10 s")
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds, a sixteenth of the map")
    quick = parser.parse_args().quick
    rounds, report = (2 if quick else 5), Report()
    for load in LOADS:
        note_steps(report, load, rounds)
    ratio = along_a_plan(rounds)
    report.note("batch, n = 2: closed loop along a plan, its time to free", ratio, most=3.0)
    for n, floor in ((2, 20.0), (6, None)):
        note_dynamics(report, n, floor, rounds)
    shrunk, guess = (QUICK, ", from a sixteenth of it") if quick else (1, "")
    taken = shrunk**2 * flip_map(MAP_SIDE // shrunk)
    what = f"flip map, 1000 × 1000 starts, 10 s in steps of 5 ms{guess} [s]"
    report.note(what, taken, most=300.0)
    report.save("batch")


if __name__ == "__main__":
    main()
