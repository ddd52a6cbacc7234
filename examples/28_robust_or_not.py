# %% [markdown]
# # Robust or not?
#
# On paper the arm follows to micrometres. The arm that is built is 5 % heavier or lighter, carries
# a little more, sticks a little, and somebody knocks at its tip: a thousand such arms say which
# controller to trust.

# %%
import numpy as np

import ulna
from ulna.control import ComputedTorque, FeedforwardPID
from ulna.viewer import robustness_figure

arm = ulna.preset("kehl")
plan = ulna.plan(arm, ulna.paths.circle(center=(0.5, 0.2), radius=0.1), duration=4.0)

# %% [markdown]
# Plan and controller stay those of the nominal arm. What is uncertain, and by how much, is a table
# that can be changed.

# %%
uncertain = ulna.sweep.default_uncertainty(plan)
for name in ("link.2.mass", "link.2.length", "payload", "joint.1.friction.coulomb"):
    print(f"{name:28} {uncertain[name]}")

# %%
controllers = {
    "computed torque": ComputedTorque(natural_frequency=20.0),
    "twice as stiff": ComputedTorque(natural_frequency=40.0),
    "with an integral": FeedforwardPID(natural_frequency=20.0),
}
found = {
    name: ulna.robustness(plan, controller, runs=1000, tube=0.002)
    for name, controller in controllers.items()
}
for name, one in found.items():
    half, most = one.percentiles((50.0, 95.0))["max"]
    print(
        f"{name:18} {1e3 * half:5.2f} mm in the median, {1e3 * most:5.2f} mm for 95 %; {one.text}"
    )

# %% [markdown]
# With stiff gains the masses no longer matter. What is left are the lengths, which no gain makes
# up for: joint sensors do not see them.

# %%
for name, one in found.items():
    print(f"{name}: {one.causes(1)[0]}")
stiff = found["twice as stiff"]
assert "length" in next(iter(stiff.rank_correlations))

# %% [markdown]
# The worst arm is kept by its number, and is the same to the last bit when it is simulated again.

# %%
worst = stiff.replay()
assert ulna.analysis.tracking(worst, plan).max[0] == np.max(stiff.max)
robustness_figure(found["computed torque"]).savefig("28_robust_or_not.png")
