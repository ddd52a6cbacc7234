"""What is wrong with a text, and where: a sentence, the line, and a caret under the fault."""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import dataclass

from ulna.errors import InputError, Problem

_INDENT, _WINDOW, _BEFORE, _CUT = "  ", 72, 30, "..."


@dataclass(frozen=True, slots=True)
class Fault(Problem):
    """A problem with a place in a text: `width` characters from `column` on, counted from 0.

    Parameters
    ----------
    what : str
        Name of the text.
    got : str
        Head of the sentence ("unknown name 'tt'").
    need : str
        What is needed; an empty one is left out.
    hint : str, optional
        A way out.
    place : str, optional
        File and line where the text comes from.
    text : str, optional
        The text.
    column : int, optional
        Where in it the fault begins.
    width : int, optional
        Number of characters that are wrong.
    """

    text: str = ""
    column: int = 0
    width: int = 1

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        what = f"{self.what}: " if self.what else ""
        need = f", need {self.need}" if self.need else ""
        hint = f"; {self.hint}" if self.hint else ""
        return f"{where}{what}{self.got}{need}{hint}\n{self.picture()}"

    def picture(self) -> str:
        """Draw the text, or a window of a long one, with carets under the fault.

        Returns
        -------
        str
            Two lines.
        """
        start = max(0, self.column - _BEFORE) if len(self.text) > _WINDOW else 0
        end = start + _WINDOW
        before = _CUT if start else ""
        after = _CUT if end < len(self.text) else ""
        shown = "".join(c if c.isprintable() else " " for c in self.text[start:end])
        column = len(before) + self.column - start
        width = max(1, min(self.width, len(before) + len(shown) - column))
        return f"{_INDENT}{before}{shown}{after}\n{_INDENT}{' ' * column}{'^' * width}"


class ExpressionError(InputError):
    """Text that does not follow the grammar, with a caret under every fault.

    Parameters
    ----------
    *faults : Fault
        What is wrong; `problems` has them all.
    """

    def __init__(self, *faults: Fault) -> None:
        super().__init__(faults)
        self.faults = faults

    @property
    def text(self) -> str:
        """The text of the first fault."""
        return self.faults[0].text

    @property
    def column(self) -> int:
        """The column of the first fault, from 0."""
        return self.faults[0].column

    @property
    def width(self) -> int:
        """The number of characters of the first fault."""
        return self.faults[0].width

    @property
    def reason(self) -> str:
        """What is wrong first."""
        return self.faults[0].got

    def __reduce__(self) -> tuple[type[ExpressionError], tuple[Fault, ...]]:
        return type(self), self.faults


def counted(arguments: Sized) -> str:
    """Write how many arguments there are: "1 argument", "3 arguments"."""
    return "1 argument" if len(arguments) == 1 else f"{len(arguments)} arguments"
