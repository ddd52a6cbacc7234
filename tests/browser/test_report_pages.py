"""Reports of every kind, on screens and with habits of every kind, and attacked."""

import json

import numpy as np
import pytest
from playwright.sync_api import expect

from page_checks import PHONE, WIDER, violations
from report_page import ReportPage
from report_samples import ATTACKS

DROP = """files => {
  const data = new DataTransfer();
  for (const [name, text] of files) data.items.add(new File([text], name, { type: "text/html" }));
  for (const kind of ["dragenter", "dragover", "drop"])
    document.body.dispatchEvent(new DragEvent(kind, { bubbles: true, dataTransfer: data }));
}"""


def test_colours_follow_the_system_are_toggled_and_remembered(open_page, samples):
    page = open_page(samples.following.file, color_scheme="dark")
    theme = page.locator("html")
    expect(theme).to_have_attribute("data-theme", "dark")
    assert violations(page) == []
    page.get_by_role("button", name="Light colours").click()
    expect(theme).to_have_attribute("data-theme", "light")
    page.reload()
    page.wait_for_selector("[data-mounted]", state="attached")
    expect(theme).to_have_attribute("data-theme", "light")
    page.keyboard.press("t")
    expect(theme).to_have_attribute("data-theme", "dark")


def test_reports_are_dropped_in_compared_and_removed(open_page, samples):
    report = ReportPage(open_page(samples.following.file))
    page = report.page
    before = report.numbers("torque")
    files = [samples.planned.file, samples.motors.file]
    page.evaluate(DROP, [[file.name, file.read_text("utf-8")] for file in files])
    chips = page.locator(".ulna-compared li")
    expect(chips).to_have_count(2)
    assert len(report.numbers("speed")) > len(before)
    chips.first.get_by_role("button", name="Remove").click()
    page.locator(".ulna-compared li").get_by_role("button", name="Remove").click()
    expect(chips).to_have_count(0)
    assert report.numbers("torque") == before
    page.evaluate(DROP, [["holiday.html", "<p>no report</p><script>window.attacked = 7</script>"]])
    expect(page.get_by_role("alert")).to_contain_text("holiday.html")
    assert page.evaluate("window.attacked") is None
    page.locator("input[type=file]").set_input_files(files[0])
    expect(chips).to_have_count(1)


def test_the_script_that_repeats_it_is_copied(open_page, samples):
    page = open_page(samples.following.file)
    for block in page.locator(".ulna-repeat figure").all():
        text = block.locator("code").text_content()
        block.get_by_role("button", name="Copy").click()
        expect(block.get_by_role("button")).to_contain_text("Copied")
        assert page.evaluate("navigator.clipboard.readText()") == text
    assert "ulna.simulate" in page.locator(".ulna-repeat").inner_text()


def test_a_phone(open_page, samples):
    report = ReportPage(open_page(samples.following.file, **PHONE))
    page = report.page
    assert page.evaluate(WIDER) <= 0
    page.get_by_role("button", name="Play").tap()
    page.wait_for_timeout(200)
    page.get_by_role("button", name="Pause").tap()
    assert report.time > 0.0
    box = report.plot("torque")
    page.touchscreen.tap(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    report.settle()
    assert report.time == pytest.approx(1.25, abs=0.02)
    run = samples.following.runs["closed loop"]
    at = np.abs(run.t - report.time).argmin()
    np.testing.assert_allclose(report.tip(), run.tip[at, :2], atol=2e-3)


def test_everything_is_reached_by_keys_alone(open_page, samples):
    report = ReportPage(open_page(samples.following.file))
    page = report.page
    described = """() => {
      const one = document.activeElement, style = getComputedStyle(one);
      const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
      const name = one.getAttribute("aria-label") ?? one.textContent.trim();
      return [one.tagName, name, ring || style.boxShadow !== "none"];
    }"""
    seen = []
    for _ in range(120):
        page.keyboard.press("Tab")
        tag, name, ring = page.evaluate(described)
        if tag == "BODY":
            break
        seen.append(name)
        assert name, f"{tag} after {seen[-3:]} has no name"
        assert ring, f"{name} shows no focus"
    told = " | ".join(seen)
    for name in ("Compare", "Overlay", "Ghosts", "Go to", "Tip error: time", "Options of Torque"):
        assert name in told
    for name in ("Copy", "Play", "Time", "Speed", "Loop", "colours", "Keys"):
        assert name in told
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_text_of_users_stays_text(open_page, samples):
    page = open_page(samples.attacked.file)
    page.wait_for_timeout(100)
    assert page.evaluate("window.attacked") is None
    assert (
        page.locator(".ulna img, .ulna svg[onload], .ulna b, .ulna a[href^='javascript']").count()
        == 0
    )
    text = page.locator("body").inner_text()
    title, *notes = ATTACKS[3:]
    assert page.locator("h1").text_content() == title
    assert page.title().split() == title.split()
    for attack in (*notes, *ATTACKS[:3]):
        assert attack in text


def test_the_policy_lets_no_other_script_run(open_page, samples, troubles):
    page = open_page(samples.planned.file)
    policy = page.locator("meta[http-equiv='Content-Security-Policy']").get_attribute("content")
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    page.evaluate("""() => {
      const script = document.createElement("script");
      script.textContent = "window.attacked = 8";
      document.body.append(script);
      const image = "<img src='data:,' onerror='window.attacked = 9'>";
      document.body.insertAdjacentHTML("beforeend", image);
      return fetch("https://example.org/").catch(() => null);
    }""")
    page.wait_for_timeout(100)
    assert page.evaluate("window.attacked") is None
    refused = [one for one in troubles if "Content Security Policy" in one]
    assert len(refused) >= 3
    assert not any(one.startswith("request") for one in troubles)
    troubles.clear()


@pytest.mark.parametrize("kind", ["following", "motors", "planned", "batch"])
def test_every_kind_of_result_has_its_page(open_page, samples, kind):
    page = open_page(getattr(samples, kind).file)
    assert page.locator(".ulna-verdict").inner_text()
    assert page.locator("figure").count() > 0
    assert page.locator(".ulna-problem").count() == 0
    assert page.evaluate(WIDER) <= 0
    assert violations(page) == []


def test_a_damaged_report_says_so(open_page, samples, tmp_path):
    text = samples.planned.file.read_text("utf-8")
    start = text.index('class="ulna-data">') + len('class="ulna-data">')
    file = tmp_path / "damaged.html"
    file.write_text(text[: start + 200] + "AAAA" * 100 + text[start + 600 :], "utf-8")
    page = open_page(file)
    expect(page.get_by_role("alert")).to_contain_text("cannot be shown")
    header = text.split('class="ulna-document">')[1].split("</script>")[0]
    assert page.locator("h1").text_content() == json.loads(header)["title"]
