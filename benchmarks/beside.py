"""Whether the engine is as fast as that of another source tree: benchmarks/beside.py OTHER_SRC.

A process of each tree stays alive and runs one sample of a piece of work when it is told to. The
two take turns, in changing order, and what is compared is the processor time of neighbouring
samples: the median of 21 ratios. One that is more than 5 % slower is measured again, and fails if
it is so again. Exits with 1 if anything fails.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from sources import OWN, Source, checked

SAMPLES = 21
SLOWER = 1.05
SAID = "taken"


def works() -> dict[str, Callable[[], object]]:
    """Return what is measured, a few tenths of a second each."""
    import numpy as np

    import ulna

    # By position: the other tree may have another name for it.
    controller = ulna.control.ComputedTorque(20.0)
    plan = ulna.plan(ulna.preset("kehl"), ulna.paths.loops())
    random = np.random.default_rng(0)
    q0 = random.uniform(-1.0, 1.0, (4000, 2))
    pair = ulna.Arm.rods([1.0, 1.0], [1.0, 1.0])
    sticky = ulna.Joint(damping=0.5, friction=ulna.Friction(coulomb=0.5, static=0.8))
    rubbed = ulna.Arm.of([ulna.Link(1.0, 1.0)] * 2, [sticky] * 2)
    driven = ulna.preset("dfki-double-pendulum")

    def rk4(n: int, steps: int) -> Callable[[], object]:
        arm = ulna.Arm.rods([1.0] * n, [1.0] * n)
        return lambda: ulna.simulate(
            arm, q0=[0.3] * n, duration=1e-4 * steps, dt=1e-4, method="rk4", samples=2
        )

    return {
        "RK4, one arm, n = 2": rk4(2, 400_000),
        "RK4, one arm, n = 4": rk4(4, 200_000),
        "RK4, one arm, n = 7": rk4(7, 100_000),
        "dop853, one arm, n = 2": lambda: ulna.simulate(
            pair, q0=[2.0, 0.5], duration=300.0, method="dop853", samples=2
        ),
        "computed torque, n = 2": lambda: [
            ulna.simulate(plan.arm, controller=controller, reference=plan, rate=1000.0)
            for _ in range(4)
        ],
        "batch, 4,000 arms × 1,000 steps of RK4": lambda: ulna.simulate_batch(
            pair, q0=q0, duration=1.0, dt=1e-3, threads=1
        ),
        "batch under computed torque, 4,000 arms × 500 steps": lambda: ulna.simulate_batch(
            pair, q0=q0, duration=0.5, dt=1e-3, controller=controller, reference=q0, threads=1
        ),
        "small calls: 0.1 s of one arm": lambda: [
            ulna.simulate(pair, q0=[0.3, 0.1], duration=0.1) for _ in range(300)
        ],
        "small calls: one step of 1,000 arms": lambda: [
            ulna.simulate_batch(pair, q0=q0[:1000], duration=1e-3, dt=1e-3, threads=1)
            for _ in range(100)
        ],
        "friction, one arm, n = 2": lambda: ulna.simulate(
            rubbed,
            q0=[0.3, 0.1],
            torque=["8*sin(3*t)", "2*t"],
            duration=20.0,
            dt=1e-4,
            method="rk4",
            samples=2,
        ),
        "motors, one arm, n = 2": lambda: ulna.simulate(
            driven,
            q0=[0.5, -0.8],
            voltage=["5*sin(6*t)", "2"],
            duration=10.0,
            dt=1e-4,
            method="rk4",
            samples=2,
        ),
    }


def serve() -> None:
    """Run a sample of the work whose name comes in, and say how long it took, until told to end."""
    known = works()
    print(SAID, json.dumps(list(known)), flush=True)
    for line in sys.stdin:
        work = known[line.strip()]
        start = time.process_time()
        work()
        print(SAID, time.process_time() - start, flush=True)


class Runner:
    """A process of one source tree."""

    def __init__(self, source: Source) -> None:
        self.name = source.name
        self.process = subprocess.Popen(
            [source.python, str(Path(__file__).resolve()), "--serve"],
            env=source.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.works: list[str] = json.loads(self._answer())

    def sample(self, work: str) -> float:
        """Return the processor time [s] of a sample."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{work}\n")
        self.process.stdin.flush()
        return float(self._answer())

    def _answer(self) -> str:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith(SAID):
                return line.removeprefix(SAID)
        raise SystemExit(f"{self.name} ended early.")

    def end(self) -> None:
        """Let the process end by itself."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def ratio(ours: Runner, theirs: Runner, work: str, samples: int) -> float:
    """Return the median of our processor time to theirs."""
    found = []
    for turn in range(samples):
        pair = (ours, theirs) if turn % 2 else (theirs, ours)
        taken = {runner.name: runner.sample(work) for runner in pair}
        found.append(taken[ours.name] / taken[theirs.name])
    return statistics.median(found)


def compare(ours: Runner, theirs: Runner, samples: int) -> int:
    """Compare all works, printing as it goes; return how many fail."""
    failed = 0
    for work in ours.works:
        for runner in (ours, theirs):
            runner.sample(work)  # what is compiled, is compiled now
        found = [ratio(ours, theirs, work, samples)]
        if found[0] > SLOWER:
            found.append(ratio(ours, theirs, work, samples))
        slower = all(value > SLOWER for value in found)
        failed += slower
        told = " and ".join(f"{value:.3f}" for value in found)
        print(f"{work:56} {told:16} {'FAILED' if slower else 'fine'}", flush=True)
    return failed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "other", nargs="?", type=Path, metavar="OTHER_SRC", help="a checkout, or its src"
    )
    parser.add_argument("--samples", type=int, default=SAMPLES)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve()
        return
    if given.other is None:
        parser.error("give the sources to compare with")
    theirs = Runner(Source("theirs", sys.executable, checked(given.other)))
    ours = Runner(Source("ours", sys.executable, OWN))
    try:
        print("our processor time to theirs, the median of", given.samples)
        failed = compare(ours, theirs, given.samples)
    finally:
        ours.end()
        theirs.end()
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
