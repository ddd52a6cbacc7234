"""The `ulna` command line, one command per file.

Nothing else is imported with this module, so that Ctrl-C is caught while everything else is.
"""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

__all__ = ["main"]

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code, and print no traceback without --debug.

    Parameters
    ----------
    arguments
        The words of the command; without them those that the process was started with.
    """
    try:
        from ulna.cli.app import run

        code = run(sys.argv[1:] if arguments is None else arguments)
        if arguments is None:
            _end_at_ctrl_c()
    except KeyboardInterrupt:
        code = INTERRUPTED
        if sys.stderr is not None:
            sys.stderr.write("stopped\n")
    if code == INTERRUPTED and arguments is None:
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError, OSError):
                stream.flush()
        os._exit(code)  # Python would tidy up for longer than a person waits
    return code


def _end_at_ctrl_c() -> None:
    """Let Ctrl-C end the process: Python prints and drops KeyboardInterrupt while it shuts down."""
    import signal

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # and not ignored
        signal.signal(signal.SIGINT, signal.SIG_DFL)
