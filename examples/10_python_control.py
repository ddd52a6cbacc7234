# %% [markdown]
# # Hand the linear model to python-control
#
# `linearise` gives A and B at any state. python-control then draws Bode plots, step responses and
# whatever else linear control knows. (`pip install control`; it is no part of ulna.)

# %%
import control
import matplotlib.pyplot as plt
import numpy as np

import ulna

arm = ulna.preset("garai")
hanging = np.array([-np.pi / 2, 0.0])
A, B = ulna.dynamics.linearise(arm, hanging, np.zeros(2), np.zeros(2))
system = control.ss(A, B, np.eye(2, 4), np.zeros((2, 2)))
frequencies = np.sort(np.unique(np.abs(system.poles().imag).round(9)))
print("swings at", frequencies.round(4), "rad/s")

# %% [markdown]
# Close the loop with the springs and dampers of a PD controller, and look at what is left.

# %%
gains = np.hstack([np.diag([80.0, 20.0]), np.diag([20.0, 4.0])])
closed = control.ss(A - B @ gains, B @ gains[:, :2], np.eye(2, 4), np.zeros((2, 2)))
print("slowest pole", closed.poles().real.max().round(3), "1/s")

# %% [markdown]
# Its step response is that of the simulated arm, as long as the step is small.

# %%
step, t = 1e-4, np.linspace(0.0, 3.0, 301)
linear = control.forced_response(closed, t, np.stack([step * np.ones_like(t), 0.0 * t])).outputs
run = ulna.simulate(
    arm,
    q0=hanging,
    duration=3.0,
    samples=t,
    controller=ulna.control.PD([80.0, 20.0], [20.0, 4.0]),
    reference=hanging + np.array([step, 0.0]),
    rate=10_000.0,
    dt=1e-4,
)
print("largest difference", f"{np.abs(run.q - hanging - linear.T).max() / step:.1e} of the step")

# %%
response = control.frequency_response(system[0, 0], np.geomspace(0.5, 50.0, 400))
figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
axes[0].loglog(response.omega, np.abs(response.complex))
axes[0].set(xlabel="frequency [rad/s]", ylabel="q1 to torque 1 [rad/(N·m)]", title="Bode, free")
axes[1].plot(t, (run.q - hanging) / step, label=["joint 1", "joint 2"])
axes[1].plot(t, linear.T / step, "k:", lw=1)
axes[1].set(xlabel="t [s]", ylabel="answer, of the step", title="step, with springs")
axes[1].legend()
figure.savefig("10_python_control.png", dpi=100)
