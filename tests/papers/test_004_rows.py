"""Paper 004 (Ang): every item and every erratum has its row, and every number in it is right.

What is expected is worked out here, by triangles and by hand, or known from elsewhere; nothing is
what the rows happened to say.
"""

from math import acos, atan2, cos, degrees, hypot, pi, radians, sin, sqrt

import mpmath
import numpy as np
import pytest

from tabular import tabular

approx = pytest.approx
PROBLEMS = ("forward", "inverse", "statics", "dynamics")
ITEMS = (*PROBLEMS, "arccos-or-atan2", "printed-inverse")
ERRATA = tuple(f"erratum-{k}" for k in range(1, 11))
L1, L2, M1, M2, G = 1.0, 0.7, 1.0, 0.7, 9.81
T1, T12 = radians(30.0), radians(75.0)
X, Y = 1.2, 0.6  # r² = 1.8, L1² + L2² = 1.49, L1² − L2² = 0.51
ROUNDING = approx(0.0, abs=1e-14)
# Parts of 20,000 draws: four standard deviations of a half.
A_DRAW = 0.015

# The triangle of the links and the line to (X, Y).
R = hypot(X, Y)
BEND = pi - acos((L1**2 + L2**2 - R**2) / (2 * L1 * L2))
LEAN = acos((L1**2 + R**2 - L2**2) / (2 * L1 * R))


def drawn(seed, count=20_000):
    """Give other links and postures of the same kind as the targets come from."""
    random = np.random.default_rng(seed)
    return *random.uniform(0.3, 2.0, (2, count)), *random.uniform(-pi, pi, (2, count))


def jacobian():
    """Give the columns: how the tip moves as each joint turns."""
    x, y = L1 * cos(T1) + L2 * cos(T12), L1 * sin(T1) + L2 * sin(T12)
    return np.array([[-y, -L2 * sin(T12)], [x, L2 * cos(T12)]])


def weights():
    outer = M2 * G * L2 / 2 * cos(T12)
    return np.array([(M1 / 2 + M2) * G * L1 * cos(T1) + outer, outer])


def statics():
    force = np.linalg.solve(jacobian().T, weights())
    return {
        "force_x": approx(force[0], rel=1e-12),
        "force_y": approx(force[1], rel=1e-12),
        "torque_1": approx(weights()[0], rel=1e-12),
        "torque_2": approx(weights()[1], rel=1e-12),
        "left_over": ROUNDING,
    }


def dynamics():
    """Give the textbook's two rods, in relative angles."""
    w1, w2, tau = 0.5, -1.0, np.array([5.0, 2.0])
    half, across = M2 * L1 * L2 / 2, T12 - T1
    m22 = M2 * L2**2 / 3
    m12 = m22 + half * cos(across)
    m11 = M1 * L1**2 / 3 + M2 * L1**2 + m22 + 2 * half * cos(across)
    M = np.array([[m11, m12], [m12, m22]])
    whirl = half * sin(across) * np.array([-w2 * (2 * w1 + w2), w1**2])
    turning = np.linalg.solve(M, tau - whirl - weights())
    rate = np.array([w1, w2])
    force = np.linalg.solve(jacobian().T, weights() - tau)
    height = M1 * L1 / 2 * sin(T1) + M2 * (L1 * sin(T1) + L2 / 2 * sin(T12))
    return {
        "turning_1": approx(turning[0], rel=1e-11),
        "turning_2": approx(turning[1], rel=1e-11),
        "kinetic": approx(rate @ M @ rate / 2, rel=1e-12),
        "potential": approx(G * height, rel=1e-12),
        "force_x": approx(force[0], rel=1e-11),
        "force_y": approx(force[1], rel=1e-11),
        "round_trip": ROUNDING,
    }


def digits():
    """Say what rounding does: an error of 1e-16 in the cosine is one of 1e-16/θ² in θ."""
    lossy = {
        f"{way}_{k}": approx(16.0 - 2.0 * k, abs=0.6)
        for way in ("arccos", "expanded", "rounded")
        for k in (2, 4, 6)
    }
    sound = {f"{way}_{k}": approx(16.0, abs=0.5) for way in ("factored", "ours") for k in (2, 4, 6)}
    return lossy | sound


def straight_arms_without_a_value():
    l1, l2, th1, _ = drawn(11)
    x, y = (l1 + l2) * np.cos(th1), (l1 + l2) * np.sin(th1)
    return float(((x**2 + y**2 - (l1**2 + l2**2)) / (2 * l1 * l2) > 1.0).mean())


def sines_above_one():
    l1, l2, _, th2 = drawn(12)
    r2 = l1**2 + l2**2 + 2 * l1 * l2 * np.cos(th2)
    radicand = r2**2 + 2 * r2 * (l1**2 + l2**2) - (l1**2 - l2**2) ** 2
    return float((radicand > (2 * l1 * l2) ** 2).mean())


def too_far():
    """Give the printed answer for (3, 0): radicand 81 + 162·1.49 − 0.51², denominator 7.51."""
    bend = atan2(sqrt(81 + 162 * 1.49 - 0.51**2), 7.51)
    reached = L1 * cos(-bend) + L2, L1 * sin(-bend)
    return {
        "answer": approx(degrees(bend), rel=1e-12),
        "miss": approx(hypot(reached[0] - 3.0, reached[1]), rel=1e-12),
        "shortfall": approx(1.3),
        "inner": approx(0.3),
        "outer": approx(1.7),
    }


EXPECTED = {
    "forward": {
        "x": approx(L1 * cos(T1) + L2 * cos(T12), abs=1e-14),
        "y": approx(L1 * sin(T1) + L2 * sin(T12), abs=1e-14),
        "heading": approx(75.0),
        "apart": ROUNDING,
    },
    "inverse": {
        "theta1_1": approx(degrees(atan2(Y, X) - LEAN), abs=1e-9),
        "theta2_1": approx(degrees(BEND), abs=1e-9),
        "theta1_2": approx(degrees(atan2(Y, X) + LEAN), abs=1e-9),
        "theta2_2": approx(-degrees(BEND), abs=1e-9),
        "postures": 2,
        "residual": ROUNDING,
        "shortfall": approx(0.3),
    },
    "statics": statics(),
    "dynamics": dynamics(),
    "arccos-or-atan2": digits()
    | {"beyond_one": approx(straight_arms_without_a_value(), abs=0.045)},
    "printed-inverse": {
        # Known to two decimals, for targets of which it is not known how they were drawn: the
        # range of lengths was chosen to give both. A median of 20,000 draws is good to 0.01.
        "printed": approx(1.18, abs=0.02),
        "root": approx(0.78, abs=0.02),
        "repaired": approx(2e-16, abs=0.5e-16),
        "ours": approx(2e-16, abs=1.5e-16),
    },
    "erratum-1": {
        "sine_printed": approx(sqrt(3.24 + 3.6 * 1.49 - 0.51**2) / 1.4, rel=1e-12),
        "sine": approx(sin(BEND), rel=1e-12),
        "above_one": approx(sines_above_one(), abs=A_DRAW),
    },
    "erratum-2": {
        "theta2_printed": approx(degrees(atan2(sqrt(3.24 + 3.6 * 1.49 - 0.51**2), 0.31))),
        "theta2": approx(degrees(BEND), abs=1e-9),
    },
    "erratum-3": {
        "metres_printed": approx(degrees(atan2(sqrt(3.24 + 6.48 * 1.49 - 0.51**2), 0.31))),
        "centimetres_printed": approx(
            degrees(atan2(sqrt(3.24e8 + 6.48e12 * 1.49 - 0.51e4**2), 0.31e4))
        ),
        "metres": approx(degrees(BEND), abs=1e-9),
        "centimetres": approx(degrees(BEND), abs=1e-9),
    },
    "erratum-4": {"postures": 2.0, "positive": 1.0, "opposite": ROUNDING},
    "erratum-5": {
        "theta1_printed": approx(degrees(atan2(Y, X) - BEND), abs=1e-9),
        "theta1": approx(degrees(atan2(Y, X) - LEAN), abs=1e-9),
        "median_error": approx(0.78, abs=0.02),
    },
    "erratum-6": {
        "missed": approx(0.5, abs=A_DRAW),
        "missed_left": 1.0,
        "missed_right": 0.0,
    },
    # Right where P is as far to the right as the cosine is positive: half of all, by symmetry.
    "erratum-7": {"missed": approx(0.5, abs=A_DRAW)},
    "erratum-8": {
        "of_theta2": approx(sin(BEND), rel=1e-12),
        "of_theta1": approx(abs(sin(atan2(Y, X) - LEAN)), rel=1e-10),
    },
    "erratum-9": {"round_trip": approx(0.0, abs=1e-11)},
    "erratum-10": too_far(),
}


def test_every_item_and_every_erratum_has_its_row_in_order(rows):
    assert tuple(rows) == ITEMS + ERRATA
    assert set(EXPECTED) == set(rows)


@tabular("key", EXPECTED)
def test_every_number_is_as_expected(rows, key):
    values = rows[key].values
    assert set(values) == set(EXPECTED[key])
    for name, expected in EXPECTED[key].items():
        assert values[name] == expected, name


def test_the_arc_cosine_keeps_as_many_digits_in_sixty_digit_arithmetic(rows):
    random = np.random.default_rng(13)
    with mpmath.workdps(60):
        kept = []
        for th2 in random.uniform(0.7e-6, 1.4e-6, 60):
            r = float(mpmath.sqrt(1.5625 + 1.5 * mpmath.cos(mpmath.mpf(float(th2)))))
            right = mpmath.acos((mpmath.mpf(r) ** 2 - 1.5625) / 1.5)
            kept.append(float(abs(np.arccos((r**2 - 1.5625) / 1.5) - right) / right))
    found = rows["arccos-or-atan2"].values["arccos_6"]
    assert found == approx(-np.log10(np.median(kept)), abs=0.3)


class TestPictures:
    def test_the_histograms_count_every_target(self, rows):
        (picture,) = rows["printed-inverse"].pictures
        (axes,) = picture.draw().axes
        counts = [sum(bar.get_height() for bar in bars) for bars in axes.containers]
        assert counts == [20_000] * 3
        assert len(axes.get_legend().get_texts()) == 3

    def test_lost_digits_are_drawn_way_by_way(self, rows):
        (picture,) = rows["arccos-or-atan2"].pictures
        (axes,) = picture.draw().axes
        curves = {line.get_label(): line.get_ydata() for line in axes.lines}
        assert len(curves) == 4
        # Smallest bends come first: 2 digits a decade for the arc cosine, none in factors.
        assert curves["arc cosine"][0] > 1e-4
        assert np.max(curves["atan2, root in factors"]) < 1e-15
