"""Robustness of a loop: the same motion by many arms that are not quite the nominal one.

Plan and controller are those of the nominal arm, and stay so; the arms that are simulated have
masses, lengths, loads, friction, motors, delays, noise and knocks at the tip of their own, drawn at
random. What is drawn for an arm depends on the seed and its number alone, and what becomes of it
not on the others: any of them can be simulated again to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ulna.analysis import default_tolerance, tracking
from ulna.arm import Actuators, Sensors
from ulna.arrays import Array, freeze, positive, whole
from ulna.concurrency import check_on_interrupt, interruptible, return_partial
from ulna.control import Controller
from ulna.errors import InputError, Problem, shown
from ulna.motion import Plan
from ulna.progress import progress as progress_line
from ulna.scenario.checks import check_kinds
from ulna.scenario.disturbances import Disturbance
from ulna.scenario.inputs import POSITION, check_given
from ulna.scenario.loops import loop_of
from ulna.simulation import BatchRun, simulate_batch
from ulna.sweep.cases import Grid, batch_keywords, sample_grid
from ulna.sweep.robust_results import Robustness
from ulna.sweep.sampling import Axis, plain_value
from ulna.sweep.sensitivity import (
    SobolIndices,
    check_salib,
    median_of,
    sobol_indices,
)
from ulna.sweep.uncertain_loop import UncertainLoop, uncertain_loop
from ulna.typing import OnInterrupt

MOST_RUNS = 1_000_000
FAN_POINTS = 201
SAMPLE_PERIOD, FEWEST_SAMPLES, MOST_SAMPLES = 0.01, 401, 4001  # [s]
BLOCK = 2**20  # samples that are in memory at a time
NOISE_STREAMS = 2**53


class _Block(NamedTuple):
    """What is kept of some arms."""

    rms: Array
    max: Array
    reason: Array
    error: Array


@dataclass(frozen=True, eq=False)
class _Experiment:
    """Simulates arms of an uncertain loop."""

    loop: UncertainLoop
    grid: Grid
    streams: Array  # (B,) of the noise

    def simulate(self, numbers: Array) -> BatchRun:
        return self.run(self._draws(numbers), self.streams[numbers], numbers)

    def run(
        self, draws: Sequence[Mapping[str, Any]], streams: Array, numbers: Array | None = None
    ) -> BatchRun:
        """Simulate arms with these values and streams of noise."""
        cases = []
        for k, values in enumerate(draws):
            try:
                cases.append(self.loop.case(values))
            except InputError as error:
                raise InputError(_of_draw(error, k if numbers is None else numbers[k])) from None
        made = [self.loop.prepared(case) for case in cases]
        return simulate_batch(
            [case.arm for case in cases],
            samples=self.grid.times(made[0].duration),
            seeds=streams,
            keep_torques=True,
            progress=False,
            **batch_keywords(cases, made),
        )

    def judge(self, run: BatchRun) -> _Block:
        found, ok = tracking(run, self.loop.plan), run.status.ok
        error = found.size[:, :: self.grid.every]
        return _Block(
            np.where(ok, found.rms, np.inf),
            np.where(ok, found.max, np.inf),
            np.asarray(run.status.reason, dtype=str),
            np.where(np.isnan(error), np.inf, error),
        )

    def blocks(self, count: int) -> Iterator[Array]:
        """Yield numbers of arms that are simulated together: alike in what is a list."""
        columns = self.loop.design.columns(np.arange(count))
        lists = [columns[one.name] for one in self.loop.design.axes if isinstance(one, Axis)]
        keys = [np.unique(column.astype(str), return_inverse=True)[1] for column in lists]
        order = np.lexsort([np.arange(count), *keys])
        size = max(BLOCK // self.grid.samples, 16)
        for first in range(0, count, size):
            yield order[first : first + size]

    def _draws(self, numbers: Array) -> list[dict[str, Any]]:
        columns = self.loop.design.columns(numbers)
        return [
            {name: plain_value(column[k]) for name, column in columns.items()}
            for k in range(len(numbers))
        ]


def _of_draw(error: InputError, number: Any) -> list[Problem]:
    hint = "vary it between { from, to } that an arm can have"
    return [
        Problem(f"arm {int(number)}: {one.what}", one.got, one.need, one.hint or hint)
        for one in error.problems
    ]


@interruptible
def robustness(
    plan: Plan,
    controller: Controller | None = None,
    *,
    runs: int = 1000,
    tube: float | None = None,
    vary: Mapping[str, Any] | None = None,
    disturbances: Sequence[Disturbance | str] | None = None,
    seed: int = 0,
    rate: float | None = None,
    dt: float | None = None,
    sensors: Sensors | None = None,
    actuators: Actuators | None = None,
    at_rest: bool = False,
    sobol: bool = False,
    progress: bool | None = None,
    on_interrupt: OnInterrupt = "raise",
) -> Robustness:
    """Simulate a loop with many arms that are not quite the nominal one, and judge them.

    Plan and controller are those of the nominal arm: gains that a controller chooses by itself,
    and the arm that it believes in, do not follow what is drawn.

    Parameters
    ----------
    plan : Plan
        What is to be followed, made for the nominal arm.
    controller : Controller, optional
        A compiled one, such as those of `ulna.control`. Without one the motors, which then all have
        to take positions, are commanded the planned angles.
    runs : int, optional
        How many arms.
    tube : float, optional
        How far off a tip may be [m]; `ulna.analysis.default_tolerance` unless given.
    vary : mapping of str to mapping or sequence, optional
        What is uncertain, by the names of parameters of sweeps: { "from": …, "to": … }, { "mean":
        …, "std": … }, or a list of values, with units or in SI. Besides them `design`: "random"
        unless given, else "sobol" or "latin-hypercube". `ulna.sweep.default_uncertainty` unless
        given.
    disturbances : sequence of Disturbance or str, optional
        What acts besides. Unless given a pulse on the tip, where `disturbance.1` is varied.
    seed : int, optional
        Of what is drawn.
    rate : float, optional
        The control rate [Hz]; unless given that of the arm's `loop`, else 1000 Hz.
    dt : float, optional
        The step [s]: 1 ms unless given, or a control period if that is less.
    sensors, actuators : Sensors, Actuators, optional
        Of the nominal loop; those of the arm's `loop` unless given.
    at_rest : bool, optional
        Whether arms start at rest at the first point of the path, and not moving with it. Without a
        controller they then start where the nominal arm settles.
    sobol : bool, optional
        Whether to compute Sobol indices too, by SALib: that takes some ten times as many runs.
    progress : bool, optional
        Whether a bar appears. Without it, where somebody sees it: on a terminal, in a notebook.
    on_interrupt : {"raise", "return"}, optional
        Whether Ctrl-C raises `ulna.Interrupted`, or what there is of the arms is returned.

    Returns
    -------
    Robustness
        Errors of all arms, and what they say together.

    Raises
    ------
    InputError
        With everything that makes no sense.
    InfeasibleError
        If the plan cannot be followed.
    Interrupted
        On Ctrl-C; its `result` holds the arms that are done, or is None.

    Examples
    --------
    >>> import ulna
    >>> plan = ulna.plan(ulna.preset("kehl"), ulna.paths.circle((0.5, 0.2), 0.1), duration=2.0)
    >>> found = ulna.robustness(
    ...     plan,
    ...     ulna.control.ComputedTorque(),
    ...     runs=50,
    ...     vary={"payload": {"from": 0.0, "to": 1.0}},
    ... )
    >>> round(found.rank_correlations["payload"].value, 2)
    1.0
    """
    check_on_interrupt(on_interrupt)
    if sobol:
        check_salib()
    if not isinstance(plan, Plan):
        raise InputError(Problem("plan", shown(plan), "a Plan, made with ulna.plan"))
    plan.raise_if_infeasible()
    if controller is None:
        check_given(plan.arm, POSITION)
    check_kinds(plan.arm, controller, sensors, (), actuators)
    count = whole("runs", runs, 1, MOST_RUNS)
    drawn = whole("seed", seed, 0, 2**53)
    usual = default_tolerance(plan, positions=controller is None)
    allowed = usual if tube is None else positive("tube", tube)
    base = {
        "sensors": sensors,
        "actuators": actuators,
        "at_rest": at_rest,
        "simulation": _simulation(plan, rate, dt),
    }
    loop = uncertain_loop(plan, controller, base, (count, drawn), vary, disturbances)
    wanted = round(plan.duration / SAMPLE_PERIOD) + 1
    samples = min(max(wanted, FEWEST_SAMPLES), MOST_SAMPLES)
    grid = sample_grid(samples, FAN_POINTS, curves=True, finite=False)
    return _carried_out(
        _Experiment(loop, grid, _streams(drawn, count)),
        drawn,
        allowed,
        sobol,
        progress,
        on_interrupt,
    )


def _simulation(plan: Plan, rate: float | None, dt: float | None) -> dict[str, float]:
    given = None if rate is None else positive("rate", rate)
    ticks = loop_of(plan.arm, given, None, None).rate
    return {"rate": ticks, "dt": min(1e-3, 1.0 / ticks) if dt is None else positive("dt", dt)}


def _streams(seed: int, count: int) -> Array:
    """Return the streams of noise of the arms: those of fewer arms are the first of them."""
    generator = np.random.Generator(np.random.Philox(seed))
    return generator.integers(NOISE_STREAMS, size=count)


def _carried_out(
    experiment: _Experiment,
    seed: int,
    tube: float,
    sobol: bool,
    progress: bool | None,
    on_interrupt: OnInterrupt,
) -> Robustness:
    count = len(experiment.streams)
    nominal = experiment.judge(experiment.run([{}], np.zeros(1, dtype=np.int64)))
    parts: list[tuple[Array, _Block]] = []
    done = 0
    try:
        with progress_line(f"simulating {count:,} arms", shown=progress) as told:
            for numbers in experiment.blocks(count):
                parts.append((numbers, experiment.judge(experiment.simulate(numbers))))
                done += len(numbers)
                told(done / count)
        shares = _sobol(experiment, count, seed, progress) if sobol else None
    except KeyboardInterrupt:
        if not parts:
            raise
        found = _result(experiment, parts, nominal, seed, tube, None)
        text = f"interrupted: {done:,} of {count:,} arms are done"
        return return_partial(found, on_interrupt, text)
    return _result(experiment, parts, nominal, seed, tube, shares)


def _sobol(experiment: _Experiment, count: int, seed: int, progress: bool | None) -> SobolIndices:
    def errors(draws: Sequence[Mapping[str, Any]]) -> Array:
        size = max(BLOCK // experiment.grid.samples, 16)
        found = []
        with progress_line("simulating arms for Sobol indices", shown=progress) as told:
            for first in range(0, len(draws), size):
                some = draws[first : first + size]
                # One stream of noise for all, so that the error is a function of what is drawn.
                run = experiment.run(some, np.zeros(len(some), dtype=np.int64))
                found.append(experiment.judge(run).max)
                told(min(first + size, len(draws)) / len(draws))
        return np.concatenate(found)

    return sobol_indices(experiment.loop.design.axes, errors, count, seed)


def _result(
    experiment: _Experiment,
    parts: Sequence[tuple[Array, _Block]],
    nominal: _Block,
    seed: int,
    tube: float,
    sobol: SobolIndices | None,
) -> Robustness:
    """Put arms in the order of their numbers; of an interrupted experiment those that are done."""
    numbers = np.concatenate([numbers for numbers, _ in parts])
    order = np.argsort(numbers)
    blocks = [
        np.concatenate(column)[order] for column in zip(*(one for _, one in parts), strict=True)
    ]
    numbers = numbers[order]
    values = experiment.loop.design.columns(numbers)
    medians = {axis.name: median_of(axis) for axis in experiment.loop.design.axes}
    grid, plan = experiment.grid, experiment.loop.plan
    t = grid.times(plan.duration)[:: grid.every]
    freeze(*blocks, t, nominal.error)
    return Robustness(
        plan, seed, tube, experiment.loop.parameters, values, medians,
        blocks[0], blocks[1], blocks[2], t, blocks[3],
        nominal.error[0], float(nominal.rms[0]), float(nominal.max[0]), sobol,
        experiment.simulate, numbers,
    )  # fmt: skip
