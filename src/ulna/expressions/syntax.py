"""User text to a syntax tree whose nodes know their place in the text.

Python's parser reads it, once its tokens are known to be decimal numbers, names, quoted text,
brackets and the operators of the grammar: the parser meets no escapes, prefixes or warnings. What
is wrong is told by a sentence, the line, and a caret under the fault.
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
_LONGEST_NAME, _LONGEST_SHOWN = 80, 40

# The last group that matches names the kind of a token; what has no kind is fine.
_TOKEN = re.compile(
    r"""[ \t\r\n\u00a0()\[\]]|\*\*|[<>=!]=|/(?!/)|[-+*%<>=,−×·⋅]
    |'[^'\\\x00-\x1f\ud800-\udfff]*'|"[^"\\\x00-\x1f\ud800-\udfff]*"
    |(?P<number>(?:[0-9]+(?:_[0-9]+)*\.?(?:[0-9]+(?:_[0-9]+)*)?|\.[0-9]+(?:_[0-9]+)*)
        (?:[eE][+-]?[0-9]+)?)(?P<joined>[\w.]+)?
    |(?P<name>[^\W\d]\w*)(?P<prefix>(?=['"]))?
    |(?P<stray>.)""",
    re.VERBOSE | re.DOTALL,
)
_PLAIN = str.maketrans("−×·⋅\t\r\n\u00a0", "-***    ")
_WORDS = frozenset({"if", "else", "True", "False", "None"})
_UNCLOSED = "this quote is not closed, or holds an escape or a control character"
_HINTS = {
    "'": _UNCLOSED,
    '"': _UNCLOSED,
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
    source = SourceText(text, what)
    if len(text) > longest:
        raise source.fault_at(longest, 1, f"text of {len(text)} characters", f"at most {longest}")
    plain = _read_tokens(source)
    source = SourceText(text, what, plain.strip(), len(plain.rstrip()) - len(plain.strip()))
    if not source.plain:
        raise source.fault_at(0, 1, "empty text", f"text such as {example}")
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
    reason = error.msg if first < end else "text that ends too early"
    return source.fault_at(source.indent + first, width, reason, f"text such as {example}")


def _read_tokens(source: SourceText) -> str:
    """Return the text as Python writes it; raise for the first token that is not the grammar's."""
    plain = ""
    for token in _TOKEN.finditer(source.text):
        word, reason, need, hint = token[0], "", "", ""
        match token.lastgroup:
            case "joined":
                reason, need = f"number {_quoted(word)}", "a decimal number such as 0.5"
                hint = _product(token["number"], token["joined"])
            case "number" if not math.isfinite(float(word)):
                reason, need = f"number {_quoted(word)}", "a finite number"
            case "name" if len(word) > _LONGEST_NAME:
                reason, need = f"a name of {len(word)} characters", f"at most {_LONGEST_NAME}"
            case "name" if keyword.iskeyword(word) and word not in _WORDS:
                reason, hint = f"the word '{word}'", _HINTS.get(word, "")
            case "name" if not word.isidentifier():
                reason = f"unknown name {_quoted(word)}"
                hint = _HINTS["²"] if word.endswith("²") else ""
            case "prefix":
                reason, need = f"{_quoted(word)} before a quote", "plain text in quotes"
            case "stray":
                reason, need = f"character {word!r}", "numbers, names and + - * / ** % < > ( )"
                hint = _HINTS.get(word, "")
        if reason:
            raise source.fault_at(token.start(), len(word), reason, need, hint)
        plain += word if word[0] in "'\"" else word.translate(_PLAIN)
    return plain


def _product(number: str, name: str) -> str:
    """Return how to write a number times a name, empty where neither is meant."""
    if not name.isidentifier() or number == "0" or name == "j":
        return ""
    return f"write {_shortened(number)}*{_shortened(name)} to multiply"


def _shortened(word: str) -> str:
    return word if len(word) <= _LONGEST_SHOWN else word[:_LONGEST_SHOWN] + "..."


def _quoted(word: str) -> str:
    return repr(_shortened(word))
