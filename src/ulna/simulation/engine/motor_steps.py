"""The part of the engine for motors: it integrates what is theirs beside the state of the arm.

Currents, temperatures, rotors in their gaps, and energies stand in layers of the memory's rows,
and are integrated as the arm's state is, by whatever method. But for a current that settles within
a step: it would force shorter steps on the arm. At the end of the step it is found from that at the
start, i0, and from where it tends, i∞, at both, exactly for an i∞ that changes evenly:

    i(h) = i∞(h) − [i∞(h) − i∞(0)] (1 − e^−x)/x + [i0 − i∞(0)] e^−x,    x = h R/L.

On the arm acts i∞ within the step, and the mean of what the current is off it at first: what counts
is ∫ i dt = ∫ i∞ dt − (L/R) (i(h) − i0). What a step leaves of that, the next one makes up for.
"""

from __future__ import annotations

import math

from ulna.dynamics import packed as link
from ulna.dynamics.recursive import forward_coupled
from ulna.dynamics.sticking import forward_with_friction
from ulna.kernels import inlined, inner, kernel
from ulna.lanes import is_scalar, is_single, logical_and, numbers, select
from ulna.scenario.tableaux import DOP853_DENSE, DOP853_ERRORS
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.explicit import combine, rk_stage
from ulna.simulation.engine.memory import Memory
from ulna.simulation.engine.motor_laws import (
    code_of,
    drive,
    exponential,
    motor_rate,
    row_of,
    servo_target,
    write_powers,
    write_rates,
)
from ulna.simulation.engine.schedule import slack
from ulna.simulation.engine.state_derivative import (
    columns,
    copy,
    first_column,
    inputs,
    note_friction,
    write_derivative,
)

SLOW = 0.01  # of the no-load speed, below which a motor at its limits counts as stalled
# The two-stage Gauss method, as in `implicit.py`.
ROOT = math.sqrt(3.0) / 6.0
OWN, EARLY, LATE = 0.25, 0.25 - ROOT, 0.25 + ROOT
# The relative change by which iterations have settled, and what counts as nothing [A, K, rad].
ROUNDING, ROUNDING_SHORT, SMALL = 1e-11, 1e-4, 1e-3
HALVINGS = 50
STALLED = 0.1  # [s] for which a motor stands at its limits until it counts as stalled


@kernel
def motor_part(
    size: int, m: Memory, task: int, row: int, known: int, target: int, t: float, h: float
) -> int:
    """Do what motors take: find their torques, or take a part of a step with them."""
    if task == at.DRIVE:
        drive(size, m, t)
    elif task == at.WRITE_RATES:
        write_rates(size, m, row)
    elif task == at.COMBINE:
        combine_layers(size, m, row, known, target, h)
        if target == at.TRIAL:
            settle_currents(size, m, t)
    elif task == at.BEGIN_STEP:
        begin_step(size, m, t, h)
    elif task == at.READ_COMMANDS:
        _read_commands(size, m, t)
        # The segment lasts until the next servo reads its own.
        m.floats[at.STOP] = min(m.floats[at.STOP], _next_command(size, m))
    elif task >= at.GAUSS_STAGE and task <= at.EULER_END:
        _implicit(size, m, task, row, t, h)
    return 0


@kernel
def driven_part(size: int, m: Memory, t: float, row: int) -> None:
    """Write the derivative of the state STAGE, and of the motors, to a row."""
    driven_derivative(size, m, t, row)


@kernel
def account_part(size: int, m: Memory, task: int, row: int, t: float, h: float) -> int:
    """Do what motors of a single arm take: energies, dense output, errors and notes."""
    if task == at.WRITE_POWERS:
        write_powers(size, m, row)
    elif task == at.NOTE_STEP:
        _note_step(size, m, t, h)
    elif task == at.SHOW_START:
        _show_start(size, m)
    elif task == at.SHOW:
        _show(size, m)
    elif task == at.NOTE_HEAT:
        _note_heat(size, m, t, h)
    elif task == at.PREPARE_DENSE:
        _prepare_dense(size, m, h)
    elif task == at.READ_DENSE:
        _read_dense(size, m, h)
    else:
        m.floats[at.MOTOR_ERROR] = _estimate_error(size, m, h)
    return 0


@inner
def driven_derivative(size: int, m: Memory, t: float, row: int) -> None:
    """Write the derivative of the state STAGE, and of the motors, to a row."""
    inputs(size, m, t)
    drive(size, m, t)
    if m.ints[at.FRICTIONAL] != 0:
        geared = m.ints[at.GEARED] != 0
        forward_with_friction(size, m.links, m.turns, m.vectors, at.STAGE, link.CARRIER, geared)
    else:
        forward_coupled(size, m.links, m.turns, m.vectors, at.STAGE, link.CARRIER)
    write_derivative(size, m, row)
    write_rates(size, m, row)
    if is_scalar(m.vectors):
        if m.ints[at.FRICTIONAL] != 0:
            note_friction(size, m, at.STAGE, row)
        write_powers(size, m, row)


@inner
def combine_layers(size: int, m: Memory, row: int, known: int, target: int, h: float) -> None:
    """Write STATE + h Σ a_j k_j to the target, for the derivatives k_j of all layers."""
    v, tableau = m.vectors, m.tableau
    chained = m.ints[at.METHOD] == at.CHAINED and target == at.STAGE
    first = max(known - 1, 0) if chained else 0
    for layer in (at.ELECTRIC, at.ROTORS, at.GEARS):
        for i in range(first_column(size, m, layer), columns(size, m.vectors)):
            for part in range(2):
                total = 0.0 * v[layer + at.STATE + part, i]
                for j in range(first, known):
                    factor = tableau[row, j]
                    if factor != 0.0:
                        total += factor * v[layer + at.DERIVATIVES + 2 * j + part, i]
                v[layer + target + part, i] = v[layer + at.STATE + part, i] + h * total


@inner
def begin_step(size: int, m: Memory, t: float, h: float) -> None:
    """Find the branches of laws in an adaptive step, and how far settling currents are off."""
    ints = m.ints
    m.floats[at.STEP_START] = t
    if ints[at.SETTLINGS] + ints[at.ADAPTIVE] == 0:
        return
    ints[at.SWITCHES_HELD] = 0
    if ints[at.SETTLINGS] != 0:
        ints[at.IN_STEP] = 1
        ints[at.FSAL_VALID] = 0  # what acts differs with the length of the step
    copy(size, m, at.STATE, at.STAGE)
    inputs(size, m, t)
    drive(size, m, t)
    ints[at.SWITCHES_HELD] = ints[at.ADAPTIVE]
    for i in range(size):
        if code_of(m, i, at.CURRENT_BY) != at.SETTLING:
            continue
        place, per_arm = row_of(m, i), m.per_arm
        steady = per_arm[place + at.STEADY_CURRENT]
        x = h * per_arm[place + at.WARM_RESISTANCE] / per_arm[place + at.INDUCTANCE]
        off = m.vectors[at.GEARS + at.STATE, i] - steady
        per_arm[place + at.STEADY_START] = steady
        per_arm[place + at.TRANSIENT] = off * (1.0 - exponential(m, place, -x)) / x


@inner
def settle_currents(size: int, m: Memory, t: float) -> None:
    """Write the currents at the end of a step, TRIAL at time t, that settle within it."""
    m.ints[at.IN_STEP] = 0
    span = t - m.floats[at.STEP_START]
    if m.ints[at.SETTLINGS] == 0 or span <= 0.0:
        return
    copy(size, m, at.TRIAL, at.STAGE)
    inputs(size, m, t)
    drive(size, m, t)
    v = m.vectors
    for i in range(size):
        if code_of(m, i, at.CURRENT_BY) != at.SETTLING:
            continue
        place, per_arm = row_of(m, i), m.per_arm
        resistance, inductance = per_arm[place + at.WARM_RESISTANCE], per_arm[place + at.INDUCTANCE]
        x = span * resistance / inductance
        decay = exponential(m, place, -x)
        begin, end = per_arm[place + at.STEADY_START], per_arm[place + at.STEADY_CURRENT]
        off = v[at.ELECTRIC + at.STATE, i] - begin
        settled = end - (end - begin) * (1.0 - decay) / x + off * decay
        v[at.ELECTRIC + at.TRIAL, i] = per_arm[place + at.AMPERES] = settled
        off = v[at.GEARS + at.STATE, i] - begin
        v[at.GEARS + at.TRIAL, i] = begin + off * decay
        if is_scalar(v):
            # ∫ R i² of the transient itself, in place of that of its mean.
            mean = per_arm[place + at.TRANSIENT]
            heat = 0.5 * inductance * off * off * (1.0 - decay * decay)
            v[at.ROTORS + at.TRIAL, size] += heat - resistance * mean * mean * span


@kernel
def driven_step(size: int, m: Memory, t: float, h: float) -> None:
    """Write the state a step h after STATE at time t to TRIAL, by an explicit method.

    A step is compiled as a whole: called stage by stage, parts would cost more than the laws.
    """
    ints = m.ints
    begin_step(size, m, t, h)
    first = 1 if ints[at.FSAL_VALID] != 0 else 0
    ints[at.FSAL_VALID] = 0
    for s in range(first, ints[at.STAGES]):
        now = t + m.tableau[s, at.NODE] * h
        if ints[at.METHOD] == at.CHAINED:
            rk_stage(size, m, s, h)
        else:
            combine(size, m, s, s, h, at.STAGE)
        combine_layers(size, m, s, s, at.STAGE, h)
        ints[at.EVALUATIONS] += 1
        driven_derivative(size, m, now, at.DERIVATIVES + 2 * s)
        if s == 0:
            _keep_start(size, m)
    combine(size, m, at.WEIGHTS, ints[at.STAGES], h, at.TRIAL)
    combine_layers(size, m, at.WEIGHTS, ints[at.STAGES], at.TRIAL, h)
    settle_currents(size, m, t + h)


@inlined
def _keep_start(size: int, m: Memory) -> None:
    """Keep what motors do at the start of the step, for samples."""
    for i in range(size):
        row = row_of(m, i)
        m.per_arm[row + at.START_TORQUE] = m.links[i, at.MOTOR]
        m.per_arm[row + at.START_AMPERES] = m.per_arm[row + at.AMPERES]
        m.per_arm[row + at.START_VOLTS] = m.per_arm[row + at.VOLTS]


@inner
def _show_start(size: int, m: Memory) -> None:
    """Let motors show what they did at the start of the step."""
    for i in range(size):
        row = row_of(m, i)
        m.links[i, at.MOTOR] = m.per_arm[row + at.START_TORQUE]
        m.per_arm[row + at.AMPERES] = m.per_arm[row + at.START_AMPERES]
        m.per_arm[row + at.VOLTS] = m.per_arm[row + at.START_VOLTS]


@inner
def _show(size: int, m: Memory) -> None:
    """Show a sample's currents, voltages, temperatures, rotors and energies of motors."""
    n, v, first = size, m.vectors, m.ints[at.SHOWN]
    for i in range(n):
        row = row_of(m, i)
        m.floats[first + i] = m.per_arm[row + at.AMPERES]
        m.floats[first + n + i] = m.per_arm[row + at.VOLTS]
        m.floats[first + 2 * n + i] = v[at.ELECTRIC + at.STAGE + 1, i]
        m.floats[first + 3 * n + i] = v[at.ROTORS + at.STAGE, i]
        m.floats[first + 4 * n + i] = v[at.ROTORS + at.STAGE + 1, i]
    for part in range(2):
        m.floats[first + 5 * n + part] = v[at.ELECTRIC + at.STAGE + part, n]
        m.floats[first + 5 * n + 2 + part] = v[at.ROTORS + at.STAGE + part, n]
        m.floats[first + 5 * n + 4 + part] = v[at.GEARS + at.STAGE + part, n]


@inner
def _implicit(size: int, m: Memory, task: int, s: int, t: float, h: float) -> None:
    """Take a part of an implicit step."""
    if task == at.GAUSS_UPDATE:
        _update_gauss(size, m, h)
        return
    v = m.vectors
    for layer in (at.ELECTRIC, at.ROTORS, at.GEARS):
        for i in range(first_column(size, m, layer), columns(size, m.vectors)):
            for part in range(2):
                start = v[layer + at.STATE + part, i]
                first = v[layer + at.SOLVED_ROW + part, i]
                second = v[layer + at.SOLVED_ROW + 2 + part, i]
                if task == at.GAUSS_STAGE:
                    mine = OWN * first + EARLY * second if s == 0 else LATE * first + OWN * second
                    v[layer + at.STAGE + part, i] = start + h * mine
                elif task == at.GAUSS_END:
                    v[layer + at.TRIAL + part, i] = start + 0.5 * h * (first + second)
                else:
                    v[layer + at.TRIAL + part, i] = start + h * first
    if task == at.EULER_END:
        for i in range(first_column(size, m, at.ROTORS), size):
            rate = v[at.ROTORS + at.TRIAL + 1, i]  # new rates first, as those of joints
            v[at.ROTORS + at.TRIAL, i] = v[at.ROTORS + at.STATE, i] + h * rate
    if task != at.GAUSS_STAGE:
        settle_currents(size, m, t)


@inner
def _update_gauss(size: int, m: Memory, h: float) -> None:
    """Update the derivatives of lanes that iterate, where VALID is 1; 2 where they go on."""
    v, running = m.vectors, m.links[size, at.VALID] != 0.0
    least = ROUNDING_SHORT if is_single(v[at.STATE, 0]) else ROUNDING
    for layer in (at.ELECTRIC, at.ROTORS, at.GEARS):
        for i in range(first_column(size, m, layer), columns(size, m.vectors)):
            for k in range(4):
                old, new = v[layer + at.SOLVED_ROW + k, i], v[layer + at.NEW_ROW + k, i]
                v[layer + at.SOLVED_ROW + k, i] = select(running, new, old)
                if i < size:
                    size_of = SMALL + abs(v[layer + at.STATE + k % 2, i]) + h * abs(new)
                    far = logical_and(running, h * abs(new - old) > least * size_of)
                    m.links[size, at.VALID] = select(far, 2.0, m.links[size, at.VALID])


@inner
def _prepare_dense(size: int, m: Memory, h: float) -> None:
    """Compute the dense output of a DOP853 step in all layers."""
    v = m.vectors
    for layer in (at.ELECTRIC, at.ROTORS, at.GEARS):
        for i in range(first_column(size, m, layer), size + 1):
            for part in range(2):
                place = layer + part
                change = v[place + at.NEXT_STATE, i] - v[place + at.STATE, i]
                begin, end = h * v[place + at.DERIVATIVES, i], h * v[place + at.END, i]
                v[place + at.DENSE, i] = change
                v[place + at.DENSE + 2, i] = begin - change
                v[place + at.DENSE + 4, i] = 2.0 * change - end - begin
                for k in range(at.COUNT_DENSE - 3):
                    total = 0.0
                    for j in range(at.COUNT_DERIVATIVES):
                        total += DOP853_DENSE[k, j] * v[place + at.DERIVATIVES + 2 * j, i]
                    v[place + at.DENSE + 2 * (3 + k), i] = h * total


@inner
def _read_dense(size: int, m: Memory, x: float) -> None:
    """Write all layers at the fraction x of a DOP853 step to STAGE."""
    v = m.vectors
    for layer in (at.ELECTRIC, at.ROTORS, at.GEARS):
        for i in range(first_column(size, m, layer), size + 1):
            for part in range(2):
                total = 0.0
                for k in range(at.COUNT_DENSE):
                    place = at.COUNT_DENSE - 1 - k
                    total += v[layer + at.DENSE + 2 * place + part, i]
                    total *= x if place % 2 == 0 else 1.0 - x
                v[layer + at.STAGE + part, i] = v[layer + at.STATE + part, i] + total


@inner
def _estimate_error(size: int, m: Memory, h: float) -> float:
    """Return the error of a DOP853 step in units of the tolerance, as `error_of_step` does."""
    v, fifth, third, count = m.vectors, 0.0, 0.0, 0
    for layer in (at.ELECTRIC, at.ROTORS):
        for i in range(first_column(size, m, layer), size):
            for part in range(2):
                high = low = 0.0
                for j in range(at.LAST):
                    one = v[layer + at.DERIVATIVES + 2 * j + part, i]
                    high += DOP853_ERRORS[0, j] * one
                    low += DOP853_ERRORS[1, j] * one
                large = abs(v[layer + at.STATE + part, i])
                large = max(large, abs(v[layer + at.TRIAL + part, i]))
                scale = m.floats[at.ATOL] + m.floats[at.RTOL] * large
                fifth += (high / scale) ** 2
                third += (low / scale) ** 2
                count += 1
    if fifth == 0.0 and third == 0.0:
        return 0.0
    return abs(h) * fifth / math.sqrt((fifth + 0.01 * third) * count)


@inner
def _next_command(size: int, m: Memory) -> float:
    """Return when the next servo reads its command; in adaptive steps, or has its target there."""
    floats, ints, nearest = m.floats, m.ints, math.inf
    per_arm = numbers(m.per_arm)
    soon = floats[at.NOW] + slack(floats[at.NOW])
    for i in range(size):
        period, count = floats[ints[at.LATCHES] + 2 * i], floats[ints[at.LATCHES] + 2 * i + 1]
        if period > 0.0:
            after = period * count
            if after <= soon:
                after = period * (math.floor(soon / period) + 1.0)
            nearest = min(nearest, after)
        if period > 0.0 and ints[at.ADAPTIVE] != 0:
            row = row_of(m, i)
            way = abs(per_arm[row + at.LATCHED, 0] - per_arm[row + at.TARGET_START, 0])
            there = period * (count - 1.0) + way / per_arm[row + at.TARGET_SPEED, 0]
            nearest = min(nearest, there) if there > soon else nearest
    return nearest


@inner
def _read_commands(size: int, m: Memory, t: float) -> None:
    """Let servos read their commands where it is time."""
    if m.ints[at.SERVOS] == 0:
        return
    driven = False
    for i in range(size):
        place = m.ints[at.LATCHES] + 2 * i
        due = m.floats[place] * m.floats[place + 1] <= t + slack(t)
        if code_of(m, i, at.MOTOR_KIND) != at.SERVO or not due:
            continue
        if not driven:
            copy(size, m, at.STATE, at.STAGE)
            inputs(size, m, t)
            driven = True
        _read_command(m, i, t)
        m.floats[place + 1] = math.floor((t + slack(t)) / m.floats[place]) + 1.0


@inner
def _read_command(m: Memory, i: int, t: float) -> None:
    row, per_arm, command = row_of(m, i), m.per_arm, m.links[i, link.TORQUE]
    if m.ints[at.DISTURBANCES] != 0:
        command = command - m.links[i, at.DISTURBANCE_TORQUE]
    if code_of(m, i, at.GIVEN) == at.GIVEN_TORQUE:
        # The angle for which the loop gives that torque on average, at the present rate, until the
        # servo reads the next command.
        rate, half = m.vectors[at.STATE + 1, i], 0.5 * m.floats[m.ints[at.LATCHES] + 2 * i]
        ahead = (command + per_arm[row + at.INNER_DAMPING] * rate) / per_arm[row + at.STIFFNESS]
        band = per_arm[row + at.DEAD_BAND]
        band = select(ahead > 0.0, band, select(ahead < 0.0, -band, 0.0))
        command = m.vectors[at.STATE, i] + half * rate + ahead + band
    per_arm[row + at.TARGET_START] = servo_target(m, i, row, t)
    per_arm[row + at.LATCHED] = command


@inner
def _note_step(size: int, m: Memory, t: float, h: float) -> None:
    """Note which motors were at their limits in a step that ends at t, how hot, with how much."""
    n, first, floats = size, m.ints[at.NOTED], m.floats
    for i in range(n):
        row, note = row_of(m, i), first + i
        limited = m.per_arm[row + at.LIMITED] != 0.0
        if limited:
            _note_limit(n, m, i, t, h)
        floats[note + at.LIMITS * n] = 1.0 if limited else 0.0
        _note_stall(n, m, i, t, h)
        if code_of(m, i, at.MOTOR_KIND) != at.DC:
            continue
        current, supplied = m.per_arm[row + at.AMPERES], m.per_arm[row + at.SUPPLY]
        floats[note + at.PEAK_CURRENT * n] = max(floats[note + at.PEAK_CURRENT * n], abs(current))
        supply = m.per_arm[row + at.VOLTS] * current / supplied
        floats[note + at.PEAK_SUPPLY * n] = max(floats[note + at.PEAK_SUPPLY * n], supply)
        heat, before = m.vectors[at.ELECTRIC + at.STATE + 1, i], floats[note + at.HOTTEST * n]
        floats[note + at.HOTTEST * n] = max(before, heat)
        beyond = heat - m.per_arm[row + at.MOST_TEMPERATURE]
        if code_of(m, i, at.WARMS) == 0 or beyond <= 0.0:
            continue
        if floats[note + at.HOT_FIRST * n] < 0.0:
            floats[note + at.HOT_FIRST * n] = t - h * min(beyond / (heat - before), 1.0)


@inner
def _note_stall(n: int, m: Memory, i: int, t: float, h: float) -> None:
    """Note how long a motor stands still at its limits on end, and when it first stalls."""
    floats, note = m.floats, m.ints[at.NOTED] + i
    if floats[note + at.STALL_TIME * n] >= STALLED:
        return
    slow = abs(motor_rate(m, i)) < SLOW * m.per_arm[row_of(m, i) + at.NO_LOAD_SPEED]
    if floats[note + at.LIMITS * n] == 0.0 or not slow:
        floats[note + at.STALL_TIME * n] = 0.0
        return
    if floats[note + at.STALL_TIME * n] == 0.0:
        floats[note + at.STALL_FIRST * n] = t - h
    floats[note + at.STALL_TIME * n] += h


@inner
def _note_limit(n: int, m: Memory, i: int, t: float, h: float) -> None:
    floats, note = m.floats, m.ints[at.NOTED] + i
    if floats[note + at.LIMITS * n] == 0.0:
        floats[note + at.LIMIT_EPISODES * n] += 1.0
        if floats[note + at.LIMIT_EPISODES * n] == 1.0:
            floats[note + at.LIMIT_FIRST * n] = t - h
    floats[note + at.LIMIT_TIME * n] += h


@inner
def _note_heat(size: int, m: Memory, t: float, h: float) -> None:
    """Note which windings become too hot in an adaptive step from t on, which may be long.

    The cubic that has the temperatures and their rates at both ends says when.
    """
    n, v, layer = size, m.vectors, at.ELECTRIC + 1
    for i in range(n):
        place = m.ints[at.NOTED] + at.HOT_FIRST * n + i
        most = m.per_arm[row_of(m, i) + at.MOST_TEMPERATURE]
        start, end = v[layer + at.STATE, i], v[layer + at.NEXT_STATE, i]
        known = code_of(m, i, at.WARMS) == 0 or m.floats[place] >= 0.0
        if known or not start <= most < end:
            continue
        first, last = h * v[layer + at.DERIVATIVES, i], h * v[layer + at.END, i]
        bend, twist = 3.0 * (end - start) - 2.0 * first - last, first + last - 2.0 * (end - start)
        low, high = 0.0, 1.0
        for _ in range(HALVINGS):
            x = 0.5 * (low + high)
            if start + x * (first + x * (bend + x * twist)) > most:
                high = x
            else:
                low = x
        m.floats[place] = t + high * h
