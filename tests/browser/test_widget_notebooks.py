"""The widget in JupyterLab and in marimo: both are started, and the arm is dragged with the mouse.

Servers listen on the loopback only, and keep all that they write in the test's own folder.
"""

import importlib.util
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import indent
from typing import Any
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

import nbformat
import numpy as np
import pytest
from playwright.sync_api import Browser, Page

import ulna
from dragged_arm import DraggedArm

pytestmark = pytest.mark.slow
ARM, START, SET = ulna.preset("unit"), [0.9, -1.2], [0.2, 1.1]
PATIENCE = 90.0  # [s] for a server and a kernel on a busy machine
SHOW = f"""import json, pathlib
import ulna
w = ulna.widget(ulna.preset("unit"), q0={START})
heard = pathlib.Path("heard.json")
w.on_change(lambda w: heard.write_text(json.dumps([w.q.tolist(), w.tip.tolist()])))
w"""
MARIMO = f"""import marimo
app = marimo.App()

@app.cell
def _():
    import marimo as mo
{indent(SHOW, "    ")}
    return mo, w

@app.cell
def _(mo):
    button = mo.ui.run_button(label="set from Python")
    button
    return (button,)

@app.cell
def _(button, w):
    if button.value:
        w.q = {SET}
    return
"""
# Where programs keep what belongs to a person.
HOMES = ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME")
JUPYTER = ("CONFIG_DIR", "DATA_DIR", "RUNTIME_DIR")


def need(package: str) -> None:
    if importlib.util.find_spec(package) is None:
        way = f"{sys.executable} -m pip install '.[notebook-test]'"
        pytest.skip(f"THE WIDGET IS NOT TESTED IN {package}, which is missing: {way}")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def served(folder: Path, command: list[str], health: str) -> Iterator[str]:
    """Run a server in a folder; give its address once it answers."""
    port = free_port()
    own = {name: str(folder / "own") for name in HOMES}
    own |= {f"JUPYTER_{name}": str(folder / "own" / name.lower()) for name in JUPYTER}
    own |= {"IPYTHONDIR": str(folder / "own" / "ipython")}
    words = [sys.executable, "-m", *command, f"--port={port}"]
    with (folder / "log.txt").open("w") as log:
        server = subprocess.Popen(
            words, cwd=folder, env={**os.environ, **own}, stdout=log, stderr=subprocess.STDOUT
        )
    try:
        wait(lambda: server.poll() is not None or answers(f"http://127.0.0.1:{port}{health}"))
        assert server.poll() is None, (folder / "log.txt").read_text()
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(30)


def answers(address: str) -> bool:
    try:
        with urlopen(address):
            return True
    except (URLError, ConnectionError):
        return False


def wait(done: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < end
        time.sleep(0.05)


@contextmanager
def opened(browser: Browser, address: str, path: str, found: list[str]) -> Iterator[Page]:
    """Open a page on a server; errors, and requests to anywhere else, are troubles."""
    page = browser.new_page(viewport={"width": 1200, "height": 1000})
    page.set_default_timeout(1000.0 * PATIENCE)
    page.on(
        "console",
        lambda one: found.append(f"console: {one.text}") if one.type == "error" else None,
    )
    page.on("pageerror", lambda error: found.append(f"error: {error}"))

    def request(one: Any) -> None:
        parts = urlsplit(one.url)
        if parts.scheme not in ("data", "blob") and parts.netloc != urlsplit(address).netloc:
            found.append(f"request: {one.url}")

    page.on("request", request)
    page.goto(address + path)
    yield page
    page.close()


def drag_and_set(page: Page, heard: Path, from_python: Callable[[], None]) -> None:
    """Drag the tip and read what Python heard; then let Python set the angles, and look."""
    page.wait_for_selector("[data-tip-pixel]")
    page.wait_for_timeout(300)  # the notebook is laid out
    arm = DraggedArm(page.locator(".ulna-widget canvas"), ARM, START)
    end = arm.screen([0.6, 1.1])
    arm.drag(arm.pixel, end)
    wanted = arm.plane(end)

    def is_there() -> bool:
        q, tip = told(heard)
        same = np.allclose(ulna.kinematics.tip(ARM, q)[:2], tip, atol=1e-12)
        return bool(same and np.allclose(tip, wanted, atol=2e-3))

    wait(is_there)
    from_python()
    wait(lambda: arm.data("tip") == "1.247565,1.162228")  # cos 0.2 + cos 1.3, sin 0.2 + sin 1.3
    wait(lambda: told(heard)[0] == SET)


def told(heard: Path) -> tuple[list[float], list[float]]:
    """Return the angles and the tip that Python wrote last; zeros until it has."""
    try:
        q, tip = json.loads(heard.read_text())
    except (FileNotFoundError, json.JSONDecodeError):  # it is being written
        return [0.0, 0.0], [0.0, 0.0]
    return q, tip


def test_jupyterlab(browser: Browser, found: list[str], tmp_path: Path) -> None:
    need("jupyterlab")
    cells = [nbformat.v4.new_code_cell(text) for text in (SHOW, f"w.q = {SET}")]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), tmp_path / "arm.ipynb")
    quiet = "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"
    command = ["jupyterlab", "--no-browser", "--ip=127.0.0.1", "--allow-root", quiet]
    command += ["--IdentityProvider.token=", f"--ServerApp.root_dir={tmp_path}"]
    with (
        served(tmp_path, command, "/api") as address,
        opened(browser, address, "/lab/tree/arm.ipynb?reset", found) as page,
    ):

        def execute(number: int) -> None:
            cell = page.locator(".jp-Cell").nth(number)
            prompt = cell.locator(".jp-InputPrompt")
            # A notebook that is still being laid out loses keys.
            for _ in range(20):
                cell.locator(".cm-content").click()
                page.keyboard.press("Shift+Enter")
                page.wait_for_timeout(500)
                if prompt.inner_text() != "[ ]:":
                    return
            raise AssertionError(f"cell {number} does not run")

        execute(0)
        drag_and_set(page, tmp_path / "heard.json", lambda: execute(1))


def test_marimo(browser: Browser, found: list[str], tmp_path: Path) -> None:
    need("marimo")
    (tmp_path / "arm.py").write_text(MARIMO)
    command = ["marimo", "run", "arm.py", "--headless", "--host=127.0.0.1", "--no-token"]
    with (
        served(tmp_path, command, "/health") as address,
        opened(browser, address, "/", found) as page,
    ):
        button = page.get_by_role("button", name="set from Python")
        drag_and_set(page, tmp_path / "heard.json", lambda: button.click())
