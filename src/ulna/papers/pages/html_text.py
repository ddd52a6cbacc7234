"""Texts and numbers as people read them, safe to stand in HTML."""

from __future__ import annotations

import html
import math
import re

from ulna.papers.row import Verdict

SMALL = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
CODE = re.compile("`([^`]+)`")
ROUNDING = 1e-12  # the part of a number that arithmetic may have cost it
# Beside the words and colours, so that a glance tells them apart in grey print as well.
MARKS = {
    Verdict.SAME: "=",
    Verdict.CORRECTED: "→",
    Verdict.WRONG: "≠",
    Verdict.INCOMPLETE: "+",
    Verdict.REMARK: "i",
    Verdict.NOT_YET: "○",
}
CLASSES = {
    Verdict.SAME: "same",
    Verdict.CORRECTED: "corrected",
    Verdict.WRONG: "wrong",
    Verdict.INCOMPLETE: "incomplete",
    Verdict.REMARK: "remark",
    Verdict.NOT_YET: "not-yet",
}
MEANINGS = {
    Verdict.SAME: "Computed again, it comes out as the paper prints it.",
    Verdict.CORRECTED: "It holds once an erratum is put right, and the row says which.",
    Verdict.WRONG: "It does not hold as it stands, and the row says what does.",
    Verdict.INCOMPLETE: "What it says holds, but something is left out, and the row says what.",
    Verdict.REMARK: "Nothing has to be put right; the row adds what is worth knowing. It does not "
    "count as an erratum.",
    Verdict.NOT_YET: "The paper leaves it for later, and not all of it is here yet either.",
}


def escaped(text: str) -> str:
    """Return a text that means nothing to a browser but itself."""
    return html.escape(text, quote=True)


def prose(text: str) -> str:
    """Return a text as HTML, with what stands between back quotes as code."""
    return CODE.sub(r"<code>\1</code>", escaped(text))


def paragraphs(text: str) -> str:
    """Return a text as HTML, a paragraph for each that an empty line sets apart."""
    return "".join(f"<p>{prose(part.strip())}</p>" for part in text.split("\n\n") if part.strip())


def plain(text: str) -> str:
    """Return a text without back quotes, for a place that shows letters only."""
    return escaped(text.replace("`", ""))


def figure(value: float, digits: int = 6) -> str:
    """Write a number with so many significant digits, or fewer where those are all it has.

    >>> figure(-17.350123, 5), figure(12.5, 5), figure(2e-16, 3), figure(float("inf"))
    ('−17.350', '12.5', '2 × 10⁻¹⁶', '∞')
    """
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0.0 else "−∞"
    text = f"{value:.{digits}g}"
    if not math.isclose(float(text), value, rel_tol=ROUNDING):
        text = f"{value:#.{digits}g}"
    text, _, power = text.partition("e")
    text = "0" if float(text) == 0.0 else text.rstrip(".").replace("-", "−")
    return f"{text} × 10{str(int(power)).translate(SMALL)}" if power else text


def as_printed(value: float) -> str:
    """Write a number of a paper with the digits that it was given with."""
    return figure(value, 15)


def counted_words(count: int, noun: str) -> str:
    """Write how many there are.

    >>> counted_words(1, "item"), counted_words(25, "item"), counted_words(2, "erratum")
    ('1 item', '25 items', '2 errata')
    """
    several = "errata" if noun == "erratum" else f"{noun}s"
    return f"{count} {noun if count == 1 else several}"


def badge(verdict: Verdict, count: int | None = None) -> str:
    """Return a verdict as a mark, a word and a colour, with how many have it."""
    mark = f'<span aria-hidden="true">{MARKS[verdict]}</span>'
    words = verdict.value if count is None else f"{count} {verdict.value}"
    return f'<span class="verdict {CLASSES[verdict]}">{mark} {words}</span>'
