"""The arm on its path under feedback at 1 kHz: how far off its tip is, and what comes next."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, lru_cache
from typing import Any, NamedTuple, cast

import numpy as np
from matplotlib.figure import Figure

import ulna
from papers.figures import curve, finish, page_of_panels, series
from papers.kehl import rows
from papers.kehl.motions import RODS, arm, plan, printed_plan, torque_at
from papers.kehl.printed import Array
from papers.rows_file import Values
from ulna.analysis import tracking
from ulna.arm import Arm
from ulna.control import CONTROLLERS, PD, PID, ComputedTorque, FeedforwardPID, GravityPD
from ulna.simulation import Run, Sensors
from ulna.viewer import PRINT, Theme, player, styled

SPRINGS = ([400.0, 100.0], [40.0, 10.0])  # [N·m/rad] and [N·m·s/rad]
SETTLED = 1.0  # [s] after which a start from rest is forgotten
RATE = 1000.0  # [Hz]
FIRST = 6.0  # [s] that are replayed
DAMPING = 0.5  # [N·m·s/rad]
DRY = ulna.Friction(coulomb=2.0)  # [N·m]
AIR = ulna.Friction(drag=0.5)  # [N·m·s²/rad²]
MOTOR = "maxon-re-40-24v"
GEAR, EFFICIENCY = 200.0, 0.7
COUNTS = 4096  # of an encoder
MICRO, MILLI = 1e6, 1e3
LOOPS = {  # by the names of their numbers: the law, and the part of a metre that they are told in
    "computed_torque": ("computed torque", MICRO),
    "wrong_masses": ("wrong masses", MILLI),
    "feedforward": ("feed-forward", MICRO),
    "printed_torques": ("printed torques", MILLI),
    "gravity": ("gravity", MILLI),
    "pd": ("PD", MILLI),
    "pid": ("PID", MILLI),
    "encoder": ("encoder", MICRO),
    "damping": ("damping", MICRO),
    "damping_unknown": ("unknown damping", MICRO),
    "friction_known": ("friction", MICRO),
    "friction_unknown": ("unknown friction", MILLI),
    "driven": ("motors", MICRO),
}
LAWS = {
    "PD": "PD alone",
    "gravity": "PD + gravity",
    "printed torques": "PD + printed torques",
    "feed-forward": "PD + feed-forward",
    "computed torque": "computed torque",
}


@rows.values("feedback")
def path_under_feedback() -> Values:
    laws = ("computed_torque", "wrong_masses", "feedforward", "printed_torques", "gravity", "pd")
    return {
        **{name: _told(name) for name in laws},
        "pid": _told("pid"),
        "computed_torque_rest": _told("computed_torque", resting=True),
        "feedforward_rest": _told("feedforward", resting=True),
        "computed_torque_later": MICRO * error("computed torque", resting=True).later,
    }


def _told(name: str, *, resting: bool = False) -> float:
    law, scale = LOOPS[name]
    return scale * error(law, resting=resting).rms


@rows.picture("000-feedback.svg")
def feedback_figure(theme: Theme = PRINT) -> Figure:
    """Draw how far the tip is off under each law."""
    with styled(theme):
        figure, (axes,) = page_of_panels("the path under feedback", (4.0,))
        axes.set_yscale("log")
        for (law, label), style in zip(LAWS.items(), series(len(LAWS), theme), strict=True):
            found = error(law)
            every = _envelope(found.size)
            shown = f"{label}: {_length(found.rms)}"
            curve(axes, found.t[:: len(found.t) // len(every)][: len(every)], every, shown, style)
        axes.set_ylim(1e-6, 1.0)
        finish(axes, theme, ylabel="tip error [m]", columns=3)
    return figure


def _envelope(size: Array, pieces: int = 600) -> Array:
    """Return the largest error of each of many short stretches: what lies between is of no use."""
    length = len(size) // pieces
    return np.asarray(size[: pieces * length].reshape(pieces, length).max(axis=1))


def _length(value: float) -> str:
    return f"{1e6 * value:.3g} µm" if value < 1e-3 else f"{1e3 * value:.3g} mm"


@rows.values("animation")
def arm_in_motion() -> Values:
    return {"duration": plan().duration, "error": _told("computed_torque")}


@rows.player("000-figure-7.html")
def play_following() -> str:
    """Play the arm on its path under feedback."""
    runs = {"computed torque at 1 kHz": run("computed torque")}
    return player(runs, plan=plan(), title="On the path, under feedback").html


@rows.player("000-figure-6.html")
def play_replay() -> str:
    """Play the first seconds: torques replayed, and under feedback."""
    return player(first_seconds(), plan=plan(), title="The first seconds").html


def first_seconds() -> dict[str, Run]:
    """Follow the first seconds of the path, once by torques alone and once under feedback."""
    made, start = plan(), plan().trajectory(0.0)
    times = np.linspace(0.0, FIRST, 601)
    common: dict[str, Any] = {"duration": FIRST, "samples": times, "q0": start.q, "qd0": start.qd}
    replayed = ulna.simulate(arm(), torque=torque_at(arm()), rtol=1e-9, atol=1e-14, **common)
    held = ulna.simulate(arm(), controller=ComputedTorque(20.0), reference=made, **common)
    return {"with feedback": held, "torques replayed": replayed}


@rows.values("next")
def what_is_next() -> Values:
    laws = ("pid", "encoder", "damping", "damping_unknown", "friction_known", "friction_unknown")
    return {
        "controllers": ", ".join(CONTROLLERS),
        "counts": COUNTS,
        "damper": DAMPING,
        "dry": DRY.coulomb,
        "air": AIR.drag,
        **{name: _told(name) for name in laws},
        "dry_peak": ulna.plan(rubbing(), ulna.paths.loops()).peaks.torque,
        "peak": plan().peaks.torque,
        "friction": effect_of(friction=DRY),
        "drag": effect_of(friction=AIR),
        "motor": effect_of(motor=motor()),
        **_use_of_motors(),
    }


@cache
def effect_of(**parts: Any) -> float:
    """Return how far [rad] a part of the joints takes a falling arm from one without it, in 1 s."""
    joint = ulna.Joint(**parts)
    ends = [
        ulna.simulate(moved, q0=[0.0, 0.5], duration=1.0, samples=2).q[-1]
        for moved in (arm(), arm().replace(joints=[joint, joint]))
    ]
    return float(np.abs(ends[1] - ends[0]).max())


@cache
def motor() -> ulna.Motor:
    """Return a motor of the catalogue behind a gear."""
    bare = cast(ulna.Motor, ulna.motor(MOTOR))
    return replace(bare, gear_ratio=GEAR, efficiency=EFFICIENCY, backdriving_efficiency=EFFICIENCY)


def _use_of_motors() -> Values:
    """Return what motors take for the minute of the path, and how warm they get."""
    moved = run("motors")
    flow = moved.energy_flow
    assert flow is not None
    return {
        "driven": _told("driven"),
        "motor_name": MOTOR,
        "gear": GEAR,
        "efficiency": 100.0 * EFFICIENCY,
        "current": [use.peak_current for use in moved.motors],
        "hottest": [use.hottest for use in moved.motors],
        "drawn": flow.supplied[-1],
        "copper": flow.winding[-1],
        "returned": flow.returned[-1],
    }


class Error(NamedTuple):
    """How far [m] the tip is off: over all, after the first second, and at every sample."""

    rms: float
    later: float
    t: Array
    size: Array


@cache
def error(law: str, *, resting: bool = False) -> Error:
    """Return how far off the tip is under a law."""
    told = tracking(run(law, resting=resting), plan())
    later = told.size[told.t >= SETTLED]
    return Error(told.rms, float(np.sqrt(np.mean(later**2))), told.t, told.size)


@lru_cache(maxsize=1)
def run(law: str, *, resting: bool = False) -> Run:
    """Follow the path for its minute; the last run is kept, for those who look at it twice."""
    told = {"arm": arm(), "rate": RATE, **options(law)}
    moving, made = told.pop("arm"), plan()
    if resting:
        told["q0"] = made.trajectory(0.0).q
    return ulna.simulate(moving, reference=made, **told)


def options(law: str) -> dict[str, Any]:
    """Return what `simulate` is told for a law by its name."""
    laws: dict[str, dict[str, Any]] = {
        "computed torque": {"controller": ComputedTorque(20.0)},
        "wrong masses": {"controller": ComputedTorque(20.0, model=heavier())},
        "feed-forward": {"controller": FeedforwardPID(*SPRINGS, 0.0)},
        "printed torques": {"controller": PD(*SPRINGS), "torque": _held(), "between": "hold"},
        "gravity": {"controller": GravityPD(*SPRINGS)},
        "PD": {"controller": PD(*SPRINGS)},
        "PID": {"controller": PID(*SPRINGS)},
        "encoder": {
            "controller": ComputedTorque(20.0),
            "sensors": Sensors(angle_resolution=2.0 * np.pi / COUNTS),
        },
        "damping": {"arm": damped(), "controller": ComputedTorque(20.0)},
        "unknown damping": {"arm": damped(), "controller": ComputedTorque(20.0, model=arm())},
        "friction": {"arm": rubbing(), "controller": ComputedTorque(20.0)},
        "unknown friction": {"arm": rubbing(), "controller": ComputedTorque(20.0, model=arm())},
        "motors": {"arm": arm().with_motors(motor()), "controller": ComputedTorque(20.0)},
    }
    return laws[law]


def heavier() -> Arm:
    """Return the arm with all masses a tenth more."""
    return ulna.Arm.rods([0.5, 0.5], [1.1, 11.0])


def damped() -> Arm:
    """Return the arm with some damping in its joints."""
    joint = ulna.Joint(damping=DAMPING)
    return arm().replace(joints=[joint, joint])


def rubbing() -> Arm:
    """Return the arm with dry friction in its joints."""
    joint = ulna.Joint(friction=DRY)
    return arm().replace(joints=[joint, joint])


def _held() -> tuple[Array, Array]:
    """Return the printed torques, each from the first tick of the controller after its time."""
    table = printed_plan(RODS)
    return np.ceil(RATE * table.t - 1e-6) / RATE, table.tau
