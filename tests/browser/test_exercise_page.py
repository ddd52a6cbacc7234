"""Exercises in a browser: answered as a student would, by keyboard, on a phone, wrongly."""

import functools
import math

import pytest
from playwright.sync_api import expect

from page_checks import PHONE, WIDER, violations
from ulna.viewer.exercises import KINDS, exercise
from ulna.viewer.playground import play

CARD = ".play-exercise"
SEED = 7
FIRST, *OTHERS = KINDS


@pytest.fixture(scope="module")
def page_of(samples, tmp_path_factory):
    """Make the page of a kind of exercise once."""
    folder = tmp_path_factory.mktemp("exercises")

    @functools.cache
    def made(kind):
        return play(file=folder / f"{kind}.html", exercise=kind, seed=SEED, progress=False)

    return made


# Tests of one kind follow one another, on the page that the first of them opened. All kinds are
# the same fields to a page; what it makes of answers is tested in web/test/exercise.test.ts.
@pytest.fixture(
    scope="module",
    params=[FIRST, *(pytest.param(kind, marks=pytest.mark.slow) for kind in OTHERS)],
)
def desk(request, pages, page_of):
    """The page of each kind of exercise on a screen."""
    page = pages.open(page_of(request.param))
    yield page
    pages.give_back(page)


@pytest.fixture
def made(request):
    """The exercise that the page asks."""
    return _exercise(request.node.callspec.id)


@functools.cache
def _exercise(kind):
    return exercise(kind, SEED)


def fields(page):
    return page.locator(f"{CARD} input")


def said(page):
    return page.locator(f"{CARD} .play-exercise-field output")


def progress(page):
    return page.locator(".play-exercise-progress")


def test_the_right_answers_are_right(desk, made):
    for answers in made.answers:
        for place, (one, value) in enumerate(zip(made.asked, answers, strict=True)):
            shown = math.degrees(value) if one.unit == "deg" else value
            fields(desk).nth(place).fill(f"{shown:.4g}".replace(".", ","))
        fields(desk).last.press("Enter")
        count = len(made.asked)
        expect(progress(desk)).to_have_text(f"{count} of {count} right: well done!")
        expect(said(desk)).to_have_text(["Right."] * count)


def test_steps_unfold_and_fit_a_narrow_screen(desk, made):
    before = desk.viewport_size
    desk.set_viewport_size(PHONE["viewport"])
    steps = desk.locator(f"{CARD} pre")
    expect(steps).to_be_hidden()
    desk.get_by_text("Show the worked steps").click()
    expect(steps).to_be_visible()
    assert steps.text_content() == made.steps
    assert desk.evaluate(WIDER) == 0
    expect(desk.locator(CARD)).to_contain_text("the page holds the answers")
    desk.set_viewport_size(before)


@pytest.mark.parametrize("desk", ["torque"], indirect=True)
def test_a_wrong_answer_is_told_how_wrong_it_is(desk, made):
    first, second = made.answers[0]
    fields(desk).nth(0).fill(f"{1.2 * first} N·m")
    fields(desk).nth(1).fill(f"{-second}")
    desk.get_by_role("button", name="Check").click()
    expect(said(desk)).to_have_text(["Too large by 20 %.", "The size is right, the sign is wrong."])
    expect(progress(desk)).to_have_text("0 of 2 right")
    expect(fields(desk).nth(0)).to_be_focused()
    expect(fields(desk).nth(0)).to_have_attribute("aria-invalid", "true")
    fields(desk).nth(0).fill("3 kg")
    expect(said(desk).nth(0)).to_have_text("")
    fields(desk).nth(0).press("Enter")
    expect(said(desk).nth(0)).to_contain_text("“3 kg” is a mass: a torque is needed")


@pytest.mark.parametrize("desk", ["reach"], indirect=True)
def test_typing_does_not_play_the_arm(desk):
    fields(desk).nth(0).fill("")
    fields(desk).nth(0).click()
    desk.keyboard.type("1 2 . c d t ?")
    expect(fields(desk).nth(0)).to_have_value("1 2 . c d t ?")
    expect(desk.get_by_role("button", name="Play", exact=False).first).to_be_visible()


@pytest.mark.parametrize("desk", ["pid"], indirect=True)
def test_the_card_can_be_read_by_everybody(desk):
    for place in range(5):
        fields(desk).nth(place).fill("1")
    fields(desk).last.press("Enter")
    desk.locator(f"{CARD} details").evaluate("steps => { steps.open = true }")
    for scheme in ("light", "dark"):
        desk.emulate_media(color_scheme=scheme)
        expect(desk.locator("html")).to_have_attribute("data-theme", scheme)
        assert violations(desk, CARD) == [], scheme
