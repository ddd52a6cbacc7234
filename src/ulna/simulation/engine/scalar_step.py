"""A scalar step: one step of one arm with its stops, which blocks call for arms that need it.

It is compiled by itself, for the first arm with stops, and called by its address: so it is compiled
once for all kinds of blocks.
"""

from __future__ import annotations

from ulna.kernels import INT, ArrayOf, Hook, RecordOf, kernel
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.loop import accept
from ulna.simulation.engine.memory import Memory, Record
from ulna.simulation.engine.state_derivative import copy
from ulna.simulation.engine.stepping import attempt, even_step
from ulna.simulation.engine.watch import save_signals, signals, update_contacts

_ROW, _TABLE, _INTS = ArrayOf("float64", 1), ArrayOf("float64", 2), ArrayOf("int64", 1)
_MEMORY = RecordOf(Memory, (_TABLE, _TABLE, _TABLE, _ROW, _INTS, _TABLE, _ROW, _INTS))
# step(n, memory, record, whether inputs have just changed)
STEP = Hook((INT, _MEMORY, RecordOf(Record, (_TABLE, _TABLE)), INT))
call_step = STEP.call


@kernel
def scalar_step(size: int, m: Memory, record: Record, opened: int) -> int:
    """Advance an arm to the end of the segment; return BUDGET, or why it goes no further."""
    if opened != 0:
        update_contacts(size, m, record.log)
    else:
        copy(size, m, at.STATE, at.STAGE)
        signals(size, m, m.floats[at.NOW])
        save_signals(size, m)
    code = at.BUDGET
    while code == at.BUDGET and m.ints[at.OPEN] != 0:
        h = even_step(m)
        code = attempt(size, m, h)
        if code == at.BUDGET:
            code = accept(size, m, record.samples, record.log, h)
    return code
