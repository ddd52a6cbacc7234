# %% [markdown]
# # A payload that nobody told the controller about
#
# The arm picks up a kilogram. A controller that believes in the empty arm carries too little: how
# much worse does it follow, and how much would it help to know?

# %%
import ulna
from ulna.control import ComputedTorque, FeedforwardPID
from ulna.viewer import error_figure

empty = ulna.preset("kehl")
loaded = empty.with_payload(1.0)
plan = ulna.plan(empty, ulna.paths.circle(center=(0.5, 0.3), radius=0.2), duration=4.0)

# %% [markdown]
# `model=` is the arm that a controller believes in; without it, the one that is simulated.

# %%
cases = {
    "empty arm": (empty, ComputedTorque(20.0)),
    "surprise": (loaded, ComputedTorque(20.0, model=empty)),
    "surprise, stiffer": (loaded, ComputedTorque(60.0, model=empty)),
    "surprise, integral": (loaded, FeedforwardPID(natural_frequency=20.0, model=empty)),
    "knows the payload": (loaded, ComputedTorque(20.0)),
}
runs = {}
for name, (arm, controller) in cases.items():
    runs[name] = ulna.simulate(arm, controller=controller, reference=plan)
    found = ulna.analysis.tracking(runs[name], plan)
    print(f"{name:20} tip error {1e3 * found.rms:8.3f} mm RMS")

# %%
error_figure(plan, runs).savefig("07_payload_surprise.png")
