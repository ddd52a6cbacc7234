"""The `ulna` command line, one command a file.

Nothing is imported here but what hears Ctrl-C while all the rest is.
"""

import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType

__all__ = ["main"]

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code, and print no traceback without --debug.

    Parameters
    ----------
    arguments
        The words of the command; without them those that the process was started with.
    """
    if arguments is not None or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        from ulna.cli.app import run

        return run(sys.argv[1:] if arguments is None else arguments)
    # Libraries that are half imported would swallow an exception, or turn it into another.
    signal.signal(signal.SIGINT, _leave)
    from ulna.cli.app import run

    try:
        code = run(sys.argv[1:], begin=_listen)
    except KeyboardInterrupt:
        _leave()
    if code == INTERRUPTED:
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError, OSError):
                stream.flush()
        os._exit(code)  # Python would tidy up for longer than a person waits
    # All is done and said; what Python has to tidy up takes a moment.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return code


def _listen() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _leave(number: int = signal.SIGINT, frame: FrameType | None = None) -> None:
    """End at once: there is nothing yet to be tidied up."""
    if sys.stderr is not None:
        os.write(2, b"stopped\n")
    os._exit(INTERRUPTED)
