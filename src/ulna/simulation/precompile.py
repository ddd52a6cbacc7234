"""Everything that ulna compiles, compiled beforehand, so that nobody waits for it later.

Every piece below is an ordinary call: what it needs is compiled as it would be for anybody.
Pieces are done by several processes, since typing keeps Python's lock.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from typing import Any

import numpy as np

from ulna.arm import Arm, Friction, Joint
from ulna.concurrency import cores
from ulna.typing import Precision

SIZES = (2, 3, 4, 1)  # more than three joints share one
Piece = tuple[Callable[..., None], tuple[Any, ...]]


def pieces() -> tuple[list[Piece], list[Piece]]:
    """Return what is to be compiled: first what others build upon, then the rest."""
    first: list[Piece] = [(compile_size, (SIZES[0],)), (compile_batch, ("double",))]
    rest: list[Piece] = [(compile_size, (n,)) for n in SIZES[1:]]
    rest += [(compile_laws, ()), (compile_batch, ("single",)), (compile_lists, ())]
    rest += [(compile_timing, ())]
    return first, rest


def compile_all(workers: int | None = None) -> Iterator[float]:
    """Compile everything; return the part that is done, again and again.

    Parameters
    ----------
    workers
        How many processes to use; as many as there are cores unless given.
    """
    first, rest = pieces()
    count, done = len(first) + len(rest), 0
    # Forked children would share what threads of this process hold.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers or cores(), mp_context=context) as pool:
        # What is typed for one size serves the others, if they wait for it.
        for group in (first, rest):
            begun: list[Future[None]] = [pool.submit(work, *given) for work, given in group]
            for one in as_completed(begun):
                one.result()
                done += 1
                yield done / count


def compile_size(n: int) -> None:
    """Compile all that serves single arms of n joints."""
    from ulna.control import PD
    from ulna.kinematics import track
    from ulna.scenario import Scenario
    from ulna.scenario.disturbances import step
    from ulna.scenario.methods import METHODS
    from ulna.simulation.compiled_arm import compiled
    from ulna.simulation.sensors import Sensors
    from ulna.simulation.simulate_arm import simulate
    from ulna.simulation.simulation import Simulation

    arm, limited, rubbing = _arms(n)
    start: Any = np.zeros(n)
    simulate(arm, q0=start, duration=0.01)
    simulate(rubbing, q0=start, duration=0.01)
    simulate(
        limited, q0=start, duration=0.01, torque=["t"] * n, controller=PD(1.0, 1.0),
        reference=start, sensors=Sensors(angle_noise=1e-3), disturbances=[step([1.0] * n)],
    )  # fmt: skip
    for method in METHODS.values():
        if method.step is not None:
            simulate(arm, q0=start, duration=0.01, method=method)
    if n > 1:
        simulate(arm, q0=start, duration=0.01, dynamics="sequential")
    assert Simulation(Scenario(arm=arm, q0=start)).qdd.any()
    if n > 2:
        track(arm, [[0.3 * n, 0.1]], start)
    for quick in (compiled(rubbing), compiled(arm)):
        quick.forward_dynamics(start, start, start)
        quick.inverse_dynamics(start, start, start)
        quick.linearise(start, start + 1.0, start)
        quick.step(start, start, start, 1e-3)
    for function in (quick.gravity_torque, quick.mass_matrix, quick.tip, quick.jacobian):
        function(start)


def compile_lists() -> None:
    """Compile what serves lists of states."""
    from ulna.dynamics import forward_dynamics, inverse_dynamics

    for n in SIZES:
        states = np.zeros((3, 2, n))
        forward_dynamics(_arms(n)[0], *states)
        inverse_dynamics(_arms(n)[0], *states)


def compile_timing() -> None:
    """Compile what finds the fastest timing of a path: it serves all sizes."""
    from ulna.motion import paths, plan

    plan(_arms(1)[0], paths.joints([[0.0], [1.0]]), timing="fastest", max_acceleration=1.0)


def compile_laws() -> None:
    """Compile every law once: they serve all sizes."""
    from ulna.control import CONTROLLERS
    from ulna.kernels import variant
    from ulna.simulation.engine.state_derivative import LAW

    arm, _, rubbing = _arms(1)
    row, rows = np.zeros((1, 1)), np.zeros((3, 1, 1))
    ours: list[Any] = [one.build for one in CONTROLLERS.values() if isinstance(one.build, type)]
    for law in {one().compiled(built).law: None for one in ours for built in (arm, rubbing)}:
        LAW.address(law)
        # Whether a loop is stable is found by calling its law from Python.
        variant(law, 0.0, row, row, rows, row, row, row)


def compile_batch(precision: Precision) -> None:
    """Compile what takes arms in lanes; in single precision stops and friction for one size."""
    from ulna.scenario.disturbances import step
    from ulna.simulation.batch.batch_simulation import BatchSimulation
    from ulna.simulation.batch.simulate_batch import simulate_batch

    for n in SIZES:
        arm, *others = _arms(n)
        for one in [arm, *others] if precision == "double" or n == SIZES[0] else [arm]:
            simulate_batch(one, q0=np.zeros(n), duration=0.01, precision=precision)
    BatchSimulation(arm, q0=np.zeros(n), precision=precision)
    simulate_batch(
        arm, q0=np.zeros(n), duration=0.01, torque=["t"] * n, disturbances=[step([1.0] * n)],
        precision=precision,
    )  # fmt: skip


def _arms(n: int) -> tuple[Arm, Arm, Arm]:
    """Return an arm without limits, one with stops, and one with friction."""
    lengths, masses = [0.5] * n, [1.0] * n
    stops, rubs = Joint(lower=-1.0, upper=1.0), Joint(friction=Friction(coulomb=0.1))
    limited, rubbing = (Arm.rods(lengths, masses, joints=[one] * n) for one in (stops, rubs))
    return Arm.rods(lengths, masses), limited, rubbing
