# %% [markdown]
# # Which controller follows best, and what if nobody told it of the load?
#
# An arm carries a kilogram more than its model says, and is to swing both joints.

# %%
import numpy as np

import ulna
from ulna.control import CONTROLLERS, Adaptive, read_controller, with_model
from ulna.errors import InputError

believed = ulna.preset("kehl")
arm = believed.with_payload(1.0)
pace = np.array([2.0, 3.0])  # [rad/s]


def swing(t):
    """Give angles, rates and accelerations of both joints."""
    angle = pace * t
    return 0.6 * np.sin(angle), 0.6 * pace * np.cos(angle), -0.6 * pace**2 * np.sin(angle)


def largest_gap(controller):
    """Give the largest gap of the last two of six seconds [mrad]."""
    q, qd, _ = swing(0.0)
    run = ulna.simulate(
        arm, q0=q, qd0=qd, duration=6.0, controller=controller, reference=swing, samples=601
    )
    aims = np.array([swing(t)[0] for t in run.t])
    return 1000.0 * np.abs(run.q - aims)[run.t >= 4.0].max()


# %% [markdown]
# Each with its default gains, once with a perfect model and once without the load. Alone, torques
# that are right for the motion do not keep an arm on it: see the last line.

# %%
print(f"{'gap in mrad':16} {'told':>10} {'not told':>12}")
for name in CONTROLLERS:
    controller = read_controller(name)
    told = largest_gap(controller)
    try:
        not_told = f"{largest_gap(with_model(controller, believed)):12.2f}"
    except InputError:
        not_told = f"{'has no model':>12}"
    print(f"{name:16} {told:10.2f} {not_told}")

# %% [markdown]
# What has Adaptive learnt of the last link, and what is true?

# %%
learner = ulna.Simulation(
    arm, q0=[0.0, 0.0], qd0=swing(0.0)[1], controller=Adaptive(model=believed), reference=swing
)
names = ulna.dynamics.parameter_names(arm)
for seconds in (0.0, 2.0, 8.0, 20.0):
    learner.advance_to(seconds)
    estimate = dict(zip(names, Adaptive.estimate(learner.controller_state), strict=True))
    print(f"after {seconds:4.0f} s: first moment {estimate['first_moment.2']:.3f} kg·m")
truth = dict(zip(names, ulna.dynamics.parameter_vector(arm), strict=True))
print(f"truth       : first moment {truth['first_moment.2']:.3f} kg·m")
