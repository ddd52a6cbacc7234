"""A table of cases is one test that runs every row, and tells of each that fails."""

import pytest

from tabular import tabular


@tabular("number", [1, 2, 3])
@tabular(("sign", "word"), [(1, "plus"), pytest.param(-1, "minus", id="less")])
def seen_by(seen, sign, word, number):
    seen.append((sign * number, word))
    assert sign * number != -2, "two less"
    assert number < 3


def test_every_row_runs_and_all_that_fail_are_told():
    seen = []
    with pytest.raises(pytest.fail.Exception) as failed:
        seen_by(seen=seen)
    assert [one for one, _ in seen] == [1, -1, 2, -2, 3, -3]
    told = str(failed.value)
    assert told.startswith("2 of 3 rows")
    for word in ("[2]", "[3]", "[less]", "two less", "1 of 2 rows", "2 of 2 rows"):
        assert word in told
    assert "[1]\n" not in told


@tabular("number", [1, 2], ids=lambda number: f"no. {number}")
def test_what_holds_for_every_row_passes_and_fixtures_are_given(tmp_path, number):
    assert (tmp_path / str(number)).parent.exists()


def test_a_table_has_rows_and_columns_that_are_asked_for():
    with pytest.raises(AssertionError, match="without a row"):
        tabular("number", [])
    with pytest.raises(AssertionError, match="nobody asks for"):
        tabular("other", [1])(lambda number: None)
    with pytest.raises(AssertionError, match="marked"):
        tabular("number", [pytest.param(1, marks=pytest.mark.slow)])
