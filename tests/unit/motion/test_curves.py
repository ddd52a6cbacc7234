"""Jets against SymPy's derivatives and against the rules of calculus."""

import numpy as np
import pytest
import sympy

from ulna.motion.paths.curves import Jet, cos, sin


def cis(angle):
    """Give e^{i angle}, the point of the unit circle at an angle."""
    return cos(angle) + 1j * sin(angle)


X = np.linspace(-2.0, 2.0, 41)
x = Jet.variable(X)

EXPRESSIONS = {
    "polynomial": (lambda t: 3.0 * t * t * t - 2.0 * t + 1.0, "3*t**3 - 2*t + 1"),
    "quotient": (lambda t: (t * t - 1.0) / (1.0 + t * t), "(t**2 - 1)/(1 + t**2)"),
    "by a number": (lambda t: (t * t) / 4.0, "t**2/4"),
    "sine": (lambda t: sin(t * t), "sin(t**2)"),
    "cosine": (lambda t: cos(2.0 * t) * t, "cos(2*t)*t"),
    "sine of sine": (lambda t: sin(sin(t)) / (2.0 - cos(t)), "sin(sin(t))/(2 - cos(t))"),
    "on the circle": (lambda t: (1.0 + t) * cis(3.0 * t), "(1 + t)*exp(3*I*t)"),
    "difference": (lambda t: 1.0 - t - (-t * t), "1 - t + t**2"),
    "complex": (lambda t: 2j * t * t + (1.0 - 1j), "2*I*t**2 + 1 - I"),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_value_and_both_derivatives_are_sympys(name):
    make, text = EXPRESSIONS[name]
    jet, t = make(x), sympy.Symbol("t", real=True)
    for order, mine in enumerate((jet.value, jet.first, jet.second)):
        exact = sympy.lambdify(t, sympy.diff(sympy.sympify(text, {"t": t}), t, order))
        expected = np.broadcast_to([exact(place) for place in X], X.shape)
        assert np.abs(mine - expected).max() <= 1e-13 * max(1.0, np.abs(expected).max())


def test_a_curve_has_x_and_y_in_columns():
    points = (x + 1j * (x * x)).points
    assert points.shape == (3, 41, 2)
    assert (points[0, :, 1] == X**2).all()
    assert (points[2] == [0.0, 2.0]).all()


def test_numbers_of_one_value_are_spread_over_all_places():
    points = (0.0 * x + (1.0 + 2.0j)).points
    assert (points[0] == [1.0, 2.0]).all()
    assert not points[1:].any()
