"""What all benchmarks share: pieces of work in turns, and a report with bounds."""

from __future__ import annotations

import json
import math
import os
import platform
import time
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROUNDS = 7
FOLDER = Path("build")
PACKAGES = ("ulna", "numba", "numpy", "mujoco", "pin", "scipy")


def in_turns(*works: Callable[[], object], rounds: int = ROUNDS) -> list[float]:
    """Return the best time [s] of each piece of work, after one round that does not count."""
    best = [math.inf] * len(works)
    for turn in range(rounds + 1):
        for k, work in enumerate(works):
            start = time.perf_counter()
            work()
            taken = time.perf_counter() - start
            if turn:
                best[k] = min(best[k], taken)
    return best


def available_cores() -> int:
    """Return how many cores this process may run on, which is how many threads are measured."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def processor() -> str:
    """Return the processor's name as the system has it."""
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text("utf-8").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()


class Report:
    """Figures, printed as they come and kept in a file; one beyond its bound is marked."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def note(
        self, what: str, value: float, floor: float | None = None, most: float | None = None
    ) -> None:
        """Add a figure."""
        fine = bool((floor is None or value >= floor) and (most is None or value <= most))
        row = {"what": what, "value": float(value), "floor": floor, "most": most, "fine": fine}
        self.rows.append(row)
        bound = f"floor {floor:g}" if floor is not None else f"most {most:g}" if most else ""
        print(f"{what:72} {value:10.4g}   {bound:12}{'' if fine else '  MISSED'}", flush=True)

    def save(self, name: str) -> None:
        """Write all figures, with what they were measured on."""
        machine = {
            "processor": processor(),
            "machine": platform.machine(),
            "system": platform.system(),
            "cores": os.cpu_count(),
            "threads": available_cores(),
        }
        whole = {
            "date": datetime.now(UTC).date().isoformat(),
            "machine": machine,
            "packages": {package: version(package) for package in PACKAGES},
            "rows": self.rows,
        }
        FOLDER.mkdir(exist_ok=True)
        file = FOLDER / f"benchmark-{name}.json"
        file.write_text(json.dumps(whole, indent=2), encoding="utf-8")
        print(f"written to {file}")
