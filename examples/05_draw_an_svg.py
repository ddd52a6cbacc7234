# %% [markdown]
# # Draw a picture
#
# A drawing in SVG becomes a path: y is flipped, it is fitted into what the arm reaches, and its
# corners are rounded a little, so that the arm can go through them without stopping.

# %%
from pathlib import Path

import ulna
from ulna.viewer import motion_figure

drawing = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 60">
  <path d="M 5 55 L 5 15 C 5 -5 45 -5 45 15 L 45 55 Z"/>
  <circle cx="75" cy="30" r="18"/>
</svg>"""
Path("drawing.svg").write_text(drawing, encoding="utf-8")

# %% [markdown]
# No scale is given, so the plan chooses one and says so. The circle is a stroke of its own: the pen
# is lifted before it, and travels there straight.

# %%
arm = ulna.preset("kehl")
path = ulna.paths.svg("drawing.svg", blend=3.0)
plan = ulna.plan(arm, path, timing="s-curve", duration=20.0)
print(plan)

# %%
run = ulna.simulate(
    arm, controller=ulna.control.ComputedTorque(natural_frequency=20.0), reference=plan
)
print(ulna.analysis.tracking(run, plan))
motion_figure(plan, run).savefig("05_draw_an_svg.png")
