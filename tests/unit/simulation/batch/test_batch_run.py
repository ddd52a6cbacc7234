"""A batch is read-only, counts how its arms ended, and is arms side by side and nothing else."""

import copy
import dataclasses
import json
import pickle
from typing import get_args

import numpy as np
import pytest

import ulna
from ulna.errors import InputError
from ulna.simulation import BatchRun, Statuses
from ulna.simulation.batch import batch_run as batch_run
from ulna.simulation.batch.statuses import CODES, REASONS
from ulna.simulation.outcome import Reason, Status


def batch(members=5, samples=3, n=2, *, keep_tau=True, arms=None, codes=None, **changes):
    random = np.random.default_rng(members)
    q, qd, torque = random.standard_normal((3, members, samples, n))
    t_end = np.full(members, 2.0)
    values = {
        "parameters": ulna.Arm.rods([1.0] * n, [1.0] * n).parameters if arms is None else arms,
        "t": np.linspace(0.0, 2.0, samples),
        "q": q,
        "qd": qd,
        "tau": torque if keep_tau else None,
        "t_end": t_end,
        "status": Statuses(np.zeros(members, int) if codes is None else codes, t_end),
        "settings": {"method": "rk4"},
    }
    return BatchRun(**(values | changes))


def ended(codes, t_end=None):
    return Statuses(codes, np.full(len(codes), 0.25) if t_end is None else t_end)


# Statuses


def test_the_codes_are_the_places_of_the_reasons():
    # A single run has more: it may end because Python code of its user does.
    more = ("controller failed", "function failed")
    assert tuple(one for one in get_args(Reason) if one not in more) == REASONS
    assert REASONS == (
        "done",
        "stopped",
        "interrupted",
        "diverged",
        "stalled",
        "bad torque",
        "bad start",
        "bad arm",
        "not run",
        "coarse",
    )
    assert [REASONS[CODES[reason]] for reason in REASONS] == list(REASONS)


@pytest.mark.parametrize("code", range(len(REASONS)))
def test_a_member_is_the_status_of_a_single_run(code):
    status = ended([code])[0]
    assert isinstance(status, Status)
    assert status.reason == REASONS[code]
    assert status.ok is (REASONS[code] in ("done", "stopped", "coarse"))
    # It says when, or that it never began.
    assert "0.25 s" in status.text or status.text.startswith("not ")
    if not status.ok and status.reason != "interrupted":
        assert ";" in status.text  # a way out


def test_statuses_are_like_an_array_of_reasons():
    statuses = ended([0, 3, 1, 3])
    reasons = ["done", "diverged", "stopped", "diverged"]
    assert statuses.shape == (4,)
    assert len(statuses) == 4
    assert statuses.reason.tolist() == reasons
    assert np.asarray(statuses).tolist() == reasons
    assert np.asarray(statuses, dtype=object).tolist() == reasons
    assert [status.reason for status in statuses] == reasons
    assert statuses.ok.tolist() == [True, False, True, False]
    assert statuses[-1] == statuses[np.int64(3)]
    assert statuses[1:3].reason.tolist() == reasons[1:3]
    assert statuses[statuses.ok].reason.tolist() == ["done", "stopped"]
    with pytest.raises(IndexError):
        statuses[4]


def test_endings_are_counted_with_the_first_that_went_wrong():
    statuses = Statuses([0, 3, 0, 3, 8], [2.0, 0.31, 2.0, 0.1, np.nan])
    assert statuses.counts() == {"done": 2, "diverged": 2, "not run": 1}
    text = "2 done, 2 diverged (first: arm 1 at t = 0.31 s), 1 not run (first: arm 4)"
    assert str(statuses) == text
    assert repr(statuses) == f"<Statuses of 5 arms: {text}>"
    assert str(statuses[:0]) == "no arms"


# Arrays


@pytest.mark.parametrize("name", ["t", "q", "qd", "tau", "t_end", "tip"])
def test_arrays_are_read_only(name):
    run = batch()
    with pytest.raises(ValueError, match="read-only"):
        getattr(run, name)[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        run.final.q[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        run.parameters.length[0] = 1.0


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_a_copy_is_as_fixed_as_the_batch(copied):
    run = batch()
    twin = copied(run)
    assert twin.provenance == run.provenance
    assert twin.q.tobytes() == run.q.tobytes()
    assert not twin.q.flags.writeable
    with pytest.raises(dataclasses.FrozenInstanceError):
        twin.q = run.q


# Members


def test_a_member_is_one_arm():
    run = batch(codes=[0, 0, 3, 0, 0])
    t, q, qd, tau, t_end, status = run[2]
    assert t is run.t
    for one, all_of in ((q, run.q), (qd, run.qd), (tau, run.tau)):
        assert one.tobytes() == all_of[2].tobytes()
        assert not one.flags.writeable
    assert t_end == 2.0
    assert status.reason == "diverged"
    assert batch(keep_tau=False)[0].tau is None
    assert [member.status.ok for member in run] == [True, True, False, True, True]
    with pytest.raises(IndexError):
        run[5]


def test_a_part_is_a_smaller_batch(random_arm):
    arms = random_arm(np.random.default_rng(1), 2, (5,))
    run = batch(codes=[0, 3, 0, 3, 0], arms=arms)
    for key in (slice(1, 4), slice(None, None, -2), [4, 0], ~run.status.ok):
        part = run[key]
        assert isinstance(part, BatchRun)
        assert len(part) == len(part.q) == len(part.status)
        assert part.n == 2
        assert part.q.tobytes() == run.q[key].tobytes()
        assert part.status.codes.tolist() == run.status.codes[key].tolist()
        assert part.parameters.length.tobytes() == arms.length[key].tobytes()
        assert part.settings == run.settings
        assert part.tip.tobytes() == run.tip[key].tobytes()
    assert batch(keep_tau=False)[:2].tau is None


def test_arms_that_are_all_the_same_stay_one():
    arms = ulna.preset("unit").parameters
    run = batch(arms=arms)
    assert run[1:3].parameters.length.tolist() == arms.length.tolist()


@pytest.mark.parametrize("block", [1, 40, batch_run.BLOCK])
def test_the_tips_are_those_of_each_arm(monkeypatch, random_arm, block):
    monkeypatch.setattr(batch_run, "BLOCK", block)
    arms = random_arm(np.random.default_rng(2), 3, (5,))
    run = batch(n=3, arms=arms)
    for k in range(5):
        assert run.tip[k] == pytest.approx(ulna.kinematics.tip(arms.rows(k), run.q[k]), rel=1e-14)
    assert run.tip is run.tip
    assert run[:0].tip.shape == (0, 3, 3)


def test_tips_that_do_not_fit_are_refused(monkeypatch):
    run = batch()
    small = 2.0 * (5 * 3 * 3 * 8 - 1)
    monkeypatch.setattr("ulna.simulation.capacity.machine_memory", lambda: small)
    with pytest.raises(InputError, match=r"tip: got 5 arms × 3 samples.*; take fewer"):
        _ = run.tip


# Words


def test_a_batch_tells_what_it_is_in_a_few_lines():
    t_end = np.full(1000, 2.0)
    t_end[12] = 0.31
    codes = np.zeros(1000, int)
    codes[[12, 700, 800]] = CODES["diverged"]
    run = batch(1000, t_end=t_end, status=Statuses(codes, t_end))
    for fact in ("1,000 arms", "997 done", "3 diverged", "arm 12 at t = 0.31 s", "144 kB"):
        assert fact in str(run)


def test_a_notebook_shows_how_the_arms_ended():
    t_end = np.array([2.0, 0.5, np.nan])
    html = batch(3, t_end=t_end, status=Statuses([0, 3, 8], t_end))._repr_html_()
    assert "<td>diverged</td><td>1</td><td>1</td><td>0.5</td>" in html
    assert "<td>not run</td><td>1</td><td>2</td><td>–</td>" in html


def test_the_dataset_has_units_and_names_for_everything(random_arm):
    arms = random_arm(np.random.default_rng(3), 2, (5,))._replace(gravity=np.array([0.0, -9.81]))
    run = batch(arms=arms, codes=[0, 3, 0, 0, 0])
    data = run.dataset
    assert data is run.dataset
    assert dict(data.sizes) == {"arm": 5, "time": 3, "joint": 2, "axis": 2}
    for variable in data.variables.values():
        assert variable.attrs["units"]
        assert variable.attrs["long_name"]
    assert data.q.dims == data.tau.dims == ("arm", "time", "joint")
    assert data.q.attrs["units"] == "rad"
    assert data.tau.attrs["units"] == "N·m"
    assert data.mass.dims == ("arm", "joint")
    assert data.gravity.dims == ("axis",)
    assert set(ulna.Parameters._fields) <= set(data.data_vars)
    assert "tau" not in batch(keep_tau=False).dataset
    meanings = data.status.attrs["flag_meanings"].split()
    assert [meanings[code] for code in data.status.values] == ["done", "diverged", *["done"] * 3]
    assert data.sel(arm=1, joint=2).q.values.tolist() == run.q[1, :, 1].tolist()


def test_the_attributes_of_the_dataset_hold_the_provenance_as_text():
    run = batch()
    attributes = run.dataset.attrs
    assert attributes["format"] == run.provenance["format"] == "batch 2"
    assert json.loads(attributes["settings"]) == {"method": "rk4"}
    assert json.loads(attributes["versions"])["numpy"] == np.__version__
