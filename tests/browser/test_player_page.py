"""Players embedded in a page: seen, scrubbed and slowed down, in both themes and on a phone."""

from functools import cache

import numpy as np
import pytest
from playwright.sync_api import expect

import ulna
from page_checks import PHONE, violations

TITLES = {"one-joint": "One joint", "skater": "A skater in two models"}
HOST = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Players</title></head>
<body><h1>Players</h1>{}</body></html>"""
BELOW = '<section id="{}" style="margin-top: 1000px">{}</section>'
DRAWN = 2e-6  # [m] places on the page have six digits


class Player:
    """A player of the page, used as a person does."""

    def __init__(self, page, key):
        self.page, self.key = page, key
        self.box = page.locator(f"#{key} iframe")
        self.root = page.frame_locator(f"#{key} iframe").locator(".player")
        self.slider = self.root.get_by_role("slider", name="Time")
        self.clock = self.root.locator(".player-time")
        self.speed = self.root.get_by_role("combobox", name="Speed")

    def button(self, name):
        return self.root.get_by_role("button", name=name, exact=True)

    def look_at(self):
        self.box.scroll_into_view_if_needed()

    @property
    def time(self):
        return float(self.clock.inner_text().removesuffix(" s"))

    def seek(self, step):
        """Go by the slider to one of its 2000 places, and return the time there [s]."""
        self.slider.fill(str(step))
        self.root.evaluate(
            "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )
        return step / 2000 * run_of(self.key).t[-1]

    @property
    def tip(self):
        text = self.root.locator("[data-tip]").get_attribute("data-tip")
        return np.array([float(part) for part in text.split(",")])


@cache
def run_of(key, dynamics="full"):
    """Simulate what a player shows, in the model of the arm that is in front."""
    if key == "one-joint":
        return ulna.simulate(ulna.preset("bechard-1"), q0=[0.0], torque=[10.0], duration=20.0)
    options = {"q0": [0.0, 0.0], "torque": [45.0, 45.0], "duration": 5.0, "samples": 2001}
    arm = ulna.preset("bechard-skater")
    return ulna.simulate(arm, dynamics=dynamics, **options)


def tip_at(run, time):
    """Return where the tip is, between samples as angles go on from one to the next."""
    phi = np.cumsum([np.interp(time, run.t, q) for q in run.q.T])
    lengths = np.array([link.length for link in run.arm.links])
    return np.array([lengths @ np.cos(phi), lengths @ np.sin(phi)])


def in_single_precision(run):
    """Return how far off [m] a tip may be whose angles had single precision."""
    lengths = sum(link.length for link in run.arm.links)
    return DRAWN + np.abs(run.q).max() * np.finfo(np.float32).eps * lengths * len(run.arm.links)


@pytest.fixture(scope="module")
def file(samples, tmp_path_factory):
    """A page with two players."""
    models = {name: run_of("skater", name) for name in ("full", "sequential")}
    shown = {"one-joint": run_of("one-joint"), "skater": models}
    players = {key: ulna.viewer.player(runs, title=TITLES[key]) for key, runs in shown.items()}
    parts = (BELOW.format(key, player._repr_html_()) for key, player in players.items())
    file = tmp_path_factory.mktemp("players") / "host.html"
    file.write_text(HOST.format("".join(parts)), "utf-8")
    return file


@pytest.fixture(scope="module")
def page(opener, file):
    """The page of a reader who wants no motion, on which players stay where they are put."""
    return opened(opener, file, viewport={"width": 1024, "height": 700}, reduced_motion="reduce")


def opened(opener, file, **options):
    page = opener(file, ready="iframe", **options)
    for key in TITLES:
        Player(page, key).root.wait_for()
    return page


def test_nothing_plays_by_itself_where_motion_is_unwanted(page):
    player = Player(page, "one-joint")
    player.look_at()
    page.wait_for_timeout(200)
    assert player.time == 0.0
    expect(player.speed).to_have_value("1")
    player.button("Play").click()
    expect(player.clock).not_to_have_text("0.00 s")
    player.button("Pause").click()


def test_a_player_plays_when_it_is_seen_and_rests_when_it_is_not(open_page, file):
    page = opened(open_page, file, viewport={"width": 1024, "height": 700})
    first, second = Player(page, "one-joint"), Player(page, "skater")
    assert second.time == 0.0
    first.look_at()
    expect(first.button("Pause")).to_be_visible()
    expect(second.button("Play")).to_have_count(1)
    second.look_at()
    expect(second.button("Pause")).to_be_visible()
    expect(second.clock).not_to_have_text("0.00 s")
    page.evaluate("scrollTo(0, 0)")
    expect(second.button("Play")).to_have_count(1)
    assert second.time > 0.0
    second.look_at()
    expect(second.button("Pause")).to_be_visible()
    second.button("Pause").click()
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(100)
    second.look_at()
    page.wait_for_timeout(150)
    expect(second.button("Play")).to_be_visible()  # as it was paused by its reader


def test_scrubbed_it_shows_where_python_has_the_arm(page):
    for key in TITLES:
        player, run = Player(page, key), run_of(key)
        player.look_at()
        for step in (0, 137, 1000, 1999, 2000):
            time = player.seek(step)
            assert player.time == pytest.approx(time, abs=0.51e-2)
            np.testing.assert_allclose(player.tip, tip_at(run, time), atol=in_single_precision(run))


def brightness(player):
    """Return that of a corner of the canvas, which no colour of the page reaches by itself."""
    corner = player.root.locator("canvas").evaluate("""one => {
      const read = document.createElement("canvas").getContext("2d");
      read.drawImage(one, 3, one.height - 3, 1, 1, 0, 0, 1, 1);
      return [...read.getImageData(0, 0, 1, 1).data];
    }""")
    return sum(corner[:3]) / (3 * 255)


@pytest.mark.parametrize("screen", [{}, PHONE], ids=["desk", "phone"])
def test_a_page_fits_screens_and_follows_themes(open_page, file, screen):
    page = opened(open_page, file, color_scheme="light", reduced_motion="reduce", **screen)
    player = Player(page, "one-joint")
    player.look_at()
    box, width = player.root.bounding_box(), page.viewport_size["width"]
    assert box["x"] >= 0.0
    assert box["x"] + box["width"] <= width
    assert brightness(player) > 0.8
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    page.wait_for_function("matchMedia('(prefers-color-scheme: dark)').matches")
    page.wait_for_timeout(100)
    assert brightness(player) < 0.2


def alone(folder):
    """Write a page of nothing but a player."""
    file = folder / "player.html"
    file.write_text(ulna.viewer.player(run_of("skater")).html, "utf-8")
    return file


def test_a_player_is_played_by_a_finger(open_page, samples, tmp_path):
    page = open_page(alone(tmp_path), reduced_motion="reduce", **PHONE)
    page.get_by_role("button", name="Play", exact=True).tap()
    expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
    page.get_by_role("button", name="Pause", exact=True).tap()
    box = page.get_by_role("slider", name="Time").bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    end = run_of("skater").t[-1]
    time = float(page.locator(".player-time").inner_text().removesuffix(" s"))
    assert time == pytest.approx(end / 2, abs=0.03 * end)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_player_alone_on_a_page_can_be_used_by_everybody(open_page, samples, tmp_path, scheme):
    page = open_page(alone(tmp_path), color_scheme=scheme, reduced_motion="reduce")
    assert violations(page) == []
