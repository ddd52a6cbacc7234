# %% [markdown]
# # A page that moves
#
# Open loop beside closed loop as one HTML file that opens anywhere: the verdict, the arms on one
# clock, and charts that move them when touched.

# %%
import ulna

arm = ulna.preset("kehl")
plan = ulna.plan(arm, ulna.paths.circle(center=(0.5, 0.2), radius=0.2), duration=3.0)
runs = {
    "open loop": ulna.simulate(arm, controller=ulna.control.OpenLoop(), reference=plan),
    "closed loop": ulna.simulate(arm, controller=ulna.control.ComputedTorque(), reference=plan),
}

# %% [markdown]
# The page holds all that it shows, and the script that repeats it. Names and notes are yours.

# %%
page = ulna.report(
    runs,
    "circle.html",
    plan=plan,
    title="A circle, with and without feedback",
    notes=["Point at a chart: the arms go to that time."],
)
print(f"open {page} in a browser: {page.stat().st_size / 1e3:.0f} kB, no network needed")

# %% [markdown]
# A plan, a single run, a batch and a phase portrait have pages of their own. In a notebook
# `ulna.show(result)` shows them in the cell.

# %%
ulna.report(plan, "plan.html")
