# %% [markdown]
# # Torques for other masses
#
# Figure 8 of paper 000 as a sweep: the torques along its path for six masses of each link, 36 arms
# in one call. What comes back is a labelled dataset, a figure, and a page with sliders.

# %%
from pathlib import Path

import numpy as np

import ulna

masses = [1.0, 2.0, 5.0, 10.0, 15.0, 20.0]
spec = {
    "name": "masses of the links",
    "arm": "kehl",
    "path": "loops_as_printed()",
    "duration": "60 s",
    "derivatives": "finite",
    "elbow": "positive",
    "simulate": False,
    "samples": 2000,
    "vary": {"link.1.mass": masses, "link.2.mass": masses},
    "keep": ["torque.peak", "torque.rms", "torque"],
}
sweep = ulna.sweep(spec)
print(sweep)

# %% [markdown]
# `examples/27_mass_sweep.toml` is the same as a file, for `ulna sweep 27_mass_sweep.toml`. The axes
# of the dataset are the parameters: the figure of the paper is two lines through it.

# %%
peaks = sweep.dataset["torque.peak"]
for name, held in (("link.1.mass", {"link.2.mass": 10.0}), ("link.2.mass", {"link.1.mass": 1.0})):
    line = peaks.sel(held)
    print(f"{name:12} " + "".join(f"{mass:9g}" for mass in line[name].values))
    for joint in (1, 2):
        print(
            f"peak τ{joint} [N·m]" + "".join(f"{one:9.2f}" for one in line.sel(joint=joint).values)
        )

# %% [markdown]
# Torques are linear in masses, and the torque of joint 2 does not depend on the mass of link 1.

# %%
second = peaks.sel(joint=2).values
assert np.allclose(second, second[:1], rtol=1e-12, atol=0.0)
assert np.allclose(second, second[:, :1] * np.array(masses), rtol=1e-12, atol=0.0)

# %%
ulna.plot(sweep).savefig("27_mass_sweep.png", dpi=120)
ulna.plot(sweep, what="torque").savefig("27_mass_sweep_curves.png", dpi=120)
page = ulna.report(sweep, Path("27_mass_sweep.html"))
print(f"{page}: {page.stat().st_size // 1000} kB")
