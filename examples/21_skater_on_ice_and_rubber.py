# %% [markdown]
# # A skater on ice, and on rubber
#
# Bechard and Ivanov show a skater of two links, who turns faster when the outer one is pulled in,
# and name friction as what their model lacks. Here she stands on ice, and then on a rubber mat.

# %%
import matplotlib.pyplot as plt
import numpy as np

import ulna
from ulna.viewer import styled

grounds = {
    "ice": ulna.Friction(coulomb=0.1, static=0.2),  # [N·m] at the joint on the ground
    "rubber": ulna.Friction(coulomb=15.0, static=20.0),
}
skater = ulna.preset("bechard-skater").replace(gravity=(0.0, 0.0))  # seen from above

# %% [markdown]
# She turns at 2 rad/s, stretched out. From 2 to 4 s the muscle of the elbow pulls the outer link
# in, from 6 to 8 s it puts it out again; nothing but the ground acts on the inner joint.

# %%
bend = "1.25*(1 - cos(pi*min(max((t - 2)/2, 0), 1)) - (1 - cos(pi*min(max((t - 6)/2, 0), 1))))"
muscle = ["0", f"600*({bend} - q2) - 80*qd2"]
runs = {}
for ground, friction in grounds.items():
    arm = skater.replace(joints=[ulna.Joint(friction=friction), ulna.Joint()])
    runs[ground] = ulna.simulate(arm, q0=[0, 0], qd0=[2, 0], torque=muscle, duration=10.0)

# %% [markdown]
# On ice her angular momentum stays, all but what friction takes, and she is the faster the smaller
# she is. On rubber she stops; then the mat withstands whatever the muscle does to her, by up to its
# static friction, and her inner joint does not move by a bit.

# %%
for ground, run in runs.items():
    kept = (ulna.dynamics.mass_matrix(run.arm, run.q)[:, 0] * run.qd).sum(axis=1)  # [kg·m²/s]
    print(f"{ground}: {run.qd[0, 0]:.2f} rad/s, pulled in {run.qd[run.t == 5.0][0, 0]:.2f},")
    print(f"  angular momentum {kept[0]:.2f}, after 10 s {kept[-1]:.2f} kg·m²/s")
    for stuck in run.sticking:
        held = np.abs(run.friction[run.t > stuck.first, 0]).max()
        print(f"  stuck from {stuck.first:.3f} s on, held by up to {held:.1f} N·m")
late = runs["rubber"].q[runs["rubber"].t > 2.0, 0]
assert (late == late[0]).all()

# %%
with styled() as theme:
    figure, axes = plt.subplots(2, 1, figsize=(8.4, 4.8), sharex=True, layout="constrained")
    for (ground, run), color in zip(runs.items(), theme.data, strict=False):
        axes[0].plot(run.t, run.qd[:, 0], color=color, label=f"on {ground}")
        axes[1].plot(run.t, run.friction[:, 0], color=color)
    for panel in axes:
        for start, word in ((2.0, "pulls in"), (6.0, "stretches out")):
            panel.axvspan(start, start + 2.0, color=theme.grid, alpha=0.5, lw=0)
            if panel is axes[0]:
                panel.text(start + 1.0, 7.6, word, ha="center", color=theme.muted)
    axes[0].set(ylabel="she turns at [rad/s]", ylim=(-0.5, 8.5), title="A skater on two grounds")
    axes[0].legend(loc="upper right")
    axes[1].set(ylabel="torque of the ground [N·m]", xlabel="time [s]")
    figure.savefig("21_skater_on_ice_and_rubber.png", dpi=150)
