# %% [markdown]
# # Forward and inverse kinematics: where is the tip, and which postures reach a point?
#
# An arm of two links, as in every textbook: first forward, then backward, then out of reach.

# %%
import numpy as np

import ulna

arm = ulna.preset("unit")
print(arm)

# %% [markdown]
# Forward: joints at 40° and −60°. The tip is at (1.7057, 0.3008) and points at −20°.

# %%
q = np.radians([40, -60])
x, y, angle = ulna.kinematics.tip(arm, q)
print(f"tip at ({x:.4f}, {y:.4f}) m, pointing at {np.degrees(angle):.1f} degrees")

# %% [markdown]
# Backward: there are two postures, one with the elbow below the line to the tip, one above.

# %%
found = ulna.kinematics.inverse(arm, [1.71, 0.30])
print(found)
for posture in found.q:
    name = {1: "up", -1: "down"}[int(ulna.kinematics.elbow_side(arm, posture))]
    print(f"elbow {name}: tip back at", ulna.kinematics.tip(arm, posture)[:2].round(12))

# %% [markdown]
# Out of reach: nothing is clamped in silence. The answer says by how much, and what is nearest.

# %%
far = ulna.kinematics.inverse(arm, [3.0, 4.0])
print(far)

# %% [markdown]
# A whole path: a circle that touches the edge of the reach, where the arm is straight.

# %%
turn = np.linspace(0, 2 * np.pi, 181)
circle = np.stack([1.4 + 0.6 * np.cos(turn), 0.6 * np.sin(turn)], axis=-1)
followed = ulna.kinematics.track(arm, circle)
print(followed)
step = np.degrees(np.abs(np.diff(followed.q, axis=0)).max())
print(f"largest step of a joint: {step:.2f} degrees")

# %% [markdown]
# What an arm that people own can reach under its joint limits.

# %%
print(ulna.kinematics.workspace(ulna.preset("so-101")))
