"""Explicit Runge–Kutta steps of any tableau; error and dense output of DOP853."""

from __future__ import annotations

import math

from ulna.kernels import inlined, inner
from ulna.scenario.tableaux import DOP853_DENSE, DOP853_ERRORS
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.memory import Memory
from ulna.simulation.engine.state_derivative import (
    call_account,
    call_motors,
    columns,
    copy,
    state_derivative,
    state_derivative_inlined,
)

# Beyond half a turn an angle's size says nothing: its tolerance stops growing with it.
TURN = math.pi


@inlined
def explicit_step(size: int, m: Memory, t: float, h: float) -> None:
    """Write the state a step h after STATE at time t to TRIAL, of an arm without motors."""
    ints = m.ints
    first = 1 if ints[at.FSAL_VALID] != 0 else 0
    ints[at.FSAL_VALID] = 0  # what comes next starts elsewhere, unless it says otherwise
    for s in range(first, ints[at.STAGES]):
        if ints[at.METHOD] == at.CHAINED:
            rk_stage(size, m, s, h)
        else:
            combine(size, m, s, s, h, at.STAGE)
        state_derivative_inlined(size, m, t + m.tableau[s, at.NODE] * h, s)
    combine(size, m, at.WEIGHTS, ints[at.STAGES], h, at.TRIAL)


@inlined
def rk_stage(size: int, m: Memory, s: int, h: float) -> None:
    """Compute a stage that depends on the derivative before it alone, as those of RK4 do."""
    v = m.vectors
    before = max(s - 1, 0)
    step = h * m.tableau[s, before]
    for part in range(2):
        for i in range(columns(size, v)):
            previous = v[at.DERIVATIVES + 2 * before + part, i] if s > 0 else 0.0
            v[at.STAGE + part, i] = v[at.STATE + part, i] + step * previous


@inlined
def combine(size: int, m: Memory, row: int, known: int, h: float, target: int) -> None:
    """Write STATE + h Σ a_j k_j to the target, for the derivatives k_j."""
    v, tableau = m.vectors, m.tableau
    for part in range(2):
        for i in range(columns(size, v)):
            total = 0.0 * v[at.STATE + part, i]
            for j in range(known):
                factor = tableau[row, j]
                if factor != 0.0:
                    total += factor * v[at.DERIVATIVES + 2 * j + part, i]
            v[target + part, i] = v[at.STATE + part, i] + h * total


@inner
def error_of_step(size: int, m: Memory, h: float) -> float:
    """Return the error of a DOP853 step in units of the tolerance, from both embedded methods."""
    n = size
    v = m.vectors
    fifth = third = 0.0
    for part in range(2):
        for i in range(n):
            high = low = 0.0
            for j in range(at.LAST):
                one = v[at.DERIVATIVES + 2 * j + part, i]
                high += DOP853_ERRORS[0, j] * one
                low += DOP853_ERRORS[1, j] * one
            scale = _scale(m, part, max(abs(v[at.STATE + part, i]), abs(v[at.TRIAL + part, i])))
            fifth += (high / scale) ** 2
            third += (low / scale) ** 2
    error = 0.0
    if fifth != 0.0 or third != 0.0:
        error = abs(h) * fifth / math.sqrt((fifth + 0.01 * third) * 2 * n)
    return error


@inlined
def _scale(m: Memory, part: int, large: float) -> float:
    """Return the tolerance of a number of this size."""
    if part == 0:
        large = min(large, TURN)
    return float(m.floats[at.ATOL] + m.floats[at.RTOL] * large)


@inner
def first_step(size: int, m: Memory, t: float, span: float) -> float:
    """Estimate a first step from how fast the state and its derivative change."""
    n = size
    v = m.vectors
    copy(size, m, at.STATE, at.STAGE)
    state_derivative(size, m, t, at.FIRST)
    m.ints[at.FSAL_VALID] = 1
    level, steepness = _norm(size, m, at.STATE), _norm(size, m, at.DERIVATIVES)
    h = 1e-6 if level < 1e-5 or steepness < 1e-5 else 0.01 * level / steepness
    h = min(h, span)
    for part in range(2):
        for i in range(n):
            v[at.STAGE + part, i] += h * v[at.DERIVATIVES + part, i]
    state_derivative(size, m, t + h, at.SECOND)
    for part in range(2):
        for i in range(n):
            v[at.DERIVATIVES + 2 + part, i] -= v[at.DERIVATIVES + part, i]
    most = max(steepness, _norm(size, m, at.DERIVATIVES + 2) / h)
    better = max(1e-6, h * 1e-3) if most <= 1e-15 else (0.01 / most) ** 0.125
    return float(min(100.0 * h, better, span))


@inner
def _norm(size: int, m: Memory, row: int) -> float:
    n = size
    v = m.vectors
    total = 0.0
    for part in range(2):
        for i in range(n):
            total += (v[row + part, i] / _scale(m, part, abs(v[at.STATE + part, i]))) ** 2
    return math.sqrt(total / (2 * n))


@inner
def derivative_at_end(size: int, m: Memory, t: float, h: float) -> None:
    """Compute the derivative at the end of a DOP853 step."""
    copy(size, m, at.NEXT_STATE, at.STAGE)
    state_derivative(size, m, t + h, at.LAST)


@inner
def prepare_dense(size: int, m: Memory, t: float, h: float) -> None:
    """Compute the dense output of order 7 of a DOP853 step."""
    n = size
    v = m.vectors
    for s in range(at.LAST + 1, at.COUNT_DERIVATIVES):
        combine(size, m, s, s, h, at.STAGE)
        if m.ints[at.MOTORS] != 0:
            call_motors(size, m, at.COMBINE, s, s, at.STAGE, t + m.tableau[s, at.NODE] * h, h)
        state_derivative(size, m, t + m.tableau[s, at.NODE] * h, s)
    if m.ints[at.MOTORS] != 0:
        call_account(size, m, at.PREPARE_DENSE, at.NONE, t, h)
    for part in range(2):
        for i in range(n + 1):
            change = v[at.NEXT_STATE + part, i] - v[at.STATE + part, i]
            begin, end = h * v[at.DERIVATIVES + part, i], h * v[at.END + part, i]
            v[at.DENSE + part, i] = change
            v[at.DENSE + 2 + part, i] = begin - change
            v[at.DENSE + 4 + part, i] = 2.0 * change - end - begin
            for k in range(at.COUNT_DENSE - 3):
                total = 0.0
                for j in range(at.COUNT_DERIVATIVES):
                    total += DOP853_DENSE[k, j] * v[at.DERIVATIVES + 2 * j + part, i]
                v[at.DENSE + 2 * (3 + k) + part, i] = h * total


@inner
def read_dense(size: int, m: Memory, x: float) -> None:
    """Write the state at the fraction x of a DOP853 step to STAGE."""
    v = m.vectors
    for part in range(2):
        for i in range(size + 1):
            total = 0.0
            for k in range(at.COUNT_DENSE):
                place = at.COUNT_DENSE - 1 - k
                total += v[at.DENSE + 2 * place + part, i]
                total *= x if place % 2 == 0 else 1.0 - x
            v[at.STAGE + part, i] = v[at.STATE + part, i] + total
