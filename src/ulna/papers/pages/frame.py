"""What all pages share: their head, the way to the others, and what computed them."""

from __future__ import annotations

from ulna.papers.pages.edition import Edition
from ulna.papers.pages.html_text import badge, escaped, prose
from ulna.papers.pages.style import STYLE
from ulna.papers.row import Row, Verdict

INDEX, ERRATA = "index.html", "errata.html"


def page(name: str, title: str, content: str, edition: Edition) -> str:
    """Return a whole page that needs nothing but the files beside it, and no script."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{escaped(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<header class="top">{_ways(name, edition)}</header>
<main>
{content}
</main>
<footer>{_origin(edition)}</footer>
</body>
</html>
"""


def _ways(here: str, edition: Edition) -> str:
    ways = {INDEX: "Overview"}
    ways |= {judged.page: judged.paper.number for judged in edition.judged}
    ways[ERRATA] = "Errata"
    links = [
        f'<a href="{target}"{" aria-current=page" * (target == here)}>{words}</a>'
        for target, words in ways.items()
    ]
    return f'<nav aria-label="Pages"><span class="name">Papers</span>{"".join(links)}</nav>'


def _origin(edition: Edition) -> str:
    versions = [f"{name} {version}" for name, version in edition.versions.items()]
    return f"<p>Computed by {escaped(', '.join(versions))}.</p>"


def tally(counts: dict[Verdict, int], noun: str) -> str:
    """Return how many rows have which verdict, those of which there is none left out."""
    told = [f"<li>{badge(verdict, count)}</li>" for verdict, count in counts.items() if count]
    return f'<ul class="tally" aria-label="{escaped(noun)} by verdict">{"".join(told)}</ul>'


def sides(row: Row, first: str, second: str) -> str:
    """Return what the paper prints and what we find, side by side."""
    return (
        f'<dl class="sides"><div><dt>{first}</dt><dd>{prose(row.printed)}</dd></div>'
        f'<div class="ours"><dt>{second}</dt><dd>{prose(row.ours)}</dd></div></dl>\n'
    )
