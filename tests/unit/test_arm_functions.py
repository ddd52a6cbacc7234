"""What every function of an arm and its state promises: axes, words for what does not fit, NaN."""

import inspect

import numpy as np

import ulna
import ulna.kernels  # one state of an arm goes through compiled code
from arm_functions import FUNCTIONS, PARTS, close, leaves
from refusals import problems_of
from tabular import tabular
from ulna import dynamics

ARM = ulna.Arm.of(
    [ulna.Link(0.5, 2.0, com=0.2, com_offset=0.05, tip_mass=0.3), ulna.Link(0.4, 1.0)],
    [
        ulna.Joint(damping=0.3, max_torque=50.0, friction=ulna.Friction(0.4, drag=0.1)),
        ulna.Joint(rotor_inertia=1e-3, gear_ratio=20.0, max_torque=20.0),
    ],
    payload=0.2,
    base=(0.3, -0.4),
)
OTHER = ulna.Arm.rods(
    [0.3, 0.7], [1.0, 4.0], joints=[ulna.Joint(max_torque=30.0)] * 2, gravity=(3.0, -1.0)
)
GOOD = np.array([[0.3, 0.4], [0.7, -0.4], [0.5, 0.2]])
FORCE = np.array([1.0, 2.0])
FORCED = [name for name, function in FUNCTIONS.items() if function.forced]
each_function = tabular("name", FUNCTIONS)


def drawn(*shape):
    return np.random.default_rng(7).uniform(-3.0, 3.0, (3, *shape))


@each_function
@tabular("batch", [(), (1,), (5,), (4, 3), (0,)])
def test_leading_axes_of_the_state_lead_the_result(name, batch):
    function = FUNCTIONS[name]
    found = leaves(function(ARM, drawn(*batch, 2)))
    assert [np.shape(part) for part in found] == [batch + shape for shape in function.shapes]


@each_function
def test_one_argument_alone_may_have_leading_axes(name):
    function = FUNCTIONS[name]
    for given in function.given:
        found = leaves(function(ARM, GOOD, **{given: drawn(6, 2)[0]}))
        assert [np.shape(part) for part in found] == [(6, *shape) for shape in function.shapes]


@each_function
def test_arms_and_states_broadcast(name):
    function, both, state = FUNCTIONS[name], ulna.stack([ARM, OTHER]), drawn(5, 1, 2)
    own = drawn(5, 2, 2)
    together, each = leaves(function(both, state)), leaves(function(both, own))
    assert [part.shape for part in together] == [(5, 2, *shape) for shape in function.shapes]
    for place, arm in enumerate([ARM, OTHER]):
        assert close(
            tuple(part[:, place] for part in together), leaves(function(arm, state[:, :, 0])), 1e-11
        )
        assert close(
            tuple(part[:, place] for part in each), leaves(function(arm, own[:, :, place])), 1e-11
        )
    assert np.shape(leaves(function(both, GOOD))[0]) == (2, *function.shapes[0])


@tabular("field", ["length", "mass", "com", "gravity", "base", "tip_mass"])
def test_one_quantity_alone_may_vary_over_a_batch(field):
    one = ARM.parameters
    many = one._replace(**{field: np.stack([getattr(one, field)] * 3)})
    for name, function in FUNCTIONS.items():
        for part, shape in zip(leaves(function(many, GOOD)), function.shapes, strict=True):
            # Not every function reads every quantity.
            assert np.shape(part) in (shape, (3, *shape)), name


@tabular("name", FORCED)
@tabular("columns", [2, 3])
def test_forces_at_the_tip_broadcast(name, columns):
    function, force = FUNCTIONS[name], np.random.default_rng(9).normal(size=(6, 1, columns))
    together = leaves(function(ulna.stack([ARM, OTHER]), GOOD, tip_force=force))
    assert [part.shape for part in together] == [(6, 2, *shape) for shape in function.shapes]
    for place, arm in enumerate([ARM, OTHER]):
        alone = leaves(function(arm, GOOD, tip_force=force[2, 0]))
        assert close(tuple(part[2, place] for part in together), alone, 1e-11)


@each_function
def test_whole_numbers_and_lists_are_states_too(name):
    whole = FUNCTIONS[name](ARM, [[0, 1], (1, 2), np.array([3, 4], dtype=object)])
    assert close(whole, FUNCTIONS[name](ARM, [[0.0, 1.0], [1.0, 2.0], [3.0, 4.0]]))


@each_function
def test_nothing_that_is_handed_in_is_changed(name):
    state, force = GOOD.copy(), FORCE.copy()
    FUNCTIONS[name](ARM, state, tip_force=force)
    assert (state == GOOD).all()
    assert (force == FORCE).all()


# What does not fit


@each_function
@tabular("bad", [0.5, [0.1], [0.1, 0.2, 0.3], np.zeros((4, 3))], ids=str)
def test_the_wrong_shape_is_refused_by_name_with_what_is_needed(name, bad):
    for given in FUNCTIONS[name].given:
        [problem] = problems_of(lambda given=given: FUNCTIONS[name](ARM, GOOD, **{given: bad}))
        assert problem.what == given
        assert problem.got == (f"shape {np.shape(bad)}" if np.ndim(bad) else "one number")
        assert "(..., 2)" in problem.need


@tabular("name", FORCED)
@tabular("bad", [5.0, [5.0], [1.0, 2.0, 3.0, 4.0], np.zeros((2, 5))], ids=str)
def test_a_force_has_two_columns_or_three(name, bad):
    [problem] = problems_of(lambda: FUNCTIONS[name](ARM, GOOD, tip_force=bad))
    assert (problem.what, problem.got) == ("tip_force", f"shape {np.shape(bad)}")


MASKED = np.ma.array([0.1, 0.2], mask=[False, True])


@each_function
@tabular("bad", ["ab", ["a", "b"], [1j, 2], [None, 1], object, [[1, 2], [3]], MASKED], ids=str)
def test_what_is_no_number_is_refused(name, bad):
    function = FUNCTIONS[name]
    for given in function.given:
        assert (
            "numbers"
            in problems_of(lambda given=given: function(ARM, GOOD, **{given: bad}))[0].need
        )
    if function.forced:
        assert "numbers" in problems_of(lambda: function(ARM, GOOD, tip_force=bad))[0].need


@each_function
@tabular("bad", [5, None, "kehl", [ARM]], ids=str)
def test_what_is_no_arm_is_refused(name, bad):
    [problem] = problems_of(lambda: FUNCTIONS[name](bad, GOOD))
    assert (problem.what, problem.need) == ("arm", "an Arm or Parameters")


@each_function
def test_batches_that_do_not_fit_are_refused(name):
    function, three, four = FUNCTIONS[name], np.zeros((3, 3, 2)), np.zeros((4, 2))
    calls = [lambda: function(ulna.stack([ARM] * 3), np.zeros((3, 4, 2)))]
    if len(function.given) > 1:
        calls.append(lambda: function(ARM, three, **{function.given[1]: four}))
    if function.forced:
        calls.append(lambda: function(ARM, three, tip_force=four))
    for call in calls:
        [problem] = problems_of(call)
        assert problem.what == "batch"
        assert "(3,)" in problem.got
        assert "(4,)" in problem.got


# NaN passes through: a batch does not die of one bad member.

# What has no direction has no side, and no friction.
WITHOUT_NAN = ("elbow_side", "friction_torque", "friction_band")


@each_function
def test_a_state_that_is_no_number_spoils_no_other(name):
    function, options = FUNCTIONS[name], {"tip_force": FORCE}
    alone = leaves(function(ARM, GOOD, **options))
    for place, given in enumerate((*function.given, *["tip_force"] * function.forced)):
        one = FORCE if given == "tip_force" else GOOD[PARTS[given]]
        rows = np.stack([one, [np.nan, one[1]], one])
        results = leaves(function(ARM, GOOD, **{**options, given: rows}))
        assert any(np.isnan(part[1]).any() for part in results) or name in WITHOUT_NAN, place
        for part, expected in zip(results, alone, strict=True):
            assert close((part[0], part[2]), (expected, expected))


def test_every_function_of_an_arm_and_its_state_is_here():
    here = {getattr(one.function, "func", one.function) for one in FUNCTIONS.values()}
    for room in (ulna.kinematics, dynamics, dynamics.absolute, dynamics.sequential):
        for name in getattr(room, "__all__", vars(room)):
            value = getattr(room, name)
            if (
                name[0] != "_"
                and inspect.isfunction(value)
                and value.__module__.startswith(room.__name__)
            ):
                asked = {*inspect.signature(value).parameters}
                assert value in here or not ("arm" in asked and asked & {*PARTS} - {"tau"}), name
