"""`ulna show` of a sweep's folder."""

import json

import numpy as np
import pytest

import ulna

SPEC = {
    "arm": "kehl",
    "path": "loops()",
    "simulate": False,
    "vary": {"link.1.mass": [1.0, 5.0, 20.0], "payload": [0.0, 1.0]},
    "keep": ["torque.peak", "torque"],
}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sweep") / "masses.zarr"
    ulna.sweep(SPEC, folder)
    return folder


def test_it_tells_points_parameters_and_outputs(ask, store):
    code, out, _ = ask("show", str(store))
    assert code == 0
    assert "masses.zarr: 6 points (a grid): 6 done" in out
    assert "1 to 20 kg" in out
    assert "torques of the joints" in out


def test_its_json_has_the_ranges_of_the_dataset(ask, store):
    told = json.loads(ask("show", str(store), "--json")[1])
    values = np.asarray(ulna.open_sweep(store).dataset["torque.peak"])
    assert told["status"] == {"done": 6}
    assert told["parameters"]["link.1.mass"] == {"unit": "kg", "values": [1.0, 5.0, 20.0]}
    assert told["scalars"]["torque.peak"]["ranges"] == [
        {"of": f"joint {k + 1}", "least": values[..., k].min(), "largest": values[..., k].max()}
        for k in (0, 1)
    ]


def test_it_writes_a_figure_of_what_is_asked_and_a_page(ask, store, tmp_path):
    figure, page = tmp_path / "torque.svg", tmp_path / "torque.html"
    code, _, _ = ask(
        "show", str(store), "--what", "torque", "--plot", str(figure), "--html", str(page)
    )
    assert code == 0
    assert "torques of the joints" in figure.read_text("utf-8")
    assert "link.1.mass" in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "needed"),
    [
        (["--what", "torque.peek"], "torque.peak"),
        (["--film", "x.mp4"], "--film"),
        (["--csv", "x.csv"], "open_sweep"),
        (["--angles", "absolute"], "--angles"),
    ],
)
def test_what_says_nothing_of_a_sweep_is_refused(ask, store, words, needed):
    code, _, err = ask("show", str(store), *words)
    assert code == 2
    assert needed in err


def test_a_folder_of_something_else_is_refused(ask, tmp_path):
    code, _, err = ask("show", str(tmp_path))
    assert code == 2
    assert "a folder that `ulna sweep` has made" in err
