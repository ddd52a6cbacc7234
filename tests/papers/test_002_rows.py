"""Paper 002 (Garai): every item and every erratum has its row, and every number in it is right.

What is expected is worked out here, from vectors and areas, or known from elsewhere; nothing is
what the rows happened to say.
"""

from math import acos, atan2, cos, degrees, pi, radians, sin

import numpy as np
import pytest

approx = pytest.approx
ITEMS = (
    *("schematic", "forward", "inverse", "elbow-up-jump", "range"),
    *("dynamics", "massless", "statics"),
)
ERRATA = tuple(f"erratum-{k}" for k in range(1, 6))
L1, L2, M1, M2, G = 1.0, 0.8, 2.0, 1.5, 9.81
ROUNDING = approx(0.0, abs=2e-14)


def along(angle):
    return np.array([cos(angle), sin(angle)])


def across(angle):
    return np.array([-sin(angle), cos(angle)])


def moving_tip():
    """Give place, velocity and acceleration of the tip by vectors, for the example's state."""
    links = zip((L1, L2), np.radians([60.0, 20.0]), (1.0, -0.5), (2.0, 1.0), strict=True)
    parts = [
        (l * along(a), l * w * across(a), l * dw * across(a) - l * w**2 * along(a))
        for l, a, w, dw in links
    ]
    names = ("position", "velocity", "acceleration")
    return {
        f"{name}_{axis}": approx(sum(part[k][i] for part in parts), abs=1e-12)
        for k, name in enumerate(names)
        for i, axis in enumerate("xy")
    }


def elbow_up_of(x, y):
    """Give the upper elbow's angles by the law of cosines, for x > 0."""
    r = np.hypot(x, y)
    lean = acos((L1**2 + r**2 - L2**2) / (2 * L1 * r))
    inside = acos((L1**2 + L2**2 - r**2) / (2 * L1 * L2))
    bearing = atan2(y, x)
    angles = bearing, lean, bearing + lean, pi - inside, bearing + lean - (pi - inside)
    names = ("bearing", "lean", "q1", "theta", "q2")
    return {name: approx(degrees(a), abs=1e-9) for name, a in zip(names, angles, strict=True)}


def newton():
    """Give the motors' torques by moments about the joints, link by link, for the example."""
    force, heavy = np.array([10.0, -5.0]), np.array([0.0, -G])
    a1, a2 = radians(60.0), radians(20.0)
    w1, w2, dw1, dw2 = 1.0, -0.5, 2.0, 1.0
    elbow = L1 * along(a1)
    first = L1 / 2 * (dw1 * across(a1) - w1**2 * along(a1))
    second = 2 * first + L2 / 2 * (dw2 * across(a2) - w2**2 * along(a2))
    carried = M2 * (second - heavy) - force  # by joint 2
    arm2 = L2 / 2 * along(a2)
    motor2 = M2 * L2**2 / 12 * dw2 + np.linalg.det([arm2, M2 * (second - heavy)])
    motor2 -= np.linalg.det([2 * arm2, force])
    motor1 = M1 * L1**2 / 12 * dw1 + np.linalg.det([elbow / 2, M1 * (first - heavy)])
    motor1 += motor2 + np.linalg.det([elbow, carried])
    v2 = L1 * w1 * across(a1) + L2 / 2 * w2 * across(a2)
    turning = M1 * L1**2 / 3 * w1**2 + M2 * L2**2 / 12 * w2**2 + M2 * (v2 @ v2)
    heights = M1 * elbow[1] / 2 + M2 * (elbow + arm2)[1]
    return {
        "motor_1": approx(motor1, rel=1e-12),
        "motor_2": approx(motor2, rel=1e-12),
        "ground_1": approx(motor1 - motor2, rel=1e-12),
        "ground_2": approx(motor2, rel=1e-12),
        "kinetic": approx(turning / 2, rel=1e-12),
        "potential": approx(G * heights, rel=1e-12),
    }


def massless():
    """Give minus the moments of the force on each link about the link's own start."""
    force = np.array([10.0, -5.0])
    moments = [np.linalg.det([l * along(radians(a)), force]) for l, a in ((L1, 60.0), (L2, 20.0))]
    return {f"ground_{i}": approx(-moment, rel=1e-12) for i, moment in enumerate(moments, start=1)}


# The ring, half of it, and what the discs of radius l2 about (±l1, 0) take away from that half: on
# them the lower elbow would have to dip below the floor.
RING = pi * ((L1 + L2) ** 2 - (L1 - L2) ** 2)
TAKEN = pi * L2**2
# Chord and apex of the triangle l1, l2, y = 1.
APEX = degrees(acos((L1**2 + 1.0 - L2**2) / (2 * L1)))
LEVEL_1, LEVEL_2 = (M1 / 2 + M2) * G * L1, M2 * G * L2 / 2

EXPECTED = {
    "schematic": {"freedom": 2},
    "forward": moving_tip()
    | dict.fromkeys(("position_apart", "velocity_apart", "acceleration_apart"), ROUNDING),
    "inverse": elbow_up_of(1.2, 0.8)
    | {"our_q1": elbow_up_of(1.2, 0.8)["q1"], "our_q2": elbow_up_of(1.2, 0.8)["q2"]}
    | {"tip_error": ROUNDING, "elbow_above": 1.0},
    "elbow-up-jump": {
        "q1_right": approx(137.2, abs=0.05),
        "q1_left": approx(42.8, abs=0.05),
        # The tip stays: l1 cos q1 + l2 cos q2 = 0 on both sides.
        "q2_right": approx(degrees(acos(L1 / L2 * sin(radians(APEX)))), abs=1e-6),
        "q2_left": approx(180.0 - degrees(acos(L1 / L2 * sin(radians(APEX)))), abs=1e-6),
    },
    "range": {
        "up": approx(RING, rel=1e-12),
        "down": approx(RING, rel=1e-12),
        "up_clear": approx(RING / 2, rel=1e-12),
        "down_clear": approx(RING / 2 - TAKEN, rel=1e-3),
        "lost": approx(100 * TAKEN / (RING / 2), abs=0.05),
    },
    "dynamics": newton() | {"energies_apart": ROUNDING, "torques_apart": approx(0.0, abs=1e-12)},
    "massless": massless() | {"torques_apart": ROUNDING, "limit_apart": approx(0.0, abs=1e-10)},
    "statics": {
        "ground_1": approx(LEVEL_1, rel=1e-12),
        "ground_2": approx(LEVEL_2, rel=1e-12),
        "motor_1": approx(LEVEL_1 + LEVEL_2, rel=1e-12),
        "motor_2": approx(LEVEL_2, rel=1e-12),
        "torques_apart": ROUNDING,
    },
    "erratum-1": {
        "index_1": approx(10.0),
        "index_2": approx(-10.0),
        "apart": approx(20.0),
    },
    "erratum-2": {
        "equation_38": approx(24.525, abs=5e-4),
        "equation_39": approx(5.886, abs=5e-4),
        "shoulder": approx(30.411, abs=5e-4),
        "falling_1": approx(-5.65, abs=5e-3),
        "falling_2": approx(10.59, abs=5e-3),
        "as_read_1": approx(-9.0),
        "as_read_2": approx(32.5),
        "true_1": approx(-13.8),
        "true_2": approx(41.5),
    },
    "erratum-3": {"q1_right": approx(137.2, abs=0.05), "q1_left": approx(42.8, abs=0.05)},
    "erratum-4": {
        "bearing": approx(degrees(atan2(-0.7, -0.9)), abs=1e-9),
        # The whole arm is mirrored in the x axis, or rather its tip is.
        "miss": approx(2 * 0.7),
        # Half of the ring's left half; five standard deviations of some 500 draws.
        "outside": approx(0.5, abs=0.11),
    },
    # Misread, link 2 points along q1 + θ in place of q1 − θ: off by 2 l2 |sin θ|.
    "erratum-5": {"total": ROUNDING, "median_error": approx(1.35, abs=0.05)},
}


def test_every_item_and_every_erratum_has_its_row_in_order(rows):
    assert tuple(rows) == ITEMS + ERRATA
    assert set(EXPECTED) == set(rows)


@pytest.mark.parametrize("key", EXPECTED)
def test_every_number_is_as_expected(rows, key):
    values = rows[key].values
    assert set(values) == set(EXPECTED[key])
    for name, expected in EXPECTED[key].items():
        assert values[name] == expected, name


def test_misreading_theta_costs_the_chord_between_both_directions_of_link_2():
    # Over the same ring, evenly in radius, with the bend of the law of cosines.
    r = np.linspace(L1 - L2 + 0.1, L1 + L2 - 0.1, 10_001)
    bend = np.arccos((r**2 - L1**2 - L2**2) / (2 * L1 * L2))
    chord = np.median(2 * L2 * np.abs(np.sin(bend)))
    assert EXPECTED["erratum-5"]["median_error"] == chord


class TestPictures:
    def test_the_jump_shows_both_angles_on_both_sides(self, rows):
        (picture,) = rows["elbow-up-jump"].pictures
        angles, postures = picture.draw().axes
        curves = [line for line in angles.lines if len(line.get_xdata()) > 2]
        ends = {(x := line.get_xdata())[0] < 0.0 and x[-1] < 0.0 for line in curves}
        assert len(curves) == 4
        assert ends == {True, False}
        beside = curves[0].get_ydata()[-1], curves[2].get_ydata()[0]
        assert beside == approx((42.8436, 137.1564), abs=1e-3)
        assert [text.get_text() for text in angles.get_legend().get_texts()] == ["$q_1$", "$q_2$"]
        assert len(postures.texts) == 2

    def test_the_lower_elbow_leaves_discs_of_its_length_out(self, rows):
        (picture,) = rows["range"].pictures
        panels = picture.draw().axes
        for axes, inside in zip(panels, (True, False), strict=True):
            (shade,) = axes.collections
            (path,) = shade.get_paths()
            assert path.contains_point((1.0, 0.5)) == inside
            assert path.contains_point((0.0, 1.0))
            assert not path.contains_point((0.0, -1.0))
