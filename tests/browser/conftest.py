"""A browser, pages in it that nothing may go wrong in, and reports to open."""

import asyncio
import os
import runpy
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, sync_playwright

from report_samples import Samples

ROOT = Path(__file__).resolve().parents[2]
BROWSER = runpy.run_path(str(ROOT / "tools" / "browser.py"))
VIEWER = runpy.run_path(str(ROOT / "tools" / "viewer.py"))
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
    if not VIEWER["is_fresh"](VIEWER["Project"]()):
        build = [sys.executable, str(ROOT / "tools" / "viewer.py"), "--require"]
        done = subprocess.run(build, capture_output=True, text=True, check=False)
        if done.returncode:
            told = f"{done.stdout}{done.stderr}"
            missing("built viewer", f"python tools/viewer.py --require\n{told}")
    return Samples(tmp_path_factory.mktemp("reports"))


@pytest.fixture(scope="session")
def chromium(executable: str) -> Iterator[tuple[Browser, asyncio.AbstractEventLoop]]:
    """One browser for all files of a process, and the event loop that speaks with it."""
    with sync_playwright() as playwright:
        loop = asyncio.get_running_loop()
        browser = playwright.chromium.launch(
            executable_path=executable, args=list(BROWSER["FLAGS"])
        )
        asyncio._set_running_loop(None)
        yield browser, loop
        asyncio._set_running_loop(loop)
        browser.close()


# Playwright keeps its event loop running in its thread, which other tests must not find there.
@pytest.fixture(scope="module")
def browser(chromium: tuple[Browser, asyncio.AbstractEventLoop]) -> Iterator[Browser]:
    """The browser, for a file of tests."""
    browser, loop = chromium
    asyncio._set_running_loop(loop)
    yield browser
    asyncio._set_running_loop(None)


@pytest.fixture(scope="session")
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

    @contextmanager
    def lent(self) -> Iterator[Callable[..., Page]]:
        """Give what opens files, and take back all pages that it opened."""
        used = []

        def opened(file: Path, **options: Any) -> Page:
            used.append(self.open(file, **options))
            return used[-1]

        yield opened
        for page in used:
            self.give_back(page)

    def _made(self, kind: str, screen: dict[str, Any], options: dict[str, Any]) -> Page:
        context = self.browser.new_context(**screen, **options)
        context.set_default_timeout(PATIENCE)
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        page = context.new_page()
        self.kinds[page] = kind
        _watch(page, lambda: self.own[page], self.troubles)
        return page


@pytest.fixture(scope="session")
def all_pages(chromium: tuple[Browser, asyncio.AbstractEventLoop], found: list[str]) -> Pages:
    """All pages that files of tests use one after another; they close with their browser."""
    return Pages(chromium[0], found)


@pytest.fixture(scope="module")
def pages(browser: Browser, all_pages: Pages) -> Pages:
    """The pages, for a file of tests."""
    return all_pages


@pytest.fixture(scope="module")
def opener(pages: Pages) -> Iterator[Callable[..., Page]]:
    """Open files for all tests of a file."""
    with pages.lent() as opened:
        yield opened


@pytest.fixture
def open_page(pages: Pages) -> Iterator[Callable[..., Page]]:
    """Open files for one test."""
    with pages.lent() as opened:
        yield opened


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
