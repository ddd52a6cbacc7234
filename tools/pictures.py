"""Remake the pictures that README and docs show, into docs/pictures."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path

import numpy as np
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
    torques_figure,
    workspace_figure,
)

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
}
SMALL = {"sticking.png": 720}  # [pixels] of width, with the colours of a palette
FILMS = {"follow.gif": film}


def reduced(page, width):
    """Return a picture of few colours, smaller."""
    picture, made = Image.open(page).convert("RGB"), io.BytesIO()
    picture.thumbnail((width, width))
    # An octree keeps the hues of thin lines over large pale areas.
    picture.quantize(64, Image.Quantize.FASTOCTREE).save(made, "png", optimize=True)
    return made.getvalue()


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, draw in PICTURES.items():
        page = io.BytesIO()
        # No date and no version inside, so that an unchanged picture is an unchanged file.
        draw().savefig(page, format="png", dpi=110, metadata={"Software": None})
        write_whole(FOLDER / name, reduced(page, SMALL[name]) if name in SMALL else page.getvalue())
    for name, shoot in FILMS.items():
        shoot(FOLDER / name)
    for name in (*PICTURES, *FILMS):
        print(f"{name}: {(FOLDER / name).stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
