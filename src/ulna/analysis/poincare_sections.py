"""Arms with more joints: a plane is cut through their motion, and every crossing leaves a dot.

An orbit of n joints lives in 2n dimensions. Each time joint j passes an angle in one direction the
state of all joints is noted: a Poincaré section. For two joints without friction the energy is
kept, so the dots (q₂, q̇₂) tell all: a closed curve where the motion is regular, a cloud where it is
chaotic. The projections of a run, one joint's angle and speed at a time, show the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ulna.angles import wrap
from ulna.arm import Arm
from ulna.arrays import Array, freeze, number, plain, whole
from ulna.concurrency import check_on_interrupt, interruptible, return_partial
from ulna.errors import InputError, Interrupted, Problem, shown
from ulna.progress import Described
from ulna.scenario import Scenario
from ulna.scenario.options import joint_values
from ulna.simulation import Run, simulate
from ulna.typing import (
    OnError,
    OnInterrupt,
    StateLike,
)

CROSSING = "crossing of the section"
STILL = 1e-12  # [rad/s] of a joint that rests on the section and does not pass it
SAMPLES = 20_001
RTOL = 1e-10


@dataclass(frozen=True, eq=False, slots=True)
class Crossings:
    """The states in which one run crossed the section.

    Attributes
    ----------
    run : Run
        What was simulated.
    t : ndarray, shape (k,)
        When [s].
    q : ndarray, shape (k, n)
        Joint angles [rad], in −π … π.
    qd : ndarray, shape (k, n)
        Joint rates [rad/s].
    """

    run: Run
    t: Array
    q: Array
    qd: Array

    def __len__(self) -> int:
        return len(self.t)


@dataclass(frozen=True, eq=False, repr=False)
class Section(Described):
    """A Poincaré section: where the orbits from some starts cross an angle of one joint.

    Attributes
    ----------
    arm : Arm
        Whose motion it is.
    joint : int
        The joint, counted from 1.
    angle : float
        The angle that it crosses [rad].
    direction : int
        1 where the angle grows, −1 where it falls, 0 both.
    crossings : tuple of Crossings
        One for each start.
    """

    arm: Arm
    joint: int
    angle: float
    direction: int
    crossings: tuple[Crossings, ...]

    def facts(self) -> dict[str, Any]:
        """Return what was found as plain values that JSON takes.

        Returns
        -------
        dict
            By names, in SI units; None for what is not finite.
        """
        return plain({
            "joint": self.joint,
            "angle": self.angle,
            "direction": self.direction,
            "crossings": [
                {"status": one.run.status.text, "t": one.t.tolist(), "q": one.q.tolist(),
                 "qd": one.qd.tolist()}
                for one in self.crossings
            ],
        })  # fmt: skip

    def _lines(self) -> list[str]:
        way = {1: "growing", -1: "falling", 0: "passing"}[self.direction]
        head = f"joint {self.joint} {way} through {self.angle:.4g} rad"
        return [head, *(f"{len(one)} crossings in {one.run.t[-1]:g} s" for one in self.crossings)]

    def _title(self) -> str:
        return f"Section of {self.arm.name or f'{self.arm.n} joints'}"


@interruptible
def poincare(
    scenario: Scenario,
    *,
    starts: Iterable[tuple[StateLike, StateLike]],
    joint: int = 1,
    angle: float = 0.0,
    direction: int = 1,
    progress: bool | None = None,
    on_error: OnError = "return",
    on_interrupt: OnInterrupt = "raise",
) -> Section:
    """Compute a Poincaré section of the motion of an arm with several joints.

    Parameters
    ----------
    scenario : Scenario
        An arm with at least two joints, and what acts on it. Its relative tolerance is 1e-10 at
        most; 20,001 samples are kept unless it names a number.
    starts : iterable of (array_like, array_like)
        Initial states: joint angles q0 and joint rates qd0, shape (n,) each [rad, rad/s].
    joint : int, optional
        The joint, counted from 1, whose crossings are noted.
    angle : float, optional
        The angle that it crosses [rad], whole turns apart or not.
    direction : {1, -1, 0}, optional
        1 where the angle grows, −1 where it falls, 0 both.
    progress, on_error : optional
        As in `ulna.simulate`.
    on_interrupt : {"raise", "return"}, optional
        On Ctrl-C `ulna.Interrupted` is raised, whose `result` is the section up to then; with
        "return" that is returned.

    Returns
    -------
    Section
        The crossings of every start.

    Raises
    ------
    InputError
        If the arm has one joint, or a start, the joint or the direction is not one.

    Examples
    --------
    >>> import ulna
    >>> swing = ulna.Scenario(arm=ulna.Arm.rods([1.0, 1.0], [1.0, 1.0]), duration=10.0)
    >>> section = poincare(swing, starts=[([-1.5, 0.2], [0.0, 0.0])], angle=-1.57)
    >>> len(section.crossings[0])
    4
    """
    check_on_interrupt(on_interrupt)
    if not isinstance(scenario, Scenario):
        hint = "pass ulna.Scenario(arm=..., duration=...)"
        raise InputError(Problem("scenario", shown(scenario), "a Scenario", hint))
    arm = scenario.arm
    which, place = _plane(arm, joint, angle, direction)
    given = [_start(arm, start) for start in _listed(starts)]
    # Zero at every whole turn from the angle, where it changes its sign.
    crossing = {CROSSING: f"sin((q{which} - {place!r}) / 2)"}
    watched = scenario.replace(
        events={**(scenario.events or {}), **crossing},
        rtol=None if scenario.rtol is None else min(scenario.rtol, RTOL),
        samples=SAMPLES if scenario.samples is None else scenario.samples,
    )
    run = partial(_run, watched, progress=progress, on_error=on_error)
    runs, told = _followed(run, given)
    found = tuple(_crossings(run, which, direction) for run in runs)
    section = Section(arm, which, place, direction, found)
    if not told:
        return section
    if len(runs) == len(given) and runs[-1].status.reason != "interrupted":
        on_interrupt = "raise"  # of a result that is whole nobody could see it
    return return_partial(section, on_interrupt, told)


def _run(scenario: Scenario, q: Array, qd: Array, **execution: Any) -> Run:
    return simulate(scenario.replace(q0=q, qd0=qd), **execution)


def _plane(arm: Arm, joint: Any, angle: Any, direction: Any) -> tuple[int, float]:
    """Read the joint and the angle that it crosses."""
    if arm.n < 2:
        raise InputError(Problem("arm", "one joint", "several", "for one there is ulna.portrait"))
    if not isinstance(direction, int) or isinstance(direction, bool) or abs(direction) > 1:
        raise InputError(Problem("direction", shown(direction), "1, −1, or 0 for both"))
    return whole("joint", joint, 1, arm.n), number("angle", angle)


def _followed(
    run: Callable[..., Run], starts: Sequence[tuple[Array, Array]]
) -> tuple[list[Run], str]:
    """Return the runs from all starts, or those before Ctrl-C and where it came."""
    runs: list[Run] = []
    try:
        for q, qd in starts:
            runs.append(run(q, qd))
    except Interrupted as interrupted:
        runs += [] if interrupted.result is None else [interrupted.result]
        if not runs:
            raise
        return runs, f"interrupted in start {len(runs)} of {len(starts)}"
    return runs, ""


def _listed(starts: Any) -> list[Any]:
    found = list(starts) if isinstance(starts, Iterable) else []
    if not found:
        raise InputError(Problem("starts", shown(starts), "a list of (q0, qd0), at least one"))
    return found


def _start(arm: Arm, given: Any) -> tuple[Array, Array]:
    if not isinstance(given, Sequence | np.ndarray) or isinstance(given, str) or len(given) != 2:
        raise InputError(Problem("start", shown(given), "a posture and its rates, (q0, qd0)"))
    return joint_values(arm.n, "q0", given[0], "rad"), joint_values(arm.n, "qd0", given[1], "rad/s")


def _crossings(run: Run, joint: int, direction: int) -> Crossings:
    met = [
        event
        for event in run.events
        if event.name == CROSSING and _counts(float(event.qd[joint - 1]), direction)
    ]
    n = run.arm.n
    t = np.array([event.t for event in met])
    q = np.array([event.q for event in met]).reshape(-1, n)
    qd = np.array([event.qd for event in met]).reshape(-1, n)
    found = Crossings(run, t, np.asarray(wrap(q)), qd)
    freeze(found.t, found.q, found.qd)
    return found


def _counts(speed: float, direction: int) -> bool:
    return abs(speed) > STILL and (not direction or direction * speed > 0.0)
