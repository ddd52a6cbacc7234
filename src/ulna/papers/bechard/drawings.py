"""Figures of paper 001's joints in a row: four joints, energies, a growing torque, the skater."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.dynamics import sequential
from ulna.papers.bechard import runs, swings
from ulna.papers.bechard.parameters import (
    FOUR,
    FOUR_B,
    FOUR_TORQUES,
    link_angles,
    link_rates,
)
from ulna.simulation import Run
from ulna.viewer.pages import PageLayout, page_of_panels
from ulna.viewer.run import curve, finish, joint_curves, plot_motion
from ulna.viewer.style import PATTERNS, PRINT, Theme, series, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MODELS: dict[runs.Model, str] = {"sequential": "sequential model", "full": "true dynamics"}
PAGE = (9.0, 9.2)  # [inches]
HEIGHTS = (1.7, 1.0, 1.0)  # of the motion, the angles and the energies, to one another


def four_joints() -> Figure:
    """Draw the four joints in both models: the end of the motion, angles and energies."""
    from matplotlib.figure import Figure

    with styled(PRINT) as theme:
        figure = Figure(figsize=PAGE, dpi=150, layout="constrained")
        panels: Any = figure.subplots(3, 2, height_ratios=HEIGHTS)
        for column, (model, name) in zip(panels.T, MODELS.items(), strict=True):
            run = runs.four(model)
            plot_motion(column[0], run, theme=theme).set_title(f"{name}, the end of 20 s")
            joint_curves(
                column[1], run.t, link_angles(run), r"\theta", theme, ylabel="link angle [rad]"
            )
            _energy_and_work(column[2], run, model, theme)
            column[1].set_xlabel("")
    return figure


def _energy_and_work(axes: Axes, run: Run, model: runs.Model, theme: Theme) -> None:
    energy = swings.total_energy(run)
    first, second = series(2, theme)
    curve(axes, run.t, 1e-3 * (energy - energy[0]), "energy gained", first)
    work = 1e-3 * work_done(run, model)
    curve(axes, run.t, work, "work of motors less friction", {**second, "ls": PATTERNS[2]})
    finish(axes, theme, ylabel="energy [kJ]")


def work_done(run: Run, model: runs.Model) -> np.ndarray:
    """Return the work (S,) [J] of the motors less friction, as the equations of the model have it.

    In the paper's model a torque τ_a and a friction B_a I_a θ̇_a turn link a itself. In the true
    arm friction is a part of the torques at the joints.
    """
    if model == "full":
        return np.asarray(run.injected) - np.asarray(run.dissipated)
    angle, rate = link_angles(run), link_rates(run)
    lost = np.sum(np.array(FOUR_B) * sequential.frozen(FOUR, angle).inertia * rate**2, axis=-1)
    between = 0.5 * (lost[1:] + lost[:-1]) * np.diff(run.t)
    return np.asarray((angle - angle[0]) @ FOUR_TORQUES - np.concatenate([[0.0], between.cumsum()]))


def one_at_a_time() -> Figure:
    """Draw the first link of the four joints, with coupling and friction changed in turn."""
    shown: dict[str, tuple[runs.Model, runs.Friction]] = {
        "the paper: sequential, B per second": ("sequential", "per second"),
        "coupling alone: true, B per second": ("full", "per second"),
        "friction alone: sequential, b = B": ("sequential", "by its number"),
        "both: true, b = B": ("full", "by its number"),
    }
    with styled(PRINT) as theme:
        figure, (axes,) = page_of_panels(
            PageLayout((3.6,), 9.0), "Four joints: what the coupling does, and what the friction"
        )
        for (name, which), style in zip(shown.items(), series(4, theme), strict=True):
            run = runs.four(*which)
            curve(axes, run.t, link_angles(run)[:, 0], name, style)
        finish(axes, theme, ylabel="first link [rad]")
    return figure


def energy() -> Figure:
    """Draw the energy of the skater's arm let go, in both models."""
    with styled(PRINT) as theme:
        figure, (axes,) = page_of_panels(
            PageLayout((3.4,), 9.0), "Let go level: energy gained, without torque and friction"
        )
        for (model, name), style in zip(MODELS.items(), series(2, theme), strict=True):
            run = runs.let_go(model)
            total = swings.total_energy(run)
            curve(axes, run.t, (total - total[0]) / swings.weight_times_reach(), name, style)
        finish(axes, theme, ylabel="energy gained [m g·reach]")
    return figure


def growing_torque() -> Figure:
    """Draw the torque that grows with time, and what the links do."""
    run = runs.four_pushed("100*t")
    with styled(PRINT) as theme:
        figure, (above, below) = page_of_panels(
            PageLayout((1.3, 2.8), 9.0), "A torque of 100 t N·m on the first of four joints"
        )
        curve(above, run.t, run.tau[:, 0], r"$\tau_1$", series(1, theme)[0])
        finish(above, theme, ylabel="torque [N·m]").set_xlabel("")
        joint_curves(below, run.t, link_angles(run), r"\theta", theme, ylabel="link angle [rad]")
    return figure


def skater() -> Figure:
    """Draw inertia and speed of the skater's first joint over time, in both models."""
    with styled(PRINT) as theme:
        figure, panels = page_of_panels(
            PageLayout((2.0, 2.4), 9.0, columns=2),
            "The skater from rest, 45 N·m and friction B·I at each joint (shaded: link 2 inwards)",
        )
        rows: tuple[tuple[str, Callable[[Run], np.ndarray]], ...] = (
            ("inertia about joint 1 [kg·m²]", swings.first_inertia),
            ("speed of joint 1 [rad/s]", lambda run: link_rates(run)[:, 0]),
        )
        for row, (name, values) in enumerate(rows):
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
