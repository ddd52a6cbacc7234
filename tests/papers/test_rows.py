"""What all rows of all papers have in common, whatever they say."""

import math
import subprocess
import sys

import pytest

from ulna.papers import NUMBERS, Verdict, rows

UNCALLED = {"000": {"replay-113-bit"}, "002": {"range"}}  # nothing that a user would call
NO_SLIP = {("002", "erratum-5")}  # another convention, which is worth a word


@pytest.fixture(scope="module", params=NUMBERS)
def judged(request):
    return request.param, rows(request.param)


def test_texts_are_whole(judged):
    _, found = judged
    for row in found:
        assert all((row.title, row.where, row.printed, row.ours)), row.key
        assert row.why.endswith("."), row.key
        assert not row.erratum or all((row.how, row.size)), row.key
        texts = (row.printed, row.ours, row.why, row.how, row.size)
        assert not any("nan" in text.split() or "!" in text for text in texts), row.key


def test_slips_are_not_called_right(judged):
    number, found = judged
    right = {(number, row.key) for row in found if row.erratum and row.verdict is Verdict.SAME}
    assert right <= NO_SLIP


def test_numbers_are_numbers_each_with_a_name_of_its_own(judged):
    _, found = judged
    for row in found:
        assert len({number.name for number in row.numbers}) == len(row.numbers) > 0, row.key
        assert all(math.isfinite(number.ours) for number in row.numbers), row.key


def test_keys_and_files_are_there_once(judged):
    number, found = judged
    files = [thing.file for row in found for thing in (*row.pictures, *row.films)]
    assert len({row.key for row in found}) == len(found)
    assert len(set(files)) == len(files)
    assert all(file.startswith(f"{number}-") for file in files)
    assert all(thing.caption for row in found for thing in (*row.pictures, *row.films))


def test_calls_run_as_they_stand(judged, tmp_path, monkeypatch):
    number, found = judged
    monkeypatch.chdir(tmp_path)
    without = {row.key for row in found if not row.call and not row.erratum}
    assert without <= UNCALLED.get(number, set()) | {"next"}
    for row in found:
        assert not row.call or "import ulna" in row.call
        assert max(map(len, row.call.splitlines()), default=0) <= 100, row.key
        exec(compile(row.call, row.key, "exec"), {})


def test_nothing_heavy_is_loaded_to_know_of_them():
    code = "import sys; from ulna.papers import papers; papers(); print({'matplotlib', 'numba', "
    code += "'scipy', 'sympy'} & {*sys.modules})"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "set()"
