"""The small safe grammar for user text: torques "100*t", shapes "circle(radius='5 cm')".

Text is scanned, read by Python's parser, and translated node by node into a flat program of
opcodes; it is never evaluated by Python. Whatever the text holds, the outcome is a value or an
`ExpressionError` with a caret under the fault.
"""

from typing import TYPE_CHECKING

from ulna.expressions.calls import Call, Kind, Value, bind, parse_call
from ulna.expressions.program import CONSTANTS, FUNCTIONS, Expression, Op, Program, constant, run
from ulna.expressions.syntax import ExpressionError, Fault
from ulna.namespaces import namespace

__all__ = [
    "CONSTANTS",
    "FUNCTIONS",
    "Call",
    "Expression",
    "ExpressionError",
    "Fault",
    "Kind",
    "Op",
    "Program",
    "Value",
    "bind",
    "constant",
    "parse_call",
    "run",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = namespace(__name__)
