"""Lengths against closed forms, and places by length against the length itself."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ellipe, gamma

from ulna import paths

LEMNISCATE = gamma(0.25) ** 2 / (2.0 * np.sqrt(2.0 * np.pi))  # ϖ = 2.622…
RANDOM = np.random.default_rng(4)

CURVES = {
    "circle": paths.circle(radius=0.3),
    "ellipse": paths.ellipse(radii=(0.3, 0.1), tilt=0.3),
    "lemniscate": paths.lemniscate(radius=0.2),
    "spline": paths.spline([(0.3, 0.3), (0.3, 0.1), (0.6, 0.2), (0.5, 0.5)]),
    "closed spline": paths.spline([(0, 0), (1, 0), (1, 1), (0, 1)], closed=True),
    "polyline": paths.polyline([(0.3, 0.3), (0.3, 0.1), (0.6, 0.2)]),
    "corners": paths.polyline([(0.3, 0.3), (0.3, 0.1), (0.6, 0.2)], blend=0.0),
    "chain": paths.circle(radius=0.2).then(paths.arc((0.1, 0.0), 0.1, 0.0, 2.0)),
    "gap": paths.line((0, 0), (1, 0)).then(paths.line((1, 1), (0, 1))),
}
HARDER = {
    "thin ellipse": paths.ellipse(radii=(0.2, 0.005)),
    "many petals": paths.rose(petals=16),
    "loops": paths.loops(),
    "again and again": paths.ellipse().repeated(100),
    "many points": paths.spline(np.cumsum(RANDOM.uniform(0.1, 1.0, (30, 2)) * [1, 0.3], axis=0)),
    "as printed": paths.loops_as_printed(),
}
EVERY = CURVES | HARDER


def true_length(path, end=1.0):
    """Sum up |p'| by adaptive quadrature, piece by piece."""
    edges = [edge for edge in path.breaks if edge < end] + [end]

    def speed(s):
        return float(np.linalg.norm(path.curve(np.array([s]))[1]))

    return sum(
        quad(speed, first, last, epsabs=1e-13, epsrel=1e-13, limit=200)[0]
        for first, last in pairwise(edges)
    )


@pytest.mark.parametrize(
    ("path", "length"),
    [
        (paths.line((1.0, 2.0), (4.0, 6.0)), 5.0),
        (paths.circle(radius=0.3), 0.6 * np.pi),
        (paths.arc(radius=0.3, start=1.0, end=-1.5), 0.75),
        (paths.ellipse(radii=(0.3, 0.1)), 4.0 * 0.3 * ellipe(1.0 - 1.0 / 9.0)),
        (paths.ellipse(radii=(0.1, 0.3), tilt=1.0), 4.0 * 0.3 * ellipe(1.0 - 1.0 / 9.0)),
        (paths.lemniscate(radius=0.2), 2.0 * LEMNISCATE * 0.2),
        # r = cos kθ: √(1 + (k² − 1) sin² kθ), over half a turn or a whole one.
        (paths.rose(radius=0.2, petals=5), 2.0 * 0.2 * ellipe(1.0 - 5.0**2)),
        (paths.rose(radius=0.2, petals=8), 4.0 * 0.2 * ellipe(1.0 - 4.0**2)),
        (paths.polyline([(0, 0), (3, 4), (3, 5)], blend=0.0), 6.0),
        (paths.circle(radius=0.1).repeated(7), 1.4 * np.pi),
        (paths.joints([[0.0, 0.0], [3.0, 4.0]]), 5.0),
    ],
    ids=str,
)
def test_lengths_of_closed_form(path, length):
    assert path.length == pytest.approx(length, rel=1e-10)


@pytest.mark.parametrize("name", ["spline", "closed spline", "polyline", "chain", "gap", "loops"])
def test_lengths_by_quadrature(name):
    path = EVERY[name]
    assert path.length == pytest.approx(true_length(path), rel=1e-10)


@pytest.mark.parametrize("name", ["circle", "ellipse", "spline", "polyline", "corners", "chain"])
def test_the_place_at_a_places_length_is_that_place(name):
    path = EVERY[name]
    places = np.array([0.0, 0.013, 0.21, 0.5, 0.77, 0.993, 1.0])
    lengths = np.array([true_length(path, s) if s else 0.0 for s in places])
    assert path.lengths.places(lengths) == pytest.approx(places, abs=1e-10)


def passed_at_even_speed(path, slope, tolerance):
    """Hold the velocity by length, from differences of the points, against what it should be."""
    part = np.random.default_rng(1).uniform(0.001, 0.999, 300)
    # A fiftieth of the smallest radius of curvature: what six neighbours cannot tell from exact.
    bends = np.linalg.norm(path.by_length(np.linspace(0.0, 1.0, 20001))[2], axis=-1)
    breaks = path.lengths.parts(np.array(path.breaks))
    # And all of them on one smooth piece, however short those are.
    most = min(2e-4, 0.05 * np.diff(breaks).min())
    step = np.clip(0.02 * path.length / (bends.max() + path.length), 1e-6, max(most, 1e-6))
    part = part[np.abs(part[:, None] - breaks).min(axis=-1) > 4 * step]
    velocity = slope(lambda p: path.by_length(p)[0], part, step)
    assert np.linalg.norm(velocity, axis=-1) == pytest.approx(path.length, rel=tolerance)
    # What it says of itself is the derivative of what it is.
    said = path.by_length(part)
    assert np.abs(said[1] - velocity).max() <= tolerance * path.length
    bend = slope(lambda p: path.by_length(p)[1], part, step)
    assert np.abs(said[2] - bend).max() <= 100.0 * tolerance * (np.abs(bend).max() + path.length)


@pytest.mark.parametrize("name", EVERY)
def test_by_its_length_a_path_is_passed_at_even_speed(name, slope):
    passed_at_even_speed(EVERY[name], slope, 1e-9 if name in CURVES else 1e-8)


@pytest.mark.parametrize("name", EVERY)
def test_an_even_speed_has_no_acceleration_along_the_path(name):
    rows = EVERY[name].by_length(np.linspace(0.001, 0.999, 500))
    along = np.sum(rows[1] * rows[2], axis=-1)
    assert np.abs(along).max() <= 1e-11 * np.linalg.norm(rows[1]) * np.linalg.norm(rows[2] + 1.0)
