"""SEEING: figures of arms. Matplotlib is loaded when something is drawn, not before."""

from ulna.viewer.arm import draw_arm, draw_reach, frame
from ulna.viewer.conventions import conventions_figure
from ulna.viewer.figures import pose_figure, reach_figure, workspace_figure
from ulna.viewer.style import DARK, PRINT, Look, styled

__all__ = [
    "DARK",
    "PRINT",
    "Look",
    "conventions_figure",
    "draw_arm",
    "draw_reach",
    "frame",
    "pose_figure",
    "reach_figure",
    "styled",
    "workspace_figure",
]
