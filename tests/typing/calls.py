"""Right and wrong calls, for type checkers: nobody runs this page.

It holds signatures to what mypy cannot know: that unions take lists, tuples and arrays alike, that
overloads return what they should, and that options which are passed on are still checked. What is
right has no error under mypy's strict rules. What is wrong is marked with the error that it has to
be; a mark on a call without that error is an error itself.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ulna
from ulna import analysis, angles, control, dynamics, kinematics, motion, paths, units, viewer
from ulna import arm as arms_room
from ulna.scenario import disturbances
from ulna.sweep import SweepSpec
from ulna.sweep import sweep_spec as sweep_specs

Floats = NDArray[np.float64]


class Hold:
    """A controller of one's own."""

    def start(self, arm: ulna.Arm) -> int:
        return 0

    def torque(
        self, t: float, q: Any, qd: Any, reference: control.Reference, state: Any
    ) -> tuple[Any, Any]:
        return [0.0, 0.0], state + 1


def spring(
    t: float, q: Any, qd: Any, reference: Any, state: Any, tau: Any, kp: Any = 400.0
) -> None:
    """A law of one's own."""


def one_run(arm: ulna.Arm, plan: ulna.Plan, q: Floats, pd: control.PD) -> None:
    run: ulna.Run = ulna.simulate(arm, q0=q, duration=1.0)
    ulna.simulate(arm, q0=[0, 0.5], qd0=(0.0, 0.0), torque=[1.0, 2.0], duration=2, samples=11)
    ulna.simulate(arm, q0=q, torque="100*t, 0", tip_force=["0", "-5*t"], duration=1.0)
    ulna.simulate(arm, q0=q, torque=["100*t", 0.0], duration=1.0, between="linear")
    ulna.simulate(arm, q0=q, torque=([0.0, 1.0], [[1.0, 2.0], [3.0, 4.0]]), duration=1.0)
    ulna.simulate(arm, q0=q, torque=(q, np.zeros((2, 2))), duration=1.0, samples=[0.0, 0.5])
    ulna.simulate(arm, q0=q, torque=lambda t: [t, 0.0], duration=1.0, samples=q)
    ulna.simulate(arm, q0=q, torque=lambda t, q, qd: -q - qd, duration=1.0, method="gauss4")
    ulna.simulate(arm, controller=pd, reference=plan, rate=500.0, sensors=ulna.Sensors(delay=0.002))
    ulna.simulate(arm, q0=q, controller=Hold(), reference=[0.1, 0.2], duration=1.0)
    ulna.simulate(arm, q0=q, controller=pd, reference=plan.trajectory, progress=False)
    ulna.simulate(arm, q0=q, controller=pd, reference=lambda t: ([t, t], [1.0, 1.0]), duration=1.0)
    ulna.simulate(arm, q0=q, duration=1.0, disturbances=[disturbances.step([1.0, 0.0])])
    ulna.simulate(arm, q0=q, duration=1.0, events={"level": "q1", "up": lambda t: t}, until="q1<0")
    ulna.simulate(arm, q0=q, duration=1.0, torqe=[1.0, 2.0])  # type: ignore[call-arg]
    ulna.simulate(arm, q0="30 deg, 0", duration=1.0)  # type: ignore[arg-type]
    ulna.simulate(arm, q0=["30 deg"], duration=1.0)  # type: ignore[list-item]
    ulna.simulate("kehl", q0=q, duration=1.0)  # type: ignore[arg-type]
    ulna.simulate(arm, q0=q, duration=1.0, method="rk5")  # type: ignore[arg-type]
    ulna.simulate(arm, q0=q, duration=1.0, controller=control.PD)  # type: ignore[arg-type]
    ulna.simulate(arm, q0=q, duration=1.0, controller="PD()")  # type: ignore[arg-type]
    ulna.simulate(arm, q0=q, disturbances=disturbances.step([1.0]))  # type: ignore[arg-type]
    ulna.simulate(arm, q0=q, duration=1.0, torque=lambda: [0.0])  # type: ignore[arg-type]
    ulna.simulate(arm, q, 1.0)  # type: ignore[call-arg]
    print(run.q, run.status.ok, run.final.q, run.tip, run.energy.kinetic, run.scenario.method)
    print(run.torque)  # type: ignore[attr-defined]
    swing = ulna.Simulation(
        ulna.Scenario(arm=arm, q0=q, qd0=[0.0, 0.0], controller=pd, reference=plan)
    )
    ulna.Simulation(arm, q0=q)  # type: ignore[arg-type, call-arg]
    ulna.simulate(swing.scenario.replace({"link.2.mass": 2.0}, duration=2.0), progress=False)
    swing.scenario.replace(durration=2.0)  # type: ignore[call-arg]
    if swing.advance(0.1):
        swing.apply(torque=[1.0, 2.0], tip_force=(0.0, -1.0))
    swing.apply([1.0, 2.0])  # type: ignore[call-arg]
    swing.set_controller(control.GravityPD(), reference=[0.1, 0.2])
    swing.set_controller(None)
    swing.set_reference(lambda t: [t, t])
    copied: ulna.Simulation = swing.copy()
    copied.reset([0.0, 0.0], qd0=q)
    ulna.compiled(arm).forward_dynamics(q, q, q)
    ulna.compiled([arm])  # type: ignore[arg-type]


def batches(arm: ulna.Arm, plan: ulna.Plan, q: Floats, pd: control.PD) -> None:
    run: ulna.BatchRun = ulna.simulate_batch(arm, q0=np.zeros((3, 2)), duration=1.0)
    ulna.simulate_batch([arm, arm], q0=q, duration=1.0, torque=[[1.0, 2.0], [3.0, 4.0]])
    ulna.simulate_batch(ulna.stack([arm]), q0=q, duration=1.0, torque=["t, 0", None, ("t", "0")])
    ulna.simulate_batch(arm, controller=[pd, control.PID()], reference=[plan, plan])
    ulna.simulate_batch(arm, q0=q, duration=1.0, sensors=[ulna.Sensors()], seeds=[1, 2])
    ulna.simulate_batch(arm, q0=q, duration=1.0, disturbances=[[disturbances.step([1.0, 0.0])]])
    ulna.simulate_batch(arm, q0=q, duration=1.0, torques=True)  # type: ignore[call-arg]
    ulna.simulate_batch(arm, q0=q, duration=1.0, torque=lambda t: [t, t])  # type: ignore[arg-type]
    print(run[3].q, run[10:20].status.ok, run.status.counts())
    many = ulna.BatchSimulation(arm, q0=np.zeros((3, 2)), dt=0.01, controller=pd)
    many.apply([[0.0, 0.0], [10.0, 0.0], [20.0, 5.0]])
    many.reset([0.0, 0.5], members=[0, 2])
    many.reset(q, members=slice(0, 2))
    many.reset(q, members="all")  # type: ignore[arg-type]


def arms(file: str, q: Floats) -> None:
    link, joint = ulna.Link(0.5, 1.0, com=0.25), ulna.Joint(lower=-1.0, motor="tower-pro-sg90")
    ulna.Link(0.5, "1 kg")  # type: ignore[arg-type]
    ulna.Joint(motor=12.0)  # type: ignore[arg-type]
    made: ulna.Arm = ulna.Arm.of([link], [joint], gravity=(0.0, 0.0), payload=0.5, name="desk")
    ulna.Arm.of([link], gravty=(0.0, 0.0))  # type: ignore[call-arg]
    ulna.Arm.rods([0.5, 0.5], np.array([1.0, 2.0]), joints=[joint, joint], base=(0.0, 1.0))
    ulna.Arm.rods([0.5, 0.5], [1.0, 2.0], gravty=(0.0, 0.0))  # type: ignore[call-arg]
    ulna.Arm.point_masses((1.0, 1.0), [1.0, 1.0], payload=ulna.Payload(0.5))
    made.replace(gravity=(0.0, 0.0), name="flat")
    made.replace(gravty=(0.0, 0.0))  # type: ignore[call-arg]
    made.replace(name=3)  # type: ignore[arg-type]
    made.with_payload(0.5).with_payload(ulna.Payload(0.5))
    made.with_motors([ulna.Motor(12.0, 1.5, 0.02), None, "tower-pro-sg90"])
    ulna.load(file, base_link="shoulder", hold=("wrist_roll", "grip"))
    found: arms_room.ImportedArm = ulna.interop.import_robot(file, tip_link="wrist", hold="roll")
    found.from_file_angles([0.1, 0.2]) + found.to_file_angles(made.lengths)
    arms_room.from_dh([[0.3, 0.0, 0.0, 0.0]], [1.0], convention="craig")  # type: ignore[arg-type]
    ulna.Sensors(angle_noise=[1e-3, 1e-3], rate_noise=0.01, delay=0.002, seed=3)
    ulna.Sensors(noise=1e-3)  # type: ignore[call-arg]
    ulna.Actuators(time_constant=q, max_torque_rate=40.0)
    disturbances.pulse(force=(0.0, -20.0), at=1.0, lasting=0.05)
    disturbances.step(tip_force=[1.0, 0.0])  # type: ignore[call-arg]


def where_and_why(arm: ulna.Arm, q: Floats) -> None:
    for posed in (arm, arm.parameters, ulna.stack([arm, arm.parameters])):
        kinematics.tip(posed, [0, 0.5])
        dynamics.inverse_dynamics(posed, q, (0.0, 0.0), q, tip_force=[1.0, 0.0])
    dynamics.inverse_dynamics(arm, q, q, q, [1.0, 0.0])  # type: ignore[call-arg]
    dynamics.mass_matrix("kehl", q)  # type: ignore[arg-type]
    found: kinematics.Solutions = kinematics.inverse(arm, (0.5, 0.5), restarts=4)
    kinematics.inverse(arm, (0.5, 0.5), tolerance="1 mm")  # type: ignore[arg-type]
    print(found.best(near=[0.0, 0.0]), found[0], found[1:])
    tracked: kinematics.Tracked = kinematics.track(arm, np.zeros((9, 2)), start="positive")
    tracked.path(0).has("out of reach")  # type: ignore[arg-type]
    units.to_si("30 deg", "angle", what="q")
    units.to_si("30 deg")  # type: ignore[call-arg]
    angles.wrap(q, center=0.0)  # type: ignore[call-arg]


def motions(arm: ulna.Arm, path: ulna.Path, q: Floats) -> None:
    made: ulna.Plan = ulna.plan(arm, path, duration=4.0, timing="quintic", rate=100.0)
    many: ulna.Plans = ulna.plan([arm, arm], path, max_speed=0.5, max_acceleration=1.0)
    ulna.plan(arm, path, elbow="up", derivatives="finite", tip_force=lambda t: [0.0, -t])
    ulna.plan(arm, path, timing=motion.times([0.0, 1.0, 3.0]), start=q, floor=0.0)
    ulna.plan(arm, [path, path], posture=[0.0, 0.0])
    ulna.plan(arm, path, durtion=4.0)  # type: ignore[call-overload]
    ulna.plan(arm, "circle()")  # type: ignore[arg-type]
    motion.plan(arm, path, timing="linear")  # type: ignore[call-overload]
    print(many.members[0].ok, made.peaks.torque, made.torque_at([0.0, 0.5]), made.torque_at(0.5))
    path.then(path).reversed().repeated(2).placed((0.1, 0.0), angle=0.5).scaled(2.0).rounded(0.01)
    paths.polyline([(0.5, 0.0), (0.6, 0.1)], blend=0.01, closed=True)
    paths.spline(np.zeros((3, 2)), times=[0.0, 1.0, 2.0])
    paths.circle(centre=(0.5, 0.0))  # type: ignore[call-arg]
    own = motion.Servo("us", 500.0, 2500.0, range=3.14, zero=1.57, direction=-1)
    motion.servo_table(made, ["ticks()", own], pen="pen(1, 2)", rate=50.0)


def controllers(arm: ulna.Arm, q: Floats) -> None:
    control.PD(kp=[20.0, 10.0], kd=2.0)
    control.PD(stiffness=20.0)  # type: ignore[call-arg]
    control.ComputedTorque(20.0, 1.0, arm)  # type: ignore[call-arg]
    control.OpenLoop(model="kehl")  # type: ignore[arg-type]
    chosen: control.Controller = control.read_controller("PD(kp=20, kd=2)")
    own: control.Controller = Hold()
    chosen.start(own)  # type: ignore[arg-type]
    chosen.torque(0.0, q, q, control.Reference(q, q, q), None)
    of_ones_own = control.law(spring)
    ulna.simulate(arm, q0=[0.0], duration=1.0, controller=of_ones_own(kp=[20.0, 10.0]))
    of_ones_own(kp="stiff")  # type: ignore[arg-type]
    control.law(state=(0.0, 0.0))(spring)
    control.law(state=0.0)  # type: ignore[call-overload]


def analyses(
    arm: ulna.Arm, run: ulna.Run, batch: ulna.BatchRun, plan: ulna.Plan, q: Floats
) -> None:
    followed: analysis.Tracking = analysis.tracking(run, plan, start=0.5)
    together: analysis.BatchTracking = analysis.tracking(batch, [plan, plan], start=0.5)
    analysis.tracking(plan, run)  # type: ignore[call-overload]
    analysis.tracking(batch[0], [plan])  # type: ignore[call-overload]
    print(followed.first_exit(radius=0.01), together.worst.point, together.effort.torque_rms)
    answer: analysis.StepResponse = analysis.step_response(
        ulna.Scenario(arm=arm, controller=control.PD()), joint=2, size=0.1
    )
    steps: analysis.BatchStepResponse = analysis.step_response(batch, reference=[0.1, 0.2])
    analysis.step_response(batch, joint=1)  # type: ignore[call-overload]
    analysis.step_response(arm)  # type: ignore[call-overload]
    print(answer.facts(), steps.facts())
    analysis.stability(plan, "PD()")  # type: ignore[arg-type]
    ulna.portrait(arm, torque=1.0, starts=[(0.0, 1.0)], duration=10.0).field(columns=11)
    ulna.poincare(ulna.Scenario(arm=arm, duration=10.0, rtl=1e-10), starts=[([0.0], [0.0])])  # type: ignore[call-arg]


def pictures(arm: ulna.Arm, run: ulna.Run, plan: ulna.Plan, axes: Any, q: Floats) -> None:
    runs: Mapping[str, ulna.Run] = {"open loop": run}
    ulna.plot(arm, q=q)
    ulna.plot(run, theme=viewer.Theme())
    ulna.plot("kehl")  # type: ignore[arg-type]
    viewer.animate_following(plan, runs, "both.gif", overwrite=True)
    viewer.animate_following(plan, [run])  # type: ignore[arg-type]
    ulna.report(run, "run.html", plan=plan, notes=["as asked"], overwrite=False)
    ulna.widget(arm, q0=q, height=300).on_change(print, remove=True)
    ulna.widget(run, height=300)
    ulna.widget(run, q0=q)  # type: ignore[call-overload]
    viewer.player({"run": run}, plan=plan, title="again").html.encode()
    viewer.plot_error(axes, plan, run)  # type: ignore[arg-type]


def sweeps(spec: Mapping[str, Any]) -> None:
    read: SweepSpec = sweep_specs.read_spec("sweep.toml")
    found: ulna.Sweep = ulna.sweep(read, "results.zarr", workers=2, progress=False)
    ulna.sweep(spec)
    ulna.sweep(arm="kehl", path=ulna.paths.loops(), vary={"payload": [0.0, 1.0]}, keep=["torque"])
    ulna.sweep(read, processes=2)  # type: ignore[call-arg]
    run: ulna.BatchRun = found.run(3)
    print(run, found.point(3), found.dataset)
