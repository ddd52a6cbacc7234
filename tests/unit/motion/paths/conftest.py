"""Files that tests of paths write and read."""

import pytest

import ulna


@pytest.fixture
def drawing(tmp_path):
    """Give what makes the path of a drawing, from what stands inside its <svg>.

    With a unit [m] it is scaled, from the lower left corner of the box around it.
    """

    def draw(body, head="", unit=None, **options):
        file = tmp_path / "drawing.svg"
        file.write_text(f"<svg {head}>{body}</svg>", encoding="utf-8")
        path = ulna.paths.svg(file, **options)
        return path if unit is None else path.scaled(unit)

    return draw


@pytest.fixture
def table(tmp_path):
    """Give what makes the path of a .csv file."""

    def read(text, **options):
        file = tmp_path / "points.csv"
        file.write_text(text, encoding="utf-8")
        return ulna.paths.csv(file, **options)

    return read


@pytest.fixture
def pen_down_length():
    """Give what adds up the lengths of all strokes of a path."""

    def add_up(path):
        return sum(last - first for first, last in path.strokes) * path.length

    return add_up
