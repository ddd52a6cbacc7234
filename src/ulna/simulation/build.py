"""The memory of one simulation: its arguments, as the engine reads them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from ulna.arm import Arm
from ulna.arrays import Array
from ulna.dynamics.packed import CARRIER, LOWER, STUCK, TURNS, UPPER, pack, pack_frozen
from ulna.expressions import Op, Program
from ulna.simulation.disturbances import Disturbance, sizes
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.memory import Memory, MemoryBuilders, new_links, new_vectors
from ulna.simulation.engine.tableaux import DOP853_TABLEAU, RK4_TABLEAU
from ulna.simulation.events import Signal
from ulna.simulation.options import METHODS, SimulationOptions
from ulna.simulation.per_arm import PerArm
from ulna.simulation.sensors import Sensors
from ulna.simulation.sources import Source
from ulna.simulation.steps import most_error

STACK = 80  # more than the deepest formula needs


class InputMemory(NamedTuple):
    """Inputs and options of a simulation, as the engine's memory holds them at the start."""

    per_arm: Array
    floats: Array
    ints: Array


class ArmTable(NamedTuple):
    """An arm as the engine's memory holds it; it is shared, and not to be changed."""

    links: Array
    coupled: bool
    limited: bool  # whether any joint has limits


def _table(arm: Arm, constants: Array) -> ArmTable:
    table = new_links(constants)
    links = table[:-1]
    links[:, at.TORQUE_LIMIT] = arm.parameters.max_torque
    links[:, LOWER], links[:, UPPER] = arm.parameters.lower, arm.parameters.upper
    coupled = bool(links[:, CARRIER:STUCK].any())
    return ArmTable(table, coupled, bool(np.isfinite(links[:, LOWER : UPPER + 1]).any()))


@PerArm
def _full_table(arm: Arm) -> ArmTable:
    return _table(arm, pack(arm.parameters))


def build_memory(
    arm: Arm,
    options: SimulationOptions,
    sources: Sequence[Source],
    disturbances: Sequence[Disturbance],
    signals: Sequence[Signal],
    sensors: Sensors,
) -> Memory:
    """Build the memory of an arm, its inputs, and the signals that are watched."""
    inputs = build_inputs(arm.n, options, sources, disturbances, signals, sensors)
    full = options.dynamics == "full"
    table = _full_table(arm) if full else _table(arm, _frozen(arm, options))
    memory = Memory(
        vectors=new_vectors(arm.n),
        links=table.links.copy(),
        turns=np.zeros((TURNS, arm.n + 1)),
        per_arm=inputs.per_arm,
        keys=np.zeros(1, dtype=np.int64),
        tableau=tableau_of(options),
        floats=inputs.floats,
        ints=inputs.ints,
    )
    ints = memory.ints
    if full:
        ints[at.COUPLED] = table.coupled
        ints[at.STOPS] = options.stops and table.limited
    ints[at.WATCHING] = ints[at.STOPS] + ints[at.EVENTS]
    return memory


def _frozen(arm: Arm, options: SimulationOptions) -> Array:
    given = options.sequential_damping
    return pack_frozen(arm.parameters, None if given is None else np.array(given))


def tableau_of(options: SimulationOptions) -> Array:
    """Return the coefficients of an explicit method."""
    return DOP853_TABLEAU if options.method == "dop853" else RK4_TABLEAU


def build_inputs(
    n: int,
    options: SimulationOptions,
    sources: Sequence[Source],
    disturbances: Sequence[Disturbance],
    signals: Sequence[Signal],
    sensors: Sensors,
) -> InputMemory:
    """Build the memory of the inputs of arms of n links, and of the signals that are watched."""
    steady = not disturbances and not signals and sensors.are_perfect
    if steady and all(source.is_steady for source in sources):
        inputs = InputMemory(*(part.copy() for part in _steady_layout(n)))
        inputs.ints[at.SENSOR_SEED] = sensors.seed
        for table, source in enumerate(sources):
            row = inputs.ints.item(at.TABLES + at.TABLE_FIELDS * table + at.ROWS)
            inputs.per_arm[row : row + source.rows.shape[1]] = source.rows[0]
    else:
        inputs = _layout(n, options.rate, sources, disturbances, signals, sensors)
    _set_options(inputs, options)
    return inputs


@cache
def _steady_layout(n: int) -> InputMemory:
    """Build the memory without inputs, to be copied: most runs differ from it in a few numbers."""
    nothing = [Source(np.zeros(1), np.zeros((1, width))) for width in (n, at.AXES)]
    return _layout(n, 1.0, nothing, (), (), Sensors())


def _layout(
    n: int,
    rate: float,
    sources: Sequence[Source],
    disturbances: Sequence[Disturbance],
    signals: Sequence[Signal],
    sensors: Sensors,
) -> InputMemory:
    builders = MemoryBuilders()
    layout: dict[int, int] = {}
    for table, source in enumerate(sources):
        _put_table(layout, table, source, builders)
    _put_formulas(layout, sources, signals, n, builders)
    _put_disturbances(layout, disturbances, n, builders)
    _put_signals(layout, signals, n, builders)
    layout[at.DRAWN] = builders.per_arm.put(0.0)
    notes = np.zeros((at.NOTES, n))
    notes[: at.SATURATED] = np.nan  # until the first tick
    layout[at.NOTED] = builders.floats.put(notes)
    deviations = sensors.layout(n)
    layout[at.SENSOR] = builders.per_arm.put(deviations)
    layout[at.DELAY] = sensors.ticks_late(1.0 / rate)
    layout[at.PAST] = builders.per_arm.put(np.zeros((layout[at.DELAY] + 1, 2, n)))
    layout[at.SENSOR_SEED] = sensors.seed
    layout[at.CONSTANT_INPUTS] = not disturbances and all(
        len(source.times) == 1 for source in sources
    )
    layout[at.PERFECT] = layout[at.DELAY] == 0 and not np.any(deviations)
    if any(source.formulas for source in sources):
        layout[at.INPUTS] = at.TEXT
    layout[at.CHANGING] = any(source.formulas or source.ramp for source in sources)
    inputs = InputMemory(builders.per_arm.array(), builders.floats.array(), builders.ints.array())
    for place, value in layout.items():
        inputs.ints[place] = value
    return inputs


def _set_options(inputs: InputMemory, options: SimulationOptions) -> None:
    floats, ints = inputs.floats, inputs.ints
    floats[at.DT], floats[at.MAX_STEP] = options.dt, options.max_step
    floats[at.RTOL], floats[at.ATOL] = options.rtol or 0.0, options.atol
    floats[at.PERIOD], floats[at.RESTITUTION] = 1.0 / options.rate, options.restitution
    floats[at.WINDOW], floats[at.MOST_ERROR] = np.inf, most_error(options)
    floats[at.EDGE_END], floats[at.LONGEST] = -np.inf, np.inf
    ints[at.METHOD] = METHODS.index(options.method)
    ints[at.ADAPTIVE] = options.adaptive
    ints[at.STAGES] = 12 if options.method == "dop853" else 4
    if options.dynamics == "sequential":
        ints[at.DYNAMICS] = at.SEQUENTIAL


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
    n: int,
    builders: MemoryBuilders,
) -> None:
    """Put all formulas one after the other: torques, tip force, events."""
    torque, force = sources
    programs: list[tuple[int, Program]] = [
        (place, formula.program) for place, formula in torque.formulas.items()
    ]
    programs += [(n + place, formula.program) for place, formula in force.formulas.items()]
    watched = enumerate(signals, n + 3)
    programs += [(place, one.formula) for place, one in watched if one.formula is not None]
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
    layout[at.FORMULAS] = len(spans)
    layout[at.TIP_NAMED] = any(_names_tip(program) for _, program in programs)
    layout[at.CONSTANTS] = builders.per_arm.put(np.concatenate(constants))
    # Unused memory would be copied for every arm of a batch.
    layout[at.VALUES] = builders.per_arm.put(np.zeros(2 * n + 3 if programs or signals else 0))
    layout[at.STACK] = builders.per_arm.put(np.zeros(STACK if programs else 0))


def _names_tip(program: Program) -> bool:
    """Return whether a formula reads the second or third of the values, the tip's x and y."""
    read = program.arguments[program.codes == Op.VARIABLE]
    return bool(np.isin(read, (1, 2)).any())


def _put_disturbances(
    layout: dict[int, int],
    disturbances: Sequence[Disturbance],
    n: int,
    builders: MemoryBuilders,
) -> None:
    edges = [(one.start, one.stop, 1.0 / one.rate if one.rate else 0.0) for one in disturbances]
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
    layout[at.BEFORE] = builders.floats.put(np.zeros(n + len(signals)))
    layout[at.SIGNALS] = builders.floats.put(np.zeros(n + len(signals)))
    layout[at.LIVE_SIGNALS] = builders.floats.put(np.zeros(len(signals)))
    layout[at.DIRECTIONS] = builders.ints.put([signal.rising for signal in signals])
    layout[at.ENDS] = builders.ints.put([signal.ends for signal in signals])
    layout[at.EVENTS] = len(signals)
    layout[at.LATEST] = builders.floats.put(np.zeros(len(signals)))
    layout[at.OLDER] = builders.floats.put(np.zeros(len(signals)))
    layout[at.EDGE] = builders.floats.put(np.zeros(len(signals)))
    layout[at.CHANGES] = builders.ints.put(np.zeros(len(signals)))
