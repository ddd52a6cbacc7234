"""What a simulation is given, as the engine reads it.

The memory of the engine is
laid out from what was read, and every number in it has a place in `engine.memory_layout`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from ulna.arm import Actuators, Arm, ControlLoop, Parameters
from ulna.arrays import Array
from ulna.dynamics.packed import (
    CARRIER,
    COULOMB,
    DRAG,
    LOWER,
    STATIC,
    STUCK,
    TURNS,
    UPPER,
    pack,
)
from ulna.dynamics.sequential import pack_frozen
from ulna.expressions import Op, Program
from ulna.scenario.disturbances import Disturbance, period_of, sizes, wave_programs
from ulna.scenario.events import Signal
from ulna.scenario.inputs import Source
from ulna.scenario.loops import IDEAL, PERFECT
from ulna.scenario.methods import METHODS
from ulna.scenario.options import SimulationOptions, per_arm
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.memory import Memory, MemoryBuilders, new_links, new_vectors
from ulna.simulation.loads import kinds_of_inputs
from ulna.simulation.motor_rows import MotorRows, has_gear_loss, put_motors
from ulna.simulation.sensors import Sensors, put_loop
from ulna.simulation.steps import most_error

STACK = 80  # more than the deepest formula needs


class InputMemory(NamedTuple):
    """Inputs and options of a simulation, as the engine's memory holds them at the start."""

    per_arm: Array
    floats: Array
    ints: Array


class Packed(NamedTuple):
    """Arms as the engine reads them; a single one serves all."""

    arms: Array  # (1 or B, n+1, constants)
    limits: Array  # (1 or B, n) the most torque that a controller may ask for
    coupled: Array  # (1 or B,) ROTORS, FRICTIONAL or both added up, else 0
    limited: Array  # (1 or B,) whether a joint has a stop


# Why arms take the recursion in which neighbours exchange torques. Those that differ in it do not
# go in lanes together: an arm goes the same way whatever stands beside it.
ROTORS, FRICTIONAL = 1, 2


def packed_parameters(p: Parameters) -> Packed:
    """Pack stacked parameters; of those that are no arms, anything may come out."""
    with np.errstate(all="ignore"):
        table = pack(p)
    arms = table.reshape(-1, *table.shape[-2:])
    arms[:, :-1, LOWER], arms[:, :-1, UPPER] = p.lower, p.upper
    rotors = arms[:, :-1, CARRIER:STUCK].any(axis=(1, 2))
    rubs = arms[:, :-1, [COULOMB, STATIC, DRAG]].any(axis=(1, 2))
    coupled = (ROTORS * rotors + FRICTIONAL * rubs).astype(np.intp)
    limited = np.isfinite(arms[:, :-1, LOWER : UPPER + 1]).any(axis=(1, 2))
    most_torque = np.array(p.max_torque, order="C").reshape(-1, p.n)
    return Packed(arms, most_torque, coupled, limited)


@per_arm
def packed_arm(arm: Arm) -> Packed:
    """Pack an arm."""
    return packed_parameters(arm.parameters)


def build_memory(
    arm: Arm, options: SimulationOptions, inputs: InputMemory, motors: MotorRows | None = None
) -> Memory:
    """Build the memory of an arm and of its inputs."""
    full, packed = options.dynamics == "full", packed_arm(arm)
    given = options.sequential_damping
    damping = None if given is None else np.array(given)
    links = new_links(packed.arms[0] if full else pack_frozen(arm.parameters, damping))
    links[:-1, at.TORQUE_LIMIT] = arm.parameters.max_torque
    memory = Memory(
        vectors=new_vectors(arm.n, driven=motors is not None),
        links=links,
        turns=np.zeros((TURNS, arm.n + 1)),
        per_arm=inputs.per_arm,
        keys=np.zeros(1, dtype=np.int64),
        tableau=METHODS[options.method].coefficients.table,
        floats=inputs.floats,
        ints=inputs.ints,
    )
    ints = memory.ints
    if full:
        coupled = packed.coupled.item(0)
        ints[at.COUPLED] = coupled or motors is not None
        ints[at.STOPS] = options.stops and packed.limited.item(0)
        geared = motors is not None and has_gear_loss(motors)
        ints[at.FRICTIONAL] = coupled >= FRICTIONAL or geared
    ints[at.WATCHING] = ints[at.STOPS] + ints[at.EVENTS] + ints[at.FRICTIONAL]
    ints[at.WATCHING] += ints[at.MOTORS] * ints[at.ADAPTIVE]  # whose laws switch
    return memory


def build_inputs(
    n: int,
    options: SimulationOptions,
    sources: Sequence[Source],
    disturbances: Sequence[Disturbance],
    signals: Sequence[Signal],
    sensors: Sensors,
    motors: MotorRows | None = None,
    actuators: Actuators = IDEAL,
) -> InputMemory:
    """Build the memory of the inputs of arms of n links, and of the signals that are watched."""
    steady = not disturbances and not signals and sensors.are_perfect and motors is None
    steady = steady and actuators is IDEAL
    if steady and all(source.is_steady for source in sources):
        inputs = InputMemory(*(part.copy() for part in _steady_layout(n)))
        inputs.ints[at.SENSOR_SEED] = sensors.seed
        for table, source in enumerate(sources):
            row = inputs.ints.item(at.TABLES + at.TABLE_FIELDS * table + at.ROWS)
            inputs.per_arm[row : row + source.rows.shape[1]] = source.rows[0]
    else:
        loop = ControlLoop(None, sensors, actuators)
        inputs = _layout(n, options.rate, sources, disturbances, signals, loop, motors)
    _set_options(inputs, options, options.dt if motors is None else motors.step)
    return inputs


@cache
def _steady_layout(n: int) -> InputMemory:
    """Build the memory without inputs, to be copied: most runs differ from it in a few numbers."""
    nothing = [Source(np.zeros(1), np.zeros((1, width))) for width in (n, at.AXES)]
    return _layout(n, 1.0, nothing, (), (), ControlLoop(None, PERFECT, IDEAL))


def _layout(
    n: int,
    rate: float,
    sources: Sequence[Source],
    disturbances: Sequence[Disturbance],
    signals: Sequence[Signal],
    loop: ControlLoop,
    motors: MotorRows | None = None,
) -> InputMemory:
    builders = MemoryBuilders()
    layout: dict[int, int] = {}
    for table, source in enumerate(sources):
        _put_table(layout, table, source, builders)
    _put_formulas(layout, sources, signals, disturbances, n, builders)
    _put_disturbances(layout, disturbances, n, builders)
    _put_signals(layout, signals, n, builders)
    layout[at.DRAWN] = builders.per_arm.put(0.0)
    notes = np.zeros((at.NOTES, n))
    notes[: at.SATURATED] = np.nan  # until the first tick
    notes[at.HOT_FIRST] = -1.0  # not yet
    layout[at.NOTED] = builders.floats.put(notes)
    if motors is not None:
        put_motors(layout, motors, builders)
    floats = put_loop(layout, loop, n, rate, builders)
    layout[at.CONSTANT_INPUTS] = not disturbances and all(
        len(source.times) == 1 for source in sources
    )
    layout[at.INPUTS] = kinds_of_inputs(sources, layout)
    changing = any(source.formulas or source.ramp for source in sources)
    layout[at.CHANGING] = changing or motors is not None or layout[at.INPUTS] != at.STEADY
    inputs = InputMemory(builders.per_arm.array(), builders.floats.array(), builders.ints.array())
    for place, value in layout.items():
        inputs.ints[place] = value
    for place, number in floats.items():
        inputs.floats[place] = number
    return inputs


def _set_options(inputs: InputMemory, options: SimulationOptions, substep: float) -> None:
    floats, ints = inputs.floats, inputs.ints
    floats[at.DT], floats[at.SUBSTEP] = options.dt, substep
    floats[at.MAX_STEP] = options.max_step
    floats[at.RTOL], floats[at.ATOL] = options.rtol or 0.0, options.atol
    floats[at.PERIOD], floats[at.RESTITUTION] = 1.0 / options.rate, options.restitution
    floats[at.WINDOW], floats[at.MOST_ERROR] = np.inf, most_error(options)
    floats[at.EDGE_END], floats[at.LONGEST] = -np.inf, np.inf
    method = METHODS[options.method]
    ints[at.METHOD], ints[at.STAGES] = method.code, method.coefficients.stages
    ints[at.ITERATIVE], ints[at.SIGNED_ERRORS] = method.keep is not None, method.signed_errors
    ints[at.ADAPTIVE] = options.adaptive
    if options.dynamics == "sequential":
        ints[at.DYNAMICS], ints[at.COUPLED] = at.SEQUENTIAL, 1


def _put_table(
    layout: dict[int, int], table: int, source: Source, builders: MemoryBuilders
) -> None:
    head = at.TABLES + at.TABLE_FIELDS * table
    layout[head + at.TIMES] = builders.floats.put(source.times)
    layout[head + at.ROWS] = builders.per_arm.put(source.rows)
    layout[head + at.LENGTH] = len(source.times)
    layout[head + at.LINEAR] = source.ramp


def _put_formulas(
    layout: dict[int, int],
    sources: Sequence[Source],
    signals: Sequence[Signal],
    disturbances: Sequence[Disturbance],
    n: int,
    builders: MemoryBuilders,
) -> None:
    """Put all formulas one after the other: torques, tip force, events, disturbances."""
    torque, force = sources
    programs: list[tuple[int, Program]] = [
        (place, formula.program) for place, formula in torque.formulas.items()
    ]
    programs += [(n + place, formula.program) for place, formula in force.formulas.items()]
    watched = enumerate(signals, n + 3)
    programs += [(place, one.formula) for place, one in watched if one.formula is not None]
    waves = wave_programs(disturbances, n)
    programs += waves
    codes, constants, spans = [np.zeros((0, 2), dtype=np.int64)], [np.zeros(0)], []
    step = first = 0
    for place, program in programs:
        # A constant counts from the first of its own formula.
        shift = np.where(program.codes == Op.CONSTANT, first, 0)
        codes.append(np.stack([program.codes, program.arguments + shift], axis=-1))
        constants.append(program.constants)
        spans.append((place, step, step + len(program.codes)))
        step, first = step + len(program.codes), first + len(program.constants)
    layout[at.CODES] = builders.ints.put(np.concatenate(codes))
    layout[at.SPANS] = builders.ints.put(spans)
    layout[at.FORMULAS], layout[at.WAVES] = len(spans) - len(waves), len(waves)
    # Variables 1 and 2 are the tip's x and y.
    layout[at.TIP_NAMED] = any(
        np.isin(program.arguments[program.codes == Op.VARIABLE], (1, 2)).any()
        for _, program in programs
    )
    layout[at.CONSTANTS] = builders.per_arm.put(np.concatenate(constants))
    # Unused memory would be copied for every arm of a batch.
    layout[at.VALUES] = builders.per_arm.put(np.zeros(2 * n + 3 if programs or signals else 0))
    layout[at.STACK] = builders.per_arm.put(np.zeros(STACK if programs else 0))


def _put_disturbances(
    layout: dict[int, int],
    disturbances: Sequence[Disturbance],
    n: int,
    builders: MemoryBuilders,
) -> None:
    edges = [(one.start, one.stop, period_of(one)) for one in disturbances]
    layout[at.EDGES] = builders.floats.put(edges)
    layout[at.SIZES] = builders.per_arm.put(sizes(disturbances, n))
    # Noise counts by itself, so that a step beside it leaves its numbers as they are.
    noises = np.cumsum([one.rate > 0.0 for one in disturbances]) - 1
    seeds = np.array([one.seed for one in disturbances], dtype=np.int64)
    layout[at.SEEDS] = builders.ints.put(np.column_stack([seeds, noises]))
    layout[at.DISTURBANCES] = len(disturbances)


def _put_signals(
    layout: dict[int, int], signals: Sequence[Signal], n: int, builders: MemoryBuilders
) -> None:
    for place in (at.BEFORE, at.SIGNALS):
        layout[place] = builders.floats.put(np.zeros(2 * n + len(signals)))
    for place in (at.LIVE_SIGNALS, at.LATEST, at.OLDER, at.EDGE):
        layout[place] = builders.floats.put(np.zeros(len(signals)))
    layout[at.DIRECTIONS] = builders.ints.put([signal.rising for signal in signals])
    layout[at.ENDS] = builders.ints.put([signal.ends for signal in signals])
    layout[at.EVENTS] = len(signals)
    layout[at.CHANGES] = builders.ints.put(np.zeros(len(signals)))
