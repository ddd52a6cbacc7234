"""How a controller measures the arm: with noise, in steps, and late."""

from __future__ import annotations

from ulna.arm.control_loop import MOST_LATE as MOST_LATE
from ulna.arm.control_loop import Sensors as Sensors
