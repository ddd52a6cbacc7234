"""The watchdog itself: it sees what the fuzzers are there to find."""

import pytest

WELL = {"code": 0, "out": "", "err": "", "files": ["arm.toml"], "temporary": []}
# Answers the first question, and then does what it is told to.
SERVER = """
import os, sys, time
sys.stdin.readline()
print({{}}, flush=True)
sys.stdin.readline()
{}
"""


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("while True: pass", "no end after"),
        ("os.abort()", "ended the process with code"),
    ],
)
def test_a_child_that_does_not_answer_is_seen(tmp_path, tools, what, told):
    server = tmp_path / "server.py"
    server.write_text(SERVER.format(what), encoding="utf-8")
    child = tools.child(server)
    found = child.run(tools.case("info"), hang=0.5, stuck=2.0)
    assert told in found
    assert child.process is None


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({}, ""),
        ({"code": 5}, ""),
        ({"code": 1}, "exit code 1"),
        ({"err": "Traceback (most recent call last)"}, "a traceback"),
        ({"code": 2}, "not a word"),
        ({"files": ["arm.toml", "out.nc"]}, ""),
        ({"files": ["arm.toml", "out.nc"], "code": 2, "err": "no"}, "left behind: ['out.nc']"),
        ({"files": ["arm.toml", ".a1.part"]}, "left behind: ['.a1.part']"),
        ({"temporary": ["x"]}, "left behind: ['x']"),
        ({"files": []}, "gone: ['arm.toml']"),
    ],
)
def test_what_counts_as_a_failure(tools, change, told):
    case = tools.case("check", "arm.toml", files={"arm.toml": b""}, outputs=["out.nc"])
    found = tools.trouble(case, WELL | change)
    assert found.startswith(told)
    assert bool(found) == bool(told)
