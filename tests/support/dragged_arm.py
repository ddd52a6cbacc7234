"""The widget of an arm on a page: where its tip is, and a mouse that drags it."""

from typing import Any

import numpy as np
from playwright.sync_api import Locator

import ulna


class DraggedArm:
    """A canvas with an arm in a posture that Python knows.

    The picture is centred on the base, so that the middle of the canvas and the first tip give its
    scale; what comes later is measured by it.
    """

    def __init__(self, canvas: Locator, arm: ulna.Arm, q: Any) -> None:
        self.canvas, self.page, self.arm = canvas, canvas.page, arm
        box = canvas.bounding_box()
        assert box
        self.middle = np.array([box["x"] + box["width"] / 2.0, box["y"] + box["height"] / 2.0])
        x, y = map(float, self.data("tipPixel").split(","))
        self.pixel = np.array([box["x"] + x, box["y"] + y])
        away = ulna.kinematics.tip(arm, q)[:2] - np.array(arm.base)
        # Pixels count downwards, metres upwards.
        self.scale = np.array([1.0, -1.0]) * np.linalg.norm(self.pixel - self.middle)
        self.scale /= np.linalg.norm(away)

    def data(self, name: str) -> str:
        """Return what the widget says of itself: tip [m] or tipPixel."""
        return str(self.canvas.evaluate(f"one => one.closest('.widget-arm').dataset.{name}"))

    def plane(self, pixel: Any) -> Any:
        """Return the point of the plane [m] under a pixel."""
        return np.array(self.arm.base) + (pixel - self.middle) / self.scale

    def screen(self, point: Any) -> Any:
        """Return the pixel of a point of the plane [m]."""
        return self.middle + (np.array(point) - self.arm.base) * self.scale

    def drag(self, start: Any, *ends: Any) -> None:
        """Press the mouse at a pixel, move it to others, and let go."""
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        for end in ends:
            mouse.move(*end, steps=8)
        mouse.up()
