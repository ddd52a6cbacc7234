# %% [markdown]
# # The phase portrait of one joint
#
# A motor that is too weak to lift its arm can still keep it turning, once it turns. Which starts
# come to rest and which run for ever, and the thin line between them, are on one page.

# %%
import ulna
from ulna.viewer import portrait_figure

# %% [markdown]
# An under-powered motor: 1 kg at 1 m, 4 N·m where level takes 9.81. Three starts with the
# arm level differ only in how fast they are.

# %%
arm = ulna.preset("bechard-1")
starts = [(0.0, 1.0), (0.0, 3.07), (0.0, 3.2)]
portrait = ulna.portrait(arm, torque=4.0, starts=starts)
print(portrait)

# %% [markdown]
# Where does the fate change? By bisection, to nine digits behind the point.

# %%
for border in portrait.critical_speeds(angle=0.0):
    print(f"{border.value:.9f} rad/s: {border.below.name} | {border.above.name}")
print(f"{portrait.critical_torques.running:.9f} N·m keep it running")
print(f"{portrait.critical_torques.lifting:.9f} N·m lift it from anywhere")

# %% [markdown]
# 250,000 starts, each followed until its fate is certain. Wells that are a turn apart are one well:
# the page is a cylinder, cut open at ±π.

# %%
basins = portrait.basins(500)
for number, name in enumerate(basins.names):
    print(f"{100 * basins.share(number):.1f} % of the page: {name}")
portrait_figure(portrait, basins=basins).savefig("15_phase_portrait.png")
