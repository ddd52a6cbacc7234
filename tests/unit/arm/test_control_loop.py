"""The loop of an arm as data: what it may be, and how robot files hold it."""

import math
import pickle

import pytest

from refusals import names_of, problems_of
from ulna import Actuators, Arm, ControlLoop, Sensors
from ulna.arm.robot_files import dumps, parse

ARM = Arm.rods([1.0, 0.5], [1.0, 2.0])
LOOP = ControlLoop(
    rate=250.0,
    sensors=Sensors(
        angle_resolution=[0.1, 0.2],
        delay=0.0033,
        rate=1000.0,
        rate_from="filtered",
        rate_bandwidth=30.0,
        seed=4,
    ),
    actuators=Actuators(delay=1e-3, bandwidth=30.0, max_torque=(3.0, 2.0)),
)


@pytest.mark.parametrize(
    "loop",
    [LOOP, ControlLoop(), ControlLoop(sensors=Sensors()), ControlLoop(9.0, actuators=Actuators())],
)
def test_an_arm_with_a_loop_survives_its_file_and_pickling(loop):
    arm = ARM.replace(loop=loop)
    assert parse(dumps(arm))[0] == pickle.loads(pickle.dumps(arm)) == arm
    assert hash(arm) == hash(ARM.replace(loop=loop))
    assert ARM.loop is None
    assert arm != ARM


def test_values_of_a_file_have_units():
    text = (
        'format = 1\n[[link]]\nlength = 1\nmass = 1\n[loop]\nrate = "0.25 kHz"\n[sensors]\n'
        'delay = "2 ms"\nangle_resolution = ["1 deg"]\nangle_noise_density = "1 deg/rtHz"\n'
        '[actuators]\ntime_constant = "5 ms"\nmax_torque_rate = "20 N*m/s"\n'
    )
    degree = math.radians(1.0)
    assert parse(text)[0].loop == ControlLoop(
        250.0,
        Sensors(delay=0.002, angle_resolution=(degree,), angle_noise_density=degree),
        Actuators(time_constant=0.005, max_torque_rate=20.0),
    )


def test_faults_of_a_file_are_told_by_line():
    text = (
        'format = 1\nlink = [{ length = 1, mass = 1 }]\n[loop]\nrate = "250 m"\n[sensors]\n'
        "delai = 1\n"
    )
    found = problems_of(lambda: parse(text, "f"))
    assert [(one.place, one.what) for one in found] == [
        ("f:4", "loop.rate"),
        ("f:6", "sensors.delai"),
    ]


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (lambda: Sensors(rate_from="guess"), ["sensors.rate_from"]),
        (lambda: Sensors(rate_from="filtered"), ["sensors.rate_bandwidth"]),
        (lambda: Sensors(rate_bandwidth=9.0), ["sensors.rate_bandwidth"]),
        (lambda: Sensors(rate_from="difference", rate_bias=1.0), ["sensors.rate_bias"]),
        (lambda: Sensors(seed=-1), ["sensors.seed"]),
        (lambda: Actuators(bandwidth=3.0, time_constant=1.0), ["actuators.time_constant"]),
        (lambda: ControlLoop(sensors=Actuators(), actuators=1.0), ["sensors", "actuators"]),
        (lambda: ARM.replace(loop=250.0), ["loop"]),
        (
            lambda: ARM.replace(loop=ControlLoop(sensors=Sensors(angle_noise=[1, 2, 3]))),
            ["sensors.angle_noise"],
        ),
    ],
)
def test_what_no_loop_has_is_refused(make, names):
    assert names_of(make) == names


def test_a_bandwidth_is_a_time_constant():
    [[lag, *_]] = Actuators(bandwidth=10.0).layout(1)
    assert lag == pytest.approx(1.0 / (20.0 * math.pi), rel=1e-15)
    assert Actuators().are_ideal
    assert not Actuators(delay=0.1).are_ideal


def test_densities_add_to_noise_in_squares():
    sensors = Sensors(angle_noise=3.0, angle_noise_density=0.4, rate=200.0)
    assert sensors.samples(1, 50.0)[0, 0, 1] == pytest.approx(5.0, rel=1e-15)
