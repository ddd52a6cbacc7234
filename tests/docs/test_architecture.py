"""The map of the package names files that are there, and its picture all rooms."""

import importlib.util
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "ulna"
MAP = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_the_picture_shows_the_rooms_of_the_import_contract():
    place = importlib.util.spec_from_file_location("rooms", ROOT / "tools" / "rooms.py")
    rooms = importlib.util.module_from_spec(place)
    place.loader.exec_module(rooms)
    assert rooms.undrawn() == set()
    assert "pictures/rooms.png" in MAP


def test_files_that_the_map_names_are_there():
    # A bare name stands for a file of the folder that was named before it.
    there = [path.as_posix() for path in PACKAGE.rglob("*.py")]
    named = set(re.findall(r"`([\w/]+\.py)`", MAP))
    assert len(named) > 100
    ours = {name for name in named if any(file.endswith(f"/{name}") for file in there)}
    assert {name for name in named - ours if not (ROOT / name).is_file()} == set()
