"""Fingers on the arm of a report: they zoom and pan it, or scroll the page."""

import numpy as np
import pytest
from playwright.sync_api import expect

from page_checks import PHONE, WIDER
from report_page import ReportPage

PIXEL = 0.05  # in the rounding of touches on the screen


class Fingers:
    """Fingers on a screen, as the browser's own tools put them there."""

    def __init__(self, page):
        self.page = page
        self.devtools = page.context.new_cdp_session(page)

    def drag(self, *ways, steps=8):
        """Put a finger down for each way, move all along theirs, and take them up again."""
        ways = [np.array(way, float) for way in ways]
        self._send("touchStart", [start for start, _ in ways])
        for part in np.linspace(0.0, 1.0, steps + 1)[1:]:
            self._send("touchMove", [start + part * (end - start) for start, end in ways])
        # Taken up while they still move they would leave the page scrolling.
        self.page.wait_for_timeout(150)
        self._send("touchMove", [end for _, end in ways])
        self._send("touchEnd", [])
        ReportPage(self.page).settle()

    def _send(self, kind, places):
        points = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(places)]
        given = {"type": kind, "touchPoints": points}
        self.devtools.send("Input.dispatchTouchEvent", given)


class Canvas:
    """The arm's picture on a phone."""

    def __init__(self, page):
        self.page = page
        self.picture = page.locator("[data-tip]").first
        self.canvas = self.picture.locator("canvas")

    @property
    def corner(self):
        box = self.canvas.bounding_box()
        return np.array([box["x"], box["y"]])

    @property
    def middle(self):
        box = self.canvas.bounding_box()
        return self.corner + np.array([box["width"], box["height"]]) / 2

    @property
    def tip(self):
        """Where on the screen [px] the tip is drawn."""
        text = self.picture.get_attribute("data-tip-pixel")
        return self.corner + np.array([float(part) for part in text.split(",")])


@pytest.fixture
def phone(open_page, samples):
    page = open_page(samples.following.file, **PHONE)
    assert page.evaluate(WIDER) <= 0
    return page


def test_two_fingers_zoom_about_their_middle_and_one_then_pans(phone):
    canvas, fingers = Canvas(phone), Fingers(phone)
    middle, before = canvas.middle + np.array([20.0, -30.0]), canvas.tip
    # They spread from 60 to 120 pixels apart while their middle goes 15 to the left.
    spread, gone = np.array([30.0, 0.0]), np.array([-15.0, 10.0])
    fingers.drag(
        (middle - spread, middle - 2 * spread + gone), (middle + spread, middle + 2 * spread + gone)
    )
    # What was under the middle of the fingers is still there, and all else twice as far from it.
    np.testing.assert_allclose(canvas.tip, middle + gone + 2.0 * (before - middle), atol=1.0)
    assert phone.evaluate("scrollY") == 0.0
    assert phone.evaluate("visualViewport.scale") == 1.0
    zoomed, way = canvas.tip, np.array([-25.0, 40.0])
    fingers.drag((middle, middle + way))
    np.testing.assert_allclose(canvas.tip, zoomed + way, atol=1.0)
    assert phone.evaluate("scrollY") == 0.0


def test_one_finger_scrolls_the_page_unless_the_arm_is_zoomed(phone):
    canvas, fingers = Canvas(phone), Fingers(phone)
    place = canvas.tip - canvas.corner

    def swipe():
        start, before = canvas.middle, phone.evaluate("scrollY")
        fingers.drag((start, start - [0.0, 150.0]))
        return phone.evaluate("scrollY") - before

    assert swipe() > 50.0
    np.testing.assert_allclose(canvas.tip - canvas.corner, place, atol=PIXEL)
    # Sideways there is nothing to scroll, and the arm is all in sight: nothing happens.
    fingers.drag((canvas.middle, canvas.middle - [80.0, 0.0]))
    np.testing.assert_allclose(canvas.tip - canvas.corner, place, atol=PIXEL)
    canvas.picture.get_by_role("button", name="Zoom in").tap()
    assert swipe() == 0.0
    canvas.picture.get_by_role("button", name="Reset view").tap()
    expect(canvas.picture.get_by_role("button", name="Reset view")).to_be_hidden()
    assert swipe() > 50.0
