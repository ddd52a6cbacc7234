"""A batch goes to a folder slab by slab, and comes back to the last bit, as far as asked for."""

import os
import pickle

import numpy as np
import pytest
import xarray as xr

import ulna
from tabular import tabular
from ulna.errors import FileError, InputError
from ulna.simulation import BatchRun, Statuses, open_batch
from ulna.simulation.batch.batch_files import CHUNK, BatchLayout, BatchStore, layout_of
from ulna.simulation.batch.buckets import LANES, planned
from ulna.simulation.batch.statuses import CODES
from ulna.zarr_stores import Store

MEMBERS, SAMPLES, N = 40, 5, 2
T = np.linspace(0.0, 2.0, SAMPLES)
KEHL = ulna.preset("kehl").parameters
posix = pytest.mark.skipif(os.name != "posix", reason="POSIX files")


def histories(members=MEMBERS):
    return np.random.default_rng(5).standard_normal((3, members, SAMPLES, N))


def batch(members=MEMBERS, *, keep_tau=True, **changes):
    q, qd, tau = histories(members)
    q[1] = [[0.0, -0.0], [np.inf, -np.inf], [np.nan, 5e-324], [1.7e308, -1e-310], [np.nan, np.nan]]
    t_end, codes = np.full(members, 2.0), np.zeros(members, int)
    t_end[1], codes[1] = 1 / 3, CODES["diverged"]
    values = {
        "parameters": KEHL,
        "t": T,
        "q": q,
        "qd": qd,
        "tau": tau if keep_tau else None,
        "t_end": t_end,
        "status": Statuses(codes, t_end),
        "settings": {"method": "rk4", "torque": "−2*q̇", "seed": None},
        "versions": {"ulna": "0.0.1", "python": "3.11"},
    }
    return BatchRun(**(values | changes))


def begin(file, members=MEMBERS, t=T, *, overwrite=True):
    layout = layout_of(KEHL, t, members=members, settings={}, keep_tau=False)
    store = BatchStore(file, layout, overwrite=overwrite)
    store.create()
    return store


def put(store, first, count, values=None):
    q, qd, _ = histories() if values is None else values
    some = slice(first, first + count)
    store.write(first, q[some], qd[some], None, np.full(count, 2.0), np.zeros(count, np.int8))


def names_in(folder):
    return sorted(entry.name for entry in folder.iterdir())


def same_bits(a, b):
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


# There and back


@pytest.mark.parametrize("keep_tau", [True, False])
def test_a_batch_comes_back_to_the_last_bit(tmp_path, keep_tau):
    run, file = batch(keep_tau=keep_tau), tmp_path / "runs.zarr"
    run.save(file)
    assert names_in(tmp_path) == [file.name]
    back = open_batch(str(file))
    for name in ("t", "q", "qd", "t_end", *(["tau"] if keep_tau else [])):
        assert same_bits(getattr(back, name), getattr(run, name)), name
    assert keep_tau or back.tau is None
    assert back.status.codes.tolist() == run.status.codes.tolist()
    assert back.provenance == run.provenance
    for one, other in zip(back.parameters, run.parameters, strict=True):
        assert same_bits(one, other)
    assert str(file) in str(back)


def test_arms_that_differ_come_back(tmp_path, random_arm):
    arms = random_arm(np.random.default_rng(1), N, (MEMBERS,), limited=True)
    arms = arms._replace(gravity=np.array([0.0, -9.81]))
    batch(parameters=arms).save(tmp_path / "runs.zarr")
    back = open_batch(tmp_path / "runs.zarr")
    for one, other in zip(back.parameters, arms, strict=True):
        assert same_bits(one, other)
    assert same_bits(back.tip, batch(parameters=arms).tip)


def test_a_part_of_a_folder_can_be_saved_elsewhere_and_in_its_own_place(tmp_path):
    run, file = batch(), tmp_path / "runs.zarr"
    run.save(file)
    back = open_batch(file)
    back[3:9].save(tmp_path / "few.zarr")
    back[::-1].save(file)
    assert same_bits(open_batch(tmp_path / "few.zarr").q, run.q[3:9])
    assert same_bits(open_batch(file).qd, run.qd[::-1])


# Reading no more than is asked for


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A batch in a folder."""
    file = tmp_path_factory.mktemp("saved") / "runs.zarr"
    batch().save(file)
    return open_batch(file)


@pytest.fixture
def reads(monkeypatch):
    """Note how many numbers are read out of folders."""
    noted, read = [], Store.read

    def noting(self, name, box=()):
        found = read(self, name, box)
        noted.append(found.size)
        return found

    monkeypatch.setattr(Store, "read", noting)
    return noted


def test_only_what_is_asked_for_is_read(saved, reads):
    run = batch()
    assert same_bits(saved.q[3], run.q[3])
    assert same_bits(saved.q[10:20, -1], run.q[10:20, -1])
    assert sum(reads) == (SAMPLES + 10) * N
    reads.clear()
    assert same_bits(saved.final.q, run.final.q)
    assert same_bits(saved[7].qd, run.qd[7])
    assert sum(reads) == (2 * MEMBERS + 3 * SAMPLES) * N


def test_a_smaller_batch_stays_in_the_folder(saved, reads):
    run = batch()
    part, failed = saved[30:4:-2][1:5], saved[~saved.status.ok]
    assert reads == []
    assert part.q.shape == (4, SAMPLES, N)
    assert same_bits(part.q, run.q[30:4:-2][1:5])
    assert same_bits(failed[0].q, run.q[1])


def test_rows_are_read_by_the_chunks_of_a_folder(tmp_path, reads):
    """Far apart, they do not make all be read that is between them."""
    members = 2**15
    values = np.random.default_rng(1).standard_normal((3, members, SAMPLES, N))
    store = begin(tmp_path / "runs.zarr", members)
    put(store, 0, members, values)
    run = store.finish()
    reads.clear()
    assert same_bits(run.q[[members - 1, 3, 1]], values[0][[members - 1, 3, 1]])
    assert reads == [3 * SAMPLES * N, SAMPLES * N]


def test_the_dataset_of_a_folder_is_lazy(saved, reads):
    run, data = batch(), saved.dataset
    assert reads == []
    assert same_bits(data.q.isel(arm=[3, 9], time=-1).values, run.q[[3, 9], -1])
    assert 0 < sum(reads) <= 7 * SAMPLES * N
    xr.testing.assert_identical(data.load(), run.dataset)


KEYS = [
    -1,
    np.int64(2),
    ...,
    slice(3, 1),
    slice(None, None, -3),
    (..., 0),
    (2, ..., 1),
    (1, 2, 0),
    (slice(None), slice(None, None, -2), [0, 1]),
    [5, 0, 5],
    [],
    np.array([[1, 2], [3, 3]]),
    np.arange(MEMBERS) % 3 == 0,
    ([1, 2], [0, 4]),
    (0, slice(None), [0, 1]),
]


@tabular("key", KEYS, ids=str)
def test_keys_mean_what_they_mean_to_numpy(saved, key):
    whole = batch().qd
    assert same_bits(saved.qd[key], whole[key])
    chosen = whole[::-1]
    assert same_bits(saved[::-1].qd[key], chosen[key])


@pytest.mark.parametrize("key", [MEMBERS, -MEMBERS - 1, [MEMBERS], "a", 1.5, (0, 0, 0, 0)])
def test_keys_that_mean_nothing_are_refused(saved, key):
    with pytest.raises(IndexError):
        saved.q[key]


def test_the_folder_is_the_dataset_for_everyone_else(saved):
    with xr.open_zarr(saved.q.folder.store.path, chunks=None) as data:
        data = data.load()
    assert data.axis.values.tolist() == ["x", "y"]
    xr.testing.assert_equal(data.drop_vars("axis"), batch().dataset.drop_vars("axis"))
    assert data.q.attrs == batch().dataset.q.attrs


def test_what_is_read_is_read_only(saved):
    with pytest.raises(ValueError, match="read-only"):
        saved.q[3][0] = 1.0
    assert len(saved.q) == MEMBERS
    assert saved.q.nbytes == batch().q.nbytes
    assert "runs" in repr(saved.q)
    assert np.asarray(saved.qd, dtype=np.float32).dtype == np.float32


def test_a_copy_opens_the_folder_anew(saved):
    twin = pickle.loads(pickle.dumps(saved[4:9]))
    assert same_bits(twin.q, batch().q[4:9])


# Streaming


def test_slabs_in_any_order_are_the_batch(tmp_path):
    file = tmp_path / "runs.zarr"
    store = begin(file)
    for first, count in ((32, 8), (0, 16), (16, 16)):
        put(store, first, count)
    run = store.finish()
    assert names_in(tmp_path) == [file.name]
    assert same_bits(run.q, histories()[0])
    assert same_bits(run.qd, histories()[1])
    assert run.status.counts() == {"done": MEMBERS}


def test_what_was_never_written_is_nan_and_not_run(tmp_path):
    store = begin(tmp_path / "runs.zarr")
    put(store, 32, 8)
    run = open_batch(tmp_path / "runs.zarr")
    assert run.status.counts() == {"done": 8, "not run": 32}
    assert same_bits(run.q[32:], histories()[0][32:])
    assert np.isnan(run.q[:32]).all()
    assert np.isnan(run.qd[[0, 31]]).all()
    assert np.isnan(run.t_end[:32]).all()


@pytest.mark.parametrize(
    ("samples", "n"), [(1, 1), (10, 2), (1000, 7), (100_000, 2), (10**6, 3), (5, 5000)]
)
def test_slabs_are_whole_chunks(samples, n):
    arm = ulna.Arm.rods([1.0] * n, [1.0] * n).parameters
    layout = BatchLayout(arm, np.zeros(samples), 10**7, True, {})
    arms, together, joints = layout.chunks
    slab = planned(10**7, samples, n, True, store=True)
    assert slab % arms == 0
    assert arms % LANES == 0
    assert arms * together * joints * 8 <= CHUNK or together == 1


# Places that cannot be written


@pytest.mark.parametrize("name", ["runs.nc", "runs.csv", "runs", "runs.zarr.gz"])
def test_a_name_with_another_ending_is_refused(tmp_path, name):
    with pytest.raises(InputError, match=r"need a name that ends in \.zarr"):
        batch().save(tmp_path / name)
    assert names_in(tmp_path) == []


def test_a_batch_without_arms_has_no_file(tmp_path):
    with pytest.raises(InputError, match="arms: got 0, need at least one"):
        batch()[:0].save(tmp_path / "runs.zarr")


def test_a_disk_without_room_is_known_before_anything_runs(tmp_path):
    with pytest.raises(FileError, match=r"it takes 3.2 TB, and .* are free") as caught:
        begin(tmp_path / "runs.zarr", 10**6, np.arange(10.0**5))
    assert caught.value.exit_code == 74
    assert names_in(tmp_path) == []


# Folders that are no batches


def refused(file, kind, words):
    with pytest.raises(kind, match=words) as caught:
        open_batch(file)
    assert str(file) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["other.nc", "other.zarr", "other"])
def test_a_file_is_no_batch(tmp_path, name):
    (tmp_path / name).write_bytes(b"t [s],q1 [rad]\n")
    refused(tmp_path / name, InputError, "got a file, need a folder that holds a batch")


def test_a_folder_of_another_kind_is_no_batch(tmp_path):
    refused(tmp_path, InputError, "got a folder of something else")
    (tmp_path / ".zgroup").write_text('{"zarr_format": 2}')
    refused(tmp_path, InputError, "Zarr's format 2, as older versions wrote it")


def test_a_chunk_that_is_lost_or_cut_off_does_not_read_as_data(tmp_path):
    file = tmp_path / "runs.zarr"
    batch().save(file)
    place = file / "qd" / "c" / "0" / "0" / "0"
    place.write_bytes(place.read_bytes()[:100])
    with pytest.raises(FileError, match="cannot be read"):
        open_batch(file).qd[0]
    place.unlink()
    with pytest.raises(FileError, match="its chunk c/0/0/0 is missing"):
        open_batch(file).qd[0]
