"""Files of runs: .nc files with damaged bytes."""

import random

import ulna


def test_no_damaged_run_file_brings_ulna_down(tools, tmp_path):
    arm = ulna.Arm.rods([1.0, 0.5], [1.0, 2.0])
    ulna.simulate(arm, q0=[0.1, 0.2], duration=0.3, samples=30).save(tmp_path / "run.nc")
    whole, child, wrong = (tmp_path / "run.nc").read_bytes(), tools.child(), []
    for seed in range(40):
        raw = tools.damaged(random.Random(seed), whole) if seed else whole
        words = ([], ["--json"], ["--csv", "out.csv"])[seed % 3]
        case = tools.case("show", "run.nc", *words, files={"run.nc": raw}, outputs=["out.csv"])
        answer = child.run(case)
        wrong.append(tools.trouble(case, answer))
        assert seed or answer["code"] == 0
    child.close()
    assert not any(wrong), wrong
