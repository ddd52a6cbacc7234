"""The widget's module in a page with a model that records: dragged by mouse, fingers and keys.

What the page sends is compared with Python's kinematics at the place of the pointer. The picture is
centred on the base, so that the middle of the canvas and the first tip give its scale.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

import ulna
from dragged_arm import DraggedArm
from page_checks import violations
from ulna.viewer.html_page import json_text

pytest.importorskip("anywidget")

ARM = ulna.preset("unit")
START = [0.9, -1.2]
# As anywidget loads a module and calls it; `python` sets traits as Python does.
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>cells</title>
<style>{css}</style></head><body><p id="note">text</p>{cells}
<script type="application/json" id="traits">{traits}</script>
<script type="application/json" id="module">{module}</script>
<script>
function fakeModel(traits) {{
  const listeners = new Map(), sent = [], waiting = {{}};
  const fire = (name) => (listeners.get("change:" + name) ?? []).forEach((one) => one());
  return {{
    sent,
    get: (name) => traits[name],
    set(name, value) {{
      waiting[name] = value;
      const same = JSON.stringify(traits[name]) === JSON.stringify(value);
      traits[name] = value;
      if (!same) fire(name);
    }},
    save_changes() {{
      sent.push({{ at: performance.now(), ...waiting }});
      for (const key in waiting) delete waiting[key];
    }},
    on: (event, one) => listeners.set(event, [...(listeners.get(event) ?? []), one]),
    off: (event, one) => listeners.set(event, listeners.get(event).filter((any) => any !== one)),
    python(name, value) {{ traits[name] = value; fire(name); }},
    listening: () => [...listeners.values()].flat().length,
  }};
}}
const read = (id) => JSON.parse(document.getElementById(id).textContent);
const url = URL.createObjectURL(new Blob([read("module")], {{ type: "text/javascript" }}));
import(url).then(({{ default: widget }}) => {{
  globalThis.models = read("traits").map(fakeModel);
  const cell = (i) => document.getElementById("cell" + i);
  globalThis.ends = models.map((model, i) => widget.render({{ model, el: cell(i) }}));
  document.body.dataset.ready = "";
}});
</script></body></html>"""


@pytest.fixture(scope="module")
def run() -> ulna.Run:
    return ulna.simulate(ARM, q0=START, duration=2.0)


@pytest.fixture
def cells(
    samples: Any, open_page: Callable[..., Page], tmp_path: Path
) -> Iterator[Callable[..., Page]]:
    """Open a page with widgets in cells."""

    def opened(*widgets: Any, **options: Any) -> Page:
        traits = [one.get_state() for one in widgets]
        shared = {name: traits[0][name] for name in ("_esm", "_css")}
        traits = [{key: one[key] for key in one.keys() - shared.keys()} for one in traits]
        plain = json.loads(json.dumps(traits, default=str))
        file = tmp_path / "cells.html"
        places = "".join(f'<div id="cell{i}"></div>' for i in range(len(widgets)))
        text = PAGE.format(
            css=shared["_css"],
            cells=places,
            traits=json_text(plain),
            module=json_text(shared["_esm"]),
        )
        file.write_text(text, "utf-8")
        page = open_page(file, ready="[data-ready]", **options)
        page.wait_for_function("document.querySelectorAll('[data-tip]').length >= 1")
        return page

    return opened


class Cell(DraggedArm):
    """A widget of an arm on the page, and what it sent to Python."""

    def __init__(self, page: Page, number: int = 0, arm: ulna.Arm = ARM, q: Any = START) -> None:
        super().__init__(page.locator(f"#cell{number} canvas"), arm, q)
        self.number = number

    def sent(self) -> list[Any]:
        found: list[Any] = self.page.evaluate(f"models[{self.number}].sent")
        return found


def test_tip_follows_the_mouse_and_python_hears_the_angles(cells: Any) -> None:
    cell = Cell(cells(ulna.widget(ARM, q0=START)))
    # The picture's scale is the same along both axes, and the arm is where Python has it.
    tip = ulna.kinematics.tip(ARM, START)[:2]
    np.testing.assert_allclose(cell.plane(cell.pixel), tip, atol=1e-4)
    end = cell.screen([0.6, 1.1])
    cell.drag(cell.pixel, end)
    sent = cell.sent()
    assert 1 <= len(sent) <= 10  # eight moves, in frames, and the release
    q = sent[-1]["q"]
    np.testing.assert_allclose(ulna.kinematics.tip(ARM, q)[:2], cell.plane(end), atol=1e-3)
    assert np.sin(q[1]) < 0.0  # the branch that it had
    assert all(set(one) == {"at", "q"} for one in sent)


def test_a_tip_out_of_reach_stops_at_the_rim(cells: Any) -> None:
    cell = Cell(cells(ulna.widget(ARM, q0=START)))
    end = cell.screen([2.3, 0.0])
    mouse = cell.page.mouse
    mouse.move(*cell.pixel)
    mouse.down()
    mouse.move(*end, steps=4)
    status = cell.page.locator(".arm-status")
    status.wait_for(state="visible")
    assert "out of reach by 0.3" in status.inner_text()
    mouse.up()
    x, y = ulna.kinematics.tip(ARM, cell.sent()[-1]["q"])[:2]
    assert np.hypot(x, y) == pytest.approx(2.0, abs=1e-3)
    assert np.arctan2(y, x) == pytest.approx(0.0, abs=1e-2)
    status.wait_for(state="hidden")


def test_the_picture_keeps_its_size_while_numbers_grow(cells: Any) -> None:
    arm = ulna.Arm.rods([0.25] * 6, [0.1] * 6, name="a name that is long enough to fill a line")
    q = [0.1] * 6
    cell = Cell(cells(ulna.widget(arm, q0=q), viewport={"width": 390, "height": 800}), 0, arm, q)
    size = "one => [one.clientWidth, one.clientHeight]"
    before = cell.canvas.evaluate(size)
    cell.drag(cell.pixel, cell.screen([-1.0, -2.0]))
    assert cell.canvas.evaluate(size) == before
    wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert cell.page.evaluate(wider) <= 0


def test_a_link_turns_its_joint_alone_until_its_limit(cells: Any) -> None:
    joints = [ulna.Joint(lower=-0.5, upper=1.2), ulna.Joint()]
    arm = ulna.Arm.of(ARM.links, joints, base=(0.4, -0.2))
    cell = Cell(cells(ulna.widget(arm, q0=START)), arm=arm)
    base = np.array(arm.base)
    grip = base + 0.5 * np.array([np.cos(0.9), np.sin(0.9)])
    turn = base + 0.5 * np.array([np.cos(0.4), np.sin(0.4)])
    beyond = base + 0.5 * np.array([np.cos(1.6), np.sin(1.6)])
    cell.drag(cell.screen(grip), cell.screen(turn))
    np.testing.assert_allclose(cell.sent()[-1]["q"], [0.4, START[1]], atol=0.01)
    cell.drag(cell.screen(turn), cell.screen(beyond))
    assert cell.sent()[-1]["q"] == [1.2, START[1]]


def test_arrow_keys_move_the_tip(cells: Any) -> None:
    cell = Cell(cells(ulna.widget(ARM, q0=START)))
    before = ulna.kinematics.tip(ARM, START)[:2]
    cell.canvas.focus()
    cell.page.keyboard.press("ArrowLeft")
    cell.page.keyboard.press("Shift+ArrowUp")
    moved = ulna.kinematics.tip(ARM, cell.sent()[-1]["q"])[:2] - before
    np.testing.assert_allclose(moved, [-0.02, 0.1], atol=1e-9)  # of a reach of 2 m


def test_a_finger_on_the_arm_drags_it(cells: Any) -> None:
    page = cells(ulna.widget(ARM, q0=START), has_touch=True)
    cell = Cell(page)
    end = cell.screen([0.5, 1.3])
    device = page.context.new_cdp_session(page)

    def touch(kind: str, *points: Any) -> None:
        places = [{"x": float(x), "y": float(y)} for x, y in points]
        device.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    touch("touchStart", cell.pixel)
    for share in np.linspace(0.1, 1.0, 10):
        touch("touchMove", cell.pixel + share * (end - cell.pixel))
    touch("touchEnd")
    page.wait_for_function("models[0].sent.length > 0")
    page.wait_for_timeout(50)
    tip = ulna.kinematics.tip(ARM, cell.sent()[-1]["q"])[:2]
    np.testing.assert_allclose(tip, cell.plane(end), atol=2e-3)


def test_what_python_sets_is_drawn_and_not_sent_back(cells: Any) -> None:
    cell = Cell(cells(ulna.widget(ARM, q0=START)))
    q = [0.2, 1.1]
    cell.page.evaluate("q => models[0].python('q', q)", q)
    wanted = ulna.kinematics.tip(ARM, q)[:2]
    cell.page.wait_for_function(
        "text => document.querySelector('.widget-arm').dataset.tip === text",
        arg=",".join(f"{one:.6f}" for one in wanted),
    )
    assert cell.sent() == []
    assert "63.0" in cell.page.locator(".arm-head").inner_text()  # degrees of the second joint


def test_widgets_stand_side_by_side_and_leave_no_trace(cells: Any) -> None:
    page = cells(ulna.widget(ARM, q0=START), ulna.widget(ARM, q0=START))
    page.set_viewport_size({"width": 900, "height": 1200})
    page.wait_for_timeout(50)
    second = Cell(page, 1)
    second.drag(second.pixel, second.screen([0.6, 1.1]))
    assert Cell(page, 0).sent() == []
    page.evaluate("ends.forEach((end) => end())")
    assert page.evaluate("models.map((model) => model.listening())") == [0, 0]
    assert page.locator(".ulna-widget").count() == 0


def test_the_style_stays_inside(cells: Any) -> None:
    page = cells(ulna.widget(ARM))
    selectors = page.evaluate("""() => {
      const rules = (list) => [...list].flatMap((rule) =>
        rule.selectorText ? [rule.selectorText] : rules(rule.cssRules ?? []));
      return rules(document.styleSheets[0].cssRules).flatMap((text) => text.split(","));
    }""")
    assert len(selectors) > 50
    assert [one for one in selectors if not one.strip().startswith(".ulna-widget")] == []


SIGNALS = [
    ("", "light"),
    ("document.body.dataset.jpThemeLight = 'false'", "dark"),
    ("delete document.body.dataset.jpThemeLight", "light"),
    ("document.documentElement.dataset.theme = 'dark'", "dark"),
]


def test_it_is_as_light_or_dark_as_the_notebook(cells: Any) -> None:
    page = cells(ulna.widget(ARM), color_scheme="light")
    # Read from a copy: a canvas that is read often is moved out of the graphics card's memory.
    corner = """canvas => {
      const context = new OffscreenCanvas(1, 1).getContext("2d");
      context.drawImage(canvas, -2, -2);
      return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)];
    }"""
    for signal, theme in SIGNALS:
        page.evaluate(f"() => {{ {signal} }}")
        page.wait_for_selector(f".ulna-widget[data-theme={theme}]")
        # The canvas as well, a frame later: its corner has the colour of the card.
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        brightness = np.mean(page.locator("canvas").evaluate(corner))
        assert (brightness > 128) == (theme == "light"), signal


def test_a_run_plays_and_python_follows_its_time(cells: Any, run: ulna.Run) -> None:
    widget = ulna.widget(run)
    page = cells(widget)
    assert page.evaluate("models[0].sent") == []  # it waits to be played
    page.get_by_role("button", name="Play").click()
    page.wait_for_function("models[0].sent.length > 4")
    sent = page.evaluate("models[0].sent")
    assert [one["playing"] for one in sent if "playing" in one] == [True]
    times = [one["_time"] for one in sent if "_time" in one]
    assert times == sorted(times)
    assert times[-1] < 2.0
    # Some ten a second, however many frames there are.
    assert np.min(np.diff([one["at"] for one in sent[1:]])) > 90.0
    page.evaluate("models[0].python('playing', false)")
    page.get_by_role("button", name="Play").wait_for()
    count = len(page.evaluate("models[0].sent"))
    page.evaluate("models[0].python('_seek', [1, 1.25])")
    wanted = [np.interp(1.25, run.t, one) for one in run.tip[:, :2].T]
    page.wait_for_function("models[0].get('_time') === 1.25")
    page.wait_for_timeout(50)
    shown = page.locator(".player-stage").get_attribute("data-tip")
    np.testing.assert_allclose([float(one) for one in shown.split(",")], wanted, atol=1e-4)
    # One answer, since a time may have been on its way; no echo after it.
    assert len(page.evaluate("models[0].sent")) <= count + 2


def test_a_broken_document_is_told(cells: Any, run: ulna.Run, troubles: list[str]) -> None:
    widget = ulna.widget(run)
    widget._data = "no base64!"
    page = cells(ulna.widget(ARM), widget)
    page.locator("#cell1 .widget-broken").wait_for()
    assert "cannot be read" in page.locator("#cell1").inner_text()
    assert len(troubles) == 1
    troubles.clear()


def test_nothing_serious_for_assistive_tools(cells: Any, run: ulna.Run) -> None:
    page = cells(ulna.widget(ARM, q0=START), ulna.widget(run))
    page.locator(".player").wait_for()
    assert violations(page) == []
    label = page.locator("#cell0 canvas").get_attribute("aria-label")
    assert label == "unit: joint angles 51.6°, −68.8°; tip at x 1.577 m, y 0.488 m."


def test_names_are_text_and_no_markup(cells: Any) -> None:
    name = "<img src=x onerror=alert(1)>"
    page = cells(ulna.widget(ARM.replace(name=name), q0=START))
    assert name in page.locator(".widget-name").inner_text()
    assert page.locator(".ulna-widget img").count() == 0
