"""Designs: grids in order, and points that fill the cube, the same for the same seed."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest
from tests.support.tabular import tabular

from ulna.errors import InputError
from ulna.sweep.sampling import Axis, Design, Distribution, grid, spaced, unit_cube

DRAWN = ("random", "latin-hypercube", "sobol")


def test_a_grid_has_every_combination_with_the_last_axis_fastest() -> None:
    values = {"payload": [0.0, 0.5], "timing": ["cubic", "quintic", "uniform"], "dt": [1e-3, 2e-3]}
    axes = [
        Axis("payload", np.array(values["payload"])),
        Axis("timing", tuple(values["timing"])),
        Axis("dt", np.array(values["dt"])),
    ]
    made = grid(axes)
    wanted = [dict(zip(values, row, strict=True)) for row in itertools.product(*values.values())]
    assert [made.point(k) for k in range(len(made))] == wanted
    assert (made.dims, made.shape) == (tuple(values), (2, 3, 2))


def test_a_sweep_of_nothing_has_one_point() -> None:
    made = grid([])
    assert (len(made), made.dims, made.shape, made.point(0)) == (1, ("point",), (1,), {})


def test_a_point_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="a point from 0 to 1"):
        grid([Axis("payload", np.array([0.0, 1.0]))]).point(2)


@tabular("kind", DRAWN)
def test_a_design_depends_on_its_seed_alone(kind: str) -> None:
    made = Design(kind, (Distribution("payload", 0.0, 2.0), Distribution("dt", 1.0, 3.0)), 64, 5)
    rows = made.columns(np.arange(64))
    again = pickle.loads(pickle.dumps(made)).columns(np.arange(64))
    other = Design(kind, made.axes, 64, 6).columns(np.arange(64))
    for name in rows:
        assert np.array_equal(rows[name], again[name])
        assert not np.array_equal(rows[name], other[name])
    picked = made.columns(np.array([40, 3]))["dt"]
    assert np.array_equal(picked, rows["dt"][[40, 3]])


@tabular("kind", ["latin-hypercube", "sobol"])
def test_every_stretch_of_a_parameter_has_its_share(kind: str) -> None:
    # Of 64 points each of 64 equal stretches has one, in every coordinate.
    u = unit_cube(kind, 64, 3, 1)
    for column in u.T:
        assert sorted((column * 64).astype(int)) == list(range(64))


def test_scales_are_even_in_differences_in_ratios_and_as_a_normal_distribution() -> None:
    u = np.array([0.0, 0.25, 0.5, 1.0])
    assert Distribution("a", 2.0, 6.0).at(u) == pytest.approx([2.0, 3.0, 4.0, 6.0])
    assert Distribution("a", 1.0, 16.0, "log").at(u) == pytest.approx([1.0, 2.0, 4.0, 16.0])
    normal = Distribution("a", 10.0, 2.0, "normal").at(np.array([0.5, 0.8413447460685429, 0.0]))
    assert normal[:2] == pytest.approx([10.0, 12.0])
    assert np.isfinite(normal).all()


def test_a_list_in_a_design_gives_every_value_its_share() -> None:
    made = Design("sobol", (Axis("timing", ("a", "b")), Distribution("dt", 0.0, 1.0)), 64, 0)
    column = made.columns(np.arange(64))["timing"].tolist()
    assert (column.count("a"), column.count("b")) == (32, 32)


def test_ranges_begin_and_end_exactly() -> None:
    for scale in ("linear", "log"):
        values = spaced(0.1, 0.7, 7, scale)
        assert (len(values), values[0], values[-1]) == (7, 0.1, 0.7)
        assert (np.diff(values) > 0.0).all()
    assert spaced(1.0, 100.0, 3, "log") == pytest.approx([1.0, 10.0, 100.0])
    assert spaced(3.0, 5.0, 1, "log").tolist() == [3.0]
