"""How long a sweep takes in process and on Dask's workers, and how much memory.

10,000 points, each a two-link arm under computed torque for 10 s, of which scalars and a curve of
200 points are kept, in a store on disk. The start of the cluster, and what its workers load with
their first task, are told apart. Memory is the largest that a process had, for so many points and
for ten times as many.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from measuring import Report, available_cores

import ulna
from ulna.sweep.cluster import Connection, connected, run_on
from ulna.sweep.execute import SweepJob, layout_of
from ulna.sweep.store import create_store

POINTS, QUICK = 10_000, 1_000
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


def on_cluster(cluster: Connection, points: int, store: Path) -> float:
    """Return how long workers take that run already [s]."""
    spec = ulna.sweep.read_spec(plain_spec(points))
    start = time.perf_counter()
    run_on(cluster, SweepJob(spec, create_store(store, layout_of(spec), {}, overwrite=False)))
    return time.perf_counter() - start


def peak_memory(points: int, folder: Path) -> float:
    """Return the most memory that a process has which sweeps so many short runs [MB]."""
    import json

    words = [json.dumps(plain_spec(points, SHORT)), str(folder / f"peak-{points}.zarr")]
    done = subprocess.run(
        [sys.executable, "-c", PEAK, *words], capture_output=True, text=True, check=True
    )
    return float(done.stdout) / 1024.0


def measure(report: Report, points: int, folder: Path) -> None:
    """Note all figures."""
    workers = available_cores()
    ulna.sweep(plain_spec(64), folder / "first.zarr", progress=False)
    start = time.perf_counter()
    ulna.sweep(plain_spec(points), folder / "here.zarr", progress=False)
    here = time.perf_counter() - start
    per_second = points / here
    report.note(f"a sweep of {points:,} points in process [s]", here, most=30.0 * points / POINTS)
    start = time.perf_counter()
    with connected(workers, None, None) as cluster:
        report.note(f"start of {workers} workers [s]", time.perf_counter() - start)
        report.note("their first task each [s]", on_cluster(cluster, 128, folder / "warm.zarr"))
        there = on_cluster(cluster, points, folder / "there.zarr")
    report.note(f"the same on {workers} workers [s]", there)
    report.note("what Dask adds [%]", 100.0 * (there / here - 1.0), most=15.0)
    report.note("points a second in process", per_second)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true", help=f"{QUICK:,} points only")
    points = QUICK if arguments.parse_args().quick else POINTS
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        measure(report, points, Path(folder))
        few, many = (peak_memory(count, Path(folder)) for count in (points, 10 * points))
    report.note(f"memory of {points:,} short runs in process [MB]", few)
    report.note("memory of ten times as many, as a part of it", many / few, most=1.1)
    report.save("sweep")


if __name__ == "__main__":
    main()
