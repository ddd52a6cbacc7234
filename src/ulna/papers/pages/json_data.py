"""Every row as data for programs, its numbers in full precision."""

from __future__ import annotations

import json
import math
from typing import Any

from ulna.papers.pages.edition import Edition, Judged, counted, path
from ulna.papers.row import Number, Place, Row

FORMAT = 1


def data(edition: Edition) -> str:
    """Write an edition as JSON; what is not a finite number is null."""
    content = {
        "format": FORMAT,
        "versions": edition.versions,
        "papers": [_paper(judged, edition) for judged in edition.judged],
    }
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _paper(judged: Judged, edition: Edition) -> dict[str, Any]:
    paper = judged.paper
    return {
        "number": paper.number,
        "authors": paper.authors,
        "title": paper.title,
        "about": paper.about,
        "verdicts": {verdict.value: count for verdict, count in counted(judged.rows).items()},
        "rows": [_row(row, edition) for row in judged.rows],
        "places": [_place(place) for place in paper.places],
    }


def _place(place: Place) -> dict[str, Any]:
    return {
        "anchor": place.anchor,
        "name": place.name,
        "numbered": place.numbered,
        "about": place.about,
        "rows": list(place.rows),
    }


def _row(row: Row, edition: Edition) -> dict[str, Any]:
    texts = ("key", "title", "where", "printed", "ours", "why", "how", "size", "transcription")
    told: dict[str, Any] = {
        name: getattr(row, name) for name in (*texts, "call") if getattr(row, name)
    }
    told["verdict"] = row.verdict.value
    told["numbers"] = [_number(number) for number in row.numbers]
    for kind in ("pictures", "films"):
        things = [thing for thing in getattr(row, kind) if edition.has(thing)]
        told[kind] = [{"file": path(thing), "caption": thing.caption} for thing in things]
    return told


def _number(number: Number) -> dict[str, Any]:
    told = {"name": number.name, "of": number.of, "label": number.label, "unit": number.unit}
    told = {key: text for key, text in told.items() if text}
    return {**told, "ours": _finite(number.ours), "printed": _finite(number.printed)}


def _finite(value: float | None) -> float | None:
    # Numbers of NumPy are written as Python's own.
    return float(value) if value is not None and math.isfinite(value) else None
