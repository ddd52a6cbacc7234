"""Errata of words and code: what friction is, what the solver is called, what does not run."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ulna.arm import Arm
from ulna.dynamics import sequential
from ulna.papers.bechard import printed, runs
from ulna.papers.bechard.parameters import ONE, link_angles, said, without_friction
from ulna.papers.row import Number, Row, Verdict
from ulna.simulation import simulate

LINES = ("Mass.1 = 1", "1x, 1y = 0, 0", "weight += m*g*dist*(x/", "(torque weight) / inertia")
FRAMES, DURATION = 2000, 20.0  # an animation of 20 s with 10 ms between its pictures
START = 2.0  # [rad/s] at which both laws of friction are the same
LONG, LATE = 60.0, 55.0  # [s]


def rows() -> tuple[Row, ...]:
    """Return errata 4, 5, 6 and 11."""
    return _drag(), _solver(), _debris(), _function()


def _drag() -> Row:
    linear, square = speed_left("damped"), speed_left("dragged")
    return Row(
        key="erratum-4",
        title="What a quadratic law is",
        where="§3.1",
        printed="strictly taken, friction would go with (θ′)²",
        ours="friction in a joint goes with θ̇, and is partly constant; drag of air goes with θ̇²",
        verdict=Verdict.WRONG,
        why="The square is the law of a body that is dragged fast through air, not of a bearing.",
        how=(
            f"the pendulum of figure 1 started at {START:g} rad/s, where both laws are made to "
            f"agree, and its fastest speed from {LATE:g} to {LONG:g} s"
        ),
        size=(
            f"with its linear law {linear:.2g} rad/s are left after a minute, with the square "
            f"{square:.2g}: small swings would hardly be damped"
        ),
        call=(
            "import ulna\n"
            "arm = ulna.Arm.point_masses([1.0], [1.0])\n"
            'drag = "-0.1*qd1*abs(qd1)"\n'
            "run = ulna.simulate(arm, q0=[0], qd0=[2], torque=drag, duration=60.0)\n"
        ),
        numbers=(
            Number("linear", linear, "rad/s", label="left with b θ̇", digits=3),
            Number("square", square, "rad/s", label="left with c θ̇²", digits=3),
        ),
    )


@cache
def speed_left(how: str) -> float:
    """Return the fastest speed [rad/s] of the pendulum after a minute, damped or dragged."""
    b = ONE.joints[0].damping
    arm, torque = (ONE, 0.0) if how == "damped" else (
        without_friction(ONE), f"-{b / START!r}*qd1*abs(qd1)",
    )  # fmt: skip
    run = simulate(arm, q0=[0.0], qd0=[START], torque=[torque], duration=LONG, progress=False)
    return float(np.abs(run.qd[run.t >= LATE]).max())


def _solver() -> Row:
    order = measured_order()
    return Row(
        key="erratum-5",
        title="The name of the solver",
        where="§3.2",
        printed="a Runge–Kutta 7-8 solver of solve_ivp",
        ours="DOP853: of order 8, with estimates of its error of orders 5 and 3",
        verdict=Verdict.CORRECTED,
        why="solve_ivp has no pair of orders 7 and 8; what it has of that order is DOP853.",
        how="its default run for 4 s in steps of 0.1 and of 0.05 s: by how much the error falls",
        size=f"measured order {order:.1f}",
        call=(
            "import ulna\n"
            "run = ulna.simulate(\n"
            '    ulna.preset("bechard-1"), q0=[0], torque=[10], duration=20.0, method="dop853"\n'
            ")\n"
        ),
        numbers=(Number("order", order, "", label="order as measured", digits=2),),
    )


@cache
def measured_order() -> float:
    """Return the order by which the error of fixed steps falls when they are halved."""
    given: dict[str, Any] = {
        "q0": [0.0],
        "torque": [10.0],
        "duration": 4.0,
        "samples": 2,
        "progress": False,
    }
    exact = simulate(ONE, **given, rtol=1e-13).q[-1, 0]
    coarse, fine = (
        abs(simulate(ONE, **given, rtol=None, dt=dt).q[-1, 0] - exact) for dt in (0.1, 0.05)
    )
    return float(np.log2(coarse / fine))


def _debris() -> Row:
    late = DURATION - printed.clock(FRAMES - 1, DURATION, FRAMES)
    refused = sum(not _is_python(line) for line in LINES)
    folded = Arm.point_masses([1.0, 1.0], [1.0, 1.0])
    weight = float(sequential.frozen(folded, np.array([0.0, np.pi])).weight[0])
    lost = printed.weight_by_division(1.0, 0.0, 0.0)
    found = "0/0" if np.isnan(lost) else said(lost, ".2f")
    return Row(
        key="erratum-6",
        title="What is left of the code in print",
        where="§3.2, §4.2",
        printed="`Mass.1`, `1x`, a line cut off, no minus before the weight, x/r, i · T/len",
        ours="`Mass_1`, `lx`, a whole line, τ − weight, m g x without a division, i · T/(len − 1)",
        verdict=Verdict.CORRECTED,
        why="As we have them, the listings do not run; once mended they do what the text says.",
        transcription="all but the division x/r and the clock",
        how=(
            "a line of each kind given to Python; two equal links folded, the outer mass at the "
            f"first joint; the clock of an animation of {FRAMES} pictures"
        ),
        size=(
            f"{refused} of {len(LINES)} lines refused; the weight of a folded arm is {found} in "
            f"place of {weight:.2f} N·m; the clock ends {1000.0 * late:.0f} ms early"
        ),
        numbers=(
            Number("refused", float(refused), "", label="lines that Python refuses"),
            Number("weight", weight, "N·m", label="weight of the folded arm", digits=4),
            Number("late", late, "s", label="clock behind at the end", digits=3),
        ),
    )


def _is_python(line: str) -> bool:
    try:
        compile(line, "<printed>", "exec")
    except SyntaxError:
        return False
    return True


def _function() -> Row:
    growing, filled = (float(link_angles(runs.four_pushed(tau))[-1, 0]) for tau in ("100*t", "0"))
    return Row(
        key="erratum-11",
        title="The function of torque has to be called",
        where="§4.4",
        printed="the function replaces `Torques[x]`",
        ours="`compute_torque(t)[x]`",
        verdict=Verdict.CORRECTED,
        why="It gives all torques at a time: it needs the time, and its answer the index.",
        how="its four joints for 5 s, with the torque asked at every time and with the first one",
        size=(
            f"an array that is filled once, at t = 0, leaves the first link at "
            f"{said(filled, '.3f')} rad in place of {growing:.3f}"
        ),
        numbers=(
            Number("growing", growing, "rad", label="θ₁, torque asked at every time"),
            Number("filled", filled, "rad", label="θ₁, torque of t = 0", digits=4),
        ),
    )
