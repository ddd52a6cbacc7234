# %% [markdown]
# # A controller of your own
#
# Any object with `start` and `torque` is a controller. It runs in Python, at its own rate, around
# the same engine. `ulna new my_controller.py` writes a script like this one to start from.

# %%
import numpy as np

import ulna
from ulna.viewer import error_figure


class TipSpring:
    """Pulls the tip to its place with a spring and a damper, and carries the weight."""

    def __init__(self, stiffness, damping):
        self.stiffness, self.damping = stiffness, damping

    def start(self, arm):
        return arm

    def torque(self, t, q, qd, reference, arm):
        J = ulna.kinematics.jacobian(arm, q)[:2]
        error = reference.tip[:2] - ulna.kinematics.tip(arm, q)[:2]
        error_rate = J @ (reference.qd - qd)
        force = self.stiffness * error + self.damping * error_rate
        return J.T @ force + ulna.dynamics.gravity_torque(arm, q), arm


# %% [markdown]
# It is used like any other, and judged like any other.

# %%
arm = ulna.preset("kehl")
plan = ulna.plan(arm, ulna.paths.lemniscate(center=(0.5, 0.2), radius=0.25), duration=6.0)
runs = {
    "springs at the joints": ulna.simulate(
        arm,
        controller=ulna.control.GravityPD([400.0, 100.0], [40.0, 10.0]),
        reference=plan,
        rate=500.0,
    ),
    "spring at the tip": ulna.simulate(
        arm, controller=TipSpring(4000.0, 250.0), reference=plan, rate=500.0
    ),
}
for name, run in runs.items():
    found = ulna.analysis.tracking(run, plan)
    print(f"{name:22} {1e3 * found.rms:.2f} mm RMS, {np.abs(run.tau).max():.1f} N·m at most")

# %% [markdown]
# How does it answer a step? The same question, for any controller.

# %%
spring = TipSpring(4000.0, 250.0)
print(
    ulna.analysis.step_response(
        ulna.Scenario(arm=arm, controller=spring, duration=2.0, rate=500.0), joint=2, size=0.1
    )
)
error_figure(plan, runs).savefig("09_your_own_controller.png")
