"""Paper 003 (ductri): energies with point masses in place of the lost link masses.

`printed` computes as the paper prints, with its χ written q; its numbers are in test_003_rows.
"""

import numpy as np
import pytest

from papers.ductri import examples, printed
from ulna.dynamics import kinetic_energy, potential_energy


def test_erratum_2_energies_are_exact_with_effective_masses():
    heavy = examples.heavy()
    q, qd, _ = heavy.state
    p = printed.effective(heavy.constants, heavy.links)
    assert kinetic_energy(heavy.arms, q, qd) == pytest.approx(printed.kinetic(p, q, qd), rel=1e-11)
    assert np.abs(potential_energy(heavy.arms, q) - printed.potential(p, q)).max() <= 1e-13
