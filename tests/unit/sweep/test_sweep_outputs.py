"""What is kept of a point: names, shapes, and samples that curves share with runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.support.tabular import tabular

from ulna.errors import InputError
from ulna.sweep.cases import sample_grid
from ulna.sweep.compute import compute, empty_outputs
from ulna.sweep.sweep_outputs import CURVES, SCALARS, STATUSES, read_kept
from ulna.sweep.sweep_spec import read_spec


def test_names_are_sorted_by_what_they_are() -> None:
    kept = read_kept(["torque", "torque.peak", "run", "q", "torque.peak"])
    assert (kept.scalars, kept.curves, kept.run) == (("torque.peak",), ("torque", "q"), True)
    assert read_kept({"scalars": ["torque.peak"], "curves": ["torque", "q"], "run": True}) == kept


@tabular(
    "given, told",
    [
        (["torque.peek"], "did you mean 'torque.peak'?"),
        ({"curves": ["torque.peak"]}, "keep.curves: got 'torque.peak'"),
        ({"run": 1}, "keep.run: got 1, need true or false"),
        ("torque", "need a list of names"),
        ([1], "need a list of names"),
    ],
)
def test_what_is_no_output_is_refused(given: Any, told: str) -> None:
    with pytest.raises(InputError) as refusal:
        read_kept(given)
    assert told in str(refusal.value)


def test_no_name_stands_for_two_outputs() -> None:
    assert not set(SCALARS) & set(CURVES)
    assert len(set(STATUSES)) == len(STATUSES)


@tabular("samples, points", [(None, 200), (1001, 200), (50, 200), (101, 1), (500, 2), (7, 7)])
def test_points_of_curves_are_among_the_samples(samples: int | None, points: int) -> None:
    grid = sample_grid(samples, points, curves=True, finite=False)
    times = grid.times(3.0)
    assert grid.samples >= (samples or 1001)
    assert grid.curve_points == points
    assert times[:: grid.every] == pytest.approx(
        np.linspace(0.0, 3.0, points) if points > 1 else [0.0]
    )
    assert times[-1] == 3.0


def test_outputs_have_the_shapes_that_are_said() -> None:
    of_steps = ("overshoot", "rise_time", "steady_error")
    keep = [name for name in (*SCALARS, *CURVES) if name not in of_steps]
    spec = read_spec(
        {"arm": "kehl", "path": "loops()", "duration": 0.02, "samples": 9, "keep": [*keep, "run"]}
    )
    found, empty = compute(spec, [0]), empty_outputs(spec, 1)
    assert found.keys() == empty.keys()
    for name, values in found.items():
        assert (values.shape, values.dtype) == (empty[name].shape, empty[name].dtype)
        if name in spec.keep.outputs:
            assert values.shape[1:] == spec.keep.shape(name, 2, spec.grid)
            assert np.isnan(empty[name]).all()
    size = sum(found[name].nbytes for name in (*spec.keep.outputs, "t_end"))
    assert spec.bytes_per_point == size
