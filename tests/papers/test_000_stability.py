"""Paper 000 (Kehl et al.): why its replayed torques lose the path, whoever integrates them.

Along the path an error grows by 10^25.6 in ten seconds with I = m l²/12, by 10^18.7 with the
paper's I = m²/12. An error of half the last digit of a number near one, 1e-16, so takes the tip
1 cm off after 5.75 s and 8.10 s: about when the tightest replays in sixteen digits lose it.
"""

import numpy as np
import pytest

import ulna
from ulna.analysis import stability
from ulna.control import ComputedTorque

# Lyapunov exponents [1/s], log10 of ‖Φ(10 s)‖, growth per second over these ten, the times at
# which 1e-16 leaves 1 cm and 10 cm by ‖Φ‖, and those of a replay with DOP853 and rtol 1e-13.
FACTS = {
    "kehl": ((3.35, 0.97), 25.6, 5.9, (5.75, 6.24), (5.99, 6.39)),
    "kehl-as-printed": ((1.88, 0.47), 18.7, 4.3, (8.10, 8.63), (8.15, 8.69)),
}


@pytest.fixture(scope="module", params=FACTS)
def found(request):
    plan = ulna.plan(ulna.preset(request.param), ulna.paths.loops())
    return plan, stability(plan), FACTS[request.param]


def test_exponents_come_in_pairs_once_the_path_has_closed(found):
    # After a whole round they tend to logarithms of eigenvalues. Rounding drowns all but the
    # largest of these; the arm has no damping, so that its reciprocal is one as well.
    _, told, _ = found
    values = np.linalg.eigvals(told.transition.mantissa[-1])
    rate = (np.log(np.abs(values).max()) + told.transition.log[-1]) / 60.0
    assert told.exponents[[0, -1]] == pytest.approx([rate, -rate], abs=0.025)
    assert told.exponents.sum() == pytest.approx(0.0, abs=1e-6)


def test_rounding_leaves_the_path_when_the_best_replay_does(found):
    _, told, (_, _, _, predicted, measured) = found
    exits = [told.predicted_exit(tube) for tube in (0.01, 0.1)]
    assert exits == pytest.approx(predicted, abs=0.01)
    assert exits == pytest.approx(measured, rel=0.05)


def test_it_says_so(found):
    _, told, (_, digits, _, (leaves, _), _) = found
    assert f"10^{digits}-fold in 10 s" in told.sentence
    assert f"1 cm off after {leaves:.2f} s" in told.sentence


def test_asymptotic_exponents_would_promise_too_much(found):
    _, told, (*_, measured) = found
    naive = np.log(0.01 / 1e-16) / told.exponents[0]
    assert naive > 1.5 * measured[0]


def test_feedback_makes_the_same_errors_fall():
    plan = ulna.plan(ulna.preset("kehl"), ulna.paths.loops())
    told = stability(plan, ComputedTorque(natural_frequency=20.0))
    assert told.exponents == pytest.approx([-20.0] * 4, rel=0.15)
    assert told.predicted_exit(0.01) is None
