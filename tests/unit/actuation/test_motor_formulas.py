"""The laws of motors, against what follows from them by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import ulna
from ulna import actuation

HEAT = ulna.WindingHeat(thermal_resistance=6.0, thermal_capacity=4.0, magnet_coefficient=-0.001)
DC = ulna.Motor(12.0, 1.5, 0.03, gear_ratio=50.0, efficiency=0.8, heat=HEAT)


def test_a_dc_motor_has_no_torque_at_its_no_load_speed_and_most_at_rest():
    free = DC.no_load_speed
    lower, upper = actuation.torque_range(DC, [0.0, free, -free])
    stall = 12.0 / 1.5 * 0.03 * 50.0
    assert_allclose(upper, [stall, 0.0, 2.0 * stall], atol=1e-12)
    assert_allclose(lower, [-stall, -2.0 * stall, 0.0], atol=1e-12)


def test_the_most_power_is_at_half_the_no_load_speed():
    rate = np.linspace(0.0, DC.no_load_speed, 1001)
    power = actuation.torque_range(DC, rate).upper * rate
    assert np.argmax(power) == 500
    assert_allclose(power[500], 12.0**2 / (4.0 * 1.5))


def test_the_driver_limits_the_current_and_the_supply_still_brakes_beyond_no_load_speed():
    motor = ulna.Motor(12.0, 1.5, 0.03, max_current=2.0)
    lower, upper = actuation.torque_range(motor, [0.0, 300.0, 600.0, -600.0])
    assert_allclose(upper, np.array([2.0, 2.0, (12.0 - 18.0) / 1.5, 4.0]) * 0.03)
    assert_allclose(lower, np.array([-2.0, -2.0, -4.0, (18.0 - 12.0) / 1.5]) * 0.03)


def test_a_joint_gears_its_motor_once_more_and_may_reverse_it():
    joint = ulna.Joint(gear_ratio=-2.0, motor=DC)
    assert_allclose(
        actuation.torque_range(joint, 0.5).upper, 2.0 * actuation.torque_range(DC, 1.0)[1]
    )
    assert_allclose(actuation.current(joint, 4.0, 0.5), -actuation.current(DC, 2.0, 1.0))
    assert_allclose(actuation.supply_power(joint, 4.0, 0.5), actuation.supply_power(DC, 2.0, 1.0))


def test_a_warm_motor_is_weaker():
    hot = 105.0
    most = 12.0 / (1.5 * (1.0 + 0.00393 * 80.0)) * 0.03 * (1.0 - 0.001 * 80.0) * 50.0
    assert_allclose(actuation.torque_range(DC, 0.0, hot).upper, most)


def test_a_driver_derates_from_the_stall_current_where_it_has_no_limit_of_its_own():
    heat = ulna.WindingHeat(6.0, 4.0, max_temperature=125.0, derating_from=105.0)
    motor = ulna.Motor(12.0, 1.5, 0.03, heat=heat)
    assert_allclose(
        actuation.current_limit(motor, [25.0, 115.0, 125.0, 200.0]), [8.0, 4.0, 0.0, 0.0]
    )


@pytest.mark.parametrize("kind", ["torque-speed", "servo"])
def test_a_line_from_stall_to_no_load_is_clipped_and_never_drives_beyond(kind):
    given = {"stall_torque": 3.0, "no_load_speed": 5.0}
    motor = ulna.TorqueSpeedMotor(**given, max_torque=2.0)
    most = 2.0
    if kind == "servo":
        motor, most = ulna.ServoMotor(**given, stiffness=10.0), 3.0  # brakes with no more either
    lower, upper = actuation.torque_range(motor, [0.0, 2.5, 5.0, 8.0, -8.0])
    assert_allclose(upper, np.minimum([3.0, 1.5, 0.0, 0.0, 7.8], most))
    assert_allclose(lower, -np.minimum([3.0, 4.5, 6.0, 7.8, 0.0], most))


def test_a_stepper_has_its_holding_torque_up_to_the_corner_speed():
    motor = ulna.StepperMotor(holding_torque=0.4, corner_speed=20.0, max_speed=60.0)
    lower, upper = actuation.torque_range(motor, [0.0, 20.0, -40.0, 60.0, 99.0])
    assert_allclose(upper, [0.4, 0.4, 0.2, 0.0, 0.0])
    assert_allclose(lower, -upper)


def test_no_motor_and_an_ideal_one_limit_nothing():
    for motor in (ulna.Joint(), ulna.IdealMotor()):
        assert actuation.torque_range(motor, 3.0) == (-np.inf, np.inf)
        assert actuation.motor_torque(motor, 3.0, 1.0) == 3.0
        assert np.isnan(actuation.current(motor, 3.0, 1.0))


def test_energy_from_the_supply_is_heat_and_work():
    random = np.random.default_rng(1)
    tau, rate = random.normal(0.0, 5.0, (2, 100))
    hot = random.uniform(20.0, 120.0, 100)
    # Ke is Kt here: what is not lost in winding and gear reaches the joint.
    i = actuation.current(DC, tau, rate, hot)
    lost = actuation.winding_loss(DC, i, hot) + actuation.gear_loss(DC, tau, rate)
    assert_allclose(actuation.supply_power(DC, tau, rate, hot), lost + tau * rate, atol=1e-12)
    assert np.all(actuation.gear_loss(DC, tau, rate) >= 0.0)


def test_a_winding_warms_up_as_its_equation_says():
    times = np.array([0.0, 3.0, 10.0, 40.0])
    i = np.array([3.0, 3.0, 1.0, 1.0])
    squares = [9.0, 5.0, 1.0]

    def slope(_, theta, square):
        loss = 1.5 * (1.0 + 0.00393 * (theta - 25.0)) * square
        return (loss - (theta - 25.0) / 6.0) / 4.0

    expected, now = [25.0], 25.0
    for k, square in enumerate(squares):
        span = (times[k], times[k + 1])
        now = solve_ivp(slope, span, [now], args=(square,), rtol=1e-10, atol=1e-10).y[0, -1]
        expected.append(now)
    assert_allclose(actuation.temperature(DC, times, i), expected, rtol=1e-8)


def test_the_steady_temperature_balances_what_flows_off():
    i = 2.0
    steady = actuation.steady_temperature(DC, i)
    assert_allclose(steady, 25.0 + 6.0 * actuation.winding_loss(DC, i, steady))
    assert_allclose(actuation.temperature(DC, [0.0, 1e4], [i, i])[-1], steady)
    assert np.isinf(actuation.steady_temperature(DC, 7.0))  # R_th R α i² > 1


def test_the_continuous_torque_leads_to_the_highest_temperature_allowed():
    torque = actuation.continuous_torque(DC)
    i = torque / (50.0 * 0.03 * (1.0 - 0.001 * 100.0))
    assert_allclose(actuation.steady_temperature(DC, i), 125.0)
    cool = ulna.Motor(12.0, 1.5, 0.03)
    assert_allclose(actuation.continuous_torque(cool), 0.24)


SETTLING = {
    "supply": (ulna.WindingHeat(1.0, 20.0, max_temperature=155.0), {}),
    "derating": (
        ulna.WindingHeat(8.0, 4.0, max_temperature=110.0, derating_from=60.0),
        {"max_current": 3.0},
    ),
    "heat": (ulna.WindingHeat(8.0, 4.0, max_temperature=100.0), {}),
}


def settled(motor, **given):
    """Return where temperature [°C] and torque [N·m] settle of a motor that pushes at a stop."""
    stop = ulna.Joint(lower=0.0, motor=motor)
    arm = ulna.Arm.rods([1.0], [100.0], joints=[stop])
    run = ulna.simulate(arm, q0=[0.0], **given, duration=1500.0, dt=0.1, samples=20)
    assert not run.qd.any()
    return run.temperature[-1, 0], run.tau[-1, 0]


@pytest.mark.parametrize("limit", SETTLING)
def test_a_long_run_settles_at_the_continuous_torque(limit):
    heat, given = SETTLING[limit]
    motor = ulna.Motor(12.0, 2.0, 0.02, gear_ratio=50.0, heat=heat, **given)
    lasting = actuation.continuous_torque(motor)
    hot, torque = settled(motor, torque=[lasting])
    assert torque == pytest.approx(lasting, rel=1e-5)
    assert hot <= heat.max_temperature + 1e-3
    # With more it either gets too hot or settles at the same torque.
    hotter, torque = settled(motor, torque=[1.1 * lasting])
    assert hotter > heat.max_temperature + 1.0 or torque == pytest.approx(lasting, rel=1e-4)


def test_with_weak_magnets_the_continuous_torque_is_that_of_the_best_temperature():
    heat = ulna.WindingHeat(8.0, 4.0, max_temperature=150.0, magnet_coefficient=-0.004)
    motor = ulna.Motor(12.0, 2.0, 0.02, gear_ratio=50.0, heat=heat)
    lasting = actuation.continuous_torque(motor)
    # (1 + β x)² x / (1 + α x) of the temperature x above 25 °C is largest at 70.36 K.
    i = np.sqrt(70.36 / (8.0 * 2.0 * (1.0 + 0.00393 * 70.36)))
    torques = [settled(motor, current=[part * i])[1] for part in (0.9, 1.0, 1.1)]
    assert max(torques) == pytest.approx(lasting, rel=1e-5)
    assert torques[1] > max(torques[0], torques[2])


def test_what_is_no_motor_is_refused():
    with pytest.raises(ulna.InputError, match="motor"):
        actuation.torque_range(12.0, 0.0)


DRIVEN = ulna.Arm.rods(
    [0.4],
    [0.5],
    joints=[ulna.Joint(motor=ulna.Motor(12.0, 1.5, 0.03, gear_ratio=15.0, heat=HEAT))],
)


@pytest.fixture(scope="module")
def run():
    """Ask for more than the motor has, to and fro: it is at its limits most of the time."""
    return ulna.simulate(DRIVEN, q0=[-1.5], duration=1.0, dt=1e-3, torque=["5*sin(12*t)"])


def test_a_simulated_motor_gives_what_was_asked_within_what_is_left(run):
    lower, upper = actuation.torque_range(DRIVEN.joints[0], run.qd[:, 0], run.temperature[:, 0])
    # A driver sets the current for the torque constant at 25 °C: warm magnets make less of it.
    asked = 5.0 * np.sin(12.0 * run.t) * (1.0 - 0.001 * (run.temperature[:, 0] - 25.0))
    assert np.any(asked > upper)
    assert np.any(asked < lower)
    assert_allclose(run.tau[:, 0], np.clip(asked, lower, upper), atol=1e-9)


def test_simulated_currents_voltages_and_power_are_those_of_the_torques(run):
    joint, state = DRIVEN.joints[0], (run.tau[:, 0], run.qd[:, 0], run.temperature[:, 0])
    assert_allclose(run.current[:, 0], actuation.current(joint, *state), atol=1e-9)
    assert_allclose(run.voltage[:, 0], actuation.voltage(joint, *state), atol=1e-8)
    assert_allclose(run.supply_power, actuation.supply_power(joint, *state), atol=1e-7)


def test_simulated_windings_warm_up_alike(run):
    own = actuation.temperature(DRIVEN.joints[0], run.t, run.current[:, 0])
    assert run.temperature[-1, 0] > 30.0
    assert_allclose(run.temperature[:, 0], own, rtol=1e-4)
