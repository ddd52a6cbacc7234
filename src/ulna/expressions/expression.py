"""Formulas in text: "100*t", "5 if t < 1 else 0"."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ulna.expressions.compiler import compile_tree
from ulna.expressions.program import Op, Program, run
from ulna.expressions.source import read_tree

_LONGEST = 4_000


@dataclass(frozen=True, slots=True, repr=False)
class Expression:
    """A formula over named numbers; two are equal if text and names are.

    Parameters
    ----------
    text : str
        The formula.
    names : tuple of str
        Its variables.
    program : Program
        What the formula was compiled to.

    Examples
    --------
    >>> torque = Expression.parse("100*t if t < 1 else 0")
    >>> torque(t=0.5), torque(t=[0.25, 2.0]).tolist()
    (50.0, [25.0, 0.0])
    """

    text: str
    names: tuple[str, ...]
    program: Program = field(compare=False)

    @classmethod
    def parse(cls, text: str, names: Iterable[str] = ("t",), what: str = "torque") -> Expression:
        """Read a formula.

        Parameters
        ----------
        text : str
            The formula.
        names : iterable of str, optional
            Names of its variables.
        what : str, optional
            Name of the text in messages.

        Returns
        -------
        Expression
            Called with values for its names, it returns its own.

        Raises
        ------
        ExpressionError
            Where the text does not follow the grammar.
        """
        names = tuple(names)
        source, tree = read_tree(text, what, _LONGEST, "'100*t'")
        return cls(text, names, compile_tree(source, tree, names))

    @property
    def is_constant(self) -> bool:
        """Whether no name occurs, so that the value is the same everywhere."""
        return Op.VARIABLE not in self.program.codes

    def __call__(self, **values: ArrayLike) -> float | NDArray[np.float64]:
        """Evaluate at numbers or arrays, broadcast together; a constant fills their shape.

        Division by zero, ``log(-1)`` and the like give inf or nan, without a warning.
        """
        if set(values) != set(self.names):
            raise TypeError(f"got values for {sorted(values)}, need {sorted(self.names)}")
        arrays: list[NDArray[Any]] = [
            np.asarray(values[name], dtype=np.float64) for name in self.names
        ]
        result = run(self.program, arrays)
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
        return np.array(np.broadcast_to(result, shape)) if shape else float(result)

    def __repr__(self) -> str:
        return f"Expression({self.text!r}, names={self.names!r})"


def constant(text: str, what: str = "") -> float:
    """Evaluate a formula without variables.

    Parameters
    ----------
    text : str
        The formula, such as "2*pi/3".
    what : str, optional
        Name of the text in messages.

    Returns
    -------
    float
        Its value, finite.

    Raises
    ------
    ExpressionError
        Where the text does not follow the grammar, or the value is not finite.

    Examples
    --------
    >>> constant("3**2 + 1")
    10.0
    """
    source, tree = read_tree(text, what, _LONGEST, "'2*pi/3'")
    value = float(run(compile_tree(source, tree, ()), ()))
    if not math.isfinite(value):
        raise source.fault(tree, f"a result of {value}", "a finite number")
    return value
