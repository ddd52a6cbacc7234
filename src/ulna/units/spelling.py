"""Spellings of units: which unit a text means, and where in a text the unit begins."""

from __future__ import annotations

import re

from ulna.units.table import SYNONYMS, UNITS

_SIGNS = str.maketrans(
    {"·": "*", "⋅": "*", "×": "*", "•": "*", "²": "^2", "−": "-", "°": "deg", "º": "deg"}
    | {"µ": "u", "μ": "u", "\u03a9": "ohm", "\u2126": "ohm"}
)
_LONGEST_TEXT, _LONGEST_UNIT = 1000, 40
_LONG_WORD = 4  # from this length on a synonym is a word, in which no letter can be a prefix
NUMBER = re.compile(
    r"[+-]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9]+(?![0-9_]))?"
)
# Where an operand has ended and a word begins: the only places where a unit can start.
_BOUNDARY = re.compile(r"(?<=[\w)])(?:\s+(?=[^\W\d_])|\s*(?=[°º]))|(?<=[0-9)])(?=[^\W\d_])")


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
    plain = NUMBER.match(text)
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
