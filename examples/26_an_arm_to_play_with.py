# %% [markdown]
# # An arm to play with: one file, no Python, no network
#
# Drag the tip, throw the arm, steer it, draw a path for it: in any browser, on any phone. The
# physics of the page is the JavaScript that `ulna derive` writes.

# %%
import ulna

# Weak motors: the page shows when a controller asks for more than they have.
joints = [
    ulna.Joint(lower=-0.5, upper=3.1, max_torque=3.0, damping=0.02),
    ulna.Joint(lower=-2.6, upper=2.6, max_torque=1.0, damping=0.01),
]
arm = ulna.Arm.rods([0.25, 0.20], [0.4, 0.25], joints=joints, payload=0.1, name="drawing arm")
page = ulna.play(arm, "drawing-arm.html", q0=[1.2, -1.4])
print(f"{page.stat().st_size / 1e3:.0f} kB: open {page} in a browser, press Space, throw it")

# %% [markdown]
# The same with a question in it: every seed has other numbers, and the page says how far off an
# answer is.

# %%
question = ulna.play(file="question.html", exercise="torque", seed=12)
print(f"open {question}")
