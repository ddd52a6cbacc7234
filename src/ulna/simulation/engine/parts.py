"""Optional parts of the engine, each a kernel of its own, called by its address.

Formulas and functions, sensors, disturbances, implicit methods, stops and events: what a run does
not use is neither compiled nor loaded for it. `connect` writes the addresses of those that it uses
to the engine's memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ulna.arrays import Array
from ulna.dynamics.sequential_sweep import sequential
from ulna.kernels import FLOAT, INT, ArrayOf, LanesOf, RecordOf, kernel, signature_of
from ulna.lanes import select
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.bucket import Bucket, Outcome
from ulna.simulation.engine.control import read_sensors
from ulna.simulation.engine.crossings import find_event
from ulna.simulation.engine.hooks import PART
from ulna.simulation.engine.implicit import gauss_step, save_gauss_stages, semi_implicit_step
from ulna.simulation.engine.memory import ControlMemory, Memory, Record
from ulna.simulation.engine.schedule import disturb
from ulna.simulation.engine.state_derivative import live_inputs
from ulna.simulation.engine.stop_fallback import stop_fallback
from ulna.simulation.engine.watch import handle_events, update_contacts


@kernel
def live_part(size: int, m: Memory, t: float) -> int:
    """Add the torques and forces of formulas and functions."""
    live_inputs(size, m, t)
    return 0


@kernel
def sequential_part(size: int, m: Memory) -> int:
    """Compute the accelerations of the sequential dynamics."""
    sequential(size, m.links, m.turns, m.vectors, at.STAGE)
    return 0


@kernel
def sensor_part(size: int, m: Memory, control: ControlMemory) -> int:
    """Read sensors."""
    read_sensors(size, m, control)
    return 0


@kernel
def disturb_part(size: int, m: Memory) -> int:
    """Add the disturbances."""
    disturb(size, m)
    return 0


@kernel
def semi_implicit_part(size: int, m: Memory, t: float, h: float) -> int:
    """Take a semi-implicit step."""
    semi_implicit_step(size, m, t, h)
    return 0


@kernel
def gauss_part(size: int, m: Memory, t: float, h: float) -> int:
    """Take a step of the Gauss method; VALID says where it converged."""
    converged = gauss_step(size, m, t, h)
    m.links[size, at.VALID] = select(converged, 1.0, 0.0)
    return 0


@kernel
def keep_part(size: int, m: Memory, h: float) -> int:
    """Save what predicts the next step of the Gauss method."""
    save_gauss_stages(size, m, h)
    return 0


@kernel
def watch_part(size: int, m: Memory, log: Array, task: int, which: int, h: float) -> int:
    """Handle stops and events.

    UPDATE_CONTACTS updates which joints are held at stops. FIND_EVENT returns the first event in a
    step, or −1; FOUND says where in it. HANDLE_EVENTS handles what was found, and returns why the
    engine ends, or BUDGET.
    """
    if task == at.UPDATE_CONTACTS:
        update_contacts(size, m, log)
        return 0
    if task == at.FIND_EVENT:
        m.floats[at.FOUND], which = find_event(size, m, h)
        return which
    return handle_events(size, m, log, which)


@kernel
def fallback_part(
    size: int, m: Memory, scalar: Memory, record: Record, bucket: Bucket, outcome: Outcome, h: float
) -> int:
    """Take the step of arms near their stops in the engine for single arms."""
    stop_fallback(size, m, scalar, record, bucket, outcome, h)
    return 0


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
    if ints[at.STOPS]:
        kinds = signature_of(scalar, record, bucket, outcome)
        ints[at.FALLBACK_PART] = _address(n, fallback_part, (INT, wide, *kinds, FLOAT))
        # It reads no sensors: its controller's torque is held during the step.
        for place, part in _parts(ints, kinds[0], None, table):
            ints[at.SCALAR_PARTS + place - at.PARTS] = _address(n, *part)


def _needs_parts(ints: Array) -> bool:
    used = (at.INPUTS, at.DYNAMICS, at.DISTURBANCES, at.WATCHING)
    explicit = ints[at.METHOD] == at.RK4 or ints[at.METHOD] == at.DOP853
    return bool(not explicit or not ints[at.PERFECT] or any(ints[place] for place in used))


Part = tuple[Callable[..., Any], tuple[Any, ...]]


def _address(n: int, function: Callable[..., Any], signature: tuple[Any, ...]) -> int:
    return PART.address(function, signature, n)


def _parts(ints: Array, memory: Any, control: Any, table: Any) -> list[tuple[int, Part]]:
    """Return the parts that are used, with their entries and their arguments."""
    found: list[tuple[int, Part]] = []
    if ints[at.INPUTS] != at.STEADY:
        found.append((at.LIVE_PART, (live_part, (INT, memory, FLOAT))))
    if ints[at.DYNAMICS] == at.SEQUENTIAL:
        found.append((at.DYNAMICS_PART, (sequential_part, (INT, memory))))
    if ints[at.PERFECT] == 0 and control is not None:
        found.append((at.SENSOR_PART, (sensor_part, (INT, memory, control))))
    if ints[at.DISTURBANCES] != 0:
        found.append((at.DISTURB_PART, (disturb_part, (INT, memory))))
    if ints[at.METHOD] == at.SEMI_IMPLICIT:
        found.append((at.STEP_PART, (semi_implicit_part, (INT, memory, FLOAT, FLOAT))))
    if ints[at.METHOD] == at.GAUSS4:
        found.append((at.STEP_PART, (gauss_part, (INT, memory, FLOAT, FLOAT))))
        found.append((at.KEEP_PART, (keep_part, (INT, memory, FLOAT))))
    if ints[at.WATCHING] and isinstance(memory.fields[0], ArrayOf):
        # Arms in lanes fall back to scalar steps for it.
        found.append((at.WATCH_PART, (watch_part, (INT, memory, table, INT, INT, FLOAT))))
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
