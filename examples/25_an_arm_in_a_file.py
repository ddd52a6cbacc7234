# %% [markdown]
# # An arm in a file of its own
#
# The equations of motion as a Python file that needs nothing but `math`: it simulates the arm for
# four seconds, and ends where ulna ends. The same file comes in C, MATLAB and JavaScript.

# %%
import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import ulna

arm = ulna.Arm.rods(
    [0.4, 0.3],
    [1.2, 0.8],
    joints=[ulna.Joint(damping=0.05, rotor_inertia=1e-5, gear_ratio=50.0) for _ in range(2)],
    payload=0.3,
    name="desk arm",
)
file = Path("desk_arm.py")
file.write_text(ulna.derive(arm=arm).code("python"))
print(f"{file}: {len(file.read_text().splitlines())} lines")

# %% [markdown]
# Its functions take the numbers of the arm, which stand in the file, and plain lists. A spring and
# a damper hold the joints after two seconds; the torques are held during a step.

# %%
desk = runpy.run_path(str(file))
numbers, step, tip = desk["Arm"](), desk["step"], desk["tip"]


def torques(t, q, qd):
    """Return the torques of the two motors [N m]."""
    if t < 2.0:
        return [0.0, 0.0]
    set_points, stiffness, damping = [0.8, -0.6], [40.0, 15.0], [6.0, 2.0]
    rows = zip(set_points, stiffness, damping, q, qd, strict=True)
    return [k * (wanted - angle) - d * rate for wanted, k, d, angle, rate in rows]


DT, STEPS = 0.001, 4000
q, qd, path, given = [0.3, 0.6], [0.0, 0.0], [], []
for k in range(STEPS):
    tau = torques(k * DT, q, qd)
    path.append(tip(numbers, q)[:2])
    given.append(tau)
    q, qd = step(numbers, q, qd, tau, DT)
print("the file ends at", [round(angle, 6) for angle in q], "rad")

# %% [markdown]
# ulna with the same torques, by the same method and the same steps.

# %%
t = np.arange(STEPS) * DT
run = ulna.simulate(
    arm, q0=[0.3, 0.6], torque=(t, np.array(given)), duration=STEPS * DT, method="rk4", dt=DT
)
print("ulna ends at", run.q[-1].round(6).tolist(), "rad")
difference = np.abs(run.q[-1] - q).max()
print(f"they differ by {difference:.1e} rad")
assert difference < 1e-9

# %%
figure, axes = plt.subplots(figsize=(5.2, 4.0), layout="constrained")
axes.plot(*run.tip[:, :2].T, linewidth=4, alpha=0.35, label="ulna")
axes.plot(*np.transpose(path), linewidth=1, color="black", label="desk_arm.py")
axes.set(xlabel="x [m]", ylabel="y [m]", title="Path of the tip", aspect="equal")
axes.legend()
figure.savefig("25_an_arm_in_a_file.png", dpi=120)
