"""Parts of the engine that not every run needs, each a kernel of its own, called by its address.

Formulas and functions, sensors, disturbances, implicit methods, stops and events: what a run does
not use is neither compiled nor loaded for it. `connect` puts the addresses of those that it uses
where the engine looks for them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ulna.arrays import Array
from ulna.dynamics.sequential_sweep import sequential
from ulna.kernels import FLOAT, INT, ArrayOf, LanesOf, RecordOf, kernel, signature_of
from ulna.lanes import choose
from ulna.simulation.engine import places as at
from ulna.simulation.engine.aside import set_apart
from ulna.simulation.engine.control import measure
from ulna.simulation.engine.crossings import find_event
from ulna.simulation.engine.hooks import PART
from ulna.simulation.engine.implicit import gauss_step, keep_gauss, semi_implicit_step
from ulna.simulation.engine.lots import Lot, Outcome
from ulna.simulation.engine.memory import Control, Memory, Record
from ulna.simulation.engine.schedule import disturb
from ulna.simulation.engine.slope import live_inputs
from ulna.simulation.engine.watch import let_happen, settle


@kernel
def live_part(size: int, m: Memory, t: float) -> int:
    """Add what formulas and functions ask for."""
    live_inputs(size, m, t)
    return 0


@kernel
def sequential_part(size: int, m: Memory) -> int:
    """Find the accelerations of the decoupled model."""
    sequential(size, m.links, m.turns, m.vectors, at.STAGE)
    return 0


@kernel
def measure_part(size: int, m: Memory, control: Control) -> int:
    """Read sensors."""
    measure(size, m, control)
    return 0


@kernel
def disturb_part(size: int, m: Memory) -> int:
    """Add what disturbs."""
    disturb(size, m)
    return 0


@kernel
def semi_implicit_part(size: int, m: Memory, t: float, h: float) -> int:
    """Take a semi-implicit step."""
    semi_implicit_step(size, m, t, h)
    return 0


@kernel
def gauss_part(size: int, m: Memory, t: float, h: float) -> int:
    """Take a step of the Gauss method; GOOD says where it converged."""
    converged = gauss_step(size, m, t, h)
    m.links[size, at.GOOD] = choose(converged, 1.0, 0.0)
    return 0


@kernel
def keep_part(size: int, m: Memory, h: float) -> int:
    """Remember what the next step of the Gauss method begins with."""
    keep_gauss(size, m, h)
    return 0


@kernel
def watch_part(size: int, m: Memory, log: Array, task: int, which: int, h: float) -> int:
    """See to stops and events.

    SETTLE brings stops and joints into agreement with new inputs. FIND gives which event is first
    in a step, or −1; FOUND says where in it. HAPPEN lets what was found take place, and gives why
    the engine ends, or BUDGET.
    """
    if task == at.SETTLE:
        settle(size, m, log)
        return 0
    if task == at.FIND:
        m.real[at.FOUND], which = find_event(size, m, h)
        return which
    return let_happen(size, m, log, which)


@kernel
def apart_part(
    size: int, m: Memory, alone: Memory, record: Record, lot: Lot, outcome: Outcome, h: float
) -> int:
    """Let arms near their stops take the step by themselves."""
    set_apart(size, m, alone, record, lot, outcome, h)
    return 0


def connect(n: int, memory: Memory, control: Control, record: Record) -> None:
    """Put the addresses of all parts that a run of one arm uses where the engine finds them."""
    whole = memory.whole
    if not _needs_parts(whole):
        return
    kinds = signature_of(memory, control, record.log)
    for place, part in _parts(whole, *kinds):
        whole[place] = _address(n, *part)


def connect_block(
    n: int,
    memory: Memory,
    control: Control,
    alone: Memory,
    record: Record,
    lot: Lot,
    outcome: Outcome,
) -> None:
    """Do the same for blocks of arms in lanes, and for one of them that steps aside."""
    whole = lot.whole
    if not _needs_parts(whole):
        return
    wide, table = _in_lanes(memory), signature_of(record.log)[0]
    for place, part in _parts(whole, wide, _lanes_beside(control, memory), table):
        whole[place] = _address(n, *part)
    if whole[at.STOPS]:
        kinds = signature_of(alone, record, lot, outcome)
        whole[at.APART_PART] = _address(n, apart_part, (INT, wide, *kinds, FLOAT))
        # It reads no sensors: its controller's torque is held while it steps.
        for place, part in _parts(whole, kinds[0], None, table):
            whole[at.ALONE_PARTS + place - at.PARTS] = _address(n, *part)


def _needs_parts(whole: Array) -> bool:
    used = (at.INPUTS, at.MODEL, at.DISTURBANCES, at.WATCHING)
    explicit = whole[at.METHOD] == at.RK4 or whole[at.METHOD] == at.DOP853
    return bool(not explicit or not whole[at.PERFECT] or any(whole[place] for place in used))


Part = tuple[Callable[..., Any], tuple[Any, ...]]


def _address(n: int, function: Callable[..., Any], signature: tuple[Any, ...]) -> int:
    return PART.address(function, signature, n)


def _parts(whole: Array, memory: Any, control: Any, table: Any) -> list[tuple[int, Part]]:
    """Return the parts that are used, with their places and their arguments."""
    found: list[tuple[int, Part]] = []
    if whole[at.INPUTS] != at.STEADY:
        found.append((at.LIVE_PART, (live_part, (INT, memory, FLOAT))))
    if whole[at.MODEL] == at.SEQUENTIAL:
        found.append((at.MODEL_PART, (sequential_part, (INT, memory))))
    if whole[at.PERFECT] == 0 and control is not None:
        found.append((at.MEASURE_PART, (measure_part, (INT, memory, control))))
    if whole[at.DISTURBANCES] != 0:
        found.append((at.DISTURB_PART, (disturb_part, (INT, memory))))
    if whole[at.METHOD] == at.SEMI_IMPLICIT:
        found.append((at.STEP_PART, (semi_implicit_part, (INT, memory, FLOAT, FLOAT))))
    if whole[at.METHOD] == at.GAUSS4:
        found.append((at.STEP_PART, (gauss_part, (INT, memory, FLOAT, FLOAT))))
        found.append((at.KEEP_PART, (keep_part, (INT, memory, FLOAT))))
    if whole[at.WATCHING] and isinstance(memory.fields[0], ArrayOf):
        # Arms in lanes step aside to do so.
        found.append((at.WATCH_PART, (watch_part, (INT, memory, table, INT, INT, FLOAT))))
    return found


def _in_lanes(memory: Memory) -> RecordOf:
    """Return what the engine makes of the memory of a block: the first four arrays are lanes."""
    fields = signature_of(*memory)
    wide = (_as_lanes(one, array.shape[-1]) for one, array in zip(fields[:4], memory, strict=False))
    return RecordOf(Memory, (*wide, *fields[4:]))


def _lanes_beside(control: Control, memory: Memory) -> RecordOf:
    fields, width = signature_of(*control), memory.vectors.shape[-1]
    return RecordOf(Control, (*(_as_lanes(one, width) for one in fields[:-1]), fields[-1]))


def _as_lanes(array: Any, width: int) -> LanesOf:
    return LanesOf(array.number, array.dimensions - 1, width)
