"""The steps that are printed: each follows from the one before, and Newton would sign them all."""

from itertools import pairwise, product

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

import ulna
from ulna.derivation.formulas import Equation
from ulna.derivation.model import Partial, Rate, letter, symbol

MATRICES = ("The mass matrix", "The Coriolis matrix", "The gravity vector")


def equations(derivation, title):
    """List the equations of the step of that title."""
    (step,) = (step for step in derivation.steps if step.title == title)
    return [block for block in step.blocks if isinstance(block, Equation)]


def printed(derivation, *titles):
    """Give the right sides of steps by their left sides."""
    found = {}
    for title in titles:
        for equation in equations(derivation, title):
            found |= dict.fromkeys(equation.left, equation.right)
    return found


def rows(derivation):
    """Give what is printed of each coordinate: ∂L/∂q̇, its rate, ∂L/∂q, what acts, all sorted."""
    what = "joint" if derivation.options.relative else "link"
    numbers = range(1, derivation.options.links + 1)
    return [equations(derivation, f"Euler–Lagrange for {what} {k}") for k in numbers]


def coordinates(derivation, dots=0):
    base = "q" if derivation.options.relative else "phi"
    return [symbol(base, k, dots) for k in range(1, derivation.options.links + 1)]


def rate(formula, derivation):
    """Differentiate by time after the chain rule."""
    moved = [coordinates(derivation, dots) for dots in range(3)]
    pairs = [*zip(moved[0], moved[1], strict=True), *zip(moved[1], moved[2], strict=True)]
    return sp.Add(*(formula.diff(x) * xd for x, xd in pairs))


def joint_rates(derivation):
    """Give the rates of the joints, which are differences of those of the links."""
    rates = coordinates(derivation, 1)
    if derivation.options.relative:
        return rates
    return [rates[0], *(own - carrier for carrier, own in pairwise(rates))]


def link_rates(derivation):
    """Give the rates of the links from the x axis."""
    rates = coordinates(derivation, 1)
    if not derivation.options.relative:
        return rates
    return [sp.Add(*rates[: k + 1]) for k in range(len(rates))]


def masses(derivation):
    """List all that has mass: the name of its place, its mass and inertia, the rate it turns at."""
    o = derivation.options
    for k, spin in enumerate(link_rates(derivation), 1):
        mass, length = symbol("m", k), symbol("l", k)
        rod = mass * length**2 / 12
        yield k, mass, {"rods": rod, "points": 0, "general": symbol("I", k)}[o.bodies], spin
        if o.bodies == "general":
            yield f"E{k}", symbol("p", k), 0, spin
    if o.payload:
        yield "P", symbol("m", "P"), 0, 0


def newtonian(derivation):
    """Give ½ m v² + ½ I ω² and −m γ·r of all that has mass, where it is printed to be."""
    o = derivation.options
    place = printed(derivation, "Positions")
    down = {"vector": (symbol("gamma", "x"), symbol("gamma", "y")), "down": (0, -symbol("g"))}
    falls = down.get(o.gravity, (0, 0))
    kinetic = potential = sp.S.Zero
    for name, mass, inertia, spin in masses(derivation):
        x, y = place[symbol("x", name)], place[symbol("y", name)]
        speed2 = rate(x, derivation) ** 2 + rate(y, derivation) ** 2
        kinetic += mass * speed2 / 2 + inertia * spin**2 / 2
        potential -= mass * (falls[0] * x + falls[1] * y)
    if o.drives:
        # A rotor rides on the link before its joint, and turns geared with the joint.
        carriers = [0, *link_rates(derivation)[:-1]]
        for k, (carrier, own) in enumerate(zip(carriers, joint_rates(derivation), strict=True), 1):
            kinetic += symbol("J", k) * (carrier + symbol("N", k) * own) ** 2 / 2
    return kinetic, potential


def euler_lagrange(L, derivation):
    """Give d/dt ∂L/∂q̇ − ∂L/∂q for every coordinate."""
    pairs = zip(coordinates(derivation), coordinates(derivation, 1), strict=True)
    return [rate(L.diff(qd), derivation) - L.diff(q) for q, qd in pairs]


def joint_motion(derivation, motion):
    """Give angles and rates of the joints, whatever angles the derivation is in."""
    return motion if derivation.options.relative else np.diff(motion, axis=-1, prepend=0.0)


def test_positions_are_those_of_the_arm(case, state, worth, agree):
    arm, motion, _, known = state(case)
    q = joint_motion(case, motion)[0]
    place = printed(case, "Positions")

    def at(name):
        return [worth(place[symbol(axis, name)], known) for axis in "xy"]

    numbers = range(1, case.options.links + 1)
    agree([at(k) for k in numbers], ulna.kinematics.centres(arm, q))
    agree(at("P"), ulna.kinematics.tip(arm, q)[:2])
    if case.options.bodies == "general":
        agree([at(f"E{k}") for k in numbers], ulna.kinematics.joints(arm, q)[1:])


def test_velocities_are_derivatives_of_positions_and_squares_those_of_velocities(
    case, state, worth, agree
):
    known = state(case)[-1]
    place, speed = printed(case, "Positions"), printed(case, "Velocities")
    square = printed(case, "Squares of the speeds")
    assert len(place) == len(speed) == 2 * len(square)
    for where, formula in place.items():
        axis, _, name = letter(where)
        agree(worth(speed[symbol(axis, name, 1)], known), worth(rate(formula, case), known))
    for root, formula in square.items():
        name = letter(root.base).subscript
        assert root == symbol("v", name) ** 2
        x, y = (worth(speed[symbol(axis, name, 1)], known) for axis in "xy")
        agree(worth(formula, known), x**2 + y**2)


def test_the_energies_are_those_of_newton_in_bodies_and_in_constants(case, state, worth, agree):
    known = state(case)[-1]
    known |= {s.name: worth(x, known) for s, x in printed(case, "Positions").items()}
    for root, formula in printed(case, "Squares of the speeds").items():
        known[root.base.name] = worth(formula, known) ** 0.5
    in_bodies, in_constants = (printed(case, title) for title in ("Energies", "The Lagrangian"))
    for energy, newton in zip("KV", newtonian(case), strict=True):
        agree(worth(in_bodies[symbol(energy)], known), worth(newton, known))
        agree(worth(in_constants[symbol(energy)], known), worth(newton, known))
    assert in_constants[symbol("L")] == symbol("K") - symbol("V")


@pytest.mark.parametrize("links", [1, 2])
@pytest.mark.parametrize("convention", ["relative", "absolute"])
@pytest.mark.parametrize("bodies", ["rods", "points", "general"])
def test_newtonian_energies_give_the_same_equations(
    derived, state, worth, agree, links, convention, bodies
):
    options = {"payload": True, "drives": True, "tip_force": True, "gravity": "vector"}
    derivation = derived(links, convention=convention, bodies=bodies, **options)
    kinetic, potential = newtonian(derivation)
    _, (_, qd, qdd), _, known = state(derivation)
    M, C = (worth(x, known) for x in (derivation.mass_matrix, derivation.coriolis_matrix))
    found = [worth(row, known) for row in euler_lagrange(kinetic - potential, derivation)]
    agree(M @ qdd + C @ qd + worth(derivation.gravity, known)[:, 0], found)


@pytest.mark.parametrize(
    ("links", "options"),
    [
        (1, {"bodies": "general", "payload": True, "drives": True, "gravity": "vector"}),
        (2, {"convention": "absolute"}),
        (2, {}),
    ],
)
def test_sympy_finds_the_same_equations(derived, state, worth, agree, links, options):
    derivation = derived(links, **options)
    kinetic, potential = newtonian(derivation)
    moving = dynamicsymbols(f"u1:{links + 1}")
    # SymPy differentiates functions of time; afterwards they are letters again.
    functions = {
        name: sp.diff(moving[k], dynamicsymbols._t, dots)
        for dots in range(3)
        for k, name in enumerate(coordinates(derivation, dots))
    }
    names = {function: name for name, function in functions.items()}
    method = LagrangesMethod((kinetic - potential).xreplace(functions), moving)
    found = method.form_lagranges_equations().xreplace(names)
    _, (_, qd, qdd), _, known = state(derivation)
    M, C = (worth(x, known) for x in (derivation.mass_matrix, derivation.coriolis_matrix))
    agree(M @ qdd + C @ qd + worth(derivation.gravity, known)[:, 0], worth(found, known)[:, 0])
    agree(M, worth(method.mass_matrix.xreplace(names), known))


def test_each_row_follows_from_the_printed_lagrangian(case, state, worth, agree):
    known = state(case)[-1]
    energies = printed(case, "The Lagrangian")
    L = energies[symbol("K")] - energies[symbol("V")]
    letters = zip(coordinates(case), coordinates(case, 1), strict=True)
    for (q, qd), (momentum, its_rate, slope, *_) in zip(letters, rows(case), strict=True):
        assert momentum.left == (Partial(symbol("L"), qd),)
        assert its_rate.left == (Rate(Partial(symbol("L"), qd)),)
        assert slope.left == (Partial(symbol("L"), q),)
        agree(worth(momentum.right, known), worth(L.diff(qd), known))
        agree(worth(its_rate.right, known), worth(rate(L.diff(qd), case), known))
        agree(worth(slope.right, known), worth(L.diff(q), known))


def test_what_acts_does_the_work_of_motors_tip_force_and_damping(case, state, worth, agree):
    arm, motion, force, known = state(case)
    q, qd, _ = joint_motion(case, motion)
    torques = np.random.default_rng(9).uniform(-5.0, 5.0, case.options.links)
    known |= {f"tau{k}": float(torque) for k, torque in enumerate(torques, 1)}
    acts = [worth(row[3].right, known) for row in rows(case)]
    pushed = force @ ulna.kinematics.tip_velocity(arm, q, qd)[:2] * case.options.tip_force
    damped = arm.parameters.damping @ qd**2
    agree(np.dot(acts, motion[1]), torques @ qd + pushed - damped)


def test_each_row_is_sorted_without_loss(case, state, worth, agree):
    known = state(case)[-1]
    entries = printed(case, "The mass matrix")
    known |= {s.name: worth(entry, known) for s, entry in entries.items()}
    for _, its_rate, slope, law, final in rows(case):
        assert law.left == (its_rate.left[0] - slope.left[0],)
        assert final.left == (law.right,)
        sides = worth(its_rate.right, known) - worth(slope.right, known)
        agree(worth(final.right, known), sides)


def test_the_printed_matrices_are_those_that_the_object_has(case):
    n = case.options.links
    shown = printed(case, *MATRICES)
    assert len(shown) == 2 * n * n + n
    for i, j in product(range(n), repeat=2):
        assert shown[symbol("M", f"{i + 1}{j + 1}")] == case.mass_matrix[i, j]
        assert shown[symbol("C", f"{i + 1}{j + 1}")] == case.coriolis_matrix[i, j]
    assert [shown[symbol("G", k + 1)] for k in range(n)] == list(case.gravity)


def test_up_to_two_links_are_also_written_out_without_constants(case, state, worth, agree):
    if case.options.links > 2:
        assert "Written out" not in [step.title for step in case.steps]
        return
    known = state(case)[-1]
    written, short = printed(case, "Written out"), printed(case, *MATRICES)
    assert written.keys() == short.keys()
    for name, formula in written.items():
        assert not formula.free_symbols & case.constants.keys()
        agree(worth(formula, known), worth(short[name], known))


def test_constants_are_defined_in_masses_and_lengths_and_none_is_zero(case, state):
    assert printed(case, "The constants") == case.constants
    known = state(case)[-1]
    for name, definition in case.constants.items():
        assert {letter(s).base for s in definition.free_symbols} <= set("lmcdIp")
        assert known[name.name] != 0.0


def test_the_numbers_of_an_arm_stand_beside_the_constants_and_in_the_matrices(
    state, worth, agree, letters
):
    arm = ulna.Arm.rods([0.5, 0.4], [1.5, 2.5], payload=0.25)
    derivation = ulna.derive(arm=arm)
    motion = np.random.default_rng(3).uniform(-3.0, 3.0, (3, 2))
    known = letters(arm, motion)
    for equation in equations(derivation, "The constants"):
        value = worth(equation.right, known)
        assert float(equation.number) == pytest.approx(value, rel=5e-6)
        known[equation.left[0].name] = value
    short = printed(derivation, *MATRICES)
    for name, formula in printed(derivation, "With the arm's numbers").items():
        moving = {letter(s).base for s in formula.free_symbols}
        assert moving <= {"q"}
        agree(worth(formula, known), worth(short[name], known))


def test_a_motor_at_a_joint_pushes_back_on_the_link_that_carries_it(derived):
    first, second, third = rows(derived(3, convention="absolute"))
    tau = [symbol("tau", k) for k in (1, 2, 3)]
    assert first[3].right == tau[0] - tau[1]
    assert second[3].right == tau[1] - tau[2]
    assert third[3].right == tau[2]
    assert [row[3].right for row in rows(derived(3))] == tau
