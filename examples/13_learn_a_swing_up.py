# %% [markdown]
# # Learn to swing up
#
# An arm hangs down and has to stand up, with motors too weak to lift it. It learns to pump, by
# trial and error: sixty generations of two thousand tries each, in some twenty seconds.

# %%
import matplotlib.pyplot as plt
import numpy as np

import ulna
from ulna.control import ComputedTorque
from ulna.viewer import styled

limit = np.array([6.0, 3.0])  # [N·m]
joints = [ulna.Joint(damping=0.1, max_torque=most) for most in limit]
arm = ulna.Arm.rods(lengths=[1.0, 1.0], masses=[1.0, 1.0], joints=joints)
hanging, upright = np.array([-np.pi / 2, 0.0]), np.array([np.pi / 2, 0.0])
needed = ulna.dynamics.holding_torque(arm, [0.0, 0.0]).round(1)
print(f"holding it out sideways takes {needed} N·m, the motors have {limit} N·m")

# %% [markdown]
# A try is a table of torques, a row every quarter of a second and straight lines between. It costs
# the squares of how far from upright the links end, and of how fast they still are.

# %%
times = np.linspace(0.0, 4.0, 17)


def tried(tables, **options):
    start = {"q0": hanging, "duration": 4.0, "dt": 0.005}
    return ulna.simulate_batch(arm, torque=(times, tables), between="linear", **start, **options)


def cost(run):
    off = ulna.angles.difference(np.cumsum(run.final.q, axis=-1), np.pi / 2)
    speed = np.cumsum(run.final.qd, axis=-1)
    return np.sum(off**2 + 0.1 * speed**2, axis=-1)


# %% [markdown]
# The cross-entropy method: draw tries around a mean, keep the best fifty, and draw the next around
# their mean, as widely as they differ.

# %%
random = np.random.default_rng(4)
mean, spread = np.zeros((17, 2)), np.tile(limit, (17, 1))
history = []
for generation in range(1, 61):
    tables = np.clip(random.normal(mean, spread, (2000, 17, 2)), -limit, limit)
    costs = cost(tried(tables))
    best = tables[np.argsort(costs)[:50]]
    mean += 0.8 * (best.mean(axis=0) - mean)
    spread += 0.8 * (best.std(axis=0) - spread)
    history.append(np.percentile(costs, (0, 50, 75)))
    if generation in (1, 2, 5, 10, 20, 40, 60):
        print(f"generation {generation}: best {costs.min():.3f}, median {np.median(costs):.3f}")

# %% [markdown]
# Torques from a table bring the arm up; only feedback keeps it there. So a controller with the
# same weak motors takes over from the best try of the last generation.

# %%
swing = tried(best[:1], samples=401)
q, qd = swing.final.q[0], swing.final.qd[0]
top = q - ulna.angles.difference(q, upright)
feedback = {"controller": ComputedTorque(natural_frequency=5.0), "reference": top}
held = ulna.simulate(arm, q0=q, qd0=qd, duration=2.0, **feedback)
arrives, stands = (np.degrees(np.abs(angles - top).max()) for angles in (q, held.q[-1]))
print(f"arrives within {arrives:.1f}° of upright, stands within {stands:.3f}° two seconds later")
assert stands < 0.1

# %%
t = np.append(swing.t, 4.0 + held.t)
q, qd = np.vstack([swing.q[0], held.q]), np.vstack([swing.qd[0], held.qd])
turned = np.degrees(np.cumsum(q, axis=-1) + np.pi / 2)
energy = ulna.dynamics.kinetic_energy(arm, q, qd) + ulna.dynamics.potential_energy(arm, q)
with styled() as theme, plt.rc_context({"axes.prop_cycle": plt.cycler(color=theme.data)}):
    figure, panels = plt.subplot_mosaic("ab;ac", figsize=(8.4, 4.2), layout="constrained")
    learning, angles, energies = panels.values()
    learning.semilogy(range(1, 61), history, label=["best", "median", "worst quarter"])
    learning.set(title="2,000 tries a generation", xlabel="generation", ylabel="cost", xlim=(1, 60))
    learning.legend(loc="upper right")
    angles.plot(t, turned, label=["inner link", "outer link"])
    angles.set(title="Turned from hanging [°]", yticks=(-180, -90, 0, 90, 180))
    angles.legend(loc="center right")
    energies.plot(t, energy, color=theme.foreground)
    energies.set(title="Energy [J]", xlabel="t [s]")
    for axes in (angles, energies):
        axes.axvspan(4.0, 6.0, color=theme.reach, zorder=0)
        axes.margins(x=0)
    energies.text(5.0, energy[0], "feedback", color=theme.muted, ha="center")
    figure.savefig("13_learn_a_swing_up.png", dpi=150)
