"""The samples of a plan hold the motion: lines and cubics between them stay close to the path."""

import base64
import dataclasses
import zlib

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.interpolate import CubicHermiteSpline

import ulna
from ulna.cli.simulate import _plan_file
from ulna.viewer import plot_path, report_page

ARM = ulna.Arm.rods([0.5, 0.4], [1.0, 0.8])
CLOSE = 1e-4 * ARM.reach  # as docs/paths.md promises


def tip(q):
    return np.asarray(ulna.kinematics.tip(ARM, q))[:, :2]


def drawing(folder, count):
    random, cells = np.random.default_rng(3), int(np.ceil(np.sqrt(count)))
    corner = np.stack(np.divmod(np.arange(count), cells), axis=-1)[:, None]
    cubics = (corner + 0.1 + 0.8 * random.random((count, 4, 2))) * 200.0 / cells
    data = " ".join(
        "M {} {} C {} {} {} {} {} {}".format(*points)
        for points in cubics.reshape(-1, 8).round(4).tolist()
    )
    (folder / "strokes.svg").write_text(f'<svg><path d="{data}"/></svg>')
    return ulna.paths.svg(folder / "strokes.svg").scaled(1.5e-3).placed((0.3, -0.15))


@pytest.fixture(scope="module", params=[200, pytest.param(2400, marks=pytest.mark.slow)])
def drawn(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("drawn")
    plan = ulna.plan(ARM, drawing(folder, request.param))
    plan.save(folder / "plan.csv")
    return plan, folder / "plan.csv", request.param


def distances(points, line):
    """Give how far points (m, k, 2) are from the segments of a line (m + 1, 2)."""
    start, way = line[:-1, None], np.diff(line, axis=0)[:, None]
    square = np.maximum(np.sum(way**2, axis=-1), 1e-300)
    share = np.clip(np.sum((points - start) * way, axis=-1) / square, 0.0, 1.0)
    return np.linalg.norm(points - start - share[..., None] * way, axis=-1)


def test_the_line_through_the_samples_is_the_path(drawn):
    plan, _, _ = drawn
    parts = np.linspace(0.0, 1.0, 12)[1:-1]
    between = plan.t[:-1, None] + np.diff(plan.t)[:, None] * parts
    there = plan.trajectory.tip(between).position
    assert distances(there, plan.tip[:, :2]).max() <= CLOSE
    cubic = tip(CubicHermiteSpline(plan.t, plan.q, plan.qd)(between.ravel()))
    assert np.linalg.norm(cubic - there.reshape(-1, 2), axis=-1).max() <= CLOSE


def test_no_stroke_is_missing_and_none_is_joined_to_another(drawn):
    plan, _, count = drawn
    lowered = np.flatnonzero(np.diff(plan.pen.astype(int), prepend=0) == 1)
    lifted = np.flatnonzero(np.diff(plan.pen.astype(int), append=0) == -1) + 1
    assert len(lowered) == count
    ends = plan.path(np.array(plan.path.strokes))
    lifted = np.minimum(lifted, len(plan.t) - 1)
    assert plan.tip[lowered, :2] == pytest.approx(ends[:, 0], abs=1e-7)
    assert plan.tip[lifted, :2] == pytest.approx(ends[:, 1], abs=1e-7)
    # One row per stroke would do for a line; a curve has a few dozen.
    assert len(plan.t) <= 2000 + 60 * count


def test_a_plan_that_is_read_back_moves_as_the_plan(drawn):
    plan, file, _ = drawn
    again = _plan_file(str(file), ARM)
    t = np.random.default_rng(1).uniform(0.0, plan.duration, 20_000)
    off = again.trajectory.tip(t).position - plan.trajectory.tip(t).position
    assert np.linalg.norm(off, axis=-1).max() <= CLOSE


def exact_run(plan):
    """Return a run that is at the plan's samples."""
    run = ulna.simulate(plan.arm, q0=plan.q[0], duration=1e-3)
    return dataclasses.replace(run, t=plan.t, q=plan.q, qd=plan.qd)


def test_a_picture_draws_every_stroke_of_plan_and_run(drawn):
    plan, _, _ = drawn
    axes = plot_path(Figure().add_subplot(), plan, exact_run(plan))
    ends = plan.path(np.array(plan.path.strokes))
    lines = dict(zip(*axes.get_legend_handles_labels()[::-1], strict=True))
    for name in ("reference path", "tip path"):
        points = lines[name].get_xydata()
        seen = np.isfinite(points[:, 0])
        first = np.flatnonzero(np.diff(seen.astype(int), prepend=0) == 1)
        last = np.flatnonzero(np.diff(seen.astype(int), append=0) == -1)
        assert points[first] == pytest.approx(ends[:, 0], abs=1e-6)
        assert points[last] == pytest.approx(ends[:, 1], abs=1e-6)
        for a, b, own in list(zip(first, last, plan.path.strokes, strict=True))[::20]:
            there = plan.path(np.linspace(*own, 500))
            assert distances(there[None], points[a : b + 1]).min(axis=0).max() <= CLOSE


def columns_of(made):
    raw, columns = zlib.decompress(base64.b64decode(made.base64)), []
    for spec in made.header["columns"]:
        wide = {"f32": 4, "f64": 8}[spec["type"]]
        part, raw = raw[: wide * spec["length"]], raw[wide * spec["length"] :]
        columns.append(
            np.frombuffer(np.frombuffer(part, np.uint8).reshape(wide, -1).T.tobytes(), f"<f{wide}")
        )
    return columns


def test_a_report_draws_every_stroke_and_moves_the_arm_along_it(drawn):
    plan, _, count = drawn
    made = report_page.document(plan)
    columns, (motion,) = columns_of(made), made.header["motions"]
    seen = np.isfinite(columns[made.header["path"]["x"]])
    assert np.count_nonzero(np.diff(seen.astype(int), prepend=0) == 1) == count
    t = np.random.default_rng(1).uniform(0.0, plan.duration, 20_000)
    shown = np.stack([np.interp(t, columns[motion["t"]], columns[k]) for k in motion["q"]], -1)
    # Half a milliradian at each joint.
    off = np.linalg.norm(tip(shown) - plan.trajectory.tip(t).position, axis=-1)
    assert off.max() <= 1.1e-3 * ARM.reach
    assert len(made.json) + len(made.base64) <= 400_000 + 1_500 * count


def test_a_plan_at_a_rate_has_that_rate(tmp_path):
    plan = ulna.plan(ARM, drawing(tmp_path, 20), rate=50.0)
    assert np.diff(plan.t)[:-1] == pytest.approx(0.02)
