"""The papers as pages to read: HTML for a folder, Markdown for the docs, JSON for programs."""

from ulna.papers.pages.edition import Edition, Judged
from ulna.papers.pages.errata import errata_page
from ulna.papers.pages.index import index_page
from ulna.papers.pages.json_data import data
from ulna.papers.pages.markdown import errata_markdown, errata_section
from ulna.papers.pages.paper import paper_page

__all__ = [
    "Edition",
    "Judged",
    "data",
    "errata_markdown",
    "errata_page",
    "errata_section",
    "index_page",
    "paper_page",
]
