"""Players on a paper's page: seen, scrubbed and slowed down, in both themes and on a phone."""

from dataclasses import replace

import numpy as np
import pytest
from playwright.sync_api import expect

from page_checks import PHONE, WIDER, violations, watched
from papers import Film, Number, Row, Verdict, library
from papers.bechard import films
from papers.edition import Edition, Judged, path
from papers.pages import paper_page
from papers.players import player_document

SIZE = (640, 640)
PLAYED = {"one-joint": films.play_one_joint, "skater": films.play_tuck}
DRAWN = 2e-6  # [m] places on the page have six digits


class Player:
    """A player of the page, used as a person does."""

    def __init__(self, page, key):
        self.page, self.key = page, key
        self.root = page.locator(f"#{key} .player")
        self.slider = self.root.get_by_role("slider", name="Time")
        self.clock = self.root.locator(".player-time")
        self.speed = self.root.get_by_role("combobox", name="Speed")

    def button(self, name):
        return self.root.get_by_role("button", name=name, exact=True)

    def look_at(self):
        self.root.scroll_into_view_if_needed()

    @property
    def time(self):
        return float(self.clock.inner_text().removesuffix(" s"))

    def seek(self, step):
        """Go by the slider to one of its 2000 places, and return the time there [s]."""
        self.slider.fill(str(step))
        self.page.evaluate(
            "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )
        return step / 2000 * run_of(self.key).t[-1]

    @property
    def tip(self):
        text = self.root.locator("[data-tip]").get_attribute("data-tip")
        return np.array([float(part) for part in text.split(",")])


def run_of(key):
    """Return the run whose arm is in front: that which others are compared with."""
    return list(PLAYED[key]().runs.values())[-1]


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
    """A page of paper 001 with two of its films, for which no film has to be made."""
    texts = {"where": "§3", "printed": "a film", "ours": "a player", "why": "It can be played."}
    rows = [
        Row(
            key=key, title=played().title, verdict=Verdict.SAME, **texts, call="import ulna",
            numbers=(Number("end", run_of(key).t[-1], "s", label="ends at"),),
            films=(Film(f"{key}.mp4", "As it moves", str, played),),
        )
        for key, played in PLAYED.items()
    ]  # fmt: skip
    shown = {path(film): film for row in rows for film in row.films}
    judged = Judged(replace(library.paper("001"), places=()), tuple(rows))
    edition = Edition(
        (judged,),
        made=dict.fromkeys(shown, SIZE),
        players={name: player_document(film) for name, film in shown.items()},
    )
    file = tmp_path_factory.mktemp("papers") / judged.page
    file.write_text(paper_page(judged, edition), "utf-8")
    return file


@pytest.fixture(scope="module")
def page(opener, file):
    """The page of a reader who wants no motion, on which players stay where they are put."""
    return opener(file, viewport={"width": 1024, "height": 700}, reduced_motion="reduce")


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
    page = open_page(file, viewport={"width": 1024, "height": 700})
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
    for key in PLAYED:
        player, run = Player(page, key), run_of(key)
        player.look_at()
        for step in (0, 137, 1000, 1999, 2000):
            time = player.seek(step)
            assert player.time == pytest.approx(time, abs=0.51e-2)
            np.testing.assert_allclose(player.tip, tip_at(run, time), atol=in_single_precision(run))
    number = page.locator("#skater td.number").inner_text()
    assert float(number.split()[0]) == run_of("skater").t[-1]


def test_the_slider_is_dragged_and_keys_step(page):
    player, end = Player(page, "skater"), run_of("skater").t[-1]
    player.look_at()
    box = player.slider.bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.2 * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.5 * box["width"], y, steps=4)
    page.mouse.up()
    assert player.time == pytest.approx(end / 2, abs=0.03 * end)
    player.slider.press("Home")
    assert player.time == 0.0
    player.slider.press("Shift+ArrowRight")
    assert player.time == pytest.approx(10 / 60, abs=0.51e-2)
    player.slider.press("End")
    assert player.time == pytest.approx(end, abs=0.51e-2)


def test_slow_motion_is_as_slow_as_it_says(page):
    player = Player(page, "skater")
    player.look_at()
    player.seek(0)
    player.speed.select_option("0.25")
    player.button("Play").click()
    steps, times = watched(player.slider)
    player.button("Pause").click()
    step = run_of("skater").t[-1] / 2000
    assert min(abs(steps * step - 0.25 * time) for time in times) <= 1.01 * step
    player.slider.press(",")
    expect(player.speed).to_have_value("0.1")


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
    page = open_page(file, color_scheme="light", reduced_motion="reduce", **screen)
    assert page.evaluate(WIDER) <= 0
    player = Player(page, "one-joint")
    player.look_at()
    box, width = player.root.bounding_box(), page.viewport_size["width"]
    assert box["x"] >= 0.0
    assert box["x"] + box["width"] <= width
    assert brightness(player) > 0.8
    if screen:
        assert violations(page) == []
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    page.wait_for_function("matchMedia('(prefers-color-scheme: dark)').matches")
    page.wait_for_timeout(100)
    assert brightness(player) < 0.2
    if not screen:
        assert violations(page) == []


def test_players_of_a_phone_are_played_by_a_finger(open_page, file):
    player = Player(open_page(file, reduced_motion="reduce", **PHONE), "skater")
    player.look_at()
    player.button("Play").tap()
    expect(player.button("Pause")).to_be_visible()
    player.button("Pause").tap()
    box = player.slider.bounding_box()
    player.page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    end = run_of("skater").t[-1]
    assert player.time == pytest.approx(end / 2, abs=0.03 * end)
