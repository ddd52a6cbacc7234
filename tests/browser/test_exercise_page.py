"""Exercises in a browser: answered as a student would, by keyboard, on a phone, wrongly."""

import math

import pytest
from playwright.sync_api import expect

from page_checks import PHONE, WIDER, violations
from ulna.viewer.exercises import KINDS, exercise
from ulna.viewer.playground import play

CARD = ".play-exercise"


@pytest.fixture(scope="module")
def page_of(samples, tmp_path_factory):
    """Make the page of a kind of exercise, with seed 7, once."""
    folder = tmp_path_factory.mktemp("exercises")

    def made(kind):
        file = folder / f"{kind}.html"
        return file if file.exists() else play(file=file, exercise=kind, seed=7, progress=False)

    return made


def fields(page):
    return page.locator(f"{CARD} input")


def said(page):
    return page.locator(f"{CARD} .play-exercise-field output")


def progress(page):
    return page.locator(".play-exercise-progress")


@pytest.mark.parametrize("kind", KINDS)
def test_the_right_answers_are_right(open_page, page_of, kind):
    made = exercise(kind, 7)
    page = open_page(page_of(kind))
    for answers in made.answers:
        for place, (one, value) in enumerate(zip(made.asked, answers, strict=True)):
            shown = math.degrees(value) if one.unit == "deg" else value
            fields(page).nth(place).fill(f"{shown:.4g}".replace(".", ","))
        fields(page).last.press("Enter")
        count = len(made.asked)
        expect(progress(page)).to_have_text(f"{count} of {count} right: well done!")
        expect(said(page)).to_have_text(["Right."] * count)


def test_a_wrong_answer_is_told_how_wrong_it_is(open_page, page_of):
    first, second = exercise("torque", 7).answers[0]
    page = open_page(page_of("torque"))
    fields(page).nth(0).fill(f"{1.2 * first} N·m")
    fields(page).nth(1).fill(f"{-second}")
    page.get_by_role("button", name="Check").click()
    expect(said(page)).to_have_text(["Too large by 20 %.", "The size is right, the sign is wrong."])
    expect(progress(page)).to_have_text("0 of 2 right")
    expect(fields(page).nth(0)).to_be_focused()
    expect(fields(page).nth(0)).to_have_attribute("aria-invalid", "true")
    fields(page).nth(0).fill("3 kg")
    expect(said(page).nth(0)).to_have_text("")
    fields(page).nth(0).press("Enter")
    expect(said(page).nth(0)).to_contain_text("“3 kg” is a mass: a torque is needed")


def test_typing_does_not_play_the_arm(open_page, page_of):
    page = open_page(page_of("reach"))
    fields(page).nth(0).click()
    page.keyboard.type("1 2 . c d t ?")
    expect(fields(page).nth(0)).to_have_value("1 2 . c d t ?")
    expect(page.get_by_role("button", name="Play", exact=False).first).to_be_visible()


@pytest.mark.parametrize("kind", KINDS)
def test_steps_unfold_and_fit_a_phone(open_page, page_of, kind):
    page = open_page(page_of(kind), **PHONE)
    steps = page.locator(f"{CARD} pre")
    expect(steps).to_be_hidden()
    page.get_by_text("Show the worked steps").tap()
    expect(steps).to_be_visible()
    assert steps.text_content() == exercise(kind, 7).steps
    assert page.evaluate(WIDER) == 0
    expect(page.locator(CARD)).to_contain_text("the page holds the answers")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_card_can_be_read_by_everybody(open_page, page_of, scheme):
    page = open_page(page_of("pid"), color_scheme=scheme)
    for place in range(5):
        fields(page).nth(place).fill("1")
    fields(page).last.press("Enter")
    page.get_by_text("Show the worked steps").click()
    assert [found for found in violations(page) if CARD in str(found)] == []
