"""A file that was damaged since it was written is refused, soon, and nothing hangs."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5netcdf
import h5py
import numpy as np
import pytest
import xarray as xr

import ulna
from ulna.errors import FileError, InputError, UlnaWarning
from ulna.kernels.cache import PACKAGE
from ulna.simulation import BatchRun, Run, Status, Statuses, hdf5, hdf5_trial
from ulna.simulation.batch.batch_stores import Sheltered
from ulna.storage import (
    DamagedError,
    DigestedPart,
    append_trailer,
    piece_digest,
    read_trailer,
    sealed,
    unsealed,
)

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX signals")
SOON = 1.0  # [s] of processor time for one file

# Damages a file again and again, each time in one place, and opens it. For each: what was done,
# what came of it, and the time that it took. Arguments: the file, which kind it is, seed, count.
PROGRAM = """
import json, pathlib, random, sys, time, warnings
import numpy as np
import ulna

file, kind, seed, count = pathlib.Path(sys.argv[1]), *sys.argv[2:3], *map(int, sys.argv[3:5])
raw, dice = file.read_bytes(), random.Random(seed)
damaged = file.with_name("damaged.nc")

def numbers():
    if kind == "run":
        run = ulna.open_run(damaged)
        return [run.t, run.q, run.qd, run.qdd, run.tau, run.tip_force, run.injected], run.provenance
    with ulna.open_batch(damaged) as run:
        return [run.t, *(np.asarray(x) for x in (run.q, run.qd, run.tau)), run.t_end], run.settings

def damage(number):
    if number == 0:
        return "zeros", 4600, 1600
    how = dice.choice(["flip", "flip", "zeros", "zeros", "noise", "cut", "insert", "remove"])
    return how, dice.randrange(len(raw)), dice.choice([1, 8, 64, 500, 1600, 5000])

def apply(how, place, size):
    head, middle, tail = raw[:place], raw[place:place + size], raw[place + size:]
    if how == "flip":
        return head + bytes([raw[place] ^ 1 << size % 8]) + raw[place + 1:]
    if how == "zeros":
        return head + bytes(len(middle)) + tail
    if how == "noise":
        return head + dice.randbytes(len(middle)) + tail
    if how == "insert":
        return head + dice.randbytes(size) + raw[place:]
    return head if how == "cut" else head + tail

def outcome():
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = numbers()
    except (ulna.FileError, ulna.InputError) as error:
        return "refused" if str(damaged) in str(error) else str(error)
    except Exception as error:
        return repr(error)
    same = all(np.array_equal(a, b, equal_nan=True) for a, b in zip(found[0], good[0]))
    return "same" if same and found[1] == good[1] else "different"

damaged.write_bytes(raw)
good = numbers()
for number in range(count):
    what = damage(number)
    changed = apply(*what)
    while changed == raw:  # zeros were written over zeros
        what = damage(number)
        changed = apply(*what)
    damaged.write_bytes(changed)
    start = time.process_time()
    print(json.dumps([*what, outcome(), time.process_time() - start]), flush=True)
"""


def run_of(samples=40):
    random, arm = np.random.default_rng(3), ulna.Arm.rods([1.0, 0.5], [1.0, 2.0])
    joints, tip = random.standard_normal((4, samples, 2)), random.standard_normal((samples, 3))
    t, energies = np.arange(samples) / 7, random.standard_normal((2, samples))
    return Run(arm, t, *joints, tip, *energies, Status(True, "done", ""), {"rtol": 1e-9})


def batch_of(members=50, samples=300):
    q = np.random.default_rng(4).standard_normal((3, members, samples, 2))
    t_end = np.full(members, 2.0)
    return BatchRun(
        parameters=ulna.preset("kehl").parameters,
        t=np.arange(samples) / 100,
        q=q[0],
        qd=q[1],
        tau=q[2],
        t_end=t_end,
        status=Statuses(np.zeros(members, int), t_end),
        settings={"method": "rk4"},
        versions={"ulna": "0"},
    )


def stripped(file):
    """Take the trailer off, as of a file from before there were any."""
    with file.open("rb") as stream:
        length = read_trailer(stream).length
    file.write_bytes(file.read_bytes()[:length])


def overwritten(file, place, data):
    raw = bytearray(file.read_bytes())
    raw[place : place + len(data)] = data
    file.write_bytes(raw)


def environment():
    place = os.pathsep.join([str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": place}


@pytest.mark.parametrize(
    ("kind", "count"),
    [
        ("run", 150),
        ("batch", 50),
        pytest.param("run", 600, marks=pytest.mark.slow),
        pytest.param("batch", 200, marks=pytest.mark.slow),
    ],
)
def test_a_damaged_file_is_refused(tmp_path, kind, count):
    file = tmp_path / "good.nc"
    (run_of() if kind == "run" else batch_of()).save(file)
    words = [sys.executable, "-c", PROGRAM, str(file), kind, "15", str(count)]
    # HDF5 hangs where no exception reaches it: only another process can tell.
    done = subprocess.run(words, env=environment(), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == count
    assert [one for one in found if one[3] != "refused"] == []
    assert max(one[4] for one in found) < SOON


@pytest.mark.parametrize("place", [0, 100, 4600, -200, -60, -1])
def test_one_bit_anywhere_is_damage(tmp_path, place):
    file = tmp_path / "run.nc"
    run_of().save(file)
    raw = bytearray(file.read_bytes())
    raw[place] ^= 1
    file.write_bytes(raw)
    with pytest.raises(FileError, match="digest") as caught:
        ulna.open_run(file)
    assert str(file) in str(caught.value)
    assert caught.value.exit_code == 74


def test_zeros_of_a_whole_piece_are_no_samples(tmp_path):
    # A sum over zeros is zero: HDF5's own checksum takes them for data.
    file = tmp_path / "runs.nc"
    batch_of().save(file)
    with h5py.File(file) as content:
        piece = content["q"].id.get_chunk_info_by_coord((0, 128, 0))
    overwritten(file, piece.byte_offset, bytes(piece.size))
    with ulna.open_batch(file) as run:
        assert np.array_equal(run.q[:, :128], batch_of().q[:, :128])
        assert np.array_equal(run.qd[3], batch_of().qd[3])
        for key in (3, np.s_[7:9, 200], np.s_[[1, 4], ::150], np.s_[:]):
            with pytest.raises(FileError, match="digest does not match"):
                run.q[key]


def test_opening_a_batch_reads_no_histories(tmp_path):
    file = tmp_path / "runs.nc"
    batch_of().save(file)
    with h5py.File(file) as content:
        places = [
            content[name].id.get_chunk_info_by_coord((0, first, 0))
            for name in ("q", "qd", "tau")
            for first in (0, 128, 256)
        ]
    for piece in places:
        overwritten(file, piece.byte_offset, b"\x55" * piece.size)
    with ulna.open_batch(file) as run:
        assert run.t_end[0] == 2.0


# Zarr


def test_every_file_of_a_zarr_folder_carries_a_digest(tmp_path):
    folder = tmp_path / "runs.zarr"
    batch_of().save(folder)
    files = [one for one in sorted(folder.rglob("*")) if one.is_file()]
    assert len(files) > 60
    for file in files:
        raw = file.read_bytes()
        changed = bytearray(raw)
        changed[len(raw) // 2] ^= 1
        file.write_bytes(changed)
        with (
            pytest.raises(FileError, match="digest does not match"),
            ulna.open_batch(folder) as run,
        ):
            _ = run.q[:], run.qd[:], run.tau[:]
        file.write_bytes(raw)
    with ulna.open_batch(folder) as run:
        assert np.array_equal(run.q, batch_of().q)


def test_a_zarr_folder_of_before_is_opened_with_a_warning(tmp_path):
    folder = tmp_path / "runs.zarr"
    batch_of().save(folder)
    (folder / "q" / ".digests").unlink()
    with pytest.warns(UlnaWarning, match="carries no digest"), ulna.open_batch(folder) as run:
        assert np.array_equal(run.q, batch_of().q)


def test_a_piece_of_zarr_that_nobody_wrote_is_no_data(tmp_path):
    folder = tmp_path / "runs.zarr"
    batch_of(members=40).save(folder)
    names = [one.name for one in (folder / "q").iterdir() if not one.name.startswith(".")]
    digests = folder / "q" / ".digests"
    kept = json.loads(unsealed(digests.read_bytes()))
    del kept[f"q/{names[0]}"]
    digests.write_bytes(sealed(json.dumps(kept).encode()))
    with ulna.open_batch(folder) as run, pytest.raises(FileError, match="digest"):
        run.q[:]


def test_other_software_reads_the_folder_without_a_word(tmp_path):
    batch_of().save(tmp_path / "runs.zarr")
    for consolidated in (True, False):
        with xr.open_zarr(tmp_path / "runs.zarr", consolidated=consolidated, chunks=None) as data:
            assert np.array_equal(data["q"], batch_of().q)


# Files without a trailer


def test_other_software_reads_a_file_with_a_trailer(tmp_path):
    file = tmp_path / "run.nc"
    run_of().save(file)
    with h5py.File(file) as content:
        assert np.array_equal(content["q"], run_of().q)
    with h5netcdf.File(file) as content:
        assert np.array_equal(content["q"], run_of().q)
    with xr.open_dataset(file, engine="h5netcdf") as data:
        assert np.array_equal(data["q"], run_of().q)


@pytest.mark.parametrize("kind", ["run", "batch"])
def test_a_file_of_before_is_opened_with_a_warning(tmp_path, kind):
    file = tmp_path / "old.nc"
    (run_of() if kind == "run" else batch_of()).save(file)
    stripped(file)
    with pytest.warns(UlnaWarning, match="carries no digest"):
        back = ulna.open_run(file) if kind == "run" else ulna.open_batch(file)
    assert np.array_equal(back.q, (run_of() if kind == "run" else batch_of()).q)
    if kind == "batch":
        back.close()


def test_what_other_software_changed_counts_as_without_one(tmp_path):
    file = tmp_path / "run.nc"
    run_of().save(file)
    with h5py.File(file, "r+") as content:
        content.attrs["remark"] = "seen"
    with pytest.warns(UlnaWarning, match="changed by other software"):
        assert np.array_equal(ulna.open_run(file).q, run_of().q)


def test_what_xarray_saved_again_counts_as_without_one(tmp_path):
    run_of().save(tmp_path / "run.nc")
    with xr.open_dataset(tmp_path / "run.nc", engine="h5netcdf") as data:
        data.load().to_netcdf(tmp_path / "again.nc", engine="h5netcdf")
    with pytest.warns(UlnaWarning, match="carries no digest"):
        assert np.array_equal(ulna.open_run(tmp_path / "again.nc").q, run_of().q)


def hanging(file):
    """Write a file that HDF5 parses for ever."""
    run_of(400).save(file)
    stripped(file)
    overwritten(file, 4600, bytes(1600))


def test_a_file_that_hdf5_does_not_finish_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(hdf5, "PATIENCE", 1.5)
    file = tmp_path / "run.nc"
    hanging(file)
    with pytest.raises(FileError, match=r"had not parsed it after 1\.5 s: it is damaged"):
        ulna.open_run(file)


@posix
def test_ctrl_c_is_heard_while_hdf5_does_not_finish(tmp_path):
    file = tmp_path / "run.nc"
    hanging(file)
    lines = f"import ulna\nprint('now', flush=True)\nulna.open_run({str(file)!r})"
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", lines], env=environment(), stdout=pipe, stderr=pipe, text=True
    ) as child:
        assert child.stdout.readline() == "now\n"
        time.sleep(0.7)
        start = time.perf_counter()
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=60)
    assert "KeyboardInterrupt" in err
    assert time.perf_counter() - start < 5.0


def test_a_process_that_breaks_down_is_damage(tmp_path, monkeypatch):
    program = tmp_path / "breaks.py"
    program.write_text("import os\nos.abort()\n", encoding="utf-8")
    monkeypatch.setattr(hdf5, "TRIAL", program)
    file = tmp_path / "run.nc"
    run_of().save(file)
    stripped(file)
    with pytest.raises(FileError, match="HDF5 broke down on it"):
        ulna.open_run(file)


def test_without_a_python_to_start_a_file_is_parsed_here(tmp_path, monkeypatch):
    file = tmp_path / "run.nc"
    run_of().save(file)
    stripped(file)
    monkeypatch.setattr(sys, "executable", "")
    with pytest.warns(UlnaWarning, match="carries no digest"):
        assert np.array_equal(ulna.open_run(file).q, run_of().q)


def test_the_trial_reads_what_opening_reads(tmp_path, monkeypatch):
    file = tmp_path / "run.nc"
    run_of().save(file)
    assert hdf5_trial.main(str(file)) == 0
    monkeypatch.setattr(hdf5_trial, "MOST", 0)
    assert hdf5_trial.main(str(file)) == 0
    with pytest.raises(IsADirectoryError):
        hdf5_trial.main(str(tmp_path))


@pytest.mark.parametrize("version", ["earliest", "latest"])
def test_the_end_is_known_in_every_version_of_hdf5(tmp_path, version):
    file = tmp_path / "other.nc"
    with h5py.File(file, "w", libver=version) as content:
        content["q"] = np.zeros(100)
    raw = file.read_bytes()
    for size, words in ((-1, "was cut off"), (1, "trailer of digests was damaged")):
        file.write_bytes(raw[:size] if size < 0 else raw + bytes(size))
        with pytest.raises(FileError, match=words):
            ulna.open_run(file)
    file.write_bytes(raw)
    with pytest.raises(InputError, match="format: got nothing"):
        ulna.open_run(file)


# Trailers


def test_a_trailer_tells_of_every_byte(tmp_path):
    content = bytes(range(256)) * 4
    file = tmp_path / "file"
    file.write_bytes(content)
    pieces = [DigestedPart(100, 50, b""), DigestedPart(600, 424, b"")]
    with file.open("rb+") as stream:
        append_trailer(stream, [p._replace(digest=piece_digest(stream, p)) for p in pieces])
    raw = file.read_bytes()
    for place in range(len(raw)):
        changed = bytearray(raw)
        changed[place] ^= 0x40
        file.write_bytes(changed)
        with file.open("rb") as stream:
            assert tells(stream, pieces), place


def tells(stream, pieces):
    try:
        trailer = read_trailer(stream)
        if trailer is None:
            return True
        trailer.check_rest(stream)
        for piece in pieces:
            trailer.check_piece(stream, piece.offset, piece.size)
    except DamagedError:
        return True
    return False


@pytest.mark.parametrize("overwrite", [0, 70_000, 99_999, 150_000])
def test_a_piece_that_is_overwritten_is_digested_anew(tmp_path, overwrite):
    file = tmp_path / "file"
    file.touch()
    with Sheltered(Path(file), "r+") as stream:
        stream.write(b"a" * 100_000)
        stream.write(b"b" * 100_000)
        assert stream.piece(0, 100_000) is not None
        assert stream.piece(0, 99_999) is None
        stream.seek(overwrite)
        stream.write(b"cc")
        touched = [overwrite < 100_000, overwrite + 2 > 100_000]
        found = [stream.piece(0, 100_000), stream.piece(100_000, 100_000)]
    assert [piece is None for piece in found] == touched
