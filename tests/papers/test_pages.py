"""Pages show what the rows say, escape it, and need nothing but the files beside them."""

import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from papers import NUMBERS, Number, Paper, Place, PlaceKind, Row, Verdict, paper
from papers.folder import DATA, PLAYGROUND, pages
from papers.page_text import prose
from papers.pages import Edition, errata_markdown, errata_section, numbers_table
from tabular import tabular
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
EMPTY = {"meta", "img", "br", "link", "input", "hr", "source"}
ROUNDING = re.compile(r"[0-9.]+(?:e[-−]| × 10⁻)(?:1[0-9]|¹[⁰¹²³⁴⁵⁶⁷⁸⁹])")  # machine-dependent
ODD = Paper(
    "009",
    "Ada One",
    "Arms & Legs",
    "It says <where>.",
    lambda: (
        Row(
            key="erratum-1",
            title="<script>alert('x')</script> & \"more\"",
            where="Code 7",
            printed="sin θ₁ | x",
            ours="`sin(theta2) | y`, *always*",
            verdict=Verdict.CORRECTED,
            why="A derivative was taken of the wrong angle.",
            how="differentiated by SymPy",
            size="up to 1.52 N·m",
            transcription="the bar",
            numbers=(Number("lost", float("nan"), "N·m"), Number("tiny", 2.5e-16)),
        ),
    ),
    (Place(PlaceKind.FIGURE, 1, "an arm & a `leg`"),),
)


class Page(HTMLParser):
    """Read a page as a browser does, and insist that it is well formed."""

    def __init__(self, text):
        super().__init__()
        self.source, self.text = text, ""
        self.open, self.tags, self.ids = [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.tags.append((tag, given))
        self.ids += [given["id"]] if "id" in given else []
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += "" if "style" in self.open else data

    def values(self, name, tag=None):
        return [has[name] for kind, has in self.tags if name in has and tag in (None, kind)]


@pytest.fixture(scope="module")
def made():
    edition = Edition(tuple(map(paper, NUMBERS)))
    return {name: Page(text) for name, text in pages(edition).items() if name != DATA}


def test_a_page_needs_nothing_from_elsewhere(made):
    for name, page in made.items():
        assert not {"script", "link", "object"} & {tag for tag, _ in page.tags}, name
        assert not [one for _, has in page.tags for one in has if one.startswith("on")], name
        assert not re.search("https?://|url\\(", page.source), name


def test_every_link_between_the_pages_leads_somewhere(made):
    scened = {scene.id for scene in scenes()}
    for name, page in made.items():
        assert len(set(page.ids)) == len(page.ids), name
        for target in page.values("href"):
            file, _, anchor = target.partition("#")
            if file == PLAYGROUND:
                assert anchor.removeprefix("scene=") in scened, target
            elif anchor:
                assert anchor in made[file or name].ids, (name, target)
            else:
                known = {picture.file for number in NUMBERS for row in paper(number).rows
                         for picture in (*row.pictures, *row.players)}  # fmt: skip
                assert file in {*made, DATA} or Path(file).name in known, (name, target)


def test_a_page_can_be_heard_and_read_on_a_small_screen(made):
    for name, page in made.items():
        headings = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
        assert headings.count(1) == 1, name
        assert all(after <= before + 1 for before, after in pairwise(headings)), name
        assert all(page.values("alt", "img")), name
        assert all(page.values("title", "iframe")), name
        assert page.values("lang", "html") == ["en"], name
        boxes = [has for _, has in page.tags if has.get("class") == "scroll"]
        assert all(box["tabindex"] == "0" and box["aria-label"] for box in boxes), name


@pytest.mark.parametrize("number", NUMBERS)
def test_a_row_is_shown_whole(made, number):
    page = made[f"{number}.html"]
    for row in paper(number).rows:
        assert row.key in page.ids
        for text in (row.title, row.where, row.printed, row.ours, row.why, row.how, row.size):
            assert text.replace("`", "") in page.text
        assert row.verdict.value in page.text
        assert row.call.strip() in page.text


@pytest.mark.parametrize("number", NUMBERS)
def test_errata_and_remarks_are_together_on_a_page(made, number):
    anchors = {one for one in made["errata.html"].ids if re.fullmatch(rf"{number}-\d+", one)}
    noted = {f"{number}-{row.key.partition('-')[2]}" for row in paper(number).rows if not row.item}
    assert anchors == noted


def test_what_people_wrote_stays_text():
    odd = {name: Page(text) for name, text in pages(Edition((ODD,))).items() if name != DATA}
    for name in ("009.html", "errata.html"):
        assert "<script" not in odd[name].source
        assert "&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt; &amp; &quot;more&quot;" in (
            odd[name].source
        )
        assert odd[name].text.count("which may have damaged the bar") == 1
    assert "One of five papers" in odd["index.html"].text
    assert re.search(
        '<li id="figure-1">.*?an arm &amp; a <code>leg</code>.*no row', odd["009.html"].source
    )
    assert "2.5 × 10⁻¹⁶" in odd["009.html"].text
    assert prose("`a<b` & c") == "<code>a&lt;b</code> &amp; c"


def test_markdown_tables_survive_what_stands_in_them():
    page = errata_markdown([ODD])
    line = next(line for line in page.splitlines() if line.startswith("| 1 |"))
    assert len(re.findall(r"(?<!\\)\|", line)) == 8
    assert "corrected; perhaps damage of our text: the bar" in line
    assert r"`sin(theta2) \| y`, \*always\*" in line


def test_every_line_of_a_table_is_as_long_as_its_head():
    numbers = [
        Number("a", 1.0, "m", 1.5, "x", "first"), Number("b", 2.0, "s", None, "x", "second"),
        Number("c", 3.0, "N", None, "y", "first"), Number("d", 4.0, "N", None, "y", "third"),
    ]  # fmt: skip
    source = numbers_table(numbers, "Numbers")
    head, body = source.split("<tbody>")
    width = 1 + 2 * head.count('colspan="2"') + head.count('scope="col" rowspan')
    for line in re.findall("<tr>(.*?)</tr>", body):
        assert line.count("<td") + line.count("<th") == width
    assert "1.5" in body  # as printed
    assert "1\N{NO-BREAK SPACE}" in body  # units differ, so that each stands by its number
    assert numbers_table([], "none") == ""


@pytest.mark.parametrize("number", NUMBERS)
def test_the_errata_in_the_docs_are_up_to_date(number):
    """If not, `make pictures` writes them anew."""

    def section(text):
        return ROUNDING.sub("tiny", text).strip()

    docs = (DOCS / "errata.md").read_text("utf-8").split("\n## ")[1:]
    assert len(docs) == len(NUMBERS)
    written = errata_section(paper(number)).removeprefix("## ")
    assert section(docs[NUMBERS.index(number)]) == section(written)


class TestPlaces:
    """Every figure, table, listing and equation number of the papers is an address."""

    @tabular(("number", "address"), ADDRESSES)
    def test_every_number_is_an_address_once(self, made, number, address):
        assert made[f"{number}.html"].ids.count(address) == 1

    @pytest.mark.parametrize("number", NUMBERS)
    def test_no_number_is_made_up(self, number):
        known = {address for found, address in ADDRESSES if found == number}
        places = paper(number).places
        assert {place.anchor for place in places} == known
        assert len(places) == len(known)

    def test_every_address_in_the_docs_is_there(self, made):
        pattern = r"\b(0\d\d|index|errata)\.html#([\w-]+)"
        texts = (file.read_text("utf-8") for file in DOCS.glob("*.md"))
        found = [address for text in texts for address in re.findall(pattern, text)]
        assert ("000", "figure-5") in found
        for name, anchor in found:
            assert anchor in made[f"{name}.html"].ids, (name, anchor)

    @pytest.mark.parametrize("number", NUMBERS)
    def test_a_place_has_every_row_that_names_it(self, number):
        judged = paper(number).rows
        places = {place.anchor: place for place in paper(number).places}
        for row in judged:
            for address in named(row.where):
                assert row.key in places[address].rows, (row.key, address)
        keys = {row.key for row in judged}
        assert all(set(place.rows) <= keys and place.about for place in places.values())

    def test_words_of_places_are_understood(self):
        assert named("§3, Codes 3 and 5 to 7") == {"code-3", "code-5", "code-6", "code-7"}
        equations = {f"equation-{k}" for k in (13, 17, 21, 22, 23)}
        assert named("after (13), (17), (21)–(23)") == equations
        assert named("§2.4.1, Figure 2") == {"figure-2"}


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
