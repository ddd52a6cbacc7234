"""Remake the pictures that README and docs show, into docs/pictures."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

import ulna
from ulna.storage import write_whole
from ulna.viewer import (
    conventions_figure,
    pose_figure,
    reach_figure,
    run_figure,
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


PICTURES = {
    "reach.png": reach,
    "conventions.png": conventions_figure,
    "pose.png": lambda: pose_figure(ulna.preset("unit"), np.radians([40, -60])),
    "workspace.png": lambda: workspace_figure(
        [ulna.preset("open-manipulator-x"), ulna.preset("so-101")]
    ),
    "run.png": run,
}


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, draw in PICTURES.items():
        page = io.BytesIO()
        # No date and no version inside, so that an unchanged picture is an unchanged file.
        draw().savefig(page, format="png", dpi=110, metadata={"Software": None})
        write_whole(FOLDER / name, page.getvalue())
        print(f"{name}: {len(page.getvalue()) // 1000} kB")


if __name__ == "__main__":
    main()
