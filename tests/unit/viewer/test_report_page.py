"""Reports: one page with its data inside, safe, whole, and of a size that can be sent."""

import base64
import hashlib
import json
import re
import zlib
from html.parser import HTMLParser

import numpy as np
import pytest

import ulna
from refusals import names_of
from report_samples import ATTACKS
from sweep_samples import made_sweep
from ulna.control import ComputedTorque, OpenLoop
from ulna.viewer import html_page, report_page
from ulna.viewer.web_document import ChartSpec, Curve, DocumentBuilder, evenly, extremes
from web_columns import unpacked


@pytest.fixture(scope="module")
def plan():
    return ulna.plan(ulna.preset("kehl"), ulna.paths.circle((0.5, 0.2), 0.1), duration=1.0)


@pytest.fixture(scope="module")
def runs(plan):
    laws = {"open loop": OpenLoop(), "closed loop": ComputedTorque()}
    return {
        label: ulna.simulate(plan.arm, controller=law, reference=plan)
        for label, law in laws.items()
    }


class Scripts(HTMLParser):
    """The text of every script, style and title, as a browser cuts the page into elements."""

    def __init__(self, html):
        super().__init__()
        self.found, self.tags, self.inside = [], [], None
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.inside = tag
        if tag in ("script", "style", "title"):
            self.found.append((tag, dict(attrs), ""))

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.found and self.inside == self.found[-1][0]:
            tag, attributes, text = self.found[-1]
            self.found[-1] = (tag, attributes, text + data)


def decoded(html):
    """Return header and columns of a page, read as the viewer reads them."""
    by_class = {one[1].get("class"): one[2] for one in Scripts(html).found}
    header = json.loads(by_class["ulna-document"])
    return header, unpacked(header, zlib.decompress(base64.b64decode(by_class["ulna-data"])))


def times(ref, columns):
    if isinstance(ref, int):
        return columns[ref]
    return ref["start"] + ref["step"] * np.arange(ref["count"])


def test_columns_come_back_as_they_were_to_single_precision(runs, plan, tmp_path):
    file = ulna.report(runs, tmp_path / "x.html", plan=plan)
    header, columns = decoded(file.read_text("utf-8"))
    closed = header["motions"][0]
    assert (closed["label"], closed["role"]) == ("closed loop", "closed")
    run = runs["closed loop"]
    np.testing.assert_allclose(times(closed["t"], columns), run.t, atol=1e-9)
    for joint in range(2):
        found = columns[closed["q"][joint]]
        np.testing.assert_array_equal(found, run.q[:, joint].astype("f4"))


def test_the_verdict_is_that_of_the_analysis(runs, plan):
    header = report_page.document(runs, plan=plan).header
    judged = ulna.analysis.verdict(runs["closed loop"], plan)
    assert header["kind"] == "following"
    assert header["verdict"] == {"ok": judged.follows, "text": judged.text}
    assert [one["id"] for one in header["charts"]][:2] == ["tip-error", "torque"]


@pytest.mark.parametrize("attack", ATTACKS)
def test_markup_in_what_users_write_stays_text(attack, tmp_path):
    name = attack if attack.isprintable() else attack[5:9]
    arm = ulna.preset("unit").replace(name=name)
    run = ulna.simulate(arm, q0=[0.0, 0.0], duration=0.01)
    swept = made_sweep({"payload": [0.0, 0.5]}, name=name)
    files = [tmp_path / f"{k}.html" for k in range(3)]
    ulna.report(run, files[0], title=attack, notes=[attack], command=attack)
    ulna.report(swept, files[1])
    ulna.play(arm, files[2], progress=False)
    for file in files:
        text = file.read_text("utf-8")
        assert attack not in text
        assert "img" not in Scripts(text).tags
    header, _ = decoded(files[0].read_text("utf-8"))
    said = header["title"], header["arm"]["name"], header["notes"][0], header["repeat"]["command"]
    assert said == (attack, name, attack, attack)


@pytest.mark.parametrize("built", [True, False])
def test_the_policy_allows_what_is_inside_and_nothing_else(built, runs, tmp_path, monkeypatch):
    monkeypatch.setattr(html_page, "BUILT", tmp_path)
    if built:
        (tmp_path / "viewer.js").write_text("let moved = 1 < 2;", "utf-8")
        (tmp_path / "viewer.css").write_text("body { color: red }", "utf-8")
    page = report_page.page(report_page.document(runs["open loop"]))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    assert policy.startswith("default-src 'none'; ")
    run_here = [one for one in Scripts(page).found if one[0] != "title" and "type" not in one[1]]
    for tag, _, text in run_here:
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert [one[0] for one in run_here] == ["style", "script"][: 1 + built]
    assert " style=" not in page
    assert ("make run" in page) is not built
    assert "ran to t = 1 s" in page.partition("ulna-document")[0]


def test_a_million_samples_keep_their_extremes_and_say_so():
    t, y = np.linspace(0.0, 1e3, 1_000_001), np.random.default_rng(1).normal(size=1_000_001)
    y[123_456], y[765_432] = 99.0, -99.0
    builder = DocumentBuilder({})
    builder.charts.append(ChartSpec("y", "y", "1", [Curve("y", t, y, 0)]))
    made = builder.finished()
    assert made.header["columns"][0]["length"] <= 2_400
    assert "of 1,000,001 samples" in made.header["notes"][0]
    kept = extremes(t, y[:, None], 2_400)
    assert {123_456, 765_432} <= set(kept.tolist())
    assert len(made.base64) < 40_000


def test_the_ends_of_gaps_are_kept():
    y = np.zeros((10_000, 1))
    y[4_000:5_000] = np.nan
    assert {3_999, 4_000, 4_999, 5_000} <= set(extremes(np.arange(10_000.0), y, 100).tolist())


@pytest.mark.parametrize("count", [1, 2, 1_000, 60_001, 99_991])
def test_samples_are_picked_evenly_with_both_ends(count):
    picked = evenly(count, 500)
    assert (picked[0], picked[-1]) == (0, count - 1)
    assert len(picked) <= 500
    assert (np.diff(picked) > 0).all()


def test_every_kind_of_result_has_its_document_and_nothing_passes_that_was_not_asked(runs, plan):
    batch = ulna.simulate_batch(ulna.preset("kehl"), q0=[[0.0, 0.0]], duration=0.1)
    for result, kind in ((runs["open loop"], "run"), (batch, "batch")):
        header = report_page.document(result).header
        assert (header["kind"], header["verdict"]["ok"]) == (kind, None)
    # Of an arm without limits none is kept.
    header = report_page.document(plan).header
    assert (header["kind"], "travel" in header) == ("plan", False)
    assert "no joint has a limit" in header["verdict"]["text"]


def test_travel_with_the_pen_up_is_a_line_of_its_own(tmp_path):
    # Two strokes of 10 cm, the second back again, and 10 cm of travel up between them.
    (tmp_path / "p.csv").write_text("x,y,pen\n0.4,0,0\n0.5,0,1\n0.5,0.1,0\n0.4,0.1,1\n", "utf-8")
    plan = ulna.plan(ulna.preset("kehl"), ulna.paths.csv(tmp_path / "p.csv"))
    file = ulna.report(plan, tmp_path / "x.html")
    header, columns = decoded(file.read_text("utf-8"))
    lines = {}
    for name in ("path", "travel"):
        x, y = (columns[header[name][axis]] for axis in "xy")
        steps = np.hypot(np.diff(x), np.diff(y))
        lines[name] = x, y, np.nansum(steps)
    assert lines["path"][2] == pytest.approx(0.2, abs=1e-4)
    assert lines["travel"][2] == pytest.approx(0.1, abs=1e-4)
    # The pen is lifted where the first stroke ends, and lowered where the second begins.
    assert len(header["travel"]["lifted"]) == 1
    where = plan.trajectory.tip(header["travel"]["lifted"][0]).position
    assert where == pytest.approx(np.array([[0.5, 0.0], [0.5, 0.1]]), abs=1e-3)
    # At the last point the pen is lifted as well, and goes nowhere.
    assert np.nanmax(np.abs(lines["travel"][0][:-1] - 0.5)) < 1e-3


def test_what_makes_no_report_is_refused(runs, plan, tmp_path):
    run, file = runs["open loop"], tmp_path / "x.html"
    for given in (None, "run.nc", 3.0):
        assert names_of(lambda given=given: ulna.report(given, file)) == ["result"]
    assert names_of(lambda: ulna.report({}, file, plan=plan)) == ["runs"]
    assert names_of(lambda: ulna.report({"closed": 1}, file, plan=plan)) == ["runs['closed']"]
    assert names_of(lambda: ulna.report(run, file, plan="circle")) == ["plan"]
    assert names_of(lambda: ulna.report(runs, file)) == ["plan"]
    for wrong in ("x.pdf", "x"):
        assert names_of(lambda wrong=wrong: ulna.report(run, wrong)) == ["file"]
    for height in (0, "tall", 1e9):
        assert names_of(lambda height=height: ulna.show(run, height=height)) == ["height"]
    assert not file.exists()
    file.write_text("mine", "utf-8")
    with pytest.raises(ulna.InputError, match="exists"):
        ulna.report(run, file, overwrite=False)
    assert file.read_text("utf-8") == "mine"


def test_a_plan_out_of_reach_says_so_first():
    plan = ulna.plan(ulna.preset("kehl"), ulna.paths.circle((3.0, 0.0), 0.1))
    header = report_page.document(plan).header
    assert header["verdict"]["ok"] is False
    assert "out of reach" in header["verdict"]["text"]
    assert header["findings"][0]["level"] == "problem"


def test_a_notebook_shows_the_page_in_a_frame_of_its_own(runs):
    shown = ulna.show(runs["open loop"], height=500)
    frame = shown._repr_html_()
    assert 'sandbox="allow-scripts allow-downloads"' in frame
    assert 'height="500"' in frame
    assert "ulna.report" in repr(shown)
