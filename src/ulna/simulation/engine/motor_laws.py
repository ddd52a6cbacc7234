"""Motors: the torque that each gives for what it is commanded, and what its gear takes of it.

Numbers of a motor are those of its output shaft, or of the joint. A DC motor has the torque K i of
its current i; its driver sets that, within the limits of current and voltage, or a voltage does, to
which it tends as L di/dt = R (i∞ − i). Servos and steppers are commanded positions. Formulas of the
same laws for arrays are in `ulna.actuation.motor_formulas`.
"""

from __future__ import annotations

import math
from typing import Any

from ulna.dynamics import packed as link
from ulna.kernels import inlined, inner
from ulna.lanes import floor, is_scalar, numbers, select
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.memory import Memory
from ulna.sincos import sincos

REFERENCE = 25.0  # [°C] at which data sheets give resistances and torque constants


@inlined
def row_of(m: Memory, i: int) -> int:
    """Return where in `per_arm` the numbers of a joint's motor begin."""
    return int(m.ints[at.MOTOR_ROWS] + i * at.MOTOR_COLUMNS)


@inlined
def code_of(m: Memory, i: int, which: int) -> int:
    """Return a code of a joint's motor."""
    return int(m.ints[m.ints[at.MOTOR_CODES] + i * at.CODES_OF_MOTOR + which])


@inlined
def clip(value: Any, least: Any, most: Any) -> Any:
    """Return a value within bounds; NaN stays NaN."""
    return select(value < least, least, select(value > most, most, value))


SWITCHED = 1e-12  # of its size, by which a value passes a bound before a law counts as switched


@inner
def clip_held(m: Memory, row: int, switch: int, value: Any, least: Any, most: Any) -> Any:
    """Return a value within bounds, on the branch of the start of an adaptive step.

    Such a step sees a smooth law, and ends where the margin of a branch falls below zero.
    """
    if m.ints[at.ADAPTIVE] == 0:
        return clip(value, least, most)
    per_arm, place = m.per_arm, row + at.SWITCHES + at.SWITCH_FIELDS * switch
    if m.ints[at.SWITCHES_HELD] == 0:
        below = select(value < least, -1.0, 0.0 * value)
        per_arm[place + at.BRANCH] = select(value > most, 1.0, below)
    branch = per_arm[place + at.BRANCH]
    inside = select(value - least < most - value, value - least, most - value)
    margin = select(branch > 0.0, value - most, select(branch < 0.0, least - value, inside))
    per_arm[place + at.MARGIN] = margin + SWITCHED * (1.0 + abs(value))
    return select(branch > 0.0, most, select(branch < 0.0, least, value))


@inner
def sign_held(m: Memory, row: int, switch: int, value: Any) -> Any:
    """Return 1 where a value is positive, else −1, on the branch of the start of the step."""
    sign = select(value > 0.0, 1.0, -1.0 + 0.0 * value)
    if m.ints[at.ADAPTIVE] == 0:
        return sign
    per_arm, place = m.per_arm, row + at.SWITCHES + at.SWITCH_FIELDS * switch
    if m.ints[at.SWITCHES_HELD] == 0:
        per_arm[place + at.BRANCH] = sign
    branch = per_arm[place + at.BRANCH]
    per_arm[place + at.MARGIN] = branch * value + SWITCHED
    return branch


@inner
def drive(size: int, m: Memory, t: float) -> None:
    """Write the torques that motors give in the state STAGE, in place of what is commanded.

    Disturbances act on the joints, and pass through no motor.
    """
    links, disturbed = m.links, m.ints[at.DISTURBANCES] != 0
    for i in range(size):
        besides = links[i, at.DISTURBANCE_TORQUE] if disturbed else 0.0 * links[i, link.TORQUE]
        command = links[i, link.TORQUE] - besides
        torque = _torque(size, m, i, command, t)
        if is_scalar(m.vectors) or m.ints[at.BACKLASHES] != 0:
            m.per_arm[row_of(m, i) + at.DRIVING] = torque
        if m.ints[at.BACKLASHES] != 0 and code_of(m, i, at.HAS_BACKLASH) != 0:
            torque = contact_torque(m, i)
        links[i, at.MOTOR] = torque
        if m.ints[at.GEARED] != 0:
            _load_gear(m, i, torque)
        links[i, link.TORQUE] = torque + besides
    if m.ints[at.BACKLASHES] != 0:
        _react(size, m)


@inner
def _torque(size: int, m: Memory, i: int, command: Any, t: float) -> Any:
    """Return the torque of a joint's motor."""
    kind, row = code_of(m, i, at.MOTOR_KIND), row_of(m, i)
    if kind == at.DC:
        return _dc_torque(m, i, row, command)
    rate = m.vectors[at.STAGE + 1, i]
    if kind == at.STEPPER:
        return _stepper_torque(m, i, row, command, rate)
    if kind == at.SERVO:
        command = _servo_demand(m, i, row, rate, t)
    if kind != at.IDEAL:
        return _within_line(m, row, command, rate)
    m.per_arm[row + at.LIMITED] = 0.0 * command
    return command


@inner
def _within_line(m: Memory, row: int, wanted: Any, rate: Any) -> Any:
    """Return a torque within what is left at a rate: a line from stall to no load."""
    per_arm = m.per_arm
    stall, most = per_arm[row + at.STALL_TORQUE], per_arm[row + at.MOST_TORQUE]
    used = stall * rate / per_arm[row + at.NO_LOAD_SPEED]
    upper = clip_held(m, row, at.AT_UPPER, stall - used, 0.0, most)
    lower = clip_held(m, row, at.AT_LOWER, -stall - used, -most, 0.0)
    given = clip_held(m, row, at.AT_GIVEN, wanted, lower, upper)
    per_arm[row + at.LIMITED] = select(given != wanted, 1.0, 0.0)
    return given


@inner
def servo_target(m: Memory, i: int, row: int, t: float) -> Any:
    """Return where the target of a servo is, on its way to what was commanded last."""
    per_arm, place = m.per_arm, m.ints[at.LATCHES] + 2 * i
    since = t - m.floats[place] * (m.floats[place + 1] - 1.0)
    start = per_arm[row + at.TARGET_START]
    reach = per_arm[row + at.TARGET_SPEED] * max(since, 0.0)
    way = per_arm[row + at.LATCHED] - start
    return start + clip(way, -reach, reach)


@inner
def _servo_demand(m: Memory, i: int, row: int, rate: Any, t: float) -> Any:
    """Return the torque that the position loop of a servo asks its motor for."""
    per_arm = m.per_arm
    error, band = servo_target(m, i, row, t) - m.vectors[at.STAGE, i], per_arm[row + at.DEAD_BAND]
    error = error - clip_held(m, row, at.AT_BAND, error, -band, band)
    return per_arm[row + at.STIFFNESS] * error - per_arm[row + at.INNER_DAMPING] * rate


@inner
def _stepper_torque(m: Memory, i: int, row: int, command: Any, rate: Any) -> Any:
    """Return the torque of a stepper, which pulls to the commanded step like a magnetic spring."""
    per_arm = m.per_arm
    step, angle = per_arm[row + at.STEP_ANGLE], m.vectors[at.STAGE, i]
    corner, fastest = per_arm[row + at.CORNER_SPEED], per_arm[row + at.NO_LOAD_SPEED]
    share = (fastest - abs(rate)) / (fastest - corner)
    left = clip_held(m, row, at.AT_UPPER, share, 0.0, 1.0)
    pull_out = per_arm[row + at.STALL_TORQUE] * left
    if code_of(m, i, at.GIVEN) == at.GIVEN_TORQUE:
        given = clip_held(m, row, at.AT_GIVEN, command, -pull_out, pull_out)
        per_arm[row + at.LIMITED] = select(given != command, 1.0, 0.0)
        per_arm[row + at.LATCHED] = angle
        return given
    micro = per_arm[row + at.MICROSTEP]
    stepped = _step_held(m, row, micro, command)
    per_arm[row + at.LATCHED] = stepped
    error = (stepped - angle) / step
    # Beyond a step the field pulls less again, and beyond two to another tooth.
    per_arm[row + at.LIMITED] = select(abs(error) > 1.0, 1.0, 0.0)
    return pull_out * _sine(m, row, 0.5 * math.pi * error) - per_arm[row + at.INNER_DAMPING] * rate


@inner
def _step_held(m: Memory, row: int, micro: Any, command: Any) -> Any:
    """Return a command in microsteps, in an adaptive step that of its start."""
    stepped = micro * floor(command / micro + 0.5)
    if m.ints[at.ADAPTIVE] == 0:
        return stepped
    place = row + at.SWITCHES + at.SWITCH_FIELDS * at.AT_BAND
    if m.ints[at.SWITCHES_HELD] == 0:
        m.per_arm[place + at.BRANCH] = stepped
    held = m.per_arm[place + at.BRANCH]
    margin = 0.5 * micro - abs(command - held)
    m.per_arm[place + at.MARGIN] = margin + SWITCHED * (1.0 + abs(command))
    return held


@inner
def _sine(m: Memory, row: int, angle: Any) -> Any:
    """Return sin(x), lane by lane."""
    m.per_arm[row + at.POWER] = angle
    found = numbers(m.per_arm)
    for w in range(found.shape[1]):
        found[row + at.POWER, w], _ = sincos(found[row + at.POWER, w])
    return m.per_arm[row + at.POWER]


@inlined
def motor_rate(m: Memory, i: int) -> Any:
    """Return the rate of a joint's rotor, as a rate of the joint."""
    if m.ints[at.BACKLASHES] != 0 and code_of(m, i, at.HAS_BACKLASH) != 0:
        return m.vectors[at.ROTORS + at.STAGE + 1, i]
    return m.vectors[at.STAGE + 1, i]


@inner
def _warm(m: Memory, i: int, row: int) -> None:
    """Write what the winding's temperature makes of its resistance and its constants."""
    per_arm = m.per_arm
    above = m.vectors[at.ELECTRIC + at.STAGE + 1, i] - REFERENCE
    weak = 1.0 + per_arm[row + at.MAGNET] * above
    resistance = per_arm[row + at.RESISTANCE] * (1.0 + per_arm[row + at.COPPER] * above)
    per_arm[row + at.WARM_RESISTANCE], per_arm[row + at.WARM_CONDUCTANCE] = (
        resistance,
        1.0 / resistance,
    )
    per_arm[row + at.WARM_TORQUE] = per_arm[row + at.TORQUE_CONSTANT] * weak
    per_arm[row + at.WARM_EMF] = per_arm[row + at.EMF_CONSTANT] * weak


@inner
def _most_current(m: Memory, i: int, row: int) -> Any:
    """Return the limit of the driver's current at the winding's temperature."""
    per_arm = m.per_arm
    most = per_arm[row + at.MOST_CURRENT]
    if code_of(m, i, at.DERATES) == 0:
        return most
    limit, start = per_arm[row + at.MOST_TEMPERATURE], per_arm[row + at.DERATING_START]
    left = (limit - m.vectors[at.ELECTRIC + at.STAGE + 1, i]) / (limit - start)
    return most * clip_held(m, row, at.AT_UPPER, left, 0.0, 1.0)


@inner
def _dc_torque(m: Memory, i: int, row: int, command: Any) -> Any:
    """Return the torque of a DC motor, and write its current, its voltage and where that tends."""
    per_arm = m.per_arm
    if code_of(m, i, at.WARMS) != 0:
        _warm(m, i, row)
    emf = per_arm[row + at.WARM_EMF] * motor_rate(m, i)
    wanted = command
    if code_of(m, i, at.GIVEN) == at.GIVEN_TORQUE:  # drivers know what the data sheet says
        wanted = command * per_arm[row + at.CURRENT_PER_TORQUE]
    if code_of(m, i, at.CURRENT_BY) == at.SET_BY_DRIVER:
        current = _set_current(m, i, row, wanted, emf)
    else:
        current = _current_of_voltage(m, i, row, wanted, emf)
    if is_scalar(m.vectors) or m.ints[at.WINDINGS] != 0:
        per_arm[row + at.AMPERES] = current
        volts = per_arm[row + at.WARM_RESISTANCE] * per_arm[row + at.STEADY_CURRENT]
        per_arm[row + at.VOLTS] = volts + emf
    return per_arm[row + at.WARM_TORQUE] * current


@inlined
def _set_current(m: Memory, i: int, row: int, wanted: Any, emf: Any) -> Any:
    """Return the current that a driver sets, within what it may and what the supply allows."""
    per_arm, most, supply = m.per_arm, _most_current(m, i, row), m.per_arm[row + at.SUPPLY]
    conductance = per_arm[row + at.WARM_CONDUCTANCE]
    current = clip_held(m, row, at.AT_GIVEN, wanted, -most, most)
    upper, lower = (supply - emf) * conductance, (-supply - emf) * conductance
    current = clip_held(m, row, at.AT_LOWER, current, lower, upper)
    if is_scalar(m.vectors) or m.ints[at.WINDINGS] != 0:
        per_arm[row + at.STEADY_CURRENT] = current
        per_arm[row + at.LIMITED] = select(current != wanted, 1.0, 0.0)
    return current


@inlined
def _current_of_voltage(m: Memory, i: int, row: int, wanted: Any, emf: Any) -> Any:
    """Return the current under the driver's voltage, which converts what else it is given."""
    per_arm, most, supply = m.per_arm, _most_current(m, i, row), m.per_arm[row + at.SUPPLY]
    voltage = wanted
    if code_of(m, i, at.GIVEN) != at.GIVEN_VOLTAGE:
        ahead = per_arm[row + at.EMF_CONSTANT] * _known_rate(m, i, row)
        voltage = per_arm[row + at.RESISTANCE] * wanted + ahead
    applied = clip_held(m, row, at.AT_GIVEN, voltage, -supply, supply)
    steady = (applied - emf) * per_arm[row + at.WARM_CONDUCTANCE]
    current = clip_held(m, row, at.AT_LOWER, steady, -most, most)
    per_arm[row + at.STEADY_CURRENT] = current
    if is_scalar(m.vectors):
        limited = select(abs(voltage) > supply, 1.0, select(current != steady, 1.0, 0.0))
        per_arm[row + at.LIMITED] = limited
    if code_of(m, i, at.CURRENT_BY) == at.SETTLING and m.ints[at.IN_STEP] != 0:
        return current + per_arm[row + at.TRANSIENT]
    if code_of(m, i, at.CURRENT_BY) >= at.INTEGRATED:
        return m.vectors[at.ELECTRIC + at.STAGE, i]
    return current


@inlined
def _known_rate(m: Memory, i: int, row: int) -> Any:
    """Return the rate for which a driver makes up: as the controller measured it, or the true."""
    if m.ints[at.CONTROLLED] != at.NO_CONTROLLER:
        return m.per_arm[row + at.SEEN_RATE]
    return motor_rate(m, i)


@inner
def _load_gear(m: Memory, i: int, torque: Any) -> None:
    """Write what the gear takes of a torque, whichever way the joint turns."""
    row, links = row_of(m, i), m.links
    forward, back = m.per_arm[row + at.FORWARD_LOSS], m.per_arm[row + at.BACK_LOSS]
    driven = sign_held(m, row, at.AT_GEAR, torque * select(forward + back > 0.0, 1.0, 0.0)) > 0.0
    links[i, link.GEAR_FORTH] = torque * select(driven, forward, -back)
    links[i, link.GEAR_BACK] = torque * select(driven, -back, forward)
    static = links[i, link.STATIC]
    least, most = links[i, link.LEAST], links[i, link.MOST]
    # Those without a bound are of joints at their stops.
    links[i, link.LEAST] = select(least > -math.inf, -static - links[i, link.GEAR_FORTH], least)
    links[i, link.MOST] = select(most < math.inf, static - links[i, link.GEAR_BACK], most)


@inner
def tooth_contact(m: Memory, i: int) -> tuple[Any, Any, Any]:
    """Return how far teeth are pressed together [rad], how fast, and which way (±1)."""
    v, row = m.vectors, row_of(m, i)
    ahead = v[at.ROTORS + at.STAGE, i] - v[at.STAGE, i]
    rate = v[at.ROTORS + at.STAGE + 1, i] - v[at.STAGE + 1, i]
    side, gap = select(ahead >= 0.0, 1.0, -1.0), m.per_arm[row + at.HALF_GAP]
    pressed = side * (ahead - clip_held(m, row, at.AT_TEETH, ahead, -gap, gap))
    return pressed, side * rate, side


@inner
def contact_torque(m: Memory, i: int) -> Any:
    """Return the torque that the teeth of a gear with backlash pass on."""
    row, per_arm = row_of(m, i), m.per_arm
    pressed, rate, side = tooth_contact(m, i)
    closing = select(pressed > 0.0, rate, 0.0 * rate)  # teeth apart press nothing
    press = per_arm[row + at.CONTACT_STIFFNESS] + per_arm[row + at.CONTACT_DAMPING] * closing
    return side * pressed * clip_held(m, row, at.AT_PRESS, press, 0.0, math.inf)


@inner
def _react(size: int, m: Memory) -> None:
    """Add what rotors that move by themselves do to the links that carry them.

    Such a rotor takes the torque (T − T_c)/N from its carrier: what drives it, less what its gear
    passes on, on its own side of the gear. A torque on a link acts on all joints before it.
    """
    for i in range(1, size):
        if code_of(m, i, at.HAS_BACKLASH) == 0:
            continue
        row = row_of(m, i)
        back = (m.per_arm[row + at.DRIVING] - m.links[i, at.MOTOR]) / m.per_arm[row + at.RATIO]
        for k in range(i):
            m.links[k, link.TORQUE] -= back


@inner
def exponential(m: Memory, row: int, exponent: Any) -> Any:
    """Return exp(x), lane by lane."""
    m.per_arm[row + at.POWER] = exponent
    found = numbers(m.per_arm)
    for w in range(found.shape[1]):
        found[row + at.POWER, w] = math.exp(found[row + at.POWER, w])
    return m.per_arm[row + at.POWER]


@inner
def write_rates(size: int, m: Memory, row: int) -> None:
    """Write the derivatives of currents, temperatures and rotors to a row."""
    v, carrier = m.vectors, 0.0 * m.links[0, link.QDD]
    for i in range(size):
        if m.ints[at.WINDINGS] != 0:
            _winding_rates(m, i, row)
        if m.ints[at.BACKLASHES] != 0 and code_of(m, i, at.HAS_BACKLASH) != 0:
            place = row_of(m, i)
            press = m.per_arm[place + at.DRIVING] - m.links[i, at.MOTOR]
            v[at.ROTORS + row, i] = v[at.ROTORS + at.STAGE + 1, i]
            free = press / m.per_arm[place + at.ROTOR]
            v[at.ROTORS + row + 1, i] = free - carrier / m.per_arm[place + at.RATIO]
        carrier += m.links[i, link.QDD]


@inner
def _winding_rates(m: Memory, i: int, row: int) -> None:
    v, place, per_arm = m.vectors, row_of(m, i), m.per_arm
    v[at.ELECTRIC + row, i] = v[at.ELECTRIC + row + 1, i] = 0.0
    if code_of(m, i, at.MOTOR_KIND) != at.DC:
        return
    resistance, current = per_arm[place + at.WARM_RESISTANCE], per_arm[place + at.AMPERES]
    if code_of(m, i, at.CURRENT_BY) == at.INTEGRATED:
        off = per_arm[place + at.STEADY_CURRENT] - current
        v[at.ELECTRIC + row, i] = off * resistance / per_arm[place + at.INDUCTANCE]
    if code_of(m, i, at.WARMS) != 0:
        above = v[at.ELECTRIC + at.STAGE + 1, i] - per_arm[place + at.AMBIENT]
        heat = resistance * current * current - above / per_arm[place + at.THERMAL_RESISTANCE]
        v[at.ELECTRIC + row + 1, i] = heat / per_arm[place + at.THERMAL_CAPACITY]


@inner
def write_powers(size: int, m: Memory, row: int) -> None:
    """Write the powers between supply, windings, gears and teeth."""
    v, n = m.vectors, size
    for layer in (at.ELECTRIC, at.ROTORS, at.GEARS):
        v[layer + row, n] = v[layer + row + 1, n] = 0.0
    for i in range(n):
        place, rate = row_of(m, i), motor_rate(m, i)
        drawn = m.per_arm[place + at.DRIVING] * rate
        if code_of(m, i, at.MOTOR_KIND) == at.DC:
            current = m.per_arm[place + at.AMPERES]
            surplus = m.per_arm[place + at.WARM_EMF] - m.per_arm[place + at.WARM_TORQUE]
            v[at.ROTORS + row, n] += m.per_arm[place + at.WARM_RESISTANCE] * current * current
            v[at.ROTORS + row + 1, n] += surplus * rate * current
            drawn = m.per_arm[place + at.VOLTS] * current
        v[at.ELECTRIC + row, n] += select(drawn > 0.0, drawn, 0.0)
        v[at.ELECTRIC + row + 1, n] += select(drawn > 0.0, 0.0, -drawn)
        if m.ints[at.GEARED] != 0:
            ahead = m.links[i, link.DIRECTION] > 0.0
            taken = select(ahead, m.links[i, link.GEAR_FORTH], m.links[i, link.GEAR_BACK])
            v[at.GEARS + row, n] += taken * v[at.STAGE + 1, i]
        if m.ints[at.BACKLASHES] != 0 and code_of(m, i, at.HAS_BACKLASH) != 0:
            pressed, closing, side = tooth_contact(m, i)
            elastic = m.per_arm[place + at.CONTACT_STIFFNESS] * pressed
            v[at.GEARS + row + 1, n] += (side * m.links[i, at.MOTOR] - elastic) * closing
