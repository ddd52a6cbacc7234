"""The family of errors that ulna raises, each with the exit code that a command ends with.

A message reads ``place: what: got X, need Y; try Z``. Bad input is reported whole: an
`InputError` carries every `Problem` that was found, not the first only; `Problems` gathers them.
"""

from __future__ import annotations

import math
import reprlib
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from numbers import Real
from types import FrameType
from typing import Any

__all__ = [
    "FileError",
    "InfeasibleError",
    "InputError",
    "Interrupted",
    "MissingExtraError",
    "Problem",
    "UlnaError",
    "UlnaWarning",
    "did_you_mean",
    "nearest_name",
    "shown",
    "units_hint",
    "warn",
]

_LONGEST_COMPARED = 80  # letters: comparing words takes the square of their length
_LONGEST_SHOWN = 60  # letters of a value in a message
_LONGEST_KEY = 60  # letters of a key
_MOST_UNKNOWN = 20  # keys, each of which is compared with the known ones
_MOST_TOLD = 20  # problems in a message; `InputError.problems` has them all
# What `ulna.units` calls the kinds of numbers that are most often written with a unit.
_KINDS = {
    "s": "time",
    "Hz": "frequency",
    "rad": "angle",
    "rad/s": "speed",
    "m": "length",
    "kg": "mass",
    "kg·m²": "inertia",
    "N·m": "torque",
    "m/s": "velocity",
    "m/s²": "acceleration",
}
_CONTROLS = ("Cc", "Cs", "Zl", "Zp")  # with lone surrogates and the separators of lines
_TURNING = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")  # text the other way
_BRIEFLY = reprlib.Repr()
_BRIEFLY.maxstring = _BRIEFLY.maxother = _LONGEST_SHOWN
_BRIEFLY.maxlevel = 3  # a hostile file nests lists deeper than repr() can follow


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with an input, in words that a person can act on.

    Parameters
    ----------
    what : str
        Name of the value ("link.2.mass").
    got : str
        What came.
    need : str
        What is needed.
    hint : str, optional
        A way out.
    place : str, optional
        "file:line" where the value came from a file.
    """

    what: str
    got: str
    need: str
    hint: str = ""
    place: str = ""

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        what = f"{self.what}: " if self.what else ""
        hint = f"; {self.hint}" if self.hint else ""
        return f"{where}{what}got {self.got}, need {self.need}{hint}"

    def at(self, place: str) -> Problem:
        """Return the same problem, found at a place in a file.

        Parameters
        ----------
        place : str
            File and line ("arm.toml:12").

        Returns
        -------
        Problem
            With that place.
        """
        return replace(self, place=place)

    def within(self, owner: str) -> Problem:
        """Return the same problem, of a value that belongs to something.

        Parameters
        ----------
        owner : str
            Name of what the value belongs to ("link.2").

        Returns
        -------
        Problem
            With the name of its owner before its own.
        """
        return replace(self, what=".".join(part for part in (owner, self.what) if part))


class UlnaError(Exception):
    """The root of every error that ulna raises on purpose."""

    exit_code = 1


class InputError(UlnaError, ValueError):
    """Input that cannot be used; `problems` lists everything found wrong with it."""

    exit_code = 2

    def __init__(self, problems: Problem | str | Iterable[Problem]) -> None:
        if isinstance(problems, str):
            self.problems: tuple[Problem, ...] = ()
            super().__init__(problems)
            return
        found = (problems,) if isinstance(problems, Problem) else tuple(problems)
        self.problems = found
        lines = [str(problem) for problem in found[:_MOST_TOLD]]
        if len(found) > _MOST_TOLD:
            lines.append(f"and {len(found) - _MOST_TOLD:,} more like these")
        super().__init__("\n".join(lines))


@contextmanager
def rewording(reword: Callable[[Problem], Problem]) -> Iterator[None]:
    """Change every problem of an `InputError` that is raised in the block.

    >>> with rewording(lambda problem: problem.at("arm.toml:3")):
    ...     raise InputError(Problem("mass", "-1", "a positive number"))
    Traceback (most recent call last):
    ulna.errors.InputError: arm.toml:3: mass: got -1, need a positive number
    """
    try:
        yield
    except InputError as error:
        if not error.problems:
            raise
        raise InputError(reword(problem) for problem in error.problems) from None


class InfeasibleError(UlnaError):
    """A well-formed question whose answer is no: out of reach, no motor fits."""

    exit_code = 5


class FileError(UlnaError, OSError):
    """A file that cannot be read or written."""

    exit_code = 74


class MissingExtraError(UlnaError, ImportError):
    """An optional package that is not installed; the message says what to install."""

    exit_code = 2


def import_extra(module: str, extra: str, purpose: str) -> Any:
    """Import an optional package, or raise what to install.

    Parameters
    ----------
    module : str
        The module to import.
    extra : str
        The extra of ulna that installs it.
    purpose : str
        What needs it, as the subject of the message.

    Returns
    -------
    module
        The imported module.

    Raises
    ------
    MissingExtraError
        If it is not installed.

    Examples
    --------
    >>> import_extra("no_such_module", "films", "a .mp4 film")
    Traceback (most recent call last):
    ulna.errors.MissingExtraError: a .mp4 film needs no_such_module, which is missing: \
pip install 'ulna[films]'
    """
    try:
        return import_module(module)
    except ImportError as error:
        missing = (error.name or module).partition(".")[0]
        text = f"{purpose} needs {missing}, which is missing: pip install 'ulna[{extra}]'"
        raise MissingExtraError(text) from error


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended long work.

    As a KeyboardInterrupt it passes by `except Exception` and ends a script.

    Parameters
    ----------
    message : str, optional
        What was interrupted, and where there is something of it.
    result : object, optional
        The partial result, of the type that the function returns; None if there is none.
    """

    def __init__(self, message: str = "interrupted", result: Any = None) -> None:
        super().__init__(message)
        self.result = result


class UlnaWarning(UserWarning):
    """Input that is accepted, with a reason to look at it again."""


def warn(*messages: str) -> None:
    """Issue an `UlnaWarning` each that points at the line outside of the package that called it.

    Parameters
    ----------
    *messages : str
        Sentences.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn("the arm is heavy", "the arm is slow")
    >>> [str(one.message) for one in caught]
    ['the arm is heavy', 'the arm is slow']
    """
    if not messages:
        return
    level = 2
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == __package__:
        level, frame = level + 1, frame.f_back
    for message in messages:
        warnings.warn(message, UlnaWarning, stacklevel=level)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Suggest the known name nearest to another.

    Parameters
    ----------
    name : str
        What was written.
    known : iterable of str
        Names that there are.

    Returns
    -------
    str
        A question, empty where no known name resembles it.

    Examples
    --------
    >>> did_you_mean("lenght", ["length", "mass"])
    "did you mean 'length'?"
    """
    names, short = list(known), name[:_LONGEST_COMPARED]
    for spelling in dict.fromkeys((short, short.lower())):
        import difflib

        close = difflib.get_close_matches(spelling, names, n=1, cutoff=0.6)
        if close:
            return f"did you mean '{close[0]}'?"
    return ""


def nearest_name(name: str, known: Sequence[str]) -> str:
    """Suggest the known name that another most resembles, or list them all if none does.

    Parameters
    ----------
    name : str
        What was written.
    known : sequence of str
        Names that there are.

    Returns
    -------
    str
        A question, or a list.

    Examples
    --------
    >>> nearest_name("lenght", ["length", "mass"])
    "did you mean 'length'?"
    >>> nearest_name("colour", ["length", "mass"])
    'known: length, mass'
    """
    return did_you_mean(name, known) or "known: " + ", ".join(known)


def units_hint(value: object, unit: str = "") -> str:
    """Say what makes a number of text with a unit.

    Parameters
    ----------
    value : object
        What came in place of numbers.
    unit : str, optional
        The SI unit of the number that is needed.

    Returns
    -------
    str
        A sentence, empty unless there is a quantity as text in the value.

    Examples
    --------
    >>> units_hint("40 deg", "rad")  # doctest: +ELLIPSIS
    "text with units is for the command line and ...; ulna.units.to_si('40 deg', 'angle') reads it"
    """
    parts = value if isinstance(value, list | tuple) else [value]
    texts = (part for part in parts if isinstance(part, str))
    text = next((text for text in texts if any(letter.isdigit() for letter in text)), None)
    if text is None:
        return ""
    kind = repr(_KINDS[unit]) if unit in _KINDS else "kind"
    call = f"ulna.units.to_si({shown(text)}, {kind})"
    return f"text with units is for the command line and robot files; {call} reads it"


def shown(value: object) -> str:
    """Write a value as it came, short enough for one line of a message.

    Parameters
    ----------
    value : object
        Anything.

    Returns
    -------
    str
        At most 120 characters.

    Examples
    --------
    >>> shown([1.0, "two"])
    "[1.0, 'two']"
    >>> len(shown(list(range(1000)))) <= 120
    True
    """
    if getattr(value, "ndim", None) == 0 and hasattr(value, "item"):
        if getattr(value, "mask", False):
            return "a masked entry"
        value = value.item()
    try:
        text = _BRIEFLY.repr(value)
    except ValueError:
        # Python writes no integer of thousands of digits, alone or inside a list.
        return "an integer of too many digits"
    return text if len(text) <= 2 * _LONGEST_SHOWN else text[: 2 * _LONGEST_SHOWN - 3] + "..."


def shown_key(key: object) -> str:
    """Write a key so that it stays on its line and short, whatever a file calls it.

    Parameters
    ----------
    key : object
        Of a table.

    Returns
    -------
    str
        At most 60 characters.
    """
    text = str(key)
    plain = text if text.isprintable() else ascii(text)[1:-1]
    return plain if len(plain) <= _LONGEST_KEY else plain[: _LONGEST_KEY - 3] + "..."


def listed(names: Sequence[str], most: int = 10) -> str:
    """Join names with commas, the first few of many.

    >>> listed(["a", "b", "c", "d"], 2)
    'a, b and 2 more'
    """
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


class Problems:
    """A list of problems that turns into one `InputError` at the end, if there are any."""

    def __init__(self) -> None:
        self.found: list[Problem] = []  # what was noted so far

    def add(self, what: str, got: str, need: str, hint: str = "") -> None:
        """Note one problem, in words."""
        self.found.append(Problem(what, got, need, hint))

    def unknown_keys(self, table: Iterable[object], known: Sequence[str], owner: str = "") -> None:
        """Note the first keys of a table that are not known, each with the nearest known one."""
        hint = f"known: {', '.join(known)}"
        for key in [key for key in table if key not in known][:_MOST_UNKNOWN]:
            what = f"{owner}.{shown_key(key)}" if owner else shown_key(key)
            near = did_you_mean(str(key), known)
            self.add(what, "an unknown key", "a known one", near or hint)
            hint = hint if near else ""  # the list stands once

    def number(
        self,
        what: str,
        value: Any,
        unit: str,
        *,
        above: float | None = None,
        least: float | None = None,
        infinite: bool = False,
    ) -> float:
        """Read one number, noting what is wrong with it; NaN where it cannot be used."""
        number = _as_float(value)
        if number is None:
            self.add(what, shown(value), _need(unit, above, least), units_hint(value, unit))
        elif math.isnan(number) or (math.isinf(number) and not infinite):
            need = _need(unit, above, least).removeprefix("a ")
            self.add(what, shown(value), f"a finite {need}")
        elif (above is not None and number <= above) or (least is not None and number < least):
            self.add(what, shown(value), _need(unit, above, least))
        else:
            return number
        return math.nan

    def pair(self, what: str, value: Any, unit: str, hint: str = "") -> tuple[float, float]:
        """Read a vector of two finite numbers; NaN where they cannot be used."""
        try:
            x, y = value
        except (TypeError, ValueError):
            self.add(what, shown(value), f"two numbers [x, y] in {unit}", hint)
            return math.nan, math.nan
        return self.number(f"{what}.x", x, unit), self.number(f"{what}.y", y, unit)

    def sequence(self, what: str, value: Any, need: str) -> tuple[Any, ...]:
        """Read a list, a tuple or anything else that holds one thing after another."""
        try:
            if isinstance(value, str):
                raise TypeError
            return tuple(value)
        except TypeError:
            self.add(what, shown(value), need)
            return ()

    def one_line(self, what: str, value: Any) -> None:
        """Check that text has no line breaks and other controls."""
        if not isinstance(value, str):
            self.add(what, shown(value), "text on one line")
        elif control := control_in(value):
            self.add(what, f"{shown(value)} with {control}", "text on one line")

    @contextmanager
    def gather(self, owner: str = "") -> Iterator[None]:
        """Note the problems raised inside the block, and go on; `owner` is what they belong to."""
        try:
            yield
        except InputError as error:
            self.found.extend(problem.within(owner) for problem in error.problems)

    def raise_if_any(self) -> None:
        """Raise everything that was noted, at once."""
        if self.found:
            raise InputError(self.found)


def control_in(text: str) -> str:
    """Name the first letter that a terminal obeys or hides, or that no XML has; "" without one.

    >>> control_in("plain"), control_in(chr(0x202E))
    ('', 'the control character U+202E')
    """
    if text.isprintable():
        return ""
    from unicodedata import bidirectional, category

    for letter in text:
        turns = bidirectional(letter) in _TURNING
        if category(letter) in _CONTROLS or turns or ord(letter) & 0xFFFE == 0xFFFE:
            return f"the control character U+{ord(letter):04X}"
    return ""


def size_text(size: float) -> str:
    """Write a number of bytes as people do.

    >>> size_text(2_449_000_000), size_text(8e16), size_text(16)
    ('2.45 GB', '80,000 TB', '16 bytes')
    """
    for unit, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= unit:
            return f"{float(f'{size / unit:.3g}'):,g} {name}"
    return f"{size:.0f} bytes"


def _as_float(value: Any) -> float | None:
    """Return a real number as a float, infinite where it is too large for one."""
    if type(value) is float:
        return value
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _need(unit: str, above: float | None, least: float | None) -> str:
    number = f"a number in {unit}" if unit else "a number"
    if above is not None:
        return f"{number} above {above:g}"
    return number if least is None else f"{number}, {least:g} or more"
