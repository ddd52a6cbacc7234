"""--set NAME=VALUE: parts of an arm, or of what is simulated, by their names."""

import pytest

import ulna

START = ("--q0", "0, 0.5", "--duration", "0.1 s")
COMMANDS = {
    "pose": ("pose", "unit", "--q", "0, 0"),
    "reach": ("reach", "unit", "--to", "1.2 m, 0.3 m"),
    "hold": ("hold", "unit", "--q", "0, 0"),
    "check": ("check", "unit"),
    "simulate": ("simulate", "unit", *START),
    "plan": ("plan", "kehl", "circle(center=(0.5, 0.1), radius='5 cm')"),
    "follow": ("follow", "kehl", "circle(center=(0.5, 0.1), radius='5 cm')", "--duration", "1 s"),
    "portrait": ("portrait", "bechard-1"),
    "verify": ("verify", "unit"),
    "export": ("export", "unit", "--out", "arm.xml"),
    "play": ("play", "unit", "--out", "arm.html"),
    "derive": ("derive", "--arm", "unit"),
}


def test_an_arm_is_the_one_with_these_values(facts):
    found = facts(*COMMANDS["pose"], "--set", "link.2.length=40 cm")
    assert found["tip"]["x"] == pytest.approx(1.4)
    heavy = facts(*COMMANDS["hold"], "--set", "link.all.mass=2 kg", "--set", "gravity.y=-1.62")
    arm = ulna.preset("unit")
    links = [ulna.Link(link.length, 2.0) for link in arm.links]
    wanted = ulna.dynamics.gravity_torque(arm.replace(links=links, gravity=(0, -1.62)), [0, 0])
    assert heavy["torque"] == pytest.approx(wanted.tolist())


def test_what_is_simulated_has_these_values(facts):
    words = ("simulate", "unit", *START, "--controller", "PD(kp=20, kd=5)", "--reference", "0, 0")
    values = {
        "link.2.mass": "500 g", "controller.kp.2": "8 N*m/rad", "sensors.delay": "2 ms",
        "sensors.seed": "3", "seed": "4", "stops": "false", "rate": "0.5 kHz", "q0.2": "20 deg",
    }  # fmt: skip
    sets = [word for name, text in values.items() for word in ("--set", f"{name}={text}")]
    kept = ulna.Scenario.from_dict(facts(*words, *sets)["scenario"])
    assert kept.get("link.2.mass") == 0.5
    assert kept.controller == ulna.control.PD((20.0, 8.0), 5.0)
    assert kept.sensors == ulna.Sensors(delay=0.002, seed=3)
    assert (kept.seed, kept.stops, kept.rate) == (4, False, 500.0)
    assert kept.get("q0.2") == pytest.approx(0.3490658503988659)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_with_an_arm_takes_it_and_refuses_unknown_names(ask, name):
    code, _, err = ask(*COMMANDS[name], "--set", "link.2.maas=1 kg")
    assert code == 2
    assert "did you mean 'link.K.mass'" in err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("link.2.mass", "NAME=VALUE"),
        ("link.2.mass=", "NAME=VALUE"),
        ("link.2.mass=heavy", "link.2.mass"),
        ("link.2.mass=-1 kg", "link.2.mass"),
        ("link.3.mass=1 kg", "1 to 2"),
        ("controller.kp=3", "controller"),
        ("rate=0 Hz", "rate"),
    ],
)
def test_what_makes_no_sense_is_refused(ask, text, words):
    code, _, err = ask(*COMMANDS["simulate"], "--set", text)
    assert code == 2
    assert words in err


def test_a_value_is_given_once(ask):
    twice = ("--set", "payload=1 kg", "--set", "payload=2 kg")
    assert ask(*COMMANDS["simulate"], *twice)[0] == 2
    assert ask(*COMMANDS["pose"], "--set", "rate=1 kHz")[0] == 2
