"""The call that made a batch, kept so that it can be made again, from a file as well.

Arguments are kept as they came, arrays as copies. They become plain values, as JSON has them, when
somebody asks: what is not a number, a text or a list is then a dict whose one key says what it is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ulna.arm import Actuators, Arm, Parameters, Sensors
from ulna.arm.robot_files import dumps
from ulna.arrays import Array
from ulna.control.controller_text import without_model
from ulna.scenario.disturbances import Disturbance
from ulna.scenario.plain_parts import plain_disturbance, plain_part

if TYPE_CHECKING:
    from ulna.simulation.batch.spec import BatchSpec

MOST_NUMBERS = 4_000  # of an argument that is kept, and
MOST_LETTERS = 100_000  # of a call that is written down


class BatchCall(NamedTuple):
    """What `simulate_batch` was called with: the arms, their starts, and what acts on them.

    Attributes
    ----------
    arguments : mapping
        "arms" and the keywords that were passed, as they came or as plain values; options that are
        settings of the batch are not among them.
    members : ndarray, shape (B,), or None
        Which of its arms a batch has; None for all.
    """

    arguments: Mapping[str, Any]
    members: Array | None = None

    def chosen(self, key: Any, count: int) -> BatchCall:
        """Return the call of some arms of a batch.

        Parameters
        ----------
        key : slice or array_like
            Which of them.
        count : int
            How many the batch has.

        Returns
        -------
        BatchCall
            The same call, of which fewer arms are wanted.
        """
        members = np.arange(count) if self.members is None else self.members
        return BatchCall(self.arguments, members[key])

    def arm(self, key: int) -> Any:
        """Return the arm of a member as it was given, or None for one that has parameters alone.

        Parameters
        ----------
        key : int
            Which member.

        Returns
        -------
        Arm, dict or None
            An arm, or the robot file of one as a batch's file holds it.
        """
        arms = self.arguments["arms"]
        if isinstance(arms, list):
            return arms[key if self.members is None else self.members[key]]
        is_file = isinstance(arms, Mapping) and "robot" in arms
        return arms if is_file or isinstance(arms, Arm) else None

    @property
    def plain(self) -> dict[str, Any]:
        """Arguments and members as JSON has them, but for plans and other objects."""
        members = None if self.members is None else self.members.tolist()
        return {
            "arguments": {name: _plain(value) for name, value in self.arguments.items()},
            "members": members,
        }

    @property
    def stored(self) -> dict[str, Any] | None:
        """What a file holds of it; None where that is no plain value, or too long."""
        plain = self.plain
        try:
            return plain if len(json.dumps(plain)) <= MOST_LETTERS else None
        except TypeError:
            return None


def keep_call(spec: BatchSpec, arms: Any, **given: Any) -> BatchCall | None:
    """Return the call of a batch; None where that is more than a script should hold."""
    q, qd = spec.given_start
    try:
        arguments = {"arms": spec.arm or _arms(arms, spec), "q0": _kept(q), "qd0": _kept(qd)}
        arguments |= {name: _kept(value) for name, value in given.items() if value is not None}
    except OverflowError:
        return None
    return BatchCall(arguments)


def read_call(plain: Any) -> BatchCall | None:
    """Read a call as a file has it."""
    if plain is None:
        return None
    members = plain["members"]
    return BatchCall(
        dict(plain["arguments"]), None if members is None else np.array(members, dtype=np.intp)
    )


def _arms(given: Any, spec: BatchSpec) -> Any:
    """Return arms as they are where they have more than parameters do: motors, a control loop."""
    if spec.parameters.length.size > MOST_NUMBERS:
        raise OverflowError
    listed = [] if isinstance(given, Parameters) else list(given)
    if any(isinstance(one, Arm) and (one.has_motors or one.loop) for one in listed):
        return listed
    return spec.parameters  # which are its own


def _kept(value: Any) -> Any:
    """Return a copy of what can be changed; raise OverflowError where it is large."""
    kind = type(value)
    if kind is np.ndarray or kind in (list, tuple):
        if (value.size if kind is np.ndarray else len(value)) > MOST_NUMBERS:
            raise OverflowError
        return value.copy() if kind is np.ndarray else kind(map(_kept, value))
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Parameters):
        return {"parameters": {name: _once(name, one) for name, one in value._asdict().items()}}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, tuple):
        return {"tuple": [_plain(one) for one in value]}
    if isinstance(value, Arm):
        return {"robot": dumps(value)}
    if isinstance(value, Sensors):
        return {"sensors": plain_part(value)}
    if isinstance(value, Actuators):
        return {"actuators": plain_part(value)}
    if isinstance(value, Disturbance):
        return {"disturbance": plain_disturbance(value)}
    if hasattr(value, "compiled"):
        model = getattr(value, "model", None)
        text = repr(without_model(value))
        return {"controller": text, "model": None if model is None else dumps(model)}
    return value


def _once(name: str, values: Array) -> Any:
    """Return a parameter once where all arms have the same; the lengths say how many there are."""
    same = values.ndim > 1 and name != "length" and (values == values[:1]).all()
    return values[0].tolist() if same else values.tolist()
