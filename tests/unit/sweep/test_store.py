"""Results on disk: chunks that are finished or not there, and the damage that is found."""

import json

import numpy as np
import pytest
import xarray

from ulna.errors import FileError, InputError
from ulna.sweep.chunks import ChunkGrid, Coordinate, SweepLayout, Variable
from ulna.sweep.store import STATUS_VARIABLE, SweepMemory, create_store, finish_store, read_store

PEAK = Variable("torque.peak", "N·m", ("joint",), (2,))
ENERGY = Variable("energy", "J")
ALL = (slice(None), slice(None))


def layout(shape=(7, 30), mass=1):
    axes = dict(zip(("payload", "link.2.mass"), shape, strict=False))
    coordinates = [
        Coordinate(name, (name,), np.linspace(0.0, 1.0, size), "kg") for name, size in axes.items()
    ]
    coordinates.append(Coordinate("joint", ("joint",), np.array([1, 2])))
    variables = [PEAK, ENERGY, STATUS_VARIABLE]
    return SweepLayout({"mass": mass}, axes, coordinates, variables)


def values(points):
    """Numbers that tell which point they are of."""
    number = np.array(points, dtype=float)
    peak = np.stack([number, -number], axis=1)
    return {"torque.peak": peak, "energy": number**2, "status": np.zeros(len(number), np.int8)}


def write(store, *numbers):
    for number in numbers:
        store.write(number, values(store.layout.chunks.points(number)))


@pytest.fixture
def store(tmp_path):
    """A store of four chunks, none of which is finished."""
    return create_store(tmp_path / "s.zarr", layout(), overwrite=False)


@pytest.mark.parametrize("shape", [(1,), (5,), (1000,), (7, 30), (3, 1000), (1000, 3), (4, 5, 6)])
@pytest.mark.parametrize("most", [1, 7, 64, 513])
def test_chunks_hold_every_point_once_and_in_order(shape, most):
    grid, numbers = ChunkGrid.of(shape, most), np.arange(np.prod(shape)).reshape(shape)
    points = [point for number in range(len(grid)) for point in grid.points(number)]
    assert points == numbers.ravel().tolist()
    assert max(len(grid.points(number)) for number in range(len(grid))) <= most
    for number in range(len(grid)):
        assert numbers[grid.box_of(number)].ravel().tolist() == list(grid.points(number))


def test_xarray_reads_a_finished_store(store):
    write(store, *range(4))
    expected = np.arange(210.0).reshape(7, 30)
    with xarray.open_zarr(store.path, chunks=None) as found:
        assert found["torque.peak"].dims == ("payload", "link.2.mass", "joint")
        assert found["torque.peak"].attrs["units"] == "N·m"
        assert found["link.2.mass"].attrs["units"] == "kg"
        np.testing.assert_array_equal(found["torque.peak"][..., 1], -expected)
        np.testing.assert_array_equal(found["energy"], expected**2)
        np.testing.assert_array_equal(found["payload"], np.linspace(0.0, 1.0, 7))
        assert json.loads(found.attrs["spec"]) == {"mass": 1}


def test_what_has_no_status_is_not_there(store):
    write(store, 1, 2)
    (store.path / "status" / "c" / "1" / "0").unlink()  # of a process that was killed before it
    again = read_store(store.path)
    assert [number for number in range(4) if again.is_finished(number)] == [2]
    there = ~np.isnan(again.read(ENERGY, ALL).ravel())
    assert np.flatnonzero(there).tolist() == list(again.layout.chunks.points(2))


def test_a_damaged_status_is_named_with_what_to_do(store):
    write(store, *range(4))
    file = next(file for file in (store.path / "status" / "c").rglob("*") if file.is_file())
    file.write_bytes(file.read_bytes()[::-1])
    with pytest.raises(FileError, match=r"status/c/\d/\d cannot be read.*; delete it and run"):
        read_store(store.path)
    file.unlink()
    assert sum(map(read_store(store.path).is_finished, range(4))) == 3


@pytest.mark.parametrize(
    "change",
    [
        lambda about, arrays: arrays["energy"].update(shape=[8, 30]),
        lambda about, arrays: arrays.pop("energy"),
        lambda about, arrays: about.pop("outputs"),
        lambda about, arrays: about.update(spec="{"),
        lambda about, arrays: about.update(spec="[" * 100_000),
        lambda about, arrays: about.update(spec=about["spec"].replace("1", "2")),
        lambda about, arrays: arrays["status"]["attributes"].pop("flag_meanings"),
        lambda about, arrays: arrays["status"]["attributes"].update(flag_meanings="done"),
        lambda about, arrays: about.update(spec_hash=None, coordinates=3),
    ],
)
def test_metadata_that_contradicts_itself_is_refused(store, change):
    file = store.path / "zarr.json"
    content = json.loads(file.read_text("utf-8"))
    change(content["attributes"], content["consolidated_metadata"]["metadata"])
    file.write_text(json.dumps(content), "utf-8")
    with pytest.raises(FileError, match=r"s\.zarr.* cannot be read"):
        read_store(store.path)


def test_another_sweep_s_store_is_refused_with_the_difference(store):
    with pytest.raises(InputError, match=r"mass: 1 against 2.*--overwrite"):
        create_store(store.path, layout(mass=2), overwrite=False)
    write(store, 0)
    assert create_store(store.path, layout(), overwrite=False).is_finished(0)
    newer = create_store(store.path, layout(mass=2), overwrite=True)
    assert not newer.is_finished(0)
    finish_store(newer.path, store.path)
    with pytest.raises(FileError, match="replaced"):
        write(store, 1)


def test_folders_of_something_else_are_left_as_they_are(tmp_path, store):
    (tmp_path / "keep").mkdir()
    (tmp_path / "keep" / "keep.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for name in ("keep", "file"):
        with pytest.raises(InputError, match=name):
            read_store(tmp_path / name)
        with pytest.raises(InputError, match=name):
            create_store(tmp_path / name, layout(), overwrite=False)
    with pytest.raises(FileError, match="keep"):
        create_store(tmp_path / "keep", layout(), overwrite=True)
    with pytest.raises(FileError, match="nowhere"):
        read_store(tmp_path / "nowhere")
    assert (tmp_path / "keep" / "keep.txt").read_text() == "mine"


@pytest.mark.parametrize(
    "key",
    [
        (slice(None), slice(None), slice(None)),
        (3, slice(2, 29, 5), 1),
        (slice(5, None, -2), np.array([29, 0, 7]), slice(None)),
        (np.array([6, 6]), 4, np.array([1, 0])),
    ],
)
def test_any_part_is_read_as_numpy_does(store, key):
    write(store, *range(4))
    memory = SweepMemory(layout())
    write(memory, *range(4))
    expected = memory.values(PEAK)
    for axis in reversed(range(3)):  # each index by itself, as xarray's outer indexing does
        expected = expected[(slice(None),) * axis + (key[axis],)]
    np.testing.assert_array_equal(store.read(PEAK, key), expected)
