"""Motors over time: what torque they have left, their currents, the power they draw, their heat."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.actuation import TorqueRange, torque_range
from ulna.arm import Motor
from ulna.arrays import runs
from ulna.viewer.figure_style import PRINT, Theme, curve, finish, series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ulna.arm import Arm
    from ulna.motion.planning.plan_result import Plan
    from ulna.simulation.run import Run

DASHES = (0, (5, 3))
NEAR = 0.5  # of a limit: torques that come closer are drawn with it
ROOM = 1.08  # of the largest torque or limit, up to which an axis reaches
BEYOND, PASSED = 0.1, 0.35  # opacity of where no torque is left, and of torques that are there
AT_LIMIT = 1e-6  # of a range, by which a torque may miss its end


def run_torque_limits(run: Run) -> TorqueRange:
    """Return least and most torques (S, n) [N·m] of the motors at the speeds of a run."""
    warm = np.full_like(run.qd, 25.0) if run.temperature is None else run.temperature
    ranges = [
        torque_range(joint, run.qd[:, k], warm[:, k]) for k, joint in enumerate(run.arm.joints)
    ]
    lower, upper = (np.stack(part, axis=-1) for part in zip(*ranges, strict=True))
    return TorqueRange(lower, upper)


def comes_near(side: float, tau: np.ndarray, limit: np.ndarray) -> bool:
    """Return whether torques (k,) come near limits (k,) to the upper side (1) or the lower (−1)."""
    return bool(np.any(side * tau >= side * limit - (1.0 - NEAR) * np.abs(limit)))


def draw_torque_limits(
    axes: Axes, t: np.ndarray, tau: np.ndarray, limits: TorqueRange, theme: Theme, name: str
) -> None:
    """Draw limits (k,) where torques (k,) come near, and how far they are beyond."""
    low, high = axes.get_ylim()
    for side, limit in ((1.0, limits.upper), (-1.0, limits.lower)):
        known = np.isfinite(tau) & np.isfinite(limit)
        if not comes_near(side, tau[known], limit[known]):
            continue
        curve(axes, t, limit, name, {"color": theme.warning, "ls": DASHES, "lw": 1.2})
        near = side * limit[known] <= side * tau[known] / NEAR
        most = np.max(side * limit[known][near], initial=np.max(side * tau[known]))
        low, high = (min(low, -ROOM * most), high) if side < 0.0 else (low, max(high, ROOM * most))
        far = np.full_like(limit, side * 1e3 * max(abs(low), abs(high)))
        axes.fill_between(t, limit, far, color=theme.warning, alpha=BEYOND, lw=0.0)
        over = np.where(side * tau > side * limit, tau, limit)
        axes.fill_between(t, limit, over, color=theme.warning, alpha=PASSED, lw=0.0)
    axes.set_ylim(low, high)


def limited_spans(run: Run) -> np.ndarray:
    """Return begin and end (k, 2) [s] of spans of samples with a motor at its limits."""
    lower, upper = run_torque_limits(run)
    with np.errstate(invalid="ignore"):
        close = AT_LIMIT * np.maximum(np.abs(upper), np.abs(lower))
        at_limit = (run.tau >= upper - close) | (run.tau <= lower + close)
    known = np.isfinite(upper)
    found = [(run.t[a], run.t[b]) for a, b in runs(np.any(at_limit & known, axis=-1))]
    return np.array(found, dtype=float).reshape(-1, 2)


def motor_plots(arm: Arm) -> list[Callable[..., Axes]]:
    """Return what there is to plot of the motors of an arm."""
    motors = [joint.motor for joint in arm.joints if isinstance(joint.motor, Motor)]
    if not motors:
        return []
    warm = any(motor.heat is not None for motor in motors)
    return [plot_currents, plot_supply_power, *([plot_temperatures] if warm else [])]


def plot_currents(axes: Axes, motion: Plan | Run, *, theme: Theme = PRINT) -> Axes:
    """Plot the currents of the DC motors [A] over time, with their limits where those are near.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    motion : Plan or Run
        What `ulna.plan` or `ulna.simulate` returned.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    matplotlib.axes.Axes
        The same axes.

    Examples
    --------
    >>> import ulna
    >>> from matplotlib.figure import Figure
    >>> joint = ulna.Joint(motor=ulna.Motor(12.0, 2.0, 0.02, gear_ratio=100.0))
    >>> arm = ulna.Arm.rods([0.3], [0.5], joints=[joint])
    >>> plan = ulna.plan(arm, ulna.paths.joints([[0.0], [1.0]]), timing="cubic", duration=1.0)
    >>> plot_currents(Figure().add_subplot(), plan).get_ylabel()
    'current [A]'
    """
    for joint, motor, style in _windings(motion.arm, theme):
        values = np.asarray(motion.current)[:, joint]
        curve(axes, motion.t, values, f"$i_{{{joint + 1}}}$", style)
        for side in (1.0, -1.0):
            if np.nanmax(side * values, initial=0.0) >= NEAR * motor.max_current:
                axes.axhline(side * motor.max_current, **{**style, "ls": DASHES, "lw": 0.9})
    return finish(axes, theme, ylabel="current [A]")


def plot_supply_power(axes: Axes, motion: Plan | Run, *, theme: Theme = PRINT) -> Axes:
    """Plot the power [W] that all DC motors draw from the supply over time.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    motion : Plan or Run
        What `ulna.plan` or `ulna.simulate` returned.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    matplotlib.axes.Axes
        The same axes.

    Examples
    --------
    >>> import ulna
    >>> from matplotlib.figure import Figure
    >>> joint = ulna.Joint(motor=ulna.Motor(12.0, 2.0, 0.02, gear_ratio=100.0))
    >>> arm = ulna.Arm.rods([0.3], [0.5], joints=[joint])
    >>> plan = ulna.plan(arm, ulna.paths.joints([[0.0], [1.0]]), timing="cubic", duration=1.0)
    >>> plot_supply_power(Figure().add_subplot(), plan).get_ylabel()
    'supply [W]'
    """
    power = np.asarray(motion.supply_power, dtype=float)
    curve(axes, motion.t, power, "drawn", {"color": theme.foreground, "lw": 1.4})
    back: dict[str, Any] = {"color": theme.data[3], "alpha": 0.35, "lw": 0.0, "label": "returned"}
    if np.nanmin(power, initial=0.0) < 0.0:
        axes.fill_between(motion.t, np.minimum(power, 0.0), 0.0, **back)
    return finish(axes, theme, ylabel="supply [W]")


def plot_temperatures(axes: Axes, motion: Plan | Run, *, theme: Theme = PRINT) -> Axes:
    """Plot the temperatures of the windings [°C] over time, with their limits where those are near.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    motion : Plan or Run
        What `ulna.plan` or `ulna.simulate` returned.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    matplotlib.axes.Axes
        The same axes.

    Examples
    --------
    >>> import ulna
    >>> from matplotlib.figure import Figure
    >>> motor = ulna.Motor(12.0, 2.0, 0.02, gear_ratio=100.0, heat=ulna.WindingHeat(8.0, 3.0))
    >>> arm = ulna.Arm.rods([0.3], [0.5], joints=[ulna.Joint(motor=motor)])
    >>> plan = ulna.plan(arm, ulna.paths.joints([[0.0], [1.0]]), timing="cubic", duration=1.0)
    >>> plot_temperatures(Figure().add_subplot(), plan).get_ylabel()
    'winding [°C]'
    """
    for joint, motor, style in _windings(motion.arm, theme):
        heat, values = motor.heat, np.asarray(motion.temperature, dtype=float)[:, joint]
        if heat is None:
            continue
        curve(axes, motion.t, values, rf"$\Theta_{{{joint + 1}}}$", style)
        rise = np.nanmax(values, initial=heat.ambient) - heat.ambient
        if rise >= NEAR * (heat.max_temperature - heat.ambient):
            limit: dict[str, Any] = {"color": theme.warning, "ls": DASHES, "lw": 1.2}
            axes.axhline(heat.max_temperature, label="limit", **limit)
    return finish(axes, theme, ylabel="winding [°C]")


def _windings(arm: Arm, theme: Theme) -> list[tuple[int, Motor, dict[str, Any]]]:
    """Return the joints with DC motors, from 0, and how curves of them are drawn."""
    styles = series(arm.n, theme)
    return [
        (k, joint.motor, styles[k])
        for k, joint in enumerate(arm.joints)
        if isinstance(joint.motor, Motor)
    ]
