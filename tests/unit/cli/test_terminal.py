"""What is printed fits the terminal, whatever it is."""

import json
import re
import sys

import numpy as np
import pytest

from ulna.cli import terminal


@pytest.mark.parametrize(
    ("value", "shown"), [(0.0, "0"), (-0.0, "0"), (-1e-20, "-1e-20"), (1.5, "1.5")]
)
def test_numbers_have_no_negative_zero(value, shown):
    assert terminal.number(value) == shown
    assert terminal.fixed(-1e-20, 3) == "0.000"
    assert terminal.degrees(-np.pi) == "-180.0000"


def test_a_table_is_never_cut_short(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    terminal.show_table("t", ("name", "what"), [("a", "word " * 30)])
    assert "word " * 29 in re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)


def test_a_table_in_a_pipe_is_as_wide_as_it_needs(capsys):
    terminal.show_table("t", ("name", "what"), [("a", "word " * 30)])
    assert "word " * 29 in capsys.readouterr().out


def test_empty_columns_are_left_out(capsys):
    terminal.show_table("t", ("n", ""), [("1", ""), ("2", "")])
    plain = capsys.readouterr().out
    terminal.show_table("t", ("n",), [("1",), ("2",)])
    assert capsys.readouterr().out == plain


def test_json_has_null_for_what_is_no_number(capsys):
    terminal.show_json({"a": np.array([1.0, np.nan]), "b": (np.inf, "x"), "c": None})
    assert json.loads(capsys.readouterr().out) == {"a": [1.0, None], "b": [None, "x"], "c": None}
