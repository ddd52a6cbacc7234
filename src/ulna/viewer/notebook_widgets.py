"""The widgets of `ulna.widget`: what Python and the page of a notebook share.

Traits of an arm: `q`, which either side sets; `tip` follows it, and setting it solves for `q`. Of a
run the page sets `_time` and Python `_seek`, so that two views of one run do not pull each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, cast

import anywidget
import numpy as np
import traitlets

from ulna.arm import Arm
from ulna.arrays import Floats, float_array, number
from ulna.errors import InfeasibleError, InputError, Problem, UlnaError, shown, units_hint
from ulna.kinematics import inverse
from ulna.kinematics import tip as tip_of
from ulna.simulation import Run
from ulna.simulation.run import read_only
from ulna.units import length_text
from ulna.viewer.figure_style import arm_title
from ulna.viewer.html_page import TO_BUILD, built_files, json_text
from ulna.viewer.player_page import player_document
from ulna.viewer.playground_scenes import usual_pose
from ulna.viewer.report_tables import arm_header

Callback = Callable[[Any], object]


class Vector(traitlets.TraitType[Any, Any]):
    """A trait of finite numbers: a read-only array, that observers hear of when it changes."""

    def __init__(self, unit: str) -> None:
        super().__init__(default_value=read_only(np.zeros(0)))
        self.unit = unit
        self.tag(sync=True, to_json=lambda value, _: value.tolist())

    def validate(self, obj: Any, value: Any) -> Floats:
        """Return the numbers as an array of the length that the widget has for them."""
        count = obj.counts[self.name]
        array = np.array(float_array(value, str(self.name)), dtype=np.float64)
        if array.shape != (count,) or not np.isfinite(array).all():
            need = f"{count} finite number{'s' if count != 1 else ''} [{self.unit}]"
            hint = units_hint(value, self.unit)
            raise InputError(Problem(str(self.name), shown(value), need, hint))
        return read_only(array)

    def set(self, obj: Any, value: Any) -> None:
        """Set the trait, and tell observers if a number of it differs."""
        name = str(self.name)
        new: Any = self._validate(obj, value)
        old = obj._trait_values.get(name)
        obj._trait_values[name] = new
        if old is None or not np.array_equal(old, new):
            obj._notify_trait(name, old, new)


class RunTime(traitlets.TraitType[Any, Any]):
    """A trait that is a time of the widget's run [s]."""

    def validate(self, obj: Any, value: Any) -> float:
        """Return the time as a number within the run."""
        start, end = obj.span
        need = f"a time from {start:g} to {end:g} s"
        time = number(str(self.name), value, need, "s")
        if not start <= time <= end:
            raise InputError(Problem(str(self.name), f"{time:g}", need))
        return time


class CellWidget(anywidget.AnyWidget):
    """What widgets of arms and of runs share."""

    height = traitlets.Int(420).tag(sync=True)
    _kind = traitlets.Unicode().tag(sync=True)
    _document = traitlets.Unicode().tag(sync=True)
    _data = traitlets.Unicode().tag(sync=True)

    def __init__(self, **traits: Any) -> None:
        built = built_files("widget")
        if built is None:
            raise UlnaError(TO_BUILD.replace("nothing moves on this page", "there is no widget"))
        self._esm, self._css = built
        self._callbacks: list[Callback] = []
        super().__init__(**traits)

    def on_change(self, callback: Callback, remove: bool = False) -> None:
        """Call a function with the widget whenever what it shows has moved.

        Parameters
        ----------
        callback : callable
            Called with the widget; what it returns is not used.
        remove : bool, optional
            Whether to stop calling it instead.
        """
        if not callable(callback):
            need = "a function of the widget, such as lambda w: print(w.tip)"
            raise InputError(Problem("callback", shown(callback), need))
        if not remove:
            self._callbacks.append(callback)
        elif callback in self._callbacks:
            self._callbacks.remove(callback)

    def __repr__(self) -> str:
        x, y = self.tip
        name = f"{type(self).__name__} of {arm_title(self.arm)}"
        return f"{name}, tip at ({x:.4g}, {y:.4g}) m; shown in a notebook only"

    def _tell(self) -> None:
        for callback in tuple(self._callbacks):
            callback(self)


class ArmWidget(CellWidget):
    """An arm that is dragged in a notebook's cell; `ulna.widget` makes it.

    Attributes
    ----------
    q : ndarray, shape (n,)
        Joint angles [rad]; set them and the drawn arm moves.
    tip : ndarray, shape (2,)
        Place of the tip [m]; set it and the arm reaches for it, by the posture nearest to the
        present one. Out of reach it raises InfeasibleError, and nothing moves.
    arm : Arm
        The arm.
    height : int
        How high it is shown [pixels].
    """

    q = Vector("rad")
    tip = Vector("m").tag(sync=False)

    def __init__(self, arm: Arm, q0: Any, height: int) -> None:
        self.arm = arm
        self.counts = {"q": arm.n, "tip": 2}
        pose = usual_pose(arm) if q0 is None else q0
        super().__init__(height=height, _kind="arm", _document=json_text(arm_header(arm)), q=pose)

    @traitlets.validate("q")
    def _checked(self, proposal: Any) -> Floats:
        q = cast(Floats, proposal["value"])
        for k, (angle, joint) in enumerate(zip(q, self.arm.joints, strict=True), 1):
            # The page holds joints at their limits, and numbers that travel keep all digits.
            if not joint.lower <= angle <= joint.upper:
                need = f"an angle from {joint.lower:.6g} to {joint.upper:.6g} rad, its limits"
                raise InputError(Problem(f"q of joint {k}", f"{angle:.6g}", need))
        return q

    @traitlets.observe("q")
    def _moved(self, change: Any) -> None:
        self.tip = self._tip()
        self._tell()

    @traitlets.validate("tip")
    def _reached(self, proposal: Any) -> Floats:
        if not np.array_equal(proposal["value"], self._tip()):
            self.q = posture_near(self.arm, proposal["value"], self.q)
        return self._tip()

    def _tip(self) -> Floats:
        return read_only(np.array(tip_of(self.arm, self.q)[:2]))


class RunWidget(CellWidget):
    """A run that is played in a notebook's cell; `ulna.widget` makes it.

    Attributes
    ----------
    time : float
        The time that is shown [s]. While the run plays it follows, ten times a second; set it, and
        the player pauses there.
    playing : bool
        Whether the run plays; set it to start and to pause.
    q : ndarray, shape (n,)
        Joint angles at that time [rad], between samples on the line through them.
    tip : ndarray, shape (2,)
        Place of the tip then [m].
    run : Run
        The run.
    arm : Arm
        Its arm.
    height : int
        How high it is shown [pixels].
    """

    time = RunTime()
    playing = traitlets.Bool(False).tag(sync=True)
    _time = traitlets.Float(0.0).tag(sync=True)
    _seek = traitlets.List([0, 0.0]).tag(sync=True)

    def __init__(self, run: Run, height: int) -> None:
        self.run, self.arm = run, run.arm
        made = player_document({"run": run}, None, f"{run.t[-1] - run.t[0]:.4g} s simulated")
        self._followed = math.nan
        self.span = float(run.t[0]), float(run.t[-1])
        texts = {"_kind": "run", "_document": made.json, "_data": made.base64}
        super().__init__(height=height, _time=self.span[0], time=self.span[0], **texts)

    @property
    def q(self) -> Floats:
        """Joint angles at `time` [rad]."""
        return read_only(np.array([np.interp(self.time, self.run.t, one) for one in self.run.q.T]))

    @property
    def tip(self) -> Floats:
        """Place of the tip at `time` [m]."""
        return read_only(np.array(tip_of(self.run.arm, self.q)[:2]))

    @traitlets.observe("_time")
    def _played(self, change: Any) -> None:
        start, end = self.span
        self._followed = min(end, max(start, change["new"]))
        self.time = self._followed

    @traitlets.observe("time")
    def _moved(self, change: Any) -> None:
        if change["new"] != self._followed:
            # A view that is opened later begins with _time; those that are open hear of _seek.
            self._followed = self._time = change["new"]
            self._seek = [self._seek[0] + 1, change["new"]]
            self.playing = False
        self._tell()


def posture_near(arm: Arm, target: Floats, q: Floats) -> Floats:
    """Return the posture with the tip at a target that is nearest to `q`; raise if there is none.

    Parameters
    ----------
    arm : Arm
        The arm.
    target : ndarray, shape (2,)
        Where the tip is to be [m].
    q : ndarray, shape (n,)
        Joint angles [rad].

    Returns
    -------
    ndarray, shape (n,)
        Joint angles within the limits [rad].

    Raises
    ------
    InfeasibleError
        If the target is out of reach, or the joint limits forbid every posture.
    """
    found = inverse(arm, target, posture=q)
    where = f"({target[0]:.4g}, {target[1]:.4g}) m"
    if not found.reachable:
        x, y = found.nearest
        raise InfeasibleError(
            f"tip: {where} is out of reach by {length_text(float(found.shortfall))}; "
            f"the nearest point is ({x:.4g}, {y:.4g}) m"
        )
    if not found.within_limits.any():
        raise InfeasibleError(f"tip: the joint limits forbid every posture with it at {where}")
    posture, low, high = found.best(q), arm.parameters.lower, arm.parameters.upper
    # By whole turns as close to the present posture as the limits allow.
    near = posture + 2.0 * np.pi * np.round((q - posture) / (2.0 * np.pi))
    # Rounding may leave an angle beside a limit.
    return np.clip(np.where((near >= low) & (near <= high), near, posture), low, high)
