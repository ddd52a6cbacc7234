# %% [markdown]
# # What does an arm do when torques act on it?
#
# First a single joint, whose numbers are known, then two links that are let go, then a
# controller that catches them.

# %%
import numpy as np

import ulna
from ulna.control import PD

# %% [markdown]
# Ten newton metres for twenty seconds: its equation ends at 644.3452 rad and 48.6266 rad/s.

# %%
run = ulna.simulate(ulna.preset("bechard-1"), q0=[0.0], torque=[10.0], duration=20.0)
print(run)
print("ends at", run.q[-1].round(4), "rad with", run.qd[-1].round(4), "rad/s")

# %% [markdown]
# Where did the energy go? What the motor put in is in the motion, or was lost to friction.

# %%
energy = run.energy
kept = (energy.kinetic + energy.potential)[-1] - (energy.kinetic + energy.potential)[0]
print(f"put in {energy.injected[-1]:.2f} J, lost {energy.dissipated[-1]:.2f} J, kept {kept:.2f} J")

# %% [markdown]
# Two links are let go. When does the tip fall below the base, and when does the first joint turn
# back?

# %%
arm = ulna.preset("kehl")
start = np.radians([40, -60])
fall = ulna.simulate(
    arm, q0=start, duration=2.0, events={"tip below the base": "y < 0", "joint 1 turns back": "qd1"}
)
for event in fall.events:
    print(f"{event.name} at t = {event.t:.4f} s")

# %% [markdown]
# A spring and a damper at every joint, answering a thousand times a second through an encoder of
# 4096 counts, and a disturbance at the tip after a second.

# %%
pulse = ulna.scenario.disturbances.pulse(force=[0.0, 80.0], at=1.0, lasting=0.1)
held = ulna.simulate(
    arm,
    q0=start,
    duration=2.0,
    controller=PD([900.0, 300.0], [90.0, 20.0]),
    sensors=ulna.Sensors(angle_resolution=2 * np.pi / 4096),
    disturbances=[pulse],
)
off = np.degrees(np.abs(held.q - start).max(axis=0))
print("largest deviation", off.round(2), "degrees; at the end", held.q[-1].round(3), "rad")

# %% [markdown]
# The same fall by the four methods: how well do they keep the energy? Steps of order 1 have to be
# short: with those of 1 ms that the others take, ulna warns that the angles come out wrong.

# %%
for method in ("dop853", "rk4", "gauss4", "semi-implicit"):
    dt = 1e-4 if method == "semi-implicit" else 1e-3
    tried = ulna.simulate(arm, q0=start, duration=2.0, method=method, dt=dt)
    print(method.ljust(14), f"{np.abs(tried.energy.balance_error).max():.1e} J")

# %% [markdown]
# Saved and read back, it is the same run to the last bit.

# %%
fall.save("fall.nc")
print((ulna.open_run("fall.nc").q == fall.q).all())
