"""The small script that a person starts a controller of their own from."""

from __future__ import annotations

# A script of its own rather than a string put together: it is tested by being run.
CONTROLLER_TEMPLATE = '''\
"""A controller of my own: PD that carries the weight and leaves small gaps alone."""

import numpy as np

import ulna


class Deadband:
    def __init__(self, kp, kd, deadband):
        self.kp, self.kd, self.deadband = kp, kd, deadband

    def start(self, arm):
        """Give what torque() needs to remember; here only the arm. Called once, before t = 0."""
        return arm

    def torque(self, t, q, qd, reference, state):
        """Give one torque a joint [N*m] until the next tick, and what to remember."""
        gap = reference.q - q  # [rad]; there are reference.qd, .qdd and .tip as well
        gap = np.sign(gap) * np.maximum(np.abs(gap) - self.deadband, 0.0)
        pull = self.kp * gap + self.kd * (reference.qd - qd)
        return ulna.dynamics.gravity_torque(state, q) + pull, state


if __name__ == "__main__":
    arm = ulna.preset("kehl")  # or ulna.load("my_arm.toml")
    run = ulna.simulate(
        arm,
        q0=[0.0, 0.0],
        duration=3.0,
        controller=Deadband(kp=[400.0, 100.0], kd=[80.0, 20.0], deadband=0.01),
        reference=[1.0, -0.5],  # a posture, or a function of t that gives q, qd and qdd
        rate=500.0,  # ticks a second
    )
    print(run)
    print("gap at the end [rad]:", np.array([1.0, -0.5]) - run.q[-1])
    # run.save("run.nc"), then  ulna show run.nc --plot run.png
'''
