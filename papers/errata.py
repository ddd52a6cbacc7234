"""`python -m papers.errata`: write docs/errata.md from the rows of the papers."""

from __future__ import annotations

from pathlib import Path

from papers.library import NUMBERS, paper
from papers.pages import errata_markdown

PAGE = Path(__file__).resolve().parent.parent / "docs" / "errata.md"

if __name__ == "__main__":
    PAGE.write_text(errata_markdown(map(paper, NUMBERS)), encoding="utf-8")
