"""Compile the engine and the controllers' laws before tests that would each do it on their own.

The engine is compiled for every size of arm, two at a time. What is there already is only loaded.
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
    quick = ulna.compiled(arm)
    quick.forward_dynamics(start, start, start)
    quick.inverse_dynamics(start, start, start)
    quick.step(start, start, start, 1e-3)
    return n


def compile_laws() -> None:
    """Compile every law once: they serve all sizes."""
    from ulna.control.laws import LAW

    arm = ulna.Arm.rods([0.5], [1.0])
    for name in ulna.control.CONTROLLERS:
        LAW.address(ulna.control.read_controller(name).compiled(arm).law)


def main() -> None:
    print("compiling the engine (once for its sources) ...", flush=True)
    # Forked children would share what threads of this process hold.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        laws = pool.submit(compile_laws)
        list(pool.map(compile_size, SIZES))
        laws.result()


if __name__ == "__main__":
    sys.exit(main())
