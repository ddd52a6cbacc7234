"""`ulna verify` and `ulna.analysis.verify`: right arms pass, and wrong physics does not."""

import time
from dataclasses import replace

import numpy as np
import pytest

import ulna
from ulna.analysis import verification, verify

LAWS = {
    "inverse dynamics of forward dynamics",
    "skewness of dM/dt - 2C",
    "recursion against closed form",
    "forward dynamics of the closed form",
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
        ulna.Arm.rods([0.1] * 12, [0.1] * 12),
        ulna.Arm.rods(
            [1.0, 0.8],
            [1.0, 0.5],
            joints=[ulna.Joint(rotor_inertia=0.01, gear_ratio=-50.0, damping=0.3)] * 2,
            gravity=(3.0, -24.0),
        ),
    ],
    ids=["friction", "flat", "twelve", "rotors"],
)
def test_arms_of_all_kinds_pass(arm):
    found = verify(arm, seed=3)
    assert found, found


def random_arm(random):
    """Return an arm of any links, with friction, drag, rotors, motors, limits and gravity."""
    n = int(random.integers(1, 7))
    links = [
        ulna.Link(*random.uniform(0.1, 1.0, 2), *random.uniform(0.0, 0.05, 2), 0.1, 0.05)
        for _ in range(n)
    ]
    joints = [
        ulna.Joint(
            lower=-random.uniform(0.5, 3.0),
            upper=random.uniform(0.5, 3.0),
            max_velocity=random.uniform(1.0, 20.0),
            max_torque=random.uniform(1.0, 50.0),
            damping=random.choice([0.0, 0.3, 10.0]),
            rotor_inertia=random.choice([0.0, 1e-4]),
            gear_ratio=random.choice([1.0, -50.0, 100.0]),
            friction=ulna.Friction(0.1, static=0.2, drag=0.01),
            motor=random.choice([None, "feetech-sts3215-12v"]),
        )
        for _ in range(n)
    ]
    gravity = random.uniform(-10.0, 10.0, 2) * random.integers(0, 2)
    return ulna.Arm.of(links, joints, gravity=gravity, payload=random.uniform(0.0, 1.0))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ulna.UlnaWarning")
def test_presets_and_arms_with_friction_motors_and_limits_pass_within_seconds():
    verify(ulna.preset("unit"))  # compiles
    random = np.random.default_rng(5)
    arms = {name: ulna.preset(name) for name in ulna.presets()}
    arms |= {f"random {k}": random_arm(random) for k in range(20)}
    arms |= {f"{n} links": ulna.Arm.rods([0.1] * n, [0.1] * n) for n in (30, 100)}
    for name, arm in arms.items():
        start = time.process_time()
        found = verify(arm)
        assert found, (name, found)
        assert time.process_time() - start < 10.0, name


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ulna.UlnaWarning")
def test_sizes_of_four_decades_pass():
    random = np.random.default_rng(1)

    def size(low, high):
        return 10.0 ** random.uniform(low, high)

    for _ in range(40):
        n = int(random.integers(1, 7))
        links = [
            ulna.Link(length, mass, length * random.uniform(-0.5, 1.5), mass * length**2 / 12)
            for length, mass in ((size(-3, 1), size(-3, 2)) for _ in range(n))
        ]
        joints = [ulna.Joint(damping=size(-4, 1) * random.integers(0, 2)) for _ in range(n)]
        found = verify(ulna.Arm.of(links, joints))
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


def heavier(function):
    """Return a function of an arm as if its last link weighed a millionth more."""

    def changed(arm, *arguments):
        last = arm.links[-1]
        links = [*arm.links[:-1], replace(last, mass=last.mass * (1.0 + 1e-6))]
        return function(arm.replace(links=links), *arguments)

    return changed


@pytest.mark.parametrize(
    ("module", "name", "wrong"),
    [
        ("", "inverse_dynamics", {"recursion against closed form"}),
        ("", "regressor", {"regressor against closed form"}),
        ("", "format_urdf", {"Pinocchio of the exported file"}),
        ("", "format_mjcf", {"MuJoCo of the exported file"}),
        ("chain", "mass_matrix", {"skewness of dM/dt - 2C"}),
        ("chain", "kinetic_energy", {"energy balance of a swing"}),
        ("chain", "forward_dynamics", {"forward dynamics of the closed form"}),
    ],
)
def test_a_millionth_of_a_mass_is_found_where_it_is_wrong(monkeypatch, module, name, wrong):
    if name.startswith("format"):
        pytest.importorskip("pinocchio" if name == "format_urdf" else "mujoco")
    monkeypatch.setattr(verification, "MOST_DERIVED", 0)
    home = getattr(verification, module) if module else verification
    if name == "regressor":
        right = home.regressor
        monkeypatch.setattr(home, name, lambda *state: (1.0 + 1e-6) * right(*state))
    else:
        monkeypatch.setattr(home, name, heavier(getattr(home, name)))
    arm = ulna.Arm.rods([1.0, 0.8], [1.0, 0.5], joints=[ulna.Joint(damping=0.1)] * 2)
    found = verify(arm)
    assert not found
    assert wrong <= {check.name for check in found.checks if not check.ok}


def test_a_wrong_derivation_is_found(monkeypatch):
    def failing(arm):
        raise ulna.UlnaError("the derivation is not the closed form")

    monkeypatch.setattr(verification, "derive", failing)
    wrong = {check.name for check in verify(ulna.preset("unit")).checks if not check.ok}
    assert wrong == {"derivation against closed form"}


def test_programs_that_are_not_installed_are_left_out(monkeypatch):
    monkeypatch.setattr(verification, "find_spec", lambda name: None)
    skipped = verify(ulna.preset("kehl")).skipped
    assert [text.partition(":")[2].strip() for text in skipped] == [
        "pinocchio is not installed",
        "mujoco is not installed",
    ]


def test_what_other_programs_leave_out_of_the_arm_is_told():
    pytest.importorskip("pinocchio")
    pytest.importorskip("mujoco")
    joint = ulna.Joint(damping=0.1, rotor_inertia=0.5, gear_ratio=10.0)
    found = verify(ulna.Arm.rods([0.2, 0.1], [0.5, 0.3], joints=[ulna.Joint(), joint]))
    assert found
    assert [text.partition(", ")[0] for text in found.skipped] == [
        "Pinocchio of the exported file: without damping and rotors",
        "MuJoCo of the exported file: without rotors",
    ]
    assert verify(ulna.preset("kehl")).skipped == ()


def test_only_an_arm_is_verified():
    with pytest.raises(ulna.InputError, match="need an Arm"):
        verify(np.zeros(2))
