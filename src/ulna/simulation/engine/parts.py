"""Optional parts of the engine, each a kernel of its own, called by its address.

Formulas and functions, sensors, disturbances, implicit methods, friction, stops and events: what a
run does not use is neither compiled nor loaded for it. `connect` writes the addresses of those that
it uses to the engine's memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ulna.arrays import Array
from ulna.dynamics.recursive import link_directions
from ulna.dynamics.sequential import sweep
from ulna.kernels import FLOAT, INT, ArrayOf, LanesOf, RecordOf, inner, kernel, signature_of
from ulna.scenario.methods import kernel_of, method_of_code
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.crossings import watch_part
from ulna.simulation.engine.friction_modes import (
    driven_friction_part,
    friction_part,
    geared_slide_part,
    slide_part,
)
from ulna.simulation.engine.memory import Bucket, ControlMemory, Memory, Outcome, Record
from ulna.simulation.engine.motor_steps import account_part, driven_part, driven_step, motor_part
from ulna.simulation.engine.sampled_loop import command_part, follow_commands, read_sensors
from ulna.simulation.engine.scalar_fallback import scalar_fallback
from ulna.simulation.engine.schedule import add_waves, disturb
from ulna.simulation.engine.state_derivative import (
    PART,
    lagged_inputs,
    live_inputs,
    write_derivative,
)

_sequential_sweep = inner(sweep)


@kernel
def sequential_part(size: int, m: Memory, t: float, row: int) -> None:
    """Write the derivative of the state STAGE by the sequential dynamics to a row."""
    link_directions(size, m.turns, m.vectors, at.STAGE)
    _sequential_sweep(size, m.links, m.turns, m.vectors, at.STAGE + 1)
    write_derivative(size, m, row)


def connect(n: int, memory: Memory, control: ControlMemory, record: Record) -> None:
    """Write the addresses of the parts that a run of one arm uses to its memory."""
    ints = memory.ints
    if not _needs_parts(ints):
        return
    kinds = signature_of(memory, control, record.log)
    for place, part in _parts(ints, *kinds):
        ints[place] = _address(n, *part)


def connect_block(
    n: int,
    memory: Memory,
    control: ControlMemory,
    scalar: Memory,
    record: Record,
    bucket: Bucket,
    outcome: Outcome,
) -> None:
    """Do the same for blocks of arms in lanes, and for one that falls back to scalar steps."""
    ints = bucket.ints
    if not _needs_parts(ints):
        return
    wide, table = _in_lanes(memory), signature_of(record.log)[0]
    for place, part in _parts(ints, wide, _lanes_like(control, memory), table):
        ints[place] = _address(n, *part)
    if ints[at.WATCHING]:
        kinds = signature_of(scalar, record, bucket, outcome)
        ints[at.FALLBACK_PART] = _address(n, scalar_fallback, (INT, wide, *kinds, FLOAT))
        # It reads no sensors: its controller's torque is held during the step.
        for place, part in _parts(ints, kinds[0], None, table):
            ints[at.SCALAR_PARTS + place - at.PARTS] = _address(n, *part)


def address_of_run(
    n: int,
    memory: Memory,
    control: ControlMemory,
    scalar: Memory,
    record: Record,
    bucket: Bucket,
    outcome: Outcome,
) -> int:
    """Return the address of the kernel that runs blocks, compiled if need be."""
    from ulna.simulation.engine.block import run_blocks

    wide, kinds = _in_lanes(memory), signature_of(scalar, record, bucket, outcome)
    return _address(n, run_blocks, (INT, wide, _lanes_like(control, memory), *kinds, INT))


def _needs_parts(ints: Array) -> bool:
    used = (at.INPUTS, at.DYNAMICS, at.DISTURBANCES, at.WATCHING, at.MOTORS)
    return bool(
        ints[at.METHOD] >= at.BY_KERNEL
        or not ints[at.PERFECT]
        or any(ints[place] for place in used)
    )


Part = tuple[Callable[..., Any], tuple[Any, ...]]


def _address(n: int, function: Callable[..., Any], signature: tuple[Any, ...]) -> int:
    return PART.address(function, signature, n)


def _loop_parts(ints: Array, memory: Any, control: Any) -> list[tuple[int, Part]]:
    """Return the parts of sensors, actuators, and disturbances that change continuously."""
    found: list[tuple[int, Part]] = []
    if ints[at.PERFECT] == 0 and control is not None:
        found.append((at.SENSOR_PART, (read_sensors, (INT, memory, control))))
    if ints[at.LAGS]:
        found.append((at.LAG_PART, (follow_commands, (INT, memory, FLOAT))))
    if ints[at.LAGS] and control is not None:
        found.append((at.COMMAND_PART, (command_part, (INT, memory, control))))
    if ints[at.WAVES]:
        found.append((at.WAVE_PART, (add_waves, (INT, memory, FLOAT))))
    return found


def _parts(ints: Array, memory: Any, control: Any, table: Any) -> list[tuple[int, Part]]:
    """Return the parts that are used, with their entries and their arguments."""
    found: list[tuple[int, Part]] = []
    if ints[at.INPUTS] != at.STEADY:
        lagged = ints[at.INPUTS] & (at.LAGGED | at.WAVING)
        inputs = lagged_inputs if lagged else live_inputs
        found.append((at.LIVE_PART, (inputs, (INT, memory, FLOAT))))
    if ints[at.DYNAMICS] == at.SEQUENTIAL:
        found.append((at.DYNAMICS_PART, (sequential_part, (INT, memory, FLOAT, INT))))
    found += _loop_parts(ints, memory, control)
    if ints[at.DISTURBANCES] != 0:
        found.append((at.DISTURB_PART, (disturb, (INT, memory))))
    found += _method_parts(ints, memory)
    found += _motor_parts(ints, memory)
    if ints[at.FRICTIONAL]:
        slide = geared_slide_part if ints[at.GEARED] else slide_part
        found.append((at.SLIDE_PART, (slide, (INT, memory, INT))))
    if ints[at.FRICTIONAL] and isinstance(memory.fields[0], ArrayOf):
        hold = driven_friction_part if ints[at.MOTORS] else friction_part
        found.append((at.FRICTION_PART, (hold, (INT, memory, INT, FLOAT))))
    if ints[at.WATCHING] and isinstance(memory.fields[0], ArrayOf):
        # Arms in lanes fall back to scalar steps for it.
        found.append((at.WATCH_PART, (watch_part, (INT, memory, table, INT, INT, FLOAT))))
    return found


def _motor_parts(ints: Array, memory: Any) -> list[tuple[int, Part]]:
    """Return the parts of motors."""
    if not ints[at.MOTORS]:
        return []
    task = (INT, memory, INT, INT, INT, INT, FLOAT, FLOAT)
    found: list[tuple[int, Part]] = [(at.MOTOR_PART, (motor_part, task))]
    found.append((at.DYNAMICS_PART, (driven_part, (INT, memory, FLOAT, INT))))
    if ints[at.METHOD] < at.BY_KERNEL:
        found.append((at.STEP_PART, (driven_step, (INT, memory, FLOAT, FLOAT))))
    if isinstance(memory.fields[0], ArrayOf):
        found.append((at.ACCOUNT_PART, (account_part, (INT, memory, INT, INT, FLOAT, FLOAT))))
    return found


def _method_parts(ints: Array, memory: Any) -> list[tuple[int, Part]]:
    """Return the parts of a method with a step of its own."""
    if ints[at.METHOD] < at.BY_KERNEL:
        return []
    method = method_of_code(int(ints[at.METHOD]))
    sequential = ints[at.DYNAMICS] == at.SEQUENTIAL
    name = "sequential_step" if sequential and method.sequential_step else "step"
    step = kernel_of(method, name, ("size", "m", "t", "h"))
    found: list[tuple[int, Part]] = [(at.STEP_PART, (step, (INT, memory, FLOAT, FLOAT)))]
    if method.keep is not None:
        keep = kernel_of(method, "keep", ("size", "m", "h"))
        found.append((at.KEEP_PART, (keep, (INT, memory, FLOAT))))
    return found


def _in_lanes(memory: Memory) -> RecordOf:
    """Return the types of the memory of a block: the first four arrays are lanes."""
    fields = signature_of(*memory)
    wide = (_as_lanes(one, array.shape[-1]) for one, array in zip(fields[:4], memory, strict=False))
    return RecordOf(Memory, (*wide, *fields[4:]))


def _lanes_like(control: ControlMemory, memory: Memory) -> RecordOf:
    fields, width = signature_of(*control), memory.vectors.shape[-1]
    return RecordOf(ControlMemory, (*(_as_lanes(one, width) for one in fields[:-1]), fields[-1]))


def _as_lanes(array: Any, width: int) -> LanesOf:
    return LanesOf(array.number, array.dimensions - 1, width)
