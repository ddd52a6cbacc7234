# %% [markdown]
# # An arm from another program's file
#
# A desk arm that pans is described in a URDF. Its planar part is read, draws a circle, and is
# written for MuJoCo, which says the same torques; `ulna.save` tells where it would not.

# %%
import importlib.util
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import ulna


def body(name, mass, along, inertia):
    moments = f'ixx="{inertia}" iyy="{inertia}" izz="{inertia}" ixy="0" ixz="0" iyz="0"'
    inertial = f'<origin xyz="0 0 {along}"/><mass value="{mass}"/><inertia {moments}/>'
    return f'<link name="{name}"><inertial>{inertial}</inertial></link>\n'


def joint(name, kind, parent, child, along, axis, more=""):
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    place = f'<origin xyz="0 0 {along}"/><axis xyz="{axis}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{place}{more}</joint>\n'


limits = '<limit lower="-2.2" upper="2.2" effort="8" velocity="6"/>'
Path("desk.urdf").write_text(
    '<robot name="desk">\n<link name="base"/>\n'
    + body("turntable", 1.0, 0.05, 0.01)
    + body("upper", 0.5, 0.15, 0.004)
    + body("lower", 0.3, 0.1, 0.001)
    + '<link name="pen"/>\n'
    + joint("pan", "continuous", "base", "turntable", 0.0, "0 0 1")
    + joint("shoulder", "revolute", "turntable", "upper", 0.1, "0 1 0", limits)
    + joint("elbow", "revolute", "upper", "lower", 0.3, "0 1 0", limits)
    + joint("holder", "fixed", "lower", "pen", 0.2, "0 0 1")
    + "</robot>\n"
)

# %% [markdown]
# The pan is not parallel to the others: asked for the whole robot, ulna names it and refuses. The
# part between two links is planar; what is held at zero is told.

# %%
try:
    ulna.interop.import_robot("desk.urdf")
except ulna.InputError as error:
    print(error)
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    found = ulna.interop.import_robot("desk.urdf", base_link="turntable", tip_link="pen")
print(*(one.message for one in told), sep="\n")
print(
    f"joints {found.joint_names}, at {np.degrees(found.offsets)}° where those of the file are zero"
)

# %% [markdown]
# What a file for MuJoCo cannot hold is told as it is written. Here that is no torque: along the
# circle MuJoCo's are those of the plan to rounding.

# %%
plan = ulna.plan(
    found.arm, ulna.paths.circle(center=(0.28, 0.3), radius=0.08), duration=1.5, timing="quintic"
)
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    ulna.save(found.arm, "desk.xml")
print(*(one.message for one in told), sep="\n")
fig, ax = plt.subplots(figsize=(6, 4))
for number in range(2):
    ax.plot(plan.t, plan.tau[:, number], label=f"{found.joint_names[number]}, ulna")
if importlib.util.find_spec("mujoco") is not None:
    import mujoco

    model = mujoco.MjModel.from_xml_path("desk.xml")
    data, torques = mujoco.MjData(model), []
    for data.qpos, data.qvel, data.qacc in zip(plan.q, plan.qd, plan.qdd, strict=True):
        mujoco.mj_inverse(model, data)
        torques.append(data.qfrc_inverse.copy())
    apart = np.max(np.abs(np.array(torques) - plan.tau))
    print(f"MuJoCo's torques are {apart:.1e} N·m away at most")
    some = slice(None, None, max(1, len(plan.t) // 40))
    ax.plot(plan.t[some], np.array(torques)[some], "k.", markersize=4, label=["MuJoCo", None])
ax.set(xlabel="t [s]", ylabel="torque [N·m]")
ax.legend()
fig.savefig("31_an_arm_from_other_programs.png", dpi=100)
