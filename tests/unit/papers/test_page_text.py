"""Numbers are written as people do."""

import pytest

from ulna.papers.page_text import as_printed, figure


@pytest.mark.parametrize(
    ("value", "digits", "expected"),
    [
        (-0.0, 6, "0"), (1e-300, 2, "1 × 10⁻³⁰⁰"), (-1234567.0, 3, "−1.23 × 10⁶"),
        (float("nan"), 6, "–"), (float("-inf"), 6, "−∞"), (0.1 + 0.2, 4, "0.3"),
        (0.30001, 4, "0.3000"), (154.9987, 5, "155.00"), (123456.7, 6, "123457"),
    ],
)  # fmt: skip
def test_numbers_are_written_as_people_do(value, digits, expected):
    assert figure(value, digits) == expected


def test_printed_numbers_keep_their_digits():
    assert [as_printed(value) for value in (1.03904686, 59.533, 87.0)] == [
        "1.03904686", "59.533", "87",
    ]  # fmt: skip
