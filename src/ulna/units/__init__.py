"""The edge between human units and SI: "30 deg", "12 kg*cm", "120 rpm" and back.

Inside ulna every number is SI and every angle is in radians, so a bare number is SI too. A unit
belongs to one kind ("length", "torque"). Factors may be joined by ``*``, ``·``, a space, a
hyphen or a dot, in any order ("oz-in", "in oz"), and squares are ``^2``, ``**2`` or ``²``. Case
is free, save for an M before a letter, which could mean mega.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING

from ulna.errors import InputError, Problem, did_you_mean, shown
from ulna.namespaces import namespace
from ulna.units.table import EXAMPLES, STANDARD_GRAVITY, SYNONYMS, TURN, UNITS

__all__ = [
    "STANDARD_GRAVITY",
    "UNITS",
    "bare_items",
    "format_si",
    "from_si",
    "known_unit",
    "parse_list",
    "separate",
    "split_unit",
    "suspicious_angle",
    "to_si",
]

_SIGNS = str.maketrans(
    {"·": "*", "⋅": "*", "×": "*", "•": "*", "²": "^2", "−": "-", "°": "deg", "º": "deg"}
    | {"µ": "u", "μ": "u", "\u03a9": "ohm", "\u2126": "ohm"}
)
_LONGEST_TEXT, _LONGEST_UNIT, _LONGEST_NUMBER = 1000, 40, 1000
_LONG_WORD = 4  # from this length on a synonym is a word, in which no letter can be a prefix
_NUMBER = re.compile(
    r"[+-]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9]+(?![0-9_]))?"
)
# Where an operand has ended and a word begins: the only places where a unit can start.
_BOUNDARY = re.compile(r"(?<=[\w)])(?:\s+(?=[^\W\d_])|\s*(?=[°º]))|(?<=[0-9)])(?=[^\W\d_])")


def to_si(
    value: str | float | int,
    kind: str,
    *,
    what: str = "",
    number: Callable[[str], float] | None = None,
) -> float:
    """Read a value with its unit, or a bare SI number, as a float in SI.

    Parameters
    ----------
    value : str or float
        Text such as "30 cm", or a number that is SI already.
    kind : str
        Kind of the quantity, a key of `UNITS` ("length", "torque").
    what : str, optional
        Name of the value in messages.
    number : callable, optional
        Evaluates a number part that is no plain literal ("pi/4 rad").

    Returns
    -------
    float
        The value in SI units, finite.

    Raises
    ------
    InputError
        With a `Problem` of `what`, for an unknown unit, a unit of another kind, or no finite
        number.

    Examples
    --------
    >>> to_si("30 cm", "length"), to_si(0.5, "length")
    (0.3, 0.5)
    """
    reader = _ValueReader(kind, what, number)
    if isinstance(value, str):
        return reader.read(value, *split_unit(value))
    if isinstance(value, bool) or not isinstance(value, Real):
        raise reader.refusal(value)
    return reader.finite(value, value)


def from_si(value: float, unit: str, kind: str) -> float:
    """Express an SI value in another unit.

    Parameters
    ----------
    value : float
        The value in SI units.
    unit : str
        Unit of the result ("deg").
    kind : str
        Kind of the quantity, to which the unit has to belong ("angle").

    Returns
    -------
    float
        The value in that unit.

    Raises
    ------
    InputError
        Where `unit` is unknown or belongs to another kind.

    Examples
    --------
    >>> from_si(0.25, "cm", "length")
    25.0
    """
    factor = _ValueReader(kind, "unit").factor(unit, unit)
    inverse = 1.0 / factor
    return value * inverse if inverse.is_integer() else value / factor


def format_si(
    value: float,
    unit: str,
    kind: str,
    digits: int = 6,
    *,
    ascii: bool = False,  # noqa: A002
) -> str:
    """Write an SI value in a unit.

    Parameters
    ----------
    value : float
        The value in SI units.
    unit : str
        Unit to write it in.
    kind : str
        Kind of the quantity, to which the unit has to belong.
    digits : int, optional
        Number of significant digits.
    ascii : bool, optional
        Whether to write "kg*cm^2" in place of "kg·cm²".

    Returns
    -------
    str
        Number and unit.

    Raises
    ------
    InputError
        Where `unit` is unknown or belongs to another kind.

    Examples
    --------
    >>> format_si(to_si("12 kg*cm", "torque"), "kg*cm", "torque")
    '12 kg·cm'
    """
    rounded = float(f"{from_si(value, unit, kind):.{digits}g}")
    name = (known_unit(unit) or (kind, unit))[1]
    shown = name if ascii else name.replace("*", "·").replace("^2", "²")
    return f"{rounded + 0.0:.15g} {shown}"  # adding zero turns -0 into 0


def length_text(metres: float) -> str:
    """Return a length as text, in a unit that suits it."""
    for unit, size in (("m", 1.0), ("mm", 1e-3), ("µm", 1e-6), ("nm", 1e-9)):
        if abs(metres) >= 0.9995 * size:
            return f"{metres / size:.3g} {unit}"
    return f"{metres:.3g} m"


def parse_list(
    text: str,
    kind: str,
    *,
    what: str = "",
    number: Callable[[str], float] | None = None,
) -> list[float]:
    """Read "40 deg, -60 deg" or "40, -60 deg" as floats in SI.

    Commas or semicolons outside parentheses separate. A unit after the last item alone applies
    to all; otherwise an item without a unit is SI.

    Parameters
    ----------
    text : str
        The list.
    kind : str
        Kind of all its items, a key of `UNITS`.
    what : str, optional
        Name of the list in messages.
    number : callable, optional
        Evaluates a number part that is no plain literal.

    Returns
    -------
    list of float
        The items in SI units.

    Raises
    ------
    InputError
        With a `Problem` for every bad item.

    Examples
    --------
    >>> parse_list("10, 2.5 cm", "length")
    [0.1, 0.025]
    """
    if not isinstance(text, str):
        raise _ValueReader(kind, what).refusal(text, f"text that lists {_need(kind)}")
    items = separate(text)
    pieces = [split_unit(item) for item in items]
    shared = _shared_unit(pieces)
    values: list[float] = []
    problems: list[Problem] = []
    for index, (item, (amount, unit)) in enumerate(zip(items, pieces, strict=True), 1):
        reader = _ValueReader(kind, f"{what}.{index}" if what else f"item {index}", number)
        # A shared unit that is wrong is one problem, of the item that carries it.
        applied = unit or (shared if _is_of_kind(shared, kind) else "")
        try:
            values.append(reader.read(item, amount, applied))
        except InputError as error:
            problems.extend(error.problems or [Problem(reader.what, shown(item), str(error))])
    if problems:
        raise InputError(problems)
    return values


def bare_items(text: str) -> list[bool]:
    """Return for each item of a list whether no unit applies to it, so that it is read as SI.

    Parameters
    ----------
    text : str
        A list as `parse_list` reads it.

    Returns
    -------
    list of bool
        One for each item.

    Examples
    --------
    >>> bare_items("40, -60 deg"), bare_items("40 deg, -60")
    ([False, False], [False, True])
    """
    pieces = [split_unit(item) for item in separate(text)]
    shared = _shared_unit(pieces)
    return [not (unit or shared) for _, unit in pieces]


def separate(text: str) -> list[str]:
    """Split a list at its commas and semicolons, those inside parentheses apart.

    Parameters
    ----------
    text : str
        A list as `parse_list` reads it.

    Returns
    -------
    list of str
        The items, without spaces around them.

    Examples
    --------
    >>> separate("1, max(2, 3); 4")
    ['1', 'max(2, 3)', '4']
    """
    cuts, depth = [-1], 0
    for index, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character in ",;" and depth <= 0:
            cuts.append(index)
    ends = [*cuts[1:], len(text)]
    return [text[cut + 1 : end].strip() for cut, end in zip(cuts, ends, strict=True)]


def _shared_unit(pieces: list[tuple[str, str]]) -> str:
    """Return the unit that stands after the last item alone, and so counts for all."""
    return "" if any(unit for _, unit in pieces[:-1]) else pieces[-1][1]


def suspicious_angle(value: float) -> str:
    """Return a question whether a bare angle beyond a whole turn was meant in degrees.

    Parameters
    ----------
    value : float
        Angle [rad].

    Returns
    -------
    str
        The question, empty for a plausible angle.

    Examples
    --------
    >>> suspicious_angle(40.0)
    'read as radians; did you mean 40 deg?'
    """
    if not math.isfinite(value) or abs(value) <= TURN:
        return ""
    return f"read as radians; did you mean {value:g} deg?"


@dataclass(frozen=True, slots=True)
class _ValueReader:
    kind: str
    what: str
    number: Callable[[str], float] | None = None

    def read(self, text: str, amount: str, unit: str) -> float:
        factor = self.factor(text, unit) if unit else 1.0
        inverse = 1.0 / factor
        bare = self.amount(text, amount)
        # 57 / 100 is the float nearest to 0.57, 57 * 0.01 is not.
        return self.finite(bare / inverse if inverse.is_integer() else bare * factor, text)

    def amount(self, text: str, amount: str) -> float:
        if not amount:
            raise self.refusal(text, hint="write a number before the unit" if text.strip() else "")
        if len(amount) > _LONGEST_NUMBER:
            raise self.refusal(text)
        literal = _NUMBER.fullmatch(amount) or amount.lstrip("+-").lower() in ("nan", "inf")
        try:
            if literal:
                return float(amount)
            if self.number is not None:
                return float(self.number(amount))
        except InputError:
            raise
        except ValueError:
            pass  # "1__0", or a hook as plain as float()
        raise self.refusal(text)

    def factor(self, text: str, unit: str) -> float:
        units, known = UNITS[self.kind], known_unit(unit)
        if known and known[0] == self.kind:
            return units[known[1]]
        if known:
            raise self.refusal(text, hint=f"'{unit}' is a unit of {known[0].replace('_', ' ')}")
        if not units:
            raise self.refusal(text)
        words = [*units, *(word for word, name in SYNONYMS.items() if name in units)]
        need = f"{_named(self.kind)} in {', '.join(units)}"
        raise self.refusal(text, need, did_you_mean(unit, words))

    def finite(self, value: Real | float, shown: object) -> float:
        try:
            result = float(value)
        except OverflowError:
            result = math.inf
        if not math.isfinite(result):
            raise self.refusal(shown, "a finite number")
        return result

    def refusal(self, value: object, need: str = "", hint: str = "") -> InputError:
        return InputError(Problem(self.what, shown(value), need or _need(self.kind), hint))


def _is_of_kind(unit: str, kind: str) -> bool:
    known = known_unit(unit)
    return known is not None and known[0] == kind


def _named(kind: str) -> str:
    return f"{'an' if kind[0] in 'aei' else 'a'} {kind.replace('_', ' ')}"


def _need(kind: str) -> str:
    bare = " without a unit" if kind == "number" else ""
    return f"{_named(kind)}{bare} such as '{EXAMPLES[kind]}'"


def split_unit(text: str) -> tuple[str, str]:
    """Split a value into its number and its unit; either may be empty.

    Parameters
    ----------
    text : str
        Number and unit.

    Returns
    -------
    number : str
        All that stands before the unit, which may be a formula.
    unit : str
        The unit as it is written.

    Examples
    --------
    >>> split_unit("2*pi/3 deg")
    ('2*pi/3', 'deg')
    """
    text = text.replace("−", "-").strip()
    plain = _NUMBER.match(text)
    if plain:
        rest = text[plain.end() :].lstrip()
        if not rest or rest[0].isalpha() or rest[0] in "°º":
            return plain[0], rest
    if known_unit(text):
        return "", text
    starts = [match.end() for match in _BOUNDARY.finditer(text[:_LONGEST_TEXT])]
    for start in starts:
        if known_unit(text[start:]):
            return text[:start].rstrip(), text[start:]
    if starts and text[starts[-1] - 1].isspace() and text[starts[-1] :].isalpha():
        return text[: starts[-1]].rstrip(), text[starts[-1] :]
    return text, ""


def known_unit(unit: str) -> tuple[str, str] | None:
    """Find the kind and the usual spelling of a unit, exactly or else with its case folded.

    Parameters
    ----------
    unit : str
        A unit in any spelling.

    Returns
    -------
    tuple of str or None
        Its kind and its spelling in `UNITS`; None if it is unknown.

    Examples
    --------
    >>> known_unit("Inches")
    ('length', 'in')
    """
    if not 0 < len(unit) <= _LONGEST_UNIT:
        return None
    return _EXACT.get(_key(unit, fold=False)) or _FOLDED.get(_key(unit, fold=True))


def _key(unit: str, *, fold: bool) -> str:
    """Return the spelling that all spellings of a unit share, with its factors sorted."""
    text = unit.strip().translate(_SIGNS).replace("**", "^")
    text = re.sub(r"\s*([*/^.-])\s*", r"\1", text).replace("/(rad/s)", "*s/rad")
    text = re.sub(r"\s+|[.-]", "*", text)
    text = re.sub(r"[A-Za-z]+", _folded_word if fold else _word, text)
    return "/".join("*".join(sorted(part.split("*"))) for part in text.split("/"))


def _word(match: re.Match[str]) -> str:
    word = match[0]
    return SYNONYMS.get(word) or (
        SYNONYMS.get(word.lower(), word) if len(word) >= _LONG_WORD else word
    )


def _folded_word(match: re.Match[str]) -> str:
    word = _fold(match[0])
    return _FOLDED_SYNONYMS.get(word, word)


def _fold(text: str) -> str:
    # An M before a letter stays: "MN" is no "mN".
    return re.sub(r"\BM|M(?![A-Za-z])|[^M]", lambda match: match[0].lower(), text)


def _index(*, fold: bool) -> dict[str, tuple[str, str]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for kind, units in UNITS.items():
        for unit in units:
            found.setdefault(_key(unit, fold=fold), []).append((kind, unit))
    # "h" is an hour and "H" a henry: folded they are neither.
    return {key: owners[0] for key, owners in found.items() if len(owners) == 1}


_FOLDED_SYNONYMS = {_fold(word): _fold(unit) for word, unit in SYNONYMS.items()}
_EXACT, _FOLDED = _index(fold=False), _index(fold=True)

if not TYPE_CHECKING:
    __getattr__, __dir__ = namespace(__name__)
