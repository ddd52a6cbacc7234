"""What motors cost: a two-link arm with DC motors and Coulomb friction beside the ideal arm.

Motion and torques are those of the benchmark of friction, both arms in turns. The motors have
inductance, gears and rotors; once their drivers set the current, once a voltage does, and the
current is integrated.
"""

from __future__ import annotations

from friction import arms, batch, one_arm
from measuring import Report

import ulna

# Command, and the most that a run and a batch may take of the time of the ideal arm. Torques that a
# driver sets jump with the table, between steps; a current that grows lets joints break away within
# them, and every such instant is searched for.
LIMITS = {"torque": (4.0, 6.0), "voltage": (4.5, 8.5)}


def driven(command: str) -> ulna.Arm:
    """Return the arm with Coulomb friction, with a DC motor at each joint."""
    rubbing, _ = arms()
    motor = ulna.Motor(
        voltage=24.0, resistance=1.0, torque_constant=0.03, inductance=2e-3, gear_ratio=30.0,
        rotor_inertia=1e-6, max_current=10.0, command=command,
    )  # fmt: skip
    joints = [ulna.Joint(friction=joint.friction, motor=motor) for joint in rubbing.joints]
    return rubbing.replace(joints=joints)


def main() -> None:
    report = Report()
    _, ideal = arms()
    for command, (most_one, most_batch) in LIMITS.items():
        arm, name = driven(command), f"motors, {command} commanded"
        report.note(f"{name}: a run's time to the ideal arm's", one_arm(arm, ideal), most=most_one)
        report.note(f"{name}: a batch's time to ideal arms'", batch(arm, ideal), most=most_batch)
    report.save("motors")


if __name__ == "__main__":
    main()
