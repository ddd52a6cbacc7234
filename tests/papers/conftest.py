"""The rows of the paper that a file of tests is about, computed once for all files."""

import pytest

from ulna import papers


@pytest.fixture(scope="module")
def rows(request):
    """Give the rows by their keys; the file has its paper's PAPER."""
    return {row.key: row for row in papers.rows(request.module.PAPER.number)}
