"""User text to a syntax tree whose nodes know their place in the text.

A scan comes before Python's parser. It admits decimal numbers, names, quoted text, brackets and
the operators of the grammar. That leaves the parser no escapes, prefixes, statements or warnings to
trip over, and bounds length, number of parts and nesting, so that it can run neither long nor deep.
What is wrong is told by a sentence, the line, and a caret under the fault.
"""

from __future__ import annotations

import ast
import keyword
import math
import re
from collections.abc import Sized
from dataclasses import dataclass

from ulna.errors import InputError, Problem

_INDENT, _WINDOW, _BEFORE, _CUT = "  ", 72, 30, "..."
_PART = 4  # characters: a text of the longest length may have a quarter as many parts
_DEEPEST = 40
_LONGEST_NAME = 80

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n\u00a0]+)
    |(?P<number>(?:[0-9]+(?:_[0-9]+)*\.?(?:[0-9]+(?:_[0-9]+)*)?|\.[0-9]+(?:_[0-9]+)*)
        (?:[eE][+-]?[0-9]+)?)
    |(?P<name>[^\W\d]\w*)
    |(?P<quote>'[^'\\\x00-\x1f\ud800-\udfff]*'|"[^"\\\x00-\x1f\ud800-\udfff]*")
    |(?P<open>[(\[])
    |(?P<close>[)\]])
    |(?P<sign>\*\*|<=|>=|==|!=|/(?!/)|[-+*%<>=,−×·⋅])""",
    re.VERBOSE,
)
_WORD = re.compile(r"[\w.]+")
_PLAIN = str.maketrans("−×·⋅", "-***")
_PARTNERS = {")": "(", "]": "["}
_WORDS = frozenset({"if", "else", "True", "False", "None"})
_HINTS = {
    "^": "write ** for a power",
    "²": "write **2 for a square",
    "/": "write floor(a/b)",
    "\\": "write text in quotes, without escapes",
    "and": "write (a < b)*(c < d), for a comparison gives 1 or 0",
    "or": "write max(a < b, c < d), for a comparison gives 1 or 0",
    "not": "write 1 - (a < b), for a comparison gives 1 or 0",
}


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


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text; what the parser may read of it is `plain`, which starts after `indent`."""

    text: str
    what: str
    plain: str = ""
    indent: int = 0

    def span(self, node: ast.expr | ast.keyword) -> tuple[int, int]:
        """Return the column and width of a node in characters; the parser counts UTF-8 bytes."""
        encoded = self.plain.encode()
        start = len(encoded[: node.col_offset].decode())
        width = len(encoded[node.col_offset : node.end_col_offset].decode())
        return self.indent + start, width

    def fault(
        self, node: ast.expr | ast.keyword, reason: str, need: str = "", hint: str = ""
    ) -> ExpressionError:
        """Return an error with a caret under a node."""
        return self.fault_at(*self.span(node), reason, need, hint)

    def fault_at(
        self, column: int, width: int, reason: str, need: str = "", hint: str = ""
    ) -> ExpressionError:
        """Return an error with a caret under a place in the text."""
        fault = Fault(self.what, reason, need, hint, text=self.text, column=column, width=width)
        return ExpressionError(fault)


def read_tree(text: str, what: str, longest: int, example: str) -> tuple[SourceText, ast.expr]:
    """Read `text` as one Python expression; `example` is shown to those who wrote none."""
    if not isinstance(text, str):
        raise InputError(Problem(what, f"a {type(text).__name__}", f"text such as {example}"))
    plain = _Scan(SourceText(text, what)).run(longest)
    source = SourceText(text, what, plain.strip(), len(plain) - len(plain.lstrip()))
    try:
        return source, ast.parse(source.plain, mode="eval").body
    except SyntaxError as error:
        raise _misread(source, error, example) from None
    except (RecursionError, MemoryError):
        width = len(source.plain)
        raise source.fault_at(source.indent, width, "text that nests too deep") from None


def _misread(source: SourceText, error: SyntaxError, example: str) -> ExpressionError:
    end = len(source.plain)
    # The parser gives no offset, or one past the end, where it would have read on.
    first = min(error.offset - 1, end) if error.offset else end
    width = max((error.end_offset or 0) - first - 1, 1)
    reason = "invalid syntax" if first < end else "text that ends too early"
    return source.fault_at(source.indent + first, width, reason, f"text such as {example}")


class _Scan:
    """Goes through a text, and returns it as the parser may read it, or raises."""

    def __init__(self, source: SourceText) -> None:
        self.text = source.text
        self.fault = source.fault_at
        self.brackets: list[tuple[str, int]] = []
        self.signs = 0
        self.plain: list[str] = []

    def run(self, longest: int) -> str:
        if len(self.text) > longest:
            reason = f"text of {len(self.text)} characters"
            raise self.fault(longest, 1, reason, f"at most {longest}")
        parts = column = 0
        while column < len(self.text):
            token = _TOKEN.match(self.text, column)
            if token is None:
                raise self.stray(column)
            parts += token.lastgroup != "space"
            if parts > longest // _PART:
                reason = "text of too many parts"
                raise self.fault(column, 1, reason, f"at most {longest // _PART}")
            self.admit(token)
            column = token.end()
        self.finish(parts)
        return "".join(self.plain)

    def admit(self, token: re.Match[str]) -> None:
        kind, word = str(token.lastgroup), token[0]
        self.plain.append(self.read(kind, token))
        if kind == "sign":
            self.signs += 1
        elif kind != "space":
            self.signs = 0
        if self.signs > _DEEPEST:
            raise self.fault(token.start(), len(word), "too many signs in a row")

    def read(self, kind: str, token: re.Match[str]) -> str:
        if kind == "space":
            return " " * len(token[0])
        if kind == "sign":
            return token[0].translate(_PLAIN)
        check = {"number": self.number, "name": self.name, "quote": self.quote}
        check.get(kind, self.bracket)(token.start(), token[0])
        return token[0]

    def number(self, column: int, number: str) -> None:
        word = _WORD.match(self.text, column + len(number))
        if word:
            whole = number + word[0]
            product = word[0].isidentifier() and number != "0" and word[0] != "j"
            short = len(whole) <= _LONGEST_NAME
            hint = f"write {number}*{word[0]} to multiply" if product and short else ""
            need = "a decimal number such as 0.5"
            raise self.fault(column, len(whole), f"number {_quoted(whole)}", need, hint)
        if not math.isfinite(float(number)):
            raise self.fault(column, len(number), f"number {_quoted(number)}", "a finite number")

    def name(self, column: int, name: str) -> None:
        if len(name) > _LONGEST_NAME:
            reason, need = f"a name of {len(name)} characters", f"at most {_LONGEST_NAME}"
            raise self.fault(column, len(name), reason, need)
        if keyword.iskeyword(name) and name not in _WORDS:
            raise self.fault(column, len(name), f"the word '{name}'", "", _HINTS.get(name, ""))
        if not name.isidentifier():
            hint = _HINTS["²"] if name.endswith("²") else ""
            raise self.fault(column, len(name), f"unknown name {_quoted(name)}", "", hint)
        if self.text[column + len(name) :].startswith(("'", '"')):
            raise self.fault(column, len(name), f"'{name}' before a quote", "plain text in quotes")

    def quote(self, column: int, quote: str) -> None:
        if self.text[column + len(quote) :].startswith(("'", '"')):
            raise self.fault(column, len(quote), "two quotes side by side", "text in one quote")

    def bracket(self, column: int, bracket: str) -> None:
        if bracket not in _PARTNERS:
            self.brackets.append((bracket, column))
            if len(self.brackets) > _DEEPEST:
                need = f"at most {_DEEPEST} brackets within one another"
                raise self.fault(column, 1, "text that nests too deep", need)
        elif not self.brackets or self.brackets.pop()[0] != _PARTNERS[bracket]:
            raise self.fault(column, 1, f"'{bracket}' without its '{_PARTNERS[bracket]}'")

    def finish(self, parts: int) -> None:
        if not parts:
            raise self.fault(0, 1, "empty text", "an expression")
        if self.brackets:
            bracket, column = self.brackets[-1]
            raise self.fault(column, 1, f"'{bracket}' that is never closed")

    def stray(self, column: int) -> ExpressionError:
        character = self.text[column]
        if character in "'\"":
            reason = "a quote that is never closed, or that holds an escape or a control character"
            return self.fault(column, 1, reason)
        need = "numbers, names and + - * / ** % < > ( )"
        return self.fault(column, 1, f"character {character!r}", need, _HINTS.get(character, ""))


def _quoted(word: str) -> str:
    return repr(word if len(word) <= _DEEPEST else word[:_DEEPEST] + "...")
