"""When a controller is called, and how late its torques answer to what was.

The torque of a tick is held until the next, T = 1/rate later, and answers to what was measured d
ticks before: on average to what was (d + ½) T ago.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class ControlTiming:
    """How often a controller is called, and how old its measurements are.

    Parameters
    ----------
    rate : float, optional
        Control rate [Hz].
    delay : float, optional
        From the state that is measured to the torque that answers to it, without what holding a
        torque from tick to tick adds [s].

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
        """The delay in ticks, rounded up."""
        return whole_periods(self.delay, self.period)

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


def whole_periods(delay: float, period: float) -> int:
    """Return how many periods it takes until a delay is over."""
    return max(math.ceil(delay / period - 1e-6), 0)
