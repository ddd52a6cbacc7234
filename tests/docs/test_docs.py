"""Every command and every block in README and docs runs as printed.

`make test` runs the Python of README and reads the others; `make test-docs` runs all commands and
the other blocks.
"""

import contextlib
import doctest
import importlib
import re
import shlex
import subprocess
import sys
from pathlib import Path
from pkgutil import walk_packages as walk

import pytest
import typer
from matplotlib import pyplot

import ulna
from tabular import tabular
from ulna.arm.robot_files import parse
from ulna.cli import main
from ulna.cli.app import COMMANDS, load
from ulna.sweep import read_spec
from ulna.sweep.uncertainty import read_uncertainty

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
PICTURES = ROOT / "docs" / "pictures"
RUN = set()  # commands that have run, on whichever page
NAMED = ("src", "papers", "tests", "tools", "benchmarks", "examples")
PROGRAMS = ("ulna", "make", "python", "pip")


def blocks(page, language):
    return [text for kind, text in BLOCK.findall(page.read_text("utf-8")) if kind == language]


def marks(page):
    return () if page.name == "README.md" else pytest.mark.docs


def write_files(page):
    """Write the files of a page, blocks that begin with a comment of their name, here."""
    for text in (*blocks(page, "toml"), *blocks(page, "xml")):
        named = re.match(r"(?:#|<!--) ([\w-]+\.(?:toml|svg|urdf))(?: -->)?\n", text)
        if named:
            Path(named[1]).write_text(text, "utf-8")


def cases(language):
    return [
        pytest.param(text, page, id=f"{page.name}-{number}", marks=marks(page))
        for page in PAGES
        for number, text in enumerate(blocks(page, language), 1)
    ]


def commands(page):
    lines = "\n".join(blocks(page, "console")).splitlines()
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_and_files_in_the_docs_are_right(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for code in blocks(page, "python"):
        compile(code, f"<{page.name}>", "exec")
    write_files(page)
    for text in blocks(page, "toml"):
        if "[vary]" in text:
            Path("sweep.toml").write_text(text, "utf-8")
            if "\narm = " in text:
                assert len(read_spec("sweep.toml")) > 1
            else:  # what is uncertain about an arm that is given elsewhere
                assert read_uncertainty("sweep.toml")["vary"]
        elif "\narm = " in text:
            assert ulna.Scenario.from_toml(text).to_dict()
        else:
            _, doubts = parse(text)
            assert doubts == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_have_the_options_that_are_printed(page):
    for command in commands(page):
        program, *words = shlex.split(command)
        assert program in PROGRAMS, command
        if program == "ulna" and words[0] in COMMANDS:
            with contextlib.suppress(typer.Exit):
                load(words[0]).make_context(words[0], words[1:])


@pytest.mark.parametrize(("code", "page"), cases("python"))
def test_python_block_runs(code, page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_files(page)
    exec(compile(code, "<docs>", "exec"), {"__name__": "__docs__"})
    pyplot.close("all")


@pytest.mark.docs
@pytest.mark.parametrize("page", [p for p in PAGES if commands(p)], ids=lambda page: page.name)
def test_commands_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_files(page)
    for command in commands(page):
        program, *words = shlex.split(command)
        if program == "ulna":
            if command not in RUN or any(Path(word).exists() for word in words):
                assert main(words) == 0, command
            RUN.add(command)
        elif program == "make":
            plan = subprocess.run(
                ["make", "--dry-run", *words], cwd=ROOT, capture_output=True, check=False
            )
            assert plan.returncode == 0, command
        elif program == "python":
            done = subprocess.run([sys.executable, *words], capture_output=True, check=False)
            assert done.returncode == 0, command
        else:
            assert command == "pip install ."


@tabular("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)", page.read_text("utf-8")):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), target


@tabular("page", PAGES, ids=lambda page: page.name)
def test_files_that_are_named_exist(page):
    known = {file.name for folder in NAMED for file in (ROOT / folder).rglob("*.py")}
    named = re.findall(r"`(?:[\w-]+/)*([\w-]+\.py)`", page.read_text("utf-8"))
    assert set(named) <= known


def test_pictures_are_few_and_small():
    assert sum(picture.stat().st_size for picture in PICTURES.iterdir()) <= 2_000_000


@pytest.mark.docs
def test_examples_in_docstrings_run():
    modules = [ulna, *(importlib.import_module(m.name) for m in walk(ulna.__path__, "ulna."))]
    tried = [doctest.testmod(module) for module in modules]
    assert sum(result.failed for result in tried) == 0
    assert sum(result.attempted for result in tried) > 20
