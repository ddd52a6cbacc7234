"""Sensors and disturbances from text: what Python would make of the same words."""

import math

import pytest

import ulna
from ulna.scenario import disturbances
from ulna.scenario.reading import read_disturbance, read_sensors


def test_sensors_are_those_of_python():
    text = "Sensors(angle_noise=('1 deg', 0.5), rate_noise='1 rpm', delay='2 ms', seed=4)"
    made = read_sensors(text)
    assert made.rate_noise == pytest.approx(2.0 * math.pi / 60.0)
    assert made == ulna.Sensors(
        angle_noise=(math.radians(1.0), 0.5),
        rate_noise=made.rate_noise,
        delay=0.002,
        seed=4,
    )
    assert read_sensors("Sensors") == ulna.Sensors()


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("step(torque=2)", disturbances.step([2.0])),
        ("step((1, '20 N*cm'), at='1 s')", disturbances.step([1.0, 0.2], at=1.0)),
        (
            "pulse(force=(0, '-5 N', '1 N*m'), at=1, lasting='50 ms')",
            disturbances.pulse(force=[0.0, -5.0, 1.0], at=1.0, lasting=0.05),
        ),
        (
            "noise(torque=(1, 2), rate='2 kHz', seed=9, at=1, until=2)",
            disturbances.noise([1.0, 2.0], rate=2000.0, seed=9, at=1.0, until=2.0),
        ),
    ],
)
def test_disturbances_are_those_of_python(text, made):
    assert read_disturbance(text) == made


@pytest.mark.parametrize(
    ("read", "text", "under"),
    [
        (read_sensors, "Sensors(delay='2 m')", "delay='2 m'"),
        (read_sensors, "Sensors(dely=1)", "dely=1"),
        (read_disturbance, "push()", "push"),
        (read_disturbance, "noise(torque=1, rate=0)", "rate=0"),
    ],
)
def test_a_fault_is_shown_where_it_is(read, text, under):
    with pytest.raises(ulna.InputError) as caught:
        read(text)
    _, line, caret = str(caught.value).splitlines()
    start = caret.index("^")
    assert line[start : start + caret.count("^")] == under
