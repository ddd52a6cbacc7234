"""User text to a syntax tree whose nodes know their place in the text."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ulna.errors import InputError, Problem
from ulna.expressions.faults import ExpressionError, Fault
from ulna.expressions.scan import plain_text


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text that passed the scan; the parser reads `plain`, which starts after `indent`."""

    text: str
    what: str
    plain: str
    indent: int

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
    plain = plain_text(text, what, longest)
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
