"""A drawing in a report: strokes are lines, travel with the pen up is thin and dashed, and said."""

import io

import numpy as np
import pytest
from PIL import Image

import ulna
from report_page import ReportPage

NARROW = {"width": 390, "height": 844}
SEEN = 60  # the sum of differences of colours [0-255] that a line has from its ground


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    """Plan two strokes of 30 cm, and as much travel between them."""
    file = tmp_path_factory.mktemp("pen") / "p.csv"
    file.write_text(
        "x,y,pen\n0.27,-0.33,0\n0.57,-0.33,1\n0.57,-0.03,0\n0.27,-0.03,1\n", encoding="utf-8"
    )
    return ulna.plan(ulna.preset("kehl"), ulna.paths.csv(file))


@pytest.fixture(scope="module")
def file(samples, plan, tmp_path_factory):
    return ulna.report(plan, tmp_path_factory.mktemp("pen") / "pen.html")


@pytest.fixture
def times(plan):
    """When the pen is lifted and lowered, and the end [s]."""
    up = np.flatnonzero(~plan.pen[:-1])
    return float(plan.t[up[0]]), float(plan.t[up[-1]]), plan.duration


def place(report, time):
    """Return where the tip is on the canvas at a time [px]."""
    report.seek(time)
    report.page.wait_for_timeout(50)
    text = report.page.locator("[data-tip-pixel]").get_attribute("data-tip-pixel")
    return np.array([float(part) for part in text.split(",")])


def picture(report):
    """Return the pixels (height, width, 3) of the canvas, one for every pixel of the page."""
    image = Image.open(io.BytesIO(report.page.locator(".arm-canvas").screenshot()))
    return np.asarray(image.convert("RGB"), dtype=int)


def is_line(pixels, one, other, ground):
    """Return whether a level or upright line is seen at places from one to another."""
    places = np.linspace(one, other, 200).round().astype(int)
    apart = np.abs(pixels - ground).sum(axis=-1) > SEEN
    across = [(0, way) if abs(other[0] - one[0]) > 1.0 else (way, 0) for way in (-1, 0, 1)]
    return np.any([apart[places[:, 1] + dy, places[:, 0] + dx] for dx, dy in across], axis=0)


def test_travel_is_dashed_and_strokes_are_not_and_the_page_says_where_the_pen_is(
    open_page, file, times
):
    report = ReportPage(open_page(file, viewport=NARROW, color_scheme="dark"))
    start, lift, lower = (place(report, time) for time in (0.0, *times[:2]))
    # The arm stands at the end of the second stroke, off the middles of the others.
    place(report, times[2])
    pixels = picture(report)
    x, y = (0.5 * (lift + lower) + [9.0, 0.0]).round().astype(int)
    ground = pixels[y, x]
    drawn = is_line(pixels, start + 0.5 * (lift - start), start + 0.9 * (lift - start), ground)
    travel = is_line(pixels, lift + 0.1 * (lower - lift), lift + 0.9 * (lower - lift), ground)
    assert drawn.all()
    assert travel.any()
    assert np.count_nonzero(np.diff(travel)) >= 6
    legend = report.page.locator(".arm-travel")
    assert legend.inner_text() == "travel, pen up"
    box = legend.bounding_box()
    assert 0 <= box["x"] < box["x"] + box["width"] <= NARROW["width"]
    assert report.page.locator(".arm-pen").inner_text() == "pen down"
    place(report, 0.5 * (times[0] + times[1]))
    assert report.page.locator(".arm-pen").inner_text() == "pen up"
    assert report.page.locator(".arm-canvas").get_attribute("aria-label").endswith("pen up.")
