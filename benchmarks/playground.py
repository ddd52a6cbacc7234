"""How smooth a playground is: frames while four links are dragged, latency, and time that is kept.

Headless Chromium shows an arm of four links with three live charts. Frames are counted while a
controlled arm moves and the pointer drags its set-point, in turns with an empty page under the same
pointer. Latency is from a pointer's event to the redrawn arm. Time is kept if the seconds that were
simulated are those that have passed, also where the processor is four times slower: frames may be
dropped, time may not. As of the viewer, figures are of a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
from pathlib import Path
from typing import Any

from browsing import EMPTY, Pointer, frame_rate, launched, opened, usable_at
from measuring import Report
from playwright.async_api import Browser, Page, async_playwright

import ulna
from ulna.viewer.playground_scenes import state_text, usual_pose

CHARTS = 3
ROUNDS = 5
LOADS = 7
SPEEDS = (1, 4)  # how many times slower the processor is made
TIMED = 6.0  # [s] over which time is compared
ARM = ulna.Arm.rods([0.5, 0.4, 0.3, 0.2], [1.0, 0.6, 0.4, 0.2], name="four links")

SIZE, FRAMES, INTERACTIVE, LATENCY, TIME = 400.0, 0.92, 1.0, 20.0, 0.01  # [KB], 1, [s], [ms], 1

START = """state => {
  const { session, fromFragment } = ulnaPlayground;
  session.load(fromFragment(state));
}"""
TIP = """() => {
  const { session: { mechanism: { model, letters }, simulation, arm } } = ulnaPlayground;
  const box = document.querySelector(".play-canvas").getBoundingClientRect();
  const reach = 1.04 * arm.links.reduce((sum, { length }) => sum + length, 0);
  const edge = 2 * Math.min(36, 0.07 * Math.min(box.width, box.height));
  const scale = Math.min(box.width - edge, box.height - edge) / (2 * reach);
  const [x, y] = model.tip(letters, simulation.q);
  return [box.x + box.width / 2 + scale * x, box.y + box.height / 2 - scale * y];
}"""
# The page writes data-tip once the arm is drawn.
LATENCIES = """seconds => new Promise(done => {
  const canvas = document.querySelector(".play-canvas"), found = [];
  let moved = null;
  canvas.addEventListener("pointermove", event => {
    moved ??= (event.getCoalescedEvents()[0] ?? event).timeStamp;
  }, { capture: true });
  new MutationObserver(() => {
    if (moved !== null) found.push(performance.now() - moved);
    moved = null;
  }).observe(document.querySelector("[data-tip]"), { attributeFilter: ["data-tip"] });
  setTimeout(() => done(found), 1000 * seconds);
})"""
# By the times of frames, as the page counts its own.
KEPT = """seconds => new Promise(done => {
  let begin, simulated, frames = 0;
  const frame = now => {
    const { time } = ulnaPlayground.session.simulation;
    if (begin === undefined) [begin, simulated] = [now, time];
    frames += 1;
    const passed = (now - begin) / 1000;
    if (passed >= seconds) done([(time - simulated) / passed, frames / passed]);
    else requestAnimationFrame(frame);
  };
  setTimeout(() => requestAnimationFrame(frame), 300);
})"""


def held() -> str:
    """Return the state of an arm that a controller holds."""
    return state_text(ARM, usual_pose(ARM), more=[("law", "computed-torque")])


def free() -> str:
    return state_text(ARM, usual_pose(ARM))


async def begin(page: Page, state: str, *, play: bool) -> dict[str, float]:
    """Set a state up, and return a box around the tip that the pointer can stay in."""
    await page.evaluate(START, state)
    x, y = await page.evaluate(TIP)
    if play:
        await page.evaluate("() => ulnaPlayground.session.play()")
    return {"x": x - 150, "y": y - 150, "width": 300, "height": 300}


async def measure_loading(browser: Browser, file: Path, report: Report) -> None:
    times = []
    for _ in range(LOADS):
        page = await opened(browser, file, CHARTS)
        times.append(await usable_at(page))
        await page.context.close()
    what = "playground, from disk to the arm and three charts [s]"
    report.note(what, statistics.median(times), most=INTERACTIVE)


async def compare_frames(browser: Browser, file: Path, empty: Path, report: Report) -> None:
    """Count frames while the pointer drags the set-point of an arm that moves."""
    page, blank = await opened(browser, file, CHARTS), await opened(browser, empty, CHARTS)
    await usable_at(page)
    pointers = [Pointer(await one.context.new_cdp_session(one)) for one in (page, blank)]
    ratios, rates = [], []
    for _ in range(ROUNDS):
        box = await begin(page, held(), play=False)
        base = await frame_rate(blank, pointers[1], box)
        await page.bring_to_front()
        await page.evaluate("() => ulnaPlayground.session.play()")
        rates.append(await frame_rate(page, pointers[0], box))
        ratios.append(rates[-1] / base)
    doing = "playground, four links dragged, three live charts"
    report.note(f"{doing}: frames to an empty page's", statistics.median(ratios), floor=FRAMES)
    report.note(f"{doing}: frames a second", statistics.median(rates))
    for one in (page, blank):
        await one.context.close()


async def measure_latency(browser: Browser, file: Path, report: Report) -> None:
    page = await opened(browser, file, CHARTS)
    await usable_at(page)
    pointer = Pointer(await page.context.new_cdp_session(page))
    for doing, state, play in (("posed", free(), False), ("controlled", held(), True)):
        box = await begin(page, state, play=play)
        waiting: asyncio.Future[Any] = asyncio.ensure_future(page.evaluate(LATENCIES, 3.0))
        await pointer.drag(box, waiting)
        found = waiting.result()
        assert len(found) > 20, "the pointer moves nothing"
        what = f"playground, from the pointer to the redrawn arm, {doing} [ms]"
        report.note(what, statistics.median(found), most=LATENCY)
    await page.context.close()


async def measure_time(browser: Browser, file: Path, report: Report) -> None:
    page = await opened(browser, file, CHARTS)
    await usable_at(page)
    session = await page.context.new_cdp_session(page)
    for slower in SPEEDS:
        await session.send("Emulation.setCPUThrottlingRate", {"rate": slower})
        await begin(page, free(), play=True)
        share, frames = await page.evaluate(KEPT, TIMED)
        on = "" if slower == 1 else f", processor {slower} times slower"
        report.note(f"playground, time that is lost or gained{on}", abs(share - 1), most=TIME)
        report.note(f"playground, frames a second as it plays{on}", frames)
    await page.context.close()


async def measure(file: Path, empty: Path, report: Report) -> None:
    async with async_playwright() as playwright:
        browser = await launched(playwright)
        await measure_loading(browser, file, report)
        await measure_latency(browser, file, report)
        await measure_time(browser, file, report)
        await compare_frames(browser, file, empty, report)
        await browser.close()


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        file, empty = Path(folder) / "playground.html", Path(folder) / "empty.html"
        empty.write_text(EMPTY, encoding="utf-8")
        ulna.play(ARM, file, progress=False)
        report.note("playground, the file [KB]", file.stat().st_size / 1000, most=SIZE)
        asyncio.run(measure(file, empty, report))
    report.save("playground")


if __name__ == "__main__":
    main()
