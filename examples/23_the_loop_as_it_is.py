# %% [markdown]
# # One loop, as fast as it is: 1 kHz, 250 Hz with a delay, 50 Hz
#
# The same arm and the same law: computed torque at 1 kHz without delay, at 250 Hz with 2 ms of
# delay, an encoder and a motor that lags, and at 50 Hz through hobby servos, which read an angle
# every 20 ms and hold it.

# %%
import matplotlib.pyplot as plt
import numpy as np

import ulna
from ulna.analysis import tracking, verdict
from ulna.control import ComputedTorque
from ulna.viewer import styled

arm = ulna.Arm.rods([0.12, 0.12], [0.1, 0.1])
circle = ulna.paths.circle(center=(0.12, 0.05), radius=0.04)
law = ComputedTorque(natural_frequency=20.0)
encoder = ulna.Sensors(
    angle_resolution=2.0 * np.pi / 4096,  # 12 bits
    rate_from="filtered",
    rate_bandwidth=30.0,  # [Hz]
    delay=0.002,  # [s]
)
loops = {
    "1 kHz": (arm, {"rate": 1000.0}),
    "250 Hz, 2 ms late, 12 bits, 5 ms lag": (
        arm,
        {"rate": 250.0, "sensors": encoder, "actuators": ulna.Actuators(time_constant=0.005)},
    ),
    "50 Hz, hobby servos asked for torques": (arm.with_motors("tower-pro-mg996r"), {"rate": 50.0}),
}

# %%
runs = {}
for name, (driven, loop) in loops.items():
    plan = ulna.plan(driven, circle, duration=2.0, timing="quintic")
    run = ulna.simulate(driven, controller=law, reference=plan, **loop)
    runs[name] = run, tracking(run, plan)
    print(f"{name}: {1e3 * runs[name][1].rms:.3f} mm RMS; {verdict(run, plan)}")

# %% [markdown]
# Torques that become angles 50 times a second come too late: a servo holds an angle for 20 ms, and
# so resists the very motion that it was asked for. Told the angles themselves it does better. Then
# nothing computes torques: its own springs carry the weight, and give way by as much as they must.

# %%
servos = arm.with_motors("tower-pro-mg996r")
angles = ulna.simulate(servos, reference=plan)
off = tracking(angles, plan)
runs["50 Hz, hobby servos told angles"] = angles, off
print(f"told angles: {1e3 * off.rms:.3f} mm RMS")

# %%
with styled() as theme:
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 3.8), layout="constrained")
    for (name, (run, off)), color in zip(runs.items(), theme.data, strict=False):
        left.semilogy(off.t, 1e3 * np.maximum(off.size, 1e-8), color=color, lw=1.2, label=name)
        late = (run.t > 0.9) & (run.t < 1.0)
        right.plot(run.t[late], run.tau[late, 0], color=color, lw=1.2)
    left.set(xlabel="time [s]", ylabel="tip error [mm]", title="how far off the tip is")
    right.set(xlabel="time [s]", ylabel="torque [N·m]", title="the shoulder, a tenth of a second")
    figure.legend(loc="outside lower center", ncols=2)
    figure.savefig("23_the_loop_as_it_is.png", dpi=150)
