# %% [markdown]
# # One path, three sets of motors
#
# The same circle with ideal motors, with geared DC motors that can do it, and with a shoulder whose
# gear is too small. Where the torque goes, what the supply gives, and what the verdict says.

# %%
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np

import ulna
from ulna.actuation import torque_range
from ulna.analysis import verdict
from ulna.control import ComputedTorque
from ulna.viewer import styled

arm = ulna.Arm.rods([0.25, 0.2], [0.2, 0.15], payload=0.1)
circle = ulna.paths.circle(center=(0.25, 0.1), radius=0.08)
real = ulna.motor("pololu-37d-50-12v")  # 12 V, 50:1, 2.1 N·m at stall
weak = replace(real, gear_ratio=20.0, name="pololu-37d-20-12v")
sets = {
    "ideal motors": arm,
    "real motors": arm.with_motors(real),
    "a weak shoulder": arm.with_motors([weak, real]),
}

# %% [markdown]
# Plans know motors: where one would need more torque than it has left, they say so. Here every arm
# is sent along all the same. The controller knows nothing of the losses in the gears, a third of
# every torque; stiff springs hold against them.

# %%
runs = {}
for name, driven in sets.items():
    plan = ulna.plan(driven, circle, duration=1.5, timing="quintic")
    law = ComputedTorque(natural_frequency=60.0)
    run = runs[name] = ulna.simulate(driven, controller=law, reference=plan)
    print(f"{name}: {verdict(run, plan)}")
    for use in run.motors:
        print(
            f"  joint {use.joint}: at its limits {use.limited_seconds:.2f} s of {run.t[-1]:.1f} s, "
            f"{use.peak_current:.2f} A in the winding, {use.peak_supply_current:.2f} A drawn"
        )

# %% [markdown]
# Of what the supply gives, little reaches the arm: most warms the copper.

# %%
flow, energy = runs["real motors"].energy_flow, runs["real motors"].energy
print(f"drawn {flow.supplied[-1]:.2f} J, back to the supply {flow.returned[-1]:.2f} J")
print(f"copper {flow.winding[-1]:.2f} J, gears {flow.gear[-1]:.2f} J")
drawn = flow.supplied[-1] - flow.returned[-1]
assert abs(drawn - flow.winding[-1] - flow.conversion[-1] - energy.injected[-1]) < 1e-3 * drawn

# %%
with styled() as theme:
    figure, axes = plt.subplots(1, 3, figsize=(9.6, 3.4), layout="constrained")
    for (name, run), color in zip(runs.items(), theme.data, strict=False):
        axes[0].plot(run.tip[:, 0], run.tip[:, 1], color=color, label=name)
        axes[1].plot(run.qd[:, 0], run.tau[:, 0], color=color, lw=1.2)
        if run.motors:
            axes[2].plot(run.t, run.supply_power, color=color)
    rate = np.linspace(*axes[1].get_xlim(), 200)
    for motor, color in ((real, theme.data[1]), (weak, theme.data[2])):
        axes[1].plot(rate, torque_range(motor, rate).upper, color=color, lw=0.8, ls="--")
    axes[0].set(xlabel="x [m]", ylabel="y [m]", title="the tip", aspect="equal")
    figure.legend(loc="outside lower center", ncols=3)
    axes[1].set(xlabel="rate [rad/s]", ylabel="torque [N·m]", title="shoulder, and what is left")
    axes[2].set(xlabel="time [s]", ylabel="power [W]", title="from the supply")
    figure.savefig("22_three_sets_of_motors.png", dpi=150)
