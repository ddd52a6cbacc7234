"""Files of runs: .nc files with damaged bytes, with their trailer and without."""

import numpy as np
import pytest

import ulna
from ulna.simulation import Run, Status
from ulna.storage import read_trailer


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    """Give the bytes of a saved run, and how many of them come before the trailer."""
    file = tmp_path_factory.mktemp("runs") / "run.nc"
    random, arm = np.random.default_rng(3), ulna.Arm.rods([1.0, 0.5], [1.0, 2.0])
    joints, tip = random.standard_normal((4, 30, 2)), random.standard_normal((30, 3))
    energies = random.standard_normal((2, 30))
    Run(arm, np.arange(30) / 7, *joints, tip, *energies, Status(True, "done", ""), {}).save(file)
    with file.open("rb") as stream:
        return file.read_bytes(), read_trailer(stream).length


def test_no_run_file_brings_ulna_down(fuzz, tools, raw):
    whole, length = raw

    def case(content, *words, outputs=()):
        return tools.case("show", "run.nc", *words, files={"run.nc": content}, outputs=outputs)

    def draw(dice):
        # A file without a trailer costs a process.
        content = whole[:length] if dice.random() < 0.1 else whole
        words = dice.choice([["--json"], [], ["--csv", "out.csv"]])
        return case(tools.damaged(dice, content), *words, outputs=["out.csv"])

    fuzz([case(whole), case(whole[:length]), case(whole, "--json")], draw, 40)
