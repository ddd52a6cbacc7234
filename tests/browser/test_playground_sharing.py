"""A playground as a file and as an address: small, shared, attacked, on every screen."""

import warnings
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import expect

import ulna
from page_checks import PHONE, WIDER, violations
from playground_page import (
    BENT,
    FOUR,
    SCREEN,
    THREE,
    TWO,
    PlaygroundPage,
    assert_small_and_whole,
)
from report_samples import ATTACKS
from ulna.viewer.playground_scenes import left_out, scenes, state_text


@pytest.fixture(scope="module")
def folder(samples, tmp_path_factory):
    return tmp_path_factory.mktemp("playground")


@pytest.fixture(scope="module")
def file(folder):
    return ulna.play(TWO, folder / "two.html", progress=False)


@pytest.fixture(scope="module")
def desk(opener, file):
    return PlaygroundPage(opener(file, **SCREEN))


@pytest.fixture(scope="module")
def phone(opener, file):
    return PlaygroundPage(opener(file, **PHONE))


# ------------------------------------------------------------------------------------ the file


def test_the_file_is_small_and_needs_nothing_else(file):
    assert_small_and_whole(file)


# ----------------------------------------------------------------------------------------- sharing


RICH = ulna.Arm.of(
    [
        ulna.Link(0.1 / 3, 1 / 7, com=0.01, inertia=1e-5, tip_mass=0.02, com_offset=0.001),
        ulna.Link(0.4, 0.6),
        ulna.Link(0.3, 0.2, com=0.2),
    ],
    [
        ulna.Joint(damping=0.1 / 3, rotor_inertia=1e-5, gear_ratio=-30.0),
        ulna.Joint(lower=-2.0, upper=1.9, max_torque=3.3),
        ulna.Joint(),
    ],
    gravity=(1 / 3, -9.0),
    payload=ulna.Payload(0.21, 1e-3),
    name='a "rich" \\ arm, äöü 1+1&2=3 #5',
)


def test_the_address_shares_the_state(desk):
    play, page = desk, desk.page
    more = [("law", "pd"), ("to", (0.1, 0.2, 0.3)), ("beside", "sequential"), ("hold", "1")]
    play.start(
        RICH, qd=[0.1, -0.2, 0.3], torque=[0.01, 0.0, -0.02], more=[*more, ("speed", [0.25])]
    )
    play.card("Share").get_by_role("button", name="Copy the address").click()
    expect(page.locator(".play-said")).to_have_text("Address copied.")
    address = page.evaluate("navigator.clipboard.readText()")
    page.wait_for_function("wanted => location.href === wanted", arg=address)
    state = play.get("state()")
    page.goto("about:blank")
    page.goto(address)
    page.wait_for_selector("[data-mounted]", state="attached")
    again = play.get("state()")
    assert again["arm"] == state["arm"]
    assert again["arm"]["name"] == RICH.name
    for name in ("control", "companion", "speed", "orientationHeld", "path"):
        assert again[name] == state[name]
    for name in ("q", "qd", "torque", "setPoint"):
        np.testing.assert_allclose(again[name], state[name], rtol=1e-8)
    page.evaluate("() => { location.hash = '#l=1,1&q=0.5,0' }")
    page.wait_for_function("() => ulnaPlayground.session.arm.links.length === 2")


# What else is refused, and why, is tested in web/test/state.test.ts.
DAMAGED = ["l=0.5,0.5&m=1", "l=0.5,0.5&law=alert(1)", "scene=%3Cscript%3E", "l=" + "1," * 50_000]
# As long as the last above for any page, but a browser takes seconds over them.
HUGE = ["l=" + "1," * 500_000, "l=0.5,0.5&m=" + "9" * 1_000_000 + ",1"]
EITHER = pytest.mark.parametrize(
    "fragments", [DAMAGED, pytest.param(HUGE, marks=pytest.mark.slow)], ids=["damaged", "huge"]
)


@EITHER
def test_damaged_addresses_get_a_sentence_and_the_pages_own_arm(desk, file, fragments):
    page = desk.page
    for fragment in fragments[-2:]:
        page.goto("about:blank")
        page.goto(f"{file.as_uri()}#{fragment}")
        page.wait_for_selector("[data-mounted]", state="attached")
        said = page.locator(".play-message").inner_text()
        assert said.startswith("The address cannot be read ("), fragment[:60]
        assert said.endswith("): this is the page's own arm."), fragment[:60]
        assert len(said) < 200
        assert page.evaluate("() => ulnaPlayground.session.arm.name") == "two"


# The page has heard of another address before the listener that is added here.
PASTE = """async fragments => {
  const said = [], message = document.querySelector(".play-message");
  for (const fragment of fragments) {
    message.textContent = "";
    const heard = new Promise(done => addEventListener("hashchange", done, { once: true }));
    location.hash = fragment;
    await heard;
    said.push(message.textContent);
  }
  return said;
}"""


@EITHER
def test_damaged_addresses_that_are_pasted_change_nothing(desk, fragments):
    desk.start()
    for fragment, said in zip(fragments, desk.page.evaluate(PASTE, fragments), strict=True):
        assert said.startswith("The address cannot be read ("), fragment[:60]
        assert len(said) < 200
    assert desk.get("arm.name") == "two"


def test_an_address_is_taken_though_the_page_writes_its_own_over_it(desk):
    desk.start()
    desk.page.evaluate(
        """async fragment => {
          const heard = new Promise(done => addEventListener("hashchange", done, { once: true }));
          const own = location.href;
          location.hash = fragment;
          history.replaceState(null, "", own);
          await heard;
        }""",
        state_text(THREE, BENT[:3]),
    )
    assert desk.get("arm.name") == "three"


def test_the_robot_file_and_the_line_of_python_make_the_same_arm(desk, tmp_path):
    desk.start(RICH)
    share = desk.card("Share")
    with desk.page.expect_download() as waiting:
        share.get_by_role("button", name="Robot file").click()
    assert waiting.value.suggested_filename.endswith(".toml")
    saved = tmp_path / "arm.toml"
    waiting.value.save_as(saved)
    assert ulna.load(saved) == RICH
    share.get_by_role("button", name="Copy the Python").click()
    known: dict[str, object] = {}
    exec(desk.page.evaluate("navigator.clipboard.readText()"), known)
    assert known["arm"] == RICH
    share.locator("summary").click()


CHOOSE = """async () => {
  const { session } = ulnaPlayground, chooser = document.querySelector(".play-presets");
  const found = {};
  for (const { value } of chooser.querySelectorAll("optgroup option")) {
    chooser.value = value;
    chooser.dispatchEvent(new Event("change"));
    session.play();
    session.advance(1);
    await new Promise(requestAnimationFrame);
    const { q, qd, diverged, time } = session.simulation;
    const page = document.documentElement;
    found[value] = [diverged, [...q, ...qd].every(Number.isFinite) && time >= 1,
      page.scrollWidth - page.clientWidth];
  }
  return found;
}"""


def test_every_scene_is_chosen_and_plays(desk):
    found = desk.page.evaluate(CHOOSE)
    assert found == {scene.id: [False, True, 0] for scene in scenes()}
    desk.page.get_by_label("Arm or scene").select_option("")
    assert desk.get("arm.name") == "two"


# ------------------------------------------------------------------------------------------ people


NAME_EACH = """async fragments => {
  const named = [];
  for (const fragment of fragments) {
    const heard = new Promise(done => addEventListener("hashchange", done, { once: true }));
    location.hash = fragment;
    await heard;
    named.push(ulnaPlayground.session.arm.name);
    ulnaPlayground.session.addLink();
    await new Promise(requestAnimationFrame);
  }
  return named;
}"""


def test_text_of_users_stays_text(open_page, folder):
    name = "".join(ATTACKS[:3])
    joints = [ulna.Joint(max_velocity=2.0), ulna.Joint()]
    arm = ulna.Arm.rods([0.5, 0.4], [1.0, 0.6], joints=joints, name=name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        file = ulna.play(arm, folder / "attacked.html", progress=False)
    page = open_page(file, **SCREEN)
    play = PlaygroundPage(page)
    play.card("Share")
    fragments = [f"arm={quote(attack)}&l=0.5,0.5" for attack in ATTACKS[3:]]
    assert page.evaluate(NAME_EACH, fragments) == list(ATTACKS[3:])
    assert page.evaluate("window.attacked") is None
    assert page.locator(".ulna img, .ulna svg[onload], .ulna b, [href^='javascript']").count() == 0
    assert left_out(arm)[0] in " ".join(page.locator(".play-foot").inner_text().split())
    assert page.locator(".play-presets option").first.text_content() == name


def test_everybody_can_read_it(open_page, file):
    page = open_page(file, **SCREEN)
    play = PlaygroundPage(page)

    def seen_in(scheme):
        page.emulate_media(color_scheme=scheme)
        expect(page.locator("html")).to_have_attribute("data-theme", scheme)
        return violations(page)

    for name in ("Torques", "Posture", "Beside it", "Share"):
        play.card(name)
    play.card("Controller").get_by_text("PD", exact=True).click()
    play.type("Length 1", "3 kg")
    assert seen_in("dark") == []
    assert seen_in("light") == []


def test_nothing_is_wider_than_the_screen(desk):
    page = desk.page
    for width in (390, 768, 1024, 1920, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        page.evaluate("scrollTo(0, 0)")
        desk.settle()
        desk.start(FOUR)
        assert page.evaluate(WIDER) <= 0, width
        box = page.locator(".play-canvas").bounding_box()
        assert min(box["width"], box["height"]) >= 290, width
        desk.drag([desk.places()[-1], desk.pixel(0.5, 0.5)])
        np.testing.assert_allclose(desk.tip, [0.5, 0.5], atol=1e-2, err_msg=str(width))


def test_a_phone_is_told_what_was_copied(phone):
    phone.start()
    phone.card("Share").get_by_role("button", name="Copy the Python").tap()
    expect(phone.page.locator(".play-said")).to_be_in_viewport()
    expect(phone.page.locator(".play-said")).to_have_text("Python copied.")
    assert violations(phone.page) == []


def test_a_phone_shows_the_arm_while_sliders_move_it(phone):
    phone.start()
    slider = phone.page.get_by_role("slider", name="Damping 2")
    slider.scroll_into_view_if_needed()
    slider.tap()
    assert phone.get("arm.joints[1].damping") > 0
    expect(phone.page.locator(".play-canvas")).to_be_in_viewport(ratio=0.95)
    expect(slider).to_be_in_viewport()
    # A keyboard covers the lower half: the picture leaves the upper one to what is typed.
    phone.number("Damping 2").tap()
    expect(phone.page.locator(".play-canvas")).not_to_be_in_viewport(ratio=0.95)
    phone.page.keyboard.press("Escape")
    slider.focus()
