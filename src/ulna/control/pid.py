"""PID: a spring, a damper, and a torque that grows for as long as there is a gap.

    τ = K e + D ė_f + I ∫ e dt,     ė_f' = ω_f (ė − ė_f),     e = q_ref − q
    K = diag(kp),  D = diag(kd),  I = diag(ki),  ω_f = filter

At rest ė = 0 and the integral stands still, so that e = 0 whatever the steady load: the integral
has become it. With inertia M it is stable for I < K D / M; I = K ω / 5 leaves spring and damper
much as they are, and `control.gains` chooses less where gravity takes most of K away. The filter
ω_f keeps noise of the rates out of the torques, and should lie well above ω. While a joint's torque
is at its limit and the gap would drive it further, its integral stands still: what it gathered
there would have to be undone by an overshoot. It fails where the load changes faster than the
integral, as gravity does in fast motion.

Stiction makes it hunt: the integral of a small gap grows until the joint breaks away, friction
falls, and the joint slides past its set-point to stick on the other side, for ever. While |e| is at
most `dead_band` the integral stands still, so that what sticks within the band rests there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ulna.arm import Arm, Parameters, parameters_of
from ulna.arrays import Array
from ulna.control.controller import (
    DEFAULT_TIMING,
    CompiledLaw,
    ControlTiming,
    Reference,
    columns,
    joint_gains,
    one_number,
)
from ulna.control.gains import (
    INTEGRAL_SHARE,
    IntegralGains,
    JointGains,
    choose_ki,
    joint_gains_of,
)
from ulna.control.laws import REF_Q, REF_QD, law
from ulna.control.loop_stability import Feedback, diagonal
from ulna.kernels import inner
from ulna.lanes import logical_and, logical_or, numbers, select

MEMORIES = 2  # of every joint: the gap's integral, and its filtered rate
SCRATCH = 1  # rows behind them and the last tick's time


class PIDGains(NamedTuple):
    """The numbers that do not change from tick to tick."""

    kp: Array  # (n,) [N·m/rad]
    kd: Array  # (n,) [N·m·s/rad]
    ki: Array  # (n,) [N·m/(rad·s)]
    limit: Array  # (n,) [N·m]
    dead_band: Array  # (n,) [rad]
    filter: float  # [rad/s]

    @property
    def flat(self) -> Array:
        """All below one another, as laws read them."""
        return columns(*self[:-1], np.array([self.filter]))


class PIDState(NamedTuple):
    """The gains, what has gathered up, and when."""

    gains: PIDGains
    memory: Array  # (2, n): the gap's integral [rad·s], its filtered rate [rad/s]
    t: float  # [s] of the last tick


@law
def _pid(
    t: float,
    q: Array,
    qd: Array,
    reference: Array,
    state: Array,
    tau: Array,
    kp: Array,
    kd: Array,
    ki: Array,
    limit: Array,
    dead_band: Array,
    params: Array,
) -> None:
    for i in range(len(q)):
        tau[i] = 0.0
    add_pid(t, q, qd, reference, state, tau, kp, kd, ki, limit, dead_band, params)


@inner
def add_pid(
    t: float,
    q: Array,
    qd: Array,
    reference: Array,
    state: Array,
    tau: Array,
    kp: Array,
    kd: Array,
    ki: Array,
    limit: Array,
    dead_band: Array,
    corner: Array,
) -> None:
    """Add the torques of a spring, a damper and an integral at every joint.

    Rows of state are integrals and filtered rates of all joints, then the last tick's time; and
    behind them, as scratch, how far the filter moves in a tick.
    """
    n = len(q)
    last = MEMORIES * n
    step = t - state[last]
    # Before the first tick lies all of time: the filter has settled, and nothing was integrated.
    _blend(corner, state, last, t)
    blend = state[last + 1]
    step = select(step < math.inf, step, 0.0)
    for i in range(n):
        error, error_rate = reference[REF_Q, i] - q[i], reference[REF_QD, i] - qd[i]
        state[n + i] += blend * (error_rate - state[n + i])
        tau[i] += kp[i] * error + kd[i] * state[n + i]
        before = tau[i] + ki[i] * state[i]
        # Beyond its limit the torque may only shrink.
        grows = logical_or(abs(before) < limit[i], before * error <= 0.0)
        grows = logical_and(grows, abs(error) > dead_band[i])
        state[i] += select(grows, error * step, 0.0)
        tau[i] += ki[i] * state[i]
    state[last] = t


@inner
def _blend(corner: Array, state: Array, last: int, t: float) -> None:
    """Write how far the filter moves until now."""
    corners, kept = numbers(corner), numbers(state)
    for w in range(kept.shape[1]):
        kept[last + 1, w] = 1.0 - math.exp(-corners[0, w] * (t - kept[last, w]))


@dataclass(frozen=True, repr=False)
class PID(IntegralGains):
    """PD control with an integral, and a low-pass filter on the rates.

    Parameters
    ----------
    kp : float or sequence of float, optional
        Proportional gain, the stiffness of a spring [N·m/rad]: one for all joints, or one a joint.
    kd : float or sequence of float, optional
        Derivative gain, a damper [N·m·s/rad]: one for all joints, or one a joint.
    ki : float or sequence of float, optional
        Integral gain [N·m/(rad·s)]: one for all joints, or one a joint.
    natural_frequency : float, optional
        From which gains follow that are not given [rad/s]: at it the stretched-out arm closes a
        gap without overshoot. Without it they are chosen for the arm, its weight, the control
        rate and the delay.
    filter : float, optional
        Corner frequency of a low-pass filter on the rates [rad/s]; inf for none.
    dead_band : float or sequence of float, optional
        Errors up to which the integral stands still [rad]: one for all joints, or one a joint. It
        ends the hunting of a joint that sticks.

    Examples
    --------
    >>> import ulna
    >>> arm = ulna.preset("kehl")
    >>> run = ulna.simulate(arm, q0=[0, 0], duration=4.0, controller=PID(), reference=[1, 1])
    >>> run.q[-1].round(4).tolist()
    [1.0, 1.0]
    """

    def start(self, arm: Arm | Parameters, timing: ControlTiming = DEFAULT_TIMING) -> PIDState:
        """Return the gains, with nothing integrated yet.

        Parameters
        ----------
        arm : Arm or Parameters
            The arm that is simulated, or a batch of them.
        timing : ControlTiming, optional
            Control rate, and delay of what is measured.

        Returns
        -------
        PIDState
            Gains, integrals and filtered rates.

        Raises
        ------
        InputError
            If a gain is negative, not finite, or not one number or one a joint.
        """
        return empty_state(pid_gains(self, arm, arm, timing))

    def gains(self, arm: Arm | Parameters, timing: ControlTiming = DEFAULT_TIMING) -> JointGains:
        """Return the gains for a control rate and a delay, and their bounds.

        Parameters
        ----------
        arm : Arm or Parameters
            The arm that is simulated, or a batch of them.
        timing : ControlTiming, optional
            Control rate, and delay of what is measured.

        Returns
        -------
        JointGains
            Gains kp and kd of every joint, and between what bounds kp has to be.

        Raises
        ------
        InputError
            If a gain is negative, not finite, or not one number or one a joint.
        """
        return joint_gains_of(self, arm, timing)

    def feedback(self, arm: Arm, q: Array, timing: ControlTiming = DEFAULT_TIMING) -> Feedback:
        """Return how the torques answer small deviations from rest at set-points.

        Parameters
        ----------
        arm : Arm
            The arm that is simulated.
        q : ndarray, shape (..., n)
            Set-points [rad].
        timing : ControlTiming, optional
            Control rate, and delay of what is measured.

        Returns
        -------
        Feedback
            Matrices of the linear feedback, (..., n, n) each.
        """
        return pid_feedback(pid_gains(self, arm, arm, timing))

    def torque(
        self, t: float, q: Array, qd: Array, reference: Reference, state: PIDState
    ) -> tuple[Array, PIDState]:
        """Return the torques for a deviation from the reference, and for its integral.

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
        state : PIDState
            What it remembers.

        Returns
        -------
        tau : ndarray, shape (n,)
            Torques until the next tick [N·m].
        state : PIDState
            What it remembers next.
        """
        return pid_torque(t, reference.q - q, reference.qd - qd, np.zeros(len(q)), state)

    def compiled(
        self, arm: Arm | Parameters, timing: ControlTiming = DEFAULT_TIMING
    ) -> CompiledLaw:
        """Return the same law for the compiled engine, of one arm or many.

        Parameters
        ----------
        arm : Arm or Parameters
            The arm that is simulated, or a batch of them.
        timing : ControlTiming, optional
            Control rate, and delay of what is measured.

        Returns
        -------
        CompiledLaw
            A kernel with its parameters and its state before the first tick.
        """
        gains = pid_gains(self, arm, arm, timing)
        return CompiledLaw(_pid.kernel, gains.flat, empty_rows(arm.n), SCRATCH)


def pid_gains(
    controller: IntegralGains, model: Arm | Parameters, arm: Arm | Parameters, timing: ControlTiming
) -> PIDGains:
    """Return all gains, by the model's inertia where they are not given, and the arm's limits."""
    name = type(controller).__name__
    springs = joint_gains_of(controller, model, timing)
    if controller.ki is not None:
        ki = joint_gains(f"{name}.ki", controller.ki, arm.n)
    elif controller.natural_frequency is not None:
        ki = springs.kp * controller.natural_frequency * INTEGRAL_SHARE
    else:
        ki = choose_ki(model, timing, springs)
    corner = one_number(f"{name}.filter", controller.filter, "rad/s", infinite=True)
    limit = np.array(parameters_of(arm).max_torque)
    dead_band = joint_gains(f"{name}.dead_band", controller.dead_band, arm.n)
    return PIDGains(springs.kp, springs.kd, ki, limit, dead_band, corner)


def pid_feedback(gains: PIDGains) -> Feedback:
    """Return how the torques answer small deviations from rest."""
    kp, kd, ki = map(diagonal, gains[:3])
    return Feedback(kp, kd, ki, gains.filter)


def empty_state(gains: PIDGains) -> PIDState:
    """Return the state before the first tick: before it lies all of time, without a gap."""
    return PIDState(gains, np.zeros((MEMORIES, *gains.kp.shape)), -math.inf)


def empty_rows(n: int) -> Array:
    """Return the same as the compiled laws keep it, (2n + 1, 1)."""
    rows = np.zeros((MEMORIES * n + 1, 1))
    rows[-1] = -math.inf
    return rows


def pid_torque(
    t: float, error: Array, error_rate: Array, other: Array, state: PIDState
) -> tuple[Array, PIDState]:
    """Return the torques on top of others, and the next state, for a gap and its rate."""
    gains, (gap, rate), last = state
    step = t - last
    rate = rate + (1.0 - math.exp(-gains.filter * step)) * (error_rate - rate)
    tau = other + gains.kp * error + gains.kd * rate
    before = tau + gains.ki * gap
    free = (np.abs(before) < gains.limit) | (before * error <= 0.0)
    free &= np.abs(error) > gains.dead_band
    gap = gap + np.where(free, error, 0.0) * (0.0 if math.isinf(step) else step)
    return tau + gains.ki * gap, PIDState(gains, np.stack([gap, rate]), t)
