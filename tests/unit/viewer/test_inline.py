"""Films without a file: in the page of a notebook, and to be saved."""

import base64
import re

import pytest

import ulna
from ulna import viewer
from ulna.viewer import film as film_module

SMALL = {"fps": 10, "size": (160, 120)}


@pytest.fixture(scope="module")
def run():
    return ulna.simulate(ulna.preset("kehl"), q0=[0.3, 0.2], duration=1.0)


@pytest.fixture(scope="module")
def film(run):
    return viewer.animate(run, **SMALL)


def embedded(page):
    return base64.b64decode(re.search(r";base64,([^\"]*)\"", page)[1])


def test_the_page_holds_the_whole_film(run, film):
    page = film._repr_html_()
    assert 'width="160"' in page
    assert 'src="data:video/mp4;base64,' in page
    assert embedded(page) == film.data
    assert (film.size, film.frames, film.duration) == ((160, 120), 11, pytest.approx(1.1))
    for part in ("1.1 s", "11 frames", "160 × 120 pixels", "save('film.mp4')"):
        assert part in repr(film)
    assert viewer.animate(run, fps=2).size == (480, 480)


def test_a_film_is_saved_as_what_it_is(tmp_path, film):
    with pytest.raises(ulna.InputError, match=r"need a name that ends in \.mp4; give animate"):
        film.save(tmp_path / "run.gif")
    film.save(tmp_path / "run.mp4")
    with pytest.raises(ulna.InputError, match="which exists"):
        film.save(tmp_path / "run.mp4", overwrite=False)


def test_a_notebook_is_not_made_to_hold_too_much(monkeypatch, film):
    monkeypatch.setattr(film_module, "MOST_INLINE", 100)
    page = film._repr_html_()
    assert "base64" not in page
    assert "too large" in page


def test_runs_side_by_side_play_as_well(run):
    plan = ulna.plan(ulna.preset("kehl"), ulna.paths.circle((0.5, 0.2), 0.1), duration=0.5)
    film = viewer.animate_following(plan, {"one": run, "two": run}, fps=4)
    assert (film.size, film.frames) == ((960, 540), 5)
    assert film.data[4:8] == b"ftyp"
