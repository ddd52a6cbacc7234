"""The algebra of paths: then, reversed, repeated, placed, scaled."""

import numpy as np
import pytest

import ulna
from ulna import paths

S = np.linspace(0.0, 1.0, 501)
CURVE = paths.ellipse((0.1, 0.2), (0.3, 0.1), tilt=0.5)
OPEN = paths.spline([(0.0, 0.0), (0.3, 0.1), (0.2, 0.5), (-0.1, 0.2)])
POSTURES = paths.joints([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [0.5, 0.5, 0.0]])
ALL = {
    "ellipse": CURVE,
    "spline": OPEN,
    "polyline": paths.polyline([(0, 0), (1, 0), (1, 1)]),
    "corners": paths.polyline([(0, 0), (1, 0), (1, 1)], blend=0.0),
    "joints": POSTURES,
    "chain": OPEN.then(CURVE),
    "loops": paths.loops(),
}


@pytest.fixture(params=ALL)
def path(request):
    return ALL[request.param]


class TestReversed:
    def test_it_goes_the_same_way_back(self, path):
        back = path.reversed()
        assert np.abs(back(S) - path(S[::-1])).max() <= 1e-14
        assert back.length == pytest.approx(path.length, rel=1e-12)
        assert (back.in_joints, back.duration) == (path.in_joints, path.duration)

    def test_velocities_turn_round_and_accelerations_stay(self, path):
        inner = S[1:-1] + 0.3e-3
        away = np.abs(inner[:, None] - path.breaks).min(axis=-1) > 1e-9
        there, back = path.derivatives(1.0 - inner), path.reversed().derivatives(inner)
        signs = np.array([1.0, -1.0, 1.0])[:, None, None]
        size = np.abs(there).max(axis=(1, 2), keepdims=True)
        assert (np.abs(back - signs * there)[:, away] <= 1e-11 * size).all()


class TestThen:
    def test_each_takes_as_much_of_the_way_as_it_is_long(self):
        line = paths.line(OPEN.ends[1], OPEN.ends[1] + [0.3, 0.0])
        made = OPEN.then(line)
        share = OPEN.length / (OPEN.length + 0.3)
        assert made.length == pytest.approx(OPEN.length + 0.3, rel=1e-12)
        assert np.abs(made(share * S) - OPEN(S)).max() <= 1e-13
        assert np.abs(made(np.clip(share + (1 - share) * S, 0, 1)) - line(S)).max() <= 1e-13

    def test_it_is_continuous_and_its_derivatives_are_its_own(self, slope):
        made = OPEN.then(CURVE).then(paths.circle((1.0, 1.0), 0.2))
        inner = np.random.default_rng(0).uniform(0.01, 0.99, 400)
        inner = inner[np.abs(inner[:, None] - made.breaks).min(axis=-1) > 1e-3]
        velocity = slope(made, inner, 1e-4)
        given = made.derivatives(inner)
        assert np.abs(velocity - given[1]).max() <= 1e-8 * np.abs(velocity).max()
        acceleration = slope(lambda s: made.derivatives(s)[1], inner, 1e-4)
        assert np.abs(acceleration - given[2]).max() <= 1e-6 * np.abs(acceleration).max()
        beside = np.array(made.breaks[1:-1])
        jump = made(beside + 1e-12) - made(beside - 1e-12)
        assert np.abs(jump).max() <= 1e-10

    def test_a_gap_is_bridged_by_a_straight_line(self):
        made = paths.line((0, 0), (1, 0)).then(paths.line((1, 1), (0, 1)))
        assert made.length == pytest.approx(3.0, rel=1e-12)
        assert made(np.array([0.5])) == pytest.approx(np.array([[1.0, 0.5]]), abs=1e-13)
        assert made(made.corners) == pytest.approx(np.array([[1, 0], [1, 1]]), abs=1e-12)

    def test_it_is_associative(self):
        a, b, c = OPEN, CURVE, paths.circle((1.0, 1.0), 0.2)
        left, right = a.then(b).then(c), a.then(b.then(c))
        assert np.abs(left(S) - right(S)).max() <= 1e-12

    def test_the_reverse_of_both_is_the_second_reversed_then_the_first(self):
        both, turned = OPEN.then(CURVE).reversed(), CURVE.reversed().then(OPEN.reversed())
        assert np.abs(both(S) - turned(S)).max() <= 1e-12

    def test_times_add_up_where_both_have_them(self):
        rows = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)]
        timed = paths.spline(rows, times=[0.0, 1.0, 4.0])
        made = timed.then(timed.reversed())
        assert made.duration == 8.0
        assert made(np.array([1.0, 4.0, 7.0]) / 8.0) == pytest.approx(
            np.array([rows[1], rows[2], rows[1]]), abs=1e-13
        )
        assert timed.then(CURVE).duration is None


class TestRepeated:
    def test_a_closed_path_goes_over_and_over(self):
        made = CURVE.repeated(3)
        assert made.length == pytest.approx(3.0 * CURVE.length, rel=1e-12)
        assert np.abs(made(np.clip((1.0 + S) / 3.0, 0, 1)) - CURVE(S)).max() <= 1e-12
        assert len(made.corners) == 0

    def test_an_open_path_goes_straight_back_in_between(self):
        made = paths.polyline([(0, 0), (3, 0), (3, 4)], blend=0.0).repeated(2)
        assert made.length == pytest.approx(7.0 + 5.0 + 7.0, rel=1e-12)
        assert made.ends == pytest.approx(np.array([(0, 0), (3, 4)]), abs=1e-12)

    def test_its_own_time_is_taken_every_time(self):
        assert paths.loops().repeated(3).duration == 180.0


class TestPlacedAndScaled:
    def test_turned_about_the_origin_then_moved(self):
        made = CURVE.placed((1.0, -2.0), 0.7)
        z = CURVE.derivatives(S) @ [1.0, 1j] * np.exp(0.7j)
        z[0] += 1.0 - 2.0j
        assert np.abs(made.derivatives(S) @ [1.0, 1j] - z).max() <= 1e-13
        assert made.length == pytest.approx(CURVE.length, rel=1e-12)

    def test_one_point_stays_and_lengths_grow_by_the_factor(self):
        made = OPEN.scaled(2.5, about=(0.3, 0.1))
        assert np.abs(made(S) - [0.3, 0.1] - 2.5 * (OPEN(S) - [0.3, 0.1])).max() <= 1e-14
        assert np.abs(made.derivatives(S)[1:] - 2.5 * OPEN.derivatives(S)[1:]).max() <= 1e-12
        assert made.length == pytest.approx(2.5 * OPEN.length, rel=1e-12)

    def test_a_path_of_its_own_time_keeps_it(self):
        assert paths.loops().placed((1.0, 0.0)).scaled(0.5).duration == 60.0


class TestRefused:
    @pytest.mark.parametrize(
        ("make", "words"),
        [
            (lambda: CURVE.then(POSTURES), "two paths of the tip"),
            (lambda: CURVE.then("circle"), "'circle', need a path"),
            (lambda: POSTURES.placed((1.0, 0.0)), "not of joints"),
            (lambda: CURVE.scaled(-1.0), "got -1.0, need a number above 0"),
            (lambda: CURVE.placed((1.0, np.nan)), "two finite numbers"),
            (lambda: CURVE.repeated(0), "got 0, need a whole number from 1"),
        ],
    )
    def test_with_the_value_and_the_need(self, make, words):
        with pytest.raises(ulna.InputError, match="need") as caught:
            make()
        assert words in str(caught.value)
