"""Sweeps in process: finished once and for all, whatever stops them, and the same bits again."""

import importlib
import json
import sys
from pathlib import Path

import numpy as np
import pytest
import xarray

import ulna
from ulna.errors import FileError, InputError, UlnaWarning
from ulna.progress import ProgressLine
from ulna.sweep import Sweep, chunks, execute, read_spec
from ulna.sweep.compute import compute
from ulna.sweep.store import SweepMemory, SweepStore

engine = importlib.import_module("ulna.sweep.compute")
SPEC = {
    "format": 1,
    "arm": "kehl",
    "path": "circle(center=(0.4, 0.3), radius='20 cm')",
    "duration": "0.05 s",
    "samples": 6,
    "controller": "ComputedTorque()",
    "sensors": {"angle_noise": 0.001},
    "vary": {"payload": [0.0, 0.5, 1.0], "link.2.mass": {"from": 0.5, "to": 2.0, "count": 5}},
    "keep": {"scalars": ["torque.peak", "tip_error.rms"], "curves": ["q"], "curve_points": 6},
}


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    """Cut fifteen points into five chunks."""
    monkeypatch.setattr(chunks, "FEWEST", 3)
    monkeypatch.setattr(chunks, "MOST", 3)


@pytest.fixture(scope="module")
def expected():
    """Return all outputs, computed at once."""
    return compute(read_spec(SPEC), range(15))


@pytest.fixture
def computed(monkeypatch):
    """Return the points that are computed, in order, as they are."""
    found = []

    def noting(spec, points, **options):
        found.extend(points)
        return compute(spec, points, **options)

    monkeypatch.setattr(execute, "compute", noting)
    return found


def assert_same(found, expected):
    """Compare all numbers of a sweep bit by bit."""
    for name, values in expected.items():
        if name not in ("status", "message"):
            kept = found.dataset[name].values
            assert kept.reshape(values.shape).tobytes() == values.tobytes(), name


def stop_after(monkeypatch, count, error, results=SweepStore):
    """Raise an error in place of keeping a chunk, after so many were kept."""
    written = []

    def write(self, number, arrays, call=results.write):
        if len(written) == count:
            raise error
        written.append(number)
        call(self, number, arrays)

    monkeypatch.setattr(results, "write", write)


FULL = FileError("s.zarr: cannot be written: No space left on device")


# ------------------------------------------------------------------------------------ what it makes


def test_memory_and_store_hold_what_is_computed(tmp_path, expected):
    kept = ulna.sweep(SPEC, tmp_path / "s.zarr")
    assert_same(ulna.sweep(SPEC), expected)
    assert_same(kept, expected)
    assert_same(ulna.open_sweep(tmp_path / "s.zarr"), expected)
    assert kept.status == "15 done"
    assert len(kept) == 15
    assert kept.failed == ()


def test_the_dataset_is_labelled_and_says_what_made_it(tmp_path):
    ulna.sweep(SPEC, tmp_path / "s.zarr")
    for found in (
        ulna.open_sweep(tmp_path / "s.zarr").dataset,
        xarray.open_zarr(tmp_path / "s.zarr"),
    ):
        assert found["q"].dims == ("payload", "link.2.mass", "time", "joint")
        assert found["torque.peak"].attrs["units"] == "N·m"
        assert found["link.2.mass"].attrs["units"] == "kg"
        np.testing.assert_array_equal(found["link.2.mass"], np.linspace(0.5, 2.0, 5))
        np.testing.assert_allclose(found["time"], np.linspace(0.0, 0.05, 6), rtol=1e-15)
        assert found.attrs["spec_hash"] == read_spec(SPEC).hash
        versions = json.loads(found.attrs["versions"])
        assert (versions["ulna"], versions["numpy"]) == (ulna.__version__, np.__version__)
        assert json.loads(found.attrs["spec"])["vary"][0] == ["payload", [0.0, 0.5, 1.0]]


def test_a_design_has_points_with_the_values_of_each(tmp_path):
    vary = {"design": "sobol", "count": 8, "seed": 3, "payload": {"from": 0.0, "to": 1.0}}
    found = ulna.sweep({**SPEC, "vary": vary}, tmp_path / "s.zarr")
    again = ulna.open_sweep(tmp_path / "s.zarr")
    assert again.dataset["torque.peak"].dims == ("point", "joint")
    values = again.dataset["payload"]
    assert values.dims == ("point",)
    assert [found.point(k)["payload"] for k in range(8)] == values.values.tolist()


def test_words_are_values_too():
    laws = ["PD(natural_frequency=10.0)", "ComputedTorque()"]
    found = ulna.sweep({**SPEC, "vary": {"controller": laws}})
    assert found.dataset["controller"].values.tolist() == laws


def test_a_point_is_simulated_again_bit_for_bit(tmp_path):
    ulna.sweep(SPEC, tmp_path / "s.zarr")
    again = ulna.open_sweep(tmp_path / "s.zarr")
    flat = again.dataset["q"].values.reshape(15, 6, 2)
    for point in (0, 7, 14):
        run = again.run(point)
        assert np.asarray(run.q)[0].tobytes() == flat[point].tobytes()
    assert len({flat[k].tobytes() for k in range(15)}) == 15  # by noise, if by nothing else


def test_points_that_fail_are_named_and_the_others_are_computed():
    found = ulna.sweep({**SPEC, "vary": {"path.radius": [0.1, 30.0, 0.2]}})
    assert found.status == "2 done, 1 infeasible"
    assert found.failed == (1,)
    assert found.why(1).startswith("infeasible: ")
    assert found.why(0) == "done"
    assert found.dataset["status"].values.tolist() == ["done", "infeasible", "done"]
    assert np.isnan(found.dataset["tip_error.rms"].values).tolist() == [False, True, False]


def test_a_chunk_is_one_batch_for_the_engine(monkeypatch):
    sizes = []

    def noting(arms, call=engine.simulate_batch, **options):
        sizes.append(len(options["q0"]))
        return call(arms, **options)

    monkeypatch.setattr(engine, "simulate_batch", noting)
    ulna.sweep(SPEC)
    assert sizes == [3, 2, 3, 2, 3, 2]


# --------------------------------------------------------------------------------------- going on


def test_a_store_goes_on_where_it_was_and_computes_no_point_twice(
    tmp_path, monkeypatch, computed, expected
):
    with monkeypatch.context() as full:
        stop_after(full, 2, FULL)
        with pytest.raises(FileError, match="No space left"):
            ulna.sweep(SPEC, tmp_path / "s.zarr")
    before = list(computed)
    computed.clear()
    assert_same(ulna.sweep(SPEC, tmp_path / "s.zarr"), expected)
    assert before == list(range(8))  # chunks have three and two points in turn
    assert computed == list(range(5, 15))  # the chunk that found no room, and those behind it
    computed.clear()
    assert_same(ulna.sweep(SPEC, tmp_path / "s.zarr"), expected)
    assert computed == []


def test_what_is_not_computed_is_nan_and_named(tmp_path, monkeypatch):
    stop_after(monkeypatch, 2, FULL)
    with pytest.raises(FileError):
        ulna.sweep(SPEC, tmp_path / "s.zarr")
    with pytest.warns(UlnaWarning, match="10 of 15 points are not computed: 5 to 14, and NaN"):
        found = ulna.open_sweep(tmp_path / "s.zarr")
    assert found.status == "10 not computed, 5 done"
    assert found.not_computed == tuple(range(5, 15))
    there = ~np.isnan(found.dataset["tip_error.rms"].values.ravel())
    assert np.flatnonzero(there).tolist() == list(range(5))
    assert set(found.dataset["status"].values.ravel()[5:]) == {"not computed"}


def test_another_spec_s_store_is_refused_with_the_difference(tmp_path, computed):
    ulna.sweep(SPEC, tmp_path / "s.zarr")
    computed.clear()
    with pytest.raises(InputError, match=r"duration: 0\.05 against 0\.06"):
        ulna.sweep({**SPEC, "duration": "0.06 s"}, tmp_path / "s.zarr")
    assert computed == []
    found = ulna.sweep({**SPEC, "duration": "0.06 s"}, tmp_path / "s.zarr", overwrite=True)
    assert found.dataset["t_end"].values.max() == pytest.approx(0.06)


def test_damaged_data_is_a_sentence_with_a_way_out(tmp_path, computed, expected):
    ulna.sweep(SPEC, tmp_path / "s.zarr")
    file = tmp_path / "s.zarr" / "tip_error.rms" / "c" / "1" / "0"
    file.write_bytes(file.read_bytes()[::-1])
    found = ulna.open_sweep(tmp_path / "s.zarr").dataset
    with pytest.raises(FileError, match=r"tip_error\.rms cannot be read.*; delete ") as caught:
        found["tip_error.rms"].load()
    assert not found["torque.peak"].isnull().any()
    computed.clear()
    Path(str(caught.value).partition("; delete ")[2].split()[0]).unlink()
    assert_same(ulna.sweep(SPEC, tmp_path / "s.zarr"), expected)
    assert len(computed) == 3


# ------------------------------------------------------------------------------------------ Ctrl-C


@pytest.mark.parametrize("stored", [True, False])
def test_ctrl_c_keeps_what_is_finished(tmp_path, monkeypatch, expected, stored):
    store = tmp_path / "s.zarr" if stored else None
    with monkeypatch.context() as stopped:
        stop_after(stopped, 2, KeyboardInterrupt(), SweepStore if stored else SweepMemory)
        with pytest.raises(ulna.Interrupted, match="5 of 15 points are finished") as caught:
            ulna.sweep(SPEC, store)
    found = caught.value.result
    kept = found.dataset["q"].values.reshape(15, 6, 2)
    assert kept[:5].tobytes() == expected["q"][:5].tobytes()
    assert np.isnan(kept[5:]).all()
    assert_same(ulna.sweep(SPEC, store), expected)


def test_a_store_is_replaced_by_a_finished_one_alone(tmp_path, monkeypatch, computed, expected):
    store = tmp_path / "s.zarr"
    ulna.sweep(SPEC, store)
    other = {**SPEC, "duration": "0.06 s"}
    with monkeypatch.context() as stopped:
        stop_after(stopped, 2, KeyboardInterrupt())
        with pytest.raises(ulna.Interrupted) as caught:
            ulna.sweep(other, store, overwrite=True)
    assert caught.value.result.path == tmp_path / "s.interrupted.zarr"
    assert_same(ulna.open_sweep(store), expected)
    computed.clear()
    found = ulna.sweep(other, store, overwrite=True)
    assert computed == [*range(5, 15)]  # the others are those of the interrupted one
    assert found.path == store
    assert [file.name for file in tmp_path.iterdir()] == ["s.zarr"]
    assert ulna.open_sweep(store).dataset["t_end"].values.max() == pytest.approx(0.06)


# --------------------------------------------------------------------------- what it says of itself


def test_an_estimate_computes_a_few_points_and_writes_nothing(tmp_path, computed):
    found = ulna.sweep(SPEC, tmp_path / "s.zarr", dry_run=True)
    told = found.estimate()
    assert not (tmp_path / "s.zarr").exists()
    assert (told.points, told.finished) == (15, 0)
    assert told.seconds > 0.0
    assert told.memory > 0.0
    ulna.sweep(SPEC, tmp_path / "s.zarr")
    names = ("q", "torque.peak", "status")
    files = [file for name in names for file in (tmp_path / "s.zarr" / name / "c").rglob("*")]
    some = sum(file.stat().st_size for file in files if file.is_file())
    every = sum(file.stat().st_size for file in (tmp_path / "s.zarr").rglob("*"))
    assert some < told.disk < every
    assert ulna.sweep(SPEC, tmp_path / "s.zarr", dry_run=True).estimate().seconds == 0.0


def test_it_tells_how_far_it_is(monkeypatch):
    told = []
    monkeypatch.setattr(ProgressLine, "__call__", lambda line, done: told.append((line.what, done)))
    ulna.sweep(SPEC, progress=True)
    parts = [done for what, done in told if what == "sweeping"]
    assert parts == sorted(parts)
    assert (parts[0], parts[-1]) == (0.0, 1.0)


# ------------------------------------------------------------------------------------ wrong input


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"workers": 0}, "workers: got 0, need a whole number from 1"),
        ({"workers": True}, "workers: got True"),
        ({"workers": 2, "scheduler": "tcp://127.0.0.1:1"}, "one of the two"),
        ({"tls": {"cert": "a"}}, r"(?s)an address at tls.*got \['cert'\], need the files"),
        ({"spec": 3}, "spec: got int"),
        ({"spec": {**SPEC, "arm": "kehll"}}, "did you mean 'kehl'"),
    ],
)
def test_wrong_calls_say_what_is_needed(wrong, told):
    with pytest.raises(InputError, match=told):
        ulna.sweep(**{"spec": SPEC, **wrong})


@pytest.mark.parametrize("point", [-1, 15, 1.5, "first"])
def test_wrong_points_say_which_there_are(point):
    found = Sweep(SweepMemory(execute.layout_of(read_spec(SPEC))))
    for call in (found.run, found.point, found.why):
        with pytest.raises(InputError, match="from 0 to 14"):
            call(point)


@pytest.mark.parametrize(("options", "names"), [({"workers": 2}, "distributed"), ({}, "zarr")])
def test_extras_that_are_missing_are_named(monkeypatch, tmp_path, options, names):
    monkeypatch.setitem(sys.modules, names, None)
    with pytest.raises(ImportError, match=rf"needs {names}.*ulna\[cluster\]"):
        ulna.sweep(SPEC, None if options else tmp_path / "s.zarr", **options)
