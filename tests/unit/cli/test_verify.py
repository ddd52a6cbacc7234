"""`ulna verify` and `ulna.analysis.verify`: right arms pass, and wrong physics does not."""

import numpy as np
import pytest

import ulna
from ulna.analysis import verification, verify

LAWS = {
    "inverse dynamics of forward dynamics",
    "skewness of dM/dt - 2C",
    "recursion against closed form",
    "regressor against closed form",
    "energy balance of a swing",
    "engine against SciPy's DOP853",
}


def test_the_table_has_every_check_with_its_bound(ask):
    code, out, _ = ask("verify", "so-101")
    assert code == 0
    for name in (*LAWS, "derivation against closed form"):
        assert name in out
    assert "checks are within their bounds" in out


def test_numbers_are_there_as_json(facts):
    found = facts("verify", "kehl")
    assert found["ok"]
    rows = {row["name"]: row for row in found["checks"]}
    assert set(rows) >= LAWS
    assert all(row["difference"] <= row["bound"] <= 1e-7 for row in rows.values())


@pytest.mark.parametrize(
    "arm",
    [
        ulna.preset("dfki-double-pendulum"),
        ulna.Arm.point_masses([1.0, 1.0], [1.0, 2.0], gravity=(0.0, 0.0)),
        ulna.Arm.rods([0.1] * 30, [0.1] * 30),
        ulna.Arm.rods(
            [1.0, 0.8],
            [1.0, 0.5],
            joints=[ulna.Joint(rotor_inertia=0.01, gear_ratio=-50.0, damping=0.3)] * 2,
            gravity=(3.0, -24.0),
        ),
    ],
    ids=["friction", "flat", "thirty", "rotors"],
)
def test_arms_of_all_kinds_pass(arm):
    found = verify(arm, seed=3)
    assert found, found


def test_a_derivation_of_many_links_is_left_out_and_told():
    found = verify(ulna.Arm.rods([0.2] * 5, [0.1] * 5))
    assert "derivation against closed form: for up to 4 links" in found.skipped
    assert {check.name for check in found.checks} >= LAWS


def test_wrong_dynamics_are_found_and_end_with_the_code_of_a_bug(ask, monkeypatch):
    right = verification.forward_dynamics
    monkeypatch.setattr(verification, "forward_dynamics", lambda *state: 1.001 * right(*state))
    code, out, said = ask("verify", "kehl")
    assert code == 1
    assert "beyond their bounds: inverse dynamics of forward dynamics" in out
    assert "a bug in ulna" in said


def test_wrong_energies_and_engines_are_found(monkeypatch):
    arm = ulna.preset("kehl")
    right = verification.simulate

    def drifting(arm, **options):
        return right(arm.replace(gravity=(0.0, -9.8101)), **options)

    monkeypatch.setattr(verification, "simulate", drifting)
    wrong = {check.name for check in verify(arm).checks if not check.ok}
    assert wrong == {"energy balance of a swing", "engine against SciPy's DOP853"}


def test_programs_that_are_not_installed_are_left_out(monkeypatch):
    monkeypatch.setattr(verification, "find_spec", lambda name: None)
    skipped = verify(ulna.preset("kehl")).skipped
    assert [text.partition(":")[2].strip() for text in skipped] == [
        "pinocchio is not installed",
        "mujoco is not installed",
    ]


def test_only_an_arm_is_verified():
    with pytest.raises(ulna.InputError, match="need an Arm"):
        verify(np.zeros(2))
