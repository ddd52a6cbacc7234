"""Compile the engine and the controllers' laws before tests that would each do it on their own.

The engine is compiled for every size of arm and for lanes of arms, two at a time. What is there
already is only loaded.
"""

import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np

import ulna

SIZES = (4, 2, 3, 1)  # more than three share one, which takes longest


def compile_size(n: int) -> int:
    arm = ulna.Arm.rods([0.5] * n, [1.0] * n)
    start = np.zeros(n)
    ulna.simulate(arm, q0=start, duration=0.01, controller=ulna.control.PD(1.0, 1.0))
    assert not ulna.Simulation(arm, q0=start).tau.any()
    states = np.zeros((3, 2, n))
    ulna.dynamics.forward_dynamics(arm, *states)
    ulna.dynamics.inverse_dynamics(arm, *states)
    if n > 2:
        ulna.kinematics.track(arm, [[0.3 * n, 0.1]], start)
    quick = ulna.compiled(arm)
    quick.forward_dynamics(start, start, start)
    quick.inverse_dynamics(start, start, start)
    quick.linearise(start, start, start)
    for function in (quick.gravity_torque, quick.mass_matrix, quick.tip, quick.jacobian):
        function(start)
    quick.step(start, start, start, 1e-3)
    return n


def compile_laws() -> None:
    """Compile every law once: they serve all sizes."""
    from ulna.control.laws import LAW

    arm = ulna.Arm.rods([0.5], [1.0])
    for name in ulna.control.CONTROLLERS:
        LAW.address(ulna.control.read_controller(name).compiled(arm).law)


def compile_batch(precision: str) -> None:
    """Compile what takes arms in lanes: it serves all sizes."""
    limited = ulna.Arm.rods([0.5], [1.0], joints=[ulna.Joint(lower=-1.0, upper=1.0)])
    for arm in (ulna.Arm.rods([0.5], [1.0]), limited):
        assert ulna.simulate_batch(arm, q0=[0.0], duration=0.01, precision=precision).status


def main() -> None:
    print("compiling the engine (once for its sources) ...", flush=True)
    # Forked children would share what threads of this process hold.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        others = [pool.submit(compile_batch, name) for name in ("double", "single")]
        others.append(pool.submit(compile_laws))
        list(pool.map(compile_size, SIZES))
        for one in others:
            one.result()


if __name__ == "__main__":
    sys.exit(main())
