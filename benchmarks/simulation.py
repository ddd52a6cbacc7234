"""How fast the engine is, beside MuJoCo, Pinocchio and SciPy on the same machine in the same run.

Ours and theirs take turns, and the best of several counts, so that whatever else the machine does
disturbs both alike. Ratios say something; times do not. A ratio below its floor is marked.
"""

from __future__ import annotations

import tempfile
import time
import tracemalloc
from pathlib import Path

import numpy as np
from measuring import Report, in_turns
from peers import mujoco_chain, pinocchio_chain, two_rods

import ulna

SIZES = (1, 2, 3, 6, 16, 32, 64, 128, 256, 512, 1024)
LARGEST_PEER = 512
DT = 1e-5


def rods(n: int) -> ulna.Arm:
    return ulna.Arm.rods([1.0] * n, [1.0] * n)


def steps(n: int) -> tuple[float, float | None]:
    """Return the time [s] of an RK4 step inside a run, ours and MuJoCo's."""
    count = max(20_000 // n, 20)
    start = 0.3 * np.ones(n)
    ours = ulna.Simulation(ulna.Scenario(arm=rods(n), q0=start, method="rk4", dt=DT))
    if n > LARGEST_PEER:
        return in_turns(lambda: ours.advance(count * DT))[0] / count, None
    import mujoco

    model = mujoco_chain(n, DT)
    data = mujoco.MjData(model)
    data.qpos[:] = start
    taken = in_turns(
        lambda: ours.advance(count * DT), lambda: mujoco.mj_step(model, data, nstep=count)
    )
    return taken[0] / count, taken[1] / count


def call(looped: int = 10_000) -> float:
    """Compare a call for one state of two links with Pinocchio's; return the ratio."""
    import pinocchio as pin

    q, qd, tau = np.random.default_rng(0).uniform(-3.0, 3.0, (3, 2))
    ours, model = ulna.compiled(rods(2)).forward_dynamics, pinocchio_chain(2)
    data = model.createData()

    def our_calls() -> None:
        for _ in range(looped):
            ours(q, qd, tau)

    def their_calls() -> None:
        for _ in range(looped):
            pin.aba(model, data, q, qd, tau)

    mine, theirs = in_turns(our_calls, their_calls)
    return theirs / mine


def chaos() -> float:
    """Compare 60 s of two rods with SciPy's DOP853; return the ratio."""
    from scipy.integrate import solve_ivp

    start = [2.0, 0.5]
    ours, theirs = in_turns(
        lambda: ulna.simulate(rods(2), q0=start, duration=60.0, samples=601),
        lambda: solve_ivp(
            two_rods, (0.0, 60.0), [*start, 0.0, 0.0], "DOP853", rtol=1e-9, atol=1e-12,
            t_eval=np.linspace(0.0, 60.0, 601),
        ),
        rounds=3,
    )  # fmt: skip
    return theirs / ours


def memory(seconds: float) -> float:
    """Return the most memory [MB] that a run takes when 100 samples are kept."""
    tracemalloc.start()
    ulna.simulate(rods(2), q0=[0.0, 0.0], duration=seconds, method="rk4", samples=100)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / 1e6


def film() -> float:
    """Return how many frames a second a film of a two-link arm is drawn and encoded at."""
    from ulna.viewer import animate

    run = ulna.simulate(ulna.preset("kehl"), q0=[0.0, 0.0], duration=10.0, samples=1001)
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        animate(run, Path(folder) / "film.mp4", progress=False)
        return 301 / (time.perf_counter() - start)


def main() -> None:
    report = Report()
    note = report.note
    costs = []
    for n in SIZES:
        ours, theirs = steps(n)
        costs.append(ours)
        note(f"RK4 step, n = {n}, ours [µs]", 1e6 * ours)
        if theirs is not None:
            floor = {2: 10.0, 128: 30.0}.get(n)
            note(f"RK4 step, n = {n}, MuJoCo's time to ours", theirs / ours, floor)
    slope = np.polyfit(np.log(SIZES[4:]), np.log(costs[4:]), 1)[0]
    note("cost of a step grows with n to the power (16 to 1024)", float(slope), most=1.1)
    note("pin.aba call to a call of ulna.compiled(arm)", call(), 0.5)
    note("60 s of two rods at rtol 1e-9, SciPy's time to ours", chaos(), 50.0)
    short, long = memory(10.0), memory(1000.0)
    note("memory of 1000 s to that of 10 s, 100 samples kept", long / short, most=1.5)
    note("film of two links, frames a second", film(), 40.0)
    report.save("simulation")


if __name__ == "__main__":
    main()
