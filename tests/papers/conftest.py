"""The rows of the paper that a file of tests is about."""

import pytest


@pytest.fixture(scope="module")
def rows(request):
    """Give the rows by their keys; the file has its paper's PAPER."""
    return {row.key: row for row in request.module.PAPER.rows}
