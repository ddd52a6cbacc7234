"""Every figure, table, listing and equation number of the papers is an address in the pages."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tabular import tabular
from ulna.papers import NUMBERS, paper, rows
from ulna.papers.edition import Edition, Judged
from ulna.papers.pages import derivation_page, errata_page, index_page, paper_page
from ulna.papers.papers_folder import PLAYGROUND
from ulna.viewer.playground_scenes import scenes

DOCS = Path(__file__).resolve().parents[2] / "docs"
# As the papers number them. Papers 001, 003 and 004 do not number their tables, listings and
# their drawing: 001 has four tables of parameters (three regimes, the skater) and five listings
# (parameters and animation of one joint, slopes, parameters of four joints, a torque); 003 a
# drawing of its arm; 004 a table of the cases of atan2. No other equations have numbers.
NUMBERED = {
    "000": {"figure": 8, "code": 7},
    "001": {"figure": 5, "table": 4, "listing": 5},
    "002": {"figure": 2, "equation": 39},
    "003": {"figure": 1},
    "004": {"table": 1},
}
ADDRESSES = [
    (number, f"{kind}-{k}")
    for number, kinds in NUMBERED.items()
    for kind, count in kinds.items()
    for k in range(1, count + 1)
]
NAMES = {"Figure": "figure", "Code": "code", "Table": "table", "Listing": "listing"}
RANGE = r"\d+(?:(?: to |–| and |, )\d+)*"


class Page(HTMLParser):
    """Where a page can be entered, and where it leads."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.targets = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids += [given["id"]] if "id" in given else []
        self.targets += [given["href"]] if "href" in given else []


@pytest.fixture(scope="module")
def pages():
    judged = tuple(Judged(paper(number), rows(number)) for number in NUMBERS)
    edition = Edition(judged, filmed=False)
    made = {f"{one.paper.number}.html": paper_page(one, edition) for one in judged}
    made |= {one.derivation: derivation_page(one, edition) for one in judged if one.derivation}
    made |= {"index.html": index_page(edition), "errata.html": errata_page(edition)}
    return {name: Page(text) for name, text in made.items()}


@tabular(("number", "address"), ADDRESSES)
def test_every_number_is_an_address_once(pages, number, address):
    assert pages[f"{number}.html"].ids.count(address) == 1


@pytest.mark.parametrize("number", NUMBERS)
def test_no_number_is_made_up(number):
    known = {address for found, address in ADDRESSES if found == number}
    places = paper(number).places
    assert {place.anchor for place in places} == known
    assert len(places) == len(known)


def test_every_link_between_the_pages_leads_somewhere(pages):
    scened = {scene.id for scene in scenes()}
    for name, page in pages.items():
        assert len(set(page.ids)) == len(page.ids), name
        for target in page.targets:
            file, _, anchor = target.partition("#")
            if file == PLAYGROUND:
                assert anchor.removeprefix("scene=") in scened, target
            elif anchor:
                assert anchor in pages[file or name].ids, (name, target)


def test_every_address_in_the_docs_is_there(pages):
    found = [
        address
        for file in DOCS.glob("*.md")
        for address in re.findall(r"\b(0\d\d|index|errata)\.html#([\w-]+)", file.read_text("utf-8"))
    ]
    assert ("000", "figure-5") in found
    for name, anchor in found:
        assert anchor in pages[f"{name}.html"].ids, (name, anchor)


def between(text):
    """Give all numbers that a text such as "3 and 5 to 7" names."""
    numbers = set()
    for first, last in re.findall(r"(\d+)(?:(?: to |–)(\d+))?", text):
        numbers |= set(range(int(first), int(last or first) + 1))
    return numbers


def named(where):
    """Give the addresses that the place of a row names."""
    found = {
        f"{kind}-{k}"
        for word, kind in NAMES.items()
        for numbers in re.findall(rf"{word}s? ({RANGE})", where)
        for k in between(numbers)
    }
    equations = re.sub(r"\((\d+)\)", r"\1", " ".join(re.findall(r"\(\d+\)(?:–\(\d+\))?", where)))
    return found | {f"equation-{k}" for k in between(equations)}


def test_words_of_places_are_understood():
    assert named("§3, Codes 3 and 5 to 7") == {"code-3", "code-5", "code-6", "code-7"}
    assert named("after (13), (17), (21)–(23)") == {f"equation-{k}" for k in (13, 17, 21, 22, 23)}
    assert named("§2.4.1, Figure 2") == {"figure-2"}


@pytest.mark.parametrize("number", NUMBERS)
def test_a_place_has_every_row_that_names_it(number):
    judged = rows(number)
    places = {place.anchor: place for place in paper(number).places}
    for row in judged:
        for address in named(row.where):
            assert row.key in places[address].rows, (row.key, address)
    keys = {row.key for row in judged}
    assert all(set(place.rows) <= keys for place in places.values())
    assert all(place.about for place in places.values())
