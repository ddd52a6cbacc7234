"""A report in a browser, read and used as a person does."""

import csv
import io
from pathlib import Path

import numpy as np
from playwright.sync_api import Locator, Page


class ReportPage:
    """A report that is open in a browser."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.slider = page.locator(".ulna-slider")

    @property
    def time(self) -> float:
        """What the clock shows [s], with all digits."""
        return float(self.slider.input_value())

    def seek(self, time: float) -> None:
        """Go to a time by the slider."""
        self.slider.fill(repr(time))
        self.settle()

    def settle(self) -> None:
        """Wait until what was asked for is drawn."""
        self.page.evaluate(
            "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )

    def tip(self, label: str | None = None) -> np.ndarray:
        """Return where the arm is drawn [m]; of a motion where there are several pictures."""
        pictures = self.page.locator("[data-tip]")
        if label is not None:
            pictures = pictures.filter(has_text=label)
        text = pictures.first.get_attribute("data-tip")
        return np.array([float(part) for part in text.split(",")])

    def chart(self, name: str) -> Locator:
        return self.page.locator(f"figure.chart[data-chart='{name}']")

    def plot(self, name: str) -> dict[str, float]:
        """Return the box of a chart's curves on the screen [px], after scrolling there."""
        area = self.chart(name).locator(".u-over")
        area.scroll_into_view_if_needed()
        return area.bounding_box()

    def point_at(self, name: str, share: float) -> None:
        """Move the pointer over a chart, so far along its time."""
        box = self.plot(name)
        y = box["y"] + box["height"] / 2
        self.page.mouse.move(box["x"] + share * box["width"] - 3, y)
        self.page.mouse.move(box["x"] + share * box["width"], y)
        self.settle()

    def numbers(self, name: str) -> dict[str, float]:
        """Read the numbers in a chart's header, scrolled into sight, by the names of its curves."""
        self.chart(name).scroll_into_view_if_needed()
        self.settle()
        found = self.chart(name).locator(".chart-number")
        texts = found.evaluate_all("all => all.map(one => [one.dataset.series, one.textContent])")
        return {series: number(text) for series, text in texts}

    def choose(self, name: str, item: str) -> None:
        """Choose from a chart's menu."""
        chart = self.chart(name)
        chart.get_by_role("button", name="Options of").click()
        chart.get_by_role("menuitem", name=item).click()

    def csv(self, name: str, folder: Path) -> tuple[list[str], np.ndarray]:
        """Save a chart as CSV; return its columns' names and its numbers."""
        with self.page.expect_download() as waiting:
            self.choose(name, "CSV")
        file = folder / waiting.value.suggested_filename
        waiting.value.save_as(file)
        head, *rows = csv.reader(io.StringIO(file.read_text("utf-8")))
        return head, np.array([[float(cell or "nan") for cell in row] for row in rows])


SIGNS = str.maketrans("−⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "--0123456789")


def number(text: str) -> float:
    """Read a number as pages write it: with a true minus sign, and powers as 1.5·10⁻³."""
    return float(text.translate(SIGNS).replace("·10", "e"))
