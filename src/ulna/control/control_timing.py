"""When a controller is called, and how late it learns what it measures.

The torque of a tick is held until the next, T = 1/rate later, and is worked out from what was
measured d ticks before. On average it answers to what was (d + ½) T ago: its latency. A controller
may be told of both: where its `start` or its `compiled` takes `timing`, it is handed in.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ulna.arm import Arm, Parameters
from ulna.control.controller import CompiledLaw


@dataclass(frozen=True)
class ControlTiming:
    """How often a controller is called, and how old its measurements are.

    Parameters
    ----------
    rate : float, optional
        Control rate [Hz].
    delay : float, optional
        Of what it measures [s].

    Examples
    --------
    >>> ControlTiming(rate=100.0, delay=0.02).latency
    0.025
    """

    rate: float = 1000.0
    delay: float = 0.0

    @property
    def period(self) -> float:
        """The time [s] from one tick to the next."""
        return 1.0 / self.rate

    @property
    def ticks_late(self) -> int:
        """The delay in ticks."""
        return round(self.delay * self.rate)

    @property
    def latency(self) -> float:
        """How long ago [s] what a torque answers to was, on average."""
        return (self.ticks_late + 0.5) * self.period

    @property
    def fastest_decay(self) -> float:
        """The rate [1/s] of a decay beyond which delayed and held feedback of it is unstable.

        v⁺ = v − r T v(d ticks ago) is stable for r T < 2 sin(π / (4 d + 2)).
        """
        return 2.0 * self.rate * math.sin(math.pi / (4 * self.ticks_late + 2))

    def __str__(self) -> str:
        late = f" with a delay of {1e3 * self.delay:g} ms" if self.delay else ""
        return f"{self.rate:g} Hz{late}"


DEFAULT_TIMING = ControlTiming()


def start_controller(controller: Any, arm: Arm | Parameters, timing: ControlTiming) -> Any:
    """Return the state of a controller before its first tick, telling it the timing if it asks."""
    return _told(controller.start, arm, timing)


def compile_controller(
    controller: Any, arm: Arm | Parameters, timing: ControlTiming
) -> CompiledLaw:
    """Return the law of a controller for the compiled engine, of one arm or many."""
    law: CompiledLaw = _told(controller.compiled, arm, timing)
    return law


def _told(method: Callable[..., Any], arm: Arm | Parameters, timing: ControlTiming) -> Any:
    if _takes_timing(getattr(method, "__func__", method)):
        return method(arm, timing=timing)
    return method(arm)


@lru_cache(maxsize=256)
def _takes_timing(function: Callable[..., Any]) -> bool:
    try:
        return "timing" in inspect.signature(function).parameters
    except (TypeError, ValueError):  # of functions that show no signature
        return False
