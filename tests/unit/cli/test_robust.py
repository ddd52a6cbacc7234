"""`ulna follow --robust`: what it says, what it writes, and what it refuses."""

import json
import re

import numpy as np
import pytest

import ulna
from ulna.control import ComputedTorque

CIRCLE = "circle(center=(0.5, 0.2), radius='10 cm')"
SHORT = ["kehl", CIRCLE, "--duration", "1 s"]
SPEC = """format = 1
[vary]
payload = { from = "0 g", to = "1 kg" }
"""


@pytest.fixture(scope="module")
def plan():
    return ulna.plan(ulna.preset("kehl"), ulna.paths.circle((0.5, 0.2), 0.1), duration=1.0)


@pytest.fixture(scope="module")
def made(run_in, tmp_path_factory):
    """Follow a circle with thirty arms, whole."""
    words = ["--robust", "30", "--seed", "5", "--tube", "1.5 mm"]
    return run_in(tmp_path_factory.mktemp("robust"), "follow", *SHORT, *words)


@pytest.fixture
def ask(run_in, tmp_path, unpainted):
    return lambda *words: run_in(tmp_path, "follow", *SHORT, *words)


def test_the_verdict_says_how_many_arms_leave(made, plan):
    assert made.code == 0
    found = ulna.robustness(plan, ComputedTorque(), runs=30, seed=5, tube=0.0015)
    assert 0 < found.exit.exits < 30
    first = made.out.splitlines()[0]
    assert first.startswith("follows within")
    assert first.endswith(f"; leaves the 1.5 mm tube in {found.exit}")
    assert made.facts("follow")["robustness"] == found.facts()


def test_the_folder_holds_the_fan_chart_and_the_worst_run(made, plan):
    folder = made.place / "follow"
    assert (folder / "robust.png").read_bytes()[:4] == b"\x89PNG"
    assert "<svg" in (folder / "robust.svg").read_text("utf-8")
    worst = ulna.open_run(folder / "worst.nc")
    facts = made.facts("follow")["robustness"]["worst"]
    again = ulna.analysis.tracking(worst, plan)
    assert again.max == facts["error"]
    replayed = ulna.robustness(plan, ComputedTorque(), runs=facts["number"] + 1, seed=5)
    assert np.array_equal(replayed.replay(facts["number"]).q[0], worst.q)


def test_the_report_says_the_same_first(made):
    page = (made.place / "follow" / "report.html").read_text("utf-8")
    (text,) = re.findall(r'<script[^>]*class="ulna-document"[^>]*>(.*?)</script>', page, re.S)
    told = json.loads(text)["verdict"]
    assert told["text"] == made.out.splitlines()[0]
    share = made.facts("follow")["robustness"]["exit_probability"]["probability"]
    assert told["ok"] is (False if share > 0.5 else None)


@pytest.mark.parametrize(("tube", "ok"), [(1e-6, False), (1.0, True)])
def test_an_arm_passes_with_the_arms_beside_it(plan, tube, ok):
    run = ulna.simulate(plan.arm, controller=ComputedTorque(), reference=plan)
    judged = ulna.analysis.verdict(run, plan)
    many = ulna.robustness(plan, ComputedTorque(), runs=4, tube=tube)
    assert many.headline(judged) == (ok, f"{judged.text}; {many.text}")
    off = ulna.analysis.verdict(run, plan, tolerance=1e-9)
    assert many.headline(off)[0] is False


def test_the_report_has_tables_and_a_chart_of_it(made):
    page = (made.place / "follow" / "report.html").read_text("utf-8")
    for text in ("tip-error-fan", "What the largest tip error goes with", "The worst arm"):
        assert text in page


def test_a_file_says_what_is_uncertain(ask, tmp_path):
    (tmp_path / "uncertain.toml").write_text(SPEC, "utf-8")
    found = ask("--robust", "20", "--robust-spec", "uncertain.toml")
    assert found.code == 0
    facts = found.facts("follow")["robustness"]
    assert list(facts["varied"]) == ["payload"]
    assert facts["rank_correlation"]["payload"]["value"] > 0.99
    assert "matters most: payload" in found.flat


def test_the_tube_is_the_tolerance_unless_it_is_given(ask):
    found = ask("--robust", "5", "--tolerance", "3 mm")
    assert found.facts("follow")["robustness"]["tube"] == 0.003


def test_a_nominal_loop_that_does_not_follow_ends_with_3(ask):
    found = ask("--robust", "5", "--controller", "PD(kp=1, kd=1)")
    assert found.code == 3
    assert found.facts("follow")["robustness"]["runs"] == 5


def test_files_of_an_earlier_robust_run_go_with_the_others(ask, tmp_path):
    assert ask("--robust", "5").code == 0
    assert (tmp_path / "follow" / "worst.nc").exists()
    assert ask("--overwrite").code == 0
    assert not (tmp_path / "follow" / "worst.nc").exists()


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["--robust", "0"], "--robust: got 0"),
        (["--robust", "-5"], "--robust: got -5"),
        (["--robust", "2000000"], "--robust: got 2000000"),
        (["--robust", "5", "--tube", "-1 mm"], "--tube"),
        (["--robust", "5", "--tube", "5 kg"], "--tube"),
        (["--robust", "5", "--seed", "-1"], "--seed"),
        (["--robust", "5", "--robust-spec", "wrong.toml"], "wrong.toml:3"),
        (["--robust", "5", "--robust-spec", "keys.toml"], "keys.toml:2"),
        (["--robust", "5", "--robust-spec", "empty.toml"], "[vary]"),
    ],
)
def test_what_makes_no_sense_is_refused(ask, tmp_path, words, what):
    (tmp_path / "wrong.toml").write_text('format = 1\n[vary]\n"link.1.mas" = [1.0]\n', "utf-8")
    (tmp_path / "keys.toml").write_text(
        "format = 1\narm = 'kehl'\n[vary]\npayload = [1]\n", "utf-8"
    )
    (tmp_path / "empty.toml").write_text("format = 1\n", "utf-8")
    found = ask(*words)
    assert found.code == 2
    assert what in found.err
    assert "Traceback" not in found.err
    assert "simulating" not in found.err
    assert not (tmp_path / "follow").exists()


def test_a_file_that_is_missing_is_said(ask):
    found = ask("--robust", "5", "--robust-spec", "nowhere.toml")
    assert found.code == 74
    assert "nowhere.toml" in found.err


def test_options_that_say_nothing_are_told(ask):
    found = ask("--tube", "1 mm", "--seed", "3")
    assert found.code == 0
    assert "--tube says nothing without --robust" in found.err
    assert "--seed says nothing without --robust" in found.err


def test_ctrl_c_keeps_the_arms_that_are_done(ask, tmp_path, monkeypatch):
    from ulna.sweep import robustness

    judged, calls = robustness._Experiment.judge, []

    def press(self, run):
        calls.append(run)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return judged(self, run)

    monkeypatch.setattr(robustness, "BLOCK", 16)
    monkeypatch.setattr(robustness._Experiment, "judge", press)
    found = ask("--robust", "64")
    assert found.code == 130
    assert "16 of 64 arms" in found.err
    assert not (tmp_path / "follow").exists()
    assert ulna.open_run(tmp_path / "follow.interrupted" / "worst.nc").status
