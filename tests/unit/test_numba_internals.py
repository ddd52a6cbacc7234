"""Numba's inner places: that they are as ulna needs them, and that nobody else touches them."""

import re
from pathlib import Path

import numba
import pytest

import ulna
from ulna.kernels import DISABLED, inner
from ulna.kernels import numba_internals as internals

SOURCES = Path(ulna.__file__).parent
INNER = re.compile(r"numba\.core|llvmlite\.llvmpy|numba\.np\.|_nrt\b|pipeline_class")

compiled = pytest.mark.skipif(DISABLED, reason="needs a compiler")


def test_no_other_module_touches_them():
    found = [file.name for file in SOURCES.rglob("*.py") if INNER.search(file.read_text("utf-8"))]
    assert found == ["numba_internals.py"]


def test_the_versions_of_numba_are_bounded():
    text = (SOURCES.parent.parent / "pyproject.toml").read_text("utf-8")
    assert re.search(r'"numba>=[\d.]+,<[\d.]+"', text)


def square(x):
    return x * x


def half(x):
    return 0.5 * _square(x)


_square = inner(square)


@compiled
def test_every_function_that_is_typed_is_reported_and_linked_into_one_module():
    seen = []
    made = internals.type_function(half, (numba.types.float64,), "half", seen.append)
    assert seen == ["square", "half"]
    assert made.kinds == (numba.types.float64,)
    assert made.result == numba.types.float64
    assert internals.typing_listeners == []
    module = internals.linked(made.library, made.module)
    module.verify()
    defined = [one.name for one in module.functions if not one.is_declaration]
    assert any("square" in name for name in defined)
    assert any("half" in name for name in defined)


@compiled
def test_nothing_is_compiled_to_machine_code_on_the_way():
    made = internals.type_function(half, (numba.types.int64,), "half", lambda name: None)
    assert isinstance(made.library, internals._KernelLibrary)
    assert made.library.texts
    assert not any("PyObject" in text for text in made.library.texts)


@compiled
def test_a_function_is_called_between_passes_until_it_is_not():
    calls = []
    end = internals.poll_between_passes(lambda: calls.append(1))
    try:
        internals.type_function(square, (numba.types.float64,), "square", lambda name: None)
    finally:
        end()
    count = len(calls)
    assert count >= 2 * len(internals.PASSES)
    internals.type_function(square, (numba.types.int64,), "square", lambda name: None)
    assert len(calls) == count


@compiled
def test_what_stops_compiling_leaves_numba_as_it_was():
    def stop():
        raise KeyboardInterrupt

    end = internals.poll_between_passes(stop)
    try:
        with pytest.raises(KeyboardInterrupt):
            internals.type_function(half, (numba.types.float32,), "half", lambda name: None)
    finally:
        end()
    assert internals.typing_listeners == []
    made = internals.type_function(half, (numba.types.float32,), "half", lambda name: None)
    assert made.result == numba.types.float64
