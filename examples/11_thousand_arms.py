# %% [markdown]
# # A thousand arms, each a little different
#
# No arm weighs what its drawing says. A thousand of the preset `kehl`, whose links are up to ten
# percent lighter or heavier, follow its loops with a controller that knows the drawing only.

# %%
import matplotlib.pyplot as plt
import numpy as np

import ulna
from ulna.control import ComputedTorque
from ulna.viewer import styled

drawn = ulna.preset("kehl")
plan = ulna.plan(drawn, ulna.paths.loops(), duration=10.0)

# %% [markdown]
# Parameters are arrays: a row for every arm makes a thousand arms. The inertia of a rod goes with
# its mass.

# %%
one = drawn.parameters
part = np.random.default_rng(1).uniform(0.9, 1.1, (1000, 2))
arms = one._replace(mass=part * one.mass, inertia=part * one.inertia)

# %% [markdown]
# One call runs all of them on all cores, ten seconds at a thousand control ticks a second.

# %%
controller = ComputedTorque(natural_frequency=20.0, model=drawn)
run = ulna.simulate_batch(arms, controller=controller, reference=plan, samples=1001)
print(run)

# %% [markdown]
# How far are the tips from where they should be?

# %%
asked = plan.trajectory.tip(run.t).position
error = 1e3 * np.linalg.norm(run.tip[..., :2] - asked, axis=-1)  # [mm], (1000, 1001)
levels = (0, 5, 25, 50, 75, 95, 100)
least, low, lower, median, upper, high, most = np.percentile(error, levels, axis=0)
rms = np.sqrt((error**2).mean(axis=1))
worst = int(rms.argmax())
by_link = [np.corrcoef(np.abs(x - 1), rms)[0, 1] for x in part.T]
print(f"RMS error: median {np.median(rms):.2f} mm, one in twenty {np.percentile(rms, 95):.2f} mm")
print(f"the worst is arm {worst} with {rms[worst]:.2f} mm, masses × {part[worst].round(3)}")
print("correlation of the error with how wrong each mass is:", np.round(by_link, 2))

# %% [markdown]
# All arms are off at the same moments, and the fan closes between them. How far off an arm is, its
# outer link decides, which is ten times as heavy: the error grows in proportion to what the
# controller does not know about it.

# %%
with styled() as theme:
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(8.4, 3.8), width_ratios=(2, 1), layout="constrained"
    )
    bands = ((least, most, 0.14, "all"), (low, high, 0.25, "90 %"), (lower, upper, 0.45, "50 %"))
    for bottom, top, strength, name in bands:
        left.fill_between(run.t, bottom, top, color=theme.data[1], alpha=strength, lw=0, label=name)
    left.plot(run.t, median, color=theme.foreground, lw=1.2, label="median")
    left.set(title="How far the tips of 1,000 arms are off", xlabel="t [s]", ylabel="error [mm]")
    left.set(xlim=(0, plan.duration), ylim=(0, 1.15 * most.max()))
    left.legend(ncols=4, loc="upper center", fontsize=9, columnspacing=1.4)
    right.scatter(100 * (part[:, 1] - 1), rms, c=theme.data[1], s=6, alpha=0.5, lw=0)
    right.set(title="The outer link decides", xlabel="its mass is off by [%]", ylabel="RMS [mm]")
    right.set_ylim(0)
    figure.savefig("11_thousand_arms.png", dpi=150)
