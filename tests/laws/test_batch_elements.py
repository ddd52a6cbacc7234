"""Laws of batches of arms with every element: each arm moves as it does alone.

Arms are drawn at random, with friction that sticks, motors of all kinds with windings, heat, lossy
gears and backlash, stops, sensors, actuators, disturbances and controllers. What rounding makes of
two ways to compute the same numbers is all by which the runs may differ.
"""

import numpy as np
import pytest

from own_runs import assert_moves_as_alone
from ulna import (
    Actuators,
    Arm,
    Backlash,
    Friction,
    IdealMotor,
    Joint,
    Link,
    Motor,
    Sensors,
    ServoMotor,
    StepperMotor,
    TorqueSpeedMotor,
    WindingHeat,
    simulate,
    simulate_batch,
)
from ulna.control import PD, PID, ComputedTorque, FeedforwardPID, GravityPD
from ulna.scenario.disturbances import chirp, formula, noise, pulse, sine, step

pytestmark = pytest.mark.filterwarnings(
    "ignore::ulna.UlnaWarning"
)  # runs are compared, good or bad

DRAWS = 48
QUICK = (8, 9, 10, 31)  # of every method: servos with friction, torques that bend, all in one
DURATION = 0.12
METHODS = ("rk4", "semi-implicit", "gauss4", "dop853")
COMMANDS = ("torque", "torque", "position", "voltage", "current", "controller", "controller")
LAWS = (PD(8.0, 0.8), PID(8.0, 0.8, 2.0), GravityPD(8.0, 0.8), ComputedTorque(100.0, 20.0),
        FeedforwardPID(8.0, 0.8, 1.0))  # fmt: skip
SAME = 1e-9  # of the largest number; an element that is missing differs by 1e-6 and more


def maybe(random, chance, value, otherwise):
    return value if random.uniform() < chance else otherwise


def dc_motor(random, kind):
    """Draw a DC motor; what changes how a winding is computed is the same for a batch."""
    heat, backlash = None, None
    if kind["hot"]:
        derating = maybe(random, 0.5, 26.0, None) if kind["derates"] is None else 26.0
        heat = WindingHeat(2.0, 0.5, 60.0, derating_from=derating if kind["derates"] else None)
    if kind["backlash"]:
        backlash = Backlash(random.uniform(0.002, 0.02), 150.0, random.uniform(0.0, 5.0))
    return Motor(
        voltage=random.uniform(6.0, 24.0),
        resistance=random.uniform(0.5, 2.0),
        torque_constant=0.02,
        back_emf_constant=random.uniform(0.02, 0.025),
        inductance=kind["inductance"],
        no_load_current=random.uniform(0.0, 0.1),
        max_current=maybe(random, 0.5, random.uniform(0.5, 3.0), np.inf),
        gear_ratio=random.uniform(20.0, 60.0) * random.choice([-1.0, 1.0]),
        efficiency=random.uniform(0.6, 1.0) if kind["lossy"] else 1.0,
        rotor_inertia=random.uniform(1e-6, 1e-5),
        heat=heat,
        backlash=backlash,
        command=kind["driver"],
    )


def motor(random, kind):
    if kind["motor"] == "dc":
        return dc_motor(random, kind)
    if kind["motor"] == "servo":
        return ServoMotor(
            stall_torque=random.uniform(2.0, 6.0),
            no_load_speed=random.uniform(3.0, 8.0),
            stiffness=random.uniform(10.0, 60.0),
            damping=random.uniform(0.2, 1.0),
            max_speed=maybe(random, 0.6, random.uniform(0.5, 4.0), np.inf),
            dead_band=maybe(random, 0.5, random.uniform(0.0, 0.02), 0.0),
            update_rate=kind["update_rate"],
        )
    if kind["motor"] == "stepper":
        return StepperMotor(
            holding_torque=random.uniform(2.0, 6.0),
            corner_speed=random.uniform(1.0, 3.0),
            max_speed=random.uniform(4.0, 9.0),
            step_angle=random.uniform(0.01, 0.05),
            microsteps=int(random.integers(1, 9)),
            damping=random.uniform(0.1, 0.5),
        )
    if kind["motor"] == "torque-speed":
        most = maybe(random, 0.5, random.uniform(0.5, 3.0), np.inf)
        return TorqueSpeedMotor(random.uniform(1.0, 4.0), random.uniform(3.0, 9.0), max_torque=most)
    return maybe(random, 0.5, IdealMotor(), None)


def kinds_of_joints(random, n, command, method):
    """Draw what the joints of a batch have, so far as it may differ between joints alone."""
    allowed = {"position": ["servo", "stepper"], "voltage": ["dc"], "current": ["dc"]}
    motors = allowed.get(
        command, ["dc", "dc", "servo", "servo", "stepper", "torque-speed", "ideal"]
    )
    return [
        {
            "motor": str(random.choice(motors)),
            "hot": random.uniform() < 0.4,
            "derates": random.uniform() < 0.5,
            # Where semi-implicit steps reverse a creeping joint, teeth make rounding grow.
            "backlash": random.uniform() < 0.3 and method != "semi-implicit",
            "lossy": random.uniform() < 0.4,
            "inductance": float(random.choice([0.0, 1e-5, 5e-3])),
            "driver": str(random.choice(["torque", "current", "voltage"])),
            "update_rate": float(random.choice([50.0, 90.0, 333.0])),
        }
        for _ in range(n)
    ]


def drawn_arm(random, kinds, *, rubs, stops):
    joints = [
        Joint(
            motor=motor(random, kind),
            damping=random.uniform(0.0, 0.1),
            friction=Friction(
                coulomb := random.uniform(0.0, 0.3),
                coulomb * random.uniform(1.0, 1.5),
                random.uniform(0.02, 0.1),
                random.uniform(0.0, 0.05),
            )
            if rubs and random.uniform() < 0.8
            else Friction(),
            lower=-random.uniform(0.31, 0.5) if stops else -np.inf,
            upper=random.uniform(0.31, 0.5) if stops else np.inf,
        )
        for kind in kinds
    ]
    links = [
        Link(random.uniform(0.2, 0.4), random.uniform(0.3, 1.0), com_offset=random.uniform(0, 0.02))
        for _ in kinds
    ]
    return Arm.of(links, joints, gravity=tuple(random.uniform(-9.81, 9.81, 2)))


def loop(random, n, rate):
    """Draw sensors and actuators of a member; delays are the same for a batch."""
    sensors = [
        Sensors(angle_noise=1e-4 * random.integers(0, 2), angle_resolution=1e-3 * noisy,
                angle_bias=1e-3 * random.uniform(), delay=0.7 / rate)
        for noisy in random.integers(0, 2, 5)
    ]  # fmt: skip
    actuators = [
        Actuators(delay=0.4 / rate, time_constant=random.uniform(0.0, 0.01),
                  max_torque_rate=maybe(random, 0.5, random.uniform(50.0, 500.0), np.inf),
                  torque_resolution=0.01 * coarse, max_torque=random.uniform(1.0, 9.0))
        for coarse in random.integers(0, 2, 5)
    ]  # fmt: skip
    found = {}
    if random.uniform() < 0.6:
        found["sensors"] = sensors
    if random.uniform() < 0.6:
        found["actuators"] = actuators
    return found


def disturbances(random, n):
    given = (
        [],
        [noise([0.5] * n, rate=70.0, seed=2)],
        [step([0.3] * n, at=0.03), pulse(force=[1.0, 0.0], at=0.01, lasting=0.05)],
        [sine([0.5] * n, frequency=20.0, at=0.02)],
        [chirp([0.3] * n, start_frequency=5.0, stop_frequency=50.0, lasting=0.1)],
        [formula([f"0.2*sin(40*t)*q{1 + i}" for i in range(n)])],
    )
    return [given[k] for k in random.integers(0, len(given), 5)]


def batch(seed):
    """Draw a batch of five arms: what they have in common, and what each has of its own."""
    random = np.random.default_rng(seed)
    n, command = int(random.integers(1, 4)), str(random.choice(COMMANDS))
    kinds, rate = (
        kinds_of_joints(random, n, command, METHODS[seed % 4]),
        float(random.choice([100.0, 333.0, 1000.0])),
    )
    common = {
        "method": METHODS[seed % 4],
        "duration": DURATION,
        "dt": float(random.choice([1e-3, 7e-4])),
        "restitution": float(random.choice([0.0, 0.5])),
        "samples": [0.0, 0.0123, 0.05, 0.1, DURATION],
    }
    rubs, stops = random.uniform() < 0.75, random.uniform() < 0.5
    each = {
        "arms": [drawn_arm(random, kinds, rubs=rubs, stops=stops) for _ in range(5)],
        "q0": random.uniform(-0.3, 0.3, (5, n)),
        "qd0": random.uniform(-1.0, 1.0, (5, n)) * random.integers(0, 2, (5, 1)),
    }
    size = {"torque": 1.5, "voltage": 9.0, "current": 2.0, "position": 0.3}.get(command, 0.0)
    if command == "controller":
        each["controller"] = [LAWS[k] for k in random.integers(0, len(LAWS), 5)]
        common["rate"] = rate
        each |= loop(random, n, rate)
        if random.uniform() < 0.5:
            each["reference"] = random.uniform(-0.3, 0.3, (5, n))
        else:
            common["reference"] = lambda t: [0.3 * np.sin(9.0 * t)] * n
    elif random.uniform() < 0.4:
        each[command] = [
            [f"{size * random.uniform(0.3, 1.0)}*sin({w}*t)"] * n for w in random.uniform(5, 60, 5)
        ]
    elif random.uniform() < 0.5:
        times, common["between"] = np.array([0.0, 0.031, 0.07, 0.1]), "linear"
        each[command] = [(times, size * random.uniform(-1.0, 1.0, (4, n))) for _ in range(5)]
    else:
        each[command] = [(np.zeros(1), size * random.uniform(-1.0, 1.0, (1, n))) for _ in range(5)]
    if random.uniform() < 0.5:
        each["disturbances"] = disturbances(random, n)
    return common, each


def compare(seed):
    """Compare the arms of a batch with themselves alone."""
    common, each = batch(seed)
    together = simulate_batch(**each, **common, seeds=0, keep_torques=True)
    options = common | ({"rtol": None} if common["method"] == "dop853" else {})
    for b in range(5):
        own = {name: values[b] for name, values in each.items()}
        one = simulate(own.pop("arms"), **own, **options)
        assert_moves_as_alone(together, b, one, SAME)


@pytest.mark.parametrize("seed", QUICK)
def test_an_arm_of_a_batch_moves_as_it_does_alone(seed):
    compare(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", sorted(set(range(DRAWS)) - set(QUICK)))
def test_so_do_arms_with_any_elements(seed):
    compare(seed)


def test_the_draw_has_every_element():
    found = set()
    for seed in range(DRAWS):
        common, each = batch(seed)
        found |= {common["method"], *common, *each}
        for arm in each["arms"]:
            for joint in arm.joints:
                motor = joint.motor
                found.add(type(motor).__name__)
                found.add(f"{type(motor).__name__} with friction" if joint.friction.static else "")
                found |= {name for name in ("heat", "backlash") if getattr(motor, name, None)}
    motors = ("Motor", "ServoMotor", "StepperMotor", "TorqueSpeedMotor", "IdealMotor")
    assert found >= {*motors, *(f"{name} with friction" for name in motors), "heat", "backlash"}
    assert found >= {*METHODS, *COMMANDS, "sensors", "actuators", "disturbances", "reference"}
