"""What is no arm, no number or of the wrong shape is refused in words; NaN passes through."""

import inspect

import numpy as np
import pytest

import ulna
from tabular import tabular
from ulna import dynamics
from ulna.dynamics import absolute, sequential
from ulna.errors import InputError

ARM = ulna.preset("unit")
GOOD = np.array([0.3, 0.4])

# Every function of an arm, with the arguments after it that have one value a joint.
FUNCTIONS = {
    dynamics.mass_matrix: ("q",),
    dynamics.coriolis_matrix: ("q", "qd"),
    dynamics.gravity_torque: ("q",),
    dynamics.kinetic_energy: ("q", "qd"),
    dynamics.potential_energy: ("q",),
    dynamics.inverse_dynamics: ("q", "qd", "qdd"),
    dynamics.forward_dynamics: ("q", "qd", "tau"),
    dynamics.operational_mass: ("q",),
    dynamics.holding_torque: ("q",),
    dynamics.tip_force: ("q", "tau"),
    dynamics.largest_payload: ("q",),
    dynamics.linearise: ("q", "qd", "tau"),
    dynamics.regressor: ("q", "qd", "qdd"),
    dynamics.equilibria: ("tau",),
    absolute.mass_matrix: ("phi",),
    absolute.coriolis_matrix: ("phi", "phid"),
    absolute.gravity_torque: ("phi",),
    absolute.inverse_dynamics: ("phi", "phid", "phidd"),
    absolute.forward_dynamics: ("phi", "phid", "forces"),
    sequential.forward_dynamics: ("theta", "thetad", "tau"),
    sequential.frozen: ("theta",),
}
WITH_FORCE = [
    function for function in FUNCTIONS if "tip_force" in inspect.signature(function).parameters
]


def called(function):
    return function.__module__.removeprefix("ulna.") + "." + function.__name__


def each_argument():
    return [
        pytest.param(
            function,
            name,
            id=f"{called(function)}-{name}",
        )
        for function, names in FUNCTIONS.items()
        for name in names
    ]


def state_of(function, **changed):
    return [changed.get(name, GOOD) for name in FUNCTIONS[function]]


@tabular(("function", "name"), each_argument())
@tabular(
    ("bad", "got"),
    [
        (0.5, "one number"),
        ([0.1], "shape (1,)"),
        ([0.1, 0.2, 0.3], "shape (3,)"),
        (np.zeros((4, 3)), "shape (4, 3)"),
    ],
    ids=["number", "short", "long", "rows"],
)
def test_the_wrong_shape_is_refused_by_name_with_what_is_needed(function, name, bad, got):
    with pytest.raises(InputError) as refused:
        function(ARM, *state_of(function, **{name: bad}))
    (problem,) = refused.value.problems
    assert (problem.what, problem.got) == (name, got)
    assert "(..., 2)" in problem.need


def test_a_reference_rate_of_the_wrong_shape_is_refused_by_name():
    with pytest.raises(InputError, match=r"^qd_ref: got shape \(3,\), need \(\.\.\., 2\)"):
        dynamics.regressor(ARM, GOOD, GOOD, GOOD, qd_ref=[0.1, 0.2, 0.3])


@tabular("function", WITH_FORCE, ids=called)
@tabular(
    ("bad", "got"),
    [
        (5.0, "shape ()"),
        ([5.0], "shape (1,)"),
        ([1.0, 2.0, 3.0, 4.0], "shape (4,)"),
        (np.zeros((2, 5)), "shape (2, 5)"),
    ],
    ids=["number", "short", "long", "rows"],
)
def test_a_force_has_two_columns_or_three(function, bad, got):
    with pytest.raises(InputError) as refused:
        function(ARM, *state_of(function), tip_force=bad)
    (problem,) = refused.value.problems
    assert (problem.what, problem.got) == ("tip_force", got)
    assert all(what in problem.need for what in ("(..., 2)", "[N]", "(..., 3)", "[N·m]"))


@tabular("function", FUNCTIONS, ids=called)
@tabular("bad", ["ab", ["a", "b"], [1j, 2], [None, 1], object], ids=str)
def test_what_is_no_number_is_refused(function, bad):
    for name in FUNCTIONS[function]:
        with pytest.raises(InputError, match="need numbers"):
            function(ARM, *state_of(function, **{name: bad}))


@tabular("function", FUNCTIONS, ids=called)
def test_rows_of_different_lengths_are_refused(function):
    for name in FUNCTIONS[function]:
        with pytest.raises(InputError, match="in rows of the same length"):
            function(ARM, *state_of(function, **{name: [[1, 2], [3]]}))


@tabular("function", WITH_FORCE, ids=called)
@tabular("bad", ["up", ["a", "b"], [[1, 2], [3]]], ids=str)
def test_a_force_that_is_no_number_is_refused(function, bad):
    with pytest.raises(InputError, match="need numbers"):
        function(ARM, *state_of(function), tip_force=bad)


@tabular("function", [*FUNCTIONS, dynamics.parameter_vector, dynamics.parameter_names], ids=called)
@tabular("bad", [5, None, "kehl", [ARM]], ids=["number", "none", "text", "list"])
def test_what_is_no_arm_is_refused(function, bad):
    state = state_of(function) if function in FUNCTIONS else []
    with pytest.raises(InputError, match=r"(?s)^arm: got .*, need an Arm or Parameters$"):
        function(bad, *state)


@pytest.mark.parametrize("convert", [absolute.joint_torques, absolute.ground_torques], ids=called)
@pytest.mark.parametrize("bad", ["ab", [[1, 2], [3]], [None], object], ids=str)
def test_torques_that_are_no_numbers_are_refused(convert, bad):
    with pytest.raises(InputError, match="need numbers"):
        convert(bad)


@pytest.mark.parametrize("convert", [absolute.joint_torques, absolute.ground_torques], ids=called)
def test_one_number_is_no_row_of_torques(convert):
    with pytest.raises(InputError):
        convert(5.0)


def test_friction_of_the_wrong_shape_is_refused_by_name():
    with pytest.raises(InputError, match=r"^sequential_damping: "):
        sequential.forward_dynamics(ARM, GOOD, GOOD, GOOD, sequential_damping=[0.1, 0.2, 0.3])


def test_friction_that_is_no_number_is_refused():
    with pytest.raises(InputError, match="need numbers"):
        sequential.forward_dynamics(ARM, GOOD, GOOD, GOOD, sequential_damping="rough")


def test_resting_postures_are_found_under_one_force():
    with pytest.raises(InputError, match="one"):
        dynamics.equilibria(ARM, [0.0, 0.0], tip_force=np.zeros((5, 2)))


@pytest.mark.parametrize(
    ("tau", "force"), [([np.nan, 0.0], None), ([0.0, 0.0], [np.nan, 0.0])], ids=["tau", "force"]
)
def test_resting_postures_under_what_is_no_number_are_refused(tau, force):
    with pytest.raises(InputError):
        dynamics.equilibria(ARM, tau, tip_force=force)


# NaN passes through: a batch does not die of one bad member.

PASSING = [function for function in FUNCTIONS if function is not dynamics.equilibria]


def leaves(result):
    return result if isinstance(result, tuple) else (result,)


@tabular("function", PASSING, ids=called)
def test_a_posture_that_is_no_number_spoils_no_other(function):
    for name in FUNCTIONS[function]:
        batch = np.array([GOOD, [np.nan, 0.4], GOOD])
        results = leaves(function(ARM, *state_of(function, **{name: batch})))
        alone = leaves(function(ARM, *state_of(function)))
        assert any(np.isnan(result[1]).any() for result in results)
        for result, expected in zip(results, alone, strict=True):
            for member in (0, 2):
                np.testing.assert_allclose(result[member], expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "function", [f for f in WITH_FORCE if f is not dynamics.equilibria], ids=called
)
def test_a_force_that_is_no_number_spoils_no_other(function):
    forces = np.array([[1.0, 2.0], [np.nan, 0.0]])
    results = leaves(function(ARM, *state_of(function), tip_force=forces))
    alone = leaves(function(ARM, *state_of(function), tip_force=forces[0]))
    assert any(np.isnan(result[1]).any() for result in results)
    for result, expected in zip(results, alone, strict=True):
        np.testing.assert_allclose(result[0], expected, rtol=1e-12, atol=1e-12)


@tabular("function", FUNCTIONS, ids=called)
def test_nothing_that_is_handed_in_is_changed(function):
    given = [np.array([0.3, 0.4]) for _ in FUNCTIONS[function]]
    force = {"tip_force": np.array([1.0, 2.0, 3.0])} if function in WITH_FORCE else {}
    function(ARM, *given, **force)
    assert all(value.tolist() == [0.3, 0.4] for value in given)
    assert all(value.tolist() == [1.0, 2.0, 3.0] for value in force.values())


def test_batches_that_do_not_fit_are_refused_in_words():
    need = r"^batch: got leading axes \(3,\) and \(4,\), need equal ones, or of length 1$"
    with pytest.raises(InputError, match=need):
        dynamics.inverse_dynamics(ARM, np.zeros((3, 2)), np.zeros((4, 2)), GOOD)
    with pytest.raises(InputError, match=need):
        dynamics.gravity_torque(ulna.stack([ARM] * 3), np.zeros((4, 2)))
    with pytest.raises(InputError, match=need):
        dynamics.holding_torque(ARM, np.zeros((3, 2)), tip_force=np.zeros((4, 2)))


@pytest.mark.parametrize("convert", [absolute.joint_torques, absolute.ground_torques], ids=called)
def test_no_torques_are_no_row_of_torques(convert):
    with pytest.raises(InputError, match="got none"):
        convert([])
