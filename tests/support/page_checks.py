"""What every page is held to, whoever made it."""

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

AXE = Path(__file__).resolve().parents[2] / "web/node_modules/axe-core/axe.min.js"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
WIDER = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


def violations(page: Page) -> list[tuple[Any, ...]]:
    """Return what axe-core holds against a page: what is serious or critical."""
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("() => axe.run(document, { resultTypes: ['violations'] })")
    return [
        (one["id"], node["target"], node["failureSummary"])
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"][:3]
    ]
