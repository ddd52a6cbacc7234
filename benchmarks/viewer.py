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
import math
import runpy
import statistics
import tempfile
import time
import warnings
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

from measuring import Report
from playwright.async_api import Browser, CDPSession, Page, async_playwright

import ulna

ROOT = Path(__file__).resolve().parent.parent
BROWSER = runpy.run_path(str(ROOT / "tools" / "browser.py"))
CHARTS = 6
ROUNDS = 5
SECONDS = 2.0  # of counting, in each round
POINTER_RATE = 60.0  # [Hz]
LOADS = 7
SEEKS, TRIES = 40, 3
WIDTH, HEIGHT = 1440, 900  # [px]
EMPTY = "<!doctype html><html lang='en'><title>empty</title><body></body></html>"

FRAMES, INTERACTIVE, SEEK = 0.92, 1.0, 50.0  # bounds: a ratio, [s], [ms]

COUNT = """seconds => new Promise(done => {
  let frames = 0, begin;
  const frame = now => {
    begin ??= now;
    if (now - begin >= 1000 * seconds) done(frames / (now - begin) * 1000);
    else { frames += 1; requestAnimationFrame(frame); }
  };
  requestAnimationFrame(frame);
})"""
# Runs before the page: when the frame comes that follows the one with the arm and all charts in it.
READY = """() => {
  const frame = () => {
    const charts = document.querySelectorAll(".uplot canvas");
    if (document.querySelector("[data-tip]") && charts.length >= CHARTS)
      requestAnimationFrame(now => { globalThis.usableAt = now; });
    else requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}"""
# Reading pixels takes long, so it is done when nothing is measured.
DRAWN = """() => [...document.querySelectorAll(".uplot canvas")].every(canvas =>
  canvas.getContext("2d").getImageData(
    0, 0, canvas.width, canvas.height).data.some(part => part))"""
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


class Pointer:
    """A pointer that moves at a steady rate, whether or not the page keeps up."""

    def __init__(self, session: CDPSession) -> None:
        self.session = session
        self.sent: list[Awaitable[Any]] = []

    def send(self, kind: str, x: float, y: float, pressed: bool) -> None:
        event = {
            "type": kind,
            "x": x,
            "y": y,
            "button": "left",
            "buttons": int(pressed),
            "clickCount": 1,
        }
        if kind == "mouseMoved":
            event["button"] = "none" if not pressed else "left"
        self.sent.append(
            asyncio.ensure_future(self.session.send("Input.dispatchMouseEvent", event))
        )

    async def drag(self, box: dict[str, float], done: asyncio.Future[Any]) -> None:
        """Press within a box, go to and fro in it until something is done, and let go."""
        middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.send("mouseMoved", *middle, pressed=False)
        self.send("mousePressed", *middle, pressed=True)
        begin = time.perf_counter()
        step = 0
        while not done.done():
            phase = 2 * math.pi * 0.25 * step / POINTER_RATE
            x = middle[0] + 0.45 * box["width"] * math.sin(phase)
            self.send(
                "mouseMoved", x, middle[1] + 0.2 * box["height"] * math.cos(phase), pressed=True
            )
            step += 1
            await asyncio.sleep(max(0.0, begin + step / POINTER_RATE - time.perf_counter()))
        self.send("mouseReleased", *middle, pressed=False)
        await asyncio.gather(*self.sent)
        self.sent.clear()


async def frame_rate(page: Page, pointer: Pointer, box: dict[str, float]) -> float:
    """Return the frames a second of a page that the pointer is dragged on."""
    await page.bring_to_front()
    counting = asyncio.ensure_future(page.evaluate(COUNT, SECONDS))
    await pointer.drag(box, counting)
    return float(counting.result())


async def opened(browser: Browser, file: Path, height: int = HEIGHT) -> Page:
    context = await browser.new_context(viewport={"width": WIDTH, "height": height})
    await context.add_init_script(f"({READY.replace('CHARTS', str(CHARTS))})()")
    page = await context.new_page()
    await page.goto(file.as_uri())
    return page


async def usable_at(page: Page) -> float:
    """Return when the arm and all charts were on the screen [s], from the start of navigation."""
    while not (at := await page.evaluate("globalThis.usableAt")):
        await asyncio.sleep(0.02)
    assert await page.evaluate(DRAWN)
    return float(at) / 1000


async def compare_frames(
    browser: Browser, file: Path, empty: Path, height: int, report: Report
) -> None:
    """Count frames while the pointer moves the arm by a chart's crosshair, and while it plays."""
    page, blank = await opened(browser, file, height), await opened(browser, empty, height)
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
        page = await opened(browser, file)
        times.append(await usable_at(page))
        await page.context.close()
    report.note(
        "viewer, from disk to the arm and six charts [s]",
        statistics.median(times),
        most=INTERACTIVE,
    )


async def measure_seeking(browser: Browser, file: Path, report: Report) -> None:
    """Note the worst of many times to seek to, each by its best try: a busy machine spoils some."""
    page = await opened(browser, file)
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
    path = BROWSER["find"]()
    if path is None:
        raise SystemExit(f"There is no browser; try: {BROWSER['how_to_install']()}")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=path, args=list(BROWSER["FLAGS"])
        )
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
