# %% [markdown]
# # A servo that buzzes, and two cures
#
# Static friction above Coulomb friction makes an integral hunt: stuck beside its set-point the
# joint waits until the integral breaks it away, slides past it, and sticks on the other side, again
# and again.

# %%
import matplotlib.pyplot as plt
import numpy as np

import ulna
from ulna.control import PID, FeedforwardPID
from ulna.viewer import styled

sticky = ulna.Friction(coulomb=0.1, static=0.3, stribeck_velocity=0.01)  # [N·m], [rad/s]
joint = ulna.Joint(damping=0.02, friction=sticky)
servo = ulna.Arm.rods([0.3], [0.5], joints=[joint], gravity=(0.0, 0.0))
move = ulna.plan(servo, ulna.paths.joints([[0.0], [0.5]]), duration=1.0, timing="quintic")

# %% [markdown]
# A dead band lets the integral rest while the error is small. Feed-forward knows the friction, and
# adds it with the sign of the rate that the plan asks for: nothing is left for an integral to do.

# %%
controllers = {
    "PID": PID(20.0, 0.5, 200.0),
    "PID with a dead band": PID(20.0, 0.5, 200.0, dead_band=0.01),
    "feed-forward of friction, and PD": FeedforwardPID(20.0, 0.5, 0.0),
    "the same without the friction": FeedforwardPID(20.0, 0.5, 0.0, friction_compensation=False),
}
runs = {
    name: ulna.simulate(servo, controller=controller, reference=move, duration=6.0)
    for name, controller in controllers.items()
}
for name, run in runs.items():
    (stuck,) = run.sticking
    late = run.t > 3.0
    off = 1e3 * np.abs(0.5 - run.q[late, 0]).max()
    words = "hunts" if run.qd[late].any() else "rests"
    print(f"{name}: {words}, {off:.1f} mrad off; stuck {stuck.episodes} times")

# %% [markdown]
# Hunting is a limit cycle: as far to one side as to the other, and it neither grows nor decays.

# %%
with styled() as theme:
    figure, (above, below) = plt.subplots(
        2, 1, figsize=(8.4, 5.0), sharex=True, layout="constrained"
    )
    for (name, run), color in zip(runs.items(), theme.data, strict=False):
        wanted = move.trajectory(np.minimum(run.t, move.duration)).q[:, 0]
        above.plot(run.t, 1e3 * (wanted - run.q[:, 0]), label=name, color=color, lw=1.4)
        below.plot(run.t, run.tau[:, 0], color=color, lw=1.4)
    for torque in (-0.3, 0.3):
        below.axhline(torque, color=theme.muted, lw=0.8, ls=":")
    above.set(ylabel="error [mrad]", ylim=(-14, 24), title="A joint with stiction, sent to 0.5 rad")
    above.legend(ncols=2, loc="upper right")
    below.set(ylabel="torque [N·m]", xlabel="time [s]")
    figure.savefig("20_stiction_and_hunting.png", dpi=150)
