"""Pages say what the rows say, escape it, and need nothing but the files beside them."""

import html
import json
import re
import zlib
from base64 import b64decode
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from PIL import Image

from ulna.papers import Number, players
from ulna.papers.edition import Judged
from ulna.papers.page_text import prose
from ulna.papers.pages import errata_markdown, numbers_table
from ulna.papers.papers_folder import both_themes, fill_folder
from ulna.progress import source_hash
from ulna.viewer import DARK, PRINT

EMPTY = {"meta", "img", "br", "link", "input", "hr"}


class Reader(HTMLParser):
    """Reads a page as a browser does, and insists that it is well formed."""

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.ids, self.text = [], [], [], ""
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append((tag, attributes))
        self.ids += [attributes["id"]] if "id" in attributes else []
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data if "style" not in self.open else ""

    def values(self, name, tag=None):
        return [has[name] for kind, has in self.tags if name in has and tag in (None, kind)]


def read(folder, name):
    return Reader((folder / name).read_text("utf-8"))


def test_the_folder_holds_pages_pictures_films_and_data(folder):
    held = sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())
    assert held == [
        "000.html", "004.html", "errata.html",
        "films/000-figure-5.jpg", "films/000-figure-5.mp4", "index.html",
        "pictures/000-figure-5-dark.png", "pictures/000-figure-5.png", "pictures/000-forward.svg",
        "rows.json",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["index.html", "000.html", "004.html", "errata.html"])
def test_a_page_needs_nothing_from_elsewhere(folder, name):
    page = read(folder, name)
    assert not {"script", "iframe", "link", "object"} & {tag for tag, _ in page.tags}
    assert not [name for _, has in page.tags for name in has if name.startswith("on")]
    targets = page.values("href") + page.values("src") + page.values("poster")
    for target in targets:
        file, _, anchor = target.partition("#")
        assert (folder / (file or name)).is_file()
        if anchor:
            assert anchor in read(folder, file or name).ids
    assert "url(" not in (folder / name).read_text("utf-8")
    assert len(set(page.ids)) == len(page.ids)


@pytest.mark.parametrize("name", ["index.html", "000.html", "004.html", "errata.html"])
def test_a_page_can_be_heard_and_read_on_a_small_screen(folder, name):
    page = read(folder, name)
    headings = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert headings.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(headings))
    assert all(page.values("alt", "img"))
    assert len(page.values("src", "img")) == len(page.values("alt", "img"))
    assert "width=device-width" in page.values("content")[0]
    assert page.values("lang", "html") == ["en"]
    source = (folder / name).read_text("utf-8")
    assert source.count("<table>") == source.count("<caption")
    assert "prefers-color-scheme: dark" in source
    assert "@media print" in source


@pytest.mark.parametrize("name", ["index.html", "000.html", "004.html"])
def test_nothing_moves_while_a_page_loads(folder, name):
    page = read(folder, name)
    shown = [(tag, has) for tag, has in page.tags if tag in {"img", "video"}]
    assert shown
    sizes = {"svg": ("384", "192"), "png": ("640", "320"), "mp4": ("64", "48")}
    for _, has in shown:
        assert (has["width"], has["height"]) == sizes[has["src"].rpartition(".")[2]]


def test_pictures_follow_the_theme_of_the_page(folder):
    drawing = (folder / "pictures/000-forward.svg").read_text("utf-8")
    rules = re.search("@media \\(prefers-color-scheme:dark\\)({.*})</style>", drawing)[1]
    for light, dark in ((PRINT.background, DARK.background), (PRINT.data[1], DARK.data[1])):
        assert light in drawing
        assert re.search(f': {light}"\\]{{[a-z]+:{dark}!important}}', rules)
    # Pixels cannot: there are some for each theme, and the page shows one of them.
    page = read(folder, "000.html")
    classes = {has["src"]: has.get("class") for tag, has in page.tags if tag == "img"}
    assert classes == {
        "pictures/000-forward.svg": None,
        "pictures/000-figure-5.png": "on-light",
        "pictures/000-figure-5-dark.png": "on-dark",
    }
    for theme, name in ((PRINT, "000-figure-5.png"), (DARK, "000-figure-5-dark.png")):
        with Image.open(folder / "pictures" / name) as picture:
            corner = picture.convert("RGB").getpixel((0, 0))
        assert corner == tuple(round(255 * part) for part in to_rgb(theme.background))


def test_drawings_that_differ_in_more_than_colours_stay_two():
    light = '<style></style><path style="fill: #ffffff" d="M 0 1"/>'
    assert "fill:#000001" in both_themes(light, light.replace("#ffffff", "#000001"))
    assert both_themes(light, light.replace("M 0 1", "M 0 2")) is None


@pytest.mark.parametrize("name", ["000.html", "004.html"])
def test_a_wide_table_scrolls_in_a_box_that_shows_it(folder, name):
    page = read(folder, name)
    boxes = [has for _, has in page.tags if has.get("class") == "scroll"]
    assert len(boxes) == sum(tag == "table" for tag, _ in page.tags)
    assert all(box["tabindex"] == "0" and box["role"] == "region" for box in boxes)
    assert all(box["aria-label"] for box in boxes)
    source = (folder / name).read_text("utf-8")
    assert re.search(
        r"\.scroll {[^}]*overflow-x: auto[^}]*local[^}]*var\(--paper-shade\)", source, re.S
    )


def test_a_row_is_shown_whole(folder, shelf):
    page = read(folder, "000.html")
    for row in shelf["000"].judge():
        assert row.key in page.ids
        for text in (row.title, row.where, row.printed, row.ours, row.why, row.how, row.size):
            assert text.replace("`", "") in page.text
        assert row.verdict.value in page.text
        assert row.call in page.text
    video = next(has for tag, has in page.tags if tag == "video")
    assert {"controls", "muted", "loop", "playsinline", "poster"} <= set(video)
    assert "1.7057371" in page.text  # eight digits, as it asks for
    assert "2.5 × 10⁻¹⁶" in page.text
    assert "errata.html#paper-000" in page.values("href", "a")
    assert "<Errata> of it" in page.text


def test_what_people_wrote_stays_text(folder):
    for name in ("000.html", "errata.html"):
        source = (folder / name).read_text("utf-8")
        assert "<script" not in source
        assert "&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt; &amp; &quot;more&quot;" in source
    assert prose("`a<b` & c") == "<code>a&lt;b</code> &amp; c"


def test_the_errata_and_remarks_are_there_and_nothing_else(folder):
    page = read(folder, "errata.html")
    assert {"000-1", "000-2", "paper-000", "paper-004"} <= set(page.ids)
    assert "up to 1.52 N·m" in page.text
    assert "Torques along the path" not in page.text
    assert "Ada One, Ben Two; 1 erratum, 1 remark" in page.text
    assert "Cy Three; no errata" in page.text


def test_remarks_stand_apart_from_errata_and_do_not_count(folder):
    page = read(folder, "000.html")
    headings = page.text.index("Errata"), page.text.index("Erratum 1 · Code 7")
    later = page.text.rindex("Remarks"), page.text.index("Remark 2 · Code 8")
    assert sorted((*headings, *later)) == [*headings, *later]
    assert "1 erratum, 1 remark" in read(folder, "index.html").text


def test_what_may_be_damage_of_our_text_is_said_to_be(folder):
    for name in ("000.html", "errata.html"):
        assert read(folder, name).text.count("which may have damaged the bar") == 1


def test_figures_and_equations_are_addresses_within_their_rows(folder):
    source = (folder / "000.html").read_text("utf-8")
    page = Reader(source)
    for address in ("figure-1", "figure-5", "code-7", "table-1"):
        assert page.ids.count(address) == 1
    section = re.search('<section class="card row" id="erratum-1">(.*?)</section>', source, re.S)
    assert 'id="code-7"' in section[1]
    # A number without a row has its address in the list, which says so.
    assert re.search('<li id="figure-1">.*?an arm &amp; a <code>leg</code>.*no row', source)
    assert "does not number its tables" in page.text
    assert "does not number" not in read(folder, "004.html").text


def test_the_same_again_is_the_same_to_the_last_letter(shelf, tmp_path):
    for place in (tmp_path / "one", tmp_path / "two"):
        place.mkdir()
        fill_folder(place, tuple(shelf))
    for file in (tmp_path / "one").rglob("*.*"):
        twin = tmp_path / "two" / file.relative_to(tmp_path / "one")
        assert twin.read_bytes() == file.read_bytes()


def test_without_films_a_page_has_none(shelf, tmp_path):
    edition = fill_folder(tmp_path, ["000"], films=False)
    page = read(tmp_path, "000.html")
    assert not (tmp_path / "films").exists()
    assert "video" not in {tag for tag, _ in page.tags}
    assert "The arm as it moves" not in page.text
    assert "Films were left out" in read(tmp_path, "index.html").text
    assert "films/000-figure-5.mp4" not in edition.made


def test_without_the_viewer_a_page_says_how_to_build_it(folder):
    page = read(folder, "000.html")
    assert "player to scrub" in page.text
    assert [has["src"] for tag, has in page.tags if tag == "video"] == ["films/000-figure-5.mp4"]


def test_films_are_players_where_the_viewer_is_built(shelf, tmp_path, monkeypatch):
    script, style = "let built = '<b>';", ".player { color: red; }"
    monkeypatch.setattr(players, "built_files", lambda name: (script, style))
    fill_folder(tmp_path, tuple(shelf))
    source = (tmp_path / "000.html").read_text("utf-8")
    assert source.count(f"<script>{script}</script>") == 1
    assert source.count(f"<style>{style}</style>") == 1
    assert source_hash(script) in html.unescape(source)
    (header,) = re.findall('class="ulna-document">(.*?)</script>', source, re.S)
    told = json.loads(header)
    run = shelf["000"].judge()[1].films[0].play().runs["free"]
    assert told["title"] == "</script> a spin"
    assert told["arm"]["name"] == "<b>arm</b>"
    assert [one["label"] for one in told["motions"]] == ["free", "again"]
    assert [one["role"] for one in told["motions"]] == ["open", "closed"]
    assert told["span"] == [0.0, 0.5]
    (data,) = re.findall('class="ulna-data">(.*?)</script>', source, re.S)
    raw = zlib.decompress(b64decode(data))
    first = np.frombuffer(raw[: 4 * 51], np.uint8).reshape(4, 51).T.copy().view("<f4")[:, 0]
    assert np.allclose(first, run.q[:, 0], atol=1e-6)
    page = Reader(source)
    # The film stays, for slides.
    (download,) = [has for tag, has in page.tags if tag == "a" and "download" in has]
    assert download["href"] == "films/000-figure-5.mp4"
    assert "player to scrub" not in page.text
    # Pages without a film have no script.
    assert "<script" not in (tmp_path / "004.html").read_text("utf-8")


def test_one_of_several_papers_says_so(shelf, tmp_path):
    fill_folder(tmp_path, ["004"], films=False)
    assert "One of five papers" in read(tmp_path, "index.html").text
    assert not (tmp_path / "000.html").exists()


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


def test_markdown_tables_survive_what_stands_in_them(shelf):
    page = errata_markdown([Judged(paper, paper.judge()) for paper in shelf.values()])
    line = next(line for line in page.splitlines() if line.startswith("| 1 |"))
    assert len(re.findall(r"(?<!\\)\|", line)) == 8
    assert "corrected; perhaps damage of our text: the bar" in line
    assert "Ada One, Ben Two. 1 erratum, 1 remark.\n" in page
    assert r"`sin(theta2) \| y`, \*always\*" in line
    assert page.startswith("# Errata\n")
