"""`ulna.play` writes an arm to play with as one HTML file, for any browser and without a network.

Its physics is the JavaScript that `ulna derive` writes, for one to four links, so that links can
be added and taken away. Deriving takes seconds and is kept in the cache.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from ulna._version import __version__
from ulna.arm import Arm, preset
from ulna.derivation.derivation_options import MOST_LINKS, DerivationOptions
from ulna.errors import InputError, Problem, shown, warn
from ulna.kinematics.inverse_kinematics import posture_array
from ulna.progress import progress as progress_line
from ulna.storage import cache_folder, write_whole
from ulna.typing import StateLike
from ulna.viewer.exercises import Exercise
from ulna.viewer.exercises import exercise as make_exercise
from ulna.viewer.html_page import built_files, html_page, json_text
from ulna.viewer.playground_scenes import check_links, left_out, scenes, state_text, usual_pose
from ulna.viewer.report_page import check_file

FORMAT = 1
USUAL_ARM = "kehl"


def play(
    arm: Arm | None = None,
    file: str | os.PathLike[str] = "playground.html",
    *,
    q0: StateLike | None = None,
    exercise: str | None = None,
    seed: int = 0,
    overwrite: bool = True,
    progress: bool | None = None,
) -> Path:
    """Write a page to play with an arm: drag, throw and steer it in a browser, without Python.

    Parameters
    ----------
    arm : Arm, optional
        An arm of 1 to 4 links; the preset kehl unless given. An exercise has its own.
    file : path-like, optional
        The page, .html by its name.
    q0 : array_like, shape (n,), optional
        Joint angles that it opens with [rad].
    exercise : {"reach", "torque", "lagrangian", "pendulum", "pid"}, optional
        Let the page ask for something, and check the answers.
    seed : int, optional
        Another seed gives an exercise other numbers.
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
        For an arm of more links, an exercise that is not known, a name with another ending, and a
        file that is to stay.
    FileError
        If the file cannot be written.

    Warns
    -----
    UlnaWarning
        For what the arm has and the page leaves out, such as dry friction.

    Notes
    -----
    The page integrates by the classical Runge–Kutta method at 4 kHz; controllers run at 1 kHz.

    Examples
    --------
    >>> import tempfile, ulna
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ulna.play(ulna.preset("unit"), f"{folder}/arm.html").name
    'arm.html'
    """
    path = check_file(file, overwrite=overwrite)
    asked = _check_exercise(arm, q0, exercise, seed)
    shown_arm = asked.arm if asked else preset(USUAL_ARM) if arm is None else arm
    if not isinstance(shown_arm, Arm):
        raise InputError(Problem("arm", shown(arm), "an Arm", "ulna.preset and ulna.load give one"))
    check_links(shown_arm)
    pose = asked.q if asked else _pose(shown_arm, q0)
    notes = left_out(shown_arm)
    warn(*notes)
    with progress_line("deriving the equations of motion", shown=progress) as told:
        page = playground_page(shown_arm, pose, asked, notes, told)
    write_whole(path, page.encode("utf-8", "replace"), overwrite=overwrite)
    return path


def _check_exercise(arm: Any, q0: Any, kind: Any, seed: Any) -> Exercise | None:
    if kind is None:
        if seed != 0:
            need = "an exercise whose numbers it draws"
            raise InputError(Problem("seed", shown(seed), need, "pass exercise= as well"))
        return None
    need = "nothing beside an exercise, which has its own arm"
    if arm is not None:
        raise InputError(Problem("arm", shown(getattr(arm, "name", arm)), need))
    if q0 is not None:
        raise InputError(Problem("q0", shown(q0), need))
    return make_exercise(kind, seed)


def _pose(arm: Arm, q0: Any) -> list[float]:
    if q0 is None:
        return usual_pose(arm)
    return posture_array(arm.parameters, q0, "q0").reshape(arm.n).tolist()


def playground_page(
    arm: Arm, pose: Any, asked: Exercise | None, notes: list[str], told: Any
) -> str:
    """Return the page; `told` is called with the part of the work that is done."""
    title = asked.title if asked else arm.name or "arm"
    content = {
        "format": FORMAT,
        "title": title,
        "notes": notes,
        "start": state_text(arm, pose),
        "scenes": [one._asdict() for one in scenes()],
        "exercise": asked.content() if asked else None,
        "versions": {"ulna": __version__},
    }
    plain = f"<h1>{escape(title)}</h1><p>This page needs JavaScript: it is an arm to play with.</p>"
    if asked:
        plain += "".join(f"<p>{escape(one)}</p>" for one in asked.paragraphs)
    built = built_files("playground")
    models = [models_script(told)] if built else []
    heading = f"{title} – ulna playground"
    return html_page("playground", heading, json_text(content), built, plain, before=models)


def models_script(told: Any = lambda done: None) -> str:
    """Return the script that defines the generated equations of motion of one to four links."""
    file = cache_folder() / "playground" / f"{_key()}.js"
    try:
        return file.read_text(encoding="ascii")
    except OSError:
        script = f"globalThis.ulnaModels={{{','.join(_models(told))}}};"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, script)
    except OSError as error:
        warn(f"the equations of motion cannot be kept, so that every page derives them: {error}")
    return script


def _models(told: Any) -> Iterator[str]:
    # SymPy takes half a second to load; only those who derive wait for it.
    from ulna.derivation.source_code import javascript_model

    work = [links**2 for links in range(1, MOST_LINKS + 1)]
    for links in range(1, MOST_LINKS + 1):
        told(sum(work[: links - 1]) / sum(work))
        options = DerivationOptions(
            links, bodies="general", payload=True, gravity="vector", drives=True
        )
        # Indentation is for people, and these pages travel.
        text = re.sub(r"\n\s*", "\n", javascript_model(options))
        yield f"{links}:{text}"


def _key() -> str:
    """Return a name for what the derivation would write: it changes with any of its sources."""
    folder = Path(__file__).parent.parent / "derivation"
    files = sorted(path for path in folder.rglob("*") if path.suffix in (".py", ".j2"))
    sources = (path.read_bytes() for path in files)
    return hashlib.sha256(b"\0".join([__version__.encode(), *sources])).hexdigest()[:32]
