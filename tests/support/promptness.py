"""That an answer is given soon: by the work that it takes, whatever else the machine does."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from coverage import Coverage


@contextmanager
def prompt(seconds: float = 1.0) -> Iterator[None]:
    """Hold what is done within to so many seconds of the processor.

    Tracing takes several times as long as the work itself: while it goes on, nothing is held.
    """
    start = time.process_time()
    yield
    taken = time.process_time() - start
    assert taken < seconds or Coverage.current() is not None
