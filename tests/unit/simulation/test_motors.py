"""Motors in simulations: what they refuse, what runs keep of them, and what goes on unchanged."""

import numpy as np
import pytest

import ulna
from ulna import (
    Arm,
    Backlash,
    InputError,
    Joint,
    Link,
    Motor,
    ServoMotor,
    Simulation,
    UlnaWarning,
    WindingHeat,
    open_run,
    simulate,
)
from ulna.scenario.methods import IntegrationMethod, register_method

pytestmark = pytest.mark.filterwarnings("ignore:motor data")

DC = Motor(
    voltage=24.0, resistance=1.0, torque_constant=0.05, inductance=2e-3, gear_ratio=50.0,
    efficiency=0.8, rotor_inertia=1e-5, heat=WindingHeat(10.0, 3.0),
)  # fmt: skip
SERVO = ServoMotor(stall_torque=30.0, no_load_speed=8.0, stiffness=300.0, damping=20.0)


def arm_with(motor, **joint):
    joints = Joint(motor=motor, damping=0.1, **joint), Joint(motor=motor, damping=0.1, **joint)
    return Arm((Link(0.5, 1.0), Link(0.4, 0.8)), joints)


GIVEN = {DC: {"voltage": ["8*sin(3*t)", "4"]}, SERVO: {"reference": [0.4, -0.2]}}


class TestRefusals:
    def test_one_kind_of_command(self):
        with pytest.raises(InputError, match="got torque= and voltage=, need one of them"):
            simulate(arm_with(DC), q0=[0, 0], torque=[1, 1], voltage=[1, 1], duration=0.1)
        with pytest.raises(InputError, match="got position= and reference=, need one"):
            simulate(arm_with(SERVO), q0=[0, 0], position=[1, 1], reference=[1, 1], duration=0.1)

    @pytest.mark.parametrize("what", ["voltage", "current", "position"])
    def test_a_command_that_a_motor_does_not_take(self, what):
        motor = SERVO if what != "position" else DC
        with pytest.raises(InputError, match=f"{what}: got joint 1 with a"):
            simulate(arm_with(motor), q0=[0, 0], duration=0.1, **{what: [1, 1]})

    def test_a_reference_needs_a_controller_unless_all_motors_take_positions(self):
        with pytest.raises(InputError, match="nothing without a controller"):
            simulate(arm_with(DC), q0=[0, 0], reference=[1, 1], duration=0.1)

    def test_sequential_dynamics_know_no_motors(self):
        with pytest.warns(UlnaWarning, match="knows no motors: they are ideal"):
            simulate(arm_with(SERVO), q0=[0, 0], dynamics="sequential", duration=0.01)
        with pytest.raises(InputError, match="where motors are ideal"):
            simulate(arm_with(DC), q0=[0, 0], voltage=[1, 1], dynamics="sequential", duration=0.1)

    def test_a_step_of_ones_own_does_not_integrate_motors(self):
        from ulna.simulation.engine.implicit import semi_implicit_step

        register_method(IntegrationMethod("my-euler", 1, "a test", step=semi_implicit_step))
        with pytest.raises(InputError, match="'my-euler', which has a step of its own"):
            simulate(arm_with(DC), q0=[0, 0], method="my-euler", duration=0.01)

    def test_a_tableau_of_ones_own_does(self):
        tableau = [[1 / 2], [0.0, 3 / 4], [2 / 9, 1 / 3, 4 / 9]]
        register_method(IntegrationMethod("my-ralston", 3, "a test", tableau=tableau))
        given = {"q0": [0, 0], "duration": 0.1, "samples": 3, **GIVEN[DC]}
        run = simulate(arm_with(DC), method="my-ralston", dt=2e-4, **given)
        exact = simulate(arm_with(DC), **given)
        assert run.current == pytest.approx(exact.current, abs=1e-5)

    def test_teeth_too_stiff_for_any_part_of_a_step(self):
        motor = Motor(
            voltage=24.0, resistance=1.0, torque_constant=0.05, gear_ratio=10.0,
            rotor_inertia=1e-4, backlash=Backlash(0.01, 1e12),
        )  # fmt: skip
        with pytest.raises(InputError, match=r"joint 1, motor: got .* need at most 500 parts"):
            simulate(arm_with(motor), q0=[0, 0], method="rk4", dt=5e-3, duration=0.01)


class TestRuns:
    @pytest.mark.parametrize("motor", [DC, SERVO], ids=["dc", "servo"])
    def test_a_file_holds_all_of_them(self, motor, tmp_path):
        run = simulate(arm_with(motor), q0=[0, 0], duration=0.2, samples=11, **GIVEN[motor])
        run.save(tmp_path / "run.nc")
        same = open_run(tmp_path / "run.nc")
        names = ("current", "voltage", "temperature", "rotor_angle", "rotor_rate", "energy_flows")
        for name in (*names, "q", "tau", "q_ref"):
            one, other = getattr(run, name), getattr(same, name)
            assert one is other is None or np.array_equal(one, other, equal_nan=True), name
        assert same.motors == run.motors
        assert same.arm == run.arm
        assert same.energy_flow.magnetic == pytest.approx(run.energy_flow.magnetic)

    def test_tables_name_units(self, tmp_path):
        run = simulate(arm_with(DC), q0=[0, 0], duration=0.1, samples=3, **GIVEN[DC])
        assert run.dataset["current"].attrs["units"] == "A"
        assert run.dataset["supply_power"].attrs["units"] == "W"
        frame = run.to_dataframe()
        assert {"current1", "voltage2", "temperature1", "supply_power"} <= set(frame.columns)
        assert "rotor_angle1" not in frame
        run.save(tmp_path / "run.csv")
        assert "temperature2 [°C]" in (tmp_path / "run.csv").read_text("utf-8").splitlines()[0]

    def test_an_arm_without_motors_has_none_of_it(self):
        run = simulate(arm_with(None), q0=[0, 0], duration=0.1, samples=3)
        assert run.current is run.supply_power is run.energy_flow is None
        assert run.motors == ()
        assert "current" not in run.dataset

    def test_the_status_tells_of_limits_and_stalls(self):
        run = simulate(arm_with(DC), q0=[0.0, 0.0], torque=[0.0, 100.0], duration=0.5, samples=3)
        assert "the motor of joint 2 was at its limits" in run.status.text
        weak = Motor(voltage=6.0, resistance=3.0, torque_constant=0.05, gear_ratio=30.0)
        load = Arm((Link(1.0, 1.0),), (Joint(motor=weak, damping=1.0),))
        run = simulate(load, q0=[-1.5], torque=[8.0], duration=12.0, samples=3)
        (use,) = run.motors
        assert 0.1 < use.stalled < 12.0  # not where it starts
        assert f"stalled at t = {use.stalled:.4g} s" in run.status.text


class TestSimulation:
    def test_what_is_commanded_changes_in_mid_run(self):
        one = Simulation(ulna.Scenario(arm=arm_with(DC), q0=[0.1, 0.2], current=[2.0, 1.0]))
        one.advance(0.1)
        one.apply(voltage=[6.0, 3.0])
        # The current goes on from what the driver gave.
        assert one.tau == pytest.approx(50.0 * 0.05 * np.array([2.0, 1.0]), rel=1e-3)
        assert one.advance(0.1).ok

    def test_a_controller_takes_over_from_positions(self):
        one = Simulation(ulna.Scenario(arm=arm_with(SERVO), q0=[0.0, 0.0], reference=[0.4, -0.2]))
        one.advance(1.5)
        assert one.q == pytest.approx([0.4, -0.2], abs=0.05)
        one.set_reference([0.1, 0.1])
        one.advance(1.5)
        assert one.q == pytest.approx([0.1, 0.1], abs=0.05)
        one.set_controller(ulna.control.GravityPD(), reference=[0.3, 0.0])
        one.advance(4.0)
        assert one.q == pytest.approx([0.3, 0.0], abs=0.02)

    def test_a_function_of_time_is_followed_too(self):
        arm = arm_with(SERVO)
        run = simulate(
            arm, q0=[0, 0], reference=lambda t: ([0.3 * t, 0.1], [0.3, 0.0]), duration=0.5, dt=0.01
        )
        assert run.q_ref[:, 0] == pytest.approx(0.3 * run.t)
        assert run.qd_ref[:, 0] == pytest.approx(0.3)
        assert run.scenario.reference(0.5) == ([0.15, 0.1], [0.3, 0.0])
