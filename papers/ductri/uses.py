"""The four uses that paper 003 names for its equations, each run on its arm and drawn."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

import ulna
from papers.ductri import examples, rows
from papers.ductri.printed import Floats
from papers.figures import PATTERNS, page_of_panels
from papers.rows_file import Values
from ulna.control import PID, Adaptive, ComputedTorque, Controller, FeedforwardPID
from ulna.dynamics import parameter_names, parameter_vector
from ulna.kinematics import tip
from ulna.simulation import Run
from ulna.viewer import PRINT, Theme, plot_angles, plot_energy, plot_motion, styled

WIDTH = 0.8  # [rad] of the swing that is to be followed
PACE = np.array([2.0, 2.8])  # [rad/s]
FREQUENCY = 10.0  # [rad/s] of all controllers
ASIDE = np.array([0.2, -0.1])  # [rad] beside the swing, where computed torque starts
FOLLOWED = 4.0  # [s]
LOAD = 0.5  # [kg] that the adaptive controller is not told of
LEARNT, LOOKS = 12.0, 0.05  # [s] how long it learns, and how often it is looked at
SHARE = 2.0  # [s] at the beginning and at the end, over which its errors are compared
FREE, SEEN = 5.0, 251  # [s] of the free swing, and how often it is looked at
LOOKED_AT = (100, 200, 400)  # [ms] at which gaps are compared with the law
MILLI = 1e3
WIDE = 8.0  # [inches]


def swing(t: float) -> tuple[Floats, Floats, Floats]:
    """Return where the joints should be, how fast, and how they should speed up."""
    angle = PACE * t
    return WIDTH * np.sin(angle), WIDTH * PACE * np.cos(angle), -WIDTH * PACE**2 * np.sin(angle)


@cache
def followed(law: str) -> Run:
    """Follow the swing, by computed torque from beside it."""
    controllers: dict[str, Controller] = {
        "computed torque": ComputedTorque(FREQUENCY),
        "feed-forward": FeedforwardPID(natural_frequency=FREQUENCY),
        "PID": PID(natural_frequency=FREQUENCY),
    }
    q, qd, _ = swing(0.0)
    return ulna.simulate(
        examples.arm(),
        q0=q + ASIDE if law == "computed torque" else q,
        qd0=qd,
        duration=FOLLOWED,
        controller=controllers[law],
        reference=swing,
    )


@rows.values("computed-torque")
def computed_torque() -> Values:
    run = followed("computed torque")
    t, gaps = np.asarray(run.t), gap(run)
    seen = {ms: gaps[int(np.argmin(np.abs(t - 1e-3 * ms)))] for ms in LOOKED_AT}
    return {
        "steady": MILLI * _rms(tip_error(run)[t > 0.5 * FOLLOWED]),
        "gap": [{ms: gap[i] for ms, gap in seen.items()} for i in range(2)],
    }


@rows.picture("003-computed-torque.svg")
def computed_torque_figure(*, theme: Theme = PRINT) -> Figure:
    """Draw the joints on their way back to the swing, and their gaps beside the law."""
    run = followed("computed torque")
    t = np.asarray(run.t)
    off = gap(run)
    # The law is that of time without ticks: e (1 + ω t) exp(−ω t).
    decay = (1.0 + FREQUENCY * t) * np.exp(-FREQUENCY * t)
    with styled(theme):
        figure, (angles, gaps) = page_of_panels(
            "computed torque, from beside the swing", (1.9, 1.9), wide=WIDE
        )
        for i in range(2):
            color, name = theme.data[i], rf"\chi_{i + 1}"
            angles.plot(t, np.asarray(run.q)[:, i], color=color, lw=1.8, label=f"${name}$")
            angles.plot(t, run.q[:, i] + off[:, i], color=color, lw=1.2, ls=PATTERNS[3])
            gaps.plot(t, np.abs(off[:, i]), color=color, lw=1.8, label=f"gap of ${name}$")
            law = np.abs(ASIDE[i]) * decay
            gaps.plot(t, law, color=color, lw=1.2, ls=PATTERNS[3])
        angles.plot([], [], color=theme.muted, ls=PATTERNS[3], label="wanted")
        gaps.plot([], [], color=theme.muted, ls=PATTERNS[3], label="law")
        angles.set_ylabel("angle [rad]")
        gaps.set(yscale="log", ylim=(1e-5, 1.0), ylabel="gap [rad]", xlabel="t [s]")
        for axes in (angles, gaps):
            axes.legend(loc="upper right", ncols=3)
        angles.set_ylim(-1.0, 1.6)
    return figure


class Learning(NamedTuple):
    """How an adaptive controller came to know a load."""

    t: Floats  # (S,) [s]
    error: Floats  # (S,) [m] of the tip
    load: Floats  # (S,) [kg] the mass at the tip that it believes in
    true: float  # [kg]
    early: float  # [m] RMS of the error at the beginning
    late: float  # [m] and at the end


@rows.values("adaptive")
def adaptive() -> Values:
    found = learning()
    return {
        "load": LOAD,
        "believed": found.load[-1],
        "true": found.true,
        "times": found.early / found.late,
        "share": SHARE,
        "early": MILLI * found.early,
        "late": MILLI * found.late,
    }


@cache
def learning() -> Learning:
    """Follow the swing with a load that nobody speaks of."""
    believed = examples.arm()
    loaded = believed.with_payload(LOAD)
    controller = Adaptive(FREQUENCY, adaptation=1.0, model=believed)
    q, qd, _ = swing(0.0)
    asked = ulna.Scenario(arm=loaded, q0=q, qd0=qd, controller=controller, reference=swing)
    arm = ulna.Simulation(asked)
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


@rows.picture("003-adaptive.svg")
def adaptive_figure(*, theme: Theme = PRINT) -> Figure:
    """Draw how the error shrinks while the load becomes known."""
    found = learning()
    with styled(theme):
        figure, (error, load) = page_of_panels(
            "adaptive control with a load that it is not told of", (1.9, 1.9), wide=WIDE
        )
        error.semilogy(found.t, 1e3 * found.error, color=theme.data[0], lw=1.6)
        error.set_ylabel("tip error [mm]")
        load.plot(found.t, found.load, color=theme.data[1], lw=2.0, label="believed")
        load.axhline(found.true, color=theme.muted, lw=1.2, ls=PATTERNS[2], label="true")
        load.set(ylabel=r"$m_E$ [kg]", xlabel="t [s]")
        load.legend(loc="lower right")
    return figure


@rows.values("feed-forward")
def feed_forward() -> Values:
    runs = {"with_model": followed("feed-forward"), "without": followed("PID")}
    return {name: MILLI * _rms(tip_error(run)) for name, run in runs.items()}


@rows.picture("003-feed-forward.svg")
def feed_forward_figure(*, theme: Theme = PRINT) -> Figure:
    """Draw the tip's error with the model's torques and without them."""
    with styled(theme):
        figure, (axes,) = page_of_panels(
            "PID with and without the torques of the model", (2.9,), wide=WIDE
        )
        cases = ("PID alone", followed("PID")), ("with feed-forward", followed("feed-forward"))
        for (label, run), color in zip(cases, theme.data, strict=False):
            error = np.maximum(1e3 * tip_error(run), 1e-4)
            axes.semilogy(np.asarray(run.t), error, color=color, lw=1.8, label=label)
        axes.set(xlabel="t [s]", ylabel="tip error [mm]", ylim=(1e-4, 1e4))
        axes.legend(loc="upper right", ncols=2)
    return figure


@rows.values("simulation")
def simulation() -> Values:
    run = free_swing()
    energy = np.asarray(run.energy.kinetic) + np.asarray(run.energy.potential)
    q1, q2 = run.q[-1]
    return {"free": FREE, "q1": q1, "q2": q2, "drift": np.abs(energy - energy[0]).max()}


@cache
def free_swing() -> Run:
    """Release the arm, level and stretched out."""
    return ulna.simulate(
        examples.arm(), q0=[0.0, 0.0], duration=FREE, rtol=1e-12, atol=1e-13, samples=SEEN
    )


@rows.picture("003-simulation.png")
def simulation_figure(*, theme: Theme = PRINT) -> Figure:
    """Draw the way of the free swing, and its angles and energies over time."""
    run = free_swing()
    with styled(theme):
        figure = Figure(figsize=(1.15 * WIDE, 0.6 * WIDE), dpi=150)
        figure.set_layout_engine("constrained", w_pad=0.08, h_pad=0.08)
        halves: Any = figure.subfigures(1, 2, width_ratios=(1.05, 1.0))
        motion, curves = halves
        plot_motion(motion.add_subplot(), run, theme=theme)
        above, below = curves.subplots(2, 1, sharex=True)
        plot_angles(above, run, theme=theme).label_outer()
        plot_energy(below, run, theme=theme)
        curves.align_ylabels()
    return figure


def gap(run: Run) -> Floats:
    """Return how far (S, 2) [rad] the joints are from the swing."""
    return np.stack([swing(float(t))[0] for t in run.t]) - np.asarray(run.q)


def tip_error(run: Run) -> Floats:
    """Return how far (S,) [m] the tip is from where the swing would have it."""
    wanted = tip(examples.arm(), np.stack([swing(float(t))[0] for t in run.t]))[:, :2]
    return np.asarray(np.hypot(*(wanted - np.asarray(run.tip)[:, :2]).T))


def _rms(values: Floats) -> float:
    return float(np.sqrt(np.mean(values**2)))
