"""Compiled kernels on disk: whatever becomes of their files, answers are right and they heal."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ulna.kernels import cache
from ulna.kernels.cache import PACKAGE

posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX")

# For every folder it is given: the answers of a kernel that is kept there, for how many kinds of
# arguments it was typed, for how many machine code was made, and the warnings.
PROGRAM = """
import json, os, sys, warnings
from ulna.kernels import cache, code, entries, inner
from ulna.kernels.functions import Kernel

@inner
def square(x):
    return x * x

def half(x):
    return 0.5 * square(x)

made = []

def counted(module, name):
    work = getattr(module, name)
    def counting(*arguments, **options):
        made.append(name)
        return work(*arguments, **options)
    setattr(module, name, counting)

counted(entries, "typed")
counted(code, "machine_code")

def used(folder):
    os.environ["ULNA_CACHE"] = folder
    cache._folder.cache_clear()
    made.clear()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        kernel = Kernel(half)
        answers = [kernel.variant(x)(x) for x in (3.0, 4)]
    counts = made.count("typed"), made.count("machine_code")
    return answers, *counts, [str(one.message) for one in told]

print(json.dumps([used(folder) for folder in json.loads(sys.argv[1])]))
"""
RIGHT = [4.5, 8.0]
ALL_LOADED, ALL_COMPILED = [RIGHT, 0, 0, []], [RIGHT, 2, 2, []]
HALF_LOADED, HALF_CODED = [RIGHT, 1, 1, []], [RIGHT, 0, 1, []]


def started(program, folders, before=""):
    place = os.pathsep.join([str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": place}
    environment.pop("NUMBA_DISABLE_JIT", None)
    run = f"{before}import runpy\nrunpy.run_path({str(program)!r})"
    words = [sys.executable, "-c", run, json.dumps([str(folder) for folder in folders])]
    pipe = subprocess.PIPE
    return subprocess.Popen(words, env=environment, stdout=pipe, stderr=pipe, text=True)


def finished(child):
    out, err = child.communicate(timeout=120)
    assert child.returncode == 0, err
    return json.loads(out)


def entries(folder):
    """Give the files of both kernels: for each machine code, then what was typed."""
    files = sorted((Path(folder) / "kernels").iterdir(), key=key_of)
    typed = [file for file in files if file.suffix == cache.TYPED]
    coded = [file for file in files if file.suffix == cache.CODE]
    return list(zip(coded, typed, strict=True))


def key_of(file):
    """Give what an entry is for. The order in which two processes write them tells nothing."""
    return file.read_bytes().partition(b"\0")[0].decode().splitlines()[:5]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """Give a file with a kernel that takes floats and integers."""
    file = tmp_path_factory.mktemp("program") / "program.py"
    file.write_text(PROGRAM, encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def kept(program, tmp_path_factory):
    """Give what two processes keep that compile the same at once: bytes by their names."""
    folder = tmp_path_factory.mktemp("kept")
    both = [started(program, [folder]) for _ in range(2)]
    answers = [finished(child)[0] for child in both]
    assert [answer[0] for answer in answers] == [RIGHT, RIGHT]
    assert max(answer[1] for answer in answers) == 2
    assert len(entries(folder)) == 2
    return [(file.name, file.read_bytes()) for pair in entries(folder) for file in pair]


def laid(folder, kept):
    (folder / "kernels").mkdir(parents=True)
    for name, raw in kept:
        (folder / "kernels" / name).write_bytes(raw)
    return folder / "kernels" / kept[0][0], folder / "kernels" / kept[1][0]


def flipped(raw, place):
    changed = bytearray(raw)
    changed[int(place * len(raw))] ^= 0x10
    return bytes(changed)


def after_key(raw):
    return raw.index(b"\0") + 1


DAMAGES = [
    lambda raw: b"",
    lambda raw: b"no key\0no kernel",
    lambda raw: flipped(raw, 0.0),
    lambda raw: flipped(raw, 0.5),
    lambda raw: flipped(raw, 0.9999),
    lambda raw: raw[: after_key(raw)],
    lambda raw: raw[: len(raw) // 2 + after_key(raw) // 2],
    lambda raw: raw[: after_key(raw)] + bytes(len(raw) - after_key(raw)),
    lambda raw: bytes(len(raw)),
]


def test_damaged_entries_are_compiled_again_and_heal(tmp_path, program, kept):
    # Machine code is made anew of what was typed; where that is damaged too, of the source.
    places, expected = [], []
    for number, damage in enumerate(DAMAGES):
        for damaged, outcome in ((1, HALF_CODED), (2, HALF_LOADED)):
            places.append(tmp_path / f"{number} {damaged}")
            for file in laid(places[-1], kept)[:damaged]:
                file.write_bytes(damage(file.read_bytes()))
            expected.append(outcome)
    laid(tmp_path / "whole", kept)
    places, expected = [*places, tmp_path / "whole"], [*expected, ALL_LOADED]
    assert finished(started(program, places)) == expected
    # The next process compiles nothing, and no file is left over.
    assert finished(started(program, places)) == [ALL_LOADED] * len(places)
    assert all(len(list((folder / "kernels").iterdir())) == 4 for folder in places)


def test_where_nothing_can_be_kept_it_compiles_and_says_so_once(tmp_path, program):
    (tmp_path / "file").write_bytes(b"")
    folder = tmp_path / "file" / "below"
    first, again = finished(started(program, [folder, folder]))
    assert first[:3] == ALL_COMPILED[:3]
    (told,) = first[3]
    assert "cannot be kept" in told
    assert "ULNA_CACHE" in told
    assert again == ALL_COMPILED


@posix
def test_a_full_disk_costs_no_answer_and_leaves_no_part(tmp_path, program):
    small = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))\n"
    (found,) = finished(started(program, [tmp_path / "kept"], small))
    assert found[:3] == ALL_COMPILED[:3]
    assert [os.strerror(errno.EFBIG) in told for told in found[3]] == [True]
    assert list((tmp_path / "kept" / "kernels").iterdir()) == []


SHIPPING = """
import json, sys, warnings
from pathlib import Path
from ulna.kernels import cache
from ulna.kernels.functions import Kernel

def third(x):
    return x / 3.0

def used(shipped, folder):
    import os
    os.environ["ULNA_CACHE"] = str(folder)
    cache._folder.cache_clear()
    cache.SHIPPED = shipped
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        kernel = Kernel(third)
        answers = [kernel.variant(x)(x) for x in (1.0, 2)]
    files = sorted(file.name for file in (folder / "kernels").iterdir())
    objects = [folder / "kernels" / name for name in files if name.endswith(".object")]
    codes = [file.read_bytes().hex() for file in objects]
    return answers, files, codes, [str(one.message) for one in told]

place = Path(sys.argv[1])
shipped = place / "shipped"
from_source = used(place / "none", place / "source")
assert cache.ship(shipped) == 2
from_package = used(shipped, place / "package")
(shipped / cache.MADE_BY).write_text("Plan 9, Python 1.0")
for file in shipped.glob("*.bitcode"):
    file.unlink()
print(json.dumps([from_source, from_package, used(shipped, place / "unfit")]))
"""


def test_typed_kernels_of_a_package_give_the_same_code_or_say_that_they_do_not_fit(tmp_path):
    program = tmp_path / "shipping.py"
    program.write_text(SHIPPING, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    words = [sys.executable, str(program), str(tmp_path)]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    from_source, from_package, unfit = json.loads(done.stdout)
    assert from_source[0] == from_package[0] == unfit[0] == [1.0 / 3.0, 2.0 / 3.0]
    # What was brought along is not typed again, and gives the same machine code.
    assert [name.rpartition(".")[2] for name in from_package[1]] == ["object", "object"]
    assert from_package[2] == from_source[2] == unfit[2]
    assert from_source[3] == from_package[3] == []
    (told,) = unfit[3]
    assert "Plan 9, Python 1.0" in told
    assert "compiled from their sources" in told


RUN = """
import hashlib, os, sys
from pathlib import Path
from ulna.kernels import cache
place, shipped, also = map(Path, sys.argv[1:4])
os.environ["ULNA_CACHE"] = str(place)
cache.SHIPPED = shipped
import ulna
arm = ulna.Arm.rods([0.5, 0.4], [1.0, 2.0])
if "batch" in str(also):
    # Typed in another order.
    ulna.simulate_batch(arm, q0=[0.1, 0.2], duration=0.1)
law = ulna.control.ComputedTorque()
run = ulna.simulate(arm, q0=[0.1, 0.2], duration=1.0, controller=law, reference=[1.0, 0.0])
batch = ulna.simulate_batch(arm, q0=[[0.1, 0.2]] * 20, duration=1.0)
bits = run.q.tobytes() + run.tau.tobytes() + batch.q.tobytes()
print(hashlib.sha256(bits).hexdigest(), "numba" in sys.modules)
if not shipped.exists():
    cache.ship(shipped)
"""


@pytest.mark.slow
def test_typing_here_and_typing_where_a_package_was_built_give_the_same_bits(tmp_path):
    def run(place, shipped, also="."):
        environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
        words = [sys.executable, "-c", RUN, tmp_path / place, tmp_path / shipped, also]
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
        return done.stdout.split()

    bits, typed_here = run("source", "shipped")
    assert typed_here == "True"
    assert run("package", "shipped") == [bits, "False"]
    assert run("again", "another", "batch") == [bits, "True"]
