"""What became of many arms that are not quite the nominal one: percentiles, probabilities, causes.

Of N arms, K leave a tube around the path: p = K/N, with Wilson's interval, which holds the true
probability in 95 of 100 such experiments.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ulna.analysis import FollowingVerdict
from ulna.arrays import Array, plain, whole
from ulna.errors import InputError, Problem, shown
from ulna.motion import Plan
from ulna.progress import Described
from ulna.simulation import BatchRun
from ulna.sweep.sampling import plain_value
from ulna.sweep.sensitivity import RankCorrelation, SobolIndices, rank_correlation
from ulna.sweep.sweep_parameters import Choice, Parameter
from ulna.units import length_text

LEVELS = (50.0, 90.0, 95.0, 99.0)  # [%] of arms
FAN_LEVELS = (5.0, 25.0, 50.0, 75.0, 95.0)  # [%] of arms, over time


class ExitProbability(NamedTuple):
    """How likely an arm leaves a tube around the path.

    Attributes
    ----------
    probability : float
        The share of arms that did.
    low, high : float
        Its 95 % confidence interval, by Wilson.
    exits : int
        How many arms did.
    runs : int
        Of how many.
    """

    probability: float
    low: float
    high: float
    exits: int
    runs: int

    def __str__(self) -> str:
        share = f"{_percent(self.probability)} of {self.runs:,} arms"
        return f"{share} ({_percent(self.low, unit=False)}–{_percent(self.high)})"


def _percent(part: float, *, unit: bool = True) -> str:
    digits = 1 if 0.0005 <= part < 0.9995 or part in (0.0, 1.0) else 2
    text = f"{100.0 * part:.{digits}f}" if part not in (0.0, 1.0) else f"{100.0 * part:.0f}"
    return f"{text} %" if unit else text


def exit_probability(count: int, runs: int) -> ExitProbability:
    """Return a probability with its confidence interval, of so many in so many runs.

    Parameters
    ----------
    count : int
        How often it happened.
    runs : int
        In how many runs.

    Returns
    -------
    ExitProbability
        The share, and between what it is with 95 % confidence.

    Examples
    --------
    >>> print(exit_probability(31, 1000))
    3.1 % of 1,000 arms (2.2–4.4 %)
    """
    from scipy.stats import binomtest

    interval = binomtest(count, runs).proportion_ci(method="wilson")
    return ExitProbability(count / runs, float(interval.low), float(interval.high), count, runs)


class WorstCase(NamedTuple):
    """The arm whose tip was off the most.

    Attributes
    ----------
    number : int
        Which of the arms, from 0: `Robustness.replay` simulates it again.
    error : float
        Its largest tip error [m]; infinite for a run that failed.
    status : str
        How its run ended.
    values : mapping of str to float or str
        What was drawn for it, in SI units.
    """

    number: int
    error: float
    status: str
    values: Mapping[str, Any]


@dataclass(frozen=True, eq=False, repr=False)
class Robustness(Described):
    """What became of B arms that are not quite the nominal one.

    Attributes
    ----------
    plan : Plan
        What they were to follow.
    seed : int
        Of what was drawn.
    tube : float
        How far off a tip may be [m].
    parameters : tuple of Parameter
        What was drawn, with units.
    values : mapping of str to ndarray, shape (B,)
        The draws, in SI units.
    medians : mapping of str to float or None
        Of the distributions that they are from; None for a choice among words.
    rms, max : ndarray, shape (B,)
        Root of the mean square and largest of each tip's error [m]; infinite for a run that failed.
    reason : ndarray of str, shape (B,)
        How each run ended.
    t : ndarray, shape (P,)
        Times [s].
    error : ndarray, shape (B, P)
        Tip errors [m] at these times; infinite after a run has failed.
    nominal : ndarray, shape (P,)
        The same of the nominal arm.
    nominal_rms, nominal_max : float
        As `rms` and `max`.
    sobol : SobolIndices or None
        Shares of the variance of the largest error, where they were asked for.
    """

    plan: Plan
    seed: int
    tube: float
    parameters: tuple[Parameter, ...]
    values: Mapping[str, Any]
    medians: Mapping[str, float | None]
    rms: Array
    max: Array
    reason: Array
    t: Array
    error: Array
    nominal: Array
    nominal_rms: float
    nominal_max: float
    sobol: SobolIndices | None
    _simulate: Callable[[Array], BatchRun]
    _numbers: Array  # of the arms in the whole experiment

    def __len__(self) -> int:
        return len(self.max)

    def percentiles(self, levels: Sequence[float] = LEVELS) -> dict[str, Array]:
        """Return errors that so many per cent of the arms do not exceed.

        Parameters
        ----------
        levels : sequence of float, optional
            Per cent of the arms: 50, 90, 95 and 99 unless given.

        Returns
        -------
        dict of str to ndarray
            For "rms" and "max", an error [m] for every level.

        Raises
        ------
        InputError
            For a level that is not from 0 to 100.
        """
        asked = np.asarray(levels, dtype=float)
        if asked.ndim != 1 or not ((asked >= 0.0) & (asked <= 100.0)).all():
            raise InputError(Problem("levels", shown(levels), "numbers from 0 to 100 [%]"))
        return {name: _percentiles(getattr(self, name), asked) for name in ("rms", "max")}

    @cached_property
    def exit(self) -> ExitProbability:
        """How likely an arm leaves the tube; a run that fails has left it."""
        return exit_probability(int(np.sum(self.max > self.tube)), len(self))

    def fan(self, levels: Sequence[float] = FAN_LEVELS) -> Array:
        """Return percentiles of the tip error over time.

        Parameters
        ----------
        levels : sequence of float, optional
            Per cent of the arms: 5, 25, 50, 75 and 95 unless given.

        Returns
        -------
        ndarray, shape (L, P)
            Errors [m] at the times `t`, a row for every level.
        """
        return _percentiles(self.error, np.asarray(levels, dtype=float))

    @cached_property
    def rank_correlations(self) -> dict[str, RankCorrelation]:
        """Spearman's ρ of each parameter and the largest error, the strongest first.

        NaN where it says nothing: of a choice among words, and of what does not vary.
        """
        found = {
            name: rank_correlation(column, self.max, self.medians[name])
            for name, column in self.values.items()
        }
        return dict(sorted(found.items(), key=lambda pair: -pair[1].strength))

    @cached_property
    def worst(self) -> WorstCase:
        """The arm whose tip was off the most; of several that failed, the first to fail."""
        off = np.flatnonzero(self.max == self.max.max())
        finite = np.isfinite(self.error[off]).sum(axis=1)
        number = int(off[np.argmin(finite)])
        return WorstCase(
            number, float(self.max[number]), str(self.reason[number]), self.draws(number)
        )

    def draws(self, number: int) -> dict[str, Any]:
        """Return what was drawn for an arm.

        Parameters
        ----------
        number : int
            Of the arm, from 0.

        Returns
        -------
        dict of str to float or str
            Values by the names of the parameters, in SI units.
        """
        return {name: plain_value(column[number]) for name, column in self.values.items()}

    def replay(self, number: int | None = None) -> BatchRun:
        """Simulate one of the arms again, to the last bit, as a batch of one.

        Parameters
        ----------
        number : int, optional
            Of the arm, from 0; the worst one unless given.

        Returns
        -------
        BatchRun
            Its motion and its torques.

        Raises
        ------
        InputError
            If there is no such arm.
        """
        chosen = whole("number", self.worst.number if number is None else number, 0, len(self) - 1)
        return self._simulate(self._numbers[[chosen]])

    @property
    def text(self) -> str:
        """A sentence: how many arms leave the tube."""
        return f"leaves the {length_text(self.tube)} tube in {self.exit}"

    @property
    def ok(self) -> bool | None:
        """Whether no arm leaves the tube; None where at most half of them do and no run fails."""
        if not self.exit.exits:
            return True
        return False if self.failed or self.exit.probability > 0.5 else None

    def headline(self, judged: FollowingVerdict) -> tuple[bool | None, str]:
        """Return whether the nominal arm and these arms pass, and the verdict on both.

        Parameters
        ----------
        judged : FollowingVerdict
            On the nominal arm.

        Returns
        -------
        tuple
            True, False, or None where the nominal arm follows and most of the others do; and a
            sentence.
        """
        return self.ok if judged.follows else False, f"{judged.text}; {self.text}"

    @property
    def failed(self) -> int:
        """How many runs failed."""
        return int(np.sum(np.isinf(self.max)))

    def facts(self) -> dict[str, Any]:
        """Return what was found as plain values that JSON takes.

        Returns
        -------
        dict
            By names, in SI units; None for what is not finite.
        """
        shares = self.percentiles()
        levels = [f"{level:g}" for level in LEVELS]
        worst = self.worst
        return plain(
            {
                "text": self.text,
                "ok": self.ok,
                "runs": len(self),
                "seed": self.seed,
                "failed": self.failed,
                "tube": self.tube,
                "exit_probability": self.exit._asdict(),
                "tip_error": {
                    name: dict(zip(levels, shares[name].tolist(), strict=True)) for name in shares
                },
                "nominal": {"rms": self.nominal_rms, "max": self.nominal_max},
                "rank_correlation": {
                    name: one._asdict() for name, one in self.rank_correlations.items()
                },
                "sobol": None if self.sobol is None else self.sobol._asdict(),
                "worst": {
                    **worst._asdict(),
                    "values": {name: _told(value) for name, value in worst.values.items()},
                },
                "varied": {one.name: one.unit for one in self.parameters},
            }
        )

    @property
    def lines(self) -> list[str]:
        """Percentiles of the tip error, what it goes with, failed runs, and the worst arm."""
        shares, worst = self.percentiles(), self.worst
        told = []
        for name, head in (("rms", "RMS"), ("max", "largest")):
            parts = [
                f"{error_text(error)} ({level:g} %)"
                for error, level in zip(shares[name], LEVELS, strict=True)
            ]
            told.append(f"tip error, {head}: {', '.join(parts)}")
        told += self.causes()
        if self.sobol is not None:
            totals = [f"{name} {one:.2g}" for name, one in list(self.sobol.total.items())[:3]]
            told.append(f"total Sobol indices, {self.sobol.runs:,} runs: {', '.join(totals)}")
        if self.failed:
            told.append(f"{self.failed:,} runs failed")
        where = f"arm {worst.number} of seed {self.seed}"
        return [*told, f"worst: {where}, {error_text(worst.error)} off"]

    def causes(self, count: int = 3) -> list[str]:
        """Return what matters most, a line each.

        Parameters
        ----------
        count : int, optional
            How many lines at most.

        Returns
        -------
        list of str
            Parameters with their rank correlations, the strongest first; those that say nothing
            are left out.
        """
        found = [pair for pair in self.rank_correlations.items() if pair[1].strength > 0.0]
        return [
            f"{'matters most' if not k else 'then'}: {name}, {one.text}"
            for k, (name, one) in enumerate(found[:count])
        ]

    def _title(self) -> str:
        return f"Robustness of {self.plan.path}: {len(self):,} arms, seed {self.seed}"

    def _lines(self) -> list[str]:
        return [self.text, *self.lines]


def _told(value: Any) -> Any:
    return value.label if isinstance(value, Choice) else value


def error_text(error: float) -> str:
    """Write a tip error [m]; that of a run that failed is infinite."""
    return length_text(float(error)) if math.isfinite(error) else "failed"


def _percentiles(values: Array, levels: Array) -> Array:
    """Return percentiles along the first axis; between failed runs and others nothing is mixed."""
    if np.isfinite(values).all():
        return np.asarray(np.percentile(values, levels, axis=0))
    return np.asarray(np.percentile(values, levels, axis=0, method="higher"))
