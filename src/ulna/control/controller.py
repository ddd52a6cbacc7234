"""What a controller is: the protocol, its reference, and its compiled form."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from ulna.arm import Arm
from ulna.arrays import Array
from ulna.errors import InputError, Problem, shown


class Reference:
    """Where the arm should be at an instant.

    Parameters
    ----------
    q : ndarray, shape (n,)
        Joint angles [rad].
    qd : ndarray, shape (n,)
        Joint rates [rad/s].
    qdd : ndarray, shape (n,)
        Joint accelerations [rad/s²].
    tip : ndarray, shape (3,), optional
        The tip: x, y [m] and orientation [rad].
    arm : Arm, optional
        Of whose posture the tip is computed when it is asked for and was not given.
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
    """What turns measurements into torques, at its control rate; the torque is held in between.

    It does not change itself: what changes is the state, which `start` returns and `torque` hands
    on. Any object with these two methods is a controller.
    """

    def start(self, arm: Arm) -> Any:
        """Return the state before the first tick.

        Parameters
        ----------
        arm : Arm
            The arm that is simulated.

        Returns
        -------
        Any
            Whatever the controller has to remember.
        """

    def torque(
        self, t: float, q: Array, qd: Array, reference: Reference, state: Any
    ) -> tuple[Array, Any]:
        """Return the torques until the next tick, and the next state.

        Parameters
        ----------
        t : float
            Time of the tick [s].
        q : ndarray, shape (n,)
            Measured joint angles [rad].
        qd : ndarray, shape (n,)
            Measured joint rates [rad/s].
        reference : Reference
            What the arm is to follow now.
        state : Any
            What `start` or the tick before returned.

        Returns
        -------
        tau : ndarray, shape (n,)
            Torques until the next tick [N·m].
        state : Any
            What is handed to the next tick.
        """


class CompiledLaw(NamedTuple):
    """A controller for the compiled engine.

    Parameters
    ----------
    law : callable
        A kernel `law(t, q, qd, reference, params, state, tau)` that writes tau (n, W) and may
        change state (s, W); q and qd are (n, W), reference (3, n, W) holds angles, rates and
        accelerations, params (p, W) numbers of the controller's own. W arms are served at a time:
        one, or a block of 16, or of 32 where arms are simulated in single precision (see
        `ulna.lanes`).
    params : ndarray, shape (p, 1) or (p, B)
        Parameters of the law, a column for each of many arms.
    state : ndarray, shape (s, 1) or (s, B)
        The state before the first tick.
    scratch_rows : int, optional
        Rows of scratch memory that the law finds behind its own rows of the state.
    """

    law: Callable[..., None]
    params: Array
    state: Array
    scratch_rows: int = 0


def check_controller(controller: Any, what: str = "controller") -> None:
    """Raise InputError for what is no controller; `what` names it in messages."""
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
    """Stack numbers (…, k) of one arm or many below one another: (p, 1), or a column an arm."""
    lead = np.broadcast_shapes(*(np.shape(part)[:-1] for part in parts))
    spread = [np.broadcast_to(part, (*lead, np.shape(part)[-1])) for part in parts]
    rows = np.concatenate(spread, axis=-1)
    return np.ascontiguousarray(rows.reshape(-1, rows.shape[-1]).T)
