"""Laws of motors in a run, whatever the method: closed forms, SciPy, and where the energy goes."""

import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import ulna
from ulna import (
    Arm,
    Backlash,
    Friction,
    Joint,
    Link,
    Motor,
    ServoMotor,
    StepperMotor,
    TorqueSpeedMotor,
    WindingHeat,
    simulate,
)
from ulna.scenario.disturbances import step

pytestmark = pytest.mark.filterwarnings("ignore:motor data")


def wheel(motor, inertia=0.01, damping=0.0, **joint):
    """Return a wheel without weight on a motor."""
    link = Link(1.0, 1e-9, com=0.0, inertia=inertia)
    return Arm((link,), (Joint(damping=damping, motor=motor, **joint),), gravity=(0.0, 0.0))


def rod(motor, **joint):
    """Return a rod of 1 m and 1 kg, which takes 4.905 N·m to hold."""
    return Arm((Link(1.0, 1.0),), (Joint(motor=motor, **joint),))


def two(motor, **joint):
    joints = Joint(motor=motor, **joint), Joint(motor=motor, **joint)
    return Arm((Link(0.5, 1.0), Link(0.4, 0.8)), joints)


def quietly(*args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return simulate(*args, **options)


# The motor of the usual course example: J = 0.01, b = 0.1, K = 0.01, R = 1, L = 0.5.
COURSE = Motor(voltage=12.0, resistance=1.0, torque_constant=0.01, inductance=0.5)
SWUNG = ["20*sin(3*t)", "10*cos(5*t)"]


class TestWinding:
    def test_a_step_of_voltage_is_that_of_the_course_example(self):
        arm = wheel(COURSE, damping=0.1)
        run = simulate(arm, q0=[0.0], voltage=[1.0], duration=1.0, rtol=1e-12)
        assert run.qd[-1, 0] == pytest.approx(0.083037111171, abs=1e-9)
        assert run.current[-1, 0] == pytest.approx(0.864130154823, abs=1e-9)

    @pytest.mark.parametrize(
        ("method", "ratio"), [("rk4", 16), ("gauss4", 16), ("semi-implicit", 2)]
    )
    @pytest.mark.parametrize("voltage", [1.0, "sin(7*t)"], ids=["step", "sine"])
    def test_fixed_steps_keep_their_order(self, method, ratio, voltage):
        arm = wheel(COURSE, damping=0.1)
        given = {"q0": [0.0], "voltage": [voltage], "duration": 1.0, "samples": 2}
        exact = simulate(arm, rtol=1e-13, **given)
        errors = []
        for dt in (0.0125, 0.00625):
            found = quietly(arm, method=method, dt=dt, **given)
            off = found.qd[-1] - exact.qd[-1], found.current[-1] - exact.current[-1]
            errors.append(np.abs(off).max())
        assert errors[0] / errors[1] == pytest.approx(ratio, rel=0.15)

    @pytest.mark.parametrize("method", ["rk4", "gauss4"])
    @pytest.mark.parametrize("held", [0.0, 0.01, 0.001], ids=["sine", "100 Hz", "1 kHz"])
    def test_a_winding_of_10_microseconds_forces_no_shorter_steps(self, method, held):
        motor = Motor(voltage=50.0, resistance=1.0, torque_constant=0.5, inductance=1e-5)
        arm, voltage = wheel(motor, inertia=0.02, damping=0.05), ["10*sin(20*t)"]
        if held:
            times = np.arange(0.0, 0.3, held)
            voltage = times, 10.0 * np.random.default_rng(1).standard_normal((len(times), 1))
        given = {"q0": [0.0], "voltage": voltage, "duration": 0.3, "dt": 1e-3}
        exact = simulate(arm, rtol=1e-11, **given)
        run = simulate(arm, method=method, **given)
        for name in ("q", "qd", "current"):
            one, other = getattr(run, name)[1:], getattr(exact, name)[1:]
            assert np.abs(one - other).max() < 1e-4 * np.abs(other).max(), name

    def test_a_current_of_the_steps_own_length_is_followed_whichever_way_it_is_found(self):
        found = []
        for inductance in (1.0001e-3, 0.9999e-3):  # integrated, and settling within a step
            motor = Motor(voltage=50.0, resistance=1.0, torque_constant=0.2, inductance=inductance)
            arm = wheel(motor, inertia=0.02, damping=0.05)
            given = {"q0": [0.0], "voltage": ["10*sin(20*t)"], "duration": 0.3, "dt": 1e-3}
            found.append(simulate(arm, method="rk4", **given))
        assert np.abs(found[0].qd - found[1].qd).max() < 2e-3 * np.abs(found[0].qd).max()


def residual(run):
    """Return what is left of the energy from the supply, as a part of it."""
    flow, energy = run.energy_flow, run.energy
    went = flow.winding + flow.conversion + flow.magnetic + flow.teeth + flow.rotors
    went = went + energy.kinetic + energy.potential + energy.dissipated
    left = flow.supplied - flow.returned - (went - went[0])
    return np.abs(left).max() / flow.supplied.max()


PLAIN = Motor(
    voltage=24.0, resistance=1.0, torque_constant=0.05, back_emf_constant=0.06, inductance=5e-3,
    gear_ratio=50.0, rotor_inertia=1e-5,
)  # fmt: skip
GEARED = Motor(
    voltage=24.0, resistance=1.0, torque_constant=0.05, back_emf_constant=0.06, inductance=5e-3,
    gear_ratio=50.0, rotor_inertia=1e-5, efficiency=0.8, backdriving_efficiency=0.7,
    no_load_current=0.1, heat=WindingHeat(10.0, 3.0, magnet_coefficient=-0.001),
)  # fmt: skip
LOOSE = Motor(
    voltage=24.0, resistance=1.0, torque_constant=0.05, inductance=5e-3, gear_ratio=50.0,
    rotor_inertia=1e-4, efficiency=0.9, backlash=Backlash(0.02, 2000.0, 20.0),
)  # fmt: skip
RUBBING = {"friction": Friction(0.3, static=0.5, stribeck_velocity=0.1), "damping": 0.05}
ACCOUNTED = {
    "plain": (two(PLAIN), "voltage"),
    "friction": (two(PLAIN, **RUBBING), "voltage"),
    "gear and heat": (two(GEARED, damping=0.05), "voltage"),
    "driver": (two(GEARED, damping=0.05), "torque"),
    "backlash": (two(LOOSE, damping=0.05), "voltage"),
}


class TestEnergy:
    @pytest.mark.parametrize("case", ACCOUNTED)
    def test_all_energy_is_accounted_for(self, case):
        arm, what = ACCOUNTED[case]
        run = simulate(arm, q0=[0.3, 0.2], duration=1.0, rtol=1e-12, samples=101, **{what: SWUNG})
        assert run.energy_flow.supplied[-1] > 10.0
        assert residual(run) < 1e-9
        assert np.abs(run.energy.balance_error).max() < 1e-9 * run.energy_flow.supplied[-1]

    @pytest.mark.parametrize("method", ["rk4", "gauss4"])
    @pytest.mark.parametrize("case", ["plain", "friction", "gear and heat"])
    def test_the_residual_falls_with_the_order(self, case, method):
        arm, what = ACCOUNTED[case]
        given = {"q0": [0.3, 0.2], "duration": 1.0, "samples": 2, what: SWUNG}
        coarse, fine = (  # by steps that no motor divides
            residual(quietly(arm, method=method, dt=dt, **given)) for dt in (2e-3, 1e-3)
        )
        assert coarse / fine > 12.0

    def test_every_loss_has_its_formula(self):
        run = simulate(
            two(GEARED, damping=0.05), q0=[0.3, 0.2], voltage=SWUNG, duration=1.0, dt=1e-4
        )

        def integral(power):
            return np.trapezoid(power.sum(axis=-1), run.t)

        resistance = 1.0 + 0.00393 * (run.temperature - 25.0)
        weak = 1.0 - 0.001 * (run.temperature - 25.0)
        flow = run.energy_flow
        assert flow.winding[-1] == pytest.approx(integral(resistance * run.current**2), rel=1e-6)
        surplus = 50.0 * (0.06 - 0.05) * weak * run.qd * run.current
        assert flow.conversion[-1] == pytest.approx(integral(surplus), rel=1e-6)
        net = flow.supplied[-1] - flow.returned[-1]
        assert net == pytest.approx(integral(run.voltage * run.current), rel=1e-6)
        assert flow.magnetic[-1] == pytest.approx(0.5 * 5e-3 * (run.current[-1] ** 2).sum())
        tau = 50.0 * 0.05 * weak * run.current
        assert run.tau == pytest.approx(tau, abs=1e-9)
        power = tau * run.qd
        lost = np.where(power > 0.0, 0.2, 1.0 - 1.0 / 0.7) * power
        assert flow.gear[-1] == pytest.approx(integral(lost), rel=1e-4)

    def test_a_current_that_settles_within_steps_is_accounted_for_as_well(self):
        motor = Motor(voltage=50.0, resistance=1.0, torque_constant=0.5, inductance=1e-5)
        times = np.arange(0.0, 0.3, 0.01)
        voltage = times, 10.0 * np.random.default_rng(1).standard_normal((len(times), 1))
        arm = wheel(motor, inertia=0.02, damping=0.05)
        run = simulate(arm, q0=[0.0], voltage=voltage, duration=0.3, method="rk4", dt=1e-3)
        assert residual(run) < 1e-4


class TestLimits:
    def test_a_12_v_motor_turns_no_faster_than_its_voltage_allows(self):
        motor = Motor(voltage=12.0, resistance=2.0, torque_constant=0.1, gear_ratio=20.0)
        run = simulate(wheel(motor, inertia=0.5), q0=[0.0], torque=[100.0], duration=10.0, dt=0.01)
        assert run.tau[0, 0] == pytest.approx(motor.stall_torque)
        assert run.qd.max() < motor.no_load_speed * (1.0 + 1e-9)
        assert run.qd[-1, 0] == pytest.approx(motor.no_load_speed, rel=1e-6)
        line = motor.stall_torque * (1.0 - run.qd / motor.no_load_speed)
        assert run.tau == pytest.approx(line, abs=1e-9)
        assert np.abs(run.voltage).max() <= 12.0 * (1.0 + 1e-12)
        assert run.motors[0].limited_seconds == pytest.approx(10.0)

    def test_gauss4_goes_on_at_a_speed_that_stays(self):
        motor = Motor(voltage=12.0, resistance=2.0, torque_constant=0.1, gear_ratio=5.0)
        for arm, torque in ((wheel(motor, damping=0.1), 9.0), (wheel(None, damping=0.1), 0.1)):
            run = simulate(
                arm, q0=[0.0], torque=[torque], duration=10.0, method="gauss4", dt=0.01, samples=3
            )
            assert run.status.ok
            assert run.qd[1, 0] == pytest.approx(run.qd[2, 0], rel=1e-12)

    def test_a_limit_of_current_is_one_of_torque(self):
        motor = Motor(voltage=12.0, resistance=2.0, torque_constant=0.1, max_current=1.5)
        run = simulate(wheel(motor), q0=[0.0], torque=[-1.0], duration=0.1)
        assert run.current.min() == -1.5
        assert run.tau[0, 0] == pytest.approx(-0.15)
        by_voltage = simulate(wheel(motor), q0=[0.0], voltage=[12.0], duration=0.1)
        assert by_voltage.current.max() == pytest.approx(1.5)

    def test_a_torque_speed_motor_keeps_to_its_line_and_brakes_beyond_it(self):
        motor = TorqueSpeedMotor(stall_torque=2.0, no_load_speed=5.0, max_torque=1.5)
        run = simulate(wheel(motor, inertia=0.1), q0=[0.0], torque=[9.0], duration=5.0, dt=0.01)
        line = np.minimum(2.0 * (1.0 - run.qd / 5.0), 1.5)
        assert run.tau == pytest.approx(line, abs=1e-9)
        fast = simulate(wheel(motor), q0=[0.0], qd0=[8.0], torque=[9.0], duration=0.1)
        assert fast.tau[0, 0] == 0.0
        braked = simulate(wheel(motor), q0=[0.0], qd0=[3.0], torque=[-9.0], duration=0.01)
        assert braked.tau[0, 0] == -1.5

    @pytest.mark.parametrize("command", ["current", "voltage"])
    def test_drivers_convert_torques(self, command):
        motor = Motor(
            voltage=24.0, resistance=1.0, torque_constant=0.05, gear_ratio=50.0, command=command
        )
        ideal, driven = rod(None, damping=0.2), rod(motor, damping=0.2)
        given = {"q0": [0.3], "torque": ["4.905 + sin(3*t)"], "duration": 1.0, "samples": 11}
        assert simulate(driven, **given).q == pytest.approx(simulate(ideal, **given).q, abs=1e-8)

    def test_drivers_of_voltages_know_the_rate_that_the_controller_measured(self):
        motor = Motor(
            voltage=24.0, resistance=1.0, torque_constant=0.05, gear_ratio=50.0, command="voltage"
        )
        arm = rod(motor, damping=0.2)
        run = simulate(
            arm, q0=[0.0], controller=ulna.control.GravityPD(), reference=[0.5], duration=0.5,
            rate=100.0, dt=1e-3,
        )  # fmt: skip
        expected = run.tau_commanded / (50.0 * 0.05) + 50.0 * 0.05 * run.qd_measured
        inside = np.abs(expected) < 24.0
        assert run.voltage[inside][:-1] == pytest.approx(expected[inside][:-1], abs=1e-9)


class TestHeat:
    def test_a_constant_current_warms_the_winding_exponentially(self):
        heat = WindingHeat(10.0, 3.0, copper_coefficient=0.0, max_temperature=80.0)
        motor = Motor(voltage=24.0, resistance=2.0, torque_constant=0.05, heat=heat)
        given = {"q0": [0.0], "current": [2.0], "duration": 100.0, "samples": 11, "dt": 0.02}
        for method in ("dop853", "rk4"):
            run = simulate(wheel(motor, inertia=0.1, damping=1.0), method=method, **given)
            expected = 25.0 + 80.0 * (1.0 - np.exp(-run.t / 30.0))
            assert run.temperature[:, 0] == pytest.approx(expected, abs=1e-9)
            (use,) = run.motors
            assert use.overheated == pytest.approx(-30.0 * np.log(1.0 - 55.0 / 80.0), abs=1e-5)
            assert use.hottest == pytest.approx(expected[-1])
            assert "overheated at t = 34.89 s" in run.status.text

    def test_warm_copper_and_magnets_and_derating_agree_with_scipy(self):
        heat = WindingHeat(
            10.0, 3.0, max_temperature=90.0, derating_from=60.0, magnet_coefficient=-0.002
        )
        motor = Motor(
            voltage=24.0, resistance=2.0, torque_constant=0.05, max_current=4.0, heat=heat
        )
        run = simulate(
            wheel(motor, damping=0.02), q0=[0.0], current=[3.0], duration=60.0, samples=7,
            rtol=1e-11,
        )  # fmt: skip

        def rates(_, y):
            speed, hot = y
            resistance, weak = 2.0 * (1.0 + 0.00393 * (hot - 25.0)), 1.0 - 0.002 * (hot - 25.0)
            most = 4.0 * min(max((90.0 - hot) / 30.0, 0.0), 1.0)
            reach = (24.0 - 0.05 * weak * speed) / resistance
            current = min(3.0, most, reach)
            warmed = resistance * current**2 - (hot - 25.0) / 10.0
            return [(0.05 * weak * current - 0.02 * speed) / 0.01, warmed / 3.0]

        found = solve_ivp(
            rates, (0.0, 60.0), [0.0, 25.0], method="LSODA", rtol=1e-10, atol=1e-10, t_eval=run.t
        )
        assert run.temperature[:, 0] == pytest.approx(found.y[1], abs=1e-5)
        assert run.qd[:, 0] == pytest.approx(found.y[0], abs=1e-5)
        assert run.temperature.max() < 90.0
        assert run.motors[0].overheated is None


GEAR = Motor(
    voltage=24.0, resistance=1.0, torque_constant=0.05, gear_ratio=100.0, efficiency=0.7,
    backdriving_efficiency=0.6,
)  # fmt: skip
LOAD = 4.905


class TestGear:
    @pytest.mark.parametrize(
        ("torque", "moves"),
        [
            (0.6 * LOAD - 1e-6, -1),
            (0.6 * LOAD + 1e-6, 0),
            (LOAD / 0.7 - 1e-6, 0),
            (LOAD / 0.7 + 1e-6, 1),
        ],
    )
    def test_a_gear_holds_between_lowering_and_lifting(self, torque, moves):
        run = simulate(rod(GEAR), q0=[0.0], torque=[torque], duration=0.2, samples=3)
        assert np.sign(run.q[-1, 0]) == moves

    @pytest.mark.parametrize("method", ["dop853", "rk4", "semi-implicit", "gauss4"])
    @pytest.mark.parametrize("rate", [1.0, -1.0])
    def test_a_joint_that_comes_to_rest_within_that_range_stays_there(self, method, rate):
        run = simulate(
            rod(GEAR), q0=[0.0], qd0=[rate], torque=[5.0], duration=0.5, method=method, samples=51
        )
        assert run.status.ok
        assert run.qd[-1, 0] == 0.0
        assert run.sticking[0].episodes == 1

    @pytest.mark.parametrize(
        ("rate", "torque", "factor"),
        [(1.0, 8.0, 0.7), (-1.0, 2.0, 1.0 / 0.6), (0.5, -2.0, 1.0 / 0.6)],
    )
    def test_of_the_power_through_it_a_gear_takes_its_part(self, rate, torque, factor):
        arm = rod(GEAR)
        run = simulate(arm, q0=[0.2], qd0=[rate], torque=[torque], duration=0.01)
        needed = ulna.dynamics.inverse_dynamics(arm.without_friction(), run.q, run.qd, run.qdd)
        assert needed == pytest.approx(factor * run.tau, abs=1e-9)
        assert run.friction == pytest.approx((1.0 - factor) * run.tau, abs=1e-9)
        lost = (1.0 - factor) * torque * (run.q[-1, 0] - run.q[0, 0])
        assert run.energy_flow.gear[-1] == pytest.approx(lost, rel=1e-9)


def servo_in_scipy(servo, inertia, command, duration, angle=0.0):
    """Return the angle of a wheel on a servo at its updates, piecewise between them."""
    state, target, found, period = np.array([angle, 0.0]), angle, [angle], 1.0 / servo.update_rate
    for k in range(round(duration * servo.update_rate)):
        wanted, begin = command(k * period), target

        def at(t, wanted=wanted, begin=begin):
            reach = servo.max_speed * t if np.isfinite(servo.max_speed) else np.inf
            return begin + np.clip(wanted - begin, -reach, reach)

        def rates(t, y, at=at):
            error = at(t) - y[0]
            error -= np.clip(error, -servo.dead_band, servo.dead_band)
            torque = servo.stiffness * error - servo.damping * y[1]
            slope = servo.stall_torque * y[1] / servo.no_load_speed
            most = servo.stall_torque  # either way, however fast it brakes
            torque = np.clip(
                torque, np.clip(-most - slope, -most, 0.0), np.clip(most - slope, 0.0, most)
            )
            return [y[1], torque / inertia]

        made = solve_ivp(
            rates, (0.0, period), state, method="DOP853", rtol=1e-11, atol=1e-12,
            max_step=period / 4,
        )  # fmt: skip
        state, target = made.y[:, -1], at(period)
        found.append(state[0])
    return np.array(found)


class TestServo:
    @pytest.mark.parametrize(
        ("servo", "size"),
        [
            (ServoMotor(2.9, 4.7, 40.0, damping=1.0), 0.03),
            (ServoMotor(2.9, 4.7, 40.0, damping=1.0, dead_band=0.01), 0.5),
            (ServoMotor(2.9, 4.7, 40.0, damping=1.0, max_speed=2.0, update_rate=30.0), 0.5),
        ],
        ids=["linear", "clipped, dead band", "slow target"],
    )
    def test_a_step_agrees_with_scipy(self, servo, size):
        def command(t):
            return size if t < 0.3 else -0.5 * size

        times = np.arange(31) / 30.0 if servo.update_rate == 30.0 else np.arange(51) / 50.0
        run = simulate(
            wheel(servo, inertia=0.05), q0=[0.0], position=lambda t: [command(t)], duration=1.0,
            samples=times, rtol=1e-12,
        )  # fmt: skip
        found = servo_in_scipy(servo, 0.05, command, 1.0)
        assert run.q[:, 0] == pytest.approx(found, abs=1e-8)

    def test_commands_between_updates_are_not_seen(self):
        servo = ServoMotor(2.9, 4.7, 40.0, damping=1.0, update_rate=50.0)
        blink = (np.array([0.0, 0.105, 0.115]), np.array([[0.0], [1.0], [0.0]]))
        run = simulate(wheel(servo), q0=[0.0], position=blink, duration=0.5)
        assert not run.q.any()

    def test_the_error_at_rest_is_within_dead_band_and_friction(self):
        servo = ServoMotor(2.9, 4.7, 40.0, damping=1.0, dead_band=0.01)
        arm = wheel(servo, inertia=0.05, friction=Friction(0.2))
        run = simulate(arm, q0=[0.0], position=[0.4], duration=3.0, samples=3)
        assert run.qd[-1, 0] == 0.0
        assert 0.0 < abs(0.4 - run.q[-1, 0]) <= 0.01 + 0.2 / 40.0 + 1e-9

    def test_a_load_leaves_its_part_of_the_stiffness(self):
        servo = ServoMotor(20.0, 4.7, 400.0, damping=20.0)
        run = simulate(rod(servo), q0=[0.0], position=[0.0], duration=4.0, samples=3)
        assert 400.0 * -run.q[-1, 0] == pytest.approx(LOAD * np.cos(run.q[-1, 0]), abs=1e-6)

    def test_a_motion_is_followed_without_a_controller(self):
        servo = ServoMotor(30.0, 8.0, 600.0, damping=20.0, update_rate=100.0)
        arm = two(servo)
        path = ulna.paths.line((0.6, 0.1), (0.4, 0.4))
        plan = ulna.plan(arm, path, duration=1.0)
        run = simulate(arm, reference=plan, dt=5e-4)
        # The same angles as a table, held where servos read them.
        times = np.arange(101) / 100.0
        rows = np.array([plan.trajectory(t).q for t in times])
        table = simulate(arm, q0=run.q[0], qd0=run.qd[0], position=(times, rows), duration=1.0,
                         dt=5e-4)  # fmt: skip
        assert run.q == pytest.approx(table.q, abs=1e-9)
        assert run.q_ref == pytest.approx(plan.trajectory.rows(run.t)[0], abs=1e-12)
        assert np.abs(run.q - run.q_ref).max() < 0.2
        assert run.scenario.motion.duration == 1.0
        assert run.scenario.follows_by_positions


STEPPER = StepperMotor(holding_torque=0.4, corner_speed=20.0, max_speed=60.0, damping=0.02)


class TestStepper:
    @pytest.mark.parametrize(("share", "lost"), [(0.999, False), (1.001, True)])
    def test_it_holds_a_load_up_to_its_holding_torque(self, share, lost):
        # A load that comes slowly, so that the rotor swings over nothing.
        arm = Arm(
            (Link(1.0, 1e-9, com=0.0, inertia=1e-4),), (Joint(motor=STEPPER),), gravity=(0.0, 0.0)
        )
        ramp = f"{share * 0.4}*min(t/0.5, 1)"
        run = simulate(
            arm, q0=[0.0], position=[0.0], tip_force=["0", "0", ramp], duration=1.2, samples=3
        )
        (use,) = run.motors
        assert (use.lost_steps > 0) is lost
        if not lost:
            error = -run.q[-1, 0] / STEPPER.step_angle
            assert np.sin(0.5 * np.pi * error) == pytest.approx(-share, abs=1e-4)
        else:
            assert f"lost {use.lost_steps:,} steps" in run.status.text

    def test_lost_steps_are_a_multiple_of_four(self):
        run = simulate(
            wheel(STEPPER, inertia=1e-4), q0=[0.0], position=[0.0], duration=1.0, samples=3,
            disturbances=[ulna.scenario.disturbances.pulse(torque=[0.45], at=0.0, lasting=0.012)],
        )  # fmt: skip
        assert run.q[-1, 0] == pytest.approx(4.0 * STEPPER.step_angle, abs=1e-9)
        assert run.motors[0].lost_steps == 4

    @pytest.mark.parametrize(("speed", "follows"), [(10.0, True), (55.0, False)])
    def test_it_follows_up_to_its_pull_out_speed(self, speed, follows):
        stepper = StepperMotor(0.4, 20.0, 60.0, damping=0.01, microsteps=16)
        friction = 0.15  # of which 55 rad/s leave 0.05
        arm = wheel(stepper, inertia=2e-5, friction=Friction(friction))
        # A ramp of the commanded speed within 0.2 s.
        angle = f"{speed}*(0.5*t**2/0.2 if t < 0.2 else t - 0.1)"
        run = quietly(
            arm, q0=[0.0], position=[angle], duration=0.4, method="rk4", dt=5e-5, samples=3
        )
        assert (run.motors[0].lost_steps == 0) is follows

    def test_torques_are_given_up_to_the_pull_out_torque_at_the_speed(self):
        for rate, most in ((0.0, 0.4), (20.0, 0.4), (40.0, 0.2), (70.0, 0.0)):
            run = simulate(
                wheel(STEPPER, inertia=1e3), q0=[0.0], qd0=[rate], torque=[1.0], duration=1e-3
            )
            assert run.tau[0, 0] == pytest.approx(most)


def loose(gap=0.1, stiffness=500.0, damping=0.0, ratio=10.0, inertia=1e-3, **more):
    return Motor(
        voltage=24.0, resistance=1.0, torque_constant=0.05, gear_ratio=ratio,
        rotor_inertia=inertia, backlash=Backlash(gap, stiffness, damping), **more,
    )  # fmt: skip


class TestBacklash:
    def test_a_rotor_in_its_gap_moves_by_itself(self):
        run = simulate(wheel(loose()), q0=[0.0], torque=[0.02], duration=0.5, rtol=1e-12)
        inside = run.rotor_angle[:, 0] < 0.05
        assert run.t[inside][-1] > 0.4
        expected = 0.5 * 0.02 / (1e-3 * 100.0) * run.t**2
        assert run.rotor_angle[inside, 0] == pytest.approx(expected[inside], abs=1e-12)
        assert not run.q[inside].any()

    def test_pressed_teeth_give_way_beyond_half_the_gap(self):
        arm = rod(loose(damping=5000.0), damping=2.0)
        run = simulate(arm, q0=[0.0], torque=[3.0], duration=20.0, samples=3)
        bent = run.rotor_angle[-1, 0] - run.q[-1, 0]
        assert bent == pytest.approx(0.05 + 3.0 / 500.0, abs=1e-6)

    def test_a_reversal_takes_the_time_to_cross_the_gap(self):
        arm = wheel(loose(stiffness=5e4, damping=1e6), inertia=1e4)
        torque = (np.array([0.0, 1.0]), np.array([[1.0], [-1.0]]))
        run = simulate(arm, q0=[0.0], torque=torque, duration=2.5, dt=1e-3)
        pulls = run.t[run.tau[:, 0] < 0.0]
        crossing = np.sqrt(2.0 * 0.1 * 1e-3 * 100.0 / 1.0)
        assert pulls[0] - 1.0 == pytest.approx(crossing, abs=0.01)

    def test_angular_momentum_stays_what_it_was(self):
        motor = loose(inertia=2e-3)
        links = Link(0.5, 1.0), Link(0.4, 0.8)
        arm = Arm(links, (Joint(), Joint(motor=motor)), gravity=(0.0, 0.0))
        run = simulate(
            arm, q0=[0.1, 0.4], qd0=[0.3, -0.2], torque=[0.0, "2*sin(8*t)"], duration=1.0,
            rtol=1e-12, samples=101,
        )  # fmt: skip
        M = ulna.dynamics.mass_matrix(arm, run.q)
        momentum = (M @ run.qd[..., None])[:, 0, 0]
        momentum += 2e-3 * (run.qd[:, 0] + 10.0 * run.rotor_rate[:, 1])
        assert np.abs(run.rotor_angle[:, 1] - run.q[:, 1]).max() > 0.05  # teeth met
        assert momentum == pytest.approx(momentum[0], abs=1e-10)

    def test_an_impact_on_a_stop_leaves_the_rotors_spinning(self):
        motor = loose(inertia=2e-3)
        links = Link(0.5, 1.0), Link(0.4, 0.8)
        joints = Joint(upper=0.3, lower=-1.0), Joint(motor=motor)
        arm = Arm(links, joints, gravity=(0.0, 0.0))
        run = simulate(
            arm, q0=[0.0, 0.4], qd0=[2.0, 0.0], duration=0.16, restitution=0.5, samples=3201,
            rtol=1e-12,
        )  # fmt: skip
        spin = run.qd[:, 0] + 10.0 * run.rotor_rate[:, 1]
        assert run.qd[:, 0].min() < -0.5  # it bounced
        at = run.contacts[0].t
        near = np.abs(run.t - at) < 2e-4  # too short for the teeth to turn the rotor
        assert np.ptp(spin[near]) < 1e-3 * np.ptp(run.qd[near, 0])

    def test_no_gap_and_stiff_teeth_are_a_rotor_that_is_coupled(self):
        links = Link(0.5, 1.0), Link(0.4, 0.8)
        given = {
            "q0": [0.1, 0.4], "torque": ["sin(2*t)", "cos(3*t)"], "duration": 0.5, "samples": 11,
        }  # fmt: skip
        runs = [
            simulate(Arm(links, (Joint(motor=one), Joint(motor=one))), **given)
            for one in (
                Motor(
                    voltage=24.0, resistance=1.0, torque_constant=0.05, gear_ratio=10.0,
                    rotor_inertia=1e-4,
                ),
                loose(gap=1e-7, stiffness=2e5, damping=1e9, inertia=1e-4),
            )
        ]  # fmt: skip
        assert runs[1].q == pytest.approx(runs[0].q, abs=1e-4)

    def test_torques_of_disturbances_act_on_the_joint_and_not_on_the_rotor(self):
        run = simulate(
            wheel(loose()), q0=[0.0], duration=0.02, disturbances=[step(torque=[0.5], at=0.0)]
        )
        assert run.q[-1, 0] > 0.0
        assert not run.rotor_angle.any()
