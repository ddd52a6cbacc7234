"""How a simulation was set up, as plain values: what a run keeps of it."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ulna.simulation.disturbances import Disturbance

if TYPE_CHECKING:
    from ulna.simulation.simulation import Simulation


def settings_of(simulation: Simulation) -> dict[str, Any]:
    """Return all that it takes to set a simulation up again; functions by their names only."""
    q, qd = simulation.start
    torque, force = simulation.sources
    options = simulation.options
    plain: dict[str, Any] = {"q0": q.tolist(), "qd0": qd.tolist(), **vars(options)}
    plain["max_step"] = None if math.isinf(options.max_step) else options.max_step
    plain |= {"torque": torque.described, "tip_force": force.described}
    if simulation.controller is not None:
        plain["controller"] = repr(simulation.controller)
        plain |= {"sensors": asdict(simulation.sensors), "reference": simulation.reference}
    if simulation.disturbances:
        plain["disturbances"] = [_plain(one) for one in simulation.disturbances]
    if simulation.signals:
        plain["events"] = {signal.name: signal.described for signal in simulation.signals}
    return plain


def _plain(disturbance: Disturbance) -> dict[str, Any]:
    values = asdict(disturbance)
    return values | {"stop": None if math.isinf(disturbance.stop) else disturbance.stop}
