"""What the tests of motions differentiate with."""

import numpy as np
import pytest

# Six neighbours, exact for polynomials up to the sixth degree.
STEPS = np.array([-3, -2, -1, 1, 2, 3])
WEIGHTS = np.array([-1.0, 9.0, -45.0, 45.0, -9.0, 1.0]) / 60.0


def _slope(function, at, step):
    """Give the derivative of a function of (k,) at places (k,), by central differences."""
    around = [function(at + way * step) for way in STEPS]
    return np.tensordot(WEIGHTS, np.stack(around), 1) / step


@pytest.fixture(scope="session")
def slope():
    return _slope
