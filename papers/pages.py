"""The papers as pages: HTML for a folder, Markdown for the docs.

The layout is in templates/; this module supplies what goes into it.
"""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import metadata
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from papers.library import NUMBERS
from papers.mathml import statement_mathml
from papers.page_text import (
    as_printed,
    blocks,
    columns_of,
    counted_words,
    escaped,
    figure,
    grouped,
    has_printed,
    is_grid,
    label_of,
    markdown_cell,
    paragraphs,
    plain,
    prose,
    slug,
    wrapped,
)
from papers.row import Number, Paper, Picture, Row, Verdict
from ulna import __version__

if TYPE_CHECKING:
    from jinja2 import Environment

Size: TypeAlias = tuple[int, int]  # width and height [pixels]
INDEX, ERRATA = "index.html", "errata.html"
THUMBNAILS = 3  # of a paper
COUNTS = ("None", "One", "Two", "Three", "Four", "Five")
PACKAGES = ("numpy", "scipy", "numba", "sympy", "matplotlib")


class VerdictLook(NamedTuple):
    """How a verdict is shown; its mark distinguishes it without colour."""

    mark: str
    style: str
    meaning: str


LOOKS = {
    Verdict.SAME: VerdictLook("=", "same", "Computed again, it comes out as the paper prints it."),
    Verdict.CONSISTENT: VerdictLook(
        "≈",
        "consistent",
        "It agrees with what the paper says in words. There was nothing to compare it with: the "
        "figure, the film or the start values were not available, or no result is printed.",
    ),
    Verdict.CORRECTED: VerdictLook(
        "→", "corrected", "It holds once an erratum is put right, and the row says which."
    ),
    Verdict.WRONG: VerdictLook(
        "≠", "wrong", "It does not hold as it stands, and the row says what does."
    ),
    Verdict.INCOMPLETE: VerdictLook(
        "+",
        "incomplete",
        "What it says holds, but something is left out, and the row says what.",
    ),
    Verdict.REMARK: VerdictLook(
        "i",
        "remark",
        "Nothing has to be put right; the row adds what is worth knowing. It does not count as an "
        "erratum.",
    ),
    Verdict.NOT_YET: VerdictLook(
        "○", "not-yet", "The paper leaves it for later, and not all of it is here yet either."
    ),
}


@dataclass(frozen=True)
class Edition:
    """The papers that the pages of one folder show, and the sizes of their pictures by file."""

    papers: tuple[Paper, ...]
    sizes: Mapping[str, Size] = field(default_factory=dict)

    @cached_property
    def versions(self) -> dict[str, str]:
        """The versions of what computed them."""
        found = {"ulna": __version__, "python": platform.python_version()}
        return found | {name: metadata.version(name) for name in PACKAGES}


def index_page(edition: Edition) -> str:
    """Return the first page: the papers, their results, how to read the verdicts."""
    count = len(edition.papers)
    number = COUNTS[count] if count == len(NUMBERS) else f"{COUNTS[count]} of five"
    return _page(INDEX, f"{number} papers, computed again", edition)


def paper_page(paper: Paper, edition: Edition) -> str:
    """Return the page of one paper: every row of it, in full."""
    title = f"{paper.number} {paper.title}"
    return _page("paper.html", title, edition, here=paper.page, paper=paper)


def inverse_kinematics_page(edition: Edition) -> str:
    """Return the page that derives the inverse kinematics of two links."""
    return _page("inverse-kinematics.html", "Inverse kinematics of two links", edition)


def errata_page(edition: Edition) -> str:
    """Return the page with all errata of all papers."""
    return _page(ERRATA, "Errata of five papers", edition)


def errata_markdown(papers: Iterable[Paper]) -> str:
    """Write the errata of the papers, a table for each."""
    return _environment().get_template("errata.md").render(papers=papers)


def errata_section(paper: Paper) -> str:
    """Write the errata and the remarks of one paper."""
    return _environment().get_template("errata_section.md").render(paper=paper)


def numbers_table(numbers: Sequence[Number], caption: str) -> str:
    """Return tables: a grid of `of` and `label` where numbers form one, else one per line."""
    module: Any = _environment().get_template("numbers.html").module
    return str(module.tables(numbers, caption))


def dark(file: str) -> str:
    """Return the file of a picture in the dark theme."""
    stem, _, ending = file.rpartition(".")
    return f"{stem}-dark.{ending}"


def counted(rows: Sequence[Row]) -> dict[Verdict, int]:
    """Count the rows by their verdicts, zeros included."""
    counts = Counter(row.verdict for row in rows)
    return {verdict: counts[verdict] for verdict in Verdict}


def _page(template: str, title: str, edition: Edition, *, here: str = "", **given: Any) -> str:
    """Return a page that needs nothing but the files beside it, and no script."""
    papers = {paper.page: paper.number for paper in edition.papers}
    return (
        _environment()
        .get_template(template)
        .render(
            title=title,
            edition=edition,
            here=here or template,
            ways={INDEX: "Overview", **papers, ERRATA: "Errata"},
            looks=LOOKS,
            **given,
        )
    )


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
    from markupsafe import Markup

    made = Environment(
        loader=PackageLoader("papers"),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    for write in (escaped, prose, plain, paragraphs, equation):
        made.filters[write.__name__] = lambda text, write=write: Markup(write(text))
    made.filters |= {
        "dark": dark,
        "slug": slug,
        "counted": lambda rows: counted(rows).items(),
        "words": counted_words,
        "errata_count": errata_count,
        "thumbnails": thumbnails,
        "figure": figure,
        "as_printed": as_printed,
        "label": label_of,
        "blocks": blocks,
        "columns": columns_of,
        "line_names": lambda numbers: list(dict.fromkeys(number.of for number in numbers)),
        "grouped": grouped,
        "any_printed": has_printed,
        "fill": wrapped,
        "cell": markdown_cell,
    }
    made.tests["grid"] = is_grid
    return made


def equation(text: str) -> str:
    """Typeset an equation in the names of letters, such as "x = l1*cos(q1)"."""
    from papers.equations import read_statement

    return statement_mathml(read_statement(text).sides)


def thumbnails(paper: Paper) -> list[tuple[Row, Picture]]:
    """Return the first pictures of a paper, with their rows."""
    return [(row, picture) for row in paper.rows for picture in row.pictures][:THUMBNAILS]


def errata_count(paper: Paper) -> str:
    """Write how many errata and remarks a paper has."""
    errata = counted_words(len(paper.errata), "erratum") if paper.errata else "no errata"
    remarks = counted_words(len(paper.remarks), "remark")
    return f"{errata}, {remarks}" if paper.remarks else errata
