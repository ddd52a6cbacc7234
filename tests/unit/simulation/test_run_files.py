"""A saved run comes back to the last bit, and what is no run is refused in words."""

import csv
import errno
import os
import sys

import h5py
import numpy as np
import pyarrow.parquet
import pytest
import xarray as xr

import ulna
from ulna.errors import FileError, InputError, MissingExtraError
from ulna.scenario import Scenario
from ulna.simulation.files import open_run
from ulna.simulation.outcome import Contact, Event, Status
from ulna.simulation.run import Run

ARRAYS = ("t", "q", "qd", "qdd", "tau", "tip_force", "injected", "dissipated")
posix = pytest.mark.skipif(os.name != "posix", reason="POSIX files")


def arm_with_everything():
    joint = ulna.Joint(
        lower=-2.0,
        upper=1.0,
        damping=0.1,
        friction=ulna.Friction(0.2),
        motor=ulna.Motor(12.0, 1.0, 0.1, name="größer"),
    )
    links = [ulna.Link(1 / 3, 1.0), ulna.Link(0.1 + 0.2, 2.0, com_offset=0.01)]
    payload = ulna.Payload(0.25, 1e-3)
    return ulna.Arm.of(links, [joint, ulna.Joint()], base=(0.1, 0.0), payload=payload, name="τ")


def sample_run(samples=40, arm=None, **changes):
    arm = arm or arm_with_everything()
    random = np.random.default_rng(7)
    per_joint = random.standard_normal((4, samples, arm.n)) * 10.0 ** random.integers(-9, 9)
    state = random.standard_normal(arm.n)
    values = {
        "t": np.cumsum(random.random(samples)),
        **dict(zip(("q", "qd", "qdd", "tau"), per_joint, strict=True)),
        "tip_force": random.standard_normal((samples, 3)),
        "injected": random.standard_normal(samples),
        "dissipated": random.random(samples),
        "status": Status(False, "interrupted", "stopped by Ctrl-C at t = 0.3 s"),
        "scenario": Scenario.unchecked(arm=arm, rtol=None, events={"−2*q̇ + \ud800": "q1"}),
        "events": (Event("elbow over", 0.1 + 0.2, state, -state),),
        "contacts": (Contact(1 / 3, 1, "lower", "hit", -0.7),),
        "versions": {"ulna": "0.0.1", "python": "3.11"},
    }
    return Run(arm, **(values | changes))


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    """The bytes of a run in a .nc file."""
    file = tmp_path_factory.mktemp("raw") / "run.nc"
    sample_run().save(file)
    return file.read_bytes()


def names_in(folder):
    return sorted(entry.name for entry in folder.iterdir())


def same_bits(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


# There and back


@pytest.mark.parametrize("samples", [1, 2, 40, 5000])
def test_a_whole_run_comes_back_to_the_last_bit(tmp_path, samples):
    run = sample_run(samples)
    run.save(tmp_path / "run.nc")
    back = open_run(str(tmp_path / "run.nc"))
    assert names_in(tmp_path) == ["run.nc"]
    for name in ARRAYS:
        assert same_bits(getattr(back, name), getattr(run, name)), name
        assert not getattr(back, name).flags.writeable
    assert back.arm == run.arm
    assert back.status == run.status
    assert back.scenario == run.scenario
    assert back.contacts == run.contacts
    assert back.versions == {"ulna": "0.0.1", "python": "3.11"}
    assert back.provenance == run.provenance


def test_numbers_that_went_astray_come_back_too(tmp_path):
    strange = np.array([[0.0, -0.0], [np.inf, -np.inf], [np.nan, 5e-324], [1.7e308, -1e-310]])
    event = Event("lost", 1.0, strange[1], strange[0])
    run = sample_run(4, q=strange, qd=strange, events=(event,))
    run.save(tmp_path / "run.nc")
    back = open_run(tmp_path / "run.nc")
    assert same_bits(back.q, run.q)
    assert same_bits(back.events[0].q, strange[1])
    assert same_bits(back.events[0].qd, strange[0])


def test_thousands_of_contacts_come_back(tmp_path):
    """More text than an attribute of HDF5 holds by itself."""
    contacts = tuple(Contact(k / 7, 2, "upper", "rest", k / 3) for k in range(5000))
    sample_run(contacts=contacts).save(tmp_path / "run.nc")
    assert open_run(tmp_path / "run.nc").contacts == contacts


def test_the_file_is_the_dataset_for_everyone_else(tmp_path):
    run = sample_run()
    run.save(tmp_path / "run.nc")
    with xr.open_dataset(tmp_path / "run.nc", engine="h5netcdf", decode_timedelta=False) as data:
        texts = {name: data[name].item() for name in data if data[name].dtype.kind in "OU"}
        found = data.load().drop_vars(texts).assign_attrs(texts)
    xr.testing.assert_identical(found, run.dataset)


def test_what_is_done_to_the_dataset_does_not_reach_the_file(tmp_path):
    run = sample_run()
    run.dataset.attrs.clear()
    run.save(tmp_path / "run.nc")
    assert open_run(tmp_path / "run.nc").provenance == run.provenance


def test_what_hardly_changes_takes_little_room(tmp_path):
    zeros = np.zeros((20_000, 2))
    sample_run(20_000, q=zeros, qd=zeros, qdd=zeros, tau=zeros).save(tmp_path / "still.nc")
    sample_run(20_000).save(tmp_path / "wild.nc")
    still, wild = ((tmp_path / name).stat().st_size for name in ("still.nc", "wild.nc"))
    assert still < wild - 0.8 * 4 * zeros.nbytes


# Tables


@pytest.mark.parametrize("samples", [1, 40, 10_001])
def test_csv_reads_back_to_the_same_floats(tmp_path, samples):
    run = sample_run(samples)
    run.save(tmp_path / "run.csv")
    with (tmp_path / "run.csv").open(encoding="utf-8", newline="") as stream:
        head, *rows = csv.reader(stream)
    table = run.to_dataframe().reset_index()
    assert [cell.partition(" ")[0] for cell in head] == list(table)
    assert head[:3] == ["t [s]", "q1 [rad]", "q2 [rad]"]
    assert {"qdd1 [rad/s²]", "tau2 [N·m]", "x [m]", "kinetic [J]", "fx [N]"} <= set(head)
    # A spreadsheet takes text that begins with one of these for a formula.
    assert not any(cell.startswith(tuple("=+-@")) for cell in head)
    numbers = np.array([[float(cell) for cell in row] for row in rows])
    assert same_bits(numbers, table.to_numpy())


def test_csv_has_numbers_for_what_went_astray(tmp_path):
    q = np.array([[np.nan, np.inf], [-np.inf, -0.0]])
    sample_run(2, q=q).save(tmp_path / "run.csv")
    lines = (tmp_path / "run.csv").read_text(encoding="utf-8").splitlines()
    assert [line.split(",")[1:3] for line in lines[1:]] == [["nan", "inf"], ["-inf", "-0.0"]]


def test_parquet_reads_back_to_the_same_floats(tmp_path):
    run = sample_run()
    run.save(tmp_path / "run.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "run.parquet")
    expected = run.to_dataframe().reset_index()
    assert table.column_names == list(expected)
    for name in table.column_names:
        assert same_bits(table[name].to_numpy(), expected[name].to_numpy()), name
    assert table.schema.field("tau1").metadata == {b"units": "N·m".encode()}


def test_a_missing_package_is_named_with_the_way_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'ulna\[tables\]'") as caught:
        sample_run().save(tmp_path / "run.parquet")
    assert caught.value.exit_code == 2
    assert names_in(tmp_path) == []


# Places that cannot be written


@pytest.mark.parametrize("name", ["run.txt", "run", "run.nc.gz", ".nc"])
def test_a_name_with_another_ending_is_told_the_endings(tmp_path, name):
    with pytest.raises(InputError, match=r"\.nc, \.csv, \.parquet"):
        sample_run().save(tmp_path / name)
    assert names_in(tmp_path) == []


@pytest.mark.parametrize("ending", [".nc", ".CSV", ".parquet"])
def test_a_file_that_exists_is_kept_without_force(tmp_path, ending):
    file = tmp_path / f"run{ending}"
    file.write_bytes(b"old")
    with pytest.raises(InputError, match="exists"):
        sample_run().save(file, overwrite=False)
    assert file.read_bytes() == b"old"
    sample_run().save(file)
    assert file.stat().st_size > 1000


@pytest.fixture
def little_room():
    """Let no file grow beyond a few blocks, as on a disk that is nearly full."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@posix
@pytest.mark.usefixtures("little_room")
@pytest.mark.parametrize("ending", [".nc", ".csv", ".parquet"])
def test_a_disk_that_fills_up_leaves_all_as_it_was(tmp_path, ending):
    file = tmp_path / f"run{ending}"
    file.write_bytes(b"old")
    with pytest.raises(FileError, match=os.strerror(errno.EFBIG)):
        sample_run(2000).save(file)
    assert file.read_bytes() == b"old"
    assert names_in(tmp_path) == [file.name]


# Files that are no runs


def refused(file, kind, words):
    with pytest.raises(kind, match=words) as caught:
        open_run(file)
    assert str(file) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".CSV"])
def test_tables_are_not_read_as_runs(tmp_path, ending):
    file = tmp_path / f"run{ending}"
    sample_run().save(file)
    refused(file, InputError, "only that holds a whole run; save the run as .nc")


@pytest.mark.parametrize("name", ["missing.nc", "file/below.nc"])
def test_a_file_that_cannot_be_read_is_named(tmp_path, name):
    (tmp_path / "file").write_bytes(b"")
    refused(tmp_path / name, FileError, "cannot be read")


@posix
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.nc")
    refused(tmp_path / "pipe.nc", FileError, "no ordinary file")


@pytest.mark.parametrize("raw", [b"", b"t [s],q1 [rad]\n", b"CDF\x01" + bytes(100)])
def test_a_file_of_another_kind_is_no_run(tmp_path, raw):
    file = tmp_path / "other.nc"
    file.write_bytes(raw)
    refused(file, InputError, "need a run that was saved as .nc")


def test_a_folder_is_no_run(tmp_path):
    refused(tmp_path, InputError, "ulna.open_batch and ulna.open_sweep read folders")


@pytest.mark.parametrize(
    ("form", "words"),
    [
        (None, "format: got nothing, need 'run 3'"),
        ("1", "got '1', need 'run 3', a saved run; if ulna wrote it, another version did"),
        ("run 2", "another version did"),
    ],
)
def test_a_file_of_another_format_is_no_run(tmp_path, form, words):
    file = tmp_path / "other.nc"
    content = xr.Dataset({"q": (("time", "joint"), np.zeros((3, 2)))})
    content = content if form is None else content.assign(format=((), form))
    content.to_netcdf(file, engine="h5netcdf", encoding={"format": {"dtype": "S1"}} if form else {})
    refused(file, InputError, words)


@pytest.mark.parametrize("part", [0.01, 0.3, 0.9, 0.9999])
def test_a_file_that_was_cut_off_is_damaged(tmp_path, raw, part):
    file = tmp_path / "run.nc"
    file.write_bytes(raw[: int(part * len(raw))])
    refused(file, FileError, "cannot be read")


def test_damaged_numbers_and_texts_are_refused(tmp_path, raw):
    file = tmp_path / "run.nc"
    file.write_bytes(raw)
    with h5py.File(file) as content:
        checked = [one for one in content.values() if one.chunks is not None]
        places = {one.name: one.id.get_chunk_info(0) for one in checked}
    for name in ("/q", "/tau", "/time", "/scenario", "/status"):
        place = places[name]
        damaged = bytearray(raw)
        damaged[place.byte_offset + place.size // 2] ^= 1
        file.write_bytes(damaged)
        refused(file, FileError, "cannot be read")


def test_a_file_that_lacks_something_is_refused(tmp_path, raw):
    file = tmp_path / "run.nc"
    for name in ("qd", "scenario"):
        file.write_bytes(raw)
        with h5py.File(file, "r+") as content:
            del content[name]
        refused(file, FileError, name)
