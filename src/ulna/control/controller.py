"""What a controller is: the protocol, what it is told to follow, and its compiled form."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from ulna.arm import Arm
from ulna.arrays import Array
from ulna.errors import InputError, Problem, shown


class Reference:
    """Where the arm should be at an instant: angles, rates, accelerations (n,), tip (3,).

    Of the arm of a simulation the tip, x, y [m] and orientation [rad], is computed when it is
    asked for.
    """

    __slots__ = ("_arm", "_tip", "q", "qd", "qdd")

    def __init__(
        self, q: Array, qd: Array, qdd: Array, tip: Array = None, *, arm: Arm | None = None
    ) -> None:
        self.q, self.qd, self.qdd, self._tip, self._arm = q, qd, qdd, tip, arm

    @property
    def tip(self) -> Array:
        """The tip (3,): x, y [m] and orientation [rad]."""
        if self._tip is None and self._arm is not None:
            from ulna.kinematics import tip

            self._tip = tip(self._arm, self.q)
        return self._tip

    def _replace(self, **parts: Array) -> Reference:
        """Return another with some of its parts replaced, as of a named tuple."""
        kept = {"q": self.q, "qd": self.qd, "qdd": self.qdd, "tip": self.tip}
        return Reference(**{**kept, **parts})

    def __iter__(self) -> Iterator[Array]:
        return iter((self.q, self.qd, self.qdd, self.tip))

    def __len__(self) -> int:
        return 4

    def __getitem__(self, place: int) -> Array:
        return (self.q, self.qd, self.qdd, self.tip)[place]

    def __repr__(self) -> str:
        return f"Reference(q={self.q!r}, qd={self.qd!r}, qdd={self.qdd!r}, tip={self.tip!r})"


@runtime_checkable
class Controller(Protocol):
    """Turns what is measured into torques, at its own rate; the torque is held in between.

    Frozen: what changes is the state, which `start` gives and `torque` hands on.
    """

    def start(self, arm: Arm) -> Any:
        """Return the state before the first tick."""

    def torque(
        self, t: float, q: Array, qd: Array, reference: Reference, state: Any
    ) -> tuple[Array, Any]:
        """Return the torques (n,) [N·m] from now to the next tick, and the next state."""


class CompiledLaw(NamedTuple):
    """A controller for the compiled engine.

    `law(t, q, qd, reference, params, state, tau)` is a kernel that writes tau (n, W) and may
    change state (s, W); q and qd are (n, W), reference (3, n, W) holds angles, rates and
    accelerations, params (p, W) numbers of the controller's own. W arms are served at a time: one,
    or a block of 16, or of 32 where arms are simulated in single precision (see `ulna.lanes`).
    Behind its own rows the law finds `room` more in state, to work in.
    """

    law: Callable[..., None]
    params: Array  # (p, 1), or a column for each of many arms
    state: Array  # (s, 1) before the first tick, or as many columns
    room: int = 0  # rows of working memory


def check_controller(controller: Any, what: str = "controller") -> None:
    """Refuse what is no controller; `what` names it in messages."""
    need = "an object with start(arm) and torque(t, q, qd, reference, state)"
    if isinstance(controller, type):
        name = controller.__name__
        hint = f"make one, with parentheses: {name}()"
        raise InputError(Problem(what, f"the class {name}", need, hint))
    if isinstance(controller, str):
        hint = "make one of text with ulna.control.read_controller"
        raise InputError(Problem(what, shown(controller), need, hint))
    # Not by isinstance, which takes longer for a protocol than many a run.
    if not all(callable(getattr(controller, name, None)) for name in ("start", "torque")):
        raise InputError(Problem(what, shown(controller), need))


def columns(*parts: Array) -> Array:
    """Lay numbers (…, k) of one arm or many below one another: (p, 1), or a column an arm."""
    lead = np.broadcast_shapes(*(np.shape(part)[:-1] for part in parts))
    spread = [np.broadcast_to(part, (*lead, np.shape(part)[-1])) for part in parts]
    rows = np.concatenate(spread, axis=-1)
    return np.ascontiguousarray(rows.reshape(-1, rows.shape[-1]).T)
