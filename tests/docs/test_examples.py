"""Every example runs as it stands, and the gallery shows it."""

import runpy
from pathlib import Path

import pytest
from matplotlib import pyplot

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.docs
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(example, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(example), run_name="__main__")
    pyplot.close("all")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_can_be_read(example):
    compile(example.read_text("utf-8"), str(example), "exec")


def test_the_gallery_shows_every_example():
    made = runpy.run_path(str(ROOT / "tools" / "gallery.py"))
    assert (ROOT / "docs" / "gallery.md").read_text("utf-8") == made["page"]()
