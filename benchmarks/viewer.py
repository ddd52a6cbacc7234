"""How smooth the viewer is: frames beside an empty page, time to be usable, time to seek.

Headless Chromium shows a report of a minute of two joints, open loop and closed, with six charts
or more: on a screen of 1440 × 900, where some of them are in sight, and on one twice as high, where
six are. Frames are counted while the arm moves and the pointer drags, in turns with an empty page
under the same pointer. The ratio is what counts, on a machine that does nothing else: an empty page
needs next to no processor time, so that other work slows the report alone. With --page another
report is measured, which need not be built first.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import warnings
from pathlib import Path

from browsing import EMPTY, HEIGHT, WIDTH, Pointer, frame_rate, launched, opened, usable_at
from measuring import Report
from playwright.async_api import Browser, Page, async_playwright

import ulna

CHARTS = 6
ROUNDS = 5
LOADS = 7
SEEKS, TRIES = 40, 3

FRAMES, INTERACTIVE, SEEK = 0.92, 1.0, 50.0  # bounds: a ratio, [s], [ms]

# From a person's seeking to the frame that shows the arm there, and on to the one after it, by when
# it has been handed over to the screen.
SEEKING = """([slider, share]) => new Promise(done => {
  const range = document.querySelector(slider);
  const arm = document.querySelector("[data-tip]");
  const low = Number(range.min), high = Number(range.max);
  const begin = performance.now();
  new MutationObserver((_, observer) => {
    observer.disconnect();
    requestAnimationFrame(() => done(performance.now() - begin));
  }).observe(arm, { attributes: true, attributeFilter: ["data-tip"] });
  range.value = low + share * (high - low);
  range.dispatchEvent(new Event("input", { bubbles: true }));
})"""
SLIDER = "input[type=range]"


def write_report(file: Path) -> None:
    """Write the report of a circle followed for a minute, without feedback and with it."""
    joints = [ulna.Joint(max_torque=3.0), ulna.Joint(max_torque=1.0)]
    arm = ulna.Arm.rods([0.25, 0.20], [0.4, 0.25], joints=joints)
    path = ulna.paths.circle(center=(0.25, 0.1), radius=0.08)
    plan = ulna.plan(arm, path, duration=60.0, timing="quintic")
    laws = {
        "open loop": ulna.control.OpenLoop(),
        "closed loop": ulna.control.ComputedTorque(natural_frequency=20.0),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nobody expects a minute of open loop to be exact
        runs = {
            label: ulna.simulate(arm, controller=law, reference=plan) for label, law in laws.items()
        }
    ulna.report(runs, file, plan=plan)


async def compare_frames(
    browser: Browser, file: Path, empty: Path, height: int, report: Report
) -> None:
    """Count frames while the pointer moves the arm by a chart's crosshair, and while it plays."""
    page, blank = (
        await opened(browser, file, CHARTS, height),
        await opened(browser, empty, CHARTS, height),
    )
    while not await page.evaluate("globalThis.usableAt"):
        await asyncio.sleep(0.02)
    charts = page.locator(".uplot .u-over")
    box = await charts.first.bounding_box()
    assert box is not None
    assert await charts.count() >= CHARTS
    pointers = [Pointer(await one.context.new_cdp_session(one)) for one in (page, blank)]
    for doing, playing in (("a crosshair moves the arm", False), ("it plays too", True)):
        ratios, rates = [], []
        for _ in range(ROUNDS):
            base = await frame_rate(blank, pointers[1], box)
            await page.bring_to_front()
            await set_playing(page, playing)
            rates.append(await frame_rate(page, pointers[0], box))
            ratios.append(rates[-1] / base)
        what = f"{WIDTH} × {height}, {doing}"
        ratio, rate = statistics.median(ratios), statistics.median(rates)
        report.note(f"viewer, {what}: frames to an empty page's", ratio, floor=FRAMES)
        report.note(f"viewer, {what}: frames a second", rate)
    for one in (page, blank):
        await one.context.close()


async def set_playing(page: Page, playing: bool) -> None:
    """Begin at the start, and play or not."""
    await page.keyboard.press("Home")
    name = await page.locator(".ulna-play").get_attribute("aria-label")
    if playing == str(name).startswith("Play"):
        await page.keyboard.press("Space")


async def measure_loading(browser: Browser, file: Path, report: Report) -> None:
    times = []
    for _ in range(LOADS):
        page = await opened(browser, file, CHARTS)
        times.append(await usable_at(page))
        await page.context.close()
    report.note(
        "viewer, from disk to the arm and six charts [s]",
        statistics.median(times),
        most=INTERACTIVE,
    )


async def measure_seeking(browser: Browser, file: Path, report: Report) -> None:
    """Note the worst of many times to seek to, each by its best try: a busy machine spoils some."""
    page = await opened(browser, file, CHARTS)
    await usable_at(page)
    worst = 0.0
    for k in range(SEEKS):
        share = (k * 0.618034 + 0.1) % 1.0
        tries = []
        for _ in range(TRIES):
            await page.evaluate(SEEKING, [SLIDER, (share + 0.5) % 1.0])
            tries.append(float(await page.evaluate(SEEKING, [SLIDER, share])))
        worst = max(worst, min(tries))
    report.note("viewer, seeking to any time [ms]", worst, most=SEEK)
    await page.context.close()


async def measure(file: Path, empty: Path, report: Report) -> None:
    async with async_playwright() as playwright:
        browser = await launched(playwright)
        await measure_loading(browser, file, report)
        await measure_seeking(browser, file, report)
        for height in (HEIGHT, 2 * HEIGHT):
            await compare_frames(browser, file, empty, height, report)
        await browser.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", type=Path, metavar="HTML", help="a report that was made before")
    given = parser.parse_args()
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        file, empty = Path(folder) / "report.html", Path(folder) / "empty.html"
        empty.write_text(EMPTY, encoding="utf-8")
        if given.page is None:
            write_report(file)
        else:
            file = given.page.resolve()
        report.note(
            "viewer, report of 60 s of two joints [KB]", file.stat().st_size / 1000, most=600.0
        )
        asyncio.run(measure(file, empty, report))
    if given.page is None:
        report.save("viewer")


if __name__ == "__main__":
    main()
