"""Paper 001 (Bechard & Ivanov), row by row: every number against the paper or another way to it."""

import cmath
import math
from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import ulna
from papers.bechard import printed, runs, swings

G = 9.81
L1, L2, M1, M2 = 1.0, 0.7, 1.0, 3.0  # of the skater
FOUR = ulna.preset("bechard-4")
SKATER = ulna.preset("bechard-skater")
FOUR_START = (0.1, 0.1, 0.1, 0.0, 0.3, 0.3, 0.3, 0.0)  # angles, then rates
FOUR_B = (0.5, 0.5, 0.5, 0.25)

ITEMS = (
    "equation", "one-joint", "figure-1", "figure-2", "figure-3", "figure-4", "figure-5",
    "sequential", "four-joints", "energy", "skater", "torque-function", "next",
)  # fmt: skip
KEYS = (*ITEMS, *(f"erratum-{k}" for k in range(1, 14)))


def to(value, places):
    """Expect a value that is known to so many decimals."""
    return pytest.approx(value, rel=0.0, abs=0.5000001 * 10.0**-places)


def near(value, off):
    return pytest.approx(value, rel=0.0, abs=off)


def line(name, values, places):
    return {f"{name}-{k}": to(value, places) for k, value in enumerate(values, start=1)}


def solved(slope, start, duration, tolerance=1e-10, **options):
    found = solve_ivp(
        slope, (0.0, duration), start, method="DOP853", rtol=tolerance, atol=tolerance, **options
    )
    assert found.success
    return found


@cache
def listing_run():
    return solved(printed.one_joint(1.0, 1.0, 10.0, 0.2), [0.0, 0.0], 20.0, 1e-12).y[:, -1]


def turns_from(speed):
    end = solved(printed.one_joint(1.0, 1.0, 0.0, 0.2), [0.0, speed], 60.0, 1e-8).y[0, -1]
    return round((end + np.pi / 2.0) / (2.0 * np.pi))


@cache
def lingering():
    """From 3.07 rad/s under 4 N·m: how high, and when back at level."""
    slope = printed.one_joint(1.0, 1.0, 4.0, 0.2)
    events = (lambda _t, y: y[1], lambda _t, y: y[0] if _t > 0.1 else 1.0)
    found = solved(slope, [0.0, 3.07], 4.0, 1e-12, events=events)
    return found.y_events[0][0][0], found.t_events[1][0]


def true_arm(arm, tau, damping):
    """Masses on links with motors and dampers at the joints, M φ̈ = Q − W φ̇² − G in link angles.

    `damping` gives b [N·m·s/rad] of each joint for the angles of the links.
    """
    L, hung = (np.array([getattr(link, what) for link in arm.links]) for what in ("length", "mass"))
    hung = np.cumsum(hung[::-1])[::-1]
    size = np.outer(L, L) * np.minimum.outer(hung, hung)

    def slope(_t, y):
        angle, rate = np.split(y, 2)
        between = angle[:, None] - angle
        joint = tau - damping(angle) * np.diff(rate, prepend=0.0)
        force = joint - np.append(joint[1:], 0.0) - G * L * hung * np.cos(angle)
        force -= (size * np.sin(between)) @ rate**2
        return np.concatenate([rate, np.linalg.solve(size * np.cos(between), force)])

    return slope


def inertias(arm, angle):
    """Σ m r² about each joint of the masses beyond it, mass by mass."""
    links = [(link.mass, link.length * cmath.exp(1j * a)) for link, a in zip(arm.links, angle)]  # noqa: B905
    found = []
    for a in range(arm.n):
        place = total = 0.0
        for mass, link in links[a:]:
            place += link
            total += mass * (place.real**2 + place.imag**2)
        found.append(total)
    return np.array(found)


def by_number(arm, tau, b):
    """The paper's model with a friction of b N·m·s/rad in place of B per second."""
    free = printed.sequential(arm, tau, (0.0,) * arm.n)

    def slope(t, y):
        found = np.array(free(t, y))
        found[arm.n :] -= b * y[arm.n :] / inertias(arm, y[: arm.n].tolist())
        return found

    return slope


def turned(slope, start, duration, tolerance=1e-10):
    return solved(slope, start, duration, tolerance).y[:, -1]


@cache
def four_joints():
    """The four joints after 20 s, in the ways in which no outside number is known."""
    tau, B = np.array([300.0, 3.0, 50.0, 5.0]), np.array(FOUR_B)
    straight = B * [170.25, 50.25, 23.25, 12.0]  # masses at 2, 3, 3.75, 5.75 m, and so on

    def by_links(_t, y):
        lost = B * inertias(FOUR, y[:4]) * y[4:]
        return true_arm(FOUR, tau - lost, lambda _: 0.0)(_t, y)

    return {
        "true": turned(true_arm(FOUR, tau, lambda a: B * inertias(FOUR, a)), FOUR_START, 20.0),
        "rubbed": turned(by_number(FOUR, tau.tolist(), B), FOUR_START, 20.0),
        "preset": turned(true_arm(FOUR, tau, lambda _: straight), FOUR_START, 20.0),
        "by links": turned(by_links, FOUR_START, 20.0),
        "both": turned(true_arm(FOUR, tau, lambda _: B), FOUR_START, 20.0, 1e-12),
    }


@cache
def losing(nudge=0.0):
    """The true four joints after 3 s with the paper's friction on their accelerations."""

    def slope(_t, y):
        found = true_arm(FOUR, np.array([300.0, 3.0, 50.0, 5.0]), lambda _: 0.0)(_t, y)
        found[4:] -= FOUR_B * y[4:]
        return found

    return turned(slope, np.add(FOUR_START, nudge), 3.0, 1e-12)[:4]


@cache
def skaters():
    """The skater after 5 s, likewise."""
    tau, B, rest = np.array([45.0, 45.0]), np.array([1.2, 2.0]), np.zeros(4)
    return {
        "true": turned(true_arm(SKATER, tau, lambda a: B * inertias(SKATER, a)), rest, 5.0),
        "rubbed": turned(by_number(SKATER, (45.0, 45.0), B), rest, 5.0),
        "both": turned(true_arm(SKATER, tau, lambda _: B), rest, 5.0),
        "preset": turned(true_arm(SKATER, tau, lambda _: B * [9.67, 1.47]), rest, 5.0),
    }


def close(name, values, off):
    return {f"{name}-{k}": near(value, off) for k, value in enumerate(values, start=1)}


@cache
def gains(true=False):
    """How fast joint 1 of the skater gains speed, outer link inwards and outwards."""
    B = np.array([1.2, 2.0])
    slope = printed.sequential(SKATER, (45.0, 45.0), B)
    if true:
        slope = true_arm(SKATER, np.array([45.0, 45.0]), lambda a: B * inertias(SKATER, a))
    across = solved(
        slope, np.zeros(4), 5.0, 1e-11, events=lambda _t, y: math.cos(y[1] - y[0])
    )  # fmt: skip
    times = [0.0, *across.t_events[0], 5.0]
    states = [np.zeros(4), *across.y_events[0], across.y[:, -1]]
    gained, lasting = np.diff([state[2] for state in states]), np.diff(times)
    # Straight at first, and then by turns.
    return tuple(float(gained[k::2].sum() / lasting[k::2].sum()) for k in (1, 0))


def energy_lost(angle):
    """The largest change of energy of the model's skater, let go straight, in m g times reach."""
    slope = printed.sequential(SKATER, (0.0, 0.0), (0.0, 0.0))
    moments = np.linspace(0.0, 20.0, 20001)
    a, b, da, db = solved(slope, [angle, angle, 0.0, 0.0], 20.0, t_eval=moments).y
    elbow = (L1 * da) ** 2
    end = elbow + (L2 * db) ** 2 + 2.0 * L1 * L2 * da * db * np.cos(a - b)
    height = (M1 + M2) * L1 * np.sin(a) + M2 * L2 * np.sin(b)
    energy = 0.5 * M1 * elbow + 0.5 * M2 * end + G * height
    return np.abs(energy - energy[0]).max() / ((M1 + M2) * G * (L1 + L2))


@cache
def pushed(torque):
    """Angle and rate of the first of four joints after 5 s in the printed model."""
    slope = printed.sequential(FOUR, lambda t: (torque * t, 0.0, 0.0, 0.0), FOUR_B)
    return solved(slope, FOUR_START, 5.0).y[[0, 4], -1]


def speed_left(drag):
    """The fastest speed of the pendulum from 55 to 60 s, with a friction of its own."""

    def slope(_t, y):
        return y[1], -G * math.cos(y[0]) - drag(y[1])

    moments = np.linspace(55.0, 60.0, 5001)
    return np.abs(solved(slope, [0.0, 2.0], 60.0, t_eval=moments).y[1]).max()


@cache
def swung(dry=0.5):
    """Give the half swings of a level pendulum with dry friction, its last angle, and the time.

    Friction takes the same torque times the angle of every half swing from its height.
    """
    angle, count, seconds = 0.5 * math.pi, 0, 0.0

    def slope(_t, y):
        return y[1], -G * math.sin(y[0]) + dry

    def stop(_t, y):
        return y[1]

    stop.terminal, stop.direction = True, 1
    while G * math.sin(angle) > dry:
        half = solved(slope, [angle, 0.0], 9.0, 1e-12, events=stop)
        lost = brentq(
            lambda b, a=angle: G * (math.cos(b) - math.cos(a)) - dry * (a + b), 0.0, angle - 1e-6
        )
        assert -half.y[0, -1] == pytest.approx(lost, abs=1e-9)
        angle, count, seconds = lost, count + 1, seconds + half.t[-1]
    return count, angle, seconds


@cache
def spun(torque):
    """Give the speed of the listing's arm after 20 s under a torque that depends on its speed."""

    def slope(_t, y):
        return y[1], torque(y[1]) - G * math.cos(y[0]) - 0.2 * y[1]

    return solved(slope, [0.0, 0.0], 20.0, 1e-12).y[1, -1]


RUNNING = {
    "slowest": to(3.49656, 5), "fastest": to(4.47359, 5), "mean": to(3.96997, 5),
}  # fmt: skip


def expected():
    """Give what every number of every row should be."""
    return {
        "equation": {"difference": near(0.0, 1e-13), "damping-1": 0.2, "damping-5": 0.5 * 5.0**2},
        "one-joint": {
            "angle": near(listing_run()[0], 1e-5),
            "speed": near(listing_run()[1], 1e-6),
            "turns": near(listing_run()[0] / (2.0 * np.pi), 1e-5),
            "weight": near(G, 1e-12),
        },
        "figure-1": {
            "well": near(-np.pi / 2.0, 1e-12),
            "real": near(-0.1, 1e-12),
            "imaginary": to(3.1305, 4),
            "full-turn": to(4.59775, 5),
            "turns-2": turns_from(2.0),
            "turns-5": turns_from(5.0),
            "turns-8": 3,
        },
        "figure-2": {
            **RUNNING,
            "mean-over-angle": near(50.0 / (0.5 * 25.0), 1e-9),
            "to-run": to(9.10, 2),
            "weight": near(49.05, 1e-12),
        },
        "figure-3": {
            "well": to(-1.150811, 6),
            "saddle": to(1.150811, 6),
            "ahead": to(24.06, 2),
            "border": to(-2.711067, 6),
            "slowest": to(19.5064, 4),
            "fastest": to(20.4875, 4),
            # The harmonic mean of 20 + δ with δ = 0.4905 sin: 20 − 0.4905²/40.
            "mean": near(20.0 - (G / 20.0) ** 2 / 40.0, 1e-5),
            "mean-over-angle": near(4.0 / 0.2, 1e-8),
        },
        "figure-4": {
            "border": to(3.0758581, 7),
            "highest": near(lingering()[0], 1e-8),
            "back": near(lingering()[1], 1e-7),
        },
        "figure-5": line("border", (-4.24736, -8.46382, -9.21829, -12.15535, -12.75972), 5),
        "sequential": dict.fromkeys(("accelerations", "inertias", "weights"), near(0.0, 1e-14)),
        "four-joints": {
            **line("sequential-angle", (178.7506767, -1.5218395862, 145.1880870, -1.4286601299), 7),
            **line("sequential-speed", (11.0227952, 0.0847988879, 7.9792705702, 0.2067877126), 7),
            **close("true-angle", four_joints()["true"][:4], 1e-7),
            **close("true-speed", four_joints()["true"][4:], 1e-7),
            **close("rubbed-angle", four_joints()["rubbed"][:4], 1e-5),
            **close("rubbed-speed", four_joints()["rubbed"][4:], 1e-5),
            # Errors grow a millionfold in these 20 s.
            **close("both-angle", four_joints()["both"][:4], 2e-6),
            **close("both-speed", four_joints()["both"][4:], 2e-5),
            **close("preset-angle", four_joints()["preset"][:4], 1e-5),
            "coupling": near(four_joints()["true"][0] - 178.7506767, 1e-6),
            "friction": near(four_joints()["rubbed"][0] - 178.7506767, 1e-5),
            "together": near(351.826239034 - 178.7506767, 1e-6),
            "by-links": near(four_joints()["by links"][0], 1e-7),
            **close("losing-angle", losing(), 2e-6),
            "nudged": pytest.approx(np.abs(losing(1e-9) - losing()).max(), rel=0.01),
        },
        "energy": {
            "level": near(energy_lost(0.0), 1e-6),
            "raised": near(energy_lost(np.pi / 3.0), 1e-5),
            "true": near(0.0, 1e-9),
            **line("true-frequency", (2.4840, 9.4407), 4),
            **line("frequency", (2.0144, 3.7436), 4),
            "median": to(0.68, 2),
        },
        "skater": {
            **line("angle", (28.7363, 66.8862), 4),
            **close("true-angle", skaters()["true"][:2], 1e-6),
            **close("rubbed-angle", skaters()["rubbed"][:2], 1e-6),
            **close("both-angle", skaters()["both"][:2], 1e-5),
            **close("preset-angle", skaters()["preset"][:2], 1e-5),
            "coupling": near(skaters()["true"][0] - 28.7363, 1e-4),
            "friction": near(skaters()["rubbed"][0] - 28.7363, 1e-4),
            "together": near(skaters()["both"][0] - 28.7363, 1e-4),
            "inwards": near(gains()[0], 1e-6),
            "outwards": near(gains()[1], 1e-6),
            "true-inwards": near(gains(true=True)[0], 1e-6),
            "true-outwards": near(gains(true=True)[1], 1e-6),
            # Passed by, and sampled every 2.5 ms.
            "least": near(M1 * L1**2 + M2 * (L1 - L2) ** 2, 1e-4),
            "most": near(M1 * L1**2 + M2 * (L1 + L2) ** 2, 1e-12),
            "momentum-straight": to(16.81, 2),
            "momentum-folded": to(0.01, 2),
            # The inertias are M₁₁ with the arms out, 1 + 3·1.7², and in, 1 + 3·0.3².
            "tucked-out": near(1.0, 0.0),
            "tucked-in": near(9.67 / 1.27, 1e-6),
            "tucked-gain": near(9.67 / 1.27, 1e-6),
            "tucked-inertias": near(9.67 / 1.27, 1e-6),
            "tucked-lost": near(0.0, 1e-9),
            "model-tucked-out": near(1.0, 0.0),
            "model-tucked-in": near(1.0, 1e-9),
            "model-tucked-gain": near(1.0, 1e-9),
            "model-tucked-inertias": near(9.67 / 1.27, 1e-6),
            "model-tucked-lost": near(0.9517, 1e-4),
            "true-momentum-straight": to(16.81, 2),
            "true-momentum-folded": near(16.81, 1e-9),
        },
        "torque-function": {
            "angle": to(5.25373, 5), "speed": near(pushed(100.0)[1], 1e-7),
        },
        "next": {
            # Critically damped at 10 rad/s, 30 time constants.
            "servo": near(0.0, 1e-10),
            "batch": 0.0,
            "arms": 256,
            "actuators": len({actuator.name for actuator in ulna.actuation.actuators()}),
            "standing": near(swung()[2], 1e-6),
            "beside": near(math.degrees(swung()[1]), 1e-9),
            "band": near(math.degrees(math.asin(0.5 / G)), 1e-12),
            "turns-back": swung()[0],
            "ideal-speed": near(spun(lambda rate: 10.0), 1e-6),
            "real-speed": near(spun(lambda rate: 10.0 * (1.0 - rate / 12.0)), 1e-6),
        },
        "erratum-1": {"weight": near(G * 5.0, 1e-12), "as-printed": near(G * 25.0, 1e-12)},
        "erratum-2": {
            "turning": near((50.0 - 49.05) / 25.0, 1e-12), "as-printed": near(-G / 5.0, 1e-12),
        },
        "erratum-3": {
            "damping": 12.5,
            "times": 25.0,
            # Masses at 2, 3, 3.75 and 5.75 m, and at 2, 1, 0.25 and 2.25 m.
            "straight": near(0.5 * np.dot([3, 5, 1, 3], [4.0, 9.0, 3.75**2, 5.75**2]), 1e-12),
            "folded": near(0.5 * np.dot([3, 5, 1, 3], [4.0, 1.0, 0.25**2, 2.25**2]), 1e-12),
            "difference": near(0.0, 1e-13),
        },
        "erratum-4": {
            "linear": near(speed_left(lambda rate: 0.2 * rate), 1e-6),
            "square": near(speed_left(lambda rate: 0.1 * rate * abs(rate)), 1e-6),
        },
        "erratum-5": {"order": near(8.0, 0.3)},
        "erratum-6": {"refused": 4, "weight": near(G, 1e-12), "late": near(20.0 / 2000.0, 1e-12)},
        "erratum-7": RUNNING,
        "erratum-8": {
            "coupling-model-1": near(45.0 / 9.67, 1e-12),
            "coupling-model-2": 0.0,
            # M = [[4, 2.1], [2.1, 1.47]] stretched out, without 2.1 at a right angle.
            "coupling-true-1": near(45.0, 1e-10),
            "coupling-true-2": near(-2.1 * 45.0 / 1.47, 1e-10),
            "centrifugal-model-1": 0.0,
            "centrifugal-model-2": 0.0,
            "centrifugal-true-1": near(2.1 * 3.0**2 / 4.0, 1e-12),
            "centrifugal-true-2": near(-2.1 * 3.0**2 / 1.47, 1e-12),
            "reaction-model-1": 0.0,
            "reaction-model-2": near(45.0 / 1.47, 1e-12),
            "reaction-true-1": near(-45.0 / 4.0, 1e-12),
            "reaction-true-2": near(45.0 / 1.47, 1e-12),
            "whirl": near(2.1 * 3.0**2, 1e-12),
        },
        "erratum-9": {
            "weight": near(-G * (1.0 + 3.0 * 1.7), 1e-12),
            "as-printed": near(G * (-1.0 + 3.0 * 1.7), 1e-12),
            "difference": near(2.0 * 3.0 * G * 1.7, 1e-12),
        },
        "erratum-10": {
            "change": 0.0,
            "straight": to(16.81, 2),
            "folded": to(0.01, 2),
            "times": near(9.67 / 1.27, 1e-12),
        },
        "erratum-11": {
            "growing": to(5.25373, 5), "filled": near(pushed(0.0)[0], 1e-7),
        },
        "erratum-12": {
            "largest": near(math.sqrt(2.0) * G, 1e-12), "of-weight": near(math.sqrt(2.0), 1e-12),
        },
        "erratum-13": {
            # Masses 2, 3, 4 at their joints, at 2, 3 and 3.75 m, and mass 1 at 2 m as printed.
            "inertia": near(np.dot([3, 5, 1, 3], [4.0, 9.0, 3.75**2, 5.75**2]), 1e-12),
            "by-letter": near(np.dot([3, 5, 1, 3], [4.0, 4.0, 9.0, 3.75**2]), 1e-12),
        },
    }  # fmt: skip


@pytest.fixture(scope="module")
def known():
    return expected()


def test_it_has_all_rows_in_order(rows):
    assert tuple(rows) == KEYS


@pytest.mark.parametrize("key", KEYS)
def test_every_number_is_as_expected(rows, known, key):
    assert dict(rows[key].values) == known[key]
    assert len(rows[key].values) == len(rows[key].numbers)


@pytest.mark.parametrize(("key", "n"), [("four-joints", 4), ("skater", 2)])
def test_the_call_runs_both_models_with_one_friction(rows, key, n):
    names = {}
    exec(rows[key].call, names)
    for run, name in (("model", {4: "sequential-angle", 2: "angle"}[n]), ("true", "true-angle")):
        found = np.cumsum(names[run].q[-1])
        known = [rows[key].values[f"{name}-{k}"] for k in range(1, n + 1)]
        assert found == pytest.approx(known, abs=1e-6)


def test_what_it_prints_stands_beside_ours(rows):
    beside = {
        (key, number.name): number.printed
        for key, row in rows.items()
        for number in row.numbers
        if number.printed is not None
    }
    assert beside == {
        ("figure-1", "well"): -1.5708,
        ("figure-2", "slowest"): 3.5, ("figure-2", "fastest"): 4.5,
        ("figure-2", "mean-over-angle"): 4.0, ("figure-2", "weight"): 49.05,
        ("erratum-7", "slowest"): 4.0, ("erratum-7", "fastest"): 5.0,
    }  # fmt: skip


class TestPictures:
    @staticmethod
    def curves(row):
        """Draw the first picture of a row, and give the lines of its axes as (x, y)."""
        figure = row.pictures[0].draw()
        return [[np.array(line.get_data()) for line in axes.get_lines()] for axes in figure.axes]

    def test_four_joints_turn_and_their_energies_are_shown(self, rows):
        panels = self.curves(rows["four-joints"])
        model, true = panels[2], panels[3]
        assert [round(curve[1][-1], 2) for curve in model] == [178.75, -1.52, 145.19, -1.43]
        expected = four_joints()["true"][:4]
        assert [curve[1][-1] for curve in true] == pytest.approx(expected, abs=1e-6)
        # What the motors do is what the true arm has gained, and not what the model's has.
        gained, work = (curve[1] for curve in panels[5])
        assert gained == pytest.approx(work, abs=1e-6)
        gained, work = (curve[1] for curve in panels[4])
        assert abs(gained[-1] - work[-1]) > 1.0

    def test_coupling_and_friction_are_shown_one_at_a_time(self, rows):
        (axes,) = rows["four-joints"].pictures[1].draw().axes
        ends = {line.get_label(): line.get_ydata()[-1] for line in axes.get_lines()}
        assert ends == {
            "the paper: sequential, B per second": to(178.7506767, 6),
            "coupling alone: true, B per second": near(four_joints()["true"][0], 1e-6),
            "friction alone: sequential, b = B": near(four_joints()["rubbed"][0], 1e-5),
            "both: true, b = B": to(351.826239034, 6),
        }

    def test_energy_comes_and_goes_in_the_model_alone(self, rows):
        ((model, true),) = self.curves(rows["energy"])
        assert np.abs(model[1]).max() == pytest.approx(0.678, abs=5e-4)
        assert np.abs(true[1]).max() <= 1e-9

    def test_the_torque_that_grows_is_shown_above_what_it_does(self, rows):
        (torque,), angles = self.curves(rows["torque-function"])
        assert torque[1] == pytest.approx(100.0 * torque[0], abs=1e-9)
        assert len(angles) == 4
        assert angles[0][1][-1] == to(5.25373, 5)

    def test_the_skater_turns_with_her_inertia_above_her_speed(self, rows):
        (inertia,), _, (speed,), _ = self.curves(rows["skater"])
        assert inertia[1].max() == pytest.approx(9.67)
        assert inertia[1].min() == pytest.approx(1.27, abs=1e-4)
        # What is turned by then is the angle of the first link.
        assert np.trapezoid(speed[1], speed[0]) == pytest.approx(28.7363, abs=1e-3)

    @pytest.mark.parametrize(
        ("key", "starts", "fates", "wells"),
        [
            ("figure-1", [(0, 2), (0, 5), (0, 8)], "captured, captured, captured", -np.pi / 2.0),
            ("figure-2", [(0, 0), (0, -2), (0, 5)], "rotates, rotates, rotates", None),
            (
                "figure-3", [(-np.pi / 2, 0), (-0.75 * np.pi, 0), (-np.pi, 0)],
                "captured, captured, rotates", -1.150811,
            ),
            ("figure-4", [(0, 1), (0, 3.07), (0, 3.2)], "captured, captured, rotates", -1.150811),
            ("figure-5", [(0, -6), (0, -9), (0, -11)], "rotates, captured, rotates", -1.150811),
        ],
    )  # fmt: skip
    def test_phase_portraits_show_what_the_paper_tells(self, rows, key, starts, fates, wells):
        (curves,) = self.curves(rows[key])
        assert key == "figure-1" or fates in rows[key].ours
        long = [curve for curve in curves if curve.shape[1] > 100]
        for (angle, speed), fate in zip(starts, fates.split(", "), strict=True):
            (orbit,) = [c for c in long if np.allclose(c[:, 0], (angle, speed), atol=1e-9)]
            # Captured, it has wound up; rotating, it runs at 4 rad/s or is on its way to 20.
            assert (abs(orbit[1, -1]) < 1.5) == (fate == "captured")
        marks = np.concatenate([c[0] for c in curves if c.shape[1] < 10 and not c[1].any()])
        assert wells is None or np.abs(np.mod(marks - wells + 1.0, 2.0 * np.pi) - 1.0).min() < 1e-6


def test_a_skater_who_tucks_keeps_her_momentum_and_gains_speed():
    run = runs.tucking("full")
    kept = swings.angular_momentum(run)
    assert np.abs(kept / kept[0] - 1.0).max() < 1e-9
    assert np.all(run.tau[:, 0] == 0.0)  # nothing drives the spin
    speed, inertia = run.qd[:, 0], swings.first_inertia(run)
    free = (run.t <= runs.TUCK[0]) | (run.t >= 5.5)  # arms at rest, out or in
    assert np.allclose(speed[free] / speed[0], inertia[0] / inertia[free], rtol=1e-6)
