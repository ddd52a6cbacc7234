"""The specification of a batch: its arguments read and counted, and then put together."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ulna.arm import Arm, Parameters
from ulna.arrays import Array
from ulna.errors import InputError, Problem, shown
from ulna.simulation.batch.buckets import Acting
from ulna.simulation.batch.controllers import compile_controllers, read_controllers
from ulna.simulation.batch.inputs import Input, read_disturbances, read_input, read_sensors
from ulna.simulation.batch.members import (
    Members,
    arms_in,
    common_count,
    gathered,
    joint_rows,
    rows_in,
)
from ulna.simulation.batch.references import References, read_references
from ulna.simulation.disturbances import Disturbance
from ulna.simulation.options import SimulationOptions
from ulna.simulation.reference import block
from ulna.simulation.sources import FORCE, torque_kind

_torque_kind = cache(torque_kind)

MOST_TICKS = 2**18  # of a trajectory for all arms that is computed before the run


@dataclass(frozen=True)
class BatchSpec:
    """Arms, their initial states, and what acts on them: for all, or for each of `count`."""

    count: int
    parameters: Parameters
    start: tuple[Array, Array]  # (n,) or (B, n) angles and rates
    inputs: tuple[Input, Input, Input, Input]  # torque, tip force, disturbances, sensors
    controllers: list[Any]
    references: References | None
    keys: Array | None
    arm: Arm | None  # that all are, if there is one

    @property
    def duration(self) -> float | None:
        """The duration [s] of the reference, if it has one."""
        return None if self.references is None else self.references.duration

    @property
    def disturbances(self) -> list[Disturbance]:
        """All disturbances of any arm, each kind once."""
        return [one for form in self.inputs[2].forms for one in form.example]

    def members(self, *, stops: bool) -> Members:
        """Put arms and initial states together, and note which cannot run."""
        return gathered(self.parameters, *self.start, self.count, stops=stops, arm=self.arm)

    def acting(self, members: Members, rate: float, duration: float) -> Acting:
        """Put together what acts on the arms; the default set-point of each is its start."""
        references = self.references or References(self.start[0])
        keys = np.arange(self.count)
        if self.keys is not None:
            keys[:] = self.keys
        reference_table = _reference_table(references, rate, duration, members.n)
        controllers = compile_controllers(self.controllers, members, self.inputs[3], rate)
        return Acting(*self.inputs, controllers, references, keys, reference_table)


def read_spec(
    parameters: Parameters,
    options: SimulationOptions,
    *,
    between: str,
    q0: Any,
    qd0: Any,
    torque: Any,
    tip_force: Any,
    disturbances: Any,
    sensors: Any,
    controller: Any,
    reference: Any,
    seeds: Any,
    arm: Arm | None,
) -> BatchSpec:
    """Read what is given for all arms or for each, and count the arms."""
    n = parameters.n
    references = read_references(reference, n)
    inputs = (
        read_input(_torque_kind(n), torque, n, between=between, dt=options.dt),
        read_input(FORCE, tip_force, n, between=between, dt=options.dt),
        read_disturbances(disturbances, n),
        read_sensors(sensors, n, options.rate),
    )
    controllers = read_controllers(controller)
    q, qd = _start(references, q0, qd0, n)
    keys = _keys(seeds)
    names = ("torque", "tip_force", "disturbances", "sensors")
    counts = {name: one.count for name, one in zip(names, inputs, strict=True)}
    count = common_count(
        arms=arms_in(parameters), q0=rows_in(q), qd0=rows_in(qd), **counts,
        controller=max(len(controllers), 1),
        reference=1 if references is None else references.count,
        seeds=1 if keys is None else len(keys),
    )  # fmt: skip
    return BatchSpec(count, parameters, (q, qd), inputs, controllers, references, keys, arm)


def _start(references: References | None, q0: Any, qd0: Any, n: int) -> tuple[Array, Array]:
    """Return angles and rates at the start: those given, else the reference's."""
    if q0 is not None:
        q = joint_rows("q0", q0, n, "rad")
        return q, np.zeros(n) if qd0 is None else joint_rows("qd0", qd0, n, "rad/s")
    if references is None:
        raise InputError(Problem("q0", "nothing", "the joint angles [rad] at the start"))
    q, qd = references.start
    return q, qd if qd0 is None else joint_rows("qd0", qd0, n, "rad/s")


def _keys(seeds: Any) -> Array | None:
    if seeds is None:
        return None
    values = np.array([None])
    with suppress(ValueError):  # of lists within lists that differ in length
        values = np.atleast_1d(np.asarray(seeds))
    are_ints = values.ndim == 1 and (values.dtype.kind in "iu" or not values.size)
    if are_ints and np.all((values >= 0) & (values < 2**63)):
        return values.astype(np.int64)
    need = "a whole number of at least 0, below 2**63, or one for each arm"
    raise InputError(Problem("seeds", shown(seeds), need))


def _reference_table(references: References, rate: float, duration: float, n: int) -> Array:
    """Compute a trajectory for all arms before the run, unless it has very many ticks."""
    nothing = np.zeros((0, 3, n, 1))
    if references.postures is not None or references.count > 1:
        return nothing
    ticks = math.ceil(duration * rate * (1.0 - 1e-9))
    if ticks > MOST_TICKS:
        return nothing
    parts = [nothing]
    while sum(len(part) for part in parts) < ticks:
        parts.append(block(references.follows[0], sum(map(len, parts)), 1.0 / rate, duration))
    return np.concatenate(parts)
