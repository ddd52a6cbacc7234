"""Buckets: arms of a batch that can go in lanes together, laid out as the engine reads them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ulna.arm import Arm, Parameters
from ulna.arrays import Array
from ulna.control import CompiledLaw
from ulna.dynamics.packed import CARRIER, LOWER, STUCK, UPPER, pack
from ulna.simulation.batch.inputs import PERFECT, Form, Input
from ulna.simulation.batch.members import Members
from ulna.simulation.batch.references import References
from ulna.simulation.build import InputMemory, build_inputs
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.bucket import Bucket
from ulna.simulation.options import SimulationOptions
from ulna.simulation.per_arm import PerArm

NOTHING = np.zeros((1, 0))
NEVER = -(2**40)  # a first reference so early that the next one is always requested


class Acting(NamedTuple):
    """All that acts on the arms of a batch."""

    torque: Input
    force: Input
    disturbances: Input
    sensors: Input
    controllers: Input
    references: References
    keys: Array  # (B,) streams of random numbers
    reference_table: Array  # (ticks, 3, n, 1) of a motion for all, or nothing if it is long


class BucketForms(NamedTuple):
    """The forms of inputs that the arms of a bucket have in common."""

    torque: Form
    force: Form
    disturbances: Form
    sensors: Form
    law: Form


class Prepared(NamedTuple):
    """A bucket, and what is needed besides to simulate it."""

    bucket: Bucket
    law: CompiledLaw | None
    references: References
    reference_table: Array
    members: Array  # (b,) which of the batch's they are


class Slab:
    """A part of the members that is prepared at a time, so that memory does not grow with all."""

    def __init__(self, members: Members, first: int, last: int) -> None:
        self.first, self.count, p = first, last - first, members.parameters
        if p.length.ndim > 1:
            p = Parameters(*(value[first:last] for value in p))
        packed = _packed(p) if members.arm is None else _packed_arm(members.arm)
        self.arms, self.limits, self.coupled, self.limited = packed
        self.start = np.ascontiguousarray(members.start[:, first:last])

    def buckets(
        self, acting: Acting, options: SimulationOptions, duration: float
    ) -> list[Prepared]:
        """Sort the members into buckets; in each, rows count from the first of the slab."""
        inputs, coupled = acting[:5], self.coupled
        if len(coupled) == 1 and all(len(one.forms) == 1 for one in inputs):
            forms = BucketForms(*(one.forms[0] for one in inputs))
            own = np.arange(self.count)
            return [self._prepared(forms, acting, options, duration, own, int(coupled[0]))]
        members = np.arange(self.first, self.first + self.count)
        labels = [_of(one.labels, members) for one in inputs]
        labels.append(_of(coupled, members - self.first))
        buckets = []
        for own in _alike(labels):
            label = [int(one[own[0]]) for one in labels]
            forms = BucketForms(*(one.forms[k] for one, k in zip(inputs, label, strict=False)))
            buckets.append(self._prepared(forms, acting, options, duration, own, label[-1]))
        return buckets

    def _prepared(
        self,
        forms: BucketForms,
        acting: Acting,
        options: SimulationOptions,
        duration: float,
        own: Array,
        coupled: int,
    ) -> Prepared:
        inputs = _input_memory(self.arms.shape[1] - 1, options, forms)
        inputs.floats[at.TARGET], inputs.ints[at.COUPLED] = duration, coupled
        inputs.ints[at.UNCHECKED] = inputs.ints[at.CHECK_INTERVAL] = 1
        self._set_stops(inputs, options, own)
        return self._bucket(inputs, forms, acting, own)

    def _set_stops(self, inputs: InputMemory, options: SimulationOptions, own: Array) -> None:
        limited = self.limited if len(self.limited) == 1 else self.limited[own]
        stops = options.stops and bool(limited.any())
        inputs.ints[at.STOPS] = inputs.ints[at.WATCHING] = stops
        if stops:
            from ulna.simulation.engine.scalar_step import STEP, scalar_step

            inputs.ints[at.SCALAR_CALL] = STEP.address(scalar_step, n=self.arms.shape[1] - 1)

    def _bucket(
        self, inputs: InputMemory, forms: BucketForms, acting: Acting, own: Array
    ) -> Prepared:
        members = self.first + own
        law: CompiledLaw | None = forms.law.example
        params = state = postures = NOTHING
        if law is not None:
            rows = forms.law.of(members)
            params, state = map(_own, np.split(rows, [len(law.params)], axis=1))
            _set_control(inputs, law, acting)
            if acting.references.postures is not None:
                postures = _own(_rows(acting.references.postures, members))
        keys = acting.keys[self.first : self.first + self.count]
        bucket = Bucket(
            own, self.arms, self.limits, self.start, keys, _per_arm(inputs, forms, members), params,
            state, postures, inputs.floats, inputs.ints,
        )  # fmt: skip
        return Prepared(bucket, law, acting.references, acting.reference_table, members)


class Packed(NamedTuple):
    """What the engine reads of arms; a single one serves all."""

    arms: Array  # (1 or B, n+1, constants)
    limits: Array  # (1 or B, n) the most torque that a controller may ask for
    coupled: Array  # (1 or B,) 1 where neighbours exchange a torque, as with rotors
    limited: Array  # (1 or B,) whether a joint has a stop


def _packed(p: Parameters) -> Packed:
    # Of those that cannot be arms, anything may come out: they are passed over.
    with np.errstate(all="ignore"):
        table = pack(p)
    arms = table.reshape(-1, *table.shape[-2:])
    arms[:, :-1, LOWER], arms[:, :-1, UPPER] = p.lower, p.upper
    coupled = arms[:, :-1, CARRIER:STUCK].any(axis=(1, 2)).astype(np.intp)
    limited = np.isfinite(arms[:, :-1, LOWER : UPPER + 1]).any(axis=(1, 2))
    return Packed(arms, _own(p.max_torque).reshape(-1, p.n), coupled, limited)


@PerArm
def _packed_arm(arm: Arm) -> Packed:
    return _packed(arm.parameters)


def _own(values: Array) -> Array:
    """Copy an array: kernels would be compiled again for one that is read-only or in columns."""
    return np.array(values, order="C")


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


def _rows(values: Array, rows: Array) -> Array:
    """Return some rows of values (B, n), or the one of values (n,)."""
    return values[None] if values.ndim == 1 else values[rows]


def _input_memory(n: int, options: SimulationOptions, forms: BucketForms) -> InputMemory:
    torque, force = forms.torque.example, forms.force.example
    disturbances, sensors = forms.disturbances.example, forms.sensors.example
    return build_inputs(n, options, (torque, force), disturbances, (), sensors)


def _set_control(inputs: InputMemory, law: CompiledLaw, acting: Acting) -> None:
    from ulna.control.laws import LAW

    ints = inputs.ints
    ints[at.CONTROLLED], ints[at.LAW_CALL] = at.COMPILED_CONTROLLER, LAW.address(law.law)
    ints[at.SETPOINT] = acting.references.postures is not None
    ints[at.FIRST_REFERENCE] = 0 if len(acting.reference_table) else NEVER


def _per_arm(inputs: InputMemory, forms: BucketForms, members: Array) -> Array:
    """Return what every arm has of its own at the start: one row if it is the same for all."""
    ints = inputs.ints
    pieces = []
    constants = int(ints[at.CONSTANTS])
    for table, form in enumerate((forms.torque, forms.force)):
        values, rows = form.of(members), form.example.rows.size
        place = int(ints[at.TABLES + at.TABLE_FIELDS * table + at.ROWS])
        pieces.append((place, values[:, :rows]))
        if values.shape[1] > rows:
            pieces.append((constants, values[:, rows:]))
            constants += values.shape[1] - rows
    if forms.disturbances.example:
        pieces.append((int(ints[at.SIZES]), forms.disturbances.of(members)))
    if forms.sensors.example is not PERFECT:
        pieces.append((int(ints[at.SENSOR]), forms.sensors.of(members)))
    alike = all(len(values) == 1 for _, values in pieces)
    per_arm = np.empty((1 if alike else len(members), len(inputs.per_arm)))
    per_arm[:] = inputs.per_arm
    for place, values in pieces:
        per_arm[:, place : place + values.shape[1]] = values
    return per_arm
