"""The attributes of SVG that say where an element is: their grammar, and lengths in pixels."""

from __future__ import annotations

import math
import re
from typing import TypeAlias
from xml.etree.ElementTree import Element

from ulna.errors import InputError, Problem, shown

MIN_NUMBER, MAX_NUMBER = 1e-30, 1e30
SHAPES = {
    "path": ("d",),
    "rect": ("x", "y", "width", "height", "rx", "ry"),
    "circle": ("cx", "cy", "r"),
    "ellipse": ("cx", "cy", "rx", "ry"),
    "line": ("x1", "y1", "x2", "y2"),
    "polyline": ("points",),
    "polygon": ("points",),
}
VIEWPORT = ("x", "y", "width", "height", "viewBox", "preserveAspectRatio")
ATTRIBUTES = {**SHAPES, "svg": VIEWPORT, "use": ("x", "y")}
SIZES = ("width", "height", "r", "rx", "ry")
AUTO = {"rx": "ry", "ry": "rx"}  # the radius that stands for one that is not given
UNITS = {"": 1.0, "px": 1.0, "in": 96.0, "pt": 96.0 / 72.0, "pc": 16.0}  # [px]
UNITS |= {"cm": 96.0 / 2.54, "mm": 96.0 / 25.4, "Q": 96.0 / 101.6}

# Matches never give back what a number or a gap has taken, and so take linear time.
GAP = r"[ ,\t\r\n\f]*+"
NUMBER = r"(?>[+-]?(?:[0-9]*\.)?[0-9]+(?:[eE][+-]?[0-9]+)?)"
ONE, FLAG = NUMBER + GAP, "[01]" + GAP
COMMANDS = {"MmLlTt": ONE * 2, "HhVv": ONE, "SsQq": ONE * 4, "Cc": ONE * 6}
COMMANDS["Aa"] = ONE * 3 + FLAG * 2 + ONE * 2
DRAW = "|".join(rf"[{letters}]{GAP}(?:{numbers})++" for letters, numbers in COMMANDS.items())
FUNCTIONS = {"matrix": ONE * 6, "translate|scale": f"{ONE}(?:{ONE})?"}
FUNCTIONS |= {"rotate": f"{ONE}(?:{ONE * 2})?", "skewX|skewY": ONE}
CALL = "|".join(rf"(?:{name})\s*\({GAP}{numbers}\)" for name, numbers in FUNCTIONS.items())
ALIGN = "x(?:Min|Mid|Max)Y(?:Min|Mid|Max)"
PATTERNS = {
    "d": (rf"none|(?:(?=[Mm])(?:{DRAW}|[Zz]{GAP})*+)?", "path data such as 'M 0 0 L 10 5'"),
    "points": (rf"{GAP}(?:{ONE * 2})*+", "points such as '0,0 10,5'"),
    "transform": (rf"(?:(?:{CALL}){GAP})*+", "one such as 'translate(10, 5) rotate(30)'"),
    "viewBox": (ONE * 4, "four numbers such as '0 0 100 50', the last two above 0"),
    "preserveAspectRatio": (
        rf"(?:none|{ALIGN})(?: (?:meet|slice))?",
        "one such as 'xMidYMid'",
    ),
}
LENGTH = re.compile(rf"({NUMBER})\s*({'|'.join(UNITS)}|%)")

Size: TypeAlias = tuple[float, float]  # of a viewport, in its units; nan where it is unknown


def read_attributes(element: Element, around: Size) -> tuple[dict[str, str], Size]:
    """Return where an element is, its lengths in pixels, and the size of the viewport in it.

    Raises an `InputError`, to which the caller adds the element and its place.
    """
    made = {"d": "", "transform": ""}
    for name in ("transform", *ATTRIBUTES.get(element.tag, ())):
        auto = element.get(name, "auto").strip() in ("", "auto")
        if name not in PATTERNS:
            source = AUTO.get(name, name) if auto else name
            made[name] = repr(read_length(element, source, around))
        elif not auto:
            made[name] = read_text(element, name)
    if element.tag != "svg":
        return made, around
    size, box = (float(made["width"]), float(made["height"])), read_view_box(element)
    if not box:
        return {"transform": f"{made['transform']} translate({made['x']}, {made['y']})"}, size
    if "nan" in made.values():
        raise refusal(element, "viewBox", "width and height as well")
    return made, (box[2], box[3])


def read_view_box(svg: Element) -> list[float]:
    """Return the left, the top, the width and the height of a view box, if there is one."""
    text = read_text(svg, "viewBox") if svg.get("viewBox", "").strip() else ""
    return [float(number) for number in re.findall(NUMBER, text)]


def read_text(element: Element, name: str) -> str:
    """Return an attribute that is not a length, checked."""
    text = element.get(name, "").strip()
    pattern, need = PATTERNS[name]
    numbers = [float(number) for number in re.findall(NUMBER, text)]
    if not re.fullmatch(pattern, text) or (name == "viewBox" and min(numbers[2:]) <= 0.0):
        raise refusal(element, name, need)
    if any(number and not MIN_NUMBER < abs(number) < MAX_NUMBER for number in numbers):
        raise refusal(element, name, f"numbers from {MIN_NUMBER:g} to {MAX_NUMBER:g}")
    return text


def read_length(element: Element, name: str, around: Size) -> float:
    """Return a length [px]."""
    text, (width, height) = element.get(name, "auto").strip(), around
    if "x" in name or name == "width":
        whole = width
    elif "y" in name or name == "height":
        whole = height
    else:
        whole = math.hypot(width, height) / math.sqrt(2.0)
    if text in ("", "auto"):
        return whole if element.tag == "svg" and name in SIZES else 0.0
    match = LENGTH.fullmatch(text)
    value = float(match[1]) * {**UNITS, "%": 0.01 * whole}[match[2]] if match else math.nan
    if not abs(value) < MAX_NUMBER or (value < 0.0 and name in SIZES):
        units = ", ".join(filter(None, UNITS))
        raise refusal(element, name, f"a number, alone or in {units}; sizes of at least 0")
    return value


def refusal(element: Element, name: str, need: str) -> InputError:
    """Return the error of an attribute."""
    return InputError(Problem("", f"{name}={shown(element.get(name))}", need))
