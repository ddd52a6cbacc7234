"""The commented robot file that a person starts from."""

from __future__ import annotations

from ulna.arm.schema import FORMAT
from ulna.errors import InputError, Problem

MOST_LINKS = 100  # more than a person edits by hand

_HEAD = f"""\
format = {FORMAT}
name = "my arm"
gravity = [0.0, -9.81]     # m/s2, x right and y up; [0.0, 0.0] for an arm that lies flat
# base = [0.0, 0.0]        # where the first joint is
# payload = "0 g"          # carried at the tip

# Quantities are numbers in SI units, or text with a unit: "25 cm", "400 g", "30 kg*cm",
# "-150 deg", "60 rpm". A bare angle is in radians.
"""

_FIRST = """
[[link]]
length = "{length} cm"       # from this joint to the next
mass = "{mass} g"
# com = "{half} cm"          # centre of mass along the link; half the length unless given
# com_offset = "0 mm"      # centre of mass to the left of the link
# inertia = "{inertia} kg*m^2" # about the centre of mass; a uniform rod's, m l^2/12, unless given
# tip_mass = "0 g"         # point mass at the far end: the next motor, a gripper
# joint = {{ lower = "-180 deg", upper = "180 deg", max_torque = "30 kg*cm", damping = 0.02 }}
"""

_OTHER = """
[[link]]
length = "{length} cm"
mass = "{mass} g"
"""


def template(links: int) -> str:
    """Return a robot file for an arm of so many links, each a little smaller than the last."""
    if not 1 <= links <= MOST_LINKS:
        raise InputError(Problem("links", str(links), f"a number from 1 to {MOST_LINKS}"))
    return _HEAD + "".join(_link(number, links) for number in range(links))


def _link(number: int, links: int) -> str:
    length = round(25 - 10 * number / links)
    mass = 10 * round(40 - 20 * number / links)
    inertia = mass / 1000 * (length / 100) ** 2 / 12
    text = _OTHER if number else _FIRST
    return text.format(length=length, mass=mass, half=length / 2, inertia=f"{inertia:.3g}")
