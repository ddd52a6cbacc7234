"""A folder of papers is complete, or is not there."""

import json

import pytest
from matplotlib.colors import to_rgb
from PIL import Image

from papers import Picture, folder, paper
from papers.__main__ import main
from papers.folder import write_papers
from ulna.viewer import DARK, PRINT


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A folder of the paper that is computed most quickly."""
    return write_papers(tmp_path_factory.mktemp("made") / "build" / "papers", ["004"]).parent


def test_the_folder_holds_pages_pictures_and_data(written):
    held = {str(file.relative_to(written)) for file in written.rglob("*") if file.is_file()}
    pictures = [picture for row in paper("004").rows for picture in row.pictures]
    assert len(pictures) == 3
    assert held == {
        "004-derivation.html", "004.html", "errata.html", "index.html",
        "inverse-kinematics.html", "rows.json",
        *(f"pictures/{picture.file}" for picture in pictures),
        *(f"pictures/{picture.file[:-4]}-dark.svg" for picture in pictures),
    }  # fmt: skip
    assert sorted(one.name for one in written.parent.iterdir()) == ["papers"]


def test_the_data_have_every_digit(written):
    (told,) = json.loads((written / "rows.json").read_text("utf-8"))["papers"]
    for row, judged in zip(told["rows"], paper("004").rows, strict=True):
        assert (row["key"], row["verdict"]) == (judged.key, judged.verdict.value)
        assert {one["name"]: one["ours"] for one in row["numbers"]} == judged.values


def test_pictures_have_a_twin_for_dark_pages(tmp_path):
    draw = paper("004").rows[1].pictures[0].draw
    assert folder._draw(Picture("a.png", "", draw), tmp_path)[0] > 0
    for theme, name in ((PRINT, "a.png"), (DARK, "a-dark.png")):
        with Image.open(tmp_path / name) as picture:
            corner = picture.convert("RGB").getpixel((0, 0))
        assert corner == tuple(round(255 * part) for part in to_rgb(theme.background))


def test_only_a_folder_of_papers_is_replaced(written, tmp_path):
    with pytest.raises(FileExistsError, match="overwrite"):
        write_papers(written, ["004"])
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(FileExistsError, match=r"rows\.json"):
        write_papers(tmp_path, ["004"], overwrite=True)
    assert (tmp_path / "thesis.tex").read_text() == "mine"


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_what_stops_it_leaves_what_was_there(written, tmp_path, monkeypatch, error):
    old = tmp_path / "papers"
    old.mkdir()
    (old / "rows.json").write_text("old")

    def stop(*_):
        raise error

    monkeypatch.setattr(folder, "pages", stop)
    with pytest.raises(error):
        write_papers(old, ["004"], overwrite=True)
    assert [file.name for file in tmp_path.rglob("*")] == ["papers", "rows.json"]
    assert (old / "rows.json").read_text() == "old"


def test_the_command_refuses_what_is_no_paper(capsys, tmp_path):
    with pytest.raises(SystemExit) as left:
        main(["005", "--out", str(tmp_path / "papers")])
    assert left.value.code == 2
    assert "005" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
