"""The page of errata in the docs says what the rows say."""

import re
from pathlib import Path

import pytest

from ulna.papers import NUMBERS, errata, paper, rows
from ulna.papers.edition import Judged
from ulna.papers.pages import errata_section

PAGE = Path(__file__).resolve().parents[2] / "docs" / "errata.md"
# Rounding differs from one processor to another, and with it how exactly a thing holds.
ROUNDING = re.compile(r"[0-9.]+(?:e[-−]| × 10⁻)(?:1[0-9]|¹[⁰¹²³⁴⁵⁶⁷⁸⁹])")


def sections(text):
    return ["## " + part.strip() for part in ROUNDING.sub("tiny", text).split("\n## ")[1:]]


@pytest.mark.parametrize("number", NUMBERS)
def test_the_page_is_up_to_date(number):
    """If not, `make pictures` writes it anew."""
    made = errata_section(Judged(paper(number), rows(number)))
    place = NUMBERS.index(number)
    assert sections(PAGE.read_text("utf-8"))[place] == sections("\n" + made)[0]


def test_the_page_has_all_papers():
    assert len(sections(PAGE.read_text("utf-8"))) == len(NUMBERS)


@pytest.mark.parametrize("number", NUMBERS)
def test_errata_are_the_rows_that_are_to_be_read_otherwise(number):
    found = errata(number)
    assert found == tuple(row for row in rows(number) if row.erratum)
    assert found == Judged(paper(number), rows(number)).errata
