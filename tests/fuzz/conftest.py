"""What the fuzzers share: children that run commands, a watchdog, and what counts as a failure.

A case is a command line and the files that it finds. Whatever they are, the command ends within ten
seconds with a code that means something, prints no traceback, and leaves no file that was not asked
for. Cases are drawn from fixed seeds; `make test` runs the first few of each kind, `make
test-slow` goes on for ULNA_FUZZ seconds of each (ten minutes).
"""

import base64
import contextlib
import itertools
import json
import os
import queue
import random
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

SERVER = Path(__file__).with_name("server.py")
CODES = {0, 2, 3, 4, 5, 74}  # 1 is a bug of ours, and nobody presses Ctrl-C
HANG = 10.0  # [s] of processor time, where the system tells it
STUCK = 60.0  # [s] for a child that waits, on a machine that may be busy with others
START = 600.0  # [s] for the first commands, which may have to compile
SLOW = float(os.environ.get("ULNA_FUZZ", "600"))  # [s] of each kind in `make test-slow`

# Values that something somewhere was not written for.
NASTY = [
    "", " ", "0", "-0", "-1", "1e-300", "5e-324", "1e300", "1e999", "-1e308", "nan", "-inf",
    "9" * 400, "0x10", "1_0", "true", "None", "1;2", "1,", ",", "1, 2, 3", "-", "--", "'", '"',
    "(", "((", "[]", "{}", "%s", "\\", "\0", "\n", "\t", "\r\n", "é", "²", "½", "١", "𝟙", "\u2028",
    "\u202e", "\ufeff", "\udcff", "x" * 3000, "(" * 300, "5 kg", "5 furlongs", "30 deg", "1 m/s",
    "1e5 rad", "__import__('os')", "t.real", "lambda: 0", "q1", "$HOME", "~", ".", "..",
    "nul", "a/b", "http://localhost/x", "*", "?", "🤖",
]  # fmt: skip


class Child:
    """A process that runs cases, started anew where one of them ended it or took too long."""

    def __init__(self, server=SERVER):
        self.server, self.process = server, None

    def run(self, case, hang=HANG, stuck=STUCK):
        """Give the answer to a case, or what became of the child instead of one."""
        if self.process is None:
            self._start()
            self.run(case_of("info"), START, START)
        before = self._processor_time()
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(case).encode() + b"\n")
            self.process.stdin.flush()
        start = time.monotonic()
        while (line := self._next_answer()) is None:
            taken = time.monotonic() - start
            if taken > stuck or min(taken, self._processor_time() - before) > hang:
                self.close()
                return f"no end after {taken:.0f} s"
        if not line:
            code = self.process.wait()
            self.close()
            return f"ended the process with code {code}"
        return json.loads(line)

    def _next_answer(self):
        try:
            return self.answers.get(timeout=1.0)
        except queue.Empty:
            return None

    def _processor_time(self):
        """Give what the child has used [s], or where the system does not tell, the clock's time."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text("ascii").rpartition(")")[2]
            return sum(map(int, fields.split()[11:13])) / os.sysconf("SC_CLK_TCK")
        except (OSError, ValueError):
            return time.monotonic()

    def _start(self):
        import ulna

        place = [str(Path(ulna.__file__).parent.parent), os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(place), "COLUMNS": "100"}
        self.process = subprocess.Popen(
            [sys.executable, str(self.server)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        self.answers = queue.Queue()
        streams = self.process.stdout, self.answers
        self.listener = threading.Thread(target=self._listen, args=streams)
        self.listener.start()

    @staticmethod
    def _listen(stream, answers):
        for line in stream:
            answers.put(line)
        answers.put(b"")

    def close(self):
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.listener.join()
            self.process.stdout.close()
            self.process = None


def case_of(*arguments, files=None, outputs=()):
    """Make a case; `outputs` are the files or folders that it may write, "*" any of its own."""
    made = {name: base64.b64encode(raw).decode() for name, raw in (files or {}).items()}
    return {"arguments": list(arguments), "files": made, "outputs": list(outputs)}


def trouble(case, answer):
    """Say what is wrong with an answer, or nothing."""
    if isinstance(answer, str):
        return answer
    if answer["code"] not in CODES:
        return f"exit code {answer['code']}"
    if "Traceback" in answer["err"] or "Traceback" in answer["out"]:
        return "a traceback"
    if answer["code"] == 2 and not answer["err"].strip():
        return "not a word about what is wrong"
    outputs = [] if answer["code"] == 2 else case["outputs"]
    left = [
        name for name in answer["files"] if name not in case["files"] and not _within(name, outputs)
    ]
    if left or answer["temporary"]:
        return f"left behind: {left + answer['temporary']}"
    missing = set(case["files"]) - set(answer["files"]) - set(outputs)
    return f"gone: {sorted(missing)}" if missing else ""


def _within(name, outputs):
    if any(part.startswith(".") or part.endswith(".part") for part in Path(name).parts):
        return False
    return any(output in ("*", name) or name.startswith(f"{output}/") for output in outputs)


@pytest.fixture
def fuzz(request, length):
    """Give what runs a fuzzer: (examples, draw, count), with draw(dice) -> case.

    The examples are right, and run first.
    """
    slow = length == "long"
    child = Child()

    def run(examples, draw, count):
        for example in examples:
            found = child.run(example, START, START)
            assert not trouble(example, found), (trouble(example, found), example, found)
            assert found["code"] == 0, (example["arguments"], found["err"])
        end = time.monotonic() + SLOW
        failures = []
        for number in itertools.count(count) if slow else range(count):
            case = draw(random.Random(f"{request.node.originalname} {number}"))
            found = child.run(case)
            told = trouble(case, found)
            if told:
                failures.append((number, told, case, found))
            if len(failures) >= 5 or (slow and time.monotonic() > end):
                break
        assert not failures, "\n\n".join(shown(*failure) for failure in failures)

    yield run
    child.close()


def shown(number, told, case, found):
    """Write a failure so that it can be repeated."""
    said = found if isinstance(found, str) else f"{found['err'][-1500:]}"
    files = {name: base64.b64decode(raw)[:600] for name, raw in case["files"].items()}
    return f"case {number}: {told}\n  {case['arguments']!r:.1500}\n  {files}\n  {said}"


def mutated(dice, text, pieces=(), most=4):
    """Change a text in a few places: leave out, repeat, swap, insert what is nasty or its own."""
    for _ in range(dice.randint(1, most)):
        start = dice.randint(0, len(text))
        end = start + dice.choice([0, 1, 1, 2, 5, 20])
        other = dice.randint(0, len(text))
        insert = dice.choice(
            [
                "",
                text[start:end] * 2,
                text[other : other + dice.randint(0, 20)],
                dice.choice([*pieces, ""]),
                dice.choice([*pieces, ""]),
                dice.choice(NASTY),
                chr(dice.randrange(0x20, 0x3000)),
            ]
        )
        text = text[:start] + insert + text[end:]
    return text


def damaged(dice, raw, most=3):
    """Change bytes in a few places."""
    for _ in range(dice.randint(1, most)):
        start, size = dice.randrange(len(raw) + 1), dice.choice([1, 4, 64, 1000])
        middle = dice.choice([b"", bytes(size), b"\xff" * size, dice.randbytes(size)])
        raw = raw[:start] + middle + raw[start + dice.choice([0, len(middle), size]) :]
    return raw


def encoded(text):
    """Give the bytes of a text that may be none."""
    return text.encode("utf-8", "surrogatepass")


@pytest.fixture(scope="session")
def tools():
    """Give what cases are made with."""
    return SimpleNamespace(
        case=case_of,
        mutated=mutated,
        damaged=damaged,
        encoded=encoded,
        nasty=NASTY,
        child=Child,
        trouble=trouble,
    )


def pytest_generate_tests(metafunc):
    """Run every fuzzer twice: for some seconds, and among the slow tests for minutes."""
    if "fuzz" in metafunc.fixturenames:
        long = pytest.param("long", marks=pytest.mark.slow)
        metafunc.parametrize("length", ["short", long], indirect=True)


@pytest.fixture
def length(request):
    """Give how long a fuzzer runs."""
    return request.param
