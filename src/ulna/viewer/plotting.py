"""`plot` draws whatever it is given."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ulna.analysis import Portrait, Section, Tracking
from ulna.arm import Arm, Parameters
from ulna.errors import InputError, Problem, shown
from ulna.kinematics import Solutions, Tracked, Workspace
from ulna.motion import Path, Plan, Plans, Trajectory
from ulna.simulation import BatchRun, Run, Simulation
from ulna.simulation.batch.member import Member
from ulna.simulation.run import run_of
from ulna.sweep.results import Sweep
from ulna.sweep.robust_results import Robustness
from ulna.viewer.arm_figures import (
    pose_figure,
    reach_figure,
    region_figure,
    targets_figure,
    tracked_figure,
    workspace_figure,
)
from ulna.viewer.figure_style import PRINT, Theme
from ulna.viewer.plan_figures import motion_figure
from ulna.viewer.portrait_figures import portrait_figure
from ulna.viewer.robustness_figures import robustness_figure
from ulna.viewer.run_figures import run_figure
from ulna.viewer.section_figures import section_figure
from ulna.viewer.sweep_figures import sweep_figure
from ulna.viewer.tracking_figures import error_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ulna.analysis.portraits import Basins


def plot(
    thing: Arm
    | Solutions
    | Workspace
    | Tracked
    | Plan
    | Run
    | Member
    | Simulation
    | Tracking
    | Portrait
    | Section
    | Sweep
    | Robustness,
    *,
    q: ArrayLike | None = None,
    run: Run | Member | None = None,
    basins: Basins | None = None,
    energy: bool = False,
    show: int | None = None,
    what: str | None = None,
    theme: Theme = PRINT,
) -> Figure:
    """Draw what is given: an arm, an answer, a plan, a run.

    A notebook shows the figure; elsewhere `plot(thing).savefig("thing.png")` writes it.

    Parameters
    ----------
    thing : Arm, Solutions, Workspace, Tracked, Plan, Run, Member, Simulation, Tracking, \
            Portrait, Section, Sweep or Robustness
        An Arm: with `q` in that posture, else all that its tip reaches. Solutions of `inverse`: the
        postures for a target, or of several targets one posture each. A Workspace, a path that was
        Tracked, a Plan, a Run, a member of a batch, a Simulation as it stands, the Tracking of a
        plan, a Portrait, a Section, a Sweep, a Robustness.
    q : array_like, shape (n,), optional
        Joint angles [rad] of an Arm.
    run : Run, optional
        A Run beside a Plan: the way that the tip really went.
    basins : Basins, optional
        What to draw under a Portrait: the basins of attraction that it returned.
    energy : bool, optional
        Whether the energy is drawn under a Portrait.
    show : int, optional
        The joint, counted from 1, in whose angle and speed a Section is drawn.
    what : str, optional
        The output of a Sweep, such as "torque.peak"; its first one unless given.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    Figure
        Of matplotlib, and not known to pyplot: nothing has to be closed.

    Raises
    ------
    InputError
        For what cannot be drawn, and for options that say nothing about it.

    Examples
    --------
    >>> import ulna
    >>> plot(ulna.preset("unit"), q=[0.5, 1.0]).get_size_inches().tolist()
    [6.0, 6.0]
    """
    kind = next((kind for kind in DRAWABLE if isinstance(thing, kind)), None)
    if kind is None:
        raise InputError(_not_drawable(thing))
    draw, options = DRAWABLE[kind]
    run = None if run is None else run_of(run)
    asked = {"q": q, "run": run, "basins": basins, "energy": energy or None, "show": show}
    given = {name: value for name, value in {**asked, "what": what}.items() if value is not None}
    wrong = [
        Problem(name, shown(value), f"nothing beside {kind.__name__}", _whose(name))
        for name, value in given.items()
        if name not in options
    ]
    if wrong:
        raise InputError(wrong)
    return draw(thing, **given, theme=theme)


def _not_drawable(thing: object) -> Problem:
    names = [
        kind.__name__ + (f" (with {', '.join(f'{name}=' for name in options)})" if options else "")
        for kind, (_, options) in DRAWABLE.items()
    ]
    got = f"the class {thing.__name__}" if isinstance(thing, type) else shown(thing)
    hint = next((hint for kind, hint in HINTS.items() if isinstance(thing, kind)), "")
    return Problem("plot", got, f"one of {', '.join(names)}", hint)


def _whose(option: str) -> str:
    (owner,) = (kind.__name__ for kind, (_, known) in DRAWABLE.items() if option in known)
    return f"{option}= goes with {owner}"


def _draw_arm_itself(arm: Arm, *, q: ArrayLike | None = None, theme: Theme) -> Figure:
    if q is None:
        return workspace_figure([arm], theme=theme)
    count = np.shape(q)
    if count != (arm.n,):
        hint = "of several postures, viewer.draw_ghosts draws some" if len(count) > 1 else ""
        raise InputError(Problem("q", f"shape {count}", f"{arm.n} angles, one a joint", hint))
    return pose_figure(arm, q, theme=theme)


def _draw_solutions(found: Solutions, *, theme: Theme) -> Figure:
    arm, target = found.arm, found.target
    if arm is None or target is None:
        hint = "call inverse with an Arm, not with Parameters"
        raise InputError(Problem("Solutions", "those of Parameters", "those of an Arm", hint))
    if target.ndim == 1:
        return reach_figure(arm, target, found, theme=theme)
    return targets_figure(arm, target, found, theme=theme)


def _draw_tracked(tracked: Tracked, *, theme: Theme) -> Figure:
    if tracked.arm is None:
        hint = "call track with an Arm, not with Parameters"
        raise InputError(Problem("Tracked", "that of Parameters", "that of an Arm", hint))
    if tracked.flags.ndim != 1:
        hint = "draw one of them: plot(tracked.path(0))"
        raise InputError(Problem("Tracked", f"{len(tracked.flags)} paths", "one path", hint))
    return tracked_figure(tracked.arm, tracked, theme=theme)


DRAWABLE: dict[type, tuple[Callable[..., Figure], tuple[str, ...]]] = {
    Arm: (_draw_arm_itself, ("q",)),
    Solutions: (_draw_solutions, ()),
    Workspace: (region_figure, ()),
    Tracked: (_draw_tracked, ()),
    Plan: (motion_figure, ("run",)),
    Run: (run_figure, ()),
    Member: (run_figure, ()),
    Simulation: (lambda one, *, theme: pose_figure(one.arm, one.q, theme=theme), ()),
    Tracking: (lambda one, *, theme: error_figure(one.plan, {"run": one}, theme=theme), ()),
    Portrait: (portrait_figure, ("basins", "energy")),
    Section: (section_figure, ("show",)),
    Sweep: (sweep_figure, ("what",)),
    Robustness: (robustness_figure, ()),
}
HINTS: dict[type, str] = {
    Path: "plan it for an arm: plot(ulna.plan(arm, path, duration=2.0))",
    Trajectory: "plot the Plan that it belongs to",
    Plans: "plot one of them, such as plans[0]",
    BatchRun: "plot one of its members, such as batch[0]",
    Parameters: "plot the Arm that they are of",
    str: "read the arm first: ulna.preset(name), ulna.load(file)",
}
