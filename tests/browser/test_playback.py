"""A report of two joints along a circle, played: what is seen is what Python computed."""

import numpy as np
import pytest
from playwright.sync_api import expect

from page_checks import watched
from report_page import ReportPage
from ulna.analysis import tracking

SINGLE = 1e-6  # what is left of a number of order one in single precision
DRAWN = 1.5e-6  # [m] places on the page have six digits


@pytest.fixture(scope="module")
def opened(opener, samples):
    return ReportPage(opener(samples.following.file))


@pytest.fixture
def report(opened):
    """The report as it is when it was just opened; opening it once for all tests saves seconds."""
    yield opened
    page = opened.page
    if page.get_by_role("button", name="Pause").count():
        page.get_by_role("button", name="Pause").click()
    for name in ("Loop", "Reverse"):
        button = page.get_by_role("button", name=name)
        if button.get_attribute("aria-pressed") == "true":
            button.click()
    page.get_by_role("combobox", name="Speed").select_option("1")
    opened.seek(0.0)
    page.evaluate("scrollTo(0, 0)")


def tip_at(run, time):
    """Return where the tip is, between samples as angles go on from one to the next."""
    angles = np.array([np.interp(time, run.t, q) for q in np.unwrap(run.q, axis=0).T])
    phi = np.cumsum(angles)
    lengths = np.array([link.length for link in run.arm.links])
    return np.array([lengths @ np.cos(phi), lengths @ np.sin(phi)])


def test_buttons_and_keys_drive_the_clock(report):
    """What the clock does then is tested in web/test/clock.test.ts."""
    page = report.page
    page.get_by_role("combobox", name="Speed").select_option("0.25")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Play").click()
    report.settle()
    passed, times = watched(report.slider)
    assert min(abs(passed - 0.25 * time) for time in times) < 1e-3
    page.get_by_role("button", name="Pause").click()
    page.locator("h1").click()
    first = report.time
    page.keyboard.press("r")
    expect(page.get_by_role("button", name="Reverse")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Space")
    back = "first => Number(document.querySelector('.ulna-slider').value) < first"
    page.wait_for_function(back, arg=first)
    page.keyboard.press("Space")
    page.keyboard.press("End")
    assert report.time == 2.5
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    frame = report.time
    assert 0.0 < frame < 0.05
    page.keyboard.press("Shift+ArrowRight")
    assert report.time == pytest.approx(11 * frame)


def test_the_slider_is_clicked_and_dragged(report):
    box, mouse = report.slider.bounding_box(), report.page.mouse
    mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert report.time == pytest.approx(1.25, abs=0.05)
    mouse.down()
    mouse.move(box["x"] + 0.8 * box["width"], box["y"] + box["height"] / 2, steps=4)
    mouse.up()
    assert report.time == pytest.approx(2.0, abs=0.05)


def test_a_crosshair_moves_the_arm(report, samples):
    for share in (0.31, 0.77):
        report.point_at("tip-error", share)
        assert report.time == pytest.approx(2.5 * share, abs=0.01)
        for label, run in samples.following.runs.items():
            np.testing.assert_allclose(report.tip(label), tip_at(run, report.time), atol=DRAWN)


def test_numbers_in_headers_are_those_of_python(report, samples):
    runs, plan = samples.following.runs, samples.following.plan
    closed = runs["closed loop"]
    for sample in (0, 617, 1800, 2500):
        report.seek(float(closed.t[sample]))
        digits = {"rtol": SINGLE, "atol": 0.51e-3}
        np.testing.assert_allclose(
            list(report.numbers("torque").values())[:2], closed.tau[sample], **digits
        )
        speeds = list(report.numbers("speed").values())
        np.testing.assert_allclose(speeds, closed.qd[sample], **digits)
        power = list(report.numbers("power").values())
        np.testing.assert_allclose(power, closed.tau[sample] * closed.qd[sample], **digits)
        errors = report.numbers("tip-error")
        for label, run in runs.items():
            expected = 1e3 * tracking(run, plan).size[sample]
            np.testing.assert_allclose(errors[label], expected, rtol=2e-3, atol=0.51e-3)
        terms = report.numbers("torque-terms-1")
        at = plan.t.searchsorted(closed.t[sample])
        if plan.t[at] == closed.t[sample]:
            np.testing.assert_allclose(terms["gravity"], plan.terms.gravity[at, 0], **digits)


def test_findings_are_gone_to(report):
    buttons = report.page.locator(".ulna-findings .ulna-seek")
    assert buttons.count() > 0
    for button in buttons.all()[:4]:
        button.click()
        said = float(button.inner_text().removesuffix(" s"))
        assert report.time == pytest.approx(said, abs=0.51e-3)


def test_a_chart_is_a_table_and_a_file(report, samples, tmp_path):
    closed = samples.following.runs["closed loop"]
    head, values = report.csv("torque", tmp_path)
    assert head[0] == "time [s]"
    assert all(name.endswith("[N·m]") for name in head[1:])
    at = closed.t.searchsorted(values[:, 0] - 1e-9)
    np.testing.assert_allclose(values[:, 0], closed.t[at], atol=1e-9)
    np.testing.assert_allclose(values[:, 1:3], closed.tau[at], rtol=SINGLE, atol=1e-7)
    report.choose("torque", "Table")
    rows = report.chart("torque").locator("tbody tr").all_inner_texts()
    assert 100 < len(rows) <= 200
    time, *torques = (float(cell.replace("−", "-")) for cell in rows[50].split("\t"))
    at = closed.t.searchsorted(time - 1e-9)
    np.testing.assert_allclose(torques[:2], closed.tau[at], atol=0.51e-3)
    report.choose("torque", "Chart")
    expect(report.chart("torque").locator(".u-over")).to_be_visible()


def test_dragging_on_a_chart_shows_a_part_of_time(report):
    box = report.plot("speed")
    y = box["y"] + box["height"] / 2
    mouse = report.page.mouse
    mouse.move(box["x"] + 0.2 * box["width"], y)
    mouse.down()
    mouse.move(box["x"] + 0.4 * box["width"], y, steps=5)
    mouse.up()
    whole = report.chart("tip-error").get_by_role("button", name="show the whole time")
    expect(whole).to_be_visible()  # all charts show the same time
    report.point_at("speed", 0.5)
    assert report.time == pytest.approx(0.3 * 2.5, abs=0.02)
    whole.click()
    report.point_at("speed", 0.5)
    assert report.time == pytest.approx(1.25, abs=0.02)
