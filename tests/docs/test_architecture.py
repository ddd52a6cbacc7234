"""The map of the package names files that are there, and its picture all rooms."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "ulna"
MAP = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_the_picture_shows_the_rooms_of_the_import_contract():
    place = importlib.util.spec_from_file_location("rooms", ROOT / "tools" / "rooms.py")
    rooms = importlib.util.module_from_spec(place)
    place.loader.exec_module(rooms)
    assert rooms.undrawn() == set()
    assert "pictures/rooms.png" in MAP


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`([\w/]+\.py)`", MAP))))
def test_files_that_the_map_names_are_there(name):
    # A bare name stands for a file of the folder that was named before it.
    found = (ROOT / name, *PACKAGE.rglob("*.py"))
    assert any(path.is_file() and path.as_posix().endswith(f"/{name}") for path in found)
