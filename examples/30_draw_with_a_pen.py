# %% [markdown]
# # Draw with a pen
#
# A house of four strokes: the pen is lifted between them, they are put in an order with little
# travel, and two hobby servos and a third for the pen get a table of pulses and a program.

# %%
from pathlib import Path

import ulna
from ulna.motion import servo_table
from ulna.viewer import motion_figure

house = """<svg xmlns="http://www.w3.org/2000/svg" width="100mm" height="80mm" viewBox="0 0 100 80">
  <path d="M 10 75 V 40 H 90 V 75 Z M 2 40 L 50 5 L 98 40"/>
  <rect x="60" y="48" width="18" height="14"/>
  <path d="M 25 75 V 52 H 42 V 75"/>
</svg>"""
Path("house.svg").write_text(house, encoding="utf-8")

# %% [markdown]
# A desk arm that lies flat, of two links with servos that turn 180 degrees. Where the drawing goes
# is given: in its own size, with the lower left corner of its page beside the base.

# %%
limits = ulna.Joint(lower=-1.57, upper=1.57, max_torque=1.5)
bent = ulna.Joint(lower=0.1, upper=3.0, max_torque=1.5)
links = [ulna.Link(length=0.16, mass=0.06, tip_mass=0.055), ulna.Link(length=0.14, mass=0.04)]
arm = ulna.Arm.of(links, [limits, bent], gravity=(0.0, 0.0), name="desk arm")
path = ulna.paths.svg("house.svg", scale=1).placed((0.128, -0.025))
plan = ulna.plan(arm, path, max_speed=0.08, max_acceleration=0.8)
print(plan)
assert plan.ok

# %% [markdown]
# Every joint has a servo: the first stands in the middle of its range where its angle is 0, the
# second at the end of it, and turns the other way.

# %%
servos = [
    "pulse(500, 2500, range='180 deg', zero='90 deg')",
    "pulse(500, 2500, range='180 deg', zero='180 deg', direction=-1)",
]
table = servo_table(plan, servos, pen="pen(up=1400, down=1700)")
table.save("servo.csv")
Path("servo.ino").write_text(table.arduino(pins=[9, 10, 11]), encoding="utf-8")
Path("main.py").write_text(table.micropython(pins=[0, 1, 2]), encoding="utf-8")
print(f"{len(table.t)} rows at {table.rate:g} Hz, the first: {table.values[0].tolist()} µs")

# %%
motion_figure(plan).savefig("30_draw_with_a_pen.png")
