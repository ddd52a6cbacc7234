# %% [markdown]
# # A control law of your own, compiled
#
# `@law` makes a controller of one function. It is compiled and runs inside the engine, for one arm
# and for thousands: here sliding-mode control, tried with forty widths of its boundary layer.

# %%
import matplotlib.pyplot as plt
import numpy as np

import ulna
from ulna.control import law, select
from ulna.viewer import styled


@law
def sliding_mode(t, q, qd, reference, state, tau, slope=8.0, push=40.0, layer=0.5):
    """Full torque towards s = 0, less within a boundary layer, s = e' + slope e."""
    for i in range(len(q)):
        error, error_rate = reference[0, i] - q[i], reference[1, i] - qd[i]
        s = (error_rate + slope[i] * error) / layer[i]
        tau[i] = push[i] * select(s > 1.0, 1.0, select(s < -1.0, -1.0, s))


# %% [markdown]
# It is used as any other controller is, and read from text as well.

# %%
arm = ulna.preset("kehl").with_payload(1.0)
hold = {"q0": [-0.5, 0.5], "duration": 2.0, "reference": [0.5, -0.5]}
run = ulna.simulate(arm, controller=sliding_mode(push=(200.0, 60.0)), **hold)
print(run.status, run.q[-1].round(3))
print(ulna.control.read_controller("sliding_mode(layer=0.1)"))

# %% [markdown]
# In a batch arms run sixteen at a time, each with gains of its own. A wide layer leaves an error; a
# thin one shakes.

# %%
layers = np.geomspace(0.02, 5.0, 40)
laws = [sliding_mode(push=(200.0, 60.0), layer=layer) for layer in layers]
runs = ulna.simulate_batch(arm, controller=laws, keep_torques=True, samples=2001, **hold)
late = runs.t > 1.5
error = np.abs(runs.q[:, late] - hold["reference"]).max(axis=(1, 2))
shaking = np.abs(np.diff(runs.tau[:, late], axis=1)).max(axis=(1, 2))

with styled():
    figure, axes = plt.subplots()
    axes.loglog(layers, error, label="error [rad]")
    axes.loglog(layers, shaking, label="change of torque in a tick [N·m]")
    axes.set(xlabel="boundary layer [rad/s]", title="Sliding mode on an arm with a payload")
    axes.legend()
    figure.savefig("18_a_compiled_law.png")
