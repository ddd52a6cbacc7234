"""A playground in a browser, handled as a person would: by pixels of the arm, touch and words."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page

import ulna
from ulna.viewer.playground_scenes import state_text

SCREEN = {"viewport": {"width": 1280, "height": 800}}
TWO = ulna.Arm.rods([0.5, 0.4], [1.0, 0.6], name="two")
THREE = ulna.Arm.rods([0.5, 0.4, 0.3], [1.0, 0.6, 0.4], name="three")
FOUR = ulna.Arm.rods([0.5, 0.4, 0.3, 0.2], [1.0, 0.6, 0.4, 0.2], name="four")
BENT = [0.9, -1.2, -0.7, -0.5]
MOST_BYTES = 400_000
SESSION = "ulnaPlayground.session"
# The page asks for the frame that it draws in before this does, so that one is enough.
LOAD = """state => new Promise(done => {
  const { fromFragment, session } = ulnaPlayground;
  session.load(fromFragment(state));
  document.querySelector('[aria-label="Show the whole workspace"]').click();
  requestAnimationFrame(done);
})"""
# The workspace is fitted into the canvas as the page does it, until somebody zooms.
PIXELS = """points => {
  const box = document.querySelector(".play-canvas").getBoundingClientRect();
  const { links } = ulnaPlayground.session.arm;
  const reach = 1.04 * links.reduce((sum, { length }) => sum + length, 0);
  const edge = 2 * Math.min(36, 0.07 * Math.min(box.width, box.height));
  const scale = Math.min(box.width - edge, box.height - edge) / (2 * reach);
  const middle = [box.x + box.width / 2, box.y + box.height / 2];
  return points.map(([x, y]) => [middle[0] + scale * x, middle[1] - scale * y]);
}"""
PLACES = """() => {
  const { mechanism, simulation } = ulnaPlayground.session;
  return mechanism.model.joints(mechanism.letters, simulation.q);
}"""
# By a copy: a browser warns of a canvas that is read again and again.
COLOURS = """async points => {
  const frame = () => new Promise(requestAnimationFrame);
  await frame(); await frame();
  const canvas = document.querySelector(".play-canvas"), box = canvas.getBoundingClientRect();
  const ratio = canvas.width / box.width;
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [canvas.width, canvas.height];
  const drawn = copy.getContext("2d", { willReadFrequently: true });
  drawn.drawImage(canvas, 0, 0);
  return (PIXELS)(points).map(([x, y]) => {
    const [px, py] = [(x - box.x) * ratio, (y - box.y) * ratio].map(Math.round);
    return [...drawn.getImageData(px, py, 1, 1).data].slice(0, 3);
  });
}"""


def assert_small_and_whole(file: Path) -> None:
    """Hold a file to its size, and to loading nothing."""
    assert file.stat().st_size <= MOST_BYTES
    text = file.read_text("utf-8")
    assert "default-src 'none'; script-src 'sha256-" in text
    assert 'src="' not in text
    assert "<link" not in text


class PlaygroundPage:
    """What can be done on a playground, and what it shows."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._touches: Any = None

    # ------------------------------------------------------------------------------------- state

    def get(self, what: str) -> Any:
        """Return something of the session, such as "simulation.q"."""
        return self.page.evaluate(f"() => {SESSION}.{what}")

    def load(self, state: str) -> None:
        """Begin with another state, as an address carries it, and with the whole workspace in view.

        A test before may have missed a moving arm and dragged the view instead.
        """
        self.page.evaluate(LOAD, state)

    def start(self, arm: ulna.Arm = TWO, q: list[float] | None = None, **given: Any) -> None:
        """Begin with an arm, bent unless told otherwise."""
        self.load(state_text(arm, BENT[: arm.n] if q is None else q, **given))

    def pass_time(self, seconds: float) -> None:
        """Let a playing arm go on, however busy the machine is."""
        script = f"seconds => {{ for (let t = 0; t < seconds; t += 0.05) {SESSION}.advance(0.05) }}"
        self.page.evaluate(script, seconds)

    def settle(self) -> None:
        """Wait until what was done is drawn."""
        frames = "requestAnimationFrame(() => requestAnimationFrame(done))"
        self.page.evaluate(f"() => new Promise(done => {frames})")

    @property
    def tip(self) -> list[float]:
        """The tip that the page tells [m]."""
        text = self.page.evaluate("document.querySelector('[data-ulna=playground]').dataset.tip")
        return [float(part) for part in str(text).split(",")]

    @property
    def message(self) -> Locator:
        return self.page.locator(".play-message")

    # ----------------------------------------------------------------------------------- picture

    def pixels(self, points: Iterable[Iterable[float]]) -> list[list[float]]:
        """Return where points of the plane [m] are on the screen."""
        return self.page.evaluate(PIXELS, [list(point) for point in points])

    def pixel(self, x: float, y: float) -> list[float]:
        return self.pixels([[x, y]])[0]

    def places(self) -> list[list[float]]:
        """Return where base, joints and tip are on the screen."""
        return self.page.evaluate(f"() => ({PIXELS})(({PLACES})())")

    def colour(self, x: float, y: float) -> list[int]:
        """Return the colour of a point of the plane [m]."""
        return self.colours([[x, y]])[0]

    def colours(self, points: Iterable[Iterable[float]]) -> list[list[int]]:
        """Return the colours of points of the plane [m]."""
        return self.page.evaluate(COLOURS.replace("PIXELS", PIXELS), [list(x) for x in points])

    # ---------------------------------------------------------------------------------- gestures

    def drag(self, points: list[list[float]], *, hold: bool = False) -> None:
        """Drag the mouse along points of the screen."""
        mouse = self.page.mouse
        mouse.move(*points[0])
        mouse.down()
        for point in points[1:]:
            mouse.move(*point)
        if not hold:
            mouse.up()
        self.settle()

    def touch(self, points: list[list[float]], *, hold: bool = False) -> None:
        """Draw a finger along points of the screen."""
        self._touches = self._touches or self.page.context.new_cdp_session(self.page)
        for k, (x, y) in enumerate(points):
            self._touch("touchMove" if k else "touchStart", [{"x": x, "y": y}])
        if hold:
            self.settle()
        else:
            self.lift()

    def lift(self) -> None:
        """Take the finger away."""
        self._touch("touchEnd", [])
        self.settle()

    def _touch(self, kind: str, points: list[dict[str, float]]) -> None:
        self._touches.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    # ------------------------------------------------------------------------------------ panels

    def card(self, name: str) -> Locator:
        """Return a panel, unfolded."""
        card = self.page.locator("details.play-card").filter(
            has=self.page.get_by_role("heading", name=name, exact=True)
        )
        if card.get_attribute("open") is None:
            card.locator("summary").click()
        return card

    def number(self, label: str) -> Locator:
        """Return the field of a slider."""
        slider = self.page.locator(".play-slider").filter(
            has=self.page.locator(".play-label", has_text=label)
        )
        return slider.locator(".play-number")

    def type(self, label: str, text: str) -> Locator:
        """Type a number with its unit; returns what the page says against it."""
        field = self.number(label)
        field.fill(text)
        field.press("Enter")
        return field.locator("xpath=ancestor::div[1]").locator(".play-problem")
