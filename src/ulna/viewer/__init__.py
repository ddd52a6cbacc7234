"""SEEING: figures and films. Matplotlib is loaded when something is drawn, not before."""

from ulna.viewer.arm import draw_arm, draw_ghosts, draw_reach, draw_trace, frame
from ulna.viewer.conventions import conventions_figure
from ulna.viewer.figures import pose_figure, reach_figure, run_figure, workspace_figure
from ulna.viewer.film import animate
from ulna.viewer.run import (
    plot_angles,
    plot_energy,
    plot_motion,
    plot_speeds,
    plot_tip,
    plot_torques,
)
from ulna.viewer.style import DARK, PRINT, Look, styled

__all__ = [
    "DARK",
    "PRINT",
    "Look",
    "animate",
    "conventions_figure",
    "draw_arm",
    "draw_ghosts",
    "draw_reach",
    "draw_trace",
    "frame",
    "plot_angles",
    "plot_energy",
    "plot_motion",
    "plot_speeds",
    "plot_tip",
    "plot_torques",
    "pose_figure",
    "reach_figure",
    "run_figure",
    "styled",
    "workspace_figure",
]
