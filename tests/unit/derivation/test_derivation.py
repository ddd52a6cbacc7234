"""What a derivation has to agree with: the closed form, textbooks, and its own check."""

import pytest
import sympy as sp

import ulna
from ulna.derivation.lagrange import Mechanics
from ulna.derivation.model import symbol
from ulna.dynamics import absolute, chain
from ulna.errors import UlnaError

FORM = {"relative": chain, "absolute": absolute}
q1, q2, v1, v2 = symbol("q", 1), symbol("q", 2), symbol("q", 1, 1), symbol("q", 2, 1)
l1, l2, m1, m2, g = symbol("l", 1), symbol("l", 2), symbol("m", 1), symbol("m", 2), symbol("g")


def matrices(derivation, known, worth):
    wanted = (derivation.mass_matrix, derivation.coriolis_matrix, derivation.gravity)
    M, C, G = (worth(matrix, known) for matrix in wanted)
    return M, C, G[:, 0]


def test_matrices_and_torques_are_those_of_the_closed_form(case, state, worth, agree):
    form, numbers = FORM[case.options.convention], range(case.options.links)
    for seed in (1, 2, 3):
        arm, (q, qd, qdd), force, known = state(case, seed)
        M, C, G = matrices(case, known, worth)
        agree(M, form.mass_matrix(arm, q))
        agree(C, form.coriolis_matrix(arm, q, qd))
        agree(G, form.gravity_torque(arm, q))
        drag, pull = (
            [worth(part(k), known) for k in numbers]
            for part in (case.mechanics.damping, case.mechanics.pull)
        )
        pushed = force if case.options.tip_force else None
        torque = form.inverse_dynamics(arm, q, qd, qdd, tip_force=pushed)
        agree(M @ qdd + C @ qd + G + drag - pull, torque)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"payload": True, "gravity": "none"},
        {"tip_force": True, "convention": "absolute"},
        {"drives": True, "bodies": "points"},
        {"drives": True, "gravity": "none", "convention": "absolute"},
        {"payload": True, "tip_force": True, "bodies": "general"},
        {"links": 1},
        {"friction": True},
        {"friction": True, "drives": True, "convention": "absolute"},
    ],
)
def test_every_choice_leaves_its_own_mark_on_the_closed_form(derived, state, worth, agree, options):
    derivation = derived(**options)
    form, mechanics = FORM[derivation.options.convention], derivation.mechanics
    arm, (q, qd, qdd), force, known = state(derivation)
    M, C, G = matrices(derivation, known, worth)
    agree(M, form.mass_matrix(arm, q))
    agree(G, form.gravity_torque(arm, q))
    rest = [
        worth(mechanics.damping(k) + mechanics.friction(k) - mechanics.pull(k), known)
        for k in range(arm.n)
    ]
    pull = force if derivation.options.tip_force else None
    torque = form.inverse_dynamics(arm, q, qd, qdd, tip_force=pull)
    agree(M @ qdd + C @ qd + G + rest, torque)


def test_the_rate_of_the_mass_matrix_less_twice_the_coriolis_matrix_is_skew(
    case, state, worth, agree
):
    M, model = case.mass_matrix, case.mechanics.model
    assert M.is_symmetric()
    pairs = list(zip(model.coordinates, model.rates, strict=True))
    moved = M.applyfunc(lambda entry: sp.Add(*(entry.diff(q) * qd for q, qd in pairs)))
    known = state(case)[-1]
    C = worth(case.coriolis_matrix, known)
    agree(C + C.T, worth(moved, known))


def written_out(matrix, derivation):
    return matrix.xreplace(derivation.constants)


def same(ours, theirs):
    return sp.simplify(sp.Matrix(ours) - sp.Matrix(theirs)).is_zero_matrix


def test_two_rods_are_those_of_the_papers(derived):
    derivation = derived(2)
    I1, I2 = m1 * l1**2 / 12, m2 * l2**2 / 12
    m11 = I1 + I2 + m1 * l1**2 / 4 + m2 * (l1**2 + l2**2 / 4 + l1 * l2 * sp.cos(q2))
    m12 = I2 + m2 * (l2**2 / 4 + l1 * l2 * sp.cos(q2) / 2)
    M = [[m11, m12], [m12, I2 + m2 * l2**2 / 4]]
    assert same(written_out(derivation.mass_matrix, derivation), M)
    h = -m2 * l1 * l2 * sp.sin(q2) / 2
    C = [[h * v2, h * (v1 + v2)], [-h * v1, 0]]
    assert same(written_out(derivation.coriolis_matrix, derivation), C)
    outer = m2 * g * l2 * sp.cos(q1 + q2) / 2
    G = [(m1 / 2 + m2) * g * l1 * sp.cos(q1) + outer, outer]
    assert same(written_out(derivation.gravity, derivation), G)


def test_two_point_masses_are_the_double_pendulum(derived):
    derivation = derived(2, convention="absolute", bodies="points")
    a, b, av, bv = (symbol("phi", k, dots) for dots in (0, 1) for k in (1, 2))
    coupling, whirl = (m2 * l1 * l2 * f(a - b) for f in (sp.cos, sp.sin))
    M = [[(m1 + m2) * l1**2, coupling], [coupling, m2 * l2**2]]
    assert same(written_out(derivation.mass_matrix, derivation), M)
    C = [[0, whirl * bv], [-whirl * av, 0]]
    assert same(written_out(derivation.coriolis_matrix, derivation), C)
    G = [(m1 + m2) * g * l1 * sp.cos(a), m2 * g * l2 * sp.cos(b)]
    assert same(written_out(derivation.gravity, derivation), G)


@pytest.mark.parametrize(("convention", "angle"), [("relative", "q"), ("absolute", "phi")])
def test_one_link_is_the_pendulum(derived, convention, angle):
    q = symbol(angle, 1)
    point = derived(1, convention=convention, bodies="points")
    assert same(written_out(point.mass_matrix, point), [m1 * l1**2])
    assert same(written_out(point.gravity, point), [m1 * g * l1 * sp.cos(q)])
    assert point.coriolis_matrix == sp.zeros(1, 1)
    rod = derived(1, convention=convention)
    assert same(written_out(rod.mass_matrix, rod), [m1 * l1**2 / 3])
    assert same(written_out(rod.gravity, rod), [m1 * g * l1 * sp.cos(q) / 2])


def broken(name, change):
    """Give a property in place of one of `Mechanics`, its value changed."""
    original = Mechanics.__dict__[name].func
    return property(lambda self: change(original(self)))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("gravity", lambda G: -G),
        ("gravity", lambda G: G * sp.Float(1 + 1e-11)),
        ("mass_matrix", lambda M: M + sp.eye(M.rows) * sp.Float(1e-9)),
        ("coriolis_matrix", lambda C: C.T),
    ],
)
def test_a_wrong_matrix_is_not_handed_out(monkeypatch, name, change):
    monkeypatch.setattr(Mechanics, name, broken(name, change))
    with pytest.raises(UlnaError, match="the derivation and the closed form differ by"):
        ulna.derive(2 if name == "coriolis_matrix" else 1)


@pytest.mark.parametrize(
    "name", ["momentum_rate", "angle_derivative", "damping", "friction", "pull"]
)
def test_a_wrong_row_is_not_handed_out(monkeypatch, name):
    original = getattr(Mechanics, name)
    monkeypatch.setattr(Mechanics, name, lambda self, *k: 2 * original(self, *k))
    with pytest.raises(UlnaError, match="differ by"):
        ulna.derive(1, drives=True, tip_force=True, friction=True)


def test_the_check_looks_at_the_numbers_of_the_arm_itself(monkeypatch):
    # Right for every arm but those of exactly 0.75 m, which no random one is.
    wrong = sp.Piecewise((2, sp.Eq(l1, 0.75)), (1, True))
    monkeypatch.setattr(Mechanics, "gravity", broken("gravity", lambda G: G * wrong))
    assert ulna.derive(1).check.worst <= 1e-12
    with pytest.raises(UlnaError, match="differ by"):
        ulna.derive(arm=ulna.Arm.rods([0.75], [2.0]))


@pytest.mark.parametrize("convention", FORM)
def test_an_arm_with_a_balanced_forearm_has_a_derivation(convention):
    # The counterweight puts the centre of all that joint 2 carries into it, but for rounding.
    links = (ulna.Link(0.4, 3.0), ulna.Link(0.3, 1.5, com=-0.14, inertia=0.01, tip_mass=0.7))
    arm = ulna.Arm(links, (ulna.Joint(), ulna.Joint()))
    assert ulna.derive(arm=arm, convention=convention).check.worst <= 1e-12


def test_friction_stands_in_the_equations_as_its_law(derived):
    fc, fs, ws, drag = (sp.Symbol(name) for name in ("fc1", "fs1", "omegas1", "k1"))
    law = sp.sign(v1) * (fc + (fs - fc) * sp.exp(-((v1 / ws) ** 2)) + drag * v1**2)
    (rubbing,), (smooth,) = derived(1, friction=True).equations, derived(1).equations
    assert sp.expand(smooth.rhs - rubbing.rhs - law) == 0
    assert smooth.lhs == rubbing.lhs


def test_a_load_that_has_an_inertia_turns_with_the_last_link(worth, letters, agree):
    arm = ulna.Arm.rods([0.5, 0.4], [1.0, 2.0], payload=ulna.Payload(0.3, 0.02))
    derivation = ulna.derive(arm=arm)
    assert derivation.options.bodies == "general"
    known = letters(arm, [[0.3, -1.1]])
    known["I2"] += 0.02
    known |= {s.name: worth(formula, known) for s, formula in derivation.constants.items()}
    agree(worth(derivation.mass_matrix, known), chain.mass_matrix(arm, [0.3, -1.1]))


def test_what_is_left_out_on_purpose_is_left_out_of_the_numbers_too(worth, letters, agree):
    joints = [ulna.Joint(damping=1.0, rotor_inertia=0.1, gear_ratio=5.0)] * 2
    arm = ulna.Arm.rods([0.5, 0.4], [1.0, 2.0], joints=joints, payload=0.5)
    derivation = ulna.derive(arm=arm, drives=False, payload=False, gravity="none")
    known = letters(arm, [[0.3, -1.1]])
    known |= {s.name: worth(formula, known) for s, formula in derivation.constants.items()}
    bare = ulna.Arm.rods([0.5, 0.4], [1.0, 2.0])
    agree(worth(derivation.mass_matrix, known), chain.mass_matrix(bare, [0.3, -1.1]))
    assert derivation.gravity == sp.zeros(2, 1)


def test_letters_can_be_substituted_by_their_names():
    found = ulna.derive(2)
    stretched = found.mass_matrix.subs({found.symbols["q2"]: 0, sp.Symbol("a22"): 0})
    a11, a12 = sp.symbols("a11 a12")
    assert stretched == sp.Matrix([[a11 + 2 * a12, a12], [a12, 0]])
    assert str(found.mass_matrix[1, 0]) == "a12*cos(q2) + a22"
    assert {"q1", "qd2", "qdd1", "l1", "m2", "g", "tau1", "a12", "s2"} <= found.symbols.keys()


@pytest.mark.parametrize("convention", ["relative", "absolute"])
def test_the_equations_follow_from_the_lagrangian(derived, convention):
    found = derived(2, convention=convention, drives=True, tip_force=True)
    moving = dict(zip(found.coordinates, found.rates, strict=True))
    moving |= dict(zip(found.rates, found.accelerations, strict=True))
    for k, equation in enumerate(found.equations):
        momentum = sp.diff(found.lagrangian, found.rates[k])
        rate = sp.Add(*(sp.diff(momentum, one) * speed for one, speed in moving.items()))
        left = rate - sp.diff(found.lagrangian, found.coordinates[k])
        assert sp.simplify(sp.expand_trig(sp.expand(left - equation.lhs))) == 0
        m = found.mechanics
        assert equation.rhs == m.motor(k) + m.pull(k) - m.damping(k)


def test_an_arm_may_stand_first():
    arm = ulna.preset("bechard-1")
    derivation = ulna.derive(arm)
    assert derivation == ulna.derive(arm=arm)
    assert derivation.title.startswith("bechard-1: one link")
    derivation.constants.clear()
    assert derivation.constants
