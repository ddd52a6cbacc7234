"""Films as players: the viewer on a page, with the runs of a film to scrub and to slow down."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ulna.papers.row import Film
from ulna.progress import source_hash
from ulna.viewer.html_page import built_files
from ulna.viewer.report_content import new_document
from ulna.viewer.web_document import MotionSpec, WebDocument

if TYPE_CHECKING:
    from ulna.simulation.run import Run

PATH_POINTS = 400


class Viewer(NamedTuple):
    """The built viewer, as a page has it inside."""

    script: str
    style: str

    @property
    def policy(self) -> str:
        """The Content-Security-Policy of a page with it: no other script, and no connections."""
        return (
            f"script-src {source_hash(self.script)}; connect-src 'none'; object-src 'none'; "
            "base-uri 'none'; form-action 'none'"
        )


def viewer() -> Viewer | None:
    """Return the built viewer; None where it is not built."""
    built = built_files("viewer")
    return None if built is None else Viewer(*built)


def player_document(film: Film) -> WebDocument | None:
    """Return what a player shows in the place of a film; None for a film that cannot be played."""
    if film.play is None:
        return None
    played = film.play()
    first = next(iter(played.runs.values()))
    builder = new_document("run", first.arm, played.title, "", (None, ""), first.versions)
    # The last is what the others are compared with, and has the main colour.
    others = ["open"] * (len(played.runs) - 1)
    roles = [*others, "closed" if others else "run"]
    for (label, run), role in zip(played.runs.items(), roles, strict=True):
        spec = MotionSpec(label, role, run.t, run.q, None, run.status.text)
        builder.motions.append(spec)
    builder.header["span"] = _span(played.runs)
    if played.plan is not None:
        times = np.linspace(0.0, played.plan.duration, PATH_POINTS)
        builder.path = played.plan.trajectory.tip(times).position
    return builder.finished()


def _span(runs: Mapping[str, Run]) -> list[float]:
    ends = [(float(run.t[0]), float(run.t[-1])) for run in runs.values()]
    return [min(start for start, _ in ends), max(end for _, end in ends)]
