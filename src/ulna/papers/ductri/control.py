"""Paper 003's list of uses, judged by running each: control, learning, feed-forward, simulation."""

from __future__ import annotations

import numpy as np

from ulna.papers.ductri import figures, runs
from ulna.papers.row import Number, Picture, Row, Verdict

WHERE = "4. Compact Form, its uses"
LOOKED_AT = (0.1, 0.2, 0.4)  # [s] at which gaps are compared with the law
MILLI = 1e3

SWING = """\
import numpy as np
import ulna
from ulna import control

arm = ulna.preset("ductri")


def swing(t):
    pace = np.array([2.0, 2.8])
    angle = pace * t
    return 0.8 * np.sin(angle), 0.8 * pace * np.cos(angle), -0.8 * pace**2 * np.sin(angle)


start = dict(q0=swing(0.0)[0], qd0=swing(0.0)[1], reference=swing)
"""
COMPUTED_TORQUE = (
    SWING
    + """\
run = ulna.simulate(arm, duration=1.0, controller=control.ComputedTorque(10.0), **start)
print(run.q[-1] - swing(1.0)[0], "rad off")
"""
)
ADAPTIVE = (
    SWING
    + """\
controller = control.Adaptive(10.0, adaptation=1.0, model=arm)
loaded = ulna.Simulation(arm.with_payload(0.5), controller=controller, **start)
loaded.advance(4.0)
print(controller.estimate(loaded.controller_state))
"""
)
FEED_FORWARD = (
    SWING
    + """\
law = control.FeedforwardPID(natural_frequency=10.0)
run = ulna.simulate(arm, duration=1.0, controller=law, **start)
print(run.q[-1] - swing(1.0)[0], "rad off")
"""
)
SIMULATION = """\
import ulna

run = ulna.simulate(ulna.preset("ductri"), q0=[0.0, 0.0], duration=5.0, rtol=1e-12)
print(run.q[-1], "rad after 5 s")
"""


def rows() -> tuple[Row, ...]:
    """Judge the four uses."""
    return _computed_torque(), _adaptive(), _feed_forward(), _simulation()


def _computed_torque() -> Row:
    run = runs.computed_torque()
    gaps = runs.gap(run)
    seen = {t: gaps[int(np.argmin(np.abs(np.asarray(run.t) - t)))] for t in LOOKED_AT}
    late = np.asarray(run.t) > 0.5 * runs.FOLLOWED
    steady = float(np.sqrt(np.mean(runs.tip_error(run)[late] ** 2)))
    return Row(
        key="computed-torque",
        title="Computed torque",
        where=WHERE,
        printed="The MCG form is a basis for it.",
        ours="`control.ComputedTorque`: inverse dynamics for the acceleration that is wanted.",
        verdict=Verdict.SAME,
        why=(
            "All that is not linear cancels: a gap e closes as e (1 + ω t) exp(−ω t), and "
            f"{MILLI * steady:.2f} mm are left at 1 kHz."
        ),
        call=COMPUTED_TORQUE,
        numbers=(
            *(
                Number(
                    f"gap_{i + 1}_{round(MILLI * t)}",
                    float(gap[i]),
                    "rad",
                    label=f"gap of joint {i + 1}",
                    of=f"after {t:g} s",
                    digits=4,
                )
                for t, gap in seen.items()
                for i in range(2)
            ),
            Number("steady", MILLI * steady, "mm", label="RMS tip error, settled", digits=3),
        ),
        pictures=(
            Picture(
                "003-computed-torque.svg",
                "From beside the swing back to it: joint angles, and gaps beside the law.",
                figures.computed_torque,
            ),
        ),
    )


def _adaptive() -> Row:
    found = runs.adaptive()
    return Row(
        key="adaptive",
        title="Adaptive control",
        where=WHERE,
        printed="The MCG form is a basis for it.",
        ours="`control.Adaptive`, for which C must be the matrix that makes Ṁ − 2C skew.",
        verdict=Verdict.SAME,
        why=(
            f"Not told of {runs.LOAD:g} kg more at the tip, it comes to reckon with "
            f"{found.load[-1]:.3f} kg there, where {found.true:g} kg are, and its error falls "
            f"{found.early / found.late:.0f}-fold."
        ),
        call=ADAPTIVE,
        numbers=(
            Number("early", MILLI * found.early, "mm", label="RMS tip error, first 2 s", digits=3),
            Number("late", MILLI * found.late, "mm", label="RMS tip error, last 2 s", digits=3),
            Number("believed", float(found.load[-1]), "kg", label="m_E as learnt", digits=3),
            Number("true", found.true, "kg", label="m_E with the load"),
        ),
        pictures=(
            Picture(
                "003-adaptive.svg",
                "The tip's error and the mass at the tip that the controller believes in.",
                figures.adaptive,
            ),
        ),
    )


def _feed_forward() -> Row:
    with_model, without = (
        runs.rms_tip_error(run) for run in (runs.feed_forward(), runs.feedback_alone())
    )
    return Row(
        key="feed-forward",
        title="Feed-forward by the model",
        where=WHERE,
        printed="The MCG form is a basis for it.",
        ours="`control.FeedforwardPID`: inverse dynamics of the reference, plus PID.",
        verdict=Verdict.SAME,
        why=(
            f"With the model's torques the tip is {MILLI * with_model:.2f} mm off, by the same PID "
            f"without them {MILLI * without:.0f} mm."
        ),
        call=FEED_FORWARD,
        numbers=(
            Number("with_model", MILLI * with_model, "mm", label="RMS, with the model", digits=3),
            Number("without", MILLI * without, "mm", label="RMS, PID alone", digits=3),
        ),
        pictures=(
            Picture(
                "003-feed-forward.svg",
                "The tip's error with and without the torques of the model.",
                figures.feed_forward,
            ),
        ),
    )


def _simulation() -> Row:
    run = runs.free_swing()
    energy = np.asarray(run.energy.kinetic) + np.asarray(run.energy.potential)
    drift = float(np.abs(energy - energy[0]).max())
    return Row(
        key="simulation",
        title="Simulation",
        where=WHERE,
        printed="Numerical simulation of joint motion.",
        ours="`ulna.simulate`: forward dynamics, integrated to a tolerance.",
        verdict=Verdict.SAME,
        why=(
            f"Let go level, the arm swings for {runs.FREE:g} s and keeps its energy to "
            f"{drift:.0e} J."
        ),
        call=SIMULATION,
        numbers=(
            Number("q1", float(run.q[-1, 0]), "rad", label="χ₁ after 5 s", digits=8),
            Number("q2", float(run.q[-1, 1]), "rad", label="χ₂ after 5 s", digits=8),
            Number("drift", drift, "J", label="energy gained or lost", digits=2),
        ),
        pictures=(
            Picture(
                "003-simulation.png",
                "The arm let go: its way, its angles and its energies.",
                figures.simulation,
            ),
        ),
    )
