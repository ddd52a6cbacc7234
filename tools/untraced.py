"""Write tests/untraced.txt: the tests that take long and run no line that others do not run.

`make coverage` leaves them out. It is worth doing again when that has become slow:
`python tools/untraced.py`, some 20 minutes.
"""

import sqlite3
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "tests" / "untraced.txt"
LONG = 0.5  # [s] of all cases of a test
FEW = 1  # branches that are not worth tracing a long test for

Branch = tuple[int, int, int]  # file, from line, to line


class Durations:
    """Sums up how long tests take, by their names."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[name_of(report.nodeid)] += report.duration


def name_of(test: str) -> str:
    """Return the name of the function: "test_a" of "tests/unit/test_b.py::TestC::test_a[d]|run"."""
    return test.partition("[")[0].partition("|")[0].rpartition("::")[2]


def branches_of(data: Path) -> dict[str, set[Branch]]:
    """Return the branches that every test takes; what is taken at import is under ""."""
    found = defaultdict(set)
    with sqlite3.connect(data) as database:
        rows = database.execute(
            "select context, file_id, fromno, tono from arc join context on context_id = context.id"
        )
        for context, *branch in rows:
            found[name_of(context)].add(tuple(branch))
    return found


def untraced(seconds: Counter[str], taken: dict[str, set[Branch]]) -> list[str]:
    """Return the tests that need not be traced; of two that take the same, the longer."""
    short = [test for test in taken if seconds[test] <= LONG]
    covered = set().union(*(taken[test] for test in short))
    left = []
    for test in sorted(set(taken) - set(short), key=lambda test: seconds[test]):
        if len(taken[test] - covered) > FEW:
            covered |= taken[test]
        else:
            left.append(test)
    return sorted(left)


def main() -> int:
    durations = Durations()
    LIST.write_text("", encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        data = Path(folder) / "coverage"
        patch.setenv("COVERAGE_FILE", str(data))
        cover = ["--cov", "--cov-context=test", "--cov-report=", "--cov-fail-under=0"]
        words = ["-q", "-m", "not slow", *cover, *(sys.argv[1:] or [str(ROOT / "tests" / "unit")])]
        code = pytest.main(words, plugins=[durations])
        names = untraced(durations.seconds, branches_of(data))
    LIST.write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
