"""Docstrings of what is public say what the signatures say, in numpydoc's form."""

import dataclasses
import enum
import importlib
import inspect
from pathlib import Path

import pytest
from numpydoc.docscrape import get_doc_object
from numpydoc.validate import Validator, validate

import ulna

pytestmark = pytest.mark.check
# Errors by numpydoc's letters. Matters of taste are left out: GL01 to GL03, ES01, SA01, PR06, RT02.
CHECKED = {
    *("GL06", "GL07", "GL08"),  # sections: unknown ones, their order, no docstring
    *("SS01", "SS02", "SS03", "SS04", "SS05", "SS06"),  # the summary
    *("PR01", "PR02", "PR03", "PR04", "PR05", "PR07", "PR08", "PR09", "PR10"),  # parameters
    *("RT01", "RT03", "YD01"),  # what is returned
}
# Of functions only, each of which is an entry of its own; tests/docs runs all examples.
CHECKED_OF_FUNCTIONS = {*CHECKED, "EX01"}
# A record is what a function returns: its fields are attributes, which nobody passes.
PARAMETERS = {"PR01", "PR02", "PR03"}
SOURCES = Path(ulna.__file__).parent
INTERNAL = ("cli", "kernels", "lanes")
ROOMS = (
    *(
        room.name
        for room in sorted(SOURCES.iterdir())
        if (room / "__init__.py").exists() and room.name not in INTERNAL
    ),
    "actuation",
    "angles",
    "errors",
)
MODULES = {"motion": ("motion.paths",), "scenario": ("scenario.disturbances",)}


def public_objects(room):
    """Yield the name and the value of every function, class, method and property of a room."""
    seen = set()
    for path in (room, *MODULES.get(room, ())):
        module = importlib.import_module(f"ulna.{path}")
        for name in getattr(module, "__all__", None) or _defined(module):
            value = getattr(module, name)
            if not (inspect.isclass(value) or inspect.isroutine(value)) or id(value) in seen:
                continue
            seen.add(id(value))
            yield f"ulna.{path}.{name}", value
            if inspect.isclass(value):
                yield from _members(f"ulna.{path}.{name}", value)


def _defined(module):
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
    ]


def _members(path, kind):
    for name, value in vars(kind).items():
        if name.startswith("_") or name in _made_by_python(kind):
            continue
        if isinstance(value, (classmethod, staticmethod)):
            yield f"{path}.{name}", value.__func__
        elif inspect.isfunction(value) or isinstance(value, property) or hasattr(value, "func"):
            yield f"{path}.{name}", value


def _made_by_python(kind):
    if issubclass(kind, enum.Enum):
        return set(kind.__members__)
    return set(getattr(kind, "_fields", ())) | {f.name for f in _fields(kind)}


def _fields(kind):
    return dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ()


class Docstring(Validator):
    """numpydoc's own, of a value, where it would look for a module of that name first."""

    source_file_def_line = None  # of no use here, and not found for all

    def __init__(self, obj_name, value):
        # Attributes are those that are written down, not those that Python knows of.
        super().__init__(get_doc_object(value, config={"show_class_members": False}))


def faults(path, value):
    """Return what is wrong with a docstring, as texts."""
    errors = validate(path, Docstring, value=value)["errors"]
    checked = CHECKED_OF_FUNCTIONS if _is_function(value) else CHECKED
    found = [(code, text) for code, text in errors if code in checked]
    if inspect.isclass(value):
        found = [*_faults_of_class(path, value, found)]
    return [f"{path}: {code} {text}" for code, text in found]


def _is_function(value):
    """Return whether a value is a function of a module, and no method."""
    own = inspect.unwrap(value)
    return inspect.isfunction(own) and "." not in own.__qualname__.split("<locals>.")[-1]


def _faults_of_class(path, kind, found):
    protocol = getattr(kind, "_is_protocol", False)  # of which nobody makes an object
    if protocol or issubclass(kind, (enum.Enum, BaseException)):
        return [(code, text) for code, text in found if code not in PARAMETERS]
    doc = Docstring(path, kind)
    entries = [name.split(" : ")[0] for name, _, _ in doc.doc["Attributes"]]
    attributes = {name.strip() for names in entries for name in names.split(",")}
    if attributes and not doc.doc_parameters:
        found = [(code, text) for code, text in found if code not in PARAMETERS]
        fields = {name for name in doc.signature_parameters if not name.startswith("_")}
        if fields - attributes:
            found.append(("PR01", f"Attributes {fields - attributes} not documented"))
    return found


def left_in(room):
    return [text for path, value in public_objects(room) for text in faults(path, value)]


@pytest.mark.parametrize("room", ROOMS)
def test_docstrings_say_what_signatures_say(room):
    assert left_in(room) == []


def test_a_wrong_docstring_is_found():
    # A check that finds nothing anywhere would pass as well.
    def rods(lengths, masses):
        """Returns an arm

        Parameters
        ----------
        masses
        length : float
            Of all
        """
        return lengths, masses

    found = {text.split(": ")[1][:4] for text in faults("rods", rods)}
    assert found == {"SS03", "SS05", "PR01", "PR02", "PR04", "PR07", "PR09", "RT01", "EX01"}
