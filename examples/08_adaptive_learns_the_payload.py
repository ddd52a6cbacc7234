# %% [markdown]
# # Learning the payload while working
#
# The adaptive controller starts out believing in the empty arm, and changes its mind by what it
# sees: its error goes away though nobody tells it anything.

# %%
import matplotlib.pyplot as plt
import numpy as np

import ulna

empty = ulna.preset("kehl")
loaded = empty.with_payload(2.0)
path = ulna.paths.ellipse(center=(0.45, 0.25), radii=(0.3, 0.2)).repeated(10)
plan = ulna.plan(empty, path, duration=30.0)
controller = ulna.control.Adaptive(bandwidth=10.0, model=empty)

# %% [markdown]
# A `Simulation` is moved on piece by piece, and its controller's memory looked at on the way.

# %%
start = plan.trajectory(0.0)
arm = ulna.Simulation(
    ulna.Scenario(arm=loaded, q0=start.q, qd0=start.qd, controller=controller, reference=plan)
)
first_moment = ulna.dynamics.parameter_names(empty).index("first_moment.2")
times, errors, beliefs = [], [], []
for t in np.arange(0.1, 30.0, 0.1):
    arm.advance_to(float(t))
    tip = ulna.kinematics.tip(loaded, arm.q)[:2]
    times.append(t)
    errors.append(np.linalg.norm(tip - plan.trajectory.tip(t).position))
    beliefs.append(controller.estimate(arm.controller_state)[first_moment])

# %%
truth = ulna.dynamics.parameter_vector(loaded)[first_moment]
print(f"believed {beliefs[0]:.3f} kg·m at first, {beliefs[-1]:.3f} in the end; true {truth:.3f}")
print(f"tip error {1e3 * errors[9]:.2f} mm after 1 s, {1e3 * errors[-1]:.3f} mm in the end")

# %%
figure, (above, below) = plt.subplots(2, sharex=True, figsize=(7, 5), layout="constrained")
above.semilogy(times, 1e3 * np.array(errors))
above.set_ylabel("tip error [mm]")
below.plot(times, beliefs, label="believed")
below.axhline(truth, color="0.5", ls="--", label="true")
below.set(xlabel="t [s]", ylabel="first moment of link 2 [kg·m]")
below.legend()
figure.savefig("08_adaptive_learns_the_payload.png", dpi=100)
