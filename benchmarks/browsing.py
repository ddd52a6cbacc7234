"""What benchmarks of pages share: a browser, a pointer that never waits, counting of frames."""

from __future__ import annotations

import asyncio
import math
import runpy
import time
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, CDPSession, Page, Playwright

ROOT = Path(__file__).resolve().parent.parent
BROWSER = runpy.run_path(str(ROOT / "tools" / "browser.py"))
SECONDS = 2.0  # of counting, in each round
POINTER_RATE = 60.0  # [Hz]
WIDTH, HEIGHT = 1440, 900  # [px]
EMPTY = "<!doctype html><html lang='en'><title>empty</title><body></body></html>"

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


async def launched(playwright: Playwright) -> Browser:
    """Return a headless browser, or end with how to get one."""
    path = BROWSER["find"]()
    if path is None:
        raise SystemExit(f"There is no browser; try: {BROWSER['how_to_install']()}")
    return await playwright.chromium.launch(executable_path=path, args=list(BROWSER["FLAGS"]))


async def opened(browser: Browser, file: Path, charts: int, height: int = HEIGHT) -> Page:
    """Return a page that tells when its arm and so many charts can be seen."""
    context = await browser.new_context(viewport={"width": WIDTH, "height": height})
    await context.add_init_script(f"({READY.replace('CHARTS', str(charts))})()")
    page = await context.new_page()
    await page.goto(file.as_uri())
    return page


async def usable_at(page: Page) -> float:
    """Return when the arm and all charts were on the screen [s], from the start of navigation."""
    while not (at := await page.evaluate("globalThis.usableAt")):
        await asyncio.sleep(0.02)
    assert await page.evaluate(DRAWN)
    return float(at) / 1000


async def frame_rate(page: Page, pointer: Pointer, box: dict[str, float]) -> float:
    """Return the frames a second of a page that the pointer is dragged on."""
    await page.bring_to_front()
    counting = asyncio.ensure_future(page.evaluate(COUNT, SECONDS))
    await pointer.drag(box, counting)
    return float(counting.result())
