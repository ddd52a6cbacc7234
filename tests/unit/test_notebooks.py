"""What notebooks show of our objects: well-formed HTML that says what the object says."""

from xml.etree import ElementTree

import numpy as np
import pytest

import ulna
from ulna.progress import card

ARM = ulna.preset("kehl")


def parsed(html):
    """Give the parts of well-formed HTML; our own fragments close all that they open."""
    return ElementTree.fromstring(html.replace("<br>", "<br/>"))


@pytest.fixture(scope="module")
def run():
    return ulna.simulate(ARM, q0=[0.3, 0.5], duration=0.1)


def test_a_card_is_title_lines_and_a_table():
    made = parsed(card("a < b", ["one & two"], ("x", "y"), [("1", "2"), ("3", "<4")]))
    assert made.find("strong").text == "a < b"
    assert [cell.text for cell in made.iter("th")] == ["x", "y"]
    assert [cell.text for cell in made.iter("td")] == ["1", "2", "3", "<4"]


def test_a_run_shows_a_row_for_every_joint(run):
    made = parsed(run._repr_html_())
    cells = [cell.text for cell in made.iter("td")]
    assert (cells[0], cells[5]) == ("1", "2")
    assert float(cells[2]) == pytest.approx(np.degrees(run.q[-1, 0]), rel=1e-3)
    assert str(run.status) in "".join(made.itertext())


def test_solutions_show_every_posture_in_degrees():
    found = ulna.kinematics.inverse(ulna.preset("unit"), [1.71, 0.30])
    cells = [cell.text for cell in parsed(found._repr_html_()).iter("td")]
    assert cells[0] == "positive, elbow down"
    assert float(cells[2]) == pytest.approx(59.5325, abs=1e-4)
    assert cells[-1] == "ok"


def test_a_derivation_shows_its_steps_without_a_page_around_them():
    made = ulna.derive(links=1)
    html = made._repr_html_()
    assert html.startswith("<div>")
    assert "<style>" not in html
    assert html.count("<h2>") == len(made.steps)
