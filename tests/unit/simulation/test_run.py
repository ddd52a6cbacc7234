"""A run is read-only, knows its energies, and says what its numbers are."""

import json
import math

import numpy as np
import pytest

import ulna
from ulna.scenario import Scenario
from ulna.simulation import run as runs
from ulna.simulation.outcome import Contact, Event, Status
from ulna.simulation.run import Run

DONE = Status(True, "done", "ran to t = 2 s")
ARRAYS = ("t", "q", "qd", "qdd", "tau", "tip_force", "injected", "dissipated")


def still(arm, samples=1, **changes):
    """Give a run of an arm that lies along the x axis and does nothing."""
    per_joint, per_sample = np.zeros((samples, arm.n)), np.zeros(samples)
    values = {
        "t": np.arange(samples, dtype=float),
        **dict.fromkeys(("q", "qd", "qdd", "tau"), per_joint),
        "tip_force": np.zeros((samples, 3)),
        **dict.fromkeys(("injected", "dissipated"), per_sample),
        "status": DONE,
        "scenario": Scenario.unchecked(arm=arm, method="rk4"),
    }
    return Run(arm, **(values | changes))


# Arrays


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_are_read_only(name):
    run = still(ulna.preset("unit"), 3)
    with pytest.raises(ValueError, match="read-only"):
        getattr(run, name)[0] = 1.0


@pytest.mark.parametrize("name", ["tip", "tip_velocity"])
def test_what_follows_from_them_is_read_only_and_made_once(name):
    run = still(ulna.preset("unit"), 3)
    assert getattr(run, name) is getattr(run, name)
    with pytest.raises(ValueError, match="read-only"):
        getattr(run, name)[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        run.energy.kinetic[0] = 1.0


# What the samples mean


def test_length_and_final_state():
    q = np.array([[0.0, 0.0], [0.1, 0.2]])
    run = still(ulna.preset("unit"), 2, q=q, qd=10 * q)
    assert len(run) == 2
    assert run.final.t == 1.0
    assert run.final.q.tolist() == [0.1, 0.2]
    assert run.final.qd.tolist() == [1.0, 2.0]


def test_energies_of_a_rod():
    arm = ulna.Arm.rods([0.5], [2.0])
    q, qd = np.array([[0.3], [-1.2]]), np.array([[0.0], [4.0]])
    injected, dissipated = np.array([1.0, 4.0]), np.array([0.5, 0.75])
    energy = still(arm, 2, q=q, qd=qd, injected=injected, dissipated=dissipated).energy
    kinetic = 0.5 * (2.0 * 0.5**2 / 3) * qd[:, 0] ** 2
    potential = 2.0 * 9.81 * 0.25 * np.sin(q[:, 0])
    assert energy.kinetic == pytest.approx(kinetic)
    assert energy.potential == pytest.approx(potential)
    gained = kinetic[1] + potential[1] - kinetic[0] - potential[0]
    assert energy.balance_error == pytest.approx([0.0, gained - 3.0 + 0.25])


def test_energies_do_not_depend_on_how_many_samples_are_worked_on_at_once(monkeypatch):
    values = np.random.default_rng(1).standard_normal((2, 10, 3))
    arm = ulna.Arm.rods([1.0, 2.0, 3.0], [1.0, 1.0, 1.0])
    whole = still(arm, 10, q=values[0], qd=values[1]).energy
    monkeypatch.setattr(runs, "MOST_AT_ONCE", 30)
    assert still(arm, 10, q=values[0], qd=values[1]).energy.kinetic == pytest.approx(whole.kinetic)


@pytest.mark.parametrize("value", [1e200, math.inf, math.nan])
def test_numbers_that_went_astray_warn_of_nothing(value):
    far = np.full((2, 2), value)
    far[0] = 0.0
    run = still(ulna.preset("kehl"), 2, q=far, qd=far, injected=far[:, 0])
    assert run.tip.shape == run.tip_velocity.shape == (2, 3)
    assert not math.isfinite(run.energy.kinetic[1])
    assert repr(run)
    assert len(run.to_dataframe()) == 2


# Words


def test_a_run_tells_what_it_is_in_a_few_lines():
    run = still(ulna.preset("kehl"), 3, qd=np.full((3, 2), 1 / 3))
    lines = str(run).splitlines()
    assert len(lines) == 4
    for fact in ("'kehl'", "2 links", "2 s", "3 samples", "rk4"):
        assert fact in lines[0]
    assert lines[1].strip() == "ran to t = 2 s"
    assert "q = [0, 0] rad, qd = [0.3333, 0.3333] rad/s" in lines[2]
    assert lines[3].endswith("balance: 0 J")
    assert repr(run) == str(run)


def test_provenance_is_plain_data():
    state = np.array([0.1, 0.2])
    run = still(
        ulna.preset("unit"),
        events=[Event("up", 0.5, state, 2 * state)],
        contacts=[Contact(0.25, 2, "upper", "hit", 3.0)],
    )
    plain = run.provenance
    assert json.loads(json.dumps(plain)) == plain
    assert plain["format"] == "run 3"
    assert plain["scenario"]["arm"]["name"] == "unit"
    assert plain["scenario"]["method"] == "rk4"
    assert plain["status"] == {"ok": True, "reason": "done", "text": "ran to t = 2 s"}
    assert plain["events"] == [{"name": "up", "t": 0.5, "q": [0.1, 0.2], "qd": [0.2, 0.4]}]
    assert plain["contacts"] == [
        {"t": 0.25, "joint": 2, "side": "upper", "what": "hit", "speed": 3.0}
    ]
    assert list(plain["versions"]) == ["ulna", "python", "numpy", "numba"]
    assert plain["versions"]["numpy"] == np.__version__


# Labelled


def test_the_dataset_has_units_and_names_for_everything():
    run = still(ulna.preset("unit"), 3, tip_force=np.arange(9.0).reshape(3, 3))
    data = run.dataset
    assert data is run.dataset
    assert dict(data.sizes) == {"time": 3, "joint": 2, "axis": 2}
    assert data.joint.values.tolist() == [1, 2]
    assert data.axis.values.tolist() == ["x", "y"]
    for variable in data.variables.values():
        assert variable.attrs["units"]
        assert variable.attrs["long_name"]
    units = {name: data[name].attrs["units"] for name in data.data_vars}
    energies = ("kinetic", "potential", "dissipated", "injected", "balance_error")
    assert units == {
        "q": "rad",
        "qd": "rad/s",
        "qdd": "rad/s²",
        "tau": "N·m",
        "tip": "m",
        "tip_angle": "rad",
        "tip_force": "N",
        "tip_moment": "N·m",
        **dict.fromkeys(energies, "J"),
    }
    assert data.time.attrs["units"] == "s"
    assert data.tip.sel(axis="x").values.tolist() == [2.0, 2.0, 2.0]
    assert data.tip_force.sel(axis="y").values.tolist() == [1.0, 4.0, 7.0]
    assert data.tip_moment.values.tolist() == [2.0, 5.0, 8.0]


def test_the_attributes_of_the_dataset_hold_the_provenance_as_text():
    run = still(ulna.preset("unit"))
    attributes = run.dataset.attrs
    assert all(isinstance(value, str) for value in attributes.values())
    texts = {"format": attributes["format"]}
    others = {name: json.loads(text) for name, text in attributes.items() if name not in texts}
    assert others | texts == run.provenance


def test_the_dataframe_has_a_row_for_every_sample():
    run = still(ulna.preset("unit"), 3, tau=np.arange(6.0).reshape(3, 2))
    table = run.to_dataframe()
    assert table.index.name == "t"
    assert table.index.tolist() == [0.0, 1.0, 2.0]
    each = [f"{name}{joint}" for name in ("q", "qd", "qdd", "tau") for joint in (1, 2)]
    energies = ["kinetic", "potential", "dissipated", "injected", "balance_error"]
    assert list(table) == [*each, "x", "y", "angle", *energies]
    assert table.tau2.tolist() == [1.0, 3.0, 5.0]


def test_the_dataframe_tells_of_forces_where_there_are_any():
    force = np.zeros((3, 3))
    force[1] = [1.0, 2.0, 3.0]
    table = still(ulna.preset("unit"), 3, tip_force=force).to_dataframe()
    assert list(table)[-3:] == ["fx", "fy", "moment"]
    assert table.loc[1.0, ["fx", "fy", "moment"]].tolist() == [1.0, 2.0, 3.0]
