# %% [markdown]
# # Two links let go, with and without dry friction
#
# Without friction a double pendulum swings for ever. Dry friction does more than take energy from
# it: joints stick and break away again, and in the end all of it stands, beside the vertical.

# %%
import matplotlib.pyplot as plt
import numpy as np

import ulna
from ulna.viewer import styled

shoulder = ulna.Friction(coulomb=0.4, static=0.6, stribeck_velocity=0.1)  # [N·m], [rad/s]
elbow = ulna.Friction(coulomb=0.1, static=0.15, stribeck_velocity=0.1)
joints = [ulna.Joint(friction=friction) for friction in (shoulder, elbow)]
dry = ulna.Arm.rods(lengths=[0.5, 0.4], masses=[1.0, 0.8], joints=joints)
runs = {
    "without friction": ulna.simulate(dry.without_friction(), q0=[0.5, 0.3], duration=10.0),
    "with dry friction": ulna.simulate(dry, q0=[0.5, 0.3], duration=10.0),
}

# %% [markdown]
# Which joints stuck, how often and for how long. From the last time on, the angles do not change by
# a single bit.

# %%
run = runs["with dry friction"]
for stuck in run.sticking:
    print(f"joint {stuck.joint}: {stuck.episodes} times, {stuck.seconds:.2f} s in all")
still = np.flatnonzero((run.q != run.q[-1]).any(axis=1))[-1] + 1
print(f"at rest from t = {run.t[still]:.2f} s on")

# %% [markdown]
# It hangs beside the vertical, within what static friction holds: there the weight asks each joint
# for less than its band.

# %%
weight = ulna.dynamics.gravity_torque(dry, run.q[-1])
band = ulna.dynamics.friction_band(dry)
print("angles of the links", np.degrees(np.cumsum(run.q[-1])).round(2), "degrees")
print("the weight", weight.round(3), "N·m, held by up to", band.upper, "N·m")
energy = run.energy
print(f"friction took {energy.dissipated[-1]:.4f} J; balance {energy.balance_error[-1]:.0e} J")

# %%
with styled() as theme:
    figure, axes = plt.subplots(2, 1, figsize=(8.4, 4.8), sharex=True, layout="constrained")
    for panel, (title, one) in zip(axes, runs.items(), strict=True):
        panel.set_yscale("symlog", linthresh=1.0)  # slow motion is to be seen as well
        panel.set(title=title, ylabel="joint rate [rad/s]", ylim=(-100, 100))
        panel.set_yticks([-10, -1, 0, 1, 10], ["−10", "−1", "0", "1", "10"])
        for k, color in enumerate(theme.data[:2]):
            panel.plot(one.t, one.qd[:, k], color=color, lw=1.2, label=f"joint {k + 1}")
            held = (one.qd[:, k] == 0.0) & (one.t > 0.0)
            bar = (-32 * 1.8**k, -50 * 1.8**k)
            panel.fill_between(one.t, *bar, where=held, color=color, lw=0, step="post")
    axes[0].legend(loc="upper right", ncols=2)
    axes[1].text(6.5, -55.0, "stuck", ha="right", va="center", color=theme.muted)
    axes[1].set_xlabel("time [s]")
    figure.savefig("19_let_go_with_friction.png", dpi=150)
