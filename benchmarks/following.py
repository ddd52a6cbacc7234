"""How long it takes to plan a path, to follow it, and to run the whole command."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from measuring import Report, in_turns
from peers import mujoco_rods

import ulna

RATE = 1000.0
COMMAND = Path(sys.executable).with_name("ulna")


def mujoco_loop(plan: ulna.Plan, frequency: float) -> np.ndarray:
    """Follow a plan in MuJoCo as people do: a loop in Python around its step; return q (k, 2)."""
    import mujoco

    model = mujoco_rods([0.5, 0.5], [1.0, 10.0], 1.0 / RATE)
    data = mujoco.MjData(model)
    t = np.arange(0.0, plan.duration, 1.0 / RATE)
    q_ref, qd_ref, qdd_ref = plan.trajectory.rows(t)
    data.qpos[:], data.qvel[:] = q_ref[0], qd_ref[0]
    q = np.empty_like(q_ref)
    torque = np.zeros(2)
    for k in range(len(t)):
        mujoco.mj_forward(model, data)
        q[k] = data.qpos
        error, error_rate = q_ref[k] - data.qpos, qd_ref[k] - data.qvel
        qdd = qdd_ref[k] + 2.0 * frequency * error_rate + frequency**2 * error
        mujoco.mj_mulM(model, data, torque, qdd)
        data.qfrc_applied[:] = torque + data.qfrc_bias
        mujoco.mj_step(model, data)
    return q


def whole_command() -> float:
    """Return the time [s] of `ulna follow` as a person runs it, all files written."""
    with tempfile.TemporaryDirectory() as folder:
        words = [str(COMMAND), "follow", "--out", folder]
        # As people have it: Python keeps what it has compiled.
        environment = {**os.environ}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        best = np.inf
        for _ in range(4):
            start = time.perf_counter()
            done = subprocess.run(
                [*words, "--overwrite"], capture_output=True, check=False, env=environment
            )
            assert done.returncode == 0, done.stderr
            best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    report = Report()
    arm, path = ulna.preset("kehl"), ulna.paths.loops()
    plan = ulna.plan(arm, path)
    controller = ulna.control.ComputedTorque(natural_frequency=20.0)

    def follow() -> ulna.Run:
        return ulna.simulate(arm, controller=controller, reference=plan, rate=RATE)

    planning, following, theirs = in_turns(
        lambda: ulna.plan(arm, path), follow, lambda: mujoco_loop(plan, 20.0), rounds=5
    )
    apart = np.abs(follow().q[:-1] - mujoco_loop(plan, 20.0)).max()
    report.note("MuJoCo's loop and ours apart by at most [rad]", apart, most=1e-6)
    report.note("planning 2,000 points [ms]", 1e3 * planning, most=20.0)
    report.note("60 s of computed torque at 1 kHz with RK4 [ms]", 1e3 * following, most=150.0)
    report.note("the same loop in Python around MuJoCo, its time to ours", theirs / following, 20.0)
    report.note("the whole of `ulna follow`, warm [s]", whole_command(), most=4.0)
    report.save("following")


if __name__ == "__main__":
    main()
