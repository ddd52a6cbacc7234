# %% [markdown]
# # Six controllers on one path
#
# The preset `kehl` on its loops, with the same springs wherever there are springs. What does each
# idea buy? Knowing the weight, knowing the accelerations, and correcting what is seen.

# %%
import warnings

import ulna
from ulna.control import PID, Adaptive, ComputedTorque, FeedforwardPID, GravityPD, OpenLoop
from ulna.viewer import error_figure

arm = ulna.preset("kehl")
plan = ulna.plan(arm, ulna.paths.loops(), duration=60.0)
springs = {"kp": [400.0, 100.0], "kd": [40.0, 10.0]}
controllers = {
    "open loop": OpenLoop(),
    "PID": PID(**springs),
    "PD + gravity": GravityPD(**springs),
    "feed-forward + PID": FeedforwardPID(**springs, ki=0.0),
    "computed torque": ComputedTorque(natural_frequency=20.0),
    "adaptive": Adaptive(bandwidth=20.0),
}

# %% [markdown]
# Open loop the arm soon whirls at hundreds of radians a second, which steps of 1 ms do not follow:
# ulna warns of that, and here how far off it is does not matter.

# %%
warnings.simplefilter("ignore", ulna.UlnaWarning)
runs = {}
for name, controller in controllers.items():
    runs[name] = ulna.simulate(arm, controller=controller, reference=plan)
    error = ulna.analysis.tracking(runs[name], plan).rms
    print(f"{name:20} tip error {1e3 * error:10.4f} mm RMS")

# %% [markdown]
# On a logarithmic scale, since the best and the worst are five powers of ten apart.

# %%
error_figure(plan, runs).savefig("06_six_controllers.png")
