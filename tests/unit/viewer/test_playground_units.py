"""A unit typed into a page is worth what it is worth in Python."""

import importlib.util
import json
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from ulna.units import UNITS
from ulna.viewer.exercises import KINDS as EXERCISES
from ulna.viewer.exercises import exercise

ROOT = Path(__file__).parents[3]
SCRIPT = """
import {QUANTITIES, unitsOf, unitFactor} from "./src/playground/units.ts";
const factors = (kind) => unitsOf(kind).map((unit) => [unit, unitFactor(unit, kind)]);
console.log(JSON.stringify(QUANTITIES.map((kind) => [kind, factors(kind)])));
"""
# Pages know angular velocity as a rate, and speed as metres a second.
KINDS = {
    "rate": "speed",
    "speed": "velocity",
    "angular-acceleration": "angular_acceleration",
}
OF_PAGES_ONLY = {("rate", "1/s"), ("energy", "N*m")}


def viewer_tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("viewer_tool", ROOT / "tools" / "viewer.py")
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool


@pytest.fixture(scope="module")
def factors() -> dict[tuple[str, str], float]:
    tool = viewer_tool()
    try:
        node = tool.find_node()
    except tool.CannotBuildError as error:
        pytest.skip(str(error))
    answer = subprocess.run(
        [
            *node.node,
            "--experimental-strip-types",
            "--no-warnings",
            "--input-type=module",
            "-e",
            SCRIPT,
        ],
        cwd=ROOT / "web",
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return {
        (kind, unit): factor for kind, units in json.loads(answer.stdout) for unit, factor in units
    }


def test_factors_are_those_of_python(factors: dict[tuple[str, str], float]) -> None:
    python = {
        (kind, unit): UNITS[KINDS.get(kind, kind)].get(unit)
        for kind, unit in factors
        if KINDS.get(kind, kind) in UNITS
    }
    assert {kind for kind, _ in factors} - {kind for kind, _ in python} == {
        "moment",
        "integral-gain",
    }
    missing = {key for key, factor in python.items() if factor is None}
    assert missing == OF_PAGES_ONLY
    differing = {
        key
        for key in python.keys() - missing
        if factors[key] != pytest.approx(python[key], rel=4e-16)
    }
    assert not differing


def test_pages_know_every_unit_of_their_quantities(factors: dict[tuple[str, str], float]) -> None:
    for kind in {kind for kind, _ in factors}:
        python = set(UNITS.get(KINDS.get(kind, kind), {}))
        assert python <= {unit for name, unit in factors if name == kind}


def test_pages_know_the_units_that_exercises_ask_for(
    factors: dict[tuple[str, str], float],
) -> None:
    asked = {(one.quantity, one.unit) for kind in EXERCISES for one in exercise(kind, 1).asked}
    assert asked <= factors.keys()
