"""How tests run commands: in an empty folder each, or beside one another, sharing what was made."""

import contextlib
import io
import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ulna.cli import main, outputs


class Answer(NamedTuple):
    """What a command said, how it ended, and the folder that it ran in."""

    code: int
    out: str
    err: str
    place: Any

    @property
    def json(self):
        """The answer as numbers: all of standard output, or it is no JSON."""
        return json.loads(self.out)

    @property
    def flat(self):
        """The answer as one line, however it was wrapped."""
        return " ".join(self.out.split())

    def facts(self, folder):
        """The numbers that a file keeps."""
        return json.loads((self.place / folder / "summary.json").read_text("utf-8"))


def _run_in(place, *words):
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(place),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = main(list(words))
    assert "Traceback" not in err.getvalue()
    return Answer(code, out.getvalue(), err.getvalue(), place)


@pytest.fixture
def ask(capsys, tmp_path, monkeypatch):
    """Return what runs a command in an empty folder: (*words) -> exit code, answer, notes."""
    monkeypatch.chdir(tmp_path)

    def run(*words):
        code = main(list(words))
        printed = capsys.readouterr()
        assert "--debug" in words or "Traceback" not in printed.err
        return code, printed.out, printed.err

    return run


@pytest.fixture
def facts(ask):
    """Return what runs a command that has to succeed: (*words) -> its JSON."""

    def run(*words):
        code, out, _ = ask(*words, "--json")
        assert code == 0
        return json.loads(out)

    return run


@pytest.fixture(scope="session")
def run_in():
    """Return what runs a command in a folder: (place, *words) -> Answer."""
    return _run_in


@pytest.fixture
def unpainted(monkeypatch):
    """Leave pictures empty, where a test looks at the numbers."""

    def save(_draw, file, **_):
        Path(file).write_bytes(b"")

    monkeypatch.setattr(outputs, "save_figure", save)
