"""A batch goes to a file slab by slab, and comes back to the last bit, as much as is asked for."""

import errno
import gc
import os
import pickle
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
import xarray as xr

import ulna
from tabular import tabular
from ulna.errors import FileError, InputError, MissingExtraError
from ulna.simulation import BatchRun, Run, Status, Statuses, open_batch, open_run
from ulna.simulation.batch import stored_arrays as batch_arrays
from ulna.simulation.batch.batch_files import CHUNK, AbandonedError, BatchLayout, create
from ulna.simulation.batch.buckets import LANES, planned
from ulna.simulation.batch.statuses import CODES

MEMBERS, SAMPLES, N = 40, 5, 2
T = np.linspace(0.0, 2.0, SAMPLES)
KEHL = ulna.preset("kehl").parameters
both = pytest.mark.parametrize("ending", [".nc", ".zarr"])
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


def begin(file, members=MEMBERS, parameters=KEHL, **options):
    return create(file, parameters, T, members=members, settings={}, **options)


def put(store, first, count, values=None):
    q, qd, _ = histories() if values is None else values
    some = slice(first, first + count)
    store.write(first, q[some], qd[some], None, np.full(count, 2.0), np.zeros(count, int))


def names_in(folder):
    return sorted(entry.name for entry in folder.iterdir())


def same_bits(a, b):
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


# There and back


@both
@pytest.mark.parametrize("keep_tau", [True, False])
def test_a_batch_comes_back_to_the_last_bit(tmp_path, ending, keep_tau):
    run, file = batch(keep_tau=keep_tau), tmp_path / f"runs{ending}"
    run.save(file)
    assert names_in(tmp_path) == [file.name]
    with open_batch(str(file)) as back:
        for name in ("t", "q", "qd", "t_end", *(["tau"] if keep_tau else [])):
            assert same_bits(getattr(back, name), getattr(run, name)), name
        assert keep_tau or back.tau is None
        assert back.status.codes.tolist() == run.status.codes.tolist()
        assert back.provenance == run.provenance
        for one, other in zip(back.parameters, run.parameters, strict=True):
            assert same_bits(one, other)
        assert str(file) in str(back)


@both
def test_arms_that_differ_come_back(tmp_path, ending, random_arm):
    arms = random_arm(np.random.default_rng(1), N, (MEMBERS,), limited=True)
    arms = arms._replace(gravity=np.array([0.0, -9.81]))
    batch(parameters=arms).save(tmp_path / f"runs{ending}")
    with open_batch(tmp_path / f"runs{ending}") as back:
        for one, other in zip(back.parameters, arms, strict=True):
            assert same_bits(one, other)
        assert same_bits(back.tip, batch(parameters=arms).tip)


@both
def test_a_part_of_a_file_can_be_saved_elsewhere_and_in_its_own_place(tmp_path, ending):
    run, file = batch(), tmp_path / f"runs{ending}"
    run.save(file)
    with open_batch(file) as back:
        back[3:9].save(tmp_path / "few.nc")
        back[::-1].save(file)
    with open_batch(tmp_path / "few.nc") as few, open_batch(file) as turned:
        assert same_bits(few.q, run.q[3:9])
        assert same_bits(turned.qd, run.qd[::-1])


# Reading no more than is asked for


@pytest.fixture(scope="module", params=[".nc", ".zarr"])
def saved(request, tmp_path_factory):
    """A batch in a file."""
    file = tmp_path_factory.mktemp("saved") / f"runs{request.param}"
    batch().save(file)
    with open_batch(file) as run:
        yield run


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    """The bytes of a batch in a .nc file."""
    file = tmp_path_factory.mktemp("raw") / "runs.nc"
    batch().save(file)
    return file.read_bytes()


@pytest.fixture
def reads(monkeypatch):
    """Note how many numbers are read out of files."""
    noted, read = [], batch_arrays.BatchSource.read

    def noting(self, name, box=()):
        found = read(self, name, box)
        noted.append(found.size)
        return found

    monkeypatch.setattr(batch_arrays.BatchSource, "read", noting)
    return noted


def test_only_what_is_asked_for_is_read(saved, reads):
    run = batch()
    assert same_bits(saved.q[3], run.q[3])
    assert same_bits(saved.q[10:20, -1], run.q[10:20, -1])
    assert reads == [SAMPLES * N, 10 * N]
    reads.clear()
    assert same_bits(saved.final.q, run.final.q)
    assert same_bits(saved[7].qd, run.qd[7])
    assert reads == [MEMBERS * N, MEMBERS * N, *[SAMPLES * N] * 3]


def test_a_smaller_batch_stays_in_the_file(saved, reads):
    run = batch()
    part, failed = saved[30:4:-2][1:5], saved[~saved.status.ok]
    assert reads == []
    assert part.q.shape == (4, SAMPLES, N)
    assert same_bits(part.q, run.q[30:4:-2][1:5])
    assert same_bits(failed[0].q, run.q[1])


def test_rows_are_read_by_the_pieces_that_a_file_has(tmp_path, reads):
    """Far apart, they do not make all be read that is between them."""
    members = 2**15
    values = np.random.default_rng(1).standard_normal((3, members, SAMPLES, N))
    store = begin(tmp_path / "runs.nc", members)
    put(store, 0, members, values)
    store.finish()
    with open_batch(tmp_path / "runs.nc") as run:
        reads.clear()
        assert same_bits(run.q[[members - 1, 3, 1]], values[0][[members - 1, 3, 1]])
        assert reads == [3 * SAMPLES * N, SAMPLES * N]


def test_the_dataset_of_a_file_is_lazy(saved, reads):
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


@pytest.mark.parametrize("key", [MEMBERS, -MEMBERS - 1, [MEMBERS], None, "a", 1.5, (0, 0, 0, 0)])
def test_keys_that_mean_nothing_are_refused(saved, key):
    with pytest.raises(IndexError, match="key"):
        saved.q[key]


def test_the_file_is_the_dataset_for_everyone_else(saved):
    with xr.open_dataset(saved.q.source.path) as data:
        data.attrs.pop("pieces", None)
        xr.testing.assert_identical(data.load(), batch().dataset)


def test_what_is_read_is_read_only(saved):
    with pytest.raises(ValueError, match="read-only"):
        saved.q[3][0] = 1.0
    assert len(saved.q) == MEMBERS
    assert saved.q.nbytes == batch().q.nbytes
    assert "runs" in repr(saved.q)
    assert np.asarray(saved.qd, dtype=np.float32).dtype == np.float32


def test_a_copy_opens_the_file_anew(saved):
    twin = pickle.loads(pickle.dumps(saved[4:9]))
    assert same_bits(twin.q, batch().q[4:9])
    twin.close()
    assert same_bits(saved.q[4], batch().q[4])


def test_a_closed_file_says_so(saved):
    run = open_batch(saved.q.source.path)
    run.close()
    with pytest.raises(FileError, match="closed; open it again"):
        run.q[0]


@posix
def test_a_file_that_nobody_holds_is_closed(tmp_path, raw):
    (tmp_path / "runs.nc").write_bytes(raw)
    run = open_batch(tmp_path / "runs.nc")
    assert open_files(tmp_path) == ["runs.nc"]
    del run
    gc.collect()
    assert open_files(tmp_path) == []


def open_files(folder):
    listed = Path("/proc/self/fd")
    if not listed.is_dir():
        pytest.skip("this system does not list the files that are open")
    links = [Path(os.path.realpath(link)) for link in listed.iterdir()]
    return [link.name for link in links if link.parent == folder]


# Streaming


@both
def test_slabs_in_any_order_are_the_batch(tmp_path, ending):
    file = tmp_path / f"runs{ending}"
    store = begin(file)
    for first, count in ((32, 8), (0, 16), (16, 16)):
        put(store, first, count)
        assert not file.exists()
    store.finish()
    assert names_in(tmp_path) == [file.name]
    with open_batch(file) as run:
        assert same_bits(run.q, histories()[0])
        assert same_bits(run.qd, histories()[1])
        assert run.status.counts() == {"done": MEMBERS}


@both
def test_what_was_never_written_is_nan_and_not_run(tmp_path, ending):
    file = tmp_path / f"runs{ending}"
    store = begin(file)
    put(store, 16, 16)
    store.finish()
    with open_batch(file) as run:
        assert run.status.counts() == {"done": 16, "not run": MEMBERS - 16}
        assert same_bits(run.q[16:32], histories()[0][16:32])
        assert np.isnan(run.q[:16]).all()
        assert np.isnan(run.qd[32:]).all()
        assert np.isnan(run.t_end[:16]).all()


@both
def test_an_abandoned_store_leaves_nothing(tmp_path, ending):
    store = begin(tmp_path / f"runs{ending}")
    put(store, 0, 16)
    store.abandon()
    store.abandon()
    assert names_in(tmp_path) == []
    with pytest.raises(AbandonedError):
        put(store, 16, 16)
    with pytest.raises(AbandonedError):
        store.finish()


@both
def test_a_forgotten_store_leaves_nothing(tmp_path, ending):
    store = begin(tmp_path / f"runs{ending}")
    put(store, 0, 16)
    del store
    gc.collect()
    assert names_in(tmp_path) == []


def test_a_slab_that_does_not_fit_is_refused_and_the_store_goes_on(tmp_path):
    store = begin(tmp_path / "runs.nc", keep_tau=True)
    values = np.zeros((16, SAMPLES, N))
    slab = {"q": values, "qd": values, "tau": values, "t_end": np.ones(16), "codes": [0] * 16}
    for first, change, words in (
        (30, {}, "first: got 30 for 16 arms, need a place within 40 arms"),
        (-1, {}, "first: got -1"),
        (0, {"q": np.zeros((16, SAMPLES, 3))}, r"q: got float64 of shape \(16, 5, 3\)"),
        (0, {"tau": None}, "tau: got"),
    ):
        with pytest.raises(InputError, match=words):
            store.write(first, **(slab | change))
    store.write(0, **slab)
    store.finish()
    assert names_in(tmp_path) == ["runs.nc"]


@pytest.mark.parametrize(("samples", "n"), [(1, 1), (10, 2), (1000, 7), (5, 5000)])
def test_slabs_are_whole_pieces_of_a_file(samples, n):
    layout = BatchLayout((10**7, samples, n), ("q", "qd"), {}, {})
    arms, together, joints = layout.chunks
    assert planned(10**7, samples, n, True, store="x.nc") % arms == 0
    assert arms % LANES == 0
    assert arms * together * joints * 8 <= CHUNK or together == 1


# Places that cannot be written


@pytest.mark.parametrize("name", ["runs.csv", "runs", "runs.nc.gz"])
def test_a_name_with_another_ending_is_told_the_endings(tmp_path, name):
    with pytest.raises(InputError, match=r"ends in \.nc, \.zarr"):
        batch().save(tmp_path / name)
    assert names_in(tmp_path) == []


@both
def test_a_file_that_exists_is_kept_without_force(tmp_path, ending):
    file = tmp_path / f"runs{ending}"
    batch(3).save(file, overwrite=False)
    with pytest.raises(InputError, match="exists, need a new file; add --overwrite"):
        batch(5).save(file, overwrite=False)
    with open_batch(file) as run:
        assert len(run) == 3
    batch(5).save(file)
    with open_batch(file) as run:
        assert len(run) == 5
    assert names_in(tmp_path) == [file.name]


def test_a_folder_of_something_else_is_never_replaced(tmp_path):
    folder = tmp_path / "runs.zarr"
    folder.mkdir()
    (folder / "thesis.tex").write_bytes(b"kept")
    with pytest.raises(FileError, match="a folder of something else"):
        batch().save(folder)
    assert names_in(folder) == ["thesis.tex"]
    (tmp_path / "file.zarr").write_bytes(b"kept")
    with pytest.raises(FileError, match="no folder"):
        batch().save(tmp_path / "file.zarr")


@both
def test_a_missing_folder_is_file_trouble(tmp_path, ending):
    with pytest.raises(FileError, match="cannot be written"):
        batch().save(tmp_path / "missing" / f"runs{ending}")


def test_a_missing_package_is_named_with_the_way_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "zarr", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'ulna\[cluster\]'") as caught:
        batch().save(tmp_path / "runs.zarr")
    assert caught.value.exit_code == 2
    assert names_in(tmp_path) == []


def test_a_batch_without_arms_has_no_file(tmp_path):
    with pytest.raises(InputError, match="arms: got 0, need at least one"):
        batch()[:0].save(tmp_path / "runs.nc")


@both
def test_a_disk_without_room_is_known_before_anything_runs(tmp_path, ending):
    with pytest.raises(FileError, match=r"it takes 3.2 TB, and .* are free") as caught:
        create(tmp_path / f"runs{ending}", KEHL, np.arange(10.0**5), members=10**6, settings={})
    assert caught.value.exit_code == 74
    assert names_in(tmp_path) == []


@pytest.fixture
def little_room():
    """Let no file grow beyond so many bytes, as on a disk that is nearly full."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@posix
@pytest.mark.parametrize(
    ("ending", "room"),
    [(".nc", 0), (".nc", 20_000), (".nc", 400_000), (".nc", 1_200_000), (".zarr", 300_000)],
)
def test_a_disk_that_fills_up_leaves_all_as_it_was(tmp_path, little_room, ending, room):
    file = tmp_path / f"runs{ending}"
    batch(3).save(file)
    members = 2**14
    values = np.zeros((3, members, SAMPLES, N))
    little_room(room)
    with pytest.raises(FileError, match=os.strerror(errno.EFBIG)) as caught:  # noqa: PT012
        store = begin(file, members)
        put(store, 0, members, values)
        store.finish()
    assert caught.value.exit_code == 74
    assert str(file) in str(caught.value)
    assert names_in(tmp_path) == [file.name]
    with open_batch(file) as run:
        assert same_bits(run.q, batch(3).q)


# Files that are no batches


def refused(file, kind, words):
    with pytest.raises(kind, match=words) as caught:
        open_batch(file)
    assert str(file) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["missing.nc", "missing.zarr", "file/below.zarr", "a\0b"])
def test_a_file_that_cannot_be_read_is_named(tmp_path, name):
    (tmp_path / "file").write_bytes(b"")
    refused(tmp_path / name, FileError, "cannot be read")


@pytest.mark.parametrize("name", ["other.nc", "other.zarr", "other"])
def test_a_file_of_another_kind_is_no_batch(tmp_path, name):
    (tmp_path / name).write_bytes(b"t [s],q1 [rad]\n")
    refused(tmp_path / name, InputError, r"need a batch that was saved as \.nc or \.zarr")


def test_a_folder_of_another_kind_is_no_batch(tmp_path):
    refused(tmp_path, InputError, "got a folder of something else")


def single_run():
    joints, one = np.zeros((1, N)), np.zeros(1)
    done, arm = Status(True, "done", ""), ulna.preset("unit")
    return Run(arm, one, joints, joints, joints, joints, np.zeros((1, 3)), one, one, done, {})


def test_a_run_and_a_batch_are_told_apart(tmp_path, raw):
    single_run().save(tmp_path / "run.nc")
    refused(tmp_path / "run.nc", InputError, "it holds a run: read it with open_run")
    (tmp_path / "runs.nc").write_bytes(raw)
    with pytest.raises(InputError, match="it holds a batch: read it with open_batch"):
        open_run(tmp_path / "runs.nc")


@pytest.mark.parametrize("part", [0.01, 0.3, 0.9, 0.9999])
def test_a_file_that_was_cut_off_is_damaged(tmp_path, raw, part):
    file = tmp_path / "runs.nc"
    file.write_bytes(raw[: int(part * len(raw))])
    refused(file, FileError, "cannot be read")


def test_a_piece_that_is_lost_or_cut_off_does_not_read_as_data(tmp_path):
    file = tmp_path / "runs.zarr"
    batch().save(file)
    piece = file / "qd" / "0.0.0"
    raw = piece.read_bytes()
    piece.write_bytes(raw[:100])
    with open_batch(file) as run, pytest.raises(FileError, match="cannot be read"):
        run.qd[0]
    piece.unlink()
    refused(file, FileError, "0 of the 1 pieces of qd are there; copy it again")


@pytest.mark.usefixtures("parsed_here")
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: c.attrs.__delitem__("format"), "format: got nothing, need 'batch 1'"),
        (lambda c: c.attrs.__setitem__("format", "batch 2"), "later ulna"),
        (lambda c: c.attrs.__setitem__("settings", "{"), "settings of a run as JSON"),
        (lambda c: c.attrs.__setitem__("versions", 3), "versions: got 3"),
        (lambda c: c.__delitem__("qd"), r"qd: got nothing, need float64 of shape \(40, 5, 2\)"),
        (lambda c: c.__delitem__("mass"), r"mass: got nothing, need float64 of shape \(2,\)"),
        (lambda c: c.__delitem__("status"), "status: got nothing, need int8"),
        (lambda c: c["status"].__setitem__(3, 77), "status: got 77"),
    ],
)
def test_what_is_wrong_inside_is_named(tmp_path, raw, change, words):
    file = tmp_path / "runs.nc"
    file.write_bytes(raw)
    with h5py.File(file, "r+") as content:
        change(content)
    refused(file, InputError, words)


@pytest.mark.usefixtures("parsed_here")
def test_everything_wrong_is_told_at_once(tmp_path, raw):
    file = tmp_path / "runs.nc"
    file.write_bytes(raw)
    with h5py.File(file, "r+") as content:
        del content["qd"], content["base"]
    with pytest.raises(InputError) as caught:
        open_batch(file)
    assert [problem.what for problem in caught.value.problems] == ["qd", "base"]
    assert {problem.place for problem in caught.value.problems} == {str(file)}
