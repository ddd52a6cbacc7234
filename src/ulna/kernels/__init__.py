"""Compiled functions: how they are written, compiled, kept and called.

A kernel takes bare arrays and checks nothing. It is compiled in two stages, each kept on disk:

1. Numba types it, with all functions that it calls, into LLVM's code before any optimisation
   (`numba_internals.py`; what leads into it, `entries.py`). This takes longest, is done once for
   all sizes of arms, does not depend on the processor, and can be done where a package is built.
2. LLVM turns that into machine code for this processor, with the number of joints put in as a
   constant where it is small (`code.py`).

A process that finds machine code on disk loads it without Numba. Python calls a kernel as a
built-in function: its arguments are unpacked in compiled code.

With NUMBA_DISABLE_JIT=1 kernels run as plain Python.
"""

from ulna.kernels.functions import (
    DISABLED,
    FLOAT,
    INT,
    ArrayOf,
    Hook,
    Inner,
    Kernel,
    LanesOf,
    RecordOf,
    inlined,
    inner,
    kernel,
    signature_of,
    variant,
)

__all__ = [
    "DISABLED",
    "FLOAT",
    "INT",
    "ArrayOf",
    "Hook",
    "Inner",
    "Kernel",
    "LanesOf",
    "RecordOf",
    "inlined",
    "inner",
    "kernel",
    "signature_of",
    "variant",
]
