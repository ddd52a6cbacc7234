"""How long single calls take, as loops in Python make them, beside those of other libraries.

What a person or a learning loop waits for is the whole call: arguments read and checked, results
made. Ours and theirs take turns, many calls each, and the best of several turns counts.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from measuring import Report, available_cores, in_turns
from peers import mujoco_chain, mujoco_rollout, pinocchio_chain

import ulna
from ulna import dynamics, kinematics
from ulna.analysis import stability

ARM = ulna.Arm.rods([1.0, 1.0], [1.0, 1.0])
DT = 1e-3  # [s]
MANY, STEPS = 1000, 50  # arms of a batch, and steps of a call
STIFFNESS, DAMPING = 60.0, 12.0
LONG = 20  # links
PROCESSES = 7


def each(work: Callable[[], object], count: int) -> Callable[[], None]:
    """Return the work of so many calls."""

    def works() -> None:
        for _ in range(count):
            work()

    return works


def compared(ours: Callable[[], object], theirs: Callable[[], object], count: int) -> list[float]:
    """Return the times [s] of one call of each, out of so many in a row."""
    return [taken / count for taken in in_turns(each(ours, count), each(theirs, count))]


def one_state(report: Report) -> None:
    """Compare calls for one state with Pinocchio's, which take a model and its scratch memory."""
    import pinocchio as pin

    q, qd, tau = np.random.default_rng(0).uniform(-3.0, 3.0, (3, 2))
    model = pinocchio_chain(2)
    data = model.createData()
    ulna.compiled(ARM)  # the engine is loaded
    calls: dict[str, tuple[float, Callable[[], object], str, Callable[[], object]]] = {
        "inverse_dynamics": (
            10.0, lambda: dynamics.inverse_dynamics(ARM, q, qd, tau),
            "rnea", lambda: pin.rnea(model, data, q, qd, tau),
        ),
        "forward_dynamics": (
            10.0, lambda: dynamics.forward_dynamics(ARM, q, qd, tau),
            "aba", lambda: pin.aba(model, data, q, qd, tau),
        ),
        "mass_matrix": (
            15.0, lambda: dynamics.mass_matrix(ARM, q), "crba", lambda: pin.crba(model, data, q),
        ),
        "gravity_torque": (
            15.0, lambda: dynamics.gravity_torque(ARM, q),
            "computeGeneralizedGravity", lambda: pin.computeGeneralizedGravity(model, data, q),
        ),
        "tip": (
            15.0, lambda: kinematics.tip(ARM, q),
            "forwardKinematics", lambda: pin.forwardKinematics(model, data, q),
        ),
        "jacobian": (
            15.0, lambda: kinematics.jacobian(ARM, q),
            "computeJointJacobians", lambda: pin.computeJointJacobians(model, data, q),
        ),
    }  # fmt: skip
    for name, (most, ours, peer, theirs) in calls.items():
        mine, other = compared(ours, theirs, 2000)
        report.note(f"{name} of one state [µs]", 1e6 * mine, most=most)
        report.note(f"{name} of one state, its time to pin.{peer}'s", mine / other)


class OwnPD:
    """A controller as people write it: two lines of NumPy."""

    def start(self, arm: ulna.Arm) -> None:
        return None

    def torque(
        self, t: float, q: np.ndarray, qd: np.ndarray, reference: Any, state: None
    ) -> tuple[np.ndarray, None]:
        return STIFFNESS * (reference.q - q) - DAMPING * qd, state


def python_controller(report: Report, ticks: int = 1000) -> None:
    """Compare a tick under a controller in Python with the same loop around MuJoCo's step."""
    import mujoco

    aim = np.array([0.5, -0.5])
    model = mujoco_chain(2, DT)

    def ours() -> np.ndarray:
        run = ulna.simulate(
            ARM, q0=[0.0, 0.0], duration=ticks * DT, controller=OwnPD(), reference=aim,
            method="rk4", dt=DT, rate=1.0 / DT,
        )  # fmt: skip
        return np.asarray(run.q[-1])

    def theirs() -> np.ndarray:
        data = mujoco.MjData(model)
        came = np.empty((ticks + 1, 2))
        for k in range(ticks):
            came[k] = data.qpos
            data.qfrc_applied[:] = STIFFNESS * (aim - data.qpos) - DAMPING * data.qvel
            mujoco.mj_step(model, data)
        came[ticks] = data.qpos
        return came[-1]

    gap = float(np.abs(ours() - theirs()).max())
    report.note(
        "a PD controller in Python: MuJoCo's loop and ours apart by at most [rad]", gap, most=1e-9
    )
    mine, other = in_turns(ours, theirs)
    report.note("a PD controller in Python, a tick [µs]", 1e6 * mine / ticks)
    report.note("a PD controller in Python, a tick's time to MuJoCo's loop", mine / other, most=1.5)


def live(report: Report) -> None:
    """Compare a torque and a step of 1 ms with MuJoCo's."""
    import mujoco

    model = mujoco_chain(2, DT)
    data, torque = mujoco.MjData(model), np.array([1.0, 0.5])
    going = ulna.Simulation(ulna.Scenario(arm=ARM, q0=[0.0, 0.0], method="rk4", dt=DT))

    def ours() -> None:
        going.apply(torque=torque)
        going.advance(DT)

    def theirs() -> None:
        data.qfrc_applied[:] = torque
        mujoco.mj_step(model, data)

    mine, other = compared(ours, theirs, 500)
    report.note("Simulation.apply and advance by 1 ms [µs]", 1e6 * mine, most=20.0)
    report.note("Simulation.apply and advance by 1 ms, its time to MuJoCo's", mine / other)


def whole_runs(report: Report) -> None:
    """Compare a short run, from the call to its result, with as many steps of MuJoCo's."""
    import mujoco

    model = mujoco_chain(2, DT)

    def ours() -> None:
        ulna.simulate(ARM, q0=[0.0, 0.0], duration=0.1)

    def theirs() -> None:
        mujoco.mj_step(model, mujoco.MjData(model), nstep=100)

    mine, other = compared(ours, theirs, 100)
    report.note("simulate of 0.1 s, the whole call [ms]", 1e3 * mine, most=0.3)
    report.note("simulate of 0.1 s, the whole call, its time to 100 steps of MuJoCo", mine / other)


def whole_batches(report: Report) -> None:
    """Compare a short batch, from the call to its result, with mujoco.rollout."""
    random = np.random.default_rng(1)
    q0, torque = random.uniform(-3.0, 3.0, (2, MANY, 2))
    sizes = np.ones((MANY, 2))

    def batch(count: int, steps: int) -> Callable[[], object]:
        return lambda: ulna.simulate_batch(
            ARM, q0=q0[:count], torque=torque[:count], duration=steps * DT, dt=DT, method="rk4"
        )

    theirs = mujoco_rollout(sizes, sizes, q0, DT, STEPS, available_cores())
    mine, other = compared(batch(MANY, STEPS), theirs, 5)
    what = f"simulate_batch, {MANY:,} arms × {STEPS} steps, a torque each, the whole call"
    report.note(f"{what} [ms]", 1e3 * mine, most=2.2)
    report.note(f"{what}, mujoco.rollout's time to its", other / mine)
    theirs = mujoco_rollout(sizes[:1], sizes[:1], q0[:1], DT, 1, 1)
    mine, other = compared(batch(1, 1), theirs, 100)
    report.note("simulate_batch, one arm and one step, the whole call [ms]", 1e3 * mine, most=0.3)
    report.note("simulate_batch, one arm and one step, its time to mujoco.rollout's", mine / other)


def standing_batch(report: Report) -> None:
    """Compare a step of arms that stay in memory with a step by mujoco.rollout."""
    random = np.random.default_rng(2)
    q0, torque = random.uniform(-3.0, 3.0, (2, MANY, 2))
    standing = ulna.BatchSimulation(ARM, q0=q0, method="rk4", dt=DT)
    sizes, some = np.ones((MANY, 2)), np.arange(0, MANY, 20)

    def step() -> None:
        standing.apply(torque)
        standing.advance(steps=1)

    def step_and_reset() -> None:
        step()
        standing.reset(some, q0[some])

    theirs = mujoco_rollout(sizes, sizes, q0, DT, 1, available_cores())
    mine, other = compared(step, theirs, 50)
    what = f"BatchSimulation, {MANY:,} arms, torques and a step"
    report.note(f"{what} [ms]", 1e3 * mine, most=0.15)
    report.note(f"{what}, mujoco.rollout's time to its", other / mine)
    mine, other = compared(step_and_reset, step, 50)
    report.note(f"{what}, and {len(some)} of them reset, its time to that without", mine / other)


def stability_of_many_links(report: Report) -> None:
    """Compare the growth of errors of 20 links with the singular values of as many matrices."""
    arm = ulna.Arm.rods([0.3] * LONG, [1.0] * LONG)
    path = ulna.paths.joints([[0.1] * LONG, [0.5] * LONG])
    plan = ulna.plan(arm, path, timing="quintic", duration=2.0)
    random = np.random.default_rng(3)
    matrices = random.normal(size=(len(stability(plan).t), 2 * LONG, 2 * LONG))
    mine, other = in_turns(
        lambda: stability(plan), lambda: np.linalg.svd(matrices, compute_uv=False)
    )
    report.note(f"stability, n = {LONG} [s]", mine, most=0.3)
    what = f"stability, n = {LONG}, its time to numpy.linalg.svd's of {len(matrices):,} matrices"
    report.note(what, mine / other)


def fresh(code: str) -> float:
    """Return what a fresh process prints, a time [s]."""
    # As people have it: Python keeps what it has compiled.
    environment = {**os.environ}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    return float(done.stdout)


def imports(report: Report) -> None:
    """Compare `import ulna`, alone and with an arm, with `import numpy`, in fresh processes."""
    codes = {
        "import numpy": "import numpy",
        "import ulna": "import ulna",
        "import ulna and an arm": "import ulna; ulna.Arm.rods([1.0, 1.0], [1.0, 1.0])",
    }
    begin, end = "import time; t = time.perf_counter(); ", "; print(time.perf_counter() - t)"
    best = dict.fromkeys(codes, np.inf)
    for _ in range(PROCESSES):
        for name, code in codes.items():
            best[name] = min(best[name], fresh(f"{begin}{code}{end}"))
    report.note("import numpy [s]", best["import numpy"])
    for name in ("import ulna", "import ulna and an arm"):
        ratio = best[name] / best["import numpy"]
        report.note(f"{name}, its time to import numpy's", ratio, most=1.5)


PARTS: dict[str, Callable[[Report], None]] = {
    "one-state": one_state,
    "python-controller": python_controller,
    "live": live,
    "whole-runs": whole_runs,
    "whole-batches": whole_batches,
    "standing-batch": standing_batch,
    "stability": stability_of_many_links,
    "imports": imports,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=PARTS, action="append", help="and write no report")
    only = parser.parse_args().only
    report = Report()
    for name in only or PARTS:
        PARTS[name](report)
    if not only:
        report.save("calls")


if __name__ == "__main__":
    main()
