"""Which parameter matters most: rank correlations, and Sobol indices by SALib.

Spearman's ρ is the correlation of ranks: ±1 where an error only grows or only falls with a
parameter, however bent the curve. Of a mass that is as likely too large as too small, an error
grows both ways, and ρ is near 0: so ρ is computed of the distance from its median as well. The
Sobol index S_i = Var(E[y | x_i]) / Var(y) is the share of
the variance that a parameter explains by itself; the total index S_Ti adds what it explains
together with others.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ulna.arrays import Array
from ulna.errors import InputError, Problem, import_extra
from ulna.sweep.sampling import Axis, Distribution, plain_value, spread

MOST_BASE = 1024  # points of a Sobol design before its columns are exchanged
FEWEST_BASE = 64


class SobolIndices(NamedTuple):
    """Shares of the variance of the largest tip error.

    Attributes
    ----------
    first : mapping of str to float
        What each parameter explains by itself.
    total : mapping of str to float
        What it explains together with others; the strongest first.
    confidence : mapping of str to float
        Half the width of the 95 % confidence interval of `total`.
    runs : int
        How many runs they are from.
    """

    first: Mapping[str, float]
    total: Mapping[str, float]
    confidence: Mapping[str, float]
    runs: int


class RankCorrelation(NamedTuple):
    """Spearman's ρ of a parameter and an error.

    Attributes
    ----------
    value : float
        Of its value: 1 for an error that only grows with it, −1 for one that only falls.
    deviation : float
        Of its distance from the median of its distribution: 1 for an error that grows both ways.
    """

    value: float
    deviation: float

    @property
    def strength(self) -> float:
        """The larger of the two sizes; 0 where they say nothing."""
        return float(max(np.nan_to_num(np.abs(self))))

    @property
    def text(self) -> str:
        """The stronger of the two in words."""
        if abs(self.value) >= abs(self.deviation):
            return f"rank correlation {self.value:+.2f}"
        return f"rank correlation {self.deviation:+.2f} with its distance from the median"


def rank_correlation(values: Any, errors: Array, median: float | None = None) -> RankCorrelation:
    """Return Spearman's ρ of what was drawn and what became of it.

    Parameters
    ----------
    values : ndarray, shape (B,)
        Of a parameter; numbers, or something else.
    errors : ndarray, shape (B,)
        Errors, infinite where a run failed: these share the highest rank.
    median : float, optional
        Of the distribution that the values are from; of the values unless given.

    Returns
    -------
    RankCorrelation
        From −1 to 1; NaN for what has no order, and for what does not vary.

    Examples
    --------
    >>> rank_correlation(np.array([1.0, 2.0, 3.0]), np.array([1.0, 10.0, np.inf])).value
    1.0
    >>> rank_correlation(np.array([-2.0, -1.0, 0.0, 1.0, 2.0]), np.array([4.0, 1, 0, 1, 4]))
    RankCorrelation(value=0.0, deviation=1.0)
    """
    column = np.asarray(values)
    if column.dtype.kind not in "fiub" or len(column) < 2:
        return RankCorrelation(math.nan, math.nan)
    column = column.astype(float)
    middle = float(np.median(column)) if median is None else median
    return RankCorrelation(_spearman(column, errors), _spearman(np.abs(column - middle), errors))


def median_of(axis: Axis | Distribution) -> float | None:
    """Return the median of what is drawn; None for what has no order.

    Parameters
    ----------
    axis : Axis or Distribution
        What is drawn.

    Returns
    -------
    float or None
        In SI units.
    """
    if isinstance(axis, Distribution):
        return float(axis.at(np.array(0.5)))
    values = np.asarray(axis.values)
    return float(np.median(values)) if values.dtype.kind in "fiub" else None


def _spearman(values: Array, errors: Array) -> float:
    from scipy.stats import rankdata

    ranks = np.stack([rankdata(values), rankdata(errors)])
    ranks -= ranks.mean(axis=1, keepdims=True)
    size = math.sqrt(float(np.prod(np.sum(ranks**2, axis=1))))
    if size == 0.0:
        return math.nan
    return max(-1.0, min(1.0, float(ranks[0] @ ranks[1]) / size))


def sobol_indices(
    axes: Sequence[Axis | Distribution],
    errors: Callable[[Sequence[Mapping[str, Any]]], Array],
    runs: int,
    seed: int,
) -> SobolIndices:
    """Return Sobol indices of errors, by SALib.

    Parameters
    ----------
    axes : sequence of Axis or Distribution
        What is drawn.
    errors : callable
        Returns the errors (k,) of draws, a sequence of k mappings.
    runs : int
        About how many points the design begins with: a power of two, from 64 to 1,024.
    seed : int
        Of what is random.

    Returns
    -------
    SobolIndices
        The shares.

    Raises
    ------
    MissingExtraError
        Without SALib.
    InputError
        If runs fail: their errors have no variance.
    """
    check_salib()
    from SALib.analyze.sobol import analyze
    from SALib.sample.sobol import sample

    base = 2 ** round(math.log2(min(max(runs, FEWEST_BASE), MOST_BASE)))
    names = [axis.name for axis in axes]
    problem = {"num_vars": len(names), "names": names, "bounds": [[0.0, 1.0]] * len(names)}
    cube = sample(problem, base, calc_second_order=False, seed=seed)
    columns = [spread(axis, cube[:, k]) for k, axis in enumerate(axes)]
    draws = [
        {name: plain_value(column[k]) for name, column in zip(names, columns, strict=True)}
        for k in range(len(cube))
    ]
    found = errors(draws)
    if not np.isfinite(found).all():
        got = f"{int(np.sum(~np.isfinite(found)))} of {len(found):,} runs that failed"
        hint = "vary less, or go by rank correlations"
        raise InputError(Problem("sobol", got, "runs that all end well", hint))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of errors that do not vary at all
        shares = analyze(problem, found, calc_second_order=False, seed=seed)
    order = np.argsort(-np.nan_to_num(shares["ST"]))
    first, total, confidence = (
        {names[k]: float(shares[key][k]) for k in order.tolist()} for key in ("S1", "ST", "ST_conf")
    )
    return SobolIndices(first, total, confidence, len(found))


def check_salib() -> None:
    """Raise MissingExtraError without SALib, before any work is done."""
    import_extra("SALib", "cluster", "a Sobol index")
