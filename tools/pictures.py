"""Remake the pictures that README and docs show, into docs/pictures."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from motor_pictures import MOTOR_PICTURES
from PIL import Image

import ulna
from ulna.control import ComputedTorque, OpenLoop
from ulna.storage import write_whole
from ulna.viewer import (
    animate_following,
    conventions_figure,
    error_figure,
    motion_figure,
    portrait_figure,
    pose_figure,
    reach_figure,
    run_figure,
    styled,
    torques_figure,
    workspace_figure,
)

COLORS = 128  # of a picture's palette: lines, letters and their edges need no more
FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"


def reach():
    arm = ulna.preset("kehl")
    target = np.array([0.6, 0.3])
    return reach_figure(arm, target, ulna.kinematics.inverse(arm, target))


def run():
    torque = "60*sin(2*pi*t) if t < 1 else 0, 0"
    arm = ulna.preset("kehl")
    joints = [ulna.Joint(damping=1.0)] * 2
    return run_figure(
        ulna.simulate(
            arm.replace(joints=joints), q0=np.radians([-90, 0]), torque=torque, duration=2.5
        )
    )


@cache
def loops(duration=None):
    return ulna.plan(ulna.preset("kehl"), ulna.paths.loops(), duration=duration)


@cache
def followed():
    """Return a quick motion, and how it goes without and with feedback."""
    plan = loops(7.0)
    start = plan.trajectory(0.0)
    controllers = {"open loop": OpenLoop(), "closed loop": ComputedTorque()}
    return plan, {
        label: ulna.simulate(
            plan.arm,
            q0=start.q,
            qd0=start.qd,
            duration=plan.duration,
            controller=controller,
            reference=plan,
        )
        for label, controller in controllers.items()
    }


def sticking():
    """Return the portrait of a joint that friction holds, below and on top."""
    joint = ulna.Joint(damping=0.2, friction=ulna.Friction(coulomb=1.5, static=2.5))
    arm = ulna.preset("bechard-1").replace(joints=[joint])
    starts = [(0.0, 1.0), (0.0, 3.9), (0.0, 4.2)]
    portrait = ulna.portrait(arm, torque=3.0, starts=starts, speeds=(-8.0, 8.0), duration=4.0)
    return portrait_figure(portrait, basins=portrait.basins(300, progress=False))


def friction():
    """Draw each part of the friction law over the rate, and viscous damping beside them."""
    rate = np.linspace(-3.0, 3.0, 1201)
    parts = {
        "Coulomb": ulna.Joint(friction=ulna.Friction(0.2)),
        "static and Stribeck": ulna.Joint(friction=ulna.Friction(0.2, 0.35, 0.6)),
        "drag": ulna.Joint(friction=ulna.Friction(drag=0.04)),
        "viscous (damping)": ulna.Joint(damping=0.12),
    }
    with styled() as theme:
        figure, axes = plt.subplots(1, 4, figsize=(9.6, 2.6), sharey=True, layout="constrained")
        for panel, (title, joint) in zip(axes, parts.items(), strict=True):
            arm = ulna.Arm.rods([1.0], [1.0], joints=[joint])
            held = ulna.dynamics.friction_band(arm).upper[0]
            torque = ulna.dynamics.friction_torque(arm, rate[:, None])[:, 0] + joint.damping * rate
            for side in (rate < 0.0, rate > 0.0):
                panel.plot(rate[side], torque[side], color=theme.data[1])
            panel.plot([0.0, 0.0], [-held, held], color=theme.data[0], lw=3.0)
            panel.axhline(0.0, color=theme.grid, lw=0.8, zorder=0)
            panel.set(title=title, xlabel="rate [rad/s]", ylim=(-0.42, 0.42))
        axes[0].set_ylabel("torque [N·m]")
    return figure


def film(file):
    animate_following(*followed(), file, fps=12.5, size=(720, 400))


PICTURES = {
    "reach.png": reach,
    "conventions.png": conventions_figure,
    "pose.png": lambda: pose_figure(ulna.preset("unit"), np.radians([40, -60])),
    "workspace.png": lambda: workspace_figure(
        [ulna.preset("open-manipulator-x"), ulna.preset("so-101")]
    ),
    "run.png": run,
    "motion.png": lambda: motion_figure(loops()),
    "torques.png": lambda: torques_figure(loops()),
    "error.png": lambda: error_figure(*followed()),
    "sticking.png": sticking,
    "friction.png": friction,
    **MOTOR_PICTURES,
}
SMALL = {"sticking.png": 720}  # [pixels] of width
FILMS = {"follow.gif": film}


def with_palette(page, width=None):
    """Return a picture with a palette, which takes a third of the room, and of this width."""
    small, picture = io.BytesIO(), Image.open(page).convert("RGB")
    if width is not None:
        picture.thumbnail((width, width))
    # By coverage, so that the colours of small marks and thin lines are not lost to large areas.
    reduced = picture.quantize(COLORS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    reduced.save(small, "png", optimize=True)
    return small.getvalue()


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, draw in PICTURES.items():
        page = io.BytesIO()
        # No date and no version inside, so that an unchanged picture is an unchanged file.
        draw().savefig(page, format="png", dpi=110, metadata={"Software": None})
        write_whole(FOLDER / name, with_palette(page, SMALL.get(name)))
    for name, shoot in FILMS.items():
        shoot(FOLDER / name)
    for name in (*PICTURES, *FILMS):
        print(f"{name}: {(FOLDER / name).stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
