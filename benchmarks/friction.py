"""What friction costs: a two-link arm with Coulomb friction beside the same arm without, in turns.

Torques swing so that both joints reverse twice a second; about a third of the time one of them
sticks. The torques are a table of 200 rows a second, as a motion that was measured or planned is.
"""

from __future__ import annotations

import numpy as np
from measuring import Report, in_turns

import ulna

DURATION = 10.0  # [s] of one arm
MEMBERS, BATCH_DURATION = 1024, 2.0
RATE = 200.0  # [1/s] of the table


def arms() -> tuple[ulna.Arm, ulna.Arm]:
    """Return an arm that lies flat, with Coulomb friction and without."""
    links = [ulna.Link(0.5, 1.0), ulna.Link(0.4, 0.6)]
    rubs = [ulna.Joint(friction=ulna.Friction(coulomb)) for coulomb in (0.5, 0.115)]
    flat = (0.0, 0.0)
    return ulna.Arm.of(links, rubs, gravity=flat), ulna.Arm.of(links, gravity=flat)


def table(duration: float) -> tuple[np.ndarray, np.ndarray]:
    """Return torques that swing once a second."""
    t = np.arange(0.0, duration, 1.0 / RATE)
    angle = 2.0 * np.pi * t
    return t, np.stack([0.9 * np.sin(angle), 0.27 * np.sin(angle + 0.4)], axis=-1)


def motion(rubbing: ulna.Arm) -> tuple[float, float]:
    """Return how often a joint reverses in a second, and the part of the time that it sticks."""
    run = ulna.simulate(
        rubbing, q0=[0.0, 0.0], duration=DURATION, torque=table(DURATION), method="rk4",
        samples=10_001,
    )  # fmt: skip
    assert run.status
    moving = [np.sign(rates[rates != 0.0]) for rates in run.qd.T]
    reversals = np.mean([np.count_nonzero(np.diff(signs)) for signs in moving]) / DURATION
    return float(reversals), sum(one.seconds for one in run.sticking) / (2.0 * DURATION)


def one_arm(rubbing: ulna.Arm, ideal: ulna.Arm) -> float:
    """Return the time of a run with friction to that without."""
    torques = table(DURATION)

    def run(arm: ulna.Arm) -> None:
        ulna.simulate(arm, q0=[0.0, 0.0], duration=DURATION, torque=torques, method="rk4")

    mine, plain = in_turns(lambda: run(rubbing), lambda: run(ideal), rounds=21)
    return mine / plain


def batch(rubbing: ulna.Arm, ideal: ulna.Arm) -> float:
    """Return the time of a batch with friction to that without, in one thread."""
    torques = table(BATCH_DURATION)
    start = np.random.default_rng(0).uniform(-0.5, 0.5, (MEMBERS, 2))

    def run(arm: ulna.Arm) -> None:
        ulna.simulate_batch(arm, q0=start, duration=BATCH_DURATION, torque=torques, threads=1)

    mine, plain = in_turns(lambda: run(rubbing), lambda: run(ideal), rounds=5)
    return mine / plain


def main() -> None:
    report = Report()
    rubbing, ideal = arms()
    reversals, stuck = motion(rubbing)
    report.note("friction: reversals of a joint in a second", reversals, 1.8)
    report.note("friction: part of the time that a joint sticks", stuck, 0.2)
    report.note("friction: a run's time to that of the ideal arm", one_arm(rubbing, ideal), most=3)
    report.note("friction: a batch's time to that of ideal arms", batch(rubbing, ideal), most=5)
    report.save("friction")


if __name__ == "__main__":
    main()
