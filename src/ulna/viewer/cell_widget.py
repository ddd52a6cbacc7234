"""`ulna.widget` shows an arm or a run in a notebook's cell, and keeps Python in step with it.

The widget is an anywidget, so that JupyterLab, marimo and others that know ipywidgets show it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from ulna.arm import Arm
from ulna.arrays import whole
from ulna.errors import InputError, Problem, import_extra, shown
from ulna.typing import AngleLike

if TYPE_CHECKING:
    from ulna.simulation import Run
    from ulna.viewer.notebook_widgets import ArmWidget, RunWidget

LOWEST, HIGHEST = 160, 4_000  # [pixels]


@overload
def widget(arm: Arm, /, *, q0: AngleLike | None = None, height: int = 420) -> ArmWidget: ...


@overload
def widget(run: Run, /, *, height: int = 420) -> RunWidget: ...


def widget(
    arm_or_run: Arm | Run, /, *, q0: AngleLike | None = None, height: int = 420
) -> ArmWidget | RunWidget:
    """Show an arm to drag, or a run to play, in a notebook's cell, and keep Python in step with it.

    Parameters
    ----------
    arm_or_run : Arm or Run
        An arm of any number of links: its tip and its links can be dragged in the cell. Or a run,
        which is played.
    q0 : array_like, shape (n,), optional
        Joint angles that an arm begins with [rad].
    height : int, optional
        How high the widget is [pixels].

    Returns
    -------
    ArmWidget or RunWidget
        As the last line of a cell it is shown. Both have `q`, `tip` and `on_change`. Of an arm,
        `q` [rad] and `tip` [m] can be set, and the drawn arm follows. Of a run, `time` [s] and
        `playing` can be set. They are traits: `observe` of traitlets works as well.

    Raises
    ------
    InputError
        For anything else than an arm or a run, joint angles that are not `n` finite numbers within
        the joint limits, a height that is not one, and `q0` beside a run.
    MissingExtraError
        Without anywidget: ``pip install 'ulna[notebook]'``.

    Notes
    -----
    The page keeps the tip within reach and the joints within their limits, and stays on the branch
    of a two-link arm. It sends joint angles once a frame at most, and only the latest.

    Examples
    --------
    >>> import ulna
    >>> w = ulna.widget(ulna.preset("unit"), q0=[0.3, 0.4])
    >>> w.tip = 1.2, 0.5
    >>> w.q.round(3).tolist()
    [-0.468, 1.726]
    >>> w.on_change(lambda w: print("the tip is at", w.tip.round(2)))
    >>> w.q = [0.0, 0.0]
    the tip is at [2. 0.]
    """
    from ulna.simulation import Run
    from ulna.simulation.batch.member import Member

    tall = whole("height", height, LOWEST, HIGHEST)
    if isinstance(arm_or_run, Member):
        arm_or_run = arm_or_run.run
    if not isinstance(arm_or_run, Arm | Run):
        hint = "ulna.preset and ulna.simulate give one; ulna.show and ulna.plot show much else"
        raise InputError(Problem("widget", shown(arm_or_run), "an Arm or a Run", hint))
    import_extra("anywidget", "notebook", "a widget")
    from ulna.viewer.notebook_widgets import ArmWidget, RunWidget

    if isinstance(arm_or_run, Arm):
        return ArmWidget(arm_or_run, q0, tall)
    if q0 is not None:
        raise InputError(Problem("q0", shown(q0), "nothing beside a run, which has its own angles"))
    return RunWidget(arm_or_run, tall)
