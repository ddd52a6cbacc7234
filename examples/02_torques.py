# %% [markdown]
# # Which torques hold an arm, and which make it move?
#
# The preset `kehl`: two rods of half a metre, the outer one ten times as heavy.

# %%
import numpy as np

import ulna
from ulna import dynamics

arm = ulna.preset("kehl")
q = np.radians([40, -60])

# %% [markdown]
# Holding it still takes the weight torques. A hand that lifts the tip with 20 N helps.

# %%
print("alone:       ", dynamics.holding_torque(arm, q).round(3), "N·m")
print("with a hand: ", dynamics.holding_torque(arm, q, tip_force=[0, 20]).round(3), "N·m")

# %% [markdown]
# Moving it takes M q̈ + C q̇ + G: inverse dynamics. Forward dynamics gives the motion back.

# %%
qd, qdd = np.array([0.5, 1.0]), np.array([2.0, -1.0])
tau = dynamics.inverse_dynamics(arm, q, qd, qdd)
inertia = dynamics.mass_matrix(arm, q) @ qdd
coriolis = dynamics.coriolis_matrix(arm, q, qd) @ qd
weight = dynamics.gravity_torque(arm, q)
print("inertia", inertia.round(3), "+ Coriolis", coriolis.round(3), "+ weight", weight.round(3))
print("torques", tau.round(3), "give back", dynamics.forward_dynamics(arm, q, qd, tau).round(12))

# %% [markdown]
# Let go, it hangs. There are four equilibria, of which one is stable.

# %%
for found in dynamics.equilibria(arm, [0.0, 0.0]):
    print(found.kind.ljust(7), np.degrees(found.q).round(1), "degrees")

# %% [markdown]
# The mass that the tip seems to have depends on where you push it, and in which direction.

# %%
print(dynamics.operational_mass(arm, q).round(3), "kg")

# %% [markdown]
# A thousand arms whose masses are known to 10 %: how uncertain is the torque at the shoulder?

# %%
random = np.random.default_rng(1)
masses = arm.parameters.mass * random.uniform(0.9, 1.1, (1000, 2))
arms = arm.parameters._replace(mass=masses, inertia=masses * arm.parameters.length**2 / 12)
spread = dynamics.holding_torque(arms, q)[:, 0]
print(f"{spread.mean():.2f} N·m, between {spread.min():.2f} and {spread.max():.2f} N·m")

# %% [markdown]
# And where all of this comes from, in letters.

# %%
found = ulna.derive(arm=arm)
print("\n".join(str(found).splitlines()[:40]))
print(f"... {len(found.steps)} steps, which agree with the numbers to {found.check.worst:.0e}")
