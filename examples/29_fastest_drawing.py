# %% [markdown]
# # A drawing as fast as the arm can
#
# A path with tight bends, at an even speed, and as fast as joints and tip allow. What holds it up,
# and what a stronger joint would gain.

# %%
import matplotlib.pyplot as plt
import numpy as np

import ulna
from ulna.viewer import styled

joints = [
    ulna.Joint(max_torque=12.0, damping=0.3, friction=ulna.Friction(coulomb=0.4)),
    ulna.Joint(max_torque=4.0, damping=0.1, friction=ulna.Friction(coulomb=0.2)),
]
arm = ulna.Arm.rods([0.5, 0.4], [1.0, 0.8], joints=joints)
corners = [(0.3, 0.1), (0.6, 0.1), (0.6, 0.4), (0.45, 0.2), (0.3, 0.4)]
path = ulna.paths.polyline(corners, blend=0.01, closed=True)
limits = {"max_speed": 0.5, "max_acceleration": 4.0}

# %% [markdown]
# One law for the whole path has to be as slow as its tightest bend; the fastest one brakes there.

# %%
even = ulna.plan(arm, path, timing="constant-speed", **limits)
fast = ulna.plan(arm, path, timing="fastest", **limits)
print(f"at an even speed {even.duration:.2f} s, as fast as possible {fast.duration:.2f} s")
print(fast)
assert fast.ok
assert fast.duration < 0.5 * even.duration

# %%
with styled():
    figure, axes = plt.subplots(figsize=(8.0, 3.0), layout="constrained")
    for name, plan in {"even speed": even, "fastest": fast}.items():
        speed = np.linalg.norm(plan.trajectory.tip(plan.t).velocity, axis=-1)
        axes.plot(plan.t, speed, label=name)
    axes.set(xlabel="time [s]", ylabel="tip speed [m/s]")
    axes.legend()
    figure.savefig("29_fastest_drawing.png", dpi=150)
