"""Motors, friction and loops without a compiler: `make coverage` runs this, NUMBA_DISABLE_JIT=1.

Runs have few steps; every expectation is a closed form, an energy balance, or the single engine.
"""

import numba
import numpy as np
import pytest

import ulna
from ulna import Actuators, Arm, Friction, Joint, Motor, Sensors, simulate, simulate_batch
from ulna.scenario import disturbances

pytestmark = pytest.mark.skipif(
    not numba.config.DISABLE_JIT, reason="kernels are compiled: run with NUMBA_DISABLE_JIT=1"
)

FLAT = (0.0, 0.0)
HEAT = ulna.WindingHeat(20.0, 0.1, max_temperature=40.0, derating_from=26.0)


def dc(**given):
    usual = {"voltage": 12.0, "resistance": 2.0, "torque_constant": 0.02, "gear_ratio": 50.0}
    return Motor(**(usual | {"rotor_inertia": 1e-6} | given))


def two_links(*motors, friction=None):
    joints = [Joint(damping=0.02, friction=friction, motor=motor) for motor in motors]
    return Arm.rods([0.3, 0.25], [0.5, 0.3], joints=joints)


def balance(run):
    """Return what no part of the flow of energy accounts for, as a part of the throughput."""
    flow, energy = run.energy_flow, run.energy
    work = flow.supplied - flow.returned - flow.winding - flow.conversion - flow.magnetic
    reached = work + flow.magnetic[0] - flow.teeth - (flow.rotors - flow.rotors[0])
    left = reached - energy.injected - energy.balance_error
    return np.abs(left).max() / max(flow.supplied.max(), 1e-6)


MOTORS = {
    "driver": {},
    "voltage": {"command": "voltage", "inductance": 2e-3},
    "settling": {"command": "voltage", "inductance": 1e-5},
    "resistive": {"command": "voltage"},
    "hot": {"heat": HEAT, "back_emf_constant": 0.022},
    "gear": {"efficiency": 0.7, "backdriving_efficiency": 0.5, "no_load_current": 0.1},
    "backlash": {"backlash": ulna.Backlash(0.01, 200.0, 20.0)},
    "geared backlash": {"backlash": ulna.Backlash(0.01, 200.0), "efficiency": 0.8},
}


@pytest.mark.parametrize("name", MOTORS)
@pytest.mark.parametrize("method", ["rk4", "gauss4", "semi-implicit"])
def test_motors_of_a_batch_go_as_they_go_alone(name, method):
    arms = [two_links(dc(**MOTORS[name]), dc(**MOTORS[name], max_current=k)) for k in (0.4, 3.0)]
    common = {
        "q0": [0.3, 0.5], "duration": 0.012, "dt": 1e-3, "samples": [0.0, 0.0035, 0.012],
        "torque": ["2*sin(300*t)", "cos(200*t)"], "method": method,
    }  # fmt: skip
    batch = simulate_batch(arms, keep_torques=True, **common)
    for arm, q, tau in zip(arms, batch.q, batch.tau, strict=True):
        alone = simulate(arm, **common)
        assert alone.status.reason == "done"
        assert np.abs(alone.q - q).max() <= 1e-12
        assert np.abs(alone.tau - tau).max() <= 1e-10


@pytest.mark.parametrize("name", sorted(set(MOTORS) - {"settling"}))
def test_energy_goes_where_the_laws_say(name):
    arm = two_links(dc(**MOTORS[name]), dc(**MOTORS[name]), friction=Friction(0.05, 0.08))
    run = simulate(
        arm, q0=[-1.5, 0.1], duration=0.06, torque=["2*sin(90*t)", "cos(60*t)"], rtol=1e-11,
        samples=[0.0, 0.02, 0.06],
    )  # fmt: skip
    assert run.status.reason == "done"
    assert balance(run) < 1e-7


def test_servos_move_their_target_and_read_commands_at_their_rate():
    servo = ulna.ServoMotor(
        3.0, 5.0, stiffness=20.0, damping=0.5, max_speed=2.0, dead_band=0.01, update_rate=100.0
    )
    arm = Arm.rods([0.2], [0.2], joints=[Joint(motor=servo)], gravity=FLAT)
    moved = simulate(arm, q0=[0.0], position=["t > 0.005"], duration=0.03, dt=1e-3, method="rk4")
    assert np.all(moved.q[moved.t <= 0.01, 0] == 0.0)  # it is read at 10 ms
    assert moved.q[-1, 0] > 0.0
    held = simulate(
        arm, q0=[0.0], controller=ulna.control.PD(), reference=[0.3], duration=0.02, rate=200.0
    )
    assert held.q[-1, 0] > 0.0
    both = simulate_batch([arm, arm], q0=[0.0], position=[0.5], duration=0.03)
    alone = simulate(arm, q0=[0.0], position=[0.5], duration=0.03, method="rk4", dt=1e-3)
    assert both.q[0, -1, 0] == both.q[1, -1, 0] == alone.q[-1, 0]


def test_a_stepper_holds_up_to_its_torque_and_loses_steps_beyond():
    motor = ulna.StepperMotor(
        1.0, corner_speed=20.0, max_speed=60.0, step_angle=0.2, microsteps=4, damping=0.05
    )
    arm = Arm.rods([0.3], [0.5], joints=[Joint(motor=motor)], gravity=FLAT)
    for pull, lost in ((0.5, False), (3.0, True)):
        run = simulate(
            arm, q0=[0.0], position=[0.0], duration=0.15, dt=2e-3, method="rk4",
            disturbances=[disturbances.step([pull])],
        )  # fmt: skip
        assert (run.motors[0].lost_steps > 0) == lost
    pushed = simulate(arm, q0=[0.0], torque=[5.0], duration=0.01, dt=1e-3, method="rk4")
    assert np.abs(pushed.tau).max() <= 1.0


@pytest.mark.parametrize("rate_from", ["measured", "difference", "filtered"])
def test_loops_with_delays_and_lags_go_as_they_go_alone(rate_from):
    sensors = Sensors(
        delay=0.0033, angle_resolution=2 * np.pi / 4096, angle_bias=1e-3, rate_from=rate_from,
        rate_bandwidth=50.0 if rate_from == "filtered" else None, angle_noise=1e-5, seed=3,
    )  # fmt: skip
    actuators = Actuators(delay=0.0012, time_constant=0.005, torque_resolution=0.01, max_torque=5.0)
    arm = two_links(None, None, friction=Friction(0.02))
    waves = [
        disturbances.sine([0.1, 0.0], frequency=20.0), disturbances.formula(["0.1*t", 0.0]),
        disturbances.chirp([0.0, 0.1], start_frequency=5.0, stop_frequency=50.0, lasting=0.02),
    ]  # fmt: skip
    common = {
        "q0": [0.0, 0.2], "controller": ulna.control.PD(), "reference": [0.2, 0.0], "rate": 250.0,
        "sensors": sensors, "actuators": actuators, "disturbances": waves, "duration": 0.03,
        "samples": 4, "dt": 1e-3,
    }  # fmt: skip
    alone = simulate(arm, method="rk4", **common)
    both = simulate_batch(arm, seeds=[0, 0], **common)
    assert np.abs(alone.q - both.q[0]).max() <= 1e-9
    assert np.abs(alone.tau).max() <= 5.1
