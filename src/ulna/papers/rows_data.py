"""The rows of an edition as data: JSON with every number in full precision."""

from __future__ import annotations

import json
import math
from typing import Any

from ulna.papers.edition import Edition, Judged, counted, path
from ulna.papers.row import Number, Place, Row

FORMAT = 1


def rows_data(edition: Edition) -> str:
    """Write an edition as JSON, numbers in full precision; what is not a finite one is null."""
    content = {
        "format": FORMAT,
        "versions": edition.versions,
        "papers": [_paper_data(judged, edition) for judged in edition.judged],
    }
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _paper_data(judged: Judged, edition: Edition) -> dict[str, Any]:
    paper = judged.paper
    return {
        "number": paper.number,
        "authors": paper.authors,
        "title": paper.title,
        "about": paper.about,
        "verdicts": {verdict.value: count for verdict, count in counted(judged.rows).items()},
        "rows": [_row_data(row, edition) for row in judged.rows],
        "places": [_place_data(place) for place in paper.places],
    }


def _place_data(place: Place) -> dict[str, Any]:
    names = ("anchor", "name", "numbered", "about")
    return {name: getattr(place, name) for name in names} | {"rows": list(place.rows)}


def _row_data(row: Row, edition: Edition) -> dict[str, Any]:
    texts = ("key", "title", "where", "printed", "ours", "why", "how", "size", "transcription")
    told: dict[str, Any] = {
        name: getattr(row, name) for name in (*texts, "call") if getattr(row, name)
    }
    told["verdict"] = row.verdict.value
    told["equations"] = [
        {
            "about": one.about,
            "printed": one.printed_latex,
            "right": one.right_latex,
            "same": one.same,
            "derivation": f"{edition.derivation_of(row)}#{one.anchor}",
        }
        for one in row.equations
    ]
    told["numbers"] = [_number_data(number) for number in row.numbers]
    for kind in ("pictures", "films"):
        things = [thing for thing in getattr(row, kind) if edition.has(thing)]
        told[kind] = [{"file": path(thing), "caption": thing.caption} for thing in things]
    if row.see_also:
        told["see_also"] = [link._asdict() for link in row.see_also]
    return told


def _number_data(number: Number) -> dict[str, Any]:
    told = {"name": number.name, "of": number.of, "label": number.label, "unit": number.unit}
    told = {key: text for key, text in told.items() if text}
    return {**told, "ours": _finite(number.ours), "printed": _finite(number.printed)}


def _finite(value: float | None) -> float | None:
    # Numbers of NumPy are written as Python's own.
    return float(value) if value is not None and math.isfinite(value) else None
