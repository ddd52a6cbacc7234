"""Arms and states of which the tests of dynamics are made."""

import numpy as np
import pytest


@pytest.fixture(scope="session")
def drawn(random_arm):
    """Give a function that draws arms with all that an arm may have, and states of them."""

    def draw(n, rows, *, rotors=True):
        random = np.random.default_rng(n)
        arm = random_arm(random, n, (rows,), whole=True)
        if not rotors:
            arm = arm._replace(rotor_inertia=0.0 * arm.rotor_inertia)
        q, qd, other = random.uniform(-np.pi, np.pi, (3, rows, n))
        return arm, q, qd, 10.0 * other, random.uniform(-20.0, 20.0, (rows, 3))

    return draw
