"""Right and wrong calls of every public function, for type checkers: nobody runs this page.

What is right has no error under mypy's strict rules. What is wrong is marked with the error that it
has to be; a mark on a call without that error is an error itself.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ulna
from ulna import (
    actuation,
    analysis,
    angles,
    control,
    derivation,
    dynamics,
    expressions,
    kinematics,
    motion,
    papers,
    paths,
    simulation,
    units,
    viewer,
)
from ulna import (
    arm as arms_room,
)
from ulna.simulation import disturbances
from ulna.simulation.outcome import Failed
from ulna.sweep import Estimate, SweepSpec, uncertainty
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


def front_door(arm: ulna.Arm, plan: ulna.Plan, q: Floats, pd: control.PD) -> None:
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
    ulna.simulate(
        arm, q0=q, duration=1.0, events={"level": "q1", "up": lambda t: t}, until="q1 < 0"
    )
    ulna.simulate(arm, q0=q, duration=1.0, dynamics="sequential", sequential_damping=[0.1, 0.2])
    ulna.simulate(arm, q0=q, duration=1.0, rtol=None, dt=1e-4, stops=False, restitution=0.5)
    ulna.simulate(arm, q0=q, duration=1.0, on_error="raise", on_interrupt="return", signals=False)
    ulna.simulate(arm, q0=q, duration=1.0, torqe=[1.0, 2.0])  # type: ignore[call-arg]
    ulna.simulate(arm, q0=q, duration=1.0, model="sequential")  # type: ignore[call-arg]
    ulna.simulate(arm, q0="30 deg, 0", duration=1.0)  # type: ignore[arg-type]
    ulna.simulate(arm, q0=["30 deg"], duration=1.0)  # type: ignore[list-item]
    ulna.simulate("kehl", q0=q, duration=1.0)  # type: ignore[arg-type]
    ulna.simulate(arm, q0=q, duration="1 s")  # type: ignore[arg-type]
    ulna.simulate(arm, q0=q, duration=1.0, method="rk5")  # type: ignore[arg-type]
    ulna.simulate(arm, q0=q, duration=1.0, dynamics="true")  # type: ignore[arg-type]
    ulna.simulate(arm, q0=q, duration=1.0, between="cubic")  # type: ignore[arg-type]
    ulna.simulate(arm, q0=q, duration=1.0, controller=control.PD)  # type: ignore[arg-type]
    ulna.simulate(arm, q0=q, duration=1.0, controller="PD()")  # type: ignore[arg-type]
    ulna.simulate(arm, q0=q, controller=pd, reference="circle()")  # type: ignore[arg-type]
    ulna.simulate(arm, q0=q, disturbances=disturbances.step([1.0]))  # type: ignore[arg-type]
    ulna.simulate(arm, q0=q, duration=1.0, events=["q1"])  # type: ignore[arg-type]
    ulna.simulate(arm, q0=q, duration=1.0, torque=lambda: [0.0])  # type: ignore[arg-type]
    ulna.simulate(arm, q0=q, duration=1.0, samples=0.5)  # type: ignore[arg-type]
    ulna.simulate(arm, q0=q, duration=1.0, on_error="ignore")  # type: ignore[arg-type]
    ulna.simulate(arm, q, 1.0)  # type: ignore[call-arg]
    run.save("run.nc", overwrite=False)
    run.save("run.nc", force=True)  # type: ignore[call-arg]
    run.save(3)  # type: ignore[arg-type]
    run.to_dataframe()
    run.to_dataframe("t")  # type: ignore[call-arg]
    print(run.q, run.qd, run.status.ok, run.final.q, run.tip, run.energy.kinetic, run.settings)
    print(run.torque)  # type: ignore[attr-defined]
    ulna.open_run("run.nc").save("copy.nc")
    ulna.open_run()  # type: ignore[call-arg]
    quick = ulna.compiled(arm)
    ulna.compiled([arm])  # type: ignore[arg-type]
    quick.step(q, q, q, 1e-3)
    quick.step(q, q, q)  # type: ignore[call-arg]
    quick.forward_dynamics(q, q, q)
    quick.forward_dynamics(q, q)  # type: ignore[call-arg]
    quick.inverse_dynamics(q, q, q)
    quick.inverse_dynamics(q, q, q, tip_force=q)  # type: ignore[call-arg]
    quick.gravity_torque(q)
    quick.gravity_torque()  # type: ignore[call-arg]
    quick.mass_matrix(q)
    quick.mass_matrix(q, q)  # type: ignore[call-arg]
    quick.linearise(q, q, q)
    quick.linearise(q, q)  # type: ignore[call-arg]
    quick.tip(q)
    quick.tip()  # type: ignore[call-arg]
    quick.jacobian(q)
    quick.jacobian(q=q, frame="tip")  # type: ignore[call-arg]


def step_by_step(arm: ulna.Arm, plan: ulna.Plan, q: Floats, pd: control.PD) -> None:
    simulation.register_method(simulation.IntegrationMethod("euler", 1, "", tableau=[[1.0]]))
    simulation.register_method("euler")  # type: ignore[arg-type]
    swing = ulna.Simulation(arm, q0=q, qd0=[0.0, 0.0], controller=pd, reference=plan)
    ulna.Simulation(arm, q0=q, max_step=0.1, atol=1e-9, events={"level": "q1"}, until="t > 1")
    ulna.Simulation(arm)  # type: ignore[call-arg]
    ulna.Simulation(arm, q0=q, duration=1.0)  # type: ignore[call-arg]
    ulna.Simulation(arm, q0=q, friction=[0.1, 0.2])  # type: ignore[call-arg]
    ulna.Simulation(arm, q0=q, sensors={"delay": 0.002})  # type: ignore[arg-type]
    if swing.advance(0.1):
        swing.apply(torque=[1.0, 2.0], tip_force=(0.0, -1.0))
    swing.advance("0.1 s")  # type: ignore[arg-type]
    swing.advance()  # type: ignore[call-arg]
    swing.apply([1.0, 2.0])  # type: ignore[call-arg]
    swing.apply(torqe=[1.0, 2.0])  # type: ignore[call-arg]
    swing.advance_to(0.5, lambda: None)
    swing.advance_to(t="soon")  # type: ignore[arg-type]
    swing.set_controller(control.GravityPD(), reference=[0.1, 0.2])
    swing.set_controller(None)
    swing.set_controller("GravityPD()")  # type: ignore[arg-type]
    swing.set_controller(pd, [0.1, 0.2])  # type: ignore[call-arg]
    swing.set_reference(plan, start=swing.t)
    swing.set_reference(lambda t: [t, t])
    swing.set_reference(q, at=1.0)  # type: ignore[call-arg]
    swing.set_reference("home")  # type: ignore[arg-type]
    swing.reset([0.0, 0.0], qd0=q)
    swing.reset(q="0, 0")  # type: ignore[call-arg]
    swing.reset("0, 0")  # type: ignore[arg-type]
    copied: ulna.Simulation = swing.copy()
    swing.copy(deep=True)  # type: ignore[call-arg]
    copied.fail(Failed("function failed", "torque", 0.0, ValueError()))
    copied.fail("torque")  # type: ignore[arg-type]
    copied.keep_samples(q, signals=False)
    copied.keep_samples()  # type: ignore[call-arg]
    print(copied.t, copied.q, copied.qd, copied.qdd, copied.tau, copied.error)
    print(copied.velocity)  # type: ignore[attr-defined]


def batches(arm: ulna.Arm, plan: ulna.Plan, q: Floats, pd: control.PD) -> None:
    run: ulna.BatchRun = ulna.simulate_batch(arm, q0=np.zeros((3, 2)), duration=1.0)
    ulna.simulate_batch([arm, arm], q0=q, duration=1.0, torque=[[1.0, 2.0], [3.0, 4.0]])
    ulna.simulate_batch(ulna.stack([arm]), q0=q, duration=1.0, torque=["t, 0", None, ("t", "0")])
    ulna.simulate_batch(arm, controller=[pd, control.PID()], reference=[plan, plan])
    ulna.simulate_batch(arm, q0=q, duration=1.0, sensors=[ulna.Sensors()], seeds=[1, 2])
    ulna.simulate_batch(arm, q0=q, duration=1.0, disturbances=[[disturbances.step([1.0, 0.0])]])
    ulna.simulate_batch(arm, q0=q, duration=1.0, keep_torques=True, precision="single", threads=2)
    ulna.simulate_batch(arm, q0=q, duration=1.0, store="runs.nc", overwrite=True, progress=False)
    ulna.simulate_batch(arm, q0=q, duration=1.0, torques=True)  # type: ignore[call-arg]
    ulna.simulate_batch(arm, q0=q, store="runs.nc", force=True)  # type: ignore[call-arg]
    ulna.simulate_batch(arm, q0=q, duration=1.0, precision="half")  # type: ignore[arg-type]
    ulna.simulate_batch(arm, q0=q, duration=1.0, torque=lambda t: [t, t])  # type: ignore[arg-type]
    ulna.simulate_batch(arm, q0=q, duration=1.0, seeds="random")  # type: ignore[arg-type]
    ulna.simulate_batch("kehl", q0=q, duration=1.0)  # type: ignore[arg-type]
    run.save("runs.zarr", overwrite=False)
    run.save("runs.zarr", force=True)  # type: ignore[call-arg]
    run.close()
    run.close(True)  # type: ignore[call-arg]
    member, fewer = run[3], run[10:20]
    print(member.q, fewer.status.ok, run.final.q, run.tip, run.status.counts(), run.tau)
    run.status.counts("done")  # type: ignore[call-arg]
    print(run.status.endings())
    run.status.endings(1)  # type: ignore[call-arg]
    with ulna.open_batch("runs.nc") as opened:
        print(opened.q[3])
    ulna.open_batch(["runs.nc"])  # type: ignore[arg-type]
    many = ulna.BatchSimulation(arm, q0=np.zeros((3, 2)), dt=0.01, controller=pd)
    ulna.BatchSimulation(arm, q0=q, duration=1.0)  # type: ignore[arg-type]
    ulna.BatchSimulation(arm, q0=q, torque="t, 0")  # type: ignore[arg-type]
    many.apply([[0.0, 0.0], [10.0, 0.0], [20.0, 5.0]])
    many.apply("0, 0")  # type: ignore[arg-type]
    many.advance(0.5)
    many.advance(steps=3)
    many.advance(3, 4)  # type: ignore[call-arg]
    many.reset([0.0, 0.5], members=[0, 2])
    many.reset(q, qd0=q)
    many.reset(q, members=slice(0, 2))
    many.reset(q, members="all")  # type: ignore[arg-type]
    statuses = simulation.Statuses.made(np.zeros(2, dtype=np.int8), np.zeros(2))
    simulation.Statuses.made([0, 3])  # type: ignore[arg-type, call-arg]
    simulation.BatchRun.made(arm.parameters, q, q, q, None, statuses, {})
    simulation.BatchRun.made(arm, q, q, q, None, statuses, {})  # type: ignore[arg-type]
    simulation.Statuses([0, 3], [2.0, 0.31])
    simulation.Statuses([0, 3])  # type: ignore[call-arg]


def sensors_and_disturbances() -> None:
    ulna.Sensors(angle_noise=[1e-3, 1e-3], rate_noise=0.01, delay=0.002, seed=3)
    ulna.Sensors(noise=1e-3)  # type: ignore[call-arg]
    ulna.Sensors(delay="2 ms")  # type: ignore[arg-type]
    ulna.Actuators(delay=0.001, time_constant=[0.005, 0.01], max_torque_rate=40.0)
    ulna.Actuators(lag=0.005)  # type: ignore[call-arg]
    ulna.ControlLoop(rate=250.0, sensors=ulna.Sensors(rate=1000.0), actuators=ulna.Actuators())
    ulna.ControlLoop(rate="250 Hz")  # type: ignore[arg-type]
    sensors = ulna.Sensors()
    print(sensors.layout(2), sensors.ticks_late(0.001) + 1, sensors.timing(rate=500.0).rate)
    sensors.layout("two")  # type: ignore[arg-type]
    sensors.samples(2, 500.0)
    sensors.samples(2)  # type: ignore[call-arg]
    sensors.ticks_late()  # type: ignore[call-arg]
    sensors.timing(500.0, 0.002)  # type: ignore[call-arg]
    sensors.rounded(np.zeros((2, 2)))
    sensors.rounded()  # type: ignore[call-arg]
    disturbances.step([1.0, 0.0], at=1.0)
    disturbances.step(tip_force=[1.0, 0.0])  # type: ignore[call-arg]
    disturbances.pulse(force=(0.0, -20.0), at=1.0, lasting=0.05)
    disturbances.pulse([1.0, 0.0])  # type: ignore[call-arg]
    disturbances.noise([0.1, 0.1], rate=100.0, seed=3, until=2.0)
    disturbances.noise([0.1, 0.1], rate="100 Hz")  # type: ignore[arg-type]
    disturbances.sine([0.1, 0.1], frequency=2.0, phase=0.5)
    disturbances.sine([0.1, 0.1])  # type: ignore[call-arg]
    disturbances.chirp([0.1, 0.1], start_frequency=1.0, stop_frequency=9.0, lasting=2.0)
    disturbances.chirp([0.1, 0.1], frequency=1.0)  # type: ignore[call-arg]
    disturbances.formula(["sin(t)", 0.0], until=2.0)
    disturbances.formula(2.0)  # type: ignore[arg-type]


def arms(file: str) -> None:
    link, joint = ulna.Link(0.5, 1.0, com=0.25), ulna.Joint(lower=-1.0, damping=0.1)
    ulna.Link(length=0.5)  # type: ignore[call-arg]
    ulna.Link(0.5, "1 kg")  # type: ignore[arg-type]
    ulna.Joint(lower=-1.0, max_speed=3.0)  # type: ignore[call-arg]
    ulna.Friction(0.1, static=0.2)
    ulna.Friction("0.1")  # type: ignore[arg-type]
    ulna.Motor(12.0, 1.5, 0.02, name="M1")
    ulna.Motor(12.0)  # type: ignore[call-arg]
    ulna.Payload(0.5, inertia=0.01)
    ulna.Payload("500 g")  # type: ignore[arg-type]
    made: ulna.Arm = ulna.Arm.of([link], [joint], gravity=(0.0, 0.0), payload=0.5, name="desk")
    ulna.Arm.of(link)  # type: ignore[arg-type]
    ulna.Arm.of([link], gravty=(0.0, 0.0))  # type: ignore[call-arg]
    ulna.Arm.rods([0.5, 0.5], np.array([1.0, 2.0]), joints=[joint, joint], base=(0.0, 1.0))
    ulna.Arm.rods([0.5, 0.5], [1.0, 2.0], gravty=(0.0, 0.0))  # type: ignore[call-arg]
    ulna.Arm.rods([0.5, 0.5], [1.0, 2.0], [joint, joint])  # type: ignore[call-arg]
    ulna.Arm.rods("0.5, 0.5", [1.0, 2.0])  # type: ignore[arg-type]
    ulna.Arm.point_masses((1.0, 1.0), [1.0, 1.0], payload=ulna.Payload(0.5))
    ulna.Arm.point_masses([1.0, 1.0])  # type: ignore[call-arg]
    ulna.Arm.point_masses([1.0, 1.0], [1.0, 1.0], mass=2.0)  # type: ignore[call-arg]
    made.replace(gravity=(0.0, 0.0), name="flat")
    made.replace(gravty=(0.0, 0.0))  # type: ignore[call-arg]
    made.replace(name=3)  # type: ignore[arg-type]
    made.with_payload(0.5).with_payload(ulna.Payload(0.5))
    made.with_payload()  # type: ignore[call-arg]
    made.without_friction().parameters.without_friction()
    made.without_friction(drag=True)  # type: ignore[call-arg]
    ulna.save(ulna.load(file), file)
    ulna.load(3)  # type: ignore[arg-type]
    ulna.save(file, made)  # type: ignore[arg-type]
    ulna.preset("kehl")
    ulna.preset()  # type: ignore[call-arg]
    print(ulna.presets()[0].upper())
    ulna.presets("kehl")  # type: ignore[call-arg]
    ulna.stack([made, made.parameters]).rows(slice(0, 1)).per_sample()
    ulna.stack(made)  # type: ignore[arg-type]
    ulna.stack([made]).rows()  # type: ignore[call-arg]
    ulna.stack([made]).per_sample(3)  # type: ignore[call-arg]
    arms_room.parameters_of(made)
    arms_room.parameters_of([made])  # type: ignore[arg-type]
    ulna.load(file, base_link="shoulder", tip_link="wrist")
    ulna.load(file, tip_link=3)  # type: ignore[arg-type]
    ulna.load(file, hold=("wrist_roll", "grip"))
    ulna.load(file, hold=3)  # type: ignore[arg-type]
    found: arms_room.ImportedArm = ulna.interop.import_robot(file, tip_link="wrist", hold="roll")
    found.from_file_angles([0.1, 0.2]) + found.to_file_angles(made.lengths)
    found.from_file_angles("0.1")  # type: ignore[arg-type]
    found.to_file_angles(made)  # type: ignore[arg-type]
    ulna.interop.import_robot(3)  # type: ignore[arg-type]
    arms_room.from_dh([[0.3, 0.0, 0.0, 0.0]], [1.0], convention="modified", tip_length=0.2)
    arms_room.from_dh([[0.3, 0.0, 0.0, 0.0]], [1.0], convention="craig")  # type: ignore[arg-type]
    arms_room.to_dh(made, convention="standard") @ np.zeros(4)
    arms_room.to_dh(file)  # type: ignore[arg-type]
    checked: analysis.Verification = analysis.verify(made, seed=1)
    print(checked.ok, [check.difference < check.bound for check in checked.checks])
    analysis.verify(file)  # type: ignore[arg-type]
    print(ulna.motor("tower-pro-sg90").kind)
    ulna.motor(3)  # type: ignore[arg-type]
    ulna.Joint(motor="tower-pro-sg90", friction=ulna.Friction(0.1))
    ulna.Joint(motor=12.0)  # type: ignore[arg-type]
    made.with_motors([ulna.Motor(12.0, 1.5, 0.02), None, "tower-pro-sg90"])
    made.with_motors(12.0)  # type: ignore[arg-type]
    print(actuation.actuators()[0])
    actuation.actuators("AX-12")  # type: ignore[call-arg]
    dc = ulna.Motor(12.0, 2.0, 0.02)
    print(actuation.torque_range(dc, [0.0, 1.0], 40.0).upper)
    actuation.torque_range("small", 0.0)  # type: ignore[arg-type]
    actuation.motor_torque(ulna.Joint(motor=dc), 1.0, 0.5)
    actuation.motor_torque(dc, 1.0)  # type: ignore[call-arg]
    actuation.gear_loss(dc, 1.0, 0.5)
    actuation.gear_loss(1.0, 0.5, dc)  # type: ignore[arg-type]
    actuation.current(dc, 1.0, 0.5, 40.0)
    actuation.current(dc, tau=1.0, rate=0.5)  # type: ignore[call-arg]
    actuation.current_limit(dc, 80.0)
    actuation.current_limit(80.0)  # type: ignore[arg-type]
    actuation.voltage(dc, 1.0, 0.5)
    actuation.voltage(dc)  # type: ignore[call-arg]
    actuation.supply_power(dc, 1.0, 0.5)
    actuation.supply_power(1.0, 0.5)  # type: ignore[call-arg, arg-type]
    actuation.winding_loss(dc, 1.0)
    actuation.winding_loss(dc)  # type: ignore[call-arg]
    actuation.temperature(dc, [0.0, 1.0], [1.0, 1.0], start=30.0)
    actuation.temperature(dc, [0.0, 1.0], [1.0, 1.0], 30.0)  # type: ignore[call-arg]
    actuation.steady_temperature(dc, 1.0)
    actuation.steady_temperature("small", 1.0)  # type: ignore[arg-type]
    actuation.continuous_torque(dc)
    actuation.continuous_torque(dc, 1.0)  # type: ignore[call-arg]


def where(arm: ulna.Arm, q: Floats) -> None:
    kinematics.tip(arm, q)
    kinematics.tip("kehl", q)  # type: ignore[arg-type]
    kinematics.tip(arm, q, frame=2)  # type: ignore[call-arg]
    kinematics.joints(arm.parameters, q)
    kinematics.joints(arm)  # type: ignore[call-arg]
    kinematics.transforms(arm, q)
    kinematics.transforms(arm, q, q)  # type: ignore[call-arg]
    kinematics.centres(arm, q)
    kinematics.centres(q, arm)  # type: ignore[arg-type]
    kinematics.jacobian(arm, q)
    kinematics.jacobian(arm, angles=q)  # type: ignore[call-arg]
    kinematics.jacobian_rate(arm, q, q)
    kinematics.jacobian_rate(arm, q)  # type: ignore[call-arg]
    kinematics.tip_velocity(arm, q, q)
    kinematics.tip_velocity(arm, q)  # type: ignore[call-arg]
    kinematics.tip_acceleration(arm, q, q, q)
    kinematics.tip_acceleration(arm, q, q)  # type: ignore[call-arg]
    found: kinematics.Solutions = kinematics.inverse(arm, (0.5, 0.5), restarts=4)
    kinematics.inverse(arm, (0.5, 0.5), elbow="up")  # type: ignore[call-arg]
    kinematics.inverse(arm, (0.5, 0.5), tolerance="1 mm")  # type: ignore[arg-type]
    found.best(near=[0.0, 0.0])
    found.best(nearest=[0.0, 0.0])  # type: ignore[call-arg]
    tracked: kinematics.Tracked = kinematics.track(arm, np.zeros((9, 2)), clamp=True)
    kinematics.track(arm)  # type: ignore[call-arg]
    kinematics.track(arm, np.zeros((9, 2)), clamp="yes")  # type: ignore[arg-type]
    tracked.path(0).has(kinematics.TrackFlag.OUT_OF_REACH)
    tracked.path("first")  # type: ignore[arg-type]
    tracked.has("out of reach")  # type: ignore[arg-type]
    region: kinematics.Workspace = kinematics.workspace(arm)
    kinematics.workspace(arm, points=100)  # type: ignore[call-arg]
    region.contains(q)
    region.contains()  # type: ignore[call-arg]
    region.nearest(q)
    region.nearest(q, 3)  # type: ignore[call-arg]
    region.polylines(points_per_turn=90)
    region.polylines("90")  # type: ignore[arg-type]
    kinematics.condition_number(arm, q)
    kinematics.condition_number(arm)  # type: ignore[call-arg]
    kinematics.elbow_side(arm, q)
    kinematics.elbow_side(None, q)  # type: ignore[arg-type]
    kinematics.manipulability(arm, q)
    kinematics.manipulability(arm, q, order=2)  # type: ignore[call-arg]
    kinematics.manipulability_ellipse(arm, q)
    kinematics.manipulability_ellipse(arm)  # type: ignore[call-arg]
    kinematics.singular_values(arm, q)
    kinematics.singular_values(q)  # type: ignore[arg-type, call-arg]
    kinematics.singularities(arm)
    kinematics.singularities(arm, q)  # type: ignore[call-arg]


def why(arm: ulna.Arm, q: Floats) -> None:
    dynamics.mass_matrix(arm, q)
    dynamics.mass_matrix(q)  # type: ignore[arg-type, call-arg]
    dynamics.coriolis_matrix(arm, q, q)
    dynamics.coriolis_matrix(arm, q)  # type: ignore[call-arg]
    dynamics.gravity_torque(arm, q)
    dynamics.gravity_torque(arm, q, gravity=(0.0, -1.6))  # type: ignore[call-arg]
    dynamics.inverse_dynamics(arm, q, q, q, tip_force=[1.0, 0.0])
    dynamics.inverse_dynamics(arm, q, q, q, [1.0, 0.0])  # type: ignore[call-arg]
    dynamics.inverse_dynamics(arm, q, q, q, tip_forces=[1.0, 0.0])  # type: ignore[call-arg]
    dynamics.forward_dynamics(arm, q, q, q)
    dynamics.forward_dynamics(arm, q, q, torque=q)  # type: ignore[call-arg]
    dynamics.kinetic_energy(arm, q, q)
    dynamics.kinetic_energy(arm, q)  # type: ignore[call-arg]
    dynamics.potential_energy(arm, q)
    dynamics.potential_energy("kehl", q)  # type: ignore[arg-type]
    dynamics.holding_torque(arm, q, link_weights=False)
    dynamics.holding_torque(arm, q, link_weight=False)  # type: ignore[call-arg]
    dynamics.largest_payload(arm, q)
    dynamics.largest_payload(arm)  # type: ignore[call-arg]
    dynamics.friction_payload(arm, q, tip_force=q)
    dynamics.friction_payload(arm, q, q)  # type: ignore[call-arg]
    dynamics.friction_torque(arm, q, q)
    dynamics.friction_torque(arm)  # type: ignore[call-arg]
    print(dynamics.friction_band(arm).upper)
    dynamics.friction_band(arm, q, q)  # type: ignore[call-arg]
    dynamics.linearise(arm, q, q, q)
    dynamics.linearise(arm, q, q)  # type: ignore[call-arg]
    dynamics.regressor(arm, q, q, q, qd_ref=q)
    dynamics.regressor(arm, q, q, q, q)  # type: ignore[call-arg]
    dynamics.parameter_vector(arm)
    dynamics.parameter_vector()  # type: ignore[call-arg]
    print(dynamics.parameter_names(arm)[0].upper())
    dynamics.parameter_names(3)  # type: ignore[arg-type]
    dynamics.operational_mass(arm, q)
    dynamics.operational_mass(arm)  # type: ignore[call-arg]
    dynamics.tip_force(arm, q, q)
    dynamics.tip_force(arm, q)  # type: ignore[call-arg]
    dynamics.equilibria(arm, q, tip_force=[1.0, 0.0])
    dynamics.equilibria([arm], q)  # type: ignore[arg-type]


def on_paper(arm: ulna.Arm) -> None:
    steps: derivation.Derivation = ulna.derive(2, convention="absolute", tip_force=True)
    ulna.derive(2, friction=True)
    ulna.derive("two")  # type: ignore[arg-type]
    ulna.derive(links=2, conventions="absolute")  # type: ignore[call-arg]
    ulna.derive(arm)
    derivation.derive(arm=arm)
    derivation.derive(payload="yes")  # type: ignore[arg-type]
    print(steps.text().upper(), steps.markdown(), steps.latex(), steps.html())
    steps.text(2)  # type: ignore[arg-type, call-arg]
    steps.markdown("file.md")  # type: ignore[call-arg]
    steps.latex("file.tex")  # type: ignore[call-arg]
    steps.html("file.html")  # type: ignore[call-arg]
    steps.write("latex")
    steps.write()  # type: ignore[call-arg]
    steps.code("c", name="model")
    steps.code("c", "model")  # type: ignore[call-arg]


def motions(arm: ulna.Arm, path: ulna.Path, q: Floats) -> None:
    made: ulna.Plan = ulna.plan(arm, path, duration=4.0, timing="quintic", rate=100.0)
    ulna.plan(arm, path, elbow="up", derivatives="finite", tip_force=lambda t: [0.0, -t])
    ulna.plan(arm, path, timing=motion.times([0.0, 1.0, 3.0]), start=q, floor=0.0)
    many: ulna.Plans = ulna.plan([arm, arm], path, max_speed=0.5, max_acceleration=1.0)
    ulna.plan(arm, [path, path], posture=[0.0, 0.0])
    ulna.plan(arm, path, durtion=4.0)  # type: ignore[call-overload]
    ulna.plan(arm, "circle()")  # type: ignore[arg-type]
    ulna.plan(arm)  # type: ignore[call-overload]
    motion.plan(arm, path, timing="linear")  # type: ignore[call-overload]
    motion.plan(arm, path, elbow="left")  # type: ignore[call-overload]
    motion.plan(arm, path, duration="4 s")  # type: ignore[call-overload]
    print(many.members[0].ok, made.ok, made.tau, made.peaks.torque)
    made.raise_if_infeasible()
    made.raise_if_infeasible("now")  # type: ignore[call-arg]
    made.torque_at(0.5)
    made.torque_at([0.0, 0.5])
    made.torque_at("0.5 s")  # type: ignore[arg-type]
    made.to_dataframe()
    made.to_dataframe(3)  # type: ignore[call-arg]
    made.compute_terms()
    made.compute_terms(0.5)  # type: ignore[call-arg]
    print(made.terms.friction + made.terms.damping)
    print(made.terms.stiction)  # type: ignore[attr-defined]
    made.save("plan.csv", overwrite=False)
    made.save("plan.csv", force=True)  # type: ignore[call-arg]
    made.save(3)  # type: ignore[arg-type]
    made.insist()  # type: ignore[attr-defined]
    made.trajectory(0.5)
    made.trajectory.tip(0.5)
    made.trajectory.tip("0.5 s")  # type: ignore[arg-type]
    made.trajectory.rows(q)
    made.trajectory.rows()  # type: ignore[call-arg]
    made.trajectory.tip_rows(q)
    made.trajectory.tip_rows(q, q, q)  # type: ignore[call-arg]
    made.trajectory.path_rows(q)
    made.trajectory.path_rows()  # type: ignore[call-arg]
    timing = motion.times([0.0, 1.0])
    print(timing.reached(q), timing.edges(path), timing.points(path, q))
    timing.reached()  # type: ignore[call-arg]
    timing.edges("circle()")  # type: ignore[arg-type]
    timing.points(path)  # type: ignore[call-arg]
    path.on(q, q)
    path.on(q)  # type: ignore[call-arg]
    path.along(q)
    path.along()  # type: ignore[call-arg]
    motion.times([0.0, 1.0], [0.0, 1.0])
    motion.times()  # type: ignore[call-arg]
    motion.times("0, 1")  # type: ignore[arg-type]
    motion.read_path("circle(radius='5 cm')", absolute=True)
    motion.read_path("drawing.svg", keep_order=True)
    servo = motion.read_servo("pulse(500, 2500)")
    motion.read_servo(500)  # type: ignore[arg-type]
    print(motion.PenServo(up=1400.0, down=1700.0).down)
    own = motion.Servo("us", 500.0, 2500.0, range=3.14, zero=1.57, direction=-1)
    print(own.values([0.1]), own.angles([1500.0]), servo)
    own.values()  # type: ignore[call-arg]
    own.angles()  # type: ignore[call-arg]
    table = motion.servo_table(made, ["ticks()", own], pen="pen(1, 2)", rate=50.0)
    motion.servo_table(made)  # type: ignore[call-arg]
    print(analysis.servo_tracking(made, table).max)
    analysis.servo_tracking(made, "ticks()")  # type: ignore[arg-type]
    table.save("servo.csv", overwrite=False)
    table.save()  # type: ignore[call-arg]
    print(table.arduino([9, 10, 11]), table.micropython())
    table.arduino("9, 10")  # type: ignore[arg-type]
    table.micropython(9)  # type: ignore[arg-type]
    motion.read_path(path)  # type: ignore[arg-type]
    path.derivatives([0.0, 0.5])
    path.derivatives("middle")  # type: ignore[arg-type]
    path.by_length(0.5)
    path.by_length("middle")  # type: ignore[arg-type]
    path.then(path).reversed().repeated(2).placed((0.1, 0.0), angle=0.5).scaled(2.0).rounded(0.01)
    path.then("circle()")  # type: ignore[arg-type]
    path.reversed(True)  # type: ignore[call-arg]
    path.repeated("twice")  # type: ignore[arg-type]
    path.placed("left")  # type: ignore[arg-type]
    path.scaled("2")  # type: ignore[arg-type]
    path.rounded()  # type: ignore[call-arg]
    paths.circle(center=(0.5, 0.0), radius=0.1, clockwise=True)
    paths.circle(centre=(0.5, 0.0))  # type: ignore[call-arg]
    paths.circle(radius="5 cm")  # type: ignore[arg-type]
    paths.arc((0.5, 0.0), 0.1, start=0.0, end=1.0)
    paths.arc(middle=(0.5, 0.0))  # type: ignore[call-arg]
    paths.ellipse(radii=(0.2, 0.1), tilt=0.3)
    paths.ellipse(radius=0.2)  # type: ignore[call-arg]
    paths.line((0.5, 0.0), (0.6, 0.1))
    paths.line((0.5, 0.0))  # type: ignore[call-arg]
    paths.polyline([(0.5, 0.0), (0.6, 0.1)], blend=0.01, closed=True)
    paths.polyline(points=[(0.5, 0.0), (0.6, 0.1)])  # type: ignore[call-arg]
    paths.spline([(0.5, 0.0), (0.6, 0.1), (0.5, 0.2)], times=[0.0, 1.0, 2.0])
    paths.spline([(0.5, 0.0), (0.6, 0.1)], smooth=True)  # type: ignore[call-arg]
    paths.joints([[0.0, 0.0], [0.5, 0.5]])
    paths.joints()  # type: ignore[call-arg]
    paths.loops(radius=0.79, loops=13)
    paths.loops(number=13)  # type: ignore[call-arg]
    paths.loops_as_printed(samples=100)
    paths.loops_as_printed(samples="all")  # type: ignore[arg-type]
    paths.lemniscate(center=(0.5, 0.0), tilt=0.5)
    paths.lemniscate(size=0.5)  # type: ignore[call-arg]
    paths.rose(petals=3)
    paths.rose(petals="three")  # type: ignore[arg-type]
    paths.csv("points.csv", unit="mm", closed=True)
    paths.csv("points.csv", scale=2.0)  # type: ignore[call-arg]
    paths.svg("drawing.svg", scale=1.0)
    paths.svg()  # type: ignore[call-arg]


def spring(
    t: float, q: Any, qd: Any, reference: Any, state: Any, tau: Any, kp: Any = 400.0
) -> None:
    """A law of one's own."""


def controllers(arm: ulna.Arm, q: Floats) -> None:
    control.PD(kp=[20.0, 10.0], kd=2.0)
    control.PD(stiffness=20.0)  # type: ignore[call-arg]
    control.PID(kp=20.0, kd=2.0, ki=1.0, filter=100.0)
    control.PID(dead_band=[0.01, 0.02])
    control.PID(dead_band="1 deg")  # type: ignore[arg-type]
    control.PID(integral=1.0)  # type: ignore[call-arg]
    control.GravityPD(natural_frequency=10.0, model=arm)
    control.GravityPD(frequency=10.0)  # type: ignore[call-arg]
    control.FeedforwardPID(kp=20.0, model=arm)
    control.FeedforwardPID(kp="20")  # type: ignore[arg-type]
    control.ComputedTorque(natural_frequency=20.0, damping_ratio=1.0)
    control.ComputedTorque(friction_compensation=False)
    control.OpenLoop(friction_compensation="no")  # type: ignore[arg-type]
    control.ComputedTorque(frequency=20.0)  # type: ignore[call-arg]
    control.ComputedTorque(20.0, 1.0, arm)  # type: ignore[call-arg]
    control.Adaptive(bandwidth=10.0, kd=1.0, adaptation=0.5)
    control.Adaptive(frequency=10.0)  # type: ignore[call-arg]
    control.OpenLoop(model=arm)
    control.OpenLoop(model="kehl")  # type: ignore[arg-type]
    chosen: control.Controller = control.read_controller("PD(kp=20, kd=2)")
    control.read_controller(20.0)  # type: ignore[arg-type]
    control.with_model(control.ComputedTorque(), arm)
    control.with_model(control.ComputedTorque())  # type: ignore[call-arg]
    of_ones_own = control.law(spring)
    ulna.simulate(arm, q0=[0.0], duration=1.0, controller=of_ones_own(kp=[20.0, 10.0]))
    of_ones_own(kp="stiff")  # type: ignore[arg-type]
    control.law(state=(0.0, 0.0))(spring)
    control.law(state=0.0)  # type: ignore[call-overload]
    control.inner(spring)
    control.inner()  # type: ignore[call-arg]
    control.select(q[0] > 0.0, control.sqrt(q[0]), 0.0)
    control.select(q[0] > 0.0, 1.0)  # type: ignore[call-arg]
    control.sqrt()  # type: ignore[call-arg]
    sine, _ = control.sincos(q[0])
    control.sincos(sine, degrees=True)  # type: ignore[call-arg]
    control.logical_and(q[0] > 0.0, control.logical_not(q[1] > 0.0))
    control.logical_and(q[0] > 0.0)  # type: ignore[call-arg]
    control.logical_not()  # type: ignore[call-arg]
    control.logical_or(q[0] > 0.0, q[1] > 0.0)
    control.logical_or(q[0] > 0.0)  # type: ignore[call-arg]
    law = control.PID()
    print(law.start(arm), law.gains(arm).kp, law.feedback(arm, q), law.compiled(arm).params)
    law.gains()  # type: ignore[call-arg]
    law.feedback(arm)  # type: ignore[call-arg]
    law.compiled("kehl")  # type: ignore[arg-type]
    control.Adaptive.estimate(control.Adaptive().start(arm))
    control.Adaptive.estimate()  # type: ignore[call-arg]
    own: control.Controller = Hold()
    chosen.start(own)  # type: ignore[arg-type]
    chosen.torque(0.0, q, q, control.Reference(q, q, q), None)
    chosen.torque(0.0, q, q)  # type: ignore[call-arg]
    control.Reference(q, q)  # type: ignore[call-arg]


def analyses_of_batches(batch: ulna.BatchRun, plan: ulna.Plan, arm: ulna.Arm) -> None:
    together: analysis.BatchTracking = analysis.tracking(batch, plan, start=0.5)
    analysis.tracking(batch, [plan, plan]).settling_time(tolerance=1e-3)
    analysis.tracking(batch, arm)  # type: ignore[call-overload]
    print(together.worst.point, together.effort.torque_rms, together.facts()["rms"])
    together.first_exit(tube=0.01)  # type: ignore[call-arg]
    print(analysis.tracking(batch[0], plan).run.parameters)
    analysis.tracking(batch[0], [plan])  # type: ignore[call-overload]
    analysis.effort(batch)
    analysis.effort(batch[0])
    steps: analysis.BatchStepResponse = analysis.step_response(batch, reference=[0.1, 0.2])
    analysis.step_response(batch, joint=1)  # type: ignore[call-overload]
    analysis.step_response(batch[0], joint=1, reference=[0.1, 0.2])
    analysis.step_response(batch[0])  # type: ignore[call-overload]
    steps.facts()


def analyses(arm: ulna.Arm, run: ulna.Run, plan: ulna.Plan, q: Floats) -> None:
    followed: analysis.Tracking = analysis.tracking(run, plan, start=0.5)
    analysis.tracking(plan, run)  # type: ignore[call-overload]
    followed.first_exit(radius=0.01)
    followed.first_exit(tube=0.01)  # type: ignore[call-arg]
    followed.left(0.01)  # type: ignore[attr-defined]
    followed.settling_time(tolerance=1e-3)
    followed.settling_time("1 mm")  # type: ignore[arg-type]
    print(followed.facts()["tip_error"])
    followed.facts("tip_error")  # type: ignore[call-arg]
    analysis.verdict(run, plan, tolerance=1e-3).facts()
    analysis.verdict(run)  # type: ignore[call-arg]
    analysis.effort(run)
    analysis.effort(plan)  # type: ignore[arg-type]
    analysis.default_tolerance(plan, positions=True)
    analysis.default_tolerance()  # type: ignore[call-arg]
    grown: analysis.Stability = analysis.stability(plan, control.PD(), rate=500.0, arm=arm)
    analysis.stability(arm, plan)  # type: ignore[arg-type]
    analysis.stability(plan, "PD()")  # type: ignore[arg-type]
    analysis.stability(plan, control.PD(), sensors=ulna.Sensors(delay=0.002))
    analysis.stability(plan, control.PD(), sensors=0.002)  # type: ignore[arg-type]
    closed: analysis.LoopDynamics = analysis.loop(
        arm, q, control.PD(), rate=250.0, actuators=ulna.Actuators(bandwidth=30.0)
    )
    analysis.loop(arm, control.PD())  # type: ignore[call-arg, arg-type]
    analysis.loop(arm, q, control.PD(), delay=0.002)  # type: ignore[call-arg]
    closed.gain([1.0, 10.0])
    closed.gain("1 Hz")  # type: ignore[arg-type]
    print(closed.bode().magnitude)
    closed.bode("low")  # type: ignore[arg-type]
    closed.facts("margins")  # type: ignore[call-arg]
    grown.growth_at(0.5)
    grown.growth_at("0.5 s")  # type: ignore[arg-type]
    grown.growth_rate(0.0, end=1.0)
    grown.growth_rate(until=1.0)  # type: ignore[call-arg]
    grown.predicted_exit(0.01, error=1e-12)
    grown.predicted_exit()  # type: ignore[call-arg]
    answer: analysis.StepResponse = analysis.step_response(arm, control.PD(), joint=2, size=0.1)
    analysis.step_response(arm, control.PD(), actuators=ulna.Actuators(delay=0.001))
    analysis.step_response(arm)  # type: ignore[call-overload]
    analysis.step_response(arm, control.PD(), q0="0, 0")  # type: ignore[arg-type]
    answer.facts()
    answer.facts(1)  # type: ignore[call-arg]
    drawn: ulna.Portrait = ulna.portrait(arm, torque=1.0, starts=[(0.0, 1.0)], duration=10.0)
    ulna.portrait(arm, torqe=1.0)  # type: ignore[call-arg]
    ulna.portrait(run)  # type: ignore[arg-type]
    drawn.field(columns=11, rows=11)
    drawn.field("fine")  # type: ignore[arg-type]
    drawn.energy(columns=11)
    drawn.energy(column=11)  # type: ignore[call-arg]
    drawn.basins(100, progress=False, on_interrupt="return")
    drawn.basins(on_interrupt="ignore")  # type: ignore[arg-type]
    drawn.critical_speeds(angle=0.1, within=(0.0, 5.0))
    drawn.critical_speeds(angles=0.1)  # type: ignore[call-arg]
    drawn.critical_angles(speed=0.1)
    drawn.critical_angles("all")  # type: ignore[arg-type]
    drawn.facts()
    drawn.facts(True)  # type: ignore[call-arg]
    cut: ulna.Section = ulna.poincare(
        arm, starts=[([0.0, 0.1], [0.0, 0.0])], duration=10.0, joint=2
    )
    ulna.poincare(
        arm, starts=[([0.0, 0.1], [0.0, 0.0])], duration=10.0, rtol=1e-10, torque=[0.0, 1.0]
    )
    ulna.poincare(arm, duration=10.0)  # type: ignore[call-arg]
    ulna.poincare(arm, starts=[([0.0], [0.0])], duration=10.0, rtl=1e-10)  # type: ignore[call-arg]
    cut.facts()
    cut.facts("all")  # type: ignore[call-arg]


def pictures(arm: ulna.Arm, run: ulna.Run, plan: ulna.Plan, axes: Any, q: Floats) -> None:
    runs: Mapping[str, ulna.Run] = {"open loop": run}
    theme = viewer.Theme()
    viewer.Theme(colour="red")  # type: ignore[call-arg]
    ulna.plot(arm, q=q)
    ulna.plot(run, theme=theme)
    ulna.plot("kehl")  # type: ignore[arg-type]
    ulna.plot(arm, angles=q)  # type: ignore[call-arg]
    film = ulna.animate(run, "run.mp4", fps=25.0, speed=0.5, size=(640, 480), overwrite=False)
    ulna.animate(run, "run.mp4", force=True)  # type: ignore[call-arg]
    ulna.animate(plan)  # type: ignore[arg-type]
    if film is not None:
        film.save("copy.mp4", overwrite=False)
        film.save("copy.mp4", force=True)  # type: ignore[call-arg]
    viewer.animate_following(plan, runs, "both.gif", overwrite=True)
    viewer.animate_following(plan, [run])  # type: ignore[arg-type]
    ulna.report(run, "run.html", plan=plan, title="A circle", notes=["as asked"], overwrite=False)
    ulna.report(run)  # type: ignore[call-arg]
    ulna.report(arm, "arm.html")  # type: ignore[arg-type]
    ulna.report(run, "run.html", basins=300)  # type: ignore[arg-type]
    ulna.show(run, plan=plan, height=500)
    ulna.show(run, tall=500)  # type: ignore[call-arg]
    dragged = ulna.widget(arm, q0=q, height=300)
    dragged.on_change(print, remove=True)
    dragged.on_change("print")  # type: ignore[arg-type]
    ulna.widget(run, height=300)
    ulna.widget(run, q0=q)  # type: ignore[call-overload]
    ulna.widget("kehl")  # type: ignore[call-overload]
    ulna.play(arm, "arm.html", q0=q, exercise=None, seed=0, overwrite=False)
    ulna.play("kehl")  # type: ignore[arg-type]
    closed = analysis.loop(arm, q, control.PD())
    viewer.bode_figure(closed, theme=theme)
    viewer.bode_figure(run)  # type: ignore[arg-type]
    viewer.plot_gain(axes, closed)
    viewer.plot_gain(closed)  # type: ignore[call-arg, arg-type]
    viewer.plot_phase(axes, closed)
    viewer.plot_phase(closed)  # type: ignore[call-arg, arg-type]
    viewer.conventions_figure(theme=theme)
    viewer.conventions_figure("dark")  # type: ignore[arg-type, call-arg]
    viewer.draw_arm(axes, arm, q, ghost=True)
    viewer.draw_arm(axes, q)  # type: ignore[arg-type, call-arg]
    viewer.draw_ghosts(axes, arm, [q, q], count=5)
    viewer.draw_ghosts(axes, arm)  # type: ignore[call-arg]
    viewer.draw_reach(axes, arm)
    viewer.draw_reach(axes, q)  # type: ignore[arg-type]
    viewer.draw_trace(axes, q, width=2.0)
    viewer.draw_trace(axes, q, thickness=2.0)  # type: ignore[call-arg]
    viewer.error_figure(plan, runs)
    viewer.error_figure(plan, run)  # type: ignore[arg-type]
    viewer.fit_axes(axes, arm, also=q)
    viewer.fit_axes(axes)  # type: ignore[call-arg]
    viewer.motion_figure(plan, run)
    viewer.motion_figure(run, plan)  # type: ignore[arg-type]
    viewer.plot_angles(axes, run)
    viewer.plot_angles(run)  # type: ignore[arg-type, call-arg]
    viewer.plot_deviation(axes, plan, run)
    viewer.plot_deviation(axes, plan)  # type: ignore[call-arg]
    viewer.plot_energy(axes, run)
    viewer.plot_energy(axes, plan)  # type: ignore[arg-type]
    viewer.plot_error(axes, plan, runs)
    viewer.plot_error(axes, plan, run)  # type: ignore[arg-type]
    viewer.plot_joint_torque(axes, plan, 1)
    viewer.plot_joint_torque(axes, plan, "elbow")  # type: ignore[arg-type]
    viewer.plot_motion(axes, run)
    viewer.plot_motion(axes, run, joint=1)  # type: ignore[call-arg]
    viewer.plot_path(axes, plan, run)
    viewer.plot_path(axes, run)  # type: ignore[arg-type]
    viewer.plot_portrait(axes, ulna.portrait(arm), energy=True)
    viewer.plot_portrait(axes, arm)  # type: ignore[arg-type]
    viewer.plot_projection(axes, [run, run], 1)
    viewer.plot_projection(axes, run)  # type: ignore[call-arg]
    viewer.plot_section(axes, run, 1)  # type: ignore[arg-type]
    viewer.plot_speeds(axes, run)
    viewer.plot_speeds(axes)  # type: ignore[call-arg]
    viewer.plot_currents(axes, run)
    viewer.plot_currents(axes)  # type: ignore[call-arg]
    viewer.plot_supply_power(axes, run)
    viewer.plot_supply_power(axes)  # type: ignore[call-arg]
    viewer.plot_temperatures(axes, run)
    viewer.plot_temperatures(axes)  # type: ignore[call-arg]
    viewer.plot_tip(axes, run)
    viewer.plot_tip(axes, None)  # type: ignore[arg-type]
    viewer.plot_torques(axes, run)
    viewer.plot_torques(axes, run, 1)  # type: ignore[arg-type, call-arg]
    viewer.portrait_figure(ulna.portrait(arm), basins=None)
    viewer.portrait_figure(arm)  # type: ignore[arg-type]
    viewer.pose_figure(arm, q)
    viewer.pose_figure(arm)  # type: ignore[call-arg]
    found = kinematics.inverse(arm, (0.5, 0.5))
    viewer.reach_figure(arm, (0.5, 0.5), found)
    viewer.reach_figure(arm, found)  # type: ignore[arg-type, call-arg]
    viewer.region_figure(kinematics.workspace(arm))
    viewer.region_figure(arm)  # type: ignore[arg-type]
    viewer.run_figure(run)
    viewer.run_figure(runs)  # type: ignore[arg-type]
    viewer.section_figure(ulna.poincare(arm, starts=[], duration=1.0), show=1)
    viewer.section_figure(run)  # type: ignore[arg-type]
    viewer.plot_section(axes, ulna.poincare(arm, starts=[], duration=1.0), 1)
    with viewer.styled(theme) as styled:
        print(styled)
    viewer.styled("dark")  # type: ignore[arg-type]
    viewer.targets_figure(arm, np.zeros((3, 2)), found)
    viewer.targets_figure(arm, found, np.zeros((3, 2)))  # type: ignore[arg-type]
    viewer.torques_figure(plan)
    viewer.torques_figure(run)  # type: ignore[arg-type]
    viewer.tracked_figure(arm, kinematics.track(arm, np.zeros((9, 2))))
    viewer.tracked_figure(arm, plan)  # type: ignore[arg-type]
    viewer.workspace_figure([arm, arm])
    viewer.workspace_figure(arm)  # type: ignore[arg-type]


def robust(plan: ulna.Plan, pd: control.PD, axes: Any) -> None:
    table = uncertainty.default_uncertainty(plan, rate=500.0)
    uncertainty.default_uncertainty("circle()")  # type: ignore[arg-type]
    found: ulna.Robustness = ulna.robustness(plan, pd, runs=10, tube=0.005, vary=table, seed=1)
    ulna.robustness(plan, pd, disturbances=[disturbances.step([1.0, 0.0])], on_interrupt="return")
    ulna.robustness(plan, pd, sensors=ulna.Sensors(delay=1e-3), at_rest=True, sobol=True)
    ulna.robustness(plan, pd, runs="1000")  # type: ignore[arg-type]
    ulna.robustness(plan, pd, count=10)  # type: ignore[call-arg]
    ulna.robustness(plan, at_rest=True)
    ulna.robustness()  # type: ignore[call-arg]
    print(found.percentiles((50, 95))["max"], found.fan([50.0]), found.exit.low, found.text)
    found.percentiles("95")  # type: ignore[arg-type]
    print(found.headline(analysis.verdict(None, plan)))
    found.headline("follows")  # type: ignore[arg-type]
    found.fan(95)  # type: ignore[arg-type]
    print(found.worst.values, found.draws(3), found.rank_correlations, found.causes(2))
    found.draws()  # type: ignore[call-arg]
    found.causes("all")  # type: ignore[arg-type]
    run: ulna.BatchRun = found.replay(3)
    found.replay("worst")  # type: ignore[arg-type]
    viewer.robustness_figure(found, theme=viewer.DARK)
    viewer.robustness_figure(run)  # type: ignore[arg-type]
    viewer.plot_fan(axes, found)
    viewer.plot_fan(found)  # type: ignore[call-arg, arg-type]
    viewer.plot_largest_errors(axes, found)
    viewer.plot_largest_errors(found)  # type: ignore[call-arg, arg-type]


def sweeps(spec: Mapping[str, Any]) -> None:
    read: SweepSpec = sweep_specs.read_spec("sweep.toml")
    sweep_specs.read_spec(spec)
    sweep_specs.read_spec(3)  # type: ignore[arg-type]
    read.case(3).simulate(read.grid)
    read.case("3")  # type: ignore[arg-type]
    found: ulna.Sweep = ulna.sweep(read, "results.zarr", workers=2, progress=False)
    ulna.sweep("sweep.toml", scheduler="tcp://127.0.0.1:8786", on_interrupt="return")
    ulna.sweep(spec, tls={"ca_file": "ca.pem", "cert": "cert.pem", "key": "key.pem"}, retry=True)
    ulna.sweep(arm="kehl", path=ulna.paths.loops(), vary={"payload": [0.0, 1.0]}, keep=["torque"])
    ulna.sweep(arm=3)  # type: ignore[arg-type]
    ulna.sweep(read, processes=2)  # type: ignore[call-arg]
    ulna.sweep(read, workers="2")  # type: ignore[arg-type]
    ulna.open_sweep("results.zarr")
    ulna.open_sweep()  # type: ignore[call-arg]
    viewer.sweep_figure(found, "torque.peak", theme=viewer.DARK)
    viewer.sweep_figure(read)  # type: ignore[arg-type]
    ulna.plot(found, what="torque")
    ulna.plot(found, what=1)  # type: ignore[arg-type]
    ulna.report(found, "sweep.html")
    run: ulna.BatchRun = found.run(3)
    found.run()  # type: ignore[call-arg]
    print(run, found.point(3), found.why(3), found.dataset, found.status, found.failed)
    found.point("first")  # type: ignore[arg-type]
    found.why()  # type: ignore[call-arg]
    told: Estimate = found.estimate(workers=2)
    found.estimate("2")  # type: ignore[arg-type]
    print(told.seconds, told.memory, told.disk)


def numbers_and_text(q: Floats) -> None:
    angles.wrap(q, middle=0.0)
    angles.wrap(q, center=0.0)  # type: ignore[call-arg]
    angles.unwrap(q, axis=0)
    angles.unwrap(q, axis="time")  # type: ignore[arg-type]
    angles.difference(q, q)
    angles.difference(q)  # type: ignore[call-arg]
    angles.distance(q, q)
    angles.distance()  # type: ignore[call-arg]
    angles.absolute_to_relative(q)
    angles.absolute_to_relative(q, q)  # type: ignore[call-arg]
    angles.relative_to_absolute(q)
    angles.relative_to_absolute(phi=q)  # type: ignore[call-arg]
    angles.from_zero_down(q)
    angles.from_zero_down()  # type: ignore[call-arg]
    angles.from_zero_up(q)
    angles.from_zero_up()  # type: ignore[call-arg]
    angles.to_zero_down(q)
    angles.to_zero_down()  # type: ignore[call-arg]
    angles.to_zero_up(q)
    angles.to_zero_up()  # type: ignore[call-arg]
    units.to_si("30 deg", "angle", what="q")
    units.to_si("30 deg")  # type: ignore[call-arg]
    units.from_si(0.5, "deg", "angle")
    units.from_si("0.5", "deg", "angle")  # type: ignore[arg-type]
    units.format_si(0.5, "deg", "angle", digits=3)
    units.format_si(0.5, "deg")  # type: ignore[call-arg]
    units.parse_list("30 deg, 0", "angle")
    units.parse_list(["30 deg"], "angle")  # type: ignore[arg-type]
    units.bare_items("1, 2 deg")
    units.bare_items(1)  # type: ignore[arg-type]
    units.known_unit("deg")
    units.known_unit()  # type: ignore[call-arg]
    units.separate("1, 2")
    units.separate(1, 2)  # type: ignore[arg-type, call-arg]
    units.split_unit("30 deg")
    units.split_unit(30)  # type: ignore[arg-type]
    units.suspicious_angle(90.0)
    units.suspicious_angle("90")  # type: ignore[arg-type]
    formula: expressions.Expression = expressions.Expression.parse("100*t", ["t"])
    expressions.Expression.parse(100.0)  # type: ignore[arg-type]
    expressions.run(formula.program, [0.5])
    expressions.run("100*t", [0.5])  # type: ignore[arg-type]
    expressions.constant("2*pi")
    expressions.constant(2.0)  # type: ignore[arg-type]
    call: expressions.Call = expressions.parse_call("circle(radius='5 cm')")
    expressions.parse_call()  # type: ignore[call-arg]
    print(call.fault("radius", "too long", need="less").faults[0].picture())
    call.fault()  # type: ignore[call-arg]
    expressions.Fault().picture()  # type: ignore[call-arg]
    expressions.bind(call, {"radius": "length"})
    expressions.bind("circle()", {"radius": "length"})  # type: ignore[arg-type]
    print(papers.paper("000"), papers.papers(["000"]), papers.rows("000"), papers.errata("000"))
    papers.paper(0)  # type: ignore[arg-type]
    papers.papers(0)  # type: ignore[arg-type]
    papers.rows(["000"])  # type: ignore[arg-type]
    papers.errata(0)  # type: ignore[arg-type]
