"""A browser, pages in it that nothing may go wrong in, and reports to open."""

import os
import runpy
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, sync_playwright

from report_samples import Samples

ROOT = Path(__file__).resolve().parents[2]
BROWSER = runpy.run_path(str(ROOT / "tools" / "browser.py"))
IN_CI = os.environ.get("CI", "").lower() in ("1", "true")
PATIENCE = 20_000  # [ms] on a machine that does other things as well
OWN = ("data", "blob", "about")  # what a page has inside it
SCREEN = {
    "viewport": {"width": 1440, "height": 900},
    "color_scheme": "light",
    "reduced_motion": "no-preference",
}
FORGET = "() => { localStorage.clear(); sessionStorage.clear(); }"


def missing(what: str, command: str) -> None:
    """Skip a test for want of something, or fail where nothing may be missing."""
    text = f"PAGES ARE NOT TESTED: there is no {what}; install it by: {command}"
    if IN_CI:
        pytest.fail(text, pytrace=False)
    pytest.skip(text)


@pytest.fixture(scope="session")
def executable() -> str:
    """The path of a browser."""
    path = BROWSER["find"]()
    if path is None:
        missing("browser", BROWSER["how_to_install"]())
    return path


@pytest.fixture(scope="session")
def samples(executable: str, tmp_path_factory: pytest.TempPathFactory) -> Samples:
    """Reports of every kind, each made when it is first asked for."""
    build = [sys.executable, str(ROOT / "tools" / "viewer.py"), "--require"]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    if done.returncode:
        missing("built viewer", f"python tools/viewer.py --require\n{done.stdout}{done.stderr}")
    return Samples(tmp_path_factory.mktemp("reports"))


# Playwright keeps an event loop running in its thread, which other tests must not find there.
@pytest.fixture(scope="module")
def browser(executable: str) -> Iterator[Browser]:
    """One browser for a file of tests; a context in it for each."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable, args=list(BROWSER["FLAGS"])
        )
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def found() -> list[str]:
    return []


@pytest.fixture(autouse=True)
def troubles(found: list[str]) -> Iterator[list[str]]:
    """What went wrong in pages; a test that provokes something takes it out again."""
    yield found
    told = list(found)
    found.clear()
    assert told == []


class Pages:
    """Pages of one browser, each used again when a test is done with it.

    A page in a context of its own takes a second, a file in a page that is there a third of one.
    What a page can be told later (SCREEN) is set whenever it is used; only what a context is made
    with, such as touch, needs another.
    """

    def __init__(self, browser: Browser, troubles: list[str]) -> None:
        self.browser, self.troubles = browser, troubles
        self.free: dict[str, list[Page]] = {}
        self.own: dict[Page, str] = {}
        self.kinds: dict[Page, str] = {}

    def open(self, file: Path, *, ready: str = "[data-mounted]", **options: Any) -> Page:
        """Open a file on a screen, and wait until it can be used."""
        screen = {name: options.pop(name, value) for name, value in SCREEN.items()}
        kind = repr(sorted(options.items()))
        page = self.free[kind].pop() if self.free.get(kind) else self._made(kind, screen, options)
        page.set_viewport_size(screen.pop("viewport"))
        page.emulate_media(**screen)
        self.own[page] = file.as_uri()
        page.goto(file.as_uri())
        page.wait_for_selector(ready, state="attached")
        return page

    def give_back(self, page: Page) -> None:
        """Make a page as if nobody had used it."""
        page.evaluate(FORGET)
        page.goto("about:blank")
        page.mouse.up()
        page.mouse.move(0, 0)
        self.free.setdefault(self.kinds[page], []).append(page)

    def close(self) -> None:
        for page in self.kinds:
            page.context.close()

    def _made(self, kind: str, screen: dict[str, Any], options: dict[str, Any]) -> Page:
        context = self.browser.new_context(**screen, **options)
        context.set_default_timeout(PATIENCE)
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        page = context.new_page()
        self.kinds[page] = kind
        _watch(page, lambda: self.own[page], self.troubles)
        return page


@pytest.fixture(scope="module")
def pages(browser: Browser, found: list[str]) -> Iterator[Pages]:
    """All pages that a file of tests uses."""
    pages = Pages(browser, found)
    yield pages
    pages.close()


@pytest.fixture(scope="module")
def opener(pages: Pages) -> Callable[..., Page]:
    """Open files for all tests of a file."""
    return pages.open


@pytest.fixture
def open_page(pages: Pages) -> Iterator[Callable[..., Page]]:
    """Open files for one test."""
    used = []

    def opened(file: Path, **options: Any) -> Page:
        used.append(pages.open(file, **options))
        return used[-1]

    yield opened
    for page in used:
        pages.give_back(page)


def _watch(page: Page, own: Callable[[], str], troubles: list[str]) -> None:
    def console(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            troubles.append(f"console {message.type}: {message.text}")

    def request(request: Request) -> None:
        if request.url != own() and urlsplit(request.url).scheme not in OWN:
            troubles.append(f"request: {request.url}")

    page.on("console", console)
    page.on("pageerror", lambda error: troubles.append(f"error: {error}"))
    page.on("request", request)
    page.on(
        "dialog", lambda dialog: (troubles.append(f"dialog: {dialog.message}"), dialog.dismiss())
    )
