"""How long the first calls ever take, with nothing compiled yet, and the first of a later process.

Every call is made in a process of its own, from `import ulna` to its result. They share a folder
of compiled kernels that is empty at first, so that each pays for what none before it needed. With
--beside another source tree takes turns with this one, call by call, and the ratios are what
counts; --python runs an installed ulna in place of these sources. On a machine that does other
things as well --cpu counts processor time, which the bounds then are of.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from measuring import Report
from sources import OWN, Source, checked

RUN = "ulna.simulate(ulna.Arm.rods([1.0] * {n}, [1.0] * {n}), q0=[0.1] * {n}, duration=1.0)"
FIRST = "first simulate, n = 2"
CALLS = {
    FIRST: RUN.format(n=2),
    "then simulate, n = 3": RUN.format(n=3),
    "then simulate, n = 4": RUN.format(n=4),
    "then ComputedTorque": (
        "ulna.simulate(ulna.preset('unit'), q0=[0.1, 0.1], duration=1.0,"
        " controller=ulna.control.ComputedTorque())"
    ),
    "then the first batch": (
        "ulna.simulate_batch(ulna.preset('unit'), q0=[[0.1, 0.1], [0.2, 0.2]], duration=1.0)"
    ),
}
ALL, WARM = "all of them", "import and first simulate, warm"
LATER = 5  # processes with everything compiled
# Times to those of the tree beside: from sources, and as installed from a wheel.
BOUNDS = {
    "source": {FIRST: 0.6, ALL: 0.55, WARM: 0.5},
    "wheel": {FIRST: None, ALL: 0.25, WARM: 0.5},
}
FIRST_OF_WHEEL = 5.0  # [s]


def taken(source: Source, cache: Path, call: str, clock: str) -> float:
    """Return the time [s] of a call in a fresh process, the import included."""
    code = (
        f"import time; t = time.{clock}(); import ulna; {call}; print('taken', time.{clock}() - t)"
    )
    done = subprocess.run(
        [source.python, "-c", code],
        env=source.environment(ULNA_CACHE=str(cache)),
        cwd=cache,  # where no package lies about
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{source.name}: {call}\n{done.stderr}")
    return float(done.stdout.split("taken")[-1])


def measured(sources: Sequence[Source], clock: str) -> list[dict[str, float]]:
    """Return the times [s] of all calls, for each of the sources, which take turns."""
    found: list[dict[str, float]] = [{} for _ in sources]
    with tempfile.TemporaryDirectory() as folder:
        caches = [Path(folder) / str(k) for k in range(len(sources))]
        for cache in caches:
            cache.mkdir()
        for name, call in CALLS.items():
            for k, source in enumerate(sources):
                found[k][name] = taken(source, caches[k], call, clock)
                print(f"    {source.name}: {name}: {found[k][name]:.2f} s", flush=True)
        for k in range(len(sources)):
            found[k][ALL] = sum(found[k].values())
        for _ in range(LATER):
            for k, source in enumerate(sources):
                later = taken(source, caches[k], CALLS[FIRST], clock)
                found[k][WARM] = min(found[k].get(WARM, later), later)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--beside", type=Path, metavar="SRC", help="another checkout, or its src")
    parser.add_argument("--python", metavar="PYTHON", help="one that has ulna installed")
    parser.add_argument("--cpu", action="store_true", help="processor time, not that of the clock")
    given = parser.parse_args()
    kind = "wheel" if given.python else "source"
    python = given.python or sys.executable
    sources = [Source("ours", python, None if given.python else OWN)]
    if given.beside:
        sources.append(Source("theirs", sys.executable, checked(given.beside)))
    clock = "process_time" if given.cpu else "perf_counter"
    report, (ours, *others) = Report(), measured(sources, clock)
    for name, seconds in ours.items():
        most = FIRST_OF_WHEEL if kind == "wheel" and name == FIRST else None
        report.note(f"cold start, {name} [s]", seconds, most=most)
    for theirs in others:
        for name, seconds in ours.items():
            bound = BOUNDS[kind].get(name)
            report.note(
                f"cold start, {name}, to the tree beside", seconds / theirs[name], most=bound
            )
    if not given.beside and not given.python and not given.cpu:
        report.save("cold-start")


if __name__ == "__main__":
    main()
