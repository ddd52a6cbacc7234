"""The state derivative: inputs, accelerations, and the power supplied and dissipated.

What a run may do without is not compiled into it: parts of the engine (`parts.py`), Python
functions and control laws are called by their addresses.
"""

from __future__ import annotations

from typing import Any

from ulna.arrays import Array
from ulna.dynamics import packed as link
from ulna.dynamics.recursive import forward, forward_coupled, link_directions
from ulna.expressions.evaluate import evaluate
from ulna.kernels import FLOAT, ArrayOf, Hook, inlined, inner, kernel
from ulna.lanes import any_lane, is_scalar
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.memory import ControlMemory, Memory

PART = Hook()  # one of the kernels in `parts.py`
call_part = PART.call
# A Python function that reads the state from STAGE and writes what is LIVE; not zero if it failed.
CALLBACK = Hook(plain=True)
call_python = CALLBACK.call
# A control law: (t, q, qd, reference, params, state, tau), of one arm or a block of them.
_MATRIX, _CUBE = ArrayOf("float64", 2), ArrayOf("float64", 3)
LAW = Hook((FLOAT, _MATRIX, _MATRIX, _CUBE, _MATRIX, _MATRIX, _MATRIX))
call_law = LAW.call

# Functions that are called now and then, from code that is hot: the frames of their arguments are
# laid out here and not there.


@inner
def call_live_inputs(size: int, m: Memory, t: float) -> None:
    """Add the torques and the tip's force of formulas and functions at time t."""
    call_part(m.ints[at.LIVE_PART], size, m, t)


@inner
def coupled_derivative(size: int, m: Memory, t: float, row: int) -> None:
    """Write the derivative of the state STAGE to a row where the plain recursion does not do.

    That is where neighbours exchange torques, as by rotors or at stops, where there is friction,
    where motors are not ideal, and in approximations.
    """
    if m.ints[at.DYNAMICS_PART] != 0:
        _call_dynamics(size, m, t, row)
        return
    if m.ints[at.FRICTIONAL] != 0:
        call_slide(size, m, link.CARRIER)
    else:
        forward_coupled(size, m.links, m.turns, m.vectors, at.STAGE, link.CARRIER)
    write_derivative(size, m, row)
    if is_scalar(m.vectors) and m.ints[at.FRICTIONAL] != 0:
        note_friction(size, m, at.STAGE, row)


@inner
def _call_dynamics(size: int, m: Memory, t: float, row: int) -> None:
    """Write the derivative of the state STAGE by other dynamics to a row."""
    call_part(m.ints[at.DYNAMICS_PART], size, m, t, row)


@inner
def call_motors(
    size: int, m: Memory, task: int, row: int, known: int, target: int, t: float, h: float
) -> None:
    """Do what motors take: find their torques, or take a part of a step with them."""
    call_part(m.ints[at.MOTOR_PART], size, m, task, row, known, target, t, h)


@inner
def call_account(size: int, m: Memory, task: int, row: int, t: float, h: float) -> None:
    """Do what motors of a single arm take besides: energies, dense output, errors, notes."""
    call_part(m.ints[at.ACCOUNT_PART], size, m, task, row, t, h)


@inner
def call_slide(size: int, m: Memory, pairs: int) -> None:
    """Compute accelerations with the friction of joints that slide."""
    call_part(m.ints[at.SLIDE_PART], size, m, pairs)


@inner
def call_friction(size: int, m: Memory, task: int, t: float) -> None:
    """Find which joints stick, how nearly they break away, or let them go for an impact."""
    call_part(m.ints[at.FRICTION_PART], size, m, task, t)


@inner
def call_control(size: int, m: Memory, control: ControlMemory, part: int) -> None:
    """Do what sensors or actuators do for the controller."""
    call_part(m.ints[part], size, m, control)


@inner
def call_step_part(size: int, m: Memory, t: float, h: float) -> None:
    """Write the end of a step to TRIAL, by the kernel of the method."""
    call_part(m.ints[at.STEP_PART], size, m, t, h)


@inner
def call_update_contacts(size: int, m: Memory, log: Array) -> None:
    """Update which joints are held at stops, for the inputs that act from now on."""
    call_part(m.ints[at.WATCH_PART], size, m, log, at.UPDATE_CONTACTS, 0, 0.0)


@inner
def call_handle_events(size: int, m: Memory, log: Array, which: int) -> int:
    """Handle the events found in a step; return BUDGET, or why the engine ends."""
    return int(call_part(m.ints[at.WATCH_PART], size, m, log, at.HANDLE_EVENTS, which, 0.0))


@inlined
def state_derivative_inlined(size: int, m: Memory, t: float, place: int) -> None:
    """Write the derivative of the state STAGE at time t to number `place` of DERIVATIVES."""
    v, links, turns, ints = m.vectors, m.links, m.turns, m.ints
    ints[at.EVALUATIONS] += 1
    # Inputs of lanes are computed when a segment begins, and stay as they are.
    if is_scalar(v) or ints[at.CHANGING] != 0:
        inputs(size, m, t)
    row = at.DERIVATIVES + 2 * place
    if ints[at.COUPLED] == 0:
        forward(size, links, turns, v, at.STAGE, None)
        write_derivative(size, m, row)
    else:
        coupled_derivative(size, m, t, row)


@inlined
def write_derivative(size: int, m: Memory, row: int) -> None:
    """Write the rates of the state STAGE, the accelerations, and the power to a row."""
    v = m.vectors
    for i in range(size):
        v[row, i] = v[at.STAGE + 1, i]
        v[row + 1, i] = m.links[i, link.QDD]
    if is_scalar(v):
        note_power(size, m, at.STAGE, row)


@inlined
def columns(size: int, vectors: Array) -> int:
    """Return how many columns are integrated: those of a single arm include its work."""
    return size + 1 if is_scalar(vectors) else size


@inlined
def note_power(size: int, m: Memory, motion: int, row: int) -> None:
    """Write the power supplied and dissipated behind a derivative."""
    n, v, links = size, m.vectors, m.links
    injected = dissipated = 0.0
    for i in range(n):
        rate = v[motion + 1, i]
        injected += links[i, link.TORQUE] * rate
        dissipated += links[i, link.DAMPING] * rate * rate
    if has_tip_force(size, links):
        injected += tip_power(size, m, motion)
    v[row, n] = injected
    v[row + 1, n] = dissipated


@inlined
def note_friction(size: int, m: Memory, motion: int, row: int) -> None:
    """Add what friction dissipates to the power behind a derivative."""
    v = m.vectors
    for i in range(size):
        v[row + 1, size] += m.links[i, link.FRICTION] * v[motion + 1, i]


@inner
def state_derivative(size: int, m: Memory, t: float, place: int) -> None:
    """Do as `state_derivative_inlined` does, where small code matters more than speed."""
    state_derivative_inlined(size, m, t, place)


@inlined
def inputs(size: int, m: Memory, t: float) -> None:
    """Compute the torques, and the tip's force and moment, at time t."""
    n = size
    links = m.links
    since = t - m.floats[at.HOLD_START]
    for i in range(n):
        links[i, link.TORQUE] = links[i, at.HOLD] + links[i, at.RAMP] * since
    for k in range(3):
        links[n, link.FORCE_X + k] = links[n, at.TIP_HOLD + k] + links[n, at.TIP_RAMP + k] * since
    if m.ints[at.INPUTS] != at.STEADY:
        call_live_inputs(size, m, t)


@inlined
def motor_torque(m: Memory, i: int, since: float) -> Any:
    """Return the torque of a joint's motor, without disturbances, so long after the hold began."""
    links = m.links
    held = at.UNDISTURBED if m.ints[at.DISTURBANCES] != 0 else at.HOLD
    return links[i, held] + links[i, at.RAMP] * since + links[i, at.LIVE] + links[i, at.ACTUATED]


@kernel
def live_inputs(size: int, m: Memory, t: float) -> None:
    """Add the torques and the tip's force of formulas and functions at time t."""
    _add_formulas(size, m, t)


@kernel
def lagged_inputs(size: int, m: Memory, t: float) -> None:
    """Add the same, and what actuators and disturbances give that change continuously."""
    _add_formulas(size, m, t)
    ints = m.ints
    if ints[at.INPUTS] & at.LAGGED and ints[at.CONTROLLED] != at.NO_CONTROLLER:
        call_part(ints[at.LAG_PART], size, m, t)
    if ints[at.INPUTS] & at.WAVING:
        call_part(ints[at.WAVE_PART], size, m, t)


@inlined
def _add_formulas(size: int, m: Memory, t: float) -> None:
    n = size
    links, ints = m.links, m.ints
    if ints[at.INPUTS] & at.TEXT:
        name_values(size, m, t)
        for k in range(ints[at.FORMULAS]):
            place = ints[ints[at.SPANS] + 3 * k]
            if place < n:
                links[place, at.LIVE] = formula(m, k)
            elif place < n + 3:
                links[n, at.TIP_LIVE + place - n] = formula(m, k)
    if ints[at.INPUTS] & at.PYTHON and ints[at.FAULT] == 0:
        ints[at.FAULT] = call_python(ints[at.INPUT_CALL], t)
    for i in range(n):
        links[i, link.TORQUE] += links[i, at.LIVE]
    for k in range(3):
        links[n, link.FORCE_X + k] += links[n, at.TIP_LIVE + k]


@inner
def formula(m: Memory, k: int) -> Any:
    """Return the value of formula k for the values that were named last."""
    ints = m.ints
    span = ints[at.SPANS] + 3 * k
    return evaluate(
        ints,
        m.per_arm,
        ints[at.CODES] + 2 * ints[span + 1],
        ints[at.CODES] + 2 * ints[span + 2],
        ints[at.CONSTANTS],
        ints[at.VALUES],
        ints[at.STACK],
    )


@inner
def name_values(size: int, m: Memory, t: float) -> None:
    """Set what formulas may name: t, the tip's x and y, angles and rates."""
    n = size
    v, links, turns, per_arm, first = m.vectors, m.links, m.turns, m.per_arm, m.ints[at.VALUES]
    per_arm[first] = t
    for i in range(n):
        per_arm[first + 3 + i] = v[at.STAGE, i]
        per_arm[first + 3 + n + i] = v[at.STAGE + 1, i]
    if m.ints[at.TIP_NAMED] == 0:
        return
    link_directions(size, turns, v, at.STAGE)
    x, y = links[n, link.BASE_X], links[n, link.BASE_Y]
    for i in range(n):
        x = x + links[i, link.LENGTH] * turns[link.COS, i]
        y = y + links[i, link.LENGTH] * turns[link.SIN, i]
    per_arm[first + 1], per_arm[first + 2] = x, y


@inlined
def has_tip_force(size: int, links: Array) -> bool:
    """Return whether anything acts on the tip."""
    n = size
    return (
        any_lane(links[n, link.FORCE_X] != 0.0)
        or any_lane(links[n, link.FORCE_Y] != 0.0)
        or any_lane(links[n, link.MOMENT] != 0.0)
    )


@inner
def tip_power(size: int, m: Memory, row: int) -> Any:
    """Return the power [W] of the force and the moment on the tip."""
    n = size
    v, links, turns = m.vectors, m.links, m.turns
    rate = v_x = v_y = 0.0
    for i in range(n):
        rate += v[row + 1, i]
        v_x -= rate * links[i, link.LENGTH] * turns[link.SIN, i]
        v_y += rate * links[i, link.LENGTH] * turns[link.COS, i]
    force = links[n, link.FORCE_X] * v_x + links[n, link.FORCE_Y] * v_y
    return force + links[n, link.MOMENT] * rate


@inlined
def copy(size: int, m: Memory, source: int, target: int) -> None:
    """Copy a state from one pair of rows to another."""
    for part in range(2):
        for i in range(columns(size, m.vectors)):
            m.vectors[target + part, i] = m.vectors[source + part, i]
    if m.ints[at.MOTORS] != 0:
        _copy_layers(size, m, source, target)


@inner
def _copy_layers(size: int, m: Memory, source: int, target: int) -> None:
    """Copy what is the motors'."""
    for layer in (at.ELECTRIC, at.ROTORS, at.GEARS):
        first = first_column(size, m, layer)
        if layer == at.GEARS and m.ints[at.SETTLINGS] != 0:
            first = 0  # what settling currents have left
        for i in range(first, columns(size, m.vectors)):
            for part in range(2):
                m.vectors[layer + target + part, i] = m.vectors[layer + source + part, i]


@inlined
def first_column(size: int, m: Memory, layer: int) -> int:
    """Return the first column of a layer of motors that is integrated; the last are energies."""
    if layer == at.ELECTRIC:
        return 0 if m.ints[at.WINDINGS] != 0 else size
    return 0 if layer == at.ROTORS and m.ints[at.BACKLASHES] != 0 else size
