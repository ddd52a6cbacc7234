"""The words of the field's textbooks, in place of private ones.

`RETIRED` says per word what it is retired as: as the name of a module, a class or a function, as
any name, as a part of any name, or in prose as well. Most are plain English elsewhere.
`python tests/unit/test_vocabulary.py kinematics` prints those of a room, with lines.
"""

import ast
import re
import sys
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

pytestmark = pytest.mark.check
ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src" / "ulna"
PROSE = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "examples").iterdir()),
    *sorted(SOURCES.rglob("*.py")),
    *sorted(SOURCES.rglob("*.pyi")),
]

MODULE, CLASS, FUNCTION, NAME, PART, TEXT = "module", "class", "function", "name", "part", "text"


class Retired(NamedTuple):
    """A word, what it is retired as, what to say, and in which rooms if not in all."""

    word: str  # in prose a regular expression
    kinds: tuple[str, ...]
    say: str
    rooms: tuple[str, ...] = ()


ENGINE = ("simulation", "lanes", "kernels", "dynamics", "control")
RETIRED = [
    Retired("spare_joints", (MODULE, NAME), "redundancy, null_space"),
    Retired("joints? to spare", (TEXT,), "redundant"),
    Retired("settling", (MODULE,), "null_space"),  # "settling time" is the field's
    Retired("leading", (MODULE,), "null_space"),  # "leading axes" are NumPy's
    Retired("Rest", (CLASS,), "Equilibrium"),
    Retired("rests", (MODULE, PART), "equilibria"),  # it rests: a verb
    Retired("(?:a|no|every|each|stable|unstable|one) rest", (TEXT,), "equilibrium"),
    Retired("postures? of rest|rests of|rests and what", (TEXT,), "equilibrium, equilibria"),
    Retired("push", (PART,), "disturbance"),
    Retired("pushes", (PART,), "disturbances"),
    Retired("(?:a|the|no|every|each|of) push(?:es)?", (TEXT,), "disturbance"),
    Retired("ahead", (NAME,), "along_track", ("analysis", "viewer", "cli")),
    Retired("left", (FUNCTION,), "cross_track, first_exit", ("analysis",)),
    Retired("ahead and to the left|to the left of (?:the|its) path", (TEXT,), "cross-track"),
    Retired("aim", (PART, TEXT), "reference, set-point"),
    Retired("aims", (MODULE, PART, TEXT), "references, set-points"),
    Retired("aimed", (PART, TEXT), "commanded"),
    Retired("swings? over|swing over", (TEXT,), "overshoot"),
    Retired("how often (?:it|the controller) speaks", (TEXT,), "control rate"),
    Retired("hand", (PART,), "worker"),  # by hand, on the other hand: English
    Retired("hands", (MODULE, PART), "workers"),
    Retired("crew", (PART, TEXT), "thread pool"),
    Retired("lots", (MODULE, PART, TEXT), "buckets"),
    Retired("bench", (MODULE, PART), "scratch"),  # `make bench` measures
    Retired("Given", (MODULE, CLASS), "spec"),  # what is given: English
    Retired("laws", (MODULE,), "controllers", ("simulation",)),  # control laws are the field's
    Retired("performing", (MODULE, NAME), "execute"),
    Retired("places", (MODULE, CLASS, PART), "MemoryLayout", ("simulation", "lanes")),
    Retired("whole", (NAME,), "ints", ("simulation", "lanes")),
    Retired("real", (NAME,), "floats", ("simulation", "lanes")),
    Retired("each", (NAME,), "per_arm", ("simulation", "lanes")),
    Retired("slope", (MODULE, PART), "state_derivative", ("simulation", "lanes")),
    Retired("fresh", (PART,), "fsal_valid", ("simulation", "lanes")),
    Retired("turning", (PART,), "qdd", ENGINE),
    Retired("whirl", (PART,), "omega_squared", ENGINE),
    Retired("choose", (FUNCTION,), "select", ("lanes",)),
    Retired("every", (FUNCTION,), "all_lanes", ("lanes",)),
    Retired("some", (FUNCTION,), "any_lane", ("lanes",)),
    Retired("both", (FUNCTION,), "logical_and", ("lanes",)),
    Retired("either", (FUNCTION,), "logical_or", ("lanes",)),
    Retired("opposite", (FUNCTION,), "logical_not", ("lanes",)),
    Retired("see", (FUNCTION,), "measure", ("simulation",)),
    Retired("obey", (FUNCTION,), "call_law", ("simulation",)),
    Retired("lean", (FUNCTION,), "rk_stage", ("simulation",)),
    Retired("losing", (MODULE, FUNCTION), "retire"),
    Retired("aside", (MODULE, FUNCTION), "scalar_fallback"),
    Retired("alone", (MODULE, PART), "scalar_step", ("simulation", "lanes")),
    Retired("loading", (MODULE,), "load_lanes"),
    Retired("story", (MODULE, PART, TEXT), "derivation_steps"),
    Retired("ink", (MODULE, CLASS), "FormulaPrinter"),
    Retired("ink", (PART,), "printer", ("derivation",)),
    Retired("stage", (MODULE, CLASS), "Scene"),  # of a Runge–Kutta method: the field's
    Retired("look", (MODULE, CLASS), "Theme"),
    Retired("look", (NAME,), "theme", ("viewer", "papers", "cli")),
    Retired("words", (MODULE,), "report_text"),
    Retired("asking", (MODULE, NAME), "api"),
    Retired("insist", (PART, TEXT), "raise_if"),
    Retired("Why", (CLASS,), "TrackFlag"),
    Retired("(?<!stick–)slips?", (PART, TEXT), "errata"),
    Retired("what is no number", (TEXT,), "NaN"),
    Retired("happens to thousands", (TEXT,), "Batch simulation"),
    Retired("believes in and another", (TEXT,), "Model mismatch"),
]
# Plain English that the patterns above take for something else, with the reason.
EXCEPTIONS = {
    ("hand", "COLUMNS_BY_HAND"): "written out by hand",
    ("hand", "hand_over"): "hands something over to whoever is next",
}

# The papers are named where they are credited, and where they are computed again.
PAPER = re.compile(r"\bpapers? 00\d", re.IGNORECASE)
CREDITS = ("src/ulna/papers/", "src/ulna/arm/preset_arms.py", "src/ulna/cli/papers.py")
GIVE = re.compile(r"Gives?\b")


class Found(NamedTuple):
    room: str
    word: str
    where: str
    say: str


def room_of(file):
    """Return the room that a file belongs to: a package or a module of ulna, docs, examples."""
    path = file.relative_to(ROOT)
    return path.parts[2].split(".")[0] if path.parts[0] == "src" else path.parts[0].lower()


def words_of(name):
    """Split a name at underscores and capitals.

    >>> words_of("_lay_outHTMLPage2")
    ['lay', 'out', 'html', 'page', '2']
    """
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)
    return [part.lower() for part in parts]


@cache
def nodes_of(file):
    return list(ast.walk(ast.parse(file.read_text("utf-8"))))


def names_in(file):
    """Yield the kind and the text of every name that a module defines, itself first."""
    yield MODULE, (file.parent.name if file.stem == "__init__" else file.stem), 1
    for node in nodes_of(file):
        if isinstance(node, ast.ClassDef):
            yield CLASS, node.name, node.lineno
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield FUNCTION, node.name, node.lineno
        elif isinstance(node, ast.arg):
            yield NAME, node.arg, node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield NAME, node.id, node.lineno
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield NAME, node.attr, node.lineno


def is_retired(retired, kind, name):
    word, bare = retired.word.lower(), name.strip("_").lower()
    if kind in retired.kinds or NAME in retired.kinds:
        return bare == word
    return PART in retired.kinds and any(re.fullmatch(word, part) for part in words_of(name))


@cache
def all_found():
    return [*_found_in_names(), *_found_in_prose(), *_papers_in_core(), *_giving()]


def _found_in_names():
    for file in sorted(SOURCES.rglob("*.py")):
        room, path = room_of(file), file.relative_to(ROOT).as_posix()
        for kind, name, line in names_in(file):
            for retired in retired_as(room, kind, name):
                yield Found(room, retired.word, f"{path}:{line} {name}", retired.say)


@cache
def retired_as(room, kind, name):
    here = (retired for retired in RETIRED if not retired.rooms or room in retired.rooms)
    found = [retired for retired in here if is_retired(retired, kind, name)]
    return [retired for retired in found if (retired.word, name) not in EXCEPTIONS]


def _found_in_prose():
    patterns = [
        (retired, re.compile(rf"\b(?:{retired.word})\b", re.IGNORECASE))
        for retired in RETIRED
        if TEXT in retired.kinds
    ]
    # Letters of one case, all patterns at once: a tenth of the time, and most files have none.
    any_of_them = re.compile(rf"\b(?:{'|'.join(one.word.lower() for one, _ in patterns)})\b")
    for file in PROSE:
        room, path = room_of(file), file.relative_to(ROOT).as_posix()
        # A phrase may go on in the next line.
        text = file.read_text("utf-8")
        flat = re.sub(r"\n[ #]*", lambda m: " " * len(m[0]), text)
        # What people may still write is answered with the word that is meant.
        flat = re.sub(r"@suggest_keywords\([^)]*\)", lambda m: " " * len(m[0]), flat)
        if not any_of_them.search(flat.lower()):
            continue
        for retired, pattern in patterns:
            for match in pattern.finditer(flat):
                line = text.count("\n", 0, match.start()) + 1
                yield Found(room, retired.word, f"{path}:{line} {match[0]}", retired.say)


def _papers_in_core():
    for file in sorted(SOURCES.rglob("*.py")):
        path = file.relative_to(ROOT).as_posix()
        if not path.startswith(CREDITS):
            for match in PAPER.finditer(file.read_text("utf-8")):
                yield Found(room_of(file), "paper 00N", f"{path} {match[0]}", "docs/origins.md")


def _giving():
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Module)
    for file in sorted(SOURCES.rglob("*.py")):
        for node in nodes_of(file):
            if isinstance(node, kinds) and GIVE.match(ast.get_docstring(node) or ""):
                path = file.relative_to(ROOT).as_posix()
                yield Found(room_of(file), "Give", f"{path} {node.name}", "Return")


def left_in(room):
    return [one for one in all_found() if one.room == room]


@pytest.mark.parametrize("room", sorted({room_of(file) for file in PROSE}))
def test_words_are_those_of_the_field(room):
    assert left_in(room) == []


def test_names_are_split_into_words():
    assert words_of("HandError") == ["hand", "error"]
    assert words_of("_see_asSVG2") == ["see", "as", "svg", "2"]


def test_a_retired_word_is_found():
    push = next(retired for retired in RETIRED if retired.word == "push")
    assert is_retired(push, FUNCTION, "tip_push")
    assert is_retired(push, CLASS, "TipPush")
    assert not is_retired(push, NAME, "pushed_back")
    rest = next(retired for retired in RETIRED if retired.word == "Rest")
    assert is_retired(rest, CLASS, "Rest")
    assert not is_retired(rest, NAME, "rest")


if __name__ == "__main__":
    for room in sys.argv[1:]:
        for one in left_in(room):
            print(f"{one.where}  [{one.word} -> {one.say}]")
    if not sys.argv[1:]:
        rooms = defaultdict(Counter)
        for one in all_found():
            rooms[one.room][one.word] += 1
        for room, count in sorted(rooms.items()):
            print(room, dict(count))
