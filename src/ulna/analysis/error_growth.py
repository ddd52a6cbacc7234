"""Why open loop falls apart: how fast a small error grows along a motion, and what feedback does.

Torques that are right for a motion keep an arm on it only if it is on it. An error δx of the
state x = (q, q̇) travels as δx(t) = Φ(t) δx(0), whatever made it: a start that is not quite
right, the tolerance of an integrator, the rounding of its last digit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ulna.analysis.error_maps import closed_maps, open_maps
from ulna.analysis.propagation import Scaled, log_norms, log_singular_values, running_products
from ulna.arm import Arm
from ulna.arrays import Array, freeze, plain, positive
from ulna.concurrency import interruptible
from ulna.control import Controller
from ulna.errors import InputError, Problem, shown
from ulna.kinematics import jacobian
from ulna.motion import Plan
from ulna.namespaces import suggest_keywords
from ulna.progress import card
from ulna.simulation.build import check_kinds

FIRST = 10.0  # [s] that a sentence speaks of apart from the whole
ROUNDING = 1e-16  # of a number near one, half its last digit


@dataclass(frozen=True, eq=False, repr=False)
class Stability:
    """How errors of an arm grow along a plan: open loop, or under a controller.

    Attributes
    ----------
    plan : Plan
        The motion.
    controller : Controller or None
        What closes the loop; None for open loop.
    rate : float or None
        The control rate [Hz].
    t : ndarray, shape (k,)
        Times [s].
    transition : Scaled
        Transition matrices Φ(t), (k, 2n, 2n), kept so that nothing overflows.
    growth : ndarray, shape (k,)
        ln ‖Φ(t)‖.
    tip_growth : ndarray, shape (k,)
        Logarithm of how far [m] the tip is off, at most, for an error of size one.
    exponents : ndarray, shape (2n,)
        ln σ_i(Φ(T)) / T, the largest first [1/s]; the first is `growth_rate()`.

    Notes
    -----
    Norms are those of the raw state, in rad and rad/s. Under a controller the errors are those
    of the arm's state, at ticks: its memory, which begins without an error, hands them on.
    """

    plan: Plan
    controller: Controller | None
    rate: float | None
    t: Array
    transition: Scaled
    growth: Array
    tip_growth: Array
    exponents: Array

    @property
    def phi(self) -> Array:
        """The matrices Φ(t) (k, 2n, 2n) as numbers; inf where they are too large for that."""
        with np.errstate(over="ignore", invalid="ignore"):
            half = np.exp(0.5 * self.transition.log)[:, None, None]
            return self.transition.mantissa * half * half

    def growth_at(self, t: float) -> float:
        """Return ln ‖Φ(t)‖ at a time.

        Parameters
        ----------
        t : float
            Time [s].

        Returns
        -------
        float
            Logarithm of how much the error that grows most has grown.
        """
        return float(np.interp(t, self.t, self.growth))

    def growth_rate(self, start: float = 0.0, end: float | None = None) -> float:
        """Return the mean rate at which the largest error grows between two times.

        Parameters
        ----------
        start : float, optional
            From when on [s].
        end : float, optional
            Until when [s]; the end of the plan unless given.

        Returns
        -------
        float
            The rate [1/s]; negative where errors fall.

        Raises
        ------
        InputError
            If they are not times of the plan, one after the other.
        """
        last = float(self.t[-1]) if end is None else end
        if not 0.0 <= start < last <= float(self.t[-1]) * (1.0 + 1e-9):
            need = f"times from 0 to {self.t[-1]:g} s, one after the other"
            raise InputError(Problem("start, end", f"{shown(start)}, {shown(end)}", need))
        return (self.growth_at(last) - self.growth_at(start)) / (last - start)

    def predicted_exit(self, radius: float, error: float = ROUNDING) -> float | None:
        """Return when an error at the start takes the tip out of a tube around the path.

        Parameters
        ----------
        radius : float
            Of the tube [m].
        error : float, optional
            Size of the error at the start [rad, rad/s], in the direction that grows most; that of
            rounding unless given.

        Returns
        -------
        float or None
            The time [s]; None if it never does.

        Raises
        ------
        InputError
            If a value is not a finite number above 0.
        """
        need = math.log(positive("radius", radius)) - math.log(positive("error", error, ""))
        beyond = np.flatnonzero(self.tip_growth >= need)
        if not len(beyond):
            return None
        k = int(beyond[0])
        if k == 0:
            return float(self.t[0])
        low, high = self.tip_growth[k - 1 : k + 1]
        part = (need - low) / (high - low) if np.isfinite(low) else 1.0
        return float(self.t[k - 1] + part * (self.t[k] - self.t[k - 1]))

    @property
    def sentence(self) -> str:
        """What it comes to, in words."""
        return self._closed_sentence() if self.controller is not None else self._open_sentence()

    def _open_sentence(self) -> str:
        last = float(self.t[-1])
        spans = [f"{self._fold(end)} in {end:g} s, at {self.growth_rate(0.0, end):.2g} per second"
                 for end in ([FIRST] if last > 1.5 * FIRST else []) + [last]]  # fmt: skip
        leaves = self.predicted_exit(0.01)
        off = (
            f"One as small as rounding, {ROUNDING:g} at the start, alone would leave the tip less "
            "than 1 cm off to the end; larger ones need not"
            if leaves is None
            else f"Even one as small as rounding, {ROUNDING:g} at the start, takes the tip 1 cm "
            f"off after {leaves:.2f} s, whatever the integrator's tolerance; larger ones do sooner"
        )
        rate = self.growth_rate()
        if rate < 0.0:
            return f"Open loop errors fall at {-rate:.2g} per second. {off}."
        return f"Open loop an error grows {'; '.join(spans)}. {off}."

    def _closed_sentence(self) -> str:
        last, rate = float(self.t[-1]), self.growth_rate()
        head = f"Closed loop at {self.rate:g} Hz"
        if not rate < 0.0:
            return f"{head} errors grow {self._fold(last)} in {last:g} s, at {rate:.2g} per second."
        worst = float(np.exp(np.max(self.growth)))
        return (
            f"{head} errors fall by half every {math.log(2.0) / -rate:.2g} s, at {-rate:.3g} per "
            f"second; on the way they are {worst:.3g} times their first size at most."
        )

    def _fold(self, t: float) -> str:
        return f"10^{self.growth_at(t) / math.log(10.0):.1f}-fold"

    def facts(self) -> dict[str, Any]:
        """Return what was found as plain values that JSON takes.

        Returns
        -------
        dict
            By names, in SI units; None for what is not finite.
        """
        return plain(
            {
                "loop": "open" if self.controller is None else "closed",
                "rate_hz": self.rate,
                "duration": self.t[-1],
                "exponents": self.exponents,
                "growth": self.growth[-1],
                "growth_rate": self.growth_rate(),
                "largest_growth": np.max(self.growth),
                "exit_1cm": self.predicted_exit(0.01),
                "exit_10cm": self.predicted_exit(0.1),
                "sentence": self.sentence,
            }
        )

    def _lines(self) -> list[str]:
        rates = ", ".join(f"{value:.3g}" for value in self.exponents)
        return [self.sentence, f"exponents over {self.t[-1]:g} s: {rates} per second"]

    def __repr__(self) -> str:
        return "\n".join([f"Stability along {self.plan.path}", *(f"  {x}" for x in self._lines())])

    def _repr_html_(self) -> str:
        return card(f"Stability along {self.plan.path}", self._lines())


@interruptible
@suggest_keywords(frequency="rate")
def stability(
    plan: Plan,
    controller: Controller | None = None,
    *,
    rate: float = 1000.0,
    arm: Arm | None = None,
) -> Stability:
    """Compute how small errors grow along a plan: open loop, or under a controller.

    Parameters
    ----------
    plan : Plan
        The motion.
    controller : Controller, optional
        What closes the loop, any object with `start` and `torque`; open loop without one.
    rate : float, optional
        The control rate [Hz].
    arm : Arm, optional
        The arm that moves, if it is another than the plan's, with a payload say. Open loop it
        gets the torques that it needs.

    Returns
    -------
    Stability
        How errors grow, and what that comes to in words.

    Raises
    ------
    InputError
        If an argument is not one of its kind, or the arm has another number of joints.
    InfeasibleError
        For a plan without a motion.

    Notes
    -----
    The controller is looked at on the motion that is asked for: one that strays from it is judged
    as though it did not. What it remembers takes part if it consists of floats, arrays of them and
    tuples of these; anything else stays as it is. Stops and limits of the joints are left out.

    Examples
    --------
    >>> import ulna
    >>> told = stability(ulna.plan(ulna.preset("kehl"), ulna.paths.loops()))
    >>> told.exponents.round(1).tolist(), round(told.predicted_exit(0.01), 1)
    ([3.4, 1.0, -1.0, -3.3], 5.7)
    """
    if not isinstance(plan, Plan):
        raise InputError(Problem("plan", shown(plan), "a Plan, made with ulna.plan"))
    plan.raise_if_infeasible()
    moved = plan.arm if arm is None else arm
    check_kinds(moved, controller, None, ())
    if moved.n != plan.arm.n:
        raise InputError(Problem("arm", f"{moved.n} joints", f"{plan.arm.n}, as the plan has"))
    if controller is None:
        times, maps = open_maps(plan, moved)
        frequency = None
    else:
        frequency = positive("rate", rate, "Hz")
        times, maps = closed_maps(plan, moved, controller, frequency)
    return _told(plan, moved, controller, frequency, times, maps)


def _told(
    plan: Plan, arm: Arm, controller: Any, rate: float | None, times: Array, maps: Array
) -> Stability:
    whole, states = running_products(maps), 2 * arm.n
    phi = Scaled(whole.mantissa[:, :states, :states], whole.log)
    places = jacobian(arm, plan.trajectory.rows(times)[0])[:, :2]
    tips = log_norms(Scaled(places @ phi.mantissa[:, : arm.n], phi.log))
    growth = log_norms(phi)
    logs = log_singular_values(maps, states)
    logs[0] = growth[-1]  # the same number, which a product keeps best where digits are lost
    exponents = np.sort(logs)[::-1] / (times[-1] - times[0])
    freeze(times, growth, tips, exponents, *phi)
    return Stability(plan, controller, rate, times, phi, growth, tips, exponents)
