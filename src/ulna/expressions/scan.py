"""The scan that user text passes before Python's parser may see it.

It admits decimal numbers, names, quoted text, brackets and the operators of the grammar. That
leaves the parser no escapes, prefixes, statements or warnings to trip over, and bounds length,
number of parts and nesting, so that it can run neither long nor deep.
"""

from __future__ import annotations

import keyword
import math
import re

from ulna.expressions.faults import ExpressionError, Fault

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


def plain_text(text: str, what: str, longest: int) -> str:
    """Return `text`, character by character, as the parser may read it, or raise."""
    return _Scan(text, what).run(longest)


class _Scan:
    def __init__(self, text: str, what: str) -> None:
        self.text = text
        self.what = what
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

    def fault(
        self, column: int, width: int, reason: str, need: str = "", hint: str = ""
    ) -> ExpressionError:
        fault = Fault(self.what, reason, need, hint, text=self.text, column=column, width=width)
        return ExpressionError(fault)


def _quoted(word: str) -> str:
    return repr(word if len(word) <= _DEEPEST else word[:_DEEPEST] + "...")
