"""Paths from text: "circle(center=(0.2, 0.1), radius='5 cm')", compositions, and file names."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import PurePath
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ulna.angles import absolute_to_relative
from ulna.errors import FileError, InputError, Problem, did_you_mean, shown
from ulna.expressions import Call, ExpressionError, Fault, bind, parse_call
from ulna.expressions.calls import written
from ulna.motion.paths.path import Path
from ulna.motion.paths.points import csv, joints, loops_as_printed, polyline, spline
from ulna.motion.paths.shapes import arc, circle, ellipse, lemniscate, line, loops, rose
from ulna.motion.paths.svg_drawings import svg
from ulna.storage import exists
from ulna.units import to_si

FILES: Mapping[str, Callable[..., Path]] = {".csv": csv, ".svg": svg}
FILE_NAME = re.compile(r"[^()'\"]*\.[A-Za-z]\w{0,4}")
COMPARED = np.linspace(0.0, 1.0, 101)  # where two paths are compared
EXAMPLE = "\"circle(radius='5 cm')\""


def read_path(
    text: str, what: str = "path", *, absolute: bool = False, keep_order: bool = False
) -> Path:
    """Return the path that a text describes.

    Parameters
    ----------
    text : str
        A call of a shape or a composition, in SI or with units, such as "circle(center=(0.2, 0.1),
        radius='5 cm')", or the name of a .csv or .svg file. Every shape is listed by `ulna list
        paths`.
    what : str, optional
        What messages call the text.
    absolute : bool, optional
        Whether the postures of `joints(...)` are angles of links from the x axis, to be converted.
    keep_order : bool, optional
        Whether the strokes of all files are drawn in their order and directions.

    Returns
    -------
    Path
        The path.

    Raises
    ------
    InputError
        If the text is not such a call; the message points at the place in it.

    Examples
    --------
    >>> round(read_path("repeated(circle(radius='5 cm'), 2)").length, 6)
    0.628319
    """
    name = text.strip() if isinstance(text, str) else ""
    if FILE_NAME.fullmatch(name) or (name and name not in SHAPES and exists(name)):
        return _read_file(name, what, keep_order)
    call = parse_call(text, what)
    if keep_order and not _has_file(call):
        need = "the name of a .svg or .csv file, or text with one such as svg('FILE')"
        raise InputError(Problem("keep_order", f"{what} {shown(name)}", need))
    return _made(call, absolute=absolute, keep_order=keep_order)


def path_as_text(path: Path) -> str:
    """Return the text that makes a path again, to the last bit.

    Parameters
    ----------
    path : Path
        The path.

    Returns
    -------
    str
        Its text, which `read_path` reads.

    Raises
    ------
    InputError
        If no text makes it, as of a path through an array of points.

    Examples
    --------
    >>> path_as_text(read_path("circle((0.2, 0.1), '5 cm')"))
    'circle(center=(0.2, 0.1), radius=0.05, start=0, clockwise=False)'
    """
    try:
        again = read_path(path.text)
    except (InputError, FileError):
        again = None
    kinds = ("in_joints", "duration", "fit")
    if again is None or any(getattr(again, kind) != getattr(path, kind) for kind in kinds):
        raise _unwritten(path)
    if not np.array_equal(again(COMPARED), path(COMPARED)):
        raise _unwritten(path)
    return path.text


def _unwritten(path: Path) -> InputError:
    return InputError(Problem("path", shown(path.text), "a path that its text makes again"))


def _has_file(call: Call) -> bool:
    inner = (*call.arguments, *call.keywords.values())
    parts = (part for part in inner if isinstance(part, Call))
    return f".{call.name}" in FILES or any(map(_has_file, parts))


def _read_file(name: str, what: str, keep_order: bool) -> Path:
    ending = PurePath(name).suffix.lower()
    if ending not in FILES:
        need = f"a file that ends in {' or '.join(FILES)}, or text such as {EXAMPLE}"
        raise InputError(Problem(what, shown(name), need))
    return FILES[ending](name, keep_order=True) if keep_order else FILES[ending](name)


class Shape(NamedTuple):
    """A path that can be made by name.

    Attributes
    ----------
    make : callable
        Makes the path.
    about : str
        What it is, in a few words.
    kinds : mapping of str to str
        What its parameters are, by their names: "length", "angle", "point", "flag" and others.
    """

    make: Callable[..., Path]
    about: str
    kinds: Mapping[str, str]

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters' names with their defaults; `inspect.Parameter.empty` for none."""
        own = inspect.signature(self.make).parameters.values()
        return {name: one.default for name, one in zip(self.kinds, own, strict=True)}

    @property
    def call(self) -> list[str]:
        """The parameters as they are written in a call, with their defaults."""
        if self.make is _then:
            return ["path", "path", "..."]
        own = self.parameters.items()
        short = {name: float(f"{v:.4g}") if isinstance(v, float) else v for name, v in own}
        return [name if v is _NONE else f"{name}={written(v)}" for name, v in short.items()]


def _made(call: Call, *, absolute: bool, keep_order: bool = False) -> Path:
    if call.name not in SHAPES:
        need = f"one of {', '.join(SHAPES)}, or a .csv or .svg file"
        hint = did_you_mean(call.name, SHAPES)
        raise call.fault(None, f"unknown path '{call.name}'", need, hint)
    shape = SHAPES[call.name]
    needed = [name for name, value in shape.parameters.items() if value is _NONE]
    if shape.make is _then:
        needed = [f"path{k}" for k in range(1, max(2, len(call.arguments)) + 1)]
        shape = shape._replace(kinds=dict.fromkeys(needed, "call"))
    # As the lists of parameters write it, None is what was not given.
    given = {name: value for name, value in call.keywords.items() if value is not None}
    values = bind(replace(call, keywords=given), shape.kinds)
    missing = [name for name in needed if name not in values]
    if missing:
        raise call.fault(None, f"'{call.name}' without {' and '.join(missing)}", "all of them")
    inner = [name for name, kind in shape.kinds.items() if kind == "call" and name in values]
    options = {"absolute": absolute, "keep_order": keep_order}
    paths = [_made(values.pop(name), **options) for name in inner]
    if keep_order and "keep_order" in shape.kinds:
        if values.get("keep_order") is False:
            need = "one of them"
            raise call.fault("keep_order", "keep_order=False beside an order to be kept", need)
        values["keep_order"] = True
    if absolute and shape.make is joints:
        rows = (np.asarray(absolute_to_relative(np.array(row))) for row in values["through"])
        values["through"] = tuple(tuple(row.tolist()) for row in rows)
    try:
        return shape.make(*paths, **values)
    except ExpressionError:
        raise
    except InputError as error:
        raise _located(call, shape, error) from None


def _located(call: Call, shape: Shape, error: InputError) -> InputError:
    """Return a shape's error at the argument that it is about."""
    told: list[Problem] = []
    for problem in error.problems:
        _, _, about = problem.what.partition(".")
        name = re.match(r"\w*", about)[0]  # type: ignore[index]  # nothing matches too
        place: int | str | None = name if name in call.keywords else None
        if name in shape.kinds and list(shape.kinds).index(name) < len(call.arguments):
            place = list(shape.kinds).index(name)
        (fault,) = call.fault(place, f"got {problem.got}", problem.need, problem.hint).faults
        what = ".".join(filter(None, (call.what, about)))
        # What stands in a file has its place there.
        told.append(problem if problem.place else replace(fault, what=what))
    if told and all(isinstance(one, Fault) for one in told):
        return ExpressionError(*told)  # type: ignore[arg-type]
    return InputError(told) if told else error


def _then(*paths: Path) -> Path:
    made = paths[0]
    for path in paths[1:]:
        made = made.then(path)
    return made


def _svg(file: str, scale: Any = None, blend: Any = None, keep_order: bool = False) -> Path:
    """Read a drawing as text has it: a bend with a unit needs a drawing with a scale."""
    if isinstance(scale, str):
        need, hint = (
            "a factor: 1 is the size in the file",
            "scaled(svg('FILE'), 0.001) for 1 mm per unit",
        )
        raise InputError(Problem("svg.scale", shown(scale), need, hint))
    if isinstance(blend, str):
        if scale is None:
            need, hint = "a number of drawing units", "give a scale to have lengths"
            raise InputError(Problem("svg.blend", shown(blend), need, hint))
        blend = to_si(blend, "length", what="svg.blend")
    return svg(file, scale, blend, keep_order)


_NONE = inspect.Parameter.empty
# Parameters of one name are of one kind, but for those that a shape has otherwise.
_KINDS = {
    name: kind
    for kind, names in {
        "point": "center radii at about",
        "points": "corners through",
        "length": "radius loop_radius blend",
        "angle": "start end tilt angle",
        "number": "loops petals samples factor",
        "flag": "clockwise closed keep_order",
        "times": "times",
        "text": "file unit",
        "call": "path paths",
    }.items()
    for name in names.split()
}


def _shape(make: Callable[..., Path], about: str, **otherwise: str) -> Shape:
    names = ["path" if name == "self" else name for name in inspect.signature(make).parameters]
    return Shape(make, about, {name: otherwise.get(name) or _KINDS[name] for name in names})


SHAPES: Mapping[str, Shape] = MappingProxyType(
    {
        "line": _shape(line, "straight on", start="point", end="point"),
        "arc": _shape(arc, "part of a circle"),
        "circle": _shape(circle, "once round a circle"),
        "ellipse": _shape(ellipse, "once round an ellipse"),
        "lemniscate": _shape(lemniscate, "a figure of eight"),
        "rose": _shape(rose, "a flower of petals"),
        "loops": _shape(loops, "a circle with loops on it, an epitrochoid"),
        "loops_as_printed": _shape(loops_as_printed, "the same, by finite differences of samples"),
        "polyline": _shape(polyline, "straight from corner to corner, each rounded"),
        "spline": _shape(spline, "smoothly through points"),
        "joints": _shape(joints, "smoothly through postures", through="postures"),
        "csv": _shape(csv, "through the points of a file"),
        "svg": _shape(_svg, "along the lines of a drawing", scale="any", blend="any"),
        "then": _shape(_then, "one path after the other, any number of them"),
        "reversed": _shape(Path.reversed, "the same way back"),
        "repeated": _shape(Path.repeated, "so many times over", times="number"),
        "placed": _shape(Path.placed, "turned, then moved"),
        "scaled": _shape(Path.scaled, "larger or smaller"),
        "rounded": _shape(Path.rounded, "with smooth corners"),
    }
)
