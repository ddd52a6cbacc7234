"""What every page is held to, whoever made it."""

from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Locator, Page

AXE = Path(__file__).resolve().parents[2] / "web/node_modules/axe-core/axe.min.js"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
WIDER = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


WATCH = """slider => new Promise(done => {
  const seen = [], begin = performance.now();
  const look = stamp => {
    seen.push([stamp / 1000, Number(slider.value)]);
    if (performance.now() - begin < 600) requestAnimationFrame(look);
    else done(seen);
  };
  requestAnimationFrame(look);
})"""


def watched(slider: Locator) -> tuple[float, list[float]]:
    """Watch a slider that plays: how far it went, and in which times [s] that can have been.

    The times are those of the frames that are drawn, so that it does not matter how many a busy
    machine draws. The page moves the slider before it is looked at in a frame, or after that.
    """
    stamps, values = np.array(slider.evaluate(WATCH)).T
    return values[-1] - values[1], [stamps[-1] - stamps[1], stamps[-2] - stamps[0]]


# Colours on their way from one theme to the other are nobody's. Rules of less weight are not run,
# and no rule of these reads style sheets or media from elsewhere.
AXE_RUN = """async within => {
  const fading = document.getAnimations().filter(one => one instanceof CSSTransition);
  await Promise.allSettled(fading.map(one => one.finished));
  const heavy = ({ impact, enabled }) => enabled && ["serious", "critical"].includes(impact);
  const runOnly = axe._audit.rules.filter(heavy).map(rule => rule.id);
  return axe.run(within ?? document, { resultTypes: ["violations"], preload: false, runOnly });
}"""


def violations(page: Page, within: str | None = None) -> list[tuple[Any, ...]]:
    """Return what axe-core holds against a page, or a part of it: what is serious or critical."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate(AXE_RUN, within)
    return [
        (one["id"], node["target"], node["failureSummary"])
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"][:3]
    ]
