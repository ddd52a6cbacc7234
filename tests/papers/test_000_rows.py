"""Paper 000 row by row: every statement is there, and every number is what it must be.

Numbers come from the paper, from arithmetic of other programs, and from what is calculated here:
the path in complex numbers, its angles in closed form, and their derivatives by differences.
"""

import cmath
import math
from dataclasses import replace

import numpy as np
import pytest

import ulna
from papers.kehl import motions

ITEMS = [
    "forward", "inverse", "branch", "singular", "lagrangian", "path", "rates", "torques",
    "replay", "replay-113-bit", "stability", "feedback", "animation", "mass-sweep", "next",
]  # fmt: skip
ERRATA = [f"erratum-{number}" for number in range(1, 26)]
TINY = 1e-12  # what rounding may leave
W = 2.0 * math.pi / 60.0
DENSE = np.linspace(0.0, 60.0, 60001)
SAMPLES = np.linspace(0.0, 60.0, 2000)
STEP = SAMPLES[1]
H, M22, M11 = 1.25, 5.0 / 6.0, 41.0 / 12.0  # [kg·m²] m2 l²/2 and the parts of M without cosines
WEIGHT = 10.0 * 9.81 * 0.25  # [N·m] of link 2 about the elbow, level


CHECKED = set()  # rows that a test below has expectations for


def of(*keys):
    """Say which rows a test is about."""
    CHECKED.update(keys)
    return lambda test: test


def close(value, tolerance):
    return pytest.approx(value, abs=tolerance)


def below(tolerance):
    return pytest.approx(0.0, abs=tolerance)


class Between:
    """Equal to all numbers from one to another."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    def __eq__(self, other):
        return self.low <= other <= self.high

    def __repr__(self):
        return f"{self.low} to {self.high}"

    __hash__ = None


def z(t):
    return 0.79j * np.exp(1j * W * t) - 0.2j * np.exp(14j * W * t)


def angles(t):
    """Give θ1 and θ2, the first within half a turn, for links of half a metre."""
    bend = 2.0 * np.arccos(np.abs(z(t)))
    return np.stack([np.angle(z(t)) - bend / 2.0, bend])


def wrapped(angle):
    return np.angle(np.exp(1j * angle))


def motion(t, h=1e-3):
    """Give angles (2, k), rates and accelerations, by differences of fourth order."""
    middle = angles(t)
    far, near, nearer, farther = (wrapped(angles(t + k * h) - middle) for k in (-2, -1, 1, 2))
    rates = (far - 8.0 * near + 8.0 * nearer - farther) / (12.0 * h)
    return middle, rates, (-far + 16.0 * near + 16.0 * nearer - farther) / (12.0 * h**2)


def most(*values):
    return [float(np.abs(value).max()) for value in values]


@pytest.fixture(scope="module")
def dense():
    return motion(DENSE)


def test_every_item_and_every_erratum_has_its_row_in_order(rows):
    assert list(rows) == ITEMS + ERRATA


def check(row, expected):
    assert set(expected) == {number.name for number in row.numbers}
    wrong = {name: (row.values[name], want) for name, want in expected.items()
             if row.values[name] != want}  # fmt: skip
    assert not wrong


class TestKinematics:
    @of("forward")
    def test_forward_the_tip_of_the_worked_pose(self, rows):
        x, y = (
            2.0
            * math.cos(math.radians(30.0))
            * np.array([math.cos(math.radians(10.0)), math.sin(math.radians(10.0))])
        )
        last = 0.5e-4
        check(rows["forward"], {
            "x": close(1.705737, 5e-7), "y": close(0.300767, 5e-7), "angle": close(-20.0, TINY),
            "x_matrix": close(x, TINY), "y_matrix": close(y, TINY),
            "cosine": close(math.cos(math.radians(20.0)), TINY),
            "sine": close(-math.sin(math.radians(20.0)), TINY),
            "matrix_off": below(last), "factors_off": below(last), "composed_off": below(TINY),
        })  # fmt: skip

    def test_forward_has_every_printed_number_to_its_places(self, rows):
        places = {1.71: 2, 0.30: 2, 1.7057: 4, 0.3008: 4, 0.9397: 4, -0.342: 3, -20.0: 0}
        found = {n.printed: n.ours for n in rows["forward"].numbers if n.printed is not None}
        assert set(found) == set(places)
        assert all(round(ours, places[text]) == text for text, ours in found.items())

    @of("inverse")
    def test_inverse_both_postures_of_the_worked_point(self, rows):
        check(rows["inverse"], {
            "cosine": close(0.50705, TINY),
            "bend": close(59.5325, 5e-5), "bend_other": close(-59.5325, 5e-5),
            "first": close(-19.8156, 5e-5), "first_other": close(39.7169, 5e-5),
            "half_bend_off": below(TINY), "missed": below(TINY),
        })  # fmt: skip

    @of("branch")
    def test_branch_is_kept_where_plain_distances_switch_it(self, rows):
        # By plain distance a bend of less than 144° changes sides where the bearing jumps.
        bearing = np.angle(z(SAMPLES))
        jumps = np.flatnonzero(np.abs(np.diff(bearing)) > math.pi)
        assert (angles(SAMPLES[jumps])[1] < math.radians(144.0)).all()
        expected = {"off": below(TINY), "switches": 0, "switches_unwrapped": len(jumps)}
        check(rows["branch"], expected)

    @of("singular")
    def test_singular_speeds_grow_past_the_base_and_towards_the_rim(self, rows):
        line = -0.6 + 0.0025 * np.arange(481) + 0.03j
        bend = 2.0 * np.arccos(np.abs(line))
        kept = np.stack([np.angle(line) - bend / 2.0, bend])
        upper = np.where(line.real > 0.0, [np.angle(line) + bend / 2.0, -bend], kept)
        # A millimetre above the base, joint 1 turns the tip about it and joint 2 about the elbow.
        elbow = 0.5j * cmath.exp(-1j * math.acos(0.001))
        columns = 1j * 0.001j, 1j * (0.001j - elbow)
        slopes = [[turn.real, turn.imag] for turn in columns]
        check(rows["singular"], {
            "switches": 0, "switches_up": 1,
            "step": close(*most(wrapped(np.diff(kept))), 1e-9),
            "step_up": close(*most(wrapped(np.diff(upper))), 1e-9),
            **{f"past_{d:g}": pytest.approx(0.25 / d) for d in (0.1, 0.03, 0.01, 0.003, 0.001)},
            **{f"rim_{d:g}": v for d, v in rim_speeds().items()},
            "condition": pytest.approx(np.linalg.cond(slopes), rel=1e-9),
        })  # fmt: skip


def rim_speeds():
    """θ2 = 2 arccos r, at a quarter of a metre a second."""
    gaps = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
    return {d: pytest.approx(0.5 / math.sqrt(d * (2.0 - d)), rel=1e-6) for d in gaps}


class TestTorques:
    @of("lagrangian")
    def test_lagrangian_every_term_is_ours(self, rows):
        names = "K", "P", "M", "C", "G", "tau"
        check(rows["lagrangian"], {f"{name}_off": below(TINY) for name in names})

    @of("path")
    def test_path_radius_speed_and_bend(self, rows):
        slow, fast = 0.79 * W, 0.2 * 14.0 * W
        bends = [math.degrees(2.0 * math.acos(r)) for r in (0.99, 0.59)]
        check(rows["path"], {
            "radius_least": close(0.59, 5e-5), "radius_most": close(0.99, 5e-5),
            "speed_least": close(fast - slow, 1e-6), "speed_most": close(fast + slow, 1e-6),
            "bend_least": close(bends[0], 5e-4), "bend_most": close(bends[1], 5e-4),
            "switches": 0,
        })  # fmt: skip
        found = rows["path"].values
        assert f"{found['speed_least']:.4f} {found['speed_most']:.4f}" == "0.2105 0.3759"
        assert f"{found['bend_least']:.2f} {found['bend_most']:.2f}" == "16.22 107.69"

    @of("rates")
    def test_rates_by_differences_are_off_by_what_half_a_step_explains(self, rows):
        q, qd, qdd = motion(SAMPLES)
        rate = wrapped(np.diff(q)) / STEP
        late, bent = rate[:, :-1] - qd[:, 1:-1], np.diff(rate) / STEP - qdd[:, 1:-1]
        middle = (rate[:, 1:] + rate[:, :-1]) / 2.0 - qd[:, 1:-1]
        lines = {
            "peak_rate": qd[:, 1:-1], "peak_acceleration": qdd[:, 1:-1], "rate": late[:, 1:-1],
            "rate_centred": middle[:, 1:-1], "acceleration": bent[:, 1:-1],
        }  # fmt: skip
        check(rows["rates"], {
            f"{name}_{joint + 1}": close(*most(values[joint]), 1e-7)
            for name, values in lines.items() for joint in (0, 1)
        })  # fmt: skip

    @of("torques")
    def test_torques_peaks_and_means_of_every_way_to_compute_them(self, rows):
        table = {
            "as_printed": (87.459, 45.584, 40.760, 18.361),
            "as_printed_exact": (87.487, 45.584, 40.806, 18.361),
            "rods": (78.811, 45.230, 25.462, 17.350),
            "rods_exact": (78.840, 45.230, 25.469, 17.350),
        }
        columns = "peak_1", "rms_1", "peak_2", "rms_2"
        peaks = {"as_printed_dense": (87.495, 40.844), "rods_dense": (78.847, 25.469)}
        check(rows["torques"], {
            **{f"{way}_{column}": close(value, 5.1e-4) for way, values in table.items()
               for column, value in zip(columns, values, strict=True)},
            **{f"{way}_peak_{joint}": close(value, 5.1e-4) for way, values in peaks.items()
               for joint, value in enumerate(values, start=1)},
        })  # fmt: skip

    @of("mass-sweep")
    def test_mass_sweep_peaks_grow_linearly_with_a_mass(self, rows):
        masses = (1, 2, 5, 10, 15, 20)
        first = (78.81, 81.44, 89.31, 102.44, 115.57, 128.70), (25.46,) * 6
        second = (
            (10.24, 17.86, 40.72, 78.81, 116.90, 155.00),
            (2.55, 5.09, 12.73, 25.46, 38.19, 50.92),
        )
        check(rows["mass-sweep"], {
            f"m{link}_{mass}_{joint}": close(value, 5.1e-3)
            for link, peaks in ((1, first), (2, second))
            for joint, values in enumerate(peaks, start=1)
            for mass, value in zip(masses, values, strict=True)
        })  # fmt: skip


# [s] to 1 cm and 10 cm with m l²/12, then with m²/12
LOST = {
    "rest": (0.06, 0.36, 0.06, 0.42),
    "differences": (0.48, 0.90, 0.60, 1.32),
    "start": (0.36, 0.75, 0.48, 1.20),
    "millisecond": (1.05, 1.46, 1.76, 2.31),
    "1e-6": (2.61, 2.84, 4.64, 5.20),
    "1e-9": (3.47, 4.03, 6.17, 6.70),
    "1e-13": (5.99, 6.39, 8.15, 8.69),
    "quoted": (11.50, 11.85, 18.24, 18.97),
}
COLUMNS = "near", "far", "near_as_printed", "far_as_printed"


def held_for_a_step(inertia):
    """Give when [s] exact torques that are held for 30 ms take the tip 1 cm and 10 cm off.

    By the equations of the textbook and steps of fourth order, for an inertia of link 2; that of
    link 1 is a tenth of it for rods, and a hundredth as the listing has both.
    """
    first = inertia / (10.0 if inertia < 1.0 else 100.0)
    m22 = inertia + 0.625
    m11 = first + 0.0625 + 2.5 + m22

    def terms(q, qd):
        cos, sin = H * math.cos(q[1]), H * math.sin(q[1])
        outer = WEIGHT * math.cos(q[0] + q[1])
        whirl = [-sin * qd[1] * (2.0 * qd[0] + qd[1]), sin * qd[0] ** 2]
        weight = [5.25 * 9.81 * math.cos(q[0]) + outer, outer]
        M = np.array([[m11 + 2.0 * cos, m22 + cos], [m22 + cos, m22]])
        return M, np.add(whirl, weight)

    def slope(state, tau):
        M, rest = terms(state[:2], state[2:])
        return np.concatenate([state[2:], np.linalg.solve(M, tau - rest)])

    q, qd, qdd = motion(STEP * np.arange(1, 61))
    state, found, h = np.concatenate([q[:, 0], qd[:, 0]]), [], STEP / 20
    for k in range(60):
        off = abs(
            0.5 * cmath.exp(1j * state[0]) * (1.0 + cmath.exp(1j * state[1])) - z(STEP * (k + 1))
        )
        found += [k * STEP] * sum(off > tube for tube in (0.01, 0.1)[len(found) :])
        M, rest = terms(q[:, k], qd[:, k])
        tau = M @ qdd[:, k] + rest
        for _ in range(20):
            a = slope(state, tau)
            b = slope(state + h / 2.0 * a, tau)
            c = slope(state + h / 2.0 * b, tau)
            d = slope(state + h * c, tau)
            state = state + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
    return found


class TestReplay:
    @of("replay")
    def test_replay_leaves_the_path_later_the_finer_it_is(self, rows):
        value = rows["replay"].values
        # The length of the steps decides about a hundredth of a second at 1e-6, and rounding
        # about half a second at 1e-13.
        steps = ("rest", "differences", "start")
        within = {**dict.fromkeys(steps, 5e-3), "millisecond": 5e-3, "1e-6": 0.02, "1e-9": 0.06}
        expected = {
            f"{line}_{column}": close(time, within[line])
            for line, times in LOST.items() if line in within
            for column, time in zip(COLUMNS, times, strict=True)
        }  # fmt: skip
        for column, best in zip(COLUMNS, LOST["1e-13"], strict=True):
            expected[f"1e-13_{column}"] = pytest.approx(best, rel=0.15)
            middle = value[f"1e-13_{column}"]
            expected[f"earliest_{column}"] = Between(0.75 * best, middle)
            expected[f"latest_{column}"] = Between(middle, 1.25 * best)
        lost = (*held_for_a_step(10.0 / 48.0), *held_for_a_step(100.0 / 12.0))
        expected |= {
            f"step_{column}": close(time, 5e-3) for column, time in zip(COLUMNS, lost, strict=True)
        }
        check(rows["replay"], expected)

    def test_scalar_torques_are_those_of_the_plan(self):
        times, torque = np.linspace(0.0, 10.0, 101), motions.torque_at(motions.arm())
        expected = motions.plan().torque_at(times)
        assert [torque(t) for t in times] == pytest.approx(expected, abs=1e-11)

    @of("replay-113-bit")
    def test_in_113_bits_it_is_quoted_and_says_so(self, rows):
        row, times = rows["replay-113-bit"], zip(COLUMNS, LOST["quoted"], strict=True)
        check(row, {f"quoted_{column}": time for column, time in times})
        assert "Quoted" in row.how
        assert all("quoted" in number.of for number in row.numbers)

    @of("stability")
    def test_stability_foretells_when_replays_leave_the_path(self, rows):
        exponents = {"": (3.35, 0.97, -0.97, -3.35), "_as_printed": (1.88, 0.47, -0.47, -1.88)}
        digits = {"": 25.6, "_as_printed": 18.7}
        measured = {"": LOST["1e-13"][:2], "_as_printed": LOST["1e-13"][2:]}
        expected = {}
        for tail, rates in exponents.items():
            for k, rate in enumerate(rates, start=1):
                expected[f"exponent_{k}{tail}"] = close(rate, 0.015)
            found = rows["stability"].values[f"digits{tail}"]
            expected[f"digits{tail}"] = close(digits[tail], 0.05)
            expected[f"growth{tail}"] = close(found * math.log(10.0) / 10.0, 1e-9)
            for column, time in zip(("near", "far"), measured[tail], strict=True):
                expected[f"predicted_{column}{tail}"] = pytest.approx(time, rel=0.05)
                expected[f"measured_{column}{tail}"] = pytest.approx(time, rel=0.15)
        check(rows["stability"], expected)

    @of("feedback")
    def test_feedback_holds_the_path_to_its_millimetres(self, rows):
        check(rows["feedback"], {
            "computed_torque": close(9.05, 0.02), "computed_torque_rest": close(150.0, 0.6),
            "computed_torque_later": close(9.1, 0.05),
            "wrong_masses": close(2.67, 0.01),  # [mm], as those below
            "feedforward": close(37.9, 0.05), "feedforward_rest": close(666.0, 1.0),
            "printed_torques": close(1.19, 0.006), "gravity": close(7.1, 0.05),
            "pd": close(164.0, 0.6),
        })  # fmt: skip
        units = {number.name: number.unit for number in rows["feedback"].numbers}
        millimetres = {"wrong_masses", "printed_torques", "gravity", "pd"}
        assert {name for name, unit in units.items() if unit == "mm"} == millimetres
        assert set(units.values()) == {"mm", "µm"}

    @of("animation")
    def test_animation_shows_the_whole_minute_with_its_error(self, rows):
        check(rows["animation"], {"duration": 60.0, "error": close(9.05, 0.02)})

    @of("next")
    def test_next_what_its_outlook_would_change(self, rows, dense):
        (a, b), qd, qdd = dense
        # Where the model knows of no damping, the springs of 400 per second² hold against it.
        M = np.array([[M11 + 2.0 * H * np.cos(b), M22 + H * np.cos(b)],
                      [M22 + H * np.cos(b), M22 + 0.0 * b]])  # fmt: skip

        def held_off(torque):
            off = np.linalg.solve(M.transpose(2, 0, 1), torque.T[..., None])[..., 0].T / 400.0
            elbow = 0.5 * np.exp(1j * a)
            tip = np.abs(1j * z(DENSE) * off[0] + 1j * (z(DENSE) - elbow) * off[1])
            return math.sqrt(np.mean(tip**2))

        # Friction of 2 N·m has the sign of the rates.
        whirl = H * np.sin(b) * np.stack([-qd[1] * (2.0 * qd[0] + qd[1]), qd[0] ** 2])
        weight = WEIGHT * np.cos(a + b) * np.ones((2, 1))
        weight[0] += (0.25 + 10.0 * 0.5) * 9.81 * np.cos(a)
        tau = np.einsum("ijk,jk->ik", M, qdd) + whirl + weight + 2.0 * np.sign(qd)
        resolution = 1e6 * 2.0 * math.pi / 4096  # [µm] at a metre
        check(rows["next"], {
            "pid": Between(rows["feedback"].values["gravity"], rows["feedback"].values["pd"]),
            "encoder": Between(9.1, resolution),
            "damping": pytest.approx(9.05, rel=0.01),
            "damping_unknown": pytest.approx(1e6 * held_off(0.5 * qd), rel=0.05),
            "friction_known": Between(9.05, 9.5),
            # The springs give way where friction turns over, which the formula does not know.
            "friction_unknown": pytest.approx(1e3 * held_off(2.0 * np.sign(qd)), rel=0.2),
            # Largest where a joint turns back, which falls between two times of the grid.
            "dry_peak_1": pytest.approx(most(tau[0])[0], abs=5e-3),
            "dry_peak_2": pytest.approx(most(tau[1])[0], abs=5e-3),
            "friction": close(felt(friction=ulna.Friction(2.0)), 1e-9),
            "drag": close(felt(friction=ulna.Friction(drag=0.5)), 1e-9),
            "motor": close(felt(motor=MOTOR), 1e-9),
            **driven(qd, qdd, tau - 2.0 * np.sign(qd)),
        })  # fmt: skip
        assert rows["next"].values["friction"] > 0.1 < rows["next"].values["drag"]
        assert felt(motor=ulna.Motor(24.0, 0.6, 0.04)) < 1e-12


GEAR = {"gear_ratio": 200.0, "efficiency": 0.7, "backdriving_efficiency": 0.7}
MOTOR = replace(ulna.motor("maxon-re-40-24v"), **GEAR)


def driven(qd, qdd, tau):
    """Give what two motors behind 200:1 take for a motion, by the data of their sheet."""
    constant, resistance, reflected = 200.0 * 0.0302, 0.317, 138e-7 * 200.0**2
    tau = tau + reflected * qdd  # the rotors; how they pull at each other's links is left out
    tau = tau + 0.137 * constant * np.sign(qd)  # the current that turns them alone
    i = np.where(tau * qd > 0.0, tau / 0.7, tau * 0.7) / constant
    times = np.linspace(0.0, 60.0, i.shape[1])
    warm = np.full(2, 25.0)
    heat, power = np.zeros(2), np.zeros(times.size)
    for k in range(times.size - 1):
        copper = resistance * (1.0 + 0.00393 * (warm - 25.0)) * i[:, k] ** 2
        step = times[k + 1] - times[k]
        warm = warm + step * (copper - (warm - 25.0) / (4.65 + 1.93)) / (41.6 / 1.93)
        heat = heat + step * copper
        power[k] = (copper + constant * i[:, k] * qd[:, k]).sum()
    return {
        # Computed torque knows the rotors and the losses: motors leave no more than bare joints do.
        "driven": Between(0.0, 9.05),  # [µm]
        "current_1": pytest.approx(most(i[0])[0], rel=0.05),
        "current_2": pytest.approx(most(i[1])[0], rel=0.1),
        "hottest_1": pytest.approx(warm[0], abs=3.0),
        "hottest_2": pytest.approx(warm[1], abs=3.0),
        "drawn": pytest.approx(np.maximum(power, 0.0).mean() * 60.0, rel=0.1),
        "copper": pytest.approx(heat.sum(), rel=0.05),
        "returned": Between(0.0, 500.0),
    }


def felt(**parts):
    """Give what a part of the joints changes within a second of falling."""
    free = ulna.preset("kehl")
    other = free.replace(joints=[ulna.Joint(**parts)] * 2)
    start = {"q0": [0.0, 0.5], "duration": 1.0, "samples": 2}
    moved = ulna.simulate(other, **start).q[-1]
    return most(moved - ulna.simulate(free, **start).q[-1])[0]


class TestErrataOfAngles:
    @of("erratum-1", "erratum-2")
    def test_errata_1_and_2_angles_of_the_worked_example_were_rounded_too_early(self, rows):
        bend = math.acos(0.50705)
        first = math.atan2(0.3, 1.71) + bend / 2.0
        assert (f"{bend:.8f}", f"{first:.8f}") == ("1.03903760", "0.69319000")
        degrees = close(math.degrees(bend), TINY)
        check(rows["erratum-1"], {"degrees": degrees, "radians": close(bend, TINY)})
        ends = cmath.exp(0.69352343j) + cmath.exp((0.69352343 - 1.03904686) * 1j)
        missed = close(1e3 * abs(ends - (1.71 + 0.3j)), 1e-9)
        degrees = close(math.degrees(first), TINY)
        expected = {"radians": close(first, TINY), "degrees": degrees, "missed": missed}
        check(rows["erratum-2"], expected)

    @of("erratum-3")
    def test_erratum_3_plus_arccos_bends_the_elbow_down_for_positive_x_and_up_for_negative(
        self, rows
    ):
        aside = math.sin(math.acos(0.50705) / 2.0)  # the height of the triangle of both links
        check(rows["erratum-3"], {"right": close(-aside, TINY), "left": close(aside, TINY)})

    @of("erratum-13")
    def test_erratum_13_a_clipped_cosine_ends_a_metre_and_a_half_from_the_point(self, rows):
        check(rows["erratum-13"], {"missed": close(1.5, TINY), "shortfall": close(1.5, TINY)})

    @of("erratum-14")
    def test_erratum_14_velocities_modulo_a_turn_are_read_wrongly(self, rows):
        check(rows["erratum-14"], {
            "step": close(0.75, 5e-3), "read": close(4.0 - 2.0 * math.pi, TINY),
        })  # fmt: skip

    @of("erratum-15")
    def test_erratum_15_the_first_angle_jumps_by_a_turn_three_times(self, rows):
        # Within a step θ1 moves by less than the tip's 0.376 m/s by 0.59 m and its bend besides.
        jumps = {f"jump_{k}": close(t, 5e-3) for k, t in enumerate((12.64, 13.45, 15.82), 1)}
        turn = close(2.0 * math.pi, 0.03)
        largest = most(wrapped(np.diff(angles(SAMPLES))))[0]
        check(rows["erratum-15"], {**jumps, "size": turn, "ours": close(largest, 1e-9)})

    @of("erratum-23")
    def test_erratum_23_speeds_grow_towards_the_rim_without_a_switch_of_branch(self, rows):
        rim = {f"rim_{d:g}": v for d, v in rim_speeds().items()}
        check(rows["erratum-23"], {**rim, "switches": 0})


class TestErrataOfFormulas:
    """Along the path, with the constants of the paper's arm put in."""

    @of("erratum-4")
    def test_erratum_4_the_elbow_moves_twice_as_fast_as_the_middle_of_its_link(self, rows):
        check(rows["erratum-4"], {"ratio": close(2.0, 1e-6)})

    @of("erratum-5")
    def test_erratum_5_momenta_are_m_times_the_rates_of_the_joints(self, rows, dense):
        (_, b), (w1, w2), _ = dense
        M12 = M22 + H * np.cos(b)
        off_1, off_2 = most(M12 * w1, M22 * w1)
        peaks = most((M11 + 2.0 * H * np.cos(b)) * w1 + M12 * w2, M12 * w1 + M22 * w2)
        check(rows["erratum-5"], {
            "off_1": close(off_1, 1e-6), "off_2": close(off_2, 1e-6),
            "peak_1": close(peaks[0], 1e-6), "peak_2": close(peaks[1], 1e-6),
        })  # fmt: skip

    @of("erratum-6")
    def test_erratum_6_the_mass_matrix_is_of_the_angles_not_of_their_rates(self, rows, dense):
        (_, b), (_, w2), _ = dense
        (off,) = most(H * (np.cos(w2) - np.cos(b)))
        largest = close(M11 + 2.0 * H * math.cos(2.0 * math.acos(0.99)), 1e-6)
        expected = {"M11": close(2.0 * off, 1e-6), "M12": close(off, 1e-6), "most": largest}
        check(rows["erratum-6"], expected)

    @of("erratum-7", "erratum-9")
    def test_errata_7_and_9_the_kinetic_energy_changes_with_the_second_angle(self, rows, dense):
        (_, b), (w1, w2), _ = dense
        slope, growth = most(H * np.sin(b) * w1 * (w1 + w2), H * np.sin(b) * w1 * w2)
        check(rows["erratum-7"], {
            "off_1": below(TINY), "off_2": close(slope, 1e-6), "peak_2": close(growth, 1e-6),
            "check": below(1e-7),
        })  # fmt: skip
        check(rows["erratum-9"], {"by_first": below(1e-8), "by_second": close(slope, 1e-6)})

    @of("erratum-8")
    def test_erratum_8_a_coriolis_term_has_the_wrong_angle_and_the_wrong_rate(self, rows, dense):
        (a, b), (w1, w2), _ = dense
        right = np.sin(b) * (2.0 * w1 + w2)
        others = np.sin(a) * (w1 + w2), np.sin(b) * (w1 + w2), np.sin(a) * (2.0 * w1 + w2)
        sizes = most(H * w2 * right, *(H * w2 * (other - right) for other in others))
        assert [f"{size:.2f}" for size in sizes[:2]] == ["0.56", "1.52"]
        names = "peak", "off", "off_angle", "off_rate"
        pairs = zip(names, sizes, strict=True)
        expected = {name: close(size, 1e-6) for name, size in pairs}
        check(rows["erratum-8"], {**expected, "off_both": below(TINY)})

    @of("erratum-10")
    def test_erratum_10_the_slope_of_the_kinetic_energy_has_no_weight_in_it(self, rows, dense):
        off = close(*most(WEIGHT * np.cos(dense[0].sum(axis=0))), 1e-6)
        check(rows["erratum-10"], {"off": off, "check": below(1e-8)})

    @of("erratum-11")
    def test_erratum_11_the_listing_has_the_christoffel_matrix(self, rows):
        # Symbols from differences of M, good to 1e-9.
        check(rows["erratum-11"], {"off": below(1e-8), "ours": below(TINY), "skew": below(1e-8)})

    @of("erratum-24")
    def test_erratum_24_the_force_at_the_tip_that_torques_amount_to(self, rows, dense):
        (a, b), (w1, w2), (u1, u2) = dense
        weight, turning = WEIGHT * np.cos(a + b), H * np.sin(b)
        M12 = M22 + H * np.cos(b)
        first = (M11 + 2.0 * H * np.cos(b)) * u1 + M12 * u2 - turning * w2 * (2.0 * w1 + w2)
        first += (0.25 + 5.0) * 9.81 * np.cos(a) + weight
        second = M12 * u1 + M22 * u2 + turning * w1**2 + weight
        # τ2 is the moment of F about the elbow, τ1 − τ2 that about the base less this.
        one, two = 0.5 * np.exp(1j * a), 0.5 * np.exp(1j * (a + b))
        force = (first - second) * two - second * one
        force /= (one.conjugate() * two).imag
        check(rows["erratum-24"], {
            "force": close(*most(force), 1e-4), "torque": close(78.847, 5.1e-4),
            "left": below(TINY),
        })  # fmt: skip


class TestErrataOfListings:
    @of("erratum-12")
    def test_erratum_12_one_sided_differences_spoil_the_ends_of_a_closed_path(self, rows):
        check(rows["erratum-12"], {
            "start": close(0.314, 5e-4), "end": close(0.314, 5e-4), "between": below(1e-9),
            "torque_1": close(1.59, 5e-3), "torque_2": close(0.28, 5e-3),
            "torque_1_as_printed": close(6.43, 5e-3), "torque_2_as_printed": close(5.08, 5e-3),
        })  # fmt: skip

    @of("erratum-16")
    def test_erratum_16_rates_that_lag_half_a_step_spoil_the_torques(self, rows):
        # A rate that is late by half a step is wrong by that times the acceleration.
        (_, b), (w1, w2), (u1, u2) = motion(SAMPLES[1:-1])
        v1, v2 = 0.5 * STEP * u1, 0.5 * STEP * u2
        turning = H * np.sin(b)
        late = w2 - v2, w1 - v1
        first = turning * (w2 * (2.0 * w1 + w2) - late[0] * (2.0 * late[1] + late[0]))
        second = turning * (w1**2 - late[1] ** 2)
        sizes = most(*(value[1:-1] for value in (v1, v2, first, second)))
        names = "rate_1", "rate_2", "torque_1", "torque_2"
        expected = {k: pytest.approx(v, rel=0.03) for k, v in zip(names, sizes, strict=True)}
        check(rows["erratum-16"], {**expected, "lag": close(500.0 * STEP, 1e-9)})

    @of("erratum-17")
    def test_erratum_17_inertias_of_m_squared_are_4_and_40_times_too_large(self, rows, dense):
        # Surplus inertias J1 and J2 take J1 θ̈1 + J2 (θ̈1 + θ̈2) and J2 (θ̈1 + θ̈2) more.
        _, _, (u1, u2) = motion(SAMPLES[1:-1])
        surplus = (1.0 - 0.25) / 12.0 * u1, (100.0 - 2.5) / 12.0 * (u1 + u2)
        sizes = most(surplus[0] + surplus[1], surplus[1])
        check(rows["erratum-17"], {
            "inertia_1": close(0.25 / 12.0, TINY), "inertia_2": close(2.5 / 12.0, TINY),
            "ratio_1": close(4.0, TINY), "ratio_2": close(40.0, TINY),
            "torque_1": close(sizes[0], 1e-5), "torque_2": close(sizes[1], 1e-5),
        })  # fmt: skip

    @of("erratum-18", "erratum-19")
    def test_errata_18_and_19_which_link_is_outside_and_how_far_it_reaches(self, rows):
        check(rows["erratum-18"], {"functions": 3, "outer": 10.0})
        check(rows["erratum-19"], {"reach": close(1.0, TINY), "other": close(1.1, TINY)})

    @of("erratum-20", "erratum-21")
    def test_errata_20_and_21_what_misplaced_parentheses_take_from_the_torques(self, rows):
        expected = {"torque_1": close(4.51, 5e-3), "torque_2": close(2.26, 5e-3)}
        check(rows["erratum-20"], expected)
        (off,) = most(WEIGHT * np.cos(angles(SAMPLES[1:-1]).sum(axis=0)))
        assert off == close(24.5, 0.05)
        check(rows["erratum-21"], {"off": close(off, 1e-9)})

    @of("erratum-22")
    def test_erratum_22_errors_grow_since_the_motion_is_unstable(self, rows):
        near, far = LOST["1e-13"][:2]
        check(rows["erratum-22"], {
            "digits": close(25.6, 0.05), "predicted": pytest.approx(near, rel=0.05),
            "near": pytest.approx(near, rel=0.15), "far": pytest.approx(far, rel=0.15),
        })  # fmt: skip

    @of("erratum-25")
    def test_erratum_25_torques_belong_to_the_inner_points(self, rows):
        expected = {"off": below(TINY), "half": close(500.0 * STEP, 1e-9), "count": 1998}
        check(rows["erratum-25"], expected)


def test_no_row_is_left_without_a_check(rows):
    assert set(rows) == CHECKED


class TestPictures:
    @staticmethod
    def lines(rows, key):
        """Draw the picture of a row, and give the curves of each of its axes."""
        (picture,) = rows[key].pictures
        assert picture.caption
        assert picture.file.startswith("000-")
        figure = picture.draw()
        return [[line for line in axes.lines if len(line.get_xdata()) > 1] for axes in figure.axes]

    def test_the_pose_and_both_postures(self, rows):
        ((*_,),) = self.lines(rows, "forward")
        (figure,) = (rows["inverse"].pictures[0].draw(),)
        assert len(figure.axes[0].patches) == 2 * (2 + 2 + 1)  # links, joints and tip, twice

    def test_the_path_drawn_is_its_formula(self, rows):
        (lines,) = self.lines(rows, "path")
        way = lines[0].get_xdata() + 1j * lines[0].get_ydata()
        assert np.abs(way - z(SAMPLES)).max() <= 1e-12

    def test_three_curves_of_each_torque(self, rows):
        panels = self.lines(rows, "torques")
        for joint, lines in enumerate(panels, start=1):
            peaks = [float(np.abs(line.get_ydata()).max()) for line in lines]
            ways = "as_printed", "rods", "rods_exact"
            value = rows["torques"].values
            assert peaks == [pytest.approx(value[f"{way}_peak_{joint}"]) for way in ways]

    def test_six_masses_of_either_link(self, rows):
        panels = self.lines(rows, "mass-sweep")
        assert [len(lines) for lines in panels] == [6] * 4
        heaviest = [float(np.abs(lines[-1].get_ydata()).max()) for lines in panels]
        names = "m1_20_1", "m2_20_1", "m1_20_2", "m2_20_2"
        assert heaviest == [pytest.approx(rows["mass-sweep"].values[name]) for name in names]

    def test_the_better_a_loop_the_smaller_its_largest_error(self, rows):
        (lines,) = self.lines(rows, "feedback")
        peaks = [float(line.get_ydata().max()) for line in lines]
        assert peaks == sorted(peaks, reverse=True)
        assert peaks[-1] < 1e-4
