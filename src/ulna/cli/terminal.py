"""What the commands print: lines, notes, tables and JSON."""

from __future__ import annotations

import io
import json
import math
import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ulna.units.number_text import ROUNDING as ROUNDING
from ulna.units.number_text import degrees as degrees
from ulna.units.number_text import fixed as fixed
from ulna.units.number_text import in_degrees as in_degrees
from ulna.units.number_text import number as number

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

TYPED: list[str] = []  # the words of the command that runs
LABEL = 13  # letters of a label and the space behind it


def prepare_streams() -> None:
    """Print a question mark for a letter that a stream lacks, and nothing on a closed stream."""
    sys.stdout = sys.stdout or io.StringIO()
    sys.stderr = sys.stderr or io.StringIO()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def say(text: str = "") -> None:
    """Print a line of the answer."""
    print(text)


def say_about(label: str, lines: Iterable[str]) -> None:
    """Print lines under a label, wrapped to the terminal and set in from the margin."""
    width = max(shutil.get_terminal_size((100, 24)).columns, 40)
    first = f"{label:{LABEL}}"
    for line in lines:
        wrapped = textwrap.fill(
            line,
            width,
            initial_indent=first,
            subsequent_indent=" " * LABEL,
            break_on_hyphens=False,
            break_long_words=False,
        )
        say(wrapped)
        first = " " * LABEL


def print_file(text: str) -> None:
    """Print what belongs in a file: redirected into one, it is UTF-8 whatever the terminal is."""
    if sys.stdout.isatty() or not hasattr(sys.stdout, "buffer"):
        say(text)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8"))


def note(text: str) -> None:
    """Print a line beside the answer, on standard error."""
    with suppress(OSError):
        print(text, file=sys.stderr)


def show_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], *, spaced: bool = True
) -> None:
    """Print a table; columns of numbers are set to the right, empty ones are left out."""
    from rich import box
    from rich.table import Table

    cells = list(rows)
    shown = [i for i in range(len(columns)) if columns[i] or any(row[i] for row in cells)]
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False, show_edge=spaced)
    for index in shown:
        numeric = all(_is_numeric(row[index]) for row in cells)
        table.add_column(columns[index], justify="right" if numeric else "left")
    for row in cells:
        table.add_row(*(row[index] for index in shown))
    say(title)
    _console(table).print(table)


def show_joints(
    title: str, columns: Mapping[str, Iterable[str]], *, of: str = "joint", spaced: bool = True
) -> None:
    """Print a table with a row for every joint, or link, that is given by its columns."""
    rows = [(str(i), *row) for i, row in enumerate(zip(*columns.values(), strict=True), 1)]
    show_table(title, (of, *columns), rows, spaced=spaced)


def _console(table: Table) -> Console:
    """Return a console as wide as the table: a name or a number cut short is of no use."""
    from rich import console

    plain: dict[str, Any] = dict.fromkeys(("highlight", "markup", "emoji"), False)
    plain["file"] = sys.stdout
    endless = console.Console(**plain, width=10_000)
    return console.Console(**plain, width=endless.measure(table).maximum)


def show_json(answer: Mapping[str, Any]) -> None:
    """Print an answer as JSON in SI units; what is not a finite number becomes null."""
    print(as_json(answer))


def as_json(answer: Mapping[str, Any]) -> str:
    """Write an answer as JSON; what is not a finite number becomes null."""
    from ulna.arrays import plain

    return json.dumps(plain(answer), indent=2, ensure_ascii=True, allow_nan=False)


def no_more_than(mass: float) -> str:
    """Write a mass in four digits, rounded down: what holds it has to hold what is printed."""
    text = number(mass, 4)
    if mass <= 0.0 or float(text) <= mass * (1.0 + ROUNDING):
        return text
    return number(float(text) - 10.0 ** (math.floor(math.log10(mass)) - 3), 4)


def _is_numeric(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return cell in ("", "-")
    return True


def counted(count: int, noun: str) -> str:
    """Write how many there are: "1 value", "3 values"."""
    return f"{count} {noun}{'s' * (count != 1)}"


def times(count: int) -> str:
    """Write how often something happened: "once", "3 times"."""
    return "once" if count == 1 else f"{count:,} times"
