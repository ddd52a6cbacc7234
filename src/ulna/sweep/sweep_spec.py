"""What a sweep computes: a case, what is varied of it, and what is kept of every point.

A spec comes from a TOML file or from Python's keywords, which have the same names:

    format = 1
    arm = "desk-arm.toml"
    path = "circle(center=(0.2, 0.1), radius='5 cm')"
    duration = "4 s"
    controller = "ComputedTorque(natural_frequency=20)"

    [vary]
    "link.2.mass" = { from = "0.1 kg", to = "1 kg", count = 10 }
    "payload" = ["0 g", "100 g", "200 g"]

    [keep]
    scalars = ["torque.peak", "torque.rms", "tip_error.rms"]
    curves = ["torque"]

Its `content` is what decides the numbers, as plain values that make the same spec again; its hash
is that of the content.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ulna.arm.robot_files import parse_toml, placed
from ulna.arrays import Array
from ulna.errors import InputError, Problem
from ulna.storage import read_text
from ulna.sweep.case_values import applied
from ulna.sweep.cases import Case, Grid
from ulna.sweep.chunks import content_hash
from ulna.sweep.sampling import Design
from ulna.sweep.spec_content import content_of, is_complete
from ulna.sweep.spec_files import SpecFiles
from ulna.sweep.spec_reader import SpecKeywords, read_document
from ulna.sweep.sweep_outputs import KeptOutputs
from ulna.sweep.sweep_parameters import Parameter

LARGEST = 100_000  # [bytes] of a spec: what a parser reads in a fraction of a second
MOST_BYTES = 10**12  # of results


@dataclass(frozen=True, eq=False)
class SweepSpec:
    """What a sweep computes.

    Attributes
    ----------
    base : Case
        What all points have in common.
    design : Design
        The points: what is varied, and how.
    parameters : tuple of Parameter
        What is varied, with units; in the order of `design.axes`.
    keep : KeptOutputs
        What is kept of every point.
    grid : Grid
        When runs are sampled.
    name : str
        How reports call the sweep.
    files : SpecFiles or None
        Where the files that it names are, those that came with it as long as it lives.
    """

    base: Case
    design: Design
    parameters: tuple[Parameter, ...]
    keep: KeptOutputs
    grid: Grid
    name: str = ""
    files: SpecFiles | None = None

    def __len__(self) -> int:
        return self.design.count

    @property
    def n(self) -> int:
        """The number of joints."""
        return self.base.arm.n

    @cached_property
    def content(self) -> dict[str, Any]:
        """What decides the numbers, as plain values that `read_spec` reads."""
        return content_of(self.base, self.design, self.parameters, self.keep, self.grid)

    @cached_property
    def hash(self) -> str:
        """The digest of the content: the same for specs whose numbers are the same."""
        return content_hash(self.content)

    def case(self, number: int) -> Case:
        """Return one point.

        Parameters
        ----------
        number : int
            Of the point, from 0.

        Returns
        -------
        Case
            With the values of that point, and a seed.

        Raises
        ------
        InputError
            If there is no such point, or no arm has its values.
        """
        made = applied(self.base, self.design.point(number))
        if made.seed is not None:
            return made
        return applied(made, {"seed": number})

    @property
    def has_shared_time(self) -> bool:
        """Whether all points take the same time, so that curves have times in seconds."""
        return self.base.duration is not None and "duration" not in self.design.names

    @property
    def curve_times(self) -> Array:
        """When curves have points: times [s], or parts of the duration where that differs."""
        duration = self.base.duration if self.has_shared_time else 1.0
        return self.grid.times(float(duration or 1.0))[:: self.grid.every]

    @property
    def bytes_per_point(self) -> int:
        """The size of what is kept of a point [bytes], without compression."""
        shapes = (self.keep.shape(name, self.n, self.grid) for name in self.keep.outputs)
        return 8 * sum(int(np.prod(shape)) for shape in shapes) + 8

    def __reduce__(self) -> tuple[Any, ...]:
        # What travels is what decides the numbers, files included, where that is plain.
        if is_complete(self.content):
            return read_spec, ({**self.content, "name": self.name},)
        parts = (self.base, self.design, self.parameters, self.keep, self.grid)
        return SweepSpec, (*parts, self.name)


def read_spec(given: str | os.PathLike[str] | Mapping[str, Any]) -> SweepSpec:
    """Read a spec from a TOML file, or from a mapping of the same keys.

    Parameters
    ----------
    given : path-like or mapping
        The file; or its keys, whose values may be objects such as an `Arm` or arrays.

    Returns
    -------
    SweepSpec
        What to compute.

    Raises
    ------
    InputError
        With everything that is wrong with it, each with its line.
    FileError
        If a file cannot be read.

    Examples
    --------
    >>> made = read_spec({"arm": "kehl", "path": "loops()", "vary": {"payload": [0.0, 0.5]}})
    >>> len(made), made.design.point(1)
    (2, {'payload': 0.5})
    """
    if isinstance(given, Mapping):
        return _checked(SweepSpec(*read_document(dict(given), None)))
    if not isinstance(given, str | os.PathLike):
        need = "the name of a TOML file, or a mapping of its keys"
        raise InputError(Problem("spec", type(given).__name__, need))
    text, name = read_text(given, LARGEST), os.fspath(given)
    document = parse_toml(text, name)
    try:
        return _checked(
            SweepSpec(*read_document(dict(document), str(Path(name).absolute().parent)))
        )
    except InputError as error:
        raise InputError(_placed(error, text, name)) from None


def asked_spec(
    given: SweepSpec | str | os.PathLike[str] | Mapping[str, Any] | None, keywords: SpecKeywords
) -> SweepSpec:
    """Return a spec: as it is, of a file or a mapping, or of keywords.

    Parameters
    ----------
    given : SweepSpec, path-like, mapping or None
        The spec, or what `read_spec` takes; None where there are keywords.
    keywords : SpecKeywords
        The keys of a spec.

    Returns
    -------
    SweepSpec
        What to compute.

    Raises
    ------
    InputError
        If there are both, or none; and as `read_spec` does.
    """
    if given is None and not keywords:
        need = "a spec, or keywords such as arm=, path= and vary="
        raise InputError(Problem("spec", "nothing", need))
    if given is not None and keywords:
        got = f"a spec and {', '.join(keywords)}"
        raise InputError(Problem("spec", got, "one of the two"))
    if isinstance(given, SweepSpec):
        return given
    return read_spec(dict(keywords) if given is None else given)


def _placed(error: InputError, text: str, name: str) -> list[Problem]:
    """Return problems with the lines on which they stand; those of other files have theirs."""
    own = [problem for problem in error.problems if not problem.place]
    others = [problem for problem in error.problems if problem.place]
    return [*placed(own, text, name), *others] or [Problem("sweep", str(error), "", place=name)]


def _checked(spec: SweepSpec) -> SweepSpec:
    """Raise if results are more than any disk holds."""
    size = spec.bytes_per_point * len(spec)
    if size > MOST_BYTES:
        got = f"{len(spec):,} points of {spec.bytes_per_point:,} bytes, {size / 1e12:,.1f} TB"
        hint = "keep scalars, or fewer points"
        raise InputError(Problem("keep", got, f"at most {MOST_BYTES / 1e12:g} TB", hint))
    return spec


def differences(content: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Return how one spec's content differs from another's, a sentence for every key.

    Parameters
    ----------
    content, other : mapping
        What `SweepSpec.content` holds.

    Returns
    -------
    list of str
        Sentences; none where both are the same.

    Examples
    --------
    >>> one = read_spec({"arm": "kehl", "path": "loops()", "duration": 5.0})
    >>> two = read_spec({"arm": "kehl", "path": "loops()", "duration": 6.0})
    >>> differences(one.content, two.content)
    ['duration: 5.0 against 6.0']
    """
    told = []
    for key in sorted({*content, *other}):
        here, there = content.get(key), other.get(key)
        if here != there:
            told.append(f"{key}: {_short(here)} against {_short(there)}")
    return told


def _short(value: Any) -> str:
    text = "nothing" if value is None else json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
