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
    rewording,
)


def test_a_message_has_place_name_value_need_and_way_out():
    problem = Problem("link.2.mass", "-1 kg", "more than 0", "drop the sign", "arm.toml:7")
    said = str(problem)
    for word in ("link.2.mass", "-1 kg", "more than 0", "drop the sign"):
        assert word in said
    assert said.startswith("arm.toml:7: ")
    bare = str(Problem("", "0", "more"))
    assert not any(mark in bare for mark in (":", ";"))


def test_a_problem_is_moved_by_giving_a_new_one():
    problem = Problem("mass", "0", "more", "try 1")
    moved = problem.within("link.2").at("arm.toml:9")
    assert (moved.what, moved.place) == ("link.2.mass", "arm.toml:9")
    assert (moved.got, moved.need, moved.hint) == ("0", "more", "try 1")
    assert problem == Problem("mass", "0", "more", "try 1")


def test_an_input_error_lists_every_problem_in_order():
    first, second = Problem("a", "1", "2"), Problem("b", "3", "4", "hint", "f:1")
    error = InputError(problem for problem in (first, second))
    assert error.problems == (first, second)
    assert str(error) == f"{first}\n{second}"
    assert InputError(first).problems == (first,)
    assert InputError("no such thing").problems == ()
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.problems) == (str(error), error.problems)


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
