"""The four uses that paper 003 names for its equations, each run once on its arm."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

import ulna
from ulna.control import PID, Adaptive, ComputedTorque, FeedforwardPID
from ulna.dynamics import parameter_names, parameter_vector
from ulna.kinematics import tip
from ulna.papers.ductri import samples
from ulna.papers.ductri.printed import Floats
from ulna.simulation import Run

WIDTH = 0.8  # [rad] of the swing that is to be followed
PACE = np.array([2.0, 2.8])  # [rad/s]
FREQUENCY = 10.0  # [rad/s] of all controllers
ASIDE = np.array([0.2, -0.1])  # [rad] beside the swing, where computed torque starts
FOLLOWED = 4.0  # [s]
LOAD = 0.5  # [kg] that the adaptive controller is not told of
LEARNT, LOOKS = 12.0, 0.05  # [s] how long it learns, and how often it is looked at
SHARE = 2.0  # [s] at the beginning and at the end, over which its errors are compared
FREE, SEEN = 5.0, 251  # [s] of the free swing, and how often it is looked at


class Learning(NamedTuple):
    """How an adaptive controller came to know a load."""

    t: Floats  # (S,) [s]
    error: Floats  # (S,) [m] of the tip
    load: Floats  # (S,) [kg] the mass at the tip that it believes in
    true: float  # [kg]
    early: float  # [m] RMS of the error at the beginning
    late: float  # [m] and at the end


def swing(t: float) -> tuple[Floats, Floats, Floats]:
    """Return where the joints should be, how fast, and how they should speed up."""
    angle = PACE * t
    return WIDTH * np.sin(angle), WIDTH * PACE * np.cos(angle), -WIDTH * PACE**2 * np.sin(angle)


@cache
def computed_torque() -> Run:
    """Follow the swing from beside it, by computed torque."""
    q, qd, _ = swing(0.0)
    return ulna.simulate(
        samples.arm(),
        q0=q + ASIDE,
        qd0=qd,
        duration=FOLLOWED,
        controller=ComputedTorque(FREQUENCY),
        reference=swing,
    )


@cache
def feed_forward() -> Run:
    """Follow the swing by its torques, and PID for what is left."""
    return _followed(FeedforwardPID(natural_frequency=FREQUENCY))


@cache
def feedback_alone() -> Run:
    """Follow the swing by the same PID without the model."""
    return _followed(PID(natural_frequency=FREQUENCY))


@cache
def adaptive() -> Learning:
    """Follow the swing with a load that nobody speaks of."""
    believed = samples.arm()
    loaded = believed.with_payload(LOAD)
    controller = Adaptive(FREQUENCY, adaptation=1.0, model=believed)
    q, qd, _ = swing(0.0)
    arm = ulna.Simulation(loaded, q0=q, qd0=qd, controller=controller, reference=swing)
    moment = parameter_names(believed).index("first_moment.2")
    times: Floats = LOOKS * np.arange(1.0, round(LEARNT / LOOKS) + 1.0)
    errors, masses = np.empty((2, len(times)))
    for k, t in enumerate(times):
        arm.advance_to(float(t))
        errors[k] = np.hypot(*(tip(loaded, arm.q) - tip(loaded, swing(t)[0]))[:2])
        masses[k] = controller.estimate(arm.controller_state)[moment] / loaded.links[1].length
    true = float(parameter_vector(loaded)[moment]) / loaded.links[1].length
    early, late = times <= SHARE, times > LEARNT - SHARE
    return Learning(times, errors, masses, true, _rms(errors[early]), _rms(errors[late]))


@cache
def free_swing() -> Run:
    """Release the arm, level and stretched out."""
    return ulna.simulate(
        samples.arm(), q0=[0.0, 0.0], duration=FREE, rtol=1e-12, atol=1e-13, samples=SEEN
    )


def gap(run: Run) -> Floats:
    """Return how far (S, 2) [rad] the joints are from the swing."""
    return np.stack([swing(float(t))[0] for t in run.t]) - np.asarray(run.q)


def tip_error(run: Run) -> Floats:
    """Return how far (S,) [m] the tip is from where the swing would have it."""
    wanted = tip(samples.arm(), np.stack([swing(float(t))[0] for t in run.t]))[:, :2]
    return np.asarray(np.hypot(*(wanted - np.asarray(run.tip)[:, :2]).T))


def rms_tip_error(run: Run) -> float:
    """Return the same over the whole run."""
    return _rms(tip_error(run))


def _followed(controller: PID | FeedforwardPID) -> Run:
    q, qd, _ = swing(0.0)
    return ulna.simulate(
        samples.arm(),
        q0=q,
        qd0=qd,
        duration=FOLLOWED,
        controller=controller,
        reference=swing,
    )


def _rms(values: Floats) -> float:
    return float(np.sqrt(np.mean(values**2)))
