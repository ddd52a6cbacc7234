"""SEEING: figures and films. Matplotlib is loaded when something is drawn, not before."""

from typing import TYPE_CHECKING

from ulna.namespaces import namespace
from ulna.viewer.arm_drawing import draw_arm, draw_ghosts, draw_reach, draw_trace
from ulna.viewer.arm_figures import (
    pose_figure,
    reach_figure,
    region_figure,
    targets_figure,
    tracked_figure,
    workspace_figure,
)
from ulna.viewer.cell_widget import widget
from ulna.viewer.comparison import animate_following
from ulna.viewer.conventions import conventions_figure
from ulna.viewer.figure_style import DARK, PRINT, Theme, fit_axes, styled
from ulna.viewer.film import InlineFilm, animate
from ulna.viewer.loop_figures import bode_figure, plot_gain, plot_phase
from ulna.viewer.motor_figures import plot_currents, plot_supply_power, plot_temperatures
from ulna.viewer.plan_figures import motion_figure, plot_joint_torque, plot_path, torques_figure
from ulna.viewer.player_page import player
from ulna.viewer.playground import play
from ulna.viewer.plotting import plot
from ulna.viewer.portrait_figures import plot_portrait, portrait_figure
from ulna.viewer.report_page import Shown, report, show
from ulna.viewer.robustness_figures import plot_fan, plot_largest_errors, robustness_figure
from ulna.viewer.run_figures import (
    plot_angles,
    plot_energy,
    plot_motion,
    plot_speeds,
    plot_tip,
    plot_torques,
    run_figure,
)
from ulna.viewer.section_figures import plot_projection, plot_section, section_figure
from ulna.viewer.sweep_figures import sweep_figure
from ulna.viewer.tracking_figures import error_figure, plot_deviation, plot_error

__all__ = [
    "DARK",
    "PRINT",
    "InlineFilm",
    "Shown",
    "Theme",
    "animate",
    "animate_following",
    "bode_figure",
    "conventions_figure",
    "draw_arm",
    "draw_ghosts",
    "draw_reach",
    "draw_trace",
    "error_figure",
    "fit_axes",
    "motion_figure",
    "play",
    "player",
    "plot",
    "plot_angles",
    "plot_currents",
    "plot_deviation",
    "plot_energy",
    "plot_error",
    "plot_fan",
    "plot_gain",
    "plot_joint_torque",
    "plot_largest_errors",
    "plot_motion",
    "plot_path",
    "plot_phase",
    "plot_portrait",
    "plot_projection",
    "plot_section",
    "plot_speeds",
    "plot_supply_power",
    "plot_temperatures",
    "plot_tip",
    "plot_torques",
    "portrait_figure",
    "pose_figure",
    "reach_figure",
    "region_figure",
    "report",
    "robustness_figure",
    "run_figure",
    "section_figure",
    "show",
    "styled",
    "sweep_figure",
    "targets_figure",
    "torques_figure",
    "tracked_figure",
    "widget",
    "workspace_figure",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = namespace(__name__)
