"""How the sequential model swings, beside the true arm: energies, frequencies, a skater's turns.

The arm is the skater's; where its energy is looked at, without friction.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from papers.bechard import printed, rows, runs
from papers.bechard.arms import (
    DOWN,
    SKATER,
    link_angles,
    link_rates,
    lying_flat,
    without_friction,
)
from papers.bechard.printed import G
from papers.bechard.runs import MODELS, Model, angular_momentum, total_energy
from papers.figures import curve, finish, legend_above, page_of_panels, series
from papers.rows_file import Values
from ulna.angles import absolute_to_relative, relative_to_absolute
from ulna.dynamics import (
    absolute,
    coriolis_matrix,
    equilibria,
    forward_dynamics,
    mass_matrix,
    sequential,
)
from ulna.simulation import Run
from ulna.viewer import PRINT, Theme, styled

STATES = 100_000
FASTEST = 3.0  # [rad/s] of the links
STEP = 1e-5  # [rad] of the differences
FLAT = lying_flat(SKATER)
STRAIGHT, BENT = np.zeros(2), np.array([0.0, 0.5 * np.pi])
AT_REST, TURNING = np.zeros(2), np.array([3.0, 3.0])  # [rad/s]
MOTOR = 45.0  # [N·m]


@rows.values("energy")
def energy_and_small_swings() -> Values:
    wrong = median_error()
    return {
        "level": energy_error("sequential"),
        "raised": energy_error("sequential", np.pi / 3),
        "true": energy_error("full") * weight_times_reach(),
        "true_frequency": true_frequencies(),
        "frequency": sequential_frequencies(),
        "states": STATES,
        "fastest": FASTEST,
        "median": wrong,
        "percent": 100.0 * wrong,
    }


def weight_times_reach() -> float:
    """Return the unit [J] that energies are measured in: m g times the reach."""
    return float(SKATER.mass * G * SKATER.reach)


def energy_error(model: Model, angle: float = 0.0) -> float:
    """Return the largest change of the energy of an arm let go, in m g times the reach."""
    energy = total_energy(runs.let_go(model, angle))
    return float(np.abs(energy - energy[0]).max() / weight_times_reach())


def true_frequencies() -> np.ndarray:
    """Return the frequencies [rad/s] of small swings about hanging down."""
    hanging = equilibria(without_friction(SKATER), np.zeros(2))[0]
    return np.sort(np.imag(hanging.eigenvalues))[-2:]


def sequential_frequencies() -> np.ndarray:
    """Return those of the model, by differences of its accelerations."""
    none, step = np.zeros(2), STEP * np.eye(2)
    ahead, behind = (
        sequential.forward_dynamics(SKATER, DOWN + way, none, none, sequential_damping=none)
        for way in (step, -step)
    )
    stiffness = -(ahead - behind).T / (2.0 * STEP)
    return np.asarray(np.sqrt(np.sort(np.linalg.eigvals(stiffness))))


@cache
def median_error() -> float:
    """Return the median over random states of how wrong the model's accelerations are."""
    random = np.random.default_rng(3)
    theta = random.uniform(-np.pi, np.pi, (STATES, 2))
    rate = random.uniform(-FASTEST, FASTEST, (STATES, 2))
    none = np.zeros(2)
    model = sequential.forward_dynamics(SKATER, theta, rate, none, sequential_damping=none)
    true = absolute.forward_dynamics(without_friction(SKATER), theta, rate, none)
    return float(np.median(_size(model - true) / _size(true)))


def _size(vectors: np.ndarray) -> np.ndarray:
    return np.asarray(np.linalg.norm(vectors, axis=-1))


@rows.picture("001-energy.svg")
def energy_figure(theme: Theme = PRINT) -> Figure:
    """Draw the energy of the skater's arm let go, in both models."""
    with styled(theme):
        title = "Let go level: energy gained, without torque and friction"
        figure, (axes,) = page_of_panels(title, (3.4,))
        for (model, name), style in zip(MODELS.items(), series(2, theme), strict=True):
            run = runs.let_go(model)
            total = total_energy(run)
            curve(axes, run.t, (total - total[0]) / weight_times_reach(), name, style)
        finish(axes, theme, ylabel="energy gained [m g·reach]")
    return figure


@rows.values("skater")
def inertia_demo() -> Values:
    found = {
        "sequential": runs.skater("sequential"),
        "true": runs.skater("full"),
        "rubbed": runs.skater("sequential", "by its number"),
        "both": runs.skater("full", "by its number"),
        "preset": runs.skater("full", "of the preset"),
    }
    angles = {name: link_angles(run)[-1] for name, run in found.items()}
    model, true = gain_of_speed(found["sequential"]), gain_of_speed(found["true"])
    inertia = first_inertia(found["sequential"])
    return {
        "angle": angles["sequential"],
        **{f"{name}_angle": angle for name, angle in angles.items()},
        **runs.changes({name: float(angle[0]) for name, angle in angles.items()}),
        **model,
        "true": true,
        "losing": {"model": -model["outwards"], "true": -true["outwards"]},
        "least": inertia.min(),
        "most": inertia.max(),
        "momentum": momentum("sequential"),
        "true_momentum": momentum("full"),
        "tucked": tucked("full"),
        "model_tucked": tucked("sequential"),
    }


def tucked(model: Model) -> dict[str, float]:
    """Return speeds of the first link [rad/s] before and after a tuck, and what that changes."""
    run = runs.tucking(model)
    speed, inertia, kept = link_rates(run)[:, 0], first_inertia(run), angular_momentum(run)
    return {
        "out": float(speed[0]),
        "in": float(speed[-1]),
        "gain": float(speed[-1] / speed[0]),
        "inertias": float(inertia[0] / inertia[-1]),
        "lost": float(np.abs(kept / kept[0] - 1.0).max()),
    }


def gain_of_speed(run: Run) -> dict[str, float]:
    """Return how the first joint's speed grows [rad/s²] while the outer link points in, and out."""
    times = np.array([run.t[0], *(event.t for event in run.events), run.t[-1]])
    speeds = np.array([run.qd[0, 0], *(event.qd[0] for event in run.events), run.qd[-1, 0]])
    gained, lasting = np.diff(speeds), np.diff(times)
    # The links start in one line: out at first, then in and out by turns.
    ways = {"inwards": slice(1, None, 2), "outwards": slice(0, None, 2)}
    return {name: float(gained[k].sum() / lasting[k].sum()) for name, k in ways.items()}


def first_inertia(run: Run) -> np.ndarray:
    """Return the inertia (S,) [kg·m²] of all that lies beyond the first joint, about that joint."""
    return np.asarray(sequential.frozen(SKATER, link_angles(run)).inertia)[:, 0]


def momentum(model: Model) -> dict[str, float]:
    """Return the angular momentum [kg·m²/s] of links that fold, at first and in the end."""
    values = angular_momentum(runs.folding(model))
    return {"straight": float(values[0]), "folded": float(values[-1])}


@rows.picture("001-skater.svg")
def skater_figure(theme: Theme = PRINT) -> Figure:
    """Draw inertia and speed of the skater's first joint over time, in both models."""
    with styled(theme):
        title = "The skater from rest, 45 N·m and friction B·I per joint (shaded: link 2 inwards)"
        figure, panels = page_of_panels(title, (2.0, 2.4), columns=2)
        shown: tuple[tuple[str, Callable[[Run], np.ndarray]], ...] = (
            ("inertia about joint 1 [kg·m²]", first_inertia),
            ("speed of joint 1 [rad/s]", lambda run: link_rates(run)[:, 0]),
        )
        for row, (name, values) in enumerate(shown):
            for axes, (model, label), style in zip(
                panels[2 * row :], MODELS.items(), series(2, theme), strict=False
            ):
                run = runs.skater(model)
                curve(axes, run.t, values(run), "", style)
                _shade_inwards(axes, run, theme)
                _frame(axes, name if model == "sequential" else "", "" if row else label, row == 1)
        for first, second in (panels[:2], panels[2:]):
            second.sharey(first)
            first.autoscale(axis="y")
    return figure


@rows.picture("001-skater-tuck.svg")
def tuck_figure(theme: Theme = PRINT) -> Figure:
    """Draw speed and angular momentum of a skater who spins freely and tucks, in both models."""
    with styled(theme):
        title = "A skater spins freely and tucks (shaded), no torque at joint 1"
        figure, panels = page_of_panels(title, (2.0, 2.0))
        shown: tuple[tuple[str, Callable[[Run], np.ndarray]], ...] = (
            ("speed [rad/s]", lambda run: link_rates(run)[:, 0]),
            ("momentum [kg·m²/s]", angular_momentum),
        )
        for axes, (name, values) in zip(panels, shown, strict=True):
            for (model, label), style in zip(MODELS.items(), series(2, theme), strict=True):
                run = runs.tucking(model)
                curve(axes, run.t, values(run), label if axes is panels[0] else "", style)
            axes.axvspan(*runs.TUCK, color=theme.reach, lw=0.0, zorder=0.0)
            axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
            _frame(axes, name, "", axes is panels[1])
        legend_above(panels[0], theme)
    return figure


def _shade_inwards(axes: Axes, run: Run, theme: Theme) -> None:
    """Shade the times at which the outer link points inwards."""
    angle = link_angles(run)
    inwards = np.cos(angle[:, 1] - angle[:, 0]) < 0.0
    axes.fill_between(
        run.t, 0.0, 1.0, where=inwards.tolist(), transform=axes.get_xaxis_transform(),
        color=theme.reach, lw=0.0, zorder=0.0,
    )  # fmt: skip


def _frame(axes: Axes, name: str, title: str, last: bool) -> None:
    axes.set(ylabel=name, xlabel="time [s]" if last else "", title=title)
    axes.margins(x=0.0)


@rows.values("erratum-8")
def what_joints_do_to_one_another() -> Values:
    cases = {
        "coupling": model_and_truth(STRAIGHT, AT_REST, (MOTOR, 0.0)),
        "centrifugal": model_and_truth(BENT, TURNING, (0.0, 0.0)),
        "reaction": model_and_truth(BENT, AT_REST, (0.0, MOTOR)),
    }
    q, qd = absolute_to_relative(BENT), absolute_to_relative(TURNING)
    return {
        **cases,
        "motor": MOTOR,
        "back": -cases["reaction"]["true"][0],
        "whirl": (coriolis_matrix(SKATER, q, qd) @ qd)[1],
        "model": sequential_frequencies(),
        "true": true_frequencies(),
    }


def model_and_truth(
    theta: np.ndarray, rate: np.ndarray, tau: tuple[float, float]
) -> dict[str, np.ndarray]:
    """Return the accelerations of the skater's links, without weight and friction, by both."""
    torque = np.array(tau)
    model = sequential.forward_dynamics(FLAT, theta, rate, torque, sequential_damping=AT_REST)
    q, qd = absolute_to_relative(theta), absolute_to_relative(rate)
    true = relative_to_absolute(forward_dynamics(FLAT, q, qd, torque))
    return {"model": np.asarray(model), "true": np.asarray(true)}


@rows.values("erratum-9")
def weight_about_a_joint() -> Values:
    left = np.array([np.pi, np.pi])
    lengths, masses = zip(*((link.length, link.mass) for link in SKATER.links), strict=True)
    right = sequential.frozen(SKATER, left).weight[0]
    as_printed = printed.weight_of_two(lengths, masses, left)
    return {"weight": right, "as_printed": as_printed, "difference": as_printed - right}


@rows.values("erratum-10")
def spinning_faster() -> Values:
    spread, folded = mass_matrix(SKATER, np.array([[0.0, 0.0], [0.0, np.pi]]))[:, 0, 0]
    rates = link_rates(runs.folding("sequential"))
    return {
        "change": np.abs(rates - rates[0]).max(),
        **momentum("sequential"),
        "times": spread / folded,
    }
