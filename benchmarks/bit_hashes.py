"""Whether results equal those of another source tree to the last bit: bit_hashes.py [OTHER_SRC].

Some fifty representative calls run in a process of each tree. Each result is reduced to the hash
of its arrays. Without another tree the hashes are printed; with one, calls whose hashes differ are
listed and the exit code is 1. Both trees run on the same machine, since processors differ in the
last bits.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from sources import OWN, Source, checked

RUN_ARRAYS = ("t", "q", "qd", "qdd", "tau", "tip_force", "injected", "dissipated")


def digest(arrays: Iterable[Any]) -> str:
    """Return the hash of arrays, with their shapes."""
    import numpy as np

    found = hashlib.sha256()
    for array in arrays:
        values = np.ascontiguousarray(array)
        found.update(repr((values.shape, values.dtype.str)).encode())
        found.update(values.tobytes())
    return found.hexdigest()[:16]


def run_arrays(run: Any) -> list[Any]:
    """Return the arrays of a run."""
    return [getattr(run, name) for name in RUN_ARRAYS]


def batch_arrays(run: Any) -> list[Any]:
    """Return the arrays of a batch."""
    return [run.q, run.qd, run.status.codes, run.t_end]


def plan_arrays(plan: Any) -> list[Any]:
    """Return the arrays of a plan."""
    return [plan.t, plan.q, plan.qd, plan.qdd, plan.tau]


def disturbances_of() -> Any:
    """Return the module of disturbances, which stands elsewhere in older trees."""
    try:
        from ulna.scenario import disturbances
    except ImportError:
        from ulna.simulation import disturbances
    return disturbances


def calls() -> dict[str, Callable[[], list[Any]]]:
    """Return the calls by name; each returns the arrays of its result."""
    return {**single_arms(), **driven_arms(), **batches(), **motions()}


def single_arms() -> dict[str, Callable[[], list[Any]]]:
    """Return simulations of one arm without motors."""
    import numpy as np

    import ulna

    disturbances = disturbances_of()

    arm = ulna.Arm.rods([0.5, 0.4], [1.0, 0.8])
    limited = ulna.Arm.of(
        [ulna.Link(0.5, 1.0), ulna.Link(0.4, 0.8)],
        [ulna.Joint(lower=-1.0, upper=1.0), ulna.Joint(lower=-2.0, upper=0.5)],
    )
    rubbed = ulna.Arm.of(
        [ulna.Link(0.5, 1.0), ulna.Link(0.4, 0.8)],
        [
            ulna.Joint(damping=0.05, friction=ulna.Friction(0.3, 0.4, 0.05)),
            ulna.Joint(friction=ulna.Friction(0.1)),
        ],
    )
    times = np.array([0.0, 0.3, 0.7])
    rows = np.array([[1.0, 0.0], [0.5, 0.5], [-1.0, 0.2]])

    def run(arm: Any = arm, **options: Any) -> Callable[[], list[Any]]:
        given = {"q0": [0.3] * arm.n, "duration": 1.0, "dt": 2e-3, **options}
        return lambda: run_arrays(ulna.simulate(arm, **given))

    fixed = ("rk4", "semi-implicit", "gauss4")
    kinds: dict[str, Any] = {
        "step": [disturbances.step([0.5, 0.0], at=0.2)],
        "pulse": [disturbances.pulse(force=[0.0, -5.0], at=0.3, lasting=0.05)],
        "noise": [disturbances.noise([0.1, 0.1], rate=200.0, seed=3)],
        "sine": [disturbances.sine([0.5, 0.0], frequency=2.0)],
    }
    known = {name: run(made := ulna.preset(name), q0=[0.1] * made.n) for name in ulna.presets()}
    return {
        **{f"preset {name}": call for name, call in known.items()},
        **{f"method {name}": run(method=name) for name in fixed},
        **{f"disturbance {name}": run(disturbances=one) for name, one in kinds.items()},
        "12 links": run(ulna.Arm.rods([0.2] * 12, [0.3] * 12), method="rk4"),
        "formula": run(torque=["2*sin(3*t)", "-0.5*qd2"]),
        "held table": run(torque=(times, rows)),
        "linear table": run(torque=(times, rows), between="linear"),
        "function": run(torque=lambda t, q, qd: np.array([1.0 - q[0], -qd[1]])),
        "tip force": run(tip_force=["1", "t", "0.1"]),
        "stops": run(limited, restitution=0.5, torque=[3.0, 1.0]),
        "friction": run(rubbed, q0=[-1.4, 0.1]),
        "events": run(events={"low": "q1 + 1"}, until="q1 < -1.5"),
        "sequential": run(dynamics="sequential", sequential_damping=[0.5, 0.5]),
    }


def driven_arms() -> dict[str, Callable[[], list[Any]]]:
    """Return simulations of one arm under controllers, and of arms with motors."""
    import ulna

    arm = ulna.preset("kehl")
    plan = ulna.plan(arm, ulna.paths.circle((0.4, 0.3), 0.2), duration=1.0)
    controllers = {
        "PD": ulna.control.PD(),
        "PID": ulna.control.PID(),
        "GravityPD": ulna.control.GravityPD(),
        "FeedforwardPID": ulna.control.FeedforwardPID(),
        "ComputedTorque": ulna.control.ComputedTorque(),
        "Adaptive": ulna.control.Adaptive(),
        "OpenLoop": ulna.control.OpenLoop(),
    }

    def follow(**options: Any) -> Callable[[], list[Any]]:
        return lambda: run_arrays(ulna.simulate(arm, reference=plan, **options))

    def driven(name: str, **options: Any) -> Callable[[], list[Any]]:
        made = ulna.preset(name)
        q0 = [0.5, -0.8, 0.3][: made.n]
        return lambda: run_arrays(ulna.simulate(made, q0=q0, duration=0.3, **options))

    loop = {
        "sensors": ulna.Sensors(delay=0.002, angle_noise=1e-3, rate_from="difference", seed=4),
        "actuators": ulna.Actuators(delay=0.001, bandwidth=50.0, max_torque_rate=500.0),
    }
    computed = controllers["ComputedTorque"]
    return {
        **{f"controller {name}": follow(controller=one) for name, one in controllers.items()},
        "sensors and actuators": follow(controller=computed, rate=500.0, **loop),
        "voltage": driven("dfki-double-pendulum", voltage=["5*sin(6*t)", "2"]),
        "current": driven("dfki-double-pendulum", current=[3.0, -1.0]),
        "position": driven("so-101", position=[0.6, -0.7, 0.2]),
        "servos under computed torque": driven("open-manipulator-x", controller=computed),
    }


def batches() -> dict[str, Callable[[], list[Any]]]:
    """Return simulations of many arms."""
    import numpy as np

    import ulna

    disturbances = disturbances_of()

    random = np.random.default_rng(0)
    arm = ulna.Arm.rods([0.5, 0.4], [1.0, 0.8])
    starts = random.uniform(-1.0, 1.0, (37, 2))
    arms = [ulna.Arm.rods([0.5, 0.4], [1.0, mass]) for mass in random.uniform(0.5, 2.0, 37)]
    servos = ulna.preset("so-101")

    def run(given: Any = arm, **options: Any) -> Callable[[], list[Any]]:
        asked = {"q0": starts, "duration": 0.5, "samples": 11, **options}
        return lambda: batch_arrays(ulna.simulate_batch(given, **asked))

    return {
        "batch": run(),
        "batch, single precision": run(precision="single"),
        "batch of arms": run(arms),
        "batch, semi-implicit": run(method="semi-implicit"),
        "batch under control": run(
            controller=[ulna.control.PD(kp=kp) for kp in np.linspace(5.0, 50.0, 37)],
            reference=np.zeros((37, 2)),
        ),
        "batch with noise": run(
            controller=ulna.control.ComputedTorque(),
            sensors=ulna.Sensors(angle_noise=1e-3),
            disturbances=[disturbances.noise([0.1, 0.1])],
        ),
        "batch of servos": run(
            servos, q0=random.uniform(0.0, 0.3, (5, 3)), position=[0.3, -0.5, 0.1]
        ),
    }


def motions() -> dict[str, Callable[[], list[Any]]]:
    """Return plans, a section and what a sweep computes."""
    import ulna

    arm, servos = ulna.preset("kehl"), ulna.preset("so-101")
    circle = ulna.paths.circle((0.4, 0.3), 0.2)
    small = ulna.paths.circle((0.25, 0.1), 0.04)
    corners = ulna.paths.polyline([[0.5, 0.0], [0.6, 0.2], [0.3, 0.4]], blend=0.01)

    def plan(arm: Any, path: Any, **options: Any) -> Callable[[], list[Any]]:
        return lambda: plan_arrays(ulna.plan(arm, path, **options))

    def sweep() -> list[Any]:
        found = ulna.sweep(
            arm="kehl", path="circle(center=(0.4, 0.3), radius='20 cm')", duration=2.0,
            timing="quintic", controller="ComputedTorque(natural_frequency=20)",
            vary={"payload": [0.0, 1.0], "controller_model.payload": [0.0, 1.0]},
            keep=["tip_error.rms", "torque.peak"],
        ).dataset  # fmt: skip
        return [found["tip_error.rms"].values, found["torque.peak"].values]

    def section() -> list[Any]:
        swinging = ulna.Arm.rods([1.0, 1.0], [1.0, 1.0])
        starts = [([0.5, 0.3], [0.0, 0.0])]
        if hasattr(ulna, "Scenario"):  # as older trees have none
            asked = ulna.Scenario(arm=swinging, duration=20.0)
            found = ulna.poincare(asked, starts=starts)
        else:
            found = ulna.poincare(swinging, starts=starts, duration=20.0)
        crossings = found.crossings[0]
        return [crossings.t, crossings.q, crossings.qd]

    return {
        "plan": plan(arm, circle, duration=2.0),
        "plan, s-curve": plan(arm, corners, timing="s-curve", max_speed=0.2, max_acceleration=1.0),
        "plan, fastest": plan(servos, small, timing="fastest"),
        "plan of joints": plan(arm, ulna.paths.joints([[0.0, 0.0], [0.5, 1.0]]), duration=1.0),
        "sweep": sweep,
        "section": section,
    }


def print_hashes() -> None:
    """Print the hash of each call as JSON."""
    warnings.simplefilter("ignore")
    print(json.dumps({name: digest(call()) for name, call in calls().items()}, indent=1))


def hashes_of(source: Source) -> dict[str, str]:
    """Return the hashes of a source tree, computed in a process of its own."""
    command = [source.python, str(Path(__file__).resolve()), "--serve"]
    environment = source.environment()
    output = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout
    found: dict[str, str] = json.loads(output)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "other", nargs="?", type=Path, metavar="OTHER_SRC", help="a checkout, or its src"
    )
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve or given.other is None:
        print_hashes()
        return
    ours = hashes_of(Source("ours", sys.executable, OWN))
    theirs = hashes_of(Source("theirs", sys.executable, checked(given.other)))
    differing = [name for name, value in ours.items() if theirs.get(name) != value]
    for name in differing:
        print(f"{name}: {ours[name]} here, {theirs.get(name)} there")
    print(f"{len(ours) - len(differing)} of {len(ours)} calls give the same bits")
    raise SystemExit(1 if differing else 0)


if __name__ == "__main__":
    main()
