"""How long a sweep takes in process and on Dask's workers, and how much memory.

10,000 points, each a two-link arm under computed torque for 10 s, of which scalars and a curve of
200 points are kept, in a store on disk. In process, on one worker and on one for every core it is
computed in turns, and medians are told, of time and of what all processes used of the processor.
The start of a cluster, and the first chunk, with which its workers load what they need, are told
apart. Memory is the largest that a process had, for so many short runs and for ten times as many.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple
from uuid import uuid4

from measuring import Report, available_cores

import ulna
from ulna.sweep.cluster import run_on
from ulna.sweep.dask_clusters import Connection, connected
from ulna.sweep.execute import SweepJob, layout_of, run_here
from ulna.sweep.store import create_store

POINTS, QUICK = 10_000, 1_000
ROUNDS = 3  # turns of each
SHORT = "0.1 s"  # of runs by which memory is measured
PEAK = """
import json, resource, sys, ulna
spec, store = json.loads(sys.argv[1]), sys.argv[2]
ulna.sweep(spec, store, progress=False)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def plain_spec(points: int, duration: str = "10 s") -> dict[str, Any]:
    """Return a sweep over the masses of an arm and its payload."""
    return {
        "format": 1,
        "arm": "kehl",
        "path": "circle(center=(0.4, 0.3), radius='20 cm')",
        "duration": duration,
        "controller": "ComputedTorque(natural_frequency=20)",
        "vary": {
            "design": "sobol",
            "count": points,
            "link.2.mass": {"from": 5.0, "to": 15.0},
            "payload": {"from": 0.0, "to": 1.0},
        },
        "keep": {
            "scalars": ["torque.peak", "torque.rms", "energy.spent", "tip_error.rms"],
            "curves": ["torque"],
        },
    }


class Measured(NamedTuple):
    """What a sweep took: of time, and of processor time in all processes [s]."""

    wall: float
    processor: float


def swept(job: SweepJob, run: Callable[[SweepJob], None], workers: Any = None) -> Measured:
    """Measure a sweep that is carried out in process, or by workers that run already."""
    before, start = processor_time(workers), time.perf_counter()
    run(job)
    wall = time.perf_counter() - start
    return Measured(wall, processor_time(workers) - before)


def processor_time(client: Any) -> float:
    """Return what this process, and the workers of a client, have used of the processor [s]."""
    own = time.process_time()
    return own if client is None else own + sum(client.run(time.process_time).values())


def new_job(points: int, folder: Path) -> SweepJob:
    """Return a sweep with a store of its own, of which nothing is computed."""
    spec = ulna.sweep.read_spec(plain_spec(points))
    store = create_store(folder / uuid4().hex, layout_of(spec), overwrite=False)
    return SweepJob(spec, store, lambda done: None)


def on(cluster: Connection) -> Callable[[SweepJob], None]:
    """Return what carries out a sweep on a cluster."""
    return partial(run_on, cluster)


def peak_memory(points: int, folder: Path) -> float:
    """Return the most memory that a process has which sweeps so many short runs [MB]."""
    words = [json.dumps(plain_spec(points, SHORT)), str(folder / f"peak-{points}.zarr")]
    done = subprocess.run(
        [sys.executable, "-c", PEAK, *words], capture_output=True, text=True, check=True
    )
    return float(done.stdout) / 1024.0


def measure(report: Report, points: int, folder: Path) -> None:
    """Note all figures: in process, and on one worker and as many as there are cores, in turns."""
    swept(new_job(64, folder), run_here)
    with ExitStack() as stack:
        clusters = {}
        for workers in sorted({1, available_cores()}):
            start = time.perf_counter()
            cluster = stack.enter_context(connected(workers, None, None))
            name = f"{workers} worker{'s' * (workers > 1)}"
            report.note(f"start of {name} [s]", time.perf_counter() - start)
            first = swept(new_job(64 * workers, folder), on(cluster))
            report.note(f"first chunk of {name} [s]", first.wall)
            clusters[name] = cluster
        here, there = [], {name: [] for name in clusters}
        for _ in range(ROUNDS):
            here.append(swept(new_job(points, folder), run_here))
            for name, cluster in clusters.items():
                there[name].append(swept(new_job(points, folder), on(cluster), cluster.client))
    _note_medians(report, points, here, there)


def _note_medians(
    report: Report, points: int, here: list[Measured], there: dict[str, list[Measured]]
) -> None:
    wall, processor = map(median, zip(*here, strict=True))
    share = points / POINTS
    report.note(f"a sweep of {points:,} points in process [s]", wall, most=30.0 * share)
    report.note("the same, of processor time [s]", processor)
    report.note("points a second in process", points / wall)
    for name, measured in there.items():
        own, used = map(median, zip(*measured, strict=True))
        report.note(f"the same sweep on {name} [s]", own)
        # What each task costs is the more of the whole the fewer points it has.
        bounded = {"most": 15.0} if points >= POINTS else {}
        report.note(f"what Dask adds, {name} [%]", 100.0 * (own / wall - 1.0), **bounded)
        added = 100.0 * (used / processor - 1.0)
        report.note(f"the same, of processor time, {name} [%]", added)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true", help=f"{QUICK:,} points only")
    points = QUICK if arguments.parse_args().quick else POINTS
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        measure(report, points, Path(folder))
        few, many = (peak_memory(count, Path(folder)) for count in (points, 10 * points))
    report.note(f"memory of {points:,} short runs in process [MB]", few)
    # A process needs the memory of 256 points at a time, which chunks of fewer do not reach.
    bounded = {"most": 1.1} if points >= POINTS else {}
    report.note("memory of ten times as many, as a part of it", many / few, **bounded)
    report.save("sweep")


if __name__ == "__main__":
    main()
