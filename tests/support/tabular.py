"""Tables of cases that are one test each: pytest takes longer over a test than a cheap row does."""

import functools
import inspect
import traceback
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest


def tabular(
    names: str | Sequence[str],
    rows: Iterable[Any],
    ids: Sequence[str] | Callable[[Any], object] | None = None,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test with every row of a table, as `pytest.mark.parametrize` does, in one test.

    All rows are run, and those that fail are told together, each by its name. What the test asks
    for beside the columns are fixtures, which its rows share.

    Parameters
    ----------
    names : str or sequence of str
        The columns: parameters of the test.
    rows : iterable
        A value for each of them, or the value itself where there is one column.
    ids : sequence of str or function, optional
        What rows are called, or what makes a name of a value.

    Returns
    -------
    function
        The decorator.
    """
    columns = [one.strip() for one in names.split(",")] if isinstance(names, str) else list(names)
    table = _table(columns, list(rows), ids)

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)

        @functools.wraps(test)
        def run(*args: Any, **fixtures: Any) -> None:
            failed = []
            for name, row in table:
                try:
                    test(*args, **fixtures, **row)
                except (Exception, pytest.fail.Exception):
                    failed.append(f"[{name}]\n{traceback.format_exc()}")
            if failed:
                told = "\n".join(failed)
                pytest.fail(f"{len(failed)} of {len(table)} rows:\n{told}", pytrace=False)

        kept = [one for name, one in signature.parameters.items() if name not in columns]
        assert len(kept) + len(columns) == len(signature.parameters), "a column nobody asks for"
        run.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return run

    return decorate


def _table(columns: list[str], rows: list[Any], ids: Any) -> list[tuple[str, dict[str, Any]]]:
    assert rows, "a table without a row"
    table = []
    for index, row in enumerate(rows):
        name = ids[index] if isinstance(ids, Sequence) else None
        if hasattr(row, "marks"):
            assert not row.marks, "rows of one test cannot be marked"
            name, values = row.id or name, row.values
        else:
            values = (row,) if len(columns) == 1 else tuple(row)
        if name is None:
            name = "-".join(str(ids(one)) if callable(ids) else repr(one) for one in values)
        table.append((name, dict(zip(columns, values, strict=True))))
    return table
