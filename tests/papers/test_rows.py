"""What all rows of all papers have in common, whatever they say."""

import math
import re

import pytest

from papers import NUMBERS, Verdict, paper

UNCALLED = {"000": {"replay-113-bit"}, "002": {"range"}}  # nothing that a user would call
# Errata and remarks of each paper: what is right as it stands is a remark and no erratum.
COUNTS = {"000": (23, 2), "001": (12, 1), "002": (4, 1), "003": (2, 2), "004": (10, 0)}
ERRATA = {Verdict.CORRECTED, Verdict.WRONG, Verdict.INCOMPLETE}


@pytest.fixture(scope="module", params=NUMBERS)
def judged(request):
    return request.param, paper(request.param).rows


def test_texts_are_whole(judged):
    _, found = judged
    for row in found:
        assert all((row.title, row.where, row.printed, row.ours)), row.key
        assert row.why.endswith("."), row.key
        assert row.item or all((row.how, row.size)), row.key
        texts = (row.printed, row.ours, row.why, row.how, row.size)
        assert not any("nan" in text.split() or "!" in text for text in texts), row.key


def test_errata_and_remarks_are_told_apart(judged):
    number, found = judged
    noted = [row for row in found if not row.item]
    counts = sum(row.erratum for row in noted), sum(row.remark for row in noted)
    assert counts == COUNTS[number]
    assert all((row.verdict in ERRATA) == row.erratum for row in noted)
    for row in noted:
        # Who says that a thing is right, or does nothing, says that it is no erratum.
        nothing = row.size.lower().startswith(("none: ", "none, ")) or "no slip" in row.why
        assert not (nothing and row.erratum), row.key


def test_an_erratum_that_a_row_points_to_is_one(judged):
    _, found = judged
    keys = {row.key: row for row in found}
    for row in found:
        for number in re.findall(r"\(err(?:atum|ata) (\d+)(?: and (\d+)| to (\d+))?", row.why):
            assert all(keys[f"erratum-{k}"].erratum for k in number if k), row.key


def test_numbers_are_numbers_each_with_a_name_of_its_own(judged):
    _, found = judged
    for row in found:
        assert len({number.name for number in row.numbers}) == len(row.numbers) > 0, row.key
        assert all(math.isfinite(number.ours) for number in row.numbers), row.key


def test_keys_and_files_are_there_once(judged):
    number, found = judged
    files = [thing.file for row in found for thing in (*row.pictures, *row.players)]
    assert len({row.key for row in found}) == len(found)
    assert len(set(files)) == len(files)
    assert all(file.startswith(f"{number}-") for file in files)
    assert all(thing.caption for row in found for thing in (*row.pictures, *row.players))


def test_every_picture_is_drawn_and_every_player_plays(judged):
    for row in judged[1]:
        assert all(picture.draw().axes for picture in row.pictures), row.key
        assert all("data-ulna" in player.page() for player in row.players), row.key


def test_calls_run_as_they_stand(judged, tmp_path, monkeypatch):
    number, found = judged
    monkeypatch.chdir(tmp_path)
    without = {row.key for row in found if not row.call and row.item}
    assert without <= UNCALLED.get(number, set()) | {"next"}
    for row in found:
        assert not row.call or "import ulna" in row.call
        assert max(map(len, row.call.splitlines()), default=0) <= 100, row.key
        exec(compile(row.call, row.key, "exec"), {})
