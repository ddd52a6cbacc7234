# %% [markdown]
# # Random torques on a thousand arms
#
# How learning begins: motors that nobody has taught push at random, and whoever comes to an end
# starts again. A thousand arms go on step by step, and each is reset by itself.

# %%
import time

import matplotlib.pyplot as plt
import numpy as np

import ulna
from ulna.viewer import styled

limit = np.array([10.0, 5.0])  # [N·m]
arm = ulna.Arm.rods(lengths=[1.0, 1.0], masses=[1.0, 1.0], joints=[ulna.Joint(damping=0.1)] * 2)
count, decisions = 1000, 750
random = np.random.default_rng(7)


def hanging(members):
    return random.normal([-np.pi / 2, 0.0], 0.05, (members, 2))


# %% [markdown]
# Every 20 ms all arms get torques that wander. An episode ends when the tip is as good as upright,
# after five seconds, or when an arm has failed.

# %%
batch = ulna.BatchSimulation(arm, q0=hanging(count), dt=2e-3)
torque, age, best = np.zeros((count, 2)), np.zeros(count), np.full(count, -2.0)
heights, seen = [], []
start = time.perf_counter()
for _ in range(decisions):
    torque = np.clip(0.95 * torque + random.normal(0.0, 0.3 * limit, (count, 2)), -limit, limit)
    batch.apply(torque)
    status = batch.advance(steps=10)
    height = ulna.kinematics.tip(arm, batch.q)[:, 1]
    best, age = np.fmax(best, height), age + 1
    seen.append(np.stack([batch.q[:, 0], batch.qd[:, 0]]))  # copied: batch.q is live
    over = (height > 1.9) | (age >= 250) | ~status.ok
    if over.any():
        heights.append(best[over])
        batch.reset(hanging(over.sum()), members=over)
        torque[over], age[over], best[over] = 0.0, 0, -2.0
took = time.perf_counter() - start
heights = np.concatenate(heights)

# %% [markdown]
# Few random pushes bring the tip to the top, which is why learning needs so many tries; what they
# do well is to visit states.

# %%
up = heights > 1.9
print(f"{10e-6 * decisions * count / took:.1f} million steps a second, resets included")
print(f"{len(heights):,} episodes, {up.sum():,} of them ended upright, {up.mean():.1%}")
print(f"half of the others raised the tip to {np.median(heights[~up]):.2f} m or more")

# %%
angle, rate = np.concatenate(seen, axis=1)
angle = np.degrees(ulna.angles.wrap(angle + np.pi / 2))
with styled() as theme:
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.6), layout="constrained")
    left.hist(heights, bins=np.linspace(-2.0, 2.0, 61), color=theme.data[1])
    left.axvline(1.9, color=theme.foreground, lw=1.0)
    left.set(title="How high the tip came in an episode", xlabel="height [m]", ylabel="episodes")
    right.hist2d(angle, rate, bins=120, range=((-180, 180), (-15, 15)), cmap="magma", norm="log")
    right.set(title="States that were visited", xlabel="inner link from hanging [°]")
    right.set(ylabel="its rate [rad/s]", xticks=(-180, -90, 0, 90, 180))
    figure.savefig("17_random_torques.png", dpi=150)
