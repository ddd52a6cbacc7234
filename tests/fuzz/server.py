"""Runs commands of ulna one after the other, each in a folder of its own: a long-lived child.

A line of standard input is a case: {"arguments": [...], "files": {name: base64}}. The answer is a
line of standard output: the exit code, what was printed, and the files that are there afterwards.
"""

import base64
import contextlib
import json
import os
import sys
import tempfile
import traceback
from pathlib import Path

MOST = 20_000  # letters of what was printed


def main() -> None:
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    prepare()
    for line in questions:
        answers.write(json.dumps(answer(json.loads(line))).encode() + b"\n")
        answers.flush()


def prepare() -> None:
    """Leave out what takes long and is not looked at."""
    from matplotlib.figure import Figure

    def savefig(_, file, **__):
        if hasattr(file, "write"):
            file.write(b"picture")
        else:
            Path(file).write_bytes(b"picture")

    Figure.savefig = savefig


def answer(case):
    home = Path.cwd()
    with tempfile.TemporaryDirectory() as place:
        folder, spare = Path(place) / "here", Path(place) / "temporary"
        folder.mkdir()
        spare.mkdir()
        for name, content in case["files"].items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(base64.b64decode(content))
        os.chdir(folder)
        tempfile.tempdir = str(spare)
        try:
            code, out, err = run(case["arguments"], Path(place))
        finally:
            tempfile.tempdir = None
            os.chdir(home)
        return {
            "code": code,
            "out": out[:MOST],
            "err": err[:MOST] + ("..." + err[-MOST:] if len(err) > MOST else ""),
            "files": sorted(one.relative_to(folder).as_posix() for one in leaves(folder)),
            "temporary": sorted(one.name for one in spare.iterdir()),
        }


def leaves(folder):
    return [one for one in folder.rglob("*") if not one.is_dir()]


def run(arguments, place):
    """Run a command with its streams in files, whoever writes to them."""
    from ulna.cli import main as ulna

    with contextlib.ExitStack() as stack:
        for number, name in ((1, "out"), (2, "err")):
            file = stack.enter_context((place / name).open("wb"))
            saved = os.dup(number)
            os.dup2(file.fileno(), number)
            stack.callback(os.close, saved)
            stack.callback(os.dup2, saved, number)
        for stream in ("stdout", "stderr"):
            number = 1 if stream == "stdout" else 2
            setattr(sys, stream, open(number, "w", encoding="utf-8", closefd=False))  # noqa: SIM115
        try:
            code = ulna(arguments)
        except BaseException:
            traceback.print_exc()
            code = None
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
    return code, *((place / name).read_text("utf-8", "replace") for name in ("out", "err"))


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()
