"""Results on disk: data before records, records bound to a spec, nothing read that is not whole."""

import json

import numpy as np
import pytest
import xarray

from ulna.errors import FileError, InputError
from ulna.storage import digest
from ulna.sweep.chunks import ChunkGrid, Coordinate, SweepLayout, Variable
from ulna.sweep.results import SweepMemory, read_region
from ulna.sweep.store import (
    ChunkRecord,
    SweepStore,
    create_store,
    machine,
    read_layout,
    write_chunk,
)

PEAK = Variable("torque.peak", "N·m", ("joint",), (2,))
ENERGY = Variable("energy", "J")


def layout(shape=(7, 30), mass=1, variables=(PEAK, ENERGY)):
    axes = dict(zip(("payload", "link.2.mass"), shape, strict=False))
    coordinates = [
        Coordinate(name, (name,), np.linspace(0.0, 1.0, size), "kg") for name, size in axes.items()
    ]
    coordinates.append(Coordinate("joint", ("joint",), np.array([1, 2])))
    return SweepLayout(f"hash of {mass}", {"mass": mass}, "", axes, coordinates, variables)


def values(points):
    """Numbers that tell which point they are of."""
    number = np.array(points, dtype=float)
    return {"torque.peak": np.stack([number, -number], axis=1), "energy": number**2}


def write(store, number, set_aside=()):
    digests = write_chunk(store.path, store.layout, number, values(store.chunks.points(number)))
    store.record(number, ChunkRecord(digests, machine(), set_aside))


@pytest.fixture
def store(tmp_path):
    return create_store(tmp_path / "s.zarr", layout(), {"spec": "mass = 1"}, overwrite=False)


def opened(store):
    return SweepStore(store.path, read_layout(store.path))


@pytest.mark.parametrize("shape", [(1,), (5,), (1000,), (7, 30), (3, 1000), (1000, 3), (4, 5, 6)])
@pytest.mark.parametrize("most", [1, 7, 64, 513])
def test_chunks_hold_every_point_once_and_in_order(shape, most):
    grid = ChunkGrid.of(shape, most)
    points = [point for number in range(len(grid)) for point in grid.points(number)]
    assert points == list(range(np.prod(shape)))
    assert max(len(grid.points(number)) for number in range(len(grid))) <= most
    assert all(
        grid.chunk_of(point) == number
        for number in range(len(grid))
        for point in grid.points(number)
    )


def test_any_reader_of_zarr_reads_what_was_written(store):
    for number in range(len(store.chunks)):
        write(store, number)
    found = xarray.open_zarr(store.path, chunks=None)
    expected = np.arange(210.0).reshape(7, 30)
    assert found["torque.peak"].dims == ("payload", "link.2.mass", "joint")
    assert found["torque.peak"].attrs["units"] == "N·m"
    np.testing.assert_array_equal(found["torque.peak"][..., 1], -expected)
    np.testing.assert_array_equal(found["energy"], expected**2)
    np.testing.assert_array_equal(found["payload"], np.linspace(0.0, 1.0, 7))
    assert found.attrs["spec"] == "mass = 1"


def test_what_has_no_record_is_not_there(store):
    assert len(store.chunks) == 4
    write(store, 1)
    write_chunk(store.path, store.layout, 2, values(store.chunks.points(2)))
    again = opened(store)
    assert list(again.records) == [1]
    found = read_region(again, ENERGY, (slice(None), slice(None))).ravel()
    there = ~np.isnan(found)
    assert np.flatnonzero(there).tolist() == list(again.chunks.points(1))


@pytest.mark.parametrize("cut", [0, 1, 40, -1])
def test_half_a_record_is_none(store, cut):
    write(store, 0)
    file = store.path / "progress" / "0"
    file.write_bytes(file.read_bytes()[:cut])
    assert opened(store).records == {}


def test_a_record_of_another_spec_or_chunk_is_none(store, tmp_path):
    write(store, 0)
    other = create_store(tmp_path / "o.zarr", layout(mass=2), {}, overwrite=False)
    for name in ("0", "1"):
        file = (store if name == "1" else other).path / "progress" / name
        file.write_bytes((store.path / "progress" / "0").read_bytes())
    assert opened(other).records == {}
    assert list(opened(store).records) == [0]


def test_a_chunk_whose_data_is_missing_or_short_is_not_finished(store):
    write(store, 0)
    write(store, 1)
    (store.path / "energy" / "0.0").unlink()
    file = store.path / "torque.peak" / "1.0.0"
    file.write_bytes(file.read_bytes()[:-1])
    assert opened(store).records == {}


def test_damaged_data_is_refused_when_it_is_read_and_found_when_looked_for(store):
    write(store, 0)
    write(store, 1)
    file = store.path / "energy" / "1.0"
    raw = bytearray(file.read_bytes())
    raw[9] ^= 1
    file.write_bytes(raw)
    again = opened(store)
    assert again.damaged() == [1]
    with pytest.raises(FileError, match=r"points 60 to 119.*digest.*--verify"):
        again.read("energy", 1)
    assert again.read("energy", 0) is not None


def test_a_damaged_description_is_refused(store):
    file = store.path / "sweep.json"
    content = json.loads(file.read_text("utf-8"))
    content["variables"][0]["unit"] = "kg"
    file.write_text(json.dumps(content), "utf-8")
    with pytest.raises(FileError, match="digest does not match"):
        read_layout(store.path)
    coordinate = store.path / "payload" / "0"
    coordinate.write_bytes(coordinate.read_bytes()[::-1])
    with pytest.raises(FileError, match="digest does not match"):
        read_layout(store.path)


@pytest.mark.parametrize(
    "absurd",
    [
        *(
            {"axes": {"payload": n, "link.2.mass": 30}}
            for n in (-5, 0, 1.5, "x", None, [1], 10**30)
        ),
        {"axes": {}},
        {"axes": ["payload"]},
        {"axes": {"nothing": 3}},
        {"box": [0, 30]},
        {"box": [7]},
        {"box": ["x", 30]},
    ],
)
def test_a_description_that_contradicts_its_arrays_is_refused(store, absurd):
    file = store.path / "sweep.json"
    content = json.loads(file.read_text("utf-8")) | absurd
    del content["digest"]
    content["digest"] = digest([json.dumps(content).encode()]).hex()
    file.write_text(json.dumps(content), "utf-8")
    with pytest.raises(FileError, match=r"sweep\.json: cannot be read"):
        read_layout(store.path)


def test_another_sweep_s_store_is_refused_with_the_difference(store):
    with pytest.raises(InputError, match=r"mass: 1 against 2.*--overwrite"):
        create_store(store.path, layout(mass=2), {}, overwrite=False)
    write(store, 0)
    assert create_store(store.path, layout(), {}, overwrite=False).records.keys() == {0}
    made = create_store(store.path, layout(mass=2), {}, overwrite=True)
    assert made.records == {}


def test_a_folder_of_something_else_is_left_as_it_is(tmp_path):
    (tmp_path / "keep.txt").write_text("mine")
    for overwrite in (False, True):
        with pytest.raises((InputError, FileError), match="something else"):
            create_store(tmp_path, layout(), {}, overwrite=overwrite)
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InputError, match="a file"):
        read_layout(tmp_path / "file")
    with pytest.raises(InputError, match="nothing"):
        read_layout(tmp_path / "nowhere")
    assert (tmp_path / "keep.txt").read_text() == "mine"


def test_a_full_disk_leaves_no_part_and_no_record(store, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    write(store, 0)
    monkeypatch.setattr("pathlib.Path.write_bytes", full)
    with pytest.raises(FileError, match="No space left"):
        write(store, 1)
    assert list(opened(store).records) == [0]
    assert not list(store.path.rglob("*.part"))


def test_a_store_has_one_writer_at_a_time(store):
    with store.locked():
        with pytest.raises(InputError, match="another process is writing"), opened(store).locked():
            pytest.fail("two of them")
        with pytest.raises(InputError, match="another process is writing"):
            create_store(store.path, layout(mass=2), {}, overwrite=True)
    with opened(store).locked():
        pass


def test_parts_that_a_killed_process_left_are_removed(store):
    part = store.path / "energy" / ".0123456789abcdef.part"
    part.write_bytes(b"half")
    store.remove_parts()
    assert not part.exists()


@pytest.mark.parametrize(
    "key",
    [
        (slice(None), slice(None), slice(None)),
        (3, slice(2, 29, 5), 1),
        (slice(5, None, -2), np.array([29, 0, 7]), slice(None)),
        (np.array([6, 6]), 4, np.array([1, 0])),
    ],
)
def test_any_part_is_read_as_numpy_does(key):
    made = layout()
    memory = SweepMemory(made)
    for number in range(len(memory.chunks)):
        memory.put(number, values(memory.chunks.points(number)), ChunkRecord({}, {}))
    number = np.arange(210.0).reshape(7, 30)
    whole = np.stack([number, -number], axis=2)
    expected = whole
    for axis in reversed(range(3)):  # each index by itself, as xarray's outer indexing does
        expected = expected[(slice(None),) * axis + (key[axis],)]
    np.testing.assert_array_equal(read_region(memory, PEAK, key), expected)
