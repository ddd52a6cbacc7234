"""The phase plane of a report: the cylinder and its basins, in both themes and on a phone."""

import io
from collections import Counter

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

import ulna
from page_checks import PHONE, WIDER, violations
from report_page import ReportPage, number

MARGIN = 34  # [px] around the plane
SAME = 6  # of a colour, channel by channel


@pytest.fixture(scope="module")
def portrait():
    """A start that settles, and one that runs on for 50 turns."""
    return ulna.portrait(
        ulna.preset("bechard-1"), torque=4.0, starts=[(0.0, 3.07), (0.0, 3.2)], duration=15.0
    )


@pytest.fixture(scope="module")
def basins(portrait):
    return portrait.basins((120, 120), progress=False)


@pytest.fixture(scope="module")
def file(samples, portrait, basins, tmp_path_factory):
    folder = tmp_path_factory.mktemp("portrait")
    return ulna.report(portrait, folder / "portrait.html", basins=basins)


def pixels(locator):
    """Return the picture (height, width, 3) of an element, one value for each pixel of the page."""
    image = Image.open(io.BytesIO(locator.screenshot(scale="css")))
    return np.asarray(image.convert("RGB"), dtype=int)


def swatches(page):
    """Return the colours of the basins in the legend by their names."""
    found = {}
    for entry in (
        page.locator(".plane-legend li").filter(has=page.locator(".plane-sign-area")).all()
    ):
        picture = pixels(entry.locator(".plane-sign"))
        found[entry.inner_text()] = picture[picture.shape[0] // 2, picture.shape[1] // 2]
    return found


def numbers(page):
    """Return what the header of the plane says: an angle [deg] and a speed [rad/s]."""
    return [number(one) for one in page.locator(".plane .chart-number").all_inner_texts()]


@pytest.mark.parametrize(("screen", "scheme"), [({}, "light"), (PHONE, "dark")])
def test_cells_have_the_colours_that_the_legend_names(
    open_page, file, portrait, basins, screen, scheme
):
    page = open_page(file, color_scheme=scheme, **screen)
    canvas = page.locator(".plane canvas")
    canvas.scroll_into_view_if_needed()
    legend, picture = swatches(page), pixels(canvas)
    assert len(legend) == 3
    high, wide = np.array(picture.shape[:2]) - 2 * MARGIN
    seen = {name: Counter() for name in legend}
    for row in range(2, 118, 2):
        for column in range(2, 118, 2):
            around = np.s_[row - 2 : row + 3, column - 2 : column + 3]
            if np.ptp(basins.label[around]) or np.ptp(basins.turns[around]):
                continue
            odd = ", in an odd turn" if basins.turns[row, column] % 2 else ""
            x = int(MARGIN + (column + 0.5) / 120 * wide)
            y = int(MARGIN + (1.0 - (row + 0.5) / 120) * high)
            name = f"basin: {basins.names[basins.label[row, column]]}{odd}"
            seen[name][tuple(picture[y, x])] += 1
    for name, colours in seen.items():
        # Arrows and curves hide some places.
        ((colour, count),) = colours.most_common(1)
        assert count > 0.6 * colours.total()
        near = [key for key, other in legend.items() if np.abs(other - colour).max() <= SAME]
        assert near == [name]


def test_the_picture_is_one_turn_and_says_what_is_under_the_pointer(open_page, file, portrait):
    report = ReportPage(open_page(file))
    box = report.page.locator(".plane canvas").bounding_box()
    left, right = box["x"] + MARGIN, box["x"] + box["width"] - MARGIN
    top, bottom = box["y"] + MARGIN, box["y"] + box["height"] - MARGIN
    pixel = 360.0 / (right - left)
    slow, fast = portrait.speeds
    found = []
    for x, y in [(left, top), (right, bottom)]:
        report.page.mouse.move(x, y)
        report.settle()
        found.append(numbers(report.page))
    np.testing.assert_allclose(found, [[-180.0, fast], [180.0, slow]], atol=pixel)
    places = [(135.0, -4.6, "basin: settles at -1.151 rad"), (-150.0, -4.0, "basin: runs on")]
    for angle, speed, name in places:
        x = left + (angle + 180.0) / 360.0 * (right - left)
        y = bottom + (speed - slow) / (fast - slow) * (top - bottom)
        report.page.mouse.move(x, y)
        expect(report.page.locator(".plane-near")).to_have_text(name)
        assert report.page.locator(".plane canvas").bounding_box() == box


def test_a_portrait_is_read_on_a_phone(open_page, file):
    page = open_page(file, **PHONE)
    assert page.evaluate(WIDER) <= 0
    assert violations(page) == []
    names = page.locator(".plane-legend li").all_inner_texts()
    for name in ("basin: runs on", "separatrices into a saddle", "stable focus", "saddle"):
        assert name in names
    assert "start 2 from 0 rad, 3.2 rad/s: runs on" in names
