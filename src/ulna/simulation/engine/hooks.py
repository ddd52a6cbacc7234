"""How the engine calls what it was not compiled with."""

from __future__ import annotations

from ulna.arrays import Array
from ulna.kernels import FLOAT, ArrayOf, Hook, inner
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
def call_dynamics(size: int, m: Memory) -> None:
    """Compute the accelerations of the state STAGE by the sequential dynamics."""
    call_part(m.ints[at.DYNAMICS_PART], size, m)


@inner
def call_sensors(size: int, m: Memory, control: ControlMemory) -> None:
    """Read angles and rates as the controller's sensors do."""
    call_part(m.ints[at.SENSOR_PART], size, m, control)


@inner
def call_implicit_step(size: int, m: Memory, t: float, h: float) -> None:
    """Write the end of a step of an implicit method to TRIAL."""
    call_part(m.ints[at.STEP_PART], size, m, t, h)


@inner
def call_update_contacts(size: int, m: Memory, log: Array) -> None:
    """Update which joints are held at stops, for the inputs that act from now on."""
    call_part(m.ints[at.WATCH_PART], size, m, log, at.UPDATE_CONTACTS, 0, 0.0)


@inner
def call_handle_events(size: int, m: Memory, log: Array, which: int) -> int:
    """Handle the events found in a step; return BUDGET, or why the engine ends."""
    return int(call_part(m.ints[at.WATCH_PART], size, m, log, at.HANDLE_EVENTS, which, 0.0))
