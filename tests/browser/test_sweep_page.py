"""A sweep's page: sliders move through its points, and the numbers are those of Python."""

import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import ulna
from page_checks import PHONE, WIDER, violations
from report_page import number
from sweep_samples import made_sweep

FIRST = np.array([1.0, 2.0, 5.0, 10.0, 15.0, 20.0])
SECOND = np.array([1.0, 2.5, 5.0, 7.5, 10.0])
SIX_DIGITS = 5e-6
SPEC = {
    "name": "masses of the links",
    "arm": "kehl",
    "path": "loops()",
    "simulate": False,
    "vary": {"link.1.mass": FIRST, "link.2.mass": SECOND},
    "keep": ["torque.peak", "torque.rms", "torque"],
}


@pytest.fixture(scope="module")
def sweep():
    return ulna.sweep(SPEC)


@pytest.fixture(scope="module")
def file(samples, sweep):
    return ulna.report(sweep, samples.folder / "sweep.html")


@pytest.fixture
def page(open_page, file):
    return open_page(file)


def slider(page: Page, name: str):
    return page.get_by_role("slider", name=name)


def numbers(page: Page) -> dict[str, float]:
    """Return the numbers of the chosen point."""
    rows = page.locator(".sweep-table tr").evaluate_all(
        "rows => rows.map(row => [row.dataset.name, row.querySelector('td').textContent])"
    )
    return {name: number(text) for name, text in rows}


def peaks(first: float, second: float, times: np.ndarray) -> np.ndarray:
    """Return the largest torques at some times of a plan for these masses, without a sweep."""
    arm = ulna.preset("kehl")
    masses = zip(arm.links, (first, second), strict=True)
    links = [ulna.Link(link.length, mass) for link, mass in masses]
    arm = arm.replace(links=links)
    motion = ulna.plan(arm, ulna.paths.loops()).trajectory(times)
    torques = ulna.dynamics.inverse_dynamics(arm, motion.q, motion.qd, motion.qdd)
    return np.abs(torques).max(axis=0)


def test_a_slider_moves_to_a_point_whose_numbers_are_those_of_python(page, sweep):
    slider(page, "link.1.mass").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    slider(page, "link.2.mass").fill("4")
    expect(slider(page, "link.1.mass")).to_have_attribute("aria-valuetext", "10 kg")
    expect(page.locator(".sweep-status")).to_have_text("Point 19: done")
    shown = numbers(page)
    chosen = sweep.dataset.sel({"link.1.mass": 10.0, "link.2.mass": 10.0})
    for name in ("torque.peak", "torque.rms"):
        expected = np.asarray(chosen[name])
        found = [shown[f"{name} joint {joint}"] for joint in (1, 2)]
        assert found == pytest.approx(expected, rel=SIX_DIGITS)
    found = [shown[f"torque.peak joint {joint}"] for joint in (1, 2)]
    times = sweep.spec.grid.times(60.0)
    assert found == pytest.approx(peaks(10.0, 10.0, times), rel=SIX_DIGITS)


def test_a_click_on_the_line_chooses_the_nearest_value(page):
    area = page.locator("[data-sweep=scalars] .u-over").bounding_box()
    page.mouse.click(area["x"] + 0.97 * area["width"], area["y"] + 20)
    expect(slider(page, "link.1.mass")).to_have_attribute("aria-valuetext", "20 kg")


def test_two_parameters_are_a_map_whose_cells_can_be_chosen(page, sweep):
    page.get_by_label("and", exact=True).select_option(label="link.2.mass")
    page.get_by_label("of", exact=True).select_option(label="joint 2")
    picture = page.locator(".sweep-map canvas")
    values = np.asarray(sweep.dataset["torque.peak"])[..., 1]
    low, high = re.findall(r"([\d.]+) N·m", picture.get_attribute("aria-label"))
    assert float(low) == pytest.approx(values.min(), rel=SIX_DIGITS)
    assert float(high) == pytest.approx(values.max(), rel=SIX_DIGITS)
    box = picture.bounding_box()
    page.mouse.click(box["x"] + box["width"] - 20, box["y"] + 15)
    expect(page.locator(".sweep-status")).to_have_text("Point 29: done")
    assert numbers(page)["torque.peak joint 2"] == pytest.approx(values[-1, -1], rel=SIX_DIGITS)


def test_points_that_failed_are_said(open_page, samples):
    failed = made_sweep({"payload": [0.0, 0.1, 0.2]}, failed=[1])
    page = open_page(ulna.report(failed, samples.folder / "failed.html"))
    slider(page, "payload").fill("1")
    expect(page.locator(".sweep-status")).to_have_text("Point 1: diverged")
    assert page.locator("tr[data-name='torque.peak joint 1'] td").first.inner_text() == "–"
    note = page.locator("[data-sweep=scalars] .chart-note")
    expect(note).to_have_text("1 of 3 points have no value: a cross at the foot")
    expect(page.locator(".ulna-findings")).to_contain_text("1 of 3 points did not run to their end")
    assert page.get_by_role("cell", name="payload = 0.1").count() == 1


def test_a_design_has_one_slider_for_its_points(open_page, samples):
    vary = {"design": "sobol", "count": 16, "seed": 1, "payload": {"from": 0.0, "to": 1.0}}
    design = made_sweep(vary)
    page = open_page(ulna.report(design, samples.folder / "design.html"))
    slider(page, "point").fill("7")
    shown = numbers(page)
    assert shown["payload"] == pytest.approx(design.point(7)["payload"], rel=SIX_DIGITS)
    expected = np.asarray(design.dataset["torque.peak"])[7]
    assert shown["torque.peak joint 2"] == pytest.approx(expected[1], rel=SIX_DIGITS)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_all_of_it_and_everybody_can_read_it(open_page, file, scheme):
    page = open_page(file, color_scheme=scheme, **PHONE)
    assert page.evaluate(WIDER) == 0
    page.get_by_label("and", exact=True).select_option(label="link.2.mass")
    assert page.evaluate(WIDER) == 0
    assert violations(page) == []
    for name in ("link.1.mass", "link.2.mass"):
        assert slider(page, name).bounding_box()["height"] >= 40


def test_long_names_fit_a_phone(open_page, samples):
    laws = [
        f"ComputedTorque(natural_frequency={k}.125, damping_ratio=0.875)" for k in range(10, 14)
    ]
    named = made_sweep({"controller": laws, "controller_model.link.all.mass": [1.0, 2.0]})
    page = open_page(ulna.report(named, samples.folder / "named.html"), **PHONE)
    slider(page, "controller").first.fill("3")
    expect(slider(page, "controller").first).to_have_attribute("aria-valuetext", laws[3])
    assert page.evaluate(WIDER) == 0
