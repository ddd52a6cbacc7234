"""The rows of the paper that a file of tests is about."""

import pytest

from papers import paper


@pytest.fixture(scope="module")
def rows(request):
    """Give the rows by their keys, of the paper whose number is in the name of the file."""
    number = request.path.name.split("_")[1]
    return {row.key: row for row in paper(number).rows}
