"""Write docs/errata.md from the rows of the papers, which are computed first."""

from __future__ import annotations

from pathlib import Path

from ulna.papers import papers, rows
from ulna.papers.edition import Judged
from ulna.papers.pages import errata_markdown

PAGE = Path(__file__).resolve().parent.parent / "docs" / "errata.md"


def page() -> str:
    """Write the page."""
    return errata_markdown(Judged(paper, rows(paper.number)) for paper in papers())


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
