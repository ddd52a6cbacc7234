"""What a message says, which exit code it ends with, and which name it suggests."""

import pickle

import pytest

from ulna.errors import (
    FileError,
    InfeasibleError,
    InputError,
    MissingExtraError,
    Problem,
    UlnaError,
    UlnaWarning,
    nearest_name,
    rewording,
)


def test_a_message_reads_place_key_got_need_and_what_to_try():
    problem = Problem("link.2.mass", "-1 kg", "more than 0", "drop the sign", "arm.toml:7")
    assert str(problem) == "arm.toml:7: link.2.mass: got -1 kg, need more than 0; drop the sign"


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (Problem("mass", "0", "more"), "mass: got 0, need more"),
        (Problem("", "0", "more"), "got 0, need more"),
        (Problem("mass", "0", "more", "try 1"), "mass: got 0, need more; try 1"),
        (Problem("mass", "0", "more", place="a:3"), "a:3: mass: got 0, need more"),
    ],
)
def test_parts_that_are_missing_leave_no_trace(problem, text):
    assert str(problem) == text


def test_a_problem_is_moved_by_giving_a_new_one():
    problem = Problem("mass", "0", "more", "try 1")
    moved = problem.within("link.2").at("arm.toml:9")
    assert (moved.what, moved.place) == ("link.2.mass", "arm.toml:9")
    assert (moved.got, moved.need, moved.hint) == ("0", "more", "try 1")
    assert problem == Problem("mass", "0", "more", "try 1")


@pytest.mark.parametrize(
    ("owner", "what", "whole"),
    [("link.1", "mass", "link.1.mass"), ("", "mass", "mass"), ("link.1", "", "link.1")],
)
def test_owners_and_names_are_joined_by_one_dot(owner, what, whole):
    assert Problem(what, "x", "y").within(owner).what == whole


def test_an_input_error_lists_every_problem_in_order():
    first, second = Problem("a", "1", "2"), Problem("b", "3", "4")
    error = InputError(problem for problem in (first, second))
    assert error.problems == (first, second)
    assert str(error) == "a: got 1, need 2\nb: got 3, need 4"


def test_an_input_error_takes_one_problem_or_plain_words():
    problem = Problem("a", "1", "2")
    assert InputError(problem).problems == (problem,)
    assert InputError("no such thing").problems == ()
    assert str(InputError("no such thing")) == "no such thing"


@pytest.mark.parametrize(
    ("kind", "builtin", "code"),
    [
        (UlnaError, Exception, 1),
        (InputError, ValueError, 2),
        (MissingExtraError, ImportError, 2),
        (InfeasibleError, Exception, 5),
        (FileError, OSError, 74),
    ],
)
def test_the_family_has_the_exit_codes_of_the_fault_table(kind, builtin, code):
    assert kind.exit_code == code
    assert issubclass(kind, UlnaError)
    assert issubclass(kind, builtin)
    assert str(kind("what went wrong")) == "what went wrong"


def test_warnings_are_user_warnings():
    assert issubclass(UlnaWarning, UserWarning)


def test_an_error_survives_the_way_to_another_process():
    error = InputError([Problem("a", "1", "2"), Problem("b", "3", "4", "hint", "f:1")])
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == str(error)
    assert copy.problems == error.problems


@pytest.mark.parametrize(
    ("name", "suggested"),
    [("lenght", "length"), ("mas", "mass"), ("tipmass", "tip_mass"), ("dampening", "damping")],
)
def test_the_nearest_name_is_suggested(name, suggested):
    known = ["length", "mass", "com", "tip_mass", "damping"]
    assert nearest_name(name, known) == f"did you mean '{suggested}'?"


def test_a_name_like_no_other_lists_them_all():
    assert nearest_name("zzz", ["length", "mass"]) == "known: length, mass"


def test_a_message_of_thousands_of_problems_is_cut_and_says_how_many():
    problems = [Problem(f"key {k}", "it", "another") for k in range(3000)]
    error = InputError(problems)
    lines = str(error).splitlines()
    assert lines[:20] == [str(problem) for problem in problems[:20]]
    assert lines[20:] == ["and 2,980 more like these"]
    assert len(error.problems) == 3000
    assert "more" not in str(InputError(problems[:20]))


def test_problems_that_come_out_of_a_block_are_reworded_all_and_words_alone_are_kept():
    found = [Problem("mass", "0", "more"), Problem("length", "-1", "more")]
    with pytest.raises(InputError) as told, rewording(lambda problem: problem.within("link.2")):
        raise InputError(found)
    assert told.value.problems == tuple(problem.within("link.2") for problem in found)
    with pytest.raises(InputError, match="words alone"), rewording(lambda problem: found[0]):
        raise InputError("words alone")
