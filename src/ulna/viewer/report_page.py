"""`ulna.report` writes a result as one HTML file; `ulna.show` shows the same page in a notebook.

The page carries the viewer and its data, opens from disk, and asks nothing of any network: its
Content-Security-Policy allows the one script and the one style that are inside, by their hashes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ulna.arrays import whole
from ulna.errors import InputError, Problem, shown
from ulna.progress import progress as progress_line
from ulna.storage import check_new, write_whole
from ulna.viewer.html_page import built_files, html_page
from ulna.viewer.web_document import DocumentBuilder, WebDocument

if TYPE_CHECKING:
    from ulna.analysis import Portrait
    from ulna.analysis.portraits import Basins
    from ulna.motion import Plan
    from ulna.simulation import BatchRun, Run
    from ulna.simulation.batch.member import Member
    from ulna.sweep.results import Sweep
    from ulna.sweep.robust_results import Robustness

    Simulated: TypeAlias = Run | Member
    Reported: TypeAlias = (
        Simulated | Plan | BatchRun | Portrait | Sweep | Robustness | Mapping[str, Simulated]
    )

ENDINGS = (".html", ".htm")
NEED = (
    "a Run, a Plan, a BatchRun or a member of one, a Portrait, a Sweep, a Robustness, or a "
    "mapping of labels to runs with plan="
)


def report(
    result: Reported,
    file: str | os.PathLike[str],
    *,
    plan: Plan | None = None,
    basins: Basins | None = None,
    title: str | None = None,
    notes: Sequence[str] = (),
    command: str | None = None,
    overwrite: bool = True,
    progress: bool | None = None,
) -> Path:
    """Write a result as one HTML page that moves, and that opens from disk without a network.

    Parameters
    ----------
    result : Run, Plan, BatchRun, Member, Portrait, Sweep, Robustness, or mapping of str to Run
        What to tell of. Runs by their labels, such as "open loop" and "closed loop", are played
        side by side along `plan`.
    file : path-like
        The page, .html by its name.
    plan : Plan, optional
        What a run, or runs, were to follow: the page then says whether they did.
    basins : Basins, optional
        The basins of attraction to show below a Portrait: `portrait.basins(count)`.
    title : str, optional
        The heading; the arm and what it does unless given.
    notes : sequence of str, optional
        Sentences for the reader.
    command : str, optional
        The command that repeats the result, if there is one.
    overwrite : bool, optional
        Whether a file that exists is replaced.
    progress : bool, optional
        Whether a bar appears. Without it, where somebody sees it: on a terminal, in a notebook.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    InputError
        For what no report can be made of, a name with another ending, and a file that is to stay.
    FileError
        If the file cannot be written.

    Notes
    -----
    A page of a minute of two joints has some 500 kB. Longer series are made shorter; the page says
    by how much, and no extreme is lost.

    Examples
    --------
    >>> import tempfile, ulna
    >>> run = ulna.simulate(ulna.preset("unit"), q0=[0.0, 0.0], duration=0.1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report(run, f"{folder}/swing.html").name
    'swing.html'
    """
    path = check_file(file, overwrite=overwrite)
    with progress_line("writing the report", shown=progress) as told:
        told(0.0)
        made = document(result, plan=plan, basins=basins, title=title, notes=notes, command=command)
        told(0.5)
        write_page(made, path, overwrite=overwrite)
    return path


def show(
    result: Reported, *, plan: Plan | None = None, basins: Basins | None = None, height: int = 640
) -> Shown:
    """Show a result in a notebook's cell: the page of `report`, without a server.

    Parameters
    ----------
    result : Run, Plan, BatchRun, Member, Portrait, Sweep, Robustness, or mapping of str to Run
        As `ulna.report` takes it.
    plan : Plan, optional
        What a run, or runs, were to follow.
    basins : Basins, optional
        The basins of attraction to show below a Portrait.
    height : int, optional
        How high the page is [pixels].

    Returns
    -------
    Shown
        As the last line of a cell it is the page. Anywhere else it says how to get one.

    Raises
    ------
    InputError
        For what no report can be made of, and a height that is not one.

    Examples
    --------
    >>> import ulna
    >>> run = ulna.simulate(ulna.preset("unit"), q0=[0.0, 0.0], duration=0.1)
    >>> show(run)
    Shown in a notebook only; ulna.report(result, "report.html") writes the page to a file
    """
    tall = whole("height", height, 100, 10_000)
    return Shown(page(document(result, plan=plan, basins=basins)), tall)


@dataclass(frozen=True, eq=False, repr=False)
class Shown:
    """A report for a notebook.

    Attributes
    ----------
    html : str
        The whole page.
    height : int
        How high it is shown [pixels].
    """

    html: str
    height: int

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self.html)}" sandbox="allow-scripts allow-downloads" '
            f'title="ulna report" width="100%" height="{self.height}" '
            'style="border:0;border-radius:12px"></iframe>'
        )

    def __repr__(self) -> str:
        return (
            'Shown in a notebook only; ulna.report(result, "report.html") writes the page to a file'
        )


def document(
    result: Any,
    *,
    plan: Any = None,
    basins: Any = None,
    title: Any = None,
    notes: Any = (),
    command: Any = None,
) -> WebDocument:
    """Return the document of a result; raise for what is none."""
    builder = _content(result, plan, basins)
    return complete(builder, title=title, notes=notes, command=command)


def complete(
    builder: DocumentBuilder,
    *,
    title: str | None = None,
    notes: Sequence[str] = (),
    command: str | None = None,
) -> WebDocument:
    """Return a document with what a user says of it."""
    if title is not None:
        builder.header["title"] = title
    builder.header["repeat"]["command"] = command
    builder.notes[:0] = list(notes)
    return builder.finished()


def _content(result: Any, plan: Any, basins: Any) -> DocumentBuilder:
    from ulna.analysis import Portrait
    from ulna.motion import Plan
    from ulna.simulation import BatchRun, Run
    from ulna.simulation.batch.member import Member
    from ulna.sweep.results import Sweep
    from ulna.sweep.robust_results import Robustness
    from ulna.viewer import report_content as content
    from ulna.viewer import report_ensembles, report_portrait, report_robustness, report_sweep
    from ulna.viewer.tracking_figures import check_runs

    if isinstance(result, Member):
        result = result.run
    if not isinstance(plan, Plan | None) or not (plan is None or isinstance(result, Run | Mapping)):
        need = "a Plan, with a run or a mapping of labels to runs"
        raise InputError(Problem("plan", shown(plan), need))
    if basins is not None and not isinstance(result, Portrait):
        raise InputError(Problem("basins", shown(basins), "nothing but with a Portrait"))
    if isinstance(result, Mapping):
        if plan is None:
            hint = "pass plan= as well, or one run alone"
            raise InputError(Problem("plan", "nothing", "the plan that the runs follow", hint))
        return content.following_document(plan, check_runs(plan, result))
    if plan is not None:
        return content.following_document(plan, {content.label_of(result): result})
    makers: dict[type, Callable[[Any], DocumentBuilder]] = {
        Run: content.run_document,
        Portrait: partial(report_portrait.portrait_document, basins=basins),
        Plan: content.plan_document,
        BatchRun: report_ensembles.batch_document,
        Sweep: report_sweep.sweep_document,
        Robustness: report_robustness.robustness_document,
    }
    for kind, make in makers.items():
        if isinstance(result, kind):
            return make(result)
    raise InputError(Problem("result", shown(result), NEED))


def check_file(file: Any, *, overwrite: bool) -> Path:
    """Return the path of a page that is to be written; raise for what is none."""
    path = Path(file)
    if path.suffix.lower() not in ENDINGS:
        raise InputError(Problem("file", shown(str(path)), "a name that ends in .html"))
    check_new(path, "file", overwrite=overwrite)
    return path


def write_page(made: WebDocument, file: str | os.PathLike[str], *, overwrite: bool = True) -> None:
    """Write a document as a page, which appears whole or not at all."""
    write_whole(file, page(made).encode("utf-8", "replace"), overwrite=overwrite)


def page(made: WebDocument) -> str:
    """Return the page of a document, with the viewer inside where it is built."""
    plain, title = _plain_page(made.header), str(made.header["title"])
    return html_page("report", title, made.json, built_files("viewer"), plain, data=made.base64)


def _plain_page(header: Mapping[str, Any]) -> str:
    """Return verdict, findings and tables as HTML that needs no script."""
    parts = [f"<h1>{escape(header['title'])}</h1>", f"<p>{escape(header['subtitle'])}</p>"]
    parts.append(f"<p><strong>{escape(header['verdict']['text'])}</strong></p>")
    if header["findings"]:
        lines = "".join(f"<li>{escape(_dated(one))}</li>" for one in header["findings"])
        parts.append(f"<h2>Findings</h2><ul>{lines}</ul>")
    parts.extend(_plain_table(one) for one in header["tables"])
    for name, text in header["repeat"].items():
        if text:
            parts.append(f"<h2>Repeat it: {name}</h2><pre>{escape(text)}</pre>")
    parts.extend(f"<p>{escape(note)}</p>" for note in header["notes"])
    return "\n".join(parts)


def _dated(finding: Mapping[str, Any]) -> str:
    when = "" if finding["t"] is None else f" (t = {finding['t']:.4g} s)"
    return f"{finding['text']}{when}"


def _plain_table(table: Mapping[str, Any]) -> str:
    head = "".join(f"<th>{escape(one)}</th>" for one in table["columns"])
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in table["rows"]
    )
    note = f"<p>{escape(table['note'])}</p>" if "note" in table else ""
    caption = f"<h2>{escape(table['title'])}</h2>"
    return f"<section>{caption}<table><tr>{head}</tr>{rows}</table>{note}</section>"
