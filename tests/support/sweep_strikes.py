"""A process that carries out sweeps and is killed in the middle, as often as it is told.

It reads a line of JSON for every strike, with the store, the place and how often that place is
passed before; it forks a child that runs the sweep and dies there, and prints how it ended. Forked,
a child needs no second to import anything.
"""

import json
import os
import signal
import sys
import threading
import time
from functools import partial
from pathlib import Path

import ulna
from ulna import storage
from ulna.cli import main
from ulna.sweep import chunks, execute, read_spec, store
from ulna.sweep.compute import compute

PLACES = ("before data", "in data", "after data", "in record", "torn record", "after record")
TEXTS = "in attributes"


def die():
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(10.0)


class Countdown:
    """Dies at the place, after it was passed so many times."""

    def __init__(self, count):
        self.left = count

    def due(self):
        self.left -= 1
        return self.left < 0


def arm_strike(place, count):
    """Change what the sweep calls, so that it dies at a place."""
    countdown = Countdown(count)
    if place in ("before data", "after data"):
        strike_data(place, countdown)
    elif place == "after record":
        strike_record(countdown)
    elif place == "told to end":
        strike_politely(countdown)
    elif place in ("in data", "in record", "torn record", TEXTS):
        strike_write(place, countdown)
    else:
        raise ValueError(place)


def strike_data(place, countdown):
    def write(*arguments, call=store.write_chunk):
        if place == "before data" and countdown.due():
            die()
        found = call(*arguments)
        if place == "after data" and countdown.due():
            die()
        return found

    execute.write_chunk = write


def strike_record(countdown):
    def record(self, *arguments, call=store.SweepStore.record):
        call(self, *arguments)
        if countdown.due():
            die()

    store.SweepStore.record = record


def strike_write(place, countdown):
    """Die with half of a file written: beside its place, or in its place, as no disk should do."""

    def write(file, data, call=storage.write_whole, **options):
        is_record = Path(file).parent.name == store.PROGRESS
        is_one = is_record == (place != "in data") and Path(file).name[0] != "."
        if place == TEXTS:
            is_one = Path(file).name == ".zmetadata"
        is_due = is_one and countdown.due()
        raw = data.encode() if isinstance(data, str) else data
        if is_due and place == "torn record":
            Path(file).write_bytes(raw[: len(raw) // 2])
            die()
        if is_due:
            with storage.whole_file(file) as part:
                part.write_bytes(raw[: len(raw) // 2])
                die()
        return call(file, data, **options)

    store.write_whole = write


def strike_politely(countdown):
    """Ask the process to end while half of a file is written."""

    def write(part, data, call=Path.write_bytes):
        is_record = part.parent.name == store.PROGRESS
        if is_record and countdown.due():
            call(part, data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(10.0)
        return call(part, data)

    Path.write_bytes = write


def run_child(spec, told):
    if told.get("place"):
        arm_strike(told["place"], told["count"])
    elif "delay" in told:
        threading.Timer(told["delay"], os.kill, (os.getpid(), signal.SIGKILL)).start()
    if told.get("command"):
        return main(["sweep", sys.argv[1], "--out", told["store"]])
    ulna.sweep(spec, told["store"])
    return 0


def serve():
    spec = read_spec(sys.argv[1])
    chunks.FEWEST = chunks.MOST = int(sys.argv[2])
    # One thread and no other: a process with threads is not to be forked.
    execute.compute = partial(compute, threads=1)
    compute(spec, range(2), threads=1)
    store.machine()
    print("ready", flush=True)
    for line in sys.stdin:
        told = json.loads(line)
        child = os.fork()
        if not child:
            code = 1
            try:
                code = run_child(spec, told)
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    serve()
