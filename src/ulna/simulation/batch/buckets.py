"""Buckets: arms of a batch that can go in lanes together, laid out as the engine reads them.

Members are made ready slab by slab, so that memory does not grow with all of them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ulna.arrays import Array
from ulna.control import CompiledLaw
from ulna.scenario.inputs import held
from ulna.scenario.loops import PERFECT
from ulna.scenario.methods import METHODS, IntegrationMethod
from ulna.scenario.options import SimulationOptions
from ulna.simulation.batch.inputs import PERFECT_LOOP, Form
from ulna.simulation.batch.spec import BatchSpec
from ulna.simulation.build import FRICTIONAL, InputMemory, Packed, build_inputs
from ulna.simulation.capacity import allowance, check_memory
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.memory import Bucket
from ulna.simulation.motor_rows import MotorRows, has_gear_loss
from ulna.simulation.sensors import UNLIMITED

NOTHING, NOWHERE = np.zeros((1, 0)), np.zeros(0, dtype=np.int64)
NEVER = -(2**40)  # a first reference so early that the next one is always requested
NUMBER = 8  # [bytes]
LANES = 16  # arms that are worked on together: a slab is a multiple of them
SLAB = 2**28  # [bytes] of the histories that are handed to a store at a time


class Prepared(NamedTuple):
    """A bucket, and what is needed besides to simulate it."""

    spec: BatchSpec
    bucket: Bucket
    members: Array  # (b,) which of the batch's they are
    law: CompiledLaw | None


def buckets_of(spec: BatchSpec, first: int, last: int) -> list[Prepared]:
    """Sort the members first to last − 1 into buckets, whose rows count from the first of them."""
    packed, own = spec.packed(first, last), np.arange(last - first)
    slab = _Slab(
        spec, first, packed, np.ascontiguousarray(spec.start[:, first:last]), spec.keys[first:last]
    )
    inputs = (*spec.inputs, spec.laws, spec.motors)
    if len(packed.coupled) == 1 and all(len(one.forms) == 1 for one in inputs):
        forms = [one.forms[0] for one in inputs]
        return [slab.bucket(forms, int(packed.coupled[0]), own, slice(first, last))]
    labels = [_of(one.labels, first + own) for one in inputs] + [_of(packed.coupled, own)]
    found = []
    for some in _alike(labels):
        *chosen, coupled = (int(one[some[0]]) for one in labels)
        forms = [one.forms[k] for one, k in zip(inputs, chosen, strict=True)]
        found.append(slab.bucket(forms, coupled, some, first + some))
    return found


def _alike(labels: list[Array]) -> list[Array]:
    """Return the places at which all labels are the same, kind by kind."""
    kinds = np.zeros(labels[0].shape, dtype=np.intp)
    for one in labels:
        if one.any():
            # One pair of numbers as one number, and those counted from zero again.
            kinds = np.unique(kinds * (one.max() + 1) + one, return_inverse=True)[1]
    order = np.argsort(kinds, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(kinds[order])) + 1)


def _of(values: Array, rows: Array) -> Array:
    """Return the values of some rows; one value serves all."""
    return np.broadcast_to(values, rows.shape) if len(values) == 1 else values[rows]


class _Slab(NamedTuple):
    """Some of the members, from the first one on."""

    spec: BatchSpec
    first: int
    packed: Packed
    start: Array
    keys: Array

    def bucket(
        self, forms: list[Form], coupled: int, own: Array, members: slice | Array
    ) -> Prepared:
        """Lay out arms: their rows of the slab, which of the batch's they are, and their inputs."""
        spec, packed, law_form, motors = self.spec, self.packed, forms[4], forms[5].example
        inputs = _input_memory(spec, [one.example for one in forms[:4]], motors)
        ints, law = inputs.ints, law_form.example
        inputs.floats[at.TARGET], ints[at.COUPLED] = spec.duration, coupled or motors is not None
        geared = motors is not None and has_gear_loss(motors)
        ints[at.FRICTIONAL] = coupled >= FRICTIONAL or geared
        ints[at.UNCHECKED] = ints[at.CHECK_INTERVAL] = 1
        limited = packed.limited if len(packed.limited) == 1 else packed.limited[own]
        ints[at.STOPS] = spec.options.stops and limited.any()
        if ints[at.STOPS] or ints[at.FRICTIONAL] or _has_bends(spec.n, forms[3], members):
            from ulna.simulation.engine.scalar_fallback import STEP, scalar_step

            ints[at.WATCHING] = 1
            ints[at.SCALAR_CALL] = STEP.address(scalar_step, n=spec.n)
        params = state = postures = NOTHING
        if law is not None:
            rows = law_form.of(members)
            params, state = map(_contiguous, np.split(rows, [len(law.params)], axis=1))
            postures = _set_control(ints, law, spec, members)
        columns, values = _own_values(spec.n, inputs, forms, members)
        bucket = Bucket(
            own, packed.arms, packed.limits, self.start, self.keys, inputs.per_arm, columns, values,
            params, state, postures, inputs.floats, ints,
        )  # fmt: skip
        return Prepared(spec, bucket, self.first + own, law)


def _has_bends(n: int, loops: Form, members: slice | Array) -> bool:
    """Return whether actuators limit rates: a torque bends where it leaves the limit."""
    rows = loops.of(members)[:, 6 * n :]  # behind the numbers of sensors
    return bool((rows[:, 1 :: at.ACTUATOR_FIELDS] < UNLIMITED).any())


def _input_memory(spec: BatchSpec, examples: list[Any], motors: MotorRows | None) -> InputMemory:
    """Lay out the inputs of which these are examples; those that never change are copied."""
    torque, force, disturbances, loop = examples
    n, options = spec.n, spec.options
    steady = torque is held(n) and force is held(at.AXES) and not disturbances
    if steady and loop is PERFECT_LOOP and motors is None:
        return InputMemory(
            *(part.copy() for part in _held_memory(n, options, METHODS[options.method]))
        )
    return build_inputs(
        n, options, (torque, force), disturbances, (), loop.sensors, motors, loop.actuators
    )


@lru_cache(maxsize=16)
def _held_memory(n: int, options: SimulationOptions, method: IntegrationMethod) -> InputMemory:
    return build_inputs(n, options, (held(n), held(at.AXES)), (), (), PERFECT)


def _set_control(ints: Array, law: CompiledLaw, spec: BatchSpec, members: slice | Array) -> Array:
    """Set how arms are controlled; return their set-points, (1 or b, n), or nothing."""
    from ulna.simulation.ticks import law_address

    postures = spec.references.postures
    ints[at.CONTROLLED], ints[at.LAW_CALL] = at.COMPILED_CONTROLLER, law_address(law.law)
    ints[at.SETPOINT] = postures is not None
    ints[at.FIRST_REFERENCE] = 0 if len(spec.reference_table) else NEVER
    if postures is None:
        return NOTHING
    return _contiguous(postures[None] if postures.ndim == 1 else postures[members])


def _own_values(
    n: int, inputs: InputMemory, forms: list[Form], members: slice | Array
) -> tuple[Array, Array]:
    """Return what every arm has of its own in `per_arm`: where, (k,), and its values, (b, k).

    What all have in common is written there.
    """
    ints = inputs.ints
    constants, pieces = int(ints[at.CONSTANTS]), []
    for table, form in enumerate(forms[:2]):
        values, size = form.of(members), form.example.rows.size
        place = int(ints[at.TABLES + at.TABLE_FIELDS * table + at.ROWS])
        pieces.append((place, values[:, :size]))
        if values.shape[1] > size:
            pieces.append((constants, values[:, size:]))
            constants += values.shape[1] - size
    if forms[2].example:
        values, size = forms[2].of(members), len(forms[2].example) * (n + at.AXES)
        pieces += [(int(ints[at.SIZES]), values[:, :size]), (constants, values[:, size:])]
    if forms[3].example is not PERFECT_LOOP:
        values, size = forms[3].of(members), 6 * n
        pieces.append((int(ints[at.SENSOR]), values[:, : 0 if ints[at.PERFECT] else size]))
        pieces.append((int(ints[at.ACTUATOR]), values[:, size:]))
    if forms[5].example is not None:
        pieces.append((int(ints[at.MOTOR_ROWS]), forms[5].of(members)))
    own = []
    for place, values in pieces:
        if len(values) > 1:
            own.append((place, values))
        else:
            inputs.per_arm[place : place + values.shape[1]] = values[0]
    if not own:
        return NOWHERE, NOTHING
    columns = [np.arange(place, place + values.shape[1]) for place, values in own]
    if len(own) == 1:
        return columns[0], np.ascontiguousarray(own[0][1], dtype=float)
    values = np.concatenate([values for _, values in own], axis=1, dtype=float)
    return np.concatenate(columns), np.ascontiguousarray(values)


def _contiguous(values: Array) -> Array:
    """Copy an array, which may be read-only or in columns."""
    return np.array(values, order="C")


def planned(members: int, samples: int, n: int, keep_tau: bool, store: object) -> int:
    """Return how many arms of n joints to work on before their histories are handed over.

    Without a `store` (its name) that is all of them, and what does not fit into half of the memory
    is refused with the figure; with one it is a slab of some 256 MB, 16 arms or more.
    """
    row = bytes_of(1, samples, n, keep_tau)
    together = LANES if store else members
    if together * row > allowance():
        fitting = int(allowance() / (together * row / samples))
        fewer = [f"samples={fitting:,}"] if fitting or store else []
        ways = fewer if store else [*fewer, "store='runs.zarr', which keeps them in a file"]
        counted = f"{together:,} arms of {n} joint{'s' * (n > 1)}{' at a time' * bool(store)}"
        hint = f"such as {', or '.join(ways)}"
        check_memory("samples", f"{counted} × {samples:,} samples", together * row, hint)
    if not store:
        return members
    # A power of two, so that every slab is made of whole chunks of a file.
    slab = LANES
    while 2 * slab * row <= min(SLAB, allowance()):
        slab *= 2
    return min(slab, -(-members // LANES) * LANES)


def bytes_of(members: int, samples: int, n: int, keep_tau: bool) -> int:
    """Return the size of the histories of a batch [bytes]."""
    return members * samples * n * NUMBER * (3 if keep_tau else 2)
