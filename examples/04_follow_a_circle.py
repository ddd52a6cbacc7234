# %% [markdown]
# # Which torques make the tip follow a circle, and does the arm really do it?
#
# The question that everything here is about: plan the motion, see what it asks of the motors, let
# the arm do it, and judge.

# %%
import numpy as np

import ulna
from ulna.viewer import motion_figure

arm = ulna.Arm.rods(lengths=[0.25, 0.20], masses=[0.4, 0.25])
path = ulna.paths.circle(center=(0.25, 0.1), radius=0.08)

# %% [markdown]
# Plan: four seconds, from rest to rest. The torques are exact, and so is what they are spent on.

# %%
plan = ulna.plan(arm, path, duration=4.0, timing="quintic")
print(plan)
for name, part in plan.terms._asdict().items():
    print(f"{name:10} up to {np.abs(part).max(axis=0).round(3)} N·m")

# %% [markdown]
# Do it: a controller a thousand times a second, which starts where the plan starts.

# %%
run = ulna.simulate(
    arm, controller=ulna.control.ComputedTorque(natural_frequency=20.0), reference=plan
)
print(run.status)

# %% [markdown]
# Judge: how far was the tip from where it should have been?

# %%
print(ulna.analysis.tracking(run, plan))
motion_figure(plan, run).savefig("04_follow_a_circle.png")
