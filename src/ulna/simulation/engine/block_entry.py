"""The entry point by which Python runs blocks of arms: `run_blocks`, called by its address.

Compiled code calls the same address (`resident_blocks.py`), so that both take the same steps, and
`run_blocks` is compiled once for both.
"""

from __future__ import annotations

from ulna.kernels import INT, kernel, signature_of
from ulna.simulation.engine.block import run_blocks
from ulna.simulation.engine.bucket import Bucket, Outcome
from ulna.simulation.engine.hooks import PART, call_part
from ulna.simulation.engine.memory import ControlMemory, Memory, Record


@kernel
def run_by_address(
    run: int,
    n: int,
    memory: Memory,
    control: ControlMemory,
    scalar: Memory,
    record: Record,
    bucket: Bucket,
    outcome: Outcome,
    budget: int,
) -> int:
    """Call `run_blocks`."""
    return call_part(run, n, memory, control, scalar, record, bucket, outcome, budget)


def address_for(
    memory: Memory,
    control: ControlMemory,
    scalar: Memory,
    record: Record,
    bucket: Bucket,
    outcome: Outcome,
) -> int:
    """Return the address of `run_blocks` for such arguments, compiled if need be."""
    kinds = signature_of(memory, control, scalar, record, bucket, outcome)
    return PART.address(run_blocks, (INT, *kinds, INT))
