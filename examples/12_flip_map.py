# %% [markdown]
# # When does a double pendulum turn over?
#
# Two rods are let go, from rest, in every posture there is. The colour says how long it takes
# until one of them first passes over the top: smooth here, chaos there, and a fractal between.

# %%
import sys

import matplotlib.pyplot as plt
import numpy as np

import ulna
from ulna.viewer import styled

# %% [markdown]
# 120 × 120 starts take a second or two. `python 12_flip_map.py --full` takes 1,000 × 1,000, a
# million pendulums, in a few minutes.

# %%
side = 1000 if "--full" in sys.argv else 120
arm = ulna.Arm.rods(lengths=[1.0, 1.0], masses=[1.0, 1.0])
angle = np.pi * (2 * (np.arange(side) + 0.5) / side - 1)  # of a link, from hanging down


def posture(first, second):
    """Give the joint angles for two links at these angles from hanging down."""
    return ulna.angles.absolute_to_relative(np.stack([first, second], axis=-1) - np.pi / 2)


# %% [markdown]
# A link passes over the top where its angle passes ±π. Between two samples, 50 ms apart, it is
# taken to move evenly.


# %%
def time_to_flip(q0):
    """Give when [s] the first link flips, for starts (B, 2); NaN where none does."""
    run = ulna.simulate_batch(arm, q0=q0, duration=10.0, dt=5e-3, samples=201)
    link = np.abs(ulna.angles.relative_to_absolute(run.q) + np.pi / 2).max(axis=-1)
    over = link > np.pi
    k = np.maximum(over.argmax(axis=1), 1)
    before, after = (np.take_along_axis(link, (k - j)[:, None], 1)[:, 0] for j in (1, 0))
    moment = run.t[k - 1] + (np.pi - before) / (after - before) * (run.t[k] - run.t[k - 1])
    return np.where(over.any(axis=1), moment, np.nan)


# %% [markdown]
# Rows of starts go together, some ten thousand at a time, so that memory stays small.

# %%
rows = max(1, 10_000 // side)
flips = np.empty((side, side))
for low in range(0, side, rows):
    first, second = np.meshgrid(angle, angle[low : low + rows])
    starts = posture(first, second).reshape(-1, 2)
    flips[low : low + rows] = time_to_flip(starts).reshape(first.shape)
    print(f"\r{min(low + rows, side)} of {side} rows", end="", flush=True)

# %% [markdown]
# Without enough energy nothing can flip: it takes at least that of the outer link upright above
# an inner one that hangs.

# %%
energy = ulna.dynamics.potential_energy(arm, posture(*np.meshgrid(angle, angle)))
needed = ulna.dynamics.potential_energy(arm, posture(0.0, np.pi))
flipped = np.isfinite(flips)
print(f"\n{flipped.mean():.1%} flip within 10 s, half of these before {np.nanmedian(flips):.2f} s;")
print(f"{(energy < needed).mean():.1%} never can, and {flipped[energy < needed].sum()} of them did")

# %%
with styled() as theme:
    figure, axes = plt.subplots(figsize=(7, 6), layout="constrained")
    axes.grid(False)
    edges, ticks = (-180, 180, -180, 180), (0.2, 0.5, 1, 2, 5, 10)
    colours = plt.get_cmap("magma_r").with_extremes(bad="black")
    image = axes.imshow(flips, cmap=colours, norm="log", origin="lower", extent=edges)
    image.set_clim(0.2, 10.0)
    degrees = np.degrees(angle)
    axes.contour(degrees, degrees, energy, [needed], colors="#56b4e9", linestyles="--")
    axes.text(0, 0, "too little\nenergy", color="#56b4e9", ha="center", va="center")
    axes.set(title="When does a double pendulum turn over?")
    axes.set(xlabel="inner link, from hanging [°]", ylabel="outer link, from hanging [°]")
    axes.set(xticks=range(-180, 181, 90), yticks=range(-180, 181, 90))
    bar = figure.colorbar(image, ticks=ticks, format="%g", extend="min", shrink=0.9)
    bar.set_label("first flip after [s]; black: not within ten")
    bar.ax.minorticks_off()
    figure.savefig("12_flip_map.png", dpi=150)
