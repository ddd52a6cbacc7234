"""SEEING: figures and films. Matplotlib is loaded when something is drawn, not before."""

from typing import TYPE_CHECKING

from ulna.namespaces import namespace
from ulna.viewer.arm_drawing import draw_arm, draw_ghosts, draw_reach, draw_trace
from ulna.viewer.arm_figures import (
    plot,
    pose_figure,
    reach_figure,
    region_figure,
    targets_figure,
    tracked_figure,
    workspace_figure,
)
from ulna.viewer.comparison import animate_following
from ulna.viewer.film import InlineFilm, animate
from ulna.viewer.pages import DARK, PRINT, Theme, fit_axes, styled
from ulna.viewer.plan_figures import motion_figure, plot_joint_torque, plot_path, torques_figure
from ulna.viewer.portrait_figures import plot_portrait, portrait_figure
from ulna.viewer.run_figures import (
    plot_angles,
    plot_energy,
    plot_motion,
    plot_speeds,
    plot_tip,
    plot_torques,
    run_figure,
)
from ulna.viewer.schematic import conventions_figure
from ulna.viewer.section_figures import plot_projection, plot_section, section_figure
from ulna.viewer.tracking_figures import error_figure, plot_deviation, plot_error

__all__ = [
    "DARK",
    "PRINT",
    "InlineFilm",
    "Theme",
    "animate",
    "animate_following",
    "conventions_figure",
    "draw_arm",
    "draw_ghosts",
    "draw_reach",
    "draw_trace",
    "error_figure",
    "fit_axes",
    "motion_figure",
    "plot",
    "plot_angles",
    "plot_deviation",
    "plot_energy",
    "plot_error",
    "plot_joint_torque",
    "plot_motion",
    "plot_path",
    "plot_portrait",
    "plot_projection",
    "plot_section",
    "plot_speeds",
    "plot_tip",
    "plot_torques",
    "portrait_figure",
    "pose_figure",
    "reach_figure",
    "region_figure",
    "run_figure",
    "section_figure",
    "styled",
    "targets_figure",
    "torques_figure",
    "tracked_figure",
    "workspace_figure",
]

if not TYPE_CHECKING:
    _guesses = {
        "figures show themselves in a notebook; elsewhere write figure.savefig('figure.png')": (
            "show display imshow save savefig save_figure"
        ),
        "viewer.animate(run) plays in a notebook, viewer.animate(run, 'run.mp4') writes a film": (
            "animation play movie render save_video animate_run"
        ),
        "viewer.plot(arm, q=q) draws an arm in a posture, viewer.draw_arm(axes, arm, q) in axes": (
            "plot_arm plot_pose plot_robot show_arm"
        ),
        "viewer.error_figure(plan, {'run': run}) and viewer.plot_error(axes, plan, {'run': run}) "
        "draw tracking errors": "plot_tracking plot_tracking_error plot_errors",
        "viewer.plot(plan) draws a plan, viewer.plot_path(axes, plan) into axes": (
            "plot_plan plot_trajectory"
        ),
        "viewer.plot(thing) draws an arm, an answer, a plan, a run or a portrait": (
            "plot_run plot_workspace plot_solutions draw"
        ),
        "viewer.draw_reach(axes, arm) shades the workspace, viewer.plot(arm) draws it by itself": (
            "draw_workspace workspace"
        ),
        "viewer.plot_speeds(axes, run) plots joint speeds, viewer.plot_tip(axes, run) the tip": (
            "plot_velocities plot_velocity plot_rates plot_position plot_tip_position"
        ),
        "viewer.plot_deviation(axes, plan, run) plots along-track and cross-track errors": (
            "plot_cross_track plot_along_track plot_cross_track_error"
        ),
        "viewer.fit_axes(axes, arm) shows the whole reach to scale": "frame set_limits axis_equal",
        "viewer.Theme holds the colours, viewer.PRINT and viewer.DARK are two": (
            "colors colours Look palette"
        ),
    }
    __getattr__, __dir__ = namespace(__name__, _guesses, also=("DARK", "PRINT", "Theme"))
