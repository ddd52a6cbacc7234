"""The data say what the rows say, with every digit."""

import json
import re

from ulna.papers import Verdict


def test_the_data_have_every_digit(folder, shelf):
    told = json.loads((folder / "rows.json").read_text("utf-8"))
    assert [paper["number"] for paper in told["papers"]] == ["000", "004"]
    assert told["papers"][0]["verdicts"] == {
        "same": 1, "consistent with the text": 0, "corrected": 1, "wrong as printed": 1,
        "incomplete": 0, "remark": 1, "not yet": 0,
    }  # fmt: skip
    assert told["papers"][0]["rows"][2]["transcription"] == "the bar"
    assert told["papers"][0]["places"][1] == {
        "anchor": "figure-5", "name": "Figure 5", "numbered": True, "about": "torques",
        "rows": ["figure-5", "erratum-1"],
    }  # fmt: skip
    links = [row.get("see_also") for row in told["papers"][0]["rows"]]
    link = {"text": "<Errata> of it", "href": "errata.html#paper-000"}
    assert links == [None, [link], None, None]
    for paper in told["papers"]:
        for row, judged in zip(paper["rows"], shelf[paper["number"]].judge(), strict=True):
            assert row["key"] == judged.key
            assert Verdict(row["verdict"]) is judged.verdict
            numbers = {number["name"]: number["ours"] for number in row["numbers"]}
            expected = {name: value for name, value in judged.values.items() if value == value}
            assert {name: value for name, value in numbers.items() if value is not None} == expected
    assert told["papers"][0]["rows"][2]["numbers"][0]["ours"] is None  # it is no number
    assert set(told["versions"]) >= {"ulna", "python", "numpy", "numba"}
    assert not re.search("20[0-9][0-9]-", json.dumps(told))
