"""Zarr stores: what is marked as finished is there, and damage to it is a sentence."""

import contextlib
import json
import os
import signal
import threading
import time

import numpy as np
import pytest
import xarray

from ulna.concurrency import call_in_thread
from ulna.errors import FileError, InputError
from ulna.zarr_stores import new_store, open_store

pytest.importorskip("zarr")

FORM, WHAT = "table 1", "a saved table"
ROWS = (slice(0, 4),)
VALUES = np.arange(24.0).reshape(4, 3, 2)


def create(path, *, overwrite=False):
    with new_store(path, FORM, {"title": "τ"}, overwrite=overwrite) as store:
        store.add("axis", ("axis",), np.array(["x", "ŷ"]), {"long_name": "axis"})
        store.add("mass", (), 2.5, {"units": "kg"})
        store.add("none", ("none",), np.zeros(0), {})
        dims, chunks = ("row", "time", "axis"), (4, 3, 2)
        store.add_empty("q", dims, (8, 3, 2), {"units": "rad"}, chunks=chunks)
        store.add_empty("status", dims[:1], (8,), {}, dtype=np.int8, chunks=(4,), fill=-1)
    return open_store(path, FORM, WHAT, writable=True)


@pytest.fixture
def path(tmp_path):
    """The folder of a store with one finished chunk of two, all NaN in its first row."""
    values = VALUES.copy()
    values[0] = np.nan
    path = tmp_path / "table.zarr"
    create(path).write(ROWS, {"q": values, "status": np.ones(4, np.int8)})
    return path


def read(path):
    store = open_store(path, FORM, WHAT)
    found = {name: store.read(name) for name in ("axis", "mass", "none")}
    return found | {"q": store.read("q", ROWS), "status": store.read_unfinished("status")}


def test_what_was_written_is_read_back(path):
    found = read(path)
    assert found["axis"].tolist() == ["x", "ŷ"]
    assert found["mass"] == 2.5
    assert found["none"].shape == (0,)
    assert np.all(np.isnan(found["q"][0]))
    np.testing.assert_array_equal(found["q"][1:], VALUES[1:])
    assert found["status"].tolist() == [1, 1, 1, 1, -1, -1, -1, -1]
    assert open_store(path, FORM, WHAT).attributes["title"] == "τ"


def test_a_chunk_of_nothing_but_nan_is_there(path):
    box, values = (slice(4, 8),), np.full((4, 3, 2), np.nan)
    open_store(path, FORM, WHAT, writable=True).write(box, {"q": values})
    assert np.isnan(open_store(path, FORM, WHAT).read("q", box)).all()


def test_xarray_reads_a_store(path):
    with xarray.open_zarr(path) as found:
        assert found.q.dims == ("row", "time", "axis")
        assert found.q.units == "rad"
        assert found.axis.values.tolist() == ["x", "ŷ"]
        np.testing.assert_array_equal(found.q[1:4], VALUES[1:])
        assert found.q[4:].isnull().all()


def test_a_chunk_that_was_not_written_is_missed(path):
    with pytest.raises(FileError, match="q cannot be read: its chunk c/1/0/0 is missing"):
        open_store(path, FORM, WHAT).read("q", (slice(3, 5),))
    (path / "q/c/0/0/0").unlink()
    with pytest.raises(FileError, match="q cannot be read: its chunk c/0/0/0 is missing"):
        read(path)


def flipped(file, place):
    raw = bytearray(file.read_bytes())
    raw[place] ^= 1 << (place % 8)
    file.write_bytes(raw)


@pytest.mark.parametrize("name", ["q/c/0/0/0", "status/c/0", "axis/c/0", "mass/c"])
def test_every_damaged_byte_of_a_chunk_is_found(path, name):
    file = path / name
    whole = file.read_bytes()
    for place in range(len(whole)):
        flipped(file, place)
        with pytest.raises(FileError, match="cannot be read"):
            read(path)
        file.write_bytes(whole)
    for size in (0, 3, len(whole) // 2, len(whole) - 1):
        file.write_bytes(whole[:size])
        with pytest.raises(FileError, match="cannot be read"):
            read(path)


def test_damaged_metadata_never_gives_other_values(path):
    file, before = path / "zarr.json", read(path)
    whole = file.read_bytes()
    for place in range(0, len(whole), 5):
        flipped(file, place)
        with contextlib.suppress(FileError, InputError):
            found = read(path)
            np.testing.assert_array_equal(found["q"], before["q"])
        file.write_bytes(whole)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "[" * 100_000, '{"zarr_format": 3}'])
def test_metadata_of_something_else_is_a_sentence(path, text):
    (path / "zarr.json").write_text(text)
    with pytest.raises((FileError, InputError), match=r"table\.zarr"):
        open_store(path, FORM, WHAT)


def test_other_folders_are_refused(tmp_path, path):
    with pytest.raises(FileError, match="nowhere"):
        open_store(tmp_path / "nowhere.zarr", FORM, WHAT)
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="a folder of something else, need a saved table"):
        open_store(tmp_path / "folder", FORM, WHAT)
    with pytest.raises(InputError, match=r"format 'table 1', need .*'table 2'"):
        open_store(path, "table 2", WHAT)
    (tmp_path / "folder/.zgroup").write_text(json.dumps({"zarr_format": 2}))
    with pytest.raises(InputError, match="format 2"):
        open_store(tmp_path / "folder", FORM, WHAT)


def test_nothing_is_replaced_unless_asked_for(tmp_path, path):
    with pytest.raises(InputError, match="exists"):
        create(path)
    assert create(path, overwrite=True).read_unfinished("status").tolist() == [-1] * 8
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/notes.txt").write_text("mine")
    with pytest.raises(FileError, match="something else"):
        create(tmp_path / "folder", overwrite=True)


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_a_store_stays_where_its_successor_fails(tmp_path, path, error):
    def fail():
        with new_store(path, FORM, {}, overwrite=True) as store:
            store.add("mass", (), 1.0, {})
            raise error

    with pytest.raises(error):
        fail()
    assert read(path)["mass"] == 2.5
    assert [file.name for file in tmp_path.iterdir()] == ["table.zarr"]


@pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")
def test_a_full_disk_leaves_what_was_finished(path):
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    store = open_store(path, FORM, WHAT, writable=True)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        with pytest.raises(FileError, match="cannot be written"):
            store.write((slice(4, 8),), {"q": VALUES, "status": np.ones(4, np.int8)})
        resource.setrlimit(resource.RLIMIT_FSIZE, (300, hard))  # for the group, not for arrays
        with pytest.raises(FileError, match=r"table\.zarr: cannot be written"):
            create(path, overwrite=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert read(path)["status"].tolist() == [1, 1, 1, 1, -1, -1, -1, -1]


def test_the_chunk_that_an_interrupt_meets_is_written_whole(path, monkeypatch):
    from zarr.storage import _local

    put = _local._put

    def slow(*args, **keywords):
        threading.Timer(0.1, signal.raise_signal, [signal.SIGINT]).start()
        time.sleep(0.4)
        return put(*args, **keywords)

    monkeypatch.setattr(_local, "_put", slow)
    with pytest.raises(KeyboardInterrupt):
        open_store(path, FORM, WHAT, writable=True).write((slice(4, 8),), {"q": VALUES})
    call_in_thread(lambda: None)  # after the chunk
    np.testing.assert_array_equal(open_store(path, FORM, WHAT).read("q", (slice(4, 8),)), VALUES)
